//! An interactive command: a thread reads its lines into a queue for the callers.

mod listener;

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tool_core::command::{Level, ProcessExit, SandboxCommand};
use tool_core::conversation::{LineWaitResult, ProcessConversation};
use tool_core::{Reason, Result, StopFlag, ToolError, tool_error};

use self::listener::{OutputBuffer, OutputListener};
use super::super::policy::{LauncherFault, SandboxPolicy, TERMINATE};
use super::launched::{
    LOOK, LauncherReports, await_input, launcher_start_error, reap_launcher, set_pipe_nonblocking,
    spawn_launcher,
};
use super::refusal::{SandboxRefusal, classify_failure};
use super::scratch::ScratchFolder;

/// Time limit for the launcher to apply the policy.
const READY: Duration = Duration::from_secs(10);

/// Starts a command under a policy.
///
/// # Errors
/// The stop flag, a missing program, a launcher that cannot be started.
pub(super) fn start_live_process(
    policy: SandboxPolicy,
    command: &SandboxCommand,
    scratch: ScratchFolder,
    stop: &StopFlag,
) -> Result<Result<LiveCommand, SandboxRefusal>> {
    let mut launched = LiveLauncher::start(&policy).map_err(launcher_start_error)?;
    let begun = Instant::now();
    let mut more = true;
    while launched.reports.ready().is_none() {
        let late = begun.elapsed() > READY;
        let silent = (late || !more).then(|| {
            LauncherFault::of_launcher(match late {
                true => "the launcher was not ready in time",
                false => "the launcher ended without a report",
            })
        });
        if let Some(failure) = launched.reports.failed().or(silent) {
            return classify_failure(&policy, command, failure).map(Err);
        }
        stop.check()?;
        more = launched.read_reports(LOOK).map_err(launcher_start_error)?;
    }
    if let Some(failure) = launched.reports.failed() {
        return classify_failure(&policy, command, failure).map(Err);
    }
    let live = LiveCommand::of(launched, policy, command, scratch);
    live.map(Ok).map_err(launcher_start_error)
}

fn process_ended_error(exit: Option<ProcessExit>) -> ToolError {
    let how = match exit {
        Some(ProcessExit::Status(status)) => format!(" with status {status}"),
        Some(ProcessExit::Signal(signal)) => format!(" by signal {signal}"),
        None => String::new(),
    };
    tool_error!(ToolError, Reason::Ended; "the process has ended{how}")
}

/// A running command.
pub(super) struct LiveCommand {
    shared: Arc<OutputBuffer>,
    writer: Mutex<UnixStream>,
    control: UnixStream,
    listener: Option<JoinHandle<()>>,
    line_bytes_max: usize,
    level: Level,
    /// Removed after the process that writes to it.
    _scratch: ScratchFolder,
}

impl LiveCommand {
    fn of(
        launched: LiveLauncher,
        policy: SandboxPolicy,
        command: &SandboxCommand,
        scratch: ScratchFolder,
    ) -> std::io::Result<Self> {
        let stream = launched
            .stream
            .as_ref()
            .ok_or_else(|| std::io::Error::other("no stream"))?;
        let writer = stream.try_clone()?;
        let control = launched.control.try_clone()?;
        let shared = Arc::new(OutputBuffer::default());
        let level = policy.level;
        let listener = OutputListener {
            launched,
            line: Vec::new(),
            line_bytes_max: command.limits.stdout_bytes,
            stderr_bytes_max: command.limits.stderr_bytes,
            shared: Arc::clone(&shared),
        };
        let command_copy = command.clone();
        let thread = std::thread::Builder::new()
            .name("conversation".to_owned())
            .stack_size(256 << 10)
            .spawn(move || listener.listen(&policy, &command_copy))?;
        Ok(Self {
            shared,
            writer: Mutex::new(writer),
            control,
            listener: Some(thread),
            line_bytes_max: command.limits.stdout_bytes,
            level,
            _scratch: scratch,
        })
    }

