//! The sections of a page: what follows a heading `## name`, up to the next heading of the first two levels.
//!
//! Headings within fenced code, HTML comments and frontmatter are text; lines `---` mean nothing.

use std::ops::Range;

use super::frontmatter;

/// A heading of the first two levels.
struct PageHeading<'a> {
    level: usize,
    name: &'a str,
    /// Its line, with the line ending.
    line: Range<usize>,
}

/// What the scan of lines is in.
#[derive(PartialEq)]
enum LineContext {
    Text,
    /// Code that a fence of this character and at least this length closes.
    Code(char, usize),
    Comment,
}

/// A text with its headings of the first two levels, and whether it ends outside of code and comments.
fn scan_headings(text: &str, from: usize) -> (Vec<PageHeading<'_>>, bool) {
    let mut inside = LineContext::Text;
    let mut headings = Vec::new();
    let mut offset = from;
    for line in text[from..].split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let content = line.trim_end_matches(['\r', '\n']);
        let trimmed = content.trim_start_matches(' ');
        let indented = content.len() - trimmed.len() > 3;
        match inside {
            LineContext::Comment => {
                if content.contains("-->") {
                    inside = LineContext::Text;
                }
            }
            LineContext::Code(character, length) => {
                let run = run_of(trimmed, character);
                if !indented && run >= length && trimmed[run..].trim().is_empty() {
                    inside = LineContext::Text;
                }
            }
            // Four spaces make code of a line, whatever it looks like.
            LineContext::Text if indented => {}
            LineContext::Text => {
                if let Some(fence) = code_fence_opening(trimmed) {
                    inside = fence;
                } else if let Some(rest) = trimmed.strip_prefix("<!--") {
                    if !rest.contains("-->") {
                        inside = LineContext::Comment;
                    }
                } else if let Some((level, name)) = parse_heading(trimmed) {
                    headings.push(PageHeading {
                        level,
                        name,
                        line: start..offset,
                    });
                }
            }
        }
    }
    (headings, inside == LineContext::Text)
}

fn run_of(text: &str, character: char) -> usize {
    text.chars().take_while(|found| *found == character).count()
}

fn code_fence_opening(line: &str) -> Option<LineContext> {
    let character = line
        .chars()
        .next()
        .filter(|character| matches!(character, '`' | '~'))?;
    let length = run_of(line, character);
    let inline = character == '`' && line[length..].contains('`');
    (length >= 3 && !inline).then_some(LineContext::Code(character, length))
}

/// Level and name of a heading of the first two levels.
fn parse_heading(line: &str) -> Option<(usize, &str)> {
    let level = run_of(line, '#');
    let rest = line
        .get(level..)
        .filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))?;
    if !(1..=2).contains(&level) {
        return None;
    }
    let name = rest.trim();
    // Closing marks are no part of the name.
    let open = name.trim_end_matches('#');
    let name = if open.is_empty() || open.ends_with([' ', '\t']) {
        open.trim_end()
    } else {
        name
    };
    Some((level, name))
}

fn body_start(text: &str) -> usize {
    match frontmatter::find_table(text) {
        None => 0,
        Some(table) => text[table.end..]
            .find('\n')
            .map_or(text.len(), |end| table.end + end + 1),
    }
}

/// Line of the heading, and range of what follows it.
fn locate_section(text: &str, name: &str) -> Option<(Range<usize>, Range<usize>)> {
    let (headings, _) = scan_headings(text, body_start(text));
    let position = headings
        .iter()
        .position(|heading| heading.level == 2 && heading.name == name)?;
    let line = headings[position].line.clone();
    let end = headings
        .get(position + 1)
        .map_or(text.len(), |next| next.line.start);
    Some((line.clone(), line.end..end))
}

/// The range of a section, without its heading.
pub(super) fn find_section(text: &str, name: &str) -> Option<Range<usize>> {
    locate_section(text, name).map(|(_, range)| range)
}

/// Every section with its name, in order; a heading of the first level ends a section and begins none.
pub(crate) fn all_sections(text: &str) -> Vec<(&str, Range<usize>)> {
    let (headings, _) = scan_headings(text, body_start(text));
    let end = |position: usize| {
        headings
            .get(position + 1)
            .map_or(text.len(), |next| next.line.start)
    };
    let numbered = headings
        .iter()
        .enumerate()
        .filter(|(_, heading)| heading.level == 2);
    numbered
        .map(|(position, heading)| (heading.name, heading.line.end..end(position)))
        .collect()
}

/// Whether a section can contain a text: no heading of the first two levels, nothing left open.
pub(crate) fn is_inner(text: &str) -> bool {
    let (headings, closed) = scan_headings(text, 0);
    headings.is_empty() && closed
}

/// The text with a section set; the empty lines around the old text of the section stay.
pub(super) fn set_section(text: &str, name: &str, new: &str) -> String {
    let newline = frontmatter::line_ending(text);
    let new = new.replace('\n', newline);
    let Some((heading, range)) = locate_section(text, name) else {
        let gap = match text {
            "" => "",
            _ if text.ends_with("\n\n") || text.ends_with("\n\r\n") => "",
            _ if text.ends_with('\n') => newline,
            _ => &newline.repeat(2),
        };
        return format!("{text}{gap}## {name}{newline}{newline}{new}{newline}");
    };
    let old = &text[range.clone()];
    let blank = |character: char| matches!(character, '\r' | '\n');
    let before = old.len() - old.trim_start_matches(blank).len();
    if before == old.len() {
        let open = if text[heading].ends_with('\n') {
            ""
        } else {
            newline
        };
        let close = if range.end == text.len() { "" } else { newline };
        return format!(
            "{}{open}{newline}{new}{newline}{close}{}",
            &text[..range.start],
            &text[range.end..]
        );
    }
    let after = old.trim_end_matches(blank).len();
    format!(
        "{}{new}{}",
        &text[..range.start + before],
        &text[range.start + after..]
    )
}

/// The text without a section.
pub(super) fn remove_section(text: &str, name: &str) -> String {
    match locate_section(text, name) {
        None => text.to_owned(),
        Some((heading, range)) => format!("{}{}", &text[..heading.start], &text[range.end..]),
    }
}
