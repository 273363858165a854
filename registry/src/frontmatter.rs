//! Where the table between the lines `---` at the top of a Markdown file stands: of agents, prompts and items of work alike.

use std::ops::Range;

/// What is at the top of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontmatterPlace {
    /// No table: the whole file is its body.
    Absent,
    /// A line `---` that opens a table which no other closes.
    Unclosed {
        /// Its line, from 1.
        line: u32,
    },
    /// A table.
    Table(FrontmatterRange),
}

/// The places of a table and of the body behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontmatterRange {
    /// The bytes of the table, without the lines `---` around it.
    pub table: Range<usize>,
    /// The line of the first `---`, from 1.
    pub line: u32,
    /// The byte where the body begins.
    pub body: usize,
    /// The line where the body begins, from 1.
    pub body_line: u32,
}

/// The byte order mark, which may be the first of a text.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// Finds the table at the top of a file. A byte order mark and empty lines may stand before it, and spaces behind a `---`.
pub fn find_frontmatter(text: &str) -> FrontmatterPlace {
    let is_fence = |line: &str| line.trim_end() == "---";
    let mut offset = match text.starts_with(BYTE_ORDER_MARK) {
        true => BYTE_ORDER_MARK.len_utf8(),
        false => 0,
    };
    let lines = text[offset..].split_inclusive('\n');
    let mut lines = (1..).zip(lines).map(|(number, line)| {
        offset += line.len();
        (number, offset, line)
    });
    let first = lines.find(|(.., line)| !line.trim().is_empty());
    let Some((line, start, _)) = first.filter(|(.., line)| is_fence(line)) else {
        return FrontmatterPlace::Absent;
    };
    match lines.find(|(.., line)| is_fence(line)) {
        None => FrontmatterPlace::Unclosed { line },
        Some((number, end, fence)) => FrontmatterPlace::Table(FrontmatterRange {
            table: start..end - fence.len(),
            line,
            body: end,
            body_line: number + 1,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_found_with_marks_and_empty_lines_before_it() {
        for before in ["", "\u{feff}", "\n \n", "\u{feff}\r\n"] {
            for newline in ["\n", "\r\n"] {
                let text = format!("{before}---  {newline}a: 1{newline}---{newline}body");
                let FrontmatterPlace::Table(range) = find_frontmatter(&text) else {
                    panic!("{text:?}");
                };
                assert_eq!(&text[range.table], format!("a: 1{newline}"));
                assert_eq!(&text[range.body..], "body");
                let empty = before.matches('\n').count() as u32;
                assert_eq!((range.line, range.body_line), (empty + 1, empty + 4));
            }
        }
    }

    #[test]
    fn what_opens_no_table_or_closes_none_is_told_apart() {
        for text in ["", "a", "----\n", "a\n---\nb: 1\n---\n", " ---\n---\n"] {
            assert_eq!(find_frontmatter(text), FrontmatterPlace::Absent, "{text:?}");
        }
        let place = find_frontmatter("\n---\na: 1\n");
        assert_eq!(place, FrontmatterPlace::Unclosed { line: 2 });
    }
}
