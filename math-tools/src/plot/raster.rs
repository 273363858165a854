//! A picture of pixels with a small palette: rectangles, discs, lines and text in an own 5 x 7 font.
//!
//! The font is `font.txt`: six bands of sixteen glyphs, from the space to the box for missing glyphs; five
//! columns, seven rows and two more below the line.

use super::canvas::DotSurface;

/// Columns from one character to the next, at scale 1.
pub(crate) const ADVANCE: usize = 6;
/// Rows of a character above the line, at scale 1.
pub(crate) const GLYPH_HEIGHT: usize = 7;
/// Rows of a character with what hangs below the line, at scale 1.
const GLYPH_ROWS: usize = 9;
const GLYPH_COLUMNS: usize = 5;

/// A rectangle of pixels, the upper left corner first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PixelArea {
    /// Leftmost column.
    pub(crate) left: usize,
    /// Topmost row.
    pub(crate) top: usize,
    /// Columns, at least 1.
    pub(crate) width: usize,
    /// Rows, at least 1.
    pub(crate) height: usize,
}

impl PixelArea {
    /// From its upper left corner and its size.
    pub(crate) fn new((left, top): (usize, usize), (width, height): (usize, usize)) -> Self {
        Self {
            left,
            top,
            width,
            height,
        }
    }
}

/// Direction of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextDirection {
    /// From left to right; the place is the upper left corner.
    Right,
    /// From bottom to top; the place is the lower left corner.
    Up,
}

/// Pixels, each an index into a palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raster {
    /// Columns.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// Row by row.
    pub(crate) pixels: Vec<u8>,
}

impl Raster {
    /// A picture of colour 0.
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            pixels: vec![0; width * height],
        }
    }

    /// Fills the part of an area inside the picture.
    pub(crate) fn fill(&mut self, area: PixelArea, colour: u8) {
        let right = (area.left + area.width).min(self.width);
        for row in area.top..(area.top + area.height).min(self.height) {
            let start = row * self.width;
            if area.left < right {
                self.pixels[start + area.left..start + right].fill(colour);
            }
        }
    }

    /// Writes a text; what leaves the picture is cut off.
    pub(crate) fn text(
        &mut self,
        text: &str,
        (x, y): (usize, usize),
        direction: TextDirection,
        scale: usize,
        colour: u8,
    ) {
        for (index, character) in text.chars().enumerate() {
            let before = index * ADVANCE * scale;
            for (column, row) in glyph_dots(character) {
                let (along, down) = (before + column * scale, row * scale);
                let (left, top) = match direction {
                    TextDirection::Right => (x + along, y + down),
                    TextDirection::Up => match y.checked_sub(along + scale) {
                        Some(top) => (x + down, top),
                        None => continue,
                    },
                };
                self.fill(PixelArea::new((left, top), (scale, scale)), colour);
            }
        }
    }

    /// A pen that draws inside an area.
    pub(crate) fn pen(&mut self, area: PixelArea, nib: PenNib, colour: u8) -> RasterPen<'_> {
        RasterPen {
            raster: self,
            area,
            nib,
            colour,
        }
    }
}

/// Width of a text in pixels.
pub(crate) fn text_width(text: &str, scale: usize) -> usize {
    (text.chars().count() * ADVANCE).saturating_sub(1) * scale
}

/// The dots of a character, as columns and rows.
fn glyph_dots(character: char) -> impl Iterator<Item = (usize, usize)> {
    const FONT: &[u8] = include_bytes!("font.txt");
    const PER_BAND: usize = 16;
    const LINE: usize = PER_BAND * ADVANCE; // five columns and a space, or the end of the line
    let index = match character {
        ' '..='~' => character as usize - 0x20,
        '\u{2212}' => '-' as usize - 0x20,
        _ => 0x5f,
    };
    let start = index / PER_BAND * GLYPH_ROWS * LINE + index % PER_BAND * ADVANCE;
    (0..GLYPH_ROWS).flat_map(move |row| {
        (0..GLYPH_COLUMNS).filter_map(move |column| {
            (FONT[start + row * LINE + column] == b'#').then_some((column, row))
        })
    })
}

/// The shape a pen leaves at each dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PenNib {
    /// A square of so many pixels.
    Square(usize),
    /// A disc of so many pixels around the dot.
    Disc(usize),
}

/// Draws in one colour inside an area of a picture.
#[derive(Debug)]
pub(crate) struct RasterPen<'a> {
    raster: &'a mut Raster,
    area: PixelArea,
    nib: PenNib,
    colour: u8,
}

impl DotSurface for RasterPen<'_> {
    fn size(&self) -> (usize, usize) {
        (self.area.width, self.area.height)
    }

    fn set(&mut self, column: usize, row: usize) {
        let (across, down) = (column as i64, row as i64);
        match self.nib {
            PenNib::Square(side) => {
                for (dx, dy) in (0..side * side).map(|index| (index % side, index / side)) {
                    self.pixel(across + dx as i64, down + dy as i64);
                }
            }
            PenNib::Disc(radius) => {
                let radius = radius as i64;
                let square = -radius..=radius;
                for (dx, dy) in square
                    .clone()
                    .flat_map(|dx| square.clone().map(move |dy| (dx, dy)))
                {
                    // The half step rounds the disc without single pixels at its four ends.
                    if dx * dx + dy * dy <= radius * radius + radius / 2 {
                        self.pixel(across + dx, down + dy);
                    }
                }
            }
        }
    }
}

impl RasterPen<'_> {
    fn pixel(&mut self, column: i64, row: i64) {
        let inside = 0 <= column
            && column < self.area.width as i64
            && 0 <= row
            && row < self.area.height as i64;
        if inside {
            let (x, y) = (
                self.area.left + column as usize,
                self.area.top + row as usize,
            );
            self.raster.pixels[y * self.raster.width + x] = self.colour;
        }
    }
}
