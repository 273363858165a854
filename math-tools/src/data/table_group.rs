//! One row for each group of rows.

use ::tables::{AggregateColumn, AggregateFunction, TableError};

use super::table::{self, FunctionPhrase, ROWS_SHOWN, TableAnswer, TableInput};
use crate::prelude::{did_you_mean, *};

/// The functions of a group, for messages.
const FUNCTIONS: [&str; 12] = [
    "count",
    "sum",
    "mean",
    "min",
    "max",
    "var",
    "std",
    "median",
    "quantile",
    "first",
    "last",
    "n_distinct",
];

/// One row for each group of rows that are equal in some columns, sorted by these, with values computed from the rows of the group. A missing
/// cell is a group of its own, last; values are over the cells that are there, and missing where there is none. Sums of integers are exact; sums,
/// means, `var` and `std` (with `n - 1`) of numbers are correctly rounded, so that the order of the rows does not change a bit.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub table: Input<TableInput>,
    /// The columns whose cells make the groups; all rows are one group when it is empty.
    #[value(default)]
    pub by: Vec<String>,
    /// Values of each group: `count()` of its rows, `mean(price)`, `top = quantile(price, 0.9)`. Functions: `count sum mean min max var std median
    /// quantile first last n_distinct`. Without a name the column is `mean_price`.
    #[schema(length(min = 1))]
    pub aggregates: Vec<String>,
    /// Rows to show as records.
    #[value(default = "BoundedInteger::<0, 1_000_000>::of::<ROWS_SHOWN>")]
    pub rows: BoundedInteger<0, 1_000_000>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("table_group", "Group the rows of a table")
        .category(Category::Data)
        .tags(&["table", "query", "statistics"])
        .syntax(&[("/aggregates", Syntax::Expression)]);
    type Output = TableAnswer;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "number and mean by city":
            r#"{"table": {"city": ["Rome", "Oslo", null, "Rome"], "price": [1, 5, 7, 2]}, "by": ["city"],
                "aggregates": ["n = count()", "mean(price)"]}"#
            => r#"{"columns": ["city", "n", "mean_price"], "types": ["text", "integer", "number"],
                "rows": [{"city": "Oslo", "n": 1, "mean_price": 5.0}, {"city": "Rome", "n": 2, "mean_price": 1.5},
                    {"city": null, "n": 1, "mean_price": 7.0}], "count": 3,
                "table": {"city": ["Oslo", "Rome", null], "n": [1, 2, 1], "mean_price": [5.0, 1.5, 7.0]}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<TableAnswer, ToolError> {
        if args.aggregates.is_empty() {
            refuse!(invalid "/aggregates"; "expected at least one function of a column"; "such as [\"n = count()\"]");
        }
        let table = args.table.load(ctx)?.into_table(ctx)?;
        table::check_names(&args.by, "/by", &table, ctx)?;
        let mut aggregates: Vec<AggregateColumn> = Vec::with_capacity(args.aggregates.len());
        for (index, text) in args.aggregates.iter().enumerate() {
            let pointer = format!("/aggregates/{index}");
            let aggregate = parse_aggregate(text, &pointer)?;
            if let Some(column) = &aggregate.column {
                let known = table.position(column);
                known.map_err(|err| table::table_fault(err, &pointer, &table, ctx))?;
            }
            let name = &aggregate.name;
            let is_taken = args.by.contains(name) || aggregates.iter().any(|one| one.name == *name);
            table::check_new_name(name, is_taken, &pointer)?;
            aggregates.push(aggregate);
        }
        let grouped = table.group(&args.by, &aggregates, &table::stop_check(ctx));
        let mut grouped = grouped.map_err(|err| {
            let pointer = blamed_aggregate(&err, &aggregates);
            table::table_fault(err, &pointer, &table, ctx)
        })?;
        for (aggregate, text) in aggregates.iter().zip(&args.aggregates) {
            let source = aggregate.column.as_deref();
            let source = source.and_then(|name| table.column(name).ok());
            let fault = |err| table::table_fault(err, "/aggregates", &table, ctx);
            let computed = grouped.column(&aggregate.name).map_err(fault)?.clone();
            let column = table::without_overflow(computed, source, text, ctx);
            grouped = grouped
                .with_column(&aggregate.name, column)
                .map_err(fault)?;
        }
        TableAnswer::new(&grouped, args.rows.size(), ctx)
    }
}

/// The aggregate that an error is about: the first one that needs numbers of the column.
fn blamed_aggregate(err: &TableError, aggregates: &[AggregateColumn]) -> String {
    let is_blamed = |aggregate: &AggregateColumn| match err {
        TableError::ColumnType { column, .. } => {
            aggregate.function.needs_numbers() && aggregate.column.as_ref() == Some(column)
        }
        _ => false,
    };
    match aggregates.iter().position(is_blamed) {
        Some(index) => format!("/aggregates/{index}"),
        None => "/aggregates".to_owned(),
    }
}

/// A function over a column, or the number of rows.
fn parse_aggregate(text: &str, pointer: &str) -> Result<AggregateColumn, ToolError> {
    let phrase = FunctionPhrase::parse(text, pointer)?;
    let function = parse_aggregate_function(phrase.function, phrase.number, pointer)?;
    if phrase.column.is_none() && function != AggregateFunction::Count {
        let name = phrase.function;
        refuse!(invalid pointer, "phrase"; "`{name}` needs a column, found `{text}`";
            "such as `mean(price)`; `count()` alone counts rows");
    }
    Ok(AggregateColumn {
        name: phrase.result_name(),
        function,
        column: phrase.column.map(str::to_owned),
    })
}

/// The function of a word, with the quantile that a number gives.
pub(crate) fn parse_aggregate_function(
    word: &str,
    number: Option<f64>,
    pointer: &str,
) -> Result<AggregateFunction, ToolError> {
    let function = match (AggregateFunction::parse(word), number) {
        (Some(AggregateFunction::Quantile(_)), Some(at)) if (0.0..=1.0).contains(&at) => {
            AggregateFunction::Quantile(at)
        }
        (Some(AggregateFunction::Quantile(_)), _) => {
            refuse!(invalid pointer, "phrase"; "`quantile` needs a number from 0 to 1 after the column";
                "such as `quantile(price, 0.9)`");
        }
        (Some(_), Some(_)) => {
            refuse!(invalid pointer, "phrase"; "`{word}` takes no number";
                "such as `mean(price)`");
        }
        (Some(function), None) => function,
        (None, _) => {
            let near = did_you_mean(word, FUNCTIONS);
            let error = ToolError::invalid(pointer, format_args!("unknown function `{word}`"));
            let known = || format!("the functions are {}", FUNCTIONS.join(", "));
            return Err(error.reason("phrase").hint(near.unwrap_or_else(known)));
        }
    };
    Ok(function)
}
