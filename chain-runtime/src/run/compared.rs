//! What a replay finds: what was the same, what was not, and what of the record cannot be read.

use tool_core::{ToolError, Value};

use super::digest::OutputDigest;
use super::events::Unit;
use super::finished::Finished;
use super::memory::{Memory, lock};
use super::recorded::{end_of, name_of};
use crate::check::CheckedPlan;

/// What a replay found.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    /// Calls that were made again and gave the same.
    pub same: usize,
    /// Calls whose recorded result was taken.
    pub taken: usize,
    /// Calls that gave something else, by plan order.
    pub divergences: Vec<Divergence>,
    /// What was kept of the run and could not be read; calls by plan order.
    pub unreadable: Vec<Unreadable>,
}

/// A call that gave something else when it was made again.
#[derive(Debug, Clone)]
pub struct Divergence {
    /// The call: `step`, `step[3]`.
    pub call: String,
    pub(super) unit: Unit,
    /// What was recorded.
    pub recorded: Value,
    /// What it gave now.
    pub found: Value,
}

/// Something kept of a run that is gone or damaged.
#[derive(Debug, Clone)]
pub struct Unreadable {
    /// What it is: the end of a call (`step`, `step[3]`), or `outputs`.
    pub what: String,
    pub(super) unit: Option<Unit>,
    /// What is wrong with it.
    pub error: ToolError,
}

impl Memory {
    /// What a replay found, by plan order.
    pub fn compared(&self) -> Compared {
        let mut compared = lock(&self.compared).clone();
        compared.divergences.sort_by_key(|one| one.unit);
        compared.unreadable.sort_by_key(|one| one.unit);
        compared
    }

    /// Holds what a call gave against what was recorded of it. What was kept is read too: that it is damaged is found here.
    pub(super) fn compare(&self, plan: &CheckedPlan, unit: Unit, attempt: u32, end: &Finished) {
        let past = self.past.get(&(unit, attempt));
        let Some(past) = past.filter(|past| !past.by_chance) else {
            return;
        };
        let kept = self.state.value(&past.end);
        if let Err(err) = &kept {
            self.unreadable(plan, unit, err);
        }
        let found = end.output_digest.as_ref().map(OutputDigest::as_str);
        if past.status == end.status && past.output_digest.as_deref() == found {
            lock(&self.compared).same += 1;
            return;
        }
        let shown = |end: &Finished| match (&end.output, &end.error) {
            (Some(output), _) => output.clone(),
            (None, Some(error)) => error.to_value(),
            (None, None) => Value::from(end.status.as_str()),
        };
        let recorded = match &kept {
            Ok(kept) => shown(&end_of(kept)),
            Err(_) => Value::object([
                ("status", Value::from(past.status.as_str())),
                ("output_digest", Value::from(past.output_digest.clone())),
            ]),
        };
        let divergence = Divergence {
            call: name_of(plan, unit),
            unit,
            recorded,
            found: shown(end),
        };
        lock(&self.compared).divergences.push(divergence);
    }

    pub(super) fn unreadable(&self, plan: &CheckedPlan, unit: Unit, error: &ToolError) {
        lock(&self.compared).unreadable.push(Unreadable {
            what: name_of(plan, unit),
            unit: Some(unit),
            error: error.clone(),
        });
    }
}
