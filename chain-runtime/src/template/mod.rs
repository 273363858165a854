//! Arguments of a step before they have values: literals, references, formatted texts.
//!
//! `{"$ref": "fit.mean"}`, with an optional `default`; `{"$lit": x}` for a literal that looks like one of these;
//! `{"$fmt": "mean={}", "args": [..]}` for texts. Only the plan is read this way: what a reference gives is data and is never
//! looked into for references.

use std::sync::Arc;

use tool_core::nearest::nearest_name;
use tool_core::path::{push_index, push_key};
use tool_core::{Decode, DecodeError, Object, ToolError, Value, json, tool_error};

use crate::problem::{Fault, PlanProblem, PlanProblems, problem};
use crate::reference::{MissingValueError, PlanReference};

/// Deepest nesting of a plan.
pub const DEPTH_MAX: usize = 64;
/// Longest pointer of a place that holds a reference, in bytes: every reference remembers its place.
pub const PLACE_BYTES_MAX: usize = 1 << 10;
/// Hint about data that looks like a reference.
const AS_IT_IS: &str = r#"wrap an object that is meant as it is: {"$lit": ...}"#;
/// Longest text that a `$fmt` may give, in bytes.
pub const FORMAT_BYTES_MAX: usize = 1 << 20;

/// An argument that may hold references.
#[derive(Debug, Clone)]
pub enum ArgumentNode {
    /// A value of the plan itself; nothing in it is a reference.
    Literal(Value),
    /// The output of an earlier step, or an input.
    Reference(Arc<PlacedReference>),
    /// A formatted text.
    Format(Arc<FormatTemplate>),
    /// An object in which a member holds a reference.
    Object(Vec<(Arc<str>, ArgumentNode)>),
    /// A list in which an element holds a reference.
    Array(Vec<ArgumentNode>),
}

/// A reference where it is used.
#[derive(Debug, Clone)]
pub struct PlacedReference {
    /// The reference.
    pub reference: PlanReference,
    /// Value where it is absent or `null`, or its step did not succeed.
    pub default: Option<Value>,
    /// JSON pointer in the plan.
    pub pointer: String,
}

/// A text with places for values.
#[derive(Debug, Clone)]
pub struct FormatTemplate {
    /// The texts around the values; one more than there are values.
    pub pieces: Vec<String>,
    /// The values.
    pub args: Vec<ArgumentNode>,
    /// JSON pointer in the plan.
    pub pointer: String,
}

impl PlacedReference {
    /// Its value in `root`, and whether that is its default: where the part is absent or `null`, or an element of a projection
    /// is.
    ///
    /// # Errors
    /// [`MissingValueError`] where the part is absent and there is no default.
    pub fn resolve(&self, root: &Value) -> Result<(Value, bool), MissingValueError> {
        match (self.reference.resolve(root), &self.default) {
            (Ok(value), Some(default)) if self.reference.is_lacking(&value) => {
                Ok((default.clone(), true))
            }
            (Ok(value), _) => Ok((value, false)),
            (Err(_), Some(default)) => Ok((default.clone(), true)),
            (Err(missing), None) => Err(missing),
        }
    }
}

/// No arguments.
impl Default for ArgumentNode {
    fn default() -> Self {
        Self::Literal(Value::object::<&str, Value>([]))
    }
}

/// The value as written; [`ArgumentNode::compile`] then finds the references in it.
impl Decode for ArgumentNode {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        Ok(Self::Literal(value.clone()))
    }
}

impl ArgumentNode {
    /// Reads a value of the plan; the problems found are added. The caller has checked its depth.
    pub fn compile(value: &Value, pointer: &mut String, problems: &mut PlanProblems) -> Self {
        match value {
            Value::Object(object) => compile_object(value, object, pointer, problems),
            Value::Array(items) => {
                let nodes = compile_items(items, pointer, problems);
                match nodes
                    .iter()
                    .zip(items.iter())
                    .all(|(node, item)| node.is_verbatim(item))
                {
                    true => Self::Literal(value.clone()),
                    false => gather_array(nodes),
                }
            }
            other => Self::Literal(other.clone()),
        }
    }

    /// Whether it is a value without references.
    pub fn is_literal(&self) -> bool {
        matches!(self, Self::Literal(_))
    }

