//! `kernel_density`: the density as an area, and the sample as strokes below it.

use plots::MarkKind;

use super::result::{DrawnResult, column_numbers};
use super::{
    AxisField, NaturalPicture, NaturalSize, WHOLE, channel, layer, plot_of, short_number, table_of,
};
use crate::prelude::*;

/// Most values that are drawn as strokes.
const STROKES_MAX: usize = 2000;

pub(super) fn draw_kernel_density(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let (places, heights) = (source.numbers("x")?, source.numbers("density")?);
    if places.is_empty() || places.len() != heights.len() {
        return Err(source.missing("density", "one density for each place of `x`"));
    }
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    let pick = |values: &[f64]| order.iter().map(|&at| values[at]).collect::<Vec<f64>>();
    let data = table_of(&[
        ("value", &pick(&places)),
        ("density", &pick(&heights)),
        ("zero", &vec![0.0; places.len()]),
    ])?;
    let x = AxisField {
        field: "value",
        title: source.x_label.or(source.x).unwrap_or("value"),
    };
    let y = AxisField {
        field: "density",
        title: source.y_label.unwrap_or("density"),
    };
    let colour = Some(source.theme.category(0));
    let mut area = layer(MarkKind::Band, &data, x, y);
    area.channels.y2 = channel("zero", y.title);
    area.style.colour = colour;
    let mut line = layer(MarkKind::Line, &data, x, y);
    line.style.colour = colour;
    line.style.stroke_width = Some(2.0);
    let mut layers = vec![area, line];
    let top = heights.iter().copied().fold(0.0, f64::max);
    let sample = sample_values(source).filter(|sample| sample.len() <= STROKES_MAX);
    if let Some(sample) = sample {
        // Strokes as high as a thirtieth of the density stand on the axis.
        let table = table_of(&[
            ("value", &sample),
            ("density", &vec![0.0; sample.len()]),
            ("top", &vec![top / 30.0; sample.len()]),
        ])?;
        let mut strokes = layer(MarkKind::Rule, &table, x, y);
        strokes.channels.y2 = channel("top", y.title);
        strokes.style.colour = Some(source.theme.ink());
        strokes.style.stroke_width = Some(1.0);
        strokes.style.opacity = Some(0.5);
        layers.push(strokes);
    }
    let size = NaturalSize {
        width: 720,
        height: 450,
    };
    let mut picture = NaturalPicture::new("Density", size);
    let number = |name: &str| short_number(source.number(name).unwrap_or(f64::NAN));
    picture.subtitle = format!(
        "{} values, bandwidth {}, highest at {}",
        number("n"),
        number("bandwidth"),
        number("mode")
    );
    picture.add(WHOLE, plot_of(layers));
    Ok(picture)
}

/// The sample, where it is known: a column of `data`, or the list of the call.
fn sample_values(source: &DrawnResult<'_>) -> Option<Vec<f64>> {
    let mut values = match (&source.data, source.x) {
        (Some(table), Some(name)) => column_numbers(table, name)?,
        (Some(_), None) => return None,
        (None, _) => source.call_input::<Vector>("data").ok()??.to_vec(),
    };
    values.retain(|value| value.is_finite());
    Some(values).filter(|values| !values.is_empty())
}
