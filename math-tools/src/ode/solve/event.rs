//! [`Watch`]: values at given times and events, found on the interpolation of each step.

use tool_core::{Count, Ctx, Decode, Describe, Encode, ToolError};

use super::crossing::{Point, Unrest, lowest, zero};
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

/// Why zeros of an event may be missing.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Doubt {
    /// Its function comes so near 0 that the tolerances do not tell whether it reaches it: where, and how near.
    Near(f64, f64),
    /// Its function turns so often that it is not seen at enough points: about where.
    Fast(f64),
}

impl Doubt {
    /// The warning about an event.
    pub(super) fn words(self, event: usize) -> String {
        match self {
            Self::Near(t, value) => format!(
                "the function of event {event} comes within {value:.1e} of 0 near t = {t}, less than the tolerances tell: zeros there \
                 may be missing; lower `rtol` and `atol`"
            ),
            Self::Fast(t) => format!(
                "the function of event {event} turns too often near t = {t} for the points at which it is evaluated, four in each step: \
                 zeros may be missing; set `max_step`"
            ),
        }
    }
}

/// One event with the value of its function so far.
struct Watched<'e> {
    evaluator: Evaluator<'e>,
    /// The entries of the state that its function uses.
    used: Vec<usize>,
    direction: Direction,
    terminal: bool,
    count: u64,
    before: f64,
    found: Occurrences,
    unrest: Unrest,
    /// The first doubt.
    doubt: Option<Doubt>,
}

impl Watched<'_> {
    fn value(&mut self, slots: &mut [f64], t: f64, y: &[f64]) -> f64 {
        slots[0] = t;
        slots[1..=y.len()].copy_from_slice(y);
        self.evaluator.eval(slots)
    }

    /// Whether a change from one value to another counts.
    fn counts(&self, before: f64, after: f64) -> bool {
        let rises = before < 0.0 && after >= 0.0;
        let falls = before > 0.0 && after <= 0.0;
        match self.direction {
            Direction::Rising => rises,
            Direction::Falling => falls,
            Direction::Both => rises || falls,
        }
    }

    /// Whether no further occurrence is recorded.
    fn is_done(&self) -> bool {
        self.found.t.len() as u64 >= self.count
    }
}

/// Parts of a step at whose ends an event function is evaluated.
const PARTS: usize = 4;
/// Parts of the whole span: a long step is looked at as closely.
const LOOKS: f64 = 200.0;

/// What a [`Watch`] has seen up to a step: values, and of each event its occurrences and the last value of its function.
pub(crate) struct Mark {
    done: usize,
    events: Vec<(usize, f64, Unrest, Option<Doubt>)>,
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
            used: {
                let slots = expression.slots().into_iter();
                let entries = slots.filter(|slot| (1..=n).contains(slot));
                entries.map(|slot| slot - 1).collect()
            },
            direction: event.direction,
            terminal: event.terminal,
            count: event
                .count
                .map_or(if event.terminal { 1 } else { u64::MAX }, |count| {
                    count.get() as u64
                }),
            before: 0.0,
            found: Occurrences::default(),
            unrest: Unrest::default(),
            doubt: None,
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

    /// Why zeros of an event may be missing, with its index.
    pub(crate) fn doubts(&self) -> Vec<(usize, Doubt)> {
        let events = self.events.iter().enumerate();
        events
            .filter_map(|(index, event)| Some((index, event.doubt?)))
            .collect()
    }

    /// The occurrences of each event.
    pub(crate) fn occurrences(self) -> Vec<Occurrences> {
        self.events.into_iter().map(|event| event.found).collect()
    }

