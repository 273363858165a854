//! Who may decide about whose work, in whatever role.

use crate::actor::DecisionContext;
use crate::fault::WorkflowFault;
use crate::state::{WorkflowFeedback, WorkflowState};

/// A decision about an item, for a message.
pub(super) struct OwnDecision<'a> {
    /// The verb.
    pub(super) action: &'static str,
    /// Kind of the item.
    pub(super) what: &'static str,
    /// Its id.
    pub(super) id: &'a str,
}

/// Refuses a decision about one's own work.
pub(super) fn not_own<'a>(
    context: &DecisionContext<'_>,
    owners: impl IntoIterator<Item = &'a String>,
    decision: &OwnDecision<'_>,
) -> Result<(), WorkflowFault> {
    let principal = &context.actor.principal;
    if owners.into_iter().any(|owner| owner == principal) {
        return Err(WorkflowFault::OwnWork {
            action: decision.action,
            what: decision.what,
            id: decision.id.to_owned(),
            principal: principal.clone(),
        });
    }
    Ok(())
}

/// An agent cannot end the pause that it caused; a person can.
pub(super) fn not_own_block(
    context: &DecisionContext<'_>,
    feedback: &WorkflowFeedback,
    action: &'static str,
) -> Result<(), WorkflowFault> {
    if !feedback.blocking || context.actor.is_person() {
        return Ok(());
    }
    let decision = OwnDecision {
        action,
        what: "feedback",
        id: &feedback.id,
    };
    not_own(context, [&feedback.author.principal], &decision)
}

/// Whether the principal may replace or release the lock of a chain.
pub(super) fn check_lock_holder(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    chain: &str,
) -> Result<(), WorkflowFault> {
    let held = state
        .locks
        .get(chain)
        .filter(|lock| lock.expires > context.now);
    match held.filter(|lock| lock.holder != context.actor.principal && !context.actor.is_person()) {
        None => Ok(()),
        Some(lock) => Err(WorkflowFault::first(
            format!(
                "`{}` holds the lock of `{chain}` until {}",
                lock.holder, lock.expires
            ),
            "wait until it ends, or ask its holder or a person to release it",
        )),
    }
}