    /// A literal that was not unwrapped from `$lit`, so that the original can stand for the whole.
    fn is_verbatim(&self, original: &Value) -> bool {
        match (self, original) {
            (Self::Literal(Value::Object(a)), Value::Object(b)) => Arc::ptr_eq(a, b),
            (Self::Literal(Value::Array(a)), Value::Array(b)) => Arc::ptr_eq(a, b),
            (Self::Literal(_), original) => !matches!(original, Value::Object(_) | Value::Array(_)),
            _ => false,
        }
    }

    /// Whether it contains `{"$file": path}`, so that a file may be opened for it.
    pub fn opens_files(&self) -> bool {
        const FILE: &str = "$file";
        match self {
            Self::Literal(value) => has_object(value, |object| object.get(FILE).is_some()),
            Self::Reference(_) | Self::Format(_) => false,
            Self::Object(members) => members
                .iter()
                .any(|(key, node)| **key == *FILE || node.opens_files()),
            Self::Array(nodes) => nodes.iter().any(Self::opens_files),
        }
    }

    /// Every reference, in the order of the document.
    pub fn references(&self) -> Vec<&Arc<PlacedReference>> {
        match self {
            Self::Literal(_) => Vec::new(),
            Self::Reference(placed) => vec![placed],
            Self::Format(format) => format.args.iter().flat_map(Self::references).collect(),
            Self::Object(members) => members
                .iter()
                .flat_map(|(_, node)| node.references())
                .collect(),
            Self::Array(nodes) => nodes.iter().flat_map(Self::references).collect(),
        }
    }

    /// The node with every reference replaced for which `bind` has a value; a node that then holds none becomes a literal.
    ///
    /// # Errors
    /// Errors of `bind`, and a formatted text that is too long.
    pub fn bind(
        &self,
        bind: &mut dyn FnMut(&PlacedReference) -> Result<Option<Value>, ToolError>,
    ) -> Result<Self, ToolError> {
        match self {
            Self::Literal(value) => Ok(Self::Literal(value.clone())),
            Self::Reference(placed) => Ok(match bind(placed)? {
                Some(value) => Self::Literal(value),
                None => self.clone(),
            }),
            Self::Format(format) => {
                let args = format.args.iter().map(|arg| arg.bind(bind));
                let args = args.collect::<Result<Vec<_>, _>>()?;
                match args.iter().map(Self::literal).collect::<Option<Vec<_>>>() {
                    Some(values) => write_format(format, &values).map(Self::Literal),
                    None => Ok(Self::Format(Arc::new(FormatTemplate {
                        args,
                        ..(**format).clone()
                    }))),
                }
            }
            Self::Object(members) => {
                let bound = members
                    .iter()
                    .map(|(key, node)| Ok((Arc::clone(key), node.bind(bind)?)));
                bound
                    .collect::<Result<Vec<_>, ToolError>>()
                    .map(gather_object)
            }
            Self::Array(nodes) => {
                let bound = nodes.iter().map(|node| node.bind(bind));
                bound.collect::<Result<Vec<_>, _>>().map(gather_array)
            }
        }
    }

    /// The value, when it is a literal.
    pub fn literal(&self) -> Option<&Value> {
        match self {
            Self::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// The node at a JSON pointer below this one; the way into a literal gives a literal.
    pub fn pointer(&self, pointer: &str) -> Option<Self> {
        let mut current = self.clone();
        for token in pointer.strip_prefix('/')?.split('/') {
            let token = token.replace("~1", "/").replace("~0", "~");
            current = match &current {
                Self::Literal(Value::Object(object)) => Self::Literal(object.get(&token)?.clone()),
                Self::Literal(value) => Self::Literal(value.at(token.parse().ok()?)?),
                Self::Object(members) => members.iter().find(|(key, _)| **key == *token)?.1.clone(),
                Self::Array(nodes) => nodes.get(token.parse::<usize>().ok()?)?.clone(),
                Self::Reference(_) | Self::Format(_) => return None,
            };
        }
        Some(current)
    }
}

/// Whether an object anywhere in a value is one that is looked for; blocks of numbers are not looked into.
pub(crate) fn has_object(value: &Value, is_it: impl Fn(&Object) -> bool) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.iter()),
            Value::Object(object) if is_it(object) => return true,
            Value::Object(object) => open.extend(object.iter().map(|(_, member)| member)),
            _ => {}
        }
    }
    false
}

