//! Minima under constraints.

use proptest::prelude::*;
use tool_core::{CallBudget, Ctx, ErrorCode, StopFlag, Tool};

use super::{args, from_json, run, with};
use crate::optimise::minimise::{Args, OptimisationMode, OptimizeMethod, OptimizeReason, Output};

fn under(constraints: &[&str], args: Args) -> Args {
    Args {
        constraints: constraints.iter().map(|&text| text.to_owned()).collect(),
        ..args
    }
}

fn multipliers(output: &Output) -> Vec<f64> {
    let constraints = output.constraints.as_ref().unwrap();
    constraints
        .iter()
        .map(|constraint| constraint.multiplier)
        .collect()
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance, "{found} {expected}");
    }
}

/// J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd ed., example 16.4.
#[test]
fn the_example_of_active_sets() {
    let text = r#"{"objective":"(x0-1)**2+(x1-2.5)**2","x0":[2,0],"bounds":[[0,null],[0,null]],
        "constraints":["x0-2*x1+2>=0","-x0-2*x1+6>=0","-x0+2*x1+2>=0"]}"#;
    let found = from_json(text).unwrap();
    assert!(
        found.converged
            && found.reason == OptimizeReason::Kkt
            && found.method == OptimizeMethod::Sqp
    );
    assert_close(&found.x, &[1.4, 1.7], 1e-14);
    assert_close(&multipliers(&found), &[0.8, 0.0, 0.0], 1e-14);
    let constraints = found.constraints.unwrap();
    assert!(constraints[0].active && !constraints[1].active);
    assert_close(&[constraints[1].value, found.f], &[1.2, 0.8], 1e-14);
    assert!(found.violation.unwrap() < 1e-15 && found.kkt_residual.unwrap().0 < 1e-14);
    assert_eq!(found.bound_multipliers.unwrap(), [0.0, 0.0]);
}

