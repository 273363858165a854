//! How large a plot may be.

/// Largest width and height in pixels: a raster of both is 64 MiB.
pub const SIDE_MAX: u32 = 4096;

/// Most layers of one plot.
pub const LAYERS_MAX: usize = 32;

/// Most panels of a faceted plot: beyond, none is large enough to read.
pub const PANELS_MAX: usize = 100;

/// Most rows of data: positions of rows are numbers of 32 bits.
pub const ROWS_MAX: usize = 100_000_000;

/// Most categories on an axis.
pub const AXIS_LEVELS_MAX: usize = 2000;

/// Most categories that colours and shapes tell apart.
pub const COLOUR_LEVELS_MAX: usize = 200;

/// Most characters of a text; longer ones end with `…`.
pub const TEXT_CHARACTERS_MAX: usize = 200;

/// Most bars, boxes, cells, segments and texts of one layer: each is a shape of its own in the file.
pub const SHAPES_MAX: usize = 100_000;

/// Most points that tell their values in a page.
pub const HOVER_MAX: usize = 4000;

/// Largest size of a value: spans of two of them stay finite.
pub(crate) const VALUE_MAX: f64 = 1e300;
