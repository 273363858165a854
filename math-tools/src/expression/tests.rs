use proptest::prelude::*;

use super::*;

/// The value at `x0 = x`, `x1 = y`, `x2 = z`.
fn value_at(text: &str, point: [f64; 3]) -> f64 {
    let expression =
        Expression::parse(text, &Scope::point(3)).unwrap_or_else(|err| panic!("`{text}`: {err}"));
    expression.evaluator().eval(&point)
}

fn value(text: &str) -> f64 {
    value_at(text, [2.0, 3.0, -0.5])
}

fn error(text: &str) -> ExpressionError {
    Expression::parse(text, &Scope::point(3)).expect_err(text)
}

#[test]
fn precedence_and_associativity() {
    // x = 2, y = 3, z = -0.5
    for (text, expected) in [
        ("-x**2", -4.0),
        ("(-x)**2", 4.0),
        ("2**-1", 0.5),
        ("2**-x**2", 0.0625),
        ("2**3**2", 512.0),
        ("2^3^2", 512.0),
        ("-2**-2", -0.25),
        ("10-4-3", 3.0),
        ("100/10/5", 2.0),
        ("2+3*4", 14.0),
        ("2*-3", -6.0),
        ("-2*3", -6.0),
        ("--2", 2.0),
        ("+2", 2.0),
        ("1 - -1", 2.0),
        ("2*x**2", 8.0),
        ("-7 % 3", 2.0),
        ("7 % -3", -2.0),
        ("-(7 % 3)", -1.0),
        ("7.5 % 2", 1.5),
        ("fmod(-7, 3)", -1.0),
        ("1 + 2 < 4", 1.0),
        ("1 < 2 == 1", f64::NAN), // replaced below: chained comparisons are refused
        ("(1 < 2) == 1", 1.0),
        ("3 != 3", 0.0),
        ("3 >= 3", 1.0),
        ("x0*x1 + x2", 5.5),
        ("x*y + z", 5.5),
        (" ( ( x ) ) ", 2.0),
        ("1.5e1 + .5 + 1.", 16.5),
        ("1e-3", 0.001),
    ] {
        if expected.is_nan() {
            assert!(matches!(
                error(text),
                ExpressionError::ChainedComparison { .. }
            ));
        } else {
            assert_eq!(value(text), expected, "`{text}`");
        }
    }
}

#[test]
fn api_slots_aliases_and_uses() {
    let scope = Scope::new().variable("t").variable("y0").alias("y", 1);
    let expression = Expression::parse("y * 2", &scope).unwrap();
    assert_eq!(scope.len(), 2);
    assert!(expression.uses(1) && !expression.uses(0));
    assert_eq!(expression.evaluator().eval(&[9.0, 4.0]), 8.0);
    assert_eq!(expression.text(), "y * 2");
}

#[test]
fn limits() {
    let nested = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
    assert_eq!(value(&nested(DEPTH_MAX)), 2.0);
    assert!(matches!(
        error(&nested(DEPTH_MAX + 1)),
        ExpressionError::TooDeep { .. }
    ));
    assert!(matches!(
        error(&nested(4000)),
        ExpressionError::TooDeep { .. }
    ));
    assert!(matches!(
        error(&nested(10_000)),
        ExpressionError::TooManyTokens { .. }
    ));
    assert!(matches!(
        error(&"-".repeat(5000)),
        ExpressionError::TooDeep { .. }
    ));
    assert!(matches!(
        error(&"2**".repeat(3000)),
        ExpressionError::TooDeep { .. }
    ));
    assert!(matches!(
        error(&"sin(".repeat(3000)),
        ExpressionError::TooDeep { .. }
    ));
    assert!(matches!(
        error(&" ".repeat(LENGTH_MAX + 1)),
        ExpressionError::TooLong { .. }
    ));
    let sum = vec!["x"; 5000].join("+");
    assert_eq!(value(&sum), 10_000.0);
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,60}") {
        let _ = Expression::parse(&text, &Scope::point(2));
    }
}
