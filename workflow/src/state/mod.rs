//! [`WorkflowState`]: everything that the events say, and nothing else. [`WorkflowState::apply`] is the only way to change it.

mod change;
pub(crate) mod check;
mod fold;
mod numbers;
mod query;
pub(crate) mod task_move;
mod workflow;

use std::collections::{BTreeMap, BTreeSet};

use crate::actor::{EventActor, EventTime};
use crate::event::parts::{Brief, FeedbackContext};
use crate::names::{
    ActorKind, AgentOutcome, ChainKind, Closing, FeedbackKind, FeedbackStatus, Priority,
    RequestKind, RequestStatus, TaskKind, TaskStatus, Verdict,
};
use crate::template::{CommandResult, WorkflowStage};

/// Requests, chains with their tasks, workflows with their feedback, locks and agents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkflowState {
    pub(crate) seq: u64,
    pub(crate) requests: BTreeMap<String, WorkRequest>,
    pub(crate) chains: BTreeMap<String, TaskChain>,
    pub(crate) workflows: BTreeMap<String, WorkflowInstance>,
    pub(crate) locks: BTreeMap<String, ChainLock>,
    pub(crate) agents: BTreeMap<String, StartedAgent>,
    /// The last number of `CHAIN-NNN-...`.
    pub(crate) chain_counter: u32,
    /// The last number of each prefix with date, such as `CR-20251206`.
    pub(crate) dated_counters: BTreeMap<String, u32>,
}

/// A request: what is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkRequest {
    /// Its id, `CR-20251206-001` or `FR-...`.
    pub id: String,
    /// Its kind.
    pub kind: RequestKind,
    /// Its title.
    pub title: String,
    /// The part of the product it is about.
    pub domain: String,
    /// What is wanted and why.
    pub content: String,
    /// Its author.
    pub author: EventActor,
    /// When it was made.
    pub created: EventTime,
    /// When it last changed.
    pub updated: EventTime,
    /// Its reviews, oldest first.
    pub reviews: Vec<WorkReview>,
    /// How it was closed.
    pub closed: Option<RequestClosure>,
    /// Status while it has no chains.
    pub(crate) initial: RequestStatus,
}

/// How and why a request was closed.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestClosure {
    /// How.
    pub outcome: Closing,
    /// The reason given.
    pub reason: Option<String>,
}

/// A decision about work.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkReview {
    /// The decision.
    pub verdict: Verdict,
    /// Who decided.
    pub by: String,
    /// When.
    pub at: EventTime,
    /// The reason given.
    pub reason: Option<String>,
    /// Single suggestions.
    pub suggestions: Vec<String>,
}

/// A chain: ordered tasks for one request.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskChain {
    /// Its id, `CHAIN-001-slug`.
    pub id: String,
    /// Its request.
    pub request: String,
    /// Its title.
    pub title: String,
    /// Its kind.
    pub kind: ChainKind,
    /// What it is about.
    pub description: String,
    /// A chain that has to be done before tasks of this one start.
    pub depends_on: Option<String>,
    /// Patterns of the files it changes.
    pub file_scope: Vec<String>,
    /// Why it needs no design.
    pub skip_design: Option<String>,
    /// Its author.
    pub author: EventActor,
    /// When it was made.
    pub created: EventTime,
    /// When it or a task of it last changed.
    pub updated: EventTime,
    /// Its reviews, oldest first.
    pub reviews: Vec<WorkReview>,
    /// Its tasks, in the order in which they were made.
    pub tasks: Vec<ChainTask>,
    /// The last number of `NNN-slug`.
    pub(crate) task_counter: u32,
}

/// A task of a chain.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainTask {
    /// Its id, `001-slug`, unique in the chain.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its kind.
    pub kind: TaskKind,
    /// Its status.
    pub status: TaskStatus,
    /// What has to be done.
    pub brief: Brief,
    /// The task that this one repeats.
    pub rework_of: Option<String>,
    /// How often it was sent back.
    pub rework_count: u32,
    /// Its author.
    pub author: EventActor,
    /// When it was made.
    pub created: EventTime,
    /// When it last changed.
    pub updated: EventTime,
    /// Who submitted it last.
    pub submitter: Option<String>,
    /// Everyone who ever submitted it; none of them approves it.
    pub submitters: BTreeSet<String>,
    /// What its last submission says was done.
    pub summary: Option<String>,
    /// Its reviews, oldest first.
    pub reviews: Vec<WorkReview>,
    /// Why it is blocked.
    pub blocked: Option<String>,
}

