use proptest::prelude::*;

use super::grid::GridSurface;
use super::slopes::{
    SplineEnd, akima_slopes, cubic_spline_slopes, periodic_spline, shape_preserving_slopes,
};
use super::smoothing::SmoothingEquations;
use super::{Extrapolation, PiecewiseCubic};
use crate::watch::NoWatch;

const FREE: [SplineEnd; 2] = [SplineEnd::NotAKnot; 2];

fn at(curve: &PiecewiseCubic, t: f64, order: i32) -> f64 {
    let mut out = [0.0];
    curve.evaluate(&[t], order, Extrapolation::Extend, &mut out);
    out[0]
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a} {b}");
}

/// A spline without knots to spare reproduces a cubic, its derivatives and its integral.
#[test]
fn cubics_are_reproduced() {
    let f = |x: f64| 1.0 - 2.0 * x + 0.5 * x * x + 3.0 * x * x * x;
    let x = [-1.0, -0.3, 0.0, 0.1, 2.0, 2.5];
    let y: Vec<f64> = x.iter().map(|&x| f(x)).collect();
    let (slope, bend) = (|x: f64| -2.0 + x + 9.0 * x * x, |x: f64| 1.0 + 18.0 * x);
    let second = [SplineEnd::Second(bend(x[0])), SplineEnd::Second(bend(x[5]))];
    let clamped = [SplineEnd::Slope(slope(x[0])), SplineEnd::Slope(slope(x[5]))];
    for ends in [FREE, second, clamped] {
        let curve = PiecewiseCubic::hermite(&x, &y, &cubic_spline_slopes(&x, &y, ends));
        for t in [-2.0, -0.9, 0.05, 1.7, 4.0] {
            close(at(&curve, t, 0), f(t));
            close(at(&curve, t, 1), slope(t));
            close(at(&curve, t, 2), bend(t));
            close(at(&curve, t, 3), 18.0);
        }
        let integral = |x: f64| x - x * x + 0.5 / 3.0 * x * x * x + 0.75 * x * x * x * x;
        close(at(&curve, 2.2, -1), integral(2.2) - integral(-1.0));
    }
}

#[test]
fn few_points() {
    let line = PiecewiseCubic::hermite(
        &[0.0, 2.0],
        &[1.0, 5.0],
        &cubic_spline_slopes(&[0.0, 2.0], &[1.0, 5.0], FREE),
    );
    close(at(&line, 1.0, 0), 3.0);
    let (x, y) = ([0.0, 1.0, 2.0], [0.0, 1.0, 4.0]);
    close(
        at(
            &PiecewiseCubic::hermite(&x, &y, &cubic_spline_slopes(&x, &y, FREE)),
            1.5,
            0,
        ),
        2.25,
    );
    assert_eq!(
        shape_preserving_slopes(&[0.0, 1.0], &[0.0, 3.0]),
        [3.0, 3.0]
    );
    assert_eq!(akima_slopes(&[0.0, 1.0], &[0.0, 3.0], false), [3.0, 3.0]);
}

#[test]
fn periodic_curves_close() {
    for n in [3_usize, 4, 9] {
        let x: Vec<f64> = (0..n).map(|i| (i as f64).powf(1.3)).collect();
        let mut y: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        y[n - 1] = y[0];
        let curve = PiecewiseCubic::hermite(&x, &y, &periodic_spline(&x, &y));
        for order in 0..=2 {
            close(at(&curve, x[0], order), at(&curve, x[n - 1], order));
        }
        let mut out = [0.0; 2];
        curve.evaluate(
            &[x[n - 1] + 0.25, x[0] + 0.25],
            0,
            Extrapolation::Periodic,
            &mut out,
        );
        close(out[0], out[1]);
    }
}