    /// Waits for the write lock, until the stop flag is set.
    fn turn(&self, stop: &StopFlag) -> Result<MutexGuard<'_, UnixStream>> {
        loop {
            match self.writer.try_lock() {
                Ok(writer) => return Ok(writer),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => {
                    stop.check()?;
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }
}

impl ProcessConversation for LiveCommand {
    fn send(&self, line: &str, stop: &StopFlag) -> Result<()> {
        if line.len() > self.line_bytes_max {
            return Err(too_long(self.line_bytes_max));
        }
        if line.contains('\n') {
            return Err(tool_error!(Internal, "a line to send contains a line feed"));
        }
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        let mut writer = self.turn(stop)?;
        let mut left = bytes.as_slice();
        while !left.is_empty() {
            match writer.write(left) {
                Ok(count) => left = &left[count..],
                Err(err) if err.kind() == ErrorKind::Interrupted => {}
                Err(err) if err.kind() == ErrorKind::WouldBlock => {
                    stop.check()?;
                    let mut fds = [PollFd::from_borrowed_fd(writer.as_fd(), PollFlags::OUT)];
                    let _ = poll(&mut fds, Timespec::try_from(LOOK).ok().as_ref());
                }
                Err(_) => return Err(process_ended_error(self.shared.found().end.flatten())),
            }
        }
        Ok(())
    }

    fn receive(&self, wait: Duration, stop: &StopFlag) -> Result<LineWaitResult> {
        let begun = Instant::now();
        let mut found = self.shared.found();
        loop {
            if let Some(line) = found.lines.pop_front() {
                found.bytes -= line.len();
                return Ok(LineWaitResult::Line(line));
            }
            if let Some(fault) = &found.fault {
                return Err(fault.clone());
            }
            if let Some(exit) = found.end {
                return Ok(LineWaitResult::Ended(exit));
            }
            stop.check()?;
            let left = wait.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Ok(LineWaitResult::Silence);
            }
            let waited = self.shared.changed.wait_timeout(found, left.min(LOOK));
            found = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn unfinished(&self) -> String {
        let begun = std::mem::take(&mut self.shared.found().unfinished);
        String::from_utf8_lossy(&begun).into_owned()
    }

    fn end_input(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // The command may have closed it already.
        let _ = writer.shutdown(Shutdown::Write);
    }

    fn terminate(&self) {
        // The launcher may have ended already.
        let _ = (&self.control).write(&[TERMINATE]);
    }

    fn kill(&self) {
        // The launcher then ends every process; it may have ended already.
        let _ = self.control.shutdown(Shutdown::Write);
    }

    fn stderr(&self) -> String {
        let found = self.shared.found();
        String::from_utf8_lossy(&found.stderr.iter().copied().collect::<Vec<u8>>()).into_owned()
    }

    fn level(&self) -> Level {
        self.level
    }
}

impl Drop for LiveCommand {
    /// Returns when no process of the command is left.
    fn drop(&mut self) {
        self.kill();
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

fn too_long(bytes_max: usize) -> ToolError {
    tool_error!(LimitExceeded, "line";
        "a line of the conversation is longer than {bytes_max} bytes")
}

/// A launcher and its connections. Dropping it ends the command.
pub(super) struct LiveLauncher {
    child: Child,
    pub(super) control: UnixStream,
    /// The standard input and output of the command.
    pub(super) stream: Option<UnixStream>,
    pub(super) stderr: Option<File>,
    pub(super) reports: LauncherReports,
}

impl LiveLauncher {
    pub(super) fn start(policy: &SandboxPolicy) -> std::io::Result<Self> {
        let (stream, theirs) = UnixStream::pair()?;
        let (mut child, mut control) = spawn_launcher(Stdio::from(OwnedFd::from(theirs)))?;
        let stderr = set_pipe_nonblocking(child.stderr.take())?;
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
            reports: LauncherReports::default(),
        })
    }

    /// Waits for reports and reads them; returns whether more may follow.
    pub(super) fn read_reports(&mut self, wait: Duration) -> std::io::Result<bool> {
        await_input([self.control.as_fd()], wait)?;
        self.reports.read(&mut self.control)
    }
}

impl Drop for LiveLauncher {
    fn drop(&mut self) {
        // The launcher then ends every process.
        let _ = self.control.shutdown(Shutdown::Write);
        reap_launcher(&mut self.child);
    }
}
