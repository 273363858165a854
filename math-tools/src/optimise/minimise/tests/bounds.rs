//! Minima within bounds.

use tool_core::{ErrorCode, Finite, Tool};

use super::super::bounds::Given;
use super::{args, from_json, run, valley, with};
use crate::optimise::minimise::{Args, OptimisationMode, OptimizeMethod, Output};

fn pair(low: f64, high: f64) -> Given {
    [low, high].map(Finite::new)
}

fn within(bounds: &[(f64, f64)], args: Args) -> Args {
    let bounds = Some(
        bounds
            .iter()
            .map(|&(low, high)| pair(low, high))
            .collect::<Vec<_>>()
            .into(),
    );
    Args { bounds, ..args }
}

const FREE: f64 = f64::INFINITY;
const METHODS: [OptimizeMethod; 3] = [
    OptimizeMethod::Auto,
    OptimizeMethod::Gradient,
    OptimizeMethod::NelderMead,
];

#[test]
fn the_minimum_on_a_bound_has_a_multiplier() {
    // (x - 3)^2 + (y + 1)^2 in [0, 2] x [0, oo): at (2, 0), where the gradient is (-2, 2).
    for method in METHODS {
        let args = within(
            &[(0.0, 2.0), (0.0, FREE)],
            args(&[1.0, 1.0], "(x-3)**2+(y+1)**2"),
        );
        let found = run(with(method, args.clone()));
        assert!(found.converged && found.x == [2.0, 0.0], "{found:?}");
        assert_eq!(found.bound_multipliers.as_deref(), Some(&[-2.0, 2.0][..]));
        assert_eq!(found.kkt_residual.map(|real| real.0), Some(0.0));
        // The same as a maximum: the objective falls per unit by which the low of y rises.
        let up = Args {
            mode: OptimisationMode::Maximize,
            objective: "-(x-3)**2-(y+1)**2".into(),
            ..args
        };
        let found = run(with(method, up));
        assert_eq!(found.bound_multipliers.as_deref(), Some(&[2.0, -2.0][..]));
    }
}

