//! Memory of a durable run: the ends of its calls, calls of unknown outcome, and the rulings on those.
//!
//! Before a call the runner asks [`RunMemory::recall`]; after it, [`RunMemory::keep`] records its end. So a run that is resumed after
//! a crash takes the machine through the same states, without making a call twice.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use journal::artifacts::ArtifactHash;
use journal::{Journal, StateStore, StoredEnd};
use tool_core::capability::RecordDurability;
use tool_core::{ErrorCode, Reason, ToolError, Value, fields, object, tool_error};

use super::encoding::{
    DIGEST_KEY, PriorRunEnd, digest_in, end_of, ending_in, name_of, resume_options_text, status_in,
    unit_of, value_of,
};
use super::events::{CallAttempt, CallUnit};
use super::finished::{StepOutcome, StepStatus, duration_in_ms};
use super::limit::spent_ms;
use super::resume::OutcomeRuling;
use crate::check::{CheckedPlan, CheckedStep, is_chain};

/// The memory of one run.
pub struct RunMemory {
    pub(super) state: Arc<StateStore>,
    /// Journal of the ends; `None` in a replay, which compares instead.
    journal: Option<Arc<Journal>>,
    pub(super) past: HashMap<(CallUnit, u32), PastCall>,
    /// Time that earlier processes spent on the run.
    pub(super) spent_ms: u64,
    /// Duration of the ended calls in milliseconds; a nested plan counts as one call.
    called_ms: f64,
    /// Calls of unknown outcome, with their recorded intents.
    pub(super) unknown: BTreeMap<CallUnit, Option<Value>>,
    /// Newest attempt of each call.
    newest: HashMap<CallUnit, u32>,
    decisions: BTreeMap<CallUnit, OutcomeRuling>,
    ending: Option<PriorRunEnd>,
    /// Errors of nested runs that are not undone yet.
    pub(super) within: HashMap<String, ToolError>,
    pub(super) compared: Mutex<ReplayComparison>,
    /// The newest list of ends that was read.
    newest_list: Mutex<Option<(ArtifactHash, Vec<Value>)>>,
}

/// Recorded end of a call.
pub(super) struct PastCall {
    /// Where the whole end is stored.
    pub(super) end: StoredEnd,
    pub(super) status: StepStatus,
    pub(super) output_digest: Option<String>,
    /// Whether a timeout, a cancellation or an approver ended it, so that the same arguments may give another result.
    pub(super) by_chance: bool,
}

/// Memory of a call that is about to be made.
pub(super) enum CallRecall {
    /// Nothing is known, or it may be repeated.
    Call,
    /// It began; the tool determines from the recorded intent whether it happened.
    Began(Value),
    /// Its end.
    Ended(Box<StepOutcome>),
}

impl RunMemory {
    /// Memory of a new run.
    pub fn begin(journal: Arc<Journal>) -> Self {
        Self::new(Arc::clone(journal.state()), Some(journal))
    }

