//! Differences of texts, line by line, as `diff -u` prints them.

mod blocks;

use std::fmt::Write as _;
use std::ops::Range;

use imara_diff::{Hunk, InternedInput, Token};

/// A difference of two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnifiedDiff {
    /// The changes with the lines around them, without names of files; empty for equal texts.
    pub text: String,
    /// Lines that the second text has and the first has not.
    pub added: usize,
    /// Lines that the first text has and the second has not.
    pub removed: usize,
}

impl UnifiedDiff {
    /// The difference with so many unchanged lines around each change.
    pub fn new(before: &str, after: &str, context: u32) -> Self {
        let found = Self::compute(before, after, context, &|| false);
        found.unwrap_or_else(|| unreachable!("nothing stops it"))
    }

    /// As [`UnifiedDiff::new`]; `None` where the check says to stop. It takes about a second for a million lines; where very many lines occur
    /// often, the difference may be longer than the shortest one.
    pub fn compute(
        before: &str,
        after: &str,
        context: u32,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let input = InternedInput::new(before, after);
        let hunks = blocks::find_hunks(&input, stop)?;
        let mut printer = DiffPrinter {
            input: &input,
            context,
            text: String::new(),
        };
        // Changes whose context would touch are shown together.
        let is_near = |one: &Hunk, two: &Hunk| two.before.start - one.before.end <= 2 * context;
        for together in hunks.chunk_by(is_near) {
            printer.print_hunks(together);
        }
        Some(Self {
            text: printer.text,
            added: hunks.iter().map(|hunk| hunk.after.len()).sum(),
            removed: hunks.iter().map(|hunk| hunk.before.len()).sum(),
        })
    }
}

struct DiffPrinter<'a> {
    input: &'a InternedInput<&'a str>,
    context: u32,
    text: String,
}

impl DiffPrinter<'_> {
    /// Prints changes with the lines between and around them.
    fn print_hunks(&mut self, hunks: &[Hunk]) {
        let (Some(first), Some(last)) = (hunks.first(), hunks.last()) else {
            return;
        };
        let input = self.input;
        let lead = self.context.min(first.before.start);
        let tail = self
            .context
            .min(input.before.len() as u32 - last.before.end);
        let old = first.before.start - lead..last.before.end + tail;
        let new = first.after.start - lead..last.after.end + tail;
        let (old_place, new_place) = (hunk_place(&old), hunk_place(&new));
        let _ = writeln!(self.text, "@@ -{old_place} +{new_place} @@");
        let mut unchanged = old.start;
        for hunk in hunks {
            self.print_lines(' ', &input.before, unchanged..hunk.before.start);
            self.print_lines('-', &input.before, hunk.before.clone());
            self.print_lines('+', &input.after, hunk.after.clone());
            unchanged = hunk.before.end;
        }
        self.print_lines(' ', &input.before, unchanged..old.end);
    }

    /// Prints lines with a mark before each; one that does not end is followed by a remark.
    fn print_lines(&mut self, mark: char, lines: &[Token], range: Range<u32>) {
        for line in &lines[range.start as usize..range.end as usize] {
            let line = self.input.interner[*line];
            self.text.push(mark);
            self.text.push_str(line);
            if !line.ends_with('\n') {
                self.text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
}

/// A range of lines counted from 0, as it is printed: an empty one is named by the line before it.
fn hunk_place(lines: &Range<u32>) -> String {
    match lines.end - lines.start {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        count => format!("{},{count}", lines.start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::UnifiedDiff;

    fn diff(old: &str, new: &str) -> String {
        UnifiedDiff::new(old, new, 3).text
    }

    #[test]
    fn a_difference_is_what_diff_u_prints() {
        let numbered = |count: usize| -> String { (1..=count).map(|n| format!("{n}\n")).collect() };
        let old = numbered(30);
        let new = old.replace("\n5\n", "\nfive\n").replace("\n20\n", "\n");
        let expected = "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
            @@ -17,7 +17,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n";
        let found = UnifiedDiff::new(&old, &new, 3);
        assert_eq!(found.text, expected);
        assert_eq!((found.added, found.removed), (1, 2));
        for (old, new, expected) in [
            (
                "",
                "a\nb",
                "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
            ),
            (
                "a\nb",
                "a\nb\n",
                "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
            ),
            ("a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n"),
            ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
            ("a\n", "a\n", ""),
        ] {
            assert_eq!(diff(old, new), expected);
        }
    }

    #[test]
    fn every_line_of_a_large_change_is_shown() {
        let old: String = (0..3000).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..3000).map(|n| format!("new {n}\n")).collect();
        let text = diff(&old, &new);
        assert_eq!(text.lines().count(), 6001);
        assert!(text.contains("\n-old 2999\n+new 0\n"));
    }

    /// A text made from a difference and the text before is the text after.
    fn patched(old: &str, diff: &str) -> String {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut text, mut next) = (String::new(), 0);
        for line in diff.split_inclusive('\n') {
            let rest = &line[1..];
            match line.as_bytes()[0] {
                b'@' => {
                    let place = line[4..].split([',', ' ']).next().unwrap();
                    let first: usize = place.parse().unwrap();
                    let is_empty = line[4..].starts_with(&format!("{place},0 "));
                    let start = first - usize::from(!is_empty);
                    text.extend(old[next..start].iter().copied());
                    next = start;
                }
                b'+' => text.push_str(rest),
                b'-' => next += 1,
                _ => {
                    text.push_str(rest);
                    next += 1;
                }
            }
        }
        text.extend(old[next..].iter().copied());
        text
    }

    /// 40,000 lines of a hundred kinds, with a rare line here and there: a search in one piece takes half a minute.
    #[test]
    fn lines_that_occur_often_are_compared_in_blocks() {
        let lines = |seed: u64| -> String {
            let mut state = seed;
            let mut line = |number: usize| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                match number % 400 {
                    0 => format!("section {number}\n"),
                    _ => format!("line {}\n", (state >> 33) % 100),
                }
            };
            (0..40_000).map(&mut line).collect()
        };
        let (old, new) = (lines(1), lines(2));
        let found = UnifiedDiff::new(&old, &new, 3);
        assert_eq!(patched(&old, &found.text), new);
        assert_eq!(found.added, found.removed);
        assert!(!found.text.contains("-section"), "rare lines are aligned");
        assert!(found.added < 39_000, "{}", found.added);
        assert_eq!(UnifiedDiff::compute(&old, &new, 3, &|| true), None);
        let moved = format!("new\n{old}end\n");
        let found = UnifiedDiff::new(&old, &moved, 0);
        assert_eq!((found.added, found.removed), (2, 0));
    }
}
