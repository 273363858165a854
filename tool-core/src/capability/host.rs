//! Processes, time, stored state, the workspace of a session, and reloading.

use std::path::PathBuf;
use std::time::Duration;

use crate::command::{CommandOutput, SandboxCommand, SandboxProgram};
use crate::conversation::ProcessConversation;
use crate::error::{ErrorCode, ToolError};
use crate::stop::StopFlag;
use crate::value::Value;

/// Sandboxed processes; refused where the sandbox cannot be applied.
pub trait Spawner: Send + Sync {
    /// Runs one command; when it returns, all its processes have ended.
    ///
    /// # Errors
    /// `sandbox_unavailable` with the missing feature and the cure, `cancelled` or `timeout` when the stop flag is set,
    /// `tool_error` with reason `not_found` when there is no such program.
    fn run(&self, command: &SandboxCommand, stop: &StopFlag) -> Result<CommandOutput, ToolError>;

    /// Starts a long-lived command that exchanges lines, with the launcher, levels, limits and environment of [`Spawner::run`].
    /// The conversation writes its `stdin`; `limits.wall` is its lifetime, `limits.stdout_bytes` the longest line either way, and
    /// `limits.stderr_bytes` the number of last bytes of standard error that are kept.
    ///
    /// # Errors
    /// As [`Spawner::run`]; by default `sandbox_unavailable`.
    fn converse(
        &self,
        command: &SandboxCommand,
        stop: &StopFlag,
    ) -> Result<Box<dyn ProcessConversation>, ToolError> {
        let _ = (command, stop);
        Err(ToolError::new(
            ErrorCode::SandboxUnavailable,
            "no program can stay and be spoken with here",
        ))
    }

    /// Finds a program: in the path of the sandbox first, then in that of the user.
    fn find(&self, program: &str) -> Option<SandboxProgram>;

    /// The user's home folder, where toolchains keep shared files; never readable as a whole.
    fn home(&self) -> Option<PathBuf>;

    /// The folders, absolute, in which the configuration lets programs of the caller write; by default none.
    fn writable(&self) -> Vec<String> {
        Vec::new()
    }

    /// The socket of the user's SSH agent, for programs that run as the user.
    fn ssh_agent(&self) -> Option<PathBuf> {
        None
    }
}

/// A set alarm; dropping it clears it.
pub trait ClockAlarm: Send {}

/// The time, and timers that set stop flags.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970-01-01 UTC.
    fn unix_ms(&self) -> u64;

    /// Monotonic time since a fixed moment.
    fn monotonic(&self) -> Duration;

    /// Times the flag out after a delay, unless the alarm is dropped before.
    fn alarm(&self, after: Duration, stop: StopFlag) -> Box<dyn ClockAlarm>;
}

/// Small state of workflow tools, one value per key.
pub trait ToolStateStore: Send + Sync {
    /// The value under a key.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    fn get(&self, key: &str) -> Result<Option<Value>, ToolError>;

    /// Updates the value of a key atomically and durably, and returns the new value.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be written, and errors of `change`; the value is then unchanged.
    fn update(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Result<Value, ToolError>,
    ) -> Result<Value, ToolError>;
}

/// Reads plugins and configuration again, for calls that begin later, and returns the changes. With an error (everything that is
/// wrong with them) nothing changes.
pub type Reload = dyn Fn() -> Result<Value, ToolError> + Send + Sync;

/// The workspace of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenWorkspace {
    /// Id in the session.
    pub id: String,
    /// The folder, relative to the workspace root; `.` is the root itself.
    pub path: String,
}

/// Opens and closes the one workspace of a session. Only interfaces with a session have it.
pub trait WorkspaceOpener: Send + Sync {
    /// Opens a folder below the configured root; paths of tools remain relative to that root.
    ///
    /// # Errors
    /// `conflict` when one is open, `invalid_args` unless it is a folder below the root.
    fn open(&self, path: &str) -> Result<OpenWorkspace, ToolError>;

    /// Closes the open workspace.
    ///
    /// # Errors
    /// `precondition_failed` when none is.
    fn close(&self) -> Result<OpenWorkspace, ToolError>;

    /// The open workspace, if any.
    fn opened(&self) -> Option<OpenWorkspace>;
}
