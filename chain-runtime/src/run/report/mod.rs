//! The result of a chain: a deterministic part, timing and diagnostics. `compose` puts it together, `record` has what the audit
//! keeps of it.

mod compose;
mod record;

use std::sync::Arc;
use std::time::Duration;

use registry::Verdict;
use tool_core::{ErrorCode, Object, Outcome, Status, ToolError, Value};

use super::diagnostics::bounded;
use super::digest::OutputDigest;
use super::finished::{Finished, StepStatus};
pub(super) use compose::compose;
use journal::RunState;
pub(super) use record::rejection;

/// Most entries of each list of the diagnostics in an answer.
pub const LISTED_MAX: usize = 100;

tool_core::names! {
    /// Status of a run.
    ChainStatus {
        /// Every step that counts is done; failures with `on_error: continue` are in the warnings.
        Success = "success",
        /// A step whose failure counts failed or was denied; or an output is of a step that failed.
        Failed = "failed",
        /// Cancelled, or a time limit or budget was exceeded.
        Cancelled = "cancelled",
        /// Steps await approval; independent steps are done.
        Suspended = "suspended",
        /// The outcome of a call is unknown, and the operator must decide.
        NeedsDecision = "needs_decision",
        /// The process was interrupted; the run can be resumed.
        Interrupted = "interrupted",
    }
}

impl ChainStatus {
    /// State of the run in `runs list`.
    pub const fn run_state(self) -> &'static str {
        match self {
            Self::Success => RunState::Succeeded.as_str(),
            other => other.as_str(),
        }
    }
}

/// Report of a step.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// Its id.
    pub id: Arc<str>,
    /// Canonical name of its tool.
    pub tool: &'static str,
    /// Its planned wave.
    pub wave: usize,
    /// End by plan order: a later step that had run when an earlier one failed is not part of the result.
    pub end: Finished,
    /// Actual status.
    pub real_status: StepStatus,
    version: u32,
    seed: u64,
    verdict: Verdict,
}

/// Compensation of a step, successful or not.
#[derive(Debug, Clone)]
pub struct Undone {
    /// Its id; of an element of a map with the index, `step[3]`.
    pub step: Arc<str>,
    /// Canonical name of the tool that undoes it.
    pub tool: &'static str,
    /// End of the compensation.
    pub end: Finished,
    /// Whether the step is not part of the result, because by plan order it would not have run.
    is_late: bool,
}

/// The result of a chain.
#[derive(Debug, Clone)]
pub struct ChainResult {
    /// Its id: in the audit, and in every step's record.
    pub chain_id: String,
    /// Its end.
    pub status: ChainStatus,
    /// Outputs of the plan, as far as they are available.
    pub outputs: Object,
    /// Outputs as shown: large arrays of a durable run are handles of artifacts, with a summary.
    shown: Option<Object>,
    /// Missing outputs, with the reason.
    pub missing_outputs: Vec<(Arc<str>, String)>,
    /// The error of the step that ended the chain.
    pub error: Option<ToolError>,
    /// The step that ended the chain, where it failed.
    pub failed_step: Option<usize>,
    /// Every step, in plan order.
    pub steps: Vec<StepReport>,
    /// Compensations after a failure, in the order in which they ran.
    pub undone: Vec<Undone>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
    /// The diagnostics of the chain, timing included.
    pub diagnostics: Object,
    /// Position of the run's record in the audit.
    pub audit: Option<Value>,
    plan_digest: String,
    seed: u64,
    waves: usize,
    notes: Vec<String>,
    effects: Vec<tool_core::Effect>,
    pub(super) part: u64,
}

impl ChainResult {
    /// Whether the run succeeded.
    pub fn is_success(&self) -> bool {
        self.status == ChainStatus::Success
    }

