//! Functions in the style of the noiseless testbed of BBOB, shifted and rotated, in four variables: `tests/reference/bbob.json`.

use serde_json::Value as Json;
use tool_core::{CallBudget, Ctx, ErrorCode, Finite, StopFlag, Tool, ToolError, convert};

use super::{Args, OptimizeGlobalMethod, OptimizeGlobalReason, Output};
use crate::linalg::tests::parse;

fn from_json(text: &str) -> Result<Output, ToolError> {
    let args: Args = convert::from_value(&parse(text))
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    Args::run(args, &Ctx::default())
}

fn cases() -> Vec<Json> {
    let text = include_str!("../../../../tests/reference/bbob.json");
    serde_json::from_str(text).unwrap()
}

fn solve(case: &Json, method: &str, seed: u64) -> Output {
    let (objective, bounds) = (&case["objective"], &case["bounds"]);
    let text = format!(
        r#"{{"objective":{objective},"bounds":{bounds},"method":"{method}","seed":{seed},"max_evals":40000}}"#
    );
    from_json(&text).unwrap()
}

/// Which functions a method solves to 1e-6 with a seed, and that it never goes beyond its budget nor below the minimum.
fn solved(method: &str, seed: u64) -> Vec<bool> {
    let solve = |case: &Json| {
        let found = solve(case, method, seed);
        let minimum = case["f"].as_f64().unwrap();
        assert!(found.evaluations <= 40_010, "{} {found:?}", case["name"]);
        assert!(found.f >= minimum - 1e-9, "{} {found:?}", case["name"]);
        // What is said to be the global minimum is it.
        let good = found.f <= minimum + 1e-6;
        assert!(good || !found.converged, "{} {found:?}", case["name"]);
        good
    };
    cases().iter().map(solve).collect()
}

fn count(solved: &[bool]) -> usize {
    solved.iter().filter(|solved| **solved).count()
}

/// Of 19 functions with 40,000 evaluations each: the default method solves 18.4 on average, and with these seeds each function at least once;
/// Griewank and Rosenbrock (7 of 10 seeds), Schaffers F7 of high condition, Weierstrass and Rastrigin, rotated (9 of 10), fail with some.
#[test]
fn functions_of_the_testbed_are_minimised() {
    let runs = [1, 2].map(|seed| solved("auto", seed));
    assert!(runs.iter().all(|run| count(run) >= 18), "{runs:?}");
    let once = (0..cases().len()).all(|case| runs.iter().any(|run| run[case]));
    assert!(once, "{runs:?}");
    assert!(count(&solved("cma_es", 2)) >= 18);
    assert!(count(&solved("differential_evolution", 2)) >= 17);
}

/// The methods with local searches fail where the gradient says nothing of the whole.
#[test]
fn each_method_solves_smooth_functions_with_few_minima() {
    let smooth = [
        "ellipsoid",
        "Rosenbrock, rotated",
        "bent cigar",
        "Gallagher, 21 peaks",
    ];
    for method in [
        "multistart",
        "basin_hopping",
        "dual_annealing",
        "particle_swarm",
        "simulated_annealing",
    ] {
        for case in cases()
            .iter()
            .filter(|case| smooth.contains(&case["name"].as_str().unwrap()))
        {
            let found = solve(case, method, 7);
            assert!(found.f <= 1e-6, "{method} {} {found:?}", case["name"]);
        }
    }
}

/// The published minima are where the script says.
#[test]
fn the_minima_of_the_testbed_are_right() {
    use crate::expression::{Expression, ExpressionScope};
    for case in cases() {
        let objective = case["objective"].as_str().unwrap();
        let expression = Expression::parse(objective, &ExpressionScope::point(4)).unwrap();
        let x: Vec<f64> = case["x"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Json::as_f64)
            .collect();
        let value = expression.evaluator().eval(&x);
        let distance = (value - case["f"].as_f64().unwrap()).abs();
        assert!(distance < 1e-9, "{} {value}", case["name"]);
    }
}

#[test]
fn results_depend_on_the_seed_alone() {
    for method in [
        "auto",
        "cma_es",
        "multistart",
        "basin_hopping",
        "dual_annealing",
        "differential_evolution",
        "particle_swarm",
        "simulated_annealing",
    ] {
        let call = |seed: u64| {
            let text = format!(
                r#"{{"objective":"sin(5*x)+cos(3*y)+0.1*(x**2+y**2)","bounds":[[-4,4],[-4,4]],"max_evals":700,"method":"{method}","seed":{seed}}}"#
            );
            let found = from_json(&text).unwrap();
            assert!(found.evaluations <= 700, "{method} {found:?}");
            convert::to_value(&found).unwrap()
        };
        assert_eq!(call(3), call(3), "{method}");
        assert_ne!(call(3).get("x"), call(4).get("x"), "{method}");
    }
}