/// A request on its way through the stages of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkflowInstance {
    /// Its id, `WF-20251206-001`.
    pub id: String,
    /// Name of its template.
    pub template: String,
    /// The request it serves.
    pub request: Option<String>,
    /// The chain it serves, where it is one only.
    pub chain: Option<String>,
    /// Its stages, as the template had them at the start.
    pub stages: Vec<WorkflowStage>,
    /// The stage it is in, from 0.
    pub stage: usize,
    /// Who started it.
    pub author: EventActor,
    /// When it was started.
    pub created: EventTime,
    /// When it last changed.
    pub updated: EventTime,
    /// Why it was paused, other than by feedback.
    pub paused: Option<String>,
    /// How it ended.
    pub ended: Option<WorkflowOutcome>,
    /// The state of each stage's gate.
    pub gates: Vec<GateState>,
    /// Its feedback, by id.
    pub feedback: BTreeMap<String, WorkflowFeedback>,
    /// The last number of `FB-NNN`.
    pub(crate) feedback_counter: u32,
}

/// How a workflow ended.
#[derive(Debug, Clone, PartialEq)]
pub enum WorkflowOutcome {
    /// Every stage is completed.
    Completed,
    /// It was given up for this reason.
    Discarded(String),
}

/// What is known about a gate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GateState {
    /// Who entered the stage or asked for the decision.
    pub opened_by: Option<String>,
    /// Whether an event says that it waits. A log of an earlier version has that event only where the decision was asked for.
    pub announced: bool,
    /// How its condition was met.
    pub satisfied: Option<GateSatisfaction>,
}

/// How the condition of a gate was met.
#[derive(Debug, Clone, PartialEq)]
pub struct GateSatisfaction {
    /// By whom.
    pub by: String,
    /// Kind of that principal.
    pub kind: ActorKind,
    /// When.
    pub at: EventTime,
    /// The option chosen.
    pub option: Option<String>,
    /// What commands returned.
    pub results: Vec<CommandResult>,
}

/// A question or remark, and its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkflowFeedback {
    /// Its id, `FB-001`.
    pub id: String,
    /// Its kind.
    pub kind: FeedbackKind,
    /// The question or remark.
    pub content: String,
    /// Its priority.
    pub priority: Priority,
    /// Whether the workflow is paused until there is an answer.
    pub blocking: bool,
    /// What helps to answer.
    pub context: FeedbackContext,
    /// The chain it is about.
    pub chain: Option<String>,
    /// The task it is about.
    pub task: Option<String>,
    /// The stage it was given in.
    pub stage: usize,
    /// Its author.
    pub author: EventActor,
    /// When it was given.
    pub created: EventTime,
    /// When it last changed.
    pub updated: EventTime,
    /// Its status.
    pub status: FeedbackStatus,
    /// The answer.
    pub response: Option<FeedbackResponse>,
    /// Why it was dismissed.
    pub dismissed: Option<String>,
}

/// The answer to feedback.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedbackResponse {
    /// The answer.
    pub content: String,
    /// The option chosen.
    pub selected_option: Option<String>,
    /// Who answered.
    pub by: String,
    /// When.
    pub at: EventTime,
}

/// Files that a chain has locked.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainLock {
    /// The chain.
    pub chain: String,
    /// Patterns of the files.
    pub patterns: Vec<String>,
    /// Who acquired it.
    pub holder: String,
    /// When.
    pub acquired: EventTime,
    /// When it ends by itself.
    pub expires: EventTime,
}

/// An agent that was started.
#[derive(Debug, Clone, PartialEq)]
pub struct StartedAgent {
    /// Its id.
    pub id: String,
    /// Its role.
    pub role: String,
    /// The agent that started it.
    pub parent: Option<String>,
    /// 0 for one without a parent.
    pub depth: u32,
    /// The chain it works on.
    pub chain: Option<String>,
    /// The task it works on.
    pub task: Option<String>,
    /// How it ended.
    pub outcome: Option<AgentOutcome>,
}
