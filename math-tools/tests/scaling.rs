//! Other units: every tool with its objective, its data or its variables multiplied by powers of two near 1e-12, 1e-6, 1e6 and 1e12.
//!
//! The verdict (`converged`, `rank`, reasons, refusals, methods, the number of warnings) must be the same, and each quantity of the answer
//! must be the one of the unscaled call times a power of the factor, within the tolerance of its line: 0 where the arithmetic is the same but for
//! exponents.

use serde_json::{Value as Json, json};
use tool_core::{Ctx, json as strict};

use crate::every_tool::tools;

/// What is multiplied in a call of a tool, and how its answer follows.
struct Case {
    tool: &'static str,
    what: &'static str,
    call: fn(f64) -> Json,
    /// Pointers of quantities, with the power of the factor by which they are multiplied.
    scaled: &'static [(&'static str, i32)],
    tolerance: f64,
}

const FACTORS: [f64; 4] = [
    1.0 / (1_u64 << 40) as f64,
    1.0 / (1_u64 << 20) as f64,
    (1_u64 << 20) as f64,
    (1_u64 << 40) as f64,
];

/// Tools without quantities in units, or whose numbers are no quantities of one.
const WITHOUT_UNITS: [&str; 39] = [
    // Counts, and integers.
    "combinatorics",
    "number_theory",
    "contingency",
    // Texts, tables and plots.
    "csv_to_json",
    "datetime_calc",
    "encode_text",
    "hash_text",
    "json_canonicalize",
    "json_diff",
    "json_parse",
    "json_patch",
    "json_query",
    "json_to_csv",
    "json_validate",
    "plot",
    "plot_braille",
    "plot_function",
    "plot_sixel",
    "report_page",
    "regex_extract",
    "render_math",
    "sql_query",
    "text_diff",
    "text_stats",
    // Draws numbers without a scale, and plans of standardised effects.
    "power_analysis",
    "random_sample",
    // Asks a program.
    "optimize_program",
    // Exact factors of the SI.
    "convert_units",
    // Exact where the expression is.
    "calculate",
    "laplace_transform",
    "matrix_symbolic",
    "symbolic_diff",
    "symbolic_integrate",
    "symbolic_limit",
    "symbolic_ode",
    "symbolic_series",
    "symbolic_simplify",
    "symbolic_solve",
    "symbolic_sum",
];

fn matrix(s: f64) -> Json {
    json!([
        [4.0 * s, 1.0 * s, 2.0 * s],
        [1.0 * s, 3.0 * s, 0.5 * s],
        [0.3 * s, 1.0 * s, 5.0 * s]
    ])
}

fn symmetric(s: f64) -> Json {
    json!([
        [4.0 * s, 1.0 * s, 2.0 * s],
        [1.0 * s, 3.0 * s, 0.5 * s],
        [2.0 * s, 0.5 * s, 5.0 * s]
    ])
}

/// Of rank 2.
fn deficient(s: f64) -> Json {
    json!([
        [1.0 * s, 2.0 * s, 3.0 * s],
        [4.0 * s, 5.0 * s, 6.0 * s],
        [7.0 * s, 8.0 * s, 9.0 * s]
    ])
}

/// Equally spaced samples of a sine with a trend.
fn samples(s: f64) -> Vec<f64> {
    (0..64)
        .map(|j| s * ((0.7 * f64::from(j)).sin() + 0.01 * f64::from(j)))
        .collect()
}

fn list(s: f64, values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| s * value).collect()
}

/// Two chains of draws of one number.
fn chains(s: f64) -> Vec<Vec<[f64; 1]>> {
    [VALUES, PLACES]
        .map(|draws| draws.map(|x| [s * x]).to_vec())
        .to_vec()
}

