//! Definitions, columns of data, reductions and log densities.

use tool_core::{LoadInput as _, Table, ToolError};

use crate::expression::{Expression, ExpressionScope, ExpressionSystem, densities};
use crate::linalg::tests::parse as json;

fn table(text: &str) -> Table {
    Table::from_value(&json(text)).unwrap()
}

/// `a` and `b`, and the columns t, y and name.
fn scope() -> ExpressionScope {
    let data = table(r#"{"t": [0, 1, 2, 3], "y": [1, 3, 2, 5], "name": ["a", "b", "c", "d"]}"#);
    ExpressionScope::new()
        .variable("a")
        .variable("b")
        .with_data(&data)
        .unwrap()
}

fn value(text: &str) -> f64 {
    let expression =
        Expression::parse(text, &scope()).unwrap_or_else(|err| panic!("{text}: {err}"));
    expression.evaluator().eval(&[0.5, 2.0])
}

fn refused(text: &str) -> ToolError {
    Expression::parse(text, &scope())
        .unwrap_err()
        .into_tool_error("/f")
}

#[test]
fn definitions_are_values_of_names() {
    let plain = |text: &str| Expression::parse(text, &ExpressionScope::new().variable("x"));
    let value = |text: &str| plain(text).unwrap().evaluator().eval(&[3.0]);
    assert_eq!(value("u = x + 1; v = u*u; v - u"), 12.0);
    assert_eq!(value(" u = 2 ;u;"), 2.0);
    assert_eq!(value("u = x == 3; if(u, 1, 2)"), 1.0);
    assert_eq!(
        plain("u = x; log(u - 5)")
            .unwrap()
            .value(&[3.0])
            .unwrap_err()
            .to_string(),
        "`log` at column 8 has no real value for -2"
    );
    // Linear in the length: inlining would take 2^60 nodes.
    let mut text = String::from("u0 = x - 2;");
    for index in 1..60 {
        text += &format!("u{index} = u{} * u{};", index - 1, index - 1);
    }
    assert_eq!(value(&(text + "u59")), 1.0);
    for (text, problem) in [
        ("u = x", "`;` after the definition"),
        ("u = x;", "unexpected end"),
        ("u = 1; u = 2; u", "defined already"),
        ("x = 1; x", "has a value here"),
        ("sin = 1; sin", "a function"),
        ("pi = 3; pi", "a constant"),
        ("x = = 1", "has a value here"),
        ("x + 1 = 2", "unexpected `=`"),
        ("u = v; v = 1; u", "unknown name `v`"),
        ("1; 2", "a second value at column 4"),
        (";", "unexpected `;`"),
        ("np.u = 1; 2", "a name of a library"),
    ] {
        let message = plain(text).unwrap_err().to_string();
        assert!(message.contains(problem), "{text}: {message}");
    }
}

#[test]
fn columns_are_reduced_to_numbers() {
    for (text, expected) in [
        ("sum(y)", 11.0),
        ("mean(y)", 2.75),
        ("count(y)", 4.0),
        ("max(y - t)", 2.0),
        ("min(y - t)", 0.0),
        ("dot(t, y)", 22.0),
        ("sum(cumsum(y))", 1.0 + 4.0 + 6.0 + 11.0),
        ("max(cumsum(1 + 0*t))", 4.0),
        ("sum((y - a - b*t)**2)", 0.25 + 0.25 + 6.25 + 2.25),
        ("mu = a + b*t; r = y - mu; sum(r**2)", 9.0),
        ("sum(a, b)", 2.5),
        ("mean(a, b)", 1.25),
        ("max(a, b)", 2.0),
        ("sum(max(y, b))", 12.0),
        ("sum(if(t > 1, y, 0))", 7.0),
        ("sum(b)", 2.0),
        ("logsumexp(y - y)", 4f64.ln()),
        ("sqrt(mean((y - mean(y))**2))", 2.1875f64.sqrt()),
    ] {
        let found = value(text);
        assert!((found - expected).abs() < 1e-14, "{text}: {found}");
    }
}

#[test]
fn what_is_no_number_is_refused_with_its_place() {
    for (text, pointer, problem) in [
        ("y - a", "/f", "the value is a column"),
        (
            "sum(name)",
            "/data/name/0",
            "found the string \"a\" in row 0",
        ),
        ("cumsum(a)", "/f", "takes a column"),
        ("dot(a, b)", "/f", "takes a column"),
        ("prod(y)", "/f", "does not take a column"),
        ("sum(z)", "/f", "unknown name `z`"),
        ("dot(y)", "/f", "takes 2 arguments"),
        ("normal_lpdf(y, 1)", "/f", "takes 3 arguments"),
        ("support(1, 2)", "/f", "unknown function"),
    ] {
        let error = refused(text);
        assert!(
            error.message().contains(problem),
            "{text}: {}",
            error.message()
        );
        assert_eq!(error.path(), Some(pointer), "{text}");
    }
    let names = |text: &str| {
        ExpressionScope::new()
            .variable("a")
            .with_data(&table(text))
            .map(|_| ())
            .unwrap_err()
    };
    assert_eq!(names(r#"{"a": [1]}"#).path(), Some("/data/a"));
    assert_eq!(names("[]").path(), Some("/data"));
    let point = ExpressionScope::point(2)
        .with_data(&table(r#"{"x": [1, 2], "y": [3, 5]}"#))
        .unwrap();
    let line = Expression::parse("sum((y - x0 - x1*x)**2)", &point).unwrap();
    assert_eq!(line.evaluator().eval(&[1.0, 2.0]), 0.0); // columns before the short names of variables
    let hidden = ExpressionScope::point(2)
        .with_data(&table(r#"{"x1": [1, 2]}"#))
        .unwrap_err();
    assert_eq!(hidden.path(), Some("/data/x1"));
}

#[test]
fn the_row_without_a_value_is_named() {
    let expression = |text: &str| Expression::parse(text, &scope()).unwrap();
    let cause = |text: &str| expression(text).value(&[0.5, 2.0]).unwrap_err().to_string();
    assert_eq!(
        cause("sum(log(2 - t))"),
        "`sum` at column 1 has no real value: `log` has none in row 2"
    );
    assert_eq!(
        cause("mean(y / t)"),
        "`sum` at column 1 has no real value: `/` has none in row 0"
    );
    assert_eq!(
        cause("sum(y * log(-a))"),
        "`log` at column 9 has no real value for -0.5"
    );
    let guarded = expression("sum(if(t > 0, y / t, 0))").value(&[0.5, 2.0]);
    assert!((guarded.unwrap() - (3.0 + 1.0 + 5.0 / 3.0)).abs() < 1e-15);
}

#[test]
fn log_densities_are_smooth_where_they_are_positive() {
    let smooth = |text: &str| Expression::parse(text, &scope()).unwrap().ast().is_smooth();
    assert!(smooth(
        "sum(poisson_log_lpmf(y, a + b*t)) + gamma_lpdf(b, 2, 1) + exponential_lpdf(a, 1)"
    ));
    assert!(smooth("sum(if(t > 1, a*t, b))"));
    assert!(!smooth("sum(if(a > 1, a*t, b))"));
    assert!(!smooth("max(a*t)"));
    assert!(!smooth("u = abs(a); sum(u*t)"));
    let outside = |text: &str| value(text);
    for text in [
        "exponential_lpdf(a - 1, 1)",
        "beta_lpdf(b, 1, 1)",
        "sum(poisson_lpmf(y + 0.5, 1))",
        "uniform_lpdf(b, 0, 1)",
        "bernoulli_lpmf(1, b)",
        "binomial_lpmf(3, 3, b)",
        "geometric_lpmf(0, b)",
    ] {
        assert_eq!(outside(text), f64::NEG_INFINITY, "{text}");
    }
    assert!(outside("normal_lpdf(a, 0, -1)").is_nan());
}

#[test]
fn log_densities_have_exact_derivatives() {
    // Points of the support, with every operand a variable.
    let at = |name: &str| match name {
        "bernoulli_lpmf" | "geometric_lpmf" => vec![1.0, 0.3],
        "bernoulli_logit_lpmf" => vec![0.0, -0.4],
        "binomial_lpmf" => vec![3.0, 7.0, 0.3],
        "binomial_logit_lpmf" => vec![3.0, 7.0, -0.4],
        "poisson_lpmf" => vec![3.0, 2.2],
        "poisson_log_lpmf" => vec![3.0, 0.8],
        "neg_binomial_2_lpmf" => vec![3.0, 2.2, 1.4],
        "beta_lpdf" => vec![0.3, 1.7, 2.2],
        "uniform_lpdf" => vec![0.3, -0.5, 2.2],
        "pareto_lpdf" => vec![1.3, 0.5, 2.2],
        _ => vec![0.7, 0.9, 1.6, 1.1],
    };
    for density in densities::ALL {
        let point = &at(density.name)[..density.names.len()];
        let scope = density
            .names
            .iter()
            .fold(ExpressionScope::new(), |scope, name| scope.variable(name));
        let text = format!("{}({})", density.name, density.names.join(", "));
        let expression = Expression::parse(&text, &scope).unwrap();
        let slots: Vec<usize> = (0..point.len()).collect();
        let system = ExpressionSystem::value_and_gradient(&expression, &slots).unwrap();
        let mut found = vec![0.0; point.len() + 1];
        system.evaluator().point(point, &mut found);
        let discrete = density.name.ends_with("lpmf");
        let whole = |slot: usize| discrete && (slot == 0 || density.names[slot] == "n");
        for slot in (0..point.len()).filter(|&slot| !whole(slot)) {
            let shifted = |by: f64| {
                let mut point = point.to_vec();
                point[slot] += by;
                expression.evaluator().eval(&point)
            };
            let expected = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
            let error = (found[slot + 1] - expected).abs();
            assert!(
                error < 1e-8 * expected.abs().max(1.0),
                "{text}, {slot}: {found:?} {expected}"
            );
        }
        if !discrete {
            assert!(
                ExpressionSystem::hessian_product(&expression, point.len()).is_ok(),
                "{text}"
            );
        }
    }
}
