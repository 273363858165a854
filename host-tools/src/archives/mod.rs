//! Archives: looking into them, unpacking, reading and searching members, packing.
//!
//! `read` visits the members of each format, `names` checks their names, `limits` counts, `fault` words the errors. Extraction writes only through the workspace, into a folder that gets its name when complete.

use crate::prelude::*;

mod archive_create;
mod archive_extract;
mod archive_file;
mod archive_open;
mod archive_search;
mod fault;
mod limits;
mod names;
pub(crate) mod npz;
mod read;
mod select;
mod write;

#[cfg(test)]
pub(crate) mod tests;

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<archive_open::Args>(),
    tool_entry::<archive_extract::Args>(),
    tool_entry::<archive_file::Args>(),
    tool_entry::<archive_search::Args>(),
    tool_entry::<archive_create::Args>(),
];
