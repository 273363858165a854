//! Evaluation of a parsed query over [`Value`], every step counted.
//!
//! The depth of the recursion is that of the syntax tree, which the guard bounds.
//!
//! # References
//! The JMESPath specification, <https://jmespath.org/specification.html>.

use std::cmp::Ordering;
use std::sync::Arc;

use jmespath::Variable;
use jmespath::ast::{Ast, Comparator};
use tool_core::{Ctx, ErrorCode, Object, ToolError, Value};

use super::{error_at, functions};

/// Most steps of an evaluation: nodes visited, elements produced and compared.
const STEPS_MAX: u64 = 200_000_000;
/// Most nodes in a result, each counted as often as it is written.
const RESULT_NODES_MAX: u64 = 5_000_000;
/// Deepest result: what JSON may nest at the door.
const RESULT_DEPTH_MAX: usize = 128;
/// Steps between two looks at the stop flag.
const STEPS: u64 = 1024;
/// Bytes of an element of an array.
const ELEMENT_BYTES: u64 = 32;

/// Evaluates a query.
///
/// # Errors
/// `invalid_args` with the column for a wrong argument of a function; `limit_exceeded` for results that grow without bound.
pub(super) fn evaluate_query(
    data: &Value,
    ast: &Ast,
    query: &str,
    ctx: &Ctx,
) -> Result<Value, ToolError> {
    ctx.check()?;
    let mut evaluator = QueryEvaluator {
        query,
        ctx,
        steps: 0,
    };
    let result = evaluator.eval(data, ast)?;
    evaluator.weigh(&result, RESULT_NODES_MAX, 0)?;
    Ok(result)
}

/// The context of an evaluation.
pub(super) struct QueryEvaluator<'a> {
    pub(super) query: &'a str,
    ctx: &'a Ctx,
    steps: u64,
}

