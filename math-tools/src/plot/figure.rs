//! A plot of pixels: title, legend, axes with ticks and grid around an area of data.

use super::axis::{Range, Tick, ticks};
use super::canvas::{Projection, line};
use super::raster::{ADVANCE, Area, Direction, GLYPH_HEIGHT, Nib, Raster, text_width};
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
pub(crate) struct Words<'a> {
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
pub(crate) struct Figure {
    /// The picture.
    pub(crate) raster: Raster,
    /// The area of the data.
    pub(crate) area: Area,
    /// From data to pixels of the area.
    pub(crate) projection: Projection,
    /// Size of text and strokes: 1, or 2 for a large picture.
    pub(crate) scale: usize,
}

impl Figure {
    /// Lays the picture out and draws all but the data.
    pub(crate) fn new(
        x: Range,
        y: Range,
        (width, height): (usize, usize),
        words: &Words<'_>,
    ) -> Self {
        let scale = if width >= 480 && height >= 280 { 2 } else { 1 };
        let line_height = (GLYPH_HEIGHT + 4) * scale;
        let legend = legend_lines(words.names, width, scale);
        let title_height = if words.title.is_empty() {
            0
        } else {
            line_height + 2 * scale
        };
        let top = 3 * scale + title_height + legend.len() * line_height;
        let below = if words.x_label.is_empty() {
            0
        } else {
            line_height
        };
        let bottom = (GLYPH_HEIGHT + 6) * scale + below;
        let area_height = height.saturating_sub(top + bottom).max(height / 4);
        let y_ticks = ticks(y, (area_height / (3 * GLYPH_HEIGHT * scale)).clamp(2, 11));
        let widest = y_ticks
            .iter()
            .map(|tick| text_width(&tick.label, scale))
            .max()
            .unwrap_or(0);
        let beside = if words.y_label.is_empty() {
            0
        } else {
            line_height
        };
        let left = (beside + widest + 6 * scale).min(width / 2);
        let area = Area {
            left,
            top: top.min(height - area_height - 1),
            width: width - left - 6 * scale,
            height: area_height,
        };
        let projection = Projection {
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

    /// Vertical grid lines with their labels, as many as fit without touching.
    fn x_axis(&mut self) {
        let most = (self.area.width / (4 * ADVANCE * self.scale)).clamp(2, 13);
        let fitting = (2..=most).rev().find_map(|count| {
            let ticks = ticks(self.projection.x, count);
            let starts = self.label_starts(&ticks)?;
            Some((ticks, starts))
        });
        let (area, scale) = (self.area, self.scale);
        for (tick, start) in fitting
            .iter()
            .flat_map(|(ticks, starts)| ticks.iter().zip(starts))
        {
            let left = area.left + self.projection.column(tick.value);
            let grid = Area {
                left,
                width: 1,
                ..area
            };
            self.raster.fill(grid, GRID);
            let mark = Area {
                left,
                top: area.top + area.height,
                width: 1,
                height: 2 * scale,
            };
            self.raster.fill(mark, FRAME);
            self.raster.text(
                &tick.label,
                (*start, area.top + area.height + 4 * scale),
                Direction::Right,
                scale,
                INK,
            );
        }
    }

    /// Start of each label, centred on its tick inside the picture; `None` when two would touch.
    fn label_starts(&self, ticks: &[Tick]) -> Option<Vec<usize>> {
        let mut free = 0;
        let mut starts = Vec::with_capacity(ticks.len());
        for tick in ticks {
            let width = text_width(&tick.label, self.scale);
            let room = self.raster.width.checked_sub(width)?;
            let centre = self.area.left + self.projection.column(tick.value);
            let start = centre.saturating_sub(width / 2).min(room);
            if start < free {
                return None;
            }
            free = start + width + 2 * ADVANCE * self.scale;
            starts.push(start);
        }
        Some(starts)
    }

    /// Horizontal grid lines with their labels.
    fn y_axis(&mut self, ticks: &[Tick]) {
        let (area, scale) = (self.area, self.scale);
        for tick in ticks {
            let top = area.top + self.projection.row(tick.value);
            let grid = Area {
                top,
                height: 1,
                ..area
            };
            self.raster.fill(grid, GRID);
            let mark = Area {
                left: area.left - 2 * scale,
                top,
                width: 2 * scale,
                height: 1,
            };
            self.raster.fill(mark, FRAME);
            let width = text_width(&tick.label, scale);
            if let Some(x) = area.left.checked_sub(width + 4 * scale) {
                let y = top.saturating_sub(GLYPH_HEIGHT * scale / 2);
                self.raster
                    .text(&tick.label, (x, y), Direction::Right, scale, INK);
            }
        }
    }

    fn words(&mut self, words: &Words<'_>, legend: &[Vec<usize>], title_height: usize) {
        let (area, scale) = (self.area, self.scale);
        let line_height = (GLYPH_HEIGHT + 4) * scale;
        let centred =
            |text: &str| (area.left + area.width / 2).saturating_sub(text_width(text, scale) / 2);
        self.raster.text(
            words.title,
            (centred(words.title), 3 * scale),
            Direction::Right,
            scale,
            INK,
        );
        for (line, members) in legend.iter().enumerate() {
            let top = 3 * scale + title_height + line * line_height;
            let mut left = area.left;
            for &series in members {
                let swatch = Area {
                    left,
                    top,
                    width: GLYPH_HEIGHT * scale,
                    height: GLYPH_HEIGHT * scale,
                };
                self.raster.fill(swatch, FIRST + series as u8);
                let name = &words.names[series];
                self.raster.text(
                    name,
                    (left + (GLYPH_HEIGHT + 3) * scale, top),
                    Direction::Right,
                    scale,
                    INK,
                );
                left += entry_width(name, scale);
            }
        }
        let lowest = self
            .raster
            .height
            .saturating_sub((GLYPH_HEIGHT + 3) * scale);
        self.raster.text(
            words.x_label,
            (centred(words.x_label), lowest),
            Direction::Right,
            scale,
            INK,
        );
        let half = text_width(words.y_label, scale) / 2;
        let start = (area.top + area.height / 2 + half).min(self.raster.height);
        self.raster
            .text(words.y_label, (scale, start), Direction::Up, scale, INK);
    }

    /// The frame, drawn last so that no data covers it, and the line of zero where bars stand.
    pub(crate) fn frame(&mut self, zero_line: bool) {
        let area = self.area;
        let (right, bottom) = (area.width as i64 - 1, area.height as i64 - 1);
        let zero = self.projection.row(0.0) as i64;
        let mut pen = self.raster.pen(area, Nib::Square(1), FRAME);
        for (from, to) in [
            ((0, 0), (right, 0)),
            ((0, bottom), (right, bottom)),
            ((0, 0), (0, bottom)),
            ((right, 0), (right, bottom)),
        ] {
            line(&mut pen, from, to);
        }
        if zero_line {
            line(&mut pen, (0, zero), (right, zero));
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
        lines
            .last_mut()
            .expect("a line was begun above")
            .push(index);
    }
    lines
}
