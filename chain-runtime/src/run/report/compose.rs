//! Assembly of the result of a run from the ends of its steps.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use registry::redact;
use tool_core::brief::count_phrase;
use tool_core::{Object, Reason, ToolError, Value, tool_error};

use super::{ChainResult, ChainStatus, CompensationReport, StepReport};
use crate::check::{CheckedPlan, CheckedStep};
use crate::plan::OnError;
use crate::reference::MissingValueError;
use crate::run::diagnostics::run_diagnostics;
use crate::run::encoding::name_of;
use crate::run::events::{CallUnit, RunConclusion};
use crate::run::finished::{StepOutcome, StepStatus};
use crate::run::machine::RunMachineResult;

/// The process of a run: its id, threads, start and duration.
pub(crate) struct RunProcess {
    pub(crate) chain_id: String,
    pub(crate) threads: usize,
    pub(crate) started_unix_ms: u64,
    pub(crate) elapsed: Duration,
}

/// Assembles the result, in plan order.
pub(crate) fn compose_result(
    plan: &CheckedPlan,
    mut parts: RunMachineResult,
    process: RunProcess,
) -> ChainResult {
    let is_open = parts.open_undo.is_some();
    parts.undone.extend(parts.open_undo.take());
    let mut warnings = late_warnings(plan, &parts);
    let steps = step_reports(plan, std::mem::take(&mut parts.settled), &parts.real);
    for (step, end) in steps.iter().zip(&parts.real) {
        add_warnings(&mut warnings, &step.id, &end.warnings);
        add_warnings(
            &mut warnings,
            &step.id,
            &collected_errors_warning(&step.end),
        );
    }
    if let Some(over) = &parts.over {
        let over = over.message();
        warnings.push(format!(
            "{over}, exceeded by the last call; its result is kept"
        ));
    }
    let (outputs, missing_outputs, lacking) = plan_outputs(plan, &steps, &parts.outputs);
    let ended_by = ended_by(plan, &steps).or(lacking);
    let open_undo = parts.undone.last().filter(|_| is_open);
    let (status, error) = match parts.conclusion {
        Some(RunConclusion::Interrupted) => (
            ChainStatus::Interrupted,
            Some(interrupted_error(&process.chain_id)),
        ),
        _ => run_status(plan, &steps, open_undo, parts.stopped.as_ref(), ended_by),
    };
    if status == ChainStatus::Success {
        warnings.extend(passed_over(&steps));
    }
    let undone: Vec<CompensationReport> = (parts.undone.into_iter())
        .map(|(unit, end)| undone_of(plan, &steps, unit, end))
        .collect();
    for one in &undone {
        let is_undone = match one.end.status {
            StepStatus::Done | StepStatus::Unknown | StepStatus::Pending => true,
            StepStatus::Cancelled => is_open,
            _ => false,
        };
        if !is_undone {
            let why = one.end.error.as_ref().map_or("", ToolError::message);
            let (step, tool) = (&one.step, one.tool);
            warnings.push(format!(
                "step `{step}` could not be undone by `{tool}`: {why}"
            ));
        }
    }
    if matches!(status, ChainStatus::Failed | ChainStatus::Cancelled) {
        warnings.extend(remaining_effects_warning(
            plan,
            &steps,
            &undone,
            parts.stopped.is_some(),
        ));
    }
    let effects = plan.steps.iter().flat_map(|step| step.effects);
    let mut effects: Vec<_> = effects.copied().collect();
    effects.sort_unstable();
    effects.dedup();
    let waves = plan.graph.waves();
    ChainResult {
        diagnostics: run_diagnostics(plan, &waves, &parts.real, status, &process),
        chain_id: process.chain_id,
        status,
        outputs,
        shown: None,
        missing_outputs,
        error,
        failed_step: ended_by.filter(|_| status == ChainStatus::Failed),
        steps,
        undone,
        warnings,
        audit: None,
        plan_digest: plan.digest.clone(),
        seed: plan.seed.get(),
        waves: waves.len(),
        notes: plan.notes.clone(),
        effects,
        part: 1,
    }
}

fn step_reports(
    plan: &CheckedPlan,
    settled: Vec<StepOutcome>,
    real: &[StepOutcome],
) -> Vec<StepReport> {
    let steps = plan.steps.iter().zip(settled).zip(real).enumerate();
    let report =
        |(position, ((step, end), real)): (_, ((&CheckedStep, _), &StepOutcome))| StepReport {
            id: Arc::clone(&step.id),
            tool: step.tool,
            wave: plan.graph.wave(position),
            end,
            real_status: real.status,
            version: step.tool_version,
            seed: step.seed.get(),
            verdict: step.permit.verdict,
        };
    steps.map(report).collect()
}

