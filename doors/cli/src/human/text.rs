//! Words for readers: times, sizes, lines wrapped at words, colours.

use std::io::IsTerminal as _;

use mathchain::environment;

/// A time in the reader's time zone.
pub(crate) fn format_local_time(unix_ms: u64) -> String {
    let ms = i64::try_from(unix_ms).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(moment) => {
            let moment = moment.to_zoned(environment::time_zone());
            moment.strftime("%Y-%m-%d %H:%M:%S").to_string()
        }
        Err(_) => unix_ms.to_string(),
    }
}

/// A time in UTC, as RFC 3339 has it.
pub(crate) fn format_utc_time(unix_ms: u64) -> String {
    let ms = i64::try_from(unix_ms).unwrap_or(i64::MAX);
    let moment = jiff::Timestamp::from_millisecond(ms);
    moment.map_or_else(|_| unix_ms.to_string(), |moment| format!("{moment:.3}"))
}

/// A number of bytes, in units of a thousand.
pub(crate) fn format_byte_size(bytes: u64) -> String {
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

/// Hex digits of a BLAKE3 digest, and how many of them are shown.
const DIGEST: usize = 64;
const DIGEST_SHOWN: usize = 12;

/// The beginning of a text that is a digest and nothing else.
pub(super) fn shorten_digest(text: &str) -> Option<String> {
    let is_digest = text.len() == DIGEST && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then(|| format!("{}...", &text[..DIGEST_SHOWN]))
}

/// Width of output that no terminal shows.
const WIDTH: usize = 100;

/// Columns of the terminal that shows stdout, at most 100; 100 where none does.
pub(crate) fn terminal_width() -> usize {
    let columns = console::Term::stdout().size_checked();
    columns.map_or(WIDTH, |(_, columns)| usize::from(columns).clamp(20, WIDTH))
}

/// Text for a reader, whose lines a terminal would break in the middle of words are broken at spaces, and what follows indented. Pictures and
/// tables, whose columns are spaced, stay as they are, and everything does where no terminal shows it.
pub(crate) fn at_width(text: &str) -> std::borrow::Cow<'_, str> {
    let columns = console::Term::stdout().size_checked();
    match columns {
        Some((_, columns)) if std::io::stdout().is_terminal() => {
            break_lines(text, usize::from(columns)).into()
        }
        _ => text.into(),
    }
}

/// An entry of a list for a reader: on a terminal that is narrower than one of its lines, that line without padding, with the beginnings of
/// digests, and broken at spaces.
pub(crate) fn fit_list_entry(entry: &str) -> std::borrow::Cow<'_, str> {
    let columns = console::Term::stdout().size_checked();
    match columns {
        Some((_, columns)) if std::io::stdout().is_terminal() => {
            narrow_entry(entry, usize::from(columns)).into()
        }
        _ => entry.into(),
    }
}

fn narrow_entry(entry: &str, columns: usize) -> String {
    const LEAST: usize = 20;
    let fit = |line: &str| {
        if columns < LEAST || console::measure_text_width(line) <= columns {
            return line.to_owned();
        }
        let body = line.trim_start();
        let indent = line.len() - body.len();
        let word = |word: &str| shorten_digest(word).unwrap_or_else(|| word.to_owned());
        let parts = body.split("  ").map(str::trim);
        let parts = parts.filter(|part| !part.is_empty());
        let parts = parts.map(|part| part.split(' ').map(word).collect::<Vec<_>>().join(" "));
        let body = parts.collect::<Vec<_>>().join("  ");
        let pad = " ".repeat(indent);
        match indent + console::measure_text_width(&body) <= columns {
            true => format!("{pad}{body}"),
            false => {
                let body = wrap_paragraph(&body, columns - indent.min(columns / 2), 4);
                format!("{pad}{}", body.replace('\n', &format!("\n{pad}")))
            }
        }
    };
    let lines = entry.split('\n').map(fit).collect::<Vec<_>>();
    lines.join("\n")
}

