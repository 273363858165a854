//! Text for readers: aligned names and values, unchanged plots, long lists truncated with a note.

use std::borrow::Cow;
use std::fmt::Write as _;

use tool_core::{Numbers, Object, Outcome, Status, ToolError, Value, number};

use crate::environment;

/// Maximum number of elements of a list, and of rows and columns of a matrix.
const SHOWN_MAX: usize = 12;

/// The answer to a call: the result for stdout; warnings, errors and the audit head for stderr.
pub(super) struct Rendered {
    pub stdout: String,
    pub stderr: String,
}

/// Renders the answer to a call.
pub(super) fn outcome(outcome: &Outcome) -> Rendered {
    let mut stderr = warnings(outcome);
    let stdout = match &outcome.status {
        Status::Success(output) => value(output),
        Status::Error(err) => {
            stderr.push_str(&error(err));
            String::new()
        }
        Status::PendingApproval {
            approval_id: id,
            so_far,
        } => {
            let usual = || {
                format!(
                    "`mathchain approve {id}` or `mathchain deny {id}`, then send the same call again"
                )
            };
            let next = so_far.get("next").and_then(Value::as_str);
            let next = next.map_or_else(usual, str::to_owned);
            let _ = writeln!(stderr, "approval needed: {next}");
            String::new()
        }
    };
    stderr.push_str(&head(outcome));
    Rendered { stdout, stderr }
}

/// Warnings and the audit head of an answer.
pub(super) fn beside(outcome: &Outcome) -> String {
    warnings(outcome) + &head(outcome)
}

fn warnings(outcome: &Outcome) -> String {
    let warnings = outcome.warnings.iter();
    warnings
        .map(|warning| format!("warning: {warning}\n"))
        .collect()
}

/// The head of the audit after an answer, as a line.
pub(super) fn head(outcome: &Outcome) -> String {
    let audit = outcome.metadata.get("audit");
    let Some(head) = audit.and_then(|audit| audit.get("head")?.as_str()) else {
        return String::new();
    };
    format!("audit {head}\n")
}

/// The first names of a list, and the number of the others.
pub(super) fn first_of(names: &[String], most: usize) -> String {
    let shown = names[..names.len().min(most)].join(", ");
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} ... and {more} more"),
    }
}

/// An error with its place and hint; of several problems each one with its own.
pub(super) fn error(err: &ToolError) -> String {
    let at = |path: &str| match path {
        "" => String::new(),
        path => format!(" (at `{path}`)"),
    };
    let mut text = String::new();
    if err.problems().len() <= 1 {
        let place = at(err.path().unwrap_or_default());
        let _ = writeln!(text, "error: {}{place} [{}]", err.message(), err.code());
        if let Some(hint) = err.hint_str() {
            let _ = writeln!(text, "hint: {hint}");
        }
        return text;
    }
    let more = err.evidence_value();
    let more = more.and_then(|evidence| evidence.get("more_problems")?.as_i64());
    let more = usize::try_from(more.unwrap_or(0)).unwrap_or(0);
    let count = err.problems().len() + more;
    let _ = writeln!(text, "error: {count} problems [{}]", err.code());
    for problem in err.problems() {
        let line = |(line, column)| format!("{line}:{column}: ");
        let line = problem.place.map(line).unwrap_or_default();
        let place = at(&problem.path);
        let _ = writeln!(text, "  - {line}{}{place}", problem.message);
        if let Some(hint) = &problem.hint {
            let _ = writeln!(text, "    {hint}");
        }
    }
    if more > 0 {
        let _ = writeln!(text, "  and {more} more");
    }
    text
}

/// A value, each member on a line.
pub(super) fn value(value: &Value) -> String {
    let mut text = String::new();
    match value {
        Value::Object(object) => members(object, 0, &mut text),
        other => {
            text.push_str(&inline_or_block(other, 0));
            text.push('\n');
        }
    }
    text
}

fn members(object: &Object, indent: usize, text: &mut String) {
    let widths = object.iter().map(|(key, _)| key.chars().count());
    let width = widths.max().unwrap_or(0);
    for (key, value) in object.iter() {
        let pad = " ".repeat(indent);
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                let _ = writeln!(text, "{pad}{key}");
                members(inner, indent + 2, text);
            }
            other => {
                let rendered = inline_or_block(other, indent + 2);
                if rendered.contains('\n') {
                    let _ = writeln!(text, "{pad}{key}\n{rendered}");
                } else {
                    let _ = writeln!(text, "{pad}{key:width$}  {rendered}");
                }
            }
        }
    }
}

fn inline_or_block(value: &Value, indent: usize) -> String {
    let pad = " ".repeat(indent);
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) if is_picture(text) => format!("{text}\n"),
        Value::String(text) => text.trim_end_matches('\n').to_owned(),
        Value::Float(number) => number::spelling(*number),
        Value::Numbers(numbers) if numbers.rank() == 1 => list(numbers),
        Value::Numbers(numbers) if numbers.rank() == 2 => matrix(numbers, &pad),
        Value::Numbers(numbers) => format!("array of shape {:?}", numbers.shape()),
        Value::Array(items) if items.is_empty() => "(none)".to_owned(),
        Value::Array(items) => rows(items, indent),
        Value::Object(object) => {
            let members = object.iter();
            let members =
                members.map(|(key, value)| format!("{key}={}", inline_or_block(value, 0)));
            members.collect::<Vec<_>>().join("  ")
        }
        other => other.to_string(),
    }
}

