//! Memory of a durable run: the ends of its calls, calls of unknown outcome, and the rulings on those.
//!
//! Before a call the runner asks [`Memory::recall`]; after it, [`Memory::keep`] records its end. So a run that is resumed after
//! a crash takes the machine through the same states, without making a call twice.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tool_core::capability::Durability;
use tool_core::{ErrorCode, Object, Reason, ToolError, Value};

use super::digest::OutputDigest;
use super::divergence::Compared;
use super::encoding::{digest_in, end_of, name_of, status_in, unit_of, value_of};
use super::end_record::{Ending, ending_in, options};
use super::events::Unit;
use super::finished::{Finished, StepStatus};
use super::limit::spent_ms;
use super::resume::OutcomeRuling;
use crate::check::{CheckedPlan, CheckedStep, is_chain};
use journal::artifacts::Handle;
use journal::{END_KEY, Journal, State};

/// The memory of one run.
pub struct Memory {
    pub(super) state: Arc<State>,
    /// Journal of the ends; `None` in a replay, which compares instead.
    journal: Option<Arc<Journal>>,
    pub(super) past: HashMap<(Unit, u32), Past>,
    /// Time that earlier processes spent on the run.
    spent_ms: u64,
    /// Duration of the ended calls in milliseconds; a nested plan counts as one call.
    called_ms: f64,
    /// Calls of unknown outcome, with their recorded intents.
    pub(super) unknown: BTreeMap<Unit, Option<Value>>,
    /// Newest attempt of each call.
    newest: HashMap<Unit, u32>,
    decisions: BTreeMap<Unit, OutcomeRuling>,
    ending: Option<Ending>,
    /// Errors of nested runs that are not undone yet.
    pub(super) within: HashMap<String, ToolError>,
    pub(super) compared: Mutex<Compared>,
}

/// Recorded end of a call.
pub(super) struct Past {
    /// Handle of the whole end.
    pub(super) end: Handle,
    pub(super) status: StepStatus,
    pub(super) output_digest: Option<String>,
    /// Whether a timeout, a cancellation or an approver ended it, so that the same arguments may give another result.
    pub(super) by_chance: bool,
}

/// Memory of a call that is about to be made.
pub(super) enum Recall {
    /// Nothing is known, or it may be repeated.
    Call,
    /// It began; the tool determines from the recorded intent whether it happened.
    Began(Value),
    /// Its end.
    Ended(Box<Finished>),
}

impl Memory {
    /// Memory of a new run.
    pub fn begin(journal: Arc<Journal>) -> Self {
        Self::new(Arc::clone(journal.state()), Some(journal))
    }

    fn new(state: Arc<State>, journal: Option<Arc<Journal>>) -> Self {
        Self {
            state,
            journal,
            past: HashMap::new(),
            spent_ms: 0,
            called_ms: 0.0,
            unknown: BTreeMap::new(),
            newest: HashMap::new(),
            decisions: BTreeMap::new(),
            ending: None,
            within: HashMap::new(),
            compared: Mutex::default(),
        }
    }

    /// Memory of a replay: calls that are functions of their arguments are made and compared, all others have their recorded
    /// results.
    pub fn replay(state: Arc<State>, plan: &CheckedPlan, records: &[Value]) -> Self {
        let mut memory = Self::new(state, None);
        memory.read(plan, records);
        memory
    }

    /// Memory of a resumed run: from its records and its start, with rulings by call (`step`, `step[3]`, `step!compensate`).
    ///
    /// # Errors
    /// `invalid_args` for a decision about a call whose outcome is known, or that is not in the plan.
    pub fn resume(
        journal: Arc<Journal>,
        plan: &CheckedPlan,
        records: &[Value],
        created_ms: u64,
        decisions: &[(String, OutcomeRuling)],
    ) -> Result<Self, ToolError> {
        let mut memory = Self::begin(journal);
        memory.spent_ms = spent_ms(records, created_ms);
        memory.read(plan, records);
        memory.decide(plan, decisions)?;
        Ok(memory)
    }

