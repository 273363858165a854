//! The tools for models against `tests/reference/models.json`, which the script beside it made with statsmodels, lifelines and scikit-learn.

use std::collections::BTreeMap;

use tool_core::{AnyTool, Ctx, Value, json};

const REFERENCE: &str = include_str!("../../../tests/reference/models.json");

fn tool(id: &str) -> Option<&'static dyn AnyTool> {
    let mut tools = super::TOOLS.iter().map(|entry| entry.tool());
    tools.find(|tool| tool.spec().id == id)
}

/// Relative, and absolute below 1e-6: p values and estimates near 0.
fn is_near(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs().max(1e-6)
}

/// Factors of an interaction in any order are one term.
fn sorted_name(name: &str) -> String {
    let mut parts: Vec<&str> = name.split(':').collect();
    parts.sort_unstable();
    parts.join(":")
}

fn number(value: &Value, pointer: &str) -> Option<f64> {
    value.pointer(pointer).and_then(|value| value.as_f64())
}

/// The numbers of a term in the order of the reference.
fn term_numbers(term: &Value) -> Vec<Option<f64>> {
    let either = |names: &[&str]| names.iter().find_map(|name| number(term, name));
    vec![
        number(term, "/estimate"),
        number(term, "/standard_error"),
        either(&["/t", "/z"]),
        number(term, "/p"),
        either(&["/interval/0", "/lower"]),
        either(&["/interval/1", "/upper"]),
    ]
}

fn faults_of(case: &Value, tables: &Value) -> Vec<String> {
    let text = |key: &str| case.get(key).and_then(Value::as_str).expect(key).to_owned();
    let title = format!("{} ({})", text("title"), text("tool"));
    let Some(tool) = tool(&text("tool")) else {
        return vec![format!("{title}: no such tool")];
    };
    let mut args = case
        .get("args")
        .and_then(Value::as_object)
        .expect("args")
        .clone();
    args.insert(
        "data".to_owned(),
        tables.get(&text("columns")).expect("a table").clone(),
    );
    let output = match tool
        .decode(&Value::from(args))
        .and_then(|call| call.run(&Ctx::default()))
    {
        Ok(output) => output,
        Err(err) => return vec![format!("{title}: {err:?}")],
    };
    let tolerance = number(case, "/tolerance").expect("a tolerance");
    let mut faults = Vec::new();
    let mut check = |at: String, found: Option<f64>, expected: f64| {
        if !found.is_some_and(|found| is_near(found, expected, tolerance)) {
            faults.push(format!("{title}: {at} is {found:?}, expected {expected:?}"));
        }
    };
    let terms: Vec<Value> = output
        .get("terms")
        .and_then(Value::items)
        .unwrap_or_default();
    let by_name: BTreeMap<String, Value> = terms
        .into_iter()
        .filter_map(|term| Some((sorted_name(term.get("name")?.as_str()?), term)))
        .collect();
    for (name, expected) in case
        .get("terms")
        .and_then(Value::as_object)
        .expect("terms")
        .iter()
    {
        let found = by_name.get(&sorted_name(name));
        let found = found.map_or_else(|| vec![None; 6], term_numbers);
        let expected = expected.items().expect("numbers");
        for (index, (found, expected)) in found.into_iter().zip(&expected).enumerate() {
            check(
                format!("{name} number {index}"),
                found,
                expected.as_f64().expect("a number"),
            );
        }
    }
    for (pointer, expected) in case
        .get("values")
        .and_then(Value::as_object)
        .expect("values")
        .iter()
    {
        check(
            pointer.to_owned(),
            number(&output, pointer),
            expected.as_f64().expect("a number"),
        );
    }
    faults
}

fn check_tool(id: &str, least: usize) {
    let document = json::parse_json(REFERENCE, json::JsonLimits::default()).unwrap();
    let tables = document.get("tables").expect("tables");
    let cases = document.get("cases").and_then(Value::items).expect("cases");
    let is_of_tool = |case: &&Value| case.get("tool").and_then(Value::as_str) == Some(id);
    let cases: Vec<&Value> = cases.iter().filter(is_of_tool).collect();
    assert!(cases.len() >= least, "{} cases", cases.len());
    let faults: Vec<String> = cases
        .into_iter()
        .flat_map(|case| faults_of(case, tables))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn linear_models_agree_with_statsmodels() {
    check_tool("linear_regression", 16);
}

#[test]
fn generalised_linear_models_agree_with_statsmodels() {
    check_tool("glm", 20);
}

#[test]
fn mixed_models_agree_with_statsmodels() {
    check_tool("mixed_model", 2);
}

#[test]
fn quantile_regressions_agree_with_statsmodels() {
    check_tool("quantile_regression", 6);
}

#[test]
fn robust_regressions_agree_with_statsmodels() {
    check_tool("robust_regression", 2);
}

#[test]
fn survival_analyses_agree_with_lifelines() {
    check_tool("survival", 3);
}
