//! [`Session`]: a fold of events that records the answers of the registry; the lines of its log.

use std::cell::RefCell;

use registry::{Principal, RuntimeFacts};
use tool_core::{Object, Result, ToolError, Value, convert};

use super::document::{documents, structs};
use super::emitted::Emitted;
use super::event::Event;
use super::fold::apply_event;
use super::state::SessionState;
use super::tools::{Failure, Judged, Offer, SessionRegistry};

documents! {
    /// A line of a log that is no [`Emitted`].
    Record {
        /// An event was applied. Its requests and reports follow, one line each.
        Applied = "applied" {
            /// Its number in the session, from 1.
            seq: u64,
            /// The event.
            event: Value,
            /// The answers of the registry, in order; a replay uses these.
            #[value(default, skip_encoding_if = "Vec::is_empty")]
            answers: Vec<Answer>,
            /// The change of the state, as a JSON Merge Patch (RFC 7396).
            changed: Value,
            /// Digest of the state after it.
            digest: String,
        }

        /// An event was refused; nothing changed.
        EventRefused = "event.refused" {
            /// Number of the input line, from 1.
            #[value(default, skip_encoding_if = "Option::is_none")]
            line: Option<u64>,
            /// Type of the event.
            event: String,
            /// The error.
            error: Failure,
        }

        /// A line of input was not an event; nothing changed.
        LineRefused = "line.refused" {
            /// Number of the input line, from 1.
            line: u64,
            /// The error.
            error: Failure,
        }

        /// The head of the audit log of the session's calls at the end of the input. A replay copies it.
        AuditHead = "audit" {
            /// `SESSION:N:HASH`, which `mathchain audit verify --head` takes.
            head: String,
        }

        /// The state at the end of the input.
        StateDocument = "state" {
            /// Digest of the state.
            digest: String,
            /// The state.
            state: Value,
        }
    }
}

structs! {
    /// An answer of the registry: one of tools, of a call, or a refusal.
    #[derive(Default)]
    Answer {
        ;
        /// Digest of the offered tools.
        offered: Option<String>,
        /// The tools, unless they equal those of the last such answer in the log.
        offer: Option<Offer>,
        /// The judgement of a permitted call.
        judged: Option<Judged>,
        /// The refusal.
        refused: Option<Failure>,
    }
}

impl StateDocument {
    /// Describes a state.
    ///
    /// # Errors
    /// As [`SessionState::to_value`].
    pub fn of(state: &SessionState) -> Result<Self> {
        Ok(Self {
            digest: state.digest()?,
            state: state.to_value()?,
        })
    }
}

/// A session over a registry.
pub struct Session<R> {
    registry: R,
    state: SessionState,
    /// The state as a value.
    value: Value,
    /// Digest of the most recently logged tools.
    offered: Option<String>,
}

impl<R: SessionRegistry> Session<R> {
    /// Creates a session before its first event.
    ///
    /// # Errors
    /// As [`SessionState::to_value`].
    pub fn new(registry: R) -> Result<Self> {
        let state = SessionState::default();
        Ok(Self {
            registry,
            value: state.to_value()?,
            state,
            offered: None,
        })
    }

    /// The state.
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    /// The registry.
    pub fn registry(&self) -> &R {
        &self.registry
    }

    /// The registry, mutable.
    pub fn registry_mut(&mut self) -> &mut R {
        &mut self.registry
    }

    /// Applies an event; returns its line of the log, and the requests and reports.
    ///
    /// # Errors
    /// As [`apply_event`]; the session is then unchanged.
    pub fn feed(&mut self, event: &Event) -> Result<(Applied, Vec<Emitted>)> {
        let recording = RecordingRegistry {
            registry: &self.registry,
            answers: RefCell::default(),
        };
        let step = apply_event(&self.state, event, &recording)?;
        let mut answers = recording.answers.into_inner();
        let mut offered = self.offered.clone();
        for answer in answers.iter_mut().filter(|answer| answer.offered.is_some()) {
            if answer.offered == offered {
                answer.offer = None;
            }
            offered.clone_from(&answer.offered);
        }
        let value = step.state.to_value()?;
        let applied = Applied {
            seq: step.state.events,
            event: event.to_value()?,
            answers,
            changed: merge_patch(&self.value, &value),
            digest: registry::digest::of_value(&value),
        };
        self.state = step.state;
        self.value = value;
        self.offered = offered;
        Ok((applied, step.emitted))
    }
}

/// A registry that records the answers of another.
struct RecordingRegistry<'a> {
    registry: &'a dyn SessionRegistry,
    answers: RefCell<Vec<Answer>>,
}

impl RecordingRegistry<'_> {
    fn keep(&self, answer: Answer) {
        self.answers.borrow_mut().push(answer);
    }

    fn refused(&self, error: &ToolError) -> ToolError {
        let failure = Failure::from(error);
        let again = ToolError::from(&failure);
        self.keep(Answer {
            refused: Some(failure),
            ..Answer::default()
        });
        again
    }
}

impl SessionRegistry for RecordingRegistry<'_> {
    fn offer(&self, who: &Principal, facts: &RuntimeFacts) -> Result<Offer> {
        let offer = (self.registry.offer(who, facts)).map_err(|error| self.refused(&error))?;
        let digest = registry::digest::of_value(&convert::to_value(&offer)?);
        self.keep(Answer {
            offered: Some(digest),
            offer: Some(offer.clone()),
            ..Answer::default()
        });
        Ok(offer)
    }

    fn judge(
        &self,
        who: &Principal,
        facts: &RuntimeFacts,
        tool: &str,
        args: &Value,
    ) -> Result<Judged> {
        let judged = self.registry.judge(who, facts, tool, args);
        let judged = judged.map_err(|error| self.refused(&error))?;
        self.keep(Answer {
            judged: Some(judged.clone()),
            ..Answer::default()
        });
        Ok(judged)
    }
}

/// The JSON Merge Patch that turns one value into another. Neither may contain `null`.
pub(super) fn merge_patch(before: &Value, after: &Value) -> Value {
    let (Some(old), Some(new)) = (before.as_object(), after.as_object()) else {
        return after.clone();
    };
    let mut patched = Object::new();
    for (key, member) in new.iter() {
        match old.get(key) {
            Some(same) if same == member => {}
            Some(other) => patched.push_unique(key.into(), merge_patch(other, member)),
            None => patched.push_unique(key.into(), member.clone()),
        }
    }
    for (key, _) in old.iter().filter(|(key, _)| new.get(key).is_none()) {
        patched.push_unique(key.into(), Value::Null);
    }
    Value::Object(patched.into())
}
