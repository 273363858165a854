//! The result of a chain: a deterministic part, timing, diagnostics, and the audit record.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use registry::{CallerContext, Dispatcher, Verdict, redact};
use tool_core::capability::{Durability, LedgerHead};
use tool_core::{ErrorCode, Object, Outcome, Status, ToolError, Value};

use super::diagnostics::diagnostics;
use super::digest::OutputDigest;
use super::durable;
use super::finished::{Finished, StepStatus};
use super::machine::{Parts, Unit};
use crate::check::CheckedPlan;
use crate::plan::Plan;
use crate::problem::Problems;
use crate::reference::Missing;
use crate::state::Journal;

/// How a chain ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChainStatus {
    /// Every step is done.
    Success,
    /// A step failed, was denied or was skipped.
    Failed,
    /// It was cancelled, or its time or budget was up.
    Cancelled,
    /// Steps wait for a person; what does not depend on them is done.
    Suspended,
    /// Whether a call had its effects is not known, and a person must say.
    NeedsDecision,
}

impl ChainStatus {
    /// The spelling in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Suspended => "suspended",
            Self::NeedsDecision => "needs_decision",
        }
    }
}

/// What is reported of a step.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// Its id.
    pub id: Arc<str>,
    /// Canonical name of its tool.
    pub tool: &'static str,
    /// Its planned wave.
    pub wave: usize,
    /// How it ended by plan order: a later step that had run when an earlier one failed is not part of the result.
    pub end: Finished,
    /// How it really ended.
    pub real_status: StepStatus,
    version: u32,
    seed: u64,
    verdict: Verdict,
}

/// A step that was undone, or should have been.
#[derive(Debug, Clone)]
pub struct Undone {
    /// Its id; of an element of a map with the index, `step[3]`.
    pub step: Arc<str>,
    /// Canonical name of the tool that undoes it.
    pub tool: &'static str,
    /// How that ended.
    pub end: Finished,
}

/// The result of a chain.
#[derive(Debug, Clone)]
pub struct ChainResult {
    /// Its id: in the audit, and in every step's record.
    pub chain_id: String,
    /// How it ended.
    pub status: ChainStatus,
    /// What the plan answers with, as far as the steps gave it.
    pub outputs: Object,
    /// The same as a reader gets them: large arrays of a durable run as handles of artifacts, with a summary.
    shown: Option<Object>,
    /// Answers that no step gave, with the reason.
    pub missing_outputs: Vec<(Arc<str>, String)>,
    /// The error of the lowest failing step.
    pub error: Option<ToolError>,
    /// The lowest failing step.
    pub failed_step: Option<usize>,
    /// Every step, in plan order.
    pub steps: Vec<StepReport>,
    /// What was undone after the chain failed, in the order in which it was.
    pub undone: Vec<Undone>,
    /// What the reader must know.
    pub warnings: Vec<String>,
    /// The diagnostics of the chain, timing included.
    pub diagnostics: Object,
    /// Where the chain's record stands in the audit.
    pub audit: Option<Value>,
    plan_digest: String,
    seed: u64,
    waves: usize,
    notes: Vec<String>,
    effects: Vec<tool_core::Effect>,
    pub(super) part: u64,
}

impl ChainResult {
    /// Whether every step is done.
    pub fn is_success(&self) -> bool {
        self.status == ChainStatus::Success
    }

    /// What is the same for any number of threads, for `dep` and `seq`, with and without barriers: outputs, and per step
    /// status, wave, digests and errors. A replay compares this.
    pub fn deterministic(&self) -> Value {
        Value::object([
            ("plan_digest", Value::from(self.plan_digest.as_str())),
            ("seed", Value::from(self.seed)),
            ("status", Value::from(self.status.as_str())),
            ("outputs", Value::Object(Arc::new(self.outputs.clone()))),
            ("missing_outputs", self.missing()),
            ("waves", Value::from(self.waves)),
            (
                "steps",
                Value::array(
                    self.steps
                        .iter()
                        .map(|step| self.step(step, false))
                        .collect(),
                ),
            ),
            ("undone", self.undone()),
        ])
    }

    /// The whole result: outputs, steps, and the diagnostics with their timing.
    pub fn to_value(&self) -> Value {
        let mut result = Object::new();
        result.insert("chain_id", self.chain_id.as_str());
        result.insert("status", self.status.as_str());
        let outputs = self.shown.as_ref().unwrap_or(&self.outputs);
        result.insert("outputs", Value::Object(Arc::new(outputs.clone())));
        result.insert("missing_outputs", self.missing());
        result.insert(
            "steps",
            Value::array(
                self.steps
                    .iter()
                    .map(|step| self.step(step, true))
                    .collect(),
            ),
        );
        if !self.undone.is_empty() {
            result.insert("undone", self.undone());
        }
        result.insert("notes", self.notes.clone());
        Value::Object(Arc::new(result))
    }

