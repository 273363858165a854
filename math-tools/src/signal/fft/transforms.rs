//! Spectra and amplitudes of samples, and the way back.

use numerics::dense::{exponent_of, scale_by_exponent};
use numerics::signal::spectrum::subtract_trend;
use numerics::signal::transform::{self, TransformDirection};
use numerics::signal::window::WindowFunction;
use numerics::signal::{Complex64, lobe, peaks};

use super::given::{FftRequest, FftSamples, TransformShape};
use super::tones::find_tones;
use super::{Args, Kind, Output, Sides};
use crate::linalg::solve::Rhs;
use crate::prelude::*;

/// A sum of squares `value * 4^exponent`, which does not leave the range of doubles.
#[derive(Debug, Clone, Copy)]
struct ScaledEnergy {
    value: f64,
    exponent: i32,
}

impl ScaledEnergy {
    /// Of the parts of some numbers, each square with its weight.
    fn of(parts: impl Iterator<Item = ([f64; 2], f64)> + Clone) -> Self {
        let most = parts.clone().fold(0.0_f64, |most, ([re, im], _)| {
            most.max(re.abs()).max(im.abs())
        });
        // Squares of sizes between keep their digits.
        let exponent = match most {
            0.0 => 0,
            _ if (1e-100..1e100).contains(&most) => 0,
            _ => exponent_of(most),
        };
        let square = |([re, im], weight): ([f64; 2], f64)| {
            let (re, im) = (
                scale_by_exponent(re, -exponent),
                scale_by_exponent(im, -exponent),
            );
            weight * (re * re + im * im)
        };
        Self {
            value: parts.map(square).sum(),
            exponent,
        }
    }

    fn of_complex(values: &[Complex64]) -> Self {
        Self::of(values.iter().map(|z| ([z.re, z.im], 1.0)))
    }

    fn of_real(values: &[f64]) -> Self {
        Self::of(values.iter().map(|x| ([*x, 0.0], 1.0)))
    }

    /// Divided by a number.
    fn over(self, divisor: f64) -> Self {
        let value = self.value / divisor;
        Self { value, ..self }
    }
}

/// Relative difference of two energies.
fn parseval_difference(of_samples: ScaledEnergy, of_coefficients: ScaledEnergy) -> f64 {
    let exponent = of_samples.exponent.max(of_coefficients.exponent);
    let same =
        |energy: ScaledEnergy| scale_by_exponent(energy.value, 2 * (energy.exponent - exponent));
    let (samples, coefficients) = (same(of_samples), same(of_coefficients));
    let most = samples.max(coefficients);
    if most == 0.0 {
        0.0
    } else {
        (samples - coefficients).abs() / most
    }
}

fn are_finite(values: &[Complex64]) -> bool {
    values.iter().all(|z| z.re.is_finite() && z.im.is_finite())
}

/// Samples of coefficients.
pub(super) fn inverse_transform(given: FftRequest) -> Result<Output, ToolError> {
    let (n, shape) = (given.n, given.shape());
    let samples = given.samples;
    let (mut values, columns) = samples.into_complex();
    if given.sides == Sides::One {
        let samples = transform::real_inverse(&values, n);
        let inner = values.len() - usize::from(n.is_multiple_of(2));
        let part = |(k, z): (usize, &Complex64)| match k {
            0 => ([z.re, z.im], 1.0),
            k if k < inner => ([z.re, z.im], 2.0),
            _ => ([z.re, 0.0], 1.0),
        };
        let there = ScaledEnergy::of(values.iter().enumerate().map(part));
        check_finite(samples.iter().all(|x| x.is_finite()))?;
        let here = ScaledEnergy::of_real(&samples);
        return Ok(Output {
            n,
            parseval_error: Some(parseval_difference(here, there.over(n as f64))),
            real: Some(Rhs::One(samples.into())),
            ..Output::default()
        });
    }
    let before = ScaledEnergy::of_complex(&values);
    match columns {
        Some(columns) => transform::complex_2d(
            &mut values,
            n / columns,
            columns,
            TransformDirection::Inverse,
        ),
        None => transform::transform_complex(&mut values, TransformDirection::Inverse),
    }
    check_finite(are_finite(&values))?;
    let (real, imaginary) = shape.parts(&values);
    let here = ScaledEnergy::of_complex(&values);
    Ok(Output {
        n,
        parseval_error: Some(parseval_difference(here, before.over(n as f64))),
        real: Some(real),
        imaginary: Some(imaginary),
        ..Output::default()
    })
}

