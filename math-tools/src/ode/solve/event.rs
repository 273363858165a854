//! [`OdeEventArgs`]: a function of time and state whose zeros are found, as it is given and as it is found.

use std::collections::BTreeMap;

use numerics::ode::{CrossingDirection, EventDoubt, EventFunction, EventOccurrences, OdeEvent};
use tool_core::{Count, Decode, Describe, Encode};

use crate::expression::{Expression, ExpressionSystem, SystemEvaluator, program};

/// A function of time and state whose zeros are found.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct OdeEventArgs {
    /// Expression in the variables of `system`; the event is where it crosses 0.
    pub g: String,
    /// `rising`, `falling` or `both`.
    #[value(default)]
    pub direction: EventDirection,
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
    pub event: OdeEventArgs,
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
pub(crate) enum EventDirection {
    /// From below to above.
    Rising,
    /// From above to below.
    Falling,
    /// Either.
    #[default]
    Both,
}

/// Where an event occurred.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct EventOccurrenceRows {
    /// Times, in the direction of integration.
    pub t: Vec<f64>,
    /// The state at each time, before `set`.
    pub y: Vec<Vec<f64>>,
    /// The state that `set` has made of it, with those of other events at the same time; empty without `set`, and where the event ended the integration one
    /// row shorter than `y`.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub after: Vec<Vec<f64>>,
}

impl From<EventDirection> for CrossingDirection {
    fn from(direction: EventDirection) -> Self {
        match direction {
            EventDirection::Rising => Self::Rising,
            EventDirection::Falling => Self::Falling,
            EventDirection::Both => Self::Both,
        }
    }
}

impl From<EventOccurrences> for EventOccurrenceRows {
    fn from(EventOccurrences { t, y, after }: EventOccurrences) -> Self {
        Self { t, y, after }
    }
}

/// The warning about an event of which zeros may be missing.
pub(super) fn doubt_words(event: usize, doubt: EventDoubt) -> String {
    match doubt {
        EventDoubt::Near { t, value } => format!(
            "the function of event {event} comes within {value:.1e} of 0 near t = {t}, less than the tolerances tell: zeros there \
             may be missing; lower `rtol` and `atol`"
        ),
        EventDoubt::Fast { t } => format!(
            "the function of event {event} turns too often near t = {t} for the points at which it is evaluated, four in each step: \
             zeros may be missing; set `max_step`"
        ),
    }
}

impl CheckedEvent {
    /// The event of one integration, which sees `n` entries of the state and the free parameters.
    pub(super) fn observed(&self, n: usize, free: &[f64]) -> OdeEvent<'_> {
        let zeros = std::iter::repeat_n(0.0, n + 1);
        let function = ExpressionEvent {
            checked: self,
            evaluator: self.function.evaluator(),
            gradient: self.gradient.as_ref().map(ExpressionSystem::evaluator),
            set: self.set.iter().map(|(_, new)| new.evaluator()).collect(),
            slots: zeros.chain(free.iter().copied()).collect(),
        };
        OdeEvent {
            function: Box::new(function),
            direction: self.event.direction.into(),
            is_terminal: self.event.terminal,
            count: self.event.count.map(|count| count.get() as u64),
        }
    }
}

/// The expressions of an event.
struct ExpressionEvent<'e> {
    checked: &'e CheckedEvent,
    evaluator: SystemEvaluator<'e>,
    gradient: Option<program::SystemEvaluator<'e>>,
    /// The new values of entries of the state.
    set: Vec<SystemEvaluator<'e>>,
    /// t, the first entries of the state, the free parameters.
    slots: Vec<f64>,
}

impl ExpressionEvent<'_> {
    fn place(&mut self, t: f64, y: &[f64]) {
        self.slots[0] = t;
        self.slots[1..=y.len()].copy_from_slice(y);
    }
}

impl EventFunction for ExpressionEvent<'_> {
    fn value(&mut self, t: f64, y: &[f64]) -> f64 {
        self.place(t, y);
        self.evaluator.eval(&self.slots)
    }

    fn entries(&self, n: usize) -> Vec<usize> {
        let slots = self.checked.function.slots().into_iter();
        let entries = slots.filter(|slot| (1..=n).contains(slot));
        entries.map(|slot| slot - 1).collect()
    }

    fn gradient(&mut self, t: f64, y: &[f64], gradient: &mut [f64]) -> bool {
        self.place(t, y);
        let Some(evaluator) = &mut self.gradient else {
            return false;
        };
        // The value comes first.
        let mut values = vec![0.0; gradient.len() + 1];
        evaluator.point(&self.slots, &mut values);
        gradient.copy_from_slice(&values[1..]);
        true
    }

    fn changed_entries(&self, _n: usize) -> Vec<usize> {
        self.checked.set.iter().map(|(entry, _)| *entry).collect()
    }

    fn new_values(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        self.place(t, y);
        for (value, new) in values.iter_mut().zip(&mut self.set) {
            *value = new.eval(&self.slots);
        }
    }
}
