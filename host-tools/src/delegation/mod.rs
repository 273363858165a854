//! Handing on: calls made for a delegate, questions to the person outside, larger budgets. Who calls is known to the dispatcher
//! alone, so no argument here names a role.

mod budget_override;
mod delegate;
mod escalate;
#[cfg(test)]
mod tests;

use crate::prelude::*;

/// What the tools of this family have in common: they go through the dispatcher, and no chain has them as a step.
const CALLS: Spec = Spec {
    category: Category::Workflow,
    capabilities: &[Capability::Calls],
    idempotent: false,
    determinism: Determinism::External,
    callers: &[Caller::Direct],
    ..Spec::pure()
};

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[Entry] = &[
    entry::<delegate::Delegate>(),
    entry::<escalate::Escalate>(),
    entry::<budget_override::BudgetOverride>(),
];
