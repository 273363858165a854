//! Closing the workspace of a session.

use super::{Output, Status};
use crate::prelude::*;

/// Close the workspace of the session. File and program tools are unavailable until it is opened again.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "workspace_close",
        title: "Close the workspace of the session",
        ..super::CHANGING
    };
    type Args = Self;
    type Output = Output;

    fn run(_: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        Ok(Output::new(ctx.workspaces()?.close()?, Status::Closed))
    }

    /// In a session with its first workspace open.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "closing the open workspace",
        args: "{}",
        output: r#"{"id": "w1", "path": ".", "status": "closed"}"#,
    }];
}
