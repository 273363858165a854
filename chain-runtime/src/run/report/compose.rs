//! Assembly of the result of a run from the ends of its steps.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use registry::redact;
use tool_core::{ErrorCode, Object, Reason, ToolError, Value};

use super::{ChainResult, ChainStatus, StepReport, Undone};
use crate::check::CheckedPlan;
use crate::explain::counted;
use crate::plan::OnError;
use crate::reference::Missing;
use crate::run::diagnostics::diagnostics;
use crate::run::encoding::name_of;
use crate::run::events::{Conclusion, Unit};
use crate::run::finished::{Finished, StepStatus};
use crate::run::machine::Parts;

/// Assembles the result, in plan order.
pub(crate) fn compose(
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
        mut undone,
        open_undo,
        stopped,
        conclusion,
        outputs: values,
        over,
    } = parts;
    let is_open = open_undo.is_some();
    let ends_early = stopped.is_some();
    undone.extend(open_undo);
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
        add_warnings(&mut warnings, &step.id, &collected(&step.end));
    }
    if let Some(over) = over {
        warnings.push(format!(
            "{}, exceeded by the last call; its result is kept",
            over.message()
        ));
    }
    let (outputs, missing_outputs, lacking) = answer(plan, &steps, &values);
    let ended_by = ended_by(plan, &steps).or(lacking);
    let cancelled = steps
        .iter()
        .find(|step| step.end.status == StepStatus::Cancelled);
    let open = |status| steps.iter().find(|step| step.end.status == status);
    let open_undo = undone.last().filter(|_| is_open);
    let undo_is = |status| open_undo.filter(|(_, end)| end.status == status);
    let (status, error) = if conclusion == Some(Conclusion::Interrupted) {
        (ChainStatus::Interrupted, Some(interrupted(&chain_id)))
    } else if let Some(step) = open(StepStatus::Unknown) {
        (ChainStatus::NeedsDecision, Some(undecided(named(step))))
    } else if let Some((unit, end)) = undo_is(StepStatus::Unknown) {
        (
            ChainStatus::NeedsDecision,
            Some(undecided(of_undoing(plan, *unit, end))),
        )
    } else if let Some((unit, end)) = undo_is(StepStatus::Pending) {
        (ChainStatus::Suspended, Some(of_undoing(plan, *unit, end)))
    } else if stopped.is_some() {
        (ChainStatus::Cancelled, stopped.clone())
    } else if let Some(step) = cancelled {
        (ChainStatus::Cancelled, step.end.error.clone())
    } else if let Some(step) = open(StepStatus::Pending) {
        (ChainStatus::Suspended, Some(named(step)))
    } else if let Some(step) = ended_by {
        (ChainStatus::Failed, Some(named(&steps[step])))
    } else {
        warnings.extend(passed_over(&steps));
        (ChainStatus::Success, None)
    };
    let undone: Vec<Undone> = undone
        .into_iter()
        .map(|(unit, end)| {
            let step = &plan.steps[unit.step];
            let by_order = &steps[unit.step].end;
            let by_order = match unit.part.item() {
                Some(index) => by_order.items.get(index).map(|item| item.status),
                None => Some(by_order.status),
            };
            Undone {
                is_late: by_order != Some(StepStatus::Done),
                step: match unit.part.item() {
                    Some(index) => format!("{}[{index}]", step.id).into(),
                    None => Arc::clone(&step.id),
                },
                tool: step.compensate.as_ref().map_or("", |undo| undo.tool),
                end,
            }
        })
        .collect();
    let not_undone = |one: &&Undone| match one.end.status {
        StepStatus::Done | StepStatus::Unknown | StepStatus::Pending => false,
        StepStatus::Cancelled => !is_open,
        _ => true,
    };
    for one in undone.iter().filter(not_undone) {
        let why = one.end.error.as_ref().map_or("", ToolError::message);
        warnings.push(format!(
            "step `{}` could not be undone by `{}`: {why}",
            one.step, one.tool
        ));
    }
    if matches!(status, ChainStatus::Failed | ChainStatus::Cancelled) {
        warnings.extend(staying(plan, &steps, &undone, ends_early));
    }
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
        failed_step: ended_by.filter(|_| status == ChainStatus::Failed),
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

/// The step that ended the chain: the lowest whose failure does so, else the lowest that was denied or whose dependents were to be
/// skipped. A failure with `continue` does not end the run.
fn ended_by(plan: &CheckedPlan, steps: &[StepReport]) -> Option<usize> {
    let lowest = |counts: &dyn Fn(usize, StepStatus) -> bool| {
        let mut ends = steps.iter().map(|step| step.end.status).enumerate();
        ends.find(|&(step, status)| {
            matches!(status, StepStatus::Failed | StepStatus::Denied) && counts(step, status)
        })
    };
    let ended = lowest(&|step, _| plan.steps[step].on_error == OnError::FailChain).or_else(|| {
        lowest(&|step, status| {
            status == StepStatus::Denied || plan.steps[step].on_error != OnError::Continue
        })
    });
    ended.map(|(step, _)| step)
}

