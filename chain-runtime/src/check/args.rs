//! Checks arguments with references against the schema of the tool: literals as values, references by their types.

use std::fmt::Display;
use std::sync::Arc;

use tool_core::Value;
use tool_core::nearest::nearest_name;
use tool_core::path::{self, push_key};
use tool_core::schema::{self, Schema};
use tool_core::synonyms;

use super::tools::ToolFacts;
use crate::problem::{Fault, PlanProblem, problem};
use crate::reference::PlanReference;
use crate::template::{ArgumentNode, PlacedReference};
use crate::types::{ReferenceTarget, SchemaTypes, Type, TypeFit, check_type_fit};

/// Type of a reference; `None` where a problem is reported already.
pub(super) type Lookup<'a> = &'a dyn Fn(&PlacedReference) -> Option<ReferenceTarget>;

/// Findings of a check of arguments.
#[derive(Debug, Clone, Default)]
pub(super) struct ArgumentFindings {
    /// Problems that prevent the call.
    pub problems: Vec<PlanProblem>,
    /// Values that are checked only when they arrive.
    pub notes: Vec<String>,
}

/// Checks the arguments of one step.
pub(super) fn check_arguments(
    facts: &ToolFacts<'_>,
    args: &ArgumentNode,
    pointer: &str,
    lookup: Lookup<'_>,
    is_script: bool,
) -> ArgumentFindings {
    let mut checker = ArgumentChecker {
        tool: facts.tool.spec().id,
        slots: &facts.slots,
        lookup,
        base: pointer.len(),
        is_script,
        pointer: pointer.to_owned(),
        findings: ArgumentFindings::default(),
    };
    let spec = facts.tool.spec();
    let own = |name: &str| synonyms::resolve_synonym(spec, &facts.input, name);
    // Other names of arguments are those of the tool: what is said of an argument names it as the tool does.
    match args {
        ArgumentNode::Literal(value) => match synonyms::rename_arguments(spec, &facts.input, value)
        {
            Some(value) => checker.literal(&facts.input, &value),
            None => checker.node(&facts.input, args),
        },
        ArgumentNode::Object(members) if members.iter().any(|(name, _)| own(name).is_some()) => {
            let named = members.iter().map(|(name, node)| {
                let name = own(name).map_or_else(|| Arc::clone(name), Arc::from);
                (name, node.clone())
            });
            checker.node(&facts.input, &ArgumentNode::Object(named.collect()));
        }
        _ => checker.node(&facts.input, args),
    }
    checker.findings
}

#[derive(Clone)]
struct ArgumentChecker<'a> {
    tool: &'static str,
    slots: &'a SchemaTypes,
    lookup: Lookup<'a>,
    /// Length of the pointer to the arguments.
    base: usize,
    /// Whether the plan is a call script.
    is_script: bool,
    pointer: String,
    findings: ArgumentFindings,
}

