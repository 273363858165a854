//! Administration of the running toolkit.

mod reload_plugins;

use tool_core::{Entry, entry};

/// The tools of this family.
pub(crate) static TOOLS: &[Entry] = &[entry::<reload_plugins::Args>()];
