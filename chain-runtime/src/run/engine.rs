//! The state of a running plan: who is ready, who ended how, which values are still needed. No threads, no time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use registry::Dispatcher;
use tool_core::{ErrorCode, Source, StopFlag, ToolError, Value};

use super::finished::{Finished, StepStatus};
use crate::check::{CheckedPlan, CheckedStep};
use crate::plan::{Mode, OnError};
use crate::reference::Missing;
use crate::template::{Node, Placed};

/// What a worker does next.
pub(super) enum Task {
    /// Call the step.
    Run(usize),
    /// Enter that the step does not run.
    Settle(usize, Box<Finished>),
}

/// What is left when every step has ended.
pub(super) struct Parts {
    /// How every step ended by plan order.
    pub(super) settled: Vec<Finished>,
    /// How every step really ended.
    pub(super) real: Vec<Finished>,
    /// The parts the plan answers with, by the text of their references.
    pub(super) outputs: HashMap<String, Result<Value, Missing>>,
}

/// The state of a running plan.
pub(super) struct Engine<'a> {
    plan: &'a CheckedPlan,
    /// Ready steps: longest way first, then plan order.
    ready: BinaryHeap<(usize, Reverse<usize>)>,
    /// By step, how many it still waits for.
    waiting: Vec<u32>,
    /// By wave, how many of its steps have not ended; used by barriers.
    open_in_wave: Vec<usize>,
    wave: usize,
    /// Steps of later waves that are ready but held back by the barrier.
    held: Vec<Vec<usize>>,
    ends: Vec<Option<Finished>>,
    values: Vec<Option<Value>>,
    /// By step, how many later steps still need its value.
    needed: Vec<u32>,
    /// By step, the references of the plan's outputs into it.
    asked: Vec<Vec<usize>>,
    output_references: Vec<std::sync::Arc<Placed>>,
    output_values: HashMap<String, Result<Value, Missing>>,
    /// Lowest step whose failure ends the chain; steps after it do not start.
    stop_at: usize,
    left: usize,
}

impl<'a> Engine<'a> {
    pub(super) fn new(plan: &'a CheckedPlan) -> Self {
        let count = plan.steps.len();
        let waves = (0..count)
            .map(|step| plan.graph.wave(step) + 1)
            .max()
            .unwrap_or(0);
        let mut engine = Self {
            plan,
            ready: BinaryHeap::new(),
            waiting: (0..count)
                .map(|step| plan.graph.before(step).len() as u32)
                .collect(),
            open_in_wave: vec![0; waves],
            wave: 0,
            held: vec![Vec::new(); waves],
            ends: (0..count).map(|_| None).collect(),
            values: vec![None; count],
            needed: vec![0; count],
            asked: vec![Vec::new(); count],
            output_references: Vec::new(),
            output_values: HashMap::new(),
            stop_at: usize::MAX,
            left: count,
        };
        for (position, step) in plan.steps.iter().enumerate() {
            engine.open_in_wave[plan.graph.wave(position)] += 1;
            step.uses.iter().for_each(|&used| engine.needed[used] += 1);
        }
        for (_, node) in &plan.outputs {
            node.for_each_reference(&mut |placed| {
                engine.output_references.push(std::sync::Arc::clone(placed))
            });
        }
        for (number, placed) in engine.output_references.iter().enumerate() {
            if let Some(step) = plan.position(placed.reference.root()) {
                engine.asked[step].push(number);
            }
        }
        if plan.mode_used == Mode::Seq {
            // Plan order is a topological order, so each step waits for nothing but the one before it.
            engine
                .waiting
                .iter_mut()
                .enumerate()
                .for_each(|(step, waiting)| *waiting = u32::from(step > 0));
        }
        for step in 0..count {
            if engine.waiting[step] == 0 {
                engine.offer(step);
            }
        }
        engine
    }

    /// Whether every step has ended.
    pub(super) fn is_finished(&self) -> bool {
        self.left == 0
    }

    /// How many steps could be taken now.
    pub(super) fn ready_count(&self) -> usize {
        self.ready.len()
    }

