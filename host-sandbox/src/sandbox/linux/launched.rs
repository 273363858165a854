//! A running launcher as seen by the caller: policy, reports, output, deadline and exit.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use tool_core::command::{CapturedStream, CommandOutput, ProcessExit, SandboxCommand};
use tool_core::{Result, StopFlag, ToolError, tool_error};

use super::super::policy::{CommandEnd, LauncherFault, LauncherReport, SandboxPolicy};
use super::launcher::LAUNCH;
use super::refusal::{SandboxRefusal, classify_failure};

/// Interval between checks of the stop flag.
pub(super) const LOOK: Duration = Duration::from_millis(10);
/// Time limit for the launcher to read the policy.
pub(super) const HAND_OVER: Duration = Duration::from_secs(5);
/// Time limit for the launcher to end a process tree.
pub(super) const END: Duration = Duration::from_secs(5);
/// Maximum parts of a stream that are read at once.
const PARTS_MAX: usize = 16;
/// Maximum bytes of reports that are read.
const REPORTS_MAX: usize = 1 << 16;

fn no_launcher_error() -> std::io::Error {
    std::io::Error::other("this program cannot act as the launcher")
}

/// Starts a launcher with an empty environment; the socket carries the policy and the reports.
pub(super) fn spawn_launcher(stdout: Stdio) -> std::io::Result<(Child, UnixStream)> {
    let (socket, theirs) = UnixStream::pair()?;
    let launch = LAUNCH.get().ok_or_else(no_launcher_error)?;
    let (name, arguments) = launch
        .arguments
        .split_first()
        .ok_or_else(no_launcher_error)?;
    let child = std::process::Command::new(&launch.program)
        .arg0(name)
        .args(arguments)
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()?;
    Ok((child, socket))
}

/// The end of a pipe, in non-blocking mode.
pub(super) fn set_pipe_nonblocking(
    pipe: Option<impl Into<OwnedFd>>,
) -> std::io::Result<Option<File>> {
    let Some(fd) = pipe.map(Into::into) else {
        return Ok(None);
    };
    ioctl_fionbio(&fd, true)?;
    Ok(Some(File::from(fd)))
}

/// Waits until something can be read, at most for a time.
pub(super) fn await_input<'f>(
    fds: impl IntoIterator<Item = BorrowedFd<'f>>,
    wait: Duration,
) -> std::io::Result<()> {
    let watched = |fd| PollFd::from_borrowed_fd(fd, PollFlags::IN);
    let mut fds: Vec<PollFd<'_>> = fds.into_iter().map(watched).collect();
    match poll(&mut fds, Timespec::try_from(wait).ok().as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(err) => Err(err.into()),
    }
}

/// Reads a bounded number of parts, so that endless output does not delay the check of the deadline; `None` is an ended source.
pub(super) fn read_parts<R: Read>(
    source: &mut Option<R>,
    parts_max: usize,
    mut take: impl FnMut(&[u8]),
) -> std::io::Result<()> {
    let mut part = vec![0; 65_536];
    for _ in 0..parts_max {
        let Some(open) = source else { break };
        match open.read(&mut part) {
            Ok(0) => *source = None,
            Ok(count) => take(&part[..count]),
            Err(err) if err.kind() == ErrorKind::WouldBlock => break,
            Err(err) if err.kind() == ErrorKind::Interrupted => {}
            Err(err) => return Err(err),
        }
    }
    Ok(())
}

