//! The facts of a file, as the kernel tells them.

use rustix::fs::{FileType, Stat};
use tool_core::capability::{FileInfo, FileKind};

/// The kind of a file of this mode.
pub(super) fn kind_of(mode: u32) -> FileKind {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    }
}

/// The facts of a file; only regular files have a meaningful size.
pub(super) fn file_info(path: String, stat: &Stat) -> FileInfo {
    let kind = kind_of(stat.st_mode);
    FileInfo {
        path,
        kind,
        size: match kind {
            FileKind::File => stat.st_size as u64,
            _ => 0,
        },
        modified_s: stat.st_mtime as f64 + stat.st_mtime_nsec as f64 * 1e-9,
        mode: stat.st_mode & 0o7777,
    }
}
