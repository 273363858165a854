//! Differential equations with right-hand sides in Rust.

use std::cell::Cell;
use std::f64::consts::PI;
use std::sync::atomic::{AtomicU64, Ordering};

use numerics::ode::bvp::{
    BoundaryFunction, BvpEnd, BvpError, BvpOptions, BvpProblem, MeshSolution,
};
use numerics::ode::{
    CrossingDirection, InitialValueProblem, MassMatrix, OdeArgumentError, OdeEnd, OdeError,
    OdeEvent, OdeFunction, OdeMethod, OdeOptions, OdeTimeError, OdeTolerances,
};
use numerics::{Interruption, NoWatch, Watch};

fn options(method: OdeMethod, rtol: f64, atol: f64) -> OdeOptions {
    OdeOptions {
        tolerances: OdeTolerances {
            rtol,
            atol: vec![atol],
        },
        method,
        ..OdeOptions::default()
    }
}

fn robertson(_t: f64, y: &[f64], dy: &mut [f64]) {
    let (first, last) = (-0.04 * y[0] + 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]);
    dy.copy_from_slice(&[first, -first - last, last]);
}

/// The reference of the Test Set for Initial Value Problem Solvers, release 2.4.
#[test]
fn stiff_equations_are_solved_by_every_method_for_them() {
    let expected = [
        0.208_334_014_970_12e-7,
        0.833_336_077_033_44e-13,
        0.999_999_979_166_65,
    ];
    for (method, digits) in [
        (OdeMethod::Auto, 1e-6),
        (OdeMethod::Radau, 1e-6),
        (OdeMethod::Bdf, 1e-4),
        (OdeMethod::Rodas4, 1e-6),
    ] {
        let mut function = OdeFunction::new(3, robertson);
        let options = options(method, 1e-7, 1e-18);
        let path = function
            .integrate((0.0, 1e11), &[1.0, 0.0, 0.0], &[], &options, &NoWatch)
            .unwrap();
        assert_eq!(path.stopped, None, "{method:?}");
        assert!(path.work.jacobians > 0, "{method:?}");
        for (y, expected) in path.y_end().iter().zip(expected) {
            let error = (y - expected).abs() / expected;
            assert!(error < digits, "{method:?}: {error:e}");
        }
    }
}