impl QueryEvaluator<'_> {
    /// Counts work; looks at the stop flag from time to time.
    pub(super) fn step(&mut self, count: u64) -> Result<(), ToolError> {
        let before = self.steps;
        self.steps += count;
        if self.steps / STEPS != before / STEPS {
            self.ctx.check()?;
        }
        if self.steps > STEPS_MAX {
            return Err(too_large(format!(
                "the query takes more than {STEPS_MAX} steps"
            )));
        }
        Ok(())
    }

    /// Sets memory aside before an allocation.
    pub(super) fn reserve(&self, bytes: u64) -> Result<(), ToolError> {
        self.ctx.reserve(bytes)
    }

    /// An array, packed when it can be; memory and steps are counted first.
    pub(super) fn array(&mut self, items: Vec<Value>) -> Result<Value, ToolError> {
        // Packing copies the blocks inside.
        let size = |item: &Value| item.as_numbers().map_or(1, |block| block.as_slice().len());
        let copied = items.iter().map(size).sum::<usize>() as u64;
        self.step(copied)?;
        self.ctx.reserve(copied.saturating_mul(ELEMENT_BYTES))?;
        Ok(Value::array(items))
    }

    /// The nodes of a value as it would be written out: shared parts count each time.
    fn weigh(&mut self, value: &Value, most: u64, depth: usize) -> Result<u64, ToolError> {
        let levels = match value {
            Value::Numbers(numbers) => numbers.rank(),
            Value::Array(_) | Value::Object(_) => 1,
            _ => 0,
        };
        if depth + levels > RESULT_DEPTH_MAX {
            return Err(too_large(format!(
                "the result is nested more than {RESULT_DEPTH_MAX} deep"
            )));
        }
        self.step(1)?;
        let mut nodes = 1;
        let mut add = |more: u64| {
            nodes += more;
            if nodes > most {
                return Err(too_large(format!(
                    "the result has more than {RESULT_NODES_MAX} elements"
                )));
            }
            Ok(most - nodes)
        };
        let mut left = add(0)?;
        match value {
            Value::Numbers(numbers) => {
                add(numbers.as_slice().len() as u64)?;
            }
            Value::Array(items) => {
                for item in items.iter() {
                    left = add(self.weigh(item, left, depth + 1)?)?;
                }
            }
            Value::Object(object) => {
                for (_, member) in object.iter() {
                    left = add(self.weigh(member, left, depth + 1)?)?;
                }
            }
            _ => {}
        }
        Ok(nodes)
    }

    /// Counts a value that is about to be walked through whole.
    pub(super) fn walk(&mut self, value: &Value) -> Result<(), ToolError> {
        match value {
            Value::Array(_) | Value::Object(_) | Value::Numbers(_) => {
                self.weigh(value, RESULT_NODES_MAX, 0).map(drop)
            }
            _ => self.step(1),
        }
    }

    /// Whether two values are equal; numbers by value, objects without regard to order.
    pub(super) fn equal(&mut self, a: &Value, b: &Value) -> Result<bool, ToolError> {
        // Each object member is looked up in the other object.
        self.walk(a)?;
        self.walk(b)?;
        Ok(a == b)
    }

    /// Evaluates a node on a value.
    pub(super) fn eval(&mut self, data: &Value, node: &Ast) -> Result<Value, ToolError> {
        self.step(1)?;
        match node {
            Ast::Identity { .. } => Ok(data.clone()),
            Ast::Field { name, .. } => Ok(data.get(name).cloned().unwrap_or_default()),
            Ast::Index { idx, .. } => Ok(element_at(data, i64::from(*idx))),
            Ast::Literal { value, .. } => Ok(literal_value(value)),
            Ast::Subexpr { lhs, rhs, .. } => {
                let left = self.eval(data, lhs)?;
                self.eval(&left, rhs)
            }
            Ast::Or { lhs, rhs, .. } => {
                let left = self.eval(data, lhs)?;
                match is_truthy(&left) {
                    true => Ok(left),
                    false => self.eval(data, rhs),
                }
            }
            Ast::And { lhs, rhs, .. } => {
                let left = self.eval(data, lhs)?;
                match is_truthy(&left) {
                    true => self.eval(data, rhs),
                    false => Ok(left),
                }
            }
            Ast::Not { node, .. } => Ok(Value::Bool(!is_truthy(&self.eval(data, node)?))),
            Ast::Condition {
                predicate, then, ..
            } => match is_truthy(&self.eval(data, predicate)?) {
                true => self.eval(data, then),
                false => Ok(Value::Null),
            },
            Ast::Comparison {
                comparator,
                lhs,
                rhs,
                ..
            } => {
                let left = self.eval(data, lhs)?;
                let right = self.eval(data, rhs)?;
                self.compare(comparator, &left, &right)
            }
            Ast::ObjectValues { node, .. } => {
                let subject = self.eval(data, node)?;
                self.members(&subject)
            }
            Ast::Projection { lhs, rhs, .. } => {
                let left = self.eval(data, lhs)?;
                self.project(&left, rhs)
            }
            Ast::Flatten { node, .. } => {
                let subject = self.eval(data, node)?;
                self.flatten(&subject)
            }
            Ast::Slice {
                start,
                stop,
                step,
                offset,
            } => self.slice(data, [*start, *stop], *step, *offset),
            Ast::MultiList { elements, .. } => {
                if data.is_null() {
                    return Ok(Value::Null);
                }
                let items = elements
                    .iter()
                    .map(|node| self.eval(data, node))
                    .collect::<Result<_, _>>()?;
                self.array(items)
            }
            Ast::MultiHash { elements, .. } => {
                if data.is_null() {
                    return Ok(Value::Null);
                }
                let mut object = Object::new();
                for pair in elements {
                    object.insert(pair.key.as_str(), self.eval(data, &pair.value)?);
                }
                Ok(Value::Object(Arc::new(object)))
            }
            Ast::Function { name, args, offset } => {
                functions::call_function(self, data, name, args, *offset)
            }
            Ast::Expref { offset, .. } => Err(error_at(
                self.query,
                *offset,
                "an expression reference `&` outside the arguments of a function",
            )),
        }
    }

    fn compare(
        &mut self,
        comparator: &Comparator,
        left: &Value,
        right: &Value,
    ) -> Result<Value, ToolError> {
        let order = functions::number_order(left, right);
        let ordered = |holds: fn(Ordering) -> bool| {
            order.map_or(Value::Null, |order| Value::Bool(holds(order)))
        };
        Ok(match comparator {
            Comparator::Equal => Value::Bool(self.equal(left, right)?),
            Comparator::NotEqual => Value::Bool(!self.equal(left, right)?),
            Comparator::LessThan => ordered(Ordering::is_lt),
            Comparator::LessThanEqual => ordered(Ordering::is_le),
            Comparator::GreaterThan => ordered(Ordering::is_gt),
            Comparator::GreaterThanEqual => ordered(Ordering::is_ge),
        })
    }

    /// The values of an object.
    pub(super) fn members(&mut self, subject: &Value) -> Result<Value, ToolError> {
        match subject.as_object() {
            Some(object) => self.array(object.iter().map(|(_, member)| member.clone()).collect()),
            None => Ok(Value::Null),
        }
    }

    /// The node on every element; results that are null are left out.
    fn project(&mut self, subject: &Value, node: &Ast) -> Result<Value, ToolError> {
        let Some(length) = array_length(subject) else {
            return Ok(Value::Null);
        };
        let mut kept = Vec::new();
        for index in 0..length {
            let item = self.eval(&subject.at(index).unwrap_or_default(), node)?;
            if !item.is_null() {
                kept.push(item);
            }
        }
        self.array(kept)
    }

    /// One level of arrays less.
    fn flatten(&mut self, subject: &Value) -> Result<Value, ToolError> {
        let Some(length) = array_length(subject) else {
            return Ok(Value::Null);
        };
        let mut flat = Vec::new();
        for index in 0..length {
            let item = subject.at(index).unwrap_or_default();
            match self::array_length(&item) {
                Some(inner) => {
                    self.step(inner as u64)?;
                    self.ctx
                        .reserve((inner as u64).saturating_mul(ELEMENT_BYTES))?;
                    flat.extend((0..inner).filter_map(|index| item.at(index)));
                }
                None => flat.push(item),
            }
        }
        self.array(flat)
    }

    /// `[start:stop:step]` with the rules of Python.
    fn slice(
        &mut self,
        subject: &Value,
        ends: [Option<i32>; 2],
        step: i32,
        offset: usize,
    ) -> Result<Value, ToolError> {
        if step == 0 {
            return Err(
                error_at(self.query, offset, "a slice with step 0").hint("use a step other than 0")
            );
        }
        let Some(length) = array_length(subject) else {
            return Ok(Value::Null);
        };
        let (length, step) = (length as i64, i64::from(step));
        let forward = step > 0;
        let (least, most) = if forward {
            (0, length)
        } else {
            (-1, length - 1)
        };
        let end = |given: Option<i32>, absent: i64| {
            given.map_or(absent, |given| {
                let given = i64::from(given);
                (if given < 0 { given + length } else { given }).clamp(least, most)
            })
        };
        let (first, last) = if forward {
            (least, most)
        } else {
            (most, least)
        };
        let (start, stop) = (end(ends[0], first), end(ends[1], last));
        let mut items = Vec::new();
        let mut index = start;
        while if forward { index < stop } else { index > stop } {
            self.step(1)?;
            items.extend(subject.at(index as usize));
            index += step;
        }
        self.array(items)
    }
}

