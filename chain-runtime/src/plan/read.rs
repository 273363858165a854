//! From a value to a [`Plan`]: closed objects, known fields, limits. Reading goes on after a problem, so that all are found.

use std::collections::HashMap;
use std::sync::Arc;

use tool_core::brief;
use tool_core::nearest::nearest;
use tool_core::path::{push_index, push_key};
use tool_core::{Object, Seed, Value, convert};

use super::{Budget, Defaults, Mode, NAMES_MAX, Plan, STEPS_MAX, Step, VERSION};
use crate::problem::{Fault, PlanProblem, Problems};
use crate::template::DEPTH_MAX;

/// Largest whole number that a double holds with all below it.
pub(crate) const INTEGER_MAX: i64 = 1 << 53;
/// Roots of references that are no step.
pub(crate) const RESERVED: [&str; 3] = ["inputs", "item", "index"];
pub(crate) const PLAN_FIELDS: [&str; 12] = [
    "version",
    "id",
    "description",
    "inputs",
    "seed",
    "mode",
    "barrier",
    "parallel_mutations",
    "budget",
    "deadline_ms",
    "steps",
    "outputs",
];
pub(crate) const BUDGET_FIELDS: [&str; 6] = [
    "steps",
    "wall_ms",
    "cpu_ms",
    "bytes_out",
    "artifact_bytes",
    "cost",
];
pub(crate) const INPUT_FIELDS: [&str; 6] = [
    "type",
    "default",
    "minimum",
    "maximum",
    "enum",
    "description",
];

/// Reads a plan; what is wrong with its form is kept in it.
pub(super) fn read(value: &Value) -> Plan {
    let mut reader = Reader::default();
    let mut plan = Plan {
        id: "plan".into(),
        inputs: Vec::new(),
        seed: Seed::DEFAULT,
        mode: None,
        barrier: false,
        parallel_mutations: None,
        budget: Budget::default(),
        deadline_ms: None,
        steps: Vec::new(),
        outputs: Vec::new(),
        defaults: Defaults::default(),
        digest: String::new(),
        source: value.clone(),
        faults: Problems::default(),
        is_script: false,
        document: None,
    };
    if deeper_than(value, DEPTH_MAX) {
        reader.report(
            Fault::Limit,
            format!("a plan is nested at most {DEPTH_MAX} deep"),
        );
    } else if let Some(object) = value.as_object() {
        reader.plan(object, &mut plan);
        plan.digest = registry::digest::of_value(value);
    } else {
        reader.report(
            Fault::Form,
            format!("expected a plan (an object), found {}", value.kind()),
        );
    }
    plan.faults = reader.problems;
    plan
}

/// Whether a value is nested deeper; recursion stops at the limit. A block of numbers counts its dimensions.
fn deeper_than(value: &Value, limit: usize) -> bool {
    match value {
        Value::Array(items) => limit == 0 || items.iter().any(|item| deeper_than(item, limit - 1)),
        Value::Object(object) => {
            limit == 0
                || object
                    .iter()
                    .any(|(_, member)| deeper_than(member, limit - 1))
        }
        Value::Numbers(numbers) => numbers.rank() > limit,
        _ => false,
    }
}

