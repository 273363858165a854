//! Correlation of two columns: Pearson's, Spearman's, Kendall's, distance.

use super::{EstimateInterval, average_ranks, compensated_sum, mean_of, tie_sizes};
use crate::distribution::{normal_isf, normal_sf, student_sf};

/// A correlation of pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correlation {
    /// The coefficient, from -1 to 1.
    pub estimate: f64,
    /// The statistic of its test: t of Pearson and Spearman, z of Kendall; NaN where the p value is exact.
    pub statistic: f64,
    /// The two-sided p value of no association.
    pub p: f64,
    /// Whether the p value is that of all permutations.
    pub is_exact: bool,
    /// The standard error of the inverse hyperbolic tangent of the estimate, of which [`Self::interval`] is made.
    pub tangent_error: f64,
}

impl Correlation {
    /// The interval by Fisher's transformation.
    pub fn interval(&self, confidence: f64) -> EstimateInterval {
        let half = normal_isf(0.5 * (1.0 - confidence)) * self.tangent_error;
        let middle = self.estimate.atanh();
        match half.is_finite() {
            true if middle.is_infinite() => EstimateInterval {
                low: self.estimate,
                high: self.estimate,
            },
            true => EstimateInterval {
                low: (middle - half).tanh(),
                high: (middle + half).tanh(),
            },
            false => EstimateInterval {
                low: -1.0,
                high: 1.0,
            },
        }
    }
}

/// Why two columns have no correlation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CorrelationError {
    /// Fewer pairs than 3.
    #[error("a correlation needs 3 pairs, found {0}")]
    TooFew(usize),
    /// The first or second column does not vary.
    #[error("the {} column is constant", if *.0 { "first" } else { "second" })]
    Constant(bool),
}

/// What of a column is left beside its mean, at length 1; `None` of a constant.
fn standardise(values: &[f64]) -> Option<Vec<f64>> {
    let mean = mean_of(values);
    let largest = values
        .iter()
        .fold(0.0_f64, |most, x| most.max((x - mean).abs()));
    let size = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if largest <= 4.0 * f64::EPSILON * size || values.iter().all(|x| *x == values[0]) {
        return None;
    }
    let parts: Vec<f64> = values.iter().map(|x| (x - mean) / largest).collect();
    let length = compensated_sum(parts.iter().map(|x| x * x)).sqrt();
    Some(parts.iter().map(|x| x / length).collect())
}

fn product_moment(x: &[f64], y: &[f64]) -> Result<f64, CorrelationError> {
    if x.len() < 3 {
        return Err(CorrelationError::TooFew(x.len()));
    }
    let x = standardise(x).ok_or(CorrelationError::Constant(true))?;
    let y = standardise(y).ok_or(CorrelationError::Constant(false))?;
    Ok(compensated_sum(x.iter().zip(&y).map(|(a, b)| a * b)).clamp(-1.0, 1.0))
}

/// The t statistic of a correlation and its two-sided p value.
fn t_test(r: f64, df: f64) -> (f64, f64) {
    let t = r * (df / ((1.0 - r) * (1.0 + r))).sqrt();
    (t, (2.0 * student_sf(t.abs(), df)).min(1.0))
}

/// Pearson's product-moment correlation, with `lost` further degrees of freedom (of covariates that were taken out).
pub fn pearson(x: &[f64], y: &[f64], lost: usize) -> Result<Correlation, CorrelationError> {
    let r = product_moment(x, y)?;
    let n = x.len() as f64 - lost as f64;
    if n < 3.0 {
        return Err(CorrelationError::TooFew(x.len()));
    }
    let (statistic, p) = t_test(r, n - 2.0);
    Ok(Correlation {
        estimate: r,
        statistic,
        p,
        is_exact: false,
        tangent_error: 1.0 / (n - 3.0).sqrt(),
    })
}

