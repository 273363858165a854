//! The 26 functions of JMESPath.

use std::cmp::Ordering;
use std::sync::Arc;

use jmespath::ast::Ast;
use tool_core::{Object, ToolError, Value, json};

use super::error_at;
use super::evaluate::{QueryEvaluator, array_length};
use numerics::exact::CompensatedSum;

/// Names of the functions.
pub(super) const NAMES: &str = "abs, avg, ceil, contains, ends_with, floor, join, keys, length, map, max, max_by, merge, min, min_by, \
     not_null, reverse, sort, sort_by, starts_with, sum, to_array, to_number, to_string, type, values";

/// Calls a function on its evaluated arguments.
pub(super) fn call_function(
    evaluator: &mut QueryEvaluator<'_>,
    data: &Value,
    name: &str,
    args: &[Ast],
    offset: usize,
) -> Result<Value, ToolError> {
    let query = evaluator.query;
    let mut call = QueryFunctionCall {
        evaluator,
        name,
        offset,
        query,
        values: Vec::new(),
        expression: None,
    };
    call.check_count(args.len())?;
    for (position, arg) in args.iter().enumerate() {
        let expected = matches!(
            (name, position),
            ("map", 0) | ("max_by" | "min_by" | "sort_by", 1)
        );
        match arg {
            Ast::Expref { ast, .. } if expected => call.expression = Some(ast),
            Ast::Expref { .. } => {
                return Err(call.fault(position, "a value", "an expression reference"));
            }
            _ if expected => {
                let expected = "an expression reference such as `&name`";
                return Err(call.fault(position, expected, "a value"));
            }
            _ => {
                let value = call.evaluator.eval(data, arg)?;
                call.values.push(value);
            }
        }
    }
    call.run()
}

/// One call: its name and place for errors, its evaluated arguments, and the expression of `map` and the `_by` functions.
struct QueryFunctionCall<'c, 'e, 'q> {
    evaluator: &'c mut QueryEvaluator<'e>,
    name: &'q str,
    offset: usize,
    query: &'e str,
    values: Vec<Value>,
    expression: Option<&'q Ast>,
}

