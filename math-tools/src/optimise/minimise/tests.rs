mod bounds;
mod constraints;
mod hock_schittkowski;
mod more_garbow_hillstrom;
mod saddle;
mod scale;

use proptest::prelude::*;
use tool_core::{CallBudget, Ctx, ErrorCode, Input, StopFlag, Tool, ToolError, convert};

use crate::linalg::tests::parse;

use super::{Args, Objective, OptimisationMode, OptimizeMethod, OptimizeReason, Output};

pub(super) fn args(x0: &[f64], objective: impl Into<Objective>) -> Args {
    Args {
        x0: Input::inline(x0.to_vec()),
        objective: objective.into(),
        parameters: Default::default(),
        data: None,
        bounds: None,
        constraints: Vec::new(),
        method: OptimizeMethod::Auto,
        mode: OptimisationMode::Minimize,
        max_iter: None,
        tolerance: super::default_tolerance(),
    }
}

pub(super) fn with(method: OptimizeMethod, args: Args) -> Args {
    Args { method, ..args }
}

pub(super) fn run(args: Args) -> Output {
    Args::run(args, &Ctx::default()).unwrap()
}

fn from_json(text: &str) -> Result<Output, ToolError> {
    let args: Args = convert::from_value(&parse(text))
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    Args::run(args, &Ctx::default())
}

fn assert_found(output: &Output, x: &[f64], f: f64, tolerance: f64) {
    assert!(output.converged, "{output:?}");
    assert!((output.f - f).abs() <= tolerance, "f: {output:?}");
    for (found, expected) in output.x.iter().zip(x) {
        assert!(
            (found - expected).abs() <= 10.0 * tolerance.sqrt(),
            "x: {output:?}"
        );
    }
}

/// The start of the literature: -1.2, 1, -1.2, 1, ...
fn valley(n: usize) -> Vec<f64> {
    (0..n)
        .map(|index| if index % 2 == 0 { -1.2 } else { 1.0 })
        .collect()
}

fn rosenbrock_text(n: usize) -> String {
    (0..n - 1)
        .map(|i| format!("100*(x{}-x{i}**2)**2+(1-x{i})**2", i + 1))
        .collect::<Vec<_>>()
        .join("+")
}

/// Case W17: the gradient method descends the valley to its end.
#[test]
fn gradient_method_descends_rosenbrock() {
    for objective in ["rosenbrock", "100*(x1-x0**2)**2+(1-x0)**2"] {
        let output = run(with(
            OptimizeMethod::Gradient,
            args(&[-1.2, 1.0], objective),
        ));
        assert_found(&output, &[1.0, 1.0], 0.0, 1e-12);
        assert!(
            output.gradient_norm.0 < 1e-6 && output.evaluations < 1000,
            "{output:?}"
        );
    }
}

/// Case W18: a narrow quadratic valley.
#[test]
fn gradient_method_on_a_narrow_quadratic() {
    let text =
        r#"{"x0":[1,1],"objective":{"quadratic":{"A":[[1000,0],[0,1]]}},"method":"gradient"}"#;
    assert_found(&from_json(text).unwrap(), &[0.0, 0.0], 0.0, 1e-12);
}

/// Case W19: ten coordinates; the simplex ends at a minimum, of which there are two, or says that it did not arrive; the default method arrives.
#[test]
fn rosenbrock_in_ten_coordinates() {
    for start in [valley(10), vec![0.0; 10], vec![2.0; 10]] {
        for objective in ["rosenbrock", &rosenbrock_text(10)] {
            let output = run(args(&start, objective));
            assert_found(&output, &[1.0; 10], 0.0, 1e-10);
            assert_eq!(output.method, OptimizeMethod::Gradient);
        }
        let simplex = run(with(OptimizeMethod::NelderMead, args(&start, "rosenbrock")));
        // The minimum near (-1, 1, ..., 1): Y.-W. Shang, Y.-H. Qiu, "A note on the extended Rosenbrock function", Evolutionary Computation 14, 2006.
        let is_minimum = [0.0, 3.986_579_112]
            .iter()
            .any(|f| (simplex.f - f).abs() < 1e-6);
        assert!(simplex.converged == is_minimum, "{simplex:?}");
        assert!(simplex.converged || simplex.reason == OptimizeReason::MaxIter);
    }
    let output = run(args(&valley(100), "rosenbrock"));
    assert_found(&output, &[1.0; 100], 0.0, 1e-10);
    let long = Args {
        max_iter: Some(tool_core::BoundedInteger::literal(100_000)),
        ..with(OptimizeMethod::NelderMead, args(&valley(4), "rosenbrock"))
    };
    assert_eq!(run(long).reason, OptimizeReason::Simplex);
}