    /// The answer of a door: the envelope of a call, with the diagnostics as metadata.
    pub fn to_outcome(&self) -> Outcome {
        let mut metadata = self.diagnostics.clone();
        if let Some(audit) = &self.audit {
            metadata.insert("audit", audit.clone());
        }
        Outcome {
            status: match &self.error {
                None => Status::Success(self.to_value()),
                Some(error) => Status::Error(error.clone().evidence(self.to_value())),
            },
            effects: self.effects.clone(),
            warnings: self.warnings.clone(),
            metadata,
        }
    }

    fn undone(&self) -> Value {
        let undone = self.undone.iter().map(|one| {
            Value::object([
                ("step", Value::from(&*one.step)),
                ("tool", Value::from(one.tool)),
                ("status", Value::from(one.end.status.as_str())),
                (
                    "error",
                    one.end.error.as_ref().map(stable).unwrap_or_default(),
                ),
            ])
        });
        Value::array(undone.collect())
    }

    fn missing(&self) -> Value {
        Value::object(
            self.missing_outputs
                .iter()
                .map(|(name, why)| (Arc::clone(name), why.as_str())),
        )
    }

    fn step(&self, step: &StepReport, whole: bool) -> Value {
        let end = &step.end;
        let mut fields = Object::new();
        fields.insert("id", &*step.id);
        fields.insert("tool", step.tool);
        fields.insert("version", step.version);
        fields.insert("wave", step.wave);
        fields.insert("seed", step.seed);
        fields.insert("status", end.status.as_str());
        fields.insert(
            "output_digest",
            end.output_digest.as_ref().map(OutputDigest::as_str),
        );
        if end.is_unmet() {
            fields.insert(
                "cause",
                Value::object([("message", "its condition does not hold")]),
            );
        }
        if !end.items.is_empty() {
            fields.insert("items", items(end));
        }
        if let Some(cause) = end.cause {
            fields.insert("cause", self.cause(cause, end.status));
        }
        if let Some(error) = &end.error {
            fields.insert(
                "error",
                if whole {
                    error.to_value()
                } else {
                    stable(error)
                },
            );
        }
        if !end.defaults_used.is_empty() {
            fields.insert("defaults_used", end.defaults_used.clone());
        }
        if !whole {
            return Value::Object(Arc::new(fields));
        }
        fields.insert("verdict", step.verdict.as_str());
        if step.real_status != end.status {
            fields.insert("real_status", step.real_status.as_str());
        }
        for key in ["call_id", "layer", "approved_by", "approval_id"] {
            if let Some(value) = end.metadata.get(key) {
                fields.insert(key, value.clone());
            }
        }
        if let Some(id) = &end.approval_id {
            fields.insert("approval_id", id.as_str());
        }
        if !end.warnings.is_empty() {
            fields.insert("warnings", end.warnings.clone());
        }
        if end.attempts > 1 {
            fields.insert("attempts", end.attempts);
        }
        if end.has_run() {
            fields.insert("elapsed_ms", ms(end.ended.saturating_sub(end.began)));
        }
        Value::Object(Arc::new(fields))
    }

    fn cause(&self, cause: usize, status: StepStatus) -> Value {
        let id = self.steps.get(cause).map_or("", |step| &step.id);
        let words = match status {
            StepStatus::Skipped => format!("dependency failed: `{id}`"),
            _ => format!("the chain ended at `{id}`"),
        };
        Value::object([("step", id), ("message", &words)])
    }

    /// Writes the chain's record into the audit; a failure becomes a warning.
    pub(super) fn record(&mut self, plan: &CheckedPlan, dispatcher: &Dispatcher) {
        let Some(ledger) = &dispatcher.host().ledger else {
            return;
        };
        let durability = if self.effects.is_empty() {
            Durability::Batched
        } else {
            Durability::Synced
        };
        let record = Value::Object(Arc::new(self.to_record(plan)));
        match ledger.record(&record, durability) {
            Ok(head) => self.stands_at(head),
            Err(err) => self
                .warnings
                .push(format!("the chain is not in the audit: {}", err.message())),
        }
    }

