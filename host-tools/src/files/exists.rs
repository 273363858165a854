//! Existence of a path.

use super::list_directory::EntryKind;
use crate::prelude::*;

/// Report whether a path of the workspace exists. A path that leaves the workspace is an error, not `false`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The path, relative to the workspace root. Links are followed as long as they stay in the workspace.
    pub path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the path exists.
    pub exists: bool,
    /// Its type: `file`, `directory` or `other`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<EntryKind>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "exists",
        title: "Check whether a path exists",
        tags: &["file", "folder"],
        ..super::READING
    };
    type Args = Self;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        match ctx.files()?.stat(&args.path) {
            Ok(info) => Ok(Output {
                exists: true,
                kind: Some(info.kind.into()),
            }),
            // Below a file nothing exists.
            Err(err) if err.is(Reason::NotFound) || err.is(Reason::NotAFolder) => Ok(Output {
                exists: false,
                kind: None,
            }),
            Err(err) => Err(err.at("/path")),
        }
    }

    /// Run in a workspace that has `notes.txt`.
    const EXAMPLES: &'static [JsonExample] = &[
        JsonExample {
            title: "a file",
            args: r#"{"path": "notes.txt"}"#,
            output: r#"{"exists": true, "type": "file"}"#,
        },
        JsonExample {
            title: "a missing path",
            args: r#"{"path": "missing.txt"}"#,
            output: r#"{"exists": false}"#,
        },
    ];
}
