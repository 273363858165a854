//! The tools against the values of `tests/reference/`, each with its source; the scripts there made them.

use math_tools::FAMILIES;
use tool_core::{AnyTool, Ctx, Value, json};

fn tool(id: &str) -> &'static dyn AnyTool {
    let mut tools = FAMILIES.iter().copied().flatten().map(|entry| entry.tool());
    tools
        .find(|tool| tool.spec().id == id)
        .unwrap_or_else(|| panic!("no tool `{id}`"))
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Numbers(numbers) => numbers.as_slice().to_vec(),
        other => vec![
            other
                .as_f64()
                .unwrap_or_else(|| panic!("{other} is no number")),
        ],
    }
}

/// The largest difference over the largest magnitude expected.
fn distance(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let difference = most(&mut found.iter().zip(expected).map(|(a, b)| (a - b).abs()));
    let scale = most(&mut expected.iter().map(|value| value.abs()));
    if difference == 0.0 {
        0.0
    } else {
        difference / scale
    }
}

/// What is wrong with one case.
fn faults(case: &Value) -> Vec<String> {
    let text = |key: &str| case.get(key).and_then(Value::as_str).expect(key).to_owned();
    let title = format!("{} ({})", text("title"), text("tool"));
    let args = case.get("args").expect("args");
    let call = tool(&text("tool")).decode(args);
    let output = match call.and_then(|call| call.run(&Ctx::default())) {
        Ok(output) => output,
        Err(err) => return vec![format!("{title}: {err:?}")],
    };
    let checks = case.get("checks").and_then(Value::items).expect("checks");
    let fault = |check: &Value| {
        let at = check.get("at").expect("a pointer");
        let at = at.as_str().expect("a text");
        let tolerance = check.get("tolerance").and_then(Value::as_f64);
        let tolerance = tolerance.expect("a tolerance");
        let Some(found) = output.pointer(at) else {
            return Some(format!("{title}: nothing at {at}"));
        };
        let expected = numbers(check.get("expected").expect("a value"));
        let distance = distance(&numbers(&found), &expected);
        let good = distance <= tolerance; // not when NaN
        (!good).then(|| {
            format!("{title}: {at} is {distance:.1e} away from its reference, beyond {tolerance:e}")
        })
    };
    checks.iter().filter_map(fault).collect()
}

fn check(document: &str, least: usize) {
    let cases = json::parse(document, json::Limits::default()).unwrap();
    let cases = cases.items().unwrap();
    assert!(cases.len() >= least, "{} cases", cases.len());
    let faults: Vec<String> = cases.iter().flat_map(faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn special_functions() {
    check(include_str!("reference/special.json"), 70);
}

#[test]
fn log_densities() {
    check(include_str!("reference/log_densities.json"), 78);
}

#[test]
fn functions_of_matrices() {
    check(include_str!("reference/matrix_function.json"), 20);
}

#[test]
fn ranks_and_singular_values() {
    check(include_str!("reference/matrix_rank.json"), 20);
}

#[test]
fn units() {
    check(include_str!("reference/units.json"), 20);
}

#[test]
fn differential_equations() {
    check(include_str!("reference/solve_ode.json"), 96);
}

#[test]
fn fits_of_differential_equations() {
    check(include_str!("reference/curve_fit.json"), 8);
}