/// Spearman's rank correlation: exact p values up to 9 pairs without ties, by Student's t beyond. The interval has the error of D. G. Bonett and T. A.
/// Wright, "Sample size requirements for estimating Pearson, Kendall and Spearman correlations", Psychometrika 65, 2000.
pub fn spearman(x: &[f64], y: &[f64], lost: usize) -> Result<Correlation, CorrelationError> {
    const EXACT_MAX: usize = 9;
    let (ranks_x, ranks_y) = (average_ranks(x), average_ranks(y));
    let plain = pearson(&ranks_x, &ranks_y, lost)?;
    let has_ties = !tie_sizes(x).is_empty() || !tie_sizes(y).is_empty();
    let r = plain.estimate;
    let n = x.len() as f64 - lost as f64;
    let is_exact = x.len() <= EXACT_MAX && !has_ties && lost == 0;
    Ok(Correlation {
        p: if is_exact {
            spearman_exact_p(x.len(), r)
        } else {
            plain.p
        },
        statistic: if is_exact { f64::NAN } else { plain.statistic },
        is_exact,
        tangent_error: ((1.0 + 0.5 * r * r) / (n - 3.0)).sqrt(),
        ..plain
    })
}

/// The share of all permutations whose sum of squared differences of ranks is as far from its middle.
fn spearman_exact_p(n: usize, r: f64) -> f64 {
    let middle = (n * (n * n - 1)) as f64 / 6.0;
    let far = (r.abs() * middle).round() - 0.5;
    let mut ranks: Vec<usize> = (0..n).collect();
    let mut counters = vec![0; n];
    let count = |ranks: &[usize]| {
        let squares: i64 = ranks
            .iter()
            .enumerate()
            .map(|(i, &k)| (i as i64 - k as i64).pow(2))
            .sum();
        u64::from((squares as f64 - middle).abs() >= far)
    };
    let (mut hits, mut all) = (count(&ranks), 1_u64);
    // B. R. Heap, 1963
    let mut i = 0;
    while i < n {
        if counters[i] < i {
            let other = if i % 2 == 0 { 0 } else { counters[i] };
            ranks.swap(other, i);
            hits += count(&ranks);
            all += 1;
            counters[i] += 1;
            i = 0;
        } else {
            counters[i] = 0;
            i += 1;
        }
    }
    hits as f64 / all as f64
}

/// Kendall's tau-b in `n log n` steps (W. R. Knight, 1966): exact p values up to 60 pairs without ties (M. G. Kendall, Rank Correlation Methods), by the normal
/// distribution with the variance for ties beyond. The interval has the error of E. C. Fieller, H. O. Hartley and E. S. Pearson, 1957.
pub fn kendall(x: &[f64], y: &[f64]) -> Result<Correlation, CorrelationError> {
    const EXACT_MAX: usize = 60;
    let n = x.len();
    if n < 3 {
        return Err(CorrelationError::TooFew(n));
    }
    let is_constant = |values: &[f64]| values.iter().all(|v| *v == values[0]);
    for (is_first, column) in [(true, x), (false, y)] {
        if is_constant(column) {
            return Err(CorrelationError::Constant(is_first));
        }
    }
    let (ties_x, ties_y) = (tie_sizes(x), tie_sizes(y));
    let pairs = |ties: &[usize]| {
        ties.iter()
            .map(|&t| (t * (t - 1)) as f64 / 2.0)
            .sum::<f64>()
    };
    let score = kendall_score(x, y);
    let all = (n * (n - 1)) as f64 / 2.0;
    let estimate = score / ((all - pairs(&ties_x)).sqrt() * (all - pairs(&ties_y)).sqrt());
    let is_exact = n <= EXACT_MAX && ties_x.is_empty() && ties_y.is_empty();
    let z = score / kendall_variance(n as f64, &ties_x, &ties_y).sqrt();
    let p = match is_exact {
        true => kendall_exact_p(n, score),
        false => (2.0 * normal_sf(z.abs())).min(1.0),
    };
    Ok(Correlation {
        estimate: estimate.clamp(-1.0, 1.0),
        statistic: if is_exact { f64::NAN } else { z },
        p,
        is_exact,
        tangent_error: (0.437 / (n as f64 - 4.0)).sqrt(),
    })
}