const PLACES: [f64; 7] = [0.0, 1.0, 2.5, 3.0, 4.5, 6.0, 7.0];
const VALUES: [f64; 7] = [1.0, 3.1, 4.9, 7.2, 8.8, 9.1, 8.0];

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { tool: "anova", what: "response", call: |s| json!({"data": {"y": list(s, &VALUES), "g": ["a", "b", "a", "b", "a", "b", "b"]}, "formula": "y ~ g"}), scaled: &[("/terms/0/squares", 2), ("/terms/0/f", 0), ("/terms/0/p", 0), ("/comparisons/0/difference", 1), ("/comparisons/0/p", 0)], tolerance: 1e-9 },
    Case { tool: "assignment", what: "costs", call: |s| json!({"cost": [[4.0 * s, s, 3.0 * s], [2.0 * s, 0.0, 5.0 * s], [3.0 * s, 2.0 * s, 2.0 * s]]}), scaled: &[("/total", 1), ("/costs", 1), ("/pairs", 0)], tolerance: 0.0 },
    Case { tool: "bayesopt", what: "objective", call: |s| json!({"objective": format!("{s:e}*(x-0.3)**2"), "bounds": [[-1, 2]], "n_init": 4, "n_iter": 8}), scaled: &[("/x_best", 0), ("/y_best", 1)], tolerance: 1e-6 },
    Case { tool: "bayesopt", what: "variables", call: |s| json!({"objective": format!("(x/{s:e}-0.3)**2"), "bounds": [[-s, 2.0 * s]], "n_init": 4, "n_iter": 8}), scaled: &[("/x_best", 1), ("/y_best", 0)], tolerance: 1e-6 },
    Case { tool: "compare_groups", what: "two groups", call: |s| json!({"data": {"y": list(s, &VALUES), "g": ["a", "b", "a", "b", "a", "b", "b"]}, "value": "y", "group": "g"}), scaled: &[("/p", 0), ("/estimate/value", 1), ("/effects/0/value", 0), ("/groups/0/mean", 1)], tolerance: 1e-9 },
    Case { tool: "compare_groups", what: "three groups", call: |s| json!({"data": {"y": list(s, &VALUES), "g": ["a", "b", "c", "c", "a", "b", "b"]}, "value": "y", "group": "g"}), scaled: &[("/p", 0), ("/groups/0/mean", 1)], tolerance: 1e-9 },
    Case { tool: "convolve", what: "one", call: |s| json!({"a": list(s, &VALUES), "b": [1, -2, 1]}), scaled: &[("/values", 1)], tolerance: 0.0 },
    Case { tool: "convolve", what: "both", call: |s| json!({"a": samples(s), "b": samples(s), "method": "fft"}), scaled: &[("/values", 2)], tolerance: 1e-14 },
    Case { tool: "curve_fit", what: "response", call: |s| json!({"model": "a*exp(-k*t)+c", "data": {"t": [0, 1, 2, 3, 4, 5], "y": list(s, &[8.1, 4.9, 3.1, 2.0, 1.6, 1.2])}, "predict": {"t": [6]}, "plot": false}), scaled: &[("/parameters/0/estimate", 1), ("/parameters/1/estimate", 1), ("/parameters/2/estimate", 0), ("/parameters/0/standard_error", 1), ("/predicted/band", 1)], tolerance: 1e-6 },
    Case { tool: "curve_fit", what: "time", call: |s| json!({"model": "a*exp(-k*t)+c", "data": {"t": list(s, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), "y": [8.1, 4.9, 3.1, 2.0, 1.6, 1.2]}, "plot": false}), scaled: &[("/parameters/0/estimate", 0), ("/parameters/2/estimate", -1), ("/parameters/2/standard_error", -1)], tolerance: 1e-6 },
    Case { tool: "curve_fit", what: "time of equations", call: |s| json!({"model": {"system": {"x": "-k*x"}, "y0": {"x": "a"}}, "data": {"t": list(s, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), "y": [8.1, 4.9, 3.1, 2.0, 1.6, 1.2]}, "start": {"a": 7, "k": 0.4 / s}, "plot": false}), scaled: &[("/parameters/0/estimate", 0), ("/parameters/1/estimate", -1), ("/parameters/1/standard_error", -1)], tolerance: 1e-5 },
    Case { tool: "curve_fit", what: "deviations", call: |s| json!({"model": "a+b*t", "data": {"t": [0, 1, 2, 3], "y": [1, 3.1, 4.9, 7], "s": list(s, &[0.1, 0.2, 0.1, 0.2])}, "sigma": "s", "plot": false}), scaled: &[("/parameters/0/estimate", 0), ("/parameters/0/standard_error", 0)], tolerance: 1e-9 },
    Case { tool: "curve_fit", what: "robust response", call: |s| json!({"model": "a+b*t", "data": {"t": [0, 1, 2, 3, 4, 5], "y": list(s, &[1.0, 3.0, 5.0, 70.0, 9.0, 11.0])}, "loss": "huber", "loss_scale": s, "plot": false}), scaled: &[("/parameters/0/estimate", 1), ("/parameters/1/estimate", 1)], tolerance: 1e-6 },
    Case { tool: "differentiate", what: "function", call: |s| json!({"f": format!("{s:e}*sin(x)*exp(y)"), "at": [0.5, 1], "order": 2}), scaled: &[("/gradient", 1), ("/hessian", 1)], tolerance: 1e-15 },
    Case { tool: "differentiate", what: "variable", call: |s| json!({"f": format!("sin(x/{s:e})"), "at": 0.5 * s, "order": 2}), scaled: &[("/derivative", -2)], tolerance: 1e-15 },
    Case { tool: "differentiate", what: "samples", call: |s| json!({"y": list(s, &VALUES), "x": PLACES}), scaled: &[("/derivatives", 1), ("/errors", 1)], tolerance: 1e-14 },
    Case { tool: "differentiate", what: "places", call: |s| json!({"y": VALUES, "x": list(s, &PLACES)}), scaled: &[("/derivatives", -1), ("/errors", -1)], tolerance: 1e-14 },
    Case { tool: "fft", what: "samples", call: |s| json!({"data": samples(s), "rate": 8}), scaled: &[("/real", 1), ("/imaginary", 1), ("/peaks/0/amplitude", 1), ("/peaks/0/frequency", 0)], tolerance: 1e-14 },
    Case { tool: "fft", what: "power", call: |s| json!({"data": samples(s), "kind": "power", "segment": 32}), scaled: &[("/power", 2), ("/peaks/0/frequency", 0)], tolerance: 1e-14 },
    Case { tool: "fft", what: "rate", call: |s| json!({"data": samples(1.0), "rate": 8.0 * s, "kind": "power"}), scaled: &[("/power", -1), ("/peaks/0/frequency", 1)], tolerance: 1e-14 },
    Case { tool: "filter_signal", what: "samples", call: |s| json!({"data": samples(s), "cutoff": 0.1, "plot": false}), scaled: &[("/filtered", 1)], tolerance: 0.0 },
    Case { tool: "filter_signal", what: "rate", call: |s| json!({"data": samples(1.0), "cutoff": 0.1 * s, "rate": s, "plot": false}), scaled: &[("/filtered", 0)], tolerance: 1e-14 },
    Case { tool: "find_root", what: "function", call: |s| json!({"f": format!("{s:e}*(x*(x-1)*(x+2))"), "from": -4, "to": 3, "all": true, "plot": false}), scaled: &[("/roots/0/x", 0), ("/roots/1/x", 0), ("/roots/2/x", 0)], tolerance: 1e-12 },
    Case { tool: "find_root", what: "variable", call: |s| json!({"f": format!("cos(x/{s:e})"), "from": -4.0 * s, "to": 3.0 * s, "all": true, "plot": false}), scaled: &[("/roots/0/x", 1), ("/roots/1/x", 1)], tolerance: 1e-12 },
    Case { tool: "find_root", what: "bracket", call: |s| json!({"f": format!("exp(x/{s:e})-3"), "from": 0, "to": 3.0 * s, "plot": false}), scaled: &[("/root", 1)], tolerance: 1e-12 },
    Case { tool: "find_root", what: "start", call: |s| json!({"f": format!("exp(x/{s:e})-3"), "x0": s, "plot": false}), scaled: &[("/root", 1)], tolerance: 1e-12 },
    Case { tool: "histogram", what: "data", call: |s| json!({"data": list(s, &VALUES), "bins": 4}), scaled: &[("/bin_edges", 1), ("/counts", 0)], tolerance: 1e-15 },
    Case { tool: "hypothesis_test", what: "two means", call: |s| json!({"x": list(s, &VALUES), "y": list(s, &PLACES)}), scaled: &[("/statistic", 0), ("/p", 0), ("/estimate/value", 1), ("/estimate/low", 1), ("/effects/0/value", 0)], tolerance: 1e-9 },
    Case { tool: "hypothesis_test", what: "ranks", call: |s| json!({"test": "mann_whitney", "x": list(s, &VALUES), "y": list(s, &PLACES)}), scaled: &[("/statistic", 0), ("/p", 0), ("/estimate/value", 1)], tolerance: 1e-12 },
    Case { tool: "hypothesis_test", what: "normality", call: |s| json!({"test": "shapiro_wilk", "x": list(s, &VALUES)}), scaled: &[("/statistic", 0), ("/p", 0)], tolerance: 1e-9 },
    Case { tool: "hypothesis_test", what: "series", call: |s| json!({"test": "kpss", "x": samples(s)}), scaled: &[("/statistic", 0), ("/p", 0)], tolerance: 1e-9 },
    Case { tool: "integrate", what: "function", call: |s| json!({"f": format!("{s:e}*exp(-x)*sin(3*x)"), "from": 0, "to": 4, "plot": false}), scaled: &[("/integral", 1)], tolerance: 1e-10 },
    Case { tool: "integrate", what: "variable", call: |s| json!({"f": format!("exp(-(x/{s:e}))*sin(3*x/{s:e})"), "from": 0, "to": 4.0 * s, "plot": false}), scaled: &[("/integral", 1)], tolerance: 1e-10 },
    // An infinite range has no unit but 1: where a narrow peak is in it nothing tells.
    Case { tool: "integrate", what: "function on a half-line", call: |s| json!({"f": format!("{s:e}*exp(-(x-3)**2)"), "from": 0, "to": "inf", "plot": false}), scaled: &[("/integral", 1)], tolerance: 1e-9 },
    Case { tool: "integrate_nd", what: "function", call: |s| json!({"f": format!("{s:e}*exp(-x*y)"), "bounds": [[0, 1], [0, 2]]}), scaled: &[("/integral", 1)], tolerance: 1e-6 },
    Case { tool: "integrate_nd", what: "variables", call: |s| json!({"f": format!("exp(-x/{s:e}*y/{s:e})"), "bounds": [[0, s], [0, 2.0 * s]]}), scaled: &[("/integral", 2)], tolerance: 1e-6 },
    Case { tool: "integrate_samples", what: "values", call: |s| json!({"y": list(s, &VALUES), "x": PLACES}), scaled: &[("/integral", 1), ("/error", 1)], tolerance: 1e-13 },
    Case { tool: "integrate_samples", what: "places", call: |s| json!({"y": VALUES, "x": list(s, &PLACES)}), scaled: &[("/integral", 1), ("/error", 1)], tolerance: 1e-13 },
    Case { tool: "interpolate", what: "values", call: |s| json!({"x": PLACES, "y": list(s, &VALUES), "at": [0.5, 6.5]}), scaled: &[("/values", 1)], tolerance: 1e-14 },
    Case { tool: "interpolate", what: "places", call: |s| json!({"x": list(s, &PLACES), "y": VALUES, "at": [0.5 * s, 6.5 * s], "method": "pchip"}), scaled: &[("/values", 0)], tolerance: 1e-14 },
    Case { tool: "interpolate", what: "smoothed places", call: |s| json!({"x": list(s, &PLACES), "y": VALUES, "at": [0.5 * s, 6.5 * s], "method": "smoothing"}), scaled: &[("/values", 0), ("/degrees_of_freedom", 0), ("/lambda", 3)], tolerance: 1e-5 },
    Case { tool: "interpolate", what: "akima", call: |s| json!({"x": PLACES, "y": list(s, &VALUES), "at": [0.5, 6.5], "method": "akima"}), scaled: &[("/values", 1)], tolerance: 1e-14 },
    Case { tool: "interpolate", what: "surface", call: |s| json!({"x": [0, s, 3.0 * s], "y": [0, s], "z": [[0, s], [s, 4.0 * s], [2.0 * s, s]], "at": [[0.5 * s, 0.25 * s]]}), scaled: &[("/values", 1)], tolerance: 1e-14 },
    Case { tool: "least_squares", what: "matrix", call: |s| json!({"A": [[s, 2.0 * s], [3.0 * s, 4.0 * s], [5.0 * s, 7.0 * s]], "b": [1, 2, 4]}), scaled: &[("/x", -1)], tolerance: 1e-13 },
    Case { tool: "least_squares", what: "deficient", call: |s| json!({"A": [[s, 2.0 * s], [2.0 * s, 4.0 * s], [3.0 * s, 6.0 * s]], "b": [s, 2.0 * s, 4.0 * s]}), scaled: &[("/x", 0)], tolerance: 1e-13 },
    Case { tool: "least_squares", what: "one column", call: |s| json!({"A": [[s, 1], [2.0 * s, 1], [4.0 * s, 1]], "b": [1, 2, 4]}), scaled: &[("/x/0", -1), ("/x/1", 0)], tolerance: 1e-12 },
    Case { tool: "linear_program", what: "costs", call: |s| json!({"c": [-3.0 * s, -5.0 * s], "A_ub": [[1, 0], [0, 2], [3, 2]], "b_ub": [4, 12, 18]}), scaled: &[("/x", 0), ("/objective", 1)], tolerance: 1e-12 },
    Case { tool: "linear_program", what: "right-hand sides", call: |s| json!({"c": [-3, -5], "A_ub": [[1, 0], [0, 2], [3, 2]], "b_ub": [4.0 * s, 12.0 * s, 18.0 * s]}), scaled: &[("/x", 1), ("/objective", 1)], tolerance: 1e-12 },
    Case { tool: "linear_program", what: "rows", call: |s| json!({"c": [-3, -5], "A_ub": [[s, 0], [0, 2.0 * s], [3.0 * s, 2.0 * s]], "b_ub": [4.0 * s, 12.0 * s, 18.0 * s]}), scaled: &[("/x", 0), ("/objective", 0)], tolerance: 1e-12 },
    Case { tool: "linear_program", what: "infeasible rows", call: |s| json!({"c": [1, 1], "A_ub": [[s, s], [-s, -s]], "b_ub": [s, -2.0 * s]}), scaled: &[], tolerance: 0.0 },
    Case { tool: "linear_program", what: "unbounded costs", call: |s| json!({"c": [-s, s], "A_ub": [[-1, 1]], "b_ub": [1]}), scaled: &[], tolerance: 0.0 },
    Case { tool: "linear_program", what: "integer costs", call: |s| json!({"c": [-5.0 * s, -4.0 * s], "A_ub": [[6, 4], [1, 2]], "b_ub": [24, 6], "integrality": [1, 1]}), scaled: &[("/x", 0), ("/objective", 1)], tolerance: 1e-12 },
    Case { tool: "linear_program", what: "equations", call: |s| json!({"c": [1, 2, 3], "A_eq": [[s, s, s], [s, -s, 0]], "b_eq": [3.0 * s, s]}), scaled: &[("/x", 0), ("/objective", 0)], tolerance: 1e-12 },
    Case { tool: "linear_program", what: "bounds", call: |s| json!({"c": [-1, -2], "A_ub": [[1, 1]], "b_ub": [3.0 * s], "bounds": [[0, 2.0 * s], [-s, 2.0 * s]]}), scaled: &[("/x", 1), ("/objective", 1)], tolerance: 1e-12 },
    Case { tool: "linear_program", what: "integer rows", call: |s| json!({"c": [-5, -4], "A_ub": [[6.0 * s, 4.0 * s], [s, 2.0 * s]], "b_ub": [24.0 * s, 6.0 * s], "integrality": [1, 1]}), scaled: &[("/x", 0), ("/objective", 0)], tolerance: 1e-12 },
    Case { tool: "linear_program", what: "all units", call: |s| json!({"c": [-3.0 * s, -5.0 * s], "A_ub": [[s, 0], [0, 2.0 * s], [3.0 * s, 2.0 * s]], "b_ub": [4.0 * s * s, 12.0 * s * s, 18.0 * s * s]}), scaled: &[("/x", 1), ("/objective", 2), ("/constraints/1/dual", 0)], tolerance: 1e-12 },
    Case { tool: "linear_regression", what: "response", call: |s| json!({"x": PLACES, "y": list(s, &VALUES)}), scaled: &[("/coefficients", 1), ("/intercept", 1)], tolerance: 1e-12 },
    Case { tool: "linear_regression", what: "predictor", call: |s| json!({"x": list(s, &PLACES), "y": VALUES}), scaled: &[("/coefficients", -1), ("/intercept", 0)], tolerance: 1e-12 },
    Case { tool: "linear_regression", what: "response of a formula", call: |s| json!({"data": {"x": PLACES, "y": list(s, &VALUES)}, "formula": "y ~ x + I(x^2)", "errors": "HC3", "predict": {"x": [2]}}), scaled: &[("/terms/1/estimate", 1), ("/terms/2/standard_error", 1), ("/residual_std", 1), ("/r2", 0), ("/fit/f", 0), ("/checks/0/statistic", 0), ("/checks/2/statistic", 0), ("/influential/0/cooks_distance", 0), ("/predicted/0/new_upper", 1)], tolerance: 1e-9 },
    Case { tool: "linear_regression", what: "predictor of a formula", call: |s| json!({"data": {"x": list(s, &PLACES), "y": VALUES}, "formula": "y ~ x + I(x^2)"}), scaled: &[("/terms/0/estimate", 0), ("/terms/1/estimate", -1), ("/terms/2/standard_error", -2), ("/collinearity/0/vif", 0)], tolerance: 1e-9 },
    Case { tool: "linear_regression", what: "response with a penalty", call: |s| json!({"data": {"x": PLACES, "z": VALUES, "y": list(s, &[2.0, 3.0, 9.0, 8.0, 12.0, 14.0, 15.0])}, "formula": "y ~ x + z", "penalty": "lasso", "seed": 1}), scaled: &[("/coefficients/0", 1), ("/penalty/strength", 1), ("/r2", 0)], tolerance: 1e-9 },
    Case { tool: "glm", what: "response", call: |s| json!({"data": {"x": PLACES, "y": list(s, &VALUES)}, "formula": "y ~ x", "family": "gamma", "link": "log"}), scaled: &[("/terms/1/estimate", 0), ("/terms/1/standard_error", 0), ("/fit/deviance", 0), ("/fit/dispersion", 0)], tolerance: 1e-8 },
    Case { tool: "glm", what: "predictor", call: |s| json!({"data": {"x": list(s, &PLACES), "y": [1, 0, 2, 3, 2, 5, 6]}, "formula": "y ~ x", "family": "poisson"}), scaled: &[("/terms/1/estimate", -1), ("/terms/0/estimate", 0), ("/fit/deviance", 0)], tolerance: 1e-9 },
    Case { tool: "mixed_model", what: "response", call: |s| json!({"data": {"y": list(s, &[9.0, 11.0, 19.0, 21.0, 29.0, 31.5]), "g": ["a", "a", "b", "b", "c", "c"]}, "formula": "y ~ 1 + (1 | g)"}), scaled: &[("/terms/0/estimate", 1), ("/terms/0/standard_error", 1), ("/random/0/std", 1), ("/residual_std", 1), ("/icc", 0), ("/terms/0/df", 0)], tolerance: 1e-6 },
    Case { tool: "quantile_regression", what: "response", call: |s| json!({"data": {"x": PLACES, "y": list(s, &VALUES)}, "formula": "y ~ x", "seed": 1}), scaled: &[("/terms/1/estimate", 1), ("/terms/1/standard_error", 1), ("/quantiles/0/loss", 1)], tolerance: 1e-9 },
    Case { tool: "robust_regression", what: "response", call: |s| json!({"data": {"x": PLACES, "y": list(s, &VALUES)}, "formula": "y ~ x", "seed": 1}), scaled: &[("/terms/1/estimate", 1), ("/terms/1/standard_error", 1), ("/scale", 1)], tolerance: 1e-8 },
    Case { tool: "time_series", what: "values", call: |s| json!({"data": samples(s), "period": 9, "forecast": 3, "hold_out": 0, "seed": 1}), scaled: &[("/forecast/0/mean", 1), ("/forecast/2/high_95", 1), ("/strength/season", 0), ("/fit/rmse", 1), ("/columns/trend/5", 1), ("/correlations/0/series", 0)], tolerance: 1e-6 },
    Case { tool: "survival", what: "times", call: |s| json!({"data": {"t": list(s, &[6.0, 7.0, 9.0, 10.0, 1.0, 2.0, 3.0, 4.0]), "e": [1, 0, 1, 1, 1, 1, 0, 1], "g": ["b", "b", "b", "b", "a", "a", "a", "a"]}, "time": "t", "event": "e", "group": "g"}), scaled: &[("/groups/0/median", 1), ("/groups/1/restricted_mean", 1), ("/test/statistic", 0)], tolerance: 1e-12 },
    Case { tool: "survival", what: "predictor of a hazard", call: |s| json!({"data": {"t": [6, 7, 9, 10, 1, 2, 3, 4], "e": [1, 0, 1, 1, 1, 1, 0, 1], "x": list(s, &[3.0, 1.0, 4.0, 2.0, 5.0, 3.5, 2.5, 1.5])}, "formula": "Surv(t, e) ~ x"}), scaled: &[("/terms/0/estimate", -1), ("/fit/log_likelihood", 0), ("/fit/concordance", 0)], tolerance: 1e-9 },
    Case { tool: "matrix_cholesky", what: "matrix", call: |s| json!({"A": symmetric(s * s)}), scaled: &[("/L", 1)], tolerance: 1e-14 },
    Case { tool: "matrix_determinant", what: "matrix", call: |s| json!({"A": matrix(s)}), scaled: &[("/determinant", 3)], tolerance: 1e-14 },
    Case { tool: "matrix_determinant", what: "singular", call: |s| json!({"A": deficient(0.7 * s)}), scaled: &[], tolerance: 0.0 },
    Case { tool: "matrix_eigenvalues", what: "matrix", call: |s| json!({"A": matrix(s), "vectors": true}), scaled: &[("/real", 1), ("/eigenvectors", 0)], tolerance: 1e-13 },
    Case { tool: "matrix_eigenvalues", what: "symmetric", call: |s| json!({"A": symmetric(s), "vectors": true}), scaled: &[("/real", 1), ("/eigenvectors", 0)], tolerance: 1e-13 },
    Case { tool: "matrix_eigenvalues", what: "pair", call: |s| json!({"A": matrix(s), "B": symmetric(1.0)}), scaled: &[("/real", 1)], tolerance: 1e-12 },
    Case { tool: "matrix_eigenvalues", what: "singular pair", call: |s| json!({"A": matrix(1.0), "B": deficient(s)}), scaled: &[("/real", -1)], tolerance: 1e-10 },
    Case { tool: "matrix_function", what: "root", call: |s| json!({"A": matrix(s * s), "function": "sqrt"}), scaled: &[("/value", 1)], tolerance: 1e-13 },
    Case { tool: "matrix_inverse", what: "matrix", call: |s| json!({"A": matrix(s)}), scaled: &[("/inverse", -1)], tolerance: 1e-14 },
    Case { tool: "matrix_inverse", what: "singular", call: |s| json!({"A": deficient(s)}), scaled: &[], tolerance: 0.0 },
    Case { tool: "matrix_lu", what: "matrix", call: |s| json!({"A": matrix(s)}), scaled: &[("/L", 0), ("/U", 1)], tolerance: 1e-14 },
    Case { tool: "matrix_multiply", what: "matrix", call: |s| json!({"A": matrix(s), "B": matrix(1.0)}), scaled: &[("/product", 1)], tolerance: 0.0 },
    Case { tool: "matrix_qr", what: "matrix", call: |s| json!({"A": matrix(s)}), scaled: &[("/Q", 0), ("/R", 1)], tolerance: 1e-14 },
    Case { tool: "matrix_rank", what: "deficient", call: |s| json!({"A": deficient(s)}), scaled: &[("/rank", 0), ("/singular_values/0", 1)], tolerance: 1e-14 },
    Case { tool: "matrix_rank", what: "one row", call: |s| json!({"A": [[s, 2.0 * s], [3, 7]]}), scaled: &[("/rank", 0)], tolerance: 0.0 },
    Case { tool: "matrix_solve", what: "matrix", call: |s| json!({"A": matrix(s), "b": [1, 2, 3]}), scaled: &[("/x", -1)], tolerance: 1e-14 },
    Case { tool: "matrix_solve", what: "singular", call: |s| json!({"A": deficient(s), "b": [1, 2, 4]}), scaled: &[], tolerance: 0.0 },
    Case { tool: "matrix_svd", what: "deficient", call: |s| json!({"A": deficient(s)}), scaled: &[("/rank", 0), ("/singular_values/0", 1), ("/singular_values/1", 1)], tolerance: 1e-14 },
    Case { tool: "mcmc", what: "variable", call: |s| json!({"log_density": format!("normal_lpdf(x0, {:e}, {s:e})", 3.0 * s), "x0": [2.0 * s], "n_samples": 1000, "burnin": 500, "chains": 4, "return_samples": false}), scaled: &[("/mean", 1)], tolerance: 0.05 },
    Case { tool: "mcmc_diagnostics", what: "samples", call: |s| json!({"samples": chains(s)}), scaled: &[("/rhat", 0), ("/ess", 0), ("/mean", 1)], tolerance: 1e-12 },
    Case { tool: "monte_carlo", what: "distribution", call: |s| json!({"expression": "2*x", "distribution": "normal", "mean": 3.0 * s, "std": s, "samples": 1000}), scaled: &[("/mean", 1), ("/std", 1), ("/percentiles/50", 1)], tolerance: 1e-13 },
    Case { tool: "monte_carlo_native", what: "bounds", call: |s| json!({"bounds": [[0, s], [0, 2.0 * s]], "function": format!("x0/{s:e}"), "n_samples": 1000}), scaled: &[("/integral", 2), ("/standard_error", 2)], tolerance: 1e-13 },
    Case { tool: "nonlinear_least_squares", what: "residuals", call: |s| json!({"residuals": [format!("{s:e}*10*(x1-x0**2)"), format!("{s:e}*(1.5-x0)"), format!("{s:e}*(x0-0.5)")], "x0": [-1.2, 1]}), scaled: &[("/x", 0), ("/sum_of_squares", 2)], tolerance: 1e-7 },
    Case { tool: "nonlinear_least_squares", what: "variables", call: |s| json!({"residuals": [format!("10*(x1/{s:e}-(x0/{s:e})**2)"), format!("1.5-x0/{s:e}"), format!("x0/{s:e}-0.5")], "x0": [-1.2 * s, s]}), scaled: &[("/x", 1), ("/sum_of_squares", 0)], tolerance: 1e-7 },
    Case { tool: "nonlinear_least_squares", what: "robust residuals", call: |s| json!({"residuals": [format!("{s:e}*(x0-1)"), format!("{s:e}*(x0-2)"), format!("{s:e}*(x0-50)")], "x0": [0], "loss": "soft_l1", "loss_scale": s}), scaled: &[("/x", 0)], tolerance: 1e-6 },
    Case { tool: "nonlinear_least_squares", what: "bounded variables", call: |s| json!({"residuals": [format!("x0/{s:e}-3"), format!("x1/{s:e}-x0/{s:e}")], "x0": [s, s], "bounds": [[0, 2.0 * s], [0, null]]}), scaled: &[("/x", 1)], tolerance: 1e-7 },
    Case { tool: "optimize", what: "objective", call: |s| json!({"objective": format!("{s:e}*((x0-1)**4+(x0-1)**2+(x1-2)**2*(1+x0**2)+3)"), "x0": [0.5, 0.3]}), scaled: &[("/x", 0), ("/f", 1)], tolerance: 1e-6 },
    Case { tool: "optimize", what: "variables", call: |s| json!({"objective": format!("(x0/{s:e}-1)**4+(x0/{s:e}-1)**2+(x1/{s:e}-2)**2*(1+(x0/{s:e})**2)+3"), "x0": [0.5 * s, 0.3 * s]}), scaled: &[("/x", 1), ("/f", 0)], tolerance: 1e-6 },
    Case { tool: "optimize", what: "objective of the simplex", call: |s| json!({"objective": format!("{s:e}*((x0-1)**2+(x1-2)**2+3)"), "x0": [0.5, 0.3], "method": "nelder_mead"}), scaled: &[("/x", 0), ("/f", 1)], tolerance: 1e-6 },
    Case { tool: "optimize", what: "variables of the simplex", call: |s| json!({"objective": format!("(x0/{s:e}-1)**2+(x1/{s:e}-2)**2+3"), "x0": [0.5 * s, 0.3 * s], "method": "nelder_mead"}), scaled: &[("/x", 1), ("/f", 0)], tolerance: 1e-6 },
    Case { tool: "optimize", what: "bounds", call: |s| json!({"objective": format!("(x0/{s:e}-1)**2+(x1/{s:e}-2)**2"), "x0": [0.25 * s, 0.3 * s], "bounds": [[0, 0.5 * s], [0, 4.0 * s]]}), scaled: &[("/x", 1), ("/f", 0)], tolerance: 1e-6 },
    Case { tool: "optimize", what: "constrained objective", call: |s| json!({"objective": format!("{s:e}*((x0-1)**2+(x1-2.5)**2)"), "x0": [2, 0], "constraints": ["x0-2*x1+2>=0"], "bounds": [[0, null], [0, null]]}), scaled: &[("/x", 0), ("/f", 1)], tolerance: 1e-6 },
    Case { tool: "optimize", what: "constrained variables", call: |s| json!({"objective": format!("(x0/{s:e}-1)**2+(x1/{s:e}-2.5)**2"), "x0": [2.0 * s, 0], "constraints": [format!("x0/{s:e}-2*x1/{s:e}+2>=0")], "bounds": [[0, null], [0, null]]}), scaled: &[("/x", 1), ("/f", 0)], tolerance: 1e-6 },
    Case { tool: "optimize_global", what: "objective", call: |s| json!({"objective": format!("{s:e}*((x**2-1)**2+0.3*x)"), "bounds": [[-2, 2]], "max_evals": 2000}), scaled: &[("/x", 0), ("/f", 1)], tolerance: 1e-6 },
    Case { tool: "optimize_global", what: "variables", call: |s| json!({"objective": format!("((x/{s:e})**2-1)**2+0.3*x/{s:e}"), "bounds": [[-2.0 * s, 2.0 * s]], "max_evals": 2000}), scaled: &[("/x", 1), ("/f", 0)], tolerance: 1e-6 },
    Case { tool: "optimize", what: "objective of augmented Lagrangians", call: |s| json!({"objective": format!("{s:e}*(x0+2*x1)"), "x0": [0, 0], "constraints": ["x0**2+x1**2<=1"], "method": "augmented_lagrangian"}), scaled: &[("/x", 0), ("/f", 1)], tolerance: 1e-6 },
    Case { tool: "optimize", what: "objective of linear models", call: |s| json!({"objective": format!("{s:e}*(x0+2*x1)"), "x0": [0, 0], "constraints": ["x0**2+x1**2<=1"], "method": "cobyla"}), scaled: &[("/x", 0), ("/f", 1)], tolerance: 2e-3 },
    Case { tool: "optimize", what: "constraints", call: |s| json!({"objective": "(x0-1)**2+(x1-2.5)**2", "x0": [2, 0], "constraints": [format!("{s:e}*(x0-2*x1+2)>=0")]}), scaled: &[("/x", 0), ("/f", 0)], tolerance: 1e-6 },
    Case { tool: "optimize", what: "an equation", call: |s| json!({"objective": format!("{s:e}*(x0**2+x1**2)"), "x0": [2, 1], "constraints": ["x0*x1==1"]}), scaled: &[("/x", 0), ("/f", 1), ("/constraints/0/multiplier", 1)], tolerance: 1e-6 },
    Case { tool: "optimize_global", what: "objective of cma_es", call: |s| json!({"objective": format!("{s:e}*((x**2-1)**2+0.3*x)"), "bounds": [[-2, 2]], "max_evals": 2000, "method": "cma_es"}), scaled: &[("/x", 0), ("/f", 1)], tolerance: 1e-6 },
    Case { tool: "optimize_global", what: "objective of differential evolution", call: |s| json!({"objective": format!("{s:e}*((x**2-1)**2+0.3*x)"), "bounds": [[-2, 2]], "max_evals": 2000, "method": "differential_evolution"}), scaled: &[("/x", 0), ("/f", 1)], tolerance: 1e-6 },
    Case { tool: "optimize_global", what: "objective of multistart", call: |s| json!({"objective": format!("{s:e}*((x**2-1)**2+0.3*x)"), "bounds": [[-2, 2]], "max_evals": 2000, "method": "multistart"}), scaled: &[("/x", 0), ("/f", 1)], tolerance: 1e-6 },
    Case { tool: "optimize_global", what: "constrained objective", call: |s| json!({"objective": format!("{s:e}*(x**2+y)"), "bounds": [[-5, 5], [-5, 5]], "constraints": ["x*y>=1"]}), scaled: &[("/x", 0), ("/f", 1)], tolerance: 1e-6 },
    Case { tool: "polynomial_roots", what: "coefficients", call: |s| json!({"coefficients": list(s, &[1.0, -6.0, 11.0, -6.0])}), scaled: &[("/roots/0/re", 0), ("/roots/2/re", 0)], tolerance: 1e-15 },
    Case { tool: "polynomial_roots", what: "variable", call: |s| json!({"coefficients": [1, -5.0 * s, 8.0 * s * s, -4.0 * s * s * s]}), scaled: &[("/roots/0/re", 1), ("/roots/1/re", 1)], tolerance: 1e-15 },
    Case { tool: "quadratic_program", what: "objective", call: |s| json!({"P": [[2.0 * s, 0], [0, 2.0 * s]], "c": [-2.0 * s, -5.0 * s], "A_ub": [[-1, 2], [1, 2]], "b_ub": [2, 6], "bounds": [[0, null]]}), scaled: &[("/x", 0), ("/objective", 1)], tolerance: 1e-8 },
    Case { tool: "quadratic_program", what: "variables", call: |s| json!({"P": [[2, 0], [0, 2]], "c": [-2.0 * s, -5.0 * s], "A_ub": [[-1, 2], [1, 2]], "b_ub": [2.0 * s, 6.0 * s], "bounds": [[0, null]]}), scaled: &[("/x", 1), ("/objective", 2)], tolerance: 1e-8 },
    Case { tool: "quadratic_program", what: "rows", call: |s| json!({"P": [[2, 0], [0, 2]], "c": [-2, -5], "A_ub": [[-s, 2.0 * s], [s, 2.0 * s]], "b_ub": [2.0 * s, 6.0 * s], "bounds": [[0, null]]}), scaled: &[("/x", 0), ("/objective", 0)], tolerance: 1e-8 },
    Case { tool: "quadratic_program", what: "equations", call: |s| json!({"P": [[2.0 * s, 0], [0, 2.0 * s]], "A_eq": [[s, s]], "b_eq": [s * s]}), scaled: &[("/x", 1), ("/objective", 3), ("/duals_eq", 1)], tolerance: 1e-9 },
    Case { tool: "quadratic_program", what: "infeasible rows", call: |s| json!({"P": [[2]], "A_ub": [[s], [-s]], "b_ub": [s, -2.0 * s]}), scaled: &[], tolerance: 0.0 },
    Case { tool: "quadratic_program", what: "unbounded objective", call: |s| json!({"P": [[0, 0], [0, s]], "c": [-s, 0]}), scaled: &[], tolerance: 0.0 },
    Case { tool: "savgol_filter", what: "samples", call: |s| json!({"data": samples(s), "window_length": 7, "polyorder": 2}), scaled: &[("/filtered", 1), ("/errors", 1)], tolerance: 1e-14 },
    Case { tool: "solve_bvp", what: "time", call: |s| json!({"system": [format!("y1/{s:e}"), format!("-y0/{s:e}")], "boundary": ["a0-1", "b0"], "t_span": [0, s], "t_eval": [0.5 * s]}), scaled: &[("/y", 0)], tolerance: 1e-5 },
    Case { tool: "solve_bvp", what: "solution", call: |s| json!({"system": ["y1", "-y0"], "boundary": [format!("a0-{s:e}"), "b0"], "t_span": [0, 1], "t_eval": [0.5]}), scaled: &[("/y", 1)], tolerance: 1e-5 },
    Case { tool: "solve_nonlinear", what: "equations", call: |s| json!({"system": [format!("{s:e}*(x0**2+x1**2-25)"), format!("{s:e}*(x0-x1+1)")], "x0": [2, 5]}), scaled: &[("/x", 0)], tolerance: 1e-12 },
    Case { tool: "solve_nonlinear", what: "one equation", call: |s| json!({"system": [format!("{s:e}*(x0**2+x1**2-25)"), "x0-x1+1"], "x0": [2, 5]}), scaled: &[("/x", 0)], tolerance: 1e-12 },
    Case { tool: "solve_nonlinear", what: "variables", call: |s| json!({"system": [format!("(x0/{s:e})**2+(x1/{s:e})**2-25"), format!("x0/{s:e}-x1/{s:e}+1")], "x0": [2.0 * s, 5.0 * s]}), scaled: &[("/x", 1)], tolerance: 1e-12 },
    Case { tool: "solve_nonlinear", what: "singular solutions", call: |s| json!({"system": [format!("(x0/{s:e}-1)**2*(x0/{s:e}+2)"), format!("x1/{s:e}-1")], "bounds": [[-4.0 * s, 4.0 * s], [-4.0 * s, 4.0 * s]], "starts": 12}), scaled: &[("/solutions/0/x", 1), ("/solutions/1/x", 1)], tolerance: 1e-5 },
    Case { tool: "solve_ode", what: "time", call: |s| json!({"system": [format!("y1/{s:e}"), format!("-y0/{s:e}")], "y0": [1, 0], "t_span": [0, 10.0 * s], "t_eval": [5.0 * s, 10.0 * s], "events": [{"g": "y0"}]}), scaled: &[("/y", 0), ("/events/0/t", 1)], tolerance: 1e-4 },
    Case { tool: "solve_ode", what: "stiff time", call: |s| json!({"system": [format!("-1e6*(y-cos(t/{s:e}))/{s:e}")], "y0": [1], "t_span": [0, 2.0 * s], "t_eval": [s, 2.0 * s]}), scaled: &[("/y", 0)], tolerance: 1e-4 },
    Case { tool: "solve_ode", what: "state", call: |s| json!({"system": ["y1", "-y0"], "y0": [s, 0], "t_span": [0, 10], "t_eval": [5, 10], "atol": 1e-9 * s, "events": [{"g": "y0", "direction": "falling", "set": {"y1": "-0.9*y1"}}]}), scaled: &[("/y", 1), ("/events/0/t", 0)], tolerance: 1e-4 },
    Case { tool: "solve_ode", what: "time of bdf", call: |s| json!({"system": [format!("-50*(y-cos(t/{s:e}))/{s:e}")], "y0": [1], "t_span": [0, 2.0 * s], "t_eval": [s, 2.0 * s], "method": "bdf"}), scaled: &[("/y", 0)], tolerance: 1e-3 },
    Case { tool: "solve_ode", what: "time of rodas4", call: |s| json!({"system": [format!("-50*(y-cos(t/{s:e}))/{s:e}")], "y0": [1], "t_span": [0, 2.0 * s], "t_eval": [s, 2.0 * s], "method": "rodas4"}), scaled: &[("/y", 0)], tolerance: 1e-3 },
    Case { tool: "solve_ode", what: "blow-up in time", call: |s| json!({"system": [format!("y**2/{s:e}")], "y0": [1], "t_span": [0, 2.0 * s]}), scaled: &[("/t_end", 1)], tolerance: 1e-3 },
    Case { tool: "solve_ode", what: "bounces in time", call: |s| json!({"system": [format!("-9.81/{s:e}**2")], "y0": [10], "v0": [0], "t_span": [0, 12.0 * s], "atol": [1e-9, 1e-9 / s], "events": [{"g": "y0", "direction": "falling", "set": {"v0": "-0.5*v0"}}]}), scaled: &[("/t_end", 1)], tolerance: 1e-4 },
    Case { tool: "sparse_solve", what: "matrix", call: |s| json!({"rows": [0, 0, 1, 1], "cols": [0, 1, 0, 1], "values": list(s, &[2.0, 1.0, 1.0, 3.0]), "b": [4, 7]}), scaled: &[("/x", -1)], tolerance: 1e-13 },
    Case { tool: "sparse_solve", what: "right-hand side", call: |s| json!({"rows": [0, 0, 1, 1], "cols": [0, 1, 0, 1], "values": [2, 1, 1, 3], "b": [4.0 * s, 7.0 * s]}), scaled: &[("/x", 1)], tolerance: 1e-13 },
    Case { tool: "sparse_solve", what: "iterations", call: |s| json!({"rows": [0, 0, 1, 1], "cols": [0, 1, 0, 1], "values": list(s, &[2.0, 1.0, 1.0, 3.0]), "b": [4, 7], "method": "cg"}), scaled: &[("/x", -1)], tolerance: 1e-9 },
    Case { tool: "sparse_solve", what: "gmres", call: |s| json!({"rows": [0, 0, 1, 1], "cols": [0, 1, 0, 1], "values": list(s, &[2.0, 1.0, -1.0, 3.0]), "b": [4, 7], "method": "gmres"}), scaled: &[("/x", -1)], tolerance: 1e-9 },
    Case { tool: "sparse_solve", what: "singular", call: |s| json!({"rows": [0, 0, 1, 1], "cols": [0, 1, 0, 1], "values": list(s, &[1.0, 2.0, 2.0, 4.0]), "b": [4, 7]}), scaled: &[], tolerance: 0.0 },
    Case { tool: "table_describe", what: "a column", call: |s| json!({"table": {"t": PLACES, "v": list(s, &VALUES)}, "rows": 0}), scaled: &[("/numbers/1/mean", 1), ("/numbers/1/std", 1), ("/numbers/1/p5", 1), ("/numbers/1/median", 1), ("/histograms/v", 0), ("/correlations", 0)], tolerance: 1e-15 },
    Case { tool: "table_group", what: "values", call: |s| json!({"table": {"g": [1, 2, 1, 2, 1, 2, 1], "v": list(s, &VALUES)}, "by": ["g"], "aggregates": ["n = count()", "sum(v)", "std(v)", "var(v)", "quantile(v, 0.3)"]}), scaled: &[("/table/n", 0), ("/table/sum_v", 1), ("/table/std_v", 1), ("/table/var_v", 2)], tolerance: 1e-15 },
    Case { tool: "table_join", what: "places of the nearest", call: |s| json!({"left": {"t": list(s, &PLACES)}, "right": {"t": list(s, &[0.5, 2.75, 6.5]), "q": [1, 2, 3]}, "nearest": "t"}), scaled: &[("/table/t", 1), ("/table/q", 0)], tolerance: 0.0 },
    Case { tool: "table_melt", what: "values", call: |s| json!({"table": {"k": [1, 2], "a": list(s, &[1.5, 2.5]), "b": list(s, &[0.25, 4.5])}, "keep": ["k"]}), scaled: &[("/table/value", 1)], tolerance: 0.0 },
    Case { tool: "table_pivot", what: "values", call: |s| json!({"table": {"k": [1, 1, 2, 2], "c": ["a", "b", "a", "a"], "v": list(s, &[1.5, 2.5, 0.25, 4.5])}, "by": ["k"], "names": "c", "values": "v", "function": "mean"}), scaled: &[("/table/a", 1)], tolerance: 0.0 },
    Case { tool: "table_select", what: "values", call: |s| json!({"table": {"v": list(s, &VALUES)}, "compute": ["d = v - mean(v)"], "filter": "d > 0", "sort": ["-d"]}), scaled: &[("/table/v", 1), ("/table/d", 1)], tolerance: 1e-14 },
    Case { tool: "table_window", what: "values", call: |s| json!({"table": {"v": list(s, &VALUES)}, "compute": ["diff(v, 1)", "m = rolling_mean(v, 3)", "rolling_std(v, 3)", "r = rank(v)"]}), scaled: &[("/table/diff_v", 1), ("/table/m", 1), ("/table/rolling_std_v", 1), ("/table/r", 0)], tolerance: 1e-15 },
    Case { tool: "bootstrap", what: "values", call: |s| json!({"data": {"v": list(s, &VALUES)}, "statistic": "mean", "resamples": 200}), scaled: &[("/estimate", 1), ("/standard_error", 1)], tolerance: 1e-12 },
    Case { tool: "correlation", what: "column", call: |s| json!({"data": {"v": list(s, &VALUES), "x": PLACES}}), scaled: &[("/matrix", 0)], tolerance: 1e-13 },
    Case { tool: "covariance", what: "column", call: |s| json!({"data": {"v": list(s, &VALUES), "x": PLACES}}), scaled: &[("/matrix/0/0", 2), ("/matrix/0/1", 1), ("/matrix/1/1", 0), ("/sds/0", 1)], tolerance: 1e-13 },
    Case { tool: "distribution", what: "values", call: |s| json!({"family": "normal", "parameters": {"mean": s, "sd": 2.0 * s}, "at": [3.0 * s], "probability": [0.1]}), scaled: &[("/mean", 1), ("/variance", 2), ("/points/0/cdf", 0), ("/points/0/pdf", -1), ("/quantiles/0/ppf", 1)], tolerance: 1e-13 },
    Case { tool: "group_statistics", what: "column", call: |s| json!({"data": {"v": list(s, &VALUES)}}), scaled: &[("/groups/0/mean", 1), ("/groups/0/sd", 1), ("/groups/0/median", 1), ("/groups/0/more/trimmed_mean", 1), ("/groups/0/more/skewness", 0)], tolerance: 1e-12 },
    Case { tool: "kernel_density", what: "data", call: |s| json!({"data": list(s, &VALUES)}), scaled: &[("/x", 1), ("/density", -1), ("/bandwidth", 1)], tolerance: 1e-12 },
    Case { tool: "lowess", what: "ordinates", call: |s| json!({"x": PLACES, "y": list(s, &VALUES)}), scaled: &[("/fitted", 1)], tolerance: 1e-12 },
    Case { tool: "lowess", what: "abscissas", call: |s| json!({"x": list(s, &PLACES), "y": VALUES}), scaled: &[("/fitted", 0)], tolerance: 1e-12 },
    Case { tool: "pca", what: "columns", call: |s| json!({"data": {"x": list(s, &PLACES), "v": list(s, &VALUES)}, "seed": 1}), scaled: &[("/components/0/variance", 2), ("/components/1/chance", 2), ("/components/0/share", 0), ("/scores", 1), ("/loadings/0/coefficients", 0), ("/condition", 0)], tolerance: 1e-13 },
    Case { tool: "pca", what: "a standardised column", call: |s| json!({"data": {"x": PLACES, "v": list(s, &VALUES)}, "standardise": true, "seed": 1}), scaled: &[("/components/0/variance", 0), ("/scores", 0), ("/loadings/0/sd", 1)], tolerance: 1e-12 },
    Case { tool: "kmeans", what: "columns", call: |s| json!({"data": {"x": list(s, &PLACES), "v": list(s, &VALUES)}, "seed": 1}), scaled: &[("/inertia", 2), ("/silhouette", 0), ("/labels", 0), ("/clusters/0/centre", 1)], tolerance: 1e-13 },
    Case { tool: "hierarchical_clustering", what: "columns", call: |s| json!({"data": {"x": list(s, &PLACES), "v": list(s, &VALUES)}}), scaled: &[("/merges/5/height", 1), ("/cophenetic", 0), ("/labels", 0), ("/cut", 1)], tolerance: 1e-13 },
    Case { tool: "dbscan", what: "columns", call: |s| json!({"data": {"x": list(s, &PLACES), "v": list(s, &VALUES)}, "min_points": 3}), scaled: &[("/eps", 1), ("/curve", 1), ("/labels", 0)], tolerance: 1e-13 },
    Case { tool: "dbscan", what: "columns and radius", call: |s| json!({"data": {"x": list(s, &PLACES), "v": list(s, &VALUES)}, "eps": 2.5 * s, "min_points": 2}), scaled: &[("/eps", 1), ("/labels", 0)], tolerance: 0.0 },
    Case { tool: "nearest_neighbours", what: "columns", call: |s| json!({"data": {"x": list(s, &PLACES), "v": list(s, &VALUES)}, "k": 2, "metric": "minkowski"}), scaled: &[("/pairs/0/distance", 1), ("/pairs/5/distance", 1), ("/counts", 0)], tolerance: 1e-13 },
    Case { tool: "outliers", what: "columns", call: |s| json!({"data": {"x": list(s, &PLACES), "v": list(s, &[2.5, -1.25, 4.0, 0.75, 300.0, 1.5, 2.0])}, "seed": 1}), scaled: &[("/distances", 0), ("/factors", 0), ("/methods/0/high", 1), ("/methods/4/low", 1), ("/methods/2/high", 0)], tolerance: 1e-9 },
    Case { tool: "statistics", what: "data", call: |s| json!({"data": list(s, &VALUES)}), scaled: &[("/mean", 1), ("/variance_sample", 2), ("/median", 1)], tolerance: 1e-14 },
];

