//! Values of references while a plan runs, and the steps that cannot run for want of one.

use std::collections::HashMap;
use std::sync::Arc;

use registry::Dispatcher;
use tool_core::source::has_source_reference;
use tool_core::{ToolError, Value, tool_error};

use super::finished::{StepOutcome, StepStatus};
use crate::check::{CheckedPlan, CheckedStep, item_value};
use crate::plan::{OnError, StepMap};
use crate::template::{ArgumentNode, PlacedReference, has_object};

/// The values that the arguments of one call refer to.
pub(super) struct ArgumentValues {
    /// Values by step; `None` for a step without a result.
    pub(super) steps: HashMap<usize, Option<Value>>,
    /// The name of the element, its index and its value.
    pub(super) item: Option<(Arc<str>, usize, Value)>,
}

impl ArgumentValues {
    /// The node with all its references replaced.
    pub(super) fn bind(
        &self,
        plan: &CheckedPlan,
        node: &ArgumentNode,
        defaults_used: &mut Vec<String>,
    ) -> Result<ArgumentNode, ToolError> {
        node.bind(&mut |placed| value_of(plan, placed, self, defaults_used).map(Some))
    }
}

/// Value of a reference: the part of the step's output, or the default where that is absent or `null`.
fn value_of(
    plan: &CheckedPlan,
    placed: &PlacedReference,
    values: &ArgumentValues,
    defaults_used: &mut Vec<String>,
) -> Result<Value, ToolError> {
    let reference = &placed.reference;
    if let Some((name, index, item)) = &values.item
        && let Some(value) = item_value(placed, name, *index, item)?
    {
        return Ok(value);
    }
    let root = plan.position(reference.root());
    let root = root.and_then(|step| values.steps.get(&step)?.as_ref());
    let Some(root) = root else {
        let step = reference.root();
        let default = placed.default.clone().ok_or_else(|| {
            let why = format!("step `{step}` gave none");
            tool_error!(DependencyFailed, "`{reference}` has no value: {why}")
        })?;
        defaults_used.push(reference.to_string());
        return Ok(default);
    };
    let (value, is_default) = placed.resolve(root).map_err(|missing| {
        let root = reference.root();
        let hint = format!("name a part that `{root}` gives, or add a `default`");
        tool_error!(InvalidArgs, "`{reference}`: {missing}").hint(hint)
    })?;
    if is_default {
        defaults_used.push(reference.to_string());
    }
    Ok(value)
}

/// Value of a reference in a condition; `None` where it is absent.
pub(super) fn of_condition(
    plan: &CheckedPlan,
    values: &[Option<Value>],
    placed: &PlacedReference,
) -> Option<Value> {
    let reference = &placed.reference;
    let root = match reference.root() {
        "inputs" => &plan.inputs,
        id => values[plan.position(id)?].as_ref()?,
    };
    reference.resolve(root).ok()
}

/// The list of a map.
pub(super) fn of_list(
    plan: &CheckedPlan,
    map: &StepMap,
    values: &[Option<Value>],
) -> Result<Value, ToolError> {
    let mut steps = HashMap::new();
    for placed in map.over.references() {
        let step = plan.position(placed.reference.root());
        steps.extend(step.map(|step| (step, values[step].clone())));
    }
    let values = ArgumentValues { steps, item: None };
    let bound = values.bind(plan, &map.over, &mut Vec::new())?;
    Ok(bound.literal().cloned().unwrap_or_default())
}

/// Whether every reference of a step to another one has a default.
pub(super) fn has_defaults(plan: &CheckedPlan, position: usize, used: usize) -> bool {
    let step = &plan.steps[position];
    let list = step.map.as_ref().map(|map| &map.over);
    let mut references = std::iter::once(&step.args)
        .chain(list)
        .flat_map(ArgumentNode::references);
    references.all(|placed| {
        placed.default.is_some() || plan.position(placed.reference.root()) != Some(used)
    })
}

/// The step that prevents another from running: a dependency that failed with an `on_error` that stops dependents, or one that
/// was skipped and whose value is used. A skipped step is replaced by its cause.
pub(super) fn find_obstacle<'e>(
    plan: &CheckedPlan,
    position: usize,
    end: &dyn Fn(usize) -> Option<&'e StepOutcome>,
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
            Some((StepStatus::Skipped, Some(cause))) => cause,
            // Skipped by its condition: steps that need no value of it run.
            Some((StepStatus::Skipped, None)) => edge.from,
            _ => continue,
        };
        let is_unmet = end(edge.from).is_some_and(StepOutcome::is_unmet);
        let may_miss = is_unmet || plan.steps[failed].on_error == OnError::Continue;
        if !(may_miss && has_defaults(plan, position, edge.from)) {
            cause = Some(cause.map_or(failed, |cause| cause.min(failed)));
        }
    }
    cause
}

/// Refuses arguments that are too large, naming the one that exceeds the limit.
pub(super) fn too_large(args: &Value, most: u64) -> Option<ToolError> {
    let mut left = most;
    for (name, member) in args.as_object()?.iter() {
        if let Some(bytes) = member.bytes_within(left) {
            left -= bytes;
            continue;
        }
        let mut pointer = String::new();
        tool_core::path::push_key(&mut pointer, name);
        let message = "the arguments of this call, put together, hold more than";
        return Some(
            tool_error!(LimitExceeded, "arguments"; "{message} {most} bytes")
                .at(pointer)
                .hint("refer to fewer values, or to parts of them"),
        );
    }
    None
}

/// Refuses arguments that would open a file or an artifact because the *output* of a step looks like `{"$file": ..}`: outputs are
/// data, and what a plan reads is for the plan to say.
pub(super) fn injected_file(
    dispatcher: &Dispatcher,
    plan: &CheckedPlan,
    step: &CheckedStep,
    args: &Value,
) -> Option<ToolError> {
    if (step.uses.is_empty() && step.map.is_none()) || !holds_file(args) {
        return None;
    }
    let tool = dispatcher.resolve(step.tool, &plan.context).ok()?;
    let call = tool.decode(args).ok()?;
    let opened = call
        .sources()
        .iter()
        .find(|source| !is_in_plan(&step.args, &source.pointer, source.source.place.key()))?;
    let message = "the output of an earlier step holds a `$file` or `$artifact`; outputs are data and open nothing";
    Some(
        ToolError::invalid(&opened.pointer, message)
            .reason("injection")
            .hint("write {\"$file\": {\"$ref\": ..}} in the plan to open a file that a step names"),
    )
}

/// Whether the plan itself has a `$file` (or `$artifact`) at a pointer of the arguments.
fn is_in_plan(args: &ArgumentNode, pointer: &str, key: &str) -> bool {
    match args.pointer(pointer) {
        Some(ArgumentNode::Object(members)) => members.iter().any(|(name, _)| **name == *key),
        Some(ArgumentNode::Literal(value)) => value.get(key).is_some(),
        _ => false,
    }
}

/// Whether an object that opens a file or an artifact is anywhere in a value.
fn holds_file(value: &Value) -> bool {
    has_object(value, has_source_reference)
}
