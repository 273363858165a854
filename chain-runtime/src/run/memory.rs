//! What a durable run remembers: how each call ended, which ones began and are not known to have ended, what a person said of
//! those.
//!
//! Before a call the runner asks [`Memory::recall`]; after it, [`Memory::keep`] writes how it ended. So a run that goes on after
//! a crash makes the machine take the same way as before, without making a call twice.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tool_core::capability::Durability;
use tool_core::{ErrorCode, Object, ToolError, Value};

use super::digest::OutputDigest;
use super::finished::{Finished, StepStatus};
use super::machine::{Part, Unit};
use crate::artifacts::Handle;
use crate::check::{CheckedPlan, CheckedStep};
use crate::plan::COMPENSATE_SUFFIX;
use crate::state::{Journal, State};

/// What a person says of a call whose outcome is not known.
#[derive(Debug, Clone)]
pub enum Decision {
    /// It did not happen, or may happen again: it is called again.
    Again,
    /// It happened, with this result.
    Done(Value),
    /// It failed.
    Failed,
}

/// The memory of one run.
pub struct Memory {
    state: Arc<State>,
    /// Where ends are written; none in a replay, which compares instead.
    journal: Option<Arc<Journal>>,
    past: HashMap<(Unit, u32), Handle>,
    /// Calls that began and are not known to have ended, with what was noted before them.
    unknown: BTreeMap<Unit, Option<Value>>,
    decisions: BTreeMap<Unit, Decision>,
    compared: Mutex<Compared>,
}

/// What a replay found.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    /// Calls that were made again and gave the same.
    pub same: usize,
    /// Calls whose recorded result was taken.
    pub taken: usize,
    /// Calls that gave something else, by plan order.
    pub divergences: Vec<Divergence>,
}

/// A call that gave something else when it was made again.
#[derive(Debug, Clone)]
pub struct Divergence {
    /// The call: `step`, `step[3]`.
    pub call: String,
    unit: Unit,
    /// What was recorded.
    pub recorded: Value,
    /// What it gave now.
    pub found: Value,
}

/// What is known of a call that is about to be made.
pub(super) enum Recall {
    /// Nothing, or that it may be made again.
    Call,
    /// That it began, and what was noted before it: the tool tells whether it happened.
    Began(Value),
    /// How it ended.
    Ended(Box<Finished>),
}

impl Memory {
    /// Of a run that begins.
    pub fn begin(journal: Arc<Journal>) -> Self {
        Self::new(Arc::clone(journal.state()), Some(journal))
    }

    fn new(state: Arc<State>, journal: Option<Arc<Journal>>) -> Self {
        Self {
            state,
            journal,
            past: HashMap::new(),
            unknown: BTreeMap::new(),
            decisions: BTreeMap::new(),
            compared: Mutex::default(),
        }
    }

    /// Of a run that is gone through again: what is a function of its arguments is called and compared, for all else the
    /// recorded result stands.
    pub fn replay(state: Arc<State>, plan: &CheckedPlan, records: &[Value]) -> Self {
        let mut memory = Self::new(state, None);
        memory.read(plan, records);
        memory
    }

    /// Of a run that goes on: from its records so far, and what a person says by step id (`step`, `step[3]`, `step!compensate`).
    ///
    /// # Errors
    /// `invalid_args` for a decision about a call whose outcome is known, or that is not in the plan.
    pub fn resume(
        journal: Arc<Journal>,
        plan: &CheckedPlan,
        records: &[Value],
        decisions: &[(String, Decision)],
    ) -> Result<Self, ToolError> {
        let mut memory = Self::begin(journal);
        memory.read(plan, records);
        memory.decide(plan, decisions)?;
        Ok(memory)
    }

    fn read(&mut self, plan: &CheckedPlan, records: &[Value]) {
        for record in records {
            let kind = record.get("kind").and_then(Value::as_str);
            let Some(unit) = unit_of(plan, record) else {
                continue;
            };
            match kind {
                Some("intent") => drop(self.unknown.insert(unit, record.get("before").cloned())),
                Some("settled") => {
                    self.unknown.remove(&unit);
                    let attempt = record.get("attempt").and_then(Value::as_i64);
                    let handle = record.get("end").and_then(Handle::from_value);
                    if let (Some(attempt), Some(handle)) = (attempt, handle) {
                        let attempt = u32::try_from(attempt).unwrap_or(1);
                        self.past.insert((unit, attempt), handle);
                    }
                }
                _ => {}
            }
        }
    }

