use super::*;
use crate::budget::ordinary_budget;
use crate::parse::{NotationOptions, read_expression};
use crate::print::write_text;
use crate::tree::{Expr, ExprNode};

fn read(text: &str) -> Expr {
    read_expression(text, &NotationOptions::default())
        .unwrap_or_else(|fault| panic!("{text}: {fault}"))
        .expr
}

/// The two sides of each line that is no comment.
fn pairs(file: &str) -> Vec<(String, Expr, Expr)> {
    let lines = file
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let sides = lines.map(|line| match read(line).node() {
        ExprNode::Relation(_, a, b) => (line.to_owned(), a.clone(), b.clone()),
        _ => panic!("{line} is no equation"),
    });
    sides.collect()
}

#[test]
fn identities_are_proved() {
    let mut open = Vec::new();
    let all = pairs(include_str!("../../tests-data/identities.txt"));
    for (line, a, b) in &all {
        match decide_equality(a, b, &ordinary_budget()) {
            Ok(EqualityVerdict::Proved) => {}
            other => open.push(format!("{line}: {other:?}")),
        }
    }
    assert!(
        open.is_empty(),
        "{} of {} open:\n{}",
        open.len(),
        all.len(),
        open.join("\n")
    );
}

#[test]
fn sides_that_differ_are_refuted_at_a_point() {
    for (line, a, b) in pairs(include_str!("../../tests-data/non-identities.txt")) {
        let verdict = decide_equality(&a, &b, &ordinary_budget());
        assert!(
            matches!(verdict, Ok(EqualityVerdict::Refuted(_))),
            "{line}: {verdict:?}"
        );
    }
}

#[test]
fn forms_are_as_asked_for() {
    let cases = [
        ("(x+1)(x-1)", SimplifyForm::Expand, "x**2 - 1"),
        ("x^2-5x+6", SimplifyForm::Factor, "(x - 3)*(x - 2)"),
        (
            "x^4+4",
            SimplifyForm::Factor,
            "(x**2 - 2*x + 2)*(x**2 + 2*x + 2)",
        ),
        ("x^2 y - y^3", SimplifyForm::Factor, "y*(x + y)*(x - y)"),
        (
            "1/(x^2-1)",
            SimplifyForm::Apart,
            "1/(2*(x - 1)) - 1/(2*(x + 1))",
        ),
        (r"\frac{x^2-1}{x-1}", SimplifyForm::Simple, "x + 1"),
        ("sin(x)^2+cos(x)^2", SimplifyForm::Simple, "1"),
        ("2sin(x)cos(x)", SimplifyForm::Trig, "sin(2*x)"),
        ("1-cos(x)^2", SimplifyForm::Simple, "sin(x)**2"),
        ("sin(x)/cos(x)", SimplifyForm::Simple, "tan(x)"),
        ("x^2*x^3", SimplifyForm::Simple, "x**5"),
        ("(e^x+e^(-x))/2", SimplifyForm::Simple, "cosh(x)"),
        ("1/x+1/y", SimplifyForm::Together, "(x + y)/(x*y)"),
    ];
    let mut wrong = Vec::new();
    for (text, form, expected) in cases {
        let found =
            simplify_as(&read(text), form, None, &ordinary_budget()).map(|expr| write_text(&expr));
        if found.as_deref() != Ok(expected) {
            wrong.push(format!(
                "{text} as {form:?}: {found:?}, expected {expected}"
            ));
        }
        let checked = simplify_as(&read(text), form, None, &ordinary_budget()).unwrap();
        assert!(
            crate::numeric::compare_values(&read(text), &checked, 4, &ordinary_budget())
                .unwrap()
                .is_agreement(),
            "{text}"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_power_with_too_many_terms_is_refused_where_terms_are_asked_for() {
    let budget = ordinary_budget();
    let expanded = |text: &str| simplify_as(&read(text), SimplifyForm::Expand, None, &budget);
    assert!(expanded("(x+y)**3").is_ok());
    let fault = expanded("(x+y+z+w)**200").unwrap_err();
    assert!(fault.to_string().contains("more terms"), "{fault}");
}