impl QueryFunctionCall<'_, '_, '_> {
    fn run(&mut self) -> Result<Value, ToolError> {
        match self.name {
            "abs" => self.rounded(f64::abs),
            "ceil" => self.rounded(f64::ceil),
            "floor" => self.rounded(f64::floor),
            "sum" | "avg" => self.total(),
            "max" => self.extreme(Ordering::Greater),
            "min" => self.extreme(Ordering::Less),
            "max_by" => self.extreme_by(Ordering::Greater),
            "min_by" => self.extreme_by(Ordering::Less),
            "sort" => self.sort(),
            "sort_by" => self.sort_by(),
            "map" => self.map(),
            "reverse" => self.reverse(),
            "length" => self.length(),
            "contains" => self.contains(),
            "starts_with" => Ok(Value::Bool(self.text(0)?.starts_with(&*self.text(1)?))),
            "ends_with" => Ok(Value::Bool(self.text(0)?.ends_with(&*self.text(1)?))),
            "join" => self.join(),
            "keys" => {
                let names = self.object(0)?.iter().map(|(name, _)| Value::from(name));
                let names = names.collect();
                self.evaluator.array(names)
            }
            "values" => {
                self.object(0)?;
                self.evaluator.members(&self.values[0])
            }
            "merge" => self.merge(),
            "not_null" => {
                let found = self.values.iter().find(|value| !value.is_null());
                Ok(found.cloned().unwrap_or_default())
            }
            "to_array" => match array_length(&self.values[0]) {
                Some(_) => Ok(self.values[0].clone()),
                None => self.evaluator.array(vec![self.values[0].clone()]),
            },
            "to_number" => Ok(to_number(&self.values[0])),
            "to_string" => self.spelling(),
            "type" => Ok(Value::from(type_name(&self.values[0]))),
            // The guard knows the same list of names.
            other => Err(self.error(format_args!("no function named `{other}`"))),
        }
    }

    fn check_count(&self, found: usize) -> Result<(), ToolError> {
        let (least, more) = match self.name {
            "contains" | "starts_with" | "ends_with" | "join" | "map" | "max_by" | "min_by"
            | "sort_by" => (2, false),
            "merge" | "not_null" => (1, true),
            _ => (1, false),
        };
        if found == least || (more && found > least) {
            return Ok(());
        }
        let (name, at_least) = (self.name, if more { "at least " } else { "" });
        Err(self.error(format_args!(
            "`{name}` takes {at_least}{least} arguments, found {found}"
        )))
    }

    /// An error at the place of the call.
    fn error(&self, message: impl std::fmt::Display) -> ToolError {
        error_at(self.query, self.offset, message)
    }

    /// An argument of the wrong type; positions are counted from 1 in the message.
    fn fault(&self, position: usize, expected: &str, found: &str) -> ToolError {
        let (place, name) = (position + 1, self.name);
        self.error(format_args!(
            "argument {place} of `{name}`: expected {expected}, found {found}"
        ))
    }

    fn wrong(&self, position: usize, expected: &str) -> ToolError {
        self.fault(position, expected, &self.values[position].kind())
    }

    fn text(&self, position: usize) -> Result<Arc<str>, ToolError> {
        match &self.values[position] {
            Value::String(text) => Ok(Arc::clone(text)),
            _ => Err(self.wrong(position, "a string")),
        }
    }

    fn object(&self, position: usize) -> Result<&Object, ToolError> {
        self.values[position]
            .as_object()
            .ok_or_else(|| self.wrong(position, "an object"))
    }

    /// The elements of the array argument; its place differs for `map` only in the query, not among the values.
    fn items(&mut self) -> Result<Vec<Value>, ToolError> {
        let Some(length) = array_length(&self.values[0]) else {
            let position = usize::from(self.name == "map");
            return Err(self.fault(position, "an array", &self.values[0].kind()));
        };
        self.evaluator.step(length as u64)?;
        Ok(self.values[0].items().unwrap_or_default())
    }

    /// Elements that are all numbers or all strings.
    fn comparable(&mut self) -> Result<Vec<Value>, ToolError> {
        let items = self.items()?;
        let numbers = items.iter().all(|item| type_name(item) == "number");
        if numbers || items.iter().all(|item| item.as_str().is_some()) {
            return Ok(items);
        }
        let expected = "an array of numbers or of strings";
        Err(self.fault(0, expected, "a mixture or other elements"))
    }

    /// The elements with their keys, which are all numbers or all strings.
    fn keyed(&mut self) -> Result<Vec<(Value, Value)>, ToolError> {
        let items = self.items()?;
        let mut keyed = Vec::with_capacity(items.len());
        let mut first = None;
        for item in items {
            let key = self.apply(&item)?;
            let here = type_name(&key);
            if !matches!(here, "number" | "string") || *first.get_or_insert(here) != here {
                return Err(self.fault(1, "keys that are all numbers or all strings", &key.kind()));
            }
            keyed.push((key, item));
        }
        Ok(keyed)
    }

    fn apply(&mut self, item: &Value) -> Result<Value, ToolError> {
        match self.expression {
            Some(node) => self.evaluator.eval(item, node),
            None => Ok(item.clone()),
        }
    }

    fn rounded(&self, round: fn(f64) -> f64) -> Result<Value, ToolError> {
        self.values[0]
            .as_f64()
            .map(|number| number_value(round(number)))
            .ok_or_else(|| self.wrong(0, "a number"))
    }

    fn total(&mut self) -> Result<Value, ToolError> {
        let items = self.items()?;
        let sums = self.name == "sum";
        if items.is_empty() {
            return Ok(if sums { Value::Int(0) } else { Value::Null });
        }
        let mut total = CompensatedSum::default();
        let mut integral = true;
        for item in &items {
            let number = item.as_f64().ok_or_else(|| {
                self.fault(0, "an array of numbers", &format!("{} in it", item.kind()))
            })?;
            integral &= matches!(item, Value::Int(_));
            total.add(number);
        }
        let count = items.len() as f64;
        let result = if sums { total } else { total.divide(count) }.value();
        match result.is_finite() {
            true if integral => Ok(number_value(result)),
            true => Ok(Value::Float(result)),
            false => Err(self.error(format_args!("`{}` exceeds the largest double", self.name))),
        }
    }

    fn extreme(&mut self, wanted: Ordering) -> Result<Value, ToolError> {
        let items = self.comparable()?;
        Ok(extreme_item(items, |item| item, wanted).unwrap_or_default())
    }

    fn extreme_by(&mut self, wanted: Ordering) -> Result<Value, ToolError> {
        let keyed = extreme_item(self.keyed()?, |(key, _)| key, wanted);
        Ok(keyed.map(|(_, item)| item).unwrap_or_default())
    }

    fn sort(&mut self) -> Result<Value, ToolError> {
        let mut items = self.comparable()?;
        items.sort_by(compare_values);
        self.evaluator.array(items)
    }

    fn sort_by(&mut self) -> Result<Value, ToolError> {
        let mut keyed = self.keyed()?;
        keyed.sort_by(|(a, _), (b, _)| compare_values(a, b));
        let items = keyed.into_iter().map(|(_, item)| item);
        self.evaluator.array(items.collect())
    }

    fn map(&mut self) -> Result<Value, ToolError> {
        let items = self.items()?;
        let mapped = items
            .iter()
            .map(|item| self.apply(item))
            .collect::<Result<_, _>>()?;
        self.evaluator.array(mapped)
    }

    fn reverse(&mut self) -> Result<Value, ToolError> {
        if let Value::String(text) = &self.values[0] {
            return Ok(Value::from(text.chars().rev().collect::<String>()));
        }
        if array_length(&self.values[0]).is_none() {
            return Err(self.wrong(0, "an array or a string"));
        }
        let mut items = self.items()?;
        items.reverse();
        self.evaluator.array(items)
    }

    fn length(&self) -> Result<Value, ToolError> {
        let count = match &self.values[0] {
            Value::String(text) => Some(text.chars().count()),
            Value::Object(object) => Some(object.len()),
            other => array_length(other),
        };
        count
            .map(Value::from)
            .ok_or_else(|| self.wrong(0, "an array, an object or a string"))
    }

    fn contains(&mut self) -> Result<Value, ToolError> {
        if let Value::String(text) = &self.values[0] {
            let part = self.values[1].as_str();
            return Ok(Value::Bool(part.is_some_and(|part| text.contains(part))));
        }
        if array_length(&self.values[0]).is_none() {
            return Err(self.wrong(0, "an array or a string"));
        }
        let items = self.items()?;
        for item in &items {
            if self.evaluator.equal(item, &self.values[1])? {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }

    fn join(&mut self) -> Result<Value, ToolError> {
        let glue = self.text(0)?;
        let texts = self.values[1]
            .items()
            .filter(|items| items.iter().all(|item| item.as_str().is_some()));
        let Some(texts) = texts else {
            return Err(self.wrong(1, "an array of strings"));
        };
        let bytes: usize = texts
            .iter()
            .filter_map(Value::as_str)
            .map(|text| text.len() + glue.len())
            .sum();
        self.evaluator.step(bytes as u64)?;
        self.evaluator.reserve(bytes as u64)?;
        let parts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
        Ok(Value::from(parts.join(&glue)))
    }

    fn merge(&mut self) -> Result<Value, ToolError> {
        let mut merged = Object::new();
        for position in 0..self.values.len() {
            let members: Vec<(String, Value)> = self
                .object(position)?
                .iter()
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect();
            // Each insertion looks through the members before it.
            for (name, value) in members {
                self.evaluator.step(1 + merged.len() as u64 / 16)?;
                merged.insert(name, value);
            }
        }
        Ok(Value::Object(Arc::new(merged)))
    }

    fn spelling(&mut self) -> Result<Value, ToolError> {
        if let text @ Value::String(_) = &self.values[0] {
            return Ok(text.clone());
        }
        let value = self.values[0].clone();
        self.evaluator.walk(&value)?;
        let bytes = value.memory_bytes();
        self.evaluator.reserve(bytes)?;
        Ok(Value::from(json::to_text(&value)))
    }
}

/// The first item whose key comes before or after all others.
fn extreme_item<T>(items: Vec<T>, key: fn(&T) -> &Value, wanted: Ordering) -> Option<T> {
    let better = |best: T, item: T| match compare_values(key(&item), key(&best)) == wanted {
        true => item,
        false => best,
    };
    items.into_iter().reduce(better)
}

/// The name of a type.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Int(_) | Value::Float(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) | Value::Numbers(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The order of two numbers or two strings (by code point).
fn compare_values(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.cmp(b),
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => number_order(a, b).unwrap_or(Ordering::Equal),
        },
    }
}

