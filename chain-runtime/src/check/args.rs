//! Checks arguments with references against the schema of the tool: literals as values, references by their types.

use std::sync::Arc;

use tool_core::Value;
use tool_core::nearest::nearest;
use tool_core::path::{self, push_index, push_key};
use tool_core::schema::{self, Schema};

use super::facts::ToolFacts;
use crate::problem::{Fault, PlanProblem};
use crate::reference::Reference;
use crate::template::{Node, Placed};
use crate::types::{Fit, Slots, Type, Walked, fit};

/// Type of a reference; `None` where a problem is reported already.
pub(super) type Lookup<'a> = &'a dyn Fn(&Placed) -> Option<Walked>;

/// Findings of a check of arguments.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Problems that prevent the call.
    pub problems: Vec<PlanProblem>,
    /// Values that are checked only when they arrive.
    pub notes: Vec<String>,
}

/// Checks the arguments of one step.
pub(super) fn check(
    facts: &ToolFacts<'_>,
    args: &Node,
    pointer: &str,
    lookup: Lookup<'_>,
    is_script: bool,
) -> Findings {
    let mut checker = Checker {
        tool: facts.tool.spec().id,
        slots: &facts.slots,
        lookup,
        base: pointer.len(),
        is_script,
        pointer: pointer.to_owned(),
        findings: Findings::default(),
    };
    checker.node(&facts.input, args);
    checker.findings
}

struct Checker<'a> {
    tool: &'static str,
    slots: &'a Slots,
    lookup: Lookup<'a>,
    /// Length of the pointer to the arguments.
    base: usize,
    /// Whether the plan is a call script.
    is_script: bool,
    pointer: String,
    findings: Findings,
}