/// The answer or the refusal, and the number of warnings.
fn answer(case: &Case, s: f64) -> (Result<Json, String>, usize) {
    let tool = tools()
        .find(|tool| tool.spec().id == case.tool)
        .expect("a tool of this name");
    let text = (case.call)(s).to_string();
    let args = strict::parse_json(&text, strict::JsonLimits::default()).expect("JSON");
    let ctx = Ctx::default();
    let outcome = tool.decode(&args).and_then(|call| call.run(&ctx));
    let outcome = outcome.map(|value| serde_json::from_str(&value.to_string()).expect("JSON"));
    let refusal =
        outcome.map_err(|err| format!("{:?} {:?} {:?}", err.code(), err.reason_str(), err.path()));
    (refusal, ctx.take_warnings().len())
}

/// Truth values and words at any depth, and counts that are verdicts. What was tried to improve an answer is none.
fn verdicts(at: &str, value: &Json, found: &mut Vec<(String, Json)>) {
    const COUNTS: [&str; 4] = ["rank", "degrees_of_freedom", "multiplicity", "infinite"];
    match value {
        Json::Object(members) => {
            // `min` and `max` are quantities where they are texts; sentences name quantities.
            const NONE: [&str; 7] = [
                "apa",
                "equilibrated",
                "max",
                "min",
                "plot",
                "polished",
                "summary",
            ];
            for (key, value) in members
                .iter()
                .filter(|(key, _)| !NONE.contains(&key.as_str()))
            {
                if COUNTS.contains(&key.as_str()) && value.is_u64() {
                    found.push((format!("{at}/{key}"), value.clone()));
                }
                verdicts(&format!("{at}/{key}"), value, found);
            }
        }
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                verdicts(&format!("{at}/{index}"), item, found);
            }
        }
        Json::Bool(_) | Json::String(_) => found.push((at.to_owned(), value.clone())),
        _ => {}
    }
}

