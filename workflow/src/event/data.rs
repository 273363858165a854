//! [`EventData`]: what one type of event says, when it may come next, and what it changes.

use crate::actor::EventOrigin;
use crate::fault::WorkflowFault;
use crate::state::WorkflowState;

/// The name of a type of event.
pub(crate) trait EventKind {
    /// Its type, such as `task.created`.
    const KIND: &'static str;
}

/// The data of one type of event. Who may cause it was decided before, by a command; here the history itself is checked, so that a fold
/// reaches no state that the rules exclude, whatever wrote the events.
pub(crate) trait EventData: EventKind {
    /// Whether the event may come next.
    ///
    /// # Errors
    /// Why not.
    fn may_follow(
        &self,
        state: &WorkflowState,
        origin: EventOrigin<'_>,
    ) -> Result<(), WorkflowFault>;

    /// The fold: changes a state that [`EventData::may_follow`] accepts.
    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>);
}

/// Whether a value is the default of its type.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Defines structs of the log; fields after `;` are left out where they have their default value.
macro_rules! log_structs {
    ($($(#[$meta:meta])* $name:ident {
        $($(#[$doc:meta])* $field:ident: $type:ty),* $(,)?
        $(; $($(#[$optional_doc:meta])* $optional:ident: $optional_type:ty),* $(,)?)?
    })+) => {$(
        #[derive(Debug, Clone, PartialEq, tool_core::Encode, tool_core::Decode)]
        #[value(deny_unknown_fields)]
        $(#[$meta])*
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
            $($($(#[$optional_doc])*
            #[value(default, skip_encoding_if = "crate::event::data::is_default")]
            pub $optional: $optional_type,)*)?
        }
    )+};
}

/// Defines the data of a type of event, as [`log_structs`] does, with the name of the type.
macro_rules! define_event {
    ($(#[$doc:meta])* $name:ident = $kind:literal { $($fields:tt)* }) => {
        crate::event::data::log_structs! { $(#[$doc])* $name { $($fields)* } }

        impl crate::event::data::EventKind for $name {
            const KIND: &'static str = $kind;
        }
    };
}

pub(crate) use {define_event, log_structs};
