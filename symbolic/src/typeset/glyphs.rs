//! Outlines of the glyphs of formulas: `assets/formula-glyphs.txt`, made by `assets/make_glyphs.py`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::outline::OutlineSegment;

static FILE: &str = include_str!("../../assets/formula-glyphs.txt");

/// A glyph, in thousandths of the size, y upwards.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FormulaGlyph {
    /// Width with its sides.
    pub(super) advance: f64,
    /// What a superscript is moved by beside it.
    pub(super) italic: f64,
    /// Path data of SVG.
    pub(super) data: &'static str,
    /// Highest point.
    pub(super) top: f64,
    /// Lowest point.
    pub(super) bottom: f64,
    /// Leftmost point.
    pub(super) left: f64,
    /// Rightmost point.
    pub(super) right: f64,
}

/// A character and which of its larger forms; 0 is the usual one.
pub(super) type GlyphKey = (u32, u8);

static GLYPHS: LazyLock<HashMap<GlyphKey, FormulaGlyph>> =
    LazyLock::new(|| FILE.lines().filter_map(read_glyph).collect());

fn read_glyph(line: &'static str) -> Option<(GlyphKey, FormulaGlyph)> {
    let mut words = line.splitn(4, ' ');
    let key = words.next()?;
    let (code, form) = key.split_once('.').unwrap_or((key, "0"));
    let key = (u32::from_str_radix(code, 16).ok()?, form.parse().ok()?);
    let (advance, italic) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let data = words.next().unwrap_or("");
    let mut points = Vec::new();
    for segment in read_segments(data) {
        match segment {
            OutlineSegment::Move(x, y) | OutlineSegment::Line(x, y) => points.push((x, y)),
            OutlineSegment::Curve(_, _, x, y) => points.push((x, y)),
            OutlineSegment::Close => {}
        }
    }
    let fold = |pick: fn(&(f64, f64)) -> f64, better: fn(f64, f64) -> f64| {
        points.iter().map(pick).reduce(better).unwrap_or(0.0)
    };
    let glyph = FormulaGlyph {
        advance,
        italic,
        data,
        top: fold(|point| point.1, f64::max),
        bottom: fold(|point| point.1, f64::min),
        left: fold(|point| point.0, f64::min),
        right: fold(|point| point.0, f64::max),
    };
    Some((key, glyph))
}

/// The glyph of a key.
pub(super) fn find_glyph(key: GlyphKey) -> Option<&'static FormulaGlyph> {
    GLYPHS.get(&key)
}

/// The segments of path data with relative coordinates.
pub(super) fn read_segments(data: &str) -> Vec<OutlineSegment> {
    let mut segments = Vec::new();
    let mut at = (0.0, 0.0);
    let mut start = at;
    let mut rest = data;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let end = rest
            .find(|next: char| next.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        let numbers = read_numbers(&rest[..end]);
        rest = &rest[end..];
        let point = |index: usize| {
            let pair = numbers.get(2 * index..2 * index + 2).unwrap_or(&[0.0, 0.0]);
            (at.0 + pair[0], at.1 + pair[1])
        };
        match letter {
            'm' => {
                at = point(0);
                start = at;
                segments.push(OutlineSegment::Move(at.0, at.1));
            }
            'l' => {
                at = point(0);
                segments.push(OutlineSegment::Line(at.0, at.1));
            }
            'q' => {
                let (control, end) = (point(0), point(1));
                at = end;
                segments.push(OutlineSegment::Curve(control.0, control.1, end.0, end.1));
            }
            _ => {
                at = start;
                segments.push(OutlineSegment::Close);
            }
        }
    }
    segments
}

/// Whole numbers, which a sign separates as a space does.
fn read_numbers(text: &str) -> Vec<f64> {
    let mut numbers = Vec::new();
    let mut start = 0;
    for (index, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        if (letter == ' ' || letter == '-') && index > start {
            numbers.extend(text[start..index].trim().parse::<f64>().ok());
            start = index;
        }
        if letter == ' ' {
            start = index + 1;
        }
    }
    numbers
}
