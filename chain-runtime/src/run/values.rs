//! Values of references while a plan runs.

use std::collections::HashMap;
use std::sync::Arc;

use registry::Dispatcher;
use tool_core::{ErrorCode, Source, ToolError, Value};

use crate::check::{CheckedPlan, CheckedStep, item_value};
use crate::plan::Map;
use crate::template::{Node, Placed};

/// The values that the arguments of one call refer to.
pub(super) struct Values {
    /// Values by step; `None` for a step without a result.
    pub(super) steps: HashMap<usize, Option<Value>>,
    /// The name of the element, its index and its value.
    pub(super) item: Option<(Arc<str>, usize, Value)>,
}

/// Value of a reference: the part of the step's output, or the default where that is absent or `null`.
pub(super) fn value_of(
    plan: &CheckedPlan,
    placed: &Placed,
    values: &Values,
    defaults_used: &mut Vec<String>,
) -> Result<Value, ToolError> {
    let reference = &placed.reference;
    if let Some((name, index, item)) = &values.item
        && let Some(value) = item_value(placed, name, *index, item)?
    {
        return Ok(value);
    }
    let root = plan
        .position(reference.root())
        .and_then(|step| values.steps.get(&step))
        .and_then(Option::as_ref);
    let Some(root) = root else {
        let default = placed.default.clone();
        return default
            .inspect(|_| defaults_used.push(reference.to_string()))
            .ok_or_else(|| {
                ToolError::new(
                    ErrorCode::DependencyFailed,
                    format_args!(
                        "`{reference}` has no value: step `{}` gave none",
                        reference.root()
                    ),
                )
            });
    };
    match placed.resolve(root) {
        Ok((value, is_default)) => {
            if is_default {
                defaults_used.push(reference.to_string());
            }
            Ok(value)
        }
        Err(missing) => Err(ToolError::new(
            ErrorCode::InvalidArgs,
            format_args!(
                "`{reference}`: {} (at `{}`)",
                missing.message, missing.reached
            ),
        )
        .hint(format!(
            "name a part that `{}` gives, or add a `default`",
            reference.root()
        ))),
    }
}

/// Value of a reference in a condition; `None` where it is absent.
pub(super) fn of_condition(
    plan: &CheckedPlan,
    values: &[Option<Value>],
    placed: &Placed,
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
    map: &Map,
    values: &[Option<Value>],
) -> Result<Value, ToolError> {
    let mut steps = HashMap::new();
    map.over.for_each_reference(&mut |placed| {
        if let Some(step) = plan.position(placed.reference.root()) {
            steps.insert(step, values[step].clone());
        }
    });
    let values = Values { steps, item: None };
    let bound = map
        .over
        .bind(&mut |placed| value_of(plan, placed, &values, &mut Vec::new()).map(Some))?;
    Ok(bound.literal().cloned().unwrap_or_default())
}

/// Whether every reference of a step to another one has a default.
pub(super) fn has_defaults(plan: &CheckedPlan, position: usize, used: usize) -> bool {
    let step = &plan.steps[position];
    let mut all = true;
    let mut visit = |placed: &Arc<Placed>| {
        if plan.position(placed.reference.root()) == Some(used) {
            all &= placed.default.is_some();
        }
    };
    step.args.for_each_reference(&mut |placed| visit(placed));
    if let Some(map) = &step.map {
        map.over.for_each_reference(&mut |placed| visit(placed));
    }
    all
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
        let message =
            format_args!("the arguments of this call, put together, hold more than {most} bytes");
        let error = ToolError::new(ErrorCode::LimitExceeded, message);
        return Some(
            error
                .reason("arguments")
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
    let opened = call.sources().iter().find(|source| {
        let key = match source.source {
            Source::File(_) => "$file",
            Source::Artifact(_) => "$artifact",
        };
        !is_in_plan(&step.args, &source.pointer, key)
    })?;
    Some(
        ToolError::invalid(
            opened.pointer.clone(),
            "the output of an earlier step holds a `$file` or `$artifact`; outputs are data and open nothing",
        )
        .reason("injection")
        .hint("write {\"$file\": {\"$ref\": ..}} in the plan to open a file that a step names"),
    )
}

/// Whether the plan itself has a `$file` (or `$artifact`) at a pointer of the arguments.
fn is_in_plan(args: &Node, pointer: &str, key: &str) -> bool {
    match args.pointer(pointer) {
        Some(Node::Object(members)) => members.iter().any(|(name, _)| **name == *key),
        Some(Node::Literal(value)) => value.get(key).is_some(),
        _ => false,
    }
}

/// Whether an object with the one member `$file` or `$artifact` is anywhere in a value; blocks of numbers are not looked into.
fn holds_file(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.iter()),
            Value::Object(object)
                if object.len() == 1
                    && (object.get("$file").is_some() || object.get("$artifact").is_some()) =>
            {
                return true;
            }
            Value::Object(object) => open.extend(object.iter().map(|(_, member)| member)),
            _ => {}
        }
    }
    false
}
