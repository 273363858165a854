//! Applying hunks to a text: each must match at its line number, or at the one other position where it matches.

use super::{PatchHunk, abbreviate_line, patch_error, strip_cr};
use crate::prelude::*;

/// Maximum line comparisons per file.
const WORK_MAX: usize = 200_000_000;

const HINT: &str = "read the file and make the patch for its current content; nothing was written";

/// The new text, and the largest distance in lines between a hunk and its stated position.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PatchedText {
    pub(crate) text: String,
    pub(crate) offset: usize,
}

struct PatchText<'a> {
    lines: Vec<&'a str>,
    /// Whether the last line has a line end.
    closed: bool,
    /// Whether every line ends in CR LF while the patch has no CR.
    crlf: bool,
}

/// Applies the hunks of one file in order.
///
/// # Errors
/// `invalid_args` at `/patch` for the first hunk that matches nowhere or at several positions.
pub(crate) fn apply_hunks(before: &str, hunks: &[PatchHunk], path: &str) -> Result<PatchedText> {
    let text = PatchText::of(before, hunks);
    let mut result: Vec<&str> = Vec::with_capacity(text.lines.len());
    let mut closed = text.closed;
    let (mut done, mut shift, mut offset) = (0, 0_isize, 0);
    let mut work = 0;
    for hunk in hunks {
        let old: Vec<&str> = hunk.old().collect();
        let place = HunkSearch {
            text: &text,
            old: &old,
            hunk,
            path,
            from: done,
            work: &mut work,
        }
        .place(shift)?;
        if let Some(start) = hunk.start {
            let expected = start as isize - isize::from(!old.is_empty());
            shift = place as isize - expected;
            offset = offset.max(shift.unsigned_abs());
        }
        result.extend(&text.lines[done..place]);
        result.extend(hunk.new_lines());
        done = place + old.len();
        if done == text.lines.len() {
            closed = open_end(hunk, &text, path)?;
        } else if hunk.old_open || hunk.new_open {
            return Err(not_at_end(hunk, path));
        }
    }
    result.extend(&text.lines[done..]);
    Ok(PatchedText {
        text: text.join(&result, closed),
        offset,
    })
}

/// Whether the text ends with a line end after a hunk at its end.
fn open_end(hunk: &PatchHunk, text: &PatchText<'_>, path: &str) -> Result<bool> {
    if hunk.old_open && text.closed {
        return Err(not_at_end(hunk, path));
    }
    Ok(match (hunk.old_open, hunk.new_open) {
        (_, true) => false,
        (true, false) => true,
        // The patch does not mention it, and nothing changes.
        (false, false) => text.closed,
    })
}

fn not_at_end(hunk: &PatchHunk, path: &str) -> ToolError {
    let why =
        format!("the hunk requires that `{path}` ends without a line end here, but it does not");
    patch_error(hunk.line, why, HINT).reason("no_match")
}

impl<'a> PatchText<'a> {
    fn of(text: &'a str, hunks: &[PatchHunk]) -> Self {
        let closed = text.is_empty() || text.ends_with('\n');
        let mut lines: Vec<&str> = text
            .strip_suffix('\n')
            .unwrap_or(text)
            .split('\n')
            .collect();
        if text.is_empty() {
            lines.clear();
        }
        let ends = lines.len() - usize::from(!closed);
        let mut patch = hunks
            .iter()
            .flat_map(|hunk| hunk.old().chain(hunk.new_lines()));
        let crlf = !patch.any(|line| line.ends_with('\r')) && strip_cr(&mut lines[..ends]);
        Self {
            lines,
            closed,
            crlf,
        }
    }

    fn join(&self, lines: &[&str], closed: bool) -> String {
        let end = if self.crlf { "\r\n" } else { "\n" };
        let mut text = lines.join(end);
        if closed && !lines.is_empty() {
            text.push_str(end);
        }
        text
    }
}

/// The search for the position of one hunk.
struct HunkSearch<'a, 'b> {
    text: &'a PatchText<'a>,
    old: &'a [&'a str],
    hunk: &'a PatchHunk,
    path: &'a str,
    /// The first line after the previous hunk.
    from: usize,
    work: &'b mut usize,
}

impl HunkSearch<'_, '_> {
    fn place(&mut self, shift: isize) -> Result<usize> {
        let length = self.text.lines.len();
        if let Some(start) = self.hunk.start {
            // The lines of a pure insertion follow the line it names.
            let expected = start as isize - isize::from(!self.old.is_empty());
            for candidate in [expected + shift, expected] {
                if let Ok(place) = usize::try_from(candidate)
                    && place >= self.from
                    && self.fits(place)?
                {
                    return Ok(place);
                }
            }
            if self.old.is_empty() {
                let path = self.path;
                return self.fail(format!("`{path}` has no line {start} to insert after"));
            }
        }
        if self.hunk.at_end {
            return match length.checked_sub(self.old.len()) {
                Some(place) if place >= self.from && self.fits(place)? => Ok(place),
                _ => self.fail(format!("`{}` does not end with these lines", self.path)),
            };
        }
        if self.hunk.headings.is_empty() {
            if self.old.is_empty() {
                return Ok(length); // added at the end
            }
            return self.only(self.from);
        }
        self.after_headings()
    }

