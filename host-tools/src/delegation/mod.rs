//! Delegation: calls as a delegate, questions to the operator, budget raises. Only the dispatcher knows the principal, so no
//! argument here names a role.

#[cfg(test)]
mod tests;

use std::time::Duration;

use tool_core::capability::{AskedQuestion, CallDelegation, OperatorQuestion};

use crate::argument;
use crate::prelude::*;

/// The declaration that these tools share: they use the dispatcher, and plans cannot have them as steps.
const CALLS: Spec = Spec {
    category: Category::Workflow,
    capabilities: &[Capability::Calls],
    idempotent: false,
    determinism: Determinism::External,
    callers: &[Caller::Direct],
    ..Spec::pure()
};

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<Delegate>(),
    tool_entry::<Escalate>(),
    tool_entry::<BudgetOverride>(),
];

/// Make calls as a delegate: sequentially, with at most your own permissions, restricted to the tools in `tools`. Each call is
/// decided, approved and recorded separately; a call that requires approval returns `pending_approval` in its place.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Delegate {
    /// Name of the delegate in decisions and in the audit log: 1 to 64 letters, digits, `-`, `_`, `.`.
    pub name: String,
    /// The tools of the delegate, among those you see: ids or selectors such as `category:math`. An empty list allows none.
    pub tools: Vec<String>,
    /// The calls, in order; at most 64.
    pub calls: Vec<DelegatedCall>,
    /// Whether the delegate is restricted to reading.
    #[value(default)]
    pub read_only: bool,
}

/// A call of a delegate.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct DelegatedCall {
    /// The tool to call.
    pub tool: String,
    /// Its arguments, an object.
    #[value(default)]
    pub args: Value,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct DelegationResult {
    /// The delegate.
    pub name: String,
    /// The envelopes of the calls, in order.
    pub results: Vec<Value>,
}

impl Tool for Delegate {
    // No effect: the effects of the calls are declared, decided and recorded with each call.
    const SPEC: Spec = Spec {
        id: "delegate",
        title: "Make calls for a delegate",
        tags: &["delegation"],
        calls_tools: true,
        holds_calls: &["/calls"],
        ..CALLS
    };
    type Output = DelegationResult;

    fn run(args: Delegate, ctx: &Ctx) -> Result<DelegationResult> {
        argument::check_name(&args.name, "/name")?;
        let calls = args.calls.into_iter().map(|call| {
            let args = if call.args.is_null() {
                Value::object::<&str, Value>([])
            } else {
                call.args
            };
            (call.tool, args)
        });
        let delegation = CallDelegation {
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
        Ok(DelegationResult {
            name: args.name,
            results,
        })
    }

    // No example: results contain a call id and a time.
}

/// Ask the operator about an action that you may not take, or a decision that is not yours. The question is added to the inbox and
/// grants no permission. Ask again with the same reason to get the answer, or wait for it.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Escalate {
    /// The question and its reason: 1 to 2000 characters.
    pub reason: String,
    /// The tool concerned.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The arguments concerned.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub args: Option<Value>,
    /// Seconds to wait for the answer, 0 to 3600; the deadline of the call applies as well.
    #[value(default = "BoundedInteger::<0, 3600>::of::<0>")]
    pub wait: BoundedInteger<0, 3600>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct EscalationResult {
    /// Id of the question.
    pub id: String,
    /// Answer of the operator; null until there is one.
    pub answer: Option<String>,
}

impl Tool for Escalate {
    // No effect: an approval request for this call would reach the operator too.
    const SPEC: Spec = Spec {
        holds_calls: &["/args"],
        ..CALLS
            .with_name("escalate", "Ask the person")
            .tags(&["delegation"])
    };
    type Output = EscalationResult;

    fn run(args: Escalate, ctx: &Ctx) -> Result<EscalationResult> {
        let reason = argument::trim_text(&args.reason, 2000, "/reason")?;
        const POLL: Duration = Duration::from_millis(250);
        let question = OperatorQuestion {
            reason,
            tool: args.tool,
            args: args.args,
        };
        let mut asked = ctx.calls()?.escalate(&question)?;
        let mut polls_left = args.wait.get() * 4;
        while asked.answer.is_none() && polls_left > 0 {
            ctx.stop().check()?;
            std::thread::sleep(POLL);
            polls_left -= 1;
            asked = ctx.calls()?.escalate(&question)?;
        }
        let AskedQuestion { id, answer } = asked;
        Ok(EscalationResult { id, answer })
    }

    // No example: every question has a new id.
}

/// Raise a budget of the current task by three calls. The number of raises per task is limited (two by default); beyond it `ok`
/// is false.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct BudgetOverride {
    /// The kind of calls.
    pub category: BudgetCategory,
    /// Reason for the request; the first 160 characters are recorded.
    pub reason: String,
}

/// A kind of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "lowercase")]
pub(crate) enum BudgetCategory {
    /// Calls that only read.
    Read,
    /// Calls that change files or state.
    Write,
    /// Calls that run programs.
    Exec,
    /// Calls of a language model.
    Llm,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct BudgetOverrideResult {
    /// Whether the budget was raised.
    pub ok: bool,
    /// The kind of calls.
    pub category: BudgetCategory,
    /// Reason for the request.
    pub reason: String,
    /// Remaining calls of the kind; null if they are unlimited.
    pub remaining: Option<u64>,
    /// Number of raises in this task.
    pub overrides_used: u64,
    /// Reason for a refusal.
    #[value(skip_encoding_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Tool for BudgetOverride {
    const SPEC: Spec = Spec {
        id: "budget_override",
        title: "Raise a budget",
        tags: &["budget"],
        effects: &[Effect::SystemState],
        ..CALLS
    };
    type Output = BudgetOverrideResult;

    fn run(args: BudgetOverride, ctx: &Ctx) -> Result<BudgetOverrideResult> {
        const REASON_CHARS: usize = 160;
        let reason: String = args.reason.trim().chars().take(REASON_CHARS).collect();
        if reason.is_empty() {
            return Err(tool_error!(InvalidArgs at "/reason"; "expected a reason"));
        }
        let category = to_value(&args.category)?;
        let raised = ctx
            .calls()?
            .raise_budget(category.as_str().unwrap_or_default())?;
        Ok(BudgetOverrideResult {
            ok: raised.refused.is_none(),
            category: args.category,
            reason,
            remaining: raised.remaining,
            overrides_used: raised.overrides_used,
            error: raised.refused,
        })
    }

    const EXAMPLES: &'static [JsonExample] = examples! {
        "a call without a task":
            r#"{"category": "write", "reason": "two more files belong to the fix"}"#
            => r#"{
                "ok": false, "category": "write", "reason": "two more files belong to the fix", "remaining": null,
                "overrides_used": 0, "error": "the caller has no task with a budget"
            }"#;
    };
}
