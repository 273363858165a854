//! [`EventDetector`]: the zeros of the function of an event within a step, and the change of the state there.

use super::error::OdeError;

use super::crossing::{FastChangeDetector, Point, find_crossing, find_smallest_size};
use super::event::{CrossingDirection, EventDoubt, EventFunction, EventOccurrences, OdeEvent};
use super::flow::OdeProblem;
use super::stepper::OdeStepper;

/// One event with the value of its function so far.
pub(super) struct EventDetector<'e> {
    /// Its place among the events.
    pub(super) index: usize,
    pub(super) function: Box<dyn EventFunction + 'e>,
    /// The entries of the state that its function uses.
    pub(super) used: Vec<usize>,
    pub(super) direction: CrossingDirection,
    pub(super) terminal: bool,
    pub(super) count: u64,
    pub(super) before: f64,
    /// Of an event that has just occurred where the state was changed: the sign that its function came from.
    pub(super) came_from: Option<f64>,
    /// The entries of the state that it sets.
    pub(super) changed: Vec<usize>,
    pub(super) found: EventOccurrences,
    pub(super) unrest: FastChangeDetector,
    /// The first doubt.
    pub(super) doubt: Option<EventDoubt>,
}

impl<'e> EventDetector<'e> {
    /// Of an event, by its place among all, which sees `n` entries of the state.
    pub(super) fn new(index: usize, event: OdeEvent<'e>, n: usize) -> Self {
        Self {
            index,
            used: event.function.entries(n),
            changed: event.function.changed_entries(n),
            function: event.function,
            direction: event.direction,
            terminal: event.is_terminal,
            count: match (event.count, event.is_terminal) {
                (Some(count), _) => count,
                (None, true) => 1,
                (None, false) => u64::MAX,
            },
            before: 0.0,
            came_from: None,
            found: EventOccurrences::default(),
            unrest: FastChangeDetector::default(),
            doubt: None,
        }
    }

    pub(super) fn value(&mut self, t: f64, y: &[f64]) -> f64 {
        self.function.value(t, y)
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
    pub(super) fn is_done(&self) -> bool {
        self.found.t.len() as u64 >= self.count
    }

    pub(super) fn changes_state(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Sets entries of a state, each by the state before this event.
    ///
    /// # Errors
    /// [`OdeError::EventValue`].
    pub(super) fn change(&mut self, t: f64, y: &mut [f64]) -> Result<(), OdeError> {
        let mut values = vec![0.0; self.changed.len()];
        self.function.new_values(t, y, &mut values);
        for (&entry, value) in self.changed.iter().zip(values) {
            if !value.is_finite() {
                return Err(OdeError::EventValue {
                    event: self.index,
                    entry,
                    t,
                    value,
                });
            }
            y[entry] = value;
        }
        Ok(())
    }
}

/// A zero of the function of an event, and the sign before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventZero {
    pub(super) t: f64,
    pub(super) index: usize,
    pub(super) came_from: f64,
}

/// The function of an event within a step.
pub(super) struct StepInterior<'s, 'e, 'p> {
    pub(super) event: &'s mut EventDetector<'e>,
    pub(super) n: usize,
    pub(super) problem: &'s mut OdeProblem<'p>,
    pub(super) stepper: &'s mut dyn OdeStepper,
    pub(super) state: &'s mut [f64],
}

impl StepInterior<'_, '_, '_> {
    fn at(&mut self, t: f64) -> f64 {
        self.stepper.sample(self.problem, t, self.state);
        self.event.value(t, &self.state[..self.n])
    }

    /// The function on the interpolation of the step, which is smooth.
    fn interpolated(&mut self, t: f64) -> f64 {
        self.stepper.interpolate(self.problem, t, self.state);
        self.event.value(t, &self.state[..self.n])
    }

    /// The times of the zeros that count, each with the sign before it, of the function at points of the step and at the lowest points
    /// between those.
    pub(super) fn zeros(&mut self, mut points: Vec<Point>) -> Vec<(f64, f64)> {
        let values: Vec<f64> = points.iter().map(|point| point.1).collect();
        if self.event.unrest.add(&values) {
            let middle = points[points.len() / 2].0;
            self.event.doubt = self.event.doubt.or(Some(EventDoubt::Fast { t: middle }));
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
    pub(super) fn after_change(
        &mut self,
        came_from: f64,
        start: Point,
        next: Point,
    ) -> Option<Point> {
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
        let mut gradient = vec![0.0; self.n + 1];
        if (self.event.function).gradient(t, &y[..self.n], &mut gradient) {
            let by_state = gradient[1..].iter().zip(&slope);
            let change = by_state.map(|(by, slope)| by * slope).sum::<f64>();
            return (gradient[0] + change) * width.signum();
        }
        let mut along = |step: f64| {
            let moved = y.iter().zip(&slope).map(|(y, slope)| y + step * slope);
            let moved: Vec<f64> = moved.take(self.n).collect();
            self.event.value(t + step, &moved)
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
            let moved = self.event.value(found.0, &self.state[..self.n]);
            unknown += (moved - found.1).abs();
            self.state[entry] = kept;
        }
        if near <= unknown {
            self.event.doubt = Some(EventDoubt::Near {
                t: found.0,
                value: near,
            });
        }
        None
    }
}
