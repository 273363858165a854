//! Inputs of a plan: their declarations, their values, and reading one from the text of a command line.

use std::collections::HashMap;
use std::sync::Arc;

use tool_core::nearest::nearest_name;
use tool_core::{Decode, DecodeError, Describe, Object, Value, json};

use crate::problem::{Fault, PlanProblem, PlanProblems, problem};
use crate::types::{Type, TypeFit, check_type_fit};

tool_core::names! {
    /// Type of an input.
    #[derive(Default)]
    InputType {
        /// A number.
        Number = "number",
        /// An integer.
        Integer = "integer",
        /// A text.
        String = "string",
        /// `true` or `false`.
        Boolean = "boolean",
        /// A path, relative to the workspace root.
        Path = "path",
        /// A list.
        List = "list",
        /// A record.
        Record = "record",
        /// Any value.
        #[default]
        Any = "any",
    }
}

impl InputType {
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

/// An input of a plan.
#[derive(Debug, Clone, Default, Decode, Describe)]
#[value(default, deny_unknown_fields)]
#[schema(extend("examples" = [{"type": "number", "default": 1}]))]
pub struct PlanInput {
    /// Name under which it is given and referenced.
    #[value(skip)]
    pub name: Arc<str>,
    /// Type of the value; any where absent.
    #[value(rename = "type")]
    pub kind: InputType,
    /// Value where none is given; an input without one is required.
    #[value(decode_with = "decode_present_value")]
    #[schema(with = "Value")]
    pub default: Option<Value>,
    /// Least number allowed.
    pub minimum: Option<f64>,
    /// Greatest number allowed.
    pub maximum: Option<f64>,
    /// The only values allowed.
    #[value(rename = "enum", decode_with = "decode_items")]
    #[schema(with = "Vec<Value>", length(min = 1))]
    pub choices: Option<Vec<Value>>,
    /// Purpose of the input, for its users.
    pub description: Option<Arc<str>>,
}

/// A value that is there, `null` included.
fn decode_present_value(value: &Value) -> Result<Option<Value>, DecodeError> {
    Ok(Some(value.clone()))
}

fn decode_items(value: &Value) -> Result<Option<Vec<Value>>, DecodeError> {
    Ok(value.items())
}

impl PlanInput {
    /// Limits that no value meets, or that mean nothing for the type: the key, what is wrong, and the next step.
    pub(super) fn contradictions(&self) -> Vec<(&'static str, String, &'static str)> {
        let mut found = Vec::new();
        let kinds = [InputType::Number, InputType::Integer, InputType::Any];
        let numeric = kinds.contains(&self.kind);
        for (key, bound) in [("minimum", self.minimum), ("maximum", self.maximum)] {
            if bound.is_some() && !numeric {
                let message = format!("`{key}` is for numbers, the input is a {}", self.kind);
                found.push((key, message, "remove it, or use `enum`"));
            }
        }
        if let (Some(least), Some(most)) = (self.minimum, self.maximum)
            && least > most
        {
            let message = format!("`minimum` {least} is greater than `maximum` {most}");
            found.push(("minimum", message, "exchange them"));
        }
        let default = self.default.as_ref();
        if let Some(fault) = default.and_then(|default| self.fault(default)) {
            found.push(("default", fault, "give a default that the input accepts"));
        }
        found
    }

    /// Why a value is not one of this input.
    pub(crate) fn fault(&self, value: &Value) -> Option<String> {
        let whole = self.kind == InputType::Integer && value.as_i64().is_some();
        if !whole && check_type_fit(&Type::of_value(value), &self.kind.ty()) != TypeFit::Always {
            let (expected, found) = (self.kind.ty(), value.kind());
            return Some(format!("expected {expected}, found {found}"));
        }
        if let Some(choices) = &self.choices
            && !choices.contains(value)
        {
            let listed: Vec<String> = choices.iter().map(Value::to_string).collect();
            let (listed, found) = (listed.join(", "), value.kind());
            return Some(format!("expected one of {listed}, found {found}"));
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
    /// What was expected, and what was found.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        let value = match self.kind {
            InputType::String | InputType::Path => Value::from(text),
            InputType::Any => json::parse_json(text, json::JsonLimits::default())
                .unwrap_or_else(|_| Value::from(text)),
            _ => json::parse_json(text, json::JsonLimits::default())
                .map_err(|_| format!("expected {} as JSON, found `{text}`", self.kind.ty()))?,
        };
        self.fault(&value).map_or(Ok(()), Err)?;
        Ok(value)
    }
}

/// Inputs given to a plan, as far as they are known.
#[derive(Debug, Default)]
pub(crate) struct InputBindings {
    /// The values.
    pub(crate) values: Object,
    /// Types of the inputs whose values are given later.
    pub(crate) open: HashMap<Arc<str>, Type>,
    /// Whether further inputs may be given later.
    pub(crate) may_miss: bool,
}

/// The value of every input: given, or its default; and the types of those that are given later. Problems are added.
pub(crate) fn settle_inputs(
    inputs: &[PlanInput],
    given: &InputBindings,
    problems: &mut PlanProblems,
) -> (Value, HashMap<Arc<str>, Type>) {
    let names = given.values.iter().map(|(name, _)| name);
    for name in names.chain(given.open.keys().map(|name| &**name)) {
        let known = inputs.iter().map(|input| &*input.name);
        if !known.clone().any(|known| known == name) {
            let problem = problem!(Input, "/inputs", "the plan has no input `{name}`");
            problems.push(problem.near(nearest_name(name, known)));
        }
    }
    let mut values = Object::new();
    let mut open = HashMap::new();
    for input in inputs {
        let (name, declared) = (&input.name, input.kind.ty());
        let pointer = format!("/inputs/{name}");
        if let Some(ty) = given.open.get(name) {
            let fits = check_type_fit(ty, &declared);
            if fits == TypeFit::Never {
                let message = format_args!("the input `{name}` takes {declared}, found {ty}");
                problems.push(PlanProblem::new(Fault::Type, pointer, message));
            }
            let ty = if fits == TypeFit::Always {
                ty.clone()
            } else {
                declared
            };
            open.insert(Arc::clone(name), ty);
            continue;
        }
        if let Some(value) = given.values.get(name) {
            if let Some(fault) = input.fault(value) {
                problems.push(problem!(Input, pointer, "the input `{name}`: {fault}"));
            }
            values.push_unique(Arc::clone(name), value.clone());
        } else if let Some(value) = &input.default {
            values.push_unique(Arc::clone(name), value.clone());
        } else if given.may_miss {
            open.insert(Arc::clone(name), declared);
        } else {
            let hint = format_args!("give it: `--input {name}=...`, or write a `default`");
            problems.push(problem!(Input, pointer, "the input `{name}` is missing").hint(hint));
        }
    }
    (values.into(), open)
}
