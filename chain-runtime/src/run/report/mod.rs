//! The result of a chain: a deterministic part, timing and diagnostics. `compose` puts it together, `record` has what the audit
//! keeps of it.

mod compose;
mod nodes;
mod record;

use std::sync::Arc;

use registry::Verdict;
use tool_core::{CallOutcome, ErrorCode, Object, OutcomeStatus, ToolError, Value, fields, object};

use super::diagnostics::bound_diagnostics;
use super::finished::{StepOutcome, StepStatus, duration_in_ms};
pub(super) use compose::{RunProcess, compose_result};
use journal::RunState;
pub(super) use record::rejection_record;

/// Most entries of each list of the diagnostics in an answer.
pub const LISTED_MAX: usize = 100;
/// Most steps in an answer.
const STEPS_MAX: usize = 1000;

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
    pub end: StepOutcome,
    /// Actual status.
    pub real_status: StepStatus,
    version: u32,
    seed: u64,
    verdict: Verdict,
}

/// Compensation of a step, successful or not.
#[derive(Debug, Clone)]
pub struct CompensationReport {
    /// Its id; of an element of a map with the index, `step[3]`.
    pub step: Arc<str>,
    /// Canonical name of the tool that undoes it.
    pub tool: &'static str,
    /// End of the compensation.
    pub end: StepOutcome,
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
    pub undone: Vec<CompensationReport>,
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
        object! {
            "plan_digest" => &*self.plan_digest,
            "seed" => self.seed,
            "status" => self.status.as_str(),
            "outputs" => self.outputs.clone(),
            "missing_outputs" => self.missing(),
            "waves" => self.waves,
            "steps" => self.reports(),
            "undone" => undone_steps_report(self.undone.iter().filter(|one| !one.is_late)),
        }
    }

    /// The whole result: outputs, every step, and the diagnostics with their timing.
    pub fn to_value(&self) -> Value {
        self.with_steps(usize::MAX)
    }

    /// The result with at most so many steps, those that are not done before the others; `left_out` says how many more there are.
    fn with_steps(&self, most: usize) -> Value {
        let is_done = |step: &&StepReport| step.end.status == StepStatus::Done;
        let open = self.steps.iter().filter(|step| !is_done(step)).count();
        let (mut open, mut done) = (open.min(most), most.saturating_sub(open));
        let steps = self.steps.iter().filter(|step| {
            let left = match is_done(step) {
                true => &mut done,
                false => &mut open,
            };
            let is_shown = *left > 0;
            *left = left.saturating_sub(1);
            is_shown
        });
        let steps: Vec<Value> = steps.map(|step| self.step(step, true)).collect();
        let left_out = self.steps.len() - steps.len();
        let mut result = fields! {
            "chain_id" => &*self.chain_id,
            "status" => self.status.as_str(),
            "outputs" => self.shown().clone(),
            "missing_outputs" => self.missing(),
            "steps" => steps,
        };
        if left_out > 0 {
            result.insert("left_out", object! { "steps" => left_out });
        }
        if self.status == ChainStatus::Suspended {
            result.insert("approvals", self.approvals());
            let hint = self.error.as_ref().and_then(ToolError::hint_str);
            result.insert("next", hint.map(str::to_owned));
        }
        if !self.undone.is_empty() {
            result.insert("undone", undone_steps_report(&self.undone));
        }
        result.insert("notes", self.notes.clone());
        result.into()
    }

    /// The deterministic part of every step.
    fn reports(&self) -> Vec<Value> {
        let steps = self.steps.iter();
        steps.map(|step| self.step(step, false)).collect()
    }

    /// Outputs as shown to the caller.
    pub(crate) fn shown(&self) -> &Object {
        self.shown.as_ref().unwrap_or(&self.outputs)
    }

    /// The answer of a door: the envelope of a call, with the diagnostics as metadata; 1,000 steps, other lists with their first
    /// [`LISTED_MAX`] entries, and `left_out` with how many more there are.
    pub fn to_outcome(&self) -> CallOutcome {
        self.outcome(LISTED_MAX, STEPS_MAX)
    }

    /// As [`ChainResult::to_outcome`], with whole lists.
    pub fn to_traced_outcome(&self) -> CallOutcome {
        self.outcome(usize::MAX, usize::MAX)
    }

    fn outcome(&self, most: usize, steps: usize) -> CallOutcome {
        let mut metadata = bound_diagnostics(&self.diagnostics, most);
        metadata.insert("run_state", self.status.run_state());
        let chain = bound_diagnostics(&self.with_calls(0), most);
        metadata.insert("tool_chains", vec![Value::from(chain)]);
        metadata.insert_some("audit", self.audit.clone());
        CallOutcome {
            status: match (&self.error, self.approvals().first()) {
                (None, _) => OutcomeStatus::Success(self.with_steps(steps)),
                (Some(_), Some(first)) if self.status == ChainStatus::Suspended => {
                    OutcomeStatus::PendingApproval {
                        approval_id: (*first).to_owned(),
                        so_far: self.with_steps(steps),
                    }
                }
                (Some(error), _) => {
                    OutcomeStatus::Error(error.clone().evidence(self.with_steps(steps)))
                }
            },
            effects: self.effects.clone(),
            warnings: self.warnings.clone(),
            metadata,
        }
    }

    /// Calls with their times, those of nested plans included: the first [`LISTED_MAX`] entries of each list.
    pub(crate) fn tool_chains(&self) -> Value {
        vec![Value::from(bound_diagnostics(
            &self.with_calls(LISTED_MAX),
            LISTED_MAX,
        ))]
        .into()
    }

    /// The approvals that its steps wait for, in plan order.
    pub fn approvals(&self) -> Vec<&str> {
        let mut approvals: Vec<&str> = Vec::new();
        let steps = self.steps.iter();
        let ends = steps.flat_map(|step| std::iter::once(&step.end).chain(&step.end.items));
        let ends = ends.chain(self.undone.iter().map(|one| &one.end));
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
        let missing = self.missing_outputs.iter();
        Value::object(missing.map(|(name, why)| (Arc::clone(name), why.as_str())))
    }

    fn step(&self, step: &StepReport, whole: bool) -> Value {
        let end = &step.end;
        let mut fields = fields! {
            "id" => &*step.id,
            "tool" => step.tool,
            "version" => step.version,
            "wave" => step.wave,
            "seed" => step.seed,
            "status" => end.status.as_str(),
            "output_digest" => end.digest(),
        };
        let unmet = end.is_unmet().then_some("its condition does not hold");
        fields.insert_some(
            "cause",
            unmet.map(|message| object! { "message" => message }),
        );
        if !end.items.is_empty() {
            fields.insert("items", map_items_report(end));
        }
        let cause = end.cause.map(|cause| self.cause(cause, end.status));
        fields.insert_some("cause", cause);
        let error = if whole {
            ToolError::to_value
        } else {
            stable_error_report
        };
        fields.insert_some("error", end.error.as_ref().map(error));
        if !end.defaults_used.is_empty() {
            fields.insert("defaults_used", end.defaults_used.clone());
        }
        if !whole {
            return fields.into();
        }
        fields.insert("verdict", step.verdict.as_str());
        if step.real_status != end.status {
            fields.insert("real_status", step.real_status.as_str());
        }
        for key in ["call_id", "layer", "approved_by", "approval_id"] {
            fields.insert_some(key, end.metadata.get(key).cloned());
        }
        fields.insert_some("approval_id", end.approval_id.as_deref());
        if !end.warnings.is_empty() {
            fields.insert("warnings", end.warnings.clone());
        }
        if end.attempts > 1 {
            fields.insert("attempts", end.attempts);
        }
        if end.has_run() {
            fields.insert("elapsed_ms", duration_in_ms(end.elapsed()));
        }
        fields.into()
    }

    fn cause(&self, cause: usize, status: StepStatus) -> Value {
        let id = self.steps.get(cause).map_or("", |step| &step.id);
        let message = match status {
            StepStatus::Skipped => format!("dependency failed: `{id}`"),
            _ => format!("the chain ended at `{id}`"),
        };
        object! { "step" => id, "message" => message }
    }
}

