//! Closing the workspace of a session.

use super::{Output, Status};
use crate::prelude::*;

pub(crate) struct WorkspaceClose;

/// Close the workspace of the session. Tools for files and programs are gone until it is opened again.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for WorkspaceClose {
    const SPEC: Spec = Spec {
        id: "workspace_close",
        title: "Close the workspace of the session",
        ..super::CHANGING
    };
    type Args = Args;
    type Output = Output;

    fn run(_: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        Ok(Output::new(ctx.workspaces()?.close()?, Status::Closed))
    }

    /// Run in a session whose first workspace is open.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "what was open is closed",
        args: "{}",
        output: r#"{"id": "w1", "path": ".", "status": "closed"}"#,
    }];
}
