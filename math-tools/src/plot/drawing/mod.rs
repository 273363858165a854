//! Tables as pictures.

pub(super) mod call;
mod fields;
mod short;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use plots::{
    DataTable, PictureContent, PictureFormat, PictureReading, PlotComposition, PlotError,
    PlotTheme, PreparedDrawing, read_picture_text,
};
use tool_core::object;

use super::natural::{self, DrawnResult, DrawnTool};
use crate::prelude::*;
use call::{DrawnAnswer, DrawnCall};
use fields::{PlottedFields, drawn_table};

/// Draw a table as a picture: lines, points, bars, histograms, boxes, violins, heat maps, contours and more.
///
/// Name columns of `data` for the channels, or give a Vega-Lite specification as `spec`. A column may be written `mean(price)` (also
/// sum, median, min, max, stdev, count, distinct), and `rooms:N` makes categories of numbers. The answer has the picture, a drawing
/// in characters and a description in words.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records or an object of columns, inline or from a file; missing cells are null.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Column across, such as `area`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub x: Option<String>,
    /// Column upwards, or a list of columns, each drawn in its colour.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub y: Option<PlottedFields>,
    /// Column upwards with an axis of its own at the right, drawn as a line.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub y_right: Option<String>,
    /// Column of the other end of bands and bars upwards.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub y2: Option<String>,
    /// Column of errors, drawn as bars from `y` by as much up and down.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub y_error: Option<String>,
    /// Column by which marks are coloured.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub color: Option<String>,
    /// Column by which points are large or small.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub size: Option<String>,
    /// Column by which points have their shape.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub shape: Option<String>,
    /// Column of texts that are written at the points.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub label: Option<String>,
    /// Column by which the plot is divided into panels.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub facet: Option<String>,
    /// What is drawn; absent: a scatter plot for two columns of numbers, a line over dates, bars or boxes over categories, a
    /// histogram of one column of numbers.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub kind: Option<DrawingKind>,
    /// Curve through the points, for each colour, with the 95 % interval of its mean.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub fit: Option<FittedCurve>,
    /// How bars and areas of one place are put together; absent: stacked where they add up, else beside each other.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub stack: Option<BarStacking>,
    /// Most intervals of a histogram; absent: by the spread and number of values.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub bins: Option<BoundedInteger<1, 1000>>,
    /// Whether the axis across is logarithmic.
    #[value(default)]
    pub log_x: bool,
    /// Whether the axis upwards is logarithmic.
    #[value(default)]
    pub log_y: bool,
    /// Line above the plot.
    #[value(default)]
    pub title: String,
    /// Line below the title.
    #[value(default)]
    pub subtitle: String,
    /// Title of the axis across; absent: the column.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub x_label: Option<String>,
    /// Title of the axis upwards; absent: the column.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub y_label: Option<String>,
    /// Width of the picture in pixels; absent: 720, or that of `spec`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub width: Option<BoundedInteger<1, 4096>>,
    /// Height of the picture in pixels; absent: 450, or that of `spec`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub height: Option<BoundedInteger<1, 4096>>,
    /// Colours of the picture: on white, on nearly black, or black on white without a grid for paper; absent: light.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub theme: Option<DrawingTheme>,
    /// A Vega-Lite specification, an object, in place of the columns above: marks, encodings, layers, facets, concatenations,
    /// aggregates, bins, stacks. What of it is not understood is listed in `ignored`. Without data of its own it draws `data`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub spec: Option<Value>,
    /// The result of another tool, in place of the columns and `spec`: its natural picture is drawn. Of `curve_fit` and `linear_regression`
    /// data, fit, band and residuals; of `compare_groups` and `hypothesis_test` boxes, points and means; of `survival` curves or hazard ratios; of
    /// `correlation` a heat map; of `mcmc` traces and pairs of variables; of `solve_ode` components over time and over each other; of `fft`
    /// the spectrum with its tones; of `optimize` the objective with the path; of `histogram` and `kernel_density` the distribution; of
    /// `time_series` the forecast; of `pca`, `kmeans`, `dbscan`, `hierarchical_clustering` and `outliers` the rows in a plane or a tree. In a plan
    /// `{"$ref": "step"}`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub result: Option<DrawnAnswer>,
    /// The tool that `result` came from; absent: by its members.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub of: Option<DrawnTool>,
    /// The arguments of the call that answered `result`, an object, for what the result does not repeat: the objective of `optimize`, the
    /// model, and the data, also from files, which may be given as `data` too, with `x` and `y` for their columns.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub call: Option<DrawnCall>,
    /// Kind of the picture in the answer; `text` for none beside the drawing in characters.
    #[value(default)]
    pub format: PlotFormat,
    /// Width of the drawing in characters.
    #[value(default = "BoundedInteger::<20, 400>::of::<80>")]
    pub columns: BoundedInteger<20, 400>,
    /// Rows of the plotting area of the drawing in characters.
    #[value(default = "BoundedInteger::<4, 200>::of::<18>")]
    pub rows: BoundedInteger<4, 200>,
}

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "lowercase")]
pub(crate) enum DrawingKind {
    /// One mark for each row.
    #[value(alias = "point", alias = "points")]
    Scatter,
    /// Points joined in the order of x.
    Line,
    /// The area below a curve.
    Area,
    /// The area between `y` and `y2`, or around the mean of the rows of each x.
    Band,
    /// Bars from zero.
    Bar,
    /// Counts of rows in intervals.
    #[value(alias = "hist")]
    Histogram,
    /// Quartiles, whiskers and outliers.
    #[value(alias = "boxplot")]
    Box,
    /// Densities.
    Violin,
    /// Cells coloured by `color`.
    #[value(alias = "rect")]
    Heatmap,
    /// Lines of equal height of `color`, or of the density of points.
    Contour,
    /// Means with their 95 % intervals, or `y` with `y_error`.
    Errorbar,
    /// A short stroke for each row.
    Strip,
}

