//! The one font of all plots: widths for the layout, outlines for pixels, and subsets for files that carry their font.
//!
//! `assets/dejavu-sans-subset.ttf` is made by `assets/make_font.py`; `assets/LICENSE-DEJAVU.txt` is its licence.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The file of the font.
static FILE: &[u8] = include_bytes!("../assets/dejavu-sans-subset.ttf");

/// The licence of the font, for notices.
pub const FONT_LICENCE: &str = include_str!("../assets/LICENSE-DEJAVU.txt");

/// Name of the font in files.
pub(crate) const FONT_NAME: &str = "Plot Sans";

/// The font, read once.
pub(crate) static FONT: LazyLock<PlotFont> = LazyLock::new(|| {
    PlotFont::read(FILE).expect("the font of this crate is whole (test `the_font_is_whole`)")
});

/// Share of the size that letters reach above the line: `d`, and capitals with an accent a little more.
pub(crate) const ASCENT: f64 = 0.78;

/// Share of the size that letters reach below the line.
pub(crate) const DESCENT: f64 = 0.24;

/// Height of capitals as a share of the size.
pub(crate) const CAP_HEIGHT: f64 = 0.73;

/// Width of a line of text.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    let units: u32 = text.chars().map(|one| FONT.advance(FONT.glyph(one))).sum();
    f64::from(units) * size / FONT.units
}

/// The text, cut with `…` where it is wider than `room`; empty where not even that fits.
pub(crate) fn fit_text(text: &str, size: f64, room: f64) -> String {
    if text_width(text, size) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut width = text_width("…", size);
    if width > room {
        return String::new();
    }
    for one in text.chars() {
        width += f64::from(FONT.advance(FONT.glyph(one))) * size / FONT.units;
        if width > room {
            break;
        }
        kept.push(one);
    }
    format!("{}…", kept.trim_end())
}

/// A piece of an outline, in units of the font with y upwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum OutlinePiece {
    Move(f32, f32),
    Line(f32, f32),
    Curve(f32, f32, f32, f32),
    Close,
}

/// A TrueType font: the tables that plots need.
#[derive(Debug)]
pub(crate) struct PlotFont {
    file: &'static [u8],
    tables: BTreeMap<[u8; 4], (usize, usize)>,
    /// Units of the font's square.
    pub(crate) units: f64,
    glyphs: u16,
    metrics: u16,
    characters: BTreeMap<u32, u16>,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn i16_at(bytes: &[u8], at: usize) -> Option<i16> {
    u16_at(bytes, at).map(u16::cast_signed)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

impl PlotFont {
    fn read(file: &'static [u8]) -> Option<Self> {
        let mut tables = BTreeMap::new();
        for index in 0..usize::from(u16_at(file, 4)?) {
            let entry = 12 + 16 * index;
            let name: [u8; 4] = file.get(entry..entry + 4)?.try_into().ok()?;
            let (start, length) = (u32_at(file, entry + 8)?, u32_at(file, entry + 12)?);
            tables.insert(name, (start as usize, length as usize));
        }
        let mut font = Self {
            file,
            tables,
            units: 0.0,
            glyphs: 0,
            metrics: 0,
            characters: BTreeMap::new(),
        };
        font.units = f64::from(u16_at(font.table(b"head")?, 18)?);
        font.glyphs = u16_at(font.table(b"maxp")?, 4)?;
        font.metrics = u16_at(font.table(b"hhea")?, 34)?;
        font.characters = font.read_characters()?;
        Some(font)
    }

    fn table(&self, name: &[u8; 4]) -> Option<&'static [u8]> {
        let &(start, length) = self.tables.get(name)?;
        self.file.get(start..start + length)
    }

    /// The characters of the table of format 4.
    fn read_characters(&self) -> Option<BTreeMap<u32, u16>> {
        let cmap = self.table(b"cmap")?;
        let tables = usize::from(u16_at(cmap, 2)?);
        let mut offsets = (0..tables).filter_map(|index| u32_at(cmap, 4 + 8 * index + 4));
        let table = offsets.find_map(|offset| {
            let table = cmap.get(offset as usize..)?;
            (u16_at(table, 0)? == 4).then_some(table)
        })?;
        let segments = usize::from(u16_at(table, 6)?) / 2;
        let mut characters = BTreeMap::new();
        for segment in 0..segments {
            let last = u16_at(table, 14 + 2 * segment)?;
            let first = u16_at(table, 16 + 2 * (segments + segment))?;
            let delta = u16_at(table, 16 + 2 * (2 * segments + segment))?;
            let place = 16 + 2 * (3 * segments + segment);
            let offset = usize::from(u16_at(table, place)?);
            for code in first..=last {
                if code == u16::MAX {
                    break;
                }
                let glyph = if offset == 0 {
                    code.wrapping_add(delta)
                } else {
                    u16_at(table, place + offset + 2 * usize::from(code - first))?
                        .wrapping_add(delta)
                };
                characters.insert(u32::from(code), glyph);
            }
        }
        Some(characters)
    }

    /// The glyph of a character; 0, a box, where the font lacks it.
    pub(crate) fn glyph(&self, character: char) -> u16 {
        self.characters
            .get(&u32::from(character))
            .copied()
            .unwrap_or(0)
    }

    /// Width of a glyph in units of the font.
    pub(crate) fn advance(&self, glyph: u16) -> u32 {
        let last = self.metrics.saturating_sub(1);
        let hmtx = self.table(b"hmtx").unwrap_or_default();
        u16_at(hmtx, 4 * usize::from(glyph.min(last))).map_or(0, u32::from)
    }

    /// Where the data of a glyph are in `glyf`.
    fn glyph_data(&self, glyph: u16) -> Option<&'static [u8]> {
        let (head, loca) = (self.table(b"head")?, self.table(b"loca")?);
        let at = usize::from(glyph);
        let (start, end) = if u16_at(head, 50)? == 0 {
            (
                2 * u32::from(u16_at(loca, 2 * at)?),
                2 * u32::from(u16_at(loca, 2 * at + 2)?),
            )
        } else {
            (u32_at(loca, 4 * at)?, u32_at(loca, 4 * at + 4)?)
        };
        self.table(b"glyf")?.get(start as usize..end as usize)
    }

