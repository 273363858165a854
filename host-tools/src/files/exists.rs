//! Existence of a path.

use tool_core::capability::FileKind;

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
    pub kind: Option<FileKind>,
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
        let kind = match ctx.files()?.stat(&args.path) {
            Ok(info) => Some(info.kind),
            // Below a file nothing exists.
            Err(err) if err.is(Reason::NotFound) || err.is(Reason::NotAFolder) => None,
            Err(err) => return Err(err.at("/path")),
        };
        let exists = kind.is_some();
        Ok(Output { exists, kind })
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
