//! The check of a plan before anything runs: names, references, types, arguments, permissions, resources, order.
//!
//! [`check_plan()`] reports every problem at once, or gives a [`CheckedPlan`]: the graph, the waves and the reasons are settled
//! then and no longer depend on anything but the plan, its inputs and the policy. Schemas are read once per tool, and every
//! pass is a loop, so that a plan of 10,000 steps is checked in a fraction of a second.

mod access;
mod args;
mod checked;
mod checker;
mod conditions;
mod extents;
mod maps;
mod order;
mod permit;
mod references;
mod step;
mod subplan;
mod taint;
mod tools;

use std::collections::HashMap;
use std::sync::Arc;

use registry::{CallerContext, ChainPosition, Dispatcher};
use tool_core::Object;
use tool_core::nearest::nearest_name;

use crate::graph::{EdgeReason, PlanEdge, PlanGraph};
use crate::plan::{self, InputBindings, Mode, Plan};
use crate::problem::{PlanProblems, problem};
use crate::script;
use crate::shapes::ShapeSolver;
use crate::template::{ArgumentNode, PlacedReference};
use crate::types::ReferenceTarget;

pub(crate) use checked::is_chain;
pub use checked::{CheckedPlan, CheckedStep, StepPermit};
pub(crate) use checker::item_seed;
use checker::{CheckContext, NOTES_MAX, PlanChecker, PlanFindings, SUGGESTIONS_MAX, StepShapes};
pub(crate) use maps::item_value;
pub(crate) use subplan::read_subplan;

/// Purpose of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckMode {
    /// Before a run: every required input must be given.
    Run,
    /// For inspection: missing inputs are checked by their types, and the result must not be run.
    Inspect,
    /// Before a run is resumed: files that completed steps read need not exist any more.
    Resume,
}

/// Checks a plan for a caller, with the values of its inputs.
///
/// # Errors
/// Every problem, each with its JSON pointer, what was expected and the next step; line and column when it came from a text.
pub fn check_plan(
    plan: &Plan,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    inputs: &Object,
    mode: CheckMode,
) -> Result<CheckedPlan, PlanProblems> {
    let given = InputBindings {
        values: inputs.clone(),
        may_miss: mode == CheckMode::Inspect,
        ..InputBindings::default()
    };
    let how = CheckContext {
        around: vec![(Arc::clone(&plan.id), plan.digest.clone())],
        resumes: mode == CheckMode::Resume,
        taints: HashMap::new(),
    };
    check_within(plan, dispatcher, context, given, how)
}

fn check_within(
    plan: &Plan,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    given: InputBindings,
    how: CheckContext,
) -> Result<CheckedPlan, PlanProblems> {
    let mut problems = plan.faults.clone();
    let (inputs, open_inputs) = plan::settle_inputs(&plan.inputs, &given, &mut problems);
    let mut context = context.clone();
    context.chain = Some(ChainPosition::default());
    let mut checker = PlanChecker {
        plan,
        dispatcher,
        context,
        inputs,
        open_inputs,
        how,
        index: index(plan),
        tools: HashMap::new(),
        facts: Vec::with_capacity(plan.steps.len()),
        outputs: vec![None; plan.steps.len()],
        solver: ShapeSolver::default(),
        shaped: plan.steps.iter().map(|_| StepShapes::default()).collect(),
        waits: vec![Vec::new(); plan.steps.len()],
        problems,
        found: PlanFindings::default(),
    };
    let checked = checker.run();
    let mut problems = checker.problems;
    if problems.is_empty() {
        return Ok(checked);
    }
    problems.without_followers(&plan.faults);
    plan.locate(&mut problems);
    Err(problems)
}

fn index(plan: &Plan) -> HashMap<Arc<str>, usize> {
    let mut index = HashMap::with_capacity(plan.steps.len());
    let steps = plan.steps.iter().enumerate().rev();
    index.extend(steps.map(|(position, step)| (Arc::clone(&step.id), position)));
    index.remove("");
    index
}