/// A curve through points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "lowercase")]
pub(crate) enum FittedCurve {
    /// The straight line of least squares.
    Linear,
}

/// How bars of one place are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "lowercase")]
pub(crate) enum BarStacking {
    /// One above the other.
    Stacked,
    /// One above the other, to a whole of 1.
    Normalized,
    /// Beside each other.
    Grouped,
}

/// Colours of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "lowercase")]
pub(crate) enum DrawingTheme {
    /// Dark on white.
    Light,
    /// Light on nearly black.
    Dark,
    /// Black on white, for paper.
    Print,
}

impl From<DrawingTheme> for PlotTheme {
    fn from(theme: DrawingTheme) -> Self {
        match theme {
            DrawingTheme::Light => Self::Light,
            DrawingTheme::Dark => Self::Dark,
            DrawingTheme::Print => Self::Print,
        }
    }
}

/// Kind of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "lowercase")]
pub(crate) enum PlotFormat {
    /// Pixels.
    #[default]
    Png,
    /// Paths, with texts that can be searched.
    Svg,
    /// A page of a document.
    Pdf,
    /// A page with zoom and the values of points.
    Html,
    /// Characters alone.
    Text,
}

impl PlotFormat {
    fn picture_format(self) -> Option<PictureFormat> {
        match self {
            Self::Png => Some(PictureFormat::Png),
            Self::Svg => Some(PictureFormat::Svg),
            Self::Pdf => Some(PictureFormat::Pdf),
            Self::Html => Some(PictureFormat::Html),
            Self::Text => None,
        }
    }
}

