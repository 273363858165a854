//! Capabilities: what of the world crosses into tools and runtime parts, as traits; the binary joins them.
//!
//! A tool sees only those it declares in its [`Spec`](crate::Spec). The crates that decide and schedule know the world only
//! through [`Clock`], [`Arrays`], [`Ledger`] and [`Approvals`].

use std::fmt;
use std::io::{Read, Seek, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::command::{Command, Finished, Program};
use crate::conversation::Conversation;
use crate::error::{ErrorCode, ToolError};
use crate::input::{InputKind, Source};
use crate::stop::StopFlag;
use crate::value::Value;

/// What a directory entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, socket or pipe.
    Other,
}

impl FileKind {
    /// The spelling in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Link => "link",
            Self::Other => "other",
        }
    }
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileInfo {
    /// Path relative to the workspace root, with `/`.
    pub path: String,
    /// What it is.
    pub kind: FileKind,
    /// Size in bytes.
    pub size: u64,
    /// Last change, in seconds since 1970-01-01 UTC.
    pub modified_s: f64,
    /// Permission bits, as `chmod` counts them.
    pub mode: u32,
}

/// The content of a file, up to a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct FileContent {
    /// What is known of the file.
    pub info: FileInfo,
    /// The bytes read.
    pub bytes: Vec<u8>,
    /// Whether the file has more.
    pub truncated: bool,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WriteMode {
    /// The file must not exist.
    Create,
    /// What is there stays; the content goes to its end.
    Append,
    /// What is there is replaced, atomically.
    Overwrite,
}

/// What becomes of links on the way to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Links {
    /// They are followed as long as they stay beneath the root.
    Follow,
    /// A link anywhere in the path is an error.
    Refuse,
}

/// One of several changes that happen together or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A new file, with the folders above it; the path must be free.
    Create {
        /// Its path.
        path: String,
        /// Its content.
        content: Vec<u8>,
        /// Its permission bits; `None` gives the usual ones.
        mode: Option<u32>,
    },
    /// New content for a file that still has the old one.
    Replace {
        /// Its path.
        path: String,
        /// What it must hold when it is replaced.
        before: Vec<u8>,
        /// Its new content.
        content: Vec<u8>,
    },
    /// A file is deleted that still has the content it had.
    Delete {
        /// Its path.
        path: String,
        /// What it must hold when it is deleted.
        before: Vec<u8>,
    },
}

/// Room on the file system of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Size of the file system in bytes.
    pub total: u64,
    /// Bytes that this user can still write.
    pub free: u64,
}

/// An open regular file.
pub trait FileReader: Read + Seek + Send {}

impl<T: Read + Seek + Send> FileReader for T {}

/// A folder in the making: it has no name before [`Draft::finish`], and dropping it leaves nothing behind.
///
/// Paths are relative to the folder, with `/`, and have no empty part, no `.` and no `..`.
pub trait Draft: Send {
    /// Makes a folder, and those above it.
    ///
    /// # Errors
    /// `conflict` when a file has the name.
    fn make_folder(&mut self, path: &str) -> Result<(), ToolError>;

    /// Makes a file, and the folders above it; its content is what is written to the result.
    ///
    /// # Errors
    /// `conflict` when the name is taken.
    fn make_file(
        &mut self,
        path: &str,
        executable: bool,
    ) -> Result<Box<dyn Write + Send>, ToolError>;

    /// Syncs everything to disk and gives the folder its name.
    ///
    /// # Errors
    /// `conflict` when the name belongs to a file, or to a folder that is not empty; nothing is left then.
    fn finish(self: Box<Self>) -> Result<(), ToolError>;
}

fn not_here(what: &str, path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::PreconditionFailed,
        format_args!("`{path}` cannot be {what} here"),
    )
}

/// Files beneath the workspace root; no path leaves it, whatever links it crosses.
pub trait Files: Send + Sync {
    /// Reads at most `bytes_max` bytes of a regular file.
    ///
    /// # Errors
    /// `invalid_args` for a path that leaves the workspace or is no regular file; `tool_error` with reason `not_found` or
    /// `io` otherwise.
    fn read(&self, path: &str, bytes_max: u64) -> Result<FileContent, ToolError>;

    /// Writes a file: atomically, synced to disk before it returns. Gives the file's size afterwards.
    ///
    /// # Errors
    /// As [`Files::read`]; `conflict` when `Create` finds a file.
    fn write(&self, path: &str, content: &[u8], mode: WriteMode) -> Result<FileInfo, ToolError>;

