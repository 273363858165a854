//! Rows and columns of a table.

use super::table::{self, ROWS_SHOWN, RowConditions, TableAnswer, TableInput};
use crate::prelude::*;

/// Chooses rows and columns of a table and computes new columns, in this order: `compute`, `where` and `filter`, `distinct`, `sort`, `sample`,
/// `head`, `columns`. Missing cells come last in both directions of an order, and no condition but `null` takes them.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub table: Input<TableInput>,
    /// New columns, each `name = expression` over columns, row by row: `per_room = price / rooms`, `z = price - mean(price)`. Later ones
    /// may use earlier ones. Of texts: `lower upper trim length`, `contains(city, "o")`, `starts_with ends_with`, `replace(city, "a", "b")`,
    /// `slice(city, 1, 3)`, `concat(city, ", ", name)`, and comparisons; of dates and times: `year quarter month day weekday hour minute second`.
    #[value(default)]
    pub compute: Vec<String>,
    /// Conditions by column: a value, a list of values, or `{"min": .., "max": ..}`; `null` takes the missing cells.
    #[value(default, skip_encoding_if = "Option::is_none", rename = "where")]
    pub conditions: Option<Value>,
    /// An expression over columns; rows where it is not zero are taken: `price > 100`, `area * rooms < 500`, `city != "Rome"`, `year(sold) == 2024`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Takes the first of the rows that are equal in these columns; `[]` compares all columns.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub distinct: Option<Vec<String>>,
    /// Columns to sort by, the first of them first; `-price` is descending.
    #[value(default)]
    pub sort: Vec<String>,
    /// Takes so many rows by chance, without replacement, in their order.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub sample: Option<Count>,
    /// Seed of the sample.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
    /// Takes so many rows from the first on.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub head: Option<Count>,
    /// The columns of the result, in this order; all of them when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// Rows to show as records.
    #[value(default = "BoundedInteger::<0, 1_000_000>::of::<ROWS_SHOWN>")]
    pub rows: BoundedInteger<0, 1_000_000>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        determinism: tool_core::Determinism::Seeded,
        ..Spec::named("table_select", "Choose rows and columns of a table")
            .category(Category::Data)
            .tags(&["table", "query"])
            .syntax(&[
                ("/compute", Syntax::Expression),
                ("/filter", Syntax::Expression),
            ])
    };
    type Output = TableAnswer;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the cheapest per room, of those that are known":
            r#"{"table": {"name": ["a", "b", "c"], "price": [300, 200, null], "rooms": [3, 1, 2]},
                "compute": ["per_room = price / rooms"], "filter": "per_room > 0", "sort": ["per_room"],
                "columns": ["name", "per_room"]}"#
            => r#"{"columns": ["name", "per_room"], "types": ["text", "number"],
                "rows": [{"name": "a", "per_room": 100.0}, {"name": "b", "per_room": 200.0}], "count": 2,
                "table": {"name": ["a", "b"], "per_room": [100.0, 200.0]}}"#;
        "the year of those in a city":
            r#"{"table": {"city": ["Rome", "Oslo", "rome"], "sold": ["2023-04-01", "2024-05-02", "2024-06-03"]},
                "compute": ["year = year(sold)"], "filter": "lower(city) == 'rome'", "columns": ["city", "year"]}"#
            => r#"{"columns": ["city", "year"], "types": ["text", "integer"],
                "rows": [{"city": "Rome", "year": 2023}, {"city": "rome", "year": 2024}], "count": 2,
                "table": {"city": ["Rome", "rome"], "year": [2023, 2024]}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<TableAnswer, ToolError> {
        let mut table = args.table.load(ctx)?.into_table(ctx)?;
        let stop = table::stop_check(ctx);
        for (index, text) in args.compute.iter().enumerate() {
            let pointer = format!("/compute/{index}");
            let new = table::parse_assignment(text, &pointer)?;
            let column = table::compute_column(&table, new.expression, &pointer, ctx)?;
            let wider = table.with_column(new.name, column);
            table = wider.map_err(|err| table::table_fault(err, &pointer, &table, ctx))?;
        }
        if let Some(conditions) = &args.conditions {
            let mask = RowConditions::parse(conditions)?.mask(&table, ctx)?;
            table = table.filter(&mask);
        }
        if let Some(text) = &args.filter {
            let mask = table::row_mask(&table, text, "/filter", ctx)?;
            table = table.filter(&mask);
        }
        if let Some(names) = &args.distinct {
            table::check_names(names, "/distinct", &table, ctx)?;
            let distinct = table.distinct(names, &stop);
            table = distinct.map_err(|err| table::table_fault(err, "/distinct", &table, ctx))?;
        }
        let keys = table::parse_sort_keys(&args.sort);
        table::check_sort_keys(&keys, "/sort", &table, ctx)?;
        let sorted = table.sort(&keys, &stop);
        table = sorted.map_err(|err| table::table_fault(err, "/sort", &table, ctx))?;
        if let Some(count) = args.sample {
            table = table.sample(count.size(), ctx.seed(args.seed).get());
        }
        if let Some(count) = args.head {
            table = table.head(count.size());
        }
        if let Some(names) = &args.columns {
            table::check_names(names, "/columns", &table, ctx)?;
            let chosen = table.choose(names);
            table = chosen.map_err(|err| table::table_fault(err, "/columns", &table, ctx))?;
        }
        TableAnswer::new(&table, args.rows.size(), ctx)
    }
}