/// Refuses sums beyond the largest double.
fn check_finite(are_finite: bool) -> Result<(), ToolError> {
    if !are_finite {
        refuse!(numeric "/data", "overflow"; "a coefficient or sample of the result, or a sum on the way to it, is larger than any double"; "scale `data`");
    }
    Ok(())
}

/// Coefficients of samples.
pub(super) fn forward_transform(
    args: &Args,
    given: FftRequest,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let (n, rate, length, window, sides) =
        (given.n, given.rate, given.length, given.window, given.sides);
    let (shape, name) = (given.shape(), given.window_name);
    let trend = given.trend;
    let mut output = Output {
        n,
        window: name,
        ..Output::default()
    };
    if let FftSamples::Matrix(mut values, columns) = given.samples {
        let before = ScaledEnergy::of_complex(&values);
        let rows = n / columns;
        transform::complex_2d(&mut values, rows, columns, TransformDirection::Forward);
        check_finite(are_finite(&values))?;
        let there = ScaledEnergy::of_complex(&values);
        output.parseval_error = Some(parseval_difference(before, there.over(n as f64)));
        output.frequencies = Some(transform::bin_frequencies(columns, rate, true));
        output.row_frequencies = Some(transform::bin_frequencies(rows, rate, true));
        output.resolution = Some(rate / columns as f64);
        let unit = (n as f64).recip();
        show_coefficients(&mut output, args.kind, &values, &shape, |_| unit);
        return Ok(output);
    }
    let weights = window.weights(length);
    let sum: f64 = weights.iter().sum();
    let (values, before) = match given.samples {
        FftSamples::Real(mut x) => {
            subtract_trend(&mut x, trend);
            x.iter_mut()
                .zip(&weights)
                .for_each(|(x, weight)| *x *= weight);
            let before = ScaledEnergy::of_real(&x);
            x.resize(n, 0.0);
            let mut values = transform::transform_real(&x);
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
            let before = ScaledEnergy::of_complex(&values);
            values.resize(n, Complex64::default());
            transform::transform_complex(&mut values, TransformDirection::Forward);
            (values, before)
        }
    };
    let is_alone = |k: usize| sides == Sides::Two || k == 0 || 2 * k == n;
    let both = |k: usize| if is_alone(k) { 1.0 } else { 2.0 };
    check_finite(are_finite(&values))?;
    let weighted = values.iter().enumerate();
    let there = ScaledEnergy::of(weighted.map(|(k, z)| ([z.re, z.im], both(k))));
    output.parseval_error = Some(parseval_difference(before, there.over(n as f64)));
    let frequencies = transform::bin_frequencies(n, rate, sides == Sides::Two);
    let magnitudes: Vec<f64> = (0..values.len())
        .map(|k| values[k].norm() / sum * both(k))
        .collect();
    // Powers of amplitudes near the ends of the range are taken in other units.
    let most = magnitudes.iter().copied().fold(0.0, f64::max);
    let exponent = match most == 0.0 || (1e-100..1e100).contains(&most) {
        true => 0,
        false => exponent_of(most),
    };
    let magnitudes: Vec<f64> = magnitudes
        .into_iter()
        .map(|size| scale_by_exponent(size, -exponent))
        .collect();
    ctx.check()?;
    let search = peaks::PeakSearch {
        magnitudes: &magnitudes,
        window,
        samples: length,
        points: n,
        is_circular: sides == Sides::Two,
    };
    output.peaks = find_tones(&search, args.peaks, rate);
    for tone in &mut output.peaks {
        tone.amplitude = scale_by_exponent(tone.amplitude, exponent);
    }
    output.resolution = Some(half_width(window, length) * rate);
    output.frequencies = Some(frequencies);
    show_coefficients(&mut output, args.kind, &values, &shape, |k| both(k) / sum);
    Ok(output)
}

/// Full width at half of the power of a tone's peak, in cycles per sample.
pub(super) fn half_width(window: WindowFunction, length: usize) -> f64 {
    let weights = window.weights(length.min(2048));
    lobe::half_width(&weights) * weights.len() as f64 / length as f64
}

/// The parts of coefficients that are asked for.
fn show_coefficients(
    output: &mut Output,
    kind: Kind,
    values: &[Complex64],
    shape: &TransformShape,
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
