use proptest::prelude::*;
use tool_core::{Ctx, ErrorCode, Tool, ToolError};

use crate::expression::calculate::{AnswerKind, Args, CalculatedValue};

fn run(
    expression: &str,
    exact: bool,
    variables: &[(&str, f64)],
) -> Result<(CalculatedValue, AnswerKind), ToolError> {
    let variables = variables.iter().copied().collect();
    let args = Args {
        expression: expression.into(),
        variables,
        data: None,
        exact,
        precision: None,
        complex: false,
    };
    Args::run(args, &Ctx::default()).map(|output| (output.value, output.kind))
}

fn check(expression: &str, expected: CalculatedValue) {
    let (found, _) =
        run(expression, false, &[]).unwrap_or_else(|err| panic!("`{expression}`: {err:?}"));
    assert_eq!(found, expected, "`{expression}`");
}

fn text(text: &str) -> CalculatedValue {
    CalculatedValue::Text(text.into())
}

#[test]
fn integers_are_exact() {
    for (expression, expected) in [
        ("1 + 2", 3),
        ("-2**2", -4),
        ("7 % -3", -2),
        ("-7 % 3", 2),
        ("6/3", 2),
        ("(1/3) * 3", 1),
        ("1/49*49", 1), // in doubles 0.9999999999999999
        ("2**53", 1 << 53),
        ("2**200 / 2**190", 1024),
        ("10**30 % 7", 1),
        ("factorial(10)", 3_628_800),
        ("gamma(11) + lgamma(2)", 3_628_800),
        ("sqrt(10**20)", 10_000_000_000),
        ("if(1 < 2, 5, 1/0)", 5),
        ("max(1, 7, 3) - min(4, 2)", 5),
        ("round(5/2) + round(7/2) + round(-5/2)", 4),
        ("floor(-7/2) * 10 + ceil(-7/2)", -43),
        ("abs(-3) + sign(-9) + trunc(-7/2)", -1),
        ("(-1)**(10**30 + 1)", -1),
        ("2**3**2", 512),
    ] {
        check(expression, CalculatedValue::Integer(expected));
    }
    check("2**53 + 1", text("9007199254740993"));
    check(
        "2**200",
        text("1606938044258990275541962092341162602522202993782792835301376"),
    );
    check("-(10**20)", text("-100000000000000000000"));
    // 30! (OEIS A000142).
    check("factorial(30)", text("265252859812191058636308480000000"));
    check("gamma(31)", text("265252859812191058636308480000000"));
}

#[test]
fn doubles_are_nearest_or_nearby() {
    for (expression, expected) in [
        ("1/3", 1.0 / 3.0),
        ("0.1 + 0.2", 0.1 + 0.2),
        ("np.sin(math.pi / 2) * 2", 2.0),
        ("log(8, 2)", 3.0),
        ("log(1000, 10)", 3.0),
        ("log(e)", 1.0),
        ("2**0.5", std::f64::consts::SQRT_2),
        ("2**-1074 / 1", f64::from_bits(1)),
        ("3 / 2**1075", f64::from_bits(2)), // 1.5 of the least double: a tie, to even
        ("1 / 2**1075", 0.0),               // a tie, to even
        ("3 / 2**1076", f64::from_bits(1)),
        ("(1 + 1/1000000)**1000000", 2.718_280_469_319_376_9), // too long for a fraction; doubles instead
    ] {
        let (found, kind) =
            run(expression, false, &[]).unwrap_or_else(|err| panic!("`{expression}`: {err:?}"));
        let CalculatedValue::Double(found) = found else {
            panic!("`{expression}`: {found:?}")
        };
        assert_eq!(kind, AnswerKind::Double);
        assert!(
            (found - expected).abs() <= 1e-10 * expected.abs(),
            "`{expression}`: {found}"
        );
    }
}

