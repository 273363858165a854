//! Monotonic basin hopping: local searches from random displacements of the best local minimum so far.
//!
//! D. J. Wales, J. P. K. Doye, "Global optimization by basin-hopping and the lowest energy structures of Lennard-Jones clusters", J. Phys.
//! Chem. A 101, 1997; R. H. Leary, "Global optimization on funneling landscapes", J. Global Optim. 18, 2000 (monotonic).

use crate::optimise::error::OptimiseError;
use rand::RngExt;
use rand_distr::StandardNormal;

use super::search::GlobalSearch;

/// Shortest displacement in the unit cube; lengths are drawn evenly on a logarithmic scale.
const SHORTEST: f64 = 2e-3;
/// Longest displacement with local searches, which lead from the slopes of a minimum into it, and without.
const LONGEST: (f64, f64) = (0.1, 0.4);
/// A local search ends with a step that lowers the value by less than this share: what it leaves to do, the next ones from there do too.
const ENOUGH: f64 = 3e-4;
/// Hops without a lower minimum after which a new run starts, for each dimension.
const IDLE_MAX: usize = 40;

/// Hops from the best point so far, and then from one random start after another, until the budget is used up.
///
/// # Errors
/// Those of the search.
pub(super) fn search_by_hopping(search: &mut GlobalSearch<'_>) -> Result<(), OptimiseError> {
    let d = search.dimension();
    let mut rng = search.rng();
    let mut first = true;
    let longest = if search.smooth { LONGEST.0 } else { LONGEST.1 };
    loop {
        let start = match search.best.0.is_finite() && first {
            true => search.best.1.clone(),
            false => {
                let start: Vec<f64> = (0..d).map(|_| rng.random()).collect();
                search.point(&start)
            }
        };
        first = false;
        let (x, mut value) = search.settle(&start, ENOUGH)?;
        let mut here = search.unit(&x);
        let mut idle = 0;
        while idle < IDLE_MAX * d {
            let share: f64 = rng.random();
            let length = SHORTEST * (longest / SHORTEST).powf(share);
            let mut trial = here.clone();
            for u in &mut trial {
                let normal: f64 = rng.sample(StandardNormal);
                *u = (*u + length * normal).clamp(0.0, 1.0);
            }
            let from = search.point(&trial);
            let (x, found) = search.settle(&from, ENOUGH)?;
            idle += 1;
            if found < value - 1e-12 * value.abs() {
                (here, value) = (search.unit(&x), found);
                idle = 0;
            }
        }
        let x = search.point(&here);
        search.descend(&x)?;
    }
}