/// The closed form of the second difference: each mode decays by itself.
#[test]
fn a_band_is_differentiated_by_a_few_evaluations() {
    const N: usize = 200;
    let points = (N + 1) as f64;
    let heat = |_t: f64, y: &[f64], dy: &mut [f64]| {
        for (row, dy) in dy.iter_mut().enumerate() {
            let left = if row > 0 { y[row - 1] } else { 0.0 };
            let right = y.get(row + 1).unwrap_or(&0.0);
            *dy = points * points * (left - 2.0 * y[row] + right);
        }
    };
    let wave = |row: usize| (PI * (row + 1) as f64 / points).sin();
    let start: Vec<f64> = (0..N).map(wave).collect();
    let decay = (-0.1 * (2.0 * points * (PI / 2.0 / points).sin()).powi(2)).exp();
    let options = options(OdeMethod::Radau, 1e-7, 1e-10);
    let mut ends = Vec::new();
    for (band, most) in [((1, 1), 3 + 1), ((N, N), N as u64 + 1)] {
        let mut function = OdeFunction::banded(N, band, heat);
        let path = function
            .integrate((0.0, 0.1), &start, &[], &options, &NoWatch)
            .unwrap();
        let error = (0..N).map(|row| (path.y_end()[row] - decay * wave(row)).abs());
        assert!(error.fold(0.0, f64::max) < 1e-7, "{band:?}");
        ends.push(path.work.evaluations - most * path.work.jacobians);
    }
    // Besides the Jacobians both need the same.
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn the_time_and_the_direction_are_those_of_the_call() {
    // y' = 2 t, backwards from 3 to 1; a method that needs the derivative by time, and one that does not.
    for method in [OdeMethod::Rodas4, OdeMethod::Tsit5] {
        let mut function = OdeFunction::new(1, |t: f64, _: &[f64], dy: &mut [f64]| dy[0] = 2.0 * t);
        let path = function
            .integrate(
                (3.0, 1.0),
                &[9.0],
                &[2.0, 1.5],
                &options(method, 1e-8, 1e-8),
                &NoWatch,
            )
            .unwrap();
        assert_eq!(path.t_end(), 1.0);
        let found = [path.samples[0], path.samples[1], path.y_end()[0]];
        for (found, expected) in found.iter().zip([4.0, 2.25, 1.0]) {
            assert!((found - expected).abs() < 1e-7, "{method:?}: {found}");
        }
    }
}

/// Near the aphelion the next step of a stiff method is longer, though nothing is stiff.
#[test]
fn an_orbit_is_not_taken_for_stiff() {
    let mut kepler = OdeFunction::new(4, |_: f64, y: &[f64], dy: &mut [f64]| {
        let cube = (y[0] * y[0] + y[1] * y[1]).powf(1.5);
        dy.copy_from_slice(&[y[2], y[3], -y[0] / cube, -y[1] / cube]);
    });
    let start = [0.5, 0.0, 0.0, 3.0_f64.sqrt()];
    let options = options(OdeMethod::Auto, 1e-7, 1e-7);
    let path = kepler
        .integrate((0.0, 50.0), &start, &[], &options, &NoWatch)
        .unwrap();
    assert_eq!(path.methods, [OdeMethod::Dop853]);
}

#[test]
fn bad_arguments_are_named() {
    let at = |times: &[f64]| {
        let mut function = OdeFunction::new(1, |_: f64, _: &[f64], dy: &mut [f64]| dy[0] = 1.0);
        let options = OdeOptions::default();
        let error = function.integrate((0.0, 1.0), &[0.0], times, &options, &NoWatch);
        error.unwrap_err()
    };
    let outside = OdeTimeError::Outside {
        index: 1,
        time: 1.5,
    };
    assert_eq!(at(&[0.5, 1.5]), outside.into());
    let unordered = OdeTimeError::Order {
        index: 1,
        before: 0.5,
        found: 0.2,
    };
    assert_eq!(at(&[0.5, 0.2]), unordered.into());
    let of = |y0: &[f64], span, change: fn(&mut OdeOptions)| {
        let mut options = OdeOptions::default();
        change(&mut options);
        let mut function =
            OdeFunction::new(2, |_: f64, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(y));
        match function.integrate(span, y0, &[], &options, &NoWatch) {
            Err(OdeError::Argument(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let good = [1.0, 2.0];
    let (expected, found) = (2, 1);
    assert_eq!(
        of(&[1.0], (0.0, 1.0), |_| ()),
        OdeArgumentError::StartLength { expected, found }
    );
    assert!(matches!(
        of(&[1.0, f64::NAN], (0.0, 1.0), |_| ()),
        OdeArgumentError::StartValue { index: 1, .. }
    ));
    let span = |start, end| OdeArgumentError::Span { start, end };
    assert_eq!(of(&good, (1.0, 1.0), |_| ()), span(1.0, 1.0));
    assert_eq!(
        of(&good, (0.0, f64::INFINITY), |_| ()),
        span(0.0, f64::INFINITY)
    );
    assert!(matches!(
        of(&good, (0.0, 1.0), |o| o.tolerances.rtol = 0.0),
        OdeArgumentError::RelativeTolerance { found: 0.0, .. }
    ));
    let found = vec![1.0; 3];
    assert_eq!(
        of(&good, (0.0, 1.0), |o| o.tolerances.atol = vec![1.0; 3]),
        OdeArgumentError::AbsoluteTolerance { found }
    );
    assert!(matches!(
        of(&good, (0.0, 1.0), |o| o.tolerances.atol = vec![f64::NAN]),
        OdeArgumentError::AbsoluteTolerance { .. }
    ));
    assert!(matches!(
        of(&good, (0.0, 1.0), |o| o.step_max = f64::NAN),
        OdeArgumentError::StepLimit { .. }
    ));
}

/// A caller with so many evaluations, and so many bytes.
struct LimitedWatch {
    evaluations: AtomicU64,
    bytes: u64,
}

impl Watch for LimitedWatch {
    fn reserve(&self, bytes: u64) -> Result<(), Interruption> {
        match bytes <= self.bytes {
            true => Ok(()),
            false => Err(Interruption::Memory { bytes }),
        }
    }

    fn count_evaluations(&self, count: u64) -> Result<(), Interruption> {
        let left = |left: u64| left.checked_sub(count);
        let counted = self
            .evaluations
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        counted.map_err(|_| Interruption::Evaluations).map(|_| ())
    }
}

#[test]
fn what_cannot_go_on_says_so() {
    let mut blow_up = OdeFunction::new(1, |_: f64, y: &[f64], dy: &mut [f64]| dy[0] = y[0] * y[0]);
    let path = blow_up
        .integrate((0.0, 2.0), &[1.0], &[], &OdeOptions::default(), &NoWatch)
        .unwrap();
    assert_eq!(path.stopped, Some(OdeEnd::BlowUp));
    assert!((path.t_end() - 1.0).abs() < 1e-6, "{}", path.t_end());
    let few = LimitedWatch {
        evaluations: AtomicU64::new(50),
        bytes: u64::MAX,
    };
    let error = blow_up
        .integrate((0.0, 0.9), &[1.0], &[], &OdeOptions::default(), &few)
        .unwrap_err();
    assert_eq!(error, Interruption::Evaluations.into());
    // A full Jacobian of so many components has no room.
    let mut large = OdeFunction::new(1_000_000, |_: f64, y: &[f64], dy: &mut [f64]| {
        dy.copy_from_slice(y)
    });
    let small = LimitedWatch {
        evaluations: AtomicU64::new(u64::MAX),
        bytes: 8 << 30,
    };
    let start = vec![1.0; 1_000_000];
    let error = large
        .integrate((0.0, 1.0), &start, &[], &OdeOptions::default(), &small)
        .unwrap_err();
    assert!(
        matches!(error, OdeError::Interrupted(Interruption::Memory { .. })),
        "{error:?}"
    );
}

/// A ball that loses a tenth of its speed at each bounce: the times are a geometric series.
#[test]
fn events_change_the_state_and_end_the_integration() {
    const G: f64 = 9.81;
    let mut fall = OdeFunction::new(2, |_: f64, y: &[f64], dy: &mut [f64]| {
        dy.copy_from_slice(&[y[1], -G]);
    });
    let bounces = || {
        let bounce = OdeEvent::changing(
            |_: f64, y: &[f64]| y[0],
            |_: f64, before: &[f64], after: &mut [f64]| {
                after.copy_from_slice(&[0.0, -0.9 * before[1]]);
            },
        );
        let mut bounce = bounce.in_direction(CrossingDirection::Falling).terminal();
        bounce.count = Some(3);
        vec![bounce]
    };
    let problem = InitialValueProblem {
        events: &bounces,
        ..InitialValueProblem::new(&[0.0, 10.0], (0.0, 100.0))
    };
    let solution = fall.solve(&problem, &NoWatch).unwrap();
    assert_eq!(solution.stopped, Some(OdeEnd::TerminalEvent));
    let flight = 2.0 * 10.0 / G;
    let expected = [flight, flight * 1.9, flight * (1.0 + 0.9 + 0.81)];
    let seen = &solution.events[0];
    assert_eq!((seen.t.len(), seen.after.len()), (3, 2));
    for (t, expected) in seen.t.iter().zip(expected) {
        assert!((t - expected).abs() < 1e-8, "{t} for {expected}");
    }
    assert!(solution.error_estimate.unwrap() < 1e-4);
    let gone = || {
        vec![OdeEvent::changing(
            |_: f64, y: &[f64]| y[0] - 1.0,
            |_: f64, _: &[f64], after: &mut [f64]| after[1] = f64::NAN,
        )]
    };
    let problem = InitialValueProblem {
        events: &gone,
        ..InitialValueProblem::new(&[0.0, 10.0], (0.0, 100.0))
    };
    let error = fall.solve(&problem, &NoWatch).unwrap_err();
    assert!(
        matches!(
            error,
            OdeError::EventValue {
                event: 0,
                entry: 1,
                ..
            }
        ),
        "{error:?}"
    );
}

/// y0' = -y0 with the algebraic equation y0 + y1 = 1.
#[test]
fn algebraic_equations_come_with_a_singular_mass_matrix() {
    let mass = MassMatrix::new(&[1.0, 0.0, 0.0, 0.0], 2, 0, &NoWatch).unwrap();
    assert!(mass.is_singular());
    let mut function = OdeFunction::new(2, |_: f64, y: &[f64], dy: &mut [f64]| {
        dy.copy_from_slice(&[-y[0], y[0] + y[1] - 1.0]);
    });
    let with = |y0: &'static [f64]| InitialValueProblem {
        mass: Some(&mass),
        ..InitialValueProblem::new(y0, (0.0, 1.0))
    };
    let solution = function.solve(&with(&[1.0, 0.0]), &NoWatch).unwrap();
    let end = solution.states().last().unwrap();
    assert!((end[0] - (-1.0_f64).exp()).abs() < 1e-5, "{end:?}");
    assert!((end[0] + end[1] - 1.0).abs() < 1e-9, "{end:?}");
    let error = function.solve(&with(&[1.0, 0.5]), &NoWatch).unwrap_err();
    assert!(
        matches!(error, OdeError::InconsistentStart { component: 1, found: 0.5, better } if better.abs() < 1e-9),
        "{error:?}"
    );
    let mut problem = with(&[1.0, 0.0]);
    problem.options.method = OdeMethod::Dop853;
    let error = function.solve(&problem, &NoWatch).unwrap_err();
    assert_eq!(
        error,
        OdeArgumentError::ExplicitMethod { method: "dop853" }.into()
    );
    for matrix in [vec![0.0; 4], vec![1.0; 3], vec![1.0, 0.0, 0.0, f64::NAN]] {
        let error = MassMatrix::new(&matrix, 2, 0, &NoWatch).unwrap_err();
        assert!(matches!(error, OdeError::Argument(_)), "{error:?}");
    }
}

/// y'' + k^2 y = 0 with y(0) = y(1) = 0 and y'(0) = k has k = pi near 3.
#[test]
fn an_unknown_of_a_boundary_value_problem_is_found() {
    let calls = Cell::new(0);
    let equations = BoundaryFunction::with_unknowns(
        2,
        1,
        |_: f64, y: &[f64], p: &[f64], dy: &mut [f64]| {
            calls.set(calls.get() + 1);
            dy.copy_from_slice(&[y[1], -p[0] * p[0] * y[0]]);
        },
        |a: &[f64], b: &[f64], p: &[f64], rest: &mut [f64]| {
            rest.copy_from_slice(&[a[0], b[0], a[1] - p[0]]);
        },
    );
    let problem = BvpProblem {
        equations: &equations,
        breakpoints: &[],
    };
    let options = BvpOptions::default();
    let wave = |t: f64, y: &mut [f64]| {
        y.copy_from_slice(&[(3.0 * t).sin(), 3.0 * (3.0 * t).cos()]);
    };
    let guess = problem.guess((0.0, 1.0), &options, wave, &[3.0]).unwrap();
    let result = problem.solve(guess, &options, &NoWatch).unwrap();
    assert_eq!(result.failure, None);
    assert!(
        (result.curve.p[0] - PI).abs() < 1e-6,
        "{:?}",
        result.curve.p
    );
    assert!(calls.get() > 0);
    let few = BvpOptions {
        nodes: 12,
        tolerance: 1e-12,
    };
    let guess = problem.guess((0.0, 1.0), &few, wave, &[3.0]).unwrap();
    let result = problem.solve(guess, &few, &NoWatch).unwrap();
    assert_eq!(result.failure, Some(BvpEnd::MaxNodes));
}

#[test]
fn bad_boundary_value_problems_are_named() {
    let equations = BoundaryFunction::new(
        1,
        |_: f64, y: &[f64], _: &[f64], dy: &mut [f64]| dy[0] = y[0],
        |a: &[f64], _: &[f64], _: &[f64], rest: &mut [f64]| rest[0] = a[0] - 1.0,
    );
    let options = BvpOptions::default();
    let at = |span, breakpoints, nodes| {
        let problem = BvpProblem {
            equations: &equations,
            breakpoints,
        };
        let options = BvpOptions { nodes, ..options };
        problem.guess(span, &options, |_, _| (), &[]).unwrap_err()
    };
    let span = BvpError::Span {
        start: 1.0,
        end: 0.0,
    };
    assert_eq!(at((1.0, 0.0), &[], 10), span);
    let breakpoint = BvpError::Breakpoint {
        index: 1,
        time: 0.2,
    };
    assert_eq!(at((0.0, 1.0), &[0.5, 0.2], 10), breakpoint);
    let nodes = BvpError::FewNodes { least: 3, found: 2 };
    assert_eq!(at((0.0, 1.0), &[0.5], 2), nodes);
    assert_eq!(at((1.0, 1.0_f64.next_up()), &[], 10), BvpError::TooShort);
    let problem = BvpProblem {
        equations: &equations,
        breakpoints: &[],
    };
    let guess = BvpError::Guess { components: 1 };
    for (t, y) in [
        (vec![], vec![]),
        (vec![0.0], vec![1.0]),
        (vec![0.0, 0.0], vec![1.0, 1.0]),
        (vec![0.0, 1.0], vec![1.0]),
        (vec![0.0, 1.0], vec![1.0, f64::NAN]),
    ] {
        let first = MeshSolution::new(t, y, Vec::new());
        let error = problem.solve(first, &options, &NoWatch).unwrap_err();
        assert_eq!(error, guess);
    }
}
