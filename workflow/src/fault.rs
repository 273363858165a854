//! [`WorkflowFault`]: why a command or an event is refused. A refused one changes nothing.

use tool_core::{ErrorCode, ToolError, brief, nearest};

/// Why a command or an event is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkflowFault {
    /// No item has this id.
    #[error("no {what} has the id `{id}`")]
    Unknown {
        /// Kind of the item.
        what: &'static str,
        /// The id given.
        id: String,
        /// The id that is nearest.
        near: Option<String>,
        /// Where none is near, all of them, if they are few.
        known: Vec<String>,
    },
    /// The id is taken.
    #[error("the {what} `{id}` exists already")]
    Exists {
        /// Kind of the item.
        what: &'static str,
        /// The id.
        id: String,
    },
    /// The status of an item forbids the transition.
    #[error("{what} `{id}` cannot move from {from} to {to}; allowed: {allowed}")]
    Transition {
        /// Kind of the item.
        what: &'static str,
        /// Its id.
        id: String,
        /// Its status.
        from: &'static str,
        /// The status wanted.
        to: &'static str,
        /// The statuses that may follow, `none` for a final one.
        allowed: String,
        /// What can be done instead.
        next: &'static str,
    },
    /// A required argument is absent or empty.
    #[error("missing `{field}`")]
    Missing {
        /// Name of the argument.
        field: &'static str,
    },
    /// A text is too long.
    #[error("`{field}` has {bytes} bytes, the limit is {max}")]
    TooLong {
        /// Name of the argument.
        field: &'static str,
        /// Its length.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// There are too many of something.
    #[error("{count} {what}, the limit is {max}")]
    TooMany {
        /// What is counted, in the plural.
        what: &'static str,
        /// Their number.
        count: usize,
        /// The limit.
        max: usize,
    },
    /// An argument has an impossible value.
    #[error("`{field}`: expected {expected}, found {found}")]
    Invalid {
        /// Name of the argument.
        field: &'static str,
        /// What is accepted.
        expected: String,
        /// What was given.
        found: String,
    },
    /// A principal decides on its own work.
    #[error("`{principal}` may not {action} the {what} `{id}`: it is their own work")]
    OwnWork {
        /// The verb.
        action: &'static str,
        /// Kind of the item.
        what: &'static str,
        /// Its id.
        id: String,
        /// Who asked.
        principal: String,
    },
    /// The principal is neither a person nor granted.
    #[error(
        "`{principal}` may not satisfy the gate of stage `{stage}` of `{workflow}`: it is not a person and has no grant"
    )]
    NotPerson {
        /// The workflow.
        workflow: String,
        /// Name of the stage.
        stage: String,
        /// Who asked.
        principal: String,
    },
    /// The workflow is paused.
    #[error("the workflow `{workflow}` is paused: {reason}")]
    Paused {
        /// The workflow.
        workflow: String,
        /// The reason given.
        reason: String,
    },
    /// Blocking feedback has no answer yet.
    #[error("the workflow `{workflow}` waits for an answer to {ids}")]
    Unanswered {
        /// The workflow.
        workflow: String,
        /// Ids of the feedback.
        ids: String,
    },
    /// The gate of a stage is not satisfied.
    #[error("gate not satisfied: stage `{stage}` of `{workflow}` {needs}")]
    Gate {
        /// The workflow.
        workflow: String,
        /// Name of the stage.
        stage: String,
        /// What it needs.
        needs: String,
        /// What to do.
        next: String,
    },
    /// A verification command failed.
    #[error("gate not satisfied: `{command}` ended with code {code}")]
    Verification {
        /// The command.
        command: String,
        /// Its exit code.
        code: i32,
    },
    /// Something else has to be done first.
    #[error("{message}")]
    First {
        /// What is wrong.
        message: String,
        /// What to do first.
        next: String,
    },
    /// Patterns of two chains overlap.
    #[error(
        "`{pattern}` overlaps `{other_pattern}`, which chain `{other}` has locked until {until}"
    )]
    Locked {
        /// The pattern wanted.
        pattern: String,
        /// The chain with the lock.
        other: String,
        /// Its pattern.
        other_pattern: String,
        /// When the lock ends.
        until: String,
    },
    /// An event has the wrong number.
    #[error("expected event {expected}, found event {found}")]
    Sequence {
        /// The next number.
        expected: u64,
        /// The number of the event.
        found: u64,
    },
    /// An event has a version that this program does not read.
    #[error("event version {found} is not known; this program reads version {known}")]
    Version {
        /// The version found.
        found: String,
        /// The version known.
        known: u64,
    },
    /// An event has a type that this program does not know.
    #[error("no event has the type `{kind}`")]
    Kind {
        /// The type found.
        kind: String,
        /// The nearest type.
        near: Option<&'static str>,
    },
    /// An event or an argument cannot be read.
    #[error("{path}: {message}")]
    Malformed {
        /// JSON pointer, or the name of the text.
        path: String,
        /// What was expected and found.
        message: String,
    },
}

