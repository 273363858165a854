//! Derivatives with known values, and what is refused.

use super::{Args, Output};
use crate::prelude::*;

fn run(args: &str) -> Result<Output, ToolError> {
    let args: Args = tool_core::convert::from_value(&crate::linalg::tests::parse(args))
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    Args::run(args, &Ctx::default())
}

#[test]
fn orders_up_to_ten() {
    let at = |f: &str, order: usize| {
        run(&format!(r#"{{"f": "{f}", "at": 0.5, "order": {order}}}"#))
            .unwrap()
            .derivative
            .unwrap()
    };
    for order in 1..=10 {
        let expected = (0.5_f64).exp();
        assert!((at("exp(x)", order) / expected - 1.0).abs() < 1e-14);
        let wave = (0.5 + order as f64 * std::f64::consts::FRAC_PI_2).sin();
        assert!((at("sin(x)", order) - wave).abs() < 1e-14);
    }
    assert_eq!(at("x**3", 3), 6.0);
    assert_eq!(at("x**3", 4), 0.0);
}

#[test]
fn several_variables() {
    let found = run(r#"{"f": "r*cos(t)", "at": {"r": 2, "t": 0}, "order": 2}"#).unwrap();
    assert_eq!(found.gradient, Some(vec![1.0, 0.0]));
    assert_eq!(found.hessian, Some(vec![vec![0.0, 0.0], vec![0.0, -2.0]]));
    assert_eq!(found.named.unwrap()["r"], 1.0);
    let found = run(r#"{"f": ["x*y", "x+y"], "at": [2, 3]}"#).unwrap();
    assert_eq!(found.values, Some(vec![6.0, 5.0]));
    assert_eq!(found.jacobian, Some(vec![vec![3.0, 2.0], vec![1.0, 1.0]]));
}

#[test]
fn samples_with_errors_that_hold() {
    let x: Vec<f64> = (0..40)
        .map(|i| 0.1 * f64::from(i) + 0.02 * f64::from(i % 3))
        .collect();
    let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
    for method in ["finite", "spline"] {
        let found = run(&format!(
            r#"{{"x": {x:?}, "y": {y:?}, "method": "{method}"}}"#
        ))
        .unwrap();
        let all = found
            .derivatives
            .unwrap()
            .into_iter()
            .zip(found.errors.unwrap())
            .zip(&x);
        for ((derivative, error), x) in all {
            let off = (derivative - x.cos()).abs();
            assert!(
                off < 1e-3 && off <= 3.0 * error + 1e-6,
                "{method} at {x}: {off:e} {error:e}"
            );
        }
    }
    let (mut a, mut b) = (x.clone(), y.clone());
    a.reverse();
    b.reverse();
    let mut back = run(&format!(r#"{{"x": {a:?}, "y": {b:?}}}"#))
        .unwrap()
        .derivatives
        .unwrap();
    back.reverse();
    assert_eq!(
        back,
        run(&format!(r#"{{"x": {x:?}, "y": {y:?}}}"#))
            .unwrap()
            .derivatives
            .unwrap()
    );
}

#[test]
fn bad_arguments_are_refused() {
    for (args, path) in [
        ("{}", "/f"),
        (r#"{"f": "x"}"#, "/at"),
        (r#"{"f": "x", "at": 1, "y": [1, 2]}"#, "/y"),
        (r#"{"f": "x", "at": []}"#, "/at"),
        (r#"{"f": "q", "at": 1}"#, "/f"),
        (r#"{"f": "log(x)", "at": -1}"#, "/at"),
        (r#"{"f": "sqrt(x)", "at": 0}"#, "/at"),
        (r#"{"f": "x*y", "at": [1, 2], "order": 3}"#, "/order"),
        (r#"{"f": ["x"], "at": 1, "order": 2}"#, "/order"),
        (r#"{"f": "x", "at": 1, "window": 5}"#, "/window"),
        (r#"{"y": [1, 2], "at": 1}"#, "/at"),
        (r#"{"y": [1]}"#, "/y"),
        (r#"{"y": [1, 2]}"#, "/y"),
        (r#"{"y": [1, 2, 3], "x": [1, 1, 2]}"#, "/x/1"),
        (
            r#"{"y": [1, 2, 3, 4, 5, 6, 7, 8], "accuracy": 3}"#,
            "/accuracy",
        ),
        (
            r#"{"y": [1, 2, 3, 4], "method": "savitzky_golay"}"#,
            "/window",
        ),
        (
            r#"{"y": [1, 2, 3, 4], "method": "savitzky_golay", "window": 4}"#,
            "/window",
        ),
        (
            r#"{"y": [1, 2, 3, 4], "method": "spline", "window": 5}"#,
            "/window",
        ),
        (r#"{"y": [1, 2, 3, 4], "method": "exact"}"#, "/method"),
        (
            r#"{"y": [0, 1e308, -1e308], "dx": 1e-10, "accuracy": 2}"#,
            "/y",
        ),
    ] {
        let err = run(args).unwrap_err();
        assert_eq!(err.path(), Some(path), "{args}: {err:?}");
    }
}

#[test]
fn other_names_of_arguments_are_read() {
    use tool_core::{AnyTool, tool_entry};
    let decoded = |tool: &dyn AnyTool, args: &str| {
        let call = tool.decode(&crate::linalg::tests::parse(args));
        call.map(|call| call.args().clone())
    };
    let tool = tool_entry::<crate::calculus::integrate::Args>().tool();
    let named = decoded(tool, r#"{"function": "x**2", "a": 0, "upper": 3}"#).unwrap();
    assert_eq!(
        named,
        decoded(tool, r#"{"f": "x**2", "from": 0, "to": 3}"#).unwrap()
    );
    // Both names of one argument are a mistake, and so is a name of nothing.
    assert!(decoded(tool, r#"{"f": "x", "function": "x", "from": 0, "to": 3}"#).is_err());
    assert!(decoded(tool, r#"{"f": "x", "from": 0, "to": 3, "x0": 1}"#).is_err());
}

#[test]
fn the_hint_of_a_missing_point_is_json() {
    let error = run(r#"{"f": "x^2*sin(x)"}"#).unwrap_err();
    assert_eq!(
        error.hint_str(),
        Some(r#"give `at`, such as 2, [1, 2] or {"x": 1}"#)
    );
}

/// Derivatives by parameters, against closed forms.
#[test]
fn distributions_are_differentiated_by_their_parameters() {
    let normal = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    // The standardised value is 0.75.
    let (phi, z) = (normal(0.75), 0.75);
    let gradients: &[(&str, &str, &[f64])] = &[
        (
            "normal_cdf(y, m, s)",
            r#"{"y": 2.5, "m": 1, "s": 2}"#,
            &[-phi / 2.0, -phi * z / 2.0, phi / 2.0],
        ),
        (
            "normal_ccdf(y, m, s)",
            r#"{"y": 2.5, "m": 1, "s": 2}"#,
            &[phi / 2.0, phi * z / 2.0, -phi / 2.0],
        ),
        (
            "normal_quantile(0.5, m, s)",
            r#"{"m": 1, "s": 2}"#,
            &[1.0, 0.0],
        ),
        (
            "exp(normal_lpdf(y, m, s))",
            r#"{"y": 2.5, "m": 1, "s": 2}"#,
            &[phi * z / 4.0, phi * (z * z - 1.0) / 4.0, -phi * z / 4.0],
        ),
        // 1 - exp(-rate y), and 1 - (1 + rate y) exp(-rate y).
        (
            "gamma_cdf(y, 1, r)",
            r#"{"r": 2, "y": 0.5}"#,
            &[0.5 * (-1.0_f64).exp(), 2.0 * (-1.0_f64).exp()],
        ),
        (
            "gamma_cdf(y, 2, r)",
            r#"{"r": 2, "y": 0.5}"#,
            &[0.5 * (-1.0_f64).exp(), 2.0 * (-1.0_f64).exp()],
        ),
        // exp(-r) (1 + r + r^2 / 2).
        (
            "poisson_cdf(2, r)",
            r#"{"r": 3}"#,
            &[-4.5 * (-3.0_f64).exp()],
        ),
        // (1 - p)^3 + 3 p (1 - p)^2, and (1 - p)^3.
        (
            "binomial_cdf(1, 3, p)",
            r#"{"p": 0.3}"#,
            &[-6.0 * 0.3 * 0.7],
        ),
        (
            "binomial_cdf(0, 3, p)",
            r#"{"p": 0.3}"#,
            &[-3.0 * 0.7 * 0.7],
        ),
        ("binomial_cdf(0, 3, p)", r#"{"p": 0}"#, &[-3.0]),
        ("binomial_ccdf(2, 3, p)", r#"{"p": 1}"#, &[3.0]),
        (
            "binomial_ccdf(1.9, 3, p)",
            r#"{"p": 0.3}"#,
            &[6.0 * 0.3 * 0.7],
        ),
        (
            "binomial_cdf(3, 3, p) + binomial_cdf(-1, 3, p)",
            r#"{"p": 0.3}"#,
            &[0.0],
        ),
    ];
    for (f, at, expected) in gradients {
        let found = run(&format!(r#"{{"f": "{f}", "at": {at}}}"#))
            .unwrap_or_else(|err| panic!("{f}: {err:?}"));
        let found = found
            .gradient
            .unwrap_or_else(|| vec![found.derivative.unwrap()]);
        for (found, expected) in found.iter().zip(*expected) {
            assert!(
                (found - expected).abs() < 1e-13,
                "{f} {at}: {found} for {expected}"
            );
        }
        assert_eq!(found.len(), expected.len(), "{f}");
    }
}

/// What has no closed form is refused with the function's name, by that operand alone.
#[test]
fn derivatives_that_are_not_known_are_refused_by_name() {
    for (f, name) in [
        ("besselj(x, 2)", "besselj"),
        ("besselk(x, 2)", "besselk"),
        ("student_t_cdf(1, x, 0, 1)", "tcdf"),
        ("gamma_cdf(1, x, 2)", "gammainc"),
        ("beta_cdf(0.5, x, 2)", "betainc"),
        ("f_cdf(0.5, x, 2)", "betainc"),
        ("chi_square_quantile(0.5, x)", "gammaincinv"),
        ("binomial_cdf(1, x, 0.5)", "binomial_cdf"),
        ("polygamma(x, 2)", "polygamma"),
    ] {
        let err = run(&format!(r#"{{"f": "{f}", "at": 3}}"#)).unwrap_err();
        assert_eq!(err.path(), Some("/f"), "{f}: {err:?}");
        assert!(err.message().contains(&format!("`{name}`")), "{f}: {err:?}");
    }
    let known = run(
        r#"{"f": "besselj(2.5, x) + student_t_cdf(x, 4, 0, 1) + gamma_cdf(x, 2.5, 1)", "at": 1.5}"#,
    );
    assert!(known.unwrap().derivative.is_some());
}
