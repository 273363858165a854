//! A long table made wide.

use ::tables::{DataTable, PivotPlan, TableError};

use super::table::{self, ROWS_SHOWN, TableAnswer, TableInput};
use super::table_group::parse_aggregate_function;
use crate::prelude::*;

/// Makes a long table wide: a row for each group of `by`, and a column for each value of another column, sorted, with the cells of a third one in
/// them. Several cells for one place become one by a function; a place without a cell is missing.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub table: Input<TableInput>,
    /// The columns that tell the rows apart.
    pub by: Vec<String>,
    /// The column whose values name the new columns; missing ones are named `missing`.
    pub names: String,
    /// The column whose cells fill them.
    pub values: String,
    /// What becomes of several cells for one place: `count sum mean min max var std median first last n_distinct`.
    #[value(default = "default_function")]
    pub function: String,
    /// Rows to show as records.
    #[value(default = "BoundedInteger::<0, 1_000_000>::of::<ROWS_SHOWN>")]
    pub rows: BoundedInteger<0, 1_000_000>,
}

fn default_function() -> String {
    "first".to_owned()
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("table_pivot", "Make a long table wide")
        .category(Category::Data)
        .tags(&["table", "convert"]);
    type Output = TableAnswer;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a column for each year":
            r#"{"table": {"city": ["Rome", "Rome", "Oslo"], "year": [2024, 2023, 2024], "sold": [5, 4, 2]},
                "by": ["city"], "names": "year", "values": "sold", "function": "sum"}"#
            => r#"{"columns": ["city", "2023", "2024"], "types": ["text", "integer", "integer"],
                "rows": [{"city": "Oslo", "2023": null, "2024": 2}, {"city": "Rome", "2023": 4, "2024": 5}], "count": 2,
                "table": {"city": ["Oslo", "Rome"], "2023": [null, 4], "2024": [2, 5]}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<TableAnswer, ToolError> {
        let table = args.table.load(ctx)?.into_table(ctx)?;
        for (name, pointer) in [(&args.names, "/names"), (&args.values, "/values")] {
            let known = table.position(name);
            known.map_err(|err| table::table_fault(err, pointer, &table, ctx))?;
        }
        table::check_names(&args.by, "/by", &table, ctx)?;
        let plan = PivotPlan {
            function: parse_aggregate_function(&args.function, None, "/function")?,
            rows: args.by,
            columns: args.names,
            values: args.values,
        };
        let wide = table.pivot(&plan, &table::stop_check(ctx));
        let mut wide = wide.map_err(|err| pivot_fault(err, &plan, &table, ctx))?;
        if plan.function.needs_numbers() {
            let source = table.column(&plan.values).ok();
            let finite = table::table_without_overflow(&wide, plan.rows.len(), source, ctx);
            wide = finite.map_err(|err| pivot_fault(err, &plan, &table, ctx))?;
        }
        TableAnswer::new(&wide, args.rows.size(), ctx)
    }
}

/// The error at the argument that it is about.
fn pivot_fault(err: TableError, plan: &PivotPlan, table: &DataTable, ctx: &Ctx) -> ToolError {
    match err {
        TableError::DuplicateColumn(name) => {
            let message = format!(
                "two new columns are named `{name}`: by cells of `{}` that look alike, or as a column of `by` is",
                plan.columns
            );
            ToolError::invalid("/names", message)
                .reason("table")
                .hint("choose another column, or rename the one of `by`")
        }
        TableError::ColumnType {
            expected, found, ..
        } => {
            let err = TableError::ColumnType {
                column: plan.values.clone(),
                expected,
                found,
            };
            table::table_fault(err, "/values", table, ctx)
        }
        err => table::table_fault(err, "/names", table, ctx),
    }
}