    /// The outline of a glyph.
    pub(crate) fn outline(&self, glyph: u16) -> Vec<OutlinePiece> {
        let mut pieces = Vec::new();
        self.add_outline(glyph, (0.0, 0.0), &mut pieces, 0);
        pieces
    }

    fn add_outline(
        &self,
        glyph: u16,
        shift: (f32, f32),
        into: &mut Vec<OutlinePiece>,
        depth: u8,
    ) -> Option<()> {
        let data = self.glyph_data(glyph)?;
        let contours = i16_at(data, 0)?;
        if contours >= 0 {
            return add_simple_outline(data, contours as usize, shift, into);
        }
        if depth > 4 {
            return None;
        }
        for part in glyph_parts(data) {
            let moved = (shift.0 + part.shift.0, shift.1 + part.shift.1);
            self.add_outline(part.glyph, moved, into, depth + 1);
        }
        Some(())
    }

    /// A font file with the outlines and characters of these glyphs alone, under their numbers, and nothing beyond the last of them.
    pub(crate) fn subset(&self, glyphs: &BTreeSet<u16>) -> Vec<u8> {
        let mut kept = BTreeSet::from([0]);
        let mut todo: Vec<u16> = glyphs.iter().copied().collect();
        while let Some(glyph) = todo.pop() {
            if kept.insert(glyph) {
                let parts = self.glyph_data(glyph).map(glyph_parts).unwrap_or_default();
                todo.extend(parts.iter().map(|part| part.glyph));
            }
        }
        let count = kept.last().map_or(1, |last| last + 1);
        let metrics = self.metrics.min(count);
        let (mut glyf, mut loca) = (Vec::new(), Vec::new());
        for glyph in 0..count {
            loca.extend(((glyf.len() / 2) as u16).to_be_bytes());
            if kept.contains(&glyph) {
                glyf.extend(self.glyph_data(glyph).unwrap_or_default());
                glyf.resize(glyf.len().next_multiple_of(2), 0);
            }
        }
        loca.extend(((glyf.len() / 2) as u16).to_be_bytes());
        // A table with a number at a place.
        let changed = |name: &[u8; 4], place: usize, number: u16| {
            let mut table = self.table(name).unwrap_or_default().to_vec();
            if let Some(bytes) = table.get_mut(place..place + 2) {
                bytes.copy_from_slice(&number.to_be_bytes());
            }
            table
        };
        let mut advances = self.table(b"hmtx").unwrap_or_default().to_vec();
        advances.truncate(4 * usize::from(metrics) + 2 * usize::from(count - metrics));
        let characters = self.characters.iter().map(|(code, glyph)| (*code, *glyph));
        let characters = characters.filter(|(_, glyph)| *glyph != 0 && kept.contains(glyph));
        let mut tables: Vec<([u8; 4], Vec<u8>)> = Vec::new();
        for name in [
            b"OS/2", b"cmap", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp", b"name",
            b"post",
        ] {
            let content = match name {
                b"glyf" => std::mem::take(&mut glyf),
                b"loca" => std::mem::take(&mut loca),
                b"cmap" => character_table(characters.clone()),
                b"head" => changed(name, 50, 0), // short offsets
                b"hhea" => changed(name, 34, metrics),
                b"hmtx" => std::mem::take(&mut advances),
                b"maxp" => changed(name, 4, count),
                other => self.table(other).unwrap_or_default().to_vec(),
            };
            tables.push((*name, content));
        }
        assemble_font(tables)
    }
}

