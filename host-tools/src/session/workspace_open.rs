//! Opening the workspace of a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Ctx, Example, Spec, Tool, ToolError};

use super::{Output, Status};

/// Opens the workspace of a session.
pub struct WorkspaceOpen;

/// Open the workspace of the session, so that tools for files and programs can be used from the next turn on. Paths stay
/// relative to the workspace root; only what lies in the opened folder can be reached.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The folder, relative to the workspace root; `.` is the whole workspace.
    #[serde(default = "root")]
    pub path: String,
}

fn root() -> String {
    ".".to_owned()
}

impl Tool for WorkspaceOpen {
    const SPEC: Spec = Spec {
        id: "workspace_open",
        title: "Open the workspace of the session",
        resources: super::FOLDER,
        syntax: super::FOLDER_SYNTAX,
        ..super::CHANGING
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let opened = ctx.workspaces()?.open(&args.path);
        let opened = opened.map_err(|err| match err.path() {
            None => err.at("/path"),
            Some(_) => err,
        })?;
        Ok(Output::new(opened, Status::Ready))
    }

    /// Run in a new session whose workspace has the folder `src`.
    fn examples() -> Vec<Example<Args, Output>> {
        let example = |title, path: &str| Example {
            title,
            args: Args {
                path: path.to_owned(),
            },
            output: Output {
                id: "w1".to_owned(),
                path: path.to_owned(),
                status: Status::Ready,
            },
        };
        vec![
            example("the whole workspace", "."),
            example("one folder of it", "src"),
        ]
    }
}
