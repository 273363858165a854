//! The collection of Hock and Schittkowski: `tests/reference/hock_schittkowski.json`, with its sources in the script beside it.

use serde_json::Value as Json;
use tool_core::{Ctx, Tool, ToolError, convert};

use crate::linalg::tests::parse;
use crate::optimise::minimise::{Args, Output};

fn call(case: &Json, method: &str) -> Result<Output, ToolError> {
    let mut request = case.clone();
    let members = request.as_object_mut().unwrap();
    if !case["constraints"].as_array().unwrap().is_empty() {
        members.insert("method".to_owned(), method.into());
    }
    members.remove("name");
    members.remove("minima");
    let args: Args = convert::from_value(&parse(&request.to_string())).unwrap();
    Args::run(args, &Ctx::default())
}

/// What is wrong with the result of a case: it is to converge to a published value to 1e-6, with a violation of at most 1e-8 and a
/// gradient of the Lagrangian of at most 1e-6 relative to the largest multiplier.
fn fault(case: &Json, method: &str) -> Option<String> {
    let found = match call(case, method) {
        Ok(found) => found,
        Err(error) => return Some(format!("{} {error:?}", case["name"])),
    };
    let minima = case["minima"].as_array().unwrap().iter();
    let near = |minimum: f64| (found.f - minimum).abs() <= 1e-6 * minimum.abs().max(1.0);
    let right = minima.filter_map(Json::as_f64).any(near);
    let feasible = found.violation.is_none_or(|violation| violation <= 1e-8);
    let multipliers = found
        .constraints
        .iter()
        .flatten()
        .map(|constraint| constraint.multiplier.abs());
    let scale = multipliers.fold(1.0, f64::max);
    let optimal = found
        .kkt_residual
        .is_none_or(|residual| residual.0 <= 1e-6 * scale);
    let good = found.converged && right && feasible && optimal;
    (!good).then(|| format!("{} {found:?}", case["name"]))
}

/// The problems that are not solved: at the solution of 13 no multipliers exist, which is said; of 116 another local minimum is found, 4e-5
/// above the published one.
#[test]
fn published_minima_are_found() {
    assert_solved("auto", 2);
}

/// Not solved: the same two.
#[test]
fn the_augmented_lagrangian_finds_published_minima() {
    assert_solved("augmented_lagrangian", 2);
}

fn assert_solved(method: &str, failures: usize) {
    let text = include_str!("../../../../../tests/reference/hock_schittkowski.json");
    let cases: Vec<Json> = serde_json::from_str(text).unwrap();
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|case| fault(case, method))
        .collect();
    assert!(
        cases.len() >= 105 && faults.len() <= failures,
        "{}",
        faults.join("\n")
    );
}
