//! Data as a plot of characters.

use super::axis::AxisRange;
use super::braille::{BrailleChart, ChartCaptions, SYMBOLS};
use super::canvas::{PlotProjection, set_dots, trace_curve};
use super::series::{PlotPoints, PlotSeries, PlotType};
use crate::prelude::*;

/// Plot data as text: braille dots in a frame with ticks and labels, for a terminal or a chat.
///
/// Several series share one `x`; each has its own symbol, named in the legend. Draws any number of points.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Horizontal values, finite; length >= 1.
    pub x: Input<Vector>,
    /// Vertical values, finite: one list as long as `x`, or a list of up to 16 such lists (series); the `columns` of a `$file`
    /// are series by their names.
    pub y: Input<PlotSeries>,
    /// Style of the points: `line` joins them in the order given, `scatter` marks each, `bar` draws a bar from zero to each (one series).
    #[value(default)]
    pub plot_type: PlotType,
    /// With `line`: 0-based positions of series that are marked by points instead, such as data beside curves.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub points: Vec<usize>,
    /// Width of the whole text, in characters.
    #[value(default = "BoundedInteger::<10, 1000>::of::<80>")]
    pub width: BoundedInteger<10, 1000>,
    /// Rows of the plotting area; title, axis and legend come on top.
    #[value(default = "BoundedInteger::<2, 500>::of::<20>")]
    pub height: BoundedInteger<2, 500>,
    /// Line above the plot; empty for none.
    #[value(default = "default_title")]
    pub title: String,
    /// Line below the horizontal axis.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub x_label: Option<String>,
    /// Line above the vertical axis.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub y_label: Option<String>,
    /// One name per series, for the legend; absent: `y0`, `y1`, ... where there are several.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
}

/// The plot and what its axes show.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Output {
    /// The plot, lines joined by newlines.
    pub plot: String,
    /// Ends of the horizontal axis: the data and 5 % on each side; one value `v` gives `v - w, v + w`, `w = max(1, |v|/20)`.
    pub x_range: [f64; 2],
    /// Ends of the vertical axis, likewise over all series; bars start at zero, without a margin below it.
    pub y_range: [f64; 2],
    /// Points drawn, of all series together.
    pub n_points: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("plot_braille", "Plot data as text")
        .category(Category::Data)
        .tags(&["plot", "terminal"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "three points on a line":
            r#"{"x": [1, 2, 3], "y": [1, 2, 3], "width": 24, "height": 5, "title": "rising"}"#
            => concat!(
            r#"{"plot": ""#,
            r"          rising\n",
            r"3 ┤                 ⣀⠤⠒⠁\n",
            r"  │             ⣀⠤⠒⠉\n",
            r"2 ┤         ⣀⠤⠒⠉\n",
            r"  │    ⢀⡠⠤⠒⠉\n",
            r"1 ┤⢀⡠⠔⠊⠁\n",
            r"  └┬─────────┬─────────┬\n",
            r#"   1         2         3", "x_range": [0.9, 3.1], "y_range": [0.9, 3.1], "n_points": 3}"#,
        );
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let points = PlotPoints::load(&args.x, &args.y, args.labels.as_deref(), ctx)?;
        let several = points.series().len() > 1;
        if several && args.plot_type == PlotType::Bar {
            refuse!(invalid "/plot_type"; "bars of characters show one series, found several";
                "use `line` or `scatter`, or `plot_sixel`, which draws groups of bars");
        }
        check_points(&args, points.series().len())?;
        let (width, height) = (args.width.size(), args.height.size());
        ctx.reserve((width * height * 8) as u64)?;
        let (x, y) = axis_ranges(&points, args.plot_type);
        let mut chart = BrailleChart::new(x, y, width, height);
        match args.plot_type {
            PlotType::Line => {
                let (marked, joined): (Vec<usize>, Vec<usize>) =
                    (0..points.series().len()).partition(|index| args.points.contains(index));
                draw_curves(&mut chart, &points, &joined, ctx)?;
                draw_symbols(&mut chart, &points, &marked, ctx)?;
            }
            PlotType::Scatter if several => {
                let all: Vec<usize> = (0..points.series().len()).collect();
                draw_symbols(&mut chart, &points, &all, ctx)?;
            }
            PlotType::Scatter => {
                let (mut canvas, only) = (chart.canvas(), points.of(&points.series()[0]));
                set_dots(&mut canvas, &chart.dot_projection(), only, ctx)?;
                chart.draw(&canvas);
            }
            PlotType::Bar => draw_bars(&mut chart, &points, ctx)?,
        }
        let words = ChartCaptions {
            title: &args.title,
            x_label: args.x_label.as_deref(),
            y_label: args.y_label.as_deref(),
        };
        Ok(Output {
            plot: chart.text(&words, &legend_lines(&points, width)),
            x_range: x.ends(),
            y_range: y.ends(),
            n_points: points.x.len() * points.series().len(),
        })
    }
}

pub(crate) fn default_title() -> String {
    "Plot".to_owned()
}

