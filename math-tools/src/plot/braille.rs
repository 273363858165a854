//! A plot as text: braille dots (2 x 4 per character), block bars and symbols inside a frame with ticks.
//!
//! [`BrailleChart`] is the frame and everything around it; [`BrailleCanvas`] is the canvas of a curve.

use super::axis::{AxisRange, AxisTick, LabelPlacement, choose_ticks};
use super::canvas::{DotSurface, PlotProjection};
use super::series::printable_text;

/// Dots per character, across and down.
const DOTS: (usize, usize) = (2, 4);

/// Marks that tell series apart, in their order.
pub(crate) const SYMBOLS: [char; 16] = [
    'o', 'x', '+', '*', '#', '@', '%', '&', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h',
];

/// A canvas of braille dots.
#[derive(Debug)]
pub(crate) struct BrailleCanvas {
    columns: usize,
    cells: Vec<u8>,
}

impl BrailleCanvas {
    /// An empty canvas of so many characters.
    pub(crate) fn new(columns: usize, rows: usize) -> Self {
        Self {
            columns,
            cells: vec![0; columns * rows],
        }
    }
}

impl DotSurface for BrailleCanvas {
    fn size(&self) -> (usize, usize) {
        let rows = self.cells.len() / self.columns;
        (self.columns * DOTS.0, rows * DOTS.1)
    }

    fn set(&mut self, column: usize, row: usize) {
        // The bit of each dot in U+2800..U+28FF: dots 1 2 3 7 down the left side, 4 5 6 8 down the right one.
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let cell = row / DOTS.1 * self.columns + column / DOTS.0;
        self.cells[cell] |= BITS[column % DOTS.0][row % DOTS.1];
    }
}

/// Texts around the plotting area.
#[derive(Debug, Default)]
pub(crate) struct ChartCaptions<'a> {
    /// Above the plot.
    pub(crate) title: &'a str,
    /// Below the horizontal axis.
    pub(crate) x_label: Option<&'a str>,
    /// Above the vertical axis.
    pub(crate) y_label: Option<&'a str>,
}

/// A framed plot of characters.
#[derive(Debug)]
pub(crate) struct BrailleChart {
    x: AxisRange,
    y: AxisRange,
    columns: usize,
    rows: usize,
    width: usize,
    y_ticks: Vec<AxisTick>,
    label_width: usize,
    grid: Vec<char>,
}

impl BrailleChart {
    /// An empty chart, `width` characters wide with everything beside it, with `rows` rows of plotting area.
    ///
    /// Labels of the vertical axis are left out where they would take more than half the width.
    pub(crate) fn new(x: AxisRange, y: AxisRange, width: usize, rows: usize) -> Self {
        let y_ticks = choose_ticks(y, (rows / 3 + 1).clamp(if rows < 4 { 2 } else { 3 }, 11));
        let widths = y_ticks.iter().map(|tick| tick.label.len());
        let widest = widths.max().unwrap_or(0);
        let fits = 2 * (widest + 2) <= width;
        let label_width = if fits { widest + 1 } else { 0 };
        let columns = width - label_width - 1;
        Self {
            x,
            y,
            columns,
            rows,
            width,
            y_ticks,
            label_width,
            grid: vec![' '; columns * rows],
        }
    }

    /// From data to the dots of the plotting area.
    pub(crate) fn dot_projection(&self) -> PlotProjection {
        PlotProjection {
            x: self.x,
            y: self.y,
            columns: self.columns * DOTS.0,
            rows: self.rows * DOTS.1,
        }
    }

    /// From data to the characters of the plotting area.
    pub(crate) fn cell_projection(&self) -> PlotProjection {
        PlotProjection {
            columns: self.columns,
            rows: self.rows,
            ..self.dot_projection()
        }
    }

    /// An empty canvas for the plotting area.
    pub(crate) fn canvas(&self) -> BrailleCanvas {
        BrailleCanvas::new(self.columns, self.rows)
    }

