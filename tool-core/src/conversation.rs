//! [`ProcessConversation`]: a long-lived sandboxed process that exchanges lines.

use std::time::Duration;

use crate::command::{Level, ProcessExit};
use crate::error::ToolError;
use crate::stop::StopFlag;

/// The result of waiting for a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineWaitResult {
    /// A line, without its end.
    Line(String),
    /// No line within the time.
    Silence,
    /// The process ended and all its lines were returned; its exit, where known.
    Ended(Option<ProcessExit>),
}

/// A live process of a [`Spawner`](crate::capability::Spawner). Dropping it kills its process tree.
pub trait ProcessConversation: Send + Sync {
    /// Sends one line; the newline is added. After an error, part of it may have been read, and the conversation is unusable.
    ///
    /// # Errors
    /// `limit_exceeded` for a line longer than `limits.stdout_bytes`, `tool_error` with reason `ended` when the process is
    /// gone, `cancelled` or `timeout` when the stop flag is set before all was taken.
    fn send(&self, line: &str, stop: &StopFlag) -> Result<(), ToolError>;

    /// Reads the next line of standard output, waiting at most this long.
    ///
    /// # Errors
    /// `limit_exceeded` for a line longer than `limits.stdout_bytes`, `tool_error` for one that is not UTF-8 and for a
    /// program that could not be run, `cancelled` or `timeout` when the stop flag is set.
    fn receive(&self, wait: Duration, stop: &StopFlag) -> Result<LineWaitResult, ToolError>;

    /// The beginning of a line that is longer than `limits.stdout_bytes`, after the error that says so; by default nothing is kept of it.
    fn unfinished(&self) -> String {
        String::new()
    }

    /// Ends its standard input: it reads the lines that were sent, and then the end. By default nothing ends.
    fn end_input(&self) {}

    /// Asks the processes of the command to end, by SIGTERM, without waiting for them; by default kills them.
    fn terminate(&self) {
        self.kill();
    }

    /// Kills the process tree without waiting for it.
    fn kill(&self);

    /// The last bytes of standard error, at most `limits.stderr_bytes`.
    fn stderr(&self) -> String;

    /// Level of the sandbox.
    fn level(&self) -> Level;
}
