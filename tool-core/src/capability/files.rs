//! Files in the workspace, and data that arguments refer to.

use std::collections::HashMap;
use std::io::{Read, Seek, Write};
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization as _;

use crate::error::ToolError;
use crate::resource::ResourceId;
use crate::source::{DataSource, InputKind};
use crate::stop::StopFlag;
use crate::tool_error;
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

/// Metadata of a file.
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
    /// Its metadata.
    pub info: FileInfo,
    /// The bytes read.
    pub bytes: Vec<u8>,
    /// Whether the file has more.
    pub truncated: bool,
}

/// The mode of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WriteMode {
    /// The file must not exist.
    Create,
    /// Appends to the file.
    Append,
    /// Replaces the file atomically.
    Overwrite,
}

/// Treatment of symbolic links in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkMode {
    /// Followed within the root.
    Follow,
    /// An error anywhere in the path.
    Refuse,
}

/// One of several changes that are applied atomically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
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
        /// Required content before the change.
        before: Vec<u8>,
        /// Its new content.
        content: Vec<u8>,
    },
    /// A file is deleted that still has the content it had.
    Delete {
        /// Its path.
        path: String,
        /// Required content before the change.
        before: Vec<u8>,
    },
}

impl FileChange {
    /// The content before the change and after it, where there is a file.
    pub fn contents(&self) -> (Option<&[u8]>, Option<&[u8]>) {
        match self {
            Self::Create { content, .. } => (None, Some(content)),
            Self::Replace {
                before, content, ..
            } => (Some(before), Some(content)),
            Self::Delete { before, .. } => (Some(before), None),
        }
    }

    /// The path of the file.
    pub fn path(&self) -> &str {
        match self {
            Self::Create { path, .. } | Self::Replace { path, .. } | Self::Delete { path, .. } => {
                path
            }
        }
    }
}

/// Space on the file system of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// Size of the file system in bytes.
    pub total: u64,
    /// Free bytes for this user.
    pub free: u64,
}

/// Parameters of one call for its files.
#[derive(Debug, Clone, Default)]
pub struct FileCall {
    /// Key of the call, equal when it is repeated after a crash; temporary files are named after it.
    pub key: String,
    /// Identity of each path when the call was decided, by the path as written; files are read there or not at all.
    pub places: HashMap<String, String>,
}

/// An open regular file.
pub trait FileReader: Read + Seek + Send {}

impl<T: Read + Seek + Send> FileReader for T {}

/// A new folder, without a name before [`DraftFolder::finish`]; dropping it leaves nothing behind.
///
/// Paths are relative to the folder, with `/`, and have no empty part, no `.` and no `..`.
pub trait DraftFolder: Send {
    /// Creates a folder and its parents.
    ///
    /// # Errors
    /// `conflict` when a file has the name.
    fn make_folder(&mut self, path: &str) -> Result<(), ToolError>;

    /// Creates a file and its parents; its content is written to the result.
    ///
    /// # Errors
    /// `conflict` when the name is taken.
    fn make_file(
        &mut self,
        path: &str,
        executable: bool,
    ) -> Result<Box<dyn Write + Send>, ToolError>;

    /// Syncs to disk and names the folder.
    ///
    /// # Errors
    /// `conflict` when the name belongs to a file, or to a folder that is not empty; nothing is left then.
    fn finish(self: Box<Self>) -> Result<(), ToolError>;
}

fn not_here(what: &str, path: &str) -> ToolError {
    tool_error!(PreconditionFailed, "`{path}` cannot be {what} here")
}

/// Files below the workspace root; no path leaves it, whatever links it follows.
pub trait WorkspaceFiles: Send + Sync {
    /// Reads at most `bytes_max` bytes of a regular file.
    ///
    /// # Errors
    /// `invalid_args` for a path that leaves the workspace or is no regular file; `tool_error` with reason `not_found` or
    /// `io` otherwise.
    fn read(&self, path: &str, bytes_max: u64) -> Result<FileContent, ToolError>;