    fn read(&mut self, plan: &CheckedPlan, records: &[Value]) {
        for record in records {
            let kind = record.get("kind").and_then(Value::as_str);
            if kind == Some("ending") && self.ending.is_none() {
                self.ending = ending_in(record);
            }
            let Some(unit) = unit_of(plan, record) else {
                continue;
            };
            let attempt = record.get("attempt").and_then(Value::as_i64);
            let attempt = attempt.map_or(1, |attempt| u32::try_from(attempt).unwrap_or(1));
            let newest = self.newest.entry(unit).or_default();
            *newest = attempt.max(*newest);
            match kind {
                Some("intent") => drop(self.unknown.insert(unit, record.get("before").cloned())),
                Some("settled") => {
                    if status_in(record) != StepStatus::Unknown {
                        self.unknown.remove(&unit);
                    }
                    let took = record.get("elapsed_ms").and_then(Value::as_f64);
                    self.called_ms += took.unwrap_or(0.0);
                    if let Some(end) = record.get(END_KEY).and_then(Handle::from_value) {
                        let past = Past {
                            end,
                            status: status_in(record),
                            output_digest: digest_in(record),
                            by_chance: is_by_chance(record),
                        };
                        self.past.insert((unit, attempt), past);
                    }
                }
                _ => {}
            }
        }
    }

    fn decide(
        &mut self,
        plan: &CheckedPlan,
        decisions: &[(String, OutcomeRuling)],
    ) -> Result<(), ToolError> {
        for (name, decision) in decisions {
            let unit = self
                .unknown
                .keys()
                .find(|&&unit| name_of(plan, unit) == *name);
            let Some(&unit) = unit else {
                let open: Vec<String> = self
                    .unknown
                    .keys()
                    .map(|&unit| name_of(plan, unit))
                    .collect();
                let open = if open.is_empty() {
                    "no call needs a decision".to_owned()
                } else {
                    format!("a decision is needed on {}", open.join(", "))
                };
                return Err(ToolError::new(
                    ErrorCode::InvalidArgs,
                    format_args!("`{name}` needs no decision"),
                )
                .reason("decision")
                .hint(open));
            };
            if self.ending.is_some()
                && !unit.part.undoes()
                && matches!(decision, OutcomeRuling::Again)
            {
                let message = format_args!("the run is being undone: `{name}` is not called again");
                return Err(ToolError::new(ErrorCode::InvalidArgs, message)
                    .reason("decision")
                    .hint(format!(
                        "decide its outcome: {}",
                        options(&name_of(plan, unit), true)
                    )));
            }
            self.decisions.insert(unit, decision.clone());
        }
        Ok(())
    }

    /// Whether it is that of a replay.
    pub(super) fn is_replay(&self) -> bool {
        self.journal.is_none()
    }

