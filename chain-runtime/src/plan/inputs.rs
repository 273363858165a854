//! Inputs of a plan: what they are called, what they take, and how a command line's text becomes one.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use tool_core::nearest::nearest;
use tool_core::{Object, Value, json};

use crate::problem::{Fault, PlanProblem, Problems};
use crate::types::{Fit, Type, fit};

/// What an input takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputType {
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// A text.
    String,
    /// `true` or `false`.
    Boolean,
    /// A path, relative to the workspace root.
    Path,
    /// A list.
    List,
    /// A record.
    Record,
    /// Anything.
    Any,
}

impl InputType {
    /// Every member.
    pub const ALL: [Self; 8] = [
        Self::Number,
        Self::Integer,
        Self::String,
        Self::Boolean,
        Self::Path,
        Self::List,
        Self::Record,
        Self::Any,
    ];

    /// The spelling in plans.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Integer => "integer",
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::Path => "path",
            Self::List => "list",
            Self::Record => "record",
            Self::Any => "any",
        }
    }

    /// Reads the spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }

    fn ty(self) -> Type {
        match self {
            Self::Number => Type::Number,
            Self::Integer => Type::Integer,
            Self::String | Self::Path => Type::String,
            Self::Boolean => Type::Boolean,
            Self::List => Type::list(1, Type::Any),
            Self::Record => Type::of_schema(&serde_json::json!({"type": "object"})),
            Self::Any => Type::Any,
        }
    }
}

impl fmt::Display for InputType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One input.
#[derive(Debug, Clone)]
pub struct Input {
    /// Its name.
    pub name: Arc<str>,
    /// What it takes.
    pub kind: InputType,
    /// What holds when none is given.
    pub default: Option<Value>,
    /// Least number.
    pub minimum: Option<f64>,
    /// Greatest number.
    pub maximum: Option<f64>,
    /// The only values allowed.
    pub choices: Option<Vec<Value>>,
    /// For people.
    pub description: Option<Arc<str>>,
}

impl Input {
    /// What does not fit, in words.
    pub(crate) fn fault(&self, value: &Value) -> Option<String> {
        let whole = self.kind == InputType::Integer && value.as_i64().is_some();
        if !whole && fit(&Type::of_value(value), &self.kind.ty()) != Fit::Always {
            return Some(format!(
                "expected {}, found {}",
                self.kind.ty(),
                value.kind()
            ));
        }
        if let Some(choices) = &self.choices
            && !choices.contains(value)
        {
            let listed = choices
                .iter()
                .map(Value::to_string)
                .collect::<Vec<_>>()
                .join(", ");
            return Some(format!("expected one of {listed}, found {}", value.kind()));
        }
        let number = value.as_f64()?;
        if let Some(least) = self.minimum.filter(|least| number < *least) {
            return Some(format!("expected at least {least}, found {number}"));
        }
        let most = self.maximum.filter(|most| number > *most)?;
        Some(format!("expected at most {most}, found {number}"))
    }

    /// A value from the text of a command line: texts and paths as they are, the rest as JSON.
    ///
    /// # Errors
    /// What was expected and found.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        let value = match self.kind {
            InputType::String | InputType::Path => Value::from(text),
            InputType::Any => {
                json::parse(text, json::Limits::default()).unwrap_or_else(|_| Value::from(text))
            }
            _ => json::parse(text, json::Limits::default())
                .map_err(|_| format!("expected {} as JSON, found `{text}`", self.kind.ty()))?,
        };
        match self.fault(&value) {
            Some(fault) => Err(fault),
            None => Ok(value),
        }
    }
}

/// What a plan is given, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// The values.
    pub(crate) values: Object,
    /// Inputs whose values come later, with what is known of their types.
    pub(crate) open: HashMap<Arc<str>, Type>,
    /// Whether others may come later too.
    pub(crate) may_miss: bool,
}

/// The inputs of a plan: values, and types where the value comes later.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    pub(crate) values: Value,
    pub(crate) open: HashMap<Arc<str>, Type>,
}

/// The value of every input: given, or its default; every problem is added.
pub(crate) fn settle(inputs: &[Input], given: &Given, problems: &mut Problems) -> Settled {
    let names = given.values.iter().map(|(name, _)| name);
    for name in names.chain(given.open.keys().map(|name| &**name)) {
        if !inputs.iter().any(|input| &*input.name == name) {
            let known = inputs.iter().map(|input| &*input.name);
            problems.push(
                PlanProblem::new(
                    Fault::Input,
                    "/inputs",
                    format_args!("the plan has no input `{name}`"),
                )
                .near(nearest(name, known)),
            );
        }
    }
    let mut settled = Object::new();
    let mut open = HashMap::new();
    for input in inputs {
        let pointer = format!("/inputs/{}", input.name);
        let declared = input.kind.ty();
        if let Some(ty) = given.open.get(&input.name) {
            if fit(ty, &declared) == Fit::Never {
                let message =
                    format_args!("the input `{}` takes {declared}, found {ty}", input.name);
                problems.push(PlanProblem::new(Fault::Type, pointer, message));
            }
            let ty = match fit(ty, &declared) {
                Fit::Always => ty.clone(),
                _ => declared,
            };
            open.insert(Arc::clone(&input.name), ty);
            continue;
        }
        let value = match given.values.get(&input.name).or(input.default.as_ref()) {
            Some(value) => value.clone(),
            None if given.may_miss => {
                open.insert(Arc::clone(&input.name), declared);
                continue;
            }
            None => {
                problems.push(
                    PlanProblem::new(
                        Fault::Input,
                        pointer,
                        format_args!("the input `{}` is missing", input.name),
                    )
                    .hint(format_args!(
                        "give it: `--input {}=...`, or write a `default`",
                        input.name
                    )),
                );
                continue;
            }
        };
        if let Some(fault) = input
            .fault(&value)
            .filter(|_| given.values.get(&input.name).is_some())
        {
            problems.push(PlanProblem::new(
                Fault::Input,
                pointer,
                format_args!("the input `{}`: {fault}", input.name),
            ));
        }
        settled.push_unique(Arc::clone(&input.name), value);
    }
    Settled {
        values: Value::Object(Arc::new(settled)),
        open,
    }
}