impl Checker<'_> {
    fn problem(&mut self, fault: Fault, message: String) -> &mut PlanProblem {
        let problem = PlanProblem::new(fault, self.pointer.as_str(), message);
        self.findings.problems.push(problem);
        let last = self.findings.problems.len() - 1;
        &mut self.findings.problems[last]
    }

    fn below(&mut self, push: impl FnOnce(&mut String), check: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        push(&mut self.pointer);
        check(self);
        self.pointer.truncate(length);
    }

    /// The pointer of the slot, as the tool sees it.
    fn slot(&self) -> &str {
        &self.pointer[self.base..]
    }

    fn node(&mut self, schema: &Schema, node: &Node) {
        match node {
            Node::Literal(value) => self.literal(schema, value),
            Node::Reference(placed) => self.reference(schema, placed),
            Node::Format(_) => self.format(schema),
            Node::Object(_) | Node::Array(_) => self.composite(schema, node),
        }
    }

    fn literal(&mut self, schema: &Schema, value: &Value) {
        for found in schema::check(schema, value) {
            let problem = PlanProblem {
                hint: found.hint,
                ..PlanProblem::new(
                    Fault::Argument,
                    format!("{}{}", path::brief(&self.pointer), found.path),
                    format_args!("{} (argument of `{}`)", found.message, self.tool),
                )
            };
            self.findings.problems.push(problem);
        }
    }

    fn format(&mut self, schema: &Schema) {
        let slot = self.slots.of(schema);
        if fit(&Type::String, &slot) == Fit::Never {
            let message = format!(
                "a `$fmt` is a string, `{}` takes {slot} at `{}`",
                self.tool,
                self.slot()
            );
            self.problem(Fault::Type, message);
        }
    }

    fn reference(&mut self, schema: &Schema, placed: &Placed) {
        let Some(walked) = &(self.lookup)(placed) else {
            return;
        };
        let slot = self.slots.of(schema);
        let text = &placed.reference;
        match fit(&walked.ty, &slot) {
            Fit::Never => {
                let message = format!(
                    "`{text}` gives {}, `{}` takes {slot} at `{}`",
                    walked.ty,
                    self.tool,
                    self.slot()
                );
                self.problem(Fault::Type, message);
                return; // further problems follow from this one
            }
            Fit::Check => {
                let note = format!(
                    "{}: `{text}` is checked when it arrives: it gives {}, `{}` takes {slot} at `{}`",
                    self.pointer,
                    walked.ty,
                    self.tool,
                    self.slot()
                );
                self.findings.notes.push(note);
            }
            Fit::Always => {}
        }
        match &placed.default {
            Some(default) => self.below(
                |pointer| pointer.push_str("/default"),
                |checker| checker.literal(schema, default),
            ),
            None if walked.needs_default(&slot) => {
                let message = format!(
                    "`{text}` {}, `{}` takes {slot} at `{}`",
                    may_lack(walked),
                    self.tool,
                    self.slot()
                );
                let default = add_default(text, self.is_script);
                let hint = match &walked.there {
                    Some(there) => format!(
                        "`{text}` is there where the arguments of `{}` pass {there}; else {default}",
                        text.root()
                    ),
                    None => default,
                };
                self.problem(Fault::Type, message).hint = Some(hint);
            }
            None => {}
        }
    }

    /// Checks an object or a list that contains references against the best fitting branch of the schema.
    fn composite(&mut self, schema: &Schema, node: &Node) {
        let Some(object) = schema.as_object() else {
            return;
        };
        for key in ["anyOf", "oneOf"] {
            if let Some(branches) = object.get(key).and_then(Schema::as_array) {
                return self.branches(branches, node);
            }
        }
        let takes = self.slots.of(schema);
        match (node, &takes) {
            (_, Type::Any) => {}
            (Node::Object(members), Type::Record(_)) => self.object(object, members),
            (Node::Object(members), Type::Union(kinds))
                if kinds.iter().any(|kind| matches!(kind, Type::Record(_))) =>
            {
                self.object(object, members);
            }
            (Node::Array(nodes), Type::List(_)) => self.array(object, nodes),
            (Node::Array(nodes), Type::Union(kinds))
                if kinds.iter().any(|kind| matches!(kind, Type::List(_))) =>
            {
                self.array(object, nodes);
            }
            _ => {
                let what = if matches!(node, Node::Array(_)) {
                    "a list"
                } else {
                    "an object"
                };
                let message = format!(
                    "expected {takes}, found {what} (argument of `{}`)",
                    self.tool
                );
                self.problem(Fault::Argument, message);
            }
        }
    }

    fn branches(&mut self, branches: &[Schema], node: &Node) {
        let mut best: Option<Findings> = None;
        for branch in branches {
            let mut attempt = Checker {
                tool: self.tool,
                slots: self.slots,
                lookup: self.lookup,
                base: self.base,
                is_script: self.is_script,
                pointer: self.pointer.clone(),
                findings: Findings::default(),
            };
            attempt.node(branch, node);
            let found = attempt.findings;
            if found.problems.is_empty() {
                self.findings.notes.extend(found.notes);
                return;
            }
            if best.as_ref().is_none_or(|best| depth(&found) > depth(best)) {
                best = Some(found);
            }
        }
        if let Some(best) = best {
            self.findings.problems.extend(best.problems);
            self.findings.notes.extend(best.notes);
        }
    }

    fn object(&mut self, schema: &serde_json::Map<String, Schema>, members: &[(Arc<str>, Node)]) {
        let properties = schema.get("properties").and_then(Schema::as_object);
        let required = schema
            .get("required")
            .and_then(Schema::as_array)
            .into_iter()
            .flatten();
        for name in required.filter_map(Schema::as_str) {
            if !members.iter().any(|(key, _)| &**key == name) {
                let message = format!("missing required argument `{name}` of `{}`", self.tool);
                self.below(
                    |pointer| push_key(pointer, name),
                    |checker| {
                        checker.problem(Fault::Argument, message);
                    },
                );
            }
        }
        for (name, node) in members {
            let property = properties.and_then(|properties| properties.get(&**name));
            let extra = schema.get("additionalProperties");
            self.below(
                |pointer| push_key(pointer, name),
                |checker| match (property, extra) {
                    (Some(property), _) => checker.node(property, node),
                    (None, Some(Schema::Bool(false))) => {
                        let known = properties
                            .into_iter()
                            .flat_map(|properties| properties.keys());
                        let near = nearest(name, known.map(String::as_str)).map(str::to_owned);
                        let shown = tool_core::brief::name(name);
                        let message = format!("unknown argument `{shown}` of `{}`", checker.tool);
                        let problem = checker.problem(Fault::Argument, message);
                        problem.hint = near.map(|near| format!("did you mean `{near}`?"));
                    }
                    (None, Some(extra)) => checker.node(extra, node),
                    (None, None) => {}
                },
            );
        }
    }

    fn array(&mut self, schema: &serde_json::Map<String, Schema>, nodes: &[Node]) {
        let bound = |key: &str| schema.get(key).and_then(Schema::as_u64);
        let length = nodes.len() as u64;
        if let Some(least) = bound("minItems").filter(|least| length < *least) {
            self.problem(
                Fault::Argument,
                format!("expected at least {least} elements, found {length}"),
            );
        }
        if let Some(most) = bound("maxItems").filter(|most| length > *most) {
            self.problem(
                Fault::Argument,
                format!("expected at most {most} elements, found {length}"),
            );
        }
        let fixed = schema.get("prefixItems").and_then(Schema::as_array);
        for (index, node) in nodes.iter().enumerate() {
            let items = fixed
                .and_then(|items| items.get(index))
                .or_else(|| schema.get("items"));
            if let Some(items) = items {
                self.below(
                    |pointer| push_index(pointer, index),
                    |checker| checker.node(items, node),
                );
            }
        }
    }
}

