//! Handing on: calls made for a delegate, questions to the person outside, larger budgets. Who calls is known to the dispatcher
//! alone, so no argument here names a role.

pub mod budget_override;
pub mod delegate;
pub mod escalate;
#[cfg(test)]
mod tests;

use tool_core::{Caller, Capability, Category, Determinism, Entry, Spec, entry};

/// What the tools of this family have in common: they go through the dispatcher, and no chain has them as a step.
const CALLS: Spec = Spec {
    category: Category::Workflow,
    capabilities: &[Capability::Calls],
    idempotent: false,
    determinism: Determinism::External,
    callers: &[Caller::Direct],
    ..Spec::pure()
};

/// The tools of this family, in the order they should be read.
pub static TOOLS: &[Entry] = &[
    entry::<delegate::Delegate>(),
    entry::<escalate::Escalate>(),
    entry::<budget_override::BudgetOverride>(),
];
