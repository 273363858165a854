//! Texts, dates and times in expressions over columns: `lower(city)`, `year(sold) >= 2022`, `city == "Rome"`.
//!
//! The expression language is over numbers. What it says of texts and dates is computed here first, cell by cell, and enters the expression as a
//! column of numbers; truth values are 1 and 0. A part of a missing cell is missing.

use std::cmp::Ordering;

use ::tables::{DataTable, TableCell, TableColumn, parse_date};

use super::text_token::{PhraseToken, TextTokenKind, split_phrase};
use crate::prelude::*;

/// Deepest nesting of functions.
const DEPTH_MAX: usize = 32;
/// The functions, for messages.
const FUNCTIONS: [&str; 18] = [
    "lower",
    "upper",
    "trim",
    "replace",
    "slice",
    "concat",
    "length",
    "contains",
    "starts_with",
    "ends_with",
    "year",
    "quarter",
    "month",
    "day",
    "weekday",
    "hour",
    "minute",
    "second",
];

/// An expression after its texts and dates were computed.
pub(super) enum ColumnPhrase {
    /// The whole of it is one column: of texts, of truth values, of integers.
    Column(TableColumn),
    /// An expression over numbers.
    Numbers(NumberPhrase),
}

/// An expression over numbers.
pub(super) struct NumberPhrase {
    /// The expression.
    pub(super) text: String,
    /// The table, with the columns that were computed for it.
    pub(super) table: DataTable,
}

/// Computes what an expression says of texts and dates.
///
/// # Errors
/// Texts where numbers are wanted, and functions with other arguments than they take.
pub(super) fn read_phrase(
    table: &DataTable,
    text: &str,
    pointer: &str,
    ctx: &Ctx,
) -> Result<ColumnPhrase, ToolError> {
    let mut reader = PhraseReader {
        table,
        text,
        pointer,
        ctx,
        tokens: split_phrase(text, pointer)?,
        at: 0,
    };
    let mut phrase = NumberPhrase {
        text: String::new(),
        table: table.clone(),
    };
    while reader.at < reader.tokens.len() {
        let start = reader.at;
        let Some(part) = reader.part()? else {
            phrase.text.push_str(reader.source(start));
            reader.at = start + 1;
            continue;
        };
        let is_whole = start == 0 && reader.at == reader.tokens.len();
        let column = part.into_column(table.rows());
        if is_whole {
            return Ok(ColumnPhrase::Column(column));
        }
        if !matches!(
            column,
            TableColumn::Integer(_) | TableColumn::Boolean(_) | TableColumn::Missing(_)
        ) {
            return Err(reader.fault(format_args!(
                "`{}` is a text or a date, and stands where a number is wanted",
                reader.words(start)
            )));
        }
        let name = new_name(&phrase.table);
        phrase.text.push_str(&format!(" {name} "));
        let wider = phrase.table.with_column(&name, column);
        phrase.table = wider.map_err(|err| super::table_fault(err, pointer, table, ctx))?;
    }
    Ok(ColumnPhrase::Numbers(phrase))
}

/// A name that no column has.
fn new_name(table: &DataTable) -> String {
    let name = |number: usize| format!("text_part_{number}");
    let mut number = 1;
    while table.position(&name(number)).is_ok() {
        number += 1;
    }
    name(number)
}

/// A text that is written out, or the cells of a column.
enum PhrasePart {
    Literal(String),
    Column(TableColumn),
}

impl PhrasePart {
    fn into_column(self, rows: usize) -> TableColumn {
        match self {
            Self::Literal(text) => {
                TableColumn::texts(std::iter::repeat_n(Some(text.as_str()), rows))
            }
            Self::Column(column) => column,
        }
    }

    /// The text of a row; of a date or time as ISO 8601 writes it.
    fn text(&self, row: usize) -> Option<String> {
        match self {
            Self::Literal(text) => Some(text.clone()),
            Self::Column(column) => match column.cell(row) {
                TableCell::Missing => None,
                TableCell::Text(text) => Some(text.to_owned()),
                cell => Some(cell.to_string()),
            },
        }
    }

