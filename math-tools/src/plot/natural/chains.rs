//! `mcmc`: the trace of each variable, and the distributions of all variables and pairs of them (a corner plot).

use std::sync::Arc;

use plots::{
    ChannelDefinition, DataTable, MarkKind, PartPlace, PlotColumn, PlotLayer, PlotSpecification,
};

use super::result::{DrawnResult, NumberRows};
use super::{
    AxisField, NaturalPicture, NaturalSize, WHOLE, layer, plot_of, shared_table, short_number,
    table_of,
};
use crate::prelude::*;

/// Most variables; of more, the first ones.
const VARIABLES_MAX: usize = 5;

/// Most chains whose traces are drawn.
const CHAINS_MAX: usize = 8;

/// Points of a trace: each chain by every so many draws.
const TRACE_POINTS: usize = 2_000;

/// Points of a pair: draws that are equally far apart.
const PAIR_POINTS: usize = 3_000;

/// Draws by chain.
struct ChainDraws {
    names: Vec<String>,
    /// One set of rows a chain.
    chains: Vec<NumberRows>,
}

impl ChainDraws {
    fn of_result(source: &DrawnResult<'_>) -> Result<Self, ToolError> {
        let Some(samples) = source.result.get("samples").and_then(Value::items) else {
            refuse!(invalid "/result/samples", "missing"; "the result has no draws to draw";
                "call `mcmc` with `return_samples` true, or pass its result from a plan or a file");
        };
        let chains: Option<Vec<NumberRows>> = samples.iter().map(NumberRows::of_value).collect();
        let chains = chains.filter(|chains| {
            let width = chains.first().map_or(0, |chain| chain.width);
            width > 0 && chains.iter().all(|chain| chain.width == width)
        });
        let chains =
            chains.ok_or_else(|| source.missing("samples", "draws as [chain][draw][dimension]"))?;
        let given = source.result.items_at("names");
        let name = |index: usize| {
            let given = given.get(index).and_then(Value::as_str);
            given.map_or_else(|| format!("x{index}"), str::to_owned)
        };
        Ok(Self {
            names: (0..chains[0].width).map(name).collect(),
            chains,
        })
    }

    /// All draws of a variable, chain after chain.
    fn values(&self, variable: usize) -> Vec<f64> {
        let chains = self.chains.iter();
        chains.flat_map(|chain| chain.column(variable)).collect()
    }

    fn trace(&self, variable: usize) -> Result<PlotSpecification, ToolError> {
        let mut draws = Vec::new();
        let mut values = Vec::new();
        let mut names = Vec::new();
        for (number, chain) in self.chains.iter().take(CHAINS_MAX).enumerate() {
            let step = chain.len().div_ceil(TRACE_POINTS).max(1);
            for (draw, value) in chain.column(variable).into_iter().enumerate() {
                if draw % step == 0 {
                    draws.push(draw as f64);
                    values.push(value);
                    names.push(format!("chain {}", number + 1));
                }
            }
        }
        let data = shared_table(vec![
            PlotColumn::of_numbers("draw", draws),
            PlotColumn::of_numbers("value", values),
            PlotColumn::of_texts("chain", names.iter().map(|name| Some(name.as_str()))),
        ])?;
        let x = AxisField {
            field: "draw",
            title: "draw",
        };
        let y = AxisField {
            field: "value",
            title: &self.names[variable],
        };
        let mut lines = layer(MarkKind::Line, &data, x, y);
        lines.channels.color = Some(ChannelDefinition {
            is_hidden: true,
            ..ChannelDefinition::of_field("chain")
        });
        lines.style.stroke_width = Some(0.9);
        lines.style.opacity = Some(0.75);
        Ok(plot_of(vec![lines]))
    }

    fn distribution(&self, variable: usize) -> Result<PlotSpecification, ToolError> {
        let data = table_of(&[("value", &self.values(variable))])?;
        let x = AxisField {
            field: "value",
            title: &self.names[variable],
        };
        let mut bars: PlotLayer = layer(MarkKind::Histogram, &data, x, x);
        bars.channels.y = None;
        Ok(plot_of(vec![bars]))
    }

