//! Level S3: separate namespaces for processes, mounts, network, host name and shared memory.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::fs::{OFlags, ResolveFlags, fstat};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
use rustix::process::{Signal, getegid, geteuid, set_parent_process_death_signal};
use rustix::thread::UnshareFlags;
use tool_core::command::Isolation;

use super::super::lists::MASKED;
use super::super::policy::SandboxPolicy;
use super::confine::open_in_workspace;
use super::raw;

/// Enters new namespaces. A user other than root needs a user namespace for that.
pub(super) fn enter_namespaces(isolation: Isolation) -> io::Result<()> {
    let mut namespaces =
        UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    if isolation == Isolation::Offline {
        namespaces |= UnshareFlags::NEWNET;
    }
    if geteuid().is_root() {
        return raw::unshare_namespaces(namespaces);
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    raw::unshare_namespaces(namespaces | UnshareFlags::NEWUSER)?;
    write_file_text("/proc/self/setgroups", "deny")?;
    write_file_text("/proc/self/uid_map", &format!("{user} {user} 1"))?;
    write_file_text("/proc/self/gid_map", &format!("{group} {group} 1"))
}

/// Makes every mount read-only except the folders of the command's own, hides closed folders, and mounts `/proc` of the namespace.
pub(super) fn set_up_mounts(policy: &SandboxPolicy) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change("/", private)?;
    // A separate mount remains writable in a read-only one.
    let own = [Some(&policy.scratch), policy.exchange.as_ref()];
    let own = || own.into_iter().flatten().map(String::as_str);
    for folder in own() {
        mount_bind(folder, folder)?;
    }
    raw::set_read_only(c"/", true, true)?;
    for folder in own() {
        raw::set_read_only(&CString::new(folder)?, false, false)?;
    }
    for folder in &policy.writable {
        mount_over_itself(policy, folder, false)?;
    }
    for path in &policy.kept {
        match mount_over_itself(policy, path, true) {
            Err(err) if is_absent(&err) => {}
            done => done?,
        }
    }
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

/// A missing path, or a link, which is no file of its own.
fn is_absent(err: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(err),
        Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
    )
}

/// Mounts a path of the workspace over itself, writable or read-only whatever is around it. The path is opened before and after, so that
/// a link that takes its place in between is no other file.
fn mount_over_itself(policy: &SandboxPolicy, path: &str, read_only: bool) -> io::Result<()> {
    let open = || open_in_workspace(policy, path, OFlags::PATH, ResolveFlags::NO_SYMLINKS);
    let name = |fd: &OwnedFd| format!("/proc/self/fd/{}", fd.as_raw_fd());
    let below = open()?;
    mount_bind(name(&below).as_str(), name(&below).as_str())?;
    let above = open()?;
    let (before, after) = (fstat(&below)?, fstat(&above)?);
    if (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino) {
        return Err(io::Error::other(format!("`{path}` changed meanwhile")));
    }
    raw::set_read_only(&CString::new(name(&above))?, false, read_only)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the launcher has no workspace, and writes a file of the kernel"
)]
fn write_file_text(path: &str, text: &str) -> io::Result<()> {
    std::fs::write(path, text)
}
