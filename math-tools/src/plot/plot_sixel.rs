//! Data as a picture for terminals.

use crate::prelude::did_you_mean;
use tool_core::{
    BoundedInteger, Category, Ctx, Decode, Describe, Encode, Input, Spec, Tool, ToolError,
    ToolExample, Vector,
};

use super::canvas::{set_dots, trace_curve};
use super::figure::{BASE, FIRST, FigureCaptions, PlotFigure};
use super::plot_braille::{axis_ranges, default_title};
use super::raster::{PenNib, PixelArea};
use super::series::{PlotPoints, PlotSeries, PlotType, printable_text};
use super::sixel::{Rgb, encode_sixel};

/// Plot data as a sixel picture with axes, ticks, grid, labels and legend, for terminals that show sixel graphics.
///
/// Several series share one `x`, each in its colour. For a chat or a plain terminal use `plot_braille`.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Horizontal values, finite; length >= 1.
    pub x: Input<Vector>,
    /// Vertical values, finite: one list as long as `x`, or a list of up to 16 such lists (series); the `columns` of a `$file`
    /// are series by their names.
    pub y: Input<PlotSeries>,
    /// Style of the points: `line` joins them in the order given, `scatter` marks each, `bar` draws a bar from zero to each.
    #[value(default)]
    pub plot_type: PlotType,
    /// Width of the picture in pixels.
    #[value(default = "BoundedInteger::<100, 2000>::of::<800>")]
    pub width: BoundedInteger<100, 2000>,
    /// Height of the picture in pixels.
    #[value(default = "BoundedInteger::<50, 1000>::of::<400>")]
    pub height: BoundedInteger<50, 1000>,
    /// Line above the plot; empty for none. The font has the printable ASCII characters, others show as a box.
    #[value(default = "default_title")]
    pub title: String,
    /// Line below the horizontal axis.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub x_label: Option<String>,
    /// Line beside the vertical axis, running upwards.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub y_label: Option<String>,
    /// One name per series, for the legend; absent: `y0`, `y1`, ... where there are several.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// Colours of the series in order: `#rrggbb`, `#rgb` or one of blue, orange, green, red, purple, brown, pink, gray, olive, cyan, black; those not given follow in that order.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub colors: Option<Vec<String>>,
}

/// The picture and what its axes show.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Output {
    /// The picture: an escape sequence to print as it is.
    #[schema(extend("contentMediaType" = "image/x-sixel"))]
    pub sixel: String,
    /// Always `sixel`.
    pub format: String,
    /// Size of the picture.
    pub dimensions: PictureDimensions,
    /// Ends of the horizontal axis: the data and 5 % on each side; one value `v` gives `v - w, v + w`, `w = max(1, |v|/20)`.
    pub x_range: [f64; 2],
    /// Ends of the vertical axis, likewise over all series; bars start at zero, without a margin below it.
    pub y_range: [f64; 2],
    /// Points drawn, of all series together.
    pub n_points: usize,
}

/// Size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
pub(crate) struct PictureDimensions {
    /// Columns of pixels.
    pub width: usize,
    /// Rows of pixels.
    pub height: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("plot_sixel", "Plot data as a sixel picture")
        .category(Category::Data)
        .tags(&["plot", "terminal", "picture"]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let points = PlotPoints::load(&args.x, &args.y, args.labels.as_deref(), ctx)?;
        let colours = args.colors.as_deref().unwrap_or_default();
        let palette = series_palette(colours, points.series().len())?;
        let (width, height) = (args.width.size(), args.height.size());
        // A picture costs a byte per pixel; its text at worst one byte per column, band and colour.
        ctx.reserve((width * height * (1 + palette.len() / 6)) as u64)?;
        let (x, y) = axis_ranges(&points, args.plot_type);
        let words = FigureCaptions {
            title: &printable_text(&args.title),
            x_label: &printable_text(args.x_label.as_deref().unwrap_or_default()),
            y_label: &printable_text(args.y_label.as_deref().unwrap_or_default()),
            names: &points.names,
        };
        let mut figure = PlotFigure::new(x, y, (width, height), &words);
        draw_series(&mut figure, &points, args.plot_type, ctx)?;
        figure.frame(args.plot_type == PlotType::Bar);
        Ok(Output {
            sixel: encode_sixel(&figure.raster, &palette),
            format: "sixel".to_owned(),
            dimensions: PictureDimensions { width, height },
            x_range: x.ends(),
            y_range: y.ends(),
            n_points: points.x.len() * points.series().len(),
        })
    }

    fn examples() -> Vec<ToolExample<Args, Output>> {
        vec![ToolExample {
            title: "three points on a line, as a small picture",
            args: Args {
                x: Input::inline([1.0, 2.0, 3.0]),
                y: Input::inline([1.0, 2.0, 3.0]),
                plot_type: PlotType::Line,
                width: BoundedInteger::literal(100),
                height: BoundedInteger::literal(50),
                title: String::new(),
                x_label: None,
                y_label: None,
                labels: None,
                colors: None,
            },
            output: Output {
                sixel: include_str!("golden/example.sixel").to_owned(),
                format: "sixel".to_owned(),
                dimensions: PictureDimensions {
                    width: 100,
                    height: 50,
                },
                x_range: [0.9, 3.1],
                y_range: [0.9, 3.1],
                n_points: 3,
            },
        }]
    }
}

