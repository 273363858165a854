//! Opening the workspace of a session.

use super::{Output, Status};
use crate::prelude::*;

/// Open the workspace of the session: file and program tools become available from the next turn on. Paths remain relative to the
/// workspace root; only the opened folder is accessible.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The folder, relative to the workspace root; `.` is the whole workspace.
    #[serde(default = "root")]
    pub path: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "workspace_open",
        title: "Open the workspace of the session",
        resources: super::FOLDER,
        syntax: super::FOLDER_SYNTAX,
        ..super::CHANGING
    };
    type Args = Self;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let opened = ctx.workspaces()?.open(&args.path).at("/path")?;
        Ok(Output::new(opened, Status::Ready))
    }

    /// In a new session whose workspace has the folder `src`.
    const EXAMPLES: &'static [JsonExample] = &[
        JsonExample {
            title: "the whole workspace",
            args: "{}",
            output: r#"{"id": "w1", "path": ".", "status": "ready"}"#,
        },
        JsonExample {
            title: "one folder",
            args: r#"{"path": "src"}"#,
            output: r#"{"id": "w1", "path": "src", "status": "ready"}"#,
        },
    ];
}
