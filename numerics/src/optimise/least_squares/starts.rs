//! Start points where the caller names none: parameters in which the model is linear are solved for, the others are searched on a grid of the
//! scales of the data and of the frequencies that it shows.
//!
//! M. Zechmeister, M. Kürster, "The generalised Lomb-Scargle periodogram", Astronomy and Astrophysics 496, 2009.

use super::levenberg::ResidualProblem;
use super::projected::{linear_at, solve_linear};
use crate::optimise::error::OptimiseError;

/// Most rows that the search looks at.
const ROWS_MAX: usize = 400;
/// Most points that the search looks at.
const POINTS_MAX: usize = 2500;
/// Number of start points that are kept.
const KEPT: usize = 8;

/// What a start is looked for by: columns of the data.
#[derive(Debug, Clone, Copy)]
pub struct StartData<'a> {
    /// The first predictor; empty where there is none.
    pub predictor: &'a [f64],
    /// The response, as many entries.
    pub response: &'a [f64],
}

/// The entries of a column for the search: all, or one of each few, at uneven distances, so that no fast wave looks like a slow one; the same
/// for each column of a table.
pub fn thin_column(column: &[f64]) -> Vec<f64> {
    let every = column.len().div_ceil(ROWS_MAX).max(1);
    let pick =
        |block: usize| block * every + (radical_inverse(block + 1, 2) * every as f64) as usize;
    let blocks = 0..column.len().div_ceil(every);
    blocks
        .filter_map(|block| column.get(pick(block)).copied())
        .collect()
}

