//! Delegation: calls as a delegate, questions to the operator, budget raises. Only the dispatcher knows the principal, so no
//! argument here names a role.

mod budget_override;
mod delegate;
mod escalate;
#[cfg(test)]
mod tests;

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
pub(crate) static TOOLS: &[Entry] = &[
    entry::<delegate::Args>(),
    entry::<escalate::Args>(),
    entry::<budget_override::Args>(),
];
