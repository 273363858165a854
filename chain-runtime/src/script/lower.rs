//! Translation of calls to the value of a plan: names become ids of steps, a new one for every assignment.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use registry::document::Part;
use tool_core::nearest::nearest_name;
use tool_core::{Object, Value, object};

use super::faults::{ScriptFault, ScriptFaults, ScriptPositions};
use super::parse::{CallScript, ScriptCall, ScriptExpression, ScriptExpressionKind, ScriptName};
use crate::plan::{NAMES_MAX, RESERVED, VERSION};

/// Longest id of a step.
const ID_BYTES_MAX: usize = 64;

/// The value of the plan, and where its parts were written.
pub(super) fn lower_document(
    name: &str,
    text: &str,
    script: &CallScript,
    faults: &mut ScriptFaults,
) -> Built {
    let mut lowering = ScriptLowering {
        places: ScriptPositions::new(text),
        ids: StepIds::default(),
        first: HashMap::new(),
        current: HashMap::new(),
        broken: script.broken.iter().cloned().collect(),
        faults,
    };
    // First versions keep their names, whatever later versions of others are called.
    for target in script.calls.iter().filter_map(|line| line.target.as_ref()) {
        if !lowering.first.contains_key(&target.text) {
            let id = lowering.ids.fresh(&target.text);
            lowering.first.insert(Arc::clone(&target.text), id);
        }
    }
    let steps = script.calls.iter();
    let steps: Vec<(Arc<str>, Built)> = steps.map(|line| lowering.step(line)).collect();
    let ids: Vec<Arc<str>> = steps.iter().map(|(id, _)| Arc::clone(id)).collect();
    let steps = build_list((1, 1), steps.into_iter().map(|(_, step)| step));
    let stem = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.strip_suffix(super::ENDING).unwrap_or(stem);
    if script.answer.is_none() && ids.len() > NAMES_MAX {
        let found = ids.len();
        let message = format!("answers with every result, at most {NAMES_MAX}; found {found}");
        let fault = ScriptFault::new(text.len(), format!("a script without `return` {message}"));
        let hint = "end it with what it answers: `return {\"mean\": a.mean}`";
        lowering.faults.push(fault.hint(hint));
    }
    let outputs = match &script.answer {
        Some(answer) => lowering.outputs(answer),
        None => {
            let results = ids.iter().zip(&script.calls).take(NAMES_MAX);
            let places = &lowering.places;
            let result = |(id, line): (&Arc<str>, &ScriptCall)| {
                (
                    Arc::clone(id),
                    (reference_value(id, ""), Part::at(places.of(line.at))),
                )
            };
            build_record((1, 1), results.map(result))
        }
    };
    let leaf = |value: Value| (value, Part::at((1, 1)));
    let members = [
        ("version", leaf(VERSION.into())),
        ("id", leaf(id_base(stem).into())),
        ("steps", steps),
        ("outputs", outputs),
    ];
    build_record((1, 1), members)
}

/// A value with the places of its parts.
type Built = (Value, Part);

/// An object with its places: the place of a member is that of its key, its parts are those of its value.
fn build_record<K: Into<Arc<str>>>(
    place: (u32, u32),
    members: impl IntoIterator<Item = (K, Built)>,
) -> Built {
    let (mut object, mut part) = (Object::new(), Part::at(place));
    for (key, (value, below)) in members {
        object.push_unique(key.into(), value);
        part.children.push(below);
    }
    (object.into(), part)
}

fn build_list(place: (u32, u32), items: impl IntoIterator<Item = Built>) -> Built {
    let mut part = Part::at(place);
    let values = items.into_iter().map(|(value, below)| {
        part.children.push(below);
        value
    });
    (Value::array(values.collect()), part)
}

struct ScriptLowering<'a> {
    places: ScriptPositions<'a>,
    ids: StepIds,
    /// The id of the first version of each name.
    first: HashMap<Arc<str>, Arc<str>>,
    /// The id of the version that a name means now.
    current: HashMap<Arc<str>, Arc<str>>,
    broken: HashSet<Arc<str>>,
    faults: &'a mut ScriptFaults,
}

