//! Simulated annealing with the visiting distribution of Tsallis, and local searches from what it improves.
//!
//! C. Tsallis, D. A. Stariolo, "Generalized simulated annealing", Physica A 233, 1996; Y. Xiang, D. Y. Sun, W. Fan, X. G. Gong,
//! "Generalized simulated annealing algorithm and its application to the Thomson model", Physics Letters A 233, 1997; Y. Xiang,
//! S. Gubian, B. Suomela, J. Hoeng, "Generalized simulated annealing for global optimization: the GenSA package", R Journal 5, 2013.

use crate::optimise::error::OptimiseError;
use rand::RngExt;
use rand_distr::StandardNormal;
use random_streams::StreamRng;

use super::search::GlobalSearch;

/// Shape of the visiting distribution: the nearer to 3, the longer its tails.
const VISIT: f64 = 2.62;
/// Shape of the acceptance.
const ACCEPT: f64 = -5.0;
const FIRST_TEMPERATURE: f64 = 5230.0;
/// Share of the first temperature at which it is raised again.
const RESTART: f64 = 2e-5;
/// A unit of the visiting distribution in the unit cube.
const UNIT: f64 = 0.1;
const TAIL: f64 = 1e8;

/// Anneals again and again until the budget is used up.
///
/// # Errors
/// Those of the search.
pub(super) fn search_by_annealing(search: &mut GlobalSearch<'_>) -> Result<(), OptimiseError> {
    loop {
        anneal_once(search)?;
    }
}

/// A variate of the visiting distribution.
fn visiting_variate(rng: &mut StreamRng, scale: f64) -> f64 {
    let (x, y): (f64, f64) = (rng.sample(StandardNormal), rng.sample(StandardNormal));
    let spread = y.abs().powf((VISIT - 1.0) / (3.0 - VISIT));
    let step = scale * x / spread;
    if step > TAIL {
        TAIL * rng.random::<f64>()
    } else if step < -TAIL {
        -TAIL * rng.random::<f64>()
    } else {
        step
    }
}

/// The scale of the visiting distribution at a temperature.
fn visiting_scale(temperature: f64) -> f64 {
    let q = VISIT;
    let one = temperature.powf(1.0 / (q - 1.0));
    let two = (q - 1.0).powf(4.0 - q);
    let three = 2_f64.powf((2.0 - q) / (q - 1.0));
    let four = std::f64::consts::PI.sqrt() * one * two / (three * (3.0 - q));
    let five = 1.0 / (q - 1.0) - 0.5;
    let angle = std::f64::consts::PI * (1.0 - five);
    let six = angle / angle.sin() / libm::lgamma(2.0 - five).exp();
    (six / four).powf(-(q - 1.0) / (3.0 - q))
}

/// One annealing, from a random point to the end of the temperatures.
fn anneal_once(search: &mut GlobalSearch<'_>) -> Result<(), OptimiseError> {
    let d = search.dimension();
    let mut rng = search.rng();
    let mut here: Vec<f64> = (0..d).map(|_| rng.random()).collect();
    let mut value = search.at(&here)?;
    let (mut best, mut best_unit) = (value, here.clone());
    let range = search.range()?;
    let mut idle = 0;
    for step in 0.. {
        let cooled = 2_f64.powf(VISIT - 1.0) - 1.0;
        let temperature =
            FIRST_TEMPERATURE * cooled / ((step as f64 + 2.0).powf(VISIT - 1.0) - 1.0);
        if temperature < RESTART * FIRST_TEMPERATURE {
            break;
        }
        let width = UNIT * visiting_scale(temperature);
        let mut improved = false;
        for visited in 0..2 * d {
            let mut trial = here.clone();
            let moves = if visited < d {
                0..d
            } else {
                visited - d..visited - d + 1
            };
            for index in moves {
                trial[index] = (trial[index] + visiting_variate(&mut rng, width)).rem_euclid(1.0);
            }
            let found = search.at(&trial)?;
            let accept = found < value || {
                let excess = (found - value) / range / (temperature / (step as f64 + 1.0));
                let base = 1.0 - (1.0 - ACCEPT) * excess;
                base > 0.0 && rng.random::<f64>() <= base.powf(1.0 / (1.0 - ACCEPT))
            };
            if accept {
                (here, value) = (trial, found);
                if value < best {
                    (best, best_unit) = (value, here.clone());
                    improved = true;
                }
            }
        }
        idle += 1;
        if improved || idle >= 50 * d {
            let from = if improved { &best_unit } else { &here };
            let x = search.point(from);
            let (x, found) = search.descend(&x)?;
            if found < best {
                best = found;
                best_unit = search.unit(&x);
                (here, value) = (best_unit.clone(), best);
            }
            idle = 0;
        }
    }
    Ok(())
}