/// A multiplier is the change of the optimum per unit by which the right side grows, whichever way the constraint is written; by central
/// differences of the optima of moved problems.
#[test]
fn multipliers_are_the_slopes_of_the_optimum() {
    type Case = (&'static str, [f64; 2], fn(f64) -> String, OptimisationMode);
    let cases: [Case; 6] = [
        (
            "x**2+2*y**2",
            [1.0, 1.0],
            |b| format!("x+y>={}", 1.0 + b),
            OptimisationMode::Minimize,
        ),
        (
            "x**2+2*y**2",
            [1.0, 1.0],
            |b| format!("-x-y<={}", -1.0 + b),
            OptimisationMode::Minimize,
        ),
        (
            "x**2+2*y**2",
            [1.0, 1.0],
            |b| format!("x*y=={}", 1.0 + b),
            OptimisationMode::Minimize,
        ),
        (
            "x*y",
            [1.0, 1.0],
            |b| format!("x**2+y**2<={}", 2.0 + b),
            OptimisationMode::Maximize,
        ),
        (
            "x+y",
            [1.0, 0.5],
            |b| format!("exp(x)+y**2<={}", 3.0 + b),
            OptimisationMode::Maximize,
        ),
        (
            "(x-3)**2+y**2",
            [0.0, 0.0],
            |b| format!("x-y**2<={}", 1.0 + b),
            OptimisationMode::Minimize,
        ),
    ];
    for (objective, x0, constraint, mode) in cases {
        let at = |b: f64| {
            let call = Args {
                mode,
                ..args(&x0, objective)
            };
            let found = run(under(&[&constraint(b)], call));
            assert!(found.converged, "{objective} {found:?}");
            found
        };
        const STEP: f64 = 1e-4;
        let slope = (at(STEP).f - at(-STEP).f) / (2.0 * STEP);
        assert_close(&multipliers(&at(0.0)), &[slope], 1e-6);
    }
}

#[test]
fn contradictions_are_named() {
    let linear = under(
        &["x+y>=3", "x-y<=10", "x+y<=1"],
        args(&[0.0, 0.0], "x**2+y**2"),
    );
    let error = Args::run(linear, &Ctx::default()).unwrap_err();
    assert_eq!(
        (error.code(), error.reason_str()),
        (ErrorCode::Numeric, Some("infeasible"))
    );
    assert_eq!(
        error.message(),
        "the problem is infeasible: no point within the bounds satisfies all of `x+y>=3`, `x+y<=1`"
    );
    let bounded = r#"{"x0":[0],"objective":"x","bounds":[[0,1]],"constraints":["x>=2"]}"#;
    let error = from_json(bounded).unwrap_err();
    assert_eq!(error.path(), Some("/constraints/0"));
    for constraint in ["x**2+y**2+1<=0", "exp(x)<=-1", "(x-1)**2+y**2==-0.5"] {
        let call = under(&[constraint], args(&[0.5, 0.3], "x+y**2"));
        let error = Args::run(call, &Ctx::default()).unwrap_err();
        assert_eq!(
            error.reason_str(),
            Some("infeasible"),
            "{constraint}: {error:?}"
        );
        assert!(error.message().contains(constraint), "{error:?}");
        let value = error.to_value();
        assert!(
            value
                .pointer("/evidence/violation")
                .unwrap()
                .as_f64()
                .unwrap()
                >= 0.49
        );
    }
}

#[test]
fn a_fall_along_feasible_points_is_unbounded() {
    for (objective, constraints) in [
        ("x+y", &["x-y>=0"][..]),
        ("-x*y", &["x==y"][..]),
        ("-x**2", &["y>=0", "x>=y"][..]),
        ("-y", &["y<=exp(x)"][..]),
    ] {
        let call = under(constraints, args(&[1.0, 1.0], objective));
        let error = Args::run(call, &Ctx::default()).unwrap_err();
        assert_eq!(
            error.reason_str(),
            Some("unbounded"),
            "{objective}: {error:?}"
        );
    }
}

/// The derivative of `gammainc` by its first argument is not known: differences and damped updates.
#[test]
fn functions_without_derivatives_converge_too() {
    let objective = "(x-2)**2+(y-1)**2+gammainc(y**2+1,2)";
    let found = run(under(&["x**2+y**2<=1"], args(&[0.1, 0.1], objective)));
    assert!(found.lowest_curvature.is_none(), "{found:?}");
    assert!(
        found.violation.unwrap() <= 1e-8 && found.kkt_residual.unwrap().0 < 1e-5,
        "{found:?}"
    );
    let found = run(under(&["gammainc(x,2)<=0.5"], args(&[3.0, 1.0], "x+y**2")));
    // The shape of the gamma distribution whose median is 2.
    assert!(
        (found.x[0] - 2.323_488_684_824_965).abs() < 1e-7,
        "{found:?}"
    );
}

/// Redundant, repeated and degenerate constraints.
#[test]
fn constraints_may_depend_on_each_other() {
    let cases: [(&[&str], f64); 4] = [
        (&["x+y==1", "2*x+2*y==2", "x-y==0"], 0.5),
        (&["x+y>=1", "x+y>=1", "x+y>=0.5"], 0.5),
        (&["x>=0.5", "y>=0.5", "x+y>=1"], 0.5),
        (&["0*x>=-1", "x+y==1"], 0.5),
    ];
    for (constraints, f) in cases {
        let found = run(under(constraints, args(&[3.0, -1.0], "x**2+y**2")));
        assert!(
            found.converged && (found.f - f).abs() < 1e-12,
            "{constraints:?} {found:?}"
        );
    }
}

/// At the start the gradient of the Lagrangian vanishes, along the constraint the objective curves down.
#[test]
fn a_maximum_along_a_constraint_is_left() {
    let found = run(under(&["x**2+y**2==1"], args(&[0.0, 1.0], "2*y**2+x**2")));
    assert!(
        found.converged && (found.f - 1.0).abs() < 1e-12,
        "{found:?}"
    );
    assert!(found.lowest_curvature.unwrap() > 0.0);
}

#[test]
fn linear_constraints_hold_at_every_point() {
    // The logarithm is defined where the constraint holds.
    let found = run(under(
        &["x+y<=2"],
        args(&[5.0, 5.0], "-log(2.000001-x-y)+(x-3)**2+(y-3)**2"),
    ));
    assert!(
        found.converged && found.x[0] + found.x[1] <= 2.0,
        "{found:?}"
    );
}

#[test]
fn constraints_that_cannot_be_read_are_named() {
    let cases = [
        ("0<=x<=1", "cannot be chained"),
        ("x<1", "holds on its border too"),
        ("x!=1", "states no constraint"),
        ("x+1", "expected a comparison"),
        ("x=1", "`=`"),
        ("x>=u", "unknown name `u`"),
        ("", "empty"),
        ("(x>=1)+1", "expected a comparison"),
    ];
    for (text, words) in cases {
        let call = under(&["x>=0", text], args(&[1.0], "x**2"));
        let error = Args::run(call, &Ctx::default()).unwrap_err();
        assert_eq!(
            (error.code(), error.path()),
            (ErrorCode::InvalidArgs, Some("/constraints/1"))
        );
        assert!(error.message().contains(words), "{text}: {error:?}");
    }
    let call = under(
        &["x>=0"],
        with(OptimizeMethod::NelderMead, args(&[1.0], "x**2")),
    );
    assert_eq!(
        Args::run(call, &Ctx::default()).unwrap_err().path(),
        Some("/method")
    );
    let call = under(&["x0>=0"], args(&[1.0; 5001], "sphere"));
    assert_eq!(
        Args::run(call, &Ctx::default()).unwrap_err().path(),
        Some("/x0")
    );
    let call = under(
        &["x0>=0"],
        with(OptimizeMethod::Sqp, args(&[1.0; 301], "sphere")),
    );
    assert_eq!(
        Args::run(call, &Ctx::default()).unwrap_err().path(),
        Some("/method")
    );
    let call = under(&["log(x)>=-5"], args(&[-1.0], "x**2"));
    assert_eq!(
        Args::run(call, &Ctx::default()).unwrap_err().reason_str(),
        Some("not_finite")
    );
}

#[test]
fn stops_reach_the_method() {
    let call = || under(&["x*y>=1"], args(&[3.0, 2.0], "100*(y-x**2)**2+(1-x)**2"));
    for evaluations in [0, 1, 5, 12] {
        let budget = CallBudget {
            evaluations,
            ..CallBudget::default()
        };
        let error = Args::run(call(), &Ctx::new(StopFlag::new(), budget)).unwrap_err();
        assert_eq!(error.reason_str(), Some("evaluations"));
    }
    let few = Args {
        max_iter: Some(tool_core::BoundedInteger::literal(1)),
        ..call()
    };
    let found = run(few);
    assert!(
        !found.converged && found.reason == OptimizeReason::MaxIter,
        "{found:?}"
    );
}

proptest! {
    /// Convex quadratic programs: the result satisfies the conditions of Karush, Kuhn and Tucker, which prove that it is the minimum.
    #[test]
    fn quadratic_programs_are_solved(
        n in 1_usize..5,
        half in prop::collection::vec(-2.0_f64..2.0, 16),
        linear in prop::collection::vec(-3.0_f64..3.0, 4),
        rows in prop::collection::vec(prop::collection::vec(-2.0_f64..2.0, 5), 0..6),
    ) {
        let sum = |terms: Vec<String>| terms.join("+");
        let squares = (0..n).map(|i| {
            let row = (0..n).map(|j| format!("({:.3})*x{j}", half[i * n + j]));
            format!("({})**2+0.1*x{i}**2+({:.3})*x{i}", sum(row.collect()), linear[i])
        });
        let objective = sum(squares.collect());
        // The origin satisfies all of them.
        let constraints: Vec<String> = rows.iter().map(|row| {
            let terms = (0..n).map(|j| format!("({:.3})*x{j}", row[j]));
            format!("{}>={:.3}", sum(terms.collect()), -row[4].abs())
        }).collect();
        let texts: Vec<&str> = constraints.iter().map(String::as_str).collect();
        let call = under(&texts, with(OptimizeMethod::Sqp, args(&vec![1.0; n], objective.as_str())));
        let found = run(call);
        prop_assert!(found.converged, "{found:?}");
        for constraint in found.constraints.iter().flatten() {
            prop_assert!(constraint.value >= -1e-9 && constraint.multiplier >= -1e-9);
            prop_assert!((constraint.value * constraint.multiplier).abs() < 1e-6);
        }
        prop_assert!(found.kkt_residual.is_none_or(|residual| residual.0 < 1e-7));
    }
}

/// Without derivatives: smooth problems of Hock and Schittkowski to fewer digits, and kinks.
#[test]
fn linear_models_find_constrained_minima() {
    type Case = (
        &'static [&'static str],
        &'static [f64],
        &'static str,
        f64,
        f64,
    );
    let cases: [Case; 6] = [
        (
            &["25-4*x**2-y**2>=0"],
            &[0.0, 0.0],
            "0.5*x**2+y**2-x*y-7*x-7*y",
            -30.0,
            1e-5,
        ),
        (
            &["x-2*y+1==0", "-0.25*x**2-y**2+1>=0"],
            &[2.0, 2.0],
            "(x-2)**2+(y-1)**2",
            1.393_464_98,
            1e-5,
        ),
        (
            &["48-x**2-2*y**2-4*z**2>=0"],
            &[1.0, 1.0, 1.0],
            "-x*y*z",
            -22.627_417,
            1e-4,
        ),
        (
            &[
                "8-x0**2-x1**2-x2**2-x3**2-x0+x1-x2+x3>=0",
                "10-x0**2-2*x1**2-x2**2-2*x3**2+x0+x3>=0",
                "5-2*x0**2-x1**2-x2**2-2*x0+x1+x3>=0",
            ],
            &[0.0; 4],
            "x0**2+x1**2+2*x2**2+x3**2-5*x0-5*x1-21*x2+7*x3",
            -44.0,
            1e-4,
        ),
        (
            &["abs(x)+abs(y)<=1"],
            &[0.2, 0.1],
            "(x-2)**2+(y-1)**2",
            2.0,
            1e-4,
        ),
        (
            &["x**2+y**2<=4", "y>=abs(x)-1"],
            &[0.5, 0.5],
            "x+2*y",
            -2.0,
            1e-4,
        ),
    ];
    for (constraints, x0, objective, f, tolerance) in cases {
        let found = run(under(
            constraints,
            with(OptimizeMethod::Cobyla, args(x0, objective)),
        ));
        assert!(
            found.converged && found.reason == OptimizeReason::Radius,
            "{objective} {found:?}"
        );
        assert!(
            (found.f - f).abs() <= tolerance * f.abs(),
            "{objective} {found:?}"
        );
        assert!(found.violation.unwrap() <= 1e-8, "{objective} {found:?}");
        let auto = run(under(constraints, args(x0, objective)));
        assert!(
            auto.converged && (auto.f - f).abs() <= tolerance * f.abs(),
            "{objective} {auto:?}"
        );
    }
}