/// Case W20: convergence is tested in x and in f, so a flat start is not taken for the minimum.
#[test]
fn simplex_does_not_stop_at_a_flat_start() {
    let output = run(with(
        OptimizeMethod::NelderMead,
        args(&[1e-6, 1e-6], "sphere"),
    ));
    assert!(output.iterations > 10 && output.f < 1e-15, "{output:?}");
    assert_found(&output, &[0.0, 0.0], 0.0, 1e-15);
}

/// Case W21: what has no maximum is refused, with the best point as evidence.
#[test]
fn unbounded_objectives_are_refused() {
    for method in [
        OptimizeMethod::Auto,
        OptimizeMethod::Gradient,
        OptimizeMethod::NelderMead,
    ] {
        for (x0, objective, mode) in [
            (vec![1.0, 1.0], "sphere", OptimisationMode::Maximize),
            (vec![0.0, 0.0], "sphere", OptimisationMode::Maximize),
            (vec![1.0, 2.0], "x*y", OptimisationMode::Minimize),
            (vec![1.0], "x", OptimisationMode::Minimize),
            (vec![1.0], "x**3", OptimisationMode::Minimize),
        ] {
            let err = Args::run(
                Args {
                    mode,
                    ..with(method, args(&x0, objective))
                },
                &Ctx::default(),
            )
            .expect_err("there is no optimum");
            assert_eq!(
                (err.code(), err.reason_str()),
                (ErrorCode::Numeric, Some("unbounded")),
                "{method:?} {objective}"
            );
            let value = err.to_value();
            assert_eq!(
                value.pointer("/evidence/x").unwrap().items().unwrap().len(),
                x0.len()
            );
            let f = value.pointer("/evidence/f").unwrap().as_f64().unwrap();
            assert!(
                if mode == OptimisationMode::Maximize {
                    f > 1e99
                } else {
                    f < -1e99
                },
                "{f}"
            );
        }
    }
}

#[test]
fn known_minima_and_maxima() {
    type Case = (
        &'static [f64],
        &'static str,
        OptimisationMode,
        Vec<f64>,
        f64,
    );
    let cases: Vec<Case> = vec![
        (
            &[0.0],
            "(x-3)**2+1",
            OptimisationMode::Minimize,
            vec![3.0],
            1.0,
        ),
        (
            &[0.0],
            "5-(x-3)**2",
            OptimisationMode::Maximize,
            vec![3.0],
            5.0,
        ),
        (
            &[0.0],
            "exp(x)-2*x",
            OptimisationMode::Minimize,
            vec![2.0_f64.ln()],
            2.0 - 2.0 * 2.0_f64.ln(),
        ),
        // Himmelblau, the minimum in the first quadrant.
        (
            &[2.5, 2.5],
            "(x**2+y-11)**2+(x+y**2-7)**2",
            OptimisationMode::Minimize,
            vec![3.0, 2.0],
            0.0,
        ),
        // Beale.
        (
            &[1.0, 1.0],
            "(1.5-x+x*y)**2+(2.25-x+x*y**2)**2+(2.625-x+x*y**3)**2",
            OptimisationMode::Minimize,
            vec![3.0, 0.5],
            0.0,
        ),
        // Booth.
        (
            &[0.0, 0.0],
            "(x+2*y-7)**2+(2*x+y-5)**2",
            OptimisationMode::Minimize,
            vec![1.0, 3.0],
            0.0,
        ),
        // A start where the gradient vanishes without a minimum, in y.
        (
            &[1.0, 0.0],
            "x**2-y**2+y**4",
            OptimisationMode::Minimize,
            vec![0.0, 0.5_f64.sqrt()],
            -0.25,
        ),
        // Values so large that the gradient by differences is noisy.
        (
            &[5.0, 5.0],
            "1e6+(x-1)**2+(y-2)**2",
            OptimisationMode::Minimize,
            vec![1.0, 2.0],
            1e6,
        ),
        // Undefined beyond the border: the steps stay inside.
        (
            &[3.0],
            "x-log(x)",
            OptimisationMode::Minimize,
            vec![1.0],
            1.0,
        ),
    ];
    for (x0, objective, mode, x, f) in cases {
        for method in [
            OptimizeMethod::Auto,
            OptimizeMethod::Gradient,
            OptimizeMethod::NelderMead,
        ] {
            let mut output = run(Args {
                mode,
                ..with(method, args(x0, objective))
            });
            let tolerance = if f.abs() > 1e5 { 1e-5 } else { 1e-8 };
            if objective.contains("y**4") {
                // Two minima, mirror images of each other.
                output.x[1] = output.x[1].abs();
            }
            assert_found(&output, &x, f, tolerance);
        }
    }
}