/// W. Hock, K. Schittkowski, "Test Examples for Nonlinear Programming Codes", 1981: those with bounds only.
#[test]
fn problems_with_bounds_only() {
    type Case = (&'static str, &'static [f64], &'static [(f64, f64)], f64);
    let cases: [Case; 8] = [
        (
            "100*(y-x**2)**2+(1-x)**2",
            &[-2.0, 1.0],
            &[(-FREE, FREE), (-1.5, FREE)],
            0.0,
        ),
        (
            "100*(y-x**2)**2+(1-x)**2",
            &[-2.0, 1.0],
            &[(-FREE, FREE), (1.5, FREE)],
            0.050_426_187_9,
        ),
        (
            "y+1e-5*(y-x)**2",
            &[10.0, 1.0],
            &[(-FREE, FREE), (0.0, FREE)],
            0.0,
        ),
        (
            "(x+1)**3/3+y",
            &[1.125, 0.125],
            &[(1.0, FREE), (0.0, FREE)],
            8.0 / 3.0,
        ),
        (
            "sin(x+y)+(x-y)**2-1.5*x+2.5*y+1",
            &[0.0, 0.0],
            &[(-1.5, 4.0), (-3.0, 3.0)],
            -1.913_222_955,
        ),
        (
            "100*(x1-x0**2)**2+(1-x0)**2+90*(x3-x2**2)**2+(1-x2)**2+10.1*((x1-1)**2+(x3-1)**2)+19.8*(x1-1)*(x3-1)",
            &[-3.0, -1.0, -3.0, -1.0],
            &[(-10.0, 10.0); 4],
            0.0,
        ),
        (
            "2-x0*x1*x2*x3*x4/120",
            &[2.0; 5],
            &[(0.0, 1.0), (0.0, 2.0), (0.0, 3.0), (0.0, 4.0), (0.0, 5.0)],
            1.0,
        ),
        (
            "-x*y*z",
            &[10.0; 3],
            &[(0.0, 20.0), (0.0, 11.0), (0.0, 42.0)],
            -9240.0,
        ),
    ];
    for (objective, x0, bounds, f) in cases {
        for method in [OptimizeMethod::Auto, OptimizeMethod::Gradient] {
            let found = run(with(method, within(bounds, args(x0, objective))));
            let near = (found.f - f).abs() <= 1e-8 * f.abs().max(1.0);
            // Problem 2 has a second minimum.
            let second = f == 0.050_426_187_9 && (found.f - 4.941_229_32).abs() < 1e-6;
            assert!(
                found.converged && (near || second),
                "{objective}: {found:?}"
            );
            assert!(
                found.kkt_residual.is_some_and(|residual| residual.0 < 1e-6),
                "{found:?}"
            );
        }
    }
}

/// The valley with a bound through it, in many variables: x_i <= 0.5 for even i.
#[test]
fn many_variables_at_bounds() {
    let n = 200;
    let bounds: Vec<(f64, f64)> = (0..n)
        .map(|i| (-2.0, if i % 2 == 0 { 0.5 } else { FREE }))
        .collect();
    let found = run(with(
        OptimizeMethod::Gradient,
        within(&bounds, args(&valley(n), "rosenbrock")),
    ));
    assert!(
        found.converged,
        "{:?} {:?}",
        found.reason, found.kkt_residual
    );
    let simplex = run(within(&bounds[..4], args(&valley(4), "rosenbrock")));
    assert!(
        simplex.converged && found.evaluations < 1000,
        "{}",
        found.evaluations
    );
}

/// The logarithm is not evaluated below its domain, nor a difference taken there.
#[test]
fn nothing_is_evaluated_outside_the_bounds() {
    for method in METHODS {
        let found = run(with(
            method,
            within(&[(0.0, FREE)], args(&[2.0], "x*sqrt(x)+x")),
        ));
        assert!(found.converged && found.x[0] == 0.0, "{method:?} {found:?}");
        let found = run(with(
            method,
            within(
                &[(1.0, 1.0), (0.0, FREE)],
                args(&[5.0, 2.0], "(x-2)**2+y*log(y+1)"),
            ),
        ));
        assert!(
            found.converged && found.x[0] == 1.0 && found.x[1].abs() < 1e-6,
            "{found:?}"
        );
    }
}

#[test]
fn a_saddle_between_bounds_is_left() {
    for method in [OptimizeMethod::Auto, OptimizeMethod::Gradient] {
        let found = run(with(
            method,
            within(&[(-1.0, 2.0), (-1.0, 1.0)], args(&[0.0, 0.0], "-x**2+y**2")),
        ));
        assert!(found.converged && found.f == -4.0, "{found:?}");
    }
}

#[test]
fn bad_bounds_are_named() {
    let cases = [
        (
            r#"{"x0":[1,2],"objective":"x+y","bounds":[[0,1],[3,2]]}"#,
            "/bounds/1",
            "the low 3 is above the high 2",
        ),
        (
            r#"{"x0":[1,2],"objective":"x+y","bounds":[[0,1]]}"#,
            "/bounds",
            "expected 2 pairs",
        ),
        (
            r#"{"x0":[1],"objective":"x","bounds":[[0,1,2]]}"#,
            "/bounds/0",
            "",
        ),
        (
            r#"{"x0":[1],"objective":"x","bounds":[0,1]}"#,
            "/bounds/0",
            "",
        ),
        (
            r#"{"x0":[1],"objective":"x","bounds":[["NaN",1]]}"#,
            "/bounds/0/0",
            "",
        ),
    ];
    for (text, path, words) in cases {
        let error = from_json(text).unwrap_err();
        assert_eq!(
            (error.code(), error.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{text}: {error:?}"
        );
        assert!(error.message().contains(words), "{text}: {error:?}");
    }
    let found: Output =
        from_json(r#"{"x0":[1,7],"objective":"x+y","bounds":[[0,null],[3,4]]}"#).unwrap();
    assert_eq!(found.x, [0.0, 3.0]);
}

/// Without a bound below, the fall is found.
#[test]
fn a_half_open_box_can_be_unbounded() {
    for method in METHODS {
        let args = within(&[(-FREE, 3.0)], args(&[1.0], "x"));
        let error = Args::run(with(method, args), &tool_core::Ctx::default()).unwrap_err();
        assert_eq!(error.reason_str(), Some("unbounded"), "{method:?}");
    }
}

#[test]
fn newton_keeps_to_the_bounds() {
    let found = run(with(
        OptimizeMethod::Newton,
        within(
            &[(0.0, 2.0), (0.0, FREE)],
            args(&[1.0, 1.0], "(x-3)**2+(y+1)**2"),
        ),
    ));
    assert!(found.converged && found.x == [2.0, 0.0], "{found:?}");
    let bounds: Vec<(f64, f64)> = (0..100)
        .map(|i| (-2.0, if i % 2 == 0 { 0.5 } else { FREE }))
        .collect();
    for (n, method) in [(20, OptimizeMethod::Newton), (100, OptimizeMethod::Newton)] {
        let found = run(with(
            method,
            within(&bounds[..n], args(&valley(n), "rosenbrock")),
        ));
        assert!(
            found.converged,
            "{n} {:?} {:?}",
            found.reason, found.kkt_residual
        );
    }
    let rough = with(OptimizeMethod::Newton, args(&[1.0], "gammainc(x**2+1, 2)"));
    assert_eq!(
        Args::run(rough, &tool_core::Ctx::default())
            .unwrap_err()
            .path(),
        Some("/method")
    );
}

/// A corner with a gradient of 0, where the objective curves down into the box.
#[test]
fn corners_without_a_gradient_are_left_where_the_objective_falls() {
    let square = [(0.0, 1.0), (-1.0, 0.0)];
    for method in [
        OptimizeMethod::Auto,
        OptimizeMethod::Gradient,
        OptimizeMethod::Newton,
        OptimizeMethod::NelderMead,
    ] {
        let call = within(&[(0.0, 3.0)], args(&[0.0], "-1e-7*x**2"));
        let found = run(with(method, call));
        assert!(found.converged && found.x == [3.0], "{method:?} {found:?}");
        let found = run(with(method, within(&square, args(&[0.0, 0.0], "x*y"))));
        assert!(found.converged && found.f == -1.0, "{method:?} {found:?}");
        // A minimum: the objective falls in no direction that leads into the box.
        let quadrant = [(0.0, 1.0), (0.0, 1.0), (-1.0, 1.0)];
        let found = run(with(
            method,
            within(&quadrant, args(&[0.0; 3], "x*y-z**2+z**4")),
        ));
        assert!(
            found.converged && (found.f + 0.25).abs() < 1e-12,
            "{method:?} {found:?}"
        );
        let faces = [(0.0, 1.0); 3];
        let found = run(with(
            method,
            within(&faces, args(&[0.0; 3], "x**2+y**2-3*x*y+z**2")),
        ));
        assert!(found.converged && found.f == -1.0, "{method:?} {found:?}");
    }
}