    fn new(state: Arc<StateStore>, journal: Option<Arc<Journal>>) -> Self {
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
            newest_list: Mutex::default(),
        }
    }

    /// Memory of a replay: calls that are functions of their arguments are made and compared, all others have their recorded
    /// results.
    pub fn replay(state: Arc<StateStore>, plan: &CheckedPlan, records: &[Value]) -> Self {
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
            let kind = record.text("kind");
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
                    let status = status_in(record);
                    if status != StepStatus::Unknown {
                        self.unknown.remove(&unit);
                    }
                    let took = record.get("elapsed_ms").and_then(Value::as_f64);
                    self.called_ms += took.unwrap_or(0.0);
                    if let Some(end) = StoredEnd::of(record) {
                        let past = PastCall {
                            end,
                            status,
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
            let open = || self.unknown.keys().map(|&unit| (unit, name_of(plan, unit)));
            let Some((unit, _)) = open().find(|(_, open)| open == name) else {
                let open: Vec<String> = open().map(|(_, name)| name).collect();
                let hint = match open.is_empty() {
                    true => "no call needs a decision".to_owned(),
                    false => format!("a decision is needed on {}", open.join(", ")),
                };
                let error = tool_error!(InvalidArgs, "`{name}` needs no decision");
                return Err(error.reason("decision").hint(hint));
            };
            let is_again = matches!(decision, OutcomeRuling::Again);
            if is_again && self.ending.is_some() && !unit.part.undoes() {
                let options = resume_options_text(name, true);
                let what = format!("`{name}` is not called again");
                let error = tool_error!(InvalidArgs, "the run is being undone: {what}");
                return Err(error
                    .reason("decision")
                    .hint(format!("decide its outcome: {options}")));
            }
            self.decisions.insert(unit, decision.clone());
        }
        Ok(())
    }

    /// Reads the recorded end of a call.
    fn stored_end(&self, past: &PastCall) -> Result<StepOutcome, ToolError> {
        let value = match past.end.at {
            None => self.state.end(&past.end)?,
            Some(at) => {
                // Elements are read one after the other, and most of those near to each other are of one list.
                let mut newest = lock_ignoring_poison(&self.newest_list);
                let hash = past.end.handle.hash;
                if newest.as_ref().is_none_or(|(known, _)| *known != hash) {
                    let list = self.state.value(&past.end.handle)?;
                    *newest = Some((hash, list.items().unwrap_or_default()));
                }
                let found = newest.as_ref().and_then(|(_, ends)| ends.get(at));
                match found {
                    Some(found) => found.clone(),
                    None => self.state.end(&past.end)?,
                }
            }
        };
        let mut end = end_of(&value);
        if end.output_digest.is_none() {
            end.output_digest = past.output_digest.clone().map(Into::into);
        }
        Ok(end)
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

    /// Time of calls to charge to the budget, in milliseconds.
    pub(super) fn called_ms(&self) -> u64 {
        match self.journal {
            Some(_) => self.called_ms as u64,
            None => 0, // a replay has the whole budget
        }
    }

    /// Whether the end of a call is recorded, so that no wait is needed before it.
    pub(super) fn knows(&self, unit: CallUnit, attempt: u32) -> bool {
        let past = self.past.get(&(unit, attempt));
        let newest = self.newest.get(&unit).copied().unwrap_or_default();
        past.is_some_and(|past| past.status != StepStatus::Unknown || attempt < newest)
    }

    /// Whether the outcome of a call is unknown.
    pub(super) fn is_open(&self, unit: CallUnit) -> bool {
        self.unknown.contains_key(&unit)
    }

    /// Early end of the run by an earlier process; `None` in a replay, which reaches it by itself.
    pub(super) fn ending(&self) -> Option<&PriorRunEnd> {
        self.ending.as_ref().filter(|_| self.journal.is_some())
    }

    /// Memory of a call that is about to be made.
    pub(super) fn recall(
        &self,
        attempt: CallAttempt<'_>,
        ending: bool,
    ) -> Result<CallRecall, ToolError> {
        let CallAttempt { step, unit, .. } = attempt;
        let key = (unit, attempt.number);
        let is_open = !self.is_replay() && !self.knows(unit, key.1) && self.is_open(unit);
        if let Some(past) = self.past.get(&key).filter(|_| !is_open) {
            if self.is_replay() && is_computed_again(step) && !past.by_chance {
                return Ok(CallRecall::Call);
            }
            return match self.stored_end(past) {
                Ok(end) => {
                    lock_ignoring_poison(&self.compared).taken += 1;
                    CallRecall::ended(end)
                }
                // A function of its arguments is computed again.
                Err(_) if is_computed_again(step) && !self.is_replay() => Ok(CallRecall::Call),
                Err(err) => {
                    self.unreadable(attempt, &err);
                    CallRecall::ended(StepOutcome::failed(err))
                }
            };
        }
        // A replay makes no call that the run did not make.
        if self.is_replay() {
            return CallRecall::ended(unrecorded_end(step));
        }
        let Some(before) = self.unknown.get(&unit) else {
            return Ok(CallRecall::Call);
        };
        let (is_ruled, decision) = match self.decisions.get(&unit) {
            Some(decision) => (true, decision),
            None if step.idempotent && (!ending || unit.part.undoes()) => {
                (false, &OutcomeRuling::Again)
            }
            None => {
                return match before {
                    Some(before) => Ok(CallRecall::Began(before.clone())),
                    None => CallRecall::ended(self.undecided(attempt)),
                };
            }
        };
        let (word, recall) = match decision {
            OutcomeRuling::Again => ("again", Ok(CallRecall::Call)),
            OutcomeRuling::Done(value) => {
                let mut end = StepOutcome::done(value.clone());
                end.warnings = vec!["its result was given by the operator".to_owned()];
                ("done", CallRecall::ended(end))
            }
            OutcomeRuling::Failed => {
                let what = format!("the call of `{}` failed", step.tool);
                let error = tool_error!(ToolError, "{what}, as the operator ruled");
                let end = StepOutcome::failed(error.reason("decided"));
                ("failed", CallRecall::ended(end))
            }
        };
        if let Some(journal) = &self.journal {
            let event = object! {
                "kind" => "decision",
                "call" => name_of(attempt.plan, unit),
                "decision" => word,
                "reason" => match is_ruled {
                    true => "the operator ruled so",
                    false => "doing it twice is the same as doing it once",
                },
            };
            journal.write(&event, RecordDurability::Synced)?;
        }
        recall
    }

    /// End of a call whose outcome is unknown.
    pub(super) fn undecided(&self, attempt: CallAttempt<'_>) -> StepOutcome {
        let how = match self.past.keys().any(|(past, _)| *past == attempt.unit) {
            true => "stopped",
            false => "begun by a process that ended",
        };
        let what = format!("the call of `{}` was {how}", attempt.step.tool);
        let error = tool_error!(Conflict, "{what}, and its outcome is unknown");
        let error = error.reason(Reason::OutcomeUnknown).may_have_happened();
        StepOutcome::unknown(self.asked(attempt, error, false))
    }

    /// The error of a call that may have happened, with a hint how to decide its outcome. If the run ends, the call is not
    /// repeated.
    pub(super) fn asked(
        &self,
        attempt: CallAttempt<'_>,
        error: ToolError,
        ends: bool,
    ) -> ToolError {
        let run = self.journal.as_ref().map_or("RUN", |journal| journal.id());
        let ended = (ends || self.ending.is_some()) && !attempt.unit.part.undoes();
        let options = resume_options_text(&name_of(attempt.plan, attempt.unit), ended);
        error.hint(format!(
            "check what happened, then `mathchain runs resume {run} {options}"
        ))
    }

    /// Records the end of a call. A call that awaits approval or was stopped has not ended.
    ///
    /// # Errors
    /// When it cannot be recorded; then the run must stop.
    pub(super) fn keep(
        &self,
        attempt: CallAttempt<'_>,
        end: &StepOutcome,
    ) -> Result<(), ToolError> {
        let (step, unit, number) = (attempt.step, attempt.unit, attempt.number);
        let error = end.error.as_ref();
        let is_told = match end.status {
            StepStatus::Done | StepStatus::Failed | StepStatus::Denied => true,
            // The unknown outcome of an earlier process is recorded already, and a nested plan has records of its own.
            StepStatus::Unknown => {
                !error.is_some_and(|error| error.is(Reason::OutcomeUnknown)) && !is_chain(step.tool)
            }
            _ => false,
        };
        if !is_told {
            return Ok(());
        }
        let Some(journal) = &self.journal else {
            if is_computed_again(step) {
                self.compare(attempt, end);
            }
            return Ok(());
        };
        if self.knows(unit, number) {
            return Ok(());
        }
        let mut event = fields! { "kind" => "settled", "step" => &*step.id };
        event.insert_some("item", unit.part.item());
        event.extend(&fields! {
            "tool" => step.tool,
            "version" => step.tool_version,
            "attempt" => number,
            "status" => end.status.as_str(),
            "output_digest" => end.digest(),
        });
        event.insert_some("error_code", error.map(|error| error.code().as_str()));
        event.insert("elapsed_ms", duration_in_ms(end.elapsed()));
        let mut kept = value_of(end);
        if unit.part.item().is_some() {
            // The event has it too.
            kept.remove(DIGEST_KEY);
        }
        let durability = match step.effects.is_empty() {
            true => RecordDurability::Batched,
            false => RecordDurability::Synced,
        };
        journal.settle_call(event, &kept.into(), durability)
    }
}

impl CallRecall {
    fn ended(end: StepOutcome) -> Result<Self, ToolError> {
        Ok(Self::Ended(Box::new(end)))
    }
}

/// Whether equal arguments give an equal result: the content of opened files is not recorded.
fn is_computed_again(step: &CheckedStep) -> bool {
    step.is_function && !step.args.opens_files()
}

/// End in a replay of a call without a recorded end: pending.
fn unrecorded_end(step: &CheckedStep) -> StepOutcome {
    let what = format!("how the call of `{}` ended", step.tool);
    let error = tool_error!(PreconditionFailed, "{what} is not recorded");
    StepOutcome {
        status: StepStatus::Pending,
        error: Some(error),
        ..StepOutcome::default()
    }
}

/// Whether a call did not end as a function of its arguments: it timed out, or was cancelled or denied.
fn is_by_chance(record: &Value) -> bool {
    let code = record.text("error_code").and_then(ErrorCode::parse);
    status_in(record) == StepStatus::Denied
        || matches!(code, Some(ErrorCode::Timeout | ErrorCode::Cancelled))
}

pub(super) fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Findings of a replay.
#[derive(Debug, Clone, Default)]
pub struct ReplayComparison {
    /// Number of repeated calls with equal results.
    pub same: usize,
    /// Number of calls whose recorded result was used.
    pub taken: usize,
    /// Repeated calls with other results, by plan order.
    pub divergences: Vec<CallDivergence>,
    /// Stored values of the run that could not be read; calls by plan order.
    pub unreadable: Vec<UnreadableValue>,
}

/// A repeated call with another result.
#[derive(Debug, Clone)]
pub struct CallDivergence {
    /// The call: `step`, `step[3]`.
    pub call: String,
    pub(super) unit: CallUnit,
    /// The recorded result.
    pub recorded: Value,
    /// The result of the replay.
    pub found: Value,
}

/// A stored value of a run that is missing or damaged.
#[derive(Debug, Clone)]
pub struct UnreadableValue {
    /// Its name: the end of a call (`step`, `step[3]`), or `outputs`.
    pub what: String,
    pub(super) unit: Option<CallUnit>,
    /// The error.
    pub error: ToolError,
}

impl RunMemory {
    /// The findings of a replay, by plan order.
    pub fn compared(&self) -> ReplayComparison {
        let mut compared = lock_ignoring_poison(&self.compared).clone();
        compared.divergences.sort_by_key(|one| one.unit);
        compared.unreadable.sort_by_key(|one| one.unit);
        compared
    }

    /// Compares the result of a call with its record. The stored value is read too, so that damage is found.
    pub(super) fn compare(&self, attempt: CallAttempt<'_>, end: &StepOutcome) {
        let CallAttempt { plan, unit, .. } = attempt;
        let past = self.past.get(&(unit, attempt.number));
        let Some(past) = past.filter(|past| !past.by_chance) else {
            return;
        };
        let kept = self.stored_end(past);
        if let Err(err) = &kept {
            self.unreadable(attempt, err);
        }
        if past.status == end.status && past.output_digest.as_deref() == end.digest() {
            lock_ignoring_poison(&self.compared).same += 1;
            return;
        }
        let shown = |end: &StepOutcome| match (&end.output, &end.error) {
            (Some(output), _) => output.clone(),
            (None, Some(error)) => error.to_value(),
            (None, None) => Value::from(end.status.as_str()),
        };
        let recorded = match &kept {
            Ok(kept) => shown(kept),
            Err(_) => object! {
                "status" => past.status.as_str(),
                "output_digest" => past.output_digest.clone(),
            },
        };
        let divergence = CallDivergence {
            call: name_of(plan, unit),
            unit,
            recorded,
            found: shown(end),
        };
        lock_ignoring_poison(&self.compared)
            .divergences
            .push(divergence);
    }

    pub(super) fn unreadable(&self, attempt: CallAttempt<'_>, error: &ToolError) {
        lock_ignoring_poison(&self.compared)
            .unreadable
            .push(UnreadableValue {
                what: name_of(attempt.plan, attempt.unit),
                unit: Some(attempt.unit),
                error: error.clone(),
            });
    }
}
