//! `survival`: curves in steps with their bands, or the hazard ratios of a Cox regression with their intervals.

use plots::{
    CategoryOrder, ChannelDefinition, MarkKind, PlotColumn, PlotLayer, PlotSpecification,
    ScaleShape,
};

use super::result::DrawnResult;
use super::{
    AxisField, NaturalPicture, NaturalSize, WHOLE, channel, layer, plot_of, shared_table,
    short_number, table_of,
};
use crate::prelude::*;

/// Most groups with a curve of their own; of more, the first ones.
const GROUPS_MAX: usize = 8;

/// Most terms of a Cox regression; of more, the first ones.
const TERMS_MAX: usize = 40;

pub(super) fn draw_survival(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    match source
        .result
        .get("terms")
        .is_some_and(|terms| !terms.is_null())
    {
        true => draw_ratios(source),
        false => draw_curves(source),
    }
}

/// Points of the curves of all groups.
#[derive(Default)]
struct SurvivalSteps {
    groups: Vec<String>,
    times: Vec<f64>,
    survival: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl SurvivalSteps {
    fn add(&mut self, group: &str, time: f64, [survival, low, high]: [f64; 3]) {
        self.groups.push(group.to_owned());
        self.times.push(time);
        self.survival.push(survival);
        self.low.push(low);
        self.high.push(high);
    }

    /// From time 0, where all survive, to the last time of each group.
    fn of_result(source: &DrawnResult<'_>, groups: &[Value]) -> Result<Self, ToolError> {
        let rows = source.result.items_at("curve");
        if rows.is_empty() {
            refuse!(invalid "/result/curve", "empty"; "the result has no curve to draw";
                "call `survival` with `points` above 0, on data with an event");
        }
        let mut steps = Self::default();
        for group in groups.iter().take(GROUPS_MAX) {
            let name = group.text("group").unwrap_or_default();
            let mut last = [1.0; 3];
            steps.add(name, 0.0, last);
            for row in rows.iter().filter(|row| row.text("group") == Some(name)) {
                let number = |field: &str| {
                    let found = row.get(field).and_then(Value::as_f64);
                    found.ok_or_else(|| source.missing("curve", "rows of numbers"))
                };
                last = [number("survival")?, number("lower")?, number("upper")?];
                steps.add(name, number("time")?, last);
            }
            if let Some(end) = group.get("last_time").and_then(Value::as_f64) {
                steps.add(name, end, last);
            }
        }
        Ok(steps)
    }
}

fn draw_curves(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let groups = source.result.items_at("groups");
    let steps = SurvivalSteps::of_result(source, &groups)?;
    let data = shared_table(vec![
        PlotColumn::of_numbers("time", steps.times),
        PlotColumn::of_numbers("survival", steps.survival),
        PlotColumn::of_numbers("low", steps.low),
        PlotColumn::of_numbers("high", steps.high),
        PlotColumn::of_texts(
            "group",
            steps.groups.iter().map(|group| Some(group.as_str())),
        ),
    ])?;
    let time = source.argument("time").and_then(Value::as_str);
    let x = AxisField {
        field: "time",
        title: source.x_label.or(time).unwrap_or("time"),
    };
    let y = |field: &'static str| AxisField {
        field,
        title: source.y_label.unwrap_or("share that survives"),
    };
    let mut band = layer(MarkKind::Band, &data, x, y("low"));
    band.channels.y2 = channel("high", y("low").title);
    let mut line = layer(MarkKind::Line, &data, x, y("survival"));
    line.style.stroke_width = Some(2.2);
    let name = source.argument("group").and_then(Value::as_str);
    for steps in [&mut band, &mut line] {
        steps.style.interpolation = plots::LineInterpolation::StepAfter;
        steps.style.keeps_order = true;
        if let Some(y) = &mut steps.channels.y {
            y.scale.domain = Some([0.0, 1.0]);
        }
        steps.channels.color = Some(ChannelDefinition {
            title: Some(name.unwrap_or_default().to_owned()),
            order: CategoryOrder::AsInData,
            kind: Some(plots::FieldKind::Category),
            is_hidden: groups.len() == 1,
            ..ChannelDefinition::of_field("group")
        });
    }
    band.style.opacity = Some(0.18);
    let size = NaturalSize {
        width: 760,
        height: 480,
    };
    let mut picture = NaturalPicture::new("Survival", size);
    picture.subtitle = curve_words(source, &groups);
    picture.add(WHOLE, plot_of(vec![band, line]));
    Ok(picture)
}

