//! Numbers of ids with a date: counted by the events that give them, and never given twice.

use super::WorkflowState;
use crate::actor::DecisionContext;
use crate::fault::WorkflowFault;
use crate::ids;
use crate::limits::PER_DATE_MAX;

impl WorkflowState {
    /// Notes the number of an id with a date; of another id nothing.
    pub(crate) fn count_dated_id(&mut self, id: &str) {
        if let Some((prefix, number)) = ids::dated_number(id) {
            let counter = self.dated_counters.entry(prefix.to_owned()).or_default();
            *counter = number.max(*counter);
        }
    }

    /// The next id with a prefix and the date of today.
    ///
    /// # Errors
    /// All numbers of the date are given.
    pub(crate) fn next_dated_id(
        &self,
        context: &DecisionContext<'_>,
        prefix: &str,
    ) -> Result<String, WorkflowFault> {
        let prefix = &*ids::checkout_prefix(prefix, context.checkout);
        let last = self
            .dated_counters
            .get(&format!("{prefix}-{}", context.today));
        let number = last.map_or(1, |last| last.saturating_add(1));
        if number > PER_DATE_MAX {
            return Err(WorkflowFault::TooMany {
                what: "ids with one date",
                count: number as usize,
                max: PER_DATE_MAX as usize,
            });
        }
        Ok(ids::dated_id(prefix, context.today, number))
    }
}