fn compile_object(
    value: &Value,
    object: &Object,
    pointer: &mut String,
    problems: &mut PlanProblems,
) -> ArgumentNode {
    let is_special = |(key, _): &(&str, &Value)| matches!(*key, "$ref" | "$lit" | "$fmt");
    let special = object.iter().find(is_special);
    match special {
        Some(("$ref" | "$fmt", _)) if pointer.len() > PLACE_BYTES_MAX => {
            problems.push(too_far(pointer));
            return ArgumentNode::Literal(Value::Null);
        }
        Some(("$ref", text)) => return compile_reference(object, text, pointer, problems),
        Some(("$fmt", text)) => return compile_format(object, text, pointer, problems),
        Some((_, literal)) => {
            refuse_others(object, &["$lit"], pointer, problems);
            return ArgumentNode::Literal(literal.clone());
        }
        None => {}
    }
    misspelled_key_problem(object, pointer)
        .into_iter()
        .for_each(|problem| problems.push(problem));
    let mut members = Vec::with_capacity(object.len());
    let mut literal = true;
    for (key, member) in object.iter() {
        let length = pointer.len();
        push_key(pointer, key);
        let node = ArgumentNode::compile(member, pointer, problems);
        pointer.truncate(length);
        literal &= node.is_verbatim(member);
        members.push((Arc::<str>::from(key), node));
    }
    match literal {
        true => ArgumentNode::Literal(value.clone()),
        false => gather_object(members),
    }
}

fn compile_items(
    items: &[Value],
    pointer: &mut String,
    problems: &mut PlanProblems,
) -> Vec<ArgumentNode> {
    let length = pointer.len();
    let compile = |(index, item): (usize, &Value)| {
        push_index(pointer, index);
        let node = ArgumentNode::compile(item, pointer, problems);
        pointer.truncate(length);
        node
    };
    items.iter().enumerate().map(compile).collect()
}

fn too_far(pointer: &str) -> PlanProblem {
    let message = "the names on the way to this reference have";
    let bytes = pointer.len();
    problem!(Limit, pointer; "{message} {bytes} bytes, at most {PLACE_BYTES_MAX} are allowed";
        "shorten them, or hand the whole on with one reference")
}

fn compile_reference(
    object: &Object,
    text: &Value,
    pointer: &str,
    problems: &mut PlanProblems,
) -> ArgumentNode {
    refuse_others(object, &["$ref", "default"], pointer, problems);
    let parsed = match text.as_str() {
        Some(text) => PlanReference::parse(text).map_err(|err| {
            PlanProblem::new(Fault::ReferenceStep, pointer, err.message).hint(err.hint)
        }),
        None => {
            let found = text.kind();
            Err(problem!(ReferenceStep, pointer; "expected the text of a reference, found {found}"))
        }
    };
    match parsed {
        Ok(reference) => ArgumentNode::Reference(Arc::new(PlacedReference {
            reference,
            default: object.get("default").cloned(),
            pointer: pointer.to_owned(),
        })),
        Err(problem) => {
            problems.push(problem);
            ArgumentNode::Literal(Value::Null)
        }
    }
}

fn compile_format(
    object: &Object,
    text: &Value,
    pointer: &mut String,
    problems: &mut PlanProblems,
) -> ArgumentNode {
    refuse_others(object, &["$fmt", "args"], pointer, problems);
    let items = object.get("args").map_or(Some(Vec::new()), Value::items);
    let (Some(text), Some(items)) = (text.as_str(), items) else {
        let message = "expected `$fmt` with a text and `args` with a list";
        let problem = PlanProblem::new(Fault::Form, &pointer, message);
        let hint = r#"write {"$fmt": "mean={}", "args": [{"$ref": "a.mean"}]}"#;
        problems.push(problem.hint(hint));
        return ArgumentNode::Literal(Value::Null);
    };
    let length = pointer.len();
    pointer.push_str("/args");
    let args = compile_items(&items, pointer, problems);
    pointer.truncate(length);
    let format = split_template(text).and_then(|pieces| {
        let (places, values) = (pieces.len() - 1, args.len());
        let wrong = || format!("the text has {places} places `{{}}`, `args` has {values} values");
        (places == values).then_some(pieces).ok_or_else(wrong)
    });
    match format {
        Ok(pieces) => ArgumentNode::Format(Arc::new(FormatTemplate {
            pieces,
            args,
            pointer: pointer.clone(),
        })),
        Err(message) => {
            problems.push(PlanProblem::new(Fault::Form, pointer.as_str(), message));
            ArgumentNode::Literal(Value::Null)
        }
    }
}

