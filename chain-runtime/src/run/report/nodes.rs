//! Where the calls of a run were computed, and the end of a run whose engine gave two results of one computation.

use std::collections::BTreeMap;

use tool_core::{Object, Value, fields};

use super::{ChainResult, ChainStatus};
use crate::cluster::{Cluster, TicketCosts};
use crate::run::finished::StepOutcome;

impl StepOutcome {
    /// The node that computed the call, where it was computed elsewhere.
    pub fn node(&self) -> Option<&str> {
        self.metadata.get("node")?.as_str()
    }
}

impl ChainResult {
    /// Adds what the engine tells after the last step. A run whose results contradict each other has none.
    pub(crate) fn settle(&mut self, cluster: &Cluster) {
        let (alarm, warnings) = cluster.settle();
        self.warnings.extend(warnings);
        self.diagnostics.insert("engine", cluster.engine());
        self.diagnostics.insert("nodes", self.nodes());
        self.note_costs(cluster);
        let Some(alarm) = alarm.filter(|_| self.status == ChainStatus::Success) else {
            return;
        };
        self.status = ChainStatus::Failed;
        self.diagnostics.insert("success", false);
        for (name, _) in std::mem::take(&mut self.outputs).iter() {
            let why = alarm.message().to_owned();
            self.missing_outputs.push((name.into(), why));
        }
        self.error = Some(alarm);
    }

    /// Adds what moving the calls cost: of the run, and of each step that had tickets.
    fn note_costs(&mut self, cluster: &Cluster) {
        let by_step = cluster.costs();
        let mut whole = TicketCosts::default();
        by_step.values().for_each(|costs| whole.add(costs));
        self.diagnostics.insert("tickets", whole.to_object());
        let steps = by_step.iter().filter_map(|(position, costs)| {
            let mut line = fields! { "id" => &*self.steps.get(*position)?.id };
            line.extend(&costs.to_object());
            Some(Value::from(line))
        });
        let steps: Vec<Value> = steps.collect();
        self.diagnostics.insert("step_tickets", steps);
    }

    /// Number of calls by the node that computed them.
    fn nodes(&self) -> Object {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for step in &self.steps {
            let calls = match step.end.items.as_slice() {
                [] => std::slice::from_ref(&step.end),
                items => items,
            };
            for node in calls.iter().filter_map(StepOutcome::node) {
                *counts.entry(node).or_default() += 1;
            }
        }
        let mut nodes = Object::new();
        for (node, count) in counts {
            nodes.insert(node, count);
        }
        nodes
    }
}