/// Concordant pairs less discordant ones.
fn kendall_score(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]).then(y[a].total_cmp(&y[b])));
    let pairs = |size: usize| (size * (size - 1)) as f64 / 2.0;
    let mut sorted: Vec<f64> = order.iter().map(|&k| y[k]).collect();
    let same_both: f64 = order
        .chunk_by(|&a, &b| x[a] == x[b] && y[a] == y[b])
        .map(|group| pairs(group.len()))
        .sum();
    let same = |values: &[f64]| tie_sizes(values).iter().map(|&t| pairs(t)).sum::<f64>();
    let swaps = count_swaps(&mut sorted) as f64;
    pairs(n) - same(x) - same(y) + same_both - 2.0 * swaps
}

/// The exchanges of neighbours that sort the values: a merge sort from below.
fn count_swaps(values: &mut [f64]) -> u64 {
    let n = values.len();
    let mut buffer = values.to_vec();
    let (mut swaps, mut width) = (0_u64, 1);
    while width < n {
        for from in (0..n).step_by(2 * width) {
            let (middle, to) = ((from + width).min(n), (from + 2 * width).min(n));
            let (mut i, mut j) = (from, middle);
            for slot in &mut buffer[from..to] {
                let takes_right = j < to && (i >= middle || values[j] < values[i]);
                *slot = if takes_right { values[j] } else { values[i] };
                if takes_right {
                    swaps += (middle - i) as u64;
                    j += 1;
                } else {
                    i += 1;
                }
            }
        }
        values.copy_from_slice(&buffer);
        width *= 2;
    }
    swaps
}

fn kendall_variance(n: f64, ties_x: &[usize], ties_y: &[usize]) -> f64 {
    let sum =
        |ties: &[usize], term: fn(f64) -> f64| ties.iter().map(|&t| term(t as f64)).sum::<f64>();
    let cubic = |t: f64| t * (t - 1.0) * (2.0 * t + 5.0);
    let pair = |t: f64| t * (t - 1.0);
    let triple = |t: f64| t * (t - 1.0) * (t - 2.0);
    let main = (cubic(n) - sum(ties_x, cubic) - sum(ties_y, cubic)) / 18.0;
    let second = sum(ties_x, pair) * sum(ties_y, pair) / (2.0 * n * (n - 1.0));
    let third = sum(ties_x, triple) * sum(ties_y, triple) / (9.0 * n * (n - 1.0) * (n - 2.0));
    main + second + third
}

/// The share of permutations whose score is as large, by the counts of inversions.
fn kendall_exact_p(n: usize, score: f64) -> f64 {
    let all = n * (n - 1) / 2;
    // Shares of permutations by their number of inversions.
    let mut shares = vec![1.0];
    for k in 2..=n {
        let most = k * (k - 1) / 2;
        let next = |c: usize| {
            let from = c.saturating_sub(k - 1);
            let to = c.min(shares.len() - 1);
            match from <= to {
                true => shares[from..=to].iter().sum::<f64>() / k as f64,
                false => 0.0,
            }
        };
        shares = (0..=most).map(next).collect();
    }
    let fewest = ((all as f64 - score.abs()) / 2.0).round() as usize;
    match 2 * fewest >= all {
        true => 1.0,
        false => (2.0 * shares[..=fewest].iter().sum::<f64>()).min(1.0),
    }
}

/// The correlation of distances (G. J. Szekely, M. L. Rizzo and N. K. Bakirov, 2007), 0 only for independent variables; `n^2` steps.
pub fn distance_correlation(x: &[f64], y: &[f64]) -> Result<f64, CorrelationError> {
    if x.len() < 3 {
        return Err(CorrelationError::TooFew(x.len()));
    }
    let (of_x, of_y) = (distance_means(x), distance_means(y));
    let centred = |values: &[f64], means: &DistanceMeans, i: usize, j: usize| {
        (values[i] - values[j]).abs() - means.rows[i] - means.rows[j] + means.all
    };
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for i in 0..x.len() {
        for j in 0..x.len() {
            let (a, b) = (centred(x, &of_x, i, j), centred(y, &of_y, i, j));
            xy += a * b;
            xx += a * a;
            yy += b * b;
        }
    }
    for (is_first, square) in [(true, xx), (false, yy)] {
        if square == 0.0 {
            return Err(CorrelationError::Constant(is_first));
        }
    }
    Ok((xy.max(0.0) / (xx.sqrt() * yy.sqrt())).sqrt())
}

/// Mean distances of each value from all, and of all.
struct DistanceMeans {
    rows: Vec<f64>,
    all: f64,
}

