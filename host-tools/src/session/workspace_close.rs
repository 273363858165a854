//! Closing the workspace of a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Ctx, Example, Spec, Tool, ToolError};

use super::{Output, Status};

/// Closes the workspace of a session.
pub struct WorkspaceClose;

/// Close the workspace of the session. Tools for files and programs are gone until it is opened again.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {}

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
    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "what was open is closed",
            args: Args {},
            output: Output {
                id: "w1".to_owned(),
                path: ".".to_owned(),
                status: Status::Closed,
            },
        }]
    }
}