    /// The next thing to do; none while all that is left waits for steps that run.
    pub(super) fn next(&mut self, stop: &StopFlag) -> Option<Task> {
        let (_, Reverse(position)) = self.ready.pop()?;
        if let Err(why) = stop.check() {
            return Some(Task::Settle(position, Box::new(Finished::cancelled(why))));
        }
        if position > self.stop_at {
            return Some(Task::Settle(
                position,
                Box::new(Finished::not_run(self.stop_at)),
            ));
        }
        if let Some(cause) = self.obstacle(position) {
            return Some(Task::Settle(position, Box::new(Finished::skipped(cause))));
        }
        Some(Task::Run(position))
    }

    /// The values a step uses; none for a step that gave none.
    pub(super) fn take_values(&self, position: usize) -> HashMap<usize, Option<Value>> {
        let uses = &self.plan.steps[position].uses;
        uses.iter()
            .map(|&used| (used, self.values[used].clone()))
            .collect()
    }

    /// The failed step because of which a step has no meaning.
    fn obstacle(&self, position: usize) -> Option<usize> {
        obstacle(self.plan, position, &|step| self.ends[step].as_ref())
    }

    /// Enters how a step ended, and gives back the values nobody needs any more.
    pub(super) fn settle(&mut self, position: usize, mut end: Finished) -> Vec<Value> {
        let step = &self.plan.steps[position];
        if matches!(end.status, StepStatus::Failed | StepStatus::Denied)
            && step.on_error == OnError::FailChain
        {
            self.stop_at = self.stop_at.min(position);
        }
        let mut dropped = Vec::new();
        if let Some(value) = end.output.take() {
            self.answer(position, &value);
            if self.needed[position] > 0 {
                self.values[position] = Some(value);
            } else {
                dropped.push(value);
            }
        }
        for &used in &step.uses {
            self.needed[used] -= 1;
            if self.needed[used] == 0 {
                dropped.extend(self.values[used].take());
            }
        }
        self.ends[position] = Some(end);
        self.left -= 1;
        self.release(position);
        dropped
    }

    /// Keeps the parts of a value that the plan answers with.
    fn answer(&mut self, position: usize, value: &Value) {
        for &number in &self.asked[position] {
            let reference = &self.output_references[number].reference;
            let part = reference.resolve(value);
            self.output_values.insert(reference.to_string(), part);
        }
    }

    fn release(&mut self, position: usize) {
        if self.plan.mode_used == Mode::Seq {
            if position + 1 < self.waiting.len() {
                self.offer(position + 1);
            }
            return;
        }
        self.open_in_wave[self.plan.graph.wave(position)] -= 1;
        for &follower in self.plan.graph.followers(position) {
            let follower = follower as usize;
            self.waiting[follower] -= 1;
            if self.waiting[follower] == 0 {
                self.offer(follower);
            }
        }
        while self.plan.barrier
            && self.wave + 1 < self.open_in_wave.len()
            && self.open_in_wave[self.wave] == 0
        {
            self.wave += 1;
            for step in std::mem::take(&mut self.held[self.wave]) {
                self.offer(step);
            }
        }
    }

    fn offer(&mut self, step: usize) {
        let wave = self.plan.graph.wave(step);
        let barrier = self.plan.barrier && self.plan.mode_used == Mode::Dep;
        if barrier && wave > self.wave {
            self.held[wave].push(step);
        } else {
            self.ready
                .push((self.plan.graph.priority(step), Reverse(step)));
        }
    }

    /// How every step ended by plan order, how it really ended, and the parts the plan answers with.
    pub(super) fn into_parts(self) -> Parts {
        let real: Vec<Finished> = self
            .ends
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect();
        let mut settled: Vec<Finished> = Vec::with_capacity(real.len());
        for (position, end) in real.iter().enumerate() {
            let by_order = if position <= self.stop_at || end.status == StepStatus::Cancelled {
                end.clone()
            } else {
                match obstacle(self.plan, position, &|step| settled.get(step)) {
                    Some(cause) => Finished::skipped(cause),
                    None => Finished::not_run(self.stop_at),
                }
            };
            settled.push(by_order);
        }
        Parts {
            settled,
            real,
            outputs: self.output_values,
        }
    }
}

