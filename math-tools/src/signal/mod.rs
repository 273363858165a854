//! Signals: spectra, convolution, filters.

pub(crate) mod convolve;
pub(crate) mod fft;
pub(crate) mod filter;

use tool_core::{Entry, entry};

/// The tools of this family.
pub(crate) static TOOLS: &[Entry] = &[
    entry::<fft::Args>(),
    entry::<convolve::Args>(),
    entry::<filter::Args>(),
];
