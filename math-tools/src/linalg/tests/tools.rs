//! Tests of the tools that return factors, inverses, determinants, ranks, products and functions.

use tool_core::{Ctx, ErrorCode, ToolError, Value, convert};

use super::{distance, formula, hilbert, multiply, parse};
use crate::linalg::{TOOLS, solve};

mod matrices;
mod spectra;
mod systems;

/// Calls a tool of the family by its id; the result and its warnings.
fn call(id: &str, args: &Value) -> Result<(Value, Vec<String>), ToolError> {
    let entry = TOOLS.iter().find(|entry| entry.tool().spec().id == id);
    let tool = entry.unwrap_or_else(|| panic!("no tool `{id}`")).tool();
    let ctx = Ctx::default();
    let found = tool.decode(args)?.run(&ctx)?;
    Ok((found, ctx.take_warnings()))
}

fn run(id: &str, args: &str) -> Value {
    call(id, &parse(args)).unwrap().0
}

fn rows(data: &[f64], columns: usize) -> Value {
    Value::array(
        data.chunks(columns)
            .map(|row| Value::vector(row.to_vec()))
            .collect(),
    )
}

fn with(data: &[f64], columns: usize) -> Value {
    Value::object([("A", rows(data, columns))])
}

fn numbers(value: &Value, name: &str) -> Vec<f64> {
    let block = value
        .get(name)
        .unwrap_or_else(|| panic!("no {name} in {value}"));
    if block.items().is_some_and(|items| items.is_empty()) {
        return Vec::new();
    }
    block.as_numbers().unwrap().as_slice().to_vec()
}

fn number(value: &Value, name: &str) -> f64 {
    value
        .get(name)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no {name} in {value}"))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
