//! [`Watch`]: values at given times and events, found on the interpolation of each step.

use tool_core::{Count, Ctx, Decode, Describe, Encode, ToolError};

use super::flow::Problem;
use super::stepper::Stepper;
use crate::expression::{Evaluator, Expression};

/// A function of time and state whose zeros are found.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Event {
    /// Expression in the variables of `system`; the event is where it crosses 0.
    pub g: String,
    /// `rising`, `falling` or `both`.
    #[value(default)]
    pub direction: Direction,
    /// End the integration there.
    #[value(default)]
    pub terminal: bool,
    /// Occurrences before it ends the integration, if terminal, or is no longer recorded.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub count: Option<Count>,
}

/// Crossings that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum Direction {
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
pub(crate) struct Occurrences {
    /// Times, in the direction of integration.
    pub t: Vec<f64>,
    /// The state at each time.
    pub y: Vec<Vec<f64>>,
}

/// One event with the sign of its function so far.
struct Watched<'e> {
    evaluator: Evaluator<'e>,
    direction: Direction,
    terminal: bool,
    count: u64,
    before: f64,
    found: Occurrences,
}

/// Parts of a step at whose ends an event function is evaluated, so that two zeros within a step are seldom missed.
const PARTS: usize = 4;
/// Parts of the whole span: a long step is looked at as closely.
const LOOKS: f64 = 200.0;

/// What a [`Watch`] has seen up to a step: values, and of each event its occurrences and the last value of its function.
pub(crate) struct Mark {
    done: usize,
    events: Vec<(usize, f64)>,
}

/// Requested values and events.
pub(crate) struct Watch<'e> {
    times: &'e [f64],
    done: usize,
    events: Vec<Watched<'e>>,
    /// t, the first entries of the state, the free parameters, as the events see them.
    slots: Vec<f64>,
    n: usize,
    /// Start and end of the whole integration.
    span: (f64, f64),
}

impl<'e> Watch<'e> {
    /// Nothing.
    pub(crate) fn none() -> Self {
        Self::new(&[], &[], &[], (0, &[]), (0.0, 1.0))
    }

    /// States at times in the order of integration, and events, given with their expressions, which see `n` entries of the state and
    /// the free parameters.
    pub(crate) fn new(
        times: &'e [f64],
        events: &[Event],
        expressions: &'e [Expression],
        (n, free): (usize, &[f64]),
        span: (f64, f64),
    ) -> Self {
        let watched = |(event, expression): (&Event, &'e Expression)| Watched {
            evaluator: expression.evaluator(),
            direction: event.direction,
            terminal: event.terminal,
            count: event
                .count
                .map_or(if event.terminal { 1 } else { u64::MAX }, |count| {
                    count.get() as u64
                }),
            before: 0.0,
            found: Occurrences::default(),
        };
        Self {
            times,
            done: 0,
            events: events.iter().zip(expressions).map(watched).collect(),
            slots: std::iter::repeat_n(0.0, n + 1)
                .chain(free.iter().copied())
                .collect(),
            n,
            span,
        }
    }

    /// The occurrences of each event.
    pub(crate) fn occurrences(self) -> Vec<Occurrences> {
        self.events.into_iter().map(|event| event.found).collect()
    }

    /// What it has seen so far.
    pub(crate) fn mark(&self) -> Mark {
        let of = |event: &Watched<'_>| (event.found.t.len(), event.before);
        Mark {
            done: self.done,
            events: self.events.iter().map(of).collect(),
        }
    }

    /// Forgets what it has seen since.
    pub(crate) fn rewind(&mut self, mark: &Mark) {
        self.done = mark.done;
        for (event, &(count, before)) in self.events.iter_mut().zip(&mark.events) {
            event.found.t.truncate(count);
            event.found.y.truncate(count);
            event.before = before;
        }
    }

    fn value(event: &mut Watched<'_>, slots: &mut [f64], t: f64, y: &[f64]) -> f64 {
        slots[0] = t;
        slots[1..=y.len()].copy_from_slice(y);
        event.evaluator.eval(slots)
    }

    /// Records the start.
    pub(crate) fn begin(&mut self, (t, y): (f64, &[f64]), samples: &mut Vec<f64>) {
        if self.times.first() == Some(&t) {
            samples.extend_from_slice(y);
            self.done = 1;
        }
        for event in &mut self.events {
            event.before = Self::value(event, &mut self.slots, t, &y[..self.n]);
        }
    }

