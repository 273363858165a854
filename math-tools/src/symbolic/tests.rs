use super::{integrate, simplify, solve};
use crate::testing::{assert_refused, run};

#[test]
fn the_cubic_of_the_first_page_has_its_roots() {
    let output = run::<solve::Args>(r#"{"equations": "x^3 - 6x^2 + 11x - 6 = 0"}"#).unwrap();
    let values: Vec<&str> = output
        .solutions
        .iter()
        .map(|row| row.values["x"].as_str())
        .collect();
    assert_eq!((values, output.complete), (vec!["1", "2", "3"], true));
}

#[test]
fn a_quotient_in_latex_names_its_gap() {
    let output = run::<simplify::Args>(r#"{"expression": "\\frac{x^2-1}{x-1}"}"#).unwrap();
    assert_eq!(
        (output.result.text.as_str(), output.conditions),
        ("x + 1", vec!["x != 1".to_owned()])
    );
    let output =
        run::<simplify::Args>(r#"{"expression": "sin(2x)", "equal_to": "2sin(x)"}"#).unwrap();
    assert_eq!(output.equal, Some(simplify::EqualityAnswer::Different));
    assert!(output.counter_example.is_some());
}

#[test]
fn integrals_are_checked_and_singular_ones_refused() {
    let output = run::<integrate::Args>(
        r#"{"expression": "x^2 exp(-x)", "variable": "x", "from": "0", "to": "inf"}"#,
    )
    .unwrap();
    assert_eq!(output.value.map(|value| value.text).as_deref(), Some("2"));
    let error =
        run::<integrate::Args>(r#"{"expression": "1/x", "from": "-1", "to": "1"}"#).unwrap_err();
    assert_eq!(error.reason_str(), Some("refused"));
    let error = run::<integrate::Args>(r#"{"expression": "sin(sin(x))"}"#).unwrap_err();
    assert_eq!(error.reason_str(), Some("unevaluated"));
}

#[test]
fn texts_that_cannot_be_read_are_refused_where_they_end() {
    assert_refused::<simplify::Args>(&[
        (r#"{"expression": "2*(x"}"#, "/expression", "expected `)`"),
        (r#"{"expression": "1/0"}"#, "/expression", "divides by zero"),
        (
            r#"{"expression": "x", "assumptions": "x bright"}"#,
            "/assumptions",
            "no assumption",
        ),
    ]);
    let many: Vec<String> = (0..31).map(|at| format!("x{at} = {at}")).collect();
    let many = format!(r#"{{"equations": "{}"}}"#, many.join("; "));
    assert_refused::<solve::Args>(&[(many.as_str(), "/equations", "at most 30")]);
}
