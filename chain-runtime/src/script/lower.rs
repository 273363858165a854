//! Translation of calls to the value of a plan: names become ids of steps, a new one for every assignment.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use registry::document::Part;
use tool_core::nearest::nearest;
use tool_core::{Object, Value};

use super::faults::{Fault, Faults, Places};
use super::tree::{Expr, Kind, Line, Name, Script};
use crate::plan::{NAMES_MAX, RESERVED, VERSION};

/// Longest id of a step.
const ID_BYTES_MAX: usize = 64;

/// The value of the plan, and where its parts were written.
pub(super) fn document(
    name: &str,
    text: &str,
    script: &Script,
    faults: &mut Faults,
) -> (Value, Part) {
    let mut lowering = Lowering {
        places: Places::new(text),
        ids: Ids::default(),
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
    let mut steps = Built::at((1, 1));
    let mut ids = Vec::with_capacity(script.calls.len());
    let mut items = Vec::with_capacity(script.calls.len());
    for line in &script.calls {
        let (id, step, parts) = lowering.step(line);
        ids.push(id);
        items.push(step);
        steps.part.children.push(parts);
    }
    let stem = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.strip_suffix(super::ENDING).unwrap_or(stem);
    let mut plan = Built::at((1, 1));
    plan.member("version", Value::from(VERSION), Part::at((1, 1)));
    plan.member("id", Value::from(base(stem)), Part::at((1, 1)));
    plan.member("steps", Value::array(items), steps.part);
    let (outputs, parts) = match &script.answer {
        Some(answer) => lowering.outputs(answer),
        None => {
            if ids.len() > NAMES_MAX {
                let (message, found) = (
                    "a script without `return` answers with every result",
                    ids.len(),
                );
                let message = format!("{message}, at most {NAMES_MAX}; found {found}");
                let hint = "end it with what it answers: `return {\"mean\": a.mean}`";
                lowering
                    .faults
                    .push(Fault::new(text.len(), message).hint(hint));
            }
            let mut all = Built::at((1, 1));
            for (id, line) in ids.iter().zip(&script.calls).take(NAMES_MAX) {
                let place = lowering.places.of(line.at);
                all.member(id, reference(id, ""), Part::at(place));
            }
            all.finish()
        }
    };
    plan.member("outputs", outputs, parts);
    plan.finish()
}

/// An object that is put together with its places.
struct Built {
    object: Object,
    part: Part,
}

impl Built {
    fn at(place: (u32, u32)) -> Self {
        Self {
            object: Object::new(),
            part: Part::at(place),
        }
    }

    /// Adds a member; its place is that of its key, its parts those of its value.
    fn member(&mut self, key: &str, value: Value, part: Part) {
        self.object.push_unique(key.into(), value);
        self.part.children.push(part);
    }

    fn finish(self) -> (Value, Part) {
        (Value::Object(Arc::new(self.object)), self.part)
    }
}

struct Lowering<'a> {
    places: Places<'a>,
    ids: Ids,
    /// The id of the first version of each name.
    first: HashMap<Arc<str>, Arc<str>>,
    /// The id of the version that a name means now.
    current: HashMap<Arc<str>, Arc<str>>,
    broken: HashSet<Arc<str>>,
    faults: &'a mut Faults,
}

impl Lowering<'_> {
    fn step(&mut self, line: &Line) -> (Arc<str>, Value, Part) {
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
        let mut step = Built::at(start);
        step.member("id", Value::from(&*id), Part::at(start));
        let tool = Part::at(self.places.of(line.tool.at));
        step.member("tool", Value::from(&*line.tool.text), tool);
        step.member("args", args.0, args.1);
        let (value, part) = step.finish();
        (id, value, part)
    }

    /// Reports what is called like a method of a value.
    fn callable(&mut self, tool: &Name) {
        let Some((value, method)) = tool.text.split_once('.') else {
            return;
        };
        if self.current.contains_key(value) {
            let message = format!("`{value}` is a result, and results have no methods");
            let hint = format!("call a tool with it: `result = tool(data={value}.{method})`");
            self.faults.push(Fault::new(tool.at, message).hint(hint));
        }
    }

    fn outputs(&mut self, answer: &Expr) -> (Value, Part) {
        match &answer.kind {
            Kind::Record(members) => self.members(answer.at, members),
            _ => {
                let (value, part) = self.value(answer);
                let mut outputs = Built::at(self.places.of(answer.at));
                outputs.member("result", value, part);
                outputs.finish()
            }
        }
    }

    fn members(&mut self, at: usize, members: &[(Name, Expr)]) -> (Value, Part) {
        let mut built = Built::at(self.places.of(at));
        for (name, expr) in members {
            let (value, mut part) = self.value(expr);
            (part.line, part.column) = self.places.of(name.at);
            built.member(&name.text, value, part);
        }
        built.finish()
    }

    /// A value with the places of its parts. Recursion is bounded by the depth that was read.
    fn value(&mut self, expr: &Expr) -> (Value, Part) {
        match &expr.kind {
            Kind::Literal(value) => (value.clone(), Part::at(self.places.of(expr.at))),
            Kind::Reference(name, path, default) => {
                let part = Part::at(self.places.of(expr.at));
                let reference = self.reference(expr.at, name, path);
                let (Value::Object(object), Some(default)) = (&reference, default) else {
                    return (reference, part);
                };
                let (value, below) = self.value(default);
                let mut whole = Built {
                    object: Object::clone(object),
                    part: Part {
                        children: vec![part.clone()],
                        ..part
                    },
                };
                whole.member("default", value, below);
                whole.finish()
            }
            Kind::Record(members) => self.members(expr.at, members),
            Kind::List(items) => {
                let mut part = Part::at(self.places.of(expr.at));
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    let (value, below) = self.value(item);
                    values.push(value);
                    part.children.push(below);
                }
                (Value::array(values), part)
            }
        }
    }

    fn reference(&mut self, at: usize, name: &str, path: &str) -> Value {
        if let Some(id) = self.current.get(name) {
            return reference(id, path);
        }
        if name == "inputs" && !self.broken.contains(name) {
            let fault = Fault::new(at, "a script has no inputs");
            let hint = "write the value, or a plan with `inputs` (docs/plans.md)";
            self.faults.push(fault.hint(hint));
        } else if !self.broken.contains(name) {
            let hint = match nearest(name, self.current.keys().map(|name| &**name)) {
                _ if self.first.contains_key(name) => {
                    format!("move the line that assigns `{name}` before this one")
                }
                Some(near) => format!("did you mean `{near}`?"),
                None => "assign it first: `name = tool(..)`; texts need quotes".to_owned(),
            };
            let message = format!("no line before this one assigns `{name}`");
            self.faults.push(Fault::new(at, message).hint(hint));
        }
        reference(super::UNKNOWN, "")
    }
}

fn reference(id: &str, path: &str) -> Value {
    Value::object([("$ref", format!("{id}{path}"))])
}

/// Ids that no other step has.
struct Ids {
    taken: HashSet<Arc<str>>,
    /// Number tried last, by stem.
    last: HashMap<String, usize>,
}

impl Default for Ids {
    fn default() -> Self {
        Self {
            taken: RESERVED.into_iter().map(Arc::from).collect(),
            last: HashMap::new(),
        }
    }
}

impl Ids {
    /// The name itself as an id, else with the first number from 2 that makes one.
    fn fresh(&mut self, name: &str) -> Arc<str> {
        let stem = base(name);
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
fn base(name: &str) -> String {
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