/// The number of elements of an array.
pub(super) fn array_length(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.len()),
        Value::Numbers(numbers) => Some(numbers.len()),
        _ => None,
    }
}

/// The element at an index, from the end when it is negative.
fn element_at(value: &Value, index: i64) -> Value {
    let length = array_length(value).unwrap_or(0) as i64;
    let index = if index < 0 { index + length } else { index };
    usize::try_from(index)
        .ok()
        .and_then(|index| value.at(index))
        .unwrap_or_default()
}

/// False are null, false, and the empty text, array and object.
pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(object) => !object.is_empty(),
        Value::Int(_) | Value::Float(_) | Value::Numbers(_) => true,
    }
}

/// A literal of the query.
fn literal_value(variable: &Variable) -> Value {
    match variable {
        Variable::Null | Variable::Expref(_) => Value::Null,
        Variable::Bool(value) => Value::Bool(*value),
        Variable::String(text) => Value::from(text.as_str()),
        Variable::Number(number) => match number.as_i64() {
            Some(integer) => Value::Int(integer),
            None => Value::from(number.as_f64().unwrap_or(f64::NAN)),
        },
        Variable::Array(items) => {
            Value::array(items.iter().map(|item| literal_value(item)).collect())
        }
        Variable::Object(members) => Value::object(
            members
                .iter()
                .map(|(name, member)| (name.as_str(), literal_value(member))),
        ),
    }
}

pub(super) fn too_large(message: String) -> ToolError {
    ToolError::new(ErrorCode::LimitExceeded, message)
        .reason("query_result")
        .at("/query")
        .hint("select less")
}