/// The test between groups, or the median of the one group.
fn curve_words(source: &DrawnResult<'_>, groups: &[Value]) -> String {
    let count = |name: &str| short_number(source.number(name).unwrap_or(0.0));
    let mut words = vec![format!("{} events in {} rows", count("events"), count("n"))];
    let test = source.result.get("test").and_then(|test| test.text("apa"));
    words.extend(test.map(|apa| format!("log-rank {apa}")));
    if let ([only], None) = (groups, test)
        && let Some(median) = only.get("median").and_then(Value::as_f64)
    {
        words.push(format!("at most half survive {}", short_number(median)));
    }
    if groups.len() > GROUPS_MAX {
        words.push(format!("the first {GROUPS_MAX} of {} groups", groups.len()));
    }
    words.join("; ")
}

/// Hazard ratios on a logarithmic axis, with the ratio 1 of no effect.
fn draw_ratios(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let terms = source.result.items_at("terms");
    let mut names: Vec<String> = Vec::new();
    let (mut ratios, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    for term in terms.iter().take(TERMS_MAX) {
        let number = |name: &str| term.get(name).and_then(Value::as_f64);
        let is_drawn = |value: &f64| *value > 0.0 && *value <= 1e300;
        // A ratio beyond the axis is left out, as the result leaves out what is beyond doubles.
        if let (Some(ratio), Some(from), Some(to)) = (
            number("ratio").filter(is_drawn),
            number("ratio_lower").filter(is_drawn),
            number("ratio_upper").filter(is_drawn),
        ) {
            names.push(term.text("name").unwrap_or_default().to_owned());
            ratios.push(ratio);
            low.push(from);
            high.push(to);
        }
    }
    if names.is_empty() {
        refuse!(invalid "/result/terms", "empty"; "the result has no hazard ratio that can be drawn";
            "look at the terms: their ratios are 0 or beyond the range of an axis");
    }
    let size = NaturalSize {
        width: 760,
        height: 170 + 34 * names.len() as u32,
    };
    let mut picture = NaturalPicture::new("Hazard ratios", size);
    picture.subtitle = ratio_words(source, names.len(), terms.len());
    let table = shared_table(vec![
        PlotColumn::of_numbers("ratio", ratios),
        PlotColumn::of_numbers("low", low),
        PlotColumn::of_numbers("high", high),
        PlotColumn::of_texts("name", names.iter().map(|name| Some(name.as_str()))),
    ])?;
    picture.add(WHOLE, ratio_plot(source, &table, names)?);
    Ok(picture)
}

fn ratio_plot(
    source: &DrawnResult<'_>,
    table: &std::sync::Arc<plots::DataTable>,
    names: Vec<String>,
) -> Result<PlotSpecification, ToolError> {
    let x = |field: &'static str| AxisField {
        field,
        title: source.x_label.unwrap_or("hazard ratio"),
    };
    let y = AxisField {
        field: "name",
        title: "",
    };
    let mut bars = layer(MarkKind::Rule, table, x("low"), y);
    bars.channels.x2 = channel("high", x("low").title);
    bars.style.stroke_width = Some(3.0);
    let mut points = layer(MarkKind::Point, table, x("ratio"), y);
    points.style.size = Some(90.0);
    let mut one = layer(
        MarkKind::Rule,
        &table_of(&[("ratio", &[1.0])])?,
        x("ratio"),
        y,
    );
    one.channels.y = None;
    one.style.colour = Some(source.theme.soft_ink());
    one.style.dashes = vec![5.0, 4.0];
    for mark in [&mut bars, &mut points] {
        mark.style.colour = Some(source.theme.category(0));
        if let Some(y) = &mut mark.channels.y {
            y.order = CategoryOrder::Given(names.clone());
        }
    }
    let mut layers: Vec<PlotLayer> = vec![bars, points, one];
    for x in layers
        .iter_mut()
        .filter_map(|layer| layer.channels.x.as_mut())
    {
        x.scale.shape = ScaleShape::Logarithmic;
    }
    Ok(plot_of(layers))
}

fn ratio_words(source: &DrawnResult<'_>, drawn: usize, all: usize) -> String {
    let count = |name: &str| short_number(source.number(name).unwrap_or(0.0));
    let mut words = vec![format!("{} events in {} rows", count("events"), count("n"))];
    let fit = source.result.get("fit");
    if let Some(concordance) = fit.and_then(|fit| fit.get("concordance")?.as_f64()) {
        words.push(format!("concordance {}", short_number(concordance)));
    }
    if drawn < all {
        words.push(format!("{drawn} of {all} terms"));
    }
    words.join("; ")
}
