//! Named parameters and entries of lists, in the language and in the tools that take expressions.

use tool_core::{Ctx, ErrorCode, Value, convert, json};

use crate::expression::{Expression, ExpressionScope, NamedParameters};
use crate::{FAMILIES, expression::parameters::VALUES_MAX};

fn parameters(text: &str) -> NamedParameters {
    convert::from_value(&value(text)).unwrap_or_else(|err| panic!("{text}: {err:?}"))
}

fn value(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).unwrap()
}

fn scope(text: &str) -> ExpressionScope {
    ExpressionScope::point(3)
        .with_parameters(&parameters(text), "/parameters")
        .unwrap()
}

#[test]
fn entries_are_variables_and_parameters_are_numbers() {
    let scope = scope(r#"{"a": 2, "w": [1.5, -3], "empty": []}"#);
    for (text, expected) in [
        ("x[0] + 10*x[1] + 100*x[2]", 753.0),
        ("x[0] == x0", 1.0),
        ("a*x", 6.0),
        ("w[0]", 1.5),
        ("w[1]**2", 9.0),
        ("-w[1]**a", -9.0),
        ("sum(w[0], w[1], x[ 1 ])", 3.5),
        ("w[1] % a", 1.0),
    ] {
        let expression =
            Expression::parse(text, &scope).unwrap_or_else(|err| panic!("{text}: {err}"));
        assert_eq!(
            expression.evaluator().eval(&[3.0, 5.0, 7.0]),
            expected,
            "{text}"
        );
    }
}

#[test]
fn wrong_entries_say_what_there_is() {
    let scope = scope(r#"{"a": 2, "rate": 1, "w": [1.5, -3], "empty": []}"#);
    for (text, message, hint) in [
        ("x[3]", "`x` at column 1: it has 3 entries", "x[0]"),
        ("1 + w[2]", "`w` at column 5: it has 2 entries", "x[0]"),
        ("empty[0]", "it has 0 entries", "x[0]"),
        ("a[0]", "`a` at column 1: it is no list", "x[0]"),
        (
            "w[x]",
            "expected a position such as `w[0]`, found `x`",
            "x[0]",
        ),
        (
            "w[-1]",
            "expected a position such as `w[0]`, found `-`",
            "x[0]",
        ),
        (
            "w[0.5]",
            "expected a position such as `w[0]`, found `0.5`",
            "x[0]",
        ),
        ("w[99999999999999999999]", "expected a position", "x[0]"),
        ("w[0", "unexpected end at column 4, expected `]`", "numbers"),
        (
            "w",
            "unknown name `w`",
            "`w` is a list of 2: read an entry as `w[0]`",
        ),
        ("[1, 2]", "unexpected `[` at column 1", "numbers"),
        ("x]", "unexpected `]` at column 2", "numbers"),
        ("rate2", "unknown name `rate2`", "did you mean `rate`?"),
        ("a(2)", "unknown function `a`", "`a` is a value"),
        ("np.w[0]", "unknown name `np.w`", "list"),
    ] {
        let err = Expression::parse(text, &scope).expect_err(text);
        assert!(err.to_string().contains(message), "{text}: {err}");
        assert!(err.hint().contains(hint), "{text}: {}", err.hint());
    }
}

#[test]
fn names_must_be_free() {
    for (text, pointer) in [
        (r#"{"x": 1}"#, "/parameters/x"),
        (r#"{"x2": 1}"#, "/parameters/x2"),
        (r#"{"pi": 1}"#, "/parameters/pi"),
        (r#"{"exp": [1]}"#, "/parameters/exp"),
        (r#"{"a-b": 1}"#, "/parameters/a-b"),
        (r#"{"": 1}"#, "/parameters/"),
    ] {
        let err = ExpressionScope::point(3)
            .with_parameters(&parameters(text), "/parameters")
            .expect_err(text);
        assert_eq!(err.code(), ErrorCode::InvalidArgs, "{text}");
        assert_eq!(err.path(), Some(pointer), "{text}");
    }
    let many = vec!["1"; VALUES_MAX + 1].join(",");
    let err = ExpressionScope::point(1)
        .with_parameters(&parameters(&format!(r#"{{"w": [{many}]}}"#)), "/parameters")
        .unwrap_err();
    assert_eq!(err.code(), ErrorCode::LimitExceeded);
}

#[test]
fn values_are_numbers_or_lists() {
    for text in [
        r#"{"a": "1"}"#,
        r#"{"a": [[1, 2]]}"#,
        r#"{"a": null}"#,
        r#"{"a": [1, "x"]}"#,
        "[1]",
    ] {
        assert!(
            convert::from_value::<NamedParameters>(&value(text)).is_err(),
            "{text}"
        );
    }
}

/// Every tool with an expression takes them: the same call with the numbers written out gives the same answer.
#[test]
fn tools_agree_with_the_numbers_written_out() {
    for (tool, with, without) in [
        (
            "calculate",
            r#"{"expression": "a*w[1]", "variables": {"a": 3, "w": [1, 0.5]}}"#,
            r#"{"expression": "3*0.5"}"#,
        ),
        (
            "plot_function",
            r#"{"function": "a*sin(x)", "title": "t", "parameters": {"a": 2}}"#,
            r#"{"function": "2*sin(x)", "title": "t"}"#,
        ),
        (
            "optimize",
            r#"{"objective": "(x[0]-a)**2 + w[0]*(x[1]-1)**2", "x0": [0, 0], "parameters": {"a": 2, "w": [5]}}"#,
            r#"{"objective": "(x0-2)**2 + 5*(x1-1)**2", "x0": [0, 0]}"#,
        ),
        (
            "solve_ode",
            r#"{"system": ["y[1]", "-k*y[0]"], "y0": [1, 0], "t_span": [0, 1], "parameters": {"k": 4}}"#,
            r#"{"system": ["y1", "-4*y0"], "y0": [1, 0], "t_span": [0, 1]}"#,
        ),
        (
            "monte_carlo",
            r#"{"expression": "a*x0", "samples": 1000, "parameters": {"a": 2}}"#,
            r#"{"expression": "2*x0", "samples": 1000}"#,
        ),
        (
            "monte_carlo_native",
            r#"{"function": "x**p", "bounds": [[0, 1]], "n_samples": 1000, "parameters": {"p": 3}}"#,
            r#"{"function": "x**3", "bounds": [[0, 1]], "n_samples": 1000}"#,
        ),
        (
            "mcmc",
            r#"{"log_density": "-0.5*((x-m)/s)**2", "x0": [0], "n_samples": 50, "parameters": {"m": 2, "s": 3}}"#,
            r#"{"log_density": "-0.5*((x-2)/3)**2", "x0": [0], "n_samples": 50}"#,
        ),
        (
            "bayesopt",
            r#"{"objective": "-(x-c)**2", "bounds": [[0, 1]], "n_init": 3, "n_iter": 2, "parameters": {"c": 0.25}}"#,
            r#"{"objective": "-(x-0.25)**2", "bounds": [[0, 1]], "n_init": 3, "n_iter": 2}"#,
        ),
    ] {
        let mut entries = FAMILIES.iter().copied().flatten();
        let entry = entries
            .find(|entry| entry.tool().spec().id == tool)
            .unwrap();
        let answer = |args: &str| {
            let call = entry.tool().decode(&value(args));
            call.and_then(|call| call.run(&Ctx::default()))
                .unwrap_or_else(|err| panic!("{tool}: {err:?}"))
        };
        assert_eq!(answer(with), answer(without), "{tool}");
    }
}
