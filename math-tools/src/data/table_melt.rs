//! A wide table made long.

use ::tables::MeltPlan;

use super::table::{self, ROWS_SHOWN, TableAnswer, TableInput};
use crate::prelude::*;

/// Makes a wide table long: a row for each cell of some columns, with the name of its column, one column after the other. Columns of several
/// types of numbers become numbers, other mixtures texts.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub table: Input<TableInput>,
    /// The columns that each row keeps.
    #[value(default)]
    pub keep: Vec<String>,
    /// The columns that become rows; all that are not kept when absent.
    #[value(default)]
    pub columns: Vec<String>,
    /// Name of the new column with the names.
    #[value(default = "default_name")]
    pub name_to: String,
    /// Name of the new column with the cells.
    #[value(default = "default_value")]
    pub value_to: String,
    /// Rows to show as records.
    #[value(default = "BoundedInteger::<0, 1_000_000>::of::<ROWS_SHOWN>")]
    pub rows: BoundedInteger<0, 1_000_000>,
}

fn default_name() -> String {
    "name".to_owned()
}

fn default_value() -> String {
    "value".to_owned()
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("table_melt", "Make a wide table long")
        .category(Category::Data)
        .tags(&["table", "convert"]);
    type Output = TableAnswer;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a row for each year":
            r#"{"table": {"city": ["Oslo", "Rome"], "2023": [null, 4], "2024": [2, 5]}, "keep": ["city"],
                "name_to": "year", "value_to": "sold"}"#
            => r#"{"columns": ["city", "year", "sold"], "types": ["text", "text", "integer"],
                "rows": [{"city": "Oslo", "year": "2023", "sold": null}, {"city": "Rome", "year": "2023", "sold": 4},
                    {"city": "Oslo", "year": "2024", "sold": 2}, {"city": "Rome", "year": "2024", "sold": 5}], "count": 4,
                "table": {"city": ["Oslo", "Rome", "Oslo", "Rome"], "year": ["2023", "2023", "2024", "2024"],
                    "sold": [null, 4, 2, 5]}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<TableAnswer, ToolError> {
        let table = args.table.load(ctx)?.into_table(ctx)?;
        table::check_names(&args.keep, "/keep", &table, ctx)?;
        table::check_names(&args.columns, "/columns", &table, ctx)?;
        for (name, pointer) in [(&args.name_to, "/name_to"), (&args.value_to, "/value_to")] {
            if args.keep.contains(name) {
                refuse!(invalid pointer, "table"; "`keep` has a column named `{name}`"; "choose another name");
            }
        }
        if args.value_to == args.name_to {
            refuse!(invalid "/value_to", "table"; "`name_to` is the same name"; "choose two names");
        }
        let plan = MeltPlan {
            keep: args.keep,
            columns: args.columns,
            name_to: args.name_to,
            value_to: args.value_to,
        };
        let long = table.melt(&plan, &table::stop_check(ctx));
        let long = long.map_err(|err| table::table_fault(err, "/columns", &table, ctx))?;
        TableAnswer::new(&long, args.rows.size(), ctx)
    }
}
