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
fn faults(case: &Value, tables: Option<&Value>) -> Vec<String> {
    let text = |key: &str| case.get(key).and_then(Value::as_str).expect(key).to_owned();
    let title = format!("{} ({})", text("title"), text("tool"));
    let mut args = case
        .get("args")
        .and_then(Value::as_object)
        .expect("args")
        .clone();
    if let Some(table) = case.text("table").and_then(|name| tables?.get(name)) {
        args.insert("data", table.clone());
    }
    let call = tool(&text("tool")).decode(&Value::from(args));
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
        let expected = check.get("expected").expect("a value");
        if let Some(expected) = expected.as_str() {
            let is_same = found.as_str() == Some(expected);
            return (!is_same).then(|| format!("{title}: {at} is {found}, expected {expected}"));
        }
        let expected = numbers(expected);
        let distance = distance(&numbers(&found), &expected);
        let good = distance <= tolerance; // not when NaN
        (!good).then(|| {
            format!("{title}: {at} is {distance:.1e} away from its reference, beyond {tolerance:e}")
        })
    };
    checks.iter().filter_map(fault).collect()
}

/// Checks a list of cases, or an object of `tables` and the `cases` on them.
fn check(document: &str, least: usize) {
    let document = json::parse_json(document, json::JsonLimits::default()).unwrap();
    let tables = document.get("tables");
    let cases = document.get("cases").unwrap_or(&document).items().unwrap();
    assert!(cases.len() >= least, "{} cases", cases.len());
    let faults: Vec<String> = cases.iter().flat_map(|case| faults(case, tables)).collect();
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

#[test]
fn linear_and_integer_programs() {
    check(include_str!("reference/linear_program.json"), 29);
}

#[test]
fn interpolants_agree_with_scipy() {
    check(include_str!("reference/interpolate.json"), 70);
}

#[test]
fn tools_of_statistics_agree_with_r_and_scikit_learn() {
    check(include_str!("reference/statistics_tools.json"), 80);
}

#[test]
fn examples_of_r() {
    check(include_str!("reference/statistics-r.json"), 104);
}

#[test]
fn moments_and_variances_of_nist() {
    check(include_str!("reference/strd_moments.json"), 12);
}

#[test]
fn samples_and_derivatives() {
    check(include_str!("reference/calculus_samples.json"), 100);
}

/// How a tool that integrates answers a document of integrals: the true error is never above the stated one. How many converge.
fn within_errors(tool_id: &str, document: &str, more: &[(&str, f64)]) -> (usize, usize) {
    let cases = json::parse_json(document, json::JsonLimits::default()).unwrap();
    let cases = cases.items().unwrap();
    let (mut faults, mut converged) = (Vec::new(), 0);
    for case in &cases {
        let text = |key: &str| case.get(key).and_then(Value::as_str).expect(key).to_owned();
        let expected: f64 = text("expected").parse().expect("a number");
        let mut args = case
            .get("args")
            .and_then(Value::as_object)
            .expect("args")
            .clone();
        for (name, value) in more {
            args.insert((*name).to_owned(), *value);
        }
        let call = tool(tool_id).decode(&Value::Object(args.into()));
        let output = match call.and_then(|call| call.run(&Ctx::default())) {
            Ok(output) => output,
            Err(err) => {
                faults.push(format!("{}: {err:?}", text("title")));
                continue;
            }
        };
        let number = |name: &str| output.get(name).and_then(Value::as_f64).expect(name);
        let off = (number("integral") - expected).abs();
        // The expected value is rounded to a double.
        let good = off <= number("error") + f64::EPSILON * expected.abs();
        if !good {
            faults.push(format!(
                "{} {more:?}: off by {off:e}, stated {:e}",
                text("title"),
                number("error")
            ));
        }
        converged += usize::from(output.get("converged") == Some(&Value::Bool(true)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    (converged, cases.len())
}

#[test]
fn integrals_lie_within_their_errors() {
    let document = include_str!("reference/integrate.json");
    for (rtol, least) in [(1e-10, 260), (1e-6, 290), (1e-3, 298)] {
        let (converged, all) = within_errors("integrate", document, &[("rtol", rtol)]);
        assert!(
            all >= 300 && converged >= least,
            "{converged} of {all} converged at {rtol:e}"
        );
    }
}

#[test]
fn integrals_over_boxes_lie_within_their_errors() {
    let (converged, all) = within_errors(
        "integrate_nd",
        include_str!("reference/integrate_nd.json"),
        &[],
    );
    assert!(
        all >= 30 && converged + 2 >= all,
        "{converged} of {all} converged"
    );
}

#[test]
fn transforms_and_spectra() {
    check(include_str!("reference/fft.json"), 49);
}

#[test]
fn convolutions() {
    check(include_str!("reference/convolve.json"), 54);
}

#[test]
fn filters() {
    check(include_str!("reference/filter_signal.json"), 77);
}

#[test]
fn quadratic_programs() {
    check(include_str!("reference/quadratic_program.json"), 27);
}

#[test]
fn assignments() {
    check(include_str!("reference/assignment.json"), 27);
}
