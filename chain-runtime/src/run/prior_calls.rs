//! Calls that earlier processes began, and errors of nested runs.

use std::collections::{BTreeSet, HashSet};

use super::events::{Part, Unit};
use super::memory::Memory;
use super::nesting::Cancelled;
use crate::check::{CheckedPlan, is_chain};
use crate::tools::child_id;

impl Memory {
    /// Adds the errors of nested runs.
    pub(super) fn with_within(mut self, within: &[Cancelled]) -> Self {
        let error = |one: &Cancelled| one.result.as_ref().ok()?.error.clone();
        let open = within
            .iter()
            .filter_map(|one| Some((one.run.clone(), error(one)?)));
        self.within.extend(open);
        self
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
            let parts = parts.into_iter().filter(is_within);
            began.extend(parts.map(|part| Unit {
                step: position,
                part,
            }));
        }
        began
    }
}
