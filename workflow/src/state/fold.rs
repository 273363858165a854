//! The fold: events in their order, each checked before it changes anything.

use super::WorkflowState;
use crate::event::WorkflowEvent;
use crate::fault::WorkflowFault;

impl WorkflowState {
    /// Whether an event may come next.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, event: &WorkflowEvent) -> Result<(), WorkflowFault> {
        if event.seq != self.seq + 1 {
            return Err(WorkflowFault::Sequence {
                expected: self.seq + 1,
                found: event.seq,
            });
        }
        event.data.may_follow(self, event.origin())
    }

    /// Changes the state by an event; the only way to change it. A refused event changes nothing.
    ///
    /// # Errors
    /// The event cannot come next.
    pub fn apply(&mut self, event: &WorkflowEvent) -> Result<(), WorkflowFault> {
        self.check(event)?;
        event.data.apply(self, event.origin());
        self.seq = event.seq;
        Ok(())
    }

    /// The state after these events.
    ///
    /// # Errors
    /// The first event that cannot follow the ones before it.
    pub fn fold<'a>(
        events: impl IntoIterator<Item = &'a WorkflowEvent>,
    ) -> Result<Self, WorkflowFault> {
        let mut state = Self::default();
        events
            .into_iter()
            .try_for_each(|event| state.apply(event))?;
        Ok(state)
    }
}