/// Waits for the end of the launcher; kills it after [`END`].
pub(super) fn reap_launcher(child: &mut Child) {
    let waited = Instant::now();
    while let Ok(None) = child.try_wait() {
        if waited.elapsed() > END {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// The error for a launcher that cannot be started.
pub(super) fn launcher_start_error(err: std::io::Error) -> ToolError {
    tool_error!(SandboxUnavailable, "launcher"; "cannot start the launcher of the sandbox: {err}";
        "`/proc` must be mounted, and the process limit of the user must allow another process")
}

/// The launcher of a one-shot command.
pub(super) struct LauncherProcess {
    child: Child,
    socket: UnixStream,
    stdout: Option<File>,
    stderr: Option<File>,
}

impl LauncherProcess {
    pub(super) fn start() -> std::io::Result<Self> {
        let (mut child, socket) = spawn_launcher(Stdio::piped())?;
        Ok(Self {
            stdout: set_pipe_nonblocking(child.stdout.take())?,
            stderr: set_pipe_nonblocking(child.stderr.take())?,
            child,
            socket,
        })
    }

    pub(super) fn hand_over(
        &mut self,
        policy: &SandboxPolicy,
        stdin: &[u8],
    ) -> std::io::Result<()> {
        self.socket.set_write_timeout(Some(HAND_OVER))?;
        policy.send(&mut self.socket, stdin)?;
        self.socket.flush()
    }

    /// Reads output and reports until the launcher is done; returns whether the deadline ended it.
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
                    // The launcher then ends every process; it may have ended already.
                    let _ = self.socket.shutdown(Shutdown::Write);
                }
                Some(since) if now.duration_since(since) > END => return Ok(timed_out),
                _ => {}
            }
            let socket = open.then(|| self.socket.as_fd());
            let pipes = self.stdout.iter().chain(&self.stderr).map(File::as_fd);
            let wait = match told {
                Some(_) => LOOK,
                None => deadline.saturating_duration_since(now).min(LOOK),
            };
            await_input(socket.into_iter().chain(pipes), wait)?;
            open = open && output.reports.read(&mut self.socket)?;
            let (stdout, stderr) = (&mut output.stdout, &mut output.stderr);
            read_parts(&mut self.stdout, PARTS_MAX, |part| stdout.keep(part))?;
            read_parts(&mut self.stderr, PARTS_MAX, |part| stderr.keep(part))?;
        }
        Ok(timed_out)
    }

    /// Waits for the launcher, or kills it.
    pub(super) fn end(mut self) {
        reap_launcher(&mut self.child);
    }
}

/// Reports and output of a run.
pub(super) struct Output {
    pub(super) reports: LauncherReports,
    pub(super) stdout: OutputCapture,
    pub(super) stderr: OutputCapture,
}

pub(super) struct OutputCapture {
    pub(super) kept: CapturedStream,
    bytes_max: usize,
}

impl OutputCapture {
    fn keep(&mut self, part: &[u8]) {
        self.kept.bytes_total += part.len() as u64;
        let left = self.bytes_max - self.kept.bytes.len();
        let part = &part[..part.len().min(left)];
        self.kept.bytes.extend_from_slice(part);
    }
}

impl Output {
    pub(super) fn new(command: &SandboxCommand) -> Self {
        let stream = |bytes_max| OutputCapture {
            kept: CapturedStream::default(),
            bytes_max,
        };
        Self {
            reports: LauncherReports::default(),
            stdout: stream(command.limits.stdout_bytes),
            stderr: stream(command.limits.stderr_bytes),
        }
    }
}

/// The reports of a launcher, as far as they were read.
#[derive(Debug, Default)]
pub(super) struct LauncherReports(Vec<u8>);

impl LauncherReports {
    fn find<T>(&self, wanted: impl FnMut(LauncherReport) -> Option<T>) -> Option<T> {
        let lines = self.0.split_inclusive(|&byte| byte == b'\n');
        let whole = lines.filter_map(|line| line.strip_suffix(b"\n"));
        whole
            .filter_map(|line| LauncherReport::parse(std::str::from_utf8(line).ok()?))
            .find_map(wanted)
    }

    pub(super) fn failed(&self) -> Option<LauncherFault> {
        self.find(|report| match report {
            LauncherReport::Failed(failure) => Some(failure),
            _ => None,
        })
    }

    /// The Landlock version in force, once everything is applied.
    pub(super) fn ready(&self) -> Option<u32> {
        self.find(|report| match report {
            LauncherReport::Ready { landlock } => Some(landlock),
            _ => None,
        })
    }

