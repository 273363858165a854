//! Spectra and amplitudes of samples, and the way back.

use kernels::signal::spectrum::detrend;
use kernels::signal::transform::{self, Way};
use kernels::signal::window::Window;
use kernels::signal::{Complex64, lobe, peaks};

use super::given::{Given, Samples, Shape};
use super::tones::tones;
use super::{Args, Kind, Output, Sides};
use crate::linalg::solve::Rhs;
use crate::prelude::*;

/// Relative difference of two energies.
fn parseval(of_samples: f64, of_coefficients: f64) -> f64 {
    let most = of_samples.max(of_coefficients);
    if most == 0.0 {
        0.0
    } else {
        (of_samples - of_coefficients).abs() / most
    }
}

fn energy(values: &[Complex64]) -> f64 {
    values.iter().map(|value| value.norm_sqr()).sum()
}

/// Samples of coefficients.
pub(super) fn inverse(given: Given) -> Result<Output, ToolError> {
    let (n, shape) = (given.n, given.shape());
    let samples = given.samples;
    let (mut values, columns) = samples.into_complex();
    if given.sides == Sides::One {
        let samples = transform::real_inverse(&values, n);
        let inner = values.len() - usize::from(n.is_multiple_of(2));
        let there = 2.0 * energy(&values[..inner]) - values[0].norm_sqr()
            + values[inner..]
                .iter()
                .map(|value| value.re * value.re)
                .sum::<f64>();
        let here: f64 = samples.iter().map(|x| x * x).sum();
        check_finite(there)?;
        return Ok(Output {
            n,
            parseval_error: Some(parseval(here, there / n as f64)),
            real: Some(Rhs::One(samples.into())),
            ..Output::default()
        });
    }
    let before = energy(&values);
    check_finite(before)?;
    match columns {
        Some(columns) => transform::complex_2d(&mut values, n / columns, columns, Way::Inverse),
        None => transform::complex(&mut values, Way::Inverse),
    }
    let (real, imaginary) = shape.parts(&values);
    Ok(Output {
        n,
        parseval_error: Some(parseval(energy(&values), before / n as f64)),
        real: Some(real),
        imaginary: Some(imaginary),
        ..Output::default()
    })
}

/// Refuses sums beyond the largest double.
fn check_finite(energy: f64) -> Result<(), ToolError> {
    if !energy.is_finite() {
        refuse!(numeric "/data", "overflow"; "the energy of the samples or coefficients is larger than any double"; "scale `data`");
    }
    Ok(())
}

/// Coefficients of samples.
pub(super) fn forward(args: &Args, given: Given, ctx: &Ctx) -> Result<Output, ToolError> {
    let (n, rate, length, window, sides) =
        (given.n, given.rate, given.length, given.window, given.sides);
    let (shape, name) = (given.shape(), given.window_name);
    let trend = given.trend;
    let mut output = Output {
        n,
        window: name,
        ..Output::default()
    };
    if let Samples::Matrix(mut values, columns) = given.samples {
        let before = energy(&values);
        let rows = n / columns;
        transform::complex_2d(&mut values, rows, columns, Way::Forward);
        let there = energy(&values);
        check_finite(there)?;
        output.parseval_error = Some(parseval(before, there / n as f64));
        output.frequencies = Some(transform::frequencies(columns, rate, true));
        output.row_frequencies = Some(transform::frequencies(rows, rate, true));
        output.resolution = Some(rate / columns as f64);
        let unit = (n as f64).recip();
        show(&mut output, args.kind, &values, &shape, |_| unit);
        return Ok(output);
    }
    let weights = window.weights(length);
    let sum: f64 = weights.iter().sum();
    let (values, before) = match given.samples {
        Samples::Real(mut x) => {
            detrend(&mut x, trend);
            x.iter_mut()
                .zip(&weights)
                .for_each(|(x, weight)| *x *= weight);
            let before: f64 = x.iter().map(|x| x * x).sum();
            x.resize(n, 0.0);
            let mut values = transform::real(&x);
            if sides == Sides::Two {
                let mirrored: Vec<Complex64> =
                    (values.len()..n).map(|k| values[n - k].conj()).collect();
                values.extend(mirrored);
            }
            (values, before)
        }
        samples => {
            let (mut values, _) = samples.into_complex();
            values
                .iter_mut()
                .zip(&weights)
                .for_each(|(z, weight)| *z *= weight);
            let before = energy(&values);
            values.resize(n, Complex64::default());
            transform::complex(&mut values, Way::Forward);
            (values, before)
        }
    };
    let is_alone = |k: usize| sides == Sides::Two || k == 0 || 2 * k == n;
    let both = |k: usize| if is_alone(k) { 1.0 } else { 2.0 };
    let there: f64 = values
        .iter()
        .enumerate()
        .map(|(k, z)| both(k) * z.norm_sqr())
        .sum();
    check_finite(there)?;
    output.parseval_error = Some(parseval(before, there / n as f64));
    let frequencies = transform::frequencies(n, rate, sides == Sides::Two);
    let magnitudes: Vec<f64> = (0..values.len())
        .map(|k| both(k) * values[k].norm() / sum)
        .collect();
    ctx.check()?;
    let search = peaks::Search {
        magnitudes: &magnitudes,
        window,
        samples: length,
        points: n,
        is_circular: sides == Sides::Two,
    };
    output.peaks = tones(&search, args.peaks, rate);
    output.resolution = Some(half_width(window, length) * rate);
    output.frequencies = Some(frequencies);
    show(&mut output, args.kind, &values, &shape, |k| both(k) / sum);
    Ok(output)
}

/// Full width at half of the power of a tone's peak, in cycles per sample.
pub(super) fn half_width(window: Window, length: usize) -> f64 {
    let weights = window.weights(length.min(2048));
    lobe::half_width(&weights) * weights.len() as f64 / length as f64
}

/// The parts of coefficients that are asked for.
fn show(
    output: &mut Output,
    kind: Kind,
    values: &[Complex64],
    shape: &Shape,
    unit: impl Fn(usize) -> f64,
) {
    if kind == Kind::Spectrum {
        let (real, imaginary) = shape.parts(values);
        (output.real, output.imaginary) = (Some(real), Some(imaginary));
        return;
    }
    // Adding a zero turns -0 into 0.
    let polar = |(k, z): (usize, &Complex64)| Complex64::new(z.norm() * unit(k), z.arg() + 0.0);
    let values: Vec<Complex64> = values.iter().enumerate().map(polar).collect();
    let (amplitude, phase) = shape.parts(&values);
    (output.amplitude, output.phase) = (Some(amplitude), Some(phase));
}
