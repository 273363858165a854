//! Signals: spectra, convolution, filters.

pub(crate) mod convolve;
pub(crate) mod fft;
pub(crate) mod filter;
pub(crate) mod savgol_filter;

use tool_core::{ErasedTool, tool_entry};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<fft::Args>(),
    tool_entry::<convolve::Args>(),
    tool_entry::<filter::Args>(),
    tool_entry::<savgol_filter::Args>(),
];
