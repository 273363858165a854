//! The driver of the engine `ray` as a process: lines of JSON to it and from it, on a thread each.
//!
//! It runs as the user, outside of the sandbox: the command line names it, or a configuration that the user agreed to. Ray runs where
//! the sandbox does not, and a Ray of this machine outlives the run, which no process of the sandbox can.

use std::io::{self, BufRead as _, BufReader, Read, Write};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tool_core::{Result, ToolError, Value, json, tool_error};

use crate::environment;

/// Longest line of a driver, in bytes.
const LINE_BYTES_MAX: u64 = 512 << 20;
/// Number of last bytes of its standard error that are kept.
const STDERR_BYTES: usize = 2_000;
/// How long it may take to end once its input has.
const END_MAX: Duration = Duration::from_secs(5);

/// What starts a driver.
pub(super) struct DriverCommand {
    pub(super) python: PathBuf,
    pub(super) arguments: Vec<String>,
    /// The first line that it reads.
    pub(super) hello: Arc<str>,
}

/// An interpreter with its arguments, and pipes for what it says.
pub(super) fn python_command(python: &Path, arguments: &[String]) -> Command {
    // Not in the folder of the run: Python imports modules from the folder in which it is started.
    let here = std::env::current_exe().unwrap_or_default();
    let root = here.ancestors().last().unwrap_or(Path::new("/"));
    let mut process = Command::new(python);
    process
        .args(arguments)
        .current_dir(root)
        .env_clear()
        .envs(environment::of_ray_driver())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    process
}

/// The error of an interpreter that cannot be started.
pub(super) fn unstartable(python: &Path, err: &io::Error) -> ToolError {
    tool_error!(PreconditionFailed, "ray"; "`{}` cannot be run: {err}", python.display();
        "name an interpreter with the package `mathchain[ray]`: `python` in `[cluster.ray]`")
}

/// A connection to the driver that `mathchain cluster up` left on this machine: its socket lies in a folder of this user alone.
#[cfg(unix)]
fn staying_driver() -> Option<UnixStream> {
    use std::os::unix::fs::MetadataExt as _;

    let user = rustix::process::getuid().as_raw();
    let folder = std::env::temp_dir().join(format!("mathchain-ray-{user}"));
    let found = folder.symlink_metadata().ok()?;
    let is_own = found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0;
    is_own.then(|| UnixStream::connect(folder.join("driver")).ok())?
}

/// What is written to a driver that stays; its end is told when it is dropped, while what the driver says is still read.
#[cfg(unix)]
struct StayingInput(UnixStream);

#[cfg(unix)]
impl Write for StayingInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(unix)]
impl Drop for StayingInput {
    fn drop(&mut self) {
        // It has ended where this fails.
        let _ = self.0.shutdown(std::net::Shutdown::Write);
    }
}

