//! [`TrajectoryWatch`]: values at given times and events, found on the interpolation of each step.

use std::collections::BTreeMap;

use tool_core::{Count, Ctx, Decode, Describe, Encode, ToolError};

use super::crossing::{FastChangeDetector, Point, find_crossing, find_smallest_size};
use super::flow::OdeProblem;
use super::stepper::{OdeEnd, OdeStepper};
use crate::expression::{Expression, ExpressionSystem, SystemEvaluator, program};

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

/// What an event does to the integration.
#[derive(Debug)]
pub(crate) enum IntegrationHalt {
    /// It ends at a time and state.
    End(OdeEnd, f64, Vec<f64>),
    /// It continues at the time from another state: time, state before, state after.
    Change(f64, Vec<f64>, Vec<f64>),
}

/// Why zeros of an event may be missing.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EventDoubt {
    /// Its function comes so near 0 that the tolerances do not tell whether it reaches it: where, and how near.
    Near(f64, f64),
    /// Its function turns so often that it is not seen at enough points: about where.
    Fast(f64),
}

impl EventDoubt {
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
struct EventDetector<'e> {
    evaluator: SystemEvaluator<'e>,
    /// The entries of the state that its function uses.
    used: Vec<usize>,
    direction: CrossingDirection,
    terminal: bool,
    count: u64,
    before: f64,
    /// Of an event that has just occurred where the state was changed: the sign that its function came from.
    came_from: Option<f64>,
    gradient: Option<program::SystemEvaluator<'e>>,
    /// Index in the arguments, entries of the state and their new values.
    set: (usize, Vec<(usize, SystemEvaluator<'e>)>),
    found: EventOccurrences,
    unrest: FastChangeDetector,
    /// The first doubt.
    doubt: Option<EventDoubt>,
}

impl EventDetector<'_> {
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
            CrossingDirection::Rising => rises,
            CrossingDirection::Falling => falls,
            CrossingDirection::Both => rises || falls,
        }
    }

    /// Whether no further occurrence is recorded.
    fn is_done(&self) -> bool {
        self.found.t.len() as u64 >= self.count
    }

    fn changes_state(&self) -> bool {
        !self.set.1.is_empty()
    }
}

/// Parts of a step at whose ends an event function is evaluated.
const PARTS: usize = 4;
/// Parts of the whole span: a long step is looked at as closely.
const LOOKS: f64 = 200.0;

/// Times that differ by less than so many roundings are the same to events.
const SAME: f64 = 16.0 * f64::EPSILON;
/// Changes of the state that follow each other within this share of the times of the span, so many times, come to no end.
const PILE: (f64, u32) = (1e-12, 4);

/// What a [`TrajectoryWatch`] has seen up to a step: values, and of each event its occurrences and the last value of its function.
pub(crate) struct WatchCheckpoint {
    done: usize,
    changes: StateChanges,
    events: Vec<EventSightings>,
}

/// What was seen of one event: number of occurrences and of states after them, and its state.
struct EventSightings {
    counts: (usize, usize),
    before: f64,
    came_from: Option<f64>,
    unrest: FastChangeDetector,
    doubt: Option<EventDoubt>,
}

/// Changes of the state by events.
#[derive(Debug, Clone, Copy, Default)]
struct StateChanges {
    count: u64,
    /// Time of the last.
    last: Option<f64>,
    /// Those in succession that followed at once.
    piled: u32,
}

/// Requested values and events.
pub(crate) struct TrajectoryWatch<'e> {
    times: &'e [f64],
    done: usize,
    events: Vec<EventDetector<'e>>,
    /// t, the first entries of the state, the free parameters, as the events see them.
    slots: Vec<f64>,
    n: usize,
    /// Start and end of the whole integration.
    span: (f64, f64),
    changes: StateChanges,
    changes_max: u64,
}

impl<'e> TrajectoryWatch<'e> {
    /// Nothing.
    pub(crate) fn none() -> Self {
        Self::at(&[], (0.0, 1.0))
    }