    /// Writes a file atomically, syncs it to disk, and returns its metadata.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::read`]; `conflict` when `Create` finds a file.
    fn write(&self, path: &str, content: &[u8], mode: WriteMode) -> Result<FileInfo, ToolError>;

    /// Lists a folder in name order, at most `entries_max`; recursion does not follow links. The second value is whether there are
    /// more.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::read`].
    fn list(
        &self,
        path: &str,
        recursive: bool,
        entries_max: usize,
        stop: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool), ToolError>;

    /// Creates a folder and its missing parents; an existing folder is not an error.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::write`]; by default `precondition_failed`: this workspace makes no folders.
    fn make_folder(&self, path: &str) -> Result<(), ToolError> {
        Err(not_here("made", path))
    }

    /// Opens a regular file for streaming.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::read`]; by default `precondition_failed`.
    fn open(
        &self,
        path: &str,
        links: LinkMode,
    ) -> Result<(FileInfo, Box<dyn FileReader>), ToolError> {
        let _ = links;
        Err(not_here("opened", path))
    }

    /// The entries of one folder, in the order in which a walk through the tree meets their paths.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::read`]; by default `precondition_failed`.
    fn entries(
        &self,
        path: &str,
        links: LinkMode,
        stop: &StopFlag,
    ) -> Result<Vec<FileInfo>, ToolError> {
        let _ = (links, stop);
        Err(not_here("listed", path))
    }

    /// The metadata of the target of a path.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::read`]; by default `precondition_failed`.
    fn stat(&self, path: &str) -> Result<FileInfo, ToolError> {
        Err(not_here("examined", path))
    }

    /// Space on the file system of a path.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::read`]; by default `precondition_failed`.
    fn space(&self, path: &str) -> Result<DiskSpace, ToolError> {
        Err(not_here("examined", path))
    }

    /// Deletes a regular file or an empty folder, and returns its metadata.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::write`]; `invalid_args` when the path is not of the `kind`; `conflict` for a folder that is not empty.
    fn remove(&self, path: &str, kind: FileKind) -> Result<FileInfo, ToolError> {
        let _ = kind;
        Err(not_here("deleted", path))
    }

    /// Changes several files atomically, synced to disk. Returns the metadata of each afterwards; of a deleted file, that from
    /// before.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::write`]; `resource_changed` when a file has other content than required.
    fn change(&self, changes: &[FileChange]) -> Result<Vec<FileInfo>, ToolError> {
        let _ = changes;
        Err(not_here("changed", "."))
    }

    /// Starts a new folder, whose path must be free or an empty folder.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::write`].
    fn draft(&self, path: &str) -> Result<Box<dyn DraftFolder>, ToolError> {
        Err(not_here("made", path))
    }

    /// The files for one call; `None` where they would be the same.
    fn for_call(&self, call: &FileCall) -> Option<Arc<dyn WorkspaceFiles>> {
        let _ = call;
        None
    }

    /// Temporary files of this call in a folder, left when its process was killed, such as the old content of an exchanged file. Only for
    /// files from [`WorkspaceFiles::for_call`].
    ///
    /// # Errors
    /// As [`WorkspaceFiles::entries`].
    fn leftovers(&self, folder: &str) -> Result<Vec<Box<dyn FileReader>>, ToolError> {
        let _ = folder;
        Ok(Vec::new())
    }

    /// Deletes the files that [`WorkspaceFiles::leftovers`] finds, and such folders.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::remove`].
    fn clear_leftovers(&self, folder: &str) -> Result<(), ToolError> {
        let _ = folder;
        Ok(())
    }

    /// Refuses a path that no call may write, whatever is approved: a protected one, or one in a read-only root.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::write`].
    fn may_write(&self, path: &str) -> Result<(), ToolError> {
        let _ = path;
        Ok(())
    }

