//! The difference of two texts, line by line, as a unified diff.

use std::fmt::{self, Write};
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};

/// Unchanged lines shown around a change.
const CONTEXT: u32 = 3;

/// The difference with some context, without file names; `None` for equal texts.
pub(super) fn unified_diff(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let changes: Vec<Hunk> = diff.hunks().collect();
    let mut text = String::new();
    // Changes whose context would touch are shown together.
    for together in changes.chunk_by(|a, b| b.before.start - a.before.end <= 2 * CONTEXT) {
        print_hunks(&mut text, &input, together).ok()?;
    }
    Some(text)
}

/// Prints changes with the lines between and around them, as `diff -u` does.
fn print_hunks(text: &mut String, input: &InternedInput<&str>, changes: &[Hunk]) -> fmt::Result {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
        return Ok(());
    };
    let before = CONTEXT.min(first.before.start);
    let after = CONTEXT.min(token_count(&input.before) - last.before.end);
    let old = first.before.start - before..last.before.end + after;
    let new = first.after.start - before..last.after.end + after;
    writeln!(
        text,
        "@@ -{} +{} @@",
        hunk_range_text(&old),
        hunk_range_text(&new)
    )?;
    let mut unchanged = old.start;
    for change in changes {
        print_diff_lines(
            text,
            input,
            ' ',
            &input.before,
            unchanged..change.before.start,
        )?;
        print_diff_lines(text, input, '-', &input.before, change.before.clone())?;
        print_diff_lines(text, input, '+', &input.after, change.after.clone())?;
        unchanged = change.before.end;
    }
    print_diff_lines(text, input, ' ', &input.before, unchanged..old.end)
}

fn token_count(tokens: &[Token]) -> u32 {
    u32::try_from(tokens.len()).unwrap_or(u32::MAX)
}

/// A range of lines counted from 0, as it is printed: an empty one is named by the line before it.
fn hunk_range_text(lines: &Range<u32>) -> String {
    match lines.end - lines.start {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// Prints lines with a mark before each; one that does not end is followed by a remark.
fn print_diff_lines(
    text: &mut String,
    input: &InternedInput<&str>,
    mark: char,
    tokens: &[Token],
    range: Range<u32>,
) -> fmt::Result {
    for &token in &tokens[range.start as usize..range.end as usize] {
        let line = input.interner[token];
        write!(text, "{mark}{line}")?;
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::unified_diff;

    #[test]
    fn a_difference_is_what_diff_u_prints() {
        let numbered = |count: usize| -> String { (1..=count).map(|n| format!("{n}\n")).collect() };
        let old = numbered(30);
        let new = old.replace("\n5\n", "\nfive\n").replace("\n20\n", "\n");
        let expected = "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
            @@ -17,7 +17,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n";
        assert_eq!(unified_diff(&old, &new).as_deref(), Some(expected));
        assert_eq!(unified_diff(&old, &old), None);
        let whole = unified_diff("", "a\nb").expect("a change");
        assert_eq!(
            whole,
            "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
        );
        let ended = unified_diff("a\nb", "a\nb\n").expect("a change");
        assert_eq!(
            ended,
            "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
        );
        assert_eq!(
            unified_diff("a\n", "b\n").as_deref(),
            Some("@@ -1 +1 @@\n-a\n+b\n")
        );
    }

    #[test]
    fn every_line_of_a_large_change_is_shown() {
        let old: String = (0..3000).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..3000).map(|n| format!("new {n}\n")).collect();
        let text = unified_diff(&old, &new).expect("a change");
        assert_eq!(text.lines().count(), 6001);
        assert!(text.contains("\n-old 2999\n+new 0\n"));
    }
}
