//! Several plots in one picture, each with axes of its own.

use super::PlotSpecification;
use crate::colour::PlotTheme;

/// A picture of several plots. Where parts share their sides, their panels begin and end at the same places.
#[derive(Debug, Clone)]
pub struct PlotComposition {
    /// Title above all parts, empty for none.
    pub title: String,
    /// Line below the title, empty for none.
    pub subtitle: String,
    /// Width of the picture in pixels, 1..=4096.
    pub width: u32,
    /// Height of the picture in pixels, 1..=4096.
    pub height: u32,
    /// How it looks, parts included.
    pub theme: PlotTheme,
    /// The plots; their sizes and themes have no effect.
    pub parts: Vec<CompositionPart>,
}

/// One plot of a picture.
#[derive(Debug, Clone)]
pub struct CompositionPart {
    /// What is drawn.
    pub specification: PlotSpecification,
    /// Where.
    pub place: PartPlace,
}

/// The place of a part in shares of the room below the titles, from 0 at the left and upper side to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartPlace {
    /// Left side.
    pub left: f64,
    /// Upper side.
    pub top: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl PartPlace {
    /// A cell of a grid of equal cells.
    #[must_use]
    pub fn of_cell(row: usize, rows: usize, column: usize, columns: usize) -> Self {
        let (rows, columns) = (rows.max(1) as f64, columns.max(1) as f64);
        Self {
            left: column as f64 / columns,
            top: row as f64 / rows,
            width: 1.0 / columns,
            height: 1.0 / rows,
        }
    }

    /// A place within this one, whose shares are of this one.
    #[must_use]
    pub fn inner(&self, part: Self) -> Self {
        Self {
            left: self.left + part.left * self.width,
            top: self.top + part.top * self.height,
            width: part.width * self.width,
            height: part.height * self.height,
        }
    }
}
