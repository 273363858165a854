//! Findings of a replay: equal results, divergences, and unreadable records.

use tool_core::{ToolError, Value, object};

use super::encoding::{end_of, name_of};
use super::events::{Attempt, Unit};
use super::finished::Finished;
use super::memory::{Memory, lock};

/// Findings of a replay.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    /// Number of repeated calls with equal results.
    pub same: usize,
    /// Number of calls whose recorded result was used.
    pub taken: usize,
    /// Repeated calls with other results, by plan order.
    pub divergences: Vec<Divergence>,
    /// Stored values of the run that could not be read; calls by plan order.
    pub unreadable: Vec<Unreadable>,
}

/// A repeated call with another result.
#[derive(Debug, Clone)]
pub struct Divergence {
    /// The call: `step`, `step[3]`.
    pub call: String,
    pub(super) unit: Unit,
    /// The recorded result.
    pub recorded: Value,
    /// The result of the replay.
    pub found: Value,
}

/// A stored value of a run that is missing or damaged.
#[derive(Debug, Clone)]
pub struct Unreadable {
    /// Its name: the end of a call (`step`, `step[3]`), or `outputs`.
    pub what: String,
    pub(super) unit: Option<Unit>,
    /// The error.
    pub error: ToolError,
}

impl Memory {
    /// The findings of a replay, by plan order.
    pub fn compared(&self) -> Compared {
        let mut compared = lock(&self.compared).clone();
        compared.divergences.sort_by_key(|one| one.unit);
        compared.unreadable.sort_by_key(|one| one.unit);
        compared
    }

    /// Compares the result of a call with its record. The stored value is read too, so that damage is found.
    pub(super) fn compare(&self, attempt: Attempt<'_>, end: &Finished) {
        let Attempt { plan, unit, .. } = attempt;
        let past = self.past.get(&(unit, attempt.number));
        let Some(past) = past.filter(|past| !past.by_chance) else {
            return;
        };
        let kept = self.state.value(&past.end);
        if let Err(err) = &kept {
            self.unreadable(attempt, err);
        }
        if past.status == end.status && past.output_digest.as_deref() == end.digest() {
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
            Err(_) => object! {
                "status" => past.status.as_str(),
                "output_digest" => past.output_digest.clone(),
            },
        };
        let divergence = Divergence {
            call: name_of(plan, unit),
            unit,
            recorded,
            found: shown(end),
        };
        lock(&self.compared).divergences.push(divergence);
    }

    pub(super) fn unreadable(&self, attempt: Attempt<'_>, error: &ToolError) {
        lock(&self.compared).unreadable.push(Unreadable {
            what: name_of(attempt.plan, attempt.unit),
            unit: Some(attempt.unit),
            error: error.clone(),
        });
    }
}
