//! A plot of pixels: title, legend, axes with ticks and grid around an area of data.

use super::axis::{AxisRange, AxisTick, LabelPlacement, choose_ticks};
use super::canvas::{PlotProjection, draw_line};
use super::raster::{ADVANCE, GLYPH_HEIGHT, PenNib, PixelArea, Raster, TextDirection, text_width};
use super::sixel::Rgb;

const GRID: u8 = 1;
const FRAME: u8 = 2;
const INK: u8 = 3;
/// The first colour of the data.
pub(crate) const FIRST: u8 = 4;

/// Background, grid, frame and text.
pub(crate) const BASE: [Rgb; FIRST as usize] =
    [[255, 255, 255], [225, 225, 225], [90, 90, 90], [20, 20, 20]];

/// Texts around the data.
#[derive(Debug, Default)]
pub(crate) struct FigureCaptions<'a> {
    /// Above the plot.
    pub(crate) title: &'a str,
    /// Below the horizontal axis.
    pub(crate) x_label: &'a str,
    /// Beside the vertical axis, from bottom to top.
    pub(crate) y_label: &'a str,
    /// Names of the series, in the order of their colours.
    pub(crate) names: &'a [String],
}

/// A picture with its axes drawn and an area left for the data.
#[derive(Debug)]
pub(crate) struct PlotFigure {
    /// The picture.
    pub(crate) raster: Raster,
    /// The area of the data.
    pub(crate) area: PixelArea,
    /// From data to pixels of the area.
    pub(crate) projection: PlotProjection,
    /// Size of text and strokes: 1, or 2 for a large picture.
    pub(crate) scale: usize,
}

impl PlotFigure {
    /// Lays the picture out and draws all but the data.
    pub(crate) fn new(
        x: AxisRange,
        y: AxisRange,
        (width, height): (usize, usize),
        words: &FigureCaptions<'_>,
    ) -> Self {
        let scale = if width >= 480 && height >= 280 { 2 } else { 1 };
        let line_height = (GLYPH_HEIGHT + 4) * scale;
        let legend = legend_lines(words.names, width, scale);
        let unless_empty = |text: &str, height: usize| if text.is_empty() { 0 } else { height };
        let title_height = unless_empty(words.title, line_height + 2 * scale);
        let top = 3 * scale + title_height + legend.len() * line_height;
        let bottom = (GLYPH_HEIGHT + 6) * scale + unless_empty(words.x_label, line_height);
        let area_height = height.saturating_sub(top + bottom).max(height / 4);
        let y_ticks = choose_ticks(y, (area_height / (3 * GLYPH_HEIGHT * scale)).clamp(2, 11));
        let widths = y_ticks.iter().map(|tick| text_width(&tick.label, scale));
        let widest = widths.max().unwrap_or(0);
        let beside = unless_empty(words.y_label, line_height);
        let left = (beside + widest + 6 * scale).min(width / 2);
        let area = PixelArea {
            left,
            top: top.min(height - area_height - 1),
            width: width - left - 6 * scale,
            height: area_height,
        };
        let projection = PlotProjection {
            x,
            y,
            columns: area.width,
            rows: area.height,
        };
        let mut figure = Self {
            raster: Raster::new(width, height),
            area,
            projection,
            scale,
        };
        figure.x_axis();
        figure.y_axis(&y_ticks);
        figure.words(words, &legend, title_height);
        figure
    }

    /// Writes a text from left to right.
    fn write(&mut self, text: &str, at: (usize, usize)) {
        let scale = self.scale;
        self.raster.text(text, at, TextDirection::Right, scale, INK);
    }

    /// Vertical grid lines with their labels, as many as fit without touching.
    fn x_axis(&mut self) {
        let (area, scale, projection) = (self.area, self.scale, self.projection);
        let place = |tick: &AxisTick| area.left + projection.column(tick.value);
        let labels = LabelPlacement {
            length: |tick: &AxisTick| text_width(&tick.label, scale),
            centre: place,
            whole: self.raster.width,
            gap: 2 * ADVANCE * scale,
        };
        let most = (area.width / (4 * ADVANCE * scale)).clamp(2, 13);
        let Some((ticks, starts)) = labels.fitting(projection.x, most) else {
            return;
        };
        let below = area.top + area.height;
        for (tick, start) in ticks.iter().zip(starts) {
            let left = place(tick);
            let line = PixelArea::new((left, area.top), (1, area.height));
            self.raster.fill(line, GRID);
            let mark = PixelArea::new((left, below), (1, 2 * scale));
            self.raster.fill(mark, FRAME);
            self.write(&tick.label, (start, below + 4 * scale));
        }
    }