/// Cuts a text at `{}`; `{{` and `}}` stand for braces.
fn split_template(text: &str) -> Result<Vec<String>, String> {
    let mut pieces = vec![String::new()];
    let mut rest = text;
    while let Some(position) = rest.find(['{', '}']) {
        let last = pieces.len() - 1;
        pieces[last].push_str(&rest[..position]);
        rest = &rest[position..];
        match rest.as_bytes() {
            [b'{', b'}', ..] => pieces.push(String::new()),
            [b'{', b'{', ..] => pieces[last].push('{'),
            [b'}', b'}', ..] => pieces[last].push('}'),
            _ => {
                let column = text.len() - rest.len();
                let what = format!("a lone brace at position {column} of `$fmt`");
                return Err(format!("{what}; write `{{{{` or `}}}}` for a brace"));
            }
        }
        rest = &rest[2..];
    }
    let last = pieces.len() - 1;
    pieces[last].push_str(rest);
    Ok(pieces)
}

fn write_format(format: &FormatTemplate, values: &[&Value]) -> Result<Value, ToolError> {
    let mut text = String::new();
    for (index, piece) in format.pieces.iter().enumerate() {
        text.push_str(piece);
        match values.get(index) {
            Some(Value::String(value)) => text.push_str(value),
            Some(value) if value.memory_bytes() > 4 * FORMAT_BYTES_MAX as u64 => {
                return Err(too_long());
            }
            Some(value) => json::write_value(value, &mut text),
            None => {}
        }
        if text.len() > FORMAT_BYTES_MAX {
            return Err(too_long());
        }
    }
    Ok(Value::from(text))
}

fn too_long() -> ToolError {
    tool_error!(
        LimitExceeded,
        "the text of a `$fmt` has more than {FORMAT_BYTES_MAX} bytes"
    )
    .hint("pass the value itself with `$ref`")
}

fn gather_object(members: Vec<(Arc<str>, ArgumentNode)>) -> ArgumentNode {
    if !members.iter().all(|(_, node)| node.is_literal()) {
        return ArgumentNode::Object(members);
    }
    let mut object = Object::new();
    for (key, node) in members {
        object.push_unique(key, node.literal().cloned().unwrap_or_default());
    }
    ArgumentNode::Literal(Value::Object(Arc::new(object)))
}

fn gather_array(nodes: Vec<ArgumentNode>) -> ArgumentNode {
    if !nodes.iter().all(ArgumentNode::is_literal) {
        return ArgumentNode::Array(nodes);
    }
    let values = nodes.iter().filter_map(|node| node.literal().cloned());
    ArgumentNode::Literal(Value::array(values.collect()))
}

/// Reports members other than those allowed.
fn refuse_others(object: &Object, allowed: &[&str], pointer: &str, problems: &mut PlanProblems) {
    let keys = object.iter().map(|(key, _)| key);
    let mut extra: Vec<&str> = keys.filter(|key| !allowed.contains(key)).collect();
    if extra.is_empty() {
        return;
    }
    extra.sort_unstable();
    let (key, extra, allowed) = (allowed[0], extra.join("`, `"), list_names(allowed));
    let message =
        format_args!("an object with `{key}` has no other members than {allowed}, found `{extra}`");
    problems.push(PlanProblem::new(Fault::Form, pointer, message).hint(AS_IT_IS));
}

fn list_names(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" and ")
}

/// Refuses a single member with an unknown name that starts with `$`: it is a slip, not data.
fn misspelled_key_problem(object: &Object, pointer: &str) -> Option<PlanProblem> {
    const KNOWN: [&str; 6] = ["$ref", "$lit", "$fmt", "$file", "$artifact", "$npy"];
    let (key, _) = object.iter().next().filter(|_| object.len() == 1)?;
    (key.starts_with('$') && !KNOWN.contains(&key)).then(|| {
        problem!(Form, pointer, "`{key}` is none of {}", list_names(&KNOWN))
            .hint(AS_IT_IS)
            .near(nearest_name(key, KNOWN))
    })
}

#[cfg(test)]
mod tests;
