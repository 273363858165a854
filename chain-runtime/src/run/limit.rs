//! Time limits of a run: the first one to expire, and its error.

use std::time::Duration;

use tool_core::capability::{Clock, ClockAlarm};
use tool_core::{ErrorCode, StopFlag, ToolError, Value, tool_error};

use super::finished::StepOutcome;
use super::meter::budget_exhausted_error;
use crate::check::CheckedPlan;

/// The limits of time of a run, as one flag.
pub(super) struct RunTimeLimit {
    outer: StopFlag,
    /// Set by whatever sets `outer`, and when the first limit comes.
    stop: StopFlag,
    first: Option<(TimeLimitName, u64)>,
}

#[derive(Clone, Copy)]
enum TimeLimitName {
    Call,
    Deadline,
    Wall,
}

impl RunTimeLimit {
    /// Limits of a run that may have spent time in earlier processes.
    pub(super) fn new(
        plan: &CheckedPlan,
        timeout_ms: Option<u64>,
        spent_ms: u64,
        outer: StopFlag,
    ) -> Self {
        let wall_left_ms = plan.budget.wall_ms.map(|ms| ms.saturating_sub(spent_ms));
        let limits = [
            (TimeLimitName::Call, timeout_ms),
            (TimeLimitName::Deadline, plan.deadline_ms),
            (TimeLimitName::Wall, wall_left_ms),
        ];
        let limits = limits
            .into_iter()
            .filter_map(|(name, ms)| Some((name, ms?)));
        Self {
            // Also without a limit a flag of its own: what stops this chain does not stop what the caller does next.
            stop: outer.child(),
            outer,
            first: limits.min_by_key(|(_, ms)| *ms),
        }
    }

    /// Sets the alarm of the first limit.
    pub(super) fn start(&self, clock: &dyn Clock) -> Option<Box<dyn ClockAlarm>> {
        let (_, ms) = self.first?;
        if ms == 0 {
            self.stop.time_out();
        }
        Some(clock.alarm(Duration::from_millis(ms), self.stop.clone()))
    }

    /// The flag that calls look at.
    pub(super) fn stop(&self) -> &StopFlag {
        &self.stop
    }

    /// Whether the process is being interrupted.
    pub(super) fn is_interrupted(&self) -> bool {
        self.outer.is_interrupted()
    }

    /// Checks whether the run may continue.
    ///
    /// # Errors
    /// The limit that has come, or what was said from outside.
    pub(super) fn check(&self) -> Result<(), ToolError> {
        self.outer.check()?;
        self.stop.check().map_err(|why| match self.first {
            // Cancelled from another process.
            _ if why.code() == ErrorCode::Cancelled => why,
            Some((TimeLimitName::Deadline, ms)) => deadline_error("plan", ms),
            Some((TimeLimitName::Wall, _)) => budget_exhausted_error("wall_ms", false),
            Some((TimeLimitName::Call, _)) | None => why,
        })
    }

    /// Names the limit that stopped a call, which itself knows only of a deadline.
    pub(super) fn explain(&self, end: &mut StepOutcome, is_late: bool, deadline_ms: Option<u64>) {
        let Some(error) = end
            .error
            .take_if(|error| error.code() == ErrorCode::Timeout)
        else {
            return;
        };
        let which = match (self.check(), is_late, deadline_ms) {
            (Err(why), ..) => why,
            (_, true, Some(ms)) => deadline_error("step", ms),
            _ => error.clone(),
        };
        end.error = Some(match error.is_outcome_unknown() {
            true => which.may_have_happened(),
            false => which,
        });
    }
}

/// The `deadline_ms` of a plan or a step has passed.
fn deadline_error(whose: &str, ms: u64) -> ToolError {
    tool_error!(Timeout, "deadline_ms"; "the `deadline_ms` of the {whose}, {ms}, has passed";
        "raise `deadline_ms` of the {whose}")
}

/// Time that processes spent on a run, by its records: as each reported, else from its first record to its last. Waiting does
/// not count.
pub(super) fn spent_ms(records: &[Value], created_ms: u64) -> u64 {
    let of = |record: &Value, key: &str| record.get(key).and_then(Value::as_f64);
    let kind = |record: &Value, kind: &str| record.text("kind") == Some(kind);
    let mut spent_ms = 0.0;
    let mut began = created_ms as f64;
    for process in records.chunk_by(|_, next| !kind(next, "taken")) {
        let taken = process.first().filter(|record| kind(record, "taken"));
        began = taken
            .and_then(|record| of(record, "recorded_ms"))
            .unwrap_or(began);
        let told = process.iter().find(|record| kind(record, "chain"));
        let told = told.and_then(|record| of(record, "elapsed_ms"));
        let last = process.last().and_then(|record| of(record, "recorded_ms"));
        let seen = last.map_or(0.0, |last| (last - began).max(0.0));
        spent_ms += told.unwrap_or(seen);
    }
    spent_ms as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: &str, recorded_ms: i64, elapsed_ms: Option<i64>) -> Value {
        let mut record = vec![
            ("kind", Value::from(kind)),
            ("recorded_ms", Value::Int(recorded_ms)),
        ];
        record.extend(elapsed_ms.map(|ms| ("elapsed_ms", Value::Int(ms))));
        Value::object(record)
    }

    #[test]
    fn time_is_spent_while_a_process_works() {
        assert_eq!(spent_ms(&[], 1_000), 0);
        let mut records = vec![
            record("settled", 1_200, Some(90)),
            record("chain", 1_300, Some(250)),
            record("state", 1_301, None),
        ];
        assert_eq!(spent_ms(&records, 1_000), 250, "as it says itself");
        // A day later one that was killed.
        records.push(record("taken", 90_000, None));
        records.push(record("settled", 90_400, Some(300)));
        assert_eq!(spent_ms(&records, 1_000), 650);
        // The clock was set back.
        records.push(record("taken", 90_500, None));
        records.push(record("settled", 70_000, None));
        assert_eq!(spent_ms(&records, 1_000), 650);
        assert_eq!(spent_ms(&records[..1], 1_000), 200, "killed at once");
    }
}
