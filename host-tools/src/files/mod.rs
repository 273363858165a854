//! Files in the workspace: reading, writing, listing.

mod encoding;
pub mod list_directory;
mod pattern;
pub mod read_file;
pub mod write_file;

#[cfg(test)]
mod tests;

use tool_core::{Entry, entry};

pub use encoding::Encoding;

/// The tools of this family, in the order they should be read.
pub static TOOLS: &[Entry] = &[
    entry::<read_file::ReadFile>(),
    entry::<write_file::WriteFile>(),
    entry::<list_directory::ListDirectory>(),
];