/// Status and error of a run whose process was not interrupted. Decisions come before a stop, approvals after it.
fn run_status(
    plan: &CheckedPlan,
    steps: &[StepReport],
    open_undo: Option<&(CallUnit, StepOutcome)>,
    stopped: Option<&ToolError>,
    ended_by: Option<usize>,
) -> (ChainStatus, Option<ToolError>) {
    let first = |status| steps.iter().find(|step| step.end.status == status);
    let undoing = |status| {
        let (unit, end) = open_undo.filter(|(_, end)| end.status == status)?;
        Some(of_undoing(plan, *unit, end))
    };
    let unknown = first(StepStatus::Unknown).map(named_step_error);
    if let Some(error) = unknown.or_else(|| undoing(StepStatus::Unknown)) {
        (ChainStatus::NeedsDecision, Some(undecided_error(error)))
    } else if let Some(error) = undoing(StepStatus::Pending) {
        (ChainStatus::Suspended, Some(error))
    } else if let Some(why) = stopped {
        (ChainStatus::Cancelled, Some(why.clone()))
    } else if let Some(step) = first(StepStatus::Cancelled) {
        (ChainStatus::Cancelled, step.end.error.clone())
    } else if let Some(step) = first(StepStatus::Pending) {
        (ChainStatus::Suspended, Some(named_step_error(step)))
    } else if let Some(step) = ended_by {
        (ChainStatus::Failed, Some(named_step_error(&steps[step])))
    } else {
        (ChainStatus::Success, None)
    }
}

fn undone_of(
    plan: &CheckedPlan,
    steps: &[StepReport],
    unit: CallUnit,
    end: StepOutcome,
) -> CompensationReport {
    let (step, by_order) = (&plan.steps[unit.step], &steps[unit.step].end);
    let by_order = match unit.part.item() {
        Some(index) => by_order.items.get(index),
        None => Some(by_order),
    };
    CompensationReport {
        is_late: by_order.map(|end| end.status) != Some(StepStatus::Done),
        step: match unit.part.item() {
            Some(index) => format!("{}[{index}]", step.id).into(),
            None => Arc::clone(&step.id),
        },
        tool: step.compensate.as_ref().map_or("", |undo| undo.tool),
        end,
    }
}

/// The step that ended the chain: the lowest whose failure does so, else the lowest that was denied or whose dependents were to be
/// skipped. A failure with `continue` does not end the run.
fn ended_by(plan: &CheckedPlan, steps: &[StepReport]) -> Option<usize> {
    let lowest = |counts: &dyn Fn(OnError, StepStatus) -> bool| {
        steps.iter().zip(&plan.steps).position(|(report, step)| {
            let status = report.end.status;
            matches!(status, StepStatus::Failed | StepStatus::Denied)
                && counts(step.on_error, status)
        })
    };
    lowest(&|on_error, _| on_error == OnError::FailChain).or_else(|| {
        lowest(&|on_error, status| status == StepStatus::Denied || on_error != OnError::Continue)
    })
}

/// Warning about the failed elements of a map that collects errors: their number and the first error.
fn collected_errors_warning(end: &StepOutcome) -> Option<String> {
    let failed = || (end.items.iter().enumerate()).filter(|(_, item)| item.error.is_some());
    let (index, first) = failed().find(|_| end.status == StepStatus::Done)?;
    let (count, of) = (failed().count(), end.items.len());
    let words = first.error.as_ref().map_or("", ToolError::message);
    Some(format!(
        "{count} of {of} elements failed; element {index}: {words}"
    ))
}

/// Warnings about failed steps of a run that succeeded, and the steps skipped because of them.
fn passed_over(steps: &[StepReport]) -> Vec<String> {
    const SHOWN: usize = 50;
    let failed = || {
        let all = steps.iter().enumerate();
        all.filter(|(_, step)| step.end.status == StepStatus::Failed)
    };
    let warning = |(position, step): (usize, &StepReport)| {
        let error = named_step_error(step);
        let hint = error.hint_str().map(|hint| format!(" ({hint})"));
        let skipped = (steps.iter()).filter(|step| step.end.cause == Some(position));
        let skipped = match skipped.count() {
            0 => String::new(),
            count => format!(
                "; {} not run because of it",
                count_phrase(count as u64, "step")
            ),
        };
        let (message, hint) = (error.message(), hint.unwrap_or_default());
        format!("{message}{hint}; the run continues without it (`on_error: continue`){skipped}")
    };
    let mut warnings: Vec<String> = failed().take(SHOWN).map(warning).collect();
    if let Some(more @ 1..) = failed().count().checked_sub(SHOWN) {
        warnings.push(format!("{} more failed", count_phrase(more as u64, "step")));
    }
    warnings
}

/// Warning about steps without a compensation whose effects remain.
fn remaining_effects_warning(
    plan: &CheckedPlan,
    steps: &[StepReport],
    undone: &[CompensationReport],
    ends_early: bool,
) -> Option<String> {
    let stays = plan.steps.iter().zip(steps).filter(|(step, report)| {
        report.real_status == StepStatus::Done
            && !step.effects.is_empty()
            && step.compensate.is_none()
    });
    let names: Vec<String> = stays.map(|(step, _)| format!("`{}`", step.id)).collect();
    let names = (!names.is_empty()).then(|| names.join(", "))?;
    (ends_early || !undone.is_empty())
        .then(|| format!("these steps have no `compensate`, and their effects remain: {names}"))
}

