//! Plots as text and as pixels.
//!
//! `axis` makes ranges and ticks, `canvas` draws on dots of any kind, `braille` and `raster` are the two kinds of
//! dots, `sixel` writes pixels for a terminal. A tool loads its points and puts these together.

use tool_core::{ErasedTool, tool_entry};

mod axis;
mod braille;
mod canvas;
mod curve;
pub(crate) mod drawing;
mod figure;
pub(crate) mod histogram;
pub(crate) mod marked;
mod natural;
pub(crate) mod plot_braille;
pub(crate) mod plot_function;
pub(crate) mod plot_sixel;
mod raster;
pub(crate) mod report_page;
pub(crate) mod series;
mod sixel;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<plot_braille::Args>(),
    tool_entry::<plot_function::Args>(),
    tool_entry::<histogram::Args>(),
    tool_entry::<plot_sixel::Args>(),
    tool_entry::<drawing::Args>(),
    tool_entry::<report_page::Args>(),
];

#[cfg(test)]
mod tests;
