//! Minimisation by `argmin`, from starts that are given.

use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::neldermead::NelderMead;
use argmin::solver::quasinewton::LBFGS;

/// A function of a point; not finite where there is no value, `None` to stop.
pub type Objective<'a> = dyn Fn(&[f64]) -> Option<f64> + 'a;
/// The gradient at a point; `None` where there is none.
pub type Slope<'a> = dyn Fn(&[f64]) -> Option<Vec<f64>> + 'a;

/// What a comparison takes for infinite: larger than every value, and differences of it are numbers.
const HUGE: f64 = 1e300;

struct ObjectiveCost<'a>(&'a Objective<'a>);

impl CostFunction for ObjectiveCost<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        let value = (self.0)(x).ok_or_else(|| Error::msg("stopped"))?;
        Ok(if value.is_finite() { value } else { HUGE })
    }
}

struct ObjectiveGradient<'a>(ObjectiveCost<'a>, &'a Slope<'a>);

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
        (self.1)(x).ok_or_else(|| Error::msg("the gradient is not finite"))
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
    let solver = NelderMead::new(corners).with_sd_tolerance(0.0).ok()?;
    let run = Executor::new(ObjectiveCost(objective), solver);
    let run = run.configure(|state| state.max_iters(iterations)).run();
    best(run.ok()?.state())
}

/// The best point that the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno finds, with its value; `None` where it finds
/// none, or is stopped.
pub fn lbfgs(
    objective: &Objective<'_>,
    slope: &Slope<'_>,
    start: &[f64],
) -> Option<(Vec<f64>, f64)> {
    const ITERATIONS: u64 = 200;
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
    let solver = solver.with_tolerance_cost(0.0).ok()?;
    let run = Executor::new(ObjectiveGradient(ObjectiveCost(objective), slope), solver);
    let start = start.to_vec();
    let run = run
        .configure(|state| state.param(start).max_iters(ITERATIONS))
        .run();
    best(run.ok()?.state())
}

fn best<S: State<Param = Vec<f64>, Float = f64>>(state: &S) -> Option<(Vec<f64>, f64)> {
    let value = state.get_best_cost();
    let point = state.get_best_param()?;
    (value < HUGE).then(|| (point.clone(), value))
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
    }
}
