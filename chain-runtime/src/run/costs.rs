//! Expected durations of steps: from the plan, else from earlier runs of the tool. They affect the order of calls, not the
//! results.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::order::Order;
use crate::check::{CheckedPlan, CheckedStep};

/// Expected duration of an unknown step in microseconds.
const UNKNOWN: u64 = 1_000;

/// Durations of tools in microseconds: fixed when a run begins, so that a resumed run schedules alike.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Costs(BTreeMap<String, u64>);

impl Costs {
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
        if let Some(drawn) = Order::current().priorities(plan.steps.len()) {
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
        let costs = Costs::of_history(took.map(|(tool, ms)| (tool.to_owned(), ms)));
        assert_eq!((costs.0["a"], costs.0["b"]), (2_000, 500));
        let stored = tool_core::convert::to_value(&costs).unwrap();
        assert_eq!(
            tool_core::convert::from_value::<Costs>(&stored).unwrap(),
            costs
        );
        assert_eq!(Costs::of_history([]), Costs::default());
    }
}
