//! [`apply_event`]: folds one event into a state. A pure function of the state, the event and the answers of the registry.
//!
//! `setup` has the beginning of a session and its settings, `runs` runs and turns, `calls` calls.

mod calls;
mod runs;
mod setup;

use registry::{Principal, RuntimeFacts};
use tool_core::{ErrorCode, Result, ToolError, convert};

use super::emitted::{BatchSettled, Emitted, GenerateRequested, RunStatus};
use super::event::Event;
use super::limits::{EVENTS_MAX, ID_BYTES_MAX};
use super::state::{OfferedTools, SessionState, SessionStatus};
use super::tools::{Failure, Offer, SessionRegistry};

/// The result of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldResult {
    /// The new state.
    pub state: SessionState,
    /// Requests and reports, in order.
    pub emitted: Vec<Emitted>,
}

/// Folds one event into a state.
///
/// # Errors
/// The reason for refusing the event.
pub fn apply_event(
    state: &SessionState,
    event: &Event,
    registry: &dyn SessionRegistry,
) -> Result<FoldResult> {
    let mut fold = SessionFold {
        state: state.clone(),
        registry,
        emitted: Vec::new(),
    };
    fold.event(event)?;
    fold.state.events += 1;
    fold.advance()?;
    Ok(FoldResult {
        state: fold.state,
        emitted: fold.emitted,
    })
}

struct SessionFold<'a> {
    state: SessionState,
    registry: &'a dyn SessionRegistry,
    emitted: Vec<Emitted>,
}

/// The error for an event that the state does not accept.
fn conflict_error(reason: &'static str, message: impl std::fmt::Display) -> ToolError {
    ToolError::new(ErrorCode::Conflict, message).reason(reason)
}

fn invalid_event_error(path: &str, message: impl std::fmt::Display) -> ToolError {
    ToolError::new(ErrorCode::InvalidRequest, message)
        .reason("event")
        .at(path)
}

/// Checks that a name is neither empty nor too long.
fn check_event_name(path: &str, name: &str) -> Result<()> {
    if name.is_empty() || name.len() > ID_BYTES_MAX {
        let message = format_args!("expected a name of 1 to {ID_BYTES_MAX} bytes");
        return Err(invalid_event_error(path, message));
    }
    Ok(())
}