/// Whether a name has the form `[a-z][a-z0-9_]{0,63}`.
pub(super) fn is_id(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

#[derive(Default)]
pub(super) struct Reader {
    pub(super) pointer: String,
    pub(super) problems: Problems,
}

impl Reader {
    pub(super) fn report(&mut self, fault: Fault, message: String) {
        self.problems
            .push(PlanProblem::new(fault, self.pointer.as_str(), message));
    }

    pub(super) fn hinted(&mut self, fault: Fault, message: String, hint: impl std::fmt::Display) {
        self.problems
            .push(PlanProblem::new(fault, self.pointer.as_str(), message).hint(hint));
    }

    pub(super) fn under<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        push_key(&mut self.pointer, key);
        let result = read(self);
        self.pointer.truncate(length);
        result
    }

    pub(super) fn item<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        push_index(&mut self.pointer, index);
        let result = read(self);
        self.pointer.truncate(length);
        result
    }

    /// Reports every field that is not known.
    pub(super) fn closed(&mut self, object: &Object, known: &[&str], what: &str) {
        for (key, _) in object.iter().filter(|(key, _)| !known.contains(key)) {
            self.under(key, |reader| {
                let problem = PlanProblem::new(
                    Fault::Form,
                    reader.pointer.as_str(),
                    format_args!("{what} has no field `{}`", brief::name(key)),
                )
                .hint(format_args!("the fields are {}", known.join(", ")));
                let near = match reader.problems.is_full() {
                    true => None,
                    false => nearest(key, known.iter().copied()),
                };
                let problem = problem.near(near);
                reader.problems.push(problem);
            });
        }
    }

    /// A field that must be of a kind; absent is `None`, and so is what does not fit, after a report.
    pub(super) fn field<T>(
        &mut self,
        object: &Object,
        key: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = object.get(key)?;
        let found = read(value);
        if found.is_none() {
            self.under(key, |reader| {
                reader.report(
                    Fault::Form,
                    format!("expected {expected} for `{key}`, found {}", value.kind()),
                );
            });
        }
        found
    }

    fn plan(&mut self, object: &Object, plan: &mut Plan) {
        self.closed(object, &PLAN_FIELDS, "a plan");
        match object.get("version") {
            Some(version) if version.as_i64() == Some(VERSION) => {}
            Some(version) => {
                let found = version.kind();
                self.under("version", |reader| {
                    reader.report(
                        Fault::Form,
                        format!("expected `version` {VERSION}, found {found}"),
                    );
                });
            }
            None => self.hinted(
                Fault::Form,
                "`version` is missing".to_owned(),
                "write `version: 1`",
            ),
        }
        let seed = |value: &Value| convert::from_value::<Seed>(value).ok();
        if let Some(id) = self.field(object, "id", "a text", |value| {
            value.as_str().map(Arc::from)
        }) {
            plan.id = self.under("id", |reader| reader.id(id, &[]));
        }
        plan.seed = self
            .field(object, "seed", "a 64-bit integer", seed)
            .unwrap_or(Seed::DEFAULT);
        let mode = |value: &Value| Mode::parse(value.as_str()?);
        plan.mode = self.field(object, "mode", "`dep` or `seq`", mode);
        plan.barrier = self
            .field(object, "barrier", "true or false", Value::as_bool)
            .unwrap_or(false);
        plan.parallel_mutations = self.field(
            object,
            "parallel_mutations",
            "true or false",
            Value::as_bool,
        );
        self.field(object, "description", "a text", |value| {
            value.as_str().map(str::len)
        });
        plan.deadline_ms = self.positive(object, "deadline_ms");
        if let Some(budget) = self.field(object, "budget", "an object of limits", |v| {
            v.as_object().cloned()
        }) {
            plan.budget = self.under("budget", |reader| reader.budget(&budget));
        }
        if let Some(inputs) = self.field(object, "inputs", "an object of inputs", |v| {
            v.as_object().cloned()
        }) {
            plan.inputs = self.under("inputs", |reader| reader.inputs(&inputs));
        }
        match object.get("steps") {
            Some(_) => {
                if let Some(steps) = self.field(object, "steps", "a list of steps", Value::items) {
                    plan.steps = self.under("steps", |reader| reader.steps(&steps));
                }
            }
            None => self.hinted(
                Fault::Form,
                "`steps` is missing".to_owned(),
                "write `steps: [{id: .., tool: .., args: ..}]`",
            ),
        }
        if let Some(outputs) = self.field(object, "outputs", "an object of outputs", |v| {
            v.as_object().cloned()
        }) {
            plan.outputs = self.under("outputs", |reader| reader.outputs(&outputs));
        }
    }

    fn budget(&mut self, budget: &Object) -> Budget {
        self.closed(budget, &BUDGET_FIELDS, "a budget");
        Budget {
            steps: self.positive(budget, "steps"),
            wall_ms: self.positive(budget, "wall_ms"),
            cpu_ms: self.positive(budget, "cpu_ms"),
            bytes_out: self.positive(budget, "bytes_out"),
            artifact_bytes: self.positive(budget, "artifact_bytes"),
            cost: self.positive(budget, "cost"),
        }
    }

    /// A whole number, at least 1 and at most 2^53; one beyond is reported as that.
    pub(super) fn positive(&mut self, object: &Object, key: &str) -> Option<u64> {
        let beyond = |value: &Value| {
            let number = value.as_f64();
            value.as_i64().is_none() && number.is_some_and(|number| number > INTEGER_MAX as f64)
        };
        if object.get(key).is_some_and(beyond) {
            self.under(key, |reader| {
                reader.hinted(
                    Fault::Limit,
                    format!("`{key}` is at most {INTEGER_MAX}"),
                    "leave it out for no limit",
                );
            });
            return None;
        }
        self.field(object, key, "a whole number, at least 1", |value| {
            let number = value.as_i64().filter(|&number| number > 0)?;
            u64::try_from(number).ok()
        })
    }

    pub(super) fn id(&mut self, id: Arc<str>, reserved: &[&str]) -> Arc<str> {
        if reserved.contains(&&*id) {
            self.hinted(
                Fault::Id,
                format!("`{id}` is reserved"),
                "references use it for something else; choose another id",
            );
        } else if !is_id(&id) {
            let shown = brief::name(&id);
            self.hinted(
                Fault::Id,
                format!("`{shown}` is no id"),
                "an id starts with a-z, goes on with a-z, 0-9 and _, and has at most 64 characters",
            );
            // What follows speaks of it too.
            return shown.into();
        }
        id
    }

    /// Whether there are not too many names.
    pub(super) fn few(&mut self, object: &Object, what: &str) -> bool {
        let few = object.len() <= NAMES_MAX;
        if !few {
            let found = object.len();
            self.report(
                Fault::Limit,
                format!("a plan has at most {NAMES_MAX} {what}, found {found}"),
            );
        }
        few
    }

    fn steps(&mut self, items: &[Value]) -> Vec<Step> {
        if items.len() > STEPS_MAX {
            self.report(
                Fault::Limit,
                format!(
                    "a plan has at most {STEPS_MAX} steps, found {}",
                    items.len()
                ),
            );
            return Vec::new();
        }
        let mut first: HashMap<Arc<str>, usize> = HashMap::with_capacity(items.len());
        let mut steps = Vec::with_capacity(items.len());
        for (index, value) in items.iter().enumerate() {
            let step = self.item(index, |reader| reader.step(value));
            if step.id.is_empty() {
                // reported as missing
            } else if let Some(before) = first.get(&step.id) {
                self.problems.push(
                    PlanProblem::new(
                        Fault::Id,
                        format!("/steps/{index}/id"),
                        format_args!("two steps have the id `{}`", step.id),
                    )
                    .hint(format_args!(
                        "the first is step {before} (from 0); rename one"
                    )),
                );
            } else {
                first.insert(Arc::clone(&step.id), index);
            }
            steps.push(step);
        }
        steps
    }
}