    /// States at times in the order of integration.
    pub(crate) fn at(times: &'e [f64], span: (f64, f64)) -> Self {
        Self::new(times, &[], (0, &[]), span, 0)
    }

    /// States at times in the order of integration, and events, which see `n` entries of the state and the free parameters, with the
    /// largest number of changes of the state.
    pub(crate) fn new(
        times: &'e [f64],
        events: &'e [CheckedEvent],
        (n, free): (usize, &[f64]),
        span: (f64, f64),
        changes_max: u64,
    ) -> Self {
        let watched = |(index, checked): (usize, &'e CheckedEvent)| EventDetector {
            evaluator: checked.function.evaluator(),
            used: {
                let slots = checked.function.slots().into_iter();
                let entries = slots.filter(|slot| (1..=n).contains(slot));
                entries.map(|slot| slot - 1).collect()
            },
            direction: checked.event.direction,
            terminal: checked.event.terminal,
            count: match (checked.event.count, checked.event.terminal) {
                (Some(count), _) => count.get() as u64,
                (None, true) => 1,
                (None, false) => u64::MAX,
            },
            before: 0.0,
            came_from: None,
            gradient: checked.gradient.as_ref().map(ExpressionSystem::evaluator),
            set: {
                let set = checked.set.iter();
                let set = set.map(|(entry, new)| (*entry, new.evaluator()));
                (index, set.collect())
            },
            found: EventOccurrences::default(),
            unrest: FastChangeDetector::default(),
            doubt: None,
        };
        Self {
            times,
            done: 0,
            events: events.iter().enumerate().map(watched).collect(),
            slots: std::iter::repeat_n(0.0, n + 1)
                .chain(free.iter().copied())
                .collect(),
            n,
            span,
            changes: StateChanges::default(),
            changes_max,
        }
    }

    /// The events that change the state alone, none of which ends the integration, nor occurs oftener than it did here where it would.
    pub(crate) fn changes_alone(&self, events: &'e [CheckedEvent], free: &[f64]) -> Self {
        let mut watch = Self::new(&[], events, (self.n, free), self.span, u64::MAX);
        for (event, done) in watch.events.iter_mut().zip(&self.events) {
            if event.terminal {
                event.count = done.found.after.len() as u64;
                event.terminal = false;
            }
        }
        watch.events.retain(EventDetector::changes_state);
        watch
    }

    /// Why zeros of an event may be missing, with its index.
    pub(crate) fn doubts(&self) -> Vec<(usize, EventDoubt)> {
        let events = self.events.iter().enumerate();
        events
            .filter_map(|(index, event)| Some((index, event.doubt?)))
            .collect()
    }

    /// The occurrences of each event.
    pub(crate) fn occurrences(self) -> Vec<EventOccurrences> {
        self.events.into_iter().map(|event| event.found).collect()
    }

