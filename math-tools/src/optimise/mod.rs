//! Optimisation.

pub(crate) mod global;
pub(crate) mod minimise;

use tool_core::{Entry, entry};

/// The tools of this family.
pub(crate) static TOOLS: &[Entry] = &[entry::<minimise::Args>(), entry::<global::Args>()];