impl ArgumentChecker<'_> {
    fn problem(&mut self, fault: Fault, message: impl Display) {
        self.problem_with(fault, message, None);
    }

    fn problem_with(&mut self, fault: Fault, message: impl Display, hint: Option<String>) {
        let problem = PlanProblem::new(fault, &self.pointer, message);
        self.findings.problems.push(problem.hint_some(hint));
    }

    fn below(&mut self, key: &str, check: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        push_key(&mut self.pointer, key);
        check(self);
        self.pointer.truncate(length);
    }

    /// The pointer of the slot, as the tool sees it.
    fn slot(&self) -> &str {
        &self.pointer[self.base..]
    }

    fn node(&mut self, schema: &Schema, node: &ArgumentNode) {
        match node {
            ArgumentNode::Literal(value) => self.literal(schema, value),
            ArgumentNode::Reference(placed) => self.reference(schema, placed),
            ArgumentNode::Format(_) => self.format(schema),
            ArgumentNode::Object(_) | ArgumentNode::Array(_) => self.composite(schema, node),
        }
    }

    fn literal(&mut self, schema: &Schema, value: &Value) {
        for found in schema::check_value(schema, value) {
            let pointer = format!("{}{}", path::brief_pointer(&self.pointer), found.path);
            let (message, tool) = (found.message, self.tool);
            let problem = problem!(Argument, pointer, "{message} (argument of `{tool}`)");
            self.findings.problems.push(problem.hint_some(found.hint));
        }
    }

    /// What the tool takes here, and where.
    fn taken(&self, slot: &Type) -> String {
        format!("`{}` takes {slot} at `{}`", self.tool, self.slot())
    }

    fn format(&mut self, schema: &Schema) {
        let slot = self.slots.of(schema);
        if check_type_fit(&Type::String, &slot) == TypeFit::Never {
            let message = format!("a `$fmt` is a string, {}", self.taken(&slot));
            self.problem(Fault::Type, message);
        }
    }

    fn reference(&mut self, schema: &Schema, placed: &PlacedReference) {
        let Some(walked) = &(self.lookup)(placed) else {
            return;
        };
        let slot = self.slots.of(schema);
        let (text, ty, taken) = (&placed.reference, &walked.ty, self.taken(&slot));
        match check_type_fit(ty, &slot) {
            // Further problems follow from this one.
            TypeFit::Never => {
                return self.problem(Fault::Type, format!("`{text}` gives {ty}, {taken}"));
            }
            TypeFit::Check => self.findings.notes.push(format!(
                "{}: `{text}` is checked when it arrives: it gives {ty}, {taken}",
                self.pointer
            )),
            TypeFit::Always => {}
        }
        match &placed.default {
            Some(default) => self.below("default", |checker| checker.literal(schema, default)),
            None if walked.needs_default(&slot) => {
                let message = format!("`{text}` {}, {taken}", may_lack(walked));
                let default = add_default(text, self.is_script);
                let hint = match &walked.there {
                    Some(there) => format!(
                        "`{text}` is there where the arguments of `{}` pass {there}; else {default}",
                        text.root()
                    ),
                    None => default,
                };
                self.problem_with(Fault::Type, message, Some(hint));
            }
            None => {}
        }
    }

    /// Checks an object or a list that contains references against the best fitting branch of the schema.
    fn composite(&mut self, schema: &Schema, node: &ArgumentNode) {
        let schema = tool_core::schema::resolve_shared_definition(schema).unwrap_or(schema);
        let Some(object) = schema.as_object() else {
            return;
        };
        for key in ["anyOf", "oneOf"] {
            if let Some(branches) = object.get(key).and_then(Schema::as_array) {
                return self.branches(branches, node);
            }
        }
        let takes = self.slots.of(schema);
        let members = match &takes {
            Type::Any => return,
            Type::Union(kinds) => &**kinds,
            one => std::slice::from_ref(one),
        };
        let takes_record = members.iter().any(|one| matches!(one, Type::Record(_)));
        let takes_list = members.iter().any(|one| matches!(one, Type::List(_)));
        let found = match node {
            ArgumentNode::Object(members) if takes_record => return self.object(object, members),
            ArgumentNode::Array(nodes) if takes_list => return self.array(object, nodes),
            ArgumentNode::Array(_) => "a list",
            _ => "an object",
        };
        let tool = self.tool;
        let message = format_args!("expected {takes}, found {found} (argument of `{tool}`)");
        self.problem(Fault::Argument, message);
    }

    fn branches(&mut self, branches: &[Schema], node: &ArgumentNode) {
        let mut best: Option<ArgumentFindings> = None;
        for branch in branches {
            let mut attempt = Self {
                findings: ArgumentFindings::default(),
                ..self.clone()
            };
            attempt.node(branch, node);
            let found = attempt.findings;
            let is_fine = found.problems.is_empty();
            if is_fine
                || best
                    .as_ref()
                    .is_none_or(|best| problem_depth(&found) > problem_depth(best))
            {
                best = Some(found);
            }
            if is_fine {
                break;
            }
        }
        let best = best.unwrap_or_default();
        self.findings.problems.extend(best.problems);
        self.findings.notes.extend(best.notes);
    }

    fn object(
        &mut self,
        schema: &serde_json::Map<String, Schema>,
        members: &[(Arc<str>, ArgumentNode)],
    ) {
        let properties = schema.get("properties").and_then(Schema::as_object);
        let required = schema.get("required").and_then(Schema::as_array);
        for name in required.into_iter().flatten().filter_map(Schema::as_str) {
            if !members.iter().any(|(key, _)| &**key == name) {
                let message = format!("missing required argument `{name}` of `{}`", self.tool);
                self.below(name, |checker| checker.problem(Fault::Argument, message));
            }
        }
        for (name, node) in members {
            let property = properties.and_then(|properties| properties.get(&**name));
            let extra = schema.get("additionalProperties");
            self.below(name, |checker| match (property, extra) {
                (Some(property), _) => checker.node(property, node),
                (None, Some(Schema::Bool(false))) => {
                    let known = properties.into_iter().flat_map(|known| known.keys());
                    let near = nearest_name(name, known.map(String::as_str));
                    let (shown, tool) = (tool_core::brief::brief_name(name), checker.tool);
                    let hint = near.map(|near| format!("did you mean `{near}`?"));
                    let message = format_args!("unknown argument `{shown}` of `{tool}`");
                    checker.problem_with(Fault::Argument, message, hint);
                }
                (None, Some(extra)) => checker.node(extra, node),
                (None, None) => {}
            });
        }
    }

    fn array(&mut self, schema: &serde_json::Map<String, Schema>, nodes: &[ArgumentNode]) {
        let bound = |key: &str| schema.get(key).and_then(Schema::as_u64);
        let length = nodes.len() as u64;
        let least = bound("minItems").filter(|least| length < *least);
        let most = bound("maxItems").filter(|most| length > *most);
        for (words, bound) in [("at least", least), ("at most", most)] {
            if let Some(bound) = bound {
                let message = format_args!("expected {words} {bound} elements, found {length}");
                self.problem(Fault::Argument, message);
            }
        }
        let fixed = schema.get("prefixItems").and_then(Schema::as_array);
        for (index, node) in nodes.iter().enumerate() {
            let fixed = fixed.and_then(|items| items.get(index));
            if let Some(items) = fixed.or(schema.get("items")) {
                self.below(&index.to_string(), |checker| checker.node(items, node));
            }
        }
    }
}