/// The picture, in pixels or paths, in characters and in words.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Output {
    /// The drawing in characters, lines joined by newlines.
    pub plot: String,
    /// What the picture shows, in words: marks, axes, ranges, extremes, trend.
    pub description: String,
    /// The picture: `{"$media": "image/png", "base64": ..}`, or `{"$resource": "plot:picture.svg", "mime_type": .., "text": ..}` (of a
    /// PDF file `base64`); absent with the format `text`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "format": { "not": "text" } }))]
    pub picture: Option<Value>,
    /// Places in `spec` that have no effect, as JSON pointers.
    pub ignored: Vec<String>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("plot", "Draw a table as a picture")
        .category(Category::Data)
        .tags(&["plot", "picture", "table", "terminal"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "bars of three numbers, in characters":
            r#"{"data": {"city": ["Graz", "Lyon", "Porto"], "n": [2, 4, 3]}, "x": "city", "y": "n", "format": "text", "columns": 30, "rows": 4}"#
            => concat!(
            r#"{"plot": ""#,
            r"n\n",
            r"4 ┤          ▆▆▆▆▆▆▆\n",
            r"  │          ███████  ███████\n",
            r"  │ ███████  ███████  ███████\n",
            r"0 ┤ ███████  ███████  ███████\n",
            r"  └────┬────────┬────────┬────\n",
            r"     Graz     Lyon     Porto\n",
            r#"             city", "description": "Bar chart of n over city, 3 rows. The x axis shows city: Graz, Lyon, Porto."#,
            r#" The y axis shows n from 0 to 4. n is lowest, 2, for Graz, and highest, 4, for Lyon.", "ignored": []}"#,
        );
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        if let Some(result) = &args.result {
            let picture = compose_result(&args, &result.load(ctx)?, ctx)?;
            return draw_composition(&args, picture, Vec::new(), ctx);
        }
        let lonely = [("of", args.of.is_some()), ("call", args.call.is_some())];
        if let Some((name, _)) = lonely.iter().find(|(_, is_given)| *is_given) {
            refuse!(invalid "/result", "missing"; "`{name}` belongs to a `result`, found none";
                "pass the result of the tool as `result`");
        }
        let data = match &args.data {
            Some(data) => Some(Arc::new(drawn_table(&data.load(ctx)?, ctx)?)),
            None => None,
        };
        let reading = match &args.spec {
            Some(spec) => match read_spec(&args, spec, data)? {
                PictureReading::Plot(reading) => *reading,
                PictureReading::Composition(reading) => {
                    let (mut picture, ignored) = (reading.composition, reading.ignored);
                    picture.theme = args.theme.map_or(picture.theme, Into::into);
                    return draw_composition(&args, picture, ignored, ctx);
                }
            },
            None => short::read_short_form(&args, data)?,
        };
        let specification = &reading.specification;
        reserve_pixels(
            (specification.width, specification.height),
            specification.data.rows(),
            ctx,
        )?;
        let fault = |err: PlotError| into_tool_error(&args, err);
        let drawing = PreparedDrawing::new(specification).map_err(fault)?;
        ctx.check()?;
        Ok(answer_of(&args, &drawing, reading.ignored))
    }
}

/// Four bytes a pixel, and the rows of the layers once more.
fn reserve_pixels((width, height): (u32, u32), rows: usize, ctx: &Ctx) -> Result<(), ToolError> {
    ctx.reserve(8 * u64::from(width) * u64::from(height) + 64 * rows as u64)?;
    ctx.check()
}

fn answer_of(args: &Args, drawing: &PreparedDrawing, ignored: Vec<String>) -> Output {
    let format = args.format.picture_format();
    Output {
        plot: drawing.to_text(args.columns.size(), args.rows.size()),
        description: drawing.description(),
        picture: format.map(|format| picture_value(drawing, format)),
        ignored,
    }
}

/// The plots of another tool's result, with the size, theme and titles of the call.
fn compose_result(args: &Args, result: &Value, ctx: &Ctx) -> Result<PlotComposition, ToolError> {
    if args.spec.is_some() {
        refuse!(invalid "/spec"; "`result` and `spec` exclude each other"; "leave one of them out");
    }
    let unused = short::first_layer_argument(args);
    if let Some(name) = unused {
        refuse!(invalid format!("/{name}"); "`{name}` has no effect with `result`";
            "leave it out, or draw columns of `data` without `result`");
    }
    let data = match &args.data {
        Some(data) => Some(data.load(ctx)?),
        None => None,
    };
    let y = match &args.y {
        Some(PlottedFields::One(name)) => Some(name.as_str()),
        Some(PlottedFields::Several(names)) if names.len() == 1 => Some(names[0].as_str()),
        Some(_) => {
            refuse!(invalid "/y"; "expected the one column of the response"; "name one column")
        }
        None => None,
    };
    let source = DrawnResult {
        result,
        call: args.call.as_ref().map(DrawnCall::value),
        data,
        x: args.x.as_deref(),
        y,
        x_label: args.x_label.as_deref(),
        y_label: args.y_label.as_deref(),
        theme: args.theme.map(Into::into).unwrap_or_default(),
        ctx,
    };
    natural::compose_result(&source, args.of)
}

