//! A spectrum, or the samples of an inverse, as text.

use super::Output;
use crate::linalg::solve::Rhs;
use crate::plot::{plot_braille, series};
use crate::prelude::*;

/// Draws lists; matrices are not drawn.
pub(super) fn plot_spectrum(
    output: &Output,
    rate: Option<Positive>,
    ctx: &Ctx,
) -> Result<Option<String>, ToolError> {
    let list = |rhs: &Option<Rhs>| match rhs {
        Some(Rhs::One(values)) => Some(values.to_vec()),
        _ => None,
    };
    let unit = if rate.is_some() {
        "Hz"
    } else {
        "cycles per sample"
    };
    if let (Some(frequencies), Some(power)) = (&output.frequencies, &output.power) {
        let least = power
            .iter()
            .copied()
            .filter(|&p| p > 0.0)
            .fold(f64::INFINITY, f64::min);
        let decibels = |&power: &f64| 10.0 * libm::log10(power.max(least).max(f64::MIN_POSITIVE));
        let points = frequencies.iter().copied().zip(power.iter().map(decibels));
        let (x, y) = ascending_frequencies(points.collect());
        return plot_line(x, y, "power, dB", unit, ctx).map(Some);
    }
    let Some(frequencies) = &output.frequencies else {
        let Some(samples) = list(&output.real) else {
            return Ok(None);
        };
        let x = (0..samples.len()).map(|j| j as f64).collect();
        return plot_line(x, samples, "samples", "index", ctx).map(Some);
    };
    let amplitudes = match (list(&output.real), list(&output.imaginary)) {
        (Some(re), Some(im)) => re.iter().zip(&im).map(|(re, im)| re.hypot(*im)).collect(),
        _ => match list(&output.amplitude) {
            Some(amplitudes) => amplitudes,
            None => return Ok(None),
        },
    };
    let title = if output.real.is_some() {
        "magnitude"
    } else {
        "amplitude"
    };
    let (x, y) = ascending_frequencies(frequencies.iter().copied().zip(amplitudes).collect());
    plot_line(x, y, title, unit, ctx).map(Some)
}

/// Points in the order of their frequencies.
fn ascending_frequencies(mut points: Vec<(f64, f64)>) -> (Vec<f64>, Vec<f64>) {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.into_iter().unzip()
}

/// A line over an axis.
pub(in crate::signal) fn plot_line(
    x: Vec<f64>,
    y: Vec<f64>,
    title: &str,
    x_label: &str,
    ctx: &Ctx,
) -> Result<String, ToolError> {
    let args = plot_braille::Args {
        x: Input::inline(x),
        y: Input::Inline(series::PlotSeries(std::sync::Arc::new(vec![Vector::from(
            y,
        )]))),
        plot_type: series::PlotType::Line,
        points: Vec::new(),
        width: BoundedInteger::literal(72),
        height: BoundedInteger::literal(14),
        title: title.to_owned(),
        x_label: Some(x_label.to_owned()),
        y_label: None,
        labels: None,
    };
    plot_braille::Args::run(args, ctx).map(|output| output.plot)
}
