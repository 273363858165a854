//! Order in which ready calls are taken: by critical path, or as a test draws it.
//!
//! The result may not depend on it. Expected durations come from the plan, else from earlier runs of the tool. Without the feature
//! `failpoints` (and outside this crate's own tests) no order can be drawn.

use std::collections::BTreeMap;

use tool_core::rng::derive_seed;
use tool_core::{Decode, Encode};

use crate::check::{CheckedPlan, CheckedStep};
#[cfg(any(test, feature = "failpoints"))]
use std::cell::Cell;

#[cfg(any(test, feature = "failpoints"))]
thread_local! {
    static SEED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Runs a closure on this thread; runs that it starts take ready calls in an order drawn from a seed.
#[cfg(any(test, feature = "failpoints"))]
pub fn run_in_shuffled_order<T>(seed: u64, run: impl FnOnce() -> T) -> T {
    let before = SEED.replace(Some(seed));
    let done = run();
    SEED.set(before);
    done
}

/// The order of one run.
pub(super) struct RunOrder {
    seed: Option<u64>,
    picked: u64,
}

impl RunOrder {
    /// The order of the runs that this thread starts.
    pub(super) fn current() -> Self {
        #[cfg(any(test, feature = "failpoints"))]
        let seed = SEED.get();
        #[cfg(not(any(test, feature = "failpoints")))]
        let seed = None;
        Self { seed, picked: 0 }
    }

    /// Drawn priorities by step, in place of the critical path.
    pub(super) fn priorities(&self, steps: usize) -> Option<Vec<u64>> {
        let seed = self.seed?;
        let drawn = |step| derive_seed(seed, "priority", step);
        Some((0..steps as u64).map(drawn).collect())
    }

    /// Index of the command to take from a queue of this length.
    pub(super) fn pick(&mut self, waiting: usize) -> usize {
        let (Some(seed), true) = (self.seed, waiting > 1) else {
            return 0;
        };
        self.picked += 1;
        (derive_seed(seed, "queue", self.picked) % waiting as u64) as usize
    }
}

/// Expected duration of an unknown step in microseconds.
const UNKNOWN: u64 = 1_000;

/// Durations of tools in microseconds: fixed when a run begins, so that a resumed run schedules alike.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
#[value(transparent)]
pub struct ToolCosts(BTreeMap<String, u64>);

impl ToolCosts {
    /// Medians of recorded durations by tool.
    pub fn of_history(took_ms: impl IntoIterator<Item = (String, f64)>) -> Self {
        let mut by_tool: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for (tool, ms) in took_ms {
            by_tool.entry(tool).or_default().push((ms * 1e3) as u64);
        }
        let median = |mut took: Vec<u64>| {
            took.sort_unstable();
            took[took.len() / 2]
        };
        let medians = by_tool.into_iter().map(|(tool, took)| (tool, median(took)));
        Self(medians.collect())
    }

    fn of(&self, step: &CheckedStep) -> u64 {
        let known = step.cost_ms.map(|ms| ms.saturating_mul(1_000));
        let known = known.or_else(|| self.0.get(step.tool).copied());
        known.unwrap_or(UNKNOWN).max(1)
    }

    /// Critical path from each step to an end.
    pub(super) fn priorities(&self, plan: &CheckedPlan) -> Vec<u64> {
        if let Some(drawn) = RunOrder::current().priorities(plan.steps.len()) {
            return drawn;
        }
        let mut priorities = vec![0_u64; plan.steps.len()];
        for step in (0..plan.steps.len()).rev() {
            let followers = plan.graph.followers(step).iter();
            let longest = followers.map(|&to| priorities[to as usize]).max();
            let own = self.of(&plan.steps[step]);
            priorities[step] = own.saturating_add(longest.unwrap_or(0));
        }
        priorities
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_tools() {
        let took = [("a", 3.0), ("a", 1.0), ("a", 2.0), ("b", 0.5)];
        let costs = ToolCosts::of_history(took.map(|(tool, ms)| (tool.to_owned(), ms)));
        assert_eq!((costs.0["a"], costs.0["b"]), (2_000, 500));
        let stored = tool_core::convert::to_value(&costs).unwrap();
        assert_eq!(
            tool_core::convert::from_value::<ToolCosts>(&stored).unwrap(),
            costs
        );
        assert_eq!(ToolCosts::of_history([]), ToolCosts::default());
    }
}
