//! Schedules with their next times and what became of the last ones, at the terminal and over HTTP.

use chain_runtime::Plan;
use journal::{ScheduleTime, StateStore};
use mathchain::Toolkit;
use mathchain::clock::SystemClock;
use mathchain::schedules::DueTimes;
use registry::model::Schedule;
use tool_core::capability::Clock as _;
use tool_core::{Result, ToolError, Value, convert, object};

/// Next times that are shown.
const NEXT_SHOWN: usize = 3;
/// Times that are looked at for the number of missed ones.
const COUNTED_MAX: usize = 1000;

/// A schedule with its times.
pub struct ListedSchedule {
    /// The schedule.
    pub schedule: Schedule,
    /// Its next times, in milliseconds since 1970-01-01 UTC.
    pub next: Vec<u64>,
    /// Newest first, each with the state of its run.
    pub times: Vec<(ScheduleTime, Option<String>)>,
    /// Number of missed times among those that are kept.
    pub missed: usize,
    /// Why its plan cannot be read.
    pub problem: Option<String>,
}

impl ListedSchedule {
    /// A schedule with at most as many of its times.
    ///
    /// # Errors
    /// A state that cannot be read.
    pub fn of(
        toolkit: &Toolkit,
        state: Option<&StateStore>,
        schedule: &Schedule,
        limit: usize,
    ) -> Result<Self> {
        let due = DueTimes::of(schedule)?;
        let next = |at: &u64| due.next(*at);
        let now_ms = SystemClock::default().unix_ms();
        let next = std::iter::successors(next(&now_ms), next);
        let workspace = toolkit.workspace_id().map(|workspace| workspace.id);
        let found = match (state, &workspace) {
            (Some(state), Some(workspace)) => {
                state.schedule_times(workspace, Some(&schedule.name), COUNTED_MAX)?
            }
            _ => Vec::new(),
        };
        let missed = found.iter().filter(|one| one.outcome == "missed").count();
        let mut times = Vec::new();
        for one in found.into_iter().take(limit) {
            let run = match (state, &one.run) {
                (Some(state), Some(run)) => state.run_named(run)?,
                _ => None,
            };
            times.push((one, run.map(|run| run.state_shown().to_owned())));
        }
        let problem = match &schedule.text {
            Some(Err(why)) => Some(why.clone()),
            Some(Ok(text)) => Plan::read(&schedule.plan, text)
                .err()
                .map(|problems| ToolError::from(problems).message().to_owned()),
            None => None,
        };
        Ok(Self {
            schedule: schedule.clone(),
            next: next.take(NEXT_SHOWN).collect(),
            times,
            missed,
            problem,
        })
    }

    /// As an object of JSON.
    pub fn value(&self) -> Value {
        let times = self.times.iter().map(|(time, state)| {
            let mut members = convert::to_value(time)
                .unwrap_or_default()
                .as_object()
                .cloned()
                .unwrap_or_default();
            members.insert("state", state.clone());
            Value::from(members)
        });
        object! {
            "name" => self.schedule.name.as_str(),
            "plan" => self.schedule.plan.as_str(),
            "inputs" => self.schedule.inputs.clone(),
            "when" => self.schedule.timing_text(),
            "role" => self.schedule.role.clone(),
            "missed" => self.schedule.missed.as_str(),
            "overlap" => self.schedule.overlap.as_str(),
            "next_ms" => Value::array(self.next.iter().map(|ms| Value::from(*ms)).collect()),
            "times" => Value::array(times.collect()),
            "missed_count" => self.missed,
            "problem" => self.problem.clone(),
        }
    }
}