    /// Lists a folder in name order, at most `entries_max`; recursion does not follow links. The second value says whether
    /// there is more.
    ///
    /// # Errors
    /// As [`Files::read`].
    fn list(
        &self,
        path: &str,
        recursive: bool,
        entries_max: usize,
        stop: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool), ToolError>;

    /// Makes a folder, and those above it that are missing; one that is there is no error.
    ///
    /// # Errors
    /// As [`Files::write`]; by default `precondition_failed`: this workspace makes no folders.
    fn make_folder(&self, path: &str) -> Result<(), ToolError> {
        Err(not_here("made", path))
    }

    /// Opens a regular file for reading in parts.
    ///
    /// # Errors
    /// As [`Files::read`]; by default `precondition_failed`.
    fn open(&self, path: &str, links: Links) -> Result<(FileInfo, Box<dyn FileReader>), ToolError> {
        let _ = links;
        Err(not_here("opened", path))
    }

    /// The entries of one folder, in the order in which a walk through the tree meets their paths.
    ///
    /// # Errors
    /// As [`Files::read`]; by default `precondition_failed`.
    fn entries(
        &self,
        path: &str,
        links: Links,
        stop: &StopFlag,
    ) -> Result<Vec<FileInfo>, ToolError> {
        let _ = (links, stop);
        Err(not_here("listed", path))
    }

    /// What is known of the place a path leads to.
    ///
    /// # Errors
    /// As [`Files::read`]; by default `precondition_failed`.
    fn stat(&self, path: &str) -> Result<FileInfo, ToolError> {
        Err(not_here("looked at", path))
    }

    /// Room on the file system of a path.
    ///
    /// # Errors
    /// As [`Files::read`]; by default `precondition_failed`.
    fn space(&self, path: &str) -> Result<Space, ToolError> {
        Err(not_here("looked at", path))
    }

    /// Deletes a regular file, or a folder that is empty; gives what is known of it.
    ///
    /// # Errors
    /// As [`Files::write`]; `invalid_args` when the path is not of the `kind`; `conflict` for a folder that is not empty.
    fn remove(&self, path: &str, kind: FileKind) -> Result<FileInfo, ToolError> {
        let _ = kind;
        Err(not_here("deleted", path))
    }

    /// Changes several files: all of them or, when one cannot be changed, none. Synced to disk before it returns. Gives what is
    /// known of each afterwards; of a deleted one, what was known before.
    ///
    /// # Errors
    /// As [`Files::write`]; `resource_changed` when a file no longer holds what it should.
    fn change(&self, changes: &[Change]) -> Result<Vec<FileInfo>, ToolError> {
        let _ = changes;
        Err(not_here("changed", "."))
    }

    /// Begins a folder, whose path must be free or an empty folder.
    ///
    /// # Errors
    /// As [`Files::write`].
    fn draft(&self, path: &str) -> Result<Box<dyn Draft>, ToolError> {
        Err(not_here("made", path))
    }

    /// The identity of what a path means: links resolved, relative to the root, the same for every spelling of one file.
    ///
    /// The form is `a/b/c`, or `.` for the root itself. A file that has several names (hard links) has its inode after two
    /// slashes, `a/b//8:1042`, which no path can hold. [`identities_overlap`] compares two of them.
    ///
    /// # Errors
    /// As [`Files::read`]; missing last parts are no error.
    fn identity(&self, path: &str) -> Result<String, ToolError>;
}

/// Whether two identities mean the same file, or one is a folder that holds the other.
pub fn identities_overlap(a: &str, b: &str) -> bool {
    let split = |identity: &'_ str| -> (usize, Option<usize>) {
        match identity.find("//") {
            Some(end) => (end, Some(end + 2)),
            None => (identity.len(), None),
        }
    };
    let ((a_end, a_inode), (b_end, b_inode)) = (split(a), split(b));
    if let (Some(a_inode), Some(b_inode)) = (a_inode, b_inode)
        && a[a_inode..] == b[b_inode..]
    {
        return true;
    }
    let holds = |folder: &str, path: &str| {
        folder == "."
            || path
                .strip_prefix(folder)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let (a, b) = (&a[..a_end], &b[..b_end]);
    holds(a, b) || holds(b, a)
}

/// What a request asks of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HttpMethod {
    /// Reading; may be repeated.
    Get,
    /// Sending; never repeated by itself.
    Post,
}