/// Warning about the failed elements of a map that collects errors: their number and the first error.
fn collected(end: &Finished) -> Option<String> {
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
    let mut warnings: Vec<String> = failed()
        .take(SHOWN)
        .map(|(position, step)| {
            let error = named(step);
            let hint = error.hint_str().map(|hint| format!(" ({hint})"));
            let skipped = (steps.iter()).filter(|step| step.end.cause == Some(position));
            let skipped = match skipped.count() {
                0 => String::new(),
                count => format!("; {} not run because of it", counted(count as u64, "step")),
            };
            let (message, hint) = (error.message(), hint.unwrap_or_default());
            format!("{message}{hint}; the run continues without it (`on_error: continue`){skipped}")
        })
        .collect();
    if let Some(more @ 1..) = failed().count().checked_sub(SHOWN) {
        warnings.push(format!("{} more failed", counted(more as u64, "step")));
    }
    warnings
}

/// Warning about steps without a compensation whose effects remain.
fn staying(
    plan: &CheckedPlan,
    steps: &[StepReport],
    undone: &[Undone],
    ends_early: bool,
) -> Option<String> {
    let stays = plan.steps.iter().zip(steps).filter(|(step, report)| {
        report.real_status == StepStatus::Done
            && !step.effects.is_empty()
            && step.compensate.is_none()
    });
    let names: Vec<String> = stays.map(|(step, _)| format!("`{}`", step.id)).collect();
    ((ends_early || !undone.is_empty()) && !names.is_empty()).then(|| {
        format!(
            "these steps have no `compensate`, and their effects remain: {}",
            names.join(", ")
        )
    })
}

/// Error of a run whose process was interrupted.
fn interrupted(run: &str) -> ToolError {
    let message = "the process was interrupted: the run can be resumed, and nothing was undone";
    ToolError::new(ErrorCode::Cancelled, message)
        .reason(Reason::Interrupted)
        .hint(format!("`mathchain runs resume {run}` continues it"))
}

/// The error of what undoes a step.
fn of_undoing(plan: &CheckedPlan, unit: Unit, end: &Finished) -> ToolError {
    let name = name_of(plan, unit);
    match &end.error {
        Some(error) => error.prefixed(format_args!("undoing `{name}`")),
        None => ToolError::new(ErrorCode::Internal, format_args!("`{name}` has no error")),
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
    error.prefixed(format_args!("step `{}` (`{}`)", step.id, step.tool))
}

/// The error of a run that waits for a decision, whatever stopped the call: a call that may have happened is no cancelled one.
fn undecided(error: ToolError) -> ToolError {
    if error.is(Reason::OutcomeUnknown) {
        return error;
    }
    let message = format_args!("{}, and its outcome is unknown", error.message());
    let known = ToolError::new(ErrorCode::Conflict, message)
        .reason(Reason::OutcomeUnknown)
        .may_have_happened();
    match error.hint_str() {
        Some(hint) => known.hint(hint),
        None => known,
    }
}

/// Warnings about steps that ran although an earlier one failed, and whether they were undone.
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
        let known = warnings
            .iter()
            .any(|known| known.ends_with(warning.as_str()));
        if !known && warnings.len() < WARNINGS_MAX {
            warnings.push(format!("step `{id}`: {warning}"));
        }
    }
}

/// Missing outputs, each with the reason.
type Lacks = Vec<(Arc<str>, String)>;

/// Outputs of the plan, missing outputs, and the lowest failed step that caused one; secrets in results from outside are
/// redacted.
fn answer(
    plan: &CheckedPlan,
    steps: &[StepReport],
    values: &HashMap<String, Result<Value, Missing>>,
) -> (Object, Lacks, Option<usize>) {
    let world = plan.steps.iter().any(|step| step.reads_world);
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
                Some(Ok(value)) if placed.default.is_some() && reference.is_lacking(value) => {
                    Ok(placed.default.clone())
                }
                Some(Ok(value)) => Ok(Some(value.clone())),
                _ if placed.default.is_some() => Ok(placed.default.clone()),
                Some(Err(why)) => Err(ToolError::new(
                    ErrorCode::ToolError,
                    format_args!("`{reference}`: {} (at `{}`)", why.message, why.reached),
                )),
                None => {
                    let failed = step.map(|step| steps[step].end.cause.unwrap_or(step));
                    let failed =
                        failed.filter(|&step| steps[step].end.status == StepStatus::Failed);
                    lacking = lacking.into_iter().chain(failed).min();
                    Err(ToolError::new(
                        ErrorCode::DependencyFailed,
                        format_args!("`{reference}`: step `{}` gave no result", reference.root()),
                    ))
                }
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
    (outputs, missing, lacking)
}