    /// Writes how a durable run ended, or where it stands.
    pub(super) fn close(
        &mut self,
        plan: &CheckedPlan,
        journal: &Journal,
        broken: Option<ToolError>,
    ) {
        let closed = match broken {
            Some(err) => Err(err),
            None => self.close_with(plan, journal),
        };
        match closed {
            Ok(head) => self.stands_at(head),
            Err(err) => self.warnings.push(format!(
                "the run `{}` could not be written to its end: {}",
                journal.id(),
                err.message()
            )),
        }
    }

    fn close_with(
        &mut self,
        plan: &CheckedPlan,
        journal: &Journal,
    ) -> Result<LedgerHead, ToolError> {
        let mut record = self.to_record(plan);
        let mut shown = Object::new();
        for (name, value) in self.outputs.iter() {
            shown.insert(name, as_handles(value, journal)?);
        }
        self.shown = Some(shown);
        let outputs = journal.put(&Value::Object(Arc::new(self.outputs.clone())))?;
        record.insert("outputs", outputs.to_value());
        record.insert(
            "result_digest",
            registry::digest::of_value(&self.deterministic()),
        );
        journal.write(&Value::Object(Arc::new(record)), Durability::Batched)?;
        journal.finish(durable::state_of(self.status))
    }

    fn stands_at(&mut self, head: LedgerHead) {
        self.audit = Some(Value::object([
            ("session", Value::from(head.session)),
            ("sequence", Value::from(head.sequence)),
            ("hash", Value::from(head.hash)),
        ]));
    }

    pub(super) fn to_record(&self, plan: &CheckedPlan) -> Object {
        let mut record = Object::new();
        record.insert("kind", "chain");
        plan.context.who.note(&mut record);
        plan.context.origin.note(&mut record);
        if self.part > 1 {
            record.insert("part", self.part);
        }
        record.insert("plan", &*plan.id);
        record.insert("plan_digest", self.plan_digest.as_str());
        record.insert("status", self.status.as_str());
        for (key, value) in self.diagnostics.iter() {
            record.insert(key, value.clone());
        }
        if let (Some(error), Some(step)) = (&self.error, self.failed_step) {
            record.insert("failed_step", &*self.steps[step].id);
            record.insert("error_code", error.code().as_str());
            record.insert("error", redact::text(error.message()).0.into_owned());
        }
        let steps = self.steps.iter().map(|step| {
            let mut fields = Object::new();
            fields.insert("id", &*step.id);
            fields.insert("tool", step.tool);
            fields.insert("wave", step.wave);
            fields.insert("status", step.end.status.as_str());
            fields.insert("real_status", step.real_status.as_str());
            fields.insert(
                "output_digest",
                step.end.output_digest.as_ref().map(OutputDigest::as_str),
            );
            fields.insert(
                "call_id",
                step.end
                    .metadata
                    .get("call_id")
                    .cloned()
                    .unwrap_or_default(),
            );
            fields.insert(
                "cause",
                step.end.cause.map(|cause| self.steps[cause].id.to_string()),
            );
            fields.insert("defaults_used", step.end.defaults_used.clone());
            Value::Object(Arc::new(fields))
        });
        record.insert("step_status", Value::array(steps.collect()));
        record
    }
}

/// A value with the handles of its large arrays in their place.
fn as_handles(value: &Value, journal: &Journal) -> Result<Value, ToolError> {
    Ok(match value {
        Value::Numbers(numbers) => {
            let bytes = std::mem::size_of_val(numbers.as_slice());
            match bytes > journal.state().artifact_bytes() {
                true => journal.put(value)?.to_value(),
                false => value.clone(),
            }
        }
        Value::Array(items) => Value::Array(Arc::new(
            items
                .iter()
                .map(|item| as_handles(item, journal))
                .collect::<Result<_, _>>()?,
        )),
        Value::Object(object) => {
            let mut copy = Object::new();
            for (key, member) in object.iter() {
                copy.insert(key, as_handles(member, journal)?);
            }
            Value::Object(Arc::new(copy))
        }
        other => other.clone(),
    })
}

/// How the calls of a map ended: how many of each status, and the errors of the first few.
fn items(end: &Finished) -> Value {
    const SHOWN: usize = 20;
    let mut counted = Object::new();
    counted.insert("count", end.items.len());
    for status in [
        StepStatus::Done,
        StepStatus::Failed,
        StepStatus::Denied,
        StepStatus::NotRun,
    ] {
        let count = end
            .items
            .iter()
            .filter(|item| item.status == status)
            .count();
        counted.insert(status.as_str(), count);
    }
    let errors = end.items.iter().enumerate().filter_map(|(index, item)| {
        let error = item.error.as_ref()?;
        Some(Value::object([
            ("index", Value::from(index)),
            ("error", stable(error)),
        ]))
    });
    let errors: Vec<Value> = errors.take(SHOWN).collect();
    if !errors.is_empty() {
        counted.insert("errors", Value::array(errors));
    }
    Value::Object(Arc::new(counted))
}

