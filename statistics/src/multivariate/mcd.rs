//! [`fit_mcd`]: a mean and covariance that nearly half of the rows cannot move.

use numerics::Watch;
use rand::RngExt;
use random_streams::{StreamRng, derive_seed, stream_rng};

use super::{MultivariateError, PointTable};
use crate::distribution::{chi_squared_cdf, chi_squared_quantile};
use crate::resampling::draw_places;

/// A robust mean and covariance, in the unit of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct RobustCovariance {
    /// The mean.
    pub centre: Vec<f64>,
    /// The covariance, row by row.
    pub covariance: Vec<f64>,
    /// Squared distance of each row from the mean in that covariance: about chi-squared with as many degrees of freedom as columns.
    pub squares: Vec<f64>,
    /// Rows of the subset with the least determinant.
    pub subset: Vec<usize>,
    /// Rows that the final mean and covariance are of.
    pub weighted: usize,
}

/// Random starts.
const STARTS: usize = 500;
/// Candidates that are refined.
const CANDIDATES: usize = 10;
/// Rows from which on the starts are within groups.
const GROUPED_ROWS: usize = 600;
/// Rows of a group, and most groups.
const GROUP_ROWS: usize = 300;
const GROUPS_MAX: usize = 5;
/// Refinements of a candidate; each lowers the determinant, and a few reach the end.
const STEPS_MAX: usize = 100;
/// Share of a normal sample that the final estimate is of.
const WEIGHTED_SHARE: f64 = 0.975;

/// Finds the half of the rows whose covariance has the least determinant, scales it for normal data, and takes the mean and covariance of the rows within its 97.5 %
/// limit, scaled likewise. Columns should be standardised, which changes no distance.
///
/// # Method
/// FastMCD: 500 random starts of p + 1 rows (in groups of 300 from 600 rows on), two concentration steps, the ten best to the end. Without the small-sample
/// factors of G. Pison et al. (2002): of fewer than about 20 rows a column too many are beyond the limit.
///
/// # Errors
/// Fewer than `2 p + 2` rows, columns that depend on each other, half of the rows on a line or plane, or the caller stopped it.
///
/// # References
/// P. J. Rousseeuw and K. Van Driessen, "A fast algorithm for the minimum covariance determinant estimator", Technometrics 41, 1999.
pub fn fit_mcd(
    points: &PointTable,
    seed: u64,
    watch: &dyn Watch,
) -> Result<RobustCovariance, MultivariateError> {
    let (n, p) = (points.rows(), points.columns());
    if n < 2 * p + 2 {
        return Err(MultivariateError::TooFewRows {
            needed: 2 * p + 2,
            found: n,
        });
    }
    let search = SubsetSearch { points, watch };
    let all: Vec<usize> = (0..n).collect();
    if search.estimate(&all).factor().is_none() {
        let words = "the columns depend on each other linearly, so that no distance is defined";
        return Err(MultivariateError::Dependent(words));
    }
    let half = usize::midpoint(n, p + 1);
    let mut best: Option<SubsetEstimate> = None;
    let mut is_flat = false;
    for start in search.starts(&all, half, seed)? {
        match search.refine(start, &all, half, STEPS_MAX)? {
            Some(found) => {
                if best.as_ref().is_none_or(|least| found.size < least.size) {
                    best = Some(found);
                }
            }
            None => is_flat = true,
        }
    }
    let flat = "half of the rows lie on a line or plane, so that the robust covariance is singular";
    let (Some(best), false) = (best, is_flat) else {
        return Err(MultivariateError::Dependent(flat));
    };
    let raw = best.scaled(half as f64 / n as f64, p);
    let Some(squares) = search.squares(&raw, &all)? else {
        return Err(MultivariateError::Dependent(flat));
    };
    let limit = chi_squared_quantile(WEIGHTED_SHARE, p as f64);
    let inner: Vec<usize> = (0..n).filter(|row| squares[*row] <= limit).collect();
    let weighted = search.estimate(&inner).scaled(WEIGHTED_SHARE, p);
    let Some(squares) = search.squares(&weighted, &all)? else {
        return Err(MultivariateError::Dependent(flat));
    };
    let mut subset = best.rows;
    subset.sort_unstable();
    Ok(RobustCovariance {
        weighted: inner.len(),
        centre: weighted.centre,
        covariance: weighted.covariance,
        squares,
        subset,
    })
}

