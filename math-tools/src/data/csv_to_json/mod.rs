//! A CSV text as typed records.

mod kernel;
#[cfg(test)]
mod tests;

use self::kernel::{Records, read};
use super::delimiter::Delimiter;
use crate::prelude::*;

/// Reads a CSV text (RFC 4180, quotes, CRLF or LF, byte order mark allowed) into typed records. The type is decided for each
/// column as a whole: `number` when every non-empty cell is a JSON number, `boolean` when every one is `true` or `false`, else
/// `text`, so that codes such as `007`, `1_000` or `1 000` stay as written and a column never mixes types. Empty cells are null.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The CSV text. Every line must have as many cells as the first; blank lines are skipped.
    #[schema(extend("x-file-endings" = [".csv", ".tsv"]))]
    pub csv_content: Input<Text>,
    /// The character between cells.
    #[value(default)]
    pub delimiter: Delimiter,
    /// Whether the first line names the columns; otherwise they are `column_1`, `column_2`, ...
    #[value(default = "yes")]
    pub has_header: bool,
}

/// The records of a CSV text.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// One record for each line: cells by column name, in column order; numbers, booleans, texts or null.
    pub rows: Value,
    /// Column names in order.
    pub columns: Vec<String>,
    /// Type of each column, in the order of `columns`.
    pub(crate) types: Vec<ColumnType>,
    /// Number of records.
    pub count: usize,
}

/// Type of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ColumnType {
    /// Numbers; a whole one without fraction or exponent is an integer (a column with one beyond 2^53 is text).
    Number,
    /// `true` and `false`.
    Boolean,
    /// Texts, exactly as written.
    Text,
    /// Nothing but empty cells.
    Null,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("csv_to_json", "Read CSV into records")
        .category(Category::Data)
        .tags(&["table", "convert"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "codes stay text, numbers become numbers, empty cells null":
            r#"{"csv_content": "id,price,sold\n007,1.5,true\n010,2e3,\n"}"#
            => r#"{"rows": [{"id": "007", "price": 1.5, "sold": true}, {"id": "010", "price": 2000.0, "sold": null}],
                "columns": ["id", "price", "sold"], "types": ["text", "number", "boolean"], "count": 2}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let text = args.csv_content.load(ctx)?;
        let Records { names, types, rows } = read(&text, args.delimiter, args.has_header, ctx)?;
        Ok(Output {
            columns: names.iter().map(|name| name.to_string()).collect(),
            types,
            count: rows.len(),
            rows: Value::array(rows),
        })
    }
}
