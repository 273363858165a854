//! Barnard's unconditional exact test of two proportions.
//!
//! # References
//! G. A. Barnard, "Significance tests for 2 x 2 tables", Biometrika 34, 1947; with the pooled score statistic: S. Suissa and J. J. Shuster, J. R. Stat. Soc. A
//! 148, 1985.

use super::counts::CountTable;
use super::fisher::whole_counts;
use super::outcome::{
    Alternative, HypothesisError, HypothesisResult, PValueBasis, ParameterEstimate, TestOptions,
    check_options,
};
use super::proportions::log_binomial;
use crate::effect::two_by_two_effects;

/// Most tables with the sizes of the two groups.
pub const BARNARD_MAX: usize = 250_000;

/// Two groups, and which of their tables are as extreme as the observed one.
struct ExtremeTables {
    first: usize,
    second: usize,
    /// For each count of the first group, the counts of the second that are extreme.
    extreme: Vec<Vec<usize>>,
}

fn score(x: f64, y: f64, n: f64, m: f64) -> f64 {
    let share = (x + y) / (n + m);
    let spread = share * (1.0 - share) * (1.0 / n + 1.0 / m);
    match spread > 0.0 {
        true => (x / n - y / m) / spread.sqrt(),
        false => 0.0,
    }
}

impl ExtremeTables {
    fn new(n: f64, m: f64, observed: f64, alternative: Alternative) -> Self {
        let slack = 1e-9 * observed.abs().max(1.0);
        let is_extreme = |statistic: f64| match alternative {
            Alternative::TwoSided => statistic.abs() >= observed.abs() - slack,
            Alternative::Greater => statistic >= observed - slack,
            Alternative::Less => statistic <= observed + slack,
        };
        let row = |x: usize| {
            let counts = 0..=m as usize;
            counts
                .filter(|y| is_extreme(score(x as f64, *y as f64, n, m)))
                .collect()
        };
        Self {
            first: n as usize,
            second: m as usize,
            extreme: (0..=n as usize).map(row).collect(),
        }
    }

    /// Probability of the extreme tables where both proportions are `share`.
    fn probability(&self, share: f64) -> f64 {
        let masses = |n: usize| -> Vec<f64> {
            (0..=n)
                .map(|k| log_binomial(k as f64, n as f64, share).exp())
                .collect()
        };
        let (first, second) = (masses(self.first), masses(self.second));
        let rows = self.extreme.iter().zip(&first);
        rows.map(|(row, mass)| mass * row.iter().map(|&y| second[y]).sum::<f64>())
            .sum()
    }

    /// The largest probability over all shares: a grid, then golden sections about its best points.
    fn largest(&self) -> f64 {
        const GRID: usize = 200;
        const BEST: usize = 3;
        const GOLDEN: f64 = 0.618_033_988_749_894_8;
        const STEPS: usize = 45;
        let at = |index: usize| self.probability(index as f64 / GRID as f64);
        let mut grid: Vec<(usize, f64)> = (0..=GRID).map(|index| (index, at(index))).collect();
        grid.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut most = grid[0].1;
        for &(index, _) in &grid[..BEST] {
            let mut low = (index as f64 - 1.0).max(0.0) / GRID as f64;
            let mut high = (index as f64 + 1.0).min(GRID as f64) / GRID as f64;
            for _ in 0..STEPS {
                let width = GOLDEN * (high - low);
                let (a, b) = (
                    self.probability(high - width),
                    self.probability(low + width),
                );
                most = most.max(a).max(b);
                match a > b {
                    true => high = low + width,
                    false => low = high - width,
                }
            }
        }
        most.min(1.0)
    }
}

/// Barnard's test of a table whose rows are two groups and whose first column has the successes; ordered by the pooled score statistic, whose p value is the
/// largest over the unknown common proportion.
///
/// # Errors
/// [`HypothesisError`] for other shapes, counts that are not whole, and groups beyond [`BARNARD_MAX`] tables.
pub fn test_barnard(
    table: &CountTable,
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    let counts = whole_counts(table)?;
    let [a, b, c, d] = counts;
    let (n, m) = (a + b, c + d);
    let tables = (n + 1.0) * (m + 1.0);
    if tables > BARNARD_MAX as f64 {
        return Err(HypothesisError::TooMany {
            what: "tables with groups of these sizes",
            limit: BARNARD_MAX,
            found: tables as usize,
        });
    }
    let statistic = score(a, c, n, m);
    let p = ExtremeTables::new(n, m, statistic, options.alternative).largest();
    Ok(
        HypothesisResult::new("Barnard exact test", "z", statistic, p)
            .with_basis(PValueBasis::Exact)
            .with_alternative(options.alternative)
            .with_estimate(ParameterEstimate {
                name: "difference of proportions",
                value: a / n - c / m,
                null: 0.0,
                interval: None,
            })
            .with_effects(two_by_two_effects(counts, options.confidence)),
    )
}