    /// What it has seen so far.
    pub(crate) fn mark(&self) -> Mark {
        let of = |event: &Watched<'_>| {
            let count = event.found.t.len();
            (count, event.before, event.unrest, event.doubt)
        };
        Mark {
            done: self.done,
            events: self.events.iter().map(of).collect(),
        }
    }

    /// Forgets what it has seen since.
    pub(crate) fn rewind(&mut self, mark: &Mark) {
        self.done = mark.done;
        for (event, &(count, before, unrest, doubt)) in self.events.iter_mut().zip(&mark.events) {
            event.found.t.truncate(count);
            event.found.y.truncate(count);
            (event.before, event.unrest, event.doubt) = (before, unrest, doubt);
        }
    }

    /// Records the start.
    pub(crate) fn begin(&mut self, (t, y): (f64, &[f64]), samples: &mut Vec<f64>) {
        if self.times.first() == Some(&t) {
            samples.extend_from_slice(y);
            self.done = 1;
        }
        for event in &mut self.events {
            event.before = event.value(&mut self.slots, t, &y[..self.n]);
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
        let share = (end - start) / (self.span.1 - self.span.0);
        let parts = ((LOOKS * share).ceil() as usize).clamp(PARTS, LOOKS as usize);
        let mut y = stepper.y().to_vec();
        let mut times = vec![start];
        let mut values: Vec<Vec<f64>> =
            self.events.iter().map(|event| vec![event.before]).collect();
        for part in 1..=parts {
            let t = match part == parts {
                true => end,
                false => start + (end - start) * part as f64 / parts as f64,
            };
            match part == parts {
                true => y.copy_from_slice(stepper.y()),
                // As accurate as the zero that is searched then.
                false => stepper.sample(problem, t, &mut y),
            }
            times.push(t);
            for (event, values) in self.events.iter_mut().zip(&mut values) {
                values.push(event.value(&mut self.slots, t, &y[..self.n]));
            }
        }
        let mut zeros = Vec::new();
        for (index, values) in values.iter().enumerate() {
            self.events[index].before = values[parts];
            if self.events[index].is_done() {
                continue;
            }
            let points = times.iter().copied().zip(values.iter().copied()).collect();
            let mut seen = Seen {
                event: &mut self.events[index],
                slots: &mut self.slots,
                n: self.n,
                problem: &mut *problem,
                stepper: &mut *stepper,
                state: &mut y,
            };
            zeros.extend(seen.zeros(points).into_iter().map(|t| (t, index)));
        }
        zeros.sort_by(|a, b| {
            let order = a.0.total_cmp(&b.0);
            if end >= start { order } else { order.reverse() }
        });
        for (t, index) in zeros {
            if self.events[index].is_done() {
                continue;
            }
            match t == end {
                true => y.copy_from_slice(stepper.y()),
                false => stepper.sample(problem, t, &mut y),
            }
            ctx.reserve_doubles(y.len() + 4)?;
            let event = &mut self.events[index];
            event.found.t.push(t);
            event.found.y.push(y[..self.n].to_vec());
            if event.terminal && event.is_done() {
                return Ok(Some((t, y)));
            }
        }
        Ok(None)
    }
}

/// The function of an event within a step.
struct Seen<'s, 'e, 'p> {
    event: &'s mut Watched<'e>,
    slots: &'s mut [f64],
    n: usize,
    problem: &'s mut Problem<'p>,
    stepper: &'s mut dyn Stepper,
    state: &'s mut [f64],
}

