//! The first page of a table.

use ::tables::{BINS, ColumnDescription, DataTable, QUANTILES};

use super::table::{self, TableInput};
use crate::prelude::*;

/// Describes a table, which is what to read before a query is written: types, missing cells, ranges, frequent values, quantiles,
/// histograms and correlations of its columns, and its first rows. Means and deviations are correctly rounded, whatever the order of the rows.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub table: Input<TableInput>,
    /// The columns to describe; all of them when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// Whether correlations are computed, of the first 20 columns of numbers.
    #[value(default = "crate::prelude::default_true")]
    pub correlations: bool,
    /// First rows to show.
    #[value(default = "BoundedInteger::<0, 1000>::of::<5>")]
    pub rows: BoundedInteger<0, 1000>,
}

/// A description of a table.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Number of rows.
    pub count: usize,
    /// What each column has in it.
    pub columns: Vec<ColumnPage>,
    /// Frequent values of each column in which a value is there twice.
    pub frequent: Vec<FrequentValues>,
    /// Distribution of each column of numbers.
    pub numbers: Vec<NumberPage>,
    /// Counts in 12 bins of equal width from the smallest to the largest number, by column.
    pub histograms: Value,
    /// Correlations of the columns of numbers (Pearson), a record for each with its name as `column`; null for a constant column. Empty for
    /// fewer than two columns.
    pub correlations: Value,
    /// The first rows, each a record.
    pub rows: Value,
}

/// A column of a table.
#[derive(Debug, Encode, Describe)]
pub(crate) struct ColumnPage {
    /// Name.
    pub name: String,
    /// Type: `number`, `integer`, `decimal`, `text`, `boolean`, `date`, `time` with its zone, or `missing` where no cell has a value.
    #[value(rename = "type")]
    pub column_type: String,
    /// Missing cells.
    pub missing: usize,
    /// Different values.
    pub distinct: usize,
    /// Smallest value, as text.
    pub min: Option<String>,
    /// Largest value, as text.
    pub max: Option<String>,
}

/// The values of most cells of a column.
#[derive(Debug, Encode, Describe)]
pub(crate) struct FrequentValues {
    /// Name of the column.
    pub name: String,
    /// The values with their counts, as `Rome 12, Oslo 3`.
    pub values: String,
}

/// A column of numbers.
#[derive(Debug, Encode, Describe)]
pub(crate) struct NumberPage {
    /// Name.
    pub name: String,
    /// Mean; absent as null where a number is infinite.
    pub mean: Option<f64>,
    /// Standard deviation with `n - 1`.
    pub std: Option<f64>,
    /// Quantile at 5 %, linear between neighbours.
    pub p5: Option<Real>,
    /// Quantile at 25 %.
    pub p25: Option<Real>,
    /// Median.
    pub median: Option<Real>,
    /// Quantile at 75 %.
    pub p75: Option<Real>,
    /// Quantile at 95 %.
    pub p95: Option<Real>,
    /// The histogram as a line of bars.
    pub shape: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("table_describe", "Describe a table")
        .category(Category::Data)
        .tags(&["table", "statistics"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a column of numbers and one of texts":
            r#"{"table": {"price": [1, 3, null, 8], "city": ["Oslo", "Rome", "Rome", null]}, "rows": 1}"#
            => r#"{"count": 4, "columns": [
                {"name": "price", "type": "integer", "missing": 1, "distinct": 3, "min": "1", "max": "8"},
                {"name": "city", "type": "text", "missing": 1, "distinct": 2, "min": "Oslo", "max": "Rome"}],
                "frequent": [{"name": "city", "values": "Rome 2"}],
                "numbers": [{"name": "price", "mean": 4.0, "std": 3.605551275463989, "p5": 1.2, "p25": 2.0,
                    "median": 3.0, "p75": 5.5, "p95": 7.5, "shape": "█  █       █"}],
                "histograms": {"price": [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]}, "correlations": [],
                "rows": [{"price": 1, "city": "Oslo"}]}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut table = args.table.load(ctx)?.into_table(ctx)?;
        if let Some(columns) = &args.columns {
            let chosen = table.choose(columns);
            table = chosen.map_err(|err| table::table_fault(err, "/columns", &table, ctx))?;
        }
        let stop = table::stop_check(ctx);
        let failed = |err| table::table_fault(err, "/table", &table, ctx);
        let described = table.describe(&stop).map_err(failed)?;
        let correlations = match args.correlations {
            true => correlation_records(&table, &stop).map_err(failed)?,
            false => Vec::new(),
        };
        for column in &described {
            let numbers = column.numbers.as_ref();
            let is_beyond = |value: Option<f64>| value.is_some_and(f64::is_infinite);
            if numbers
                .is_some_and(|numbers| is_beyond(numbers.mean) || is_beyond(numbers.deviation))
            {
                let name = &column.name;
                ctx.warn(format!(
                    "mean or deviation of `{name}` is beyond the largest double, or the column has infinite cells: missing"
                ));
            }
        }
        let numbers = described.iter().filter_map(NumberPage::of);
        let histograms = described.iter().filter_map(|column| {
            let numbers = column.numbers.as_ref()?;
            Some((column.name.clone(), Value::from(numbers.histogram.clone())))
        });
        let head = table.head(args.rows.size());
        Ok(Output {
            count: table.rows(),
            frequent: described.iter().filter_map(FrequentValues::of).collect(),
            numbers: numbers.collect(),
            histograms: Value::object(histograms),
            correlations: Value::array(correlations),
            rows: table::TableAnswer::new(&head, head.rows(), ctx)?.rows,
            columns: described.into_iter().map(ColumnPage::of).collect(),
        })
    }
}

