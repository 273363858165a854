//! Differential evolution with success-history adaptation.
//!
//! Trial points move towards one of the best and along the difference of two others; scale and crossover rate follow those that
//! succeeded. The population shrinks as evaluations are used up.
//!
//! R. Storn, K. Price, "Differential evolution", J. Global Optim. 11, 1997; R. Tanabe, A. S. Fukunaga, "Improving the search performance
//! of SHADE using linear population size reduction", IEEE CEC 2014.

use crate::optimise::error::OptimiseError;
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use super::search::GlobalSearch;

const PER_DIMENSION: usize = 18;
const LEAST: usize = 4;
const MEMORY: usize = 6;
/// Share of the population that counts as best.
const BEST: f64 = 0.11;
/// Size of the archive of replaced members, relative to the population.
const ARCHIVE: f64 = 1.4;

struct PopulationMember {
    unit: Vec<f64>,
    value: f64,
}

/// The successful settings of the last generations.
struct SuccessHistory {
    scale: [f64; MEMORY],
    rate: [f64; MEMORY],
    next: usize,
}

impl SuccessHistory {
    fn draw(&self, rng: &mut impl Rng) -> (f64, f64) {
        let slot = rng.random_range(0..MEMORY);
        let normal: f64 = rng.sample(StandardNormal);
        let rate = (self.rate[slot] + 0.1 * normal).clamp(0.0, 1.0);
        for _ in 0..100 {
            // A Cauchy variate.
            let angle = std::f64::consts::PI * (rng.random::<f64>() - 0.5);
            let scale = self.scale[slot] + 0.1 * angle.tan();
            if scale > 0.0 {
                return (scale.min(1.0), rate);
            }
        }
        (0.5, rate)
    }

    /// Notes a generation's successes: scale, rate and gain of each.
    fn note(&mut self, successes: &[(f64, f64, f64)]) {
        let total: f64 = successes.iter().map(|(_, _, gain)| gain).sum();
        if !(total > 0.0 && total.is_finite()) {
            return;
        }
        let lehmer = |pick: fn(&(f64, f64, f64)) -> f64| {
            let sum = |power: i32| {
                successes
                    .iter()
                    .map(|s| s.2 * pick(s).powi(power))
                    .sum::<f64>()
            };
            let (first, second) = (sum(1), sum(2));
            if first > 0.0 { second / first } else { 0.0 }
        };
        self.scale[self.next] = lehmer(|s| s.0);
        self.rate[self.next] = lehmer(|s| s.1);
        self.next = (self.next + 1) % MEMORY;
    }
}

/// Searches until the budget is used up or the population has converged, and then anew.
///
/// # Errors
/// Those of the search.
pub(super) fn search_by_evolution(search: &mut GlobalSearch<'_>) -> Result<(), OptimiseError> {
    loop {
        generation_loop(search)?;
    }
}

fn generation_loop(search: &mut GlobalSearch<'_>) -> Result<(), OptimiseError> {
    let d = search.dimension();
    let mut rng = search.rng();
    let first = (PER_DIMENSION * d).max(LEAST + 1);
    let (start, end) = (search.spent(), search.limit);
    let mut members = Vec::with_capacity(first);
    for _ in 0..first {
        let unit: Vec<f64> = (0..d).map(|_| rng.random()).collect();
        let value = search.at(&unit)?;
        members.push(PopulationMember { unit, value });
    }
    let mut archive: Vec<Vec<f64>> = Vec::new();
    let mut history = SuccessHistory {
        scale: [0.5; MEMORY],
        rate: [0.5; MEMORY],
        next: 0,
    };
    loop {
        members.sort_by(|a, b| a.value.total_cmp(&b.value));
        let used = (search.spent() - start) as f64 / (end - start).max(1) as f64;
        let size = first as f64 + (LEAST as f64 - first as f64) * used.min(1.0);
        members.truncate((size.round() as usize).max(LEAST));
        archive.truncate((ARCHIVE * members.len() as f64) as usize);
        let (lowest, highest) = (members[0].value, members[members.len() - 1].value);
        let spread =
            (0..d).map(|i| (members[0].unit[i] - members[members.len() - 1].unit[i]).abs());
        let flat = highest - lowest <= 1e-14 * lowest.abs().max(1e-300);
        if flat || spread.fold(0.0, f64::max) < 1e-13 {
            let x = search.point(&members[0].unit);
            search.descend(&x)?;
            return Ok(());
        }
        let mut trials = Vec::with_capacity(members.len());
        let best_count = ((BEST * members.len() as f64) as usize).max(2);
        for index in 0..members.len() {
            let (scale, rate) = history.draw(&mut rng);
            let best = &members[rng.random_range(0..best_count)].unit;
            let one = pick_other_index(&mut rng, members.len(), &[index]);
            let two = pick_other_index(&mut rng, members.len() + archive.len(), &[index, one]);
            let far = members
                .get(two)
                .map_or_else(|| &archive[two - members.len()], |member| &member.unit);
            let here = &members[index].unit;
            let forced = rng.random_range(0..d);
            let trial: Vec<f64> = (0..d)
                .map(|i| {
                    if i != forced && rng.random::<f64>() >= rate {
                        return here[i];
                    }
                    let moved = here[i]
                        + scale * (best[i] - here[i])
                        + scale * (members[one].unit[i] - far[i]);
                    // Beyond the cube: half-way to the border.
                    if moved < 0.0 {
                        here[i] / 2.0
                    } else if moved > 1.0 {
                        (1.0 + here[i]) / 2.0
                    } else {
                        moved
                    }
                })
                .collect();
            trials.push((trial, scale, rate));
        }
        let mut successes = Vec::new();
        for (index, (unit, scale, rate)) in trials.into_iter().enumerate() {
            let value = search.at(&unit)?;
            let member = &mut members[index];
            if value <= member.value {
                if value < member.value {
                    let gain = (member.value - value).min(f64::MAX);
                    successes.push((scale, rate, gain));
                    let capacity = (ARCHIVE * first as f64) as usize;
                    let old = std::mem::replace(&mut member.unit, unit.clone());
                    if archive.len() < capacity {
                        archive.push(old);
                    } else {
                        let slot = rng.random_range(0..archive.len());
                        archive[slot] = old;
                    }
                }
                (member.unit, member.value) = (unit, value);
            }
        }
        history.note(&successes);
    }
}

/// A number below `count` that is none of some.
fn pick_other_index(rng: &mut impl Rng, count: usize, not: &[usize]) -> usize {
    loop {
        let found = rng.random_range(0..count);
        if !not.contains(&found) {
            return found;
        }
    }
}