/// A large multiplier, or a large variable, is no excuse for what another variable lacks.
#[test]
fn each_variable_is_judged_by_itself() {
    for (text, expected) in [
        (
            r#"{"objective":"5e10*x0+3*x1","x0":[2,7],"constraints":["x0>=1","x1>=0"]}"#,
            [1.0, 0.0],
        ),
        (
            r#"{"objective":"x0+10*(x1-3)**2","x0":[2,0],"constraints":["x0/1e12>=1"]}"#,
            [1e12, 3.0],
        ),
        (
            r#"{"objective":"x1*1e-3+x0","x0":[1e9,50],"bounds":[[1e9,2e9],[0,null]],"method":"sqp"}"#,
            [1e9, 0.0],
        ),
    ] {
        let output = from_json(text).unwrap();
        for (found, expected) in output.x.iter().zip(expected) {
            assert!(
                (found - expected).abs() <= 1e-6 * expected.max(1.0),
                "{text}: {output:?}"
            );
        }
    }
}

/// Steps have constant derivatives, and are not linear for that.
#[test]
fn steps_are_no_proof_that_nothing_is_feasible() {
    for text in [
        r#"{"objective":"x0","x0":[0.5],"constraints":["floor(x0)>=2"]}"#,
        r#"{"objective":"x0","x0":[0.5],"constraints":["sign(x0-1)>=0"]}"#,
    ] {
        if let Err(error) = from_json(text) {
            assert!(
                !error.message().contains("no point within"),
                "{text}: {}",
                error.message()
            );
        }
    }
}

