//! Obstacles that prevent a step from running.

use super::finished::{Finished, StepStatus};
use super::values;
use crate::check::CheckedPlan;
use crate::plan::OnError;

/// The step that prevents another from running: a dependency that failed with an `on_error` that stops dependents, or one that
/// was skipped and whose value is used. A skipped step is replaced by its cause.
pub(super) fn obstacle<'e>(
    plan: &CheckedPlan,
    position: usize,
    end: &dyn Fn(usize) -> Option<&'e Finished>,
) -> Option<usize> {
    let mut cause: Option<usize> = None;
    let mut seen: Option<usize> = None;
    for edge in plan.graph.edges_into(position) {
        // Edges are sorted by where they come from: several reasons count once.
        if !edge.reason.is_dependency() || seen.replace(edge.from) == Some(edge.from) {
            continue;
        }
        let failed = match end(edge.from).map(|end| (end.status, end.cause)) {
            Some((StepStatus::Failed | StepStatus::Denied, _)) => edge.from,
            Some((StepStatus::Skipped, Some(cause))) => cause,
            // Skipped by its condition: steps that need no value of it run.
            Some((StepStatus::Skipped, None)) => {
                if !values::has_defaults(plan, position, edge.from) {
                    cause = Some(cause.map_or(edge.from, |cause| cause.min(edge.from)));
                }
                continue;
            }
            _ => continue,
        };
        let tolerated = plan.steps[failed].on_error == OnError::Continue
            && values::has_defaults(plan, position, edge.from);
        if !tolerated {
            cause = Some(cause.map_or(failed, |cause| cause.min(failed)));
        }
    }
    cause
}
