//! Minimisation by `argmin`, from starts that are given.

use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::neldermead::NelderMead;
use argmin::solver::quasinewton::LBFGS;

/// A function of a point; not finite where there is no value.
pub type Objective<'a> = dyn Fn(&[f64]) -> f64 + 'a;
/// The gradient at a point; `None` where there is none.
pub type Slope<'a> = dyn Fn(&[f64]) -> Option<Vec<f64>> + 'a;

/// What a comparison takes for infinite: larger than every value, and differences of it are numbers.
const HUGE: f64 = 1e300;

struct ObjectiveCost<'a>(&'a Objective<'a>);

impl CostFunction for ObjectiveCost<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        let value = (self.0)(x);
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

/// The best point that the downhill simplex of Nelder and Mead finds, with its value, from a simplex with these steps along the axes;
/// `None` where it finds no value.
pub fn nelder_mead(
    objective: &Objective<'_>,
    start: &[f64],
    steps: &[f64],
    iterations: u64,
) -> Option<(Vec<f64>, f64)> {
    let mut corners = vec![start.to_vec()];
    for (axis, step) in steps.iter().enumerate() {
        let mut corner = start.to_vec();
        corner[axis] += step;
        corners.push(corner);
    }
    let solver = NelderMead::new(corners).with_sd_tolerance(0.0).ok()?;
    let run = Executor::new(ObjectiveCost(objective), solver);
    let run = run.configure(|state| state.max_iters(iterations)).run();
    best(run.ok()?.state())
}

/// The best point that the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno finds, with its value; `None` where it finds
/// none.
pub fn lbfgs(
    objective: &Objective<'_>,
    slope: &Slope<'_>,
    start: &[f64],
    iterations: u64,
) -> Option<(Vec<f64>, f64)> {
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
    let solver = solver.with_tolerance_cost(0.0).ok()?;
    let run = Executor::new(ObjectiveGradient(ObjectiveCost(objective), slope), solver);
    let start = start.to_vec();
    let run = run
        .configure(|state| state.param(start).max_iters(iterations))
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

    fn valley(x: &[f64]) -> f64 {
        (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2)
    }

    fn slope(x: &[f64]) -> Option<Vec<f64>> {
        let across = 200.0 * (x[1] - x[0] * x[0]);
        Some(vec![-2.0 * (1.0 - x[0]) - 2.0 * x[0] * across, across])
    }

    #[test]
    fn both_methods_reach_the_end_of_the_valley() {
        let (x, value) = nelder_mead(&valley, &[-1.2, 1.0], &[0.2, 0.2], 400).unwrap();
        assert!(value < 1e-10 && (x[0] - 1.0).abs() < 1e-4, "{x:?} {value}");
        let (x, value) = lbfgs(&valley, &slope, &[-1.2, 1.0], 200).unwrap();
        assert!(value < 1e-10 && (x[0] - 1.0).abs() < 1e-4, "{x:?} {value}");
    }

    #[test]
    fn where_there_is_no_value_nothing_is_found() {
        assert!(nelder_mead(&|_| f64::NAN, &[0.0], &[1.0], 50).is_none());
    }
}