fn undone_steps_report<'a>(undone: impl IntoIterator<Item = &'a CompensationReport>) -> Vec<Value> {
    let value = |one: &CompensationReport| {
        object! {
            "step" => &*one.step,
            "tool" => one.tool,
            "status" => one.end.status.as_str(),
            "error" => one.end.error.as_ref().map(stable_error_report),
        }
    };
    undone.into_iter().map(value).collect()
}

/// Ends of the calls of a map: their number by status, and the first errors.
fn map_items_report(end: &StepOutcome) -> Value {
    const SHOWN: usize = 20;
    let mut counted = fields! { "count" => end.items.len() };
    use StepStatus::{Denied, Done, Failed, NotRun};
    for status in [Done, Failed, Denied, NotRun] {
        let items = end.items.iter().filter(|item| item.status == status);
        counted.insert(status.as_str(), items.count());
    }
    let errors = end.items.iter().enumerate().filter_map(|(index, item)| {
        Some(object! { "index" => index, "error" => stable_error_report(item.error.as_ref()?) })
    });
    let errors: Vec<Value> = errors.take(SHOWN).collect();
    if !errors.is_empty() {
        counted.insert("errors", errors);
    }
    counted.into()
}

/// An error as it is in every run: that of a defect names the call, which no two runs share.
fn stable_error_report(error: &ToolError) -> Value {
    match error.code() {
        ErrorCode::Internal => object! { "code" => error.code().as_str() },
        _ => error.to_value(),
    }
}
