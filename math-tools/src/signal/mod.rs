//! Signals: spectra, convolution, filters.

pub(crate) mod convolve;
pub(crate) mod fft;
pub(crate) mod filter;
pub(crate) mod savgol_filter;

use tool_core::{ErasedTool, entry};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    entry::<fft::Args>(),
    entry::<convolve::Args>(),
    entry::<filter::Args>(),
    entry::<savgol_filter::Args>(),
];
