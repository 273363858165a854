//! Supervision of a command by the launcher: it ends with its first process, with the process that requested it, or at its
//! deadline; all its descendants end with it.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
    pidfd_open, wait, waitpid,
};

use tool_core::command::{Excess, ProcessExit};

use super::super::policy::{CommandEnd, SandboxPolicy, TERMINATE};
use super::raw;
use super::watch::{PAUSE, ResourceMonitor};

/// The process that ends the survivors of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OrphanReaper {
    /// This process: every orphan becomes its child.
    Mine,
    /// The kernel, when this process, the first of its namespace, ends.
    Namespace,
}

/// Grace period for the calling process, which enforces the deadline too.
const GRACE: Duration = Duration::from_secs(2);

/// Supervises to the end; no process of the command runs when this returns (in a namespace: when this process ends).
pub(super) fn supervise_command(
    child: libc::pid_t,
    outside: BorrowedFd<'_>,
    policy: &SandboxPolicy,
    tree: OrphanReaper,
) -> CommandEnd {
    let watched = ResourceMonitor::new(policy, tree);
    let (ended, exceeded) = match Pid::from_raw(child) {
        Some(child) => watch_child(child, outside, policy.limits.wall, watched),
        None => (None, None),
    };
    if tree == OrphanReaper::Mine {
        end_all();
    }
    let exit = match ended.map(|status| (status.exit_status(), status.terminating_signal())) {
        Some((Some(code), _)) => ProcessExit::Status(code),
        Some((None, Some(signal))) => ProcessExit::Signal(signal),
        _ => ProcessExit::Signal(Signal::KILL.as_raw()),
    };
    CommandEnd {
        exit,
        cpu: raw::children_cpu(),
        exceeded,
    }
}

/// Waits for the child; returns its status unless it was killed, and the limit that was exceeded.
fn watch_child(
    child: Pid,
    outside: BorrowedFd<'_>,
    wall: Duration,
    mut watched: ResourceMonitor<'_>,
) -> (Option<WaitStatus>, Option<Excess>) {
    let deadline = Instant::now() + wall + GRACE;
    let process = pidfd_open(child, PidfdFlags::empty()).ok();
    loop {
        // Orphans are children of this process too; only one child is the command.
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid == child {
                return (Some(status), None);
            }
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let mut fds = vec![PollFd::from_borrowed_fd(outside, PollFlags::IN)];
        if let Some(process) = &process {
            fds.push(PollFd::new(process, PollFlags::IN));
        }
        // Also the interval for reaping orphans, which otherwise count as processes.
        let pause = Timespec::try_from(left.min(PAUSE)).ok();
        let polled = poll(&mut fds, pause.as_ref());
        let told = polled.is_ok() && !fds[0].revents().is_empty();
        let gone = told && !asks_to_end(outside, child);
        let exceeded = watched.look();
        if left.is_zero() || gone || exceeded.is_some() {
            let _ = kill_process(child, Signal::KILL);
            return (None, exceeded);
        }
    }
}

/// Whether the requesting process is there and asks the command to end, which gets SIGTERM with its process group; `false` where it
/// closed the socket.
fn asks_to_end(outside: BorrowedFd<'_>, child: Pid) -> bool {
    let mut byte = [0; 1];
    match rustix::io::read(outside, &mut byte) {
        Ok(1) if byte[0] == TERMINATE => {
            // The command leads a session, and a group, of its own.
            let _ = kill_process_group(child, Signal::TERM);
            true
        }
        Err(Errno::INTR | Errno::AGAIN) => true,
        _ => false,
    }
}

/// Kills all children until none is left: the children of a killed process become children of this one.
fn end_all() {
    loop {
        match wait(WaitOptions::NOHANG) {
            Err(Errno::CHILD) => return,
            Ok(Some(_)) => continue,
            _ => {}
        }
        for child in child_processes() {
            let _ = kill_process(child, Signal::KILL);
        }
        // At least one was killed, so this returns.
        if matches!(wait(WaitOptions::empty()), Err(Errno::CHILD)) {
            return;
        }
    }
}

/// The children of this process, from `/proc`.
fn child_processes() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().get();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|&pid| parent_of(pid) == Some(own))
        .filter_map(Pid::from_raw)
        .collect()
}

/// The fourth field of `stat`; the second, in parentheses, may contain any text.
#[expect(
    clippy::disallowed_methods,
    reason = "the launcher has no workspace, and reads a file of the kernel"
)]
fn parent_of(pid: i32) -> Option<i32> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let rest = std::str::from_utf8(&stat[end + 1..]).ok()?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

/// Waits for the end of one child.
pub(super) fn wait_for(child: libc::pid_t) {
    let Some(child) = Pid::from_raw(child) else {
        return;
    };
    while let Err(Errno::INTR) = waitpid(Some(child), WaitOptions::empty()) {}
}
