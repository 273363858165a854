//! System calls without a safe wrapper; the only `unsafe` code of the sandbox.
//!
//! All of it runs in the launcher, a new process with one thread, never in the process that serves calls.
#![expect(
    unsafe_code,
    reason = "fork, unshare, close_range, mount_setattr and getrusage have no safe wrapper"
)]

use std::ffi::CStr;
use std::io;
use std::mem;
use std::time::Duration;

use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Forks: `None` in the child, the process id of the child in the parent.
pub(super) fn fork_process() -> io::Result<Option<libc::pid_t>> {
    // SAFETY: the launcher has one thread, so the child inherits no lock of another thread.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        child => Ok(Some(child)),
    }
}

/// Enters new namespaces.
pub(super) fn unshare_namespaces(flags: UnshareFlags) -> io::Result<()> {
    debug_assert!(!flags.contains(UnshareFlags::FILES));
    // SAFETY: only the flag FILES is unsafe, and it is never used.
    unsafe { unshare_unsafe(flags) }.map_err(io::Error::from)
}

/// Sets close-on-exec on every descriptor from `first` on.
pub(super) fn close_on_exec_from(first: u32) -> io::Result<()> {
    // SAFETY: takes three numbers; the descriptors remain open in this program.
    let result =
        unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, CLOSE_RANGE_CLOEXEC) };
    check_syscall(result)
}

const CLOSE_RANGE_CLOEXEC: u32 = 4;

/// Makes a mount, and with `recursive` all mounts below it, read-only or writable.
pub(super) fn set_read_only(path: &CStr, recursive: bool, read_only: bool) -> io::Result<()> {
    const AT_RECURSIVE: u32 = 0x8000;
    const MOUNT_ATTR_RDONLY: u64 = 1;
    const MOUNT_ATTR_NOSUID: u64 = 2;
    /// As declared by the kernel.
    #[repr(C)]
    struct MountAttributes {
        set: u64,
        clear: u64,
        propagation: u64,
        user_namespace: u64,
    }
    let attributes = MountAttributes {
        set: MOUNT_ATTR_NOSUID | if read_only { MOUNT_ATTR_RDONLY } else { 0 },
        clear: if read_only { 0 } else { MOUNT_ATTR_RDONLY },
        propagation: 0,
        user_namespace: 0,
    };
    // SAFETY: the path is NUL-terminated, the structure has the layout and size of the kernel's; both outlive the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            if recursive { AT_RECURSIVE } else { 0 },
            &raw const attributes,
            mem::size_of::<MountAttributes>(),
        )
    };
    check_syscall(result)
}

/// Processor time of all children that were waited for.
pub(super) fn children_cpu() -> Duration {
    // SAFETY: `rusage` has only numbers, for which zero is valid.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: the pointer is to a structure of that type that outlives the call.
    if unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) } != 0 {
        return Duration::ZERO;
    }
    let duration = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec.unsigned_abs())
            + Duration::from_micros(time.tv_usec.unsigned_abs())
    };
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

fn check_syscall(result: libc::c_long) -> io::Result<()> {
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