/// Dependent equalities that are no multiples of each other: x = z = 1/3, y = 2/3 by Lagrange; the multipliers satisfy the two equations
/// that are left.
#[test]
fn multipliers_of_dependent_equalities_are_one_choice_of_many() {
    let ctx = Ctx::default();
    let call = under(
        &["x+y==1", "y+z==1", "x+2*y+z==2"],
        args(&[3.0, -1.0, 2.0], "x**2+y**2+z**2"),
    );
    let found = Args::run(call, &ctx).unwrap();
    assert!(found.converged, "{found:?}");
    assert_close(&found.x, &[1.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0], 1e-12);
    let [a, b, c] = multipliers(&found).try_into().unwrap();
    assert_close(&[a + c, a + b + 2.0 * c], &[2.0 / 3.0, 4.0 / 3.0], 1e-12);
    assert!(ctx.take_warnings().join("").contains("one choice of many"));
    // Independent ones are determined, and nothing is said.
    let ctx = Ctx::default();
    Args::run(under(&["x+y==1"], args(&[3.0, -1.0], "x**2+y**2")), &ctx).unwrap();
    assert!(ctx.take_warnings().is_empty());
}

/// Values that are large, but bounded by a constraint: the maximum is where it holds with equality.
#[test]
fn a_large_optimum_is_not_unbounded() {
    for (text, x) in [
        (
            r#"{"objective":"exp(x)","x0":[0],"mode":"maximize","constraints":["x<=100"]}"#,
            100.0_f64,
        ),
        (
            r#"{"objective":"exp(x)","x0":[0],"mode":"maximize","constraints":["x<=200"]}"#,
            200.0,
        ),
        (
            r#"{"objective":"-exp(x)-y","x0":[0,0],"constraints":["x**2+y**2<=10000"]}"#,
            100.0,
        ),
    ] {
        let found = from_json(text).unwrap();
        assert!(found.converged, "{text}: {found:?}");
        assert!(
            (found.x[0] - x).abs() < 1e-9 && (found.f.abs() / x.exp() - 1.0).abs() < 1e-9,
            "{text}: {found:?}"
        );
    }
    let call = under(&["y==x**2"], args(&[1.0, 1.0], "-y"));
    let error = Args::run(call, &Ctx::default()).unwrap_err();
    assert_eq!(error.reason_str(), Some("unbounded"));
    // The values overflow before it is clear that they fall for ever: no optimum is claimed.
    let call = under(&["y>=0", "y<=exp(x)"], args(&[1.0, 1.0], "-y"));
    assert!(Args::run(call, &Ctx::default()).map_or(true, |found| !found.converged));
}

