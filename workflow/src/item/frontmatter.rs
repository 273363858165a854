//! The table between the lines `---` at the top of a page, as ranges of its text.

use std::ops::Range;

use registry::frontmatter::{BYTE_ORDER_MARK, FrontmatterPlace, find_frontmatter};
use tool_core::Value;

/// The range of the table, without the lines `---` around it; `None` where the page does not begin with one that is closed.
pub(super) fn find_table(text: &str) -> Option<Range<usize>> {
    match find_frontmatter(text) {
        FrontmatterPlace::Table(range) => Some(range.table),
        FrontmatterPlace::Absent | FrontmatterPlace::Unclosed { .. } => None,
    }
}

fn after_mark(text: &str) -> usize {
    match text.starts_with(BYTE_ORDER_MARK) {
        true => BYTE_ORDER_MARK.len_utf8(),
        false => 0,
    }
}

/// The line ending of a text: that of its first line.
pub(super) fn line_ending(text: &str) -> &'static str {
    let first = text.find('\n').map(|end| &text[..end]);
    if first.is_some_and(|first| first.ends_with('\r')) {
        "\r\n"
    } else {
        "\n"
    }
}

/// Whether a text can be the key of a field.
pub(super) fn is_key(text: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && text.bytes().all(part)
}

/// An entry of the table.
struct FrontmatterEntry {
    /// Its lines, with the line endings.
    lines: Range<usize>,
    /// From behind the colon to the end of the last line, without its line ending.
    value: Range<usize>,
}

/// The entry of a key: its line, and the indented lines and list items below it.
fn find_entry(text: &str, table: Range<usize>, key: &str) -> Option<FrontmatterEntry> {
    let mut found: Option<FrontmatterEntry> = None;
    let mut offset = table.start;
    for line in text[table].split_inclusive('\n') {
        let (start, end) = (offset, offset + line.len());
        offset = end;
        let content = line.trim_end_matches(['\r', '\n']);
        match &mut found {
            None => {
                let rest = content
                    .strip_prefix(key)
                    .and_then(|rest| rest.strip_prefix(':'));
                if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
                    found = Some(FrontmatterEntry {
                        lines: start..end,
                        value: start + key.len() + 1..start + content.len(),
                    });
                }
            }
            Some(entry) => {
                if content.starts_with([' ', '\t']) && !content.trim().is_empty()
                    || content == "-"
                    || content.starts_with("- ")
                {
                    entry.lines.end = end;
                    entry.value.end = start + content.len();
                } else if !content.trim().is_empty() {
                    break;
                }
            }
        }
    }
    found
}

/// Texts in which a key has a value, the best first.
pub(super) fn set_entry(text: &str, key: &str, value: &str) -> Vec<String> {
    let newline = line_ending(text);
    let Some(table) = find_table(text) else {
        let (mark, rest) = text.split_at(after_mark(text));
        return vec![format!(
            "{mark}---{newline}{key}: {value}{newline}---{newline}{rest}"
        )];
    };
    let Some(entry) = find_entry(text, table.clone(), key) else {
        return vec![splice_text(
            text,
            table.end..table.end,
            &format!("{key}: {value}{newline}"),
        )];
    };
    let whole = splice_text(text, entry.value.clone(), &format!(" {value}"));
    let line = &text[entry.value.clone()];
    if line.contains('\n') {
        return vec![whole];
    }
    let old = scalar_range(line);
    let range = entry.value.start + old.start..entry.value.start + old.end;
    let gap = if old.start == 0 { " " } else { "" };
    vec![splice_text(text, range, &format!("{gap}{value}")), whole]
}

/// Texts without a key.
pub(super) fn remove_entry(text: &str, key: &str) -> Vec<String> {
    let entry = find_table(text).and_then(|table| find_entry(text, table, key));
    entry
        .map(|entry| splice_text(text, entry.lines, ""))
        .into_iter()
        .collect()
}

fn splice_text(text: &str, range: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

/// The value on a line behind its colon: without spaces around it and a comment behind it.
fn scalar_range(line: &str) -> Range<usize> {
    let start = line.len() - line.trim_start_matches([' ', '\t']).len();
    let value = &line[start..];
    if value.is_empty() || value.starts_with('#') {
        return 0..0;
    }
    let flow = value.starts_with(['[', '{']);
    let mut quote = None;
    let mut escaped = false;
    let mut before = ' ';
    for (at, character) in value.char_indices() {
        match quote {
            Some('"') if escaped => escaped = false,
            Some('"') if character == '\\' => escaped = true,
            Some(open) if character == open => quote = None,
            Some(_) => {}
            None if matches!(character, '"' | '\'')
                && (at == 0 || flow && matches!(before, ' ' | '[' | '{' | ',')) =>
            {
                quote = Some(character);
            }
            None if character == '#' && matches!(before, ' ' | '\t') => {
                return start..start + value[..at].trim_end_matches([' ', '\t']).len();
            }
            None => {}
        }
        before = character;
    }
    start..start + value.trim_end_matches([' ', '\t']).len()
}

/// A value as YAML on one line; `None` for one that is no text, boolean, integer or list of these.
pub(super) fn write_yaml_value(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(quote_yaml_text(text)),
        Value::Bool(_) | Value::Int(_) => Some(value.to_string()),
        _ => {
            let items = value.items()?;
            let items: Option<Vec<String>> = items
                .iter()
                .map(|item| item.as_str().map(quote_yaml_text))
                .collect();
            Some(format!("[{}]", items?.join(", ")))
        }
    }
}

/// A text that YAML reads back as this text: plain where that is certain, else in double quotes.
fn quote_yaml_text(text: &str) -> String {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-' | b'.' | b'/');
    let begins = text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_reserved = reserved.contains(&text.to_ascii_lowercase().as_str());
    if begins && text.bytes().all(plain) && !text.ends_with(' ') && !is_reserved {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if needs_escape(character) => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)))
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Control characters, line breaks of Unicode, and what YAML does not print.
fn needs_escape(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}