impl Seen<'_, '_, '_> {
    fn at(&mut self, t: f64) -> f64 {
        self.stepper.sample(self.problem, t, self.state);
        self.event.value(self.slots, t, &self.state[..self.n])
    }

    /// The function on the interpolation of the step, which is smooth.
    fn interpolated(&mut self, t: f64) -> f64 {
        self.stepper.interpolate(self.problem, t, self.state);
        self.event.value(self.slots, t, &self.state[..self.n])
    }

    /// The times of the zeros that count, of the function at points of the step and at the lowest points between those.
    fn zeros(&mut self, mut points: Vec<Point>) -> Vec<f64> {
        let values: Vec<f64> = points.iter().map(|point| point.1).collect();
        if self.event.unrest.add(&values) {
            let middle = points[points.len() / 2].0;
            self.event.doubt = self.event.doubt.or(Some(Doubt::Fast(middle)));
        }
        let between = self.lowest(&points);
        if !between.is_empty() {
            let forward = points[points.len() - 1].0 > points[0].0;
            points.extend(between);
            points.sort_by(|a, b| match forward {
                true => a.0.total_cmp(&b.0),
                false => b.0.total_cmp(&a.0),
            });
        }
        let mut zeros = Vec::new();
        for pair in points.windows(2) {
            if self.event.counts(pair[0].1, pair[1].1) {
                zeros.push(zero(pair[0], pair[1], &mut |t| self.at(t)));
            }
        }
        zeros
    }

    /// Points of the other sign, or of value 0, between points of the same sign.
    fn lowest(&mut self, points: &[Point]) -> Vec<Point> {
        let is_low = |low: f64, other: f64| low * other > 0.0 && low.abs() <= other.abs();
        let mut found = Vec::new();
        let last = points.len() - 1;
        for (edge, inner) in [(0, 1), (last, last - 1)] {
            let (from, to) = (points[edge], points[inner]);
            if is_low(from.1, to.1)
                && let Some(middle) = self.past_edge(from, to)
            {
                found.extend(self.reached(from, middle, to));
            }
        }
        for around in points.windows(3) {
            let &[before, low, after] = around else {
                continue;
            };
            let is_flat = before.1 == low.1 && low.1 == after.1;
            if is_low(low.1, before.1) && is_low(low.1, after.1) && !is_flat {
                found.extend(self.reached(before, low, after));
            }
        }
        found
    }

    /// A point nearer to 0 than the end of a step, next to it, where the function approaches 0 from there; about the lowest one.
    fn past_edge(&mut self, from: Point, to: Point) -> Option<Point> {
        const SMALL: f64 = 1.0 / 1024.0;
        let width = to.0 - from.0;
        let sign = from.1.signum();
        let next = from.0 + SMALL * width;
        let change = sign * (self.interpolated(next) - self.interpolated(from.0));
        if change.is_nan() || change >= 0.0 {
            return None;
        }
        let slope = change / SMALL;
        let rise = sign * (to.1 - from.1);
        let vertex = from.0 - width * slope / (2.0 * (rise - slope));
        for t in [vertex, next] {
            let value = self.at(t);
            if sign * value < sign * from.1 {
                return Some((t, value));
            }
        }
        None
    }

    /// The lowest point between two points where it has the other sign or is 0. Where it comes near 0 only, that is a doubt.
    fn reached(&mut self, left: Point, middle: Point, right: Point) -> Option<Point> {
        /// Of the values around.
        const ROUNDING: f64 = 1e-12;
        /// The error of the solution in tolerances of a step.
        const TOLERANCES: f64 = 10.0;
        let sign = left.1.signum();
        if sign * middle.1 <= 0.0 {
            return Some(middle);
        }
        let found = lowest(left, middle, right, &mut |t| self.at(t));
        if sign * found.1 <= 0.0 {
            return Some(found);
        }
        let around = left.1.abs().max(right.1.abs());
        let near = found.1.abs();
        if self.event.doubt.is_some() || near > 0.1 * around {
            return None;
        }
        let mut unknown = ROUNDING * around;
        self.at(found.0);
        for entry in self.event.used.clone() {
            let kept = self.state[entry];
            let scale = self.problem.tolerances.scale(entry, kept);
            self.state[entry] = kept + TOLERANCES * scale;
            let moved = self.event.value(self.slots, found.0, &self.state[..self.n]);
            unknown += (moved - found.1).abs();
            self.state[entry] = kept;
        }
        if near <= unknown {
            self.event.doubt = Some(Doubt::Near(found.0, near));
        }
        None
    }
}
