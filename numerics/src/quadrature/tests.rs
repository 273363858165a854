//! Known integrals: the true error is never above the stated one.

use std::f64::consts::PI;

use super::{
    Bounds, Integral, QuadratureEnd, QuadratureError, QuadratureMethod, QuadratureRequest,
    integrate_function,
};
use crate::roots::interval::Interval;
use crate::watch::{FunctionError, NoWatch};

fn call(f: impl Fn(f64) -> f64, points: &[f64]) -> Result<Integral, QuadratureError> {
    with(f, points, 1 << 16, None)
}

fn with(
    f: impl Fn(f64) -> f64,
    points: &[f64],
    samples: usize,
    bounds: Option<&Bounds<'_>>,
) -> Result<Integral, QuadratureError> {
    let mut values = |x: &[f64], y: &mut [f64]| -> Result<(), FunctionError> {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = f(*x));
        Ok(())
    };
    let request = QuadratureRequest {
        points,
        poles: &[],
        relative: 1e-10,
        absolute: 0.0,
        evaluations_max: 5_000_000,
        samples,
        bounds,
        method: QuadratureMethod::Auto,
    };
    integrate_function(&mut values, &request, &NoWatch)
}

fn check(name: &str, f: impl Fn(f64) -> f64, points: &[f64], expected: f64) -> Integral {
    let found = call(f, points).unwrap_or_else(|err| panic!("{name}: {err:?}"));
    let off = (found.value - expected).abs();
    assert!(
        off <= found.error,
        "{name}: off by {off:e}, stated {found:?}"
    );
    found
}

#[test]
fn ordinary_and_hard_integrals() {
    let inf = f64::INFINITY;
    check("square", |x| -x * x, &[0.0, 1.0], -1.0 / 3.0);
    check("root", |x| 1.0 / x.sqrt(), &[0.0, 1.0], 2.0);
    check("log", |x| x.ln(), &[0.0, 1.0], -1.0);
    check(
        "peak",
        |x| (-1e6 * (x - 0.3) * (x - 0.3)).exp(),
        &[-10.0, 10.0],
        1.772_453_850_905_516e-3,
    );
    check(
        "periods",
        |x| (2.0 * PI * x).sin().powi(2),
        &[0.0, 4.0],
        2.0,
    );
    check("gauss", |x| (-x * x).exp(), &[-inf, inf], PI.sqrt());
    check(
        "far gauss",
        |x| (-(x - 1000.0) * (x - 1000.0)).exp(),
        &[-inf, inf],
        PI.sqrt(),
    );
    check(
        "cosine",
        |x| (-x * x).exp() * (50.0 * x).cos(),
        &[-inf, inf],
        0.0,
    );
    check("sinc", |x| x.sin() / x, &[0.0, inf], PI / 2.0);
    check("fresnel", |x| (x * x).cos(), &[0.0, inf], (PI / 8.0).sqrt());
    check("lorentz", |x| 1.0 / (1.0 + x * x), &[-inf, inf], PI);
    check("tail 1.5", |x| x.powf(-1.5), &[1.0, inf], 2.0);
    check("tail 1.1", |x| x.powf(-1.1), &[1.0, inf], 10.0);
    check("end 0.9", |x| x.powf(-0.9), &[0.0, 1.0], 10.0);
    check("end 0.99", |x| x.powf(-0.99), &[0.0, 1.0], 100.0);
    check(
        "log at end",
        |x| x.powf(-0.9) * (1.0 / x).ln(),
        &[0.0, 1.0],
        100.0,
    );
    check(
        "inside",
        |x| (x - 0.3).abs().powf(-0.5),
        &[0.0, 1.0],
        2.0 * (0.3_f64.sqrt() + 0.7_f64.sqrt()),
    );
    check(
        "inside -0.8",
        |x| (x - 1.0 / 3.0).abs().powf(-0.8),
        &[0.0, 1.0],
        5.0 * ((1.0_f64 / 3.0).powf(0.2) + (2.0_f64 / 3.0).powf(0.2)),
    );
    check("end at 1", |x| 1.0 / (1.0 - x).sqrt(), &[0.0, 1.0], 2.0);
    check("circle", |x| 1.0 / (1.0 - x * x).sqrt(), &[-1.0, 1.0], PI);
    check("steps", |x| (10.0 * x).floor(), &[0.0, 1.0], 4.5);
    check(
        "kink",
        |x| (x - 0.3).abs(),
        &[0.0, 1.0],
        (0.09 + 0.49) / 2.0,
    );
    check(
        "fast",
        |x| (1e4 * x).cos(),
        &[0.0, 1.0],
        1e4_f64.sin() / 1e4,
    );
    check(
        "sine of inverse",
        |x| (1.0 / x).sin(),
        &[0.0, 1.0],
        0.504_067_061_906_928_4,
    );
    check(
        "sinc squared",
        |x| (x.sin() / x).powi(2),
        &[0.0, inf],
        PI / 2.0,
    );
    check(
        "gamma tail",
        |x| x.powi(20) * (-x).exp(),
        &[0.0, inf],
        2_432_902_008_176_640_000.0,
    );
    check(
        "planck",
        |x| x.powi(3) / (x.exp() - 1.0),
        &[0.0, inf],
        PI.powi(4) / 15.0,
    );
    check(
        "damped",
        |x| (-0.01 * x).exp() * x.sin(),
        &[0.0, inf],
        1.0 / (1.0 + 1e-4),
    );
    check("middle", |x| x.abs().powf(-0.5), &[-1.0, 1.0], 4.0);
}

