//! A question to the person outside.

use tool_core::capability::Question;

use crate::argument;
use crate::prelude::*;

pub(crate) struct Escalate;

/// Put a question to the person outside: for what you may not do, or should not decide. It is kept in the list of notifications;
/// nothing is allowed by asking.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// What is asked, and why: 1 to 2000 characters.
    pub reason: String,
    /// The tool it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The arguments it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Id in the list of notifications.
    pub id: String,
}

impl Tool for Escalate {
    // No effect: a call that asks puts a question to the same person without being asked about it.
    const SPEC: Spec = Spec {
        id: "escalate",
        title: "Ask the person",
        tags: &["delegation"],
        ..super::CALLS
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let reason = argument::text(&args.reason, 2000, "/reason")?;
        let id = ctx.calls()?.escalate(&Question {
            reason,
            tool: args.tool,
            args: args.args,
        })?;
        Ok(Output { id })
    }

    // No example: each question has an id of its own.
}
