//! What the dispatcher keeps and asks: copies, notices, the audit, approvals.

use std::fmt;

use crate::error::ToolError;
use crate::value::Value;

crate::names! {
    /// What becomes of an approval request that no person decides in time, the strictest last. None of them lets the call run.
    #[derive(Default)]
    ApprovalFallback {
        /// It stays pending.
        Keep = "keep",
        /// It expires: the same call, sent again, files a new one.
        #[default]
        Expire = "expire",
        /// The call is denied; the run of a plan continues with the step failed.
        Deny = "deny",
    }
}

/// A copy that is kept of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupCopy {
    /// Names the copy.
    pub id: String,
    /// Path of the file, relative to the workspace root.
    pub path: String,
    /// Digest of its content, 64 hex digits.
    pub digest: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// Copies of files, kept before a call changes them.
pub trait BackupStore: Send + Sync {
    /// Backs up every file at or below these paths, except missing ones. All copies are on disk when it returns.
    ///
    /// # Errors
    /// When a file could not be read or its copy not be written, or there are too many; the caller then refuses the call.
    fn keep(&self, call_id: &str, paths: &[String]) -> Result<Vec<BackupCopy>, ToolError>;
}

/// Something that a person is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// `call` of a tool with the obligation `notify`, or `question`.
    pub kind: &'static str,
    /// The call it comes from.
    pub call_id: String,
    /// The tool it is about.
    pub tool: Option<String>,
    /// Role of the caller.
    pub role: String,
    /// Agent of the caller.
    pub agent: Option<String>,
    /// What is said, secrets redacted.
    pub text: String,
}

/// A question, and its answer once there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedQuestion {
    /// Id of the question.
    pub id: String,
    /// The answer.
    pub answer: Option<String>,
}

/// The list of notifications, which only grows.
pub trait NotificationLog: Send + Sync {
    /// The newest question of the same caller about the same tool, with the same text; `None` if it was never asked.
    ///
    /// # Errors
    /// `tool_error` when the list could not be read.
    fn asked(&self, question: &Notification) -> Result<Option<AskedQuestion>, ToolError> {
        let _ = question;
        Ok(None)
    }

    /// Adds a notice, durably; gives its id.
    ///
    /// # Errors
    /// `tool_error` when it could not be written; the caller then refuses the call.
    fn notify(&self, notice: &Notification) -> Result<String, ToolError>;
}

/// What a ledger record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordDurability {
    /// May be batched: a pure call.
    Batched,
    /// On disk before `record` returns: anything with effects.
    Synced,
}

/// The audit: one hash-chained record per call.
pub trait AuditLedger: Send + Sync {
    /// Appends a record and returns its number and the new head of the chain.
    ///
    /// # Errors
    /// `tool_error` when it could not be written; the caller then refuses effects.
    fn record(&self, record: &Value, durability: RecordDurability)
    -> Result<LedgerHead, ToolError>;

    /// Appends a record that may be batched; `None`, with nothing done, where that waits for a lock or a file.
    fn record_at_once(&self, record: &Value) -> Option<Result<LedgerHead, ToolError>> {
        Some(self.record(record, RecordDurability::Batched))
    }
}

/// The head of a chain of audit records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerHead {
    /// Name of the chain.
    pub session: String,
    /// Number of the newest record, from 1.
    pub sequence: u64,
    /// Its hash, 64 hex digits.
    pub hash: String,
}

/// `session:sequence:hash`, which `mathchain audit verify --head` takes.
impl fmt::Display for LedgerHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.session, self.sequence, self.hash)
    }
}

impl LedgerHead {
    /// The head in answers: one text, `SESSION:SEQUENCE:HASH`.
    pub fn to_value(&self) -> Value {
        Value::object([("head", self.to_string())])
    }
}

/// A question to the person at the terminal.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRequest {
    /// Digest of tool, version, canonical arguments, contents of the files they open and of those they destroy, resource keys,
    /// workspace, caller, policy generation and place in a run.
    pub digest: String,
    /// Canonical id of the tool.
    pub tool: String,
    /// Role of the caller.
    pub role: String,
    /// Agent of the caller; agents cannot decide.
    pub agent: Option<String>,
    /// The arguments in short, secrets redacted.
    pub preview: String,
    /// Whether the preview leaves out some of the arguments.
    pub cut: bool,
    /// The root of the workspace that the call works in.
    pub workspace: Option<String>,
    /// All that the call is about, secrets redacted; kept until the request is answered or has expired.
    pub details: Value,
    /// Why a person is asked: layer and rule.
    pub reason: String,
    /// The `match` of a rule that is about this call: `path`, `argv` and `url` where it has them; `null` where no rule could be
    /// that exact.
    pub condition: Value,
    /// Whether only the key of an approver answers: a grant without one does not count.
    pub by_key: bool,
    /// How long the request lives, and its answer until the call is made, in milliseconds.
    pub lifetime_ms: u64,
    /// What becomes of it without a decision in that time.
    pub fallback: ApprovalFallback,
    /// The run that asks, and its step (`step`, `step[3]`); `None` for a call of its own.
    pub step: Option<(String, String)>,
    /// For a call with the arguments that a person gave in place of the caller's: the grant that has them.
    pub edited: Option<EditedGrant>,
}

/// A grant for other arguments than those asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedGrant {
    /// The approval's id.
    pub id: String,
    /// Digest of the request that it answers.
    pub digest: String,
}

/// State of an approval.
#[derive(Debug, Clone, PartialEq)]
pub enum ApprovalState {
    /// Waits for a person.
    Pending {
        /// The request's id.
        id: String,
        /// Whether this request was filed by this very call.
        is_new: bool,
    },
    /// Given, and now used up by this call; by whom.
    Consumed {
        /// The approval's id.
        id: String,
        /// Who gave it.
        approved_by: String,
    },
    /// Given for other arguments, which a person wrote: not yet used up. The call with them is settled with [`ApprovalRequest::edited`].
    Edited {
        /// The approval's id.
        id: String,
        /// Who gave it.
        approved_by: String,
        /// The arguments in place of the caller's.
        arguments: Value,
    },
    /// A person said no; the id names it.
    Declined(String),
    /// Denied by its fallback: no decision in time.
    TimedOut(String),
    /// No decision, or no use of the decision, in time.
    Expired(String),
}

/// Approvals: asked by the dispatcher, settled by a person outside.
pub trait ApprovalStore: Send + Sync {
    /// Looks for an answer to exactly this request. A granted one is consumed and `intent` is recorded with its `approval_id` and
    /// `approved_by`, in one transaction; without an answer the request is filed (once) and stays pending.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read or written.
    fn settle(&self, request: &ApprovalRequest, intent: &Value)
    -> Result<ApprovalState, ToolError>;
}