impl HttpMethod {
    /// The spelling on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// What the rules on a call say of a host that a request comes to on its way, by its name without the port.
///
/// The dispatcher sets it on every request of a tool; whoever sends the request asks it before each hop.
#[derive(Clone, Default)]
pub struct HostJudge(Option<Arc<JudgeHost>>);

type JudgeHost = dyn Fn(&str) -> Result<(), ToolError> + Send + Sync;

impl HostJudge {
    /// Judges by a function.
    pub fn new(judge: impl Fn(&str) -> Result<(), ToolError> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(judge)))
    }

    /// Whether the request may come to a host; where there are no rules, it may.
    ///
    /// # Errors
    /// `policy_denied` that names the rule and the next step.
    pub fn judge(&self, host: &str) -> Result<(), ToolError> {
        self.0.as_ref().map_or(Ok(()), |judge| judge(host))
    }
}

impl fmt::Debug for HostJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostJudge")
    }
}

impl PartialEq for HostJudge {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(another)) => Arc::ptr_eq(one, another),
            (one, another) => one.is_none() && another.is_none(),
        }
    }
}

impl Eq for HostJudge {}

/// An HTTP request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// What is asked.
    pub method: HttpMethod,
    /// Absolute http(s) URL.
    pub url: String,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Media types the caller can read, such as `text/html`; a type that ends in `/` means all below it. Empty: any.
    pub accept: &'static [&'static str],
    /// The service this request is for: its configured key is added, as long as the URL is beneath the service's address.
    pub service: Option<&'static str>,
    /// Longest wait for the whole exchange, redirects and repetitions included.
    pub timeout: Duration,
    /// Largest decoded body in bytes; what is longer is cut.
    pub bytes_max: u64,
    /// Most redirects followed.
    pub redirects_max: u32,
    /// Whether a redirect may lead to any public host, not only to the same one and to listed ones.
    pub any_host: bool,
    /// Asked about every host on the way, the first included.
    pub hosts: HostJudge,
}

impl HttpRequest {
    /// Reading one URL, with the usual limits.
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: HttpMethod::Get,
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
            accept: &[],
            service: None,
            timeout: Duration::from_secs(30),
            bytes_max: 10 << 20,
            redirects_max: 5,
            any_host: false,
            hosts: HostJudge::default(),
        }
    }
}

/// An HTTP response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// Header names, in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// Decoded body, up to the limit.
    pub body: Vec<u8>,
    /// Whether the body has more.
    pub truncated: bool,
    /// The URL that answered, after redirects.
    pub url: String,
    /// Time from the first attempt to the last byte.
    pub elapsed: Duration,
}

impl HttpResponse {
    /// The first value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Where a service that tools speak to is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpService {
    /// Which service it is: `wikipedia`, `crossref`, `searxng`; results name it.
    pub provider: String,
    /// Its address, without a slash at the end; `{language}` stands for a language code.
    pub base: String,
}

/// HTTP requests to hosts that the configuration allows; addresses are checked when the connection is made.
pub trait Http: Send + Sync {
    /// Sends one request and reads the answer, whatever its status.
    ///
    /// # Errors
    /// `policy_denied` for a host, port, address or redirect that is not allowed, `invalid_args` for a URL that is none,
    /// `limit_exceeded`, `timeout`, `cancelled`, `tool_error` for a failed exchange.
    fn send(&self, request: &HttpRequest, stop: &StopFlag) -> Result<HttpResponse, ToolError>;

    /// Where a service is reached, by its role: `wikipedia`, `arxiv`, `papers`, `books`, `search`.
    fn service(&self, role: &str) -> Option<HttpService>;
}

/// Vectors that a model gave to texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Embeddings {
    /// Name of the model; vectors of different names cannot be compared.
    pub backend: String,
    /// One vector for each text, in their order, all of one length.
    pub vectors: Vec<Vec<f64>>,
}

/// Who speaks in a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// Sets the task.
    System,
    /// Asks.
    User,
    /// The model, earlier.
    Assistant,
}

/// An image in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Such as `image/png`.
    pub media_type: String,
    /// Its bytes in base64.
    pub base64: String,
}

/// A message to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub speaker: Speaker,
    /// What is said.
    pub text: String,
    /// Images beside the text.
    pub images: Vec<Image>,
}

/// What a model answered. The text comes from outside: it is data, never an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Name of the model.
    pub backend: String,
    /// Its answer.
    pub text: String,
    /// Whether the answer was cut at the model's limit.
    pub truncated: bool,
}