#[test]
fn exact_rationals() {
    for (expression, expected) in [
        ("0.1 + 0.2", "3/10"),
        ("1/3 + 1/6", "1/2"),
        ("-7/14", "-1/2"),
        ("1e-3 * 5", "1/200"),
        ("(2/3)**-2", "9/4"),
        ("(-2)**-3", "-1/8"),
        ("sqrt(9/4)", "3/2"),
        ("7.5 % -2", "-1/2"),
        ("fmod(-7.5, 2)", "-3/2"),
        ("4/2", "2"),
        ("0.30000000000000004 == 0.3", "0"),
        ("x * 3", "3/10"),
    ] {
        let (found, _) = run(expression, true, &[("x", 0.1)])
            .unwrap_or_else(|err| panic!("`{expression}`: {err:?}"));
        assert_eq!(found, text(expected), "`{expression}`");
    }
}

#[test]
fn faults_are_typed() {
    use ErrorCode::{InvalidArgs, LimitExceeded, Numeric};
    for (expression, exact, code, reason) in [
        ("1/0", false, Numeric, "division_by_zero"),
        ("1/0", true, Numeric, "division_by_zero"),
        ("1.5 % 0", false, Numeric, "division_by_zero"),
        ("0**-1", false, Numeric, "division_by_zero"),
        ("log(0)", false, Numeric, "domain"),
        ("sqrt(-1)", false, Numeric, "domain"),
        ("(-8)**(1/3)", false, Numeric, "domain"),
        ("asin(2)", false, Numeric, "domain"),
        ("exp(1000)", false, Numeric, "overflow"),
        ("1e308 * 10.0", false, Numeric, "overflow"),
        ("exp(1000) - exp(1000)", false, Numeric, "overflow"),
        ("sin(1)", true, Numeric, "inexact"),
        ("pi", true, Numeric, "inexact"),
        ("gamma(0.5)", true, Numeric, "inexact"),
        ("gamma(-2)", true, Numeric, "domain"),
        ("2**0.5", true, Numeric, "inexact"),
        ("10**10**10", false, LimitExceeded, "bits"),
        ("10**10**10", true, LimitExceeded, "bits"),
        ("factorial(10**9)", false, LimitExceeded, "bits"),
        ("9**9**9**9", false, LimitExceeded, "bits"),
        ("2 x", false, InvalidArgs, "expression"),
        ("", false, InvalidArgs, "expression"),
    ] {
        let err = run(expression, exact, &[]).expect_err(expression);
        assert_eq!(
            (err.code(), err.reason_str()),
            (code, Some(reason)),
            "`{expression}`: {err:?}"
        );
        assert_eq!(err.path(), Some("/expression"), "`{expression}`");
        assert!(err.hint_str().is_some(), "`{expression}`");
    }
}

#[test]
fn variables_are_checked_names() {
    assert_eq!(
        run("x**2 + 1", false, &[("x", 3.0)]).unwrap().0,
        CalculatedValue::Integer(10)
    );
    assert_eq!(
        run("x / 2", false, &[("x", 0.5)]).unwrap().0,
        CalculatedValue::Double(0.25)
    );
    for (name, pointer) in [
        ("pi", "/variables/pi"),
        ("sin", "/variables/sin"),
        ("a b", "/variables/a b"),
        ("a/b", "/variables/a~1b"),
        ("1x", "/variables/1x"),
        ("", "/variables/"),
    ] {
        let err = run("1", false, &[(name, 1.0)]).expect_err(name);
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(pointer))
        );
    }
}