/// Lines of at most `columns` characters, where words allow it.
fn break_lines(text: &str, columns: usize) -> String {
    const LEAST: usize = 20;
    let is_prose = |line: &str| {
        let start = line.trim_start();
        line.is_ascii()
            && !line.contains('\u{1b}')
            && !start.contains("    ")
            && !start.starts_with("mathchain ")
    };
    let fit = |line: &str| {
        if columns < LEAST || line.chars().count() <= columns || !is_prose(line) {
            return line.to_owned();
        }
        let indent = line.len() - line.trim_start().len();
        let (first, rest) = line.split_at(indent);
        let mut lines = String::from(first);
        let mut column = indent;
        let within = (indent + 4).min(columns / 2);
        for (place, word) in rest.split(' ').enumerate() {
            if place > 0 && column + 1 + word.len() > columns && column > within {
                lines.push('\n');
                lines.push_str(&" ".repeat(within));
                column = within;
            } else if place > 0 {
                lines.push(' ');
                column += 1;
            }
            lines.push_str(word);
            column += word.len();
        }
        lines
    };
    let lines = text.split('\n').map(fit).collect::<Vec<_>>();
    lines.join("\n")
}

/// A paragraph in lines of at most `width` characters, broken at spaces; lines after the first begin with `indent` spaces.
pub(crate) fn wrap_paragraph(text: &str, width: usize, indent: usize) -> String {
    let mut lines = String::new();
    let mut column = 0;
    let words = text
        .split([' ', '\n', '\t'])
        .filter(|word| !word.is_empty());
    for word in words {
        let length = console::measure_text_width(word);
        if column > 0 && column + 1 + length > width.max(indent + 10) {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            column = indent;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines
}

/// A line for stderr: on a terminal broken at words, with `indent` spaces before the rest; elsewhere whole.
pub(crate) fn fit_stderr_line(line: &str, indent: usize) -> String {
    let columns = console::Term::stderr().size_checked();
    let Some((_, columns)) = columns.filter(|_| !line.contains('\n')) else {
        return format!("{line}\n");
    };
    let begin = line.len() - line.trim_start().len();
    let text = wrap_paragraph(line, usize::from(columns).max(20) - begin, indent);
    format!("{}{text}\n", &line[..begin])
}

/// Text for stderr whose lines begin with `error:` or `warning:` in colour, where a terminal shows colours.
pub(crate) fn colour_severity(text: &str) -> String {
    const MARKS: [(&str, &str); 3] = [
        ("error:", "\u{1b}[1;31m"),
        ("warning:", "\u{1b}[1;33m"),
        ("hint:", "\u{1b}[36m"),
    ];
    if !std::io::stderr().is_terminal() || !environment::colour_wanted() {
        return text.to_owned();
    }
    let line = |line: &str| {
        let mut marks = MARKS.iter();
        let found = marks.find_map(|(mark, on)| Some((mark, on, line.strip_prefix(mark)?)));
        match found {
            Some((mark, on, rest)) => format!("{on}{mark}\u{1b}[0m{rest}"),
            None => line.to_owned(),
        }
    };
    text.split_inclusive('\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_lists_fit_a_narrow_terminal() {
        let digest = "0123456789ab".to_owned() + &"c".repeat(52);
        let entry = format!(
            "2026-11-29 12:30:00  call     write_file                 operator         success          01a:7\n    `/path` opens `a.txt`, blake3 {digest}\n"
        );
        assert_eq!(
            narrow_entry(&entry, 80),
            "2026-11-29 12:30:00  call  write_file  operator  success  01a:7\n    `/path` opens `a.txt`, blake3 0123456789ab...\n"
        );
        assert_eq!(narrow_entry(&entry, 200), entry);
        for columns in [40, 60, 79] {
            let narrow = narrow_entry(&entry, columns);
            assert!(narrow.lines().all(|line| line.len() <= columns), "{narrow}");
        }
    }

    #[test]
    fn lines_break_at_words() {
        assert_eq!(wrap_paragraph("one two  three", 20, 2), "one two three");
        assert_eq!(
            wrap_paragraph("one two three four", 12, 2),
            "one two\n  three four"
        );
        assert_eq!(
            wrap_paragraph("a_word_that_is_longer_than_a_line", 12, 2),
            "a_word_that_is_longer_than_a_line"
        );
    }
}
