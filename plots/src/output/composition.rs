//! Several plots as lines of characters: parts that begin at one height stand beside each other where there is room.

use super::text::{cut, draw_characters as draw_part};
use crate::prepare::composition::{PreparedComposition, PreparedPart};

/// Parts that are drawn; a reader of characters has no use for more.
const PARTS_MAX: usize = 8;

/// Columns that a part needs at least.
const COLUMNS_MIN: usize = 26;

/// Rows of the plotting area that a part needs at least.
const ROWS_MIN: usize = 4;

/// Columns between parts side by side.
const GAP: usize = 2;

pub(crate) fn draw_characters(
    picture: &PreparedComposition,
    width: usize,
    height: usize,
) -> String {
    let mut parts: Vec<&PreparedPart> = picture.parts.iter().take(PARTS_MAX).collect();
    parts.sort_by(|a, b| {
        let (a, b) = (&a.place, &b.place);
        a.top.total_cmp(&b.top).then(a.left.total_cmp(&b.left))
    });
    let mut lines: Vec<String> = [&picture.title, &picture.subtitle]
        .into_iter()
        .filter(|line| !line.is_empty())
        .map(|line| cut(line, width))
        .collect();
    for band in parts.chunk_by(|a, b| (a.place.top - b.place.top).abs() < 1e-6) {
        let columns = (width + GAP) / band.len();
        if columns >= COLUMNS_MIN + GAP {
            lines.extend(draw_band(band, columns - GAP, height));
        } else {
            for part in band {
                lines.extend(draw_lines(part, width, height));
            }
        }
    }
    let rest = picture.parts.len().saturating_sub(PARTS_MAX);
    if rest > 0 {
        lines.push(format!("({rest} more plots in the picture)"));
    }
    lines.join("\n")
}

fn draw_lines(part: &PreparedPart, width: usize, height: usize) -> Vec<String> {
    let share = part.place.height.clamp(0.0, 1.0);
    let rows = (libm::round(height as f64 * share) as usize).max(ROWS_MIN);
    let text = draw_part(&part.plot, width, rows);
    text.lines().map(str::to_owned).collect()
}

/// Parts side by side, their lines padded to one width.
fn draw_band(band: &[&PreparedPart], columns: usize, height: usize) -> Vec<String> {
    let blocks: Vec<Vec<String>> = band
        .iter()
        .map(|part| draw_lines(part, columns, height))
        .collect();
    let count = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let line = |index: usize| {
        let mut whole = String::new();
        for (place, block) in blocks.iter().enumerate() {
            let begin = place * (columns + GAP);
            let missing = begin.saturating_sub(whole.chars().count());
            whole.extend(std::iter::repeat_n(' ', missing));
            whole.push_str(block.get(index).map_or("", String::as_str));
        }
        whole.trim_end().to_owned()
    };
    (0..count).map(line).collect()
}
