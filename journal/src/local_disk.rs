//! The check that a state is on a local file system.
//!
//! The write-ahead log of SQLite has its index in memory that the processes of one machine share
//! (<https://sqlite.org/wal.html>, "Overview"). Two machines that have the same folder mounted would each have their own, and
//! damage the file; that it works with a single writer is no reason to allow it.

use std::path::Path;

use tool_core::{Result, ToolError, tool_error};

/// Types of file systems that other machines may write too, as `statfs(2)` and the kernel's `magic.h` number them.
#[cfg(any(target_os = "linux", test))]
const SHARED: &[(u64, &str)] = &[
    (0x6969, "NFS"),
    (0x517B, "SMB"),
    (0xFF53_4D42, "CIFS"),
    (0xFE53_4D42, "SMB2"),
    (0x5346_414F, "AFS"),
    (0x6B41_4653, "AFS"),
    (0x00C3_6400, "Ceph"),
    (0x7375_7245, "Coda"),
    (0x564C, "NCP"),
    (0x0BD0_0BD0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x0116_1970, "GFS2"),
    (0x7461_636F, "OCFS2"),
];

/// Refuses a folder on a network file system.
///
/// # Errors
/// `tool_error` with reason `state_network`.
pub(super) fn require_local_disk(folder: &Path) -> Result<()> {
    match network_file_system(folder) {
        Some(name) => Err(network_disk_error(folder, name)),
        None => Ok(()),
    }
}

/// Free space for this user on the disk of a folder or file, in bytes; `None` where it is unknown.
#[cfg(unix)]
pub(super) fn free_bytes(place: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(place).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
pub(super) fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// Whether a batch of records may find no room where a file is.
pub(super) fn is_nearly_full(file: &Path) -> bool {
    /// In bytes: more than a batch and its index.
    const BATCH: u64 = 8 << 20;
    free_bytes(file).is_some_and(|free| free < BATCH)
}

fn network_disk_error(folder: &Path, name: &str) -> ToolError {
    tool_error!(ToolError, "the state folder `{}` is on a network file system ({name}), where several machines could damage it",
            folder.display())
    .reason("state_network")
    .hint("set `[workspace] state` to a folder on a local disk")
}

#[cfg(target_os = "linux")]
fn network_file_system(folder: &Path) -> Option<&'static str> {
    // If the kernel does not know, opening the file decides.
    let found = rustix::fs::statfs(folder).ok()?;
    // The field is a signed word on some processors: its low half is the number.
    name_of(found.f_type as u64 & 0xFFFF_FFFF)
}

/// Without a known type of file system, SQLite's own locks decide.
#[cfg(not(target_os = "linux"))]
fn network_file_system(_: &Path) -> Option<&'static str> {
    None
}

#[cfg(any(target_os = "linux", test))]
fn name_of(kind: u64) -> Option<&'static str> {
    let found = SHARED.iter().find(|(number, _)| *number == kind);
    found.map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_of_the_network_are_known_by_their_number() {
        for (number, expected) in [
            (0x6969, Some("NFS")),
            (0xFF53_4D42, Some("CIFS")),
            (0xEF53, None),      // ext4
            (0x0102_1994, None), // tmpfs
            (0x794C_7630, None), // overlay
        ] {
            assert_eq!(name_of(number), expected, "{number:#x}");
        }
        let refused = network_disk_error(Path::new("/mnt/home/.mathchain"), "NFS");
        assert_eq!(refused.reason_str(), Some("state_network"));
        assert!(refused.message().contains("`/mnt/home/.mathchain`"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_of_this_machine_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        assert!(require_local_disk(folder.path()).is_ok());
        // Nor is one refused that the kernel cannot look at: opening it gives the reason.
        assert!(require_local_disk(&folder.path().join("absent")).is_ok());
    }
}
