//! Files beneath the workspace root, and what arguments refer to.

use std::collections::HashMap;
use std::io::{Read, Seek, Write};
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization as _;

use crate::error::{ErrorCode, ToolError};
use crate::resource::ResourceId;
use crate::source::{InputKind, Source};
use crate::stop::StopFlag;
use crate::value::Value;

names! {
    /// What a directory entry is.
    FileKind {
        /// A regular file.
        File = "file",
        /// A folder.
        Directory = "directory",
        /// A symbolic link.
        Link = "link",
        /// A device, socket or pipe.
        Other = "other",
    }
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileInfo {
    /// Path relative to the workspace root, with `/`.
    pub path: String,
    /// What it is.
    pub kind: FileKind,
    /// Size in bytes.
    pub size: u64,
    /// Last change, in seconds since 1970-01-01 UTC.
    pub modified_s: f64,
    /// Permission bits, as `chmod` counts them.
    pub mode: u32,
}

/// The content of a file, up to a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct FileContent {
    /// What is known of the file.
    pub info: FileInfo,
    /// The bytes read.
    pub bytes: Vec<u8>,
    /// Whether the file has more.
    pub truncated: bool,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WriteMode {
    /// The file must not exist.
    Create,
    /// What is there stays; the content goes to its end.
    Append,
    /// What is there is replaced, atomically.
    Overwrite,
}

/// What becomes of links on the way to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Links {
    /// They are followed as long as they stay beneath the root.
    Follow,
    /// A link anywhere in the path is an error.
    Refuse,
}

/// One of several changes that happen together or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A new file, with the folders above it; the path must be free.
    Create {
        /// Its path.
        path: String,
        /// Its content.
        content: Vec<u8>,
        /// Its permission bits; `None` gives the usual ones.
        mode: Option<u32>,
    },
    /// New content for a file that still has the old one.
    Replace {
        /// Its path.
        path: String,
        /// What it must hold when it is replaced.
        before: Vec<u8>,
        /// Its new content.
        content: Vec<u8>,
    },
    /// A file is deleted that still has the content it had.
    Delete {
        /// Its path.
        path: String,
        /// What it must hold when it is deleted.
        before: Vec<u8>,
    },
}

impl Change {
    /// The path of the file.
    pub fn path(&self) -> &str {
        match self {
            Self::Create { path, .. } | Self::Replace { path, .. } | Self::Delete { path, .. } => {
                path
            }
        }
    }
}

/// Room on the file system of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Size of the file system in bytes.
    pub total: u64,
    /// Bytes that this user can still write.
    pub free: u64,
}

/// What one call brings to the files it uses.
#[derive(Debug, Clone, Default)]
pub struct FileCall {
    /// Names the call, the same when it is made again after a crash: temporary files are named after it.
    pub key: String,
    /// Where each path led when the call was judged, by the path as it is written: it is read there or not at all.
    pub places: HashMap<String, String>,
}

/// An open regular file.
pub trait FileReader: Read + Seek + Send {}

impl<T: Read + Seek + Send> FileReader for T {}

/// A folder in the making: it has no name before [`Draft::finish`], and dropping it leaves nothing behind.
///
/// Paths are relative to the folder, with `/`, and have no empty part, no `.` and no `..`.
pub trait Draft: Send {
    /// Makes a folder, and those above it.
    ///
    /// # Errors
    /// `conflict` when a file has the name.
    fn make_folder(&mut self, path: &str) -> Result<(), ToolError>;

    /// Makes a file, and the folders above it; its content is what is written to the result.
    ///
    /// # Errors
    /// `conflict` when the name is taken.
    fn make_file(
        &mut self,
        path: &str,
        executable: bool,
    ) -> Result<Box<dyn Write + Send>, ToolError>;

    /// Syncs everything to disk and gives the folder its name.
    ///
    /// # Errors
    /// `conflict` when the name belongs to a file, or to a folder that is not empty; nothing is left then.
    fn finish(self: Box<Self>) -> Result<(), ToolError>;
}

fn not_here(what: &str, path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::PreconditionFailed,
        format_args!("`{path}` cannot be {what} here"),
    )
}

/// Files beneath the workspace root; no path leaves it, whatever links it crosses.
pub trait Files: Send + Sync {
    /// Reads at most `bytes_max` bytes of a regular file.
    ///
    /// # Errors
    /// `invalid_args` for a path that leaves the workspace or is no regular file; `tool_error` with reason `not_found` or
    /// `io` otherwise.
    fn read(&self, path: &str, bytes_max: u64) -> Result<FileContent, ToolError>;

    /// Writes a file: atomically, synced to disk before it returns. Gives the file's size afterwards.
    ///
    /// # Errors
    /// As [`Files::read`]; `conflict` when `Create` finds a file.
    fn write(&self, path: &str, content: &[u8], mode: WriteMode) -> Result<FileInfo, ToolError>;

    /// Lists a folder in name order, at most `entries_max`; recursion does not follow links. The second value says whether
    /// there is more.
    ///
    /// # Errors
    /// As [`Files::read`].
    fn list(
        &self,
        path: &str,
        recursive: bool,
        entries_max: usize,
        stop: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool), ToolError>;

