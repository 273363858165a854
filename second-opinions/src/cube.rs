//! Searches of the unit cube by `argmin`: a swarm of particles, and simulated annealing.
//!
//! M. Zambrano-Bigiarini, M. Clerc, R. Rojas, "Standard Particle Swarm Optimisation 2011 at CEC-2013", IEEE Congress on Evolutionary
//! Computation, 2013; S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983.

use std::cell::{Cell, RefCell};

use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::particleswarm::ParticleSwarm;
use argmin::solver::simulatedannealing::{Anneal, SATempFunc, SimulatedAnnealing};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

use crate::minimum::{Objective, ObjectiveCost, Stoppable};

/// A search of the unit cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CubeSearch {
    /// Particles that are drawn to the best point of their own and to the best of all.
    ParticleSwarm,
    /// Random steps that are taken upwards less and less often as a temperature falls.
    SimulatedAnnealing,
}

/// The best point that one search finds in about so many evaluations; values should differ by about 1 over the cube. `None` where it finds no
/// value, or the objective ends it.
pub fn search_cube(
    search: CubeSearch,
    objective: &Objective<'_>,
    dimension: usize,
    seed: u64,
    evaluations: u64,
) -> Option<Vec<f64>> {
    match search {
        CubeSearch::ParticleSwarm => swarm(objective, dimension, seed, evaluations),
        CubeSearch::SimulatedAnnealing => anneal(objective, dimension, seed, evaluations),
    }
}

fn swarm(
    objective: &Objective<'_>,
    dimension: usize,
    seed: u64,
    evaluations: u64,
) -> Option<Vec<f64>> {
    /// Particles of the standard swarm of 2011.
    const PARTICLES: u64 = 40;
    let particles = PARTICLES.min(evaluations / 4).max(2);
    let stopped = Cell::new(false);
    let cost = ObjectiveCost::in_units_of_one(objective, &stopped);
    let corners = (vec![0.0; dimension], vec![1.0; dimension]);
    let solver = ParticleSwarm::new(corners, particles as usize)
        .with_rng_generator(Xoshiro256PlusPlus::seed_from_u64(seed));
    let run = Executor::new(&cost, Stoppable::new(solver, &stopped));
    let iterations = (evaluations / particles).max(1);
    let run = run.configure(|state| state.max_iters(iterations)).run();
    let run = run.ok()?;
    let best = run.state().get_best_param()?;
    cost.has_value(run.state().get_best_cost())
        .then(|| best.position.clone())
}

/// An objective with the steps of annealing.
struct AnnealedCost<'a> {
    cost: &'a ObjectiveCost<'a>,
    rng: RefCell<Xoshiro256PlusPlus>,
}

impl CostFunction for AnnealedCost<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        self.cost.cost(x)
    }
}

impl Anneal for AnnealedCost<'_> {
    type Param = Vec<f64>;
    type Output = Vec<f64>;
    type Float = f64;

    /// A point of the cube around another: what leaves on one side comes in on the other.
    fn anneal(&self, x: &Vec<f64>, temperature: f64) -> Result<Vec<f64>, Error> {
        let mut rng = self.rng.borrow_mut();
        let width = temperature.sqrt().min(1.0);
        let step = |x: &f64| (x + width * (unit_double(&mut rng) - 0.5)).rem_euclid(1.0);
        Ok(x.iter().map(step).collect())
    }
}

/// A number of [0, 1) with 53 random bits.
fn unit_double(rng: &mut Xoshiro256PlusPlus) -> f64 {
    const BITS: u32 = 53;
    (rng.next_u64() >> (64 - BITS)) as f64 / (1_u64 << BITS) as f64
}

fn anneal(
    objective: &Objective<'_>,
    dimension: usize,
    seed: u64,
    evaluations: u64,
) -> Option<Vec<f64>> {
    /// Temperature at the end, where it begins with 1.
    const COLD: f64 = 1e-8;
    let stopped = Cell::new(false);
    let cost = ObjectiveCost::in_units_of_one(objective, &stopped);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let start: Vec<f64> = (0..dimension).map(|_| unit_double(&mut rng)).collect();
    let iterations = evaluations.max(2) - 1;
    let cooling = COLD.powf(1.0 / iterations as f64);
    let acceptance = Xoshiro256PlusPlus::seed_from_u64(rng.next_u64());
    let solver = SimulatedAnnealing::new_with_rng(1.0, acceptance)
        .ok()?
        .with_temp_func(SATempFunc::Exponential(cooling));
    let annealed = AnnealedCost {
        cost: &cost,
        rng: RefCell::new(rng),
    };
    let run = Executor::new(annealed, Stoppable::new(solver, &stopped));
    let run = run
        .configure(|state| state.param(start).max_iters(iterations))
        .run();
    let run = run.ok()?;
    let best = run.state().get_best_param()?;
    cost.has_value(run.state().get_best_cost())
        .then(|| best.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rastrigin's function over the cube, 0 at (0.55, 0.55), with 100 minima.
    fn wells(x: &[f64]) -> Option<f64> {
        let term = |x: &f64| {
            let x = 10.24 * (x - 0.55);
            x * x + 10.0 * (1.0 - (2.0 * std::f64::consts::PI * x).cos())
        };
        Some(x.iter().map(term).sum::<f64>() / 50.0)
    }

    #[test]
    fn both_searches_end_in_a_deep_well() {
        for search in [CubeSearch::ParticleSwarm, CubeSearch::SimulatedAnnealing] {
            let x = search_cube(search, &wells, 2, 7, 4000).unwrap();
            let again = search_cube(search, &wells, 2, 7, 4000).unwrap();
            assert_eq!(x, again);
            // Below all but the five deepest minima.
            assert!(wells(&x).unwrap() < 0.0201, "{search:?} {x:?}");
        }
    }

    #[test]
    fn a_stop_and_a_function_without_values_end_them() {
        for search in [CubeSearch::ParticleSwarm, CubeSearch::SimulatedAnnealing] {
            let calls = Cell::new(0);
            let counted = |x: &[f64]| {
                calls.set(calls.get() + 1);
                wells(x).filter(|_| calls.get() < 30)
            };
            assert!(search_cube(search, &counted, 2, 7, 4000).is_none());
            assert_eq!(calls.get(), 30);
            assert!(search_cube(search, &|_| Some(f64::NAN), 2, 7, 400).is_none());
        }
    }
}
