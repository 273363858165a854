//! [`TrajectoryObserver`]: values at given times and events, found on the interpolation of each step.

use super::error::OdeError;
use crate::watch::{Interruption, Watch};

use super::crossing::{FastChangeDetector, Point};
use super::detector::{EventDetector, EventZero, StepInterior};
use super::event::{EventDoubt, EventOccurrences, OdeEvent};
use super::flow::OdeProblem;
use super::stepper::{OdeEnd, OdeStepper};

/// What an event does to the integration.
#[derive(Debug)]
pub(crate) enum IntegrationHalt {
    /// It ends at a time and state.
    End(OdeEnd, f64, Vec<f64>),
    /// It continues at the time from another state: time, state before, state after.
    Change(f64, Vec<f64>, Vec<f64>),
}

/// Parts of a step at whose ends an event function is evaluated.
const PARTS: usize = 4;
/// Parts of the whole span: a long step is looked at as closely.
const LOOKS: f64 = 200.0;

/// Times that differ by less than so many roundings are the same to events.
const SAME: f64 = 16.0 * f64::EPSILON;
/// Changes of the state that follow each other within this share of the times of the span, so many times, come to no end.
const PILE: (f64, u32) = (1e-12, 4);

/// What a [`TrajectoryObserver`] has seen up to a step: values, and of each event its occurrences and the last value of its function.
pub(crate) struct ObserverCheckpoint {
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
pub struct TrajectoryObserver<'e> {
    times: &'e [f64],
    done: usize,
    events: Vec<EventDetector<'e>>,
    /// The first entries of the state, which the events see.
    n: usize,
    /// Start and end of the whole integration.
    span: (f64, f64),
    changes: StateChanges,
    changes_max: u64,
}

impl<'e> TrajectoryObserver<'e> {
    /// Nothing.
    pub fn none() -> Self {
        Self::at(&[], (0.0, 1.0))
    }

    /// States at times in the order of integration.
    pub fn at(times: &'e [f64], span: (f64, f64)) -> Self {
        Self::new(times, Vec::new(), 0, span, 0)
    }

    /// States at times in the order of integration, and events, which see the first `n` entries of the state, with the largest number of changes
    /// of the state.
    pub fn new(
        times: &'e [f64],
        events: Vec<OdeEvent<'e>>,
        n: usize,
        span: (f64, f64),
        changes_max: u64,
    ) -> Self {
        let events = events.into_iter().enumerate();
        Self {
            times,
            done: 0,
            events: events
                .map(|(index, event)| EventDetector::new(index, event, n))
                .collect(),
            n,
            span,
            changes: StateChanges::default(),
            changes_max,
        }
    }

    /// The events, made anew, that change the state alone, none of which ends the integration, nor occurs oftener than it did here where it would.
    pub(crate) fn changes_alone(&self, events: Vec<OdeEvent<'e>>) -> Self {
        let mut observer = Self::new(&[], events, self.n, self.span, u64::MAX);
        for (event, done) in observer.events.iter_mut().zip(&self.events) {
            if event.terminal {
                event.count = done.found.after.len() as u64;
                event.terminal = false;
            }
        }
        observer.events.retain(EventDetector::changes_state);
        observer
    }

    /// Why zeros of an event may be missing, with its index.
    pub fn doubts(&self) -> Vec<(usize, EventDoubt)> {
        let events = self.events.iter().enumerate();
        events
            .filter_map(|(index, event)| Some((index, event.doubt?)))
            .collect()
    }

    /// The occurrences of each event.
    pub fn occurrences(self) -> Vec<EventOccurrences> {
        self.events.into_iter().map(|event| event.found).collect()
    }

    /// What it has seen so far.
    pub(crate) fn mark(&self) -> ObserverCheckpoint {
        let of = |event: &EventDetector<'_>| EventSightings {
            counts: (event.found.t.len(), event.found.after.len()),
            before: event.before,
            came_from: event.came_from,
            unrest: event.unrest,
            doubt: event.doubt,
        };
        ObserverCheckpoint {
            done: self.done,
            changes: self.changes,
            events: self.events.iter().map(of).collect(),
        }
    }

    /// Forgets what it has seen since.
    pub(crate) fn rewind(&mut self, mark: &ObserverCheckpoint) {
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
            event.before = event.value(t, &y[..self.n]);
        }
    }

    /// Records what the last step contains, up to an event that halts the integration.
    ///
    /// # Errors
    /// An interruption; [`OdeError::EventValue`].
    pub(crate) fn step(
        &mut self,
        problem: &mut OdeProblem<'_>,
        stepper: &mut dyn OdeStepper,
        samples: &mut Vec<f64>,
        watch: &dyn Watch,
    ) -> Result<Option<IntegrationHalt>, OdeError> {
        let halt = self.find(problem, stepper, watch)?;
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
            reserve_state(samples, n, watch)?;
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
                reserve_state(samples, n, watch)?;
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
        watch: &dyn Watch,
    ) -> Result<Option<IntegrationHalt>, OdeError> {
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
                values.push(event.value(t, &y[..self.n]));
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
            let halt = self.occur(together, (&mut *problem, &mut *stepper, &mut y), watch)?;
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
        watch: &dyn Watch,
    ) -> Result<Option<IntegrationHalt>, OdeError> {
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
            watch.reserve_doubles(2 * y.len() + 4)?;
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
            self.events[index].change(t, &mut y[..n])?;
        }
        for event in &mut self.events {
            event.before = event.value(t, &y[..n]);
        }
        for zero in &together {
            let event = &mut self.events[zero.index];
            let crossed = event.value(t, &before[..n]);
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

/// Sets aside the memory of one more state.
fn reserve_state(samples: &Vec<f64>, n: usize, watch: &dyn Watch) -> Result<(), Interruption> {
    match samples.len() == samples.capacity() {
        true => watch.reserve_doubles(samples.len().max(16 * n)),
        false => Ok(()),
    }
}
