//! The check of a plan before anything runs: names, references, types, arguments, permissions, resources, order.
//!
//! [`check()`] reports every problem at once, or gives a [`CheckedPlan`]: the graph, the waves and the reasons are settled
//! then and no longer depend on anything but the plan, its inputs and the policy. Schemas are read once per tool, and every
//! pass is a loop, so that a plan of 10,000 steps is checked in a fraction of a second.

mod access;
mod args;
mod conditions;
mod extents;
mod maps;
mod step;
mod subplan;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use registry::{CallerContext, ChainPosition, Decision, Dispatcher};
use tool_core::nearest::nearest;
use tool_core::rng::derive_seed;
use tool_core::schema::Schema;
use tool_core::{AnyTool, Caller, Effect, Object, ResourceKey, Seed, ToolError, Value};

use crate::condition::Condition;
use crate::conflicts::{self, Conflicts};
use crate::graph::{Edge, Graph, Reason, shortest_cycle};
use crate::plan::{self, Approval, Budget, Mode, OnError, Plan, Retry, STEPS_MAX};
use crate::problem::{Fault, PlanProblem, Problems};
use crate::shapes::{Solver, Stated};
use crate::template::{Node, Placed};
use crate::types::{Slots, Type, Walked};

use extents::Shaped;
pub use maps::CheckedMap;
pub(crate) use maps::item_value;
pub use step::Permit;
pub(crate) use subplan::is_chain;

/// Most notes that are kept.
const NOTES_MAX: usize = 1000;
/// Most names that are looked for the nearest of; looking is the dearest part of a report.
const SUGGESTIONS_MAX: usize = 50;

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

/// Checks a plan for a caller, with the values of its inputs.
///
/// # Errors
/// Every problem, each with its JSON pointer, what was expected and the next step; line and column when it came from a text.
pub fn check(
    plan: &Plan,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    inputs: &Object,
) -> Result<CheckedPlan, Problems> {
    let mut problems = plan.faults.clone();
    let inputs = plan::settle(&plan.inputs, inputs, &mut problems);
    let mut context = context.clone();
    context.chain = Some(ChainPosition::default());
    let mut checker = Checker {
        plan,
        dispatcher,
        context,
        inputs,
        index: index(plan),
        tools: HashMap::new(),
        facts: Vec::with_capacity(plan.steps.len()),
        outputs: vec![None; plan.steps.len()],
        solver: Solver::default(),
        shaped: plan.steps.iter().map(|_| Shaped::default()).collect(),
        units: 0,
        waits: vec![Vec::new(); plan.steps.len()],
        edges: Vec::new(),
        unnamed: None,
        problems,
        notes: Vec::new(),
        suggestions: 0,
    };
    let checked = checker.run();
    let mut problems = checker.problems;
    if problems.is_empty() {
        return Ok(checked);
    }
    plan.locate(&mut problems);
    Err(problems)
}

fn index(plan: &Plan) -> HashMap<Arc<str>, usize> {
    let mut index = HashMap::with_capacity(plan.steps.len());
    for (position, step) in plan.steps.iter().enumerate() {
        index.entry(Arc::clone(&step.id)).or_insert(position);
    }
    index.remove("");
    index
}

/// What is known of a tool, once per plan.
pub(crate) struct ToolFacts<'d> {
    tool: &'d dyn AnyTool,
    input: Schema,
    slots: Slots,
    output: Type,
    shapes: Stated,
    /// The strictest verdict that could come.
    strictest: Decision,
}

struct Checker<'d> {
    plan: &'d Plan,
    dispatcher: &'d Dispatcher,
    context: CallerContext,
    inputs: Value,
    index: HashMap<Arc<str>, usize>,
    tools: HashMap<Arc<str>, Option<Rc<ToolFacts<'d>>>>,
    /// By step; `None` where the tool is not known or not allowed.
    facts: Vec<Option<Rc<ToolFacts<'d>>>>,
    /// By step, the type of what it gives.
    outputs: Vec<Option<Type>>,
    /// Extents of arrays, of all steps so far.
    solver: Solver,
    /// By step, what is known of the arrays it gives.
    shaped: Vec<Shaped>,
    /// Calls that are known to come: steps, and elements of lists that the plan holds.
    units: usize,
    /// By step, the steps it waits for, later ones included.
    waits: Vec<Vec<usize>>,
    edges: Vec<Edge>,
    /// The first step whose resources the plan does not tell, and why that matters.
    unnamed: Option<String>,
    problems: Problems,
    notes: Vec<String>,
    suggestions: usize,
}

