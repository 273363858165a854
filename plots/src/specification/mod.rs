//! What to draw, as data.

pub(crate) mod composition;
mod concatenation;
pub(crate) mod encodings;
pub(crate) mod read;

use std::sync::Arc;

use crate::colour::{GradientPalette, PlotColour, PlotTheme};
use crate::data::DataTable;
use crate::scene::PointShape;

pub use composition::{CompositionPart, PartPlace, PlotComposition};
pub use concatenation::{CompositionReading, PictureReading, read_picture, read_picture_text};
pub use read::{SpecificationReading, read_specification, read_specification_text};

/// The mark of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// Points joined by straight lines in the order of x (or of y where that is the position of a category).
    Line,
    /// The area between a curve and zero, or between two curves.
    Area,
    /// The area between `y` and `y2`, or around a mean, light enough to lie below a line.
    Band,
    /// One mark for each row.
    Point,
    /// Bars from zero: beside each other or stacked.
    Bar,
    /// Counts of rows in intervals.
    Histogram,
    /// Median, quartiles, whiskers to the last value within 1.5 times the distance of the quartiles, and the rows beyond.
    Box,
    /// The density of the values of a category, with its quartiles.
    Violin,
    /// Rectangles, coloured by a value: a heat map.
    Rect,
    /// Lines of equal height of a grid, or of the density of points.
    Contour,
    /// A bar from the mean by its standard error, or by given errors.
    ErrorBar,
    /// A line across the plot, or between two places.
    Rule,
    /// Short strokes.
    Tick,
    /// Texts at places.
    Text,
}

impl MarkKind {
    /// Its name in specifications.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Area => "area",
            Self::Band => "band",
            Self::Point => "point",
            Self::Bar => "bar",
            Self::Histogram => "histogram",
            Self::Box => "boxplot",
            Self::Violin => "violin",
            Self::Rect => "rect",
            Self::Contour => "contour",
            Self::ErrorBar => "errorbar",
            Self::Rule => "rule",
            Self::Tick => "tick",
            Self::Text => "text",
        }
    }
}

/// How lines run between their points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineInterpolation {
    /// Straight.
    #[default]
    Linear,
    /// Level after each point, then a step.
    StepAfter,
    /// A step at each point, then level.
    StepBefore,
    /// Steps half way.
    Step,
}

/// The look of a mark.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarkStyle {
    /// Colour in place of the first of the palette.
    pub colour: Option<PlotColour>,
    /// Opacity from 0 to 1.
    pub opacity: Option<f64>,
    /// Area of a point in square pixels, or size of a text in pixels.
    pub size: Option<f64>,
    /// Width of a line in pixels.
    pub stroke_width: Option<f64>,
    /// Dashes and gaps in pixels.
    pub dashes: Vec<f64>,
    /// Shape of points.
    pub shape: Option<PointShape>,
    /// Whether points are filled; absent: `true` for all kinds.
    pub is_filled: Option<bool>,
    /// How lines run.
    pub interpolation: LineInterpolation,
    /// Whether points are marked on a line too.
    pub has_points: bool,
    /// How error bars and bands are computed.
    pub extent: ErrorExtent,
    /// Shift of a text in pixels.
    pub shift: (f64, f64),
    /// Whether the order of rows is kept for lines.
    pub keeps_order: bool,
}

/// How far error bars reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorExtent {
    /// One standard error of the mean.
    #[default]
    StandardError,
    /// One standard deviation.
    StandardDeviation,
    /// The 95 % interval of the mean (Student's t).
    ConfidenceInterval,
    /// The quartiles, around the median.
    Quartiles,
}

/// The kind of values of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Numbers.
    Quantity,
    /// Dates and times.
    Time,
    /// Categories.
    Category,
}