    /// Characters of the plotting area, across and down.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.columns, self.rows)
    }

    /// Draws a canvas; what was there stays where it has no dots.
    pub(crate) fn draw(&mut self, dots: &BrailleCanvas) {
        for (cell, &bits) in self.grid.iter_mut().zip(&dots.cells) {
            if bits != 0 {
                *cell = char::from_u32(0x2800 + u32::from(bits)).expect("a braille pattern");
            }
        }
    }

    /// Puts one character.
    pub(crate) fn put(&mut self, column: usize, row: usize, symbol: char) {
        self.grid[row * self.columns + column] = symbol;
    }

    /// Fills one column from zero to a value, to an eighth of a row upwards and half a row downwards; zero lies between rows.
    pub(crate) fn bar(&mut self, column: usize, value: f64) {
        const UP: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        const DOWN: [char; 3] = [' ', '▀', '█'];
        let height = |value: f64| self.y.fraction(value).clamp(0.0, 1.0) * self.rows as f64;
        let (zero, tip) = (height(0.0).round(), height(value));
        for row in 0..self.rows {
            let bottom = (self.rows - 1 - row) as f64; // of this row, counted from the bottom of the area
            let symbol = if value > 0.0 && bottom >= zero {
                UP[((tip - bottom).clamp(0.0, 1.0) * 8.0).round() as usize]
            } else if value < 0.0 && bottom < zero {
                DOWN[((bottom + 1.0 - tip).clamp(0.0, 1.0) * 2.0).round() as usize]
            } else {
                ' '
            };
            if symbol != ' ' {
                self.put(column, row, symbol);
            }
        }
    }

    /// The whole as lines without spaces at their ends: title, frame with ticks, labels, then the extra lines.
    pub(crate) fn text(&self, words: &ChartCaptions<'_>, extra: &[String]) -> String {
        let mut lines = Vec::new();
        let left = self.label_width + 1;
        if !words.title.is_empty() {
            lines.push(self.centred(words.title));
        }
        let line = |text: &str| truncate_text(&printable_text(text), self.width);
        lines.extend(words.y_label.map(line));
        let cells = self.cell_projection();
        for row in 0..self.rows {
            let mut ticks = self.y_ticks.iter();
            let tick = ticks.find(|tick| cells.row(tick.value) == row);
            let shown = tick.filter(|_| self.label_width > 0);
            let label = shown.map_or("", |tick| &tick.label);
            let pad = self.label_width.saturating_sub(1);
            let gap = if self.label_width > 0 { " " } else { "" };
            let axis = if tick.is_some() { '┤' } else { '│' };
            let cells = &self.grid[row * self.columns..(row + 1) * self.columns];
            let cells: String = cells.iter().collect();
            lines.push(format!("{label:>pad$}{gap}{axis}{cells}"));
        }
        let (axis, labels) = self.x_axis(left);
        lines.push(format!("{}{axis}", " ".repeat(self.label_width)));
        lines.push(labels);
        lines.extend(words.x_label.map(|label| self.centred(label)));
        lines.extend(extra.iter().map(|text| line(text)));
        let trimmed: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        trimmed.join("\n")
    }

    /// The horizontal axis, and the line of its labels: as many ticks as fit without touching; one tick alone, where two do not fit.
    fn x_axis(&self, left: usize) -> (String, String) {
        let most = (self.columns / if self.columns < 40 { 4 } else { 6 }).clamp(2, 13);
        let place = |tick: &AxisTick| self.cell_projection().column(tick.value);
        let labels = LabelPlacement {
            length: |tick: &AxisTick| tick.label.len(),
            centre: |tick: &AxisTick| left + place(tick),
            whole: self.width,
            gap: 2,
        };
        let (ticks, starts) = labels.fitting(self.x, most).unwrap_or_else(|| {
            let last = choose_ticks(self.x, 2)
                .pop()
                .into_iter()
                .collect::<Vec<AxisTick>>();
            let starts = labels.starts(&last).unwrap_or_default();
            (last, starts)
        });
        let line = std::iter::repeat_n('─', self.columns);
        let mut axis: Vec<char> = std::iter::once('└').chain(line).collect();
        let mut labels = vec![' '; self.width];
        for (tick, start) in ticks.iter().zip(starts) {
            axis[1 + place(tick)] = '┬';
            for (offset, character) in tick.label.chars().enumerate() {
                labels[start + offset] = character;
            }
        }
        (axis.into_iter().collect(), labels.into_iter().collect())
    }

    /// A text centred over the plotting area, cut at the width.
    fn centred(&self, text: &str) -> String {
        let text = truncate_text(&printable_text(text), self.width);
        let length = text.chars().count();
        let left = self.label_width + 1 + self.columns.saturating_sub(length) / 2;
        format!("{}{text}", " ".repeat(left.min(self.width - length)))
    }
}

/// At most `width` characters; what is cut off shows as `…`.
fn truncate_text(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let shown: String = text.chars().take(width - 1).collect();
    shown + "…"
}