/// Mean and covariance of rows.
#[derive(Debug, Clone)]
struct SubsetEstimate {
    rows: Vec<usize>,
    centre: Vec<f64>,
    covariance: Vec<f64>,
    /// Logarithm of the determinant.
    size: f64,
}

impl SubsetEstimate {
    /// Times the factor by which the covariance of the inner share of a normal sample is too small (C. Croux and G. Haesbroeck, 1999).
    fn scaled(&self, share: f64, columns: usize) -> Self {
        let p = columns as f64;
        let factor = match share < 1.0 {
            true => share / chi_squared_cdf(chi_squared_quantile(share, p), p + 2.0),
            false => 1.0,
        };
        let mut scaled = self.clone();
        let entries = scaled.covariance.iter_mut();
        entries.for_each(|entry| *entry *= factor);
        scaled
    }

    /// The lower triangle of the Cholesky factor, row by row; `None` where it is singular up to rounding.
    fn factor(&self) -> Option<Vec<f64>> {
        let p = self.centre.len();
        let rounding = f64::EPSILON * (p + self.rows.len()) as f64;
        let mut lower = vec![0.0; p * p];
        for row in 0..p {
            for column in 0..=row {
                let known: f64 = (0..column)
                    .map(|k| lower[row * p + k] * lower[column * p + k])
                    .sum();
                let own = self.covariance[row * p + column];
                let rest = own - known;
                if row == column {
                    if !(rest > rounding * own && rest.is_finite()) {
                        return None;
                    }
                    lower[row * p + row] = rest.sqrt();
                } else {
                    lower[row * p + column] = rest / lower[column * p + column];
                }
            }
        }
        Some(lower)
    }
}

struct SubsetSearch<'a> {
    points: &'a PointTable,
    watch: &'a dyn Watch,
}

