//! Saddles, and problems whose iterates pass near them.

use super::{args, run, with};
use crate::optimise::minimise::{Args, OptimisationMode, OptimizeMethod, OptimizeReason, Output};
use tool_core::{Ctx, Tool};

/// Both methods that use gradients; the simplex too where `simplex` says so.
fn each(simplex: bool, x0: &[f64], objective: &str, check: impl Fn(OptimizeMethod, Output)) {
    for method in [
        OptimizeMethod::Auto,
        OptimizeMethod::Gradient,
        OptimizeMethod::NelderMead,
    ] {
        if simplex || method != OptimizeMethod::NelderMead {
            check(method, run(with(method, args(x0, objective))));
        }
    }
}

#[test]
fn saddles_off_the_axes_are_left() {
    let cases: [(&[f64], &str, f64); 6] = [
        (&[0.0, 0.0], "(x*y-1)**2", 0.0),
        (&[0.0, 0.0], "x**2+y**2-3*x*y+x**4+y**4", -0.125),
        (&[0.0, 0.0, 0.0], "(x*y*z-1)**2+(x-y)**2+(y-z)**2", 0.0),
        // Along the axes only the second order vanishes.
        (&[0.0, 0.0], "(x-y)**2+(x*y-1)**2", 0.0),
        (&[0.0], "cos(x)", -1.0),
        (&[1.0, 0.0], "x**2-y**2+y**4", -0.25),
    ];
    for (x0, objective, f) in cases {
        each(true, x0, objective, |method, found| {
            assert!(
                found.converged && (found.f - f).abs() < 1e-9,
                "{objective} {method:?}: {found:?}"
            );
            assert!(
                found.lowest_curvature.unwrap() > -1e-6,
                "{objective}: {found:?}"
            );
        });
    }
}

#[test]
fn a_saddle_of_an_unbounded_objective_is_no_minimum() {
    for (objective, mode) in [
        ("x**2+y**2-3*x*y", OptimisationMode::Minimize),
        ("3*x*y-x**2-y**2", OptimisationMode::Maximize),
        ("x*y", OptimisationMode::Minimize),
    ] {
        for method in [
            OptimizeMethod::Auto,
            OptimizeMethod::Gradient,
            OptimizeMethod::NelderMead,
        ] {
            let args = crate::optimise::minimise::Args {
                mode,
                ..with(method, args(&[0.0, 0.0], objective))
            };
            let error = Args::run(args, &Ctx::default()).unwrap_err();
            assert_eq!(
                error.reason_str(),
                Some("unbounded"),
                "{objective} {method:?}"
            );
        }
    }
}

/// A saddle in 200 variables, whose Hessian is not formed: the sum of squares less three times the product of two neighbours.
#[test]
fn saddles_of_many_variables_are_left() {
    let sum: Vec<String> = (0..200).map(|i| format!("x{i}**2+0.1*x{i}**4")).collect();
    let objective = format!("{}-3*x70*x71", sum.join("+"));
    let found = run(with(
        OptimizeMethod::Gradient,
        args(&[0.0; 200], objective.as_str()),
    ));
    // x70 = x71 = s: 2 s^2 + 0.2 s^4 - 3 s^2 is lowest at s^2 = 2.5.
    assert!(
        found.converged && (found.f + 1.25).abs() < 1e-9,
        "{:?} {}",
        found.reason,
        found.f
    );
}

/// The sum of squared residuals of a model of t at data.
fn squares(model: &str, data: impl IntoIterator<Item = (f64, f64)>) -> String {
    let term = |(t, y): (f64, f64)| format!("({y}-({}))**2", model.replace('t', &format!("{t}")));
    data.into_iter().map(term).collect::<Vec<_>>().join("+")
}

fn osborne() -> String {
    const Y: [f64; 33] = [
        0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751, 0.718, 0.685,
        0.658, 0.628, 0.603, 0.580, 0.558, 0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448,
        0.438, 0.431, 0.424, 0.420, 0.414, 0.411, 0.406,
    ];
    let data = Y.iter().enumerate().map(|(i, y)| (10.0 * i as f64, *y));
    squares("x0+x1*E(-t*x3)+x2*E(-t*x4)", data).replace('E', "exp")
}

