//! Every tool that takes a formula takes columns of data.

use serde_json::{Value as Json, json};
use tool_core::Tool;
use tool_core::convert::to_value;

use crate::calculus::{differentiate, integrate, integrate_nd};
use crate::expression::calculate;
use crate::ode::{bvp, solve};
use crate::plot::plot_function;
use crate::roots::{find_root, solve_nonlinear};
use crate::sampling::{monte_carlo, monte_carlo_native};
use crate::testing::{assert_refused, run};

fn called<T: Tool>(args: &Json) -> Json {
    let output = run::<T>(&args.to_string()).unwrap_or_else(|err| panic!("{args}: {err:?}"));
    serde_json::to_value(to_value(&output).unwrap()).unwrap()
}

fn data() -> Json {
    json!({ "t": [0, 1, 2, 3], "y": [1, 3, 2, 5], "w": [0.1, 0.2, 0.3, 0.4] })
}

/// Within a relative error.
fn near(found: &Json, expected: f64, error: f64) {
    let found = found.as_f64().unwrap();
    assert!(
        (found - expected).abs() <= error * expected.abs(),
        "{found} is not {expected}"
    );
}

#[test]
fn the_calculator_keeps_its_ways_over_columns() {
    let value = |args: Json| {
        let mut args = args;
        args["data"] = data();
        called::<calculate::Args>(&args)
    };
    let of = |text: &str| value(json!({ "expression": text }));
    // Integers stay exact, and a bound comes with doubles.
    assert_eq!(of("sum(y)**40")["kind"], "integer");
    assert_eq!(of("sum(y)**2")["value"], 121);
    assert_eq!(of("mean(y)")["value"], 2.75);
    assert_eq!(of("mean(y)")["exact"], false);
    let sum = of("sum(w)");
    let bound: f64 = sum["error_bound"].as_str().unwrap().parse().unwrap();
    near(&sum["value"], 1.0, 1e-15);
    assert!(bound < 1e-15, "{sum}");
    // Decimals of a file mean what they say.
    let exact = value(json!({ "expression": "dot(w, t) + mean(w)", "exact": true }));
    assert_eq!(exact["value"], "9/4");
    let digits = value(json!({ "expression": "logsumexp(w)", "precision": 30 }));
    // Python, `decimal` with 45 digits: log(exp(0.1) + exp(0.2) + exp(0.3) + exp(0.4)).
    assert_eq!(digits["value"], "1.64253552945516273451504282086");
    let complex = value(json!({ "expression": "sum(w*exp(2i*t))", "complex": true }));
    let expected = (0..4).fold((0.0, 0.0), |sum: (f64, f64), k| {
        let (weight, angle) = (0.1 * f64::from(k + 1), 2.0 * f64::from(k));
        (sum.0 + weight * angle.cos(), sum.1 + weight * angle.sin())
    });
    near(&complex["value"]["re"], expected.0, 1e-14);
    near(&complex["value"]["im"], expected.1, 1e-14);
    assert_eq!(of("max(cumsum(y)) - min(y)")["value"], 10);
    // Variables beside columns.
    let both =
        value(json!({ "expression": "a*sum(v[1]*y)", "variables": { "a": 2, "v": [0, 3] } }));
    assert_eq!(both["value"], 66);
    assert_refused::<calculate::Args>(&[
        (
            r#"{"expression": "1+1", "data": {"v": [1]}}"#,
            "/data",
            "no expression names a column",
        ),
        (
            r#"{"expression": "v+1", "data": {"v": [1]}}"#,
            "/expression",
            "the value is a column",
        ),
        (
            r#"{"expression": "sum(v)", "data": {"v": [1]}, "variables": {"v": 1, "u": [1]}}"#,
            "/data/v",
            "is a variable",
        ),
        (
            r#"{"expression": "sum(v)", "data": {"v": [1, "x"]}}"#,
            "/data/v/1",
            "expected a number",
        ),
    ]);
}

#[test]
fn roots_of_sums_over_columns_are_proven() {
    // The slope through the origin of least squares: sum(t (y - x t)) = 0.
    let args =
        json!({ "f": "sum(t*(y - x*t))", "from": -10, "to": 10, "all": true, "data": data() });
    let found = called::<find_root::Args>(&args);
    near(&found["root"], 22.0 / 14.0, 1e-15);
    assert_eq!(found["complete"], true);
    assert_eq!(found["roots"][0]["proven"], true);
    // Two roots of a log-sum-exp: it is log(4) at 0 and grows on both sides.
    let args = json!({ "f": "logsumexp(x*(t - 1.5)) - 2", "from": -5, "to": 5, "all": true, "data": data() });
    let found = called::<find_root::Args>(&args);
    assert_eq!(found["complete"], true, "{found}");
    let roots = found["roots"].as_array().unwrap();
    assert_eq!(roots.len(), 2, "{found}");
    for root in roots {
        let x = root["x"].as_f64().unwrap();
        let sum: f64 = (0..4).map(|t| (x * (f64::from(t) - 1.5)).exp()).sum();
        assert!((sum.ln() - 2.0).abs() < 1e-14, "{found}");
    }
    // A branch that a row does not take may be undefined there.
    let args = json!({ "f": "sum(if(t > 0, log(t) - x, 0))", "from": 0, "to": 2, "all": true, "data": data() });
    let found = called::<find_root::Args>(&args);
    near(&found["root"], 6f64.ln() / 3.0, 1e-15);
    assert_eq!(found["complete"], true, "{found}");
    // The normal equations of a line.
    let args = json!({ "system": ["sum(y - a - b*t)", "sum(t*(y - a - b*t))"], "x0": { "a": 0, "b": 0 }, "data": data() });
    let found = called::<solve_nonlinear::Args>(&args);
    near(&found["named"]["a"], 1.1, 1e-14);
    near(&found["named"]["b"], 1.1, 1e-14);
    assert_eq!(found["solutions"][0]["verified"], true);
}