/// Maxima, bounds that hold the optimum, and a variable that cannot move.
#[test]
fn maxima_and_borders() {
    let found = from_json(
        r#"{"objective":"x-y**2+0*z","bounds":[[-1,3],[-2,2],[5,5]],"mode":"maximize","max_evals":3000}"#,
    )
    .unwrap();
    assert!(
        (found.f - 3.0).abs() < 1e-9 && found.x[0] == 3.0 && found.x[2] == 5.0,
        "{found:?}"
    );
    let found =
        from_json(r#"{"objective":"(x-0.3)**2","bounds":[[-1,1]],"max_evals":20000}"#).unwrap();
    assert!(
        found.converged && found.reason == OptimizeGlobalReason::Agreement && found.agreeing >= 40,
        "{found:?}"
    );
}

#[test]
fn functions_with_steps_and_holes() {
    // The lowest step of a staircase; functions that are not finite in most of the box.
    let found = from_json(
        r#"{"objective":"floor(abs(x-1.2))+floor(abs(y+0.7))","bounds":[[-9,9],[-9,9]],"max_evals":4000}"#,
    )
    .unwrap();
    assert_eq!(found.f, 0.0);
    let hole = r#"{"objective":"(x-2)**2-log(x-1.9)","bounds":[[-5,5]],"max_evals":4000}"#;
    let found = from_json(hole).unwrap();
    // Where 2 (x - 2) (x - 1.9) = 1.
    assert!(
        (found.x[0] - (1.95 + 0.5025_f64.sqrt())).abs() < 1e-6,
        "{found:?}"
    );
    let pole = r#"{"objective":"(x-2)**2+log(x-1.9)","bounds":[[-5,5]],"max_evals":4000}"#;
    assert_eq!(from_json(pole).unwrap_err().reason_str(), Some("unbounded"));
    let nowhere = r#"{"objective":"sqrt(x-9)","bounds":[[-5,5]],"max_evals":500}"#;
    let error = from_json(nowhere).unwrap_err();
    assert_eq!(
        (error.code(), error.reason_str()),
        (ErrorCode::Numeric, Some("not_finite"))
    );
}

#[test]
fn bad_arguments_are_named() {
    for (text, path) in [
        (r#"{"objective":"x","bounds":[]}"#, "/bounds"),
        (r#"{"objective":"x","bounds":[[2,1]]}"#, "/bounds/0"),
        (r#"{"objective":"x","bounds":[[0,null]]}"#, "/bounds/0/1"),
        (r#"{"objective":"x+y","bounds":[[0,1]]}"#, "/objective"),
        (
            r#"{"objective":"x","bounds":[[0,1]],"max_evals":0}"#,
            "/max_evals",
        ),
        (
            r#"{"objective":"x","bounds":[[0,1]],"method":"luck"}"#,
            "/method",
        ),
    ] {
        let error = from_json(text).unwrap_err();
        assert_eq!(
            (error.code(), error.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{error:?}"
        );
    }
}

#[test]
fn stops_reach_the_methods() {
    for method in [
        OptimizeGlobalMethod::Auto,
        OptimizeGlobalMethod::CmaEs,
        OptimizeGlobalMethod::DualAnnealing,
        OptimizeGlobalMethod::BasinHopping,
    ] {
        let args = || {
            let bounds = vec![[Finite::literal(-5.0), Finite::literal(5.0)]; 3];
            let text = r#"{"objective":"rosenbrock","bounds":[]}"#;
            let args: Args = convert::from_value(&parse(text)).unwrap();
            Args {
                bounds: bounds.into(),
                method,
                ..args
            }
        };
        for evaluations in [0, 1, 100, 3000] {
            let budget = CallBudget {
                evaluations,
                ..CallBudget::default()
            };
            let error = Args::run(args(), &Ctx::new(StopFlag::new(), budget)).unwrap_err();
            assert_eq!(error.reason_str(), Some("evaluations"), "{method:?}");
        }
        let stop = StopFlag::new();
        stop.cancel();
        let error = Args::run(args(), &Ctx::new(stop, CallBudget::default())).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Cancelled);
    }
}

/// x**2 + y under x y >= 1: lowest at (-0.2, -5), by y = -5 and x = 1/y; the circle has its lowest sum at (-sqrt 2, -sqrt 2).
#[test]
fn constraints_hold() {
    for method in [
        "auto",
        "cma_es",
        "multistart",
        "basin_hopping",
        "dual_annealing",
        "differential_evolution",
        "particle_swarm",
        "simulated_annealing",
    ] {
        let text = format!(
            r#"{{"objective":"x**2+y","bounds":[[-5,5],[-5,5]],"constraints":["x*y>=1"],"method":"{method}","max_evals":6000}}"#
        );
        let found = from_json(&text).unwrap();
        assert!((found.f + 4.96).abs() < 1e-7, "{method} {found:?}");
        assert!(
            found.violation.unwrap() <= 1e-8 && found.kkt_residual.0 < 1e-6,
            "{method} {found:?}"
        );
        assert!(found.evaluations <= 6000, "{method} {found:?}");
        // The optimum rises by 2 x dx / d(xy) = 2 (-0.2) / (-5) per unit.
        let constraint = &found.constraints.as_ref().unwrap()[0];
        assert!(
            (constraint.multiplier - 0.08).abs() < 1e-6 && constraint.active,
            "{method} {found:?}"
        );
        let circle = format!(
            r#"{{"objective":"x+y","bounds":[[-5,5],[-5,5]],"constraints":["x**2+y**2==4"],"mode":"maximize","method":"{method}","max_evals":6000}}"#
        );
        let found = from_json(&circle).unwrap();
        assert!(
            (found.f - 8.0_f64.sqrt()).abs() < 1e-7,
            "{method} {found:?}"
        );
        assert!(
            (found.constraints.unwrap()[0].multiplier - 0.125_f64.sqrt()).abs() < 1e-6,
            "{method}"
        );
    }
    // K. Deb's problem g08, as published: -0.0958250414 at (1.2279713, 4.2453733).
    let found = from_json(
        r#"{"objective":"-sin(2*pi*x)**3*sin(2*pi*y)/(x**3*(x+y))","bounds":[[0.01,10],[0.01,10]],"constraints":["x**2-y+1<=0","1-x+(y-4)**2<=0"]}"#,
    )
    .unwrap();
    assert!((found.f + 0.095_825_041_4).abs() < 1e-9, "{found:?}");
    // Constraints with steps.
    let found = from_json(
        r#"{"objective":"x+y","bounds":[[-5,5],[-5,5]],"constraints":["floor(x)+floor(y)>=1"],"max_evals":5000}"#,
    )
    .unwrap();
    assert!(
        (found.f - 1.0).abs() < 1e-6 && found.violation == Some(0.0),
        "{found:?}"
    );
}

#[test]
fn no_feasible_point_is_said() {
    let error = from_json(
        r#"{"objective":"x+y","bounds":[[-5,5],[-5,5]],"constraints":["x**2+y**2==4","x+y>=20"],"max_evals":3000}"#,
    )
    .unwrap_err();
    assert_eq!(error.reason_str(), Some("infeasible"));
    assert!(
        error.message().starts_with("no feasible point found in "),
        "{error:?}"
    );
    let few = r#"{"objective":"x","bounds":[[0,1]],"constraints":["x>=0.5"],"max_evals":99}"#;
    assert_eq!(from_json(few).unwrap_err().path(), Some("/max_evals"));
}

/// One evaluation is the centre of the box.
#[test]
fn the_smallest_budgets_have_an_answer() {
    for budget in 1..=4 {
        let text = format!(r#"{{"objective":"x","bounds":[[0,1]],"max_evals":{budget}}}"#);
        let found = from_json(&text).unwrap();
        assert!(
            found.f <= 0.5 && !found.converged && found.evaluations <= budget,
            "{found:?}"
        );
    }
}

#[test]
fn a_plateau_is_said_to_be_one() {
    let run = |objective: &str| {
        let ctx = Ctx::default();
        let text = format!(r#"{{"objective":"{objective}","bounds":[[-5,5]],"max_evals":5000}}"#);
        let args: Args = convert::from_value(&parse(&text)).unwrap();
        Args::run(args, &ctx).unwrap();
        ctx.take_warnings().join("").contains("plateau")
    };
    assert!(run("max(abs(x)-1,0)"));
    assert!(run("(x**2-1)**2"));
    assert!(!run("(x-1)**2"));
}

/// SciPy issue 7519: values in units of physics, far below 1. The verdict and the scaled answer do not depend on the unit.
#[test]
fn units_of_the_objective_and_of_the_variables_do_not_matter() {
    let run = |factor: f64, unit: f64, method: &str| {
        let text = format!(
            r#"{{"objective":"{factor:e}*((x0/{unit:e}-3)**2+(x1/{unit:e}+1)**2+3*sin(2*x0/{unit:e}))",
                "bounds":[[-{side:e},{side:e}],[-{side:e},{side:e}]],"method":"{method}","max_evals":20000}}"#,
            side = 5.0 * unit
        );
        from_json(&text).unwrap()
    };
    for method in ["auto", "multistart"] {
        let plain = run(1.0, 1.0, method);
        assert!(plain.converged, "{plain:?}");
        for scale in [1e-12, 1e-6, 1e6, 1e12] {
            for (found, factor, unit) in [
                (run(scale, 1.0, method), scale, 1.0),
                (run(1.0, scale, method), 1.0, scale),
            ] {
                let value = found.f / factor;
                assert!(
                    (value - plain.f).abs() < 1e-9,
                    "{method} {factor} {unit}: {found:?}"
                );
                for (x, expected) in found.x.iter().zip(&plain.x) {
                    assert!(
                        (x / unit - expected).abs() < 1e-5,
                        "{method} {factor} {unit}: {found:?}"
                    );
                }
                assert!(found.converged, "{method} {factor} {unit}: {found:?}");
            }
        }
    }
}