    pub(super) fn ended(&self) -> Option<CommandEnd> {
        self.find(|report| match report {
            LauncherReport::Ended(ended) => Some(ended),
            _ => None,
        })
    }

    /// Reads what the socket has; returns whether more may follow.
    pub(super) fn read(&mut self, socket: &mut UnixStream) -> std::io::Result<bool> {
        let mut part = [0; 4096];
        loop {
            match socket.read(&mut part).map_err(|err| (err.kind(), err)) {
                Ok(0) | Err((ErrorKind::ConnectionReset, _)) => return Ok(false),
                Ok(count) if self.0.len() < REPORTS_MAX => self.0.extend_from_slice(&part[..count]),
                Ok(_) | Err((ErrorKind::Interrupted, _)) => {}
                Err((ErrorKind::WouldBlock, _)) => return Ok(true),
                Err((_, err)) => return Err(err),
            }
        }
    }
}

/// Runs a command under a policy.
///
/// # Errors
/// The stop flag, a missing program, a launcher that fails without a report.
pub(super) fn run_sandboxed(
    policy: &SandboxPolicy,
    command: &SandboxCommand,
    stop: &StopFlag,
) -> Result<Result<CommandOutput, SandboxRefusal>> {
    let started = Instant::now();
    let mut launched = LauncherProcess::start().map_err(launcher_start_error)?;
    let handed = launched.hand_over(policy, &command.stdin);
    let deadline = started + command.limits.wall;
    let mut output = Output::new(command);
    let collected = launched.collect(&mut output, deadline, stop);
    launched.end();
    let reports = &output.reports;
    if let Some(failure) = reports.failed() {
        return classify_failure(policy, command, failure).map(Err);
    }
    stop.check()?;
    // After `ready` the command ran, even if its launcher failed.
    if reports.ready().is_none() {
        let failure = silent_launcher_failure(handed.err().or(collected.err()));
        return classify_failure(policy, command, failure).map(Err);
    }
    let timed_out = collected.map_err(launcher_start_error)?;
    let ended = reports.ended().unwrap_or(CommandEnd {
        exit: ProcessExit::Signal(libc::SIGKILL),
        cpu: Duration::ZERO,
        exceeded: None,
    });
    Ok(Ok(CommandOutput {
        exit: ended.exit,
        stdout: output.stdout.kept,
        stderr: output.stderr.kept,
        wall: started.elapsed(),
        cpu: ended.cpu,
        timed_out,
        exceeded: ended.exceeded,
        level: policy.level,
    }))
}

/// Applies a policy without a command; returns the Landlock version in force.
pub(super) fn probe_policy(policy: &SandboxPolicy) -> Result<u32, SandboxRefusal> {
    let refusal = |failure: LauncherFault| SandboxRefusal {
        level: policy.level,
        stage: failure.stage,
        message: failure.message,
    };
    let mut launched = LauncherProcess::start()
        .map_err(|err| refusal(LauncherFault::of_launcher(err.to_string())))?;
    let handed = launched.hand_over(policy, &[]);
    let mut output = Output::new(&SandboxCommand::new(["probe"]));
    let deadline = Instant::now() + HAND_OVER;
    let collected = launched.collect(&mut output, deadline, &StopFlag::new());
    launched.end();
    match (output.reports.failed(), output.reports.ready()) {
        (Some(failure), _) => Err(refusal(failure)),
        (None, Some(landlock)) => Ok(landlock),
        (None, None) => Err(refusal(silent_launcher_failure(
            handed.err().or(collected.err()),
        ))),
    }
}

/// The failure of a launcher that reported nothing.
fn silent_launcher_failure(err: Option<std::io::Error>) -> LauncherFault {
    LauncherFault::of_launcher(err.map_or_else(
        || "the launcher ended without a report".to_owned(),
        |err| err.to_string(),
    ))
}