/// Replaces characters that control the terminal or change the direction of text; line ends, tabs and whole sixel pictures remain.
/// All text for readers passes here.
pub(super) fn safe(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\x1bP") {
        let (before, from) = rest.split_at(start);
        let end = from.find("\x1b\\").map_or(from.len(), |end| end + 2);
        let (picture, after) = from.split_at(end);
        safe.extend(before.chars().map(shown));
        match is_picture(picture) {
            true => safe.push_str(picture),
            false => safe.extend(picture.chars().map(shown)),
        }
        rest = after;
    }
    safe.extend(rest.chars().map(shown));
    Cow::Owned(safe)
}

fn shown(character: char) -> char {
    match is_unsafe(character) {
        true => char::REPLACEMENT_CHARACTER,
        false => character,
    }
}

/// Control characters of terminals and of text direction, and zero-width characters that hide in names.
fn is_unsafe(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => true,
        character => character.is_control(),
    }
}

/// Whether a text is exactly one sixel picture, which a terminal draws without other effects.
fn is_picture(text: &str) -> bool {
    let body = text
        .strip_prefix("\x1bP")
        .and_then(|rest| rest.strip_suffix("\x1b\\"));
    let Some((parameters, data)) = body.and_then(|body| body.split_once('q')) else {
        return false;
    };
    let is_parameter = |byte: u8| byte.is_ascii_digit() || byte == b';';
    let is_data = |byte| matches!(byte, b'!'..=b'-' | b'0'..=b'9' | b';' | b'?'..=b'~');
    parameters.bytes().all(is_parameter) && data.bytes().all(is_data)
}

fn list(numbers: &Numbers) -> String {
    let shown = spelled(numbers, numbers.as_slice()).join(" ");
    match numbers.len() {
        0..=SHOWN_MAX => shown,
        count => format!("{shown} ... ({count} values)"),
    }
}

fn matrix(numbers: &Numbers, pad: &str) -> String {
    let (rows, columns) = (numbers.shape()[0], numbers.shape()[1]);
    let rows_shown = numbers.as_slice().chunks_exact(columns).take(SHOWN_MAX);
    let cells: Vec<_> = rows_shown.map(|row| spelled(numbers, row)).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.min(SHOWN_MAX)).map(width).collect();
    let more = if columns > SHOWN_MAX { "  ..." } else { "" };
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells = cells.map(|(cell, &width)| format!("{cell:>width$}"));
        format!("{pad}{}{more}", cells.collect::<Vec<_>>().join("  "))
    };
    let mut lines: Vec<String> = cells.iter().map(line).collect();
    if rows > SHOWN_MAX || columns > SHOWN_MAX {
        lines.push(format!("{pad}({rows} x {columns})"));
    }
    lines.join("\n")
}

fn rows(items: &[Value], indent: usize) -> String {
    let pad = " ".repeat(indent);
    let shown = items.iter().take(SHOWN_MAX);
    let shown = shown.map(|item| format!("{pad}{}", inline_or_block(item, indent + 2)));
    let mut lines: Vec<String> = shown.collect();
    if items.len() > SHOWN_MAX {
        lines.push(format!("{pad}... ({} in total)", items.len()));
    }
    lines.join("\n")
}

/// The first of some numbers.
fn spelled(of: &Numbers, numbers: &[f64]) -> Vec<String> {
    let spell = |number: &f64| match of.integral() {
        true => format!("{number:.0}"),
        false => number::spelling(*number),
    };
    numbers.iter().take(SHOWN_MAX).map(spell).collect()
}

/// A time in the reader's time zone.
pub(super) fn time(unix_ms: u64) -> String {
    let ms = i64::try_from(unix_ms).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(moment) => {
            let moment = moment.to_zoned(environment::time_zone());
            moment.strftime("%Y-%m-%d %H:%M:%S").to_string()
        }
        Err(_) => unix_ms.to_string(),
    }
}

/// A number of bytes, in units of a thousand.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut number = bytes as f64 / 1000.0;
    let mut unit = 0;
    while number >= 999.95 && unit + 1 < UNITS.len() {
        number /= 1000.0;
        unit += 1;
    }
    format!("{number:.1} {}", UNITS[unit])
}

/// The obligations that the call met: a notification, and backups.
pub(super) fn obligations(outcome: &Outcome) -> String {
    let mut text = String::new();
    if let Some(id) = outcome.metadata.get("notice").and_then(|id| id.as_str()) {
        text = format!("notification {id}: recorded by a rule (`mathchain inbox list`)\n");
    }
    let backups = outcome.metadata.get("backups").and_then(Value::items);
    for backup in backups.unwrap_or_default() {
        let text_of = |key: &str| backup.get(key)?.as_str().map(str::to_owned);
        if let (Some(id), Some(path)) = (text_of("id"), text_of("path")) {
            text +=
                &format!("backup of {path}: restore it with `mathchain backups restore {id}`\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_does_not_steer_the_terminal() {
        for text in [
            "\x1b[2J",
            "a\n\x1b]0;title\x07b\n",
            "\x1bP0;1q#0\x1b[2J\x1b\\",
            "\x1bP unended",
            "\u{9b}2J",
            "gpj.\u{202e}exe",
            "pay\u{200b}pal",
        ] {
            let safe = safe(text);
            assert!(!safe.contains(is_unsafe), "{safe:?}");
            assert_eq!(safe.chars().count(), text.chars().count());
        }
        assert_eq!(safe("a\n\tb \u{e9}\u{1f600}\n"), "a\n\tb \u{e9}\u{1f600}\n");
    }

    #[test]
    fn a_picture_is_printed_as_it_is() {
        let picture = "\x1bP0;1q\"1;1;100;50#0;2;100;100;100#0!100~$-\x1b\\";
        let shown = inline_or_block(&Value::from(picture), 0);
        assert_eq!(shown.trim_end(), picture);
        let among = format!("\x1b[2Ja {picture}\x1b]");
        assert_eq!(safe(&among), format!("\u{fffd}[2Ja {picture}\u{fffd}]"));
    }
}