fn distance_means(values: &[f64]) -> DistanceMeans {
    let n = values.len() as f64;
    let row = |x: &f64| values.iter().map(|y| (x - y).abs()).sum::<f64>() / n;
    let rows: Vec<f64> = values.iter().map(row).collect();
    let all = rows.iter().sum::<f64>() / n;
    DistanceMeans { rows, all }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    const Y: [f64; 8] = [2.1, 1.3, 4.4, 3.9, 6.2, 4.8, 8.8, 7.0];
    const A: [f64; 12] = [1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0, 5.0, 5.0, 6.0, 7.0, 7.0];
    const B: [f64; 12] = [2.0, 1.0, 2.0, 3.0, 5.0, 3.0, 3.0, 5.0, 6.0, 6.0, 8.0, 7.0];

    fn near(value: f64, expected: f64) {
        assert!(
            (value / expected - 1.0).abs() < 1e-11,
            "{value}, expected {expected}"
        );
    }

    /// By SciPy 1.17; the exact p value of Spearman by all permutations in Python.
    #[test]
    fn correlations_agree_with_scipy() {
        let found = pearson(&X, &Y, 0).unwrap();
        near(found.estimate, 0.8827800517227966);
        near(found.p, 0.0036809524167709965);
        let interval = found.interval(0.95);
        near(interval.low, 0.47127163971630537);
        near(interval.high, 0.978658012075118);
        let found = spearman(&X, &Y, 0).unwrap();
        near(found.estimate, 0.9047619047619048);
        near(found.p, 0.004563492063492064);
        let found = kendall(&X, &Y).unwrap();
        near(found.estimate, 0.7142857142857142);
        near(found.p, 0.014136904761904762);
        assert!(found.is_exact);
    }

    #[test]
    fn exact_values_of_kendall_reach_thirty_pairs() {
        let x: Vec<f64> = (0..30).map(f64::from).collect();
        let y: Vec<f64> = (0..30)
            .map(|k| f64::from((k * 7) % 30) + 0.51 * f64::from(k))
            .collect();
        let found = kendall(&x, &y).unwrap();
        near(found.estimate, 0.5448275862068965);
        near(found.p, 9.169593557192105e-6);
    }

    #[test]
    fn ties_are_counted_as_scipy_counts_them() {
        let found = kendall(&A, &B).unwrap();
        near(found.estimate, 0.85);
        near(found.p, 0.0003093872968573109);
        let found = spearman(&A, &B, 0).unwrap();
        near(found.estimate, 0.9372759856630825);
        near(found.p, 6.878102099772351e-6);
        near(pearson(&A, &B, 0).unwrap().p, 2.112588905827065e-5);
    }

    #[test]
    fn perfect_and_constant_columns() {
        let exact = pearson(&X, &X.map(|x| 3.0 - 2.0 * x), 0).unwrap();
        assert!(exact.estimate == -1.0 && exact.p == 0.0, "{exact:?}");
        assert_eq!(
            pearson(&[1.0; 4], &[1.0, 2.0, 3.0, 4.0], 0),
            Err(CorrelationError::Constant(true))
        );
        assert_eq!(
            kendall(&X, &[0.1 + 0.2; 8]),
            Err(CorrelationError::Constant(false))
        );
        assert_eq!(
            spearman(&[1.0], &[1.0], 0),
            Err(CorrelationError::TooFew(1))
        );
        let huge = X.map(|x| x * 1e300);
        near(pearson(&huge, &Y, 0).unwrap().estimate, 0.8827800517227966);
    }

    /// A parabola has no correlation, and a distance correlation; the last value is by NumPy.
    #[test]
    fn distances_see_a_parabola() {
        let x: Vec<f64> = (-10..=10).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| x * x).collect();
        assert!(pearson(&x, &y, 0).unwrap().estimate.abs() < 1e-12);
        let found = distance_correlation(&x, &y).unwrap();
        assert!(found > 0.4 && found < 0.6, "{found}");
        near(distance_correlation(&X, &X.map(|x| 5.0 - x)).unwrap(), 1.0);
        near(distance_correlation(&X, &Y).unwrap(), 0.9034396915464431);
    }
}