/// The table `cmap` of characters in ascending order, in format 4, for all platforms that read Unicode.
fn character_table(characters: impl Iterator<Item = (u32, u16)>) -> Vec<u8> {
    /// Characters that follow each other, with glyphs that do so too.
    struct CharacterRun {
        first: u16,
        last: u16,
        glyph: u16,
    }
    let mut runs: Vec<CharacterRun> = Vec::new();
    for (code, glyph) in characters {
        let Ok(code) = u16::try_from(code) else {
            continue;
        };
        match runs.last_mut() {
            Some(run) if run.last + 1 == code && run.glyph + (code - run.first) == glyph => {
                run.last = code;
            }
            _ => runs.push(CharacterRun {
                first: code,
                last: code,
                glyph,
            }),
        }
    }
    // The last run is the end of the table.
    runs.push(CharacterRun {
        first: u16::MAX,
        last: u16::MAX,
        glyph: 0,
    });
    let count = runs.len() as u16;
    let power = 1 << count.ilog2();
    let header = [
        4,
        16 + 8 * count,
        0,
        2 * count,
        2 * power,
        power.ilog2() as u16,
        2 * (count - power),
    ];
    // Version, one table, for Windows and characters of the basic plane, at this offset.
    let mut words: Vec<u16> = vec![0, 1, 3, 1, 0, 12];
    words.extend(header);
    words.extend(runs.iter().map(|run| run.last));
    words.push(0);
    words.extend(runs.iter().map(|run| run.first));
    words.extend(runs.iter().map(|run| run.glyph.wrapping_sub(run.first)));
    words.extend(runs.iter().map(|_| 0));
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Joins tables, in the order of their names, to a font file.
fn assemble_font(mut tables: Vec<([u8; 4], Vec<u8>)>) -> Vec<u8> {
    let count = tables.len() as u16;
    let power = 1 << count.ilog2();
    let mut file = vec![0, 1, 0, 0];
    for number in [
        count,
        16 * power,
        power.ilog2() as u16,
        16 * (count - power),
    ] {
        file.extend(number.to_be_bytes());
    }
    let mut offset = 12 + 16 * tables.len();
    let mut body = Vec::new();
    let mut head_at = 0;
    for (name, content) in &mut tables {
        if name == b"head" {
            head_at = offset;
            if let Some(sum) = content.get_mut(8..12) {
                sum.fill(0);
            }
        }
        file.extend(*name);
        file.extend(table_sum(content).to_be_bytes());
        file.extend((offset as u32).to_be_bytes());
        file.extend((content.len() as u32).to_be_bytes());
        body.extend_from_slice(content);
        body.resize(body.len().next_multiple_of(4), 0);
        offset += content.len().next_multiple_of(4);
    }
    file.extend(body);
    let sum = 0xB1B0_AFBA_u32.wrapping_sub(table_sum(&file));
    if let Some(place) = file.get_mut(head_at + 8..head_at + 12) {
        place.copy_from_slice(&sum.to_be_bytes());
    }
    file
}

/// Sum of the words of 32 bits.
fn table_sum(content: &[u8]) -> u32 {
    content.chunks(4).fold(0_u32, |sum, word| {
        let mut whole = [0; 4];
        whole[..word.len()].copy_from_slice(word);
        sum.wrapping_add(u32::from_be_bytes(whole))
    })
}

/// A part of a glyph made of others.
struct GlyphPart {
    glyph: u16,
    shift: (f32, f32),
}

/// The parts of a compound glyph; those of a simple one are none. Scales do not occur in this font (test `the_font_is_whole`).
fn glyph_parts(data: &[u8]) -> Vec<GlyphPart> {
    let mut parts = Vec::new();
    if i16_at(data, 0).is_none_or(|contours| contours >= 0) {
        return parts;
    }
    let mut at = 10;
    while let (Some(flags), Some(glyph)) = (u16_at(data, at), u16_at(data, at + 2)) {
        at += 4;
        let (has_words, are_places) = (flags & 1 != 0, flags & 2 != 0);
        let read = |at: usize| match has_words {
            true => i16_at(data, at).map(f32::from),
            false => data.get(at).map(|byte| f32::from(byte.cast_signed())),
        };
        let width = if has_words { 2 } else { 1 };
        let shift = (read(at).unwrap_or(0.0), read(at + width).unwrap_or(0.0));
        at += 2 * width;
        at += match flags & 0b1100_1000 {
            0x08 => 2,
            0x40 => 4,
            0x80 => 8,
            _ => 0,
        };
        parts.push(GlyphPart {
            glyph,
            shift: if are_places { shift } else { (0.0, 0.0) },
        });
        if flags & 0x20 == 0 {
            break;
        }
    }
    parts
}

/// A point of a contour.
#[derive(Clone, Copy)]
struct ContourPoint {
    x: f32,
    y: f32,
    is_on: bool,
}

fn add_simple_outline(
    data: &[u8],
    contours: usize,
    shift: (f32, f32),
    into: &mut Vec<OutlinePiece>,
) -> Option<()> {
    if contours == 0 {
        return Some(());
    }
    let ends: Vec<usize> = (0..contours)
        .map(|index| u16_at(data, 10 + 2 * index).map(usize::from))
        .collect::<Option<_>>()?;
    let count = ends.last()? + 1;
    let instructions = usize::from(u16_at(data, 10 + 2 * contours)?);
    let mut at = 12 + 2 * contours + instructions;
    let mut flags = Vec::with_capacity(count);
    while flags.len() < count {
        let flag = *data.get(at)?;
        at += 1;
        let mut times = 1;
        if flag & 8 != 0 {
            times += usize::from(*data.get(at)?);
            at += 1;
        }
        flags.extend(std::iter::repeat_n(flag, times));
    }
    let mut read_axis = |short: u8, same: u8| {
        let mut value = 0.0;
        let mut values = Vec::with_capacity(count);
        for flag in &flags[..count] {
            if flag & short != 0 {
                let step = f32::from(*data.get(at)?);
                value += if flag & same != 0 { step } else { -step };
                at += 1;
            } else if flag & same == 0 {
                value += f32::from(i16_at(data, at)?);
                at += 2;
            }
            values.push(value);
        }
        Some(values)
    };
    let (xs, ys) = (read_axis(2, 16)?, read_axis(4, 32)?);
    let mut start = 0;
    for end in ends {
        let points: Vec<ContourPoint> = (start..=end)
            .map(|index| ContourPoint {
                x: xs[index] + shift.0,
                y: ys[index] + shift.1,
                is_on: flags[index] & 1 != 0,
            })
            .collect();
        add_contour(&points, into);
        start = end + 1;
    }
    Some(())
}

/// Two control points in a row have a point of the outline half way.
fn add_contour(points: &[ContourPoint], into: &mut Vec<OutlinePiece>) {
    let between = |a: ContourPoint, b: ContourPoint| ContourPoint {
        x: (a.x + b.x) / 2.0,
        y: (a.y + b.y) / 2.0,
        is_on: true,
    };
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
        return;
    };
    let start = match (first.is_on, last.is_on) {
        (true, _) => first,
        (false, true) => last,
        (false, false) => between(first, last),
    };
    into.push(OutlinePiece::Move(start.x, start.y));
    let mut control: Option<ContourPoint> = None;
    let skip = usize::from(first.is_on);
    for &point in points.iter().skip(skip).chain([&start]) {
        match (control, point.is_on) {
            (None, true) => into.push(OutlinePiece::Line(point.x, point.y)),
            (None, false) => control = Some(point),
            (Some(held), true) => {
                into.push(OutlinePiece::Curve(held.x, held.y, point.x, point.y));
                control = None;
            }
            (Some(held), false) => {
                let middle = between(held, point);
                into.push(OutlinePiece::Curve(held.x, held.y, middle.x, middle.y));
                control = Some(point);
            }
        }
    }
    into.push(OutlinePiece::Close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_is_whole() {
        for text in [
            "The quick brown fox, 0123456789",
            "αβγδεζηθικλμνξοπρστυφχψω ΓΔΘΛΞΠΣΦΨΩ",
            "Съешь ещё этих мягких французских булок",
            "ÀÉÎÕÜßñçłőž",
            "−×·±≤≥≈∞∫∑√∂∇∈⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂→€°µ…–—“”",
        ] {
            for one in text.chars().filter(|one| *one != ' ') {
                let glyph = FONT.glyph(one);
                assert_ne!(glyph, 0, "{one}");
                assert!(!FONT.outline(glyph).is_empty(), "{one}");
                assert!(FONT.advance(glyph) > 0, "{one}");
            }
        }
        for glyph in 0..FONT.glyphs {
            let data = FONT.glyph_data(glyph).unwrap();
            if i16_at(data, 0).is_some_and(|contours| contours < 0) {
                // No part is scaled, and all are placed by distances.
                let flags = u16_at(data, 10).unwrap();
                assert_eq!(flags & 0b1100_1000, 0, "{glyph}");
                assert_ne!(flags & 2, 0, "{glyph}");
            }
        }
    }

    /// Characters that DejaVu Sans 2.37 lacks, or Unicode has not assigned, of the blocks of the next test.
    fn is_absent(code: u32) -> bool {
        let gaps = [
            0x378..=0x379,
            0x380..=0x383,
            0x38B..=0x38B,
            0x38D..=0x38D,
            0x3A2..=0x3A2,
            0x526..=0x52F,
            0x1EFA..=0x1EFF,
        ];
        gaps.iter().any(|gap| gap.contains(&code))
    }

    #[test]
    fn no_glyph_is_missing_for_latin_greek_and_cyrillic() {
        for block in [
            0x21..=0x7E,
            0xA1..=0x24F,
            0x370..=0x3FF,
            0x400..=0x52F,
            0x1E00..=0x1EFF,
        ] {
            for code in block.filter(|code| !is_absent(*code)) {
                let one = char::from_u32(code).unwrap();
                assert_ne!(FONT.glyph(one), 0, "U+{code:04X} {one}");
            }
        }
    }

    #[test]
    fn widths_are_those_of_the_font() {
        // From the table `hmtx` of DejaVu Sans: 1303 units of 2048 for a digit, 651 for a full stop.
        assert_eq!(text_width("12", 2048.0), 2606.0);
        assert_eq!(text_width(".", 20.48), 6.51);
        assert_eq!(fit_text("Temperature", 10.0, 1000.0), "Temperature");
        let cut = fit_text("Temperature of the sea", 10.0, 60.0);
        assert!(
            cut.ends_with('…') && text_width(&cut, 10.0) <= 60.0,
            "{cut}"
        );
        assert_eq!(fit_text("wide", 10.0, 1.0), "");
    }

    #[test]
    fn a_subset_has_its_glyphs_alone() {
        let glyphs = BTreeSet::from([FONT.glyph('Ä'), FONT.glyph('7')]);
        let file: &'static [u8] = FONT.subset(&glyphs).leak();
        assert!(file.len() < 16_000, "{}", file.len());
        assert_eq!(table_sum(file), 0xB1B0_AFBA);
        let font = PlotFont::read(file).unwrap();
        assert_eq!(font.outline(font.glyph('Ä')), FONT.outline(FONT.glyph('Ä')));
        assert_eq!(font.glyph('7'), FONT.glyph('7'));
        assert_eq!(font.glyph('8'), 0);
        assert!(font.outline(FONT.glyph('8')).is_empty());
        assert_eq!(font.advance(font.glyph('Ä')), FONT.advance(FONT.glyph('Ä')));
    }
}
