//! What a check gives: steps and a plan that may run.

use std::collections::HashMap;
use std::sync::Arc;

use registry::CallerContext;
use tool_core::{Effect, ResourceKey, Seed, Value};

use super::maps::CheckedMap;
use super::permit::Permit;
use super::subplan;
use crate::condition::Condition;
use crate::graph::Graph;
use crate::plan::{Approval, Budget, Mode, OnError, Retry};
use crate::template::Node;

/// A step that may run.
#[derive(Debug, Clone)]
pub struct CheckedStep {
    /// Its id.
    pub id: Arc<str>,
    /// Canonical name of its tool.
    pub tool: &'static str,
    /// Version of the tool's contract.
    pub tool_version: u32,
    /// Its arguments, inputs filled in.
    pub args: Node,
    /// Without it holding, the step is skipped.
    pub when: Option<Condition>,
    /// Calls the tool for every element of a list.
    pub map: Option<CheckedMap>,
    /// What is tried again.
    pub retry: Retry,
    /// Longest run of one attempt in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Longest run of all attempts together in milliseconds.
    pub deadline_ms: Option<u64>,
    /// How long it is expected to run, where the plan says.
    pub cost_ms: Option<u64>,
    /// Whether a person is asked.
    pub approval: Approval,
    /// What undoes it when the chain fails later.
    pub compensate: Option<Box<CheckedStep>>,
    /// Whether its calls mostly wait for something outside this processor.
    pub waits: bool,
    /// Whether doing it twice is the same as doing it once.
    pub idempotent: bool,
    /// Whether its result is a function of arguments and seed.
    pub is_function: bool,
    /// Whether it must be the only call running.
    pub exclusive: bool,
    /// What its failure means for the others.
    pub on_error: OnError,
    /// Whether its result depends on the world, and so may hold what was found there.
    pub reads_world: bool,
    /// The seed of its random streams: from the plan's seed and its id.
    pub seed: Seed,
    /// What it may change at most.
    pub effects: &'static [Effect],
    /// What the policy says of it.
    pub permit: Permit,
    /// The resources it uses, as far as the plan tells.
    pub resources: Vec<ResourceKey>,
    /// The earlier steps whose output it uses, each once.
    pub uses: Vec<usize>,
    /// The arrays that it gives, by field, such as `array<f64>[3,n]`; those that are always there and whose tool states them.
    pub gives: Vec<(String, String)>,
    /// Digests of the plans that it may hand on, where they are known.
    pub(crate) plans: Option<Vec<String>>,
    /// Which of its arguments came from inputs: JSON pointer and reference.
    pub(crate) from_inputs: Vec<(String, String)>,
}

impl CheckedStep {
    /// Whether the plan tells everything about the call, so that it must use what it said it would.
    pub(crate) fn is_settled(&self) -> bool {
        self.map.is_none() && self.args.is_literal() && !subplan::is_chain(self.tool)
    }
}

/// A plan that may run.
#[derive(Debug, Clone)]
pub struct CheckedPlan {
    /// Its name.
    pub id: Arc<str>,
    /// Its steps, in plan order.
    pub steps: Vec<CheckedStep>,
    /// What waits for what, and the waves.
    pub graph: Graph,
    /// What it answers with, inputs filled in.
    pub outputs: Vec<(Arc<str>, Node)>,
    /// The value of every input.
    pub inputs: Value,
    /// The seed from which every step's seed derives.
    pub seed: Seed,
    /// The order that was asked for.
    pub mode_requested: Mode,
    /// The order that holds.
    pub mode_used: Mode,
    /// Why the steps run one after the other although `dep` was asked for.
    pub fallback_reason: Option<String>,
    /// Whether a wave starts only when the one before has ended.
    pub barrier: bool,
    /// Whether steps with effects may run together.
    pub parallel_mutations: bool,
    /// What a run may use at most.
    pub budget: Budget,
    /// Longest run of the whole in milliseconds.
    pub deadline_ms: Option<u64>,
    /// What is checked only when it arrives, and other remarks.
    pub notes: Vec<String>,
    /// What a failed step means where the plan does not say.
    pub on_error: OnError,
    /// The plan as a document.
    pub source: Value,
    /// Digest of the plan.
    pub digest: String,
    /// Who runs it.
    pub context: CallerContext,
    /// Inputs that a run needs and that were not given to the check: such a plan was looked at only.
    pub open_inputs: Vec<Arc<str>>,
    /// Calls of the plans within this one, as far as they are known.
    pub(crate) calls_within: usize,
    /// All calls that are known to come, and their `cost_ms` together.
    pub(crate) known_calls: usize,
    pub(crate) known_cost: u64,
    /// What keeps it from being put in order by resources.
    pub(crate) unnamed: Option<String>,
    pub(crate) index: HashMap<Arc<str>, usize>,
}

impl CheckedPlan {
    /// The position of a step, by its id.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// Whether the steps run one after the other although `dep` was asked for.
    pub fn fallback_to_seq(&self) -> bool {
        self.fallback_reason.is_some()
    }
}
