//! Where the calls of a run were computed, and the end of a run whose engine gave two results of one computation.

use std::collections::BTreeMap;

use tool_core::Object;

use super::{ChainResult, ChainStatus};
use crate::cluster::Cluster;
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