    /// The deterministic part, equal for any number of threads, for `dep` and `seq`, with and without barriers: outputs, and
    /// per step status, wave, digests, errors and compensations. A replay compares this.
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
            (
                "undone",
                undone(self.undone.iter().filter(|one| !one.is_late)),
            ),
        ])
    }

    /// The whole result: outputs, steps, and the diagnostics with their timing.
    pub fn to_value(&self) -> Value {
        let mut result = Object::new();
        result.insert("chain_id", self.chain_id.as_str());
        result.insert("status", self.status.as_str());
        result.insert("outputs", Value::Object(Arc::new(self.shown().clone())));
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
        if self.status == ChainStatus::Suspended {
            result.insert("approvals", self.approvals());
            let hint = self.error.as_ref().and_then(ToolError::hint_str);
            result.insert("next", hint.map(str::to_owned));
        }
        if !self.undone.is_empty() {
            result.insert("undone", undone(&self.undone));
        }
        result.insert("notes", self.notes.clone());
        Value::Object(Arc::new(result))
    }

    /// Outputs as shown to the caller.
    pub(crate) fn shown(&self) -> &Object {
        self.shown.as_ref().unwrap_or(&self.outputs)
    }

    /// The answer of a door: the envelope of a call, with the diagnostics as metadata; lists with their first
    /// [`LISTED_MAX`] entries, and `left_out` with how many more there are.
    pub fn to_outcome(&self) -> Outcome {
        self.outcome(LISTED_MAX)
    }

    /// As [`ChainResult::to_outcome`], with whole lists.
    pub fn to_traced_outcome(&self) -> Outcome {
        self.outcome(usize::MAX)
    }

    fn outcome(&self, most: usize) -> Outcome {
        let mut metadata = bounded(&self.diagnostics, most);
        metadata.insert("run_state", self.status.run_state());
        metadata.insert("tool_chains", self.chains(most));
        if let Some(audit) = &self.audit {
            metadata.insert("audit", audit.clone());
        }
        Outcome {
            status: match (&self.error, self.approvals().first()) {
                (None, _) => Status::Success(self.to_value()),
                (Some(_), Some(first)) if self.status == ChainStatus::Suspended => {
                    Status::PendingApproval {
                        approval_id: (*first).to_owned(),
                        so_far: self.to_value(),
                    }
                }
                (Some(error), _) => Status::Error(error.clone().evidence(self.to_value())),
            },
            effects: self.effects.clone(),
            warnings: self.warnings.clone(),
            metadata,
        }
    }

    /// Calls with their times, those of nested plans included: the first [`LISTED_MAX`] entries of each list.
    pub(crate) fn tool_chains(&self) -> Value {
        let chain = bounded(&self.with_inner_calls(), LISTED_MAX);
        Value::array(vec![Value::Object(Arc::new(chain))])
    }

    fn chains(&self, most: usize) -> Value {
        let chain = bounded(&self.with_calls(), most);
        Value::array(vec![Value::Object(Arc::new(chain))])
    }

    /// The approvals that its steps wait for, in plan order.
    pub fn approvals(&self) -> Vec<&str> {
        let mut approvals: Vec<&str> = Vec::new();
        let ends = self
            .steps
            .iter()
            .flat_map(|step| std::iter::once(&step.end).chain(&step.end.items))
            .chain(self.undone.iter().map(|one| &one.end));
        for id in ends.filter_map(|end| end.approval_id.as_deref()) {
            if !approvals.contains(&id) {
                approvals.push(id);
            }
        }
        approvals
    }

    /// The step that ended the chain, where it failed.
    pub(crate) fn failed(&self) -> Option<Value> {
        let step = self.steps.get(self.failed_step?)?;
        Some(self.step(step, true))
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
}

fn undone<'a>(undone: impl IntoIterator<Item = &'a Undone>) -> Value {
    let undone = undone.into_iter().map(|one| {
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

/// Ends of the calls of a map: their number by status, and the first errors.
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

/// Milliseconds with a microsecond's resolution.
pub(super) fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