impl ColumnPage {
    fn of(column: ColumnDescription) -> Self {
        Self {
            name: column.name.to_string(),
            column_type: column.column_type.to_string(),
            missing: column.missing,
            distinct: column.distinct,
            min: column.min,
            max: column.max,
        }
    }
}

impl FrequentValues {
    fn of(column: &ColumnDescription) -> Option<Self> {
        let top = column.top.iter();
        let top: Vec<String> = top
            .map(|one| format!("{} {}", one.value, one.count))
            .collect();
        (!top.is_empty()).then(|| Self {
            name: column.name.to_string(),
            values: top.join(", "),
        })
    }
}

impl NumberPage {
    fn of(column: &ColumnDescription) -> Option<Self> {
        let numbers = column.numbers.as_ref()?;
        let quantile = |at: f64| {
            let place = QUANTILES.iter().position(|known| *known == at)?;
            numbers.quantiles.get(place).copied().map(Real)
        };
        Some(Self {
            name: column.name.to_string(),
            mean: numbers.mean.filter(|value| value.is_finite()),
            std: numbers.deviation.filter(|value| value.is_finite()),
            p5: quantile(0.05),
            p25: quantile(0.25),
            median: quantile(0.5),
            p75: quantile(0.75),
            p95: quantile(0.95),
            shape: bars(&numbers.histogram),
        })
    }
}

/// Counts as bars; a bin without a cell is a space, one with any has at least the lowest bar.
fn bars(counts: &[usize]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let bar = |count: &usize| match count {
        0 => ' ',
        count => BARS[(count * BARS.len()).div_ceil(most) - 1],
    };
    debug_assert!(counts.is_empty() || counts.len() == BINS);
    counts.iter().map(bar).collect()
}

/// A record for each column of numbers.
fn correlation_records(
    table: &DataTable,
    stop: ::tables::StopCheck<'_>,
) -> Result<Vec<Value>, ::tables::TableError> {
    const NAME: &str = "column";
    let found = table.correlations(stop)?;
    if found.names.len() < 2 {
        return Ok(Vec::new());
    }
    let record = |(name, values): (&std::sync::Arc<str>, &Vec<Option<f64>>)| {
        let mut record = tool_core::Object::new();
        record.insert(NAME, Value::from(&**name));
        for (other, value) in found.names.iter().zip(values) {
            record.insert(&**other, Value::from(*value));
        }
        Value::from(record)
    };
    Ok(found.names.iter().zip(&found.values).map(record).collect())
}