proptest! {
    /// `a / b` in exact arithmetic, rounded once, is the correctly rounded quotient that the processor gives.
    #[test]
    fn fractions_round_to_nearest(a in -(1_i64 << 53)..(1_i64 << 53), b in 1_i64..(1 << 53)) {
        let (found, _) = run(&format!("({a}) / {b}"), false, &[]).unwrap();
        let expected = a as f64 / b as f64;
        match found {
            CalculatedValue::Double(found) => prop_assert_eq!(found, expected),
            CalculatedValue::Integer(found) => prop_assert_eq!(found as f64, expected),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    /// Integers agree with 128-bit arithmetic.
    #[test]
    fn integers_agree_with_wide_arithmetic(a in any::<i64>(), b in any::<i64>(), c in 1_i64..1000) {
        let (a, b) = (i128::from(a), i128::from(b));
        let (found, _) = run(&format!("({a}) * ({b}) + ({a}) % {c}"), true, &[]).unwrap();
        prop_assert_eq!(found, CalculatedValue::Text((a * b + a.rem_euclid(i128::from(c))).to_string()));
    }
}

/// `//` rounds down, as in Python; so do its exact and its precise value.
#[test]
fn floor_division_is_python_s() {
    for (expression, expected) in [
        ("5//2", 2),
        ("-5//2", -3),
        ("5//-2", -3),
        ("7//7", 1),
        ("2*7//3", 4),
        ("100//7//2", 7),
        ("-2**2//3", -2),
        ("floor_divide(9, 4)", 2),
        ("10**30//10**29", 10),
    ] {
        check(expression, CalculatedValue::Integer(expected));
    }
    for (expression, expected) in [
        ("1//0.1", 9.0), // 0.1 is a little more than a tenth
        ("7.5//2", 3.0),
        ("-7.5//2", -4.0),
        ("pi//1", 3.0),
    ] {
        check(expression, CalculatedValue::Double(expected));
    }
    let (exact, _) = run("1//0.1", true, &[]).unwrap();
    assert_eq!(exact, text("10"));
    let error = run("5//0", false, &[]).unwrap_err();
    assert_eq!(error.reason_str(), Some("division_by_zero"));
    let decimal = Args {
        expression: "10*pi//1".into(),
        variables: Default::default(),
        data: None,
        exact: false,
        precision: Some(tool_core::BoundedInteger::literal(5)),
        complex: false,
    };
    let decimal = Args::run(decimal, &Ctx::default()).unwrap();
    assert_eq!(decimal.value, text("31.000"));
}

/// A way beyond the range of doubles does not matter where the value is within.
#[test]
fn values_within_the_range_are_found_beyond_it() {
    for (expression, expected) in [
        ("1e308*10/10", 1e308),
        ("1e200*1e200*1e-200", 1e200),
        ("exp(1000)/exp(999.5)", 0.5_f64.exp()),
        ("sqrt(1e200**2)", 1e200),
    ] {
        check(expression, CalculatedValue::Double(expected));
    }
    let error = run("1e308*10.0", false, &[]).unwrap_err();
    assert_eq!(error.reason_str(), Some("overflow"));
    assert!(error.hint_str().unwrap().contains("`precision`"));
}

/// The page names the functions that `precision` refuses, all of them and no others.
#[test]
fn the_page_names_what_is_known_in_doubles_only() {
    const PAGE: &str = include_str!("../../../../docs/expressions.md");
    let refused = |name: &str| {
        let calls = ["0.3", "2", "0.3, 0.7", "2, 3", "1, 0.3, 0.7"].map(|arguments| {
            let args = Args {
                expression: format!("{name}({arguments})"),
                variables: Default::default(),
                data: None,
                exact: false,
                precision: Some(tool_core::BoundedInteger::literal(20)),
                complex: false,
            };
            Args::run(args, &Ctx::default())
        });
        calls.iter().any(|found| {
            found
                .as_ref()
                .is_err_and(|err| err.reason_str() == Some("precision"))
        })
    };
    let mut names: Vec<&str> = crate::expression::functions::function_names()
        .filter(|name| refused(name))
        .collect();
    names.sort_unstable();
    names.dedup();
    let line = format!("Known in doubles only: `{}`.", names.join(" "));
    let page = PAGE.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        page.contains(&line),
        "docs/expressions.md should say\n{line}"
    );
}