    /// What it has seen so far.
    pub(crate) fn mark(&self) -> WatchCheckpoint {
        let of = |event: &EventDetector<'_>| EventSightings {
            counts: (event.found.t.len(), event.found.after.len()),
            before: event.before,
            came_from: event.came_from,
            unrest: event.unrest,
            doubt: event.doubt,
        };
        WatchCheckpoint {
            done: self.done,
            changes: self.changes,
            events: self.events.iter().map(of).collect(),
        }
    }

    /// Forgets what it has seen since.
    pub(crate) fn rewind(&mut self, mark: &WatchCheckpoint) {
        (self.done, self.changes) = (mark.done, mark.changes);
        for (event, seen) in self.events.iter_mut().zip(&mark.events) {
            event.found.t.truncate(seen.counts.0);
            event.found.y.truncate(seen.counts.0);
            event.found.after.truncate(seen.counts.1);
            (event.before, event.came_from) = (seen.before, seen.came_from);
            (event.unrest, event.doubt) = (seen.unrest, seen.doubt);
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

    /// Records what the last step contains, up to an event that halts the integration.
    ///
    /// # Errors
    /// A budget; `numeric` at a new value of the state that is not finite.
    pub(crate) fn step(
        &mut self,
        problem: &mut OdeProblem<'_>,
        stepper: &mut dyn OdeStepper,
        samples: &mut Vec<f64>,
        ctx: &Ctx,
    ) -> Result<Option<IntegrationHalt>, ToolError> {
        let halt = self.find(problem, stepper, ctx)?;
        let (start, end) = (stepper.t_before(), stepper.t());
        let forward = end >= start;
        let is_within = |t: f64, limit: f64| match forward {
            true => t <= limit,
            false => t >= limit,
        };
        let limit = match &halt {
            None => end,
            Some(IntegrationHalt::End(_, t, _)) => *t,
            // At the time of the change the state is the one after it.
            Some(IntegrationHalt::Change(t, ..)) => {
                let before = SAME * t.abs();
                if forward { t - before } else { t + before }
            }
        };
        let n = stepper.y().len();
        let mut y = Vec::new();
        while let Some(&t) = self.times.get(self.done).filter(|&&t| is_within(t, limit)) {
            reserve_state(samples, n, ctx)?;
            if t == end {
                samples.extend_from_slice(stepper.y());
            } else {
                y.resize(n, 0.0);
                stepper.sample(problem, t, &mut y);
                samples.extend_from_slice(&y);
            }
            self.done += 1;
        }
        if let Some(IntegrationHalt::Change(at, _, after)) = &halt {
            while self
                .times
                .get(self.done)
                .is_some_and(|t| is_within(*t, *at))
            {
                reserve_state(samples, n, ctx)?;
                samples.extend_from_slice(after);
                self.done += 1;
            }
        }
        Ok(halt)
    }

    fn find(
        &mut self,
        problem: &mut OdeProblem<'_>,
        stepper: &mut dyn OdeStepper,
        ctx: &Ctx,
    ) -> Result<Option<IntegrationHalt>, ToolError> {
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
            let came_from = self.events[index].came_from.take();
            if self.events[index].is_done() {
                continue;
            }
            let mut points: Vec<Point> =
                times.iter().copied().zip(values.iter().copied()).collect();
            let mut within = StepInterior {
                event: &mut self.events[index],
                slots: &mut self.slots,
                n: self.n,
                problem: &mut *problem,
                stepper: &mut *stepper,
                state: &mut y,
            };
            if let Some(came_from) = came_from {
                match within.after_change(came_from, points[0], points[1]) {
                    Some(first) => points[0] = first,
                    None if within.event.changes_state() => {
                        stepper.interpolate(problem, start, &mut y);
                        return Ok(Some(IntegrationHalt::End(
                            OdeEnd::EventsAccumulate,
                            start,
                            y,
                        )));
                    }
                    None => points[0].1 = 0.0,
                }
            }
            let found = within.zeros(points).into_iter();
            zeros.extend(found.map(|(t, came_from)| EventZero {
                t,
                index,
                came_from,
            }));
        }
        let forward = end >= start;
        zeros.sort_by(|a, b| match forward {
            true => a.t.total_cmp(&b.t),
            false => b.t.total_cmp(&a.t),
        });
        let mut rest = zeros.as_slice();
        while let Some(&EventZero { t: first, .. }) = rest.first() {
            let is_same = |zero: &&EventZero| (zero.t - first).abs() <= SAME * first.abs();
            let count = rest.iter().take_while(is_same).count();
            let (together, later) = rest.split_at(count);
            rest = later;
            let halt = self.occur(together, (&mut *problem, &mut *stepper, &mut y), ctx)?;
            if halt.is_some() {
                return Ok(halt);
            }
        }
        Ok(None)
    }

    /// Records events that occur at the same time, and what they do.
    fn occur(
        &mut self,
        together: &[EventZero],
        (problem, stepper, y): (&mut OdeProblem<'_>, &mut dyn OdeStepper, &mut Vec<f64>),
        ctx: &Ctx,
    ) -> Result<Option<IntegrationHalt>, ToolError> {
        let n = self.n;
        let is_active = |zero: &EventZero| !self.events[zero.index].is_done();
        let mut together: Vec<EventZero> = together.iter().copied().filter(is_active).collect();
        let mut events = together.iter().map(|zero| &self.events[zero.index]);
        let changes = events.any(EventDetector::changes_state);
        if changes && let Some(&EventZero { t: last, .. }) = together.last() {
            // All functions have passed 0 at the last of the times.
            together.iter_mut().for_each(|zero| zero.t = last);
            together.sort_by_key(|zero| zero.index);
        }
        let mut end = None;
        for &EventZero { t, index, .. } in &together {
            if t == stepper.t() {
                y.copy_from_slice(stepper.y());
            } else {
                stepper.sample(problem, t, y);
            }
            ctx.reserve_doubles(2 * y.len() + 4)?;
            let event = &mut self.events[index];
            // Not twice for the zeros of one function at one time.
            if event.is_done() {
                continue;
            }
            event.found.t.push(t);
            event.found.y.push(y[..n].to_vec());
            if event.terminal && event.is_done() {
                end = end.or(Some(t));
                if !changes {
                    break;
                }
            }
        }
        if let Some(t) = end {
            return Ok(Some(IntegrationHalt::End(
                OdeEnd::TerminalEvent,
                t,
                y.clone(),
            )));
        }
        let Some(&EventZero { t, .. }) = together.last().filter(|_| changes) else {
            return Ok(None);
        };
        if let Some(reason) = self.changes.add(t, self.span, self.changes_max) {
            return Ok(Some(IntegrationHalt::End(reason, t, y.clone())));
        }
        let before = y.clone();
        for &EventZero { index, .. } in &together {
            self.events[index].set(&mut self.slots, t, &mut y[..n])?;
        }
        for event in &mut self.events {
            event.before = event.value(&mut self.slots, t, &y[..n]);
        }
        for zero in &together {
            let event = &mut self.events[zero.index];
            let crossed = event.value(&mut self.slots, t, &before[..n]);
            // Where `set` moves the function away from 0 it is as at a start.
            let is_at_zero = event.before.abs() <= 8.0 * crossed.abs();
            event.came_from = is_at_zero.then_some(zero.came_from);
            if event.changes_state() {
                event.found.after.push(y[..n].to_vec());
            }
        }
        Ok(Some(IntegrationHalt::Change(t, before, y.clone())))
    }
}

impl StateChanges {
    /// Counts a change; the reason to end the integration instead.
    fn add(&mut self, t: f64, span: (f64, f64), most: u64) -> Option<OdeEnd> {
        if self.count == most {
            return Some(OdeEnd::MaxEvents);
        }
        let (share, piled_max) = PILE;
        let least = share * span.0.abs().max(span.1.abs());
        self.count += 1;
        self.piled = match self.last.replace(t) {
            Some(last) if (t - last).abs() <= least => self.piled + 1,
            _ => 0,
        };
        (self.piled == piled_max).then_some(OdeEnd::EventsAccumulate)
    }
}

impl EventDetector<'_> {
    /// Sets entries of a state, each by the state before this event.
    fn set(&mut self, slots: &mut [f64], t: f64, y: &mut [f64]) -> Result<(), ToolError> {
        slots[0] = t;
        slots[1..=y.len()].copy_from_slice(y);
        let (index, set) = &mut self.set;
        for (entry, new) in set {
            let value = new.eval(slots);
            if !value.is_finite() {
                let found = tool_core::number::non_finite_spelling(value);
                refuse!(numeric format!("/events/{index}/set"), "not_finite";
                    "the new value of entry {entry} of the state at t = {t} is {found}";
                    "check the expression and the state there, which `terminal` returns");
            }
            y[*entry] = value;
        }
        Ok(())
    }
}