#[test]
fn a_function_with_corners_falls_to_the_simplex() {
    let output = run(args(&[1.0, -0.7], "abs(x-0.3)+2*abs(y+x)"));
    assert!(output.converged && output.f < 1e-6, "{output:?}");
    assert!((output.x[0] - 0.3).abs() < 1e-6);
}

#[test]
fn limits_of_iterations_are_kept_and_said() {
    for method in [OptimizeMethod::Gradient, OptimizeMethod::NelderMead] {
        let output = run(Args {
            max_iter: Some(tool_core::BoundedInteger::literal(3)),
            ..with(method, args(&valley(2), "rosenbrock"))
        });
        assert!(
            !output.converged && output.reason == OptimizeReason::MaxIter,
            "{output:?}"
        );
        assert!(output.iterations <= 3, "{output:?}");
        assert!(output.f <= 24.2, "never above the start");
    }
}

#[test]
fn a_start_that_is_not_finite_is_refused() {
    for (x0, objective) in [(-1.0, "log(x)"), (0.0, "1/x"), (-1.0, "sqrt(x)")] {
        for method in [
            OptimizeMethod::Auto,
            OptimizeMethod::Gradient,
            OptimizeMethod::NelderMead,
        ] {
            let err = Args::run(with(method, args(&[x0], objective)), &Ctx::default()).unwrap_err();
            assert_eq!(
                (err.code(), err.reason_str()),
                (ErrorCode::Numeric, Some("not_finite"))
            );
            assert_eq!(err.path(), Some("/x0"));
        }
    }
}

