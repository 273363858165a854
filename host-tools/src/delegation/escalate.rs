//! Questions to the operator.

use tool_core::capability::Question;

use crate::argument;
use crate::prelude::*;

/// Ask the operator about an action that you may not take, or a decision that is not yours. The question is added to the
/// notifications and grants no permission.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The question and its reason: 1 to 2000 characters.
    pub reason: String,
    /// The tool concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The arguments concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Id of the notification.
    pub id: String,
}

impl Tool for Args {
    // No effect: an approval request for this call would reach the operator too.
    const SPEC: Spec = Spec {
        id: "escalate",
        title: "Ask the person",
        tags: &["delegation"],
        ..super::CALLS
    };
    type Args = Self;
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

    // No example: every question has a new id.
}