/// Sets aside the memory of one more state.
fn reserve_state(samples: &Vec<f64>, n: usize, ctx: &Ctx) -> Result<(), ToolError> {
    match samples.len() == samples.capacity() {
        true => ctx.reserve_doubles(samples.len().max(16 * n)),
        false => Ok(()),
    }
}

/// A zero of the function of an event, and the sign before it.
#[derive(Debug, Clone, Copy)]
struct EventZero {
    t: f64,
    index: usize,
    came_from: f64,
}

/// The function of an event within a step.
struct StepInterior<'s, 'e, 'p> {
    event: &'s mut EventDetector<'e>,
    slots: &'s mut [f64],
    n: usize,
    problem: &'s mut OdeProblem<'p>,
    stepper: &'s mut dyn OdeStepper,
    state: &'s mut [f64],
}

impl StepInterior<'_, '_, '_> {
    fn at(&mut self, t: f64) -> f64 {
        self.stepper.sample(self.problem, t, self.state);
        self.event.value(self.slots, t, &self.state[..self.n])
    }

    /// The function on the interpolation of the step, which is smooth.
    fn interpolated(&mut self, t: f64) -> f64 {
        self.stepper.interpolate(self.problem, t, self.state);
        self.event.value(self.slots, t, &self.state[..self.n])
    }

    /// The times of the zeros that count, each with the sign before it, of the function at points of the step and at the lowest points
    /// between those.
    fn zeros(&mut self, mut points: Vec<Point>) -> Vec<(f64, f64)> {
        let values: Vec<f64> = points.iter().map(|point| point.1).collect();
        if self.event.unrest.add(&values) {
            let middle = points[points.len() / 2].0;
            self.event.doubt = self.event.doubt.or(Some(EventDoubt::Fast(middle)));
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
                let t = find_crossing(pair[0], pair[1], &mut |t| self.at(t));
                zeros.push((t, pair[0].1.signum()));
            }
        }
        zeros
    }

    /// A point from which the function is followed after a change of the state at its zero; none where it is turned back to the side that it
    /// came from, and does not reach that within the resolution of doubles.
    fn after_change(&mut self, came_from: f64, start: Point, next: Point) -> Option<Point> {
        let width = next.0 - start.0;
        let slope = came_from * self.slope(start.0, width);
        if slope < 0.0 {
            return Some((start.0, -came_from * f64::MIN_POSITIVE));
        }
        if came_from * next.1 > 0.0 {
            return Some((start.0, came_from * f64::MIN_POSITIVE));
        }
        let nearer = |power| start.0 + width * 0.5_f64.powi(power);
        for t in (1..=12).map(|k| nearer(4 * k)).filter(|t| *t != start.0) {
            let value = self.at(t);
            if came_from * value > 0.0 {
                return Some((t, value));
            }
        }
        let is_turned = slope > 0.0;
        (!is_turned).then_some((start.0, 0.0))
    }

    /// A number of the sign of the derivative of the function by time, at the start of the step.
    fn slope(&mut self, t: f64, width: f64) -> f64 {
        /// Along the tangent, where derivatives are not known.
        const TANGENT: f64 = 1e-4;
        const SECANT: f64 = 1e-8;
        self.stepper.interpolate(self.problem, t, self.state);
        let y = self.state.to_vec();
        let mut slope = vec![0.0; y.len()];
        if self.problem.pattern().identity {
            self.problem.eval(t, &y, &mut slope);
        } else {
            let step = SECANT * width;
            self.stepper.interpolate(self.problem, t + step, self.state);
            let secants = self.state.iter().zip(&y).map(|(next, y)| (next - y) / step);
            slope = secants.collect();
        }
        if let Some(gradient) = &mut self.event.gradient {
            self.slots[0] = t;
            self.slots[1..=self.n].copy_from_slice(&y[..self.n]);
            let mut values = vec![0.0; self.n + 2];
            gradient.point(self.slots, &mut values);
            let by_state = values[2..].iter().zip(&slope);
            let change = by_state.map(|(by, slope)| by * slope).sum::<f64>();
            return (values[1] + change) * width.signum();
        }
        let mut along = |step: f64| {
            let moved = y.iter().zip(&slope).map(|(y, slope)| y + step * slope);
            let moved: Vec<f64> = moved.take(self.n).collect();
            self.event.value(self.slots, t + step, &moved)
        };
        let step = TANGENT * width;
        (along(step) - along(-step)) * step.signum()
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
        let found = find_smallest_size(left, middle, right, &mut |t| self.at(t));
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
            self.event.doubt = Some(EventDoubt::Near(found.0, near));
        }
        None
    }
}