    /// The journal; none in a replay.
    pub fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.as_ref()
    }

    /// Number of processes that executed the run, this one included.
    pub(super) fn part(&self) -> u64 {
        self.journal.as_ref().map_or(1, |journal| journal.part())
    }

    /// Time that earlier processes spent on the run, in milliseconds.
    pub(super) fn spent_ms(&self) -> u64 {
        self.spent_ms
    }

    /// Time of calls to charge to the budget, in milliseconds.
    pub(super) fn called_ms(&self) -> u64 {
        match self.journal {
            Some(_) => self.called_ms as u64,
            None => 0, // a replay has the whole budget
        }
    }

    /// Whether the end of a call is recorded, so that no wait is needed before it.
    pub(super) fn knows(&self, unit: Unit, attempt: u32) -> bool {
        let past = self.past.get(&(unit, attempt));
        past.is_some_and(|past| {
            past.status != StepStatus::Unknown || !self.is_newest(unit, attempt)
        })
    }

    /// Whether the outcome of a call is unknown.
    pub(super) fn is_open(&self, unit: Unit) -> bool {
        self.unknown.contains_key(&unit)
    }

    fn is_newest(&self, unit: Unit, attempt: u32) -> bool {
        self.newest
            .get(&unit)
            .is_none_or(|&newest| attempt >= newest)
    }

    /// Early end of the run by an earlier process; `None` in a replay, which reaches it by itself.
    pub(super) fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref().filter(|_| self.journal.is_some())
    }

    /// Memory of a call that is about to be made.
    pub(super) fn recall(
        &self,
        plan: &CheckedPlan,
        step: &CheckedStep,
        unit: Unit,
        attempt: u32,
        ending: bool,
    ) -> Result<Recall, ToolError> {
        let is_open = !self.is_replay() && !self.knows(unit, attempt) && self.is_open(unit);
        if let Some(past) = self.past.get(&(unit, attempt)).filter(|_| !is_open) {
            if self.is_replay() && is_computed_again(step) && !past.by_chance {
                return Ok(Recall::Call);
            }
            return match self.state.value(&past.end) {
                Ok(value) => {
                    lock(&self.compared).taken += 1;
                    Ok(Recall::Ended(Box::new(end_of(&value))))
                }
                // A function of its arguments is computed again.
                Err(_) if is_computed_again(step) && !self.is_replay() => Ok(Recall::Call),
                Err(err) => {
                    self.unreadable(plan, unit, &err);
                    Ok(Recall::Ended(Box::new(Finished::failed(err))))
                }
            };
        }
        // A replay makes no call that the run did not make.
        if self.is_replay() {
            return Ok(Recall::Ended(Box::new(unrecorded(step))));
        }
        let Some(before) = self.unknown.get(&unit) else {
            return Ok(Recall::Call);
        };
        let name = name_of(plan, unit);
        let decision = match self.decisions.get(&unit) {
            Some(decision) => decision,
            None if step.idempotent && (!ending || unit.part.undoes()) => {
                self.note(
                    &name,
                    "again",
                    "doing it twice is the same as doing it once",
                )?;
                return Ok(Recall::Call);
            }
            None => {
                return Ok(match before {
                    Some(before) => Recall::Began(before.clone()),
                    None => Recall::Ended(Box::new(self.undecided(plan, step, unit))),
                });
            }
        };
        match decision {
            OutcomeRuling::Again => {
                self.note(&name, "again", "the operator ruled so")?;
                Ok(Recall::Call)
            }
            OutcomeRuling::Done(value) => {
                self.note(&name, "done", "the operator ruled so")?;
                Ok(Recall::Ended(Box::new(Finished {
                    status: StepStatus::Done,
                    output_digest: Some(registry::digest::of_value(value).into()),
                    output: Some(value.clone()),
                    warnings: vec!["its result was given by the operator".to_owned()],
                    ..Finished::default()
                })))
            }
            OutcomeRuling::Failed => {
                self.note(&name, "failed", "the operator ruled so")?;
                let message =
                    format_args!("the call of `{}` failed, as the operator ruled", step.tool);
                let error = ToolError::new(ErrorCode::ToolError, message).reason("decided");
                Ok(Recall::Ended(Box::new(Finished::failed(error))))
            }
        }
    }

    /// End of a call whose outcome is unknown.
    pub(super) fn undecided(&self, plan: &CheckedPlan, step: &CheckedStep, unit: Unit) -> Finished {
        let message = match self.past.keys().any(|(past, _)| *past == unit) {
            true => format!(
                "the call of `{}` was stopped, and its outcome is unknown",
                step.tool
            ),
            false => format!(
                "the call of `{}` was begun by a process that ended, and its outcome is unknown",
                step.tool
            ),
        };
        let error = ToolError::new(ErrorCode::Conflict, message)
            .reason(Reason::OutcomeUnknown)
            .may_have_happened();
        Finished {
            status: StepStatus::Unknown,
            error: Some(self.asked(plan, unit, error, false)),
            ..Finished::default()
        }
    }

    /// The error of a call that may have happened, with a hint how to decide its outcome. If the run ends, the call is not
    /// repeated.
    pub(super) fn asked(
        &self,
        plan: &CheckedPlan,
        unit: Unit,
        error: ToolError,
        ends: bool,
    ) -> ToolError {
        let run = self.journal.as_ref().map_or("RUN", |journal| journal.id());
        let ended = (ends || self.ending.is_some()) && !unit.part.undoes();
        let options = options(&name_of(plan, unit), ended);
        error.hint(format!(
            "check what happened, then `mathchain runs resume {run} {options}"
        ))
    }

    fn note(&self, name: &str, decision: &str, why: &str) -> Result<(), ToolError> {
        let event = Value::object([
            ("kind", "decision"),
            ("call", name),
            ("decision", decision),
            ("reason", why),
        ]);
        match &self.journal {
            Some(journal) => journal.write(&event, Durability::Synced).map(drop),
            None => Ok(()),
        }
    }

    /// Records the end of a call. A call that awaits approval or was stopped has not ended.
    ///
    /// # Errors
    /// When it cannot be recorded; then the run must stop.
    pub(super) fn keep(
        &self,
        plan: &CheckedPlan,
        step: &CheckedStep,
        unit: Unit,
        attempt: u32,
        end: &Finished,
    ) -> Result<(), ToolError> {
        let reason = end.error.as_ref().and_then(ToolError::reason_str);
        let is_told = match end.status {
            StepStatus::Done | StepStatus::Failed | StepStatus::Denied => true,
            // The unknown outcome of an earlier process is recorded already, and a nested plan has records of its own.
            StepStatus::Unknown => {
                reason != Some(Reason::OutcomeUnknown.as_str()) && !is_chain(step.tool)
            }
            _ => false,
        };
        if !is_told {
            return Ok(());
        }
        let Some(journal) = &self.journal else {
            if is_computed_again(step) {
                self.compare(plan, unit, attempt, end);
            }
            return Ok(());
        };
        if self.knows(unit, attempt) {
            return Ok(());
        }
        let handle = journal.put(&value_of(end))?;
        let mut event = Object::new();
        event.insert("kind", "settled");
        event.insert("step", step.id.as_ref());
        if let Some(index) = unit.part.item() {
            event.insert("item", index);
        }
        event.insert("tool", step.tool);
        event.insert("version", step.tool_version);
        event.insert("attempt", attempt);
        event.insert("status", end.status.as_str());
        event.insert(
            "output_digest",
            end.output_digest.as_ref().map(OutputDigest::as_str),
        );
        if let Some(error) = &end.error {
            event.insert("error_code", error.code().as_str());
        }
        let took = end.ended.saturating_sub(end.began);
        event.insert("elapsed_ms", (took.as_secs_f64() * 1e6).round() / 1e3);
        event.insert(END_KEY, handle.to_value());
        let durability = if step.effects.is_empty() {
            Durability::Batched
        } else {
            Durability::Synced
        };
        journal
            .write(&Value::Object(Arc::new(event)), durability)
            .map(drop)
    }
}

/// Whether equal arguments give an equal result: the content of opened files is not recorded.
fn is_computed_again(step: &CheckedStep) -> bool {
    step.is_function && !step.args.opens_files()
}

/// End in a replay of a call without a recorded end: pending.
fn unrecorded(step: &CheckedStep) -> Finished {
    let message = format_args!("how the call of `{}` ended is not recorded", step.tool);
    Finished {
        status: StepStatus::Pending,
        error: Some(ToolError::new(ErrorCode::PreconditionFailed, message)),
        ..Finished::default()
    }
}

/// Whether a call did not end as a function of its arguments: it timed out, or was cancelled or denied.
fn is_by_chance(record: &Value) -> bool {
    let code = record.get("error_code").and_then(Value::as_str);
    let chances = [ErrorCode::Timeout, ErrorCode::Cancelled];
    status_in(record) == StepStatus::Denied
        || chances.iter().any(|chance| code == Some(chance.as_str()))
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