fn draw_series(
    figure: &mut PlotFigure,
    points: &PlotPoints,
    plot_type: PlotType,
    ctx: &Ctx,
) -> Result<(), ToolError> {
    /// More marks than this get small ones, so that they still show where they are dense.
    const LARGE_MARKS_MAX: usize = 2000;
    let projection = figure.projection;
    let small = points.x.len() > LARGE_MARKS_MAX;
    for (index, series) in points.series().iter().enumerate() {
        let colour = FIRST + index as u8;
        match plot_type {
            PlotType::Line => {
                let nib = PenNib::Square(figure.scale);
                let mut pen = figure.raster.pen(figure.area, nib, colour);
                trace_curve(&mut pen, &projection, points.of(series).map(Some), ctx)?;
            }
            PlotType::Scatter => {
                let radius = if small { 1 } else { 2 } * figure.scale - 1;
                let mut pen = figure.raster.pen(figure.area, PenNib::Disc(radius), colour);
                set_dots(&mut pen, &projection, points.of(series), ctx)?;
            }
            PlotType::Bar => draw_bars(figure, points, index, ctx)?,
        }
    }
    Ok(())
}

/// The bars of one series; those of several stand side by side, all together four fifths as wide as the smallest distance.
fn draw_bars(
    figure: &mut PlotFigure,
    points: &PlotPoints,
    series: usize,
    ctx: &Ctx,
) -> Result<(), ToolError> {
    let (projection, area) = (figure.projection, figure.area);
    let gap = points.x_spacing().map_or(area.width as f64 / 2.0, |gap| {
        gap / 2.0 / projection.x.half_span() * area.width as f64
    });
    let count = points.series().len();
    let width = (0.8 * gap / count as f64).floor();
    let width = width.clamp(1.0, area.width as f64) as usize;
    let zero = projection.row(0.0);
    for (position, (x, y)) in points.of(&points.series()[series]).enumerate() {
        if position % (1 << 10) == 0 {
            ctx.check()?;
        }
        let left = (projection.column(x) + series * width).saturating_sub(count * width / 2);
        let row = projection.row(y);
        let bar = PixelArea {
            left: area.left + left,
            top: area.top + row.min(zero),
            width: width.min(area.width.saturating_sub(left)),
            height: row.abs_diff(zero) + 1,
        };
        figure.raster.fill(bar, FIRST + series as u8);
    }
    Ok(())
}

/// The colours of the series where the caller names none, and the names to call them by.
const COLOURS: [(&str, Rgb); 11] = [
    ("blue", [31, 119, 180]),
    ("orange", [255, 127, 14]),
    ("green", [44, 160, 44]),
    ("red", [214, 39, 40]),
    ("purple", [148, 103, 189]),
    ("brown", [140, 86, 75]),
    ("pink", [227, 119, 194]),
    ("gray", [127, 127, 127]),
    ("olive", [188, 189, 34]),
    ("cyan", [23, 190, 207]),
    ("black", [0, 0, 0]),
];

/// All colours of a picture: those of the figure, then one for each series.
fn series_palette(names: &[String], series: usize) -> Result<Vec<Rgb>, ToolError> {
    if names.len() > series {
        let found = names.len();
        refuse!(invalid "/colors", "shape";
            "expected at most one colour for each of {series} series, found {found}");
    }
    let mut palette = BASE.to_vec();
    for index in 0..series {
        palette.push(match names.get(index) {
            Some(name) => parse_colour(name).ok_or_else(|| unknown_colour(name, index))?,
            None => COLOURS[index % COLOURS.len()].1,
        });
    }
    Ok(palette)
}

fn parse_colour(name: &str) -> Option<Rgb> {
    let Some(digits) = name.strip_prefix('#') else {
        let name = name.to_ascii_lowercase().replace("grey", "gray");
        let found = COLOURS.iter().find(|(known, _)| *known == name);
        return found.map(|(_, colour)| *colour);
    };
    let values = digits
        .chars()
        .map(|digit| digit.to_digit(16).map(|value| value as u8));
    let values: Vec<u8> = values.collect::<Option<_>>()?;
    match values.as_slice() {
        [r, g, b] => Some([r * 17, g * 17, b * 17]),
        [r, red, g, green, b, blue] => Some([r * 16 + red, g * 16 + green, b * 16 + blue]),
        _ => None,
    }
}

fn unknown_colour(name: &str, index: usize) -> ToolError {
    let shown: String = printable_text(name).chars().take(40).collect();
    let message = format!("expected a colour, found `{shown}`");
    let near = did_you_mean(name, COLOURS.iter().map(|(known, _)| *known));
    let forms = "write `#rrggbb`, `#rgb` or a name such as `blue`";
    ToolError::invalid(format!("/colors/{index}"), message).hint(near.as_deref().unwrap_or(forms))
}
