//! [`find_hunks`]: changes between two lists of lines, in bounded time.

use std::collections::HashMap;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, IndentHeuristic, IndentLevel, InternedInput, Token};

/// Most occurrences of a line by which texts are aligned; lines that occur more often are compared by a search whose cost is the product of
/// their numbers in both texts.
const OCCURRENCES_MAX: u32 = 63;
/// Largest such product of a comparison in one piece: about 0.1 s.
const PRODUCT_MAX: u64 = 50_000_000;
/// Lines of the blocks that longer runs of frequent lines are cut into.
const BLOCK_LINES: usize = 2_000;

/// The changes, in order; `None` where the check says to stop. Texts with many lines that occur often are aligned by their rarer lines first, and
/// compared between these, long runs in blocks: their difference may be longer than the shortest one.
pub(super) fn find_hunks(
    input: &InternedInput<&str>,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Hunk>> {
    let is_frequent = frequent_lines(input);
    let (before, after) = changed_ranges(input);
    let count = |lines: &[Token]| {
        let lines = lines.iter();
        lines.filter(|line| is_frequent[line.0 as usize]).count() as u64
    };
    let product =
        count(&input.before[before.clone()]).saturating_mul(count(&input.after[after.clone()]));
    if product <= PRODUCT_MAX {
        let mut diff = Diff::compute(Algorithm::Histogram, input);
        diff.postprocess_lines(input);
        return Some(diff.hunks().collect());
    }
    let mut blocks = BlockDiff {
        input,
        stop,
        hunks: Vec::new(),
    };
    let mut start = LinePair {
        before: before.start,
        after: after.start,
    };
    for anchor in align_rare_lines(input, &before, &after, &is_frequent) {
        blocks.compare(start.before..anchor.before, start.after..anchor.after)?;
        start = LinePair {
            before: anchor.before + 1,
            after: anchor.after + 1,
        };
    }
    blocks.compare(start.before..before.end, start.after..after.end)?;
    Some(blocks.hunks)
}

/// The lines of both texts without those that are equal at the start and at the end.
fn changed_ranges(input: &InternedInput<&str>) -> (Range<usize>, Range<usize>) {
    let (before, after) = (&input.before, &input.after);
    let pairs = before.iter().zip(after);
    let start = pairs.take_while(|(one, two)| one == two).count();
    let pairs = before[start..]
        .iter()
        .rev()
        .zip(after[start..].iter().rev());
    let end = pairs.take_while(|(one, two)| one == two).count();
    (start..before.len() - end, start..after.len() - end)
}

/// Lines of both texts at which they are aligned.
struct LinePair {
    before: usize,
    after: usize,
}

/// Whether each line occurs often in the first text and is in the second one.
fn frequent_lines(input: &InternedInput<&str>) -> Vec<bool> {
    let mut counts = vec![0_u32; input.interner.num_tokens() as usize];
    for line in &input.before {
        counts[line.0 as usize] += 1;
    }
    let mut is_frequent = vec![false; counts.len()];
    for line in &input.after {
        is_frequent[line.0 as usize] = counts[line.0 as usize] > OCCURRENCES_MAX;
    }
    is_frequent
}

/// The pairs of equal lines in a comparison of the rarer lines alone.
fn align_rare_lines(
    input: &InternedInput<&str>,
    before: &Range<usize>,
    after: &Range<usize>,
    is_frequent: &[bool],
) -> Vec<LinePair> {
    let rare = |lines: &[Token], range: &Range<usize>| -> (Vec<usize>, Vec<Token>) {
        let lines = range.clone().zip(lines[range.clone()].iter().copied());
        lines
            .filter(|(_, line)| !is_frequent[line.0 as usize])
            .unzip()
    };
    let (before_places, before) = rare(&input.before, before);
    let (after_places, after) = rare(&input.after, after);
    let mut diff = Diff::default();
    diff.compute_with(
        Algorithm::Histogram,
        &before,
        &after,
        input.interner.num_tokens(),
    );
    let kept_before = (0..before.len()).filter(|place| !diff.is_removed(*place as u32));
    let kept_after = (0..after.len()).filter(|place| !diff.is_added(*place as u32));
    let pairs = kept_before.zip(kept_after);
    pairs
        .map(|(before, after)| LinePair {
            before: before_places[before],
            after: after_places[after],
        })
        .collect()
}

struct BlockDiff<'a> {
    input: &'a InternedInput<&'a str>,
    stop: &'a dyn Fn() -> bool,
    hunks: Vec<Hunk>,
}

impl BlockDiff<'_> {
    /// Compares ranges of lines, in blocks where they are long: each begins at the change that the one before it did not get to the end of.
    fn compare(&mut self, before: Range<usize>, after: Range<usize>) -> Option<()> {
        let mut start = LinePair {
            before: before.start,
            after: after.start,
        };
        while start.before < before.end || start.after < after.end {
            if (self.stop)() {
                return None;
            }
            let end = LinePair {
                before: before.end.min(start.before + BLOCK_LINES),
                after: after.end.min(start.after + BLOCK_LINES),
            };
            let mut hunks = self.compare_block(start.before..end.before, start.after..end.after);
            let is_last = end.before == before.end && end.after == after.end;
            let open = hunks.last().filter(|last| {
                let is_open =
                    last.before.end as usize == end.before && last.after.end as usize == end.after;
                let passed = last.before.start as usize - start.before + last.after.start as usize
                    - start.after;
                !is_last && is_open && passed >= BLOCK_LINES
            });
            start = match open.cloned() {
                Some(open) => {
                    hunks.pop();
                    LinePair {
                        before: open.before.start as usize,
                        after: open.after.start as usize,
                    }
                }
                None => end,
            };
            hunks.into_iter().for_each(|hunk| self.push(hunk));
        }
        Some(())
    }

    fn compare_block(&self, before: Range<usize>, after: Range<usize>) -> Vec<Hunk> {
        let mut names = HashMap::new();
        let mut rename = |lines: &[Token]| -> Vec<Token> {
            let lines = lines.iter();
            lines
                .map(|line| {
                    let next = Token(names.len() as u32);
                    *names.entry(line.0).or_insert(next)
                })
                .collect()
        };
        let old = rename(&self.input.before[before.clone()]);
        let new = rename(&self.input.after[after.clone()]);
        let lines: HashMap<u32, u32> = names
            .into_iter()
            .map(|(line, name)| (name.0, line))
            .collect();
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Histogram, &old, &new, lines.len() as u32);
        let indent = |name: Token| {
            let line = self.input.interner[Token(lines[&name.0])];
            IndentLevel::for_ascii_line(line.bytes(), 8)
        };
        diff.postprocess_with(&old, &new, IndentHeuristic::new(indent));
        let hunks = diff.hunks().map(|hunk| Hunk {
            before: shift(hunk.before, before.start),
            after: shift(hunk.after, after.start),
        });
        hunks.collect()
    }

    /// Adds a change; one that begins where the last ends is a part of it.
    fn push(&mut self, hunk: Hunk) {
        match self.hunks.last_mut() {
            Some(last)
                if last.before.end == hunk.before.start && last.after.end == hunk.after.start =>
            {
                last.before.end = hunk.before.end;
                last.after.end = hunk.after.end;
            }
            _ => self.hunks.push(hunk),
        }
    }
}

fn shift(range: Range<u32>, by: usize) -> Range<u32> {
    range.start + by as u32..range.end + by as u32
}
