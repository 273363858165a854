//! A question to the person outside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::capability::Question;
use tool_core::{Ctx, Example, Spec, Tool, ToolError, Value};

/// Puts a question to the person outside.
pub struct Escalate;

/// Put a question to the person outside: for what you may not do, or should not decide. It is kept in the list of notifications;
/// nothing is allowed by asking.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// What is asked, and why: 1 to 2000 characters.
    pub reason: String,
    /// The tool it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The arguments it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
}

/// The result: where the question is kept.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
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
        let reason = args.reason.trim();
        if reason.is_empty() || reason.chars().count() > 2000 {
            return Err(ToolError::invalid(
                "/reason",
                "expected 1 to 2000 characters",
            ));
        }
        let id = ctx.calls()?.escalate(&Question {
            reason: reason.to_owned(),
            tool: args.tool,
            args: args.args,
        })?;
        Ok(Output { id })
    }

    fn examples() -> Vec<Example<Args, Output>> {
        Vec::new() // each question has an id of its own
    }
}