impl<'d> Checker<'d> {
    fn run(&mut self) -> CheckedPlan {
        let plan = self.plan;
        for position in 0..plan.steps.len() {
            let pointer = format!("/steps/{position}/tool");
            let facts = self.facts_of(&plan.steps[position].tool, &pointer);
            self.facts.push(facts);
        }
        let mut steps = Vec::with_capacity(plan.steps.len());
        for position in 0..plan.steps.len() {
            let step = self.step(position);
            steps.push(step);
            self.after(position);
        }
        let outputs = self.outputs();
        if self.problems.is_empty() {
            self.gives(&mut steps);
        }
        self.counted();
        self.cycles();
        self.order(&steps);
        let fallback_reason = self
            .unnamed
            .take()
            .filter(|_| plan.mode_requested() == Mode::Dep);
        CheckedPlan {
            id: Arc::clone(&plan.id),
            graph: match self.problems.is_empty() {
                true => Graph::new(steps.len(), std::mem::take(&mut self.edges)),
                false => Graph::default(),
            },
            steps,
            outputs,
            inputs: self.inputs.clone(),
            seed: plan.seed,
            mode_requested: plan.mode_requested(),
            mode_used: match &fallback_reason {
                Some(_) => Mode::Seq,
                None => plan.mode_requested(),
            },
            fallback_reason,
            barrier: plan.barrier,
            parallel_mutations: plan.parallel_mutations(),
            budget: plan.budget,
            deadline_ms: plan.deadline_ms,
            notes: std::mem::take(&mut self.notes),
            on_error: plan.defaults.on_error,
            source: plan.source.clone(),
            digest: plan.digest.clone(),
            context: self.context.clone(),
            index: std::mem::take(&mut self.index),
        }
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < NOTES_MAX {
            self.notes.push(note);
        }
    }

