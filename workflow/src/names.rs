//! Statuses and kinds: one closed list each, with its spelling.

use tool_core::names;

names! {
    /// Status of a task.
    #[derive(Default)]
    TaskStatus {
        /// Planned, not yet ready.
        #[default]
        Backlog = "backlog",
        /// Ready to be started.
        Todo = "todo",
        /// Being worked on.
        InProgress = "in-progress",
        /// Submitted, waiting for a review.
        InReview = "in-review",
        /// Approved.
        Done = "done",
        /// Cannot continue.
        Blocked = "blocked",
    }

    /// Status of a chain, derived from its tasks.
    ChainStatus {
        /// No task, or none that is ready.
        Backlog = "backlog",
        /// A task is ready, none was started.
        Todo = "todo",
        /// A task is being worked on.
        InProgress = "in-progress",
        /// A task waits for a review, none is being worked on.
        InReview = "in-review",
        /// Every task is done.
        Done = "done",
        /// A task is blocked.
        Blocked = "blocked",
    }

    /// Status of a request, derived from its chains until it is closed.
    #[derive(Default)]
    RequestStatus {
        /// Not yet proposed.
        Draft = "draft",
        /// Proposed, without chains.
        #[default]
        Backlog = "backlog",
        /// Has chains, none was started.
        Todo = "todo",
        /// A task of a chain was started.
        Doing = "doing",
        /// Closed.
        Done = "done",
    }

    /// How a request was closed.
    Closing {
        /// Approved, then closed.
        Completed = "completed",
        /// Given up.
        Withdrawn = "withdrawn",
        /// Closed in an earlier system, which recorded no approval; only imports close so.
        Imported = "imported",
    }

    /// Kind of a request.
    RequestKind {
        /// A change request, `CR-`.
        Cr = "cr",
        /// A fix request, `FR-`.
        Fr = "fr",
    }

    /// Kind of a chain.
    #[derive(Default)]
    ChainKind {
        /// Designs what is built.
        Design = "design",
        /// Builds it.
        #[default]
        Implementation = "implementation",
    }

    /// Kind of a task.
    #[derive(Default)]
    TaskKind {
        /// Work on the product.
        #[default]
        Impl = "impl",
        /// Work on the process.
        Control = "control",
    }

    /// Outcome of a review.
    Verdict {
        /// Approved.
        Approved = "approved",
        /// Changes requested.
        ChangesRequested = "changes_requested",
    }

    /// Status of a workflow.
    WorkflowStatus {
        /// At work.
        Active = "active",
        /// Stopped until it is resumed or a blocking question is answered.
        Paused = "paused",
        /// Every stage is completed.
        Completed = "completed",
        /// Given up.
        Discarded = "discarded",
    }

    /// Status of a stage.
    StageStatus {
        /// Not reached.
        Pending = "pending",
        /// At work.
        Active = "active",
        /// Waits for a person.
        AwaitingGate = "awaiting_gate",
        /// Passed.
        Completed = "completed",
        /// Not reached before the workflow was discarded.
        Skipped = "skipped",
    }

    /// Kind of a stage.
    StageKind {
        /// A request is written.
        Request = "request",
        /// A design is made.
        Design = "design",
        /// Work is reviewed.
        Review = "review",
        /// Work is done.
        Implementation = "implementation",
        /// Work is tested.
        Verification = "verification",
        /// Ideas are explored.
        Ideation = "ideation",
        /// Lessons are collected.
        Reflection = "reflection",
    }

    /// Kind of a gate: the condition for leaving a stage.
    GateKind {
        /// Always open.
        Auto = "auto",
        /// A person approves.
        HumanApproval = "human_approval",
        /// Every task of the chains is done.
        ChainComplete = "chain_complete",
        /// Commands succeed.
        VerificationPass = "verification_pass",
        /// Always open; a commit may start an audit, which never blocks.
        PostCommit = "post_commit",
        /// Always open; the next stage has a session of its own.
        SessionHandoff = "session_handoff",
    }

    /// Consequence of an option of a gate.
    GateAction {
        /// The gate is satisfied.
        Advance = "advance",
        /// The workflow is discarded.
        Discard = "discard",
    }

    /// Kind of feedback.
    #[derive(Default)]
    FeedbackKind {
        /// Information is missing.
        Clarification = "clarification",
        /// A question about a choice.
        #[default]
        Question = "question",
        /// A suggestion.
        Idea = "idea",
        /// Work cannot continue; always blocking.
        Blocker = "blocker",
        /// A review is wanted.
        Review = "review",
        /// A finding of an audit.
        Audit = "audit",
    }

    /// Priority of feedback.
    Priority {
        /// Low.
        Low = "low",
        /// Medium.
        Medium = "medium",
        /// High.
        High = "high",
        /// Critical.
        Critical = "critical",
    }

    /// Status of feedback.
    FeedbackStatus {
        /// Not yet read.
        Pending = "pending",
        /// Read, not yet answered.
        Acknowledged = "acknowledged",
        /// Answered.
        Resolved = "resolved",
        /// Not to be answered.
        Dismissed = "dismissed",
    }

    /// Kind of a principal.
    ActorKind {
        /// A human being.
        Person = "person",
        /// A model at work.
        Agent = "agent",
        /// A program.
        Service = "service",
    }

    /// How an agent ended.
    AgentOutcome {
        /// Its work is done.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was stopped.
        Cancelled = "cancelled",
    }
}

impl FeedbackKind {
    /// The priority where none is given.
    pub const fn priority(self) -> Priority {
        match self {
            Self::Clarification | Self::Review => Priority::Medium,
            Self::Question | Self::Idea | Self::Audit => Priority::Low,
            Self::Blocker => Priority::Critical,
        }
    }
}

impl FeedbackStatus {
    /// Whether an answer is still awaited.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Acknowledged)
    }
}

impl RequestKind {
    /// The beginning of its ids.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Cr => "CR",
            Self::Fr => "FR",
        }
    }
}

/// Spellings for a message: `todo, blocked`.
pub(crate) fn join_names<T: std::fmt::Display>(names: &[T]) -> String {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    names.join(", ")
}
