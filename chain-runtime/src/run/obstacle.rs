//! Why a step has no meaning any more.

use super::finished::{Finished, StepStatus};
use super::values;
use crate::check::CheckedPlan;
use crate::plan::OnError;

/// The step because of which a step has no meaning: one it depends on failed, and that step's `on_error` does not let it run;
/// or it uses the value of one that was skipped. A skipped step stands for the step that is its cause.
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
            // By its condition: whoever needs no value of it goes on.
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
