//! Calls that earlier processes began, and errors of nested runs.

use std::collections::{BTreeSet, HashSet};

use tool_core::ToolError;

use super::events::{Part, Unit};
use super::memory::Memory;
use super::nesting::Cancelled;
use crate::check::{CheckedPlan, is_chain};
use crate::tools::child_id;

impl Memory {
    /// Adds the errors of nested runs.
    pub(super) fn with_within(mut self, within: &[Cancelled]) -> Self {
        let open = within.iter().filter_map(|one| {
            let result = one.result.as_ref().ok()?;
            Some((one.run.clone(), result.error.clone()?))
        });
        self.within.extend(open);
        self
    }

    /// Why a nested run is not undone yet.
    pub(super) fn of_within(&self, run: &str) -> Option<&ToolError> {
        self.within.get(run)
    }

    /// Calls that earlier processes began, those of nested runs included.
    pub(super) fn began(&self, plan: &CheckedPlan, chain_id: &str) -> BTreeSet<Unit> {
        let known = self.past.keys().map(|(unit, _)| unit);
        let known = known.chain(self.unknown.keys()).copied();
        let mut began: BTreeSet<Unit> = known.filter(|unit| !unit.part.undoes()).collect();
        let within = match self.part() {
            2.. => self.state.runs_within(chain_id).unwrap_or_default(),
            _ => Vec::new(),
        };
        let within: HashSet<&str> = within.iter().map(|run| run.id.as_str()).collect();
        let steps = plan.steps.iter().enumerate();
        for (position, step) in steps.filter(|_| !within.is_empty()) {
            let parts = match &step.map {
                _ if !is_chain(step.tool) => Vec::new(),
                Some(map) => (0..map.max).map(Part::Item).collect(),
                None => vec![Part::Whole],
            };
            let is_within = |part: &Part| {
                let mut ids = (1..=step.retry.max + 1)
                    .map(|attempt| child_id(chain_id, &step.id, part.item(), attempt));
                ids.any(|id| within.contains(id.as_str()))
            };
            let units = parts.into_iter().filter(is_within);
            began.extend(units.map(|part| Unit {
                step: position,
                part,
            }));
        }
        began
    }
}
