//! Listings of a folder, or of a tree without following links, in path order.

use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, OFlags, RawDir, statat};
use rustix::io::Errno;
use tool_core::capability::{FileInfo, FileKind, LinkMode};
use tool_core::{Reason, Result, StopFlag, tool_error};

use super::resolve::{PARTS_MAX, WorkspaceRootFd, escape_file_name};
use super::stat::file_info;
use super::{display_path, error};

/// Maximum entries read by one call, returned or not.
pub(super) const ENTRIES_READ_MAX: usize = 1_000_000;

/// Remaining work, in order.
enum PendingEntry {
    /// An entry to return.
    Entry(FileInfo),
    /// A folder to expand here: its real path and its displayed path.
    Below(PathBuf, String),
}

struct FolderListing<'a> {
    root: &'a WorkspaceRootFd,
    stop: &'a StopFlag,
    read: usize,
}

pub(super) fn list_tree(
    root: &WorkspaceRootFd,
    path: &str,
    recursive: bool,
    entries_max: usize,
    stop: &StopFlag,
) -> Result<(Vec<FileInfo>, bool)> {
    // Only trees are listed without following links.
    let links = if recursive {
        LinkMode::Refuse
    } else {
        LinkMode::Follow
    };
    let (mut listing, first) = FolderListing::begin(root, path, links, recursive, stop)?;
    listing.walk(first, recursive, entries_max, path)
}

/// One folder, in the order of [`list_tree`].
pub(super) fn list_folder(
    root: &WorkspaceRootFd,
    path: &str,
    links: LinkMode,
    stop: &StopFlag,
) -> Result<Vec<FileInfo>> {
    let (_, items) = FolderListing::begin(root, path, links, false, stop)?;
    let entry = |item| match item {
        PendingEntry::Entry(info) => Some(info),
        PendingEntry::Below(..) => None,
    };
    let mut found: Vec<FileInfo> = items.into_iter().filter_map(entry).collect();
    let folder = |info: &FileInfo| (info.kind == FileKind::Directory).then_some("/");
    found.sort_by_cached_key(|info| format!("{}{}", info.path, folder(info).unwrap_or("")));
    Ok(found)
}

impl<'a> FolderListing<'a> {
    /// Opens the first folder and lists it.
    fn begin(
        root: &'a WorkspaceRootFd,
        path: &str,
        links: LinkMode,
        recursive: bool,
        stop: &'a StopFlag,
    ) -> Result<(Self, Vec<PendingEntry>)> {
        let relative = root.relative(path)?;
        root.allow_read(&relative, path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let fd = match links {
            LinkMode::Refuse => root
                .open_plain(&relative, flags)
                .map_err(|err| error::io_error("list", path, err)),
            LinkMode::Follow => root.open_following(&relative, flags, path),
        };
        // For a listing, "not a folder" refers to the path itself.
        let fd = fd.map_err(|err| match err.is(Reason::NotAFolder) {
            true => error::no_folder(path),
            false => err,
        })?;
        let mut listing = Self {
            root,
            stop,
            read: 0,
        };
        let real = Path::new(&relative);
        let items = listing.entries(&fd, real, &display_path(&relative), recursive, path)?;
        Ok((listing, items))
    }

    /// Walks the tree with an explicit stack: depth costs heap memory, not call stack.
    fn walk(
        &mut self,
        first: Vec<PendingEntry>,
        recursive: bool,
        entries_max: usize,
        path: &str,
    ) -> Result<(Vec<FileInfo>, bool)> {
        let mut found = Vec::new();
        let mut more = false;
        let mut stack = vec![first.into_iter()];
        while let Some(top) = stack.last_mut() {
            match top.next() {
                None => {
                    stack.pop();
                }
                Some(PendingEntry::Entry(_)) if found.len() == entries_max => {
                    return Ok((found, true));
                }
                Some(PendingEntry::Entry(entry)) => found.push(entry),
                Some(PendingEntry::Below(real, shown)) => {
                    self.stop.check()?;
                    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
                    match self.root.open_plain(&real, flags) {
                        Ok(_) if stack.len() > PARTS_MAX => more = true,
                        Ok(fd) => {
                            let items = self.entries(&fd, &real, &shown, recursive, path)?;
                            stack.push(items.into_iter());
                        }
                        // Deleted or replaced since its folder was read.
                        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                        // Unreadable: the listing is marked incomplete.
                        Err(_) => more = true,
                    }
                }
            }
        }
        Ok((found, more))
    }

    /// The entries of an open folder, sorted so that full paths are in byte order: the content of `a` follows `a.txt`,
    /// since `/` follows `.`.
    fn entries(
        &mut self,
        fd: &OwnedFd,
        real: &Path,
        shown: &str,
        recursive: bool,
        path: &str,
    ) -> Result<Vec<PendingEntry>> {
        let mut buffer = [MaybeUninit::<u8>::uninit(); 32 << 10];
        let mut directory = RawDir::new(fd, &mut buffer);
        let mut items: Vec<(String, PendingEntry)> = Vec::new();
        while let Some(entry) = directory.next() {
            let entry = entry.map_err(|err| error::io_error("list", path, err))?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            self.count()?;
            // Closed folders and temporary files are omitted.
            if self
                .root
                .is_hidden(&escape_file_name(real.join(name).as_os_str()))
            {
                continue;
            }
            let text = escape_file_name(name);
            let shown = match shown {
                "." => text.clone(),
                shown => format!("{shown}/{text}"),
            };
            let found = match statat(fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => file_info(shown, &stat),
                Err(Errno::NOENT) => continue, // deleted
                Err(err) => return Err(error::io_error("list", path, err)),
            };
            if recursive && found.kind == FileKind::Directory {
                let below = PendingEntry::Below(real.join(name), found.path.clone());
                items.push((format!("{text}/"), below));
            }
            items.push((text, PendingEntry::Entry(found)));
        }
        items.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(items.into_iter().map(|(_, item)| item).collect())
    }

    fn count(&mut self) -> Result<()> {
        self.read += 1;
        if self.read.is_multiple_of(256) {
            self.stop.check()?;
        }
        if self.read <= ENTRIES_READ_MAX {
            return Ok(());
        }
        Err(tool_error!(LimitExceeded, "entries";
            "more than {ENTRIES_READ_MAX} entries to read"; "list a subfolder"))
    }
}
