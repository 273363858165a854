//! One step as it is written: what is called, when, how often, and what follows a failure.

use std::sync::Arc;

use tool_core::{Object, Value};

use super::read::{RESERVED, Reader};
use super::{OnError, Retry};
use crate::condition::Condition;
use crate::problem::{Fault, PlanProblem};
use crate::template::Node;

/// Most items of one map; with all others they count as steps.
pub const ITEMS_MAX: usize = super::STEPS_MAX;
/// What a compensation is called in records, after the id of its step.
pub const COMPENSATE_SUFFIX: &str = "!compensate";

pub(crate) const STEP_FIELDS: [&str; 14] = [
    "id",
    "tool",
    "args",
    "after",
    "when",
    "map",
    "retry",
    "timeout_ms",
    "deadline_ms",
    "cost_ms",
    "approval",
    "on_error",
    "compensate",
    "place",
];
pub(crate) const MAP_FIELDS: [&str; 5] = ["over", "as", "max", "concurrency", "on_item_error"];
/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its name; unique in the plan.
    pub id: Arc<str>,
    /// The tool, as written.
    pub tool: Arc<str>,
    /// The arguments.
    pub args: Node,
    /// Steps that must have ended before.
    pub after: Vec<Arc<str>>,
    /// Without it holding, the step is skipped.
    pub when: Option<Condition>,
    /// Calls the tool for every element of a list.
    pub map: Option<Map>,
    /// What is tried again.
    pub retry: Retry,
    /// Longest run of one attempt in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Longest run of all attempts and waits together.
    pub deadline_ms: Option<u64>,
    /// How long it is expected to run; steps with the longest way behind them go first.
    pub cost_ms: Option<u64>,
    /// Whether a person is asked.
    pub approval: Approval,
    /// What its failure means for the others.
    pub on_error: Option<OnError>,
    /// What undoes it when the chain fails later.
    pub compensate: Option<Compensate>,
}

/// The same call for every element of a list.
#[derive(Debug, Clone)]
pub struct Map {
    /// The list.
    pub over: Node,
    /// What references call the element.
    pub name: Arc<str>,
    /// Most elements.
    pub max: usize,
    /// Calls that run together; `None`: as many as the machine takes.
    pub concurrency: Option<usize>,
    /// What an element that fails means.
    pub on_item_error: OnItemError,
}

/// What an element that fails means for its map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnItemError {
    /// The step fails with the error of the first such element.
    #[default]
    Fail,
    /// The result has `{ok, value, error}` for every element.
    Collect,
}

impl OnItemError {
    /// Every member.
    pub const ALL: [Self; 2] = [Self::Fail, Self::Collect];

    /// The spelling in plans.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Collect => "collect",
        }
    }
}

/// Whether a person is asked before a step; a plan asks more than the policy does, never less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Approval {
    /// As the policy says.
    #[default]
    Auto,
    /// Always.
    Required,
    /// Nobody: what would ask is denied.
    NeverAsk,
}

impl Approval {
    /// Every member.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Required, Self::NeverAsk];

    /// The spelling in plans.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Required => "required",
            Self::NeverAsk => "never-ask",
        }
    }
}

/// What undoes a step.
#[derive(Debug, Clone)]
pub struct Compensate {
    /// The tool, as written.
    pub tool: Arc<str>,
    /// Its arguments; they may use the output of the step itself.
    pub args: Node,
}

impl Reader {
    pub(super) fn step(&mut self, value: &Value) -> Step {
        let mut step = Step {
            id: "".into(),
            tool: "".into(),
            args: no_args(),
            after: Vec::new(),
            when: None,
            map: None,
            retry: Retry::default(),
            timeout_ms: None,
            deadline_ms: None,
            cost_ms: None,
            approval: Approval::default(),
            on_error: None,
            compensate: None,
        };
        let Some(object) = value.as_object() else {
            self.hinted(
                Fault::Form,
                format!("expected a step (an object), found {}", value.kind()),
                "write `{id: fit, tool: linear_regression, args: {..}}`",
            );
            return step;
        };
        self.closed(object, &STEP_FIELDS, "a step");
        if let Some(id) = self.required(object, "id") {
            step.id = self.under("id", |reader| reader.id(id, &RESERVED));
        }
        if let Some(tool) = self.required(object, "tool") {
            step.tool = tool;
        }
        if let Some(args) = object.get("args") {
            step.args = self.under("args", |reader| reader.args(args));
        }
        step.after = self.after(object);
        step.when = object
            .get("when")
            .and_then(|when| self.under("when", |reader| reader.when(when)));
        step.map = object
            .get("map")
            .and_then(|map| self.under("map", |reader| reader.map(map)));
        if let Some(retry) = object.get("retry") {
            step.retry = self.under("retry", |reader| reader.retry(retry));
        }
        step.timeout_ms = self.positive(object, "timeout_ms");
        step.deadline_ms = self.positive(object, "deadline_ms");
        step.cost_ms = self.positive(object, "cost_ms");
        step.approval = self
            .field(
                object,
                "approval",
                "`auto`, `required` or `never-ask`",
                |value| {
                    let text = value.as_str()?;
                    Approval::ALL.into_iter().find(|one| one.as_str() == text)
                },
            )
            .unwrap_or_default();
        step.on_error = self.field(
            object,
            "on_error",
            "`fail_chain`, `skip_dependents` or `continue`",
            |value| OnError::parse(value.as_str()?),
        );
        step.compensate = object
            .get("compensate")
            .and_then(|value| self.under("compensate", |reader| reader.compensate(value)));
        if let Some(place) = object.get("place") {
            self.under("place", |reader| reader.place(place));
        }
        step
    }

