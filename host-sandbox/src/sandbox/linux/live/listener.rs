//! The thread that reads the output of a command, and the queue it fills.

use std::collections::VecDeque;
use std::fs::File;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tool_core::command::{ProcessExit, SandboxCommand};
use tool_core::{ToolError, tool_error};

use super::super::super::policy::SandboxPolicy;
use super::super::launched::{END, LOOK, await_input, read_parts};
use super::super::refusal::classify_failure;
use super::{LiveLauncher, too_long};

/// Maximum parts of a stream that are read at once.
const PARTS_MAX: usize = 4;
/// Maximum queued lines; beyond it the process blocks.
const LINES_MAX: usize = 1024;

/// Output that was read but not yet consumed.
#[derive(Default)]
pub(super) struct PendingOutput {
    pub(super) lines: VecDeque<String>,
    pub(super) bytes: usize,
    pub(super) stderr: VecDeque<u8>,
    /// The beginning of a line that is too long.
    pub(super) unfinished: Vec<u8>,
    /// The reason why no further line can be read.
    pub(super) fault: Option<ToolError>,
    /// The exit, after all output was read and no process of the command is left.
    pub(super) end: Option<Option<ProcessExit>>,
}

#[derive(Default)]
pub(super) struct OutputBuffer {
    pub(super) found: Mutex<PendingOutput>,
    pub(super) changed: Condvar,
}

impl OutputBuffer {
    pub(super) fn found(&self) -> MutexGuard<'_, PendingOutput> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the output of a process until it ends.
pub(super) struct OutputListener {
    pub(super) launched: LiveLauncher,
    pub(super) line: Vec<u8>,
    pub(super) line_bytes_max: usize,
    pub(super) stderr_bytes_max: usize,
    pub(super) shared: Arc<OutputBuffer>,
}

impl OutputListener {
    pub(super) fn listen(mut self, policy: &SandboxPolicy, command: &SandboxCommand) {
        let mut open = true;
        let mut told: Option<Instant> = None;
        while open || self.launched.stream.is_some() || self.launched.stderr.is_some() {
            let full = {
                let found = self.shared.found();
                found.lines.len() >= LINES_MAX || found.bytes > self.line_bytes_max
            };
            // Reports end with the launcher; then no process is left that could write.
            if !open {
                let since = *told.get_or_insert_with(Instant::now);
                if since.elapsed() > END {
                    break;
                }
            }
            let launched = &self.launched;
            let control = open.then(|| launched.control.as_fd());
            let stream = launched.stream.as_ref().filter(|_| !full);
            let stderr = launched.stderr.as_ref().map(File::as_fd);
            let output = stream.map(UnixStream::as_fd).into_iter().chain(stderr);
            let wait = if full { LOOK } else { Duration::from_secs(1) };
            let _ = await_input(output.chain(control), wait);
            open = open && self.launched.read_reports(Duration::ZERO).unwrap_or(false);
            if !full || !open {
                self.read_stream();
            }
            self.read_stderr();
        }
        let reports = &self.launched.reports;
        // After `ready`, failures are those of the program.
        let failed = reports.failed();
        let fault = failed.and_then(|failure| classify_failure(policy, command, failure).err());
        let exit = reports.ended().map(|ended| ended.exit);
        let shared = Arc::clone(&self.shared);
        if !self.line.is_empty() {
            let rest = std::mem::take(&mut self.line);
            self.push(rest);
        }
        drop(self); // waits for the launcher
        let mut found = shared.found();
        if found.fault.is_none() {
            found.fault = fault;
        }
        found.end = Some(exit);
        shared.changed.notify_all();
    }

    fn read_stream(&mut self) {
        let mut stream = self.launched.stream.take();
        let read = read_parts(&mut stream, PARTS_MAX, |part| self.take(part));
        self.launched.stream = stream.filter(|_| read.is_ok());
    }

    /// Splits a part into lines.
    fn take(&mut self, mut part: &[u8]) {
        while !part.is_empty() && self.shared.found().fault.is_none() {
            let end = part.iter().position(|&byte| byte == b'\n');
            let taken = end.unwrap_or(part.len());
            if self.line.len() + taken > self.line_bytes_max {
                let room = self.line_bytes_max - self.line.len();
                self.line.extend_from_slice(&part[..room]);
                self.shared.found().unfinished = std::mem::take(&mut self.line);
                return self.fail(too_long(self.line_bytes_max));
            }
            self.line.extend_from_slice(&part[..taken]);
            let Some(end) = end else { return };
            part = &part[end + 1..];
            let line = std::mem::take(&mut self.line);
            self.push(line);
        }
    }

    fn push(&self, line: Vec<u8>) {
        let Ok(line) = String::from_utf8(line) else {
            return self.fail(tool_error!(ToolError, "line";
                "a line of the process is not UTF-8"));
        };
        let mut found = self.shared.found();
        found.bytes += line.len();
        found.lines.push_back(line);
        self.shared.changed.notify_all();
    }

    /// Ends the process: data after a fault is not trusted.
    fn fail(&self, fault: ToolError) {
        self.shared.found().fault.get_or_insert(fault);
        self.shared.changed.notify_all();
        let _ = self.launched.control.shutdown(Shutdown::Write);
    }

    fn read_stderr(&mut self) {
        let read = read_parts(&mut self.launched.stderr, PARTS_MAX, |part| {
            let mut found = self.shared.found();
            found.stderr.extend(part);
            let over = found.stderr.len().saturating_sub(self.stderr_bytes_max);
            found.stderr.drain(..over);
        });
        if read.is_err() {
            self.launched.stderr = None;
        }
    }
}