#[test]
fn objectives_come_in_every_form() {
    for objective in [
        r#""sphere""#,
        r#"{"sphere":true}"#,
        r#""x0**2+x1**2""#,
        r#"{"quadratic":{"A":[[2,0],[0,2]],"b":[0,0],"c":0}}"#,
    ] {
        let output = from_json(&format!(r#"{{"x0":[1,2],"objective":{objective}}}"#)).unwrap();
        assert_found(&output, &[0.0, 0.0], 0.0, 1e-12);
    }
    // Only the symmetric part of A counts: 0.5 x' [[2, 2], [0, 2]] x = x^2 + x y + y^2.
    let output =
        from_json(r#"{"x0":[1,2],"objective":{"quadratic":{"A":[[2,2],[0,2]],"b":[-3,-3]}}}"#)
            .unwrap();
    assert_found(&output, &[1.0, 1.0], -3.0, 1e-12);
}

#[test]
fn bad_input_names_the_argument() {
    let cases = [
        (r#"{"x0":[],"objective":"sphere"}"#, "/x0", "empty"),
        (
            r#"{"x0":[1],"objective":"rosenbrock"}"#,
            "/x0",
            "at least 2",
        ),
        (
            r#"{"x0":[1],"objective":"x0+x1"}"#,
            "/objective",
            "unknown name `x1`",
        ),
        (r#"{"x0":[1],"objective":"x0 x0"}"#, "/objective", "column"),
        (
            r#"{"x0":[1],"objective":5}"#,
            "/objective",
            "expected an expression",
        ),
        (r#"{"x0":[1],"objective":{}}"#, "/objective", "empty object"),
        (
            r#"{"x0":[1],"objective":{"quadratik":{}}}"#,
            "/objective",
            "did you mean `quadratic`",
        ),
        (
            r#"{"x0":[1,1],"objective":{"sphere":false}}"#,
            "/objective",
            "expected `true`",
        ),
        (
            r#"{"x0":[1],"objective":{"sphere":true,"rosenbrock":true}}"#,
            "/objective",
            "one objective",
        ),
        (
            r#"{"x0":[1],"objective":{"quadratic":{"A":[[1,2]]}}}"#,
            "/objective/quadratic/A",
            "expected 1 x 1",
        ),
        (
            r#"{"x0":[1],"objective":{"quadratic":{"A":[[1]],"b":[1,2]}}}"#,
            "/objective/quadratic/b",
            "expected 1",
        ),
        (
            r#"{"x0":[1],"objective":{"quadratic":{"A":[[1]],"d":1}}}"#,
            "/objective/quadratic/d",
            "unknown",
        ),
        (
            r#"{"x0":[1],"objective":{"quadratic":{"A":[[1,2],[3]]}}}"#,
            "/objective/quadratic/A",
            "row 1",
        ),
        (
            r#"{"x0":[1],"objective":"sphere","mode":"max"}"#,
            "/mode",
            "expected one of",
        ),
        (
            r#"{"x0":[1],"objective":"sphere","method":"descend"}"#,
            "/method",
            "expected one of",
        ),
        (
            r#"{"x0":[1],"objective":"sphere","max_iter":0}"#,
            "/max_iter",
            "from 1",
        ),
        (
            r#"{"x0":[1],"objective":"sphere","tolerance":-1}"#,
            "/tolerance",
            "at least 0",
        ),
        (
            r#"{"x0":[1],"objective":"sphere","learning_rate":1}"#,
            "/learning_rate",
            "unknown",
        ),
    ];
    for (text, path, words) in cases {
        let err = from_json(text)
            .err()
            .unwrap_or_else(|| panic!("{text} was accepted"));
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{text}: {err:?}"
        );
        assert!(err.message().contains(words), "{text}: {err:?}");
    }
    let err = from_json(r#"{"x0":[1,1],"objective":"rosenbrok"}"#).unwrap_err();
    assert_eq!(err.hint_str(), Some("did you mean `rosenbrock`?"));
    let many = with(OptimizeMethod::NelderMead, args(&[1.0; 201], "sphere"));
    assert_eq!(
        Args::run(many, &Ctx::default()).unwrap_err().path(),
        Some("/method")
    );
}

#[test]
fn stops_and_budgets_reach_the_methods() {
    for method in [OptimizeMethod::Gradient, OptimizeMethod::NelderMead] {
        let go = |ctx: Ctx| {
            let endless = Args {
                max_iter: Some(tool_core::BoundedInteger::literal(2000)),
                tolerance: tool_core::Tolerance::literal(0.0),
                ..with(method, args(&valley(20), rosenbrock_text(20).as_str()))
            };
            Args::run(endless, &ctx)
        };
        // A tolerance of zero still ends.
        let output = go(Ctx::default()).unwrap();
        assert!(output.f.is_finite());
        // In the first simplex, where the crate cannot take an error, and later.
        for evaluations in [0, 1, 10, 300] {
            let err = go(Ctx::new(
                StopFlag::new(),
                CallBudget {
                    evaluations,
                    ..CallBudget::default()
                },
            ))
            .unwrap_err();
            assert_eq!(
                (err.code(), err.reason_str()),
                (ErrorCode::LimitExceeded, Some("evaluations")),
                "{method:?}"
            );
        }
        let stop = StopFlag::new();
        stop.cancel();
        assert_eq!(
            go(Ctx::new(stop, CallBudget::default()))
                .unwrap_err()
                .code(),
            ErrorCode::Cancelled
        );
    }
}

proptest! {
    /// A convex quadratic is lowest where A x = -b.
    #[test]
    fn convex_quadratics_are_minimised(
        (n, half, b, x0) in (1_usize..6).prop_flat_map(|n| {
            let entry = -2.0_f64..2.0;
            (
                Just(n),
                prop::collection::vec(entry.clone(), n * n),
                prop::collection::vec(entry.clone(), n),
                prop::collection::vec(entry, n),
            )
        }),
        simplex in any::<bool>(),
    ) {
        // A = M M' + I is positive definite with eigenvalues from 1 to about 100.
        let a: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| {
                        let inner: f64 = (0..n).map(|k| half[i * n + k] * half[j * n + k]).sum();
                        inner + f64::from(u8::from(i == j))
                    })
                    .collect()
            })
            .collect();
        let objective = tool_core::json::to_text(&convert::to_value(&a).unwrap());
        let text = format!(
            r#"{{"x0":{x0:?},"objective":{{"quadratic":{{"A":{objective},"b":{b:?}}}}},"method":"{}","max_iter":20000}}"#,
            if simplex { "nelder_mead" } else { "gradient" }
        );
        let output = from_json(&text).unwrap();
        prop_assert!(output.converged, "{:?}", output);
        for (row, b) in a.iter().zip(&b) {
            let gradient: f64 = row.iter().zip(&output.x).map(|(a, x)| a * x).sum::<f64>() + b;
            prop_assert!(gradient.abs() < 1e-4, "{gradient}: {:?}", output);
        }
    }
}

#[test]
fn an_objective_over_data_is_one_of_its_unknowns() {
    // A straight line through four points by least squares: a = 1.1, b = 1.1 and the sum 2.7, by the normal equations.
    let data = r#""data": {"t": [0, 1, 2, 3], "y": [1, 3, 2, 5]}"#;
    for method in ["auto", "newton", "nelder_mead", "sqp"] {
        let output = from_json(&format!(
            r#"{{"objective": "r = y - a - b*t; sum(r**2)", "x0": {{"b": 0, "a": 0}}, "method": "{method}", {data}}}"#
        ))
        .unwrap();
        assert_found(&output, &[1.1, 1.1], 2.7, 1e-7);
        let named = output.named.unwrap();
        assert_eq!(named.keys().collect::<Vec<_>>(), ["a", "b"], "{method}");
    }
    let constrained = from_json(&format!(
        r#"{{"objective": "sum((y - a - b*t)**2)", "x0": {{"a": 0, "b": 0}}, "constraints": ["a + b <= mean(y) - 1.75"],
            "bounds": {{"b": [0, null]}}, {data}}}"#
    ))
    .unwrap();
    assert!(constrained.converged && constrained.constraints.unwrap()[0].active);
    assert!((constrained.x.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let short = from_json(&format!(
        r#"{{"objective": "sum((y - x - x1*t)**2)", "x0": [0, 0], {}}}"#,
        data.replace("\"y\"", "\"x\": [0, 0, 0, 0], \"y\"")
    ));
    // The column hides the short name of the first variable, which is then without influence.
    assert_eq!(short.unwrap().x[0], 0.0);
}

#[test]
fn faults_of_models_are_named() {
    for (text, path, words) in [
        (
            r#"{"objective": "y - a", "x0": {"a": 1}, "data": {"y": [1]}}"#,
            "/objective",
            "a column",
        ),
        (
            r#"{"objective": "a**2", "x0": {"a": 1}, "data": {"y": [1]}}"#,
            "/data",
            "no expression names",
        ),
        (
            r#"{"objective": "sphere", "x0": [1], "data": {"y": [1]}}"#,
            "/data",
            "no expression names",
        ),
        (
            r#"{"objective": "sum(y*a)", "x0": {"a": 1}, "data": []}"#,
            "/data",
            "at least one row",
        ),
        (
            r#"{"objective": "sum(y*a)", "x0": {"a": 1}, "data": {"y": [1, null]}}"#,
            "/data/y/1",
            "row 1",
        ),
        (
            r#"{"objective": "sum(log(y)*a)", "x0": {"a": 1}, "data": {"y": [1, -1]}}"#,
            "/x0",
            "`log` has none in row 1",
        ),
        (
            r#"{"objective": "a", "x0": {"a b": 1}}"#,
            "/x0/a b",
            "a name of letters",
        ),
        (
            r#"{"objective": "pi", "x0": {"pi": 1}}"#,
            "/x0/pi",
            "a name of the language",
        ),
        (
            r#"{"objective": "a", "x0": {"a": 1}, "bounds": {"b": [0, 1]}}"#,
            "/bounds/b",
            "no variable",
        ),
        (
            r#"{"objective": "a", "x0": {"a": "1"}}"#,
            "/x0/a",
            "expected a finite number",
        ),
        (r#"{"objective": "a", "x0": {}}"#, "/x0", "empty"),
        (
            r#"{"objective": "a", "x0": {"a": 1}, "parameters": {"a": 2}}"#,
            "/parameters/a",
            "is a variable",
        ),
    ] {
        let error = from_json(text).unwrap_err();
        assert_eq!(error.path(), Some(path), "{text}: {error:?}");
        assert!(error.message().contains(words), "{text}: {error:?}");
    }
}

#[test]
fn a_point_that_ran_away_is_no_optimum() {
    for text in [
        r#"{"objective": "log(x0)", "x0": [1], "mode": "maximize"}"#,
        r#"{"objective": "-log(1+x)", "x0": [1]}"#,
    ] {
        let output = from_json(text);
        assert!(output.is_err() || !output.unwrap().converged, "{text}");
    }
}

/// A sphere of many variables takes more iterations of the simplex than of other methods: about 250 for each variable.
#[test]
fn the_simplex_has_iterations_for_many_variables() {
    for n in [2, 15, 25] {
        let x0: Vec<f64> = (0..n).map(|index| 1.0 + 0.1 * f64::from(index)).collect();
        let found = run(Args {
            method: OptimizeMethod::NelderMead,
            tolerance: tool_core::Tolerance::literal(1e-9),
            ..args(&x0, "sphere")
        });
        assert!(found.converged, "{n}: {} iterations", found.iterations);
        assert!(found.iterations <= (400 * n as u64).max(1000), "{n}");
    }
    let stopped = run(Args {
        method: OptimizeMethod::NelderMead,
        max_iter: Some(tool_core::BoundedInteger::literal(1000)),
        ..args(&[1.0; 15], "sphere")
    });
    assert_eq!((stopped.converged, stopped.iterations), (false, 1000));
}