    fn required(&mut self, object: &Object, key: &str) -> Option<Arc<str>> {
        if object.get(key).is_none() {
            self.report(Fault::Form, format!("the step has no `{key}`"));
        }
        let found = self.field(object, key, "a text", |value| {
            value.as_str().map(Arc::<str>::from)
        });
        if key == "tool" && found.as_deref() == Some("") {
            self.under(key, |reader| {
                reader.hinted(
                    Fault::Form,
                    "expected the name of a tool, found an empty text".to_owned(),
                    "`mathchain tools list` shows the tools",
                );
            });
        }
        found
    }

    fn args(&mut self, args: &Value) -> Node {
        if args.as_object().is_none() {
            self.report(
                Fault::Form,
                format!("expected the arguments as an object, found {}", args.kind()),
            );
        }
        Node::compile(args, &mut self.pointer, &mut self.problems)
    }

    fn after(&mut self, object: &Object) -> Vec<Arc<str>> {
        let one_or_more = |value: &Value| match value.as_str() {
            Some(id) => Some(vec![Arc::from(id)]),
            None => value
                .items()?
                .iter()
                .map(|item| item.as_str().map(Arc::from))
                .collect(),
        };
        self.field(
            object,
            "after",
            "the id of a step, or a list of them",
            one_or_more,
        )
        .unwrap_or_default()
    }

    /// `when: "a.x > 1"`, also as `when: {expr: "a.x > 1"}`.
    fn when(&mut self, when: &Value) -> Option<Condition> {
        let text = match when.as_object() {
            Some(object) => {
                self.closed(object, &["expr"], "a condition");
                object.get("expr")
            }
            None => Some(when),
        };
        let Some(text) = text.and_then(Value::as_str) else {
            self.hinted(
                Fault::Condition,
                format!("expected the text of a condition, found {}", when.kind()),
                "write `when: \"fit.r2 > 0.9\"`",
            );
            return None;
        };
        Condition::parse(text, &self.pointer)
            .map_err(|message| {
                self.hinted(
                    Fault::Condition,
                    message,
                    "a condition compares references and literals with == != < <= > >=, joined by && || !, with len() and defined()",
                );
            })
            .ok()
    }

    fn map(&mut self, value: &Value) -> Option<Map> {
        let Some(object) = value.as_object() else {
            self.hinted(
                Fault::Form,
                format!("expected a map (an object), found {}", value.kind()),
                "write `map: {over: [1, 2, 3], as: item}`",
            );
            return None;
        };
        self.closed(object, &MAP_FIELDS, "a map");
        let over = match object.get("over") {
            Some(over) => self.under("over", |reader| {
                Node::compile(over, &mut reader.pointer, &mut reader.problems)
            }),
            None => {
                self.hinted(
                    Fault::Form,
                    "the map has no `over`".to_owned(),
                    "write `over: [1, 2, 3]`, or a reference to a list",
                );
                return None;
            }
        };
        let name = self.field(object, "as", "a text", |value| {
            value.as_str().map(Arc::from)
        });
        let name = match name {
            Some(name) if &*name != "item" => {
                self.under("as", |reader| reader.id(name, &["inputs", "index"]))
            }
            _ => "item".into(),
        };
        let count = |reader: &mut Self, key: &str| {
            let found = reader.positive(object, key)?;
            if found > ITEMS_MAX as u64 {
                reader.under(key, |reader| {
                    reader.report(
                        Fault::Limit,
                        format!("`{key}` is at most {ITEMS_MAX}, found {found}"),
                    );
                });
            }
            usize::try_from(found).ok()
        };
        Some(Map {
            over,
            name,
            max: count(self, "max").unwrap_or(ITEMS_MAX).min(ITEMS_MAX),
            concurrency: count(self, "concurrency"),
            on_item_error: self
                .field(object, "on_item_error", "`fail` or `collect`", |value| {
                    let text = value.as_str()?;
                    OnItemError::ALL
                        .into_iter()
                        .find(|one| one.as_str() == text)
                })
                .unwrap_or_default(),
        })
    }

    fn compensate(&mut self, value: &Value) -> Option<Compensate> {
        let Some(object) = value.as_object() else {
            self.hinted(
                Fault::Form,
                format!("expected a call (an object), found {}", value.kind()),
                "write `compensate: {tool: delete_file, args: {path: out/a.txt}}`",
            );
            return None;
        };
        self.closed(object, &["tool", "args"], "a compensation");
        let tool = self.required(object, "tool")?;
        let args = match object.get("args") {
            Some(args) => self.under("args", |reader| reader.args(args)),
            None => no_args(),
        };
        Some(Compensate { tool, args })
    }

    /// Where a step runs: here.
    fn place(&mut self, place: &Value) {
        if place.as_str() == Some("local") {
            return;
        }
        let found = place
            .as_str()
            .map_or_else(|| place.kind(), |name| format!("`{name}`"));
        self.problems.push(
            PlanProblem::new(
                Fault::Place,
                self.pointer.as_str(),
                format_args!("no cluster is configured: steps run on this machine, found {found}"),
            )
            .hint("write `place: local`, or leave it out"),
        );
    }
}

fn no_args() -> Node {
    Node::Literal(Value::object::<&str, Value>([]))
}