    fn is_text(&self) -> bool {
        match self {
            Self::Literal(_) => true,
            Self::Column(column) => {
                matches!(column, TableColumn::Text(_) | TableColumn::Missing(_))
            }
        }
    }

    fn is_moment(&self) -> bool {
        let is_moment = |column: &TableColumn| {
            matches!(
                column,
                TableColumn::Date(_) | TableColumn::Moment(_) | TableColumn::Missing(_)
            )
        };
        matches!(self, Self::Column(column) if is_moment(column))
    }
}

struct PhraseReader<'a> {
    table: &'a DataTable,
    text: &'a str,
    pointer: &'a str,
    ctx: &'a Ctx,
    tokens: Vec<PhraseToken>,
    at: usize,
}

impl PhraseReader<'_> {
    fn fault(&self, message: std::fmt::Arguments<'_>) -> ToolError {
        ToolError::invalid(self.pointer, message).reason("phrase").hint(
            "such as `city == \"Rome\"`, `contains(lower(city), \"o\")`, `year(sold) >= 2022`, or choose rows by their values with `where`",
        )
    }

    /// A token as it was written, with the space after it.
    fn source(&self, index: usize) -> &str {
        let end = self.tokens.get(index + 1);
        let end = end.map_or(self.text.len(), |token| token.start);
        &self.text[self.tokens[index].start..end]
    }

    /// What was read from a token on.
    fn words(&self, from: usize) -> &str {
        let end = self.tokens.get(self.at);
        let end = end.map_or(self.text.len(), |token| token.start);
        self.text[self.tokens[from].start..end].trim_end()
    }

    fn kind(&self, index: usize) -> Option<&TextTokenKind> {
        self.tokens.get(index).map(|token| &token.kind)
    }

    /// An operand, or a comparison of two; `None` of what is about numbers.
    fn part(&mut self) -> Result<Option<PhrasePart>, ToolError> {
        let start = self.at;
        let Some(one) = self.operand(0)? else {
            return Ok(None);
        };
        let is_countable = matches!(
            one,
            PhrasePart::Column(TableColumn::Integer(_) | TableColumn::Boolean(_))
        );
        let sign = match self.kind(self.at) {
            Some(TextTokenKind::Comparison(sign)) if !is_countable => *sign,
            _ => return Ok(Some(one)),
        };
        let what = self.words(start).to_owned();
        self.at += 1;
        let found = self.at;
        let Some(two) = self.operand(0)? else {
            let found = match self.tokens.get(found) {
                Some(_) => self.source(found).trim(),
                None => "the end",
            };
            let kind = match &one {
                PhrasePart::Column(column) => column.column_type().to_string(),
                PhrasePart::Literal(_) => "text".to_owned(),
            };
            return Err(self.fault(format_args!(
                "column `{what}` is {kind}: expected a text after `{sign}`, found `{found}`"
            )));
        };
        self.compare(&one, sign, &two).map(Some)
    }

    fn compare(
        &self,
        one: &PhrasePart,
        sign: &str,
        two: &PhrasePart,
    ) -> Result<PhrasePart, ToolError> {
        for (part, other) in [(one, two), (two, one)] {
            if let (true, PhrasePart::Literal(text)) = (part.is_moment(), other)
                && parse_date(text.get(..10).unwrap_or(text)).is_none()
            {
                return Err(self.fault(format_args!(
                    "expected a date of ISO 8601 beside dates, found {text:?}"
                )));
            }
        }
        let rows = (0..self.table.rows()).map(|row| {
            let order = one.text(row)?.cmp(&two.text(row)?);
            Some(match sign {
                "<" => order == Ordering::Less,
                "<=" => order != Ordering::Greater,
                ">" => order == Ordering::Greater,
                ">=" => order != Ordering::Less,
                "!=" => order != Ordering::Equal,
                _ => order == Ordering::Equal,
            })
        });
        let compared = TableColumn::booleans(rows.collect::<Vec<_>>());
        self.ctx.check()?;
        Ok(PhrasePart::Column(compared))
    }

    /// A text, a column of texts or dates, or a function of them.
    fn operand(&mut self, depth: usize) -> Result<Option<PhrasePart>, ToolError> {
        let start = self.at;
        let name = match self.kind(start) {
            Some(TextTokenKind::Text(text)) => {
                let text = text.clone();
                self.at += 1;
                return Ok(Some(PhrasePart::Literal(text)));
            }
            Some(TextTokenKind::Name(name)) => name.clone(),
            _ => return Ok(None),
        };
        if self.kind(start + 1) == Some(&TextTokenKind::Open) {
            if !FUNCTIONS.contains(&name.as_str()) {
                return Ok(None);
            }
            self.at += 2;
            let args = self.arguments(&name, depth)?;
            let found = self.function(&name, &args)?;
            self.ctx.check()?;
            return Ok(Some(PhrasePart::Column(found)));
        }
        let column = self.table.column(&name).ok();
        let is_taken = |column: &&TableColumn| {
            matches!(
                column,
                TableColumn::Text(_) | TableColumn::Date(_) | TableColumn::Moment(_)
            )
        };
        let column = column.filter(is_taken).cloned();
        self.at += usize::from(column.is_some());
        Ok(column.map(PhrasePart::Column))
    }

    fn arguments(&mut self, name: &str, depth: usize) -> Result<Vec<FunctionArgument>, ToolError> {
        if depth == DEPTH_MAX {
            return Err(self.fault(format_args!(
                "functions are nested more than {DEPTH_MAX} deep"
            )));
        }
        let mut args = Vec::new();
        loop {
            let start = self.at;
            let argument = match self.operand(depth + 1)? {
                Some(part) => FunctionArgument::Part(part),
                None => {
                    let word = match self.tokens.get(start) {
                        Some(_) => self.source(start).trim(),
                        None => "the end",
                    };
                    let number = word.parse::<usize>();
                    let missing = match self.kind(start) {
                        Some(TextTokenKind::Name(column)) => self.table.column(column).err(),
                        _ => None,
                    };
                    match (number, missing) {
                        (Ok(number), _) => {
                            self.at = start + 1;
                            FunctionArgument::Number(number)
                        }
                        (_, Some(err)) => {
                            return Err(super::table_fault(
                                err,
                                self.pointer,
                                self.table,
                                self.ctx,
                            ));
                        }
                        _ => {
                            return Err(self.fault(format_args!(
                                "`{name}` takes texts, dates and columns of them, found `{word}`"
                            )));
                        }
                    }
                }
            };
            args.push(argument);
            let next = self.kind(self.at).cloned();
            self.at += 1;
            match next {
                Some(TextTokenKind::Comma) => {}
                Some(TextTokenKind::Close) => return Ok(args),
                _ => {
                    return Err(self.fault(format_args!(
                        "expected `,` or `)` after an argument of `{name}` in `{}`",
                        self.text
                    )));
                }
            }
        }
    }

    fn function(&self, name: &str, args: &[FunctionArgument]) -> Result<TableColumn, ToolError> {
        use FunctionArgument::{Number, Part};
        let rows = 0..self.table.rows();
        Ok(match (name, args) {
            ("lower", [Part(one)]) => self.map_texts(one, name, |text| text.to_lowercase())?,
            ("upper", [Part(one)]) => self.map_texts(one, name, |text| text.to_uppercase())?,
            ("trim", [Part(one)]) => self.map_texts(one, name, |text| text.trim().to_owned())?,
            (
                "replace",
                [
                    Part(one),
                    Part(PhrasePart::Literal(from)),
                    Part(PhrasePart::Literal(to)),
                ],
            ) if !from.is_empty() => self.map_texts(one, name, |text| text.replace(from, to))?,
            ("slice", [Part(one), Number(first @ 1..), Number(count)]) => {
                self.map_texts(one, name, |text| {
                    text.chars().skip(first - 1).take(*count).collect()
                })?
            }
            ("concat", [_, _, ..]) => {
                let texts: Vec<Option<String>> = rows
                    .map(|row| {
                        let parts = args.iter().map(|argument| match argument {
                            Part(part) => part.text(row),
                            Number(number) => Some(number.to_string()),
                        });
                        parts.collect()
                    })
                    .collect();
                TableColumn::texts(texts.iter().map(Option::as_deref))
            }
            ("length", [Part(one)]) => {
                self.check_text(one, name)?;
                TableColumn::integers(rows.map(|row| Some(one.text(row)?.chars().count() as i64)))
            }
            ("contains" | "starts_with" | "ends_with", [Part(one), Part(two)]) => {
                self.check_text(one, name)?;
                self.check_text(two, name)?;
                TableColumn::booleans(rows.map(|row| {
                    let (text, part) = (one.text(row)?, two.text(row)?);
                    Some(match name {
                        "contains" => text.contains(&part),
                        "starts_with" => text.starts_with(&part),
                        _ => text.ends_with(&part),
                    })
                }))
            }
            (name, [Part(one)]) if FUNCTIONS[10..].contains(&name) && one.is_moment() => {
                TableColumn::integers(rows.map(|row| date_part(name, &one.text(row)?)))
            }
            (name, [Part(PhrasePart::Column(column))]) if FUNCTIONS[10..].contains(&name) => {
                let found = column.column_type();
                return Err(self.fault(format_args!(
                    "`{name}` takes dates and times, found {found}; only ISO 8601 is read as dates"
                )));
            }
            _ => {
                let form = match name {
                    "replace" => "replace(city, \"from\", \"to\")",
                    "slice" => "slice(city, 1, 3)",
                    "concat" => "concat(city, \", \", country)",
                    "contains" | "starts_with" | "ends_with" => "contains(city, \"part\")",
                    "lower" | "upper" | "trim" | "length" => "lower(city)",
                    _ => "year(date)",
                };
                return Err(self.fault(format_args!(
                    "`{name}` takes other arguments, such as `{form}`"
                )));
            }
        })
    }

    fn check_text(&self, part: &PhrasePart, name: &str) -> Result<(), ToolError> {
        match part {
            PhrasePart::Column(column) if !part.is_text() => {
                let found = column.column_type();
                Err(self.fault(format_args!("`{name}` takes texts, found {found}")))
            }
            _ => Ok(()),
        }
    }

    /// A function of each text; of a column once for each text that differs.
    fn map_texts(
        &self,
        part: &PhrasePart,
        name: &str,
        change: impl Fn(&str) -> String,
    ) -> Result<TableColumn, ToolError> {
        self.check_text(part, name)?;
        let rows = self.table.rows();
        Ok(match part {
            PhrasePart::Literal(text) => PhrasePart::Literal(change(text)).into_column(rows),
            PhrasePart::Column(TableColumn::Text(texts)) => {
                let entries = texts.entries().iter();
                let changed: Vec<String> = entries
                    .map(|entry| change(entry.unwrap_or_default()))
                    .collect();
                TableColumn::texts((0..rows).map(|row| Some(changed[texts.key(row)?].as_str())))
            }
            PhrasePart::Column(_) => TableColumn::Missing(rows),
        })
    }
}

/// An argument of a function.
enum FunctionArgument {
    Part(PhrasePart),
    /// A whole number, as places in texts are.
    Number(usize),
}

/// A part of a date or time as ISO 8601 writes it; a date alone is at midnight. Weekdays count from Monday, 1.
fn date_part(name: &str, text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T').unwrap_or((text, "00:00:00"));
    let time = |from: usize| time.get(from..from + 2)?.parse::<i64>().ok();
    match name {
        "hour" => return time(0),
        "minute" => return time(3),
        "second" => return time(6),
        _ => {}
    }
    let date: jiff::civil::Date = date.parse().ok()?;
    Some(match name {
        "year" => i64::from(date.year()),
        "quarter" => (i64::from(date.month()) + 2) / 3,
        "month" => i64::from(date.month()),
        "day" => i64::from(date.day()),
        _ => i64::from(date.weekday().to_monday_one_offset()),
    })
}
