//! Reads a value as a [`Plan`]: parts that violate the schema are reported and dropped, the rest is read and checked further.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::sync::Arc;

use tool_core::path::{push_index, push_key};
use tool_core::schema::{SchemaViolation, document_violations};
use tool_core::{Object, Value, brief, convert};

use super::pictures::{PictureFault, picture_steps};
use super::{Plan, PlanStep, RESERVED, schema};
use crate::problem::{Fault, PlanProblem, PlanProblems};
use crate::template::{ArgumentNode, DEPTH_MAX};

/// Reads a plan; problems of its form are collected in it.
pub(super) fn read_plan(value: &Value) -> Plan {
    let mut reader = PlanReader::default();
    let mut plan = Plan::default();
    if deeper_than(value, DEPTH_MAX) {
        let message = format_args!("a plan is nested at most {DEPTH_MAX} deep");
        reader.report(Fault::Limit, message, None);
    } else {
        plan = reader.typed(value);
        reader.plan(&mut plan);
        plan.digest = registry::digest::of_value(value);
    }
    if plan.id.is_empty() {
        plan.id = "plan".into();
    }
    plan.source = value.clone();
    plan.faults = reader.problems;
    plan
}

/// Whether a value is nested deeper; recursion stops at the limit. A block of numbers counts its dimensions.
fn deeper_than(value: &Value, limit: usize) -> bool {
    let deeper = |below: &Value| limit == 0 || deeper_than(below, limit - 1);
    match value {
        Value::Array(items) => limit == 0 || items.iter().any(deeper),
        Value::Object(object) => limit == 0 || object.iter().any(|(_, member)| deeper(member)),
        Value::Numbers(numbers) => numbers.rank() > limit,
        _ => false,
    }
}

/// Whether a name has the form `[a-z][a-z0-9_]{0,63}`.
pub(super) fn is_id(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(plain)
}

/// A value without the parts at these pointers. A step leaves an empty object, so that the others keep their places.
fn remove_faulty_parts(value: &Value, faulty: &HashSet<&str>, pointer: &mut String) -> Value {
    let length = pointer.len();
    match value {
        Value::Object(object) => {
            let mut kept = Object::new();
            for (key, member) in object.iter() {
                push_key(pointer, key);
                if !faulty.contains(pointer.as_str()) {
                    kept.push_unique(key.into(), remove_faulty_parts(member, faulty, pointer));
                }
                pointer.truncate(length);
            }
            Value::Object(Arc::new(kept))
        }
        Value::Array(items) => {
            let mut kept = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                push_index(pointer, index);
                match faulty.contains(pointer.as_str()) {
                    true if &pointer[..length] != "/steps" => {}
                    true => kept.push(Value::object::<&str, Value>([])),
                    false => kept.push(remove_faulty_parts(item, faulty, pointer)),
                }
                pointer.truncate(length);
            }
            Value::array(kept)
        }
        other => other.clone(),
    }
}

#[derive(Default)]
struct PlanReader {
    pointer: String,
    problems: PlanProblems,
    /// Pointers of what the schema refused.
    refused: HashSet<String>,
    /// Pointers of objects without a required key.
    incomplete: HashSet<String>,
}

impl PlanReader {
    fn report(&mut self, fault: Fault, message: impl Display, hint: Option<&str>) {
        let problem = PlanProblem::new(fault, &self.pointer, message);
        let problem = problem.hint_some(hint.map(str::to_owned));
        self.problems.push(problem);
    }

