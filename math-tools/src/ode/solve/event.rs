//! [`OdeEvent`]: a function of time and state whose zeros are found, as it is given and as it is found.

use std::collections::BTreeMap;

use tool_core::{Count, Decode, Describe, Encode};

use crate::expression::{Expression, ExpressionSystem};

/// A function of time and state whose zeros are found.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct OdeEvent {
    /// Expression in the variables of `system`; the event is where it crosses 0.
    pub g: String,
    /// `rising`, `falling` or `both`.
    #[value(default)]
    pub direction: CrossingDirection,
    /// End the integration there.
    #[value(default)]
    pub terminal: bool,
    /// Occurrences before it ends the integration, if terminal, or is no longer recorded, nor its `set` applied.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub count: Option<Count>,
    /// New values of entries of the state there, such as `{"y1": "-0.9*y1"}`: expressions in the variables of `system`, which see the state before
    /// the event. The integration continues from the new state; an occurrence that ends it changes nothing. Of events at the same time each
    /// sees what those before it in the list have set.
    #[value(default, skip_encoding_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
}

/// An event with its checked expressions.
#[derive(Debug)]
pub(crate) struct CheckedEvent {
    pub event: OdeEvent,
    /// `g`.
    pub function: Expression,
    /// Entries of the state and their new values.
    pub set: Vec<(usize, Expression)>,
    /// Of one with `set`: the function with its derivatives by time and state, where these are known.
    pub gradient: Option<ExpressionSystem>,
}

/// Crossings that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum CrossingDirection {
    /// From below to above.
    Rising,
    /// From above to below.
    Falling,
    /// Either.
    #[default]
    Both,
}

/// Where an event occurred.
#[derive(Debug, Clone, Default, Encode, Describe)]
pub(crate) struct EventOccurrences {
    /// Times, in the direction of integration.
    pub t: Vec<f64>,
    /// The state at each time, before `set`.
    pub y: Vec<Vec<f64>>,
    /// The state that `set` has made of it, with those of other events at the same time; empty without `set`, and where the event ended the integration one
    /// row shorter than `y`.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub after: Vec<Vec<f64>>,
}