/// The order of two numbers by value, integers by all their digits; `None` where one is no number.
pub(super) fn number_order(a: &Value, b: &Value) -> Option<Ordering> {
    /// A lower bound of a double as an integer; one that is beyond all integers of 64 bits saturates.
    fn against(integer: i64, double: f64) -> Option<Ordering> {
        let floor = double.floor();
        let by_whole = i128::from(integer).cmp(&(floor as i128));
        let rest = 0.0.partial_cmp(&(double - floor))?;
        Some(by_whole.then(rest))
    }
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Float(b)) => against(*a, *b),
        (Value::Float(a), Value::Int(b)) => against(*b, *a).map(Ordering::reverse),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        _ => None,
    }
}

/// A number as an integer where it is one.
fn number_value(number: f64) -> Value {
    const SAFE: f64 = tool_core::value::SAFE_INTEGER as f64;
    if number.fract() == 0.0 && number.abs() <= SAFE {
        Value::Int(number as i64)
    } else {
        Value::Float(number)
    }
}

/// A number, or the number a string spells as JSON; null for anything else.
fn to_number(value: &Value) -> Value {
    match value {
        Value::Int(_) | Value::Float(_) => value.clone(),
        Value::String(text) => match json::parse_json(text, json::JsonLimits::default()) {
            Ok(number @ (Value::Int(_) | Value::Float(_))) => number,
            _ => Value::Null,
        },
        _ => Value::Null,
    }
}
