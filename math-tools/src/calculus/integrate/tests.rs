//! Integrals through the tool: known values, refusals, and arguments that make no sense.

use proptest::prelude::*;

use super::{Args, IntegrateReason, Output};
use crate::prelude::*;

fn run(args: &str) -> Result<Output, ToolError> {
    crate::testing::run::<Args>(args)
}

/// The integral, which lies within its error of what it should be.
fn check(args: &str, expected: f64) -> Output {
    let found = run(args).unwrap_or_else(|err| panic!("{args}: {err:?}"));
    let off = (found.integral - expected).abs();
    assert!(
        off <= found.error + f64::EPSILON * expected.abs(),
        "{args}: off {off:e}: {found:?}"
    );
    found
}

#[test]
fn ends_are_numbers_infinities_and_constants() {
    let pi = std::f64::consts::PI;
    check(r#"{"f": "sin(x)", "from": 0, "to": "pi"}"#, 2.0);
    check(r#"{"f": "sin(x)", "from": "pi", "to": 0}"#, -2.0);
    check(r#"{"f": "1/(1+x**2)", "from": "-inf", "to": "inf"}"#, pi);
    check(
        r#"{"f": "1/(1+t**2)", "from": "inf", "to": "-inf", "variable": "t"}"#,
        -pi,
    );
    check(
        r#"{"f": "exp(-k*x)", "from": 0, "to": "Infinity", "parameters": {"k": 2}}"#,
        0.5,
    );
    check(
        r#"{"f": "x", "from": 0, "to": "2*k", "parameters": {"k": 2}}"#,
        8.0,
    );
    let nothing = check(r#"{"f": "1/x", "from": 3, "to": 3}"#, 0.0);
    assert!(nothing.converged && nothing.evaluations == 0);
    check(r#"{"f": "7", "from": -1, "to": 2}"#, 21.0);
}

#[test]
fn parts_that_cancel_have_an_absolute_error() {
    let found = check(
        r#"{"f": "exp(-x**2)*cos(50*x)", "from": "-inf", "to": "inf"}"#,
        0.0,
    );
    assert!(
        found.error < 1e-13 && found.reason == IntegrateReason::Cancellation,
        "{found:?}"
    );
    check(r#"{"f": "sin(x)", "from": -1, "to": 1}"#, 0.0);
}

/// Bounds of the integrand lead to a peak however narrow. Where there are none, one too narrow to be seen is no success, and with its
/// place it is found.
#[test]
fn narrow_peaks_are_found_or_flagged() {
    const AREA: f64 = 1.772_453_850_905_516e-6;
    let peak = "exp(-1e12*(x-0.3)**2)";
    let found = check(
        &format!(r#"{{"f": "{peak}", "from": -10, "to": 10}}"#),
        AREA,
    );
    assert!(found.error < 1e-9 * AREA, "{found:?}");
    for background in ["1 + ", "x**2*exp(-x**2) + ", "sin(40*x) + "] {
        let of = |f: &str, more: &str| {
            run(&format!(r#"{{"f": "{f}", "from": -10, "to": 10{more}}}"#)).unwrap()
        };
        let f = format!("{background}{peak}");
        let (found, told) = (of(&f, ""), of(&f, r#", "points": [0.3]"#));
        let off = (found.integral - told.integral).abs();
        assert!(
            off <= found.error + told.error && found.error < 0.1 * AREA,
            "{found:?}"
        );
    }
    let unbounded = format!("(1 + 0*zeta(x + 100))*{peak}");
    let found = run(&format!(r#"{{"f": "{unbounded}", "from": -10, "to": 10}}"#)).unwrap();
    assert!(
        !found.converged && found.reason == IntegrateReason::Zero,
        "{found:?}"
    );
    check(
        &format!(r#"{{"f": "{unbounded}", "from": -10, "to": 10, "points": [0.3]}}"#),
        AREA,
    );
    assert!(
        run(r#"{"f": "0", "from": -10, "to": 10}"#)
            .unwrap()
            .converged
    );
    check(
        r#"{"f": "1/(1+x**2)", "from": -1e300, "to": 1e300}"#,
        std::f64::consts::PI,
    );
}

#[test]
fn principal_values() {
    check(
        r#"{"f": "1/x", "from": -1, "to": 2, "principal_value": [0]}"#,
        2_f64.ln(),
    );
    check(
        r#"{"f": "1/(x-0.3)", "from": 0, "to": 1, "principal_value": [0.3]}"#,
        (0.7_f64 / 0.3).ln(),
    );
    check(
        r#"{"f": "exp(x)/x", "from": -1, "to": 1, "principal_value": [0]}"#,
        2.114_501_750_751_457,
    );
    check(
        r#"{"f": "1/(x**2-1)", "from": 0, "to": "inf", "principal_value": [1]}"#,
        0.0,
    );
    check(
        r#"{"f": "1/((x-1)*(x-2))", "from": 0, "to": 4, "principal_value": [1, 2]}"#,
        (2.0_f64 / 3.0).ln() - 2_f64.ln(),
    );
    let err = run(r#"{"f": "1/x**2", "from": -1, "to": 1, "principal_value": [0]}"#).unwrap_err();
    assert_eq!(err.reason_str(), Some("divergent"));
}

#[test]
fn integrals_that_diverge_are_refused() {
    for (args, word) in [
        (r#"{"f": "1/x", "from": -1, "to": 1}"#, "principal_value"),
        (r#"{"f": "1/x", "from": 0, "to": 1}"#, "move the end"),
        (r#"{"f": "1/x", "from": 1, "to": "inf"}"#, "finite end"),
        (r#"{"f": "sin(x)", "from": 0, "to": "inf"}"#, "finite end"),
        (r#"{"f": "tan(x)", "from": 0, "to": 2}"#, "principal_value"),
    ] {
        let err = run(args).unwrap_err();
        let hint = format!("{err:?}");
        assert!(
            hint.contains(word) && err.reason_str() == Some("divergent"),
            "{args}: {err:?}"
        );
    }
}

#[test]
fn bad_arguments_are_refused() {
    for (args, path) in [
        (r#"{"f": "", "from": 0, "to": 1}"#, "/f"),
        (r#"{"f": "y", "from": 0, "to": 1}"#, "/f"),
        (r#"{"f": "log(x)", "from": -2, "to": -1}"#, "/f"),
        (r#"{"f": "log(x)", "from": -1, "to": 1}"#, "/f"),
        (r#"{"f": "x", "from": "x", "to": 1}"#, "/from"),
        (r#"{"f": "x", "from": "1/0", "to": 1}"#, "/from"),
        (r#"{"f": "x", "from": "inf", "to": "inf"}"#, "/to"),
        (
            r#"{"f": "x", "from": 0, "to": 1, "variable": "pi"}"#,
            "/variable",
        ),
        (
            r#"{"f": "x", "from": 0, "to": 1, "variable": ""}"#,
            "/variable",
        ),
        (
            r#"{"f": "x", "from": 0, "to": 1, "points": [2]}"#,
            "/points/0",
        ),
        (
            r#"{"f": "x", "from": 0, "to": 1, "points": ["inf"]}"#,
            "/points/0",
        ),
        (
            r#"{"f": "x", "from": 0, "to": 1, "principal_value": [0]}"#,
            "/principal_value/0",
        ),
        (
            r#"{"f": "x", "from": 0, "to": 1, "principal_value": [0.5], "method": "tanh_sinh"}"#,
            "/method",
        ),
        (
            r#"{"f": "x", "from": 0, "to": 1, "parameters": {"x": 1}}"#,
            "/parameters/x",
        ),
        (r#"{"f": "exp(x)", "from": 0, "to": 1e5}"#, "/f"),
    ] {
        let err = run(args).unwrap_err();
        assert_eq!(err.path(), Some(path), "{args}: {err:?}");
    }
    let points = vec!["0.5"; 1001].join(",");
    let err = run(&format!(
        r#"{{"f": "x", "from": 0, "to": 1, "points": [{points}]}}"#
    ))
    .unwrap_err();
    assert_eq!(err.path(), Some("/points"));
}

#[test]
fn evaluations_and_deadlines_end_the_search() {
    let found = run(
        r#"{"f": "sin(1e7*x)", "from": 0, "to": 1, "max_evals": 10000, "method": "gauss_kronrod"}"#,
    )
    .unwrap();
    assert!(
        !found.converged && found.reason == IntegrateReason::Evaluations,
        "{found:?}"
    );
    assert!(
        (found.integral - (1.0 - 1e7_f64.cos()) / 1e7).abs() <= found.error,
        "{found:?}"
    );
    let stop = tool_core::StopFlag::default();
    stop.cancel();
    let ctx = Ctx::new(stop, tool_core::CallBudget::default());
    let args = crate::linalg::tests::parse(r#"{"f": "x", "from": 0, "to": 1}"#);
    let args: Args = tool_core::convert::from_value(&args).unwrap();
    assert_eq!(
        Args::run(args, &ctx).unwrap_err().code(),
        ErrorCode::Cancelled
    );
}

#[test]
fn methods_agree() {
    for method in ["auto", "gauss_kronrod", "tanh_sinh"] {
        let args = |f: &str, from: &str, to: &str| {
            format!(r#"{{"f": "{f}", "from": "{from}", "to": "{to}", "method": "{method}"}}"#)
        };
        check(&args("1/sqrt(x)", "0", "1"), 2.0);
        check(&args("exp(-x)", "0", "inf"), 1.0);
        check(
            &args("exp(-x**2)", "-inf", "inf"),
            std::f64::consts::PI.sqrt(),
        );
    }
    let waves = check(
        r#"{"f": "sin(x)/x", "from": 0, "to": "inf", "method": "oscillatory"}"#,
        std::f64::consts::FRAC_PI_2,
    );
    assert!(waves.method.contains("half-waves"), "{waves:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Derivatives of random functions, integrated.
    #[test]
    fn integrals_of_derivatives(
        a in -3.0..3.0_f64, width in 0.01..20.0_f64, b in -5.0..5.0_f64, c in 0.1..50.0_f64, d in -8.0..8.0_f64, digits in 1..11_i32,
    ) {
        let value = |x: f64| b * x.powi(3) + (c * x).sin() + (d * x / 5.0).exp() + (x - 0.3).abs().powf(1.5);
        let (from, to) = (a, a + width);
        let f = format!("3*{b:?}*x**2 + {c:?}*cos({c:?}*x) + {d:?}/5*exp({d:?}*x/5) + 1.5*sqrt(abs(x-0.3))*sign(x-0.3)");
        let rtol = 10_f64.powi(-digits);
        let found = run(&format!(r#"{{"f": "{f}", "from": {from:?}, "to": {to:?}, "rtol": {rtol:?}}}"#)).unwrap();
        let exact = value(to) - value(from);
        let rounding = 1e-14 * (value(to).abs() + value(from).abs());
        prop_assert!((found.integral - exact).abs() <= found.error + rounding, "{}: {:?} {}", f, found, exact);
    }

    /// Peaks of random place and width, down to a 20,000th of the range.
    #[test]
    fn peaks_are_found(place in -9.0..9.0_f64, power in 0.0..2.0_f64) {
        let width = 10_f64.powf(-power);
        let f = format!("exp(-((x-({place:?}))/{width:?})**2)");
        let found = run(&format!(r#"{{"f": "{f}", "from": -100, "to": 100}}"#)).unwrap();
        let exact = width * std::f64::consts::PI.sqrt();
        prop_assert!((found.integral - exact).abs() <= found.error, "{}: {:?} {}", f, found, exact);
    }
}

/// The search for peaks keeps within the limits of the call.
#[test]
fn the_search_for_peaks_is_limited() {
    for most in [100, 300, 1000] {
        for f in ["3*x**2", "x*sin(x)*exp(-x)", "1 + exp(-1e12*(x-0.3)**2)"] {
            let args = format!(r#"{{"f": "{f}", "from": 0, "to": 2, "max_evals": {most}}}"#);
            let found = run(&args).unwrap();
            // A round of halving that has begun is ended.
            assert!(found.evaluations <= most + 1400, "{found:?}");
            assert!(
                f.contains("exp(-1e12") || found.evaluations <= most + 42,
                "{found:?}"
            );
        }
    }
}