#[test]
fn outside_is_what_was_asked_for() {
    let curve = PiecewiseCubic::linear(&[0.0, 1.0], &[1.0, 2.0]);
    let mut out = [0.0; 3];
    curve.evaluate(&[-1.0, 0.5, 3.0], 0, Extrapolation::Constant, &mut out);
    assert_eq!(out, [1.0, 1.5, 2.0]);
    curve.evaluate(&[-1.0, 0.5, 3.0], 0, Extrapolation::Nan, &mut out);
    assert!(out[0].is_nan() && out[2].is_nan());
    curve.evaluate(&[-1.0, 0.5, 3.0], 0, Extrapolation::Extend, &mut out);
    assert_eq!(out, [0.0, 1.5, 4.0]);
    curve.evaluate(&[-1.0, 0.5, 3.0], -1, Extrapolation::Constant, &mut out);
    assert_eq!(out, [-1.0, 0.625, 5.5]);
}

#[test]
fn smoothing_goes_from_the_points_to_a_line() {
    let x: Vec<f64> = (0..12).map(|i| f64::from(i * i)).collect();
    let y: Vec<f64> = x.iter().map(|x| (x / 9.0).sin()).collect();
    let w = vec![1.0; 12];
    let data = SmoothingEquations::new(&x, &y, &w);
    let tight = data.fit(0.0);
    assert_eq!(tight.fitted, y);
    close(tight.degrees_of_freedom, 12.0);
    let loose = data.fit(1e14);
    assert!((loose.degrees_of_freedom - 2.0).abs() < 1e-6, "{loose:?}");
    let noisy: Vec<f64> = y
        .iter()
        .zip([0.3, -0.2, 0.1, -0.4].iter().cycle())
        .map(|(y, e)| y + e)
        .collect();
    let data = SmoothingEquations::new(&x, &noisy, &w);
    let best = data.best(&NoWatch).expect("nothing interrupts");
    let score = data.fit(best).score;
    assert!(score <= data.fit(best * 1.1).score && score <= data.fit(best / 1.1).score);
}

#[test]
fn surfaces_reproduce_products() {
    let (x, y) = ([0.0, 1.0, 1.5, 4.0], [-1.0, 0.0, 2.0, 3.0, 3.5]);
    let f = |x: f64, y: f64| (1.0 + x * x * x - x) * (2.0 - y * y * y + y * y);
    let z: Vec<f64> = x
        .iter()
        .flat_map(|&x| y.iter().map(move |&y| f(x, y)))
        .collect();
    let surface = GridSurface::cubic(&x, &y, &z);
    for (x, y) in [(0.3, -0.5), (3.9, 3.2), (1.5, 2.0), (-0.5, 4.0)] {
        assert!((surface.value(x, y) - f(x, y)).abs() < 1e-10, "{x} {y}");
    }
    let plane: Vec<f64> = x
        .iter()
        .flat_map(|&x| y.iter().map(move |&y| 2.0 * x - 3.0 * y))
        .collect();
    close(
        GridSurface::linear(&x, &y, &plane).value(1.2, 2.7),
        2.4 - 8.1,
    );
}

proptest! {
    #[test]
    fn monotone_data_give_monotone_curves(steps in prop::collection::vec((0.01f64..5.0, 0.0f64..9.0), 1..20)) {
        let (mut x, mut y) = (vec![0.0], vec![0.0]);
        for (dx, dy) in steps {
            x.push(x[x.len() - 1] + dx);
            y.push(y[y.len() - 1] + dy);
        }
        let curve = PiecewiseCubic::hermite(&x, &y, &shape_preserving_slopes(&x, &y));
        let end = x[x.len() - 1];
        let mut last = 0.0;
        for part in 0..=500 {
            let value = at(&curve, end * f64::from(part) / 500.0, 0);
            prop_assert!(value >= last - 1e-9);
            last = value;
        }
    }

    #[test]
    fn splines_pass_through_their_points(points in prop::collection::vec((0.01f64..5.0, -9.0f64..9.0), 2..20)) {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for (dx, value) in points {
            x.push(x.last().copied().unwrap_or(0.0) + dx);
            y.push(value);
        }
        for slopes in [cubic_spline_slopes(&x, &y, FREE), shape_preserving_slopes(&x, &y), akima_slopes(&x, &y, false), akima_slopes(&x, &y, true)] {
            let curve = PiecewiseCubic::hermite(&x, &y, &slopes);
            for (x, y) in x.iter().zip(&y) {
                prop_assert!((at(&curve, *x, 0) - y).abs() <= 1e-9 * (1.0 + y.abs()));
            }
        }
    }
}
