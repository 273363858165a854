//! The result of a check: steps and a plan that may run.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use registry::{CallerContext, Verdict};
use tool_core::{Effect, RandomSeed, ResourceKey, Value};

use crate::graph::PlanGraph;
use crate::plan::{Mode, OnError, Place, Plan, PlanStep};
use crate::template::ArgumentNode;

/// The tool that runs a plan.
pub(super) const TOOL: &str = "chain_run";
/// Whether the tool runs a plan.
pub(crate) fn is_chain(tool: &str) -> bool {
    tool == TOOL
}

/// Verdict of the policy on a step before it runs; the policy decides again when the step is called.
#[derive(Debug, Clone, PartialEq)]
pub struct StepPermit {
    /// The verdict.
    pub verdict: Verdict,
    /// The layer that decided.
    pub layer: String,
    /// Reason that the layer gives; may be empty.
    pub reason: String,
    /// Whether no value that is still unknown could change the verdict.
    pub certain: bool,
}

impl StepPermit {
    /// The layer, and its reason where it gives one.
    pub(crate) fn why(&self) -> String {
        let reason = Some(&self.reason).filter(|reason| !reason.is_empty());
        reason.map_or_else(
            || self.layer.clone(),
            |reason| format!("{}: {reason}", self.layer),
        )
    }
}

/// The permit of a step whose tool is not known.
impl Default for StepPermit {
    fn default() -> Self {
        Self {
            verdict: Verdict::Deny,
            layer: String::new(),
            reason: String::new(),
            certain: false,
        }
    }
}

/// A step that may run: as written, with the inputs filled in, and what the check found out about it.
#[derive(Debug, Clone, Default)]
pub struct CheckedStep {
    /// The step; inputs are filled in.
    pub step: PlanStep,
    /// Canonical name of its tool.
    pub tool: &'static str,
    /// Version of the tool's contract.
    pub tool_version: u32,
    /// Call that undoes it when the run fails later.
    pub compensate: Option<Box<CheckedStep>>,
    /// Whether calling it twice has the same effect as calling it once.
    pub idempotent: bool,
    /// Whether its result is a function of arguments and seed.
    pub is_function: bool,
    /// Whether another process may compute it: the tool is built in, has no effects and no capabilities, and depends on nothing else.
    pub is_movable: bool,
    /// Whether it must be the only call running.
    pub exclusive: bool,
    /// Effect of its failure on the others.
    pub on_error: OnError,
    /// Whether its result depends on the outside world: its calls mostly wait, and the result may contain secrets found there.
    pub reads_world: bool,
    /// Seed of its random streams: from the plan's seed and its id.
    pub seed: RandomSeed,
    /// Most effects that it may have.
    pub effects: &'static [Effect],
    /// Verdict of the policy.
    pub permit: StepPermit,
    /// Resources that it uses, as far as they are known.
    pub resources: Vec<ResourceKey>,
    /// Earlier steps whose output it uses, each once.
    pub uses: Vec<usize>,
    /// Shapes of the arrays in its result, by field, such as `array<f64>[3,n]`; those that are always present and stated by the tool.
    pub gives: Vec<(String, String)>,
    /// Digests of the plans that it may run, where they are known.
    pub(crate) plans: Option<Vec<String>>,
    /// Arguments that came from inputs: JSON pointer and reference.
    pub(crate) from_inputs: Vec<(String, String)>,
}

impl Deref for CheckedStep {
    type Target = PlanStep;

    fn deref(&self) -> &PlanStep {
        &self.step
    }
}

impl CheckedStep {
    /// Whether the call is completely known, so that it must use the resources that the check found.
    pub(crate) fn is_settled(&self) -> bool {
        self.map.is_none() && self.args.is_literal() && !is_chain(self.tool)
    }

    /// Whether an engine computes its calls where there is one: those of a map unless it says otherwise, others where it asks for it.
    pub(crate) fn may_leave(&self) -> bool {
        self.is_movable
            && match self.place {
                Some(Place::Local) => false,
                Some(Place::Prefer | Place::Require) => true,
                None => self.map.is_some(),
            }
    }

    /// Whether it waits for an approval before it runs.
    pub fn needs_approval(&self) -> bool {
        self.permit.verdict == Verdict::Ask
    }
}

/// A plan that may run.
#[derive(Debug, Clone)]
pub struct CheckedPlan {
    /// The plan as written; its steps and outputs are moved to those of this struct.
    pub plan: Plan,
    /// Its steps, in plan order.
    pub steps: Vec<CheckedStep>,
    /// Dependencies and waves.
    pub graph: PlanGraph,
    /// Its outputs, inputs filled in.
    pub outputs: Vec<(Arc<str>, ArgumentNode)>,
    /// Value of every input.
    pub inputs: Value,
    /// Order in which the steps run.
    pub mode_used: Mode,
    /// Why the steps run one after the other although `dep` was requested.
    pub fallback_reason: Option<String>,
    /// Remarks, such as values that are checked only when they arrive.
    pub notes: Vec<String>,
    /// The caller of the run.
    pub context: CallerContext,
    /// Required inputs that were not given: such a plan is for inspection and must not run.
    pub open_inputs: Vec<Arc<str>>,
    /// Number of calls in the plans that it runs, as far as they are known.
    pub(crate) calls_within: usize,
    /// Number of all calls that are known in advance.
    pub(crate) known_calls: usize,
    /// Their `cost_ms` together.
    pub(crate) known_cost: u64,
    /// Why it cannot be ordered by resources.
    pub(crate) unnamed: Option<String>,
    pub(crate) index: HashMap<Arc<str>, usize>,
}

impl Deref for CheckedPlan {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        &self.plan
    }
}

impl CheckedPlan {
    /// The position of a step, by its id.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// Whether a wave starts only when the one before has ended.
    pub(crate) fn has_barriers(&self) -> bool {
        self.barrier && self.mode_used == Mode::Dep
    }

    /// The calls of all steps and their compensations.
    pub(crate) fn calls_of_steps(&self) -> impl Iterator<Item = &CheckedStep> {
        self.steps
            .iter()
            .flat_map(|step| std::iter::once(step).chain(step.compensate.as_deref()))
    }

    /// Whether the steps run one after the other although `dep` was requested.
    pub fn fallback_to_seq(&self) -> bool {
        self.fallback_reason.is_some()
    }
}