/// How several rows become one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AggregateKind {
    /// Number of rows.
    Count,
    /// Sum.
    Sum,
    /// Mean.
    Mean,
    /// Median.
    Median,
    /// Smallest.
    Min,
    /// Largest.
    Max,
    /// Standard deviation of a sample.
    Deviation,
    /// Variance of a sample.
    Variance,
    /// First quartile.
    LowerQuartile,
    /// Third quartile.
    UpperQuartile,
    /// Number of different values.
    Distinct,
}

impl AggregateKind {
    /// In words, before `of`.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Median => "median",
            Self::Min => "minimum",
            Self::Max => "maximum",
            Self::Deviation => "standard deviation",
            Self::Variance => "variance",
            Self::LowerQuartile => "first quartile",
            Self::UpperQuartile => "third quartile",
            Self::Distinct => "number of different",
        }
    }
}

/// Intervals that values are counted in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BinRule {
    /// Most intervals; absent: by the spread and number of values.
    pub most: Option<usize>,
    /// Width of an interval, above 0.
    pub step: Option<f64>,
}

/// A part of a date that rows are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// The year.
    Year,
    /// The quarter of a year.
    Quarter,
    /// The month of a year.
    Month,
    /// The day.
    Day,
    /// The hour of a day.
    Hour,
    /// The month of any year, as a category.
    MonthName,
    /// The day of the week, as a category.
    WeekdayName,
}

/// What a channel shows.
#[derive(Debug, Clone, PartialEq)]
pub enum ChannelSource {
    /// A field of the data.
    Field(String),
    /// One number on the scale (seconds for dates).
    Number(f64),
    /// One text.
    Text(String),
    /// No field: for counts.
    Rows,
}

/// How bars and areas of one place are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackMode {
    /// One above the other.
    Zero,
    /// One above the other, to a whole of 1.
    Normalise,
    /// Beside each other.
    Grouped,
    /// In front of each other.
    Overlay,
}

/// The order of categories.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum CategoryOrder {
    /// Ascending, numbers in texts by their size.
    #[default]
    Ascending,
    /// Descending.
    Descending,
    /// As in the data.
    AsInData,
    /// As given, then the others.
    Given(Vec<String>),
    /// By the values of the other axis, ascending or descending.
    ByValue {
        /// Largest first.
        is_descending: bool,
    },
}

/// The kind of a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScaleShape {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal factors.
    Logarithmic,
}

/// How values are mapped.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScaleOptions {
    /// Linear or logarithmic.
    pub shape: ScaleShape,
    /// Ends of the axis (seconds for dates).
    pub domain: Option<[f64; 2]>,
    /// Whether zero is shown; absent: for bars and areas.
    pub has_zero: Option<bool>,
    /// Whether high values are at the left or below.
    pub is_reversed: bool,
    /// Palette of a quantity.
    pub palette: GradientPalette,
    /// Colours of categories in place of the palette.
    pub colours: Vec<PlotColour>,
    /// Categories that the colours belong to, in this order.
    pub levels: Vec<String>,
}

/// One channel of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelDefinition {
    /// What it shows.
    pub source: ChannelSource,
    /// The kind of its values; absent: by the field.
    pub kind: Option<FieldKind>,
    /// How rows are put together.
    pub aggregate: Option<AggregateKind>,
    /// Intervals.
    pub bin: Option<BinRule>,
    /// Part of a date.
    pub time_unit: Option<TimeUnit>,
    /// Title of the axis or legend; absent: by the field; `Some("")`: none.
    pub title: Option<String>,
    /// The scale.
    pub scale: ScaleOptions,
    /// How bars are put together.
    pub stack: Option<StackMode>,
    /// The order of categories.
    pub order: CategoryOrder,
    /// Whether the axis or legend is left out.
    pub is_hidden: bool,
}

impl ChannelDefinition {
    /// A channel of a field, all else by default.
    #[must_use]
    pub fn of_field(name: &str) -> Self {
        Self::of_source(ChannelSource::Field(name.to_owned()))
    }

    /// A channel written short: `name`, `mean(name)`, `count()`, `name:N` (a category), `name:Q` (a number), `name:T` (a date).
    #[must_use]
    pub fn of_short(text: &str) -> Self {
        encodings::read_shorthand(text)
    }