    /// The identity of the file or folder that a path leads to, which need not exist.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::read`]; missing last parts are no error.
    fn identity(&self, path: &str) -> Result<ResourceId, ToolError>;
}

/// A name in the form that case-insensitive file systems compare.
pub fn fold_file_name(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    // Upper and then lower case: `ß` and `SS` are one name, and so are `ſ` and `s`.
    let upper: String = name.nfd().flat_map(char::to_uppercase).collect();
    upper.nfd().flat_map(char::to_lowercase).nfd().collect()
}

/// Whether two names are equal on some file system.
pub fn could_be_one_name(a: &str, b: &str) -> bool {
    a == b || fold_file_name(a) == fold_file_name(b)
}

/// The path of the one entry whose name a reader takes for that of a path that leads nowhere: of other case, in another Unicode form, or with
/// other spaces, dashes or quotes.
pub fn near_path(files: &dyn WorkspaceFiles, path: &str, stop: &StopFlag) -> Option<String> {
    let mut near = match path.starts_with('/') {
        true => "/".to_owned(),
        false => String::new(),
    };
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    for part in &parts {
        let folder = if near.is_empty() { "." } else { &near };
        let joined = |name: &str| match near.as_str() {
            "" => name.to_owned(),
            "/" => format!("/{name}"),
            folder => format!("{folder}/{name}"),
        };
        let exact = joined(part);
        if matches!(*part, "." | "..") || files.stat(&exact).is_ok() {
            near = exact;
            continue;
        }
        let entries = files.entries(folder, LinkMode::Follow, stop).ok()?;
        let looked_up = visual_skeleton(part);
        let names = entries
            .iter()
            .filter_map(|entry| entry.path.rsplit('/').next());
        let mut alike = names.filter(|name| visual_skeleton(name) == looked_up);
        let (one, other) = (alike.next()?, alike.next());
        if other.is_some() {
            return None;
        }
        near = joined(one);
    }
    (near != path).then_some(near)
}

/// What a reader takes a name for.
fn visual_skeleton(name: &str) -> String {
    let plain = name.nfkc().map(|character| match character {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        space if space.is_whitespace() => ' ',
        other => other,
    });
    let is_seen =
        |character: &char| !matches!(character, '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{ad}');
    fold_file_name(&plain.filter(is_seen).collect::<String>())
}

/// Opens files and artifacts that arguments refer to.
pub trait ArrayLoader: Send + Sync {
    /// The content, converted to the kind of the argument; at most `bytes_max` bytes are read.
    ///
    /// # Errors
    /// As [`WorkspaceFiles::read`]; `invalid_args` for a content that is not of the kind.
    fn open(
        &self,
        source: &DataSource,
        kind: InputKind,
        bytes_max: u64,
    ) -> Result<Value, ToolError>;

    /// As [`ArrayLoader::open`], for a caller with this role: an artifact is opened only for the roles whose runs created it, since a handle
    /// is not a permission.
    ///
    /// # Errors
    /// As [`ArrayLoader::open`]; `policy_denied` for an artifact of others.
    fn open_for(
        &self,
        role: &str,
        source: &DataSource,
        kind: InputKind,
        bytes_max: u64,
    ) -> Result<Value, ToolError> {
        let _ = role;
        self.open(source, kind, bytes_max)
    }

    /// As [`ArrayLoader::open_for`], with sentences about what was found and may surprise.
    ///
    /// # Errors
    /// As [`ArrayLoader::open_for`].
    fn open_noting(
        &self,
        role: &str,
        source: &DataSource,
        kind: InputKind,
        bytes_max: u64,
        notes: &mut Vec<String>,
    ) -> Result<Value, ToolError> {
        let _ = notes;
        self.open_for(role, source, kind, bytes_max)
    }

    /// A version over the files of one call; `None` where it would be the same.
    fn for_call(&self, files: &Arc<dyn WorkspaceFiles>) -> Option<Arc<dyn ArrayLoader>> {
        let _ = files;
        None
    }
}
