//! Objectives of any size, and variables of any unit.

use tool_core::Tool;

use super::{args, from_json, run, with};
use crate::optimise::minimise::{Args, OptimizeMethod};

/// Multiplied by a factor, an objective keeps its minimum.
#[test]
fn the_size_of_an_objective_does_not_matter() {
    let rosenbrock = "(100*(x1-x0**2)**2+(1-x0)**2)";
    for factor in ["1e-300", "1e-20", "1e-10", "1", "1e10", "1e20"] {
        for method in [
            OptimizeMethod::Auto,
            OptimizeMethod::Gradient,
            OptimizeMethod::Newton,
            OptimizeMethod::NelderMead,
        ] {
            let bowl = format!("{factor}*((x0-1)**2+(x1-2)**2)");
            let found = run(with(method, args(&[0.0, 0.0], bowl.as_str())));
            let near = |x: &[f64]| found.x.iter().zip(x).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(
                found.converged && near(&[1.0, 2.0]),
                "{factor} {method:?} {found:?}"
            );
            if factor == "1e-300" {
                continue; // third powers of its derivatives are 0
            }
            let valley = format!("{factor}*{rosenbrock}");
            let found = run(with(method, args(&[-1.2, 1.0], valley.as_str())));
            // The gradient is below 1e-8 of the size 1e3, the lowest curvature 0.4.
            let near = |x: &[f64]| found.x.iter().zip(x).all(|(a, b)| (a - b).abs() < 5e-5);
            assert!(
                found.converged && near(&[1.0, 1.0]),
                "{factor} {method:?} {found:?}"
            );
        }
    }
}

/// Beside values of 1e40 a gradient of 2e20 is less than their rounding error; it leads to the minimum all the same.
#[test]
fn a_gradient_below_the_rounding_of_the_value_is_followed() {
    for method in [
        OptimizeMethod::Auto,
        OptimizeMethod::Gradient,
        OptimizeMethod::Newton,
    ] {
        let call = args(&[0.0, 1.0], "(x0-1e20)**2+(x1-3)**2");
        let found = run(with(method, call));
        assert!(
            found.converged && found.x == [1e20, 3.0],
            "{method:?} {found:?}"
        );
    }
}

/// The minimum is at (u, 2 u) for a unit u; a weight of 1e-12 on one variable does not hide it.
#[test]
fn the_units_of_variables_do_not_matter() {
    for unit in ["1e-8", "1e8"] {
        let objective = format!("cosh(x0/{unit}-1)+cosh(x1/{unit}-2)");
        for method in [
            OptimizeMethod::Auto,
            OptimizeMethod::Gradient,
            OptimizeMethod::Newton,
            OptimizeMethod::NelderMead,
        ] {
            let found = run(with(method, args(&[0.0, 0.0], objective.as_str())));
            let size: f64 = unit.parse().unwrap();
            let near =
                (found.x[0] / size - 1.0).abs() < 1e-6 && (found.x[1] / size - 2.0).abs() < 1e-6;
            assert!(found.converged && near, "{unit} {method:?} {found:?}");
        }
    }
    let found = run(args(&[0.0, 0.0], "(x0-1)**2+1e-12*(x1-3)**2"));
    assert!((found.x[1] - 3.0).abs() < 1e-6, "{found:?}");
    let found = from_json(r#"{"objective":"1e-10*x","x0":[2],"bounds":[[0,3]]}"#).unwrap();
    assert!(found.converged && found.x == [0.0], "{found:?}");
}

/// The lowest value of x + 2 y on the unit disc is -sqrt(5), the multiplier minus half of that.
#[test]
fn the_size_of_an_objective_under_constraints_does_not_matter() {
    for factor in [1e-20_f64, 1e-10, 1.0, 1e10, 1e20] {
        for (method, tolerance) in [
            (OptimizeMethod::Auto, 1e-8),
            (OptimizeMethod::Sqp, 1e-8),
            (OptimizeMethod::AugmentedLagrangian, 1e-7),
            (OptimizeMethod::Cobyla, 1e-6),
        ] {
            let call = Args {
                constraints: vec!["x0**2+x1**2<=1".to_owned()],
                ..with(
                    method,
                    args(&[0.0, 0.0], format!("{factor:e}*(x0+2*x1)").as_str()),
                )
            };
            let found = Args::run(call, &tool_core::Ctx::default()).unwrap();
            let multiplier = found.constraints.as_ref().unwrap()[0].multiplier / factor;
            assert!(found.converged, "{factor} {found:?}");
            assert!(
                (found.f / factor + 5.0_f64.sqrt()).abs() < tolerance,
                "{factor} {found:?}"
            );
            assert!(
                (multiplier + 1.25_f64.sqrt()).abs() < 10.0 * tolerance,
                "{factor} {found:?}"
            );
        }
    }
}