    /// A channel of a source, all else by default.
    #[must_use]
    pub fn of_source(source: ChannelSource) -> Self {
        Self {
            source,
            kind: None,
            aggregate: None,
            bin: None,
            time_unit: None,
            title: None,
            scale: ScaleOptions::default(),
            stack: None,
            order: CategoryOrder::default(),
            is_hidden: false,
        }
    }
}

/// The channels of a layer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerChannels {
    /// Position across.
    pub x: Option<ChannelDefinition>,
    /// Position upwards.
    pub y: Option<ChannelDefinition>,
    /// Second end across.
    pub x2: Option<ChannelDefinition>,
    /// Second end upwards.
    pub y2: Option<ChannelDefinition>,
    /// Half the length of an error bar across.
    pub x_error: Option<ChannelDefinition>,
    /// Half the length of an error bar upwards.
    pub y_error: Option<ChannelDefinition>,
    /// Colour.
    pub color: Option<ChannelDefinition>,
    /// Size of points.
    pub size: Option<ChannelDefinition>,
    /// Shape of points.
    pub shape: Option<ChannelDefinition>,
    /// Text.
    pub text: Option<ChannelDefinition>,
    /// What tells lines apart without a colour.
    pub detail: Option<ChannelDefinition>,
}

/// A curve through the points of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitKind {
    /// The straight line of least squares, for each colour, with the 95 % interval of its mean.
    Linear,
}

/// Marks of one kind.
#[derive(Debug, Clone)]
pub struct PlotLayer {
    /// What is drawn.
    pub mark: MarkKind,
    /// How it looks.
    pub style: MarkStyle,
    /// What is shown.
    pub channels: LayerChannels,
    /// The curve through it.
    pub fit: Option<FitKind>,
    /// Whether the curve stands in place of the marks.
    pub is_fit_alone: bool,
    /// Data in place of those of the plot.
    pub data: Option<Arc<DataTable>>,
    /// Whether y belongs to the axis at the right.
    pub is_right: bool,
    /// JSON pointer to it in the specification, for errors.
    pub place: String,
}

impl PlotLayer {
    /// A layer of a mark, all else by default.
    #[must_use]
    pub fn of_mark(mark: MarkKind, channels: LayerChannels) -> Self {
        Self {
            mark,
            style: MarkStyle::default(),
            channels,
            fit: None,
            is_fit_alone: false,
            data: None,
            is_right: false,
            place: String::new(),
        }
    }
}

/// A whole plot.
#[derive(Debug, Clone)]
pub struct PlotSpecification {
    /// Title, empty for none.
    pub title: String,
    /// Line below the title, empty for none.
    pub subtitle: String,
    /// Width of the picture in pixels, 1..=4096.
    pub width: u32,
    /// Height of the picture in pixels, 1..=4096.
    pub height: u32,
    /// How it looks.
    pub theme: PlotTheme,
    /// The data of layers without data of their own.
    pub data: Arc<DataTable>,
    /// What is drawn; later layers cover earlier ones.
    pub layers: Vec<PlotLayer>,
    /// Panels below each other by the values of a field.
    pub row: Option<ChannelDefinition>,
    /// Panels beside each other by the values of a field.
    pub column: Option<ChannelDefinition>,
    /// Panels by the values of a field, in rows of so many.
    pub wrap: Option<FacetWrap>,
}

/// Panels in rows.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetWrap {
    /// The field.
    pub channel: ChannelDefinition,
    /// Panels in a row; absent: by the shape of the picture.
    pub columns: Option<usize>,
}

impl Default for PlotSpecification {
    fn default() -> Self {
        Self {
            title: String::new(),
            subtitle: String::new(),
            width: 720,
            height: 450,
            theme: PlotTheme::default(),
            data: Arc::default(),
            layers: Vec::new(),
            row: None,
            column: None,
            wrap: None,
        }
    }
}
