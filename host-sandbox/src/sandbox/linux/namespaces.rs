//! Level S3: separate namespaces for processes, mounts, network, host name and shared memory.

use std::ffi::CString;
use std::io;

use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
use rustix::process::{Signal, getegid, geteuid, set_parent_process_death_signal};
use rustix::thread::UnshareFlags;
use tool_core::command::Isolation;

use super::super::lists::MASKED;
use super::super::policy::Policy;
use super::raw;

/// Enters new namespaces. A user other than root needs a user namespace for that.
pub(super) fn leave(isolation: Isolation) -> io::Result<()> {
    let mut namespaces =
        UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    if isolation == Isolation::Offline {
        namespaces |= UnshareFlags::NEWNET;
    }
    if geteuid().is_root() {
        return raw::unshare(namespaces);
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    raw::unshare(namespaces | UnshareFlags::NEWUSER)?;
    write("/proc/self/setgroups", "deny")?;
    write("/proc/self/uid_map", &format!("{user} {user} 1"))?;
    write("/proc/self/gid_map", &format!("{group} {group} 1"))
}

/// Makes every mount read-only except the scratch folder, hides closed folders, and mounts `/proc` of the namespace.
pub(super) fn furnish(policy: &Policy) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change("/", private)?;
    // A separate mount remains writable in a read-only one.
    mount_bind(policy.scratch.as_str(), policy.scratch.as_str())?;
    raw::set_read_only(c"/", true, true)?;
    raw::set_read_only(&CString::new(policy.scratch.as_str())?, false, false)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags | MountFlags::RDONLY, None)?;
    for path in MASKED.split(' ') {
        match mount_bind("/dev/null", path) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(err) => return Err(err.into()),
        }
    }
    for folder in &policy.closed {
        let (folder, closed) = (folder.as_str(), flags | MountFlags::RDONLY);
        mount("closed", folder, "tmpfs", closed, c"size=4k,mode=555")?;
    }
    mount("shm", "/dev/shm", "tmpfs", flags, c"size=64m,mode=1777").map_err(io::Error::from)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the launcher has no workspace, and writes a file of the kernel"
)]
fn write(path: &str, text: &str) -> io::Result<()> {
    std::fs::write(path, text)
}
