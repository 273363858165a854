//! Calls for a delegate.

use tool_core::Shortfall;
use tool_core::capability::Delegation;

use crate::argument;
use crate::prelude::*;

/// Make calls as a delegate: sequentially, with at most your own permissions, restricted to the tools in `tools`. Each call is
/// decided, approved and recorded separately; a call that requires approval returns `pending_approval` in its place.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name of the delegate in decisions and in the audit log: 1 to 64 letters, digits, `-`, `_`, `.`.
    pub name: String,
    /// The tools of the delegate, among those you see: ids or selectors such as `category:math`. An empty list allows none.
    pub tools: Vec<String>,
    /// The calls, in order; at most 64.
    pub calls: Vec<DelegatedCall>,
    /// Whether the delegate is restricted to reading.
    #[serde(default)]
    pub read_only: bool,
}

/// A call of a delegate.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DelegatedCall {
    /// The tool to call.
    pub tool: String,
    /// Its arguments, an object.
    #[serde(default)]
    pub args: Value,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The delegate.
    pub name: String,
    /// The envelopes of the calls, in order.
    pub results: Vec<Value>,
}

impl Tool for Args {
    // No effect: the effects of the calls are declared, decided and recorded with each call.
    const SPEC: Spec = Spec {
        id: "delegate",
        title: "Make calls for a delegate",
        tags: &["delegation"],
        hands_on: true,
        ..super::CALLS
    };
    type Args = Self;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        argument::name(&args.name, "/name")?;
        let calls = args.calls.into_iter().map(|call| {
            let args = if call.args.is_null() {
                Value::object::<&str, Value>([])
            } else {
                call.args
            };
            (call.tool, args)
        });
        let delegation = Delegation {
            name: args.name.clone(),
            tools: args.tools,
            read_only: args.read_only,
            calls: calls.collect(),
        };
        let results = ctx.calls()?.delegate(&delegation, ctx.stop())?;
        let failed = |answer: &Value| answer.get("ok").and_then(Value::as_bool) == Some(false);
        if !results.is_empty() && results.iter().all(failed) {
            let message = format!(
                "none of the {} calls of the delegate succeeded",
                results.len()
            );
            ctx.fall_short(Shortfall::NoneDone, message);
        }
        Ok(Output {
            name: args.name,
            results,
        })
    }

    // No example: results contain a call id and a time.
}