fn numbers(value: &Json, found: &mut Vec<f64>) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| numbers(item, found)),
        other => found.extend(other.as_f64()),
    }
}

/// What differs in a scaled call.
fn differences(case: &Case, s: f64) -> Vec<String> {
    let ((plain, warnings), (scaled, scaled_warnings)) = (answer(case, 1.0), answer(case, s));
    let (plain, scaled) = match (plain, scaled) {
        (Ok(plain), Ok(scaled)) => (plain, scaled),
        (plain, scaled) if plain == scaled => return Vec::new(),
        (plain, scaled) => return vec![format!("{scaled:?} instead of {plain:?}")],
    };
    let mut faults = Vec::new();
    if warnings != scaled_warnings {
        faults.push(format!("{scaled_warnings} warnings instead of {warnings}"));
    }
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    verdicts("", &plain, &mut expected);
    verdicts("", &scaled, &mut found);
    if expected != found {
        faults.push(format!("{found:?} instead of {expected:?}"));
    }
    for (pointer, power) in case.scaled {
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        let (Some(plain), Some(scaled)) = (plain.pointer(pointer), scaled.pointer(pointer)) else {
            faults.push(format!("no {pointer} in {scaled}"));
            continue;
        };
        numbers(plain, &mut expected);
        numbers(scaled, &mut found);
        let factor = s.powi(*power);
        let size = expected
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        let is_near = |(found, expected): (&f64, &f64)| {
            (found / factor - expected).abs() <= case.tolerance * size
        };
        if found.len() != expected.len() || !found.iter().zip(&expected).all(is_near) {
            let back: Vec<f64> = found.iter().map(|found| found / factor).collect();
            faults.push(format!("{pointer}: {back:?} instead of {expected:?}"));
        }
    }
    faults
}

#[test]
fn the_units_of_a_call_do_not_change_its_verdict() {
    let mut faults = Vec::new();
    for case in CASES {
        for s in FACTORS {
            for fault in differences(case, s) {
                faults.push(format!(
                    "{}, {} times {s:.0e}: {fault}",
                    case.tool, case.what
                ));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn every_tool_has_a_line() {
    for tool in tools() {
        let id = tool.spec().id;
        let has_line = CASES.iter().any(|case| case.tool == id);
        assert_ne!(has_line, WITHOUT_UNITS.contains(&id), "`{id}`");
    }
}
