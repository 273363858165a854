//! Budgets of tasks: the calls of each kind in this process, and the overrides.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tool_core::capability::BudgetRaise;
use tool_core::{Capability, Effect, ErrorCode, Spec, ToolError, names, object, tool_error};

use crate::model::TaskBudget;

/// Calls that an override adds to a budget.
pub const RAISED_BY: u64 = 3;
/// Maximum number of overrides per task where the configuration sets none.
pub const OVERRIDES: u64 = 2;

names! {
    /// The kind that a call counts as.
    Kind {
        /// Only reads.
        Read = "read",
        /// Changes files or state.
        Write = "write",
        /// Runs a program.
        Exec = "exec",
        /// Calls a language model.
        Llm = "llm",
    }
}

impl Kind {
    /// The kind of a call with these effects; `None` for tools that only make other calls, which count themselves.
    pub(super) fn of(spec: &Spec, effects: &[Effect]) -> Option<Self> {
        if spec.capabilities.contains(&Capability::Calls) {
            return None;
        }
        let has = |effect| effects.contains(&effect);
        Some(if has(Effect::CallsLlm) {
            Self::Llm
        } else if has(Effect::LocalExec) {
            Self::Exec
        } else if has(Effect::ModifiesFiles) || has(Effect::SystemState) {
            Self::Write
        } else {
            Self::Read
        })
    }

    fn limit(self, budget: &TaskBudget) -> Option<u64> {
        match self {
            Self::Read => budget.read,
            Self::Write => budget.write,
            Self::Exec => budget.exec,
            Self::Llm => budget.llm,
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct BudgetCounts {
    used: [u64; 4],
    raised: [u64; 4],
    overrides: u64,
}

impl BudgetCounts {
    fn remaining(&self, budget: &TaskBudget, kind: Kind) -> Option<u64> {
        let limit = kind.limit(budget)?;
        let allowed = limit.saturating_add(self.raised[kind as usize]);
        Some(allowed.saturating_sub(self.used[kind as usize]))
    }
}

/// The counts of one process by task; they survive a reload of the policy.
#[derive(Debug, Default)]
pub(super) struct BudgetTally(Mutex<BTreeMap<String, BudgetCounts>>);

impl BudgetTally {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, BudgetCounts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that the budget allows one more call; `count` counts it.
    ///
    /// # Errors
    /// `limit_exceeded` with the kind, the limit and the next step.
    pub(super) fn room(
        &self,
        budget: &TaskBudget,
        kind: Kind,
        count: bool,
    ) -> Result<(), ToolError> {
        let mut tasks = self.lock();
        let counts = tasks.entry(budget.task.clone()).or_default();
        let Some(remaining) = counts.remaining(budget, kind) else {
            return Ok(());
        };
        if remaining == 0 {
            return Err(budget_exhausted_error(budget, kind, counts));
        }
        if count {
            counts.used[kind as usize] += 1;
        }
        Ok(())
    }

    /// Counts a call whether or not the budget allowed it.
    pub(super) fn count(&self, budget: &TaskBudget, kind: Kind) {
        let mut tasks = self.lock();
        let counts = tasks.entry(budget.task.clone()).or_default();
        counts.used[kind as usize] += 1;
    }

    /// Raises a budget, up to the maximum of the task.
    pub(super) fn raise(&self, budget: &TaskBudget, kind: Kind) -> BudgetRaise {
        let mut tasks = self.lock();
        let counts = tasks.entry(budget.task.clone()).or_default();
        let most = budget.overrides.unwrap_or(OVERRIDES);
        let task = &budget.task;
        let refused = if kind.limit(budget).is_none() {
            Some(format!("the task `{task}` has no budget of `{kind}` calls"))
        } else if counts.overrides >= most {
            Some(format!(
                "the budgets of the task `{task}` have already been raised the maximum of {most} times"
            ))
        } else {
            counts.overrides += 1;
            counts.raised[kind as usize] += RAISED_BY;
            None
        };
        BudgetRaise {
            remaining: counts.remaining(budget, kind),
            overrides_used: counts.overrides,
            refused,
        }
    }
}

/// Whether a call reached its tool, from the end in its record.
pub(super) fn has_run(status: Option<&str>, error_code: Option<&str>) -> bool {
    const BEFORE: [ErrorCode; 8] = [
        ErrorCode::UnknownTool,
        ErrorCode::NotVisible,
        ErrorCode::InvalidArgs,
        ErrorCode::PolicyDenied,
        ErrorCode::ApprovalRequired,
        ErrorCode::ApprovalDeclined,
        ErrorCode::ApprovalExpired,
        ErrorCode::PreconditionFailed,
    ];
    match status {
        Some("success") => true,
        Some("error") => !BEFORE.iter().any(|code| Some(code.as_str()) == error_code),
        _ => false,
    }
}

fn budget_exhausted_error(budget: &TaskBudget, kind: Kind, counts: &BudgetCounts) -> ToolError {
    let limit = kind.limit(budget).unwrap_or(0) + counts.raised[kind as usize];
    let (task, overrides) = (&budget.task, budget.overrides.unwrap_or(OVERRIDES));
    let left = overrides.saturating_sub(counts.overrides);
    let hint = match left {
        0 => {
            "`budget_override` is used up: ask the operator, for example with `escalate`".to_owned()
        }
        left => format!(
            "`budget_override` with `category` `{kind}` and a `reason` raises it by {RAISED_BY}, {left} more times"
        ),
    };
    tool_error!(LimitExceeded, "budget";
        "the task `{task}` has used its budget of {limit} `{kind}` calls")
    .hint(hint)
    .evidence(object! {
        "task" => task.as_str(),
        "category" => kind.as_str(),
        "limit" => limit,
        "overrides_left" => left,
    })
}