    /// The tool of a step; what keeps it out is reported for every step that names it.
    fn facts_of(&mut self, name: &Arc<str>, pointer: &str) -> Option<Rc<ToolFacts<'d>>> {
        if name.is_empty() {
            return None; // reported as missing
        }
        if let Some(Some(facts)) = self.tools.get(name) {
            return Some(Rc::clone(facts));
        }
        match self.dispatcher.resolve(name, &self.context) {
            Ok(tool) if tool.spec().callers.contains(&Caller::Chain) => {
                let (input, output) = (tool.input_schema(), tool.output_schema());
                let facts = Rc::new(ToolFacts {
                    tool,
                    shapes: Stated::of(&input, &output).unwrap_or_default(),
                    input,
                    slots: Slots::default(),
                    output: Type::of_schema(&output),
                    strictest: self.dispatcher.preview(tool, None, &self.context),
                });
                self.tools.insert(Arc::clone(name), Some(Rc::clone(&facts)));
                Some(facts)
            }
            Ok(tool) => {
                let blocked = blocked(pointer, tool.spec().id);
                self.problems.push(blocked);
                None
            }
            Err(err) => {
                let problem = self.refused(pointer, name, &err);
                self.problems.push(problem);
                None
            }
        }
    }

    /// A tool that a direct caller sees and a chain does not is blocked; anything else is what the registry says.
    fn refused(&self, pointer: &str, name: &str, err: &ToolError) -> PlanProblem {
        let direct = CallerContext {
            chain: None,
            ..self.context.clone()
        };
        if let Ok(tool) = self.dispatcher.resolve(name, &direct)
            && !tool.spec().callers.contains(&Caller::Chain)
        {
            return blocked(pointer, tool.spec().id);
        }
        let fault = match err.code() {
            tool_core::ErrorCode::UnknownTool => Fault::UnknownTool,
            _ => Fault::Policy,
        };
        PlanProblem {
            hint: err.hint_str().map(str::to_owned),
            ..PlanProblem::new(fault, pointer, err.message())
        }
    }

    /// The nearest name among steps and `inputs`, a limited number of times.
    fn nearest_step(&mut self, name: &str) -> Option<String> {
        self.suggestions += 1;
        if self.suggestions > SUGGESTIONS_MAX {
            return None;
        }
        let close = |id: &&str| id.len().abs_diff(name.len()) <= name.len() / 3 + 1;
        let ids = self
            .plan
            .steps
            .iter()
            .map(|step| &*step.id)
            .filter(|id| !id.is_empty());
        nearest(name, ids.chain(["inputs"]).filter(close)).map(str::to_owned)
    }

    /// The step a reference or `after` means, when it comes before `user` (or `user` is none: the outputs of the plan).
    fn target(&mut self, id: &str, user: Option<usize>, pointer: &str) -> Option<usize> {
        let Some(&target) = self.index.get(id) else {
            let problem = match id {
                "item" | "index" => PlanProblem::new(
                    Fault::ReferenceStep,
                    pointer,
                    format_args!("`{id}` has a meaning only in the arguments of a step with `map`"),
                ),
                _ => {
                    let near = self.nearest_step(id);
                    PlanProblem::new(
                        Fault::ReferenceStep,
                        pointer,
                        format_args!("no step has the id `{id}`"),
                    )
                    .near(near.as_deref())
                }
            };
            self.problems.push(problem);
            return None;
        };
        let Some(user) = user else {
            return Some(target);
        };
        self.waits[user].push(target);
        (target < user).then_some(target) // others are reported with the cycles
    }

    fn after(&mut self, position: usize) {
        let plan = self.plan;
        for (number, id) in plan.steps[position].after.iter().enumerate() {
            let pointer = format!("/steps/{position}/after/{number}");
            if let Some(from) = self.target(id, Some(position), &pointer) {
                self.edges.push(Edge {
                    from,
                    to: position,
                    reason: Reason::After,
                });
            }
        }
    }

    /// What a reference to a step gives; `None` when that is reported here or before.
    fn walked(&mut self, target: usize, placed: &Placed) -> Option<Walked> {
        let facts = self.facts[target].clone()?;
        let output = self.outputs[target].clone()?;
        match output.walk(placed.reference.segments()) {
            Ok(walked) => Some(walked),
            Err(end) => {
                let reference = &placed.reference;
                let reached = reference.prefix(end.followed);
                let part = reference.segments()[end.followed].to_string();
                let known = end.known.iter().map(|name| &**name);
                let near = part.strip_prefix('.').and_then(|part| nearest(part, known));
                let problem = PlanProblem::new(
                    Fault::ReferenceField,
                    placed.pointer.as_str(),
                    format_args!(
                        "`{reference}`: `{reached}` of `{}` gives {}, which has no `{part}`",
                        facts.tool.spec().id,
                        end.found
                    ),
                )
                .near(near);
                self.problems.push(problem);
                None
            }
        }
    }

    /// The value of a reference to an input; `None` for references to steps and inputs that are reported as missing.
    fn input(&self, placed: &Placed) -> Result<Option<Value>, PlanProblem> {
        let reference = &placed.reference;
        if reference.root() != "inputs" {
            return Ok(None);
        }
        match reference.resolve(&self.inputs) {
            Ok(Value::Null) if placed.default.is_some() => Ok(placed.default.clone()),
            Ok(value) => Ok(Some(value)),
            Err(_) if placed.default.is_some() => Ok(placed.default.clone()),
            Err(missing) => {
                let asked = reference
                    .segments()
                    .first()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                let name = asked.trim_start_matches('.');
                if self.plan.input(name).is_some() && reference.segments().len() == 1 {
                    return Ok(None); // declared, and reported as not given
                }
                let known = self.plan.inputs.iter().map(|input| &*input.name);
                Err(PlanProblem::new(
                    Fault::ReferenceField,
                    placed.pointer.as_str(),
                    format_args!(
                        "`{reference}`: {} (at `{}`)",
                        missing.message, missing.reached
                    ),
                )
                .near(nearest(name, known)))
            }
        }
    }

    /// Fills inputs in; which arguments came from them is kept for messages.
    fn bind_inputs(&mut self, node: &Node, base: &str) -> (Node, Vec<(String, String)>) {
        let mut origins = Vec::new();
        let mut faults = Vec::new();
        let bound = node.bind(&mut |placed| match self.input(placed) {
            Ok(value) => {
                if value.is_some() {
                    let pointer = placed.pointer.strip_prefix(base).unwrap_or_default();
                    origins.push((pointer.to_owned(), placed.reference.to_string()));
                }
                Ok(value)
            }
            Err(fault) => {
                faults.push(fault);
                Ok(None)
            }
        });
        faults
            .into_iter()
            .for_each(|fault| self.problems.push(fault));
        match bound {
            Ok(bound) => (bound, origins),
            Err(err) => {
                self.problems
                    .push(PlanProblem::new(Fault::Limit, base, err.message()));
                (node.clone(), origins)
            }
        }
    }

    fn outputs(&mut self) -> Vec<(Arc<str>, Node)> {
        let plan = self.plan;
        let mut outputs = Vec::with_capacity(plan.outputs.len());
        for (name, node) in &plan.outputs {
            let (bound, _) = self.bind_inputs(node, "/outputs");
            let mut references = Vec::new();
            bound.for_each_reference(&mut |placed| references.push(Arc::clone(placed)));
            for placed in references
                .iter()
                .filter(|placed| placed.reference.root() != "inputs")
            {
                if let Some(target) = self.target(placed.reference.root(), None, &placed.pointer) {
                    let _ = self.walked(target, placed);
                    self.guarded(target, &[], placed, "the output");
                }
            }
            outputs.push((Arc::clone(name), bound));
        }
        outputs
    }

    /// Holds the number of calls that are known to come against the limit and the plan's own budget.
    fn counted(&mut self) {
        let (found, asked) = (self.units, self.plan.budget.steps);
        if found > STEPS_MAX {
            self.problems.push(PlanProblem::new(
                Fault::Limit,
                "/steps",
                format_args!(
                    "a plan has at most {STEPS_MAX} steps, elements of maps counted; found {found}"
                ),
            ));
        } else if let Some(most) = asked.filter(|&most| found as u64 > most) {
            self.problems.push(
                PlanProblem::new(
                    Fault::Budget,
                    "/budget/steps",
                    format_args!("the plan has {found} calls, its budget allows {most}"),
                )
                .hint("raise `budget.steps`, or leave steps out"),
            );
        }
    }

    /// Reports one shortest cycle, and every wait for a step that comes later and is on no cycle that is shown.
    fn cycles(&mut self) {
        let cycle = shortest_cycle(&self.waits).unwrap_or_default();
        if let Some(&first) = cycle.first() {
            let ids: Vec<&str> = cycle
                .iter()
                .chain([&first])
                .map(|&step| &*self.plan.steps[step].id)
                .collect();
            let message = match ids.len() {
                2 => format!("`{}` uses its own output", ids[0]),
                3..=22 => format!("steps wait for each other: {}", ids.join(" -> ")),
                more => format!(
                    "{} steps wait for each other: {} -> ...",
                    more - 1,
                    ids[..20].join(" -> ")
                ),
            };
            self.problems.push(
                PlanProblem::new(Fault::Cycle, format!("/steps/{first}"), message)
                    .hint("a step uses earlier steps only; break the circle"),
            );
        }
        let mut on_cycle = vec![false; self.waits.len()];
        cycle.iter().for_each(|&step| on_cycle[step] = true);
        let mut reports = Vec::new();
        for (step, waits) in self.waits.iter().enumerate() {
            for &later in waits.iter().filter(|&&later| later >= step) {
                if on_cycle[step] && on_cycle[later] {
                    continue;
                }
                let (id, other) = (&self.plan.steps[step].id, &self.plan.steps[later].id);
                reports.push(
                    PlanProblem::new(
                        Fault::ReferenceStep,
                        format!("/steps/{step}"),
                        format_args!("`{id}` waits for `{other}`, which comes later"),
                    )
                    .hint(format_args!("move `{other}` before `{id}`")),
                );
            }
        }
        reports
            .into_iter()
            .for_each(|report| self.problems.push(report));
    }

    /// Edges that keep an order: conflicts of resources, steps with effects, steps that run alone.
    fn order(&mut self, steps: &[CheckedStep]) {
        let mut conflicts = Conflicts::default();
        let mut last_effect: Option<usize> = None;
        let mut alone: Option<usize> = None;
        let mut since: Vec<usize> = Vec::new();
        for (position, step) in steps.iter().enumerate() {
            conflicts.step(position, &step.resources);
            let mut edge = |from: usize, reason: Reason| {
                self.edges.push(Edge {
                    from,
                    to: position,
                    reason,
                });
            };
            if !step.effects.is_empty() && !self.plan.parallel_mutations() {
                if let Some(from) = last_effect {
                    edge(from, Reason::Mutations);
                }
                last_effect = Some(position);
            }
            if let Some(from) = alone {
                edge(from, Reason::Exclusive);
            }
            if step.exclusive {
                since
                    .drain(..)
                    .for_each(|from| edge(from, Reason::Exclusive));
                alone = Some(position);
            } else {
                since.push(position);
            }
        }
        match conflicts.finish() {
            Some(found) => self.edges.extend(found.into_iter().map(|conflict| Edge {
                from: conflict.from,
                to: conflict.to,
                reason: Reason::Conflict {
                    resource: conflict.resource,
                    from_writes: conflict.from_writes,
                },
            })),
            None => {
                self.unnamed.get_or_insert(format!(
                    "the steps have more than {} conflicts of resources",
                    conflicts::EDGES_MAX
                ));
            }
        }
    }

    fn seed(&self, id: &str) -> Seed {
        item_seed(self.plan.seed, id, 0)
    }
}

/// The seed of one call: from the plan's, the step's id and the element's index.
pub(crate) fn item_seed(seed: Seed, id: &str, index: u64) -> Seed {
    Seed::new(derive_seed(seed.get(), id, index))
}

fn blocked(pointer: &str, tool: &str) -> PlanProblem {
    PlanProblem::new(
        Fault::BlockedTool,
        pointer,
        format_args!("`{tool}` may not be in a plan: it does not list `chain` among its callers"),
    )
    .hint(format_args!("call `{tool}` directly"))
}
