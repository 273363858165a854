//! `mathchain runs cancel`: ends a run, and undoes its completed steps.

use std::time::{Duration, Instant};

use chain_runtime::ChainStatus;
use chain_runtime::run::CancellationResult;
use journal::{RunRecord, StateStore};
use tool_core::Reason;

use super::prelude::*;
use super::resume::open_run;
use super::run;

/// Maximum wait for the process that executes the run; the request remains after that.
const WAIT: Duration = Duration::from_secs(30);
/// Interval at which the run is checked meanwhile.
const POLL: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
#[command(
    after_help = "Completed steps that define how to undo them are undone, last one first. If another process executes the run, that process stops and undoes it.
Example:
  mathchain runs cancel 3f2a"
)]
pub(super) struct CancelCommand {
    /// Id of the run, or a unique prefix
    #[arg(add = complete::run_ids())]
    pub run: String,
    /// Cancel although the folder in which the run began was replaced or removed
    #[arg(long)]
    pub accept_changes: bool,
}

/// The end of a cancelled run, as it is printed.
#[derive(Default)]
struct CancelReport<'a> {
    state: &'a str,
    undone: Vec<String>,
    refused: Vec<String>,
}

pub(super) fn cancel_run(global: &GlobalArgs, cancel: &CancelCommand) -> Result<ExitCode> {
    let (toolkit, found) = open_run(global, &cancel.run, cancel.accept_changes)?;
    let state = open::require_state(&toolkit)?;
    let until = Instant::now() + WAIT;
    let mut requested = false;
    let code = loop {
        let err = match toolkit.cancel(
            &CallContext::of_run(&found),
            &found.id,
            cancel.accept_changes,
        ) {
            Ok(cancelled) => break cancelled_here(global, &toolkit, &found, &cancelled)?,
            Err(err) => err,
        };
        match err.reason_str().and_then(Reason::parse) {
            Some(Reason::RunEnded) if requested => {
                break cancelled_elsewhere(global, state, &found)?;
            }
            Some(Reason::RunBusy) => {
                if !requested {
                    requested = true;
                    if let Err(err) = state.request_cancel(&found.id)
                        && !err.is(Reason::RunEnded)
                    {
                        return Err(err);
                    }
                }
                if !wait_for_holder(state, &found.id, until)? {
                    CancelReport::of("cancelling").print(global, &found)?;
                    break exit::TIMEOUT.into();
                }
            }
            _ => return Err(err),
        }
    };
    answer::close_audit(&toolkit);
    Ok(code)
}

/// Waits until no process executes the run; false if one still does at `until`.
fn wait_for_holder(state: &StateStore, id: &str, until: Instant) -> Result<bool> {
    while state.run(id)?.holder.is_some() {
        if Instant::now() > until {
            return Ok(false);
        }
        std::thread::sleep(POLL);
    }
    Ok(true)
}

fn cancelled_here(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    found: &RunRecord,
    cancelled: &CancellationResult,
) -> Result<ExitCode> {
    let state = match &cancelled.result {
        // The run has not ended: its error states why.
        Ok(result)
            if matches!(
                result.status,
                ChainStatus::NeedsDecision | ChainStatus::Suspended | ChainStatus::Interrupted
            ) =>
        {
            return Ok(run::print_run_result(global, toolkit, result));
        }
        Ok(result) => result.status.run_state(),
        Err(_) => "cancelled",
    };
    let mut report = CancelReport::of(state);
    report.gather(cancelled, "");
    report.print(global, found)
}

/// Reports a run that another process cancelled, from its records.
fn cancelled_elsewhere(
    global: &GlobalArgs,
    state: &StateStore,
    found: &RunRecord,
) -> Result<ExitCode> {
    let ended = state.run(&found.id)?;
    let records = state.run_records(&found.id)?;
    let is_end = |record: &Value| record.get("kind").and_then(Value::as_str) == Some("ending");
    if !records.iter().any(is_end) {
        let (id, state) = (&found.id, ended.state.as_str());
        return Err(tool_error!(Conflict, Reason::RunEnded;
            "the run `{id}` ended before it could be cancelled: {state}";
            "`mathchain runs show {id}`"));
    }
    let report = CancelReport {
        state: ended.state.as_str(),
        undone: records.iter().filter_map(undone_call_text).collect(),
        refused: Vec::new(),
    };
    report.print(global, found)
}

/// The undone call of a record: `step[3] (done)`.
fn undone_call_text(record: &Value) -> Option<String> {
    let text = |key| record.get(key).and_then(Value::as_str);
    let step = text("step")?.strip_suffix("!compensate")?;
    let status = text("status").filter(|_| text("kind") == Some("settled"))?;
    Some(match record.get("item").and_then(Value::as_i64) {
        Some(item) => format!("{step}[{item}] ({status})"),
        None => format!("{step} ({status})"),
    })
}

impl<'a> CancelReport<'a> {
    fn of(state: &'a str) -> Self {
        Self {
            state,
            ..Self::default()
        }
    }

    /// Adds the undone calls of a run, those of nested runs first, and the runs whose plan is no longer permitted.
    fn gather(&mut self, cancelled: &CancellationResult, prefix: &str) {
        for inner in &cancelled.within {
            self.gather(inner, &format!("{}: ", inner.run));
        }
        match &cancelled.result {
            Ok(result) => {
                let own = run::undone_steps(result).into_iter();
                self.undone.extend(own.map(|one| format!("{prefix}{one}")));
            }
            Err(error) => self.refused.push(format!("{prefix}{}", error.message())),
        }
    }

    fn print(&self, global: &GlobalArgs, found: &RunRecord) -> Result<ExitCode> {
        let refused = (!self.refused.is_empty()).then(|| self.refused.join("; "));
        let data = object! {
            "run" => found.id.as_str(),
            "status" => self.state,
            "undone" => self.undone.clone(),
            "not_undone" => refused,
        };
        output::print_data(global, &data, || {
            let mut text = format!("run {}: {}\n", found.id, self.state);
            if self.state == "cancelling" {
                text.push_str(
                    "the process that executes it has not stopped yet; the request remains\n",
                );
            }
            if !self.undone.is_empty() {
                let _ = writeln!(text, "undone: {}", self.undone.join(", "));
            }
            for refused in &self.refused {
                text += &format!("not undone, as the plan is no longer permitted: {refused}\n");
            }
            text
        })
    }
}
