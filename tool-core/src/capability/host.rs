//! Processes, time, stored state, the workspace of a session, and reading again what the program was made of.

use std::path::PathBuf;
use std::time::Duration;

use crate::command::{Command, Finished, Program};
use crate::conversation::Conversation;
use crate::error::{ErrorCode, ToolError};
use crate::stop::StopFlag;
use crate::value::Value;

/// Sandboxed processes: refused, never run anyway, where the sandbox cannot be applied.
pub trait Spawner: Send + Sync {
    /// Runs one command to its end; when it returns, no process of it is left.
    ///
    /// # Errors
    /// `sandbox_unavailable` with the missing feature and the cure, `cancelled` or `timeout` when the stop flag is set,
    /// `tool_error` with reason `not_found` when there is no such program.
    fn run(&self, command: &Command, stop: &StopFlag) -> Result<Finished, ToolError>;

    /// Starts a command that stays, to be spoken with in lines; same launcher, levels, limits and environment as [`Spawner::run`].
    /// Its `stdin` is what the conversation sends, `limits.wall` is how long it may live, `limits.stdout_bytes` the longest line
    /// either way, `limits.stderr_bytes` how much of the end of standard error is kept.
    ///
    /// # Errors
    /// As [`Spawner::run`]; by default `sandbox_unavailable`.
    fn converse(
        &self,
        command: &Command,
        stop: &StopFlag,
    ) -> Result<Box<dyn Conversation>, ToolError> {
        let _ = (command, stop);
        Err(ToolError::new(
            ErrorCode::SandboxUnavailable,
            "no program can stay and be spoken with here",
        ))
    }

    /// Looks for a program: in the sandbox's own path first, then where the caller would find it.
    fn find(&self, program: &str) -> Option<Program>;

    /// The caller's home folder, where tool chains keep what they share; never readable as a whole.
    fn home(&self) -> Option<PathBuf>;
}

/// Held while an alarm is set; dropping it clears the alarm.
pub trait Alarm: Send {}

/// The time, and the timers outside that set stop flags.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970-01-01 UTC.
    fn unix_ms(&self) -> u64;

    /// Time since some fixed moment; never goes back.
    fn monotonic(&self) -> Duration;

    /// Times the flag out after a while, unless the alarm is dropped before.
    fn alarm(&self, after: Duration, stop: StopFlag) -> Box<dyn Alarm>;
}

/// Small named state of workflow tools, one value per key.
pub trait State: Send + Sync {
    /// The value under a key.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    fn get(&self, key: &str) -> Result<Option<Value>, ToolError>;

    /// Makes the next value of a key from the one it has, durably; nobody else changes it meanwhile. Gives the new value.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be written, and what `change` returns; the value then stays as it was.
    fn update(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Result<Value, ToolError>,
    ) -> Result<Value, ToolError>;
}

/// Reads plugins and configuration again, for calls that begin later, and returns the changes. With an error (everything that is
/// wrong with them) nothing changes.
pub type Reload = dyn Fn() -> Result<Value, ToolError> + Send + Sync;

/// A workspace that a session opened or closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenWorkspace {
    /// Names it in the session.
    pub id: String,
    /// The folder, relative to the workspace root; `.` is the root itself.
    pub path: String,
}

/// Opening and closing the one workspace of a session. Only doors with a session have it.
pub trait Workspaces: Send + Sync {
    /// Opens a folder beneath the configured root; paths of tools stay relative to that root.
    ///
    /// # Errors
    /// `conflict` when one is open, `invalid_args` for what is no folder beneath the root.
    fn open(&self, path: &str) -> Result<OpenWorkspace, ToolError>;

    /// Closes the one that is open.
    ///
    /// # Errors
    /// `precondition_failed` when none is.
    fn close(&self) -> Result<OpenWorkspace, ToolError>;

    /// What is open now.
    fn opened(&self) -> Option<OpenWorkspace>;
}
