//! Runs and turns, and the end of a session.

use tool_core::{ErrorCode, Result};

use super::super::emitted::{RunEnded, RunStatus};
use super::super::event::{RunFinish, RunFinished};
use super::super::limits::truncate_text;
use super::super::state::{ScopeOverrides, SessionRun, SessionStatus};
use super::super::tools::Failure;
use super::{SessionFold, check_event_name, conflict_error};

impl SessionFold<'_> {
    /// The active run.
    pub(super) fn running(&mut self) -> Result<&mut SessionRun> {
        let run = self.state.run.as_mut().filter(|run| run.status.is_active());
        run.ok_or_else(|| {
            conflict_error("no_run", "no run is active").hint("begin one with `run.requested`")
        })
    }

    pub(super) fn run_requested(&mut self, name: Option<&str>) -> Result<()> {
        if let Some(name) = name {
            check_event_name("/run", name)?;
        }
        if let Some(run) = self.state.active_run() {
            let message = format_args!("run {} is active", run.number);
            return Err(conflict_error("run_active", message)
                .hint("add to it with `input.appended`, or end it with `run.finished`"));
        }
        self.state.runs += 1;
        self.state.caller.run = ScopeOverrides::default();
        self.state.run = Some(SessionRun {
            number: self.state.runs,
            name: name.map(str::to_owned),
            status: RunStatus::Waiting,
            turn: 0,
            due: true,
            inputs: 0,
        });
        // Without tools to offer the run is refused; later in a run that would end it.
        self.look().map(drop)
    }

    pub(super) fn input_appended(&mut self) -> Result<()> {
        let run = self.running()?;
        match run.status {
            RunStatus::Waiting => run.due = true,
            _ => run.inputs += 1,
        }
        Ok(())
    }

    pub(super) fn turn_ended(&mut self) -> Result<()> {
        let run = self.generating(None)?;
        run.due = run.inputs > 0;
        run.status = RunStatus::Waiting;
        Ok(())
    }

    /// The run that waits for an answer of the model.
    pub(super) fn generating(&mut self, turn: Option<u64>) -> Result<&mut SessionRun> {
        self.no_batch()?;
        let run = self.running()?;
        if run.status != RunStatus::Generating {
            let message = format_args!("run {} has not asked the model", run.number);
            return Err(conflict_error("no_turn", message));
        }
        match turn {
            Some(turn) if turn != run.turn => {
                let message = format_args!("turn {turn} is over; the current turn is {}", run.turn);
                Err(conflict_error("turn", message).at("/turn"))
            }
            _ => Ok(run),
        }
    }

    /// Checks that no batch is open.
    fn no_batch(&self) -> Result<()> {
        let Some(batch) = &self.state.batch else {
            return Ok(());
        };
        let message = format_args!("batch {} is open: its calls are not settled", batch.number);
        Err(conflict_error("batch_open", message))
    }

    pub(super) fn run_interrupted(&mut self) -> Result<()> {
        let run = self.running()?;
        run.status = RunStatus::Interrupting;
        run.due = false;
        Ok(())
    }

    pub(super) fn run_finished(&mut self, finished: &RunFinished) -> Result<()> {
        self.running()?;
        self.no_batch()
            .map_err(|open| open.hint("settle them, or stop the run with `run.interrupted`"))?;
        let status = match finished.status {
            RunFinish::Completed => RunStatus::Completed,
            RunFinish::Failed => RunStatus::Failed,
            RunFinish::Cancelled => RunStatus::Cancelled,
        };
        self.end_run(status, finished.reason.as_deref());
        Ok(())
    }

    pub(super) fn end_run(&mut self, status: RunStatus, reason: Option<&str>) {
        self.state.offered = None;
        self.state.caller.run = ScopeOverrides::default();
        if let Some(run) = self.state.run.as_mut().filter(|run| run.status.is_active()) {
            run.status = status;
            run.due = false;
            let ended = RunEnded {
                run: run.number,
                status,
                reason: reason.map(truncate_text),
            };
            self.emitted.push(ended.into());
        }
    }

    pub(super) fn turn_status(&mut self, from: SessionStatus, to: SessionStatus) -> Result<()> {
        if self.state.status != from {
            let message = match from {
                SessionStatus::Paused => "the session is not paused",
                _ => "the session is paused already",
            };
            return Err(conflict_error("session_status", message));
        }
        self.state.status = to;
        Ok(())
    }

    pub(super) fn closed(&mut self) -> Result<()> {
        if let Some(batch) = &mut self.state.batch {
            let message = "the session was closed";
            let failure = Failure::new(ErrorCode::Cancelled, "session_closed", message);
            batch.cancel(&failure);
            self.settle()?;
        }
        self.end_run(RunStatus::Cancelled, Some("the session was closed"));
        self.state.status = SessionStatus::Closed;
        Ok(())
    }
}
