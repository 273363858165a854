//! [`Session`]: events folded one by one, with the registry's answers kept beside them; the lines of its log.

use std::cell::RefCell;

use registry::{Facts, Principal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Object, ToolError, Value, convert};

use super::document::documents;
use super::emitted::Emitted;
use super::event::Event;
use super::fold::apply;
use super::state::SessionState;
use super::tools::{Failure, Judged, Offer, Registry};

documents! {
    /// A line of a log that is not what the session asks for or tells.
    Record {
        /// An event was applied.
        Applied = "applied",
        /// An event was refused.
        EventRefused = "event.refused",
        /// A line of input was no event.
        LineRefused = "line.refused",
        /// Where the audit stands at the end.
        AuditHead = "audit",
        /// The state at the end.
        StateDocument = "state",
    }
}

/// An event was applied. What it led to follows, line by line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Applied {
    /// Its number in the session, from 1.
    pub seq: u64,
    /// The event.
    pub event: Value,
    /// What the registry answered, in the order it was asked; a replay uses these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// What it changed in the state, as a JSON Merge Patch (RFC 7396).
    pub changed: Value,
    /// Digest of the state after it.
    pub digest: String,
}

/// An answer of the registry: one of tools, of a call, or a refusal.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Digest of the tools that were offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<String>,
    /// The tools, where they differ from those of the last such answer in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<Offer>,
    /// What was found of a call that may run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
    /// Why there is neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Failure>,
}

/// An event was refused; nothing changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventRefused {
    /// The line of the input it came from, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Its type.
    pub event: String,
    /// Why.
    pub error: Failure,
}

/// A line of input was no event; nothing changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineRefused {
    /// The line of the input, from 1.
    pub line: u64,
    /// Why.
    pub error: Failure,
}

/// Where the audit of the session's calls stands at the end of the input. A replay takes it as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditHead {
    /// `SESSION:N:HASH`, which `mathchain audit verify --head` takes.
    pub head: String,
}

/// The state at the end of the input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateDocument {
    /// Digest of the state.
    pub digest: String,
    /// The state.
    pub state: Value,
}

impl StateDocument {
    /// Of a state.
    ///
    /// # Errors
    /// As [`SessionState::to_value`].
    pub fn of(state: &SessionState) -> Result<Self, ToolError> {
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
    /// The state as data.
    value: Value,
    /// Digest of the tools in the last answer that has them.
    offered: Option<String>,
}

impl<R: Registry> Session<R> {
    /// One that has not begun.
    ///
    /// # Errors
    /// As [`SessionState::to_value`].
    pub fn new(registry: R) -> Result<Self, ToolError> {
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

    /// Whom it asks.
    pub fn registry(&self) -> &R {
        &self.registry
    }

    /// Whom it asks, to change it.
    pub fn registry_mut(&mut self) -> &mut R {
        &mut self.registry
    }

    /// Applies an event: the line of the log, and what is to happen.
    ///
    /// # Errors
    /// As [`apply`]; the session is as it was then.
    pub fn feed(&mut self, event: &Event) -> Result<(Applied, Vec<Emitted>), ToolError> {
        let recording = Recording {
            registry: &self.registry,
            answers: RefCell::default(),
        };
        let step = apply(&self.state, event, &recording)?;
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
            changed: patch(&self.value, &value),
            digest: registry::digest::of_value(&value),
        };
        self.state = step.state;
        self.value = value;
        self.offered = offered;
        Ok((applied, step.emitted))
    }
}

/// Asks a registry and keeps what it answers.
struct Recording<'a> {
    registry: &'a dyn Registry,
    answers: RefCell<Vec<Answer>>,
}

impl Recording<'_> {
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

impl Registry for Recording<'_> {
    fn offer(&self, who: &Principal, facts: &Facts) -> Result<Offer, ToolError> {
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
        facts: &Facts,
        tool: &str,
        args: &Value,
    ) -> Result<Judged, ToolError> {
        let judged = self.registry.judge(who, facts, tool, args);
        let judged = judged.map_err(|error| self.refused(&error))?;
        self.keep(Answer {
            judged: Some(judged.clone()),
            ..Answer::default()
        });
        Ok(judged)
    }
}

/// What turns one value into another, as a JSON Merge Patch. Neither may hold `null`.
pub(super) fn patch(before: &Value, after: &Value) -> Value {
    let (Some(old), Some(new)) = (before.as_object(), after.as_object()) else {
        return after.clone();
    };
    let mut patched = Object::new();
    for (key, member) in new.iter() {
        match old.get(key) {
            Some(same) if same == member => {}
            Some(other) => patched.push_unique(key.into(), patch(other, member)),
            None => patched.push_unique(key.into(), member.clone()),
        }
    }
    for (key, _) in old.iter().filter(|(key, _)| new.get(key).is_none()) {
        patched.push_unique(key.into(), Value::Null);
    }
    Value::Object(patched.into())
}
