//! [`EventLog`]: an append-only log of one workspace, and the files that show it; and [`CallerIdentity`], who a call is made by.

use std::any::Any;
use std::sync::{Arc, Mutex};

use crate::error::ToolError;

/// Who a call is made by, as the dispatcher knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallerIdentity {
    /// Role of the caller.
    pub role: String,
    /// Agent of the caller; the id of one that a call started.
    pub agent: Option<String>,
    /// Whether the call is made for another caller.
    pub is_delegate: bool,
    /// The person who made or approved this call; nothing else makes a caller a person.
    pub approved_by: Option<String>,
    /// Whether the configuration lets the agent through the human gate of this tool.
    pub has_grant: bool,
}

/// Makes new events of the events that its caller does not know yet and of the time, in milliseconds since 1970-01-01 UTC.
pub type Decide<'a> = dyn FnMut(&[String], u64) -> Result<Vec<String>, ToolError> + 'a;

/// Writes the files of a log: from the number that they show so far and the events since, to the number that they show now.
pub type Show<'a> = dyn FnMut(u64, &[String]) -> Result<u64, ToolError> + 'a;

/// What readers of a log keep of it, so that a process folds each event once.
pub type Memo = Mutex<Option<Arc<dyn Any + Send + Sync>>>;

/// The events of a workspace, numbered from 1 without gaps, and the files that show them. A log is never changed, only continued.
pub trait EventLog: Send + Sync {
    /// The events after a number, in order.
    ///
    /// # Errors
    /// `tool_error` when the log cannot be read.
    fn after(&self, number: u64) -> Result<Vec<String>, ToolError>;

    /// Continues the log by what `decide` makes of the events after `known` and of the time, in milliseconds since 1970-01-01 UTC. No
    /// other process continues it in between, and the new events are on disk when this returns.
    ///
    /// # Errors
    /// `tool_error` when the log cannot be written, and errors of `decide`; nothing is written then.
    fn append(&self, known: u64, decide: &mut Decide<'_>) -> Result<(), ToolError>;

    /// Lets `show` write the files: it gets the number up to which they show the events, and the events after the lesser of that number and
    /// `known`, and returns the new number. No other process writes events or files in between; `show` only reads and writes files: what
    /// is to be written was made before, since everybody waits.
    ///
    /// # Errors
    /// As [`EventLog::append`].
    fn show(&self, known: u64, show: &mut Show<'_>) -> Result<(), ToolError>;

    /// The number up to which the files show the events.
    ///
    /// # Errors
    /// As [`EventLog::after`].
    fn shown(&self) -> Result<u64, ToolError>;

    /// A file that shows events; `None` where there is none.
    ///
    /// # Errors
    /// `tool_error` for what cannot be read, `precondition_failed` without a workspace.
    fn read(&self, path: &str) -> Result<Option<String>, ToolError>;

    /// Writes such a file atomically, with its folders.
    ///
    /// # Errors
    /// As [`EventLog::read`].
    fn write(&self, path: &str, text: &str) -> Result<(), ToolError>;

    /// Refuses the log of a workspace that this folder is a copy of.
    ///
    /// # Errors
    /// `precondition_failed` with reason `workspace_copied`.
    fn check_origin(&self) -> Result<(), ToolError>;

    /// What new ids have in them, so that two checkouts of one project never give the same; empty in the first one.
    ///
    /// # Errors
    /// As [`EventLog::after`].
    fn checkout(&self) -> Result<String, ToolError>;

    /// What readers keep.
    fn memo(&self) -> &Memo;
}
