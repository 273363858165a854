//! The difference of two texts, line by line, as a unified diff.

use std::fmt::Write as _;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;
/// Maximum number of cells of the table of common lines; a larger change is shown as removed and added lines.
const CELLS_MAX: usize = 4 << 20;

/// A line of the difference.
#[derive(Clone, Copy)]
enum Line<'a> {
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// The difference with some context, without file names; `None` for equal texts.
pub(super) fn unified(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let lines = lines_of(&split(old), &split(new));
    let mut text = String::new();
    let (mut before, mut after, mut next) = (1, 1, 0);
    for (start, end) in hunks(&lines) {
        // The lines between two hunks are in both texts.
        before += start - next;
        after += start - next;
        let hunk = &lines[start..end];
        let count = |kept: fn(&Line<'_>) -> bool| hunk.iter().filter(|line| kept(line)).count();
        let removed = count(|line| !matches!(line, Line::Added(_)));
        let added = count(|line| !matches!(line, Line::Removed(_)));
        // An empty range is named by the line before it.
        let old_start = before - usize::from(removed == 0);
        let new_start = after - usize::from(added == 0);
        let _ = writeln!(text, "@@ -{old_start},{removed} +{new_start},{added} @@");
        for line in hunk {
            let (mark, line) = match line {
                Line::Same(line) => (' ', line),
                Line::Removed(line) => ('-', line),
                Line::Added(line) => ('+', line),
            };
            let _ = writeln!(text, "{mark}{}", line.strip_suffix('\n').unwrap_or(line));
            if !line.ends_with('\n') {
                text.push_str("\\ No newline at end of file\n");
            }
        }
        before += removed;
        after += added;
        next = end;
    }
    Some(text)
}

fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The ranges of changed lines with their context; ranges that touch are one.
fn hunks(lines: &[Line<'_>]) -> Vec<(usize, usize)> {
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if matches!(line, Line::Same(_)) {
            continue;
        }
        let start = index.saturating_sub(CONTEXT);
        let end = (index + 1 + CONTEXT).min(lines.len());
        match hunks.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            _ => hunks.push((start, end)),
        }
    }
    hunks
}

/// All lines of both texts: common ones at both ends, and between them a longest common subsequence.
fn lines_of<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = tail.take_while(same).count();
    let (old_rest, end) = old_rest.split_at(old_rest.len() - tail);
    let new_rest = &new_rest[..new_rest.len() - tail];
    let mut lines: Vec<Line<'a>> = old[..head].iter().copied().map(Line::Same).collect();
    lines.extend(changed(old_rest, new_rest));
    lines.extend(end.iter().copied().map(Line::Same));
    lines
}

fn changed<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let width = new.len() + 1;
    if (old.len() + 1).saturating_mul(width) > CELLS_MAX {
        let removed = old.iter().copied().map(Line::Removed);
        return removed
            .chain(new.iter().copied().map(Line::Added))
            .collect();
    }
    // The length of the longest common subsequence of the rests from each pair of lines.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for row in (0..old.len()).rev() {
        for column in (0..new.len()).rev() {
            let at = row * width + column;
            common[at] = match old[row] == new[column] {
                true => common[at + width + 1] + 1,
                false => common[at + width].max(common[at + 1]),
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut lines = Vec::with_capacity(old.len() + new.len());
    while row < old.len() || column < new.len() {
        let at = row * width + column;
        if row < old.len() && column < new.len() && old[row] == new[column] {
            lines.push(Line::Same(old[row]));
            (row, column) = (row + 1, column + 1);
        } else if column == new.len() || row < old.len() && common[at + width] >= common[at + 1] {
            lines.push(Line::Removed(old[row]));
            row += 1;
        } else {
            lines.push(Line::Added(new[column]));
            column += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_difference_is_what_diff_u_prints() {
        let numbered = |count: usize| -> String { (1..=count).map(|n| format!("{n}\n")).collect() };
        let old = numbered(30);
        let new = old.replace("\n5\n", "\nfive\n").replace("\n20\n", "\n");
        let expected = "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
            @@ -17,7 +17,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n";
        assert_eq!(unified(&old, &new).as_deref(), Some(expected));
        assert_eq!(unified(&old, &old), None);
        let whole = unified("", "a\nb").expect("a change");
        assert_eq!(
            whole,
            "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn every_line_of_a_change_too_large_to_compare_is_shown() {
        let old: String = (0..3000).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..3000).map(|n| format!("new {n}\n")).collect();
        let text = unified(&old, &new).expect("a change");
        assert_eq!(text.lines().count(), 6001);
        assert!(text.contains("\n-old 2999\n+new 0\n"));
    }
}
