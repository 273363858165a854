use serde_json::Value as Json;
use tool_core::ToolError;

use super::{Args, Output, PolynomialRootsReason};

fn call(text: &str) -> Result<(Output, String), ToolError> {
    crate::testing::run_warned::<Args>(text)
}

/// `tests/reference/polynomial_roots.json`: every true root lies within a radius, and each disc has as many as it says.
#[test]
fn discs_hold_the_roots_of_mpmath() {
    let text = include_str!("../../../../tests/reference/polynomial_roots.json");
    let cases: Vec<Json> = serde_json::from_str(text).unwrap();
    assert!(cases.len() >= 25);
    for case in cases {
        let mut args = serde_json::json!({ "coefficients": case["coefficients"] });
        if !case["imaginary"].is_null() {
            args["imaginary"] = case["imaginary"].clone();
        }
        let name = case["name"].as_str().unwrap();
        let (output, _) = call(&args.to_string()).unwrap_or_else(|err| panic!("{name}: {err:?}"));
        assert!(
            output.converged && output.reason == PolynomialRootsReason::Enclosed,
            "{name} {output:?}"
        );
        let mut counts = vec![0; output.roots.len()];
        for root in case["roots"].as_array().unwrap() {
            let part = |at: usize| root[at].as_str().unwrap().parse::<f64>().unwrap();
            let (re, im) = (part(0), part(1));
            // The reference is rounded to doubles here: half a unit in the last place of each part.
            let slack = 1.2e-16 * libm::hypot(re, im);
            let within = |root: &super::EnclosedRoot| {
                libm::hypot(root.re - re, root.im - im) <= root.radius + slack
            };
            let mut near: Vec<usize> = (0..counts.len())
                .filter(|&at| within(&output.roots[at]))
                .collect();
            // Discs nearer to each other than doubles show may both hold it: the one with room counts.
            near.sort_by_key(|&at| counts[at] >= output.roots[at].multiplicity);
            assert!(!near.is_empty(), "{name}: {re:?} {im:?} {output:?}");
            counts[near[0]] += 1;
        }
        for (root, count) in output.roots.iter().zip(counts) {
            assert_eq!(root.multiplicity, count, "{name}: {root:?}");
            assert!(
                root.radius <= 1e-15 * libm::hypot(root.re, root.im),
                "{name}: {root:?}"
            );
            assert!(!root.real || root.im == 0.0);
        }
    }
}

#[test]
fn the_order_is_stated() {
    let (output, _) = call(r#"{"coefficients": [-2, 1], "order": "lowest_first"}"#).unwrap();
    assert_eq!(output.roots[0].re, 2.0);
    let (output, _) = call(r#"{"coefficients": [-2, 1]}"#).unwrap();
    assert_eq!((output.roots[0].re, output.roots[0].real), (0.5, true));
}

/// The condition of Wilkinson's polynomial at its worst root is 5.1e13 or so (Gautschi 1984: of the order 10^14).
#[test]
fn the_condition_is_that_of_the_book() {
    let p = (1..=20).fold(vec![1.0], |p: Vec<f64>, r| {
        let mut next = p.clone();
        next.push(0.0);
        for (k, c) in p.iter().enumerate() {
            next[k + 1] -= f64::from(r) * c;
        }
        next
    });
    let text = serde_json::json!({ "coefficients": p }).to_string();
    let (output, _) = call(&text).unwrap();
    let worst = output
        .roots
        .iter()
        .map(|root| root.condition.0)
        .fold(0.0, f64::max);
    assert!((1e13..1e15).contains(&worst), "{worst:e}");
}

#[test]
fn a_thousand_roots_and_no_more() {
    let mut p = vec![0.0; 301];
    (p[0], p[150], p[300]) = (1.0, -3.0, 1.5);
    let text = serde_json::json!({ "coefficients": p }).to_string();
    let (output, _) = call(&text).unwrap();
    assert!(output.converged && output.roots.len() == 300);
    let long = serde_json::json!({ "coefficients": vec![1.0; 1002] }).to_string();
    assert!(call(&long).unwrap_err().message().contains("1000"));
}

#[test]
fn arguments_are_checked() {
    for (text, at) in [
        (r#"{"coefficients": []}"#, "/coefficients"),
        (r#"{"coefficients": [0, 0]}"#, "/coefficients"),
        (
            r#"{"coefficients": [1, 2], "imaginary": [1]}"#,
            "/imaginary",
        ),
        (r#"{"coefficients": [1e-300, 1e300]}"#, "/coefficients"),
    ] {
        let err = call(text).unwrap_err();
        assert_eq!(err.path(), Some(at), "{text}: {err:?}");
    }
    let (output, warnings) = call(r#"{"coefficients": [0, 0, 7]}"#).unwrap();
    assert!(output.roots.is_empty() && output.degree == 0 && warnings.contains("leading"));
}