    fn pair(&self, across: usize, down: usize) -> Result<PlotSpecification, ToolError> {
        let (x, y) = (self.values(across), self.values(down));
        let step = x.len().div_ceil(PAIR_POINTS).max(1);
        let thin = |values: &[f64]| values.iter().step_by(step).copied().collect::<Vec<_>>();
        let data: Arc<DataTable> = table_of(&[("x", &thin(&x)), ("y", &thin(&y))])?;
        let (x, y) = (
            AxisField {
                field: "x",
                title: &self.names[across],
            },
            AxisField {
                field: "y",
                title: &self.names[down],
            },
        );
        let mut points = layer(MarkKind::Point, &data, x, y);
        points.style.size = Some(5.0);
        points.style.opacity = Some(0.25);
        Ok(plot_of(vec![points]))
    }
}

pub(super) fn draw_mcmc(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let draws = ChainDraws::of_result(source)?;
    let count = draws.names.len().min(VARIABLES_MAX);
    let side = 150 + 150 * count as u32;
    let size = NaturalSize {
        width: if count == 1 {
            900
        } else {
            (side * 2).min(1400)
        },
        height: if count == 1 { 320 } else { side.min(800) },
    };
    let mut picture = NaturalPicture::new("Draws of the chains", size);
    picture.subtitle = chain_words(source, &draws, count);
    let left = PartPlace {
        width: 0.42,
        ..WHOLE
    };
    let right = PartPlace {
        left: 0.42,
        width: 0.58,
        ..WHOLE
    };
    for variable in 0..count {
        let mut trace = draws.trace(variable)?;
        if variable + 1 < count {
            hide_axis_title(&mut trace, true);
        }
        picture.add(left.inner(PartPlace::of_cell(variable, count, 0, 1)), trace);
    }
    for down in 0..count {
        for across in 0..=down {
            let mut part = match across == down {
                true => draws.distribution(across)?,
                false => draws.pair(across, down)?,
            };
            if down + 1 < count {
                hide_axis_title(&mut part, true);
            }
            if across > 0 || down == 0 {
                hide_axis_title(&mut part, false);
            }
            picture.add(
                right.inner(PartPlace::of_cell(down, count, across, count)),
                part,
            );
        }
    }
    Ok(picture)
}

/// Removes the title of the axis across, or of the one upwards.
fn hide_axis_title(part: &mut PlotSpecification, is_across: bool) {
    for layer in &mut part.layers {
        let channel = if is_across {
            &mut layer.channels.x
        } else {
            // A histogram counts without a channel: with one of rows its title can be left out.
            let rows = plots::ChannelSource::Rows;
            layer
                .channels
                .y
                .get_or_insert_with(|| ChannelDefinition::of_source(rows));
            &mut layer.channels.y
        };
        if let Some(channel) = channel {
            channel.title = Some(String::new());
        }
    }
}

fn chain_words(source: &DrawnResult<'_>, draws: &ChainDraws, drawn: usize) -> String {
    let each = draws.chains.first().map_or(0, NumberRows::len);
    let mut words = vec![format!("{} chains of {each} draws", draws.chains.len())];
    let worst = |name: &str, pick: fn(f64, f64) -> f64| {
        let values = source.numbers(name).ok()?;
        values
            .into_iter()
            .filter(|value| value.is_finite())
            .reduce(pick)
    };
    if let Some(rhat) = worst("rhat", f64::max) {
        words.push(format!("largest R-hat {}", short_number(rhat)));
    }
    if let Some(ess) = worst("ess", f64::min) {
        words.push(format!(
            "smallest effective size {}",
            plots::readable_number(ess, 3)
        ));
    }
    if drawn < draws.names.len() {
        words.push(format!(
            "the first {drawn} of {} variables",
            draws.names.len()
        ));
    }
    words.join(", ")
}