impl ScriptLowering<'_> {
    fn step(&mut self, line: &ScriptCall) -> (Arc<str>, Built) {
        self.callable(&line.tool);
        let args = self.members(line.tool.at, &line.args);
        let id = match &line.target {
            Some(target) if !self.current.contains_key(&target.text) => {
                Arc::clone(&self.first[&target.text]) // every target has a first version
            }
            target => self.ids.fresh(&target.as_ref().unwrap_or(&line.tool).text),
        };
        if let Some(target) = &line.target {
            self.current
                .insert(Arc::clone(&target.text), Arc::clone(&id));
        }
        let start = self.places.of(line.at);
        let tool = Part::at(self.places.of(line.tool.at));
        let members = [
            ("id", (Value::from(&*id), Part::at(start))),
            ("tool", (Value::from(&*line.tool.text), tool)),
            ("args", args),
        ];
        (id, build_record(start, members))
    }

    /// Reports what is called like a method of a value.
    fn callable(&mut self, tool: &ScriptName) {
        let Some((value, method)) = tool.text.split_once('.') else {
            return;
        };
        if self.current.contains_key(value) {
            let message = format!("`{value}` is a result, and results have no methods");
            let hint = format!("call a tool with it: `result = tool(data={value}.{method})`");
            self.faults
                .push(ScriptFault::new(tool.at, message).hint(hint));
        }
    }

    fn outputs(&mut self, answer: &ScriptExpression) -> Built {
        match &answer.kind {
            ScriptExpressionKind::Record(members) => self.members(answer.at, members),
            _ => build_record(self.places.of(answer.at), [("result", self.value(answer))]),
        }
    }

    fn members(&mut self, at: usize, members: &[(ScriptName, ScriptExpression)]) -> Built {
        let place = self.places.of(at);
        let member = |(name, expr): &(ScriptName, ScriptExpression)| {
            let (value, mut part) = self.value(expr);
            (part.line, part.column) = self.places.of(name.at);
            (Arc::clone(&name.text), (value, part))
        };
        build_record(place, members.iter().map(member).collect::<Vec<_>>())
    }

    /// A value with the places of its parts. Recursion is bounded by the depth that was read.
    fn value(&mut self, expr: &ScriptExpression) -> Built {
        let place = self.places.of(expr.at);
        match &expr.kind {
            ScriptExpressionKind::Literal(value) => (value.clone(), Part::at(place)),
            ScriptExpressionKind::Reference(name, path, default) => {
                let reference = self.reference(expr.at, name, path);
                let Some(default) = default else {
                    return (reference, Part::at(place));
                };
                let text = reference.get("$ref").cloned().unwrap_or_default();
                let default = self.value(default);
                build_record(
                    place,
                    [("$ref", (text, Part::at(place))), ("default", default)],
                )
            }
            ScriptExpressionKind::Record(members) => self.members(expr.at, members),
            ScriptExpressionKind::List(items) => {
                let items: Vec<Built> = items.iter().map(|item| self.value(item)).collect();
                build_list(place, items)
            }
        }
    }

    fn reference(&mut self, at: usize, name: &str, path: &str) -> Value {
        if let Some(id) = self.current.get(name) {
            return reference_value(id, path);
        }
        if name == "inputs" && !self.broken.contains(name) {
            let fault = ScriptFault::new(at, "a script has no inputs");
            let hint = "write the value, or a plan with `inputs` (docs/plans.md)";
            self.faults.push(fault.hint(hint));
        } else if !self.broken.contains(name) {
            let hint = match nearest_name(name, self.current.keys().map(|name| &**name)) {
                _ if self.first.contains_key(name) => {
                    format!("move the line that assigns `{name}` before this one")
                }
                Some(near) => format!("did you mean `{near}`?"),
                None => "assign it first: `name = tool(..)`; texts need quotes".to_owned(),
            };
            let message = format!("no line before this one assigns `{name}`");
            self.faults.push(ScriptFault::new(at, message).hint(hint));
        }
        reference_value(super::UNKNOWN, "")
    }
}

fn reference_value(id: &str, path: &str) -> Value {
    object! { "$ref" => format!("{id}{path}") }
}

/// Ids that no other step has.
struct StepIds {
    taken: HashSet<Arc<str>>,
    /// Number tried last, by stem.
    last: HashMap<String, usize>,
}

impl Default for StepIds {
    fn default() -> Self {
        Self {
            taken: RESERVED.into_iter().map(Arc::from).collect(),
            last: HashMap::new(),
        }
    }
}

impl StepIds {
    /// The name itself as an id, else with the first number from 2 that makes one.
    fn fresh(&mut self, name: &str) -> Arc<str> {
        let stem = id_base(name);
        let last = self.last.entry(stem.clone()).or_insert(0);
        loop {
            *last += 1;
            let suffix = if *last == 1 {
                String::new()
            } else {
                format!("_{last}")
            };
            let kept = stem.len().min(ID_BYTES_MAX - suffix.len());
            let id: Arc<str> = format!("{}{suffix}", &stem[..kept]).into();
            if self.taken.insert(Arc::clone(&id)) {
                return id;
            }
        }
    }
}

/// A name in the form of an id.
fn id_base(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    let mut id: String = name.chars().map(plain).take(ID_BYTES_MAX - 1).collect();
    if !id.starts_with(|c: char| c.is_ascii_lowercase()) {
        id.insert(0, 'v');
    }
    id
}