    /// Makes a folder, and those above it that are missing; one that is there is no error.
    ///
    /// # Errors
    /// As [`Files::write`]; by default `precondition_failed`: this workspace makes no folders.
    fn make_folder(&self, path: &str) -> Result<(), ToolError> {
        Err(not_here("made", path))
    }

    /// Opens a regular file for reading in parts.
    ///
    /// # Errors
    /// As [`Files::read`]; by default `precondition_failed`.
    fn open(&self, path: &str, links: Links) -> Result<(FileInfo, Box<dyn FileReader>), ToolError> {
        let _ = links;
        Err(not_here("opened", path))
    }

    /// The entries of one folder, in the order in which a walk through the tree meets their paths.
    ///
    /// # Errors
    /// As [`Files::read`]; by default `precondition_failed`.
    fn entries(
        &self,
        path: &str,
        links: Links,
        stop: &StopFlag,
    ) -> Result<Vec<FileInfo>, ToolError> {
        let _ = (links, stop);
        Err(not_here("listed", path))
    }

    /// What is known of the place a path leads to.
    ///
    /// # Errors
    /// As [`Files::read`]; by default `precondition_failed`.
    fn stat(&self, path: &str) -> Result<FileInfo, ToolError> {
        Err(not_here("looked at", path))
    }

    /// Room on the file system of a path.
    ///
    /// # Errors
    /// As [`Files::read`]; by default `precondition_failed`.
    fn space(&self, path: &str) -> Result<Space, ToolError> {
        Err(not_here("looked at", path))
    }

    /// Deletes a regular file, or a folder that is empty; gives what is known of it.
    ///
    /// # Errors
    /// As [`Files::write`]; `invalid_args` when the path is not of the `kind`; `conflict` for a folder that is not empty.
    fn remove(&self, path: &str, kind: FileKind) -> Result<FileInfo, ToolError> {
        let _ = kind;
        Err(not_here("deleted", path))
    }

    /// Changes several files: all of them or, when one cannot be changed, none. Synced to disk before it returns. Gives what is
    /// known of each afterwards; of a deleted one, what was known before.
    ///
    /// # Errors
    /// As [`Files::write`]; `resource_changed` when a file no longer holds what it should.
    fn change(&self, changes: &[Change]) -> Result<Vec<FileInfo>, ToolError> {
        let _ = changes;
        Err(not_here("changed", "."))
    }

    /// Begins a folder, whose path must be free or an empty folder.
    ///
    /// # Errors
    /// As [`Files::write`].
    fn draft(&self, path: &str) -> Result<Box<dyn Draft>, ToolError> {
        Err(not_here("made", path))
    }

    /// The same files for one call; `None` where that makes no difference.
    fn for_call(&self, call: &FileCall) -> Option<Arc<dyn Files>> {
        let _ = call;
        None
    }

    /// Temporary files that this call left in a folder when its process was killed, such as the old content of a file that was
    /// exchanged. Only for files from [`Files::for_call`].
    ///
    /// # Errors
    /// As [`Files::entries`].
    fn leftovers(&self, folder: &str) -> Result<Vec<Box<dyn FileReader>>, ToolError> {
        let _ = folder;
        Ok(Vec::new())
    }

    /// Removes what [`Files::leftovers`] finds, and folders of that kind.
    ///
    /// # Errors
    /// As [`Files::remove`].
    fn clear_leftovers(&self, folder: &str) -> Result<(), ToolError> {
        let _ = folder;
        Ok(())
    }

    /// The identity of the file or folder that a path leads to, which need not exist.
    ///
    /// # Errors
    /// As [`Files::read`]; missing last parts are no error.
    fn identity(&self, path: &str) -> Result<ResourceId, ToolError>;
}

/// A name as file systems that ignore case compare it.
pub fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    // Upper and then lower case: `ß` and `SS` are one name, and so are `ſ` and `s`.
    let upper: String = name.nfd().flat_map(char::to_uppercase).collect();
    upper.nfd().flat_map(char::to_lowercase).nfd().collect()
}

/// Whether some file system takes two names for one.
pub fn could_be_one_name(a: &str, b: &str) -> bool {
    a == b || folded(a) == folded(b)
}

/// Opens the files and artifacts that arguments refer to.
pub trait Arrays: Send + Sync {
    /// The content, converted to what the argument needs; at most `bytes_max` bytes are read.
    ///
    /// # Errors
    /// As [`Files::read`]; `invalid_args` for a content that is not of the kind.
    fn open(&self, source: &Source, kind: InputKind, bytes_max: u64) -> Result<Value, ToolError>;

    /// As [`Arrays::open`], for a caller with this role: an artifact is opened only for the roles whose runs made it, since its
    /// handle is a name and no permission.
    ///
    /// # Errors
    /// As [`Arrays::open`]; `policy_denied` for an artifact of others.
    fn open_for(
        &self,
        role: &str,
        source: &Source,
        kind: InputKind,
        bytes_max: u64,
    ) -> Result<Value, ToolError> {
        let _ = role;
        self.open(source, kind, bytes_max)
    }

    /// The same over the files of one call; `None` where that makes no difference.
    fn for_call(&self, files: &Arc<dyn Files>) -> Option<Arc<dyn Arrays>> {
        let _ = files;
        None
    }
}