/// An error as it is in every run: that of a defect names the call, which no two runs share.
fn stable(error: &ToolError) -> Value {
    match error.code() {
        ErrorCode::Internal => Value::object([("code", error.code().as_str())]),
        _ => error.to_value(),
    }
}

/// The record of a plan that was refused.
pub(super) fn rejection(
    plan: &Plan,
    context: &CallerContext,
    problems: &Problems,
    unix_ms: u64,
) -> Value {
    let mut record = Object::new();
    record.insert("kind", "chain");
    record.insert("time_ms", unix_ms);
    record.insert("chain_id", Value::Null);
    record.insert("caller_type", "chain");
    context.who.note(&mut record);
    context.origin.note(&mut record);
    record.insert("plan", &*plan.id);
    record.insert("plan_digest", plan.digest());
    record.insert("status", "rejected");
    record.insert("success", false);
    record.insert("mode_requested", plan.mode_requested().as_str());
    record.insert("steps", plan.steps.len());
    record.insert("blocked_tools", problems.blocked_tools());
    const SHOWN: usize = 50;
    let reasons = problems.list().iter().take(SHOWN).map(|problem| {
        Value::object([
            ("reason", problem.fault.as_str()),
            ("path", &problem.pointer),
            ("message", &redact::text(&problem.message).0),
        ])
    });
    record.insert("problems", Value::array(reasons.collect()));
    Value::Object(Arc::new(record))
}

/// Milliseconds with a microsecond's resolution.
pub(super) fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Puts the result together, in plan order.
pub(super) fn compose(
    plan: &CheckedPlan,
    parts: Parts,
    chain_id: String,
    threads: usize,
    started_unix_ms: u64,
    elapsed: Duration,
) -> ChainResult {
    let Parts {
        settled,
        real,
        undone,
        outputs: values,
    } = parts;
    let diagnostics_ends: Vec<(Duration, Duration, bool)> = real
        .iter()
        .map(|end| (end.began, end.ended, end.has_run()))
        .collect();
    let mut warnings = late_warnings(plan, &settled, &real, &undone);
    let steps: Vec<StepReport> = plan
        .steps
        .iter()
        .zip(settled)
        .zip(&real)
        .enumerate()
        .map(|(position, ((step, end), real))| StepReport {
            id: Arc::clone(&step.id),
            tool: step.tool,
            wave: plan.graph.wave(position),
            end,
            real_status: real.status,
            version: step.tool_version,
            seed: step.seed.get(),
            verdict: step.permit.verdict,
        })
        .collect();
    for (step, end) in steps.iter().zip(&real) {
        add_warnings(&mut warnings, &step.id, &end.warnings);
    }
    let failed_step = steps
        .iter()
        .position(|step| matches!(step.end.status, StepStatus::Failed | StepStatus::Denied));
    let cancelled = steps
        .iter()
        .find(|step| step.end.status == StepStatus::Cancelled);
    let open = |status| steps.iter().find(|step| step.end.status == status);
    let pending = open(StepStatus::Pending);
    let unknown = open(StepStatus::Unknown);
    let (status, error) = if let Some(step) = cancelled {
        (ChainStatus::Cancelled, step.end.error.clone())
    } else if let Some(step) = unknown {
        (ChainStatus::NeedsDecision, Some(named(step)))
    } else if let Some(step) = pending {
        (ChainStatus::Suspended, Some(named(step)))
    } else if let Some(step) = failed_step {
        (ChainStatus::Failed, Some(named(&steps[step])))
    } else {
        (ChainStatus::Success, None)
    };
    let undone: Vec<Undone> = undone
        .into_iter()
        .map(|(unit, end)| {
            let step = &plan.steps[unit.step];
            Undone {
                step: match unit.part.item() {
                    Some(index) => format!("{}[{index}]", step.id).into(),
                    None => Arc::clone(&step.id),
                },
                tool: step.compensate.as_ref().map_or("", |undo| undo.tool),
                end,
            }
        })
        .collect();
    for one in undone
        .iter()
        .filter(|one| one.end.status != StepStatus::Done)
    {
        let why = one.end.error.as_ref().map_or("", ToolError::message);
        warnings.push(format!(
            "step `{}` could not be undone by `{}`: {why}",
            one.step, one.tool
        ));
    }
    let (outputs, missing_outputs) = answer(plan, &steps, &values);
    let mut effects: Vec<tool_core::Effect> = plan
        .steps
        .iter()
        .flat_map(|step| step.effects)
        .copied()
        .collect();
    effects.sort_unstable();
    effects.dedup();
    let waves = plan.graph.waves();
    let diagnostics = diagnostics(
        plan,
        &waves,
        &diagnostics_ends,
        &chain_id,
        status,
        threads,
        started_unix_ms,
        elapsed,
    );
    ChainResult {
        chain_id,
        status,
        outputs,
        shown: None,
        missing_outputs,
        error,
        failed_step,
        steps,
        undone,
        warnings,
        diagnostics,
        audit: None,
        plan_digest: plan.digest.clone(),
        seed: plan.seed.get(),
        waves: waves.len(),
        notes: plan.notes.clone(),
        effects,
        part: 1,
    }
}

