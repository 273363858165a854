//! The library as a program in Rust uses it: closures, limits, and typed ends.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{
    ConstraintKinds, CostFunction, CostWithGradient, FitOptions, GlobalMethod, GlobalOptions,
    MethodMismatch, MinimiseEnd, MinimiseMethod, MinimiseOptions, MinimiseProblem, OptimiseError,
    VariableBounds, fit_residuals, minimise,
};
use crate::{FunctionError, Interruption, NoWatch, Watch};

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn unit_box(n: usize) -> VariableBounds {
    VariableBounds {
        low: vec![-1.0; n],
        high: vec![2.0; n],
    }
}

fn by(method: MinimiseMethod) -> MinimiseOptions {
    MinimiseOptions {
        method,
        ..MinimiseOptions::default()
    }
}

fn mismatch(error: OptimiseError) -> MethodMismatch {
    match error {
        OptimiseError::Unsuitable(mismatch) => mismatch,
        other => panic!("{other:?}"),
    }
}

/// A caller who permits so many evaluations.
struct EvaluationLimit {
    most: u64,
    used: AtomicU64,
}

impl Watch for EvaluationLimit {
    fn count_evaluations(&self, count: u64) -> Result<(), Interruption> {
        let used = self.used.fetch_add(count, Ordering::Relaxed) + count;
        if used <= self.most {
            Ok(())
        } else {
            Err(Interruption::Evaluations)
        }
    }
}

#[test]
fn a_gradient_saves_evaluations() {
    let by_differences = minimise(
        sphere,
        &[1.0, 2.0, 3.0],
        &by(MinimiseMethod::Auto),
        &NoWatch,
    );
    let function = CostWithGradient {
        value: sphere,
        gradient: |x: &[f64]| x.iter().map(|x| 2.0 * x).collect(),
    };
    let by_formula = minimise(
        function,
        &[1.0, 2.0, 3.0],
        &by(MinimiseMethod::Auto),
        &NoWatch,
    );
    let (differences, formula) = (by_differences.unwrap(), by_formula.unwrap());
    assert!(differences.converged && formula.converged);
    assert!(formula.evaluations < differences.evaluations, "{formula:?}");
    assert_eq!(formula.reason, MinimiseEnd::Gradient);
}

#[test]
fn the_limit_of_the_caller_is_an_end_of_its_own() {
    for most in [0, 1, 7] {
        let watch = EvaluationLimit {
            most,
            used: AtomicU64::new(0),
        };
        let end = minimise(sphere, &[1.0; 5], &MinimiseOptions::default(), &watch);
        let is_limit = matches!(
            end,
            Err(OptimiseError::Interrupted(Interruption::Evaluations))
        );
        assert!(is_limit, "{most}: {end:?}");
    }
    // A global search does not take it for the end of its own share.
    let watch = EvaluationLimit {
        most: 50,
        used: AtomicU64::new(0),
    };
    let problem = MinimiseProblem::new(sphere, 2).within(unit_box(2));
    let end = problem.minimise_globally(&GlobalOptions::default(), &watch);
    assert!(matches!(
        end,
        Err(OptimiseError::Interrupted(Interruption::Evaluations))
    ));
}

#[test]
fn a_global_search_keeps_within_its_evaluations() {
    for method in [
        GlobalMethod::Auto,
        GlobalMethod::CmaEs,
        GlobalMethod::DualAnnealing,
        GlobalMethod::Multistart,
        GlobalMethod::BasinHopping,
        GlobalMethod::DifferentialEvolution,
    ] {
        let options = GlobalOptions {
            method,
            max_evaluations: 500,
            ..GlobalOptions::default()
        };
        let wave = |x: &[f64]| (5.0 * x[0]).sin() + x[0] * x[0] + (x[1] - 0.5).powi(2);
        let search = || {
            let problem = MinimiseProblem::new(wave, 2).within(unit_box(2));
            problem.minimise_globally(&options, &NoWatch).unwrap()
        };
        let (one, two) = (search(), search());
        assert!(one.evaluations <= 500, "{method:?}: {one:?}");
        assert!(one.value < -0.6, "{method:?}: {one:?}");
        assert_eq!(one.x, two.x);
    }
}

#[derive(Debug, PartialEq, thiserror::Error)]
#[error("the instrument is off")]
struct InstrumentError;

struct Instrument(u64);

impl CostFunction for Instrument {
    fn value(&mut self, x: &[f64]) -> Result<f64, FunctionError> {
        self.0 += 1;
        match self.0 {
            0..10 => Ok(sphere(x)),
            _ => Err(FunctionError::new(InstrumentError)),
        }
    }
}

#[test]
fn the_error_of_a_function_comes_back() {
    let end = minimise(
        Instrument(0),
        &[3.0, 4.0],
        &MinimiseOptions::default(),
        &NoWatch,
    );
    let Err(OptimiseError::Function(error)) = end else {
        panic!("{end:?}");
    };
    assert_eq!(
        error.downcast::<InstrumentError>().unwrap(),
        InstrumentError
    );
}

