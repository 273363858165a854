//! [`WorkflowEvent`]: what happened, in dotted past tense. State is the fold of events, see [`crate::WorkflowState::apply`].
//!
//! The JSON form is one object: `version`, `seq`, `time` (milliseconds since 1970-01-01 UTC), `type`, `actor` (`principal`, `kind`,
//! `role`), `reason` where there is one, and `data`, whose members are the fields of the struct named after the type. Fields that
//! have their default value are left out. Reading refuses unknown members, types and versions, duplicate keys and deep nesting.

mod data;
mod wire;

use tool_core::Value;

pub use data::*;

pub use crate::template::CommandResult;

use crate::actor::{EventActor, EventTime};
use crate::fault::WorkflowFault;

/// The version of the JSON form.
pub const VERSION: u64 = 1;

/// What happened, once: the unit of the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkflowEvent {
    /// Its number, from 1, without gaps.
    pub seq: u64,
    /// When it happened. Nothing is decided by it but the expiry of locks.
    pub time: EventTime,
    /// Who caused it.
    pub actor: EventActor,
    /// The reason given.
    pub reason: Option<String>,
    /// What happened.
    pub data: EventPayload,
}

impl WorkflowEvent {
    /// Its type, such as `task.created`.
    pub const fn kind(&self) -> &'static str {
        self.data.kind()
    }

    /// Its JSON form.
    ///
    /// # Errors
    /// A number beyond 2^53.
    pub fn to_json(&self) -> Result<String, WorkflowFault> {
        Ok(tool_core::json::to_text(&self.to_value()?))
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// Whatever is not exactly the form; see the module.
    pub fn from_json(text: &str) -> Result<Self, WorkflowFault> {
        Self::from_value(&wire::parse_event_text(text)?)
    }

    /// Its form as a value.
    ///
    /// # Errors
    /// A number beyond 2^53.
    pub fn to_value(&self) -> Result<Value, WorkflowFault> {
        wire::write_event(self)
    }

    /// Reads its form as a value.
    ///
    /// # Errors
    /// As [`WorkflowEvent::from_json`].
    pub fn from_value(value: &Value) -> Result<Self, WorkflowFault> {
        wire::read_event(value)
    }
}
