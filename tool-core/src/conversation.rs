//! [`Conversation`]: a sandboxed process that stays and is spoken with in lines.

use std::time::Duration;

use crate::command::{Exit, Level};
use crate::error::ToolError;
use crate::stop::StopFlag;

/// What came of listening for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A line, without its end.
    Line(String),
    /// Nothing within the time.
    Silence,
    /// The process is gone and every line of it was given; how it ended, where that is known.
    Ended(Option<Exit>),
}

/// A live process of a [`Spawner`](crate::capability::Spawner). Dropping it ends the whole tree of its processes.
pub trait Conversation: Send + Sync {
    /// Sends one line; the end is added. After an error the process may have seen a part of it, and is of no further use.
    ///
    /// # Errors
    /// `limit_exceeded` for a line longer than `limits.stdout_bytes`, `tool_error` with reason `ended` when the process is
    /// gone, `cancelled` or `timeout` when the stop flag is set before all was taken.
    fn send(&self, line: &str, stop: &StopFlag) -> Result<(), ToolError>;

    /// The next line of its standard output; waits at most this long.
    ///
    /// # Errors
    /// `limit_exceeded` for a line longer than `limits.stdout_bytes`, `tool_error` for one that is not UTF-8 and for a
    /// program that could not be run, `cancelled` or `timeout` when the stop flag is set.
    fn receive(&self, wait: Duration, stop: &StopFlag) -> Result<Heard, ToolError>;

    /// Ends the whole tree; does not wait for it.
    fn kill(&self);

    /// The end of its standard error, at most `limits.stderr_bytes`.
    fn stderr(&self) -> String;

    /// The level it runs at.
    fn level(&self) -> Level;
}