#[test]
fn a_fall_without_end_and_a_contradiction_have_numbers() {
    let line = |x: &[f64]| -x[0];
    let end = minimise(line, &[1.0], &by(MinimiseMethod::Gradient), &NoWatch);
    let Err(OptimiseError::Unbounded(fall)) = end else {
        panic!("{end:?}");
    };
    assert!(fall.value < -1e50 && fall.value == -fall.x[0] && !fall.is_maximised);
    let kinds = ConstraintKinds {
        equal: vec![false, true],
        affine: vec![true, true],
        is_smooth: true,
    };
    // x >= 1 and x = 0
    let end = MinimiseProblem::new(sphere, 1)
        .under(&kinds, |x: &[f64], c: &mut [f64]| {
            (c[0], c[1]) = (x[0] - 1.0, x[0]);
        })
        .minimise_from(&[5.0], &MinimiseOptions::default(), &NoWatch);
    let Err(OptimiseError::Infeasible(conflict)) = end else {
        panic!("{end:?}");
    };
    assert!(conflict.is_proven);
    assert_eq!(conflict.violated, [0, 1]);
}

#[test]
fn what_does_not_suit_is_named() {
    let from = |n: usize, method| {
        let end = minimise(sphere, &vec![1.0; n], &by(method), &NoWatch);
        mismatch(end.unwrap_err())
    };
    assert_eq!(from(0, MinimiseMethod::Auto), MethodMismatch::NoVariables);
    assert_eq!(
        from(201, MinimiseMethod::NelderMead),
        MethodMismatch::TooManyVariables {
            method: Some(MinimiseMethod::NelderMead),
            most: 200,
            variables: 201
        }
    );
    assert_eq!(
        from(2, MinimiseMethod::Newton),
        MethodMismatch::NoSecondDerivatives
    );
    let within = |bounds| {
        let problem = MinimiseProblem::new(sphere, 2).within(bounds);
        let end = problem.minimise_from(&[0.0; 2], &MinimiseOptions::default(), &NoWatch);
        mismatch(end.unwrap_err())
    };
    assert_eq!(
        within(unit_box(3)),
        MethodMismatch::Shape {
            variables: 2,
            entries: 3
        }
    );
    let mut crossed = unit_box(2);
    crossed.low[1] = 3.0;
    assert_eq!(
        within(crossed),
        MethodMismatch::EmptyBounds {
            variable: 1,
            low: 3.0,
            high: 2.0
        }
    );
    let globally = |problem: MinimiseProblem<'_>, max_evaluations| {
        let options = GlobalOptions {
            max_evaluations,
            ..GlobalOptions::default()
        };
        mismatch(problem.minimise_globally(&options, &NoWatch).unwrap_err())
    };
    assert_eq!(
        globally(MinimiseProblem::new(sphere, 1), 100),
        MethodMismatch::InfiniteBounds { variable: 0 }
    );
    let kinds = ConstraintKinds {
        equal: vec![false],
        affine: vec![false],
        is_smooth: true,
    };
    let positive = |x: &[f64], c: &mut [f64]| c[0] = x[0];
    let problem = MinimiseProblem::new(sphere, 1).within(unit_box(1));
    assert_eq!(
        globally(problem.under(&kinds, positive), 99),
        MethodMismatch::TooFewEvaluations {
            least: 100,
            evaluations: 99
        }
    );
}

/// The nearest point of the unit circle to (2, 1), by differences of a closure.
#[test]
fn nonlinear_constraints_hold_without_derivatives() {
    let kinds = ConstraintKinds {
        equal: vec![true],
        affine: vec![false],
        is_smooth: true,
    };
    let distance = |x: &[f64]| (x[0] - 2.0).powi(2) + (x[1] - 1.0).powi(2);
    let circle = |x: &[f64], c: &mut [f64]| c[0] = 1.0 - sphere(x);
    let found = MinimiseProblem::new(distance, 2)
        .under(&kinds, circle)
        .minimise_from(&[1.0, 1.0], &MinimiseOptions::default(), &NoWatch)
        .unwrap();
    let nearest = [2.0 / 5_f64.sqrt(), 1.0 / 5_f64.sqrt()];
    assert!(found.violation < 1e-8, "{found:?}");
    assert!(
        (found.x[0] - nearest[0]).abs() < 1e-6 && (found.x[1] - nearest[1]).abs() < 1e-6,
        "{found:?}"
    );
}

#[test]
fn a_fit_keeps_within_bounds() {
    let t: Vec<f64> = (0..20).map(|i| f64::from(i) / 4.0).collect();
    let residuals = |p: &[f64]| -> Vec<f64> {
        let model = |t: &f64| p[0] * (-p[1] * t).exp() - 3.0 * (-0.7 * t).exp();
        t.iter().map(model).collect()
    };
    let free = fit_residuals(residuals, &[1.0, 0.1], &FitOptions::default(), &NoWatch).unwrap();
    assert!(free.reason.has_converged());
    assert!((free.point[0] - 3.0).abs() < 1e-8 && (free.point[1] - 0.7).abs() < 1e-8);
    let bounded = FitOptions {
        bounds: Some(VariableBounds {
            low: vec![0.0, 0.0],
            high: vec![10.0, 0.5],
        }),
        ..FitOptions::default()
    };
    let held = fit_residuals(residuals, &[1.0, 0.1], &bounded, &NoWatch).unwrap();
    assert!(held.point[1] == 0.5 && held.held[1], "{held:?}");
}
