//! [`OdeEvent`]: a function of time and state whose zeros are found during an integration.

/// A function of time and state, and what its zeros do to the state.
pub trait EventFunction {
    /// The function at a time and state.
    fn value(&mut self, t: f64, y: &[f64]) -> f64;

    /// The entries of a state of `n` entries that the function depends on; all of them where that is not known.
    fn entries(&self, n: usize) -> Vec<usize> {
        (0..n).collect()
    }

    /// The derivatives of the function, by the time and then by each entry of the state; false, and nothing done, where they are not known.
    fn gradient(&mut self, _t: f64, _y: &[f64], _gradient: &mut [f64]) -> bool {
        false
    }

    /// The entries of a state of `n` entries that change at a zero; none where the integration goes on as it is.
    fn changed_entries(&self, _n: usize) -> Vec<usize> {
        Vec::new()
    }

    /// The new values of the entries that change, in the order of [`EventFunction::changed_entries`], by the state before.
    fn new_values(&mut self, _t: f64, _y: &[f64], _values: &mut [f64]) {}
}

impl<F: FnMut(f64, &[f64]) -> f64> EventFunction for F {
    fn value(&mut self, t: f64, y: &[f64]) -> f64 {
        self(t, y)
    }
}

/// Crossings of zero that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CrossingDirection {
    /// From below to above.
    Rising,
    /// From above to below.
    Falling,
    /// Either.
    #[default]
    Both,
}

/// An event: its function, which crossings of zero count, and what follows.
pub struct OdeEvent<'e> {
    /// The function.
    pub function: Box<dyn EventFunction + 'e>,
    /// The crossings that count.
    pub direction: CrossingDirection,
    /// Whether it ends the integration.
    pub is_terminal: bool,
    /// Occurrences before it ends the integration, if terminal, or is no longer recorded, nor changes the state; absent: 1 of a terminal event,
    /// otherwise all.
    pub count: Option<u64>,
}

impl<'e> OdeEvent<'e> {
    /// Records every zero of a function of time and state.
    pub fn new(function: impl EventFunction + 'e) -> Self {
        Self {
            function: Box::new(function),
            direction: CrossingDirection::Both,
            is_terminal: false,
            count: None,
        }
    }

    /// As [`OdeEvent::new`], where `change(t, before, after)` makes the state after a zero of that before: `after` holds the same at first.
    pub fn changing(
        function: impl FnMut(f64, &[f64]) -> f64 + 'e,
        change: impl FnMut(f64, &[f64], &mut [f64]) + 'e,
    ) -> Self {
        Self::new(ChangingEvent { function, change })
    }

    /// Counts crossings in one direction.
    #[must_use]
    pub fn in_direction(self, direction: CrossingDirection) -> Self {
        Self { direction, ..self }
    }

    /// Ends the integration at the first zero.
    #[must_use]
    pub fn terminal(self) -> Self {
        Self {
            is_terminal: true,
            ..self
        }
    }
}

/// Two closures as an event that changes the state.
struct ChangingEvent<G, C> {
    function: G,
    change: C,
}

impl<G, C> EventFunction for ChangingEvent<G, C>
where
    G: FnMut(f64, &[f64]) -> f64,
    C: FnMut(f64, &[f64], &mut [f64]),
{
    fn value(&mut self, t: f64, y: &[f64]) -> f64 {
        (self.function)(t, y)
    }

    fn changed_entries(&self, n: usize) -> Vec<usize> {
        (0..n).collect()
    }

    fn new_values(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        values.copy_from_slice(y);
        (self.change)(t, y, values);
    }
}

/// Where an event occurred.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventOccurrences {
    /// Times, in the direction of integration.
    pub t: Vec<f64>,
    /// The state at each time, before the change.
    pub y: Vec<Vec<f64>>,
    /// The state after the change, with those of other events at the same time; empty without one, and where the event ended the integration one row
    /// shorter than `y`.
    pub after: Vec<Vec<f64>>,
}

/// Why zeros of an event may be missing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EventDoubt {
    /// Its function comes so near 0 that the tolerances do not tell whether it reaches it.
    Near {
        /// Where.
        t: f64,
        /// How near.
        value: f64,
    },
    /// Its function turns so often that it is not seen at enough points.
    Fast {
        /// About where.
        t: f64,
    },
}
