//! [`WorkflowEvent`]: what happened, in dotted past tense. State is the fold of events, see [`crate::WorkflowState::apply`].
//!
//! The JSON form is one object: `version`, `seq`, `time` (milliseconds since 1970-01-01 UTC), `type`, `actor` (`principal`, `kind`,
//! `role`), `reason` where there is one, and `data`, whose members are the fields of the struct named after the type. Fields that
//! have their default value are left out. Reading refuses unknown members, types and versions, duplicate keys and deep nesting.

pub(crate) mod data;
pub(crate) mod parts;
mod wire;

use tool_core::Value;
use tool_core::convert::{from_value, to_value};

pub use self::parts::{Brief, CodeSnippet, FeedbackContext, FeedbackOption};
pub use crate::template::CommandResult;

use self::data::{EventData, EventKind};
use crate::actor::{EventActor, EventOrigin, EventTime};
use crate::commands::with_commands;
use crate::fault::WorkflowFault;
use crate::state::WorkflowState;

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

    /// What it says beside its data.
    pub(crate) fn origin(&self) -> EventOrigin<'_> {
        EventOrigin {
            time: self.time,
            actor: &self.actor,
            reason: self.reason.as_deref(),
        }
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

/// Defines [`EventPayload`] from the list of commands.
macro_rules! define_payload {
    ($($module:ident:
        $(transition $transition:ident)? $(command $command:ident)? $(=> $event:ident)? $(tool $tool:ident)? $(other $other:ident)?;
    )+) => {
        $($(pub use crate::commands::$event;)?)+

        /// What happened.
        #[derive(Debug, Clone, PartialEq)]
        pub enum EventPayload {
            $($(#[doc = concat!("See [`", stringify!($event), "`].")] $event($event),)?)+
        }

        $($(impl From<$event> for EventPayload {
            fn from(data: $event) -> Self {
                Self::$event(data)
            }
        })?)+

        impl EventPayload {
            /// Every type of event, in the order of the documentation.
            pub const KINDS: &'static [&'static str] = &[$($($event::KIND,)?)+];

            /// Its type.
            pub const fn kind(&self) -> &'static str {
                match self {
                    $($(Self::$event(_) => $event::KIND,)?)+
                }
            }

            fn to_value(&self) -> Result<Value, WorkflowFault> {
                let value = match self {
                    $($(Self::$event(data) => to_value(data),)?)+
                };
                value.map_err(|error| WorkflowFault::Malformed {
                    path: self.kind().to_owned(),
                    message: error.message().to_owned(),
                })
            }

            fn from_parts(kind: &str, data: &Value) -> Result<Self, WorkflowFault> {
                match kind {
                    $($($event::KIND => from_value(data).map(Self::$event).map_err(|problem| wire::malformed_event_fault("/data", problem)),)?)+
                    _ => Err(wire::unknown_event_fault(kind)),
                }
            }

            pub(crate) fn may_follow(&self, state: &WorkflowState, origin: EventOrigin<'_>) -> Result<(), WorkflowFault> {
                match self {
                    $($(Self::$event(data) => data.may_follow(state, origin),)?)+
                }
            }

            pub(crate) fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
                match self {
                    $($(Self::$event(data) => data.apply(state, origin),)?)+
                }
            }
        }
    };
}

with_commands!(define_payload);
