//! The `x` and `y` of a plot: one series or several over the same `x`.

use std::sync::Arc;

use tool_core::error::RequestProblem;
use tool_core::input::{InputKind, LoadInput};
use tool_core::schema::{Schema, json};
use tool_core::{Ctx, Decode, Describe, Encode, Input, ToolError, Value, Vector};

/// Most series in one plot.
pub(crate) const SERIES_MAX: usize = 16;

/// One list of numbers, or a list of such lists.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlotSeries(pub(crate) Arc<Vec<Vector>>);

impl<const N: usize> From<[f64; N]> for PlotSeries {
    fn from(only: [f64; N]) -> Self {
        Self(Arc::new(vec![only.into()]))
    }
}

impl<const N: usize, const M: usize> From<[[f64; N]; M]> for PlotSeries {
    fn from(several: [[f64; N]; M]) -> Self {
        Self(Arc::new(several.map(Vector::from).to_vec()))
    }
}

impl LoadInput for PlotSeries {
    const KIND: InputKind = InputKind::Data;
    const NAMED: bool = true;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        // Columns of a table, each a series.
        let columns = value.as_object().filter(|columns| !columns.is_empty());
        let columns = columns.map(|columns| {
            let columns = columns.iter().map(|(_, column)| column.clone());
            Value::array(columns.collect())
        });
        let value = columns.as_ref().unwrap_or(value);
        let several = match value {
            Value::Numbers(numbers) => numbers.rank() > 1,
            Value::Array(items) => items
                .first()
                .is_some_and(|first| matches!(first, Value::Array(_) | Value::Numbers(_))),
            _ => false,
        };
        if !several {
            return Vector::from_value(value).map(|only| Self(Arc::new(vec![only])));
        }
        let items = value.items().unwrap_or_default();
        if items.len() > SERIES_MAX {
            let message = format!(
                "expected at most {SERIES_MAX} series, found {}",
                items.len()
            );
            return Err(RequestProblem::new("", message)
                .hint("`y` is a list of series, each as long as `x`"));
        }
        let series = items.iter().enumerate().map(|(index, item)| {
            Vector::from_value(item).map_err(|problem| RequestProblem {
                path: format!("/{index}{}", problem.path),
                ..problem
            })
        });
        series
            .collect::<Result<_, _>>()
            .map(|series| Self(Arc::new(series)))
    }

    fn to_value(&self) -> Value {
        match self.0.as_slice() {
            [only] => only.to_value(),
            several => Value::array(several.iter().map(LoadInput::to_value).collect()),
        }
    }

    fn schema() -> Schema {
        let flat = json!({ "type": "array", "items": { "type": "number" } });
        // Of two branches that fit equally badly the checker words the last one: the plain list.
        json!({ "anyOf": [{ "type": "array", "minItems": 1, "maxItems": SERIES_MAX, "items": flat }, flat] })
    }
}

/// Style of the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "lowercase")]
pub(crate) enum PlotType {
    /// Joined by straight lines, in the order given.
    #[default]
    Line,
    /// One mark each.
    Scatter,
    /// A bar from zero to each.
    Bar,
}

/// The checked points of a plot: at least one point and one series, all series as long as `x`.
#[derive(Debug, Clone)]
pub(crate) struct PlotPoints {
    /// Horizontal values.
    pub(crate) x: Vector,
    series: Arc<Vec<Vector>>,
    /// A name for each series; empty when there is one without a name.
    pub(crate) names: Vec<String>,
}

impl PlotPoints {
    /// Loads and checks `x`, `y` and the names of the series.
    ///
    /// # Errors
    /// `invalid_args` for no point, for lengths that differ and for names that do not fit the series.
    pub(crate) fn load(
        x: &Input<Vector>,
        y: &Input<PlotSeries>,
        labels: Option<&[String]>,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        let (x, PlotSeries(series)) = (x.load(ctx)?, y.load(ctx)?);
        if x.is_empty() {
            refuse!(invalid "/x", "empty"; "expected at least one point, found none");
        }
        let transposed = series.len() == x.len() && series.iter().all(|one| one.len() != x.len());
        for (index, one) in series.iter().enumerate() {
            if one.len() == x.len() {
                continue;
            }
            let (pointer, whose) = match series.len() {
                1 => ("/y".to_owned(), "`y`".to_owned()),
                _ => (format!("/y/{index}"), format!("series {index} of `y`")),
            };
            let message = format!("{whose} has {} numbers, `x` has {}", one.len(), x.len());
            let err = ToolError::invalid(pointer, message).reason("shape");
            return Err(if transposed {
                err.hint("`y` holds one series per row: transpose it")
            } else {
                err
            });
        }
        let names = match labels {
            Some(names) if names.len() != series.len() => {
                refuse!(invalid "/labels", "shape";
                    "expected one label for each of {} series, found {}", series.len(), names.len());
            }
            Some(names) => names.iter().map(|name| printable_text(name)).collect(),
            None if let Some(names) = series_columns(y, series.len()) => {
                names.iter().map(|name| printable_text(name)).collect()
            }
            None if series.len() == 1 => Vec::new(),
            None => (0..series.len()).map(|index| format!("y{index}")).collect(),
        };
        Ok(Self { x, series, names })
    }

    /// The series, in order.
    pub(crate) fn series(&self) -> &[Vector] {
        &self.series
    }

    /// The points of one series.
    pub(crate) fn of<'a>(&'a self, series: &'a Vector) -> impl Iterator<Item = (f64, f64)> + 'a {
        self.x.iter().copied().zip(series.iter().copied())
    }

    /// Smallest and largest `x`.
    pub(crate) fn x_extent(&self) -> (f64, f64) {
        value_extent(&self.x)
    }

    /// Smallest and largest `y` of all series.
    pub(crate) fn y_extent(&self) -> (f64, f64) {
        let extents = self.series.iter().map(|one| value_extent(one));
        extents.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (a, b)| {
            (low.min(a), high.max(b))
        })
    }

    /// Smallest distance between different values of `x`; `None` when all are equal.
    pub(crate) fn x_spacing(&self) -> Option<f64> {
        let mut sorted = self.x.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let gaps = sorted.windows(2).map(|pair| pair[1] - pair[0]);
        gaps.filter(|gap| *gap > 0.0).min_by(f64::total_cmp)
    }
}

/// The names of the columns that the series are.
fn series_columns(y: &Input<PlotSeries>, count: usize) -> Option<&[String]> {
    match y {
        Input::From(source) => source.selection.columns.as_deref(),
        Input::Inline(_) => None,
    }
    .filter(|names| names.len() == count)
}

/// Smallest and largest of a non-empty list of finite numbers.
pub(crate) fn value_extent(values: &[f64]) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    values.iter().fold(start, |(low, high), &value| {
        (low.min(value), high.max(value))
    })
}

/// A text for one line: control characters, which could move the cursor of a terminal, become spaces.
pub(crate) fn printable_text(text: &str) -> String {
    text.replace(char::is_control, " ")
}
