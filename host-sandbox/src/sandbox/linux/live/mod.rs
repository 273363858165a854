//! A command that stays: one thread listens to it, whoever speaks to it takes lines from a queue.

mod launched;
mod listener;

use std::io::{ErrorKind, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tool_core::command::{Command, Exit, Level};
use tool_core::conversation::{Conversation, Heard};
use tool_core::{ErrorCode, Reason, StopFlag, ToolError};

use self::launched::Launched;
use self::listener::{Listener, Shared};
use super::super::policy::Policy;
use super::refusal::{Refusal, not_run};
use super::run::Attempt;
use super::scratch::Scratch;

/// How often a stop flag is looked at, and a full queue.
const LOOK: Duration = Duration::from_millis(10);
/// How long the launcher may take to apply everything.
const READY: Duration = Duration::from_secs(10);
/// How long the launcher may take to end a tree of processes.
const END: Duration = Duration::from_secs(5);

/// What became of starting one.
pub(super) enum Started {
    Live(Live),
    /// The command did not run.
    Refused(Refusal),
}

/// Starts a command under a policy.
///
/// # Errors
/// The stop flag, a launcher that fails without a word.
pub(super) fn start(
    policy: Policy,
    command: &Command,
    scratch: Scratch,
    stop: &StopFlag,
) -> Result<Started, ToolError> {
    let mut launched = Launched::start(&policy).map_err(|err| unlaunched(&err))?;
    let begun = Instant::now();
    loop {
        if let Some((stage, errno, message)) = launched.failed() {
            return match not_run(&policy, command, (stage, errno, message))? {
                Attempt::Refused(refusal) => Ok(Started::Refused(refusal)),
                Attempt::Finished(_) => Err(ended(None)),
            };
        }
        if launched.is_ready() {
            break;
        }
        stop.check()?;
        let more = launched
            .read_reports(LOOK)
            .map_err(|err| unlaunched(&err))?;
        let late = begun.elapsed() > READY;
        if launched.failed().is_none() && !launched.is_ready() && (late || !more) {
            let why = if late {
                "the launcher is not ready in time"
            } else {
                "the launcher ended without a word"
            };
            let fault = ("launcher".to_owned(), 0, why.to_owned());
            return match not_run(&policy, command, fault)? {
                Attempt::Refused(refusal) => Ok(Started::Refused(refusal)),
                Attempt::Finished(_) => Err(ended(None)),
            };
        }
    }
    Live::of(launched, policy, command, scratch)
        .map(Started::Live)
        .map_err(|err| unlaunched(&err))
}

fn unlaunched(err: &std::io::Error) -> ToolError {
    ToolError::new(
        ErrorCode::SandboxUnavailable,
        format_args!("the launcher of the sandbox cannot be started: {err}"),
    )
    .reason("launcher")
    .hint("`/proc` must be mounted, and another process must be allowed")
}

fn ended(exit: Option<Exit>) -> ToolError {
    let how = match exit {
        Some(Exit::Status(status)) => format!(" with status {status}"),
        Some(Exit::Signal(signal)) => format!(" by signal {signal}"),
        None => String::new(),
    };
    ToolError::new(
        ErrorCode::ToolError,
        format_args!("the process has ended{how}"),
    )
    .reason(Reason::Ended)
}

/// A command that runs.
pub(super) struct Live {
    shared: Arc<Shared>,
    writer: Mutex<UnixStream>,
    control: UnixStream,
    listener: Option<JoinHandle<()>>,
    line_bytes_max: usize,
    level: Level,
    /// Goes after the process that writes to it.
    _scratch: Scratch,
}

impl Live {
    fn of(
        launched: Launched,
        policy: Policy,
        command: &Command,
        scratch: Scratch,
    ) -> std::io::Result<Self> {
        let stream = launched
            .stream
            .as_ref()
            .ok_or_else(|| std::io::Error::other("no stream"))?;
        let writer = stream.try_clone()?;
        let control = launched.control.try_clone()?;
        let shared = Arc::new(Shared::default());
        let level = policy.level;
        let listener = Listener {
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

    /// The turn to write; waiting for it ends with the stop flag.
    fn turn(&self, stop: &StopFlag) -> Result<MutexGuard<'_, UnixStream>, ToolError> {
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

impl Conversation for Live {
    fn send(&self, line: &str, stop: &StopFlag) -> Result<(), ToolError> {
        if line.len() > self.line_bytes_max {
            return Err(too_long(self.line_bytes_max));
        }
        if line.contains('\n') {
            return Err(ToolError::new(
                ErrorCode::Internal,
                "a line that is sent holds the end of a line",
            ));
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
                Err(_) => return Err(ended(self.shared.found().end.flatten())),
            }
        }
        Ok(())
    }

    fn receive(&self, wait: Duration, stop: &StopFlag) -> Result<Heard, ToolError> {
        let begun = Instant::now();
        let mut found = self.shared.found();
        loop {
            if let Some(line) = found.lines.pop_front() {
                found.bytes -= line.len();
                return Ok(Heard::Line(line));
            }
            if let Some(fault) = &found.fault {
                return Err(fault.clone());
            }
            if let Some(exit) = found.end {
                return Ok(Heard::Ended(exit));
            }
            stop.check()?;
            let left = wait.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Ok(Heard::Silence);
            }
            let waited = self.shared.changed.wait_timeout(found, left.min(LOOK));
            found = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn kill(&self) {
        // The launcher sees this and ends everything. It may be gone already.
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

impl Drop for Live {
    /// Returns when nothing of the command is left.
    fn drop(&mut self) {
        self.kill();
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

fn too_long(bytes_max: usize) -> ToolError {
    ToolError::new(
        ErrorCode::LimitExceeded,
        format_args!("a line of the conversation is longer than {bytes_max} bytes"),
    )
    .reason("line")
}
