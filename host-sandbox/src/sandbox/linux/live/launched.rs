//! The launcher of a command that stays, and what connects to it.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use tool_core::command::Exit;

use super::super::super::lists::LAUNCHER;
use super::super::super::policy::{Policy, Report};
use super::{END, READY};

/// Most bytes of reports read.
const REPORTS_MAX: usize = 1 << 16;

/// A launcher and what connects to it. Dropping it before the command is live ends it.
pub(super) struct Launched {
    child: Option<Child>,
    pub(super) control: UnixStream,
    /// Both ways: the command's standard input and output.
    pub(super) stream: Option<UnixStream>,
    pub(super) stderr: Option<File>,
    reports: Vec<u8>,
}

impl Launched {
    pub(super) fn start(policy: &Policy) -> std::io::Result<Self> {
        let (mut control, theirs) = UnixStream::pair()?;
        let (stream, its_stream) = UnixStream::pair()?;
        let mut child = std::process::Command::new("/proc/self/exe")
            .arg0(LAUNCHER)
            .env_clear()
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(OwnedFd::from(its_stream)))
            .stderr(Stdio::piped())
            .spawn()?;
        let stderr = child.stderr.take().map(OwnedFd::from);
        let stderr = stderr
            .map(|fd| ioctl_fionbio(&fd, true).map(|()| File::from(fd)))
            .transpose()?;
        control.set_write_timeout(Some(READY))?;
        // A launcher that ended early is told by what it reported.
        let _ = policy.send(&mut control, &[]);
        control.set_nonblocking(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self {
            child: Some(child),
            control,
            stream: Some(stream),
            stderr,
            reports: Vec::new(),
        })
    }

    fn each_report(&self) -> impl Iterator<Item = Report> + '_ {
        let lines = self.reports.split_inclusive(|&byte| byte == b'\n');
        let whole = lines.filter_map(|line| line.strip_suffix(b"\n"));
        whole.filter_map(|line| Report::parse(std::str::from_utf8(line).ok()?))
    }

    pub(super) fn failed(&self) -> Option<(String, i32, String)> {
        self.each_report().find_map(|report| match report {
            Report::Failed {
                stage,
                errno,
                message,
            } => Some((stage, errno, message)),
            _ => None,
        })
    }

    pub(super) fn is_ready(&self) -> bool {
        self.each_report()
            .any(|report| matches!(report, Report::Ready { .. }))
    }

    pub(super) fn exit(&self) -> Option<Exit> {
        self.each_report().find_map(|report| match report {
            Report::Ended {
                signalled: true,
                number,
                ..
            } => Some(Exit::Signal(number)),
            Report::Ended { number, .. } => Some(Exit::Status(number)),
            _ => None,
        })
    }

    /// Waits for reports and reads what is there; whether more may come.
    pub(super) fn read_reports(&mut self, wait: Duration) -> std::io::Result<bool> {
        let mut fds = [PollFd::from_borrowed_fd(
            self.control.as_fd(),
            PollFlags::IN,
        )];
        match poll(&mut fds, Timespec::try_from(wait).ok().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(err) => return Err(err.into()),
        }
        let mut part = [0; 4096];
        loop {
            match self.control.read(&mut part) {
                Ok(0) => return Ok(false),
                Ok(count) if self.reports.len() < REPORTS_MAX => {
                    self.reports.extend_from_slice(&part[..count])
                }
                Ok(_) => {}
                Err(err) => match err.kind() {
                    ErrorKind::WouldBlock => return Ok(true),
                    ErrorKind::Interrupted => {}
                    ErrorKind::ConnectionReset => return Ok(false),
                    _ => return Err(err),
                },
            }
        }
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        // The launcher sees this and ends everything.
        let _ = self.control.shutdown(Shutdown::Write);
        let waited = Instant::now();
        while let Ok(None) = child.try_wait() {
            if waited.elapsed() > END {
                let _ = child.kill();
                let _ = child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
