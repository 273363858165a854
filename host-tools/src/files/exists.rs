//! Whether something is there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Ctx, Example, Reason, Spec, Tool, ToolError};

use super::list_directory::EntryKind;

/// Says whether a file or folder is there.
pub struct Exists;

/// Say whether a path of the workspace leads to something. A path that leaves the workspace is an error, not `false`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The path, relative to the workspace root. Links are followed as long as they stay in the workspace.
    pub path: String,
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether something is there.
    pub exists: bool,
    /// What it is: `file`, `directory` or `other`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<EntryKind>,
}

impl Tool for Exists {
    const SPEC: Spec = Spec {
        id: "exists",
        title: "Whether a file is there",
        tags: &["file", "folder"],
        ..super::READING
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        match ctx.files()?.stat(&args.path) {
            Ok(info) => Ok(Output {
                exists: true,
                kind: Some(info.kind.into()),
            }),
            // A file on the way means that nothing is there.
            Err(err) if err.is(Reason::NotFound) || err.is(Reason::NotAFolder) => Ok(Output {
                exists: false,
                kind: None,
            }),
            Err(err) => Err(err.at("/path")),
        }
    }

    /// Run in a workspace that has `notes.txt`.
    fn examples() -> Vec<Example<Args, Output>> {
        let example = |title, path: &str, kind: Option<EntryKind>| Example {
            title,
            args: Args {
                path: path.to_owned(),
            },
            output: Output {
                exists: kind.is_some(),
                kind,
            },
        };
        vec![
            example("a file", "notes.txt", Some(EntryKind::File)),
            example("nothing", "missing.txt", None),
        ]
    }
}