/// J. J. Moré, B. S. Garbow, K. E. Hillstrom, "Testing Unconstrained Optimization Software", ACM TOMS 7, 1981, problem 17: what says
/// that it has converged has the minimum.
#[test]
fn osborne_from_far_away_is_the_minimum_or_not_converged() {
    const LOWEST: f64 = 5.464_89e-5;
    let standard = [0.5, 1.5, -1.0, 0.01, 0.02];
    for factor in [1.0, 10.0, 100.0] {
        let x0 = standard.map(|x| factor * x);
        each(false, &x0, &osborne(), |method, found| {
            assert!(
                !found.converged || (found.f - LOWEST).abs() < 1e-9,
                "{factor} {method:?}: {found:?}"
            );
            assert!(
                factor > 1.0 || found.converged,
                "from the standard start: {method:?} {found:?}"
            );
        });
    }
}

/// Further problems of that collection, from their standard starts.
#[test]
fn standard_problems_converge() {
    let kowalik = [
        (4.0, 0.1957),
        (2.0, 0.1947),
        (1.0, 0.1735),
        (0.5, 0.1600),
        (0.25, 0.0844),
        (0.167, 0.0627),
        (0.125, 0.0456),
        (0.1, 0.0342),
        (0.0833, 0.0323),
        (0.0714, 0.0235),
        (0.0625, 0.0246),
    ];
    let kowalik = squares("x0*(t**2+t*x1)/(t**2+t*x2+x3)", kowalik);
    let biggs: Vec<String> = (1..=13)
        .map(|i| {
            let t = 0.1 * f64::from(i);
            let y = (-t).exp() - 5.0 * (-10.0 * t).exp() + 3.0 * (-4.0 * t).exp();
            format!("(x2*exp(-{t}*x0)-x3*exp(-{t}*x1)+x5*exp(-{t}*x4)-({y}))**2")
        })
        .collect();
    let biggs = biggs.join("+");
    let bell = [0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521];
    let bell = bell.iter().chain([&0.3989]).chain(bell.iter().rev());
    let bell = bell.enumerate().map(|(i, y)| (3.5 - 0.5 * i as f64, *y));
    let gauss = squares("x0*E(-x1*(t-x2)**2/2)", bell).replace('E', "exp");
    let powell = "(x0+10*x1)**2+5*(x2-x3)**2+(x1-2*x2)**4+10*(x0-x3)**4";
    let wood =
        "100*(x1-x0**2)**2+(1-x0)**2+90*(x3-x2**2)**2+(1-x2)**2+10*(x1+x3-2)**2+0.1*(x1-x3)**2";
    let helical = "100*(z-10*(atan2(y,x)/tau))**2+100*(hypot(x,y)-1)**2+z**2";
    // Problem, start, values of its minima, most evaluations.
    let cases: [(&str, &[f64], &[f64], u64); 7] = [
        (helical, &[-1.0, 0.0, 0.0], &[0.0], 200),
        (powell, &[3.0, -1.0, 0.0, 1.0], &[0.0], 300),
        (wood, &[-3.0, -1.0, -3.0, -1.0], &[0.0], 400),
        (
            &kowalik,
            &[0.25, 0.39, 0.415, 0.39],
            &[3.075_056_038e-4],
            300,
        ),
        (&gauss, &[0.4, 1.0, 0.0], &[1.127_932_769e-8], 100),
        (
            &biggs,
            &[1.0, 2.0, 1.0, 1.0, 1.0, 1.0],
            &[0.0, 5.655_649_925e-3],
            1000,
        ),
        (
            "(-13+x+((5-y)*y-2)*y)**2+(-29+x+((y+1)*y-14)*y)**2",
            &[0.5, -2.0],
            &[0.0, 48.984_253_679],
            100,
        ),
    ];
    for (objective, x0, minima, most) in cases {
        let found = run(with(OptimizeMethod::Gradient, args(x0, objective)));
        assert!(
            found.converged && found.reason == OptimizeReason::Gradient,
            "{objective}: {found:?}"
        );
        assert!(
            minima.iter().any(|f| (found.f - f).abs() < 1e-9 + 1e-8 * f),
            "{objective}: {found:?}"
        );
        assert!(found.evaluations <= most, "{objective}: {found:?}");
    }
}
