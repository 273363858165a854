//! Minimisation by `argmin`, from starts that are given.

use std::cell::Cell;

use argmin::core::{
    CostFunction, Error, Executor, Gradient, KV, Problem, Solver, State, TerminationReason,
    TerminationStatus,
};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::neldermead::NelderMead;
use argmin::solver::quasinewton::LBFGS;

/// A function of a point; not finite where there is no value, `None` to stop.
pub type Objective<'a> = dyn Fn(&[f64]) -> Option<f64> + 'a;
/// The gradient at a point; `None` where there is none.
pub type Slope<'a> = dyn Fn(&[f64]) -> Option<Vec<f64>> + 'a;

/// Costs are in units of that at the start, and lie within this: sums and products of a few of them are numbers. Without a value they are
/// the largest.
const COST_MAX: f64 = 1e100;

/// An objective as `argmin` asks for it, which cannot take an error everywhere: after a stop it has the largest cost at every point.
pub(crate) struct ObjectiveCost<'a> {
    objective: &'a Objective<'a>,
    unit: f64,
    stopped: &'a Cell<bool>,
}

impl<'a> ObjectiveCost<'a> {
    fn new(objective: &'a Objective<'a>, start: &[f64], stopped: &'a Cell<bool>) -> Self {
        let value = objective(start);
        stopped.set(value.is_none());
        let size = value.map_or(0.0, f64::abs);
        let unit = if size.is_normal() { size } else { 1.0 };
        Self {
            objective,
            unit,
            stopped,
        }
    }

    /// An objective whose values are ordinary as they are.
    pub(crate) fn in_units_of_one(objective: &'a Objective<'a>, stopped: &'a Cell<bool>) -> Self {
        Self {
            objective,
            unit: 1.0,
            stopped,
        }
    }

    /// Whether a cost is that of a point with a value, and no stop came.
    pub(crate) fn has_value(&self, cost: f64) -> bool {
        cost < COST_MAX && !self.stopped.get()
    }

    fn best<S: State<Param = Vec<f64>, Float = f64>>(&self, state: &S) -> Option<(Vec<f64>, f64)> {
        let cost = state.get_best_cost();
        let point = state.get_best_param()?;
        self.has_value(cost)
            .then(|| (point.clone(), cost * self.unit))
    }
}

impl CostFunction for &ObjectiveCost<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        if self.stopped.get() {
            return Ok(COST_MAX);
        }
        let value = (self.objective)(x);
        self.stopped.set(value.is_none());
        let cost = value.map_or(COST_MAX, |value| value / self.unit);
        Ok(if cost.is_finite() {
            cost.clamp(-COST_MAX, COST_MAX)
        } else {
            COST_MAX
        })
    }
}

struct ObjectiveGradient<'a>(&'a ObjectiveCost<'a>, &'a Slope<'a>);

impl CostFunction for ObjectiveGradient<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        self.0.cost(x)
    }
}

impl Gradient for ObjectiveGradient<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let gradient = (self.1)(x).filter(|_| !self.0.stopped.get());
        let mut gradient = gradient.ok_or_else(|| Error::msg("there is no gradient"))?;
        gradient.iter_mut().for_each(|entry| *entry /= self.0.unit);
        match gradient.iter().all(|entry| entry.abs() <= COST_MAX) {
            true => Ok(gradient),
            false => Err(Error::msg("the gradient is too large")),
        }
    }
}

/// A method that ends after a stop.
pub(crate) struct Stoppable<'a, S> {
    solver: S,
    stopped: &'a Cell<bool>,
}

impl<'a, S> Stoppable<'a, S> {
    pub(crate) fn new(solver: S, stopped: &'a Cell<bool>) -> Self {
        Self { solver, stopped }
    }
}

impl<O, I: State, S: Solver<O, I>> Solver<O, I> for Stoppable<'_, S> {
    fn name(&self) -> &str {
        self.solver.name()
    }

    fn init(&mut self, problem: &mut Problem<O>, state: I) -> Result<(I, Option<KV>), Error> {
        self.solver.init(problem, state)
    }

    fn next_iter(&mut self, problem: &mut Problem<O>, state: I) -> Result<(I, Option<KV>), Error> {
        self.solver.next_iter(problem, state)
    }

    fn terminate(&mut self, state: &I) -> TerminationStatus {
        match self.stopped.get() {
            true => TerminationStatus::Terminated(TerminationReason::Interrupt),
            false => self.solver.terminate(state),
        }
    }
}

