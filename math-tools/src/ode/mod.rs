//! Ordinary differential equations.

pub(crate) mod bvp;
pub(crate) mod solve;

use tool_core::{Entry, entry};

/// The tools of this family.
pub(crate) static TOOLS: &[Entry] = &[entry::<solve::Args>(), entry::<bvp::Args>()];
