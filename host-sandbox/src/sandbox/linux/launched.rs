//! A launcher that runs: what it is handed, what it and the command say, and how it is ended.

use std::fs::File;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use tool_core::StopFlag;
use tool_core::command::{Captured, Command, Excess, Exit};

use super::super::lists::LAUNCHER;
use super::super::policy::{Policy, Report};

/// How often the stop flag is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// How long the launcher may take to read the policy.
pub(super) const HAND_OVER: Duration = Duration::from_secs(5);
/// How long the launcher may take to end a tree of processes.
const END: Duration = Duration::from_secs(5);
/// Most bytes of reports read.
const REPORTS_MAX: usize = 1 << 16;

/// A launcher that runs.
pub(super) struct Launched {
    child: Child,
    socket: UnixStream,
    stdout: Option<File>,
    stderr: Option<File>,
}

impl Launched {
    pub(super) fn start() -> std::io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let mut child = std::process::Command::new("/proc/self/exe")
            .arg0(LAUNCHER)
            .env_clear()
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let file = |fd: OwnedFd| -> std::io::Result<File> {
            ioctl_fionbio(&fd, true)?;
            Ok(File::from(fd))
        };
        let stdout = child.stdout.take().map(OwnedFd::from);
        let stderr = child.stderr.take().map(OwnedFd::from);
        Ok(Self {
            stdout: stdout.map(file).transpose()?,
            stderr: stderr.map(file).transpose()?,
            child,
            socket,
        })
    }

    pub(super) fn hand_over(&mut self, policy: &Policy, stdin: &[u8]) -> std::io::Result<()> {
        self.socket.set_write_timeout(Some(HAND_OVER))?;
        policy.send(&mut self.socket, stdin)?;
        self.socket.flush()
    }

    /// Reads until the launcher is done; whether it had to be told to end.
    pub(super) fn collect(
        &mut self,
        output: &mut Output,
        deadline: Instant,
        stop: &StopFlag,
    ) -> std::io::Result<bool> {
        self.socket.set_nonblocking(true)?;
        let mut told: Option<Instant> = None;
        let mut timed_out = false;
        let mut open = true;
        while open || self.stdout.is_some() || self.stderr.is_some() {
            let now = Instant::now();
            match told {
                None if now >= deadline || stop.is_set() => {
                    timed_out = now >= deadline;
                    told = Some(now);
                    // The launcher sees this and ends everything. It may be gone already.
                    let _ = self.socket.shutdown(Shutdown::Write);
                }
                Some(since) if now.duration_since(since) > END => return Ok(timed_out),
                _ => {}
            }
            let mut fds = Vec::with_capacity(3);
            if open {
                fds.push(PollFd::from_borrowed_fd(self.socket.as_fd(), PollFlags::IN));
            }
            for file in self.stdout.iter().chain(&self.stderr) {
                fds.push(PollFd::from_borrowed_fd(file.as_fd(), PollFlags::IN));
            }
            let wait = if told.is_some() {
                LOOK
            } else {
                deadline.saturating_duration_since(now).min(LOOK)
            };
            match poll(&mut fds, Timespec::try_from(wait).ok().as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(err) => return Err(err.into()),
            }
            drop(fds);
            open = open && output.reports.read(&mut self.socket)?;
            read_some(&mut self.stdout, &mut output.stdout)?;
            read_some(&mut self.stderr, &mut output.stderr)?;
        }
        Ok(timed_out)
    }

    /// Collects the launcher; it has ended, or is ended.
    pub(super) fn end(mut self) {
        let waited = Instant::now();
        while let Ok(None) = self.child.try_wait() {
            if waited.elapsed() > END {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

/// What a run gives.
pub(super) struct Output {
    pub(super) reports: Reports,
    pub(super) stdout: Stream,
    pub(super) stderr: Stream,
}

pub(super) struct Stream {
    pub(super) kept: Captured,
    bytes_max: usize,
}

impl Output {
    pub(super) fn new(command: &Command) -> Self {
        let stream = |bytes_max| Stream {
            kept: Captured::default(),
            bytes_max,
        };
        Self {
            reports: Reports::default(),
            stdout: stream(command.limits.stdout_bytes),
            stderr: stream(command.limits.stderr_bytes),
        }
    }
}

/// Reads what is there, a bounded number of parts, so that endless output does not hold up the deadline.
fn read_some(file: &mut Option<File>, stream: &mut Stream) -> std::io::Result<()> {
    const PARTS_MAX: usize = 16;
    let mut part = [0; 65_536];
    for _ in 0..PARTS_MAX {
        let Some(open) = file else {
            return Ok(());
        };
        match open.read(&mut part) {
            Ok(0) => *file = None,
            Ok(count) => {
                stream.kept.bytes_total += count as u64;
                let left = stream.bytes_max - stream.kept.bytes.len();
                stream
                    .kept
                    .bytes
                    .extend_from_slice(&part[..count.min(left)]);
            }
            Err(err) if err.kind() == std::io::ErrorKind::WouldBlock => return Ok(()),
            Err(err) if err.kind() == std::io::ErrorKind::Interrupted => {}
            Err(err) => return Err(err),
        }
    }
    Ok(())
}

/// What an attempt showed besides the command's own doing.
#[derive(Debug, Default)]
pub(super) struct Reports {
    text: Vec<u8>,
}

impl Reports {
    fn all(&self) -> impl Iterator<Item = Report> + '_ {
        self.text
            .split(|&byte| byte == b'\n')
            .filter_map(|line| Report::parse(std::str::from_utf8(line).ok()?))
    }

    pub(super) fn failed(&self) -> Option<(String, i32, String)> {
        self.all().find_map(|report| match report {
            Report::Failed {
                stage,
                errno,
                message,
            } => Some((stage, errno, message)),
            _ => None,
        })
    }

    pub(super) fn landlock(&self) -> Option<u32> {
        self.all().find_map(|report| match report {
            Report::Ready { landlock } => Some(landlock),
            _ => None,
        })
    }

    pub(super) fn ended(&self) -> Option<(Exit, Duration, Option<Excess>)> {
        self.all().find_map(|report| match report {
            Report::Ended {
                signalled,
                number,
                cpu_us,
                exceeded,
            } => {
                let exit = if signalled {
                    Exit::Signal(number)
                } else {
                    Exit::Status(number)
                };
                Some((exit, Duration::from_micros(cpu_us), exceeded))
            }
            _ => None,
        })
    }

    /// Reads what is there; whether more may come.
    fn read(&mut self, socket: &mut UnixStream) -> std::io::Result<bool> {
        let mut part = [0; 4096];
        loop {
            match socket.read(&mut part) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    if self.text.len() < REPORTS_MAX {
                        self.text.extend_from_slice(&part[..count]);
                    }
                }
                Err(err) => match err.kind() {
                    std::io::ErrorKind::WouldBlock => return Ok(true),
                    std::io::ErrorKind::Interrupted => {}
                    std::io::ErrorKind::ConnectionReset => return Ok(false),
                    _ => return Err(err),
                },
            }
        }
    }
}