/// The error of a step, with its name in front and its place in the plan.
fn named(step: &StepReport) -> ToolError {
    let Some(error) = &step.end.error else {
        return ToolError::new(
            ErrorCode::Internal,
            format_args!("step `{}` failed without an error", step.id),
        );
    };
    let mut named = ToolError::new(
        error.code(),
        format_args!("step `{}` (`{}`): {}", step.id, step.tool, error.message()),
    );
    if let Some(reason) = error.reason_str() {
        named = named.reason(reason.to_owned());
    }
    if let Some(path) = error.path() {
        named = named.at(path);
    }
    match error.hint_str() {
        Some(hint) => named.hint(hint),
        None => named,
    }
}

/// Says of every step that had run after the failing one that it did, and whether that was undone.
fn late_warnings(
    plan: &CheckedPlan,
    settled: &[Finished],
    real: &[Finished],
    undone: &[(Unit, Finished)],
) -> Vec<String> {
    let late = settled
        .iter()
        .zip(real)
        .enumerate()
        .filter(|(_, (end, real))| !end.has_run() && real.has_run());
    late.map(|(position, (_, real))| {
        let step = &plan.steps[position];
        let is_undone = undone
            .iter()
            .any(|(unit, end)| unit.step == position && end.status == StepStatus::Done);
        let effects = match (step.effects, real.status) {
            ([], _) => "",
            (_, StepStatus::Done) if is_undone => ", and it was undone",
            (_, StepStatus::Done) => ", and its effects stay",
            // A failed call may have done a part of its work; one that was refused did not begin.
            (_, StepStatus::Failed) => ", and failed",
            _ => "",
        };
        format!("step `{}` had already run when the chain ended; its result is not part of this answer{effects}", step.id)
    })
    .collect()
}

/// Warnings of steps, each text once.
fn add_warnings(warnings: &mut Vec<String>, id: &str, of_step: &[String]) {
    const WARNINGS_MAX: usize = 100;
    for warning in of_step {
        let known = warnings
            .iter()
            .any(|known| known.ends_with(warning.as_str()));
        if !known && warnings.len() < WARNINGS_MAX {
            warnings.push(format!("step `{id}`: {warning}"));
        }
    }
}

/// What the plan answers with; secrets are taken out of what steps found in the world.
fn answer(
    plan: &CheckedPlan,
    steps: &[StepReport],
    values: &HashMap<String, Result<Value, Missing>>,
) -> (Object, Vec<(Arc<str>, String)>) {
    let world = plan.steps.iter().any(|step| step.reads_world);
    let mut outputs = Object::new();
    let mut missing = Vec::new();
    for (name, node) in &plan.outputs {
        let bound = node.bind(&mut |placed| {
            let reference = &placed.reference;
            let given = plan
                .position(reference.root())
                .filter(|&step| steps[step].end.status == StepStatus::Done)
                .and_then(|_| values.get(&reference.to_string()));
            match given {
                Some(Ok(Value::Null)) if placed.default.is_some() => Ok(placed.default.clone()),
                Some(Ok(value)) => Ok(Some(value.clone())),
                _ if placed.default.is_some() => Ok(placed.default.clone()),
                Some(Err(why)) => Err(ToolError::new(
                    ErrorCode::ToolError,
                    format_args!("`{reference}`: {} (at `{}`)", why.message, why.reached),
                )),
                None => Err(ToolError::new(
                    ErrorCode::DependencyFailed,
                    format_args!("`{reference}`: step `{}` gave no result", reference.root()),
                )),
            }
        });
        match bound {
            Ok(node) => {
                let value = node.literal().cloned().unwrap_or_default();
                let value = if world {
                    redact::value(&value).0
                } else {
                    value
                };
                outputs.push_unique(Arc::clone(name), value);
            }
            Err(err) => missing.push((Arc::clone(name), err.message().to_owned())),
        }
    }
    (outputs, missing)
}