    /// Horizontal grid lines with their labels.
    fn y_axis(&mut self, ticks: &[AxisTick]) {
        let (area, scale) = (self.area, self.scale);
        for tick in ticks {
            let top = area.top + self.projection.row(tick.value);
            let line = PixelArea::new((area.left, top), (area.width, 1));
            self.raster.fill(line, GRID);
            let mark = PixelArea::new((area.left - 2 * scale, top), (2 * scale, 1));
            self.raster.fill(mark, FRAME);
            let width = text_width(&tick.label, scale);
            if let Some(x) = area.left.checked_sub(width + 4 * scale) {
                let y = top.saturating_sub(GLYPH_HEIGHT * scale / 2);
                self.write(&tick.label, (x, y));
            }
        }
    }

    fn words(&mut self, words: &FigureCaptions<'_>, legend: &[Vec<usize>], title_height: usize) {
        let (area, scale) = (self.area, self.scale);
        let line_height = (GLYPH_HEIGHT + 4) * scale;
        let centred =
            |text: &str| (area.left + area.width / 2).saturating_sub(text_width(text, scale) / 2);
        self.write(words.title, (centred(words.title), 3 * scale));
        for (line, members) in legend.iter().enumerate() {
            let top = 3 * scale + title_height + line * line_height;
            let mut left = area.left;
            for &series in members {
                let side = GLYPH_HEIGHT * scale;
                let swatch = PixelArea::new((left, top), (side, side));
                self.raster.fill(swatch, FIRST + series as u8);
                let name = &words.names[series];
                self.write(name, (left + (GLYPH_HEIGHT + 3) * scale, top));
                left += entry_width(name, scale);
            }
        }
        let height = self.raster.height;
        let lowest = height.saturating_sub((GLYPH_HEIGHT + 3) * scale);
        self.write(words.x_label, (centred(words.x_label), lowest));
        let half = text_width(words.y_label, scale) / 2;
        let start = (area.top + area.height / 2 + half).min(height);
        let at = (scale, start);
        self.raster
            .text(words.y_label, at, TextDirection::Up, scale, INK);
    }

    /// The frame, drawn last so that no data covers it, and the line of zero where bars stand.
    pub(crate) fn frame(&mut self, zero_line: bool) {
        let area = self.area;
        let (right, bottom) = (area.width as i64 - 1, area.height as i64 - 1);
        let zero = self.projection.row(0.0) as i64;
        let mut pen = self.raster.pen(area, PenNib::Square(1), FRAME);
        for (from, to) in [
            ((0, 0), (right, 0)),
            ((0, bottom), (right, bottom)),
            ((0, 0), (0, bottom)),
            ((right, 0), (right, bottom)),
        ] {
            draw_line(&mut pen, from, to);
        }
        if zero_line {
            draw_line(&mut pen, (0, zero), (right, zero));
        }
    }
}

/// Width of a legend entry with the space after it.
fn entry_width(name: &str, scale: usize) -> usize {
    text_width(name, scale) + (GLYPH_HEIGHT + 3 + 2 * ADVANCE) * scale
}

/// Indices of the names on each line of the legend.
fn legend_lines(names: &[String], width: usize, scale: usize) -> Vec<Vec<usize>> {
    let room = width / 5 * 4;
    let mut lines: Vec<Vec<usize>> = Vec::new();
    let mut used = usize::MAX;
    for (index, name) in names.iter().enumerate() {
        let entry = entry_width(name, scale);
        if used.saturating_add(entry) > room {
            lines.push(Vec::new());
            used = 0;
        }
        used += entry;
        let line = lines.last_mut().expect("a line was begun above");
        line.push(index);
    }
    lines
}
