//! [`Executor`]: what brings tickets to other processes, and results back.

use std::fmt;

use tool_core::{Result, ToolError, tool_error};

use crate::problem::Fault;

/// A ticket, and which copy of it: one that takes long near the end is submitted once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TicketId {
    /// Number of the ticket in its run, from 1.
    pub number: u64,
    /// Number of the copy, from 1.
    pub copy: u32,
}

impl fmt::Display for TicketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08}-{}", self.number, self.copy)
    }
}

impl TicketId {
    /// Reads the text of an id.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, copy) = text.split_once('-')?;
        let id = Self {
            number: number.parse().ok()?,
            copy: copy.parse().ok()?,
        };
        (id.to_string() == text).then_some(id)
    }
}

/// A ticket on its way to a worker: calls of one tool, as bytes.
#[derive(Debug, Clone)]
pub struct SubmittedTicket<'a> {
    /// Its id.
    pub id: TicketId,
    /// Canonical name of the tool, which a worker checks before it reads anything else.
    pub tool: &'a str,
    /// The calls with their arguments, seeds and limits, as exact text.
    pub body: &'a str,
}

/// What happened to a ticket.
#[derive(Debug, Clone, PartialEq)]
pub enum TicketEvent {
    /// A worker began it.
    Started {
        /// Its id.
        id: TicketId,
        /// The worker's node.
        node: String,
    },
    /// Its worker was lost, and it waits for another.
    Returned {
        /// Its id.
        id: TicketId,
    },
    /// A worker computed it.
    Done {
        /// Its id.
        id: TicketId,
        /// The worker's node.
        node: String,
        /// The results as exact text, verified against the digest that the worker stated.
        body: String,
        /// The digest of the body.
        digest: String,
        /// Milliseconds that its calls took.
        elapsed_ms: f64,
        /// Whether every call ended by itself, so that another computation must give the same digest.
        is_whole: bool,
    },
    /// A worker would not compute it.
    Refused {
        /// Its id.
        id: TicketId,
        /// The worker's node.
        node: String,
        /// Why.
        why: String,
    },
}

/// What an executor has to tell.
#[derive(Debug, Default)]
pub struct ExecutorReport {
    /// Number of calls that its workers compute at a time; 0 without a worker.
    pub slots: usize,
    /// What happened, in order.
    pub events: Vec<TicketEvent>,
    /// Workers that may not compute, and other things that a person should know, each once.
    pub warnings: Vec<String>,
}

/// Brings tickets to workers and results back: a folder of files, or the workers of another engine.
///
/// It decides nothing about tickets: the head packs, verifies, counts time and submits again. It may deliver a result twice, late or never.
/// Every method returns soon.
pub trait Executor: Send + Sync {
    /// Name of the engine: `files`.
    fn name(&self) -> &'static str;

    /// The next step of a person whose run has no worker.
    fn hint(&self) -> String;

    /// Offers a ticket to the workers.
    ///
    /// # Errors
    /// When it cannot be offered now; it is offered again.
    fn submit(&self, ticket: &SubmittedTicket<'_>) -> Result<()>;

    /// What happened since the last time.
    ///
    /// # Errors
    /// When the workers cannot be reached now.
    fn poll(&self) -> Result<ExecutorReport>;

    /// Takes a ticket back; a worker that computes it stops.
    fn withdraw(&self, id: TicketId);

    /// Ends: workers learn that nothing follows.
    fn close(&self);
}

/// What must be equal for two processes to give the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildIdentity {
    /// Version and digest of the program.
    pub build: String,
    /// Instruction set and caches of the processor, on which blocked products and transforms depend.
    pub profile: String,
}

impl BuildIdentity {
    /// Why a worker of this identity may not compute for a head of another; `None` where it may.
    pub(super) fn mismatch(&self, head: &Self) -> Option<String> {
        let differs = |what: &str, ours: &str, theirs: &str| {
            (ours != theirs).then(|| format!("its {what} is `{ours}`, that of the run `{theirs}`"))
        };
        differs("build", &self.build, &head.build)
            .or_else(|| differs("processor", &self.profile, &head.profile))
    }
}

/// The error of a step that requires an engine where none computes.
pub(crate) fn no_cluster_error(step: &str, why: &str, hint: &str) -> ToolError {
    tool_error!(PreconditionFailed, Fault::Place.as_str();
        "step `{step}` has `place: require`, and {why}"; "{hint}")
}