/// The best point that the downhill simplex of Nelder and Mead finds, with its value, from a simplex at a start; `None` where it finds no
/// value, or is stopped. The first sides are a twentieth of the coordinates and end below the upper bounds `high`.
pub fn nelder_mead(
    objective: &Objective<'_>,
    start: &[f64],
    high: &[f64],
) -> Option<(Vec<f64>, f64)> {
    const SIDE: f64 = 0.05;
    let mut corners = vec![start.to_vec()];
    for (axis, (x, high)) in start.iter().zip(high).enumerate() {
        let side = if *x == 0.0 { SIDE } else { SIDE * x.abs() };
        let mut corner = start.to_vec();
        corner[axis] += if x + side > *high { -side } else { side };
        corners.push(corner);
    }
    let iterations = 200 * (start.len() as u64 + 1);
    let stopped = Cell::new(false);
    let cost = ObjectiveCost::new(objective, start, &stopped);
    let solver = Stoppable {
        solver: NelderMead::new(corners).with_sd_tolerance(0.0).ok()?,
        stopped: &stopped,
    };
    let run = Executor::new(&cost, solver);
    let run = run.configure(|state| state.max_iters(iterations)).run();
    cost.best(run.ok()?.state())
}

/// The best point that the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno finds, with its value; `None` where it finds
/// none, or is stopped.
pub fn lbfgs(
    objective: &Objective<'_>,
    slope: &Slope<'_>,
    start: &[f64],
) -> Option<(Vec<f64>, f64)> {
    const ITERATIONS: u64 = 200;
    let stopped = Cell::new(false);
    let cost = ObjectiveCost::new(objective, start, &stopped);
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
    let solver = Stoppable {
        solver: solver.with_tolerance_cost(0.0).ok()?,
        stopped: &stopped,
    };
    let run = Executor::new(ObjectiveGradient(&cost, slope), solver);
    let start = start.to_vec();
    let run = run
        .configure(|state| state.param(start).max_iters(ITERATIONS))
        .run();
    cost.best(run.ok()?.state())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valley(x: &[f64]) -> Option<f64> {
        Some((1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2))
    }

    fn slope(x: &[f64]) -> Option<Vec<f64>> {
        let across = 200.0 * (x[1] - x[0] * x[0]);
        Some(vec![-2.0 * (1.0 - x[0]) - 2.0 * x[0] * across, across])
    }

    #[test]
    fn both_methods_reach_the_end_of_the_valley() {
        let (x, value) = nelder_mead(&valley, &[-1.2, 1.0], &[f64::INFINITY; 2]).unwrap();
        assert!(value < 1e-10 && (x[0] - 1.0).abs() < 1e-4, "{x:?} {value}");
        let (x, value) = lbfgs(&valley, &slope, &[-1.2, 1.0]).unwrap();
        assert!(value < 1e-10 && (x[0] - 1.0).abs() < 1e-4, "{x:?} {value}");
    }

    #[test]
    fn sizes_of_values_do_not_matter() {
        for size in [1e-250, 1e250] {
            let large = |x: &[f64]| valley(x).map(|value| size * value);
            let steep = |x: &[f64]| Some(slope(x)?.iter().map(|entry| size * entry).collect());
            let (x, _) = nelder_mead(&large, &[-1.2, 1.0], &[f64::INFINITY; 2]).unwrap();
            assert!((x[0] - 1.0).abs() < 1e-4, "{x:?}");
            let (x, _) = lbfgs(&large, &steep, &[-1.2, 1.0]).unwrap();
            assert!((x[0] - 1.0).abs() < 1e-4, "{x:?}");
        }
    }

    #[test]
    fn where_there_is_no_value_nothing_is_found() {
        assert!(nelder_mead(&|_| Some(f64::NAN), &[0.0], &[1.0]).is_none());
    }

    #[test]
    fn a_stop_ends_a_search_at_once() {
        let calls = std::cell::Cell::new(0);
        let counted = |x: &[f64]| {
            calls.set(calls.get() + 1);
            valley(x).filter(|_| calls.get() < 20)
        };
        assert!(nelder_mead(&counted, &[-1.2, 1.0], &[f64::INFINITY; 2]).is_none());
        assert_eq!(calls.get(), 20);
        calls.set(0);
        assert!(lbfgs(&counted, &slope, &[-1.2, 1.0]).is_none());
        assert_eq!(calls.get(), 20);
        // Before the first simplex is complete.
        assert!(nelder_mead(&|_| None, &[-1.2, 1.0], &[f64::INFINITY; 2]).is_none());
    }
}