impl SessionFold<'_> {
    fn event(&mut self, event: &Event) -> Result<()> {
        self.takes(event)?;
        match event {
            Event::SessionOpened(opened) => self.opened(opened),
            Event::RegistrySet(set) => self.registry_set(set.generation.as_deref()),
            Event::ProfileSelected(selected) => {
                self.state.caller.profile.clone_from(&selected.profile);
                self.look().map(drop)
            }
            Event::OverridesSet(set) => self.overrides_set(set),
            Event::FactsSet(set) => self.facts_set(set),
            Event::WorkspaceChanged(changed) => self.workspace_changed(changed),
            Event::RunRequested(requested) => self.run_requested(requested.run.as_deref()),
            Event::InputAppended(_) => self.input_appended(),
            Event::CallsObserved(observed) => self.calls_observed(observed),
            Event::CallSettled(settled) => self.call_settled(settled),
            Event::TurnEnded(_) => self.turn_ended(),
            Event::RunInterrupted(_) => self.run_interrupted(),
            Event::RunFinished(finished) => self.run_finished(finished),
            Event::SessionPaused(_) => self.turn_status(SessionStatus::Open, SessionStatus::Paused),
            Event::SessionResumed(_) => {
                self.turn_status(SessionStatus::Paused, SessionStatus::Open)
            }
            Event::SessionClosed(_) => self.closed(),
        }
    }

    /// Checks that the session accepts events of this kind now.
    fn takes(&self, event: &Event) -> Result<()> {
        let kind = event.kind();
        match (self.state.status, event) {
            (SessionStatus::New, Event::SessionOpened(_)) => return Ok(()),
            (SessionStatus::New, _) => {
                return Err(conflict_error("session_new", "the session has not begun"));
            }
            (SessionStatus::Closed, _) => {
                return Err(conflict_error("session_closed", "the session is closed"));
            }
            (_, Event::SessionOpened(_)) => {
                return Err(conflict_error(
                    "session_open",
                    "the session has begun already",
                ));
            }
            (
                SessionStatus::Paused,
                Event::RunRequested(_) | Event::InputAppended(_) | Event::CallsObserved(_),
            ) => {
                let message = format_args!("the session is paused and does not accept `{kind}`");
                return Err(
                    conflict_error("session_paused", message).hint("send `session.resumed`")
                );
            }
            _ => {}
        }
        let ends = matches!(event, Event::SessionClosed(_) | Event::CallSettled(_));
        if self.state.events >= EVENTS_MAX && !ends {
            let message = format_args!("the session has reached {EVENTS_MAX} events");
            let error = ToolError::new(ErrorCode::LimitExceeded, message).reason("events");
            return Err(error.hint("close it with `session.closed` and begin another"));
        }
        Ok(())
    }

    fn standing(&self) -> Result<(Principal, RuntimeFacts)> {
        let facts = self.state.policy_facts();
        let facts = facts.map_err(|message| invalid_event_error("/facts", message))?;
        Ok((self.state.who(), facts))
    }

    /// Asks the registry for the offered tools, which checks the names in the session.
    fn look(&mut self) -> Result<Offer> {
        let (who, facts) = self.standing()?;
        let offer = self.registry.offer(&who, &facts)?;
        self.state.registry.clone_from(&offer.generation);
        Ok(offer)
    }

    /// Starts the next wave or the next turn, where possible.
    fn advance(&mut self) -> Result<()> {
        let paused = self.state.status == SessionStatus::Paused;
        let run = self.state.run.as_ref();
        let interrupting = run.is_some_and(|run| run.status == RunStatus::Interrupting);
        while let Some(batch) = &mut self.state.batch {
            if batch.is_running() {
                return Ok(());
            }
            let left = batch.next_wave < batch.waves();
            if left && interrupting {
                let message = "the run was interrupted before the call started";
                batch.cancel(&Failure::new(ErrorCode::Cancelled, "interrupted", message));
            } else if left {
                if paused {
                    return Ok(());
                }
                self.start_wave()?;
                continue;
            }
            self.settle()?;
        }
        if interrupting {
            self.end_run(RunStatus::Interrupted, None);
        }
        let due = self.state.active_run().is_some_and(|run| run.due);
        if due && !paused {
            self.generate()?;
        }
        Ok(())
    }

    /// Ends the batch once every call has a result; a turn is due.
    fn settle(&mut self) -> Result<()> {
        let Some(batch) = self.state.batch.take() else {
            return Ok(());
        };
        let results = batch.results().ok_or_else(|| {
            ToolError::new(ErrorCode::Internal, "a batch ended without all its results")
        })?;
        let digests = batch.calls.iter().filter_map(|call| call.result.as_deref());
        let digest = registry::digest::of_texts(digests);
        let (run, turn) = match &mut self.state.run {
            Some(run) => {
                if run.status == RunStatus::Calling {
                    run.status = RunStatus::Waiting;
                    run.due = true;
                }
                (run.number, run.turn)
            }
            None => (0, 0),
        };
        self.state.last_results = Some(digest.clone());
        let settled = BatchSettled {
            batch: batch.number,
            run,
            turn,
            results,
            digest,
        };
        self.emitted.push(settled.into());
        Ok(())
    }

    /// Requests an answer of the model, with the current tools.
    fn generate(&mut self) -> Result<()> {
        let offer = match self.look() {
            Ok(offer) => offer,
            Err(error) => {
                let reason = format!("no tools can be offered: {}", error.message());
                self.end_run(RunStatus::Failed, Some(&reason));
                return Ok(());
            }
        };
        let digest = registry::digest::of_value(&convert::to_value(&offer.tools)?);
        let Some(run) = &mut self.state.run else {
            return Ok(());
        };
        if let Some(turns) = offer.max_turns.filter(|turns| run.turn >= *turns) {
            let reason = format!("the run has reached its limit of {turns} turns (`max_turns`)");
            self.end_run(RunStatus::Failed, Some(&reason));
            return Ok(());
        }
        run.status = RunStatus::Generating;
        run.turn += 1;
        run.due = false;
        run.inputs = 0;
        let requested = GenerateRequested {
            run: run.number,
            turn: run.turn,
            generation: offer.generation,
            tools_digest: digest.clone(),
            tools: offer.tools.clone(),
            missing: offer.missing,
            elsewhere: offer.elsewhere,
            max_turns: offer.max_turns,
        };
        self.state.offered = Some(OfferedTools {
            digest,
            count: offer.tools.len(),
            tools: offer.tools,
        });
        self.emitted.push(requested.into());
        Ok(())
    }
}
