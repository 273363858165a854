//! A CSV text as typed records.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use tool_core::Object;
use tool_core::csv::{self, CsvDialect, CsvReadError};

use super::delimiter::CsvDelimiter;
use crate::prelude::*;

/// Reads a CSV text (RFC 4180, quotes, CRLF or LF, byte order mark allowed) into typed records. The type is decided for each
/// column as a whole: `number` when every non-empty cell is a JSON number, `boolean` when every one is `true` or `false`, else
/// `text`, so that codes such as `007`, `1_000` or `1 000` stay as written and a column never mixes types. Missing cells are null: empty
/// ones, and `NA`, `NaN`, `null` and `-` where all other cells of the column are numbers, booleans or dates; among texts these words are
/// texts, with a warning that counts them. Files of `$file` are read by the same rules.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The CSV text. Every line must have as many cells as the first; blank lines are skipped.
    #[schema(extend("x-file-endings" = [".csv", ".tsv", ".csv.gz", ".tsv.gz"]))]
    pub csv_content: Input<TextInput>,
    /// The character between cells; found where it is not given, as one of `,`, `;`, tab and `|`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub delimiter: Option<CsvDelimiter>,
    /// Whether the first line names the columns; otherwise they are `column_1`, `column_2`, ... By default it does unless all of its
    /// cells are numbers.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub has_header: Option<bool>,
    /// Whether `3,5` is a number; by default where `;` separates and such cells leave no doubt.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub decimal_comma: Option<bool>,
    /// Texts that stand for a missing cell in every column, in place of `NA`, `NaN`, `null` and `-`; `[]` for none but the empty cell.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub missing_words: Option<Vec<String>>,
}

/// The records of a CSV text.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// One record for each line: cells by column name, in column order; numbers, booleans, texts or null.
    pub rows: Value,
    /// Column names in order.
    pub columns: Vec<String>,
    /// Type of each column, in the order of `columns`.
    pub(crate) types: Vec<CsvColumnType>,
    /// Number of records.
    pub count: usize,
}

/// Type of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum CsvColumnType {
    /// Numbers; a whole one without fraction or exponent is an integer, with all its digits up to 2^63.
    Number,
    /// `true` and `false`.
    Boolean,
    /// Texts, exactly as written.
    Text,
    /// Nothing but missing cells.
    Null,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        version: 2,
        ..Spec::named("csv_to_json", "Read CSV into records")
            .category(Category::Data)
            .tags(&["table", "convert"])
    };
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "codes stay text, numbers become numbers, empty cells null":
            r#"{"csv_content": "id,price,sold\n007,1.5,true\n010,2e3,\n"}"#
            => r#"{"rows": [{"id": "007", "price": 1.5, "sold": true}, {"id": "010", "price": 2000.0, "sold": null}],
                "columns": ["id", "price", "sold"], "types": ["text", "number", "boolean"], "count": 2}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let text = args.csv_content.load(ctx)?;
        // The cells as text: twice the bytes and an end for each cell.
        ctx.reserve((text.len() as u64).saturating_mul(6))?;
        let dialect = CsvDialect {
            delimiter: args.delimiter.map(CsvDelimiter::byte),
            has_header: args.has_header,
            decimal_comma: args.decimal_comma,
            missing_words: args.missing_words,
        };
        let table = csv::read_csv(&text, &dialect, &|| ctx.check()).map_err(|halt| match halt {
            CsvReadError::Fault(fault) => ToolError::invalid("/csv_content", fault.message)
                .reason("csv")
                .hint(fault.hint),
            CsvReadError::Stopped(stopped) => stopped,
        })?;
        table.notes.into_iter().for_each(|note| ctx.warn(note.text));
        let count = table.columns.first().map_or(0, Vec::len);
        let cells = (count as u64 + 1).saturating_mul(table.names.len() as u64);
        ctx.reserve(cells.saturating_mul(CELL_BYTES))?;
        let mut rows = Vec::with_capacity(count);
        for row in 0..count {
            if row % LINES == 0 {
                ctx.check()?;
            }
            let mut object = Object::new();
            for (name, cells) in table.names.iter().zip(&table.columns) {
                object.push_unique(Arc::clone(name), cells[row].clone());
            }
            rows.push(Value::Object(Arc::new(object)));
        }
        Ok(Output {
            columns: table.names.iter().map(|name| name.to_string()).collect(),
            types: table.types.into_iter().map(CsvColumnType::from).collect(),
            count,
            rows: Value::array(rows),
        })
    }
}

/// Lines between two looks at the stop flag.
const LINES: usize = 256;
/// Bytes a cell of a record keeps alive beyond its text: the value and its key's pointer, the text's counters.
const CELL_BYTES: u64 = 96;

impl From<csv::TableColumnType> for CsvColumnType {
    fn from(kind: csv::TableColumnType) -> Self {
        match kind {
            csv::TableColumnType::Number => Self::Number,
            csv::TableColumnType::Boolean => Self::Boolean,
            csv::TableColumnType::Text => Self::Text,
            csv::TableColumnType::Null => Self::Null,
        }
    }
}