/// A running driver. It ends with this value.
pub(super) struct Driver {
    /// None for a driver that stays, which this process did not start.
    child: Option<Child>,
    commands: Option<Sender<Arc<str>>>,
    events: Receiver<Result<Value>>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

/// The next event of a driver.
pub(super) enum NextEvent {
    Event(Value),
    /// It has said nothing more so far.
    None,
    /// It has ended, for this reason.
    Ended(String),
}

impl Driver {
    /// Starts a driver and sends it the first line.
    ///
    /// # Errors
    /// `precondition_failed` where there is no such interpreter.
    pub(super) fn start(command: &DriverCommand) -> Result<Self> {
        let mut process = python_command(&command.python, &command.arguments);
        process.stdin(Stdio::piped());
        let mut child = process
            .spawn()
            .map_err(|err| unstartable(&command.python, &err))?;
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&stderr);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(tool_error!(Internal, "the driver of Ray has no pipes"));
        };
        start_thread("ray-errors", move || keep_end(errors, &kept))?;
        Self::of_streams(Some(child), (input, output), stderr, command)
    }

    /// The driver that stays on this machine, if one does and answers; it gets the first line.
    pub(super) fn staying(command: &DriverCommand) -> Option<Self> {
        #[cfg(unix)]
        {
            let connection = staying_driver()?;
            let output = connection.try_clone().ok()?;
            let input = StayingInput(connection);
            Self::of_streams(None, (input, output), Arc::default(), command).ok()
        }
        #[cfg(not(unix))]
        {
            let _ = command;
            None
        }
    }

    /// A driver that reads and writes on two streams.
    fn of_streams(
        child: Option<Child>,
        (input, output): (impl Write + Send + 'static, impl Read + Send + 'static),
        stderr: Arc<Mutex<Vec<u8>>>,
        command: &DriverCommand,
    ) -> Result<Self> {
        let (commands, lines) = channel();
        let (heard, events) = channel();
        start_thread("ray-commands", move || send_lines(input, &lines))?;
        start_thread("ray-events", move || hear_lines(output, &heard))?;
        let _ = commands.send(Arc::clone(&command.hello));
        Ok(Self {
            child,
            commands: Some(commands),
            events,
            stderr,
        })
    }

    /// Sends a line; a driver that has ended is noticed by its events.
    pub(super) fn send(&self, line: Arc<str>) {
        if let Some(commands) = &self.commands {
            let _ = commands.send(line);
        }
    }

    /// The next event, if there is one within this time.
    pub(super) fn next(&mut self, wait: Duration) -> NextEvent {
        let next = match wait.is_zero() {
            true => self.events.try_recv(),
            false => (self.events.recv_timeout(wait)).map_err(|err| match err {
                RecvTimeoutError::Timeout => TryRecvError::Empty,
                RecvTimeoutError::Disconnected => TryRecvError::Disconnected,
            }),
        };
        match next {
            Ok(Ok(event)) => NextEvent::Event(event),
            Ok(Err(err)) => NextEvent::Ended(err.message().to_owned()),
            Err(TryRecvError::Empty) => NextEvent::None,
            Err(TryRecvError::Disconnected) => NextEvent::Ended(self.last_words()),
        }
    }

    /// How it ended, with the last line of its standard error.
    fn last_words(&mut self) -> String {
        let Some(child) = &mut self.child else {
            return "its connection has ended".to_owned();
        };
        let began = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(None) if began.elapsed() < Duration::from_millis(200) => {
                    thread::sleep(Duration::from_millis(5));
                }
                Ok(Some(status)) => break status.to_string(),
                _ => break "no status".to_owned(),
            }
        };
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        let last = last.map(|line| format!(": {}", line.trim()));
        format!("{status}{}", last.unwrap_or_default())
    }

    /// Ends its input, and waits until it has ended.
    pub(super) fn end(&mut self) {
        self.commands = None;
        let Some(child) = &mut self.child else {
            return;
        };
        let began = Instant::now();
        while began.elapsed() < END_MAX {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Nothing where it has ended.
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn start_thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
    let failed = |err| tool_error!(Internal, "no thread can be started: {err}");
    thread.map(|_| ()).map_err(failed)
}

fn send_lines(mut input: impl Write, lines: &Receiver<Arc<str>>) {
    while let Ok(line) = lines.recv() {
        let sent = input.write_all(line.as_bytes());
        if sent.and_then(|()| input.write_all(b"\n")).is_err() {
            return;
        }
    }
}

fn hear_lines(output: impl Read, heard: &Sender<Result<Value>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = output
            .by_ref()
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut line);
        if line.is_empty() || read.is_err() {
            return;
        }
        let event = json::parse_bytes(&line, json::JsonLimits::default());
        let event = event.map_err(|err| -> ToolError {
            tool_error!(Internal, "a line of the driver of Ray is no JSON: {err}")
        });
        let is_last = event.is_err();
        if heard.send(event).is_err() || is_last {
            return;
        }
    }
}

fn keep_end(mut errors: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut part = [0; 1024];
    while let Ok(count @ 1..) = errors.read(&mut part) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&part[..count]);
        let excess = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..excess);
    }
}