impl WorkflowFault {
    /// An id that does not exist, with the nearest one.
    pub(crate) fn unknown<'a>(
        what: &'static str,
        id: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        /// Ids that a hint lists.
        const LISTED_MAX: usize = 8;
        let known: Vec<&str> = known.into_iter().collect();
        let near = nearest::nearest_name(id, known.iter().copied()).map(str::to_owned);
        let lists = near.is_none() && known.len() <= LISTED_MAX;
        Self::Unknown {
            what,
            id: brief::brief_name(id).into_owned(),
            near,
            known: match lists {
                true => known.into_iter().map(str::to_owned).collect(),
                false => Vec::new(),
            },
        }
    }

    pub(crate) fn invalid(field: &'static str, expected: impl Into<String>, found: &str) -> Self {
        Self::Invalid {
            field,
            expected: expected.into(),
            found: format!("`{}`", brief::brief_name(found)),
        }
    }

    pub(crate) fn first(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self::First {
            message: message.into(),
            next: next.into(),
        }
    }

    /// The next step.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown {
                near, what, known, ..
            } => match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if !known.is_empty() => format!("there are `{}`", known.join("`, `")),
                None => match *what {
                    "request" | "chain" | "task" => format!("`{what}:list` lists them"),
                    "workflow" => "`workflow:status` lists them".to_owned(),
                    "feedback" => "`feedback:list` lists it".to_owned(),
                    "lock" => "`lock:status` lists them".to_owned(),
                    _ => format!("list the {what} ids first"),
                },
            },
            Self::Transition { next, .. } => (*next).to_owned(),
            Self::Missing { field } => format!("pass a text that is not empty as `{field}`"),
            Self::TooLong { .. } => {
                "shorten it, or write it to a file and name the file".to_owned()
            }
            Self::OwnWork { .. } => "another principal has to do it".to_owned(),
            Self::NotPerson { .. } => "ask a person with `request_approval`".to_owned(),
            Self::Paused { workflow, .. } => {
                format!("resume it with `workflow:resume` of `{workflow}`")
            }
            Self::Unanswered { .. } => {
                "answer it with `feedback:respond`, or dismiss it with `feedback:dismiss`"
                    .to_owned()
            }
            Self::Gate { next, .. } | Self::First { next, .. } => next.clone(),
            Self::Verification { .. } => {
                "repair what it reports, then run the commands again".to_owned()
            }
            Self::Locked { other, .. } => {
                format!("choose other files, or wait for `lock:release` of `{other}`")
            }
            Self::Kind {
                near: Some(near), ..
            } => format!("did you mean `{near}`?"),
            Self::Version { .. } => "use a newer version of this program".to_owned(),
            Self::Exists { .. }
            | Self::TooMany { .. }
            | Self::Invalid { .. }
            | Self::Sequence { .. }
            | Self::Kind { near: None, .. }
            | Self::Malformed { .. } => return None,
        })
    }

    /// A stable name of the kind of fault.
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown_item",
            Self::Exists { .. } => "exists",
            Self::Transition { .. } => "transition",
            Self::Missing { .. } => "missing",
            Self::TooLong { .. } | Self::TooMany { .. } => "limit",
            Self::Invalid { .. } => "invalid",
            Self::OwnWork { .. } => "own_work",
            Self::NotPerson { .. } => "not_person",
            Self::Paused { .. } => "paused",
            Self::Unanswered { .. } => "unanswered",
            Self::Gate { .. } => "gate",
            Self::Verification { .. } => "verification",
            Self::First { .. } => "precondition",
            Self::Locked { .. } => "locked",
            Self::Sequence { .. } => "sequence",
            Self::Version { .. } => "version",
            Self::Kind { .. } => "event_type",
            Self::Malformed { .. } => "malformed",
        }
    }

    fn code(&self) -> ErrorCode {
        match self {
            Self::Unknown { .. } | Self::Missing { .. } | Self::Invalid { .. } => {
                ErrorCode::InvalidArgs
            }
            Self::TooLong { .. } | Self::TooMany { .. } => ErrorCode::LimitExceeded,
            Self::OwnWork { .. } | Self::NotPerson { .. } => ErrorCode::PolicyDenied,
            Self::Exists { .. } | Self::Locked { .. } | Self::Sequence { .. } => {
                ErrorCode::Conflict
            }
            Self::Transition { .. }
            | Self::Paused { .. }
            | Self::Unanswered { .. }
            | Self::Gate { .. }
            | Self::Verification { .. }
            | Self::First { .. } => ErrorCode::PreconditionFailed,
            Self::Version { .. } | Self::Kind { .. } | Self::Malformed { .. } => {
                ErrorCode::InvalidRequest
            }
        }
    }

    /// The argument at fault, as a JSON pointer.
    fn pointer(&self) -> Option<String> {
        match self {
            Self::Missing { field } | Self::TooLong { field, .. } | Self::Invalid { field, .. } => {
                Some(format!("/{field}"))
            }
            Self::Malformed { path, .. } if path.starts_with('/') => Some(path.clone()),
            _ => None,
        }
    }
}

impl From<WorkflowFault> for ToolError {
    fn from(fault: WorkflowFault) -> Self {
        let mut error = Self::new(fault.code(), &fault).reason(fault.reason());
        if let Some(pointer) = fault.pointer() {
            error = error.at(pointer);
        }
        match fault.hint() {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}
