//! Raising a budget of the current task.

use crate::prelude::*;

/// Raise a budget of the current task by three calls. The number of raises per task is limited (two by default); beyond it `ok`
/// is false.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The kind of calls.
    pub category: Kind,
    /// Reason for the request; the first 160 characters are recorded.
    pub reason: String,
}

/// A kind of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Calls that only read.
    Read,
    /// Calls that change files or state.
    Write,
    /// Calls that run programs.
    Exec,
    /// Calls of a language model.
    Llm,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Exec => "exec",
            Self::Llm => "llm",
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the budget was raised.
    pub ok: bool,
    /// The kind of calls.
    pub category: Kind,
    /// Reason for the request.
    pub reason: String,
    /// Remaining calls of the kind; null if they are unlimited.
    pub remaining: Option<u64>,
    /// Number of raises in this task.
    pub overrides_used: u64,
    /// Reason for a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "budget_override",
        title: "Raise a budget",
        tags: &["budget"],
        effects: &[Effect::SystemState],
        ..super::CALLS
    };
    type Args = Self;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        const REASON_CHARS: usize = 160;
        let reason: String = args.reason.trim().chars().take(REASON_CHARS).collect();
        if reason.is_empty() {
            return Err(ToolError::invalid("/reason", "expected a reason"));
        }
        let raised = ctx.calls()?.raise_budget(args.category.as_str())?;
        Ok(Output {
            ok: raised.refused.is_none(),
            category: args.category,
            reason,
            remaining: raised.remaining,
            overrides_used: raised.overrides_used,
            error: raised.refused,
        })
    }

    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "a call without a task",
        args: r#"{"category": "write", "reason": "two more files belong to the fix"}"#,
        output: r#"{
            "ok": false, "category": "write", "reason": "two more files belong to the fix", "remaining": null,
            "overrides_used": 0, "error": "the caller has no task with a budget"
        }"#,
    }];
}