    fn decide(
        &mut self,
        plan: &CheckedPlan,
        decisions: &[(String, Decision)],
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
                    "no call waits for a decision".to_owned()
                } else {
                    format!("a decision is needed on {}", open.join(", "))
                };
                return Err(ToolError::new(
                    ErrorCode::InvalidArgs,
                    format_args!("`{name}` does not wait for a decision"),
                )
                .reason("decision")
                .hint(open));
            };
            self.decisions.insert(unit, decision.clone());
        }
        Ok(())
    }

    /// The journal; none in a replay.
    pub fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.as_ref()
    }

    /// How often a process took the run up, this one included.
    pub(super) fn part(&self) -> u64 {
        self.journal.as_ref().map_or(1, |journal| journal.part())
    }

    /// What a replay found, by plan order.
    pub fn compared(&self) -> Compared {
        let mut compared = lock(&self.compared).clone();
        compared.divergences.sort_by_key(|one| one.unit);
        compared
    }

    /// Whether how a call ended is known, so that nobody waits before it.
    pub(super) fn knows(&self, unit: Unit, attempt: u32) -> bool {
        self.past.contains_key(&(unit, attempt))
    }

    /// What is known of a call that is about to be made.
    pub(super) fn recall(
        &self,
        plan: &CheckedPlan,
        step: &CheckedStep,
        unit: Unit,
        attempt: u32,
    ) -> Result<Recall, ToolError> {
        if let Some(handle) = self.past.get(&(unit, attempt)) {
            if self.journal.is_none() && step.is_function {
                return Ok(Recall::Call);
            }
            return match self.state.value(handle) {
                Ok(value) => {
                    lock(&self.compared).taken += 1;
                    Ok(Recall::Ended(Box::new(end_of(&value))))
                }
                // What is a function of its arguments is computed again.
                Err(_) if step.is_function => Ok(Recall::Call),
                Err(err) => Ok(Recall::Ended(Box::new(Finished::failed(err)))),
            };
        }
        let Some(before) = self.unknown.get(&unit) else {
            return Ok(Recall::Call);
        };
        let name = name_of(plan, unit);
        let decision = match self.decisions.get(&unit) {
            Some(decision) => decision,
            None if step.idempotent => {
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
            Decision::Again => {
                self.note(&name, "again", "a person said so")?;
                Ok(Recall::Call)
            }
            Decision::Done(value) => {
                self.note(&name, "done", "a person said so")?;
                Ok(Recall::Ended(Box::new(Finished {
                    status: StepStatus::Done,
                    output_digest: Some(registry::digest::of_value(value).into()),
                    output: Some(value.clone()),
                    warnings: vec!["its result was given by a person".to_owned()],
                    ..Finished::default()
                })))
            }
            Decision::Failed => {
                self.note(&name, "failed", "a person said so")?;
                let message = format_args!("the call of `{}` failed: a person said so", step.tool);
                let error = ToolError::new(ErrorCode::ToolError, message).reason("decided");
                Ok(Recall::Ended(Box::new(Finished::failed(error))))
            }
        }
    }

    /// How a call ends of which nothing tells whether it happened.
    pub(super) fn undecided(&self, plan: &CheckedPlan, step: &CheckedStep, unit: Unit) -> Finished {
        let name = name_of(plan, unit);
        let error = ToolError::new(
            ErrorCode::Conflict,
            format_args!(
                "the call of `{}` began in a process that ended, and whether it happened is not known",
                step.tool
            ),
        )
        .reason(registry::OUTCOME_UNKNOWN)
        .hint(format!(
            "look, then resume with `--decide {name}=again`, `--decide {name}=failed` or `--decide {name}=done`"
        ));
        Finished {
            status: StepStatus::Unknown,
            error: Some(error),
            ..Finished::default()
        }
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

    /// Writes how a call ended. What waits for a person, or was stopped, has not ended.
    ///
    /// # Errors
    /// When it could not be written; the run must stop then.
    pub(super) fn keep(
        &self,
        plan: &CheckedPlan,
        step: &CheckedStep,
        unit: Unit,
        attempt: u32,
        end: &Finished,
    ) -> Result<(), ToolError> {
        if !matches!(
            end.status,
            StepStatus::Done | StepStatus::Failed | StepStatus::Denied
        ) {
            return Ok(());
        }
        let Some(journal) = &self.journal else {
            if step.is_function {
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
        event.insert("end", handle.to_value());
        let durability = if step.effects.is_empty() {
            Durability::Batched
        } else {
            Durability::Synced
        };
        journal
            .write(&Value::Object(Arc::new(event)), durability)
            .map(drop)
    }

    /// Holds what a call gave against what was recorded.
    fn compare(&self, plan: &CheckedPlan, unit: Unit, attempt: u32, end: &Finished) {
        let recorded = self
            .past
            .get(&(unit, attempt))
            .and_then(|handle| self.state.value(handle).ok());
        let Some(recorded) = recorded else {
            return;
        };
        let before = end_of(&recorded);
        let same = before.status == end.status && before.output_digest == end.output_digest;
        let mut compared = lock(&self.compared);
        if same {
            compared.same += 1;
            return;
        }
        let shown = |end: &Finished| match (&end.output, &end.error) {
            (Some(output), _) => output.clone(),
            (None, Some(error)) => error.to_value(),
            (None, None) => Value::from(end.status.as_str()),
        };
        let divergence = Divergence {
            call: name_of(plan, unit),
            unit,
            recorded: shown(&before),
            found: shown(end),
        };
        compared.divergences.push(divergence);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a unit is called by people: `step`, `step[3]`, `step!compensate`, `step[3]!compensate`.
pub(super) fn name_of(plan: &CheckedPlan, unit: Unit) -> String {
    let id = &plan.steps[unit.step].id;
    match unit.part {
        Part::Whole => id.to_string(),
        Part::Item(index) => format!("{id}[{index}]"),
        Part::Undo => format!("{id}{COMPENSATE_SUFFIX}"),
        Part::UndoItem(index) => format!("{id}[{index}]{COMPENSATE_SUFFIX}"),
    }
}

/// The unit that a record is about.
fn unit_of(plan: &CheckedPlan, record: &Value) -> Option<Unit> {
    let name = record.get("step")?.as_str()?;
    let item = record.get("item").and_then(Value::as_i64);
    let (id, part) = match (name.strip_suffix(COMPENSATE_SUFFIX), item) {
        (Some(id), Some(item)) => (id, Part::UndoItem(usize::try_from(item).ok()?)),
        (Some(id), None) => (id, Part::Undo),
        (None, Some(item)) => (name, Part::Item(usize::try_from(item).ok()?)),
        (None, None) => (name, Part::Whole),
    };
    Some(Unit {
        step: plan.position(id)?,
        part,
    })
}

/// What is kept of an end beside its status.
fn value_of(end: &Finished) -> Value {
    let mut kept = Object::new();
    kept.insert("status", end.status.as_str());
    if let Some(digest) = &end.output_digest {
        kept.insert("output_digest", digest.as_str());
    }
    if let Some(output) = &end.output {
        kept.insert("output", output.clone());
    }
    if let Some(error) = &end.error {
        kept.insert("error", error.to_value());
    }
    kept.insert("warnings", end.warnings.clone());
    kept.insert("defaults_used", end.defaults_used.clone());
    kept.insert("metadata", Value::Object(Arc::new(end.metadata.clone())));
    Value::Object(Arc::new(kept))
}

fn end_of(value: &Value) -> Finished {
    let texts = |key: &str| -> Vec<String> {
        let items = value.get(key).and_then(Value::items).unwrap_or_default();
        items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    };
    let status = value.get("status").and_then(Value::as_str);
    Finished {
        status: [StepStatus::Done, StepStatus::Denied]
            .into_iter()
            .find(|one| Some(one.as_str()) == status)
            .unwrap_or(StepStatus::Failed),
        output_digest: value
            .get("output_digest")
            .and_then(Value::as_str)
            .map(|digest| digest.to_owned().into()),
        output: value.get("output").cloned(),
        error: value.get("error").and_then(ToolError::from_value),
        warnings: texts("warnings"),
        defaults_used: texts("defaults_used"),
        metadata: value
            .get("metadata")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
        ..Finished::default()
    }
}
