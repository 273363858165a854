//! `fft`: the spectrum with its tones, or the samples of an inverse.

use std::sync::Arc;

use plots::{
    DataTable, LayerChannels, MarkKind, PlotColumn, PlotLayer, PlotSpecification, PlotTheme,
};

use super::result::DrawnResult;
use super::{
    AxisField, NaturalPicture, NaturalSize, WHOLE, channel, layer, plot_of, shared_table,
    short_number, table_of,
};
use crate::prelude::*;

/// Up to so many frequencies each has a stroke of its own.
const STROKES_MAX: usize = 64;

/// Tones that are named.
const TONES_MAX: usize = 8;

/// Values over frequencies.
struct DrawnSpectrum {
    frequencies: Vec<f64>,
    values: Vec<f64>,
    title: &'static str,
}

pub(super) fn draw_fft(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let size = NaturalSize {
        width: 720,
        height: 420,
    };
    if source.result.get("frequencies").is_none() {
        let samples = source.numbers("real")?;
        let index: Vec<f64> = (0..samples.len()).map(|index| index as f64).collect();
        let data = table_of(&[("index", &index), ("sample", &samples)])?;
        let mut picture = NaturalPicture::new("Samples", size);
        let (x, y) = axes(source, "index", "index", "sample", "sample");
        picture.add(WHOLE, plot_of(vec![layer(MarkKind::Line, &data, x, y)]));
        return Ok(picture);
    }
    let spectrum = read_spectrum(source)?;
    let has_rate = source.argument("rate").is_some();
    let unit = if has_rate {
        "frequency, Hz"
    } else {
        "frequency"
    };
    let (x, y) = axes(source, "frequency", unit, "value", spectrum.title);
    let data = table_of(&[
        ("frequency", &spectrum.frequencies),
        ("value", &spectrum.values),
    ])?;
    let is_power = source.result.get("power").is_some();
    let mut layers = match spectrum.values.len() <= STROKES_MAX && !is_power {
        true => stroke_layers(&data, &spectrum, (x, y), source.theme)?,
        false => vec![layer(MarkKind::Line, &data, x, y)],
    };
    layers.extend(tone_layers(source, &spectrum, x, y)?);
    let title = match is_power {
        true => "Power spectrum",
        false => "Spectrum",
    };
    let mut picture = NaturalPicture::new(title, size);
    let window = source.result.text("window").unwrap_or("none");
    picture.subtitle = format!("{} frequencies; window: {window}", spectrum.values.len());
    picture.add(
        WHOLE,
        PlotSpecification {
            layers,
            ..PlotSpecification::default()
        },
    );
    Ok(picture)
}

fn axes<'a>(
    source: &DrawnResult<'a>,
    x: &'static str,
    x_title: &'a str,
    y: &'static str,
    y_title: &'a str,
) -> (AxisField<'a>, AxisField<'a>) {
    (
        AxisField {
            field: x,
            title: source.x_label.unwrap_or(x_title),
        },
        AxisField {
            field: y,
            title: source.y_label.unwrap_or(y_title),
        },
    )
}

/// Amplitudes, or power in decibels, by rising frequency.
fn read_spectrum(source: &DrawnResult<'_>) -> Result<DrawnSpectrum, ToolError> {
    let frequencies = source.numbers("frequencies")?;
    let has = |name: &str| source.result.get(name).is_some();
    let (values, title) = if has("power") {
        let power = source.numbers("power")?;
        let above_zero = power.iter().copied().filter(|&power| power > 0.0);
        let least = above_zero
            .fold(f64::INFINITY, f64::min)
            .max(f64::MIN_POSITIVE);
        let decibels = power
            .iter()
            .map(|power| 10.0 * libm::log10(power.max(least).min(f64::MAX)));
        (decibels.collect(), "power, dB")
    } else if has("amplitude") {
        (source.numbers("amplitude")?, "amplitude")
    } else {
        let (real, imaginary) = (source.numbers("real")?, source.numbers("imaginary")?);
        let sizes = real.iter().zip(&imaginary).map(|(re, im)| re.hypot(*im));
        (sizes.collect::<Vec<f64>>(), "magnitude")
    };
    if values.len() != frequencies.len() || values.is_empty() {
        return Err(source.missing(
            "frequencies",
            "one frequency per value: of a list, not a matrix",
        ));
    }
    let mut pairs: Vec<(f64, f64)> = frequencies.into_iter().zip(values).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (frequencies, values) = pairs.into_iter().unzip();
    Ok(DrawnSpectrum {
        frequencies,
        values,
        title,
    })
}

/// A stroke from zero with a point at its end for each frequency.
fn stroke_layers(
    data: &Arc<DataTable>,
    spectrum: &DrawnSpectrum,
    (x, y): (AxisField<'_>, AxisField<'_>),
    theme: PlotTheme,
) -> Result<Vec<PlotLayer>, ToolError> {
    let zeros = vec![0.0; spectrum.values.len()];
    let strokes = table_of(&[
        ("frequency", &spectrum.frequencies),
        ("value", &spectrum.values),
        ("zero", &zeros),
    ])?;
    let mut rules = layer(MarkKind::Rule, &strokes, x, y);
    rules.channels.y2 = channel("zero", y.title);
    rules.style.stroke_width = Some(2.0);
    rules.style.colour = Some(theme.category(0));
    Ok(vec![rules, layer(MarkKind::Point, data, x, y)])
}

/// The named tones: a ring on the spectrum, and the frequency.
fn tone_layers(
    source: &DrawnResult<'_>,
    spectrum: &DrawnSpectrum,
    x: AxisField<'_>,
    y: AxisField<'_>,
) -> Result<Vec<PlotLayer>, ToolError> {
    let tones = source.result.items_at("peaks");
    let tones = tones
        .iter()
        .filter_map(|tone| tone.get("frequency")?.as_f64());
    let mut places = Vec::new();
    let mut heights = Vec::new();
    let mut names = Vec::new();
    for frequency in tones.take(TONES_MAX) {
        let distance = |index: &usize| (spectrum.frequencies[*index] - frequency).abs();
        let nearest = (0..spectrum.values.len())
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap_or(0);
        places.push(spectrum.frequencies[nearest]);
        heights.push(spectrum.values[nearest]);
        names.push(short_number(frequency));
    }
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let data = shared_table(vec![
        PlotColumn::of_numbers(x.field, places),
        PlotColumn::of_numbers(y.field, heights),
        PlotColumn::of_texts("tone", names.iter().map(|name| Some(name.as_str()))),
    ])?;
    let mut points = layer(MarkKind::Point, &data, x, y);
    points.style.size = Some(70.0);
    points.style.is_filled = Some(false);
    points.style.colour = Some(source.theme.category(1));
    let mut texts = layer(MarkKind::Text, &data, x, y);
    texts.channels = LayerChannels {
        text: channel("tone", ""),
        ..texts.channels
    };
    texts.style.shift = (0.0, -13.0);
    Ok(vec![points, texts])
}