/// The best start points of a search, the best first, at most 8; `known` has the values that the caller gave.
///
/// # Errors
/// Those of the model.
pub fn search_starts(
    model: &mut dyn ResidualProblem,
    data: StartData<'_>,
    known: &[Option<f64>],
    bounds: &[[f64; 2]],
) -> Result<Vec<Vec<f64>>, OptimiseError> {
    let mut values = candidate_values(data.predictor);
    values.extend(candidate_frequencies(data));
    values.sort_by(f64::total_cmp);
    let linear = linear_parameters(model, known, &values)?;
    let searched: Vec<usize> = (0..known.len())
        .filter(|&index| known[index].is_none() && !linear.contains(&index))
        .collect();
    let mut found: Vec<(f64, Vec<f64>)> = Vec::new();
    let count = values
        .len()
        .checked_pow(searched.len() as u32)
        .unwrap_or(usize::MAX);
    for number in 0..count.min(POINTS_MAX) {
        let mut point: Vec<f64> = known.iter().map(|value| value.unwrap_or(0.0)).collect();
        for (place, &index) in searched.iter().enumerate() {
            let pick = match count <= POINTS_MAX {
                true => number / values.len().pow(place as u32) % values.len(),
                false => {
                    (radical_inverse(number + 1, PRIMES[place % PRIMES.len()])
                        * values.len() as f64) as usize
                }
            };
            let [low, high] = bounds[index];
            point[index] = values[pick].clamp(low, high);
        }
        if let Some(cost) = solve_linear(model, &mut point, &linear, bounds)? {
            found.push((cost, point));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    found.truncate(KEPT);
    Ok(found.into_iter().map(|(_, point)| point).collect())
}

const PRIMES: [usize; 10] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29];

/// The digits of a number in a base, mirrored at the point: Halton's sequence.
fn radical_inverse(mut number: usize, base: usize) -> f64 {
    let (mut value, mut share) = (0.0, 1.0 / base as f64);
    while number > 0 {
        value += (number % base) as f64 * share;
        number /= base;
        share /= base as f64;
    }
    value
}

/// Values that parameters may have: of the size of rates, ranges and places of the data, and 1.
fn candidate_values(predictor: &[f64]) -> Vec<f64> {
    let mut sorted = predictor.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (
        sorted.first().copied().unwrap_or(0.0),
        sorted.last().copied().unwrap_or(1.0),
    );
    let span = if high > low {
        high - low
    } else {
        high.abs().max(1.0)
    };
    let mut values = vec![1.0, 0.5, 2.0];
    for factor in [0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0] {
        values.extend([factor / span, -factor / span]);
    }
    for factor in [0.1, 0.3, 1.0, 3.0] {
        values.push(factor * span);
    }
    // Waves: one to sixteen over the data.
    values.extend((1..=16).map(|waves| f64::from(waves) * std::f64::consts::TAU / span));
    for percent in [10, 30, 50, 70, 90] {
        values.extend(sorted.get(sorted.len().saturating_sub(1) * percent / 100));
    }
    values.retain(|value| value.is_finite());
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// What parameters of a wave may be where the data shows one that is faster than sixteen over the data: the angular frequency, the frequency
/// and the period at the two highest peaks of the periodogram with a floating mean, up to half the rate of the closest rows.
fn candidate_frequencies(data: StartData<'_>) -> Vec<f64> {
    const SLOWEST: f64 = 15.5;
    /// Frequencies for each wave over the data.
    const FINENESS: f64 = 5.0;
    const FREQUENCIES_MAX: f64 = 20_000.0;
    /// Share of the variance below which a peak is noise.
    const POWER_MIN: f64 = 0.1;
    let times = data.predictor;
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let span = sorted.last().copied().unwrap_or(0.0) - sorted.first().copied().unwrap_or(0.0);
    let gaps = sorted.windows(2).map(|pair| pair[1] - pair[0]);
    let gap = gaps.filter(|gap| *gap > 0.0).fold(f64::INFINITY, f64::min);
    let most = (FINENESS * 0.5 * span / gap).min(FREQUENCIES_MAX);
    if !(span > 0.0 && most.is_finite()) {
        return Vec::new();
    }
    let (first, count) = ((FINENESS * SLOWEST) as usize, most as usize);
    let power =
        |step: usize| explained_variance_share(times, data.response, step as f64 / FINENESS / span);
    let powers: Vec<f64> = (first..=count.max(first)).map(power).collect();
    let mut found = Vec::new();
    let mut taken: Option<usize> = None;
    for _ in 0..2 {
        let far =
            |place: &usize| taken.is_none_or(|taken| place.abs_diff(taken) as f64 > 2.0 * FINENESS);
        let open = (0..powers.len()).filter(far);
        let Some(best) = open.max_by(|&a, &b| powers[a].total_cmp(&powers[b])) else {
            break;
        };
        if powers[best] < POWER_MIN {
            break;
        }
        let frequency = (first + best) as f64 / FINENESS / span;
        found.extend([
            frequency * std::f64::consts::TAU,
            frequency,
            frequency.recip(),
        ]);
        taken = Some(best);
    }
    found
}

/// The share of the variance that a wave of a frequency explains.
fn explained_variance_share(times: &[f64], values: &[f64], frequency: f64) -> f64 {
    let count = times.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let [mut c, mut s, mut cc, mut cs, mut yc, mut ys, mut yy] = [0.0; 7];
    for (t, y) in times.iter().zip(values) {
        let (sin, cos) = (std::f64::consts::TAU * (frequency * t).fract()).sin_cos();
        let y = y - mean;
        (c, s) = (c + cos, s + sin);
        (cc, cs) = (cc + cos * cos, cs + cos * sin);
        (yc, ys, yy) = (yc + y * cos, ys + y * sin, yy + y * y);
    }
    let ss = count - cc - s * s / count;
    let (cc, cs) = (cc - c * c / count, cs - c * s / count);
    let determinant = cc * ss - cs * cs;
    if !(determinant > 1e-9 * count * count && yy > 0.0) {
        return 0.0;
    }
    (ss * yc * yc + cc * ys * ys - 2.0 * cs * yc * ys) / (yy * determinant)
}

/// Parameters in which the model is linear together, as far as several places show.
fn linear_parameters(
    model: &mut dyn ResidualProblem,
    known: &[Option<f64>],
    values: &[f64],
) -> Result<Vec<usize>, OptimiseError> {
    const PLACES: usize = 12;
    let mut candidates: Vec<usize> = (0..known.len())
        .filter(|&index| known[index].is_none())
        .collect();
    let mut is_seen = false;
    for place in 0..PLACES {
        let value = |index: usize| {
            let share = radical_inverse(place + 1, PRIMES[index % PRIMES.len()]);
            values[(share * values.len() as f64) as usize]
        };
        let base: Vec<f64> = (known.iter().enumerate())
            .map(|(index, known)| known.unwrap_or_else(|| value(index)))
            .collect();
        let found = linear_at(model, &base, &candidates)?;
        if !found.is_empty() {
            candidates = found;
            is_seen = true;
        }
    }
    Ok(if is_seen { candidates } else { Vec::new() })
}
