//! Plots as text and as pixels.
//!
//! [`axis`] makes ranges and ticks, [`canvas`] draws on dots whatever they are, [`braille`] and [`raster`] are the two kinds of
//! dots, [`sixel`] writes pixels for a terminal. A tool loads its points and puts these together.

use tool_core::{Entry, entry};

mod axis;
mod braille;
mod canvas;
pub mod histogram;
pub mod plot_braille;
mod series;

pub use series::{PlotType, Series};

/// The tools of this family.
pub static TOOLS: &[Entry] = &[
    entry::<plot_braille::PlotBraille>(),
    entry::<histogram::Histogram>(),
];

#[cfg(test)]
mod tests;