impl SubsetSearch<'_> {
    fn estimate(&self, rows: &[usize]) -> SubsetEstimate {
        let p = self.points.columns();
        let count = rows.len() as f64;
        let mut centre = vec![0.0; p];
        for &row in rows {
            let cells = centre.iter_mut().zip(self.points.row(row));
            cells.for_each(|(sum, value)| *sum += value);
        }
        centre.iter_mut().for_each(|sum| *sum /= count);
        let mut covariance = vec![0.0; p * p];
        let mut away = vec![0.0; p];
        for &row in rows {
            let cells = self.points.row(row).iter().zip(&centre);
            away.iter_mut()
                .zip(cells)
                .for_each(|(away, (value, centre))| *away = value - centre);
            for a in 0..p {
                for b in 0..=a {
                    covariance[a * p + b] += away[a] * away[b];
                }
            }
        }
        for a in 0..p {
            for b in 0..=a {
                let value = covariance[a * p + b] / (count - 1.0).max(1.0);
                covariance[a * p + b] = value;
                covariance[b * p + a] = value;
            }
        }
        let mut estimate = SubsetEstimate {
            rows: rows.to_vec(),
            centre,
            covariance,
            size: f64::NEG_INFINITY,
        };
        if let Some(lower) = estimate.factor() {
            estimate.size = 2.0 * (0..p).map(|k| lower[k * p + k].ln()).sum::<f64>();
        }
        estimate
    }

    /// The squared distances of some rows; `None` for a singular covariance.
    fn squares(
        &self,
        estimate: &SubsetEstimate,
        rows: &[usize],
    ) -> Result<Option<Vec<f64>>, MultivariateError> {
        let Some(lower) = estimate.factor() else {
            return Ok(None);
        };
        let p = self.points.columns();
        let mut solved = vec![0.0; p];
        let mut squares = Vec::with_capacity(rows.len());
        for (place, &row) in rows.iter().enumerate() {
            if place % 4096 == 0 {
                self.watch.check()?;
            }
            let cells = self.points.row(row);
            for k in 0..p {
                let known: f64 = (0..k).map(|j| lower[k * p + j] * solved[j]).sum();
                solved[k] = (cells[k] - estimate.centre[k] - known) / lower[k * p + k];
            }
            squares.push(solved.iter().map(|value| value * value).sum());
        }
        Ok(Some(squares))
    }

    /// Concentration steps: the `half` nearest rows again and again, until they stay or the steps end; `None` for a singular covariance.
    fn refine(
        &self,
        start: SubsetEstimate,
        rows: &[usize],
        half: usize,
        steps: usize,
    ) -> Result<Option<SubsetEstimate>, MultivariateError> {
        let mut at = start;
        for _ in 0..steps {
            let Some(squares) = self.squares(&at, rows)? else {
                return Ok(None);
            };
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.select_nth_unstable_by(half - 1, |&a, &b| {
                squares[a].total_cmp(&squares[b]).then(a.cmp(&b))
            });
            let mut nearest: Vec<usize> = order[..half].iter().map(|place| rows[*place]).collect();
            nearest.sort_unstable();
            if nearest == at.rows {
                break;
            }
            at = self.estimate(&nearest);
        }
        Ok(at.factor().is_some().then_some(at))
    }

    /// The best candidates after two steps.
    fn starts(
        &self,
        all: &[usize],
        half: usize,
        seed: u64,
    ) -> Result<Vec<SubsetEstimate>, MultivariateError> {
        let n = all.len();
        let seed = derive_seed(seed, "mcd", 0);
        if n <= GROUPED_ROWS {
            return self.drawn_starts(all, half, STARTS, seed, 0);
        }
        let count = (n / GROUP_ROWS).clamp(2, GROUPS_MAX);
        let size = (count * GROUP_ROWS).min(n);
        let pool = draw_places(n, size, false, (seed, u64::MAX)).unwrap_or_default();
        let in_share = |rows: usize| (half * rows).div_ceil(n).max(self.points.columns() + 1);
        let mut candidates = Vec::new();
        for (group, rows) in pool.chunks(size.div_ceil(count)).enumerate() {
            let stream = (group * STARTS) as u64;
            let starts = STARTS / count;
            candidates.extend(self.drawn_starts(
                rows,
                in_share(rows.len()),
                starts,
                seed,
                stream,
            )?);
        }
        self.best_of(candidates, &pool, in_share(size))
    }

    fn drawn_starts(
        &self,
        rows: &[usize],
        half: usize,
        starts: usize,
        seed: u64,
        stream: u64,
    ) -> Result<Vec<SubsetEstimate>, MultivariateError> {
        let mut drawn = Vec::with_capacity(starts);
        for start in 0..starts {
            self.watch.check()?;
            let mut random = stream_rng(seed, stream + start as u64);
            drawn.extend(self.draw_start(rows, &mut random));
        }
        self.best_of(drawn, rows, half)
    }

    /// As many random rows as have a covariance.
    fn draw_start(&self, rows: &[usize], random: &mut StreamRng) -> Option<SubsetEstimate> {
        let mut rows = rows.to_vec();
        let least = self.points.columns() + 1;
        for place in 0..rows.len() {
            let other = random.random_range(place..rows.len());
            rows.swap(place, other);
            if place + 1 >= least {
                let estimate = self.estimate(&rows[..=place]);
                if estimate.factor().is_some() {
                    return Some(estimate);
                }
            }
        }
        None
    }

    fn best_of(
        &self,
        candidates: Vec<SubsetEstimate>,
        rows: &[usize],
        half: usize,
    ) -> Result<Vec<SubsetEstimate>, MultivariateError> {
        let mut best: Vec<SubsetEstimate> = Vec::new();
        for candidate in candidates {
            // A singular candidate is retained: it shows that rows lie on a plane.
            let refined = self.refine(candidate.clone(), rows, half, 2)?;
            best.push(refined.unwrap_or(SubsetEstimate {
                size: f64::NEG_INFINITY,
                ..candidate
            }));
            best.sort_by(|a, b| a.size.total_cmp(&b.size));
            best.dedup_by(|a, b| a.rows == b.rows);
            best.truncate(CANDIDATES);
        }
        Ok(best)
    }
}