/// Error of a run whose process was interrupted.
fn interrupted_error(run: &str) -> ToolError {
    tool_error!(Cancelled, Reason::Interrupted;
        "the process was interrupted: the run can be resumed, and nothing was undone";
        "`mathchain runs resume {run}` continues it")
}

/// The error of what undoes a step.
fn of_undoing(plan: &CheckedPlan, unit: CallUnit, end: &StepOutcome) -> ToolError {
    let name = name_of(plan, unit);
    match &end.error {
        Some(error) => error.prefixed(format_args!("undoing `{name}`")),
        None => tool_error!(Internal, "`{name}` has no error"),
    }
}

/// The error of a step, with its name in front and its place in the plan.
fn named_step_error(step: &StepReport) -> ToolError {
    let (id, tool) = (&step.id, step.tool);
    match &step.end.error {
        Some(error) => error.prefixed(format_args!("step `{id}` (`{tool}`)")),
        None => tool_error!(Internal, "step `{id}` failed without an error"),
    }
}

/// The error of a run that waits for a decision, whatever stopped the call: a call that may have happened is no cancelled one.
fn undecided_error(error: ToolError) -> ToolError {
    if error.is(Reason::OutcomeUnknown) {
        return error;
    }
    let known = tool_error!(Conflict, "{}, and its outcome is unknown", error.message());
    let known = known.reason(Reason::OutcomeUnknown).may_have_happened();
    match error.hint_str() {
        Some(hint) => known.hint(hint),
        None => known,
    }
}

/// Warnings about steps that ran although an earlier one failed, and whether they were undone.
fn late_warnings(plan: &CheckedPlan, parts: &RunMachineResult) -> Vec<String> {
    let ends = parts.settled.iter().zip(&parts.real).enumerate();
    let late = ends.filter(|(_, (end, real))| !end.has_run() && real.has_run());
    late.map(|(position, (_, real))| {
        let step = &plan.steps[position];
        let mut undone = parts.undone.iter();
        let is_undone =
            undone.any(|(unit, end)| unit.step == position && end.status == StepStatus::Done);
        let effects = match (step.effects, real.status) {
            ([], _) => "",
            (_, StepStatus::Done) if is_undone => ", and it was undone",
            (_, StepStatus::Done) => ", and its effects remain",
            // A failed call may have done part of its work; a refused one did not begin.
            (_, StepStatus::Failed) => ", and failed",
            _ => "",
        };
        format!("step `{}` had already run when the chain ended; its result is not part of this answer{effects}", step.id)
    })
    .collect()
}

/// Warnings of steps, each text once.
fn add_warnings<'w>(
    warnings: &mut Vec<String>,
    id: &str,
    of_step: impl IntoIterator<Item = &'w String>,
) {
    const WARNINGS_MAX: usize = 100;
    for warning in of_step {
        let known = warnings.iter().any(|known| known.ends_with(&**warning));
        if !known && warnings.len() < WARNINGS_MAX {
            warnings.push(format!("step `{id}`: {warning}"));
        }
    }
}

/// Missing outputs, each with the reason.
type Lacks = Vec<(Arc<str>, String)>;

/// Outputs of the plan, missing outputs, and the lowest failed step that caused one; secrets in results from outside are
/// redacted.
fn plan_outputs(
    plan: &CheckedPlan,
    steps: &[StepReport],
    values: &HashMap<String, Result<Value, MissingValueError>>,
) -> (Object, Lacks, Option<usize>) {
    // What came from the world is redacted, whichever step hands it on.
    let world = (plan.steps.iter()).any(|step| step.reads_world || step.args.opens_files());
    let mut outputs = Object::new();
    let mut missing = Vec::new();
    let mut lacking: Option<usize> = None;
    for (name, node) in &plan.outputs {
        let bound = node.bind(&mut |placed| {
            let reference = &placed.reference;
            let step = plan.position(reference.root());
            let given = step
                .filter(|&step| steps[step].end.status == StepStatus::Done)
                .and_then(|_| values.get(&reference.to_string()));
            match given {
                Some(Ok(value)) if placed.default.is_none() || !reference.is_lacking(value) => {
                    Ok(Some(value.clone()))
                }
                _ if placed.default.is_some() => Ok(placed.default.clone()),
                Some(Err(why)) => Err(tool_error!(ToolError, "`{reference}`: {why}")),
                _ => {
                    let failed = step.map(|step| steps[step].end.cause.unwrap_or(step));
                    let failed =
                        failed.filter(|&step| steps[step].end.status == StepStatus::Failed);
                    lacking = lacking.into_iter().chain(failed).min();
                    let root = reference.root();
                    let why = format!("step `{root}` gave no result");
                    Err(tool_error!(DependencyFailed, "`{reference}`: {why}"))
                }
            }
        });
        match bound {
            Ok(node) => {
                let value = node.literal().cloned().unwrap_or_default();
                let value = match world {
                    true => redact::redact_value(&value).0,
                    false => value,
                };
                outputs.push_unique(Arc::clone(name), value);
            }
            Err(err) => missing.push((Arc::clone(name), err.message().to_owned())),
        }
    }
    (outputs, missing, lacking)
}