/// Models behind endpoints that the configuration names; every request is a `calls_llm` effect of the tool that makes it.
pub trait Model: Send + Sync {
    /// Vectors for texts.
    ///
    /// # Errors
    /// `precondition_failed` that names the key where no endpoint is configured; `tool_error` for a failed exchange or an answer
    /// that is not of the documented shape.
    fn embed(&self, texts: &[&str], stop: &StopFlag) -> Result<Embeddings, ToolError>;

    /// An answer to a conversation; one with images goes to the model that sees.
    ///
    /// # Errors
    /// As [`Model::embed`].
    fn chat(&self, messages: &[Message], stop: &StopFlag) -> Result<Reply, ToolError>;
}

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

/// Reading plugins and configuration again.
pub trait Reload: Send + Sync {
    /// Reads them, and lets what changed hold for calls that begin later. Gives what changed.
    ///
    /// # Errors
    /// Everything that is wrong with them; what held before stays then.
    fn reload(&self) -> Result<Value, ToolError>;
}

/// Calling other tools, with the rights of the caller and never more.
pub trait Calls: Send + Sync {
    /// Calls a tool through the dispatcher.
    ///
    /// # Errors
    /// As the call itself.
    fn call(&self, tool: &str, args: &Value, stop: &StopFlag) -> Result<Value, ToolError>;
}

/// Opens the files and artifacts that arguments refer to.
pub trait Arrays: Send + Sync {
    /// The content, converted to what the argument needs; at most `bytes_max` bytes are read.
    ///
    /// # Errors
    /// As [`Files::read`]; `invalid_args` for a content that is not of the kind.
    fn open(&self, source: &Source, kind: InputKind, bytes_max: u64) -> Result<Value, ToolError>;
}

/// What a ledger record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Durability {
    /// May be batched: a pure call.
    Batched,
    /// On disk before `record` returns: anything with effects.
    Synced,
}

/// The audit: one hash-chained record per call.
pub trait Ledger: Send + Sync {
    /// Appends a record and returns its number and the new head of the chain.
    ///
    /// # Errors
    /// `tool_error` when it could not be written; the caller then refuses effects.
    fn record(&self, record: &Value, durability: Durability) -> Result<LedgerHead, ToolError>;
}

/// Where a chain of audit records stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerHead {
    /// Name of the chain.
    pub session: String,
    /// Number of the newest record, from 1.
    pub sequence: u64,
    /// Its hash, 64 hex digits.
    pub hash: String,
}

/// A question to the person at the terminal.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRequest {
    /// Digest of tool, version, canonical arguments, resource keys, role and policy generation.
    pub digest: String,
    /// Canonical id of the tool.
    pub tool: String,
    /// Role of the caller.
    pub role: String,
    /// The arguments in short, secrets redacted.
    pub preview: String,
    /// Why a person is asked: layer and rule.
    pub reason: String,
}

/// Where an approval stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalState {
    /// Waits for a person; the id names it.
    Pending(String),
    /// Given, and now used up by this call; by whom.
    Consumed {
        /// The approval's id.
        id: String,
        /// Who gave it.
        approved_by: String,
    },
    /// A person said no; the id names it.
    Declined(String),
    /// Nobody answered, or nobody used the answer, in time.
    Expired(String),
}

/// Approvals: asked by the dispatcher, settled by a person outside.
pub trait Approvals: Send + Sync {
    /// Looks for an answer to exactly this request. A granted one is consumed and `intent` is recorded, in one transaction;
    /// without an answer the request is filed (once) and stays pending.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read or written.
    fn settle(&self, request: &ApprovalRequest, intent: &Value)
    -> Result<ApprovalState, ToolError>;
}

#[cfg(test)]
mod tests {
    use super::identities_overlap;

    #[test]
    fn identities_overlap_when_equal_contained_or_hard_linked() {
        for (a, b, expected) in [
            ("a/b", "a/b", true),
            ("a", "a/b", true),
            ("a", "ab", false),
            ("a/b", "a/c", false),
            (".", "a", true),
            (".", ".", true),
            ("a/f//8:1", "b/g//8:1", true),
            ("a/f//8:1", "b/g//8:12", false),
            ("a", "a/f//8:1", true),
            ("b", "a/f//8:1", false),
            ("a/f", "a/f//8:1", true),
        ] {
            assert_eq!(identities_overlap(a, b), expected, "{a} {b}");
            assert_eq!(identities_overlap(b, a), expected, "{b} {a}");
        }
    }
}
