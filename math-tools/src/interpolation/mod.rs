//! Curves and surfaces through points.

pub(crate) mod interpolate;

use tool_core::{Entry, entry};

/// The tools of this family.
pub(crate) static TOOLS: &[Entry] = &[entry::<interpolate::Args>()];
