//! The date and the time of day, in any time zone.

mod get_current_date;
mod get_current_time;
mod zone;

#[cfg(test)]
mod tests;

use tool_core::{Entry, entry};

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[Entry] = &[
    entry::<get_current_date::Args>(),
    entry::<get_current_time::Args>(),
];