    /// The first match after the headings; if the last of them occurs several times, all must lead to the same position.
    fn after_headings(&mut self) -> Result<usize> {
        let mut start = self.from;
        let mut last = Vec::new();
        for heading in &self.hunk.headings {
            let all = (1..).zip(&self.text.lines).skip(start);
            let named = all.filter(|(_, line)| line.trim() == heading.trim());
            last = named.map(|(number, _)| number).collect();
            let Some(&first) = last.first() else {
                let (path, heading) = (self.path, abbreviate_line(heading));
                let message = format!("`{path}` has no line {heading} after line {start}");
                return self.fail(message);
            };
            start = first;
        }
        if self.old.is_empty() {
            return match last.as_slice() {
                [place] => Ok(*place),
                _ => self.ambiguous(&last),
            };
        }
        let mut places = Vec::new();
        for start in last {
            if places.last().is_some_and(|&place| place >= start) {
                continue; // it comes after this heading too
            }
            if let Some(place) = self.next(start)? {
                places.push(place);
            }
        }
        match places.as_slice() {
            [place] => Ok(*place),
            [] => self.no_match(),
            _ => self.ambiguous(&places),
        }
    }

    /// The only position where the lines match.
    fn only(&mut self, from: usize) -> Result<usize> {
        const NAMED_MAX: usize = 5;
        let mut places = Vec::new();
        let mut from = from;
        while let Some(place) = self.next(from)? {
            places.push(place);
            if places.len() > NAMED_MAX {
                break;
            }
            from = place + 1;
        }
        match places.as_slice() {
            [place] => Ok(*place),
            [] => self.no_match(),
            _ => self.ambiguous(&places),
        }
    }

    fn next(&mut self, from: usize) -> Result<Option<usize>> {
        for place in from..self.text.lines.len() {
            if self.fits(place)? {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    fn fits(&mut self, place: usize) -> Result<bool> {
        let Some(there) = self.text.lines.get(place..place + self.old.len()) else {
            return Ok(false);
        };
        let same = there.iter().zip(self.old).take_while(|(a, b)| a == b);
        let same = same.count();
        *self.work += same + 1;
        if *self.work > WORK_MAX {
            let path = self.path;
            let why = format!("finding its position in `{path}` takes too many comparisons");
            return self.fail(why);
        }
        Ok(same == self.old.len())
    }

    /// The error with the best partial match, since most often a single line differs.
    fn no_match(&self) -> Result<usize> {
        let lines = &self.text.lines;
        let first = self.old.first().copied().unwrap_or_default();
        let loose = |text: &str| text.split_whitespace().collect::<String>();
        let expected = self
            .hunk
            .start
            .map_or(self.from, |start| start.saturating_sub(1));
        let near = (self.from..lines.len())
            .filter(|&at| lines[at] == first || loose(lines[at]) == loose(first))
            .min_by_key(|&at| at.abs_diff(expected));
        let path = self.path;
        let Some(at) = near else {
            let first = abbreviate_line(first);
            return self.fail(format!("it does not match: `{path}` has no line {first}"));
        };
        let mut pairs = self.old.iter().zip(at..);
        let wrong = pairs.find(|(old, at)| lines.get(*at) != Some(old));
        let (old, at) = wrong.map_or((first, at), |(old, at)| (old, at));
        let end = || "the end of the file".to_owned();
        let found = lines.get(at).map_or_else(end, |line| abbreviate_line(line));
        let (expected, line) = (abbreviate_line(old), at + 1);
        self.fail(format!(
            "it does not match: expected {expected}, found {found} on line {line} of `{path}`"
        ))
    }

    fn ambiguous<T>(&self, places: &[usize]) -> Result<T> {
        let lines: Vec<String> = places.iter().map(|place| (place + 1).to_string()).collect();
        let (path, lines) = (self.path, lines.join(", "));
        let why = format!("it matches at several positions of `{path}`: lines {lines}");
        let hint = "add context lines, or a heading with `@@`";
        Err(patch_error(self.hunk.line, why, hint).reason("ambiguous"))
    }

    fn fail<T>(&self, why: String) -> Result<T> {
        Err(patch_error(self.hunk.line, why, HINT).reason("no_match"))
    }
}