/// Words for a reference that needs a default.
pub(super) fn may_lack(walked: &Walked) -> &'static str {
    match walked.maybe {
        true => "may be absent or null",
        false => "may be absent or null in an element",
    }
}

/// Hint that adds a default to a reference.
pub(super) fn add_default(reference: &Reference, is_script: bool) -> String {
    let (whole, value) = match reference.projections() {
        0 => ("", "..."),
        _ => (" for the whole list", "[...]"),
    };
    match is_script {
        true => format!("add a default{whole}: `{reference} ?? {value}`"),
        false => {
            format!("add a `default`{whole}: {{\"$ref\": \"{reference}\", \"default\": {value}}}")
        }
    }
}

/// Fit of a branch: best without a problem, else by the depth of its first problem.
fn depth(findings: &Findings) -> usize {
    findings
        .problems
        .iter()
        .map(|problem| problem.pointer.matches('/').count())
        .min()
        .unwrap_or(usize::MAX)
}

/// A value that a schema accepts, for the preview of a call; nothing runs with it.
pub(super) fn sample(schema: &Schema) -> Value {
    let Some(object) = schema.as_object() else {
        return Value::Null;
    };
    for key in ["anyOf", "oneOf", "enum"] {
        if let Some(first) = object
            .get(key)
            .and_then(Schema::as_array)
            .and_then(|list| list.first())
        {
            return if key == "enum" {
                constant(first)
            } else {
                sample(first)
            };
        }
    }
    if let Some(value) = object.get("const") {
        return constant(value);
    }
    let name = match object.get("type") {
        Some(Schema::Array(names)) => names.first().and_then(Schema::as_str),
        other => other.and_then(Schema::as_str),
    };
    match name {
        Some("boolean") => Value::Bool(false),
        Some("integer" | "number") => {
            let least = object.get("minimum").and_then(Schema::as_f64);
            Value::Int(least.unwrap_or(1.0).ceil() as i64)
        }
        Some("string") => Value::from("x"),
        Some("array") => object
            .get("items")
            .map_or(Value::vector(Vec::new()), |items| {
                let least = object
                    .get("minItems")
                    .and_then(Schema::as_u64)
                    .unwrap_or(1)
                    .clamp(1, 64);
                Value::array(vec![sample(items); least as usize])
            }),
        Some("object") => {
            let properties = object.get("properties");
            let required = object.get("required").and_then(Schema::as_array);
            let member = |name: &Schema| {
                let name = name.as_str()?;
                Some((name.to_owned(), sample(properties?.get(name)?)))
            };
            Value::object(required.into_iter().flatten().filter_map(member))
        }
        _ => Value::Null,
    }
}

fn constant(schema: &Schema) -> Value {
    match schema {
        Schema::Bool(value) => Value::Bool(*value),
        Schema::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
        Schema::String(text) => Value::from(text.as_str()),
        _ => Value::Null,
    }
}
