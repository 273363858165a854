//! Differential equations with right-hand sides in Rust.

use std::f64::consts::PI;

use math_tools::ode::{OdeEnd, OdeFunction, OdeMethod, OdeOptions, OdeTolerances};
use tool_core::{CallBudget, Ctx, StopFlag};

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
            .integrate(
                (0.0, 1e11),
                &[1.0, 0.0, 0.0],
                &[],
                &options,
                &Ctx::default(),
            )
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
            .integrate((0.0, 0.1), &start, &[], &options, &Ctx::default())
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
                &Ctx::default(),
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
        .integrate((0.0, 50.0), &start, &[], &options, &Ctx::default())
        .unwrap();
    assert_eq!(path.methods, [OdeMethod::Dop853]);
}

#[test]
fn bad_arguments_are_named() {
    let at = |times: &[f64]| {
        let mut function = OdeFunction::new(1, |_: f64, _: &[f64], dy: &mut [f64]| dy[0] = 1.0);
        let (options, ctx) = (OdeOptions::default(), Ctx::default());
        let error = function.integrate((0.0, 1.0), &[0.0], times, &options, &ctx);
        error.unwrap_err().path().unwrap_or_default().to_owned()
    };
    assert_eq!(at(&[0.5, 1.5]), "/t_eval/1");
    assert_eq!(at(&[0.5, 0.2]), "/t_eval/1");
    let of = |y0: &[f64], span, change: fn(&mut OdeOptions)| {
        let mut options = OdeOptions::default();
        change(&mut options);
        let mut function =
            OdeFunction::new(2, |_: f64, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(y));
        let error = function
            .integrate(span, y0, &[], &options, &Ctx::default())
            .unwrap_err();
        error.path().unwrap_or_default().to_owned()
    };
    let good = [1.0, 2.0];
    assert_eq!(of(&[1.0], (0.0, 1.0), |_| ()), "/y0");
    assert_eq!(of(&[1.0, f64::NAN], (0.0, 1.0), |_| ()), "/y0/1");
    assert_eq!(of(&good, (1.0, 1.0), |_| ()), "/t_span");
    assert_eq!(of(&good, (0.0, f64::INFINITY), |_| ()), "/t_span");
    assert_eq!(of(&good, (0.0, 1.0), |o| o.tolerances.rtol = 0.0), "/rtol");
    assert_eq!(
        of(&good, (0.0, 1.0), |o| o.tolerances.atol = vec![1.0; 3]),
        "/atol"
    );
    assert_eq!(
        of(&good, (0.0, 1.0), |o| o.tolerances.atol = vec![f64::NAN]),
        "/atol"
    );
    assert_eq!(
        of(&good, (0.0, 1.0), |o| o.step_max = f64::NAN),
        "/max_step"
    );
}

#[test]
fn what_cannot_go_on_says_so() {
    let mut blow_up = OdeFunction::new(1, |_: f64, y: &[f64], dy: &mut [f64]| dy[0] = y[0] * y[0]);
    let path = blow_up
        .integrate(
            (0.0, 2.0),
            &[1.0],
            &[],
            &OdeOptions::default(),
            &Ctx::default(),
        )
        .unwrap();
    assert_eq!(path.stopped, Some(OdeEnd::BlowUp));
    assert!((path.t_end() - 1.0).abs() < 1e-6, "{}", path.t_end());
    let few = CallBudget {
        evaluations: 50,
        ..CallBudget::default()
    };
    let ctx = Ctx::new(StopFlag::new(), few);
    let error = blow_up
        .integrate((0.0, 0.9), &[1.0], &[], &OdeOptions::default(), &ctx)
        .unwrap_err();
    assert!(error.to_string().contains("evaluations"), "{error}");
    // A full Jacobian of so many components has no room.
    let mut large = OdeFunction::new(1_000_000, |_: f64, y: &[f64], dy: &mut [f64]| {
        dy.copy_from_slice(y)
    });
    let start = vec![1.0; 1_000_000];
    assert!(
        large
            .integrate(
                (0.0, 1.0),
                &start,
                &[],
                &OdeOptions::default(),
                &Ctx::default()
            )
            .is_err()
    );
}