/// A picture of several plots, with the size and titles of the call.
fn draw_composition(
    args: &Args,
    mut picture: PlotComposition,
    ignored: Vec<String>,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    if let Some(width) = args.width {
        picture.width = width.size() as u32;
    }
    if let Some(height) = args.height {
        picture.height = height.size() as u32;
    }
    if !args.title.is_empty() {
        picture.title.clone_from(&args.title);
    }
    if !args.subtitle.is_empty() {
        picture.subtitle.clone_from(&args.subtitle);
    }
    let parts = picture.parts.iter().map(|part| &part.specification);
    let rows = parts.map(|plot| {
        let own = plot.layers.iter().filter_map(|layer| layer.data.as_ref());
        plot.data.rows() + own.map(|data| data.rows()).sum::<usize>()
    });
    reserve_pixels((picture.width, picture.height), rows.sum(), ctx)?;
    let drawing = PreparedDrawing::compose(&picture).map_err(|err| {
        if args.result.is_none() {
            return into_tool_error(args, err);
        }
        let place = match err.place() {
            place @ ("/width" | "/height") => place,
            _ => "/result",
        };
        plot_error(place, &err).hint("look for values that are missing or not finite in the result")
    })?;
    ctx.check()?;
    Ok(answer_of(args, &drawing, ignored))
}

/// Reads a Vega-Lite specification; size, theme and titles of the call win over its own.
fn read_spec(
    args: &Args,
    spec: &Value,
    data: Option<Arc<DataTable>>,
) -> Result<PictureReading, ToolError> {
    if let Some(name) = short::first_column_argument(args) {
        refuse!(invalid format!("/{name}"); "`{name}` and `spec` exclude each other"; "write the column into `spec`, under `encoding`");
    }
    let text = match spec.as_str() {
        Some(text) => text.to_owned(),
        None => tool_core::json::to_text(spec),
    };
    let mut reading = read_picture_text(&text, data).map_err(|err| into_tool_error(args, err))?;
    if let PictureReading::Plot(reading) = &mut reading {
        short::apply_frame(args, &mut reading.specification);
    }
    Ok(reading)
}

/// The picture as a member of a result.
fn picture_value(drawing: &PreparedDrawing, format: PictureFormat) -> Value {
    match (drawing.scene().to_picture(format), format) {
        (PictureContent::Base64(data), PictureFormat::Png) => {
            object! { "$media" => format.media_type(), "base64" => data }
        }
        (content, _) => {
            let (member, data) = match content {
                PictureContent::Base64(data) => ("base64", data),
                PictureContent::Text(text) => ("text", text),
            };
            let mut resource = tool_core::Object::new();
            resource.insert("$resource", format!("plot:picture.{}", format.ending()));
            resource.insert("mime_type", format.media_type());
            resource.insert(member, data);
            resource.into()
        }
    }
}

/// The error of a call: with the place in its arguments.
fn into_tool_error(args: &Args, err: PlotError) -> ToolError {
    let place = match (args.spec.is_some(), err.place()) {
        (true, place) => format!("/spec{place}"),
        (false, place) => short::argument_place(place),
    };
    let nearest = match &err {
        PlotError::UnknownField { name, known, .. } => {
            did_you_mean(name, known.iter().map(String::as_str))
        }
        _ => None,
    };
    let hint = nearest.unwrap_or_else(|| err.hint());
    plot_error(&place, &err).hint(hint)
}

fn plot_error(place: &str, err: &PlotError) -> ToolError {
    let reason = match err {
        PlotError::TooMany { .. } => "limit",
        PlotError::UnknownField { .. } => "unknown_column",
        PlotError::NothingToDraw { .. } => "empty",
        PlotError::NotPositive { .. } => "range",
        _ => "shape",
    };
    ToolError::invalid(place, err.to_string()).reason(reason)
}