impl<'d> PlanChecker<'d> {
    fn run(&mut self) -> CheckedPlan {
        let plan = self.plan;
        for position in 0..plan.steps.len() {
            let pointer = format!("/steps/{position}/tool");
            let facts = self.facts_of(&plan.steps[position].tool, &pointer);
            self.facts.push(facts);
        }
        let mut written = plan.clone();
        written.outputs.clear();
        let mut steps = Vec::with_capacity(plan.steps.len());
        for (position, step) in std::mem::take(&mut written.steps).into_iter().enumerate() {
            let step = self.step(position, step);
            self.found.written.add(&step);
            steps.push(step);
            self.after(position);
        }
        let outputs = self.outputs();
        if self.problems.is_empty() {
            self.record_shapes(&mut steps);
        }
        self.check_quota();
        self.cycles();
        self.order(&steps);
        let unnamed = self.found.unnamed.take();
        let fallback_reason = unnamed
            .clone()
            .filter(|_| plan.mode_requested() == Mode::Dep);
        let mut open_inputs: Vec<Arc<str>> = self.open_inputs.keys().cloned().collect();
        open_inputs.sort_unstable();
        CheckedPlan {
            plan: written,
            graph: match self.problems.is_empty() {
                true => PlanGraph::new(steps.len(), std::mem::take(&mut self.found.edges)),
                false => PlanGraph::default(),
            },
            steps,
            outputs,
            inputs: self.inputs.clone(),
            mode_used: fallback_reason
                .as_ref()
                .map_or(plan.mode_requested(), |_| Mode::Seq),
            fallback_reason,
            notes: std::mem::take(&mut self.found.notes),
            context: self.context.clone(),
            open_inputs,
            calls_within: self.found.within.0,
            known_calls: self.found.units + self.found.within.0,
            known_cost: self.found.cost.saturating_add(self.found.within.1),
            unnamed,
            index: std::mem::take(&mut self.index),
        }
    }

    fn note(&mut self, note: String) {
        if self.found.notes.len() < NOTES_MAX {
            self.found.notes.push(note);
        }
    }

    /// The nearest name among steps and `inputs`, a limited number of times.
    fn nearest_step(&mut self, name: &str) -> Option<String> {
        self.found.suggestions += 1;
        if self.found.suggestions > SUGGESTIONS_MAX {
            return None;
        }
        let close = |id: &&str| id.len().abs_diff(name.len()) <= name.len() / 3 + 1;
        let ids = self.plan.steps.iter().map(|step| &*step.id);
        let ids = ids.filter(|id| !id.is_empty()).chain(["inputs"]);
        nearest_name(name, ids.filter(close)).map(str::to_owned)
    }

    /// The step that a reference or `after` names, if it precedes `user`; `None` as `user` stands for the outputs of the plan.
    fn target(&mut self, id: &str, user: Option<usize>, pointer: &str) -> Option<usize> {
        if self.is_undefined_name(id) {
            return None;
        }
        let Some(&target) = self.index.get(id) else {
            let problem = match id {
                "item" | "index" => problem!(ReferenceStep, pointer;
                    "`{id}` is defined only in the arguments of a step with `map`"),
                _ => {
                    let near = self.nearest_step(id);
                    problem!(ReferenceStep, pointer, "no step has the id `{id}`")
                        .near(near.as_deref())
                }
            };
            self.report(problem);
            return None;
        };
        let Some(user) = user else {
            return Some(target);
        };
        self.waits[user].push(target);
        (target < user).then_some(target) // later ones are reported with the cycles
    }

    /// Whether an id stands for an undefined name of a script, which is reported with the script.
    fn is_undefined_name(&self, id: &str) -> bool {
        id == script::UNKNOWN && self.plan.is_script && !self.plan.faults.is_empty()
    }

    fn after(&mut self, position: usize) {
        let plan = self.plan;
        for (number, id) in plan.steps[position].after.iter().enumerate() {
            let pointer = format!("/steps/{position}/after/{number}");
            if let Some(from) = self.target(id, Some(position), &pointer) {
                let (to, reason) = (position, EdgeReason::After);
                self.found.edges.push(PlanEdge { from, to, reason });
            }
        }
    }

    /// Type of a reference to a step; `None` where a problem is reported.
    fn walked(&mut self, target: usize, placed: &PlacedReference) -> Option<ReferenceTarget> {
        let facts = self.facts[target].clone()?;
        let output = self.outputs[target].clone()?;
        let segments = placed.reference.segments();
        match output.walk(segments) {
            Ok(walked) => Some(ReferenceTarget {
                there: facts.condition(segments).map(ToString::to_string),
                ..walked
            }),
            Err(end) => {
                let reference = &placed.reference;
                let (reached, part) = end.last_of(reference);
                let known = end.known.iter().map(|name| &**name);
                let near = part
                    .strip_prefix('.')
                    .and_then(|part| nearest_name(part, known));
                let (tool, found) = (facts.tool.spec().id, end.found);
                let problem = problem!(ReferenceField, &placed.pointer;
                    "`{reference}`: `{reached}` of `{tool}` gives {found}, which has no `{part}`");
                self.report(problem.near(near));
                None
            }
        }
    }

    fn outputs(&mut self) -> Vec<(Arc<str>, ArgumentNode)> {
        let plan = self.plan;
        let mut outputs = Vec::with_capacity(plan.outputs.len());
        for (name, node) in &plan.outputs {
            let (bound, _) = self.bind_inputs(node, "/outputs");
            let references = bound.references().into_iter();
            for placed in references.filter(|placed| placed.reference.root() != "inputs") {
                if let Some(target) = self.target(placed.reference.root(), None, &placed.pointer) {
                    let _ = self.walked(target, placed);
                    self.guarded(target, &[], placed, "the output");
                }
            }
            outputs.push((Arc::clone(name), bound));
        }
        outputs
    }
}