#[test]
fn integrals_of_likelihoods_are_evidence() {
    // Of normal numbers with a normal mean, the evidence in closed form: y ~ N(0, 1 + 1 1').
    let n = 4.0;
    let (sum, squares): (f64, f64) = (11.0, 39.0);
    let expected = (-0.5 * (squares - sum * sum / (1.0 + n))).exp()
        / ((2.0 * std::f64::consts::PI).powf(n / 2.0) * (1.0 + n).sqrt());
    let f = "exp(sum(normal_lpdf(y, x, 1)) + normal_lpdf(x, 0, 1))";
    let found =
        called::<integrate::Args>(&json!({ "f": f, "from": "-inf", "to": "inf", "data": data() }));
    near(&found["integral"], expected, 1e-10);
    let args = json!({ "f": format!("{f}*y1"), "bounds": [[-12, 12], [0, 2]], "variables": ["x", "y1"], "data": data(), "rtol": 1e-8 });
    near(
        &called::<integrate_nd::Args>(&args)["integral"],
        2.0 * expected,
        1e-7,
    );
    let args = json!({ "function": f, "bounds": [[-12, 12]], "n_samples": 100_000, "data": { "y": [1, 3, 2, 5] } });
    let found = called::<monte_carlo_native::Args>(&args);
    let off = found["integral"].as_f64().unwrap() - expected;
    assert!(
        off.abs() < 4.0 * found["standard_error"].as_f64().unwrap(),
        "{found}"
    );
    // The derivative of it at a point, and its picture.
    let args = json!({ "f": "sum(normal_lpdf(y, x, 1))", "at": 2, "order": 2, "data": data() });
    let found = called::<differentiate::Args>(&args);
    near(&found["derivative"], -4.0, 1e-15);
    let args =
        json!({ "function": "sum(normal_lpdf(y, x, 1))", "x_min": 0, "x_max": 5, "data": data() });
    assert_eq!(called::<plot_function::Args>(&args)["undefined"], 0);
    let args =
        json!({ "expression": "sum(t + x)", "samples": 4096, "data": { "t": [0, 1, 2, 3] } });
    let found = called::<monte_carlo::Args>(&args);
    let error = found["standard_error"].as_f64().unwrap();
    assert!((found["mean"].as_f64().unwrap() - 8.0).abs() < 4.0 * error);
}

#[test]
fn equations_of_motion_take_doses_from_columns() {
    // y' = -k y + sum of doses given at a steady rate for a while: in closed form dose by dose.
    let doses = json!({ "at": [0.5, 2.0], "dose": [3.0, 1.0] });
    let system = json!(["-k*y0 + sum(dose*exp(-(t - at)**2/0.02))"]);
    let expected = |k: f64| {
        // The convolution of a Gaussian and an exponential.
        let s2 = 0.01f64;
        [(0.5, 3.0), (2.0, 1.0)]
            .iter()
            .fold(0.0, |sum, (at, dose)| {
                let phi = |z: f64| 0.5 * libm::erfc(-z / 2f64.sqrt());
                let shift = k * s2;
                let s = s2.sqrt();
                let gone = phi((4.0 - at - shift) / s) - phi((-at - shift) / s);
                sum + dose
                    * (2.0 * std::f64::consts::PI * s2).sqrt()
                    * (-k * (4.0 - at) + 0.5 * k * k * s2).exp()
                    * gone
            })
    };
    for method in ["auto", "dop853", "radau", "bdf"] {
        let args = json!({
            "system": system, "y0": [0], "t_span": [0, 4], "t_eval": [4], "parameters": { "k": 0.7 }, "method": method,
            "sensitivities": ["k"], "data": doses, "rtol": 1e-9, "atol": 1e-12, "max_step": 0.05
        });
        let found = called::<solve::Args>(&args);
        near(&found["y"][0][0], expected(0.7), 1e-7);
        let slope = (expected(0.7 + 1e-5) - expected(0.7 - 1e-5)) / 2e-5;
        near(&found["sensitivities"][0]["y"][0][0], slope, 1e-6);
    }
    let args = json!({
        "system": ["y1", "-sum(dose)*y0"], "boundary": ["a0", "b0 - 1"], "t_span": [0, 1], "data": doses
    });
    let found = called::<bvp::Args>(&args);
    assert_eq!(found["converged"], true, "{found}");
    assert_refused::<solve::Args>(&[
        (
            r#"{"system": ["-y0"], "y0": [1], "t_span": [0, 1], "data": {"v": [1]}}"#,
            "/data",
            "no expression names a column",
        ),
        (
            r#"{"system": ["-sum(k)*y0"], "y0": [1], "t_span": [0, 1], "data": {"k": [1]}, "parameters": {"k": 1}}"#,
            "/parameters/k",
            "is a variable",
        ),
    ]);
}
