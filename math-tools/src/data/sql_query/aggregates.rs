//! Aggregates over texts: SQLite adds up the number that a text begins with, or 0, without a word.

use tool_core::{Table, Value, brief, json};

/// The aggregates that read a text as a number.
const SUMS: [&str; 3] = ["sum", "avg", "total"];
/// Those that compare texts by their characters.
const EXTREMES: [&str; 2] = ["min", "max"];

/// A warning for each aggregate of a query over a column with texts that are no numbers; of `min` and `max` where the column also
/// has numbers.
pub(super) fn over_texts(query: &str, tables: &[(&str, Table)]) -> Vec<String> {
    let mut warnings = Vec::new();
    for (function, column) in calls(query) {
        for (_, table) in tables {
            let mut columns = table.names().zip(table.columns());
            let found = columns.find(|(name, _)| name.eq_ignore_ascii_case(&column));
            let Some((name, cells)) = found else { continue };
            let texts = cells.iter().filter_map(Value::as_str);
            let (numbers, others): (Vec<&str>, Vec<&str>) = texts.partition(|text| is_number(text));
            let has_numbers =
                !numbers.is_empty() || cells.iter().any(|cell| cell.as_f64().is_some());
            let Some(first) = others.first().filter(|_| is_sum(function) || has_numbers) else {
                continue;
            };
            let what = match is_sum(function) {
                true => "counts the number each begins with, or 0",
                false => "compares the column by characters",
            };
            let (count, first) = (others.len(), brief::name(first));
            let warning = format!(
                "`{function}` over `{name}`: {count} values are texts that are no numbers, such as {first:?}, and SQLite {what}"
            );
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    warnings
}

fn is_sum(function: &str) -> bool {
    SUMS.contains(&function)
}

fn is_number(text: &str) -> bool {
    let number = json::parse(text.trim(), json::Limits::default());
    number.is_ok_and(|number| matches!(number, Value::Int(_) | Value::Float(_)))
}

/// The aggregates over one column that a query writes, as `sum(v)` or `SUM ( DISTINCT t."v" )`.
fn calls(query: &str) -> Vec<(&'static str, String)> {
    let words = words(query);
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let known = SUMS.into_iter().chain(EXTREMES);
        let mut known = known
            .filter(|name| matches!(word, Word::Name(word) if word.eq_ignore_ascii_case(name)));
        let (Some(function), Some(Word::Mark('('))) = (known.next(), words.get(index + 1)) else {
            continue;
        };
        let mut rest = &words[index + 2..];
        if let Some(Word::Name(word)) = rest.first()
            && word.eq_ignore_ascii_case("distinct")
        {
            rest = &rest[1..];
        }
        while let [Word::Name(_), Word::Mark('.'), after @ ..] = rest {
            rest = after;
        }
        if let [Word::Name(column), Word::Mark(')'), ..] = rest {
            found.push((function, column.clone()));
        }
    }
    found
}

enum Word {
    Name(String),
    Mark(char),
}

/// The names and marks of a query; texts and comments are left out.
fn words(query: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        let closing = match first {
            '\'' | '"' | '`' => Some(first),
            '[' => Some(']'),
            _ => None,
        };
        let length = if let Some(closing) = closing {
            let inner = &rest[1..];
            let end = inner.find(closing).unwrap_or(inner.len());
            if first != '\'' {
                words.push(Word::Name(inner[..end].to_owned()));
            }
            (end + 2).min(rest.len())
        } else if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first.is_alphanumeric() || first == '_' {
            let other = |letter: char| !letter.is_alphanumeric() && letter != '_';
            let end = rest.find(other).unwrap_or(rest.len());
            words.push(Word::Name(rest[..end].to_owned()));
            end
        } else {
            if !first.is_whitespace() {
                words.push(Word::Mark(first));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    words
}
