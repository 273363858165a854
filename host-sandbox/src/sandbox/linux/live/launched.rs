//! The launcher of an interactive command, and its connections.

use std::fs::File;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use super::super::super::policy::Policy;
use super::super::launched::{Reports, await_input, nonblocking, reap, spawn};
use super::READY;

/// A launcher and its connections. Dropping it ends the command.
pub(super) struct Launched {
    child: Child,
    pub(super) control: UnixStream,
    /// The standard input and output of the command.
    pub(super) stream: Option<UnixStream>,
    pub(super) stderr: Option<File>,
    pub(super) reports: Reports,
}

impl Launched {
    pub(super) fn start(policy: &Policy) -> std::io::Result<Self> {
        let (stream, theirs) = UnixStream::pair()?;
        let (mut child, mut control) = spawn(Stdio::from(OwnedFd::from(theirs)))?;
        let stderr = nonblocking(child.stderr.take())?;
        control.set_write_timeout(Some(READY))?;
        // A launcher that ended early has reported the reason.
        let _ = policy.send(&mut control, &[]);
        control.set_nonblocking(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self {
            child,
            control,
            stream: Some(stream),
            stderr,
            reports: Reports::default(),
        })
    }

    /// Waits for reports and reads them; returns whether more may follow.
    pub(super) fn read_reports(&mut self, wait: Duration) -> std::io::Result<bool> {
        await_input([self.control.as_fd()], wait)?;
        self.reports.read(&mut self.control)
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        // The launcher then ends every process.
        let _ = self.control.shutdown(Shutdown::Write);
        reap(&mut self.child);
    }
}