/// Words for a reference that needs a default.
pub(super) fn may_lack(walked: &ReferenceTarget) -> &'static str {
    match walked.maybe {
        true => "may be absent or null",
        false => "may be absent or null in an element",
    }
}

/// Hint that adds a default to a reference.
pub(super) fn add_default(reference: &PlanReference, is_script: bool) -> String {
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
fn problem_depth(findings: &ArgumentFindings) -> usize {
    let depths = findings.problems.iter();
    let depths = depths.map(|problem| problem.pointer.matches('/').count());
    depths.min().unwrap_or(usize::MAX)
}

/// A value that a schema accepts, for the preview of a call; nothing runs with it.
pub(super) fn sample_value(schema: &Schema) -> Value {
    let Some(object) = schema.as_object() else {
        return Value::Null;
    };
    let first = |key: &str| object.get(key).and_then(Schema::as_array)?.first();
    if let Some(branch) = first("anyOf").or_else(|| first("oneOf")) {
        return sample_value(branch);
    }
    if let Some(value) = first("enum").or_else(|| object.get("const")) {
        return constant_value(value);
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
                let least = object.get("minItems").and_then(Schema::as_u64);
                Value::array(vec![
                    sample_value(items);
                    least.unwrap_or(1).clamp(1, 64) as usize
                ])
            }),
        Some("object") => {
            let properties = object.get("properties");
            let required = object.get("required").and_then(Schema::as_array);
            let member = |name: &Schema| {
                let name = name.as_str()?;
                Some((name.to_owned(), sample_value(properties?.get(name)?)))
            };
            Value::object(required.into_iter().flatten().filter_map(member))
        }
        _ => Value::Null,
    }
}

fn constant_value(schema: &Schema) -> Value {
    match schema {
        Schema::Bool(value) => Value::Bool(*value),
        Schema::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
        Schema::String(text) => Value::from(text.as_str()),
        _ => Value::Null,
    }
}