#[test]
fn what_has_no_integral_is_refused() {
    let inf = f64::INFINITY;
    let divergent = |f: &dyn Fn(f64) -> f64, points: &[f64], place: f64| {
        let found = call(f, points);
        assert!(
            matches!(found, Err(QuadratureError::Divergent { at }) if (at - place).abs() < 1e-9 || at == place),
            "{found:?}"
        );
    };
    divergent(&|x| 1.0 / x, &[0.0, 1.0], 0.0);
    divergent(&|x| 1.0 / x, &[-1.0, 1.0], 0.0);
    divergent(&|x| 1.0 / x, &[-1.0, 2.0], 0.0);
    divergent(&|x| 1.0 / (x - 0.3), &[0.0, 1.0], 0.3);
    divergent(&|x| x.powf(-1.5), &[0.0, 1.0], 0.0);
    divergent(&|x| 1.0 / x, &[1.0, inf], inf);
    divergent(&|x| x, &[-inf, inf], -inf);
    divergent(&|x| x.sin(), &[0.0, inf], inf);
    divergent(&|_| 1.0, &[0.0, inf], inf);
    divergent(&|x| x.tan(), &[0.0, 2.0], PI / 2.0);
    divergent(&|x| 1.0 / (x * x.ln()), &[0.0, 0.5], 0.0);
    let found = call(f64::ln, &[-1.0, 1.0]);
    assert!(
        matches!(found, Err(QuadratureError::Undefined { at }) if at < 0.0),
        "{found:?}"
    );
    let found = call(|x| 1.0 / (x * x.ln().powi(2)), &[0.0, 0.5]).unwrap();
    assert!(
        found.ending != QuadratureEnd::Tolerance
            && (found.value - 1.0 / 2_f64.ln()).abs() < found.error,
        "{found:?}"
    );
}

#[test]
fn boxes() {
    use super::integrate_box;
    let run = |f: &dyn Fn(&[f64]) -> f64, n: usize, expected: f64| {
        let mut field = |x: &[Vec<f64>], y: &mut [f64]| -> Result<(), FunctionError> {
            for (index, y) in y.iter_mut().enumerate() {
                let point: Vec<f64> = x.iter().map(|x| x[index]).collect();
                *y = f(&point);
            }
            Ok(())
        };
        let found = integrate_box(
            &mut field,
            &vec![(0.0, 1.0); n],
            (1e-8, 0.0),
            3_000_000,
            &NoWatch,
        )
        .unwrap();
        let off = (found.value - expected).abs();
        assert!(off <= found.error, "{n}: {found:?}");
    };
    run(&|x| x.iter().map(|x| x.powi(3)).product(), 3, 1.0 / 64.0);
    run(
        &|x| (x.iter().sum::<f64>()).cos(),
        2,
        2.0 * 1_f64.cos() - 2_f64.cos() - 1.0,
    );
    run(
        &|x| (x.iter().sum::<f64>()).exp(),
        5,
        (1_f64.exp() - 1.0).powi(5),
    );
    run(
        &|x| (-10.0 * (x[0] - 0.5).abs()).exp() * x[1],
        2,
        0.1 * (1.0 - (-5_f64).exp()),
    );
}

#[test]
fn sobol_points_are_a_net() {
    use super::SobolSequence;
    let points = SobolSequence::new((0..33).map(|d| 77 + d * 1_000_003).collect());
    for dimension in 0..33 {
        let mut cells: Vec<usize> = (0..256)
            .map(|i| (points.coordinate(i, dimension) * 256.0) as usize)
            .collect();
        cells.sort_unstable();
        assert_eq!(cells, (0..256).collect::<Vec<_>>(), "{dimension}");
    }
}

/// However narrow, a peak is found from bounds: on a background, at a large place, and where the range is infinite.
#[test]
fn bounds_lead_to_peaks_that_no_sample_has_seen() {
    let inf = f64::INFINITY;
    for (points, at, width) in [
        (&[0.0, 1.0][..], 0.3, 1e-9),
        (&[-1e3, 1e3], 123.456, 1e-7),
        (&[0.0, 1.0], 1.3e-7, 1e-10),
        (&[1.0, inf], 30.0, 1e-7),
        (&[1.0, inf], 1e5, 1e-3),
    ] {
        let tent = |distance: f64| (1.0 - distance / width).max(0.0);
        let background = |x: f64| if points[1] == inf { 0.5 / (x * x) } else { 0.5 };
        let f = |x: f64| background(x) + tent((x - at).abs());
        let bounds = |x: Interval| {
            let inside = x.contains(at);
            let far = (x.lo - at).abs().max((x.hi - at).abs());
            let near = (x.lo - at).abs().min((x.hi - at).abs());
            let near = if inside { 0.0 } else { near };
            let (low, high) = (background(x.hi), background(x.lo));
            Some(Interval::new(low + tent(far), high + tent(near)))
        };
        let whole = if points[1] == inf {
            0.5
        } else {
            0.5 * (points[1] - points[0])
        };
        let blind = with(f, points, 1 << 12, None).expect("an integral");
        assert!((blind.value - whole).abs() < width / 2.0, "{at}: {blind:?}");
        let found = with(f, points, 1 << 12, Some(&bounds)).expect("an integral");
        let off = (found.value - whole - width).abs();
        assert!(
            off <= found.error && off < width / 100.0,
            "{at}: off {off:e}, {found:?}"
        );
    }
}

/// At first the integral is 0, so that no error is small enough.
#[test]
fn a_tail_in_a_wide_range_takes_few_evaluations() {
    // exp(-50)/100 times the series of erfc, in decimals.
    let tail = check(
        "tail",
        |x| (-50.0 * (x - 1.0) * (x - 1.0)).exp(),
        &[-1000.0, 0.0],
        1.910_013_903_889_331e-24,
    );
    assert!(tail.error <= 1e-10 * tail.value, "{tail:?}");
    assert!(tail.evaluations < 200_000, "{tail:?}");
}