    fn under<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        push_key(&mut self.pointer, key);
        let result = read(self);
        self.pointer.truncate(length);
        result
    }

    fn item<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        self.under(&index.to_string(), read)
    }

    /// Whether the schema reported the key at the pointer as wrong or missing.
    fn is_reported(&self) -> bool {
        let table = self.pointer.rsplit_once('/').map_or("", |(table, _)| table);
        self.refused.contains(&self.pointer) || self.incomplete.contains(table)
    }

    /// Reads what has the form of the schema; the rest is reported and has its default.
    fn typed(&mut self, value: &Value) -> Plan {
        let violations = document_violations(schema::shared_plan_schema(), value);
        let (missing, refused): (Vec<&SchemaViolation>, Vec<&SchemaViolation>) =
            violations.iter().partition(|one| one.keyword == "required");
        self.incomplete = missing.iter().map(|one| one.path.clone()).collect();
        let faulty: HashSet<&str> = refused.iter().map(|one| &*one.path).collect();
        let sound = match violations.is_empty() {
            true => value.clone(),
            false if faulty.contains("") => Value::object::<&str, Value>([]),
            false => remove_faulty_parts(value, &faulty, &mut String::new()),
        };
        self.refused = faulty.into_iter().map(str::to_owned).collect();
        for violation in violations {
            self.problems.push(problem_of(violation));
        }
        convert::from_value(&sound).unwrap_or_else(|problem| {
            let message = format!("{}: {}", problem.path, problem.message);
            self.report(Fault::Form, message, None);
            Plan::default()
        })
    }

    /// Checks what a schema cannot say, and compiles references and conditions.
    fn plan(&mut self, plan: &mut Plan) {
        self.under("id", |reader| reader.id(&mut plan.id, &[]));
        self.under("inputs", |reader| {
            for input in &mut plan.inputs {
                let key = Arc::clone(&input.name);
                reader.under(&key, |reader| {
                    reader.id(&mut input.name, &[]);
                    for (key, message, hint) in input.contradictions() {
                        let report =
                            |reader: &mut Self| reader.report(Fault::Input, message, Some(hint));
                        reader.under(key, report);
                    }
                });
            }
        });
        self.under("steps", |reader| {
            reader.pictures(plan);
            for (index, step) in plan.steps.iter_mut().enumerate() {
                reader.item(index, |reader| reader.step(step));
            }
            reader.unique(&plan.steps);
        });
        self.under("outputs", |reader| reader.outputs(&mut plan.outputs));
    }

    /// Adds the calls that `out` stands for, after all steps: the others keep their places.
    fn pictures(&mut self, plan: &mut Plan) {
        let mut added = Vec::new();
        for (index, step) in plan.steps.iter_mut().enumerate() {
            match picture_steps(step) {
                Ok(steps) => {
                    plan.drawn.extend(steps.iter().map(|_| index));
                    added.extend(steps);
                }
                Err(PictureFault { message, hint }) => self.item(index, |reader| {
                    reader.under("out", |reader| {
                        reader.report(Fault::Form, message, Some(hint))
                    });
                }),
            }
        }
        plan.steps.append(&mut added);
    }

    fn unique(&mut self, steps: &[PlanStep]) {
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(steps.len());
        let steps = steps.iter().enumerate();
        for (index, step) in steps.filter(|(_, step)| !step.id.is_empty()) {
            let before = *first.entry(&step.id).or_insert(index);
            if before != index {
                let message = format!("two steps have the id `{}`", step.id);
                let hint = format!("the first is step {before} (from 0); rename one");
                let report = |reader: &mut Self| reader.report(Fault::Id, message, Some(&hint));
                self.item(index, |reader| reader.under("id", report));
            }
        }
    }

    /// Checks an id that is there; in place of a long one the beginning is used, since what follows speaks of it too.
    fn id(&mut self, id: &mut Arc<str>, reserved: &[&str]) {
        if id.is_empty() && (self.is_reported() || self.pointer == "/id") {
            return;
        }
        if reserved.contains(&&**id) {
            let hint = "references use it for something else; choose another id";
            self.report(Fault::Id, format!("`{id}` is reserved"), Some(hint));
        } else if !is_id(id) {
            *id = brief::brief_name(id).into();
            let hint = "an id starts with a-z, continues with a-z, 0-9 and _, and has at most 64 characters";
            self.report(Fault::Id, format!("`{id}` is not a valid id"), Some(hint));
        }
    }

    fn step(&mut self, step: &mut PlanStep) {
        self.under("id", |reader| reader.id(&mut step.id, &RESERVED));
        self.under("args", |reader| reader.compile(&mut step.args));
        if let Some(mut when) = step.when.take() {
            self.under("when", |reader| match when.compile(&reader.pointer) {
                Ok(()) => step.when = Some(when),
                Err(message) => {
                    let hint = "a condition compares references and literals with == != < <= > >=, joined by && || !, with len() and defined()";
                    reader.report(Fault::Condition, message, Some(hint));
                }
            });
        }
        if let Some(map) = &mut step.map {
            self.under("map", |reader| {
                reader.under("over", |reader| reader.compile(&mut map.over));
                if &*map.name != "item" {
                    reader.under("as", |reader| {
                        reader.id(&mut map.name, &["inputs", "index"])
                    });
                }
            });
        }
        if let Some(undo) = &mut step.compensate {
            self.under("compensate", |reader| {
                reader.under("args", |reader| reader.compile(&mut undo.args));
            });
        }
    }

    fn compile(&mut self, node: &mut ArgumentNode) {
        if let ArgumentNode::Literal(value) = node {
            *node = ArgumentNode::compile(value, &mut self.pointer, &mut self.problems);
        }
    }

    fn outputs(&mut self, outputs: &mut Vec<(Arc<str>, ArgumentNode)>) {
        if let [(name, _)] = &outputs[..]
            && ["$ref", "$lit", "$fmt"].contains(&&**name)
        {
            let message = "expected outputs by name, found a single value";
            let hint = "write `outputs: {result: {$ref: ..}}`";
            self.report(Fault::Form, message, Some(hint));
            outputs.clear();
        }
        for (name, node) in outputs {
            let name = Arc::clone(name);
            self.under(&name, |reader| {
                if let ArgumentNode::Literal(value) = node {
                    reader.opens_nothing(&value.clone());
                }
                reader.compile(node);
            });
        }
    }

    /// Outputs are data: an object that opens a file as an argument would be part of the answer as written.
    fn opens_nothing(&mut self, value: &Value) {
        if let Some(object) = value.as_object() {
            if object.get("$lit").is_some() {
                return;
            }
            let opens = |key: &&&str| object.get(key).is_some();
            if let Some(key) = ["$file", "$artifact"].iter().find(opens) {
                let message = format!("`{key}` opens nothing in an output");
                let hint = "read it with a step, or wrap it as it is: {$lit: ..}";
                return self.report(Fault::Form, message, Some(hint));
            }
            for (key, member) in object.iter() {
                self.under(key, |reader| reader.opens_nothing(member));
            }
        } else if let Value::Array(items) = value {
            for (index, item) in items.iter().enumerate() {
                self.item(index, |reader| reader.opens_nothing(item));
            }
        }
    }
}

/// A violation of the schema as a problem of the plan.
fn problem_of(violation: SchemaViolation) -> PlanProblem {
    let last = violation.path.rsplit('/').next().unwrap_or_default();
    let fault = match (last, violation.keyword) {
        ("place", _) => Fault::Place,
        ("when", _) => Fault::Condition,
        (_, "maximum" | "maxItems" | "maxProperties") => Fault::Limit,
        _ => Fault::Form,
    };
    let message = match fault {
        Fault::Place => format!("there is no such place: {}", violation.message),
        _ => violation.message,
    };
    PlanProblem::new(fault, violation.path, message).hint_some(violation.hint)
}