/// The failed step because of which a step has no meaning: it depends on it, and that step's `on_error` does not let it run.
/// A skipped step stands for the step that is its cause.
fn obstacle<'e>(
    plan: &CheckedPlan,
    position: usize,
    end: &dyn Fn(usize) -> Option<&'e Finished>,
) -> Option<usize> {
    let mut cause: Option<usize> = None;
    let mut seen: Option<usize> = None;
    for edge in plan.graph.edges_into(position) {
        // Edges are sorted by where they come from: several reasons count once.
        if !edge.reason.is_dependency() || seen.replace(edge.from) == Some(edge.from) {
            continue;
        }
        let failed = match end(edge.from).map(|end| (end.status, end.cause)) {
            Some((StepStatus::Failed | StepStatus::Denied, _)) => edge.from,
            Some((StepStatus::Skipped, cause)) => cause.unwrap_or(edge.from),
            _ => continue,
        };
        let tolerated = plan.steps[failed].on_error == OnError::Continue
            && has_defaults(plan, position, edge.from);
        if !tolerated {
            cause = Some(cause.map_or(failed, |cause| cause.min(failed)));
        }
    }
    cause
}

/// Whether every reference of a step to another one carries a default.
fn has_defaults(plan: &CheckedPlan, position: usize, used: usize) -> bool {
    let mut all = true;
    plan.steps[position].args.for_each_reference(&mut |placed| {
        if plan.position(placed.reference.root()) == Some(used) {
            all &= placed.default.is_some();
        }
    });
    all
}

/// The value of a reference: the part of the step's output, or its default where that is absent or `null`.
pub(super) fn value_of(
    plan: &CheckedPlan,
    placed: &Placed,
    values: &HashMap<usize, Option<Value>>,
    defaults_used: &mut Vec<String>,
) -> Result<Value, ToolError> {
    let reference = &placed.reference;
    let root = plan
        .position(reference.root())
        .and_then(|step| values.get(&step))
        .and_then(Option::as_ref);
    let mut use_default = || {
        placed
            .default
            .clone()
            .inspect(|_| defaults_used.push(reference.to_string()))
    };
    let Some(root) = root else {
        return use_default().ok_or_else(|| {
            ToolError::new(
                ErrorCode::DependencyFailed,
                format_args!(
                    "`{reference}` has no value: step `{}` gave none",
                    reference.root()
                ),
            )
        });
    };
    match reference.resolve(root) {
        Ok(Value::Null) => Ok(use_default().unwrap_or_default()),
        Ok(value) => Ok(value),
        Err(missing) => use_default().ok_or_else(|| {
            ToolError::new(
                ErrorCode::InvalidArgs,
                format_args!(
                    "`{reference}`: {} (at `{}`)",
                    missing.message, missing.reached
                ),
            )
            .hint(format!(
                "name a part that `{}` gives, or add a `default`",
                reference.root()
            ))
        }),
    }
}

/// Refuses arguments that would open a file because the *output* of a step looks like `{"$file": ..}`: outputs are data, and
/// which files a plan reads is for the plan to say.
pub(super) fn smuggled_file(
    dispatcher: &Dispatcher,
    plan: &CheckedPlan,
    step: &CheckedStep,
    args: &Value,
) -> Option<ToolError> {
    if step.uses.is_empty() || !holds_file(args) {
        return None;
    }
    let tool = dispatcher.resolve(step.tool, &plan.context).ok()?;
    let call = tool.decode(args).ok()?;
    let opened = call.sources().iter().find(|source| {
        matches!(source.source, Source::File(_)) && !is_in_plan(&step.args, &source.pointer)
    })?;
    Some(
        ToolError::invalid(
            opened.pointer.clone(),
            "the output of an earlier step holds a `$file`; outputs are data and open no files",
        )
        .reason("injection")
        .hint("write {\"$file\": {\"$ref\": ..}} in the plan to open a file that a step names"),
    )
}

/// Whether the plan itself has a `$file` at a pointer of the arguments.
fn is_in_plan(args: &Node, pointer: &str) -> bool {
    match args.pointer(pointer) {
        Some(Node::Object(members)) => members.iter().any(|(key, _)| &**key == "$file"),
        Some(Node::Literal(value)) => value.get("$file").is_some(),
        _ => false,
    }
}

/// Whether an object with the one member `$file` is anywhere in a value; blocks of numbers are not looked into.
fn holds_file(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.iter()),
            Value::Object(object) if object.len() == 1 && object.get("$file").is_some() => {
                return true;
            }
            Value::Object(object) => open.extend(object.iter().map(|(_, member)| member)),
            _ => {}
        }
    }
    false
}
