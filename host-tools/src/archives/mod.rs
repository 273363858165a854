//! Archives: looking into them, unpacking, reading and searching members, packing.
//!
//! `read` goes through the members of each format, `names` decides which names are taken, `limits` counts, `fault` has the words
//! for what is wrong, `held` compares a folder with an archive. Nothing is written but through the workspace, into a folder that has no name before everything is there.

pub mod archive_create;
pub mod archive_extract;
pub mod archive_file;
pub mod archive_open;
pub mod archive_search;
mod fault;
mod held;
mod limits;
mod names;
mod read;
mod select;
mod write;

#[cfg(test)]
pub(crate) mod tests;

use tool_core::{Entry, entry};

pub use fault::FaultKind;
pub(crate) use names::is_invisible;
pub use read::Format;

/// The tools of this family, in the order they should be read.
pub static TOOLS: &[Entry] = &[
    entry::<archive_open::ArchiveOpen>(),
    entry::<archive_extract::ArchiveExtract>(),
    entry::<archive_file::ArchiveFile>(),
    entry::<archive_search::ArchiveSearch>(),
    entry::<archive_create::ArchiveCreate>(),
];
