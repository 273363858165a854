//! Expected durations of steps: from the plan, else from earlier runs of the tool. They affect the order of calls, not the
//! results.

use std::collections::BTreeMap;

use tool_core::Value;

use super::order::Order;
use crate::check::{CheckedPlan, CheckedStep};

/// Expected duration of an unknown step in microseconds.
const UNKNOWN: u64 = 1_000;

/// Durations of tools in microseconds: fixed when a run begins, so that a resumed run schedules alike.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
        Self(
            by_tool
                .into_iter()
                .map(|(tool, took)| (tool, median(took)))
                .collect(),
        )
    }

    /// As data for a record.
    pub(super) fn to_value(&self) -> Value {
        Value::object(self.0.iter().map(|(tool, cost)| (tool.as_str(), *cost)))
    }

    /// Reads it back.
    pub(super) fn from_value(value: &Value) -> Self {
        let members = value.as_object().map(|object| object.iter());
        let cost = |(tool, cost): (&str, &Value)| {
            Some((tool.to_owned(), u64::try_from(cost.as_i64()?).ok()?))
        };
        Self(members.into_iter().flatten().filter_map(cost).collect())
    }

    fn of(&self, step: &CheckedStep) -> u64 {
        match step.cost_ms {
            Some(ms) => ms.saturating_mul(1_000),
            None => self.0.get(step.tool).copied().unwrap_or(UNKNOWN),
        }
        .max(1)
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
            priorities[step] = self
                .of(&plan.steps[step])
                .saturating_add(longest.unwrap_or(0));
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
        assert_eq!(Costs::from_value(&costs.to_value()), costs);
        assert_eq!(Costs::of_history([]), Costs::default());
    }
}
