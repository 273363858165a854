//! SQL over tables given as arguments.

mod aggregates;
mod engine;
mod exact;
#[cfg(test)]
mod file_tests;
mod files;
mod lint;
mod source;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use tool_core::DecodeError;

use self::source::SqlTable;
use crate::prelude::*;

/// Runs one SELECT (SQLite dialect, with WITH, window and JSON functions) over tables given as arguments and files: `from 'sales.csv'`. Columns are typed from all their cells (integer, real, text, boolean), so numbers compare as numbers. `sum`, `avg`, `var`,
/// `std` and `corr` are correctly rounded. Nothing can be written, attached or configured, a query ends after 20 s, and nothing depends on the
/// clock or on chance: `random()` and `'now'` are refused.
#[derive(Debug, Encode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// One SELECT statement; up to 100,000 bytes. Quote names with double quotes, texts with single ones.
    pub query: String,
    /// The tables by name; each a list of records or an object of columns. An empty list is a table with one column `_`.
    #[value(default)]
    pub tables: BTreeMap<String, Input<SqlTable>>,
    /// Values for the parameters of the query: a list for `?`, an object for `:name`; numbers, texts, booleans or null.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub params: Option<Value>,
    /// Most rows to return; when there are more the result says `truncated`.
    #[value(default = "BoundedInteger::<1, 1_000_000>::of::<10_000>")]
    pub max_rows: BoundedInteger<1, 1_000_000>,
}

/// The arguments as a caller gives them.
#[derive(Decode)]
#[value(deny_unknown_fields)]
struct GivenArgs {
    query: String,
    #[value(default)]
    tables: BTreeMap<String, Input<SqlTable>>,
    #[value(default)]
    params: Option<Value>,
    #[value(default = "BoundedInteger::<1, 1_000_000>::of::<10_000>")]
    max_rows: BoundedInteger<1, 1_000_000>,
}

/// Files that the query names are tables from here on.
impl Decode for Args {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let GivenArgs {
            query,
            mut tables,
            params,
            max_rows,
        } = GivenArgs::decode(value)?;
        files::add_named_files(&query, &mut tables);
        Ok(Self {
            query,
            tables,
            params,
            max_rows,
        })
    }
}

/// The result of a query.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Names of the result columns in order.
    pub columns: Vec<String>,
    /// One record for each row: cells by column name; numbers, texts, booleans (from boolean columns) or null, integers with
    /// all their digits.
    pub rows: Value,
    /// Number of rows returned.
    pub count: usize,
    /// Whether there were more than `max_rows` rows.
    pub truncated: bool,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        timeout_ms: Some(20_000),
        ..Spec::named("sql_query", "Query tables with SQL")
            .category(Category::Data)
            .tags(&["table", "query"])
            .syntax(&[("/query", Syntax::Sql)])
    };
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "numbers compare as numbers":
            r#"{"query": "SELECT name, age FROM people WHERE age > ? ORDER BY age",
                "tables": {"people": {"name": ["Ann", "Bob", "Cem"], "age": [9, 100, 30]}},
                "params": [25]}"#
            => r#"{"columns": ["name", "age"],
                "rows": [{"name": "Cem", "age": 30}, {"name": "Bob", "age": 100}], "count": 2,
                "truncated": false}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut tables = Vec::with_capacity(args.tables.len());
        for (name, table) in &args.tables {
            tables.push((name.as_str(), table.load(ctx)?));
        }
        lint::check_query(&args.query)?;
        aggregates::over_texts(&args.query, &tables)
            .into_iter()
            .for_each(|warning| ctx.warn(warning));
        let result = engine::run_query(
            &args.query,
            &tables,
            args.params.as_ref(),
            args.max_rows.size(),
            ctx,
        )?;
        if result.truncated {
            ctx.warn(format!(
                "only the first {} rows are returned",
                result.rows.len()
            ));
        }
        Ok(Output {
            count: result.rows.len(),
            rows: Value::array(result.rows),
            columns: result.columns,
            truncated: result.truncated,
        })
    }
}