/// Where `sqp` takes a step for a contradiction, `auto` finds what `cobyla` finds.
#[test]
fn auto_finds_feasible_points_beyond_a_step() {
    for constraint in ["floor(x0)>=1", "sign(x0-1)>=0"] {
        let found = run(under(&[constraint], args(&[0.9], "x0")));
        assert!(
            (found.x[0] - 1.0).abs() < 1e-7 && found.violation == Some(0.0),
            "{constraint}: {found:?}"
        );
    }
}

/// At a corner the directions form a cone: x y is lowest at the corner of the first quadrant, and not at that of the fourth.
#[test]
fn corners_of_constraints_are_judged_by_feasible_directions() {
    let found = run(under(&["x>=0", "y>=0"], args(&[0.0, 0.0], "x*y")));
    assert!(found.converged && found.f == 0.0, "{found:?}");
    let found = run(under(
        &["x>=0", "x<=1", "y<=0", "y>=-1"],
        args(&[0.0, 0.0], "x*y"),
    ));
    assert!(found.converged && found.f == -1.0, "{found:?}");
}

/// The bound of the sum of squares of each block is reached where the targets are farther away: by projection onto a ball, in closed form.
#[test]
fn many_variables_under_constraints() {
    let (n, block) = (600, 20);
    let target = |i: usize| (1 + i % 7) as f64;
    let objective: Vec<String> = (0..n).map(|i| format!("(x{i}-{})**2", target(i))).collect();
    let sum = |k: usize| -> Vec<String> {
        (0..block)
            .map(|j| format!("x{}**2", k * block + j))
            .collect()
    };
    let constraints: Vec<String> = (0..n / block)
        .map(|k| format!("{}<={block}", sum(k).join("+")))
        .collect();
    let constraints: Vec<&str> = constraints.iter().map(String::as_str).collect();
    let found = run(under(
        &constraints,
        args(&vec![0.0; n], objective.join("+").as_str()),
    ));
    assert!(
        found.converged && found.method == OptimizeMethod::AugmentedLagrangian,
        "{:?}",
        found.reason
    );
    for k in 0..n / block {
        let range = k * block..(k + 1) * block;
        let length = range.clone().map(|i| target(i).powi(2)).sum::<f64>().sqrt();
        let radius = (block as f64).sqrt();
        for i in range {
            assert!(
                (found.x[i] - target(i) * radius / length).abs() < 1e-6,
                "{i} {}",
                found.x[i]
            );
        }
        // d/dr of (length - r)^2 by r^2.
        let multiplier = -(length - radius) / radius;
        assert!((multipliers(&found)[k] - multiplier).abs() < 1e-6);
    }
}

/// A thousand constraints, of which one holds with equality; more are refused.
#[test]
fn a_thousand_constraints() {
    let constraints: Vec<String> = (0..1000)
        .map(|k| {
            format!(
                "{}*x+{}*y<=1",
                (0.001 * f64::from(k)).cos(),
                (0.001 * f64::from(k)).sin()
            )
        })
        .collect();
    let mut constraints: Vec<&str> = constraints.iter().map(String::as_str).collect();
    let found = run(under(&constraints, args(&[0.0, 0.0], "(x-3)**2+(y-4)**2")));
    // The nearest row to the direction (3, 4) is that of the angle atan2(4, 3) = 0.9273.
    assert!(
        found.converged && (found.f - 16.0).abs() < 1e-5,
        "{} {}",
        found.f,
        found.violation.unwrap()
    );
    constraints.push("x<=5");
    let error =
        Args::run(under(&constraints, args(&[0.0, 0.0], "x")), &Ctx::default()).unwrap_err();
    assert_eq!(error.path(), Some("/constraints"));
}
