//! Columns computed from the rows around each row.

use ::tables::{WindowFrame, WindowFunction};

use super::table::{self, FunctionPhrase, ROWS_SHOWN, TableAnswer, TableInput};
use crate::prelude::{did_you_mean, *};

/// The functions of windows, for messages.
const FUNCTIONS: [&str; 9] = [
    "shift",
    "diff",
    "cumsum",
    "rank",
    "rolling_mean",
    "rolling_sum",
    "rolling_min",
    "rolling_max",
    "rolling_std",
];

/// Adds columns computed from the rows around each row: `shift(x, 1)` and `diff(x, 1)` look at the row before, `cumsum(x)` adds up, `rank(x)`
/// counts from 1 and ties take the lowest, `rolling_mean(x, 7)` (also `sum min max std`) looks at 7 rows that end here and is missing where one of
/// them is. Differences of dates are days, of times seconds. Sums and means are correctly rounded. The rows stay in their order.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub table: Input<TableInput>,
    /// The new columns: `rank(price)`, `week = rolling_mean(price, 7)`. Without a name the column is `rank_price`.
    #[schema(length(min = 1))]
    pub compute: Vec<String>,
    /// Columns whose cells divide the rows into parts, each with windows of its own.
    #[value(default)]
    pub by: Vec<String>,
    /// The order in which windows move: columns, `-date` for descending; the order of the table when absent.
    #[value(default)]
    pub order: Vec<String>,
    /// Rows to show as records.
    #[value(default = "BoundedInteger::<0, 1_000_000>::of::<ROWS_SHOWN>")]
    pub rows: BoundedInteger<0, 1_000_000>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("table_window", "Compute columns over neighbouring rows")
        .category(Category::Data)
        .tags(&["table", "statistics"])
        .syntax(&[("/compute", Syntax::Expression)]);
    type Output = TableAnswer;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "changes and a rolling mean":
            r#"{"table": {"v": [1, 3, 6, 4]}, "compute": ["diff(v, 1)", "m = rolling_mean(v, 2)", "rank(v)"], "rows": 1}"#
            => r#"{"columns": ["v", "diff_v", "m", "rank_v"], "types": ["integer", "integer", "number", "integer"],
                "rows": [{"v": 1, "diff_v": null, "m": null, "rank_v": 1}], "count": 4,
                "table": {"v": [1, 3, 6, 4], "diff_v": [null, 2, 3, -2], "m": [null, 2.0, 4.5, 5.0], "rank_v": [1, 2, 4, 3]}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<TableAnswer, ToolError> {
        if args.compute.is_empty() {
            refuse!(invalid "/compute"; "expected at least one function of a column"; "such as [\"rank(price)\"]");
        }
        let mut table = args.table.load(ctx)?.into_table(ctx)?;
        let frame = WindowFrame {
            order: table::parse_sort_keys(&args.order),
            partition: args.by,
        };
        table::check_names(&frame.partition, "/by", &table, ctx)?;
        table::check_sort_keys(&frame.order, "/order", &table, ctx)?;
        let stop = table::stop_check(ctx);
        for (index, text) in args.compute.iter().enumerate() {
            let pointer = format!("/compute/{index}");
            let phrase = FunctionPhrase::parse(text, &pointer)?;
            let function = parse_window_function(&phrase, &pointer)?;
            let Some(column) = phrase.column else {
                let name = phrase.function;
                refuse!(invalid pointer, "phrase"; "`{name}` needs a column, found `{text}`";
                    "such as `rank(price)`");
            };
            let name = phrase.result_name();
            table::check_new_name(&name, table.position(&name).is_ok(), &pointer)?;
            let computed = table.window(column, function, &frame, &stop);
            let computed =
                computed.map_err(|err| table::table_fault(err, &pointer, &table, ctx))?;
            let source = table.column(column).ok();
            let computed = table::without_overflow(computed, source, text, ctx);
            let wider = table.with_column(&name, computed);
            table = wider.map_err(|err| table::table_fault(err, &pointer, &table, ctx))?;
        }
        TableAnswer::new(&table, args.rows.size(), ctx)
    }
}

fn parse_window_function(
    phrase: &FunctionPhrase<'_>,
    pointer: &str,
) -> Result<WindowFunction, ToolError> {
    /// Rows of the longest window, and of the farthest shift.
    const ROWS_MAX: f64 = 1e9;
    let name = phrase.function;
    let number = phrase.number;
    let is_whole = |number: &f64| number.fract() == 0.0 && number.abs() <= ROWS_MAX;
    let shift = || match number.unwrap_or(1.0) {
        by if is_whole(&by) => Ok(by as i64),
        by => {
            refuse!(invalid pointer, "phrase"; "`{name}` takes a whole number of rows, found {by}";
                "such as `shift(price, 1)`")
        }
    };
    let length = || match number.filter(is_whole).filter(|length| *length >= 1.0) {
        Some(length) => Ok(length as usize),
        None => {
            refuse!(invalid pointer, "phrase"; "`{name}` takes a whole number of rows, at least 1, after the column";
                "such as `rolling_mean(price, 7)`")
        }
    };
    let plain = |function: WindowFunction| match number {
        None => Ok(function),
        Some(_) => {
            refuse!(invalid pointer, "phrase"; "`{name}` takes no number"; "such as `rank(price)`")
        }
    };
    match name {
        "shift" => shift().map(WindowFunction::Shift),
        "diff" => shift().map(WindowFunction::Difference),
        "cumsum" => plain(WindowFunction::CumulativeSum),
        "rank" => plain(WindowFunction::Rank),
        "rolling_mean" => length().map(WindowFunction::RollingMean),
        "rolling_sum" => length().map(WindowFunction::RollingSum),
        "rolling_min" => length().map(WindowFunction::RollingMin),
        "rolling_max" => length().map(WindowFunction::RollingMax),
        "rolling_std" => length().map(WindowFunction::RollingDeviation),
        other => {
            let near = did_you_mean(other, FUNCTIONS);
            let error = ToolError::invalid(pointer, format_args!("unknown function `{other}`"));
            let known = || format!("the functions are {}", FUNCTIONS.join(", "));
            Err(error.reason("phrase").hint(near.unwrap_or_else(known)))
        }
    }
}
