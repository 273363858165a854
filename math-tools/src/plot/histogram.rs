//! Counts of values in bins, as numbers and as a plot.

use super::axis::AxisRange;
use super::braille::{BrailleChart, ChartCaptions};
use super::series::value_extent;
use crate::prelude::*;

/// Count how often values fall into equal bins, and draw the counts as bars of text.
///
/// Bins are closed below and open above, the last closed at both ends.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Values, finite; length >= 1.
    pub data: Input<Vector>,
    /// Number of bins of equal width.
    #[value(default = "BoundedInteger::<1, 100_000>::of::<20>")]
    pub bins: BoundedInteger<1, 100_000>,
    /// Width of the whole text, in characters.
    #[value(default = "BoundedInteger::<10, 1000>::of::<80>")]
    pub width: BoundedInteger<10, 1000>,
    /// Rows of the plotting area; title and axis come on top.
    #[value(default = "BoundedInteger::<2, 500>::of::<20>")]
    pub height: BoundedInteger<2, 500>,
    /// Line above the plot; empty for none.
    #[value(default = "default_title")]
    pub title: String,
}

/// The counts and their plot.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Output {
    /// The plot, lines joined by newlines; where there are more bins than columns, a column shows its fullest bin.
    pub plot: String,
    /// Number of bins.
    pub n_bins: usize,
    /// Edges of the bins, rising, one more than bins: from the smallest to the largest value; one value `v` gives
    /// `v - w .. v + w`, `w = max(1, |v|/20)`.
    pub bin_edges: Vec<f64>,
    /// Values in each bin; their sum is the number of values.
    pub counts: Vec<u64>,
    /// Largest count.
    pub max_count: u64,
    /// Smallest and largest value.
    pub data_range: [f64; 2],
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("histogram", "Histogram as text")
        .category(Category::Data)
        .tags(&["plot", "terminal", "statistics"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one value in the lower half, two in the upper":
            r#"{"data": [0, 1, 2], "bins": 2, "width": 12, "height": 4}"#
            => concat!(
            r#"{"plot": ""#,
            r"   Histogram\n",
            r"2 ┤    █████\n",
            r"  │    █████\n",
            r"1 ┤█████████\n",
            r"0 ┤█████████\n",
            r"  └┬───────┬\n",
            r#"   0       2", "n_bins": 2, "bin_edges": [0.0, 1.0, 2.0], "counts": [1, 2],"#,
            r#" "max_count": 2, "data_range": [0.0, 2.0]}"#,
        );
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let data = args.data.load(ctx)?;
        if data.is_empty() {
            refuse!(invalid "/data", "empty"; "expected at least one value, found none");
        }
        let (bins, width, height) = (args.bins.size(), args.width.size(), args.height.size());
        ctx.reserve((width * height * 8 + bins * 16) as u64)?;
        let (smallest, largest) = value_extent(&data);
        let bin_edges = equal_bin_edges(AxisRange::exact(smallest, largest), bins);
        let counts = count_in_bins(&data, &bin_edges, ctx)?;
        let max_count = counts.iter().copied().max().unwrap_or(0);
        let chart = draw_bars(&bin_edges, &counts, width, height);
        let words = ChartCaptions {
            title: &args.title,
            ..ChartCaptions::default()
        };
        Ok(Output {
            plot: chart.text(&words, &[]),
            n_bins: bins,
            bin_edges,
            counts,
            max_count,
            data_range: [smallest, largest],
        })
    }
}

fn default_title() -> String {
    "Histogram".to_owned()
}

/// `bins + 1` edges, never falling.
fn equal_bin_edges(range: AxisRange, bins: usize) -> Vec<f64> {
    let [low, high] = range.ends();
    let mut highest = low;
    let mut edges: Vec<f64> = (0..=bins)
        .map(|index| {
            let part = index as f64 / bins as f64;
            highest = highest.max(low * (1.0 - part) + high * part).min(high);
            highest
        })
        .collect();
    edges[bins] = high;
    edges
}

/// Values in each bin.
///
/// The bin comes from a division; its edges then decide, so that counts and edges agree to the last bit.
fn count_in_bins(data: &[f64], edges: &[f64], ctx: &Ctx) -> Result<Vec<u64>, ToolError> {
    let bins = edges.len() - 1;
    let range = AxisRange::exact(edges[0], edges[bins]);
    let mut counts = vec![0; bins];
    for chunk in data.chunks(1 << 14) {
        ctx.check()?;
        for &value in chunk {
            let mut bin = ((range.fraction(value) * bins as f64) as usize).min(bins - 1);
            while bin > 0 && value < edges[bin] {
                bin -= 1;
            }
            while bin + 1 < bins && value >= edges[bin + 1] {
                bin += 1;
            }
            counts[bin] += 1;
        }
    }
    Ok(counts)
}

/// Bars side by side, from zero to the largest count.
fn draw_bars(edges: &[f64], counts: &[u64], width: usize, height: usize) -> BrailleChart {
    let bins = counts.len();
    let largest = counts.iter().copied().max().unwrap_or(0);
    let y = AxisRange::exact(0.0, (largest as f64).max(1.0));
    let mut chart = BrailleChart::new(AxisRange::exact(edges[0], edges[bins]), y, width, height);
    let columns = chart.size().0;
    for column in 0..columns {
        let first = column * bins / columns;
        let end = ((column + 1) * bins).div_ceil(columns);
        // A column that two bins share shows the one that holds its middle, so that a bar is as wide as its bin.
        let middle = (2 * column + 1) * bins / (2 * columns);
        let bins = match bins <= columns {
            true => middle..middle + 1,
            false => first..end,
        };
        let fullest = counts[bins].iter().copied().max().unwrap_or(0);
        chart.bar(column, fullest as f64);
    }
    chart
}