    /// Records what the last step contains; the time and state of an event that ends the integration.
    ///
    /// # Errors
    /// A budget.
    pub(crate) fn step(
        &mut self,
        problem: &mut Problem<'_>,
        stepper: &mut dyn Stepper,
        samples: &mut Vec<f64>,
        ctx: &Ctx,
    ) -> Result<Option<(f64, Vec<f64>)>, ToolError> {
        let ended = self.find(problem, stepper, ctx)?;
        let (start, end) = (stepper.t_before(), stepper.t());
        let limit = ended.as_ref().map_or(end, |(t, _)| *t);
        let within = |t: f64| {
            if end >= start { t <= limit } else { t >= limit }
        };
        let n = stepper.y().len();
        let mut y = Vec::new();
        while let Some(&t) = self.times.get(self.done).filter(|&&t| within(t)) {
            if samples.len() == samples.capacity() {
                ctx.reserve_doubles(samples.len().max(16 * n))?;
            }
            if t == end {
                samples.extend_from_slice(stepper.y());
            } else {
                y.resize(n, 0.0);
                stepper.sample(problem, t, &mut y);
                samples.extend_from_slice(&y);
            }
            self.done += 1;
        }
        Ok(ended)
    }

    fn find(
        &mut self,
        problem: &mut Problem<'_>,
        stepper: &mut dyn Stepper,
        ctx: &Ctx,
    ) -> Result<Option<(f64, Vec<f64>)>, ToolError> {
        if self.events.is_empty() {
            return Ok(None);
        }
        let (start, end) = (stepper.t_before(), stepper.t());
        let mut y = stepper.y().to_vec();
        let mut left = start;
        let share = (end - start) / (self.span.1 - self.span.0);
        let parts = ((LOOKS * share).ceil() as usize).clamp(PARTS, LOOKS as usize);
        for part in 1..=parts {
            let right = if part == parts {
                end
            } else {
                start + (end - start) * part as f64 / parts as f64
            };
            if part == parts {
                y.copy_from_slice(stepper.y());
            } else {
                // As accurate as the zero that is searched then.
                stepper.sample(problem, right, &mut y);
            }
            let mut zeros = Vec::new();
            for (index, event) in self.events.iter_mut().enumerate() {
                let after = Self::value(event, &mut self.slots, right, &y[..self.n]);
                let before = std::mem::replace(&mut event.before, after);
                let rises = before < 0.0 && after >= 0.0;
                let falls = before > 0.0 && after <= 0.0;
                let counts = match event.direction {
                    Direction::Rising => rises,
                    Direction::Falling => falls,
                    Direction::Both => rises || falls,
                };
                if counts && (event.found.t.len() as u64) < event.count {
                    let mut at = |t: f64| {
                        let mut state = vec![0.0; y.len()];
                        stepper.sample(problem, t, &mut state);
                        Self::value(event, &mut self.slots, t, &state[..self.n])
                    };
                    zeros.push((zero((left, before), (right, after), &mut at), index));
                }
            }
            zeros.sort_by(|a, b| {
                let order = a.0.total_cmp(&b.0);
                if end >= start { order } else { order.reverse() }
            });
            for (t, index) in zeros {
                let mut state = y.clone();
                if t != end {
                    stepper.sample(problem, t, &mut state);
                }
                ctx.reserve_doubles(state.len() + 4)?;
                let event = &mut self.events[index];
                event.found.t.push(t);
                event.found.y.push(state[..self.n].to_vec());
                if event.terminal && event.found.t.len() as u64 == event.count {
                    return Ok(Some((t, state)));
                }
            }
            left = right;
        }
        Ok(None)
    }
}

/// A zero of a function between two points where its signs differ, to the last bits, on the side of the second point.
///
/// The regula falsi of Anderson and Bjorck with bisection where it is slow: G. Dahlquist, A. Bjorck, "Numerical Methods in Scientific
/// Computing I", SIAM 2008, section 6.2.
fn zero(
    (mut a, mut ga): (f64, f64),
    (mut b, mut gb): (f64, f64),
    g: &mut dyn FnMut(f64) -> f64,
) -> f64 {
    const ITERATIONS_MAX: usize = 100;
    // Where it stays zero, the first time it is.
    while gb == 0.0 {
        let middle = a + 0.5 * (b - a);
        if middle == a || middle == b {
            return b;
        }
        let value = g(middle);
        if value == 0.0 || (value < 0.0) != (ga < 0.0) {
            (b, gb) = (middle, value);
        } else {
            (a, ga) = (middle, value);
        }
    }
    for iteration in 0..ITERATIONS_MAX {
        if gb == 0.0 || (b - a).abs() <= 4.0 * f64::EPSILON * b.abs().max(a.abs()) {
            break;
        }
        let mut middle = b - gb * (b - a) / (gb - ga);
        let inside = (middle - a) * (middle - b) < 0.0;
        if iteration % 4 == 3 || !inside {
            middle = a + 0.5 * (b - a);
        }
        if middle == a || middle == b {
            break;
        }
        let value = g(middle);
        if (value < 0.0) == (gb < 0.0) && value != 0.0 {
            // The same side as before: the value of the other end is damped.
            let factor = 1.0 - value / gb;
            ga *= if factor > 0.0 { factor } else { 0.5 };
            (b, gb) = (middle, value);
        } else if value == 0.0 {
            return middle;
        } else {
            (a, ga) = (b, gb);
            (b, gb) = (middle, value);
        }
    }
    b
}
