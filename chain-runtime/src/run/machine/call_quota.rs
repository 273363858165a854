//! Call quota of plans with maps over lists that are known only at run time, counted in an order that does not depend on
//! threads.
//!
//! Maps are counted in plan order, with barriers wave by wave. One starts when it fits whatever the lists of those before it turn out
//! to be; else it waits until they are known. So the map that would exceed the limit is the same for any number of threads.

use std::collections::{BTreeSet, HashMap};

use tool_core::{ToolError, tool_error};

use super::RunMachine;
use crate::check::CheckedPlan;
use crate::plan::CALLS_MAX;
use crate::run::finished::StepOutcome;
use crate::template::ArgumentNode;

/// Known and expected numbers of calls.
pub(super) struct CallQuota {
    /// Most calls of the plan.
    pub(super) limit: usize,
    /// Number of steps and of elements of literal lists.
    known: usize,
    /// Maps whose lists come from steps, in the order in which they are counted.
    open: Vec<usize>,
    /// Index of a step among those.
    numbers: HashMap<usize, usize>,
    /// Number of elements of each map, once it began.
    counted: Vec<Option<usize>>,
    /// Indices of maps that wait for the lists of others.
    waiting: BTreeSet<usize>,
}

impl CallQuota {
    pub(super) fn new(plan: &CheckedPlan) -> Self {
        let (mut known, mut open) = (0_usize, Vec::new());
        for (position, step) in plan.steps.iter().enumerate() {
            match step.map.as_ref().map(|map| &map.over) {
                None => known += 1,
                Some(ArgumentNode::Literal(list)) => {
                    known += list.items().map_or(1, |items| items.len())
                }
                Some(_) => open.push(position),
            }
        }
        if plan.has_barriers() {
            open.sort_by_key(|&step| (plan.graph.wave(step), step));
        }
        Self {
            limit: CALLS_MAX,
            known,
            numbers: open.iter().copied().zip(0..).collect(),
            counted: vec![None; open.len()],
            open,
            waiting: BTreeSet::new(),
        }
    }
}

impl RunMachine<'_> {
    /// Admits a map with this many elements; otherwise it waits, or has ended the run.
    pub(super) fn admit(&mut self, step: usize, elements: usize) -> bool {
        let Some(&number) = self.quota.numbers.get(&step) else {
            return true;
        };
        let limit = self.quota.limit;
        let least_and_most = |number: usize| {
            let before = self.quota.open[number];
            match (self.quota.counted[number], &self.plan.steps[before].map) {
                (Some(count), _) => (count, count),
                _ if self.ends[before].is_some() => (0, 0), // it was not run, or has no elements
                (None, map) => (0, map.as_ref().map_or(0, |map| map.max.min(limit))),
            }
        };
        let own = self.quota.known + elements;
        let (least, most) = (0..number)
            .map(least_and_most)
            .fold((own, own), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        if least > limit {
            self.stop_at = self.stop_at.min(step); // whatever its `on_error` says
            self.settle(step, StepOutcome::failed(too_many(least, limit)));
            return false;
        }
        if most > limit {
            self.quota.waiting.insert(number);
            return false;
        }
        self.quota.counted[number] = Some(elements);
        self.recheck_waiting(step);
        true
    }

    /// Looks again at the first map that waits, now that more is known of one before it. Where the first one has to wait, so have the
    /// others: what may come before them is more.
    pub(super) fn recheck_waiting(&mut self, known: usize) {
        if self.quota.numbers.contains_key(&known)
            && let Some(first) = self.quota.waiting.pop_first()
        {
            self.offered.push(self.quota.open[first]);
        }
    }
}

fn too_many(found: usize, limit: usize) -> ToolError {
    let message = "steps, elements of maps counted; with those of this map there are";
    tool_error!(LimitExceeded, "map"; "a plan has at most {limit} {message} {found}";
        "shorten the lists of its maps, or hand parts of the work to plans of their own with `chain_run`")
}