/// The axes: data and margin; bars start at zero and are whole at the sides.
pub(crate) fn axis_ranges(points: &PlotPoints, plot_type: PlotType) -> (AxisRange, AxisRange) {
    let (x, y) = (points.x_extent(), points.y_extent());
    if plot_type != PlotType::Bar {
        return (
            AxisRange::with_margin(x.0, x.1),
            AxisRange::with_margin(y.0, y.1),
        );
    }
    let half = points.x_spacing().unwrap_or(0.0) / 2.0;
    let x = AxisRange::with_margin((x.0 - half).max(-f64::MAX), (x.1 + half).min(f64::MAX));
    let [low, high] = AxisRange::with_margin(y.0.min(0.0), y.1.max(0.0)).ends();
    let y = match y {
        (smallest, largest) if smallest >= 0.0 && largest > 0.0 => AxisRange::exact(0.0, high),
        (smallest, largest) if smallest < 0.0 && largest <= 0.0 => AxisRange::exact(low, 0.0),
        _ => AxisRange::exact(low, high),
    };
    (x, y)
}

/// Refuses series that do not exist, or are points anyway.
fn check_points(args: &Args, series: usize) -> Result<(), ToolError> {
    if let Some(place) = args.points.iter().position(|&index| index >= series) {
        let (found, last) = (args.points[place], series - 1);
        refuse!(invalid format!("/points/{place}"); "expected a position from 0 to {last}, found {found}");
    }
    if !args.points.is_empty() && args.plot_type != PlotType::Line {
        refuse!(invalid "/points"; "`points` are exceptions among lines"; "set `plot_type` to `line`, or leave `points` out");
    }
    Ok(())
}

/// Curves in dots, and along each of several the symbol of its series.
fn draw_curves(
    chart: &mut BrailleChart,
    points: &PlotPoints,
    joined: &[usize],
    ctx: &Ctx,
) -> Result<(), ToolError> {
    const MARKS: usize = 4;
    let projection = chart.dot_projection();
    let mut canvas = chart.canvas();
    for &index in joined {
        let series = points.of(&points.series()[index]);
        trace_curve(&mut canvas, &projection, series.map(Some), ctx)?;
    }
    chart.draw(&canvas);
    if points.series().len() == 1 {
        return Ok(());
    }
    let cells = chart.cell_projection();
    let count = points.x.len();
    for &index in joined {
        let series = &points.series()[index];
        // The marks of different series are shifted against each other, so that curves that meet keep theirs.
        let shift = (2 * index + 1) as f64 / (2 * points.series().len()) as f64;
        for mark in 0..MARKS {
            let place = (mark as f64 + shift) / MARKS as f64 * (count - 1) as f64;
            let at = (place.round() as usize).min(count - 1);
            put_symbol(chart, &cells, (points.x[at], series[at]), index);
        }
    }
    Ok(())
}

/// The symbol of its series at each point; where several meet, the first series shows.
fn draw_symbols(
    chart: &mut BrailleChart,
    points: &PlotPoints,
    marked: &[usize],
    ctx: &Ctx,
) -> Result<(), ToolError> {
    let cells = chart.cell_projection();
    for &index in marked.iter().rev() {
        let series = &points.series()[index];
        for (position, point) in points.of(series).enumerate() {
            if position % (1 << 14) == 0 {
                ctx.check()?;
            }
            put_symbol(chart, &cells, point, index);
        }
    }
    Ok(())
}

fn put_symbol(chart: &mut BrailleChart, cells: &PlotProjection, (x, y): (f64, f64), series: usize) {
    chart.put(cells.column(x), cells.row(y), SYMBOLS[series]);
}

/// Bars four fifths as wide as the smallest distance between them; where several fall on one column, the longest shows.
fn draw_bars(chart: &mut BrailleChart, points: &PlotPoints, ctx: &Ctx) -> Result<(), ToolError> {
    let cells = chart.cell_projection();
    let width = points.x_spacing().map_or(f64::INFINITY, |gap| {
        gap / 2.0 / cells.x.half_span() * cells.columns as f64
    });
    let width = (0.8 * width)
        .floor()
        .clamp(1.0, (cells.columns as f64 / 3.0).max(1.0)) as usize;
    let mut longest = vec![0.0_f64; cells.columns];
    for (position, (x, y)) in points.of(&points.series()[0]).enumerate() {
        if position % (1 << 14) == 0 {
            ctx.check()?;
        }
        let first = cells.column(x).saturating_sub((width - 1) / 2);
        for held in longest.iter_mut().skip(first).take(width) {
            if y.abs() > held.abs() {
                *held = y;
            }
        }
    }
    for (column, &value) in longest.iter().enumerate() {
        chart.bar(column, value);
    }
    Ok(())
}

/// The symbols and names of the series, as many to a line as fit.
fn legend_lines(points: &PlotPoints, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let several = points.series().len() > 1;
    for (index, name) in points.names.iter().enumerate() {
        let entry = if several {
            format!("{} {name}", SYMBOLS[index])
        } else {
            name.clone()
        };
        match lines.last_mut() {
            Some(line) if line.chars().count() + 3 + entry.chars().count() <= width => {
                line.push_str("   ");
                line.push_str(&entry);
            }
            _ => lines.push(entry),
        }
    }
    lines
}
