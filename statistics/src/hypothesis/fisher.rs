//! Fisher's exact test of a table with two rows and columns.
//!
//! # References
//! R. A. Fisher, "Statistical Methods for Research Workers", 1934; the odds ratio by conditional maximum likelihood and its interval by the noncentral
//! hypergeometric distribution: A. Agresti, "Categorical Data Analysis", 2013, section 16.6.

use numerics::roots::bracket::RootBracket;
use numerics::special::lgamma;

use super::counts::CountTable;
use super::outcome::{
    Alternative, HypothesisError, HypothesisResult, OmittedValues, PValueBasis, ParameterEstimate,
    TestOptions, check_options,
};
use crate::effect::two_by_two_effects;

/// Most values of the first cell.
const SUPPORT_MAX: usize = 2_000_000;
/// Probabilities that differ by less are the same.
const ALIKE: f64 = 1.0 + 1e-7;

/// The first cell given the margins: its range, and the logarithms of its probabilities for an odds ratio of 1.
struct FirstCell {
    least: f64,
    logs: Vec<f64>,
    observed: usize,
}

impl FirstCell {
    fn new(table: [f64; 4]) -> Result<Self, HypothesisError> {
        let [a, b, c, d] = table;
        let (row, column, total) = (a + b, a + c, a + b + c + d);
        let least = (row + column - total).max(0.0);
        let most = row.min(column);
        let size = (most - least) as usize + 1;
        if size > SUPPORT_MAX {
            return Err(HypothesisError::TooMany {
                what: "tables with these margins",
                limit: SUPPORT_MAX,
                found: size,
            });
        }
        // Ratios of neighbours, from the observed one on, so that no logarithms of large factorials cancel.
        let observed = (a - least) as usize;
        let mut logs = vec![0.0; size];
        let ratio = |x: f64| {
            ((row - x) * (column - x)).ln() - ((x + 1.0) * (total - row - column + x + 1.0)).ln()
        };
        for at in observed + 1..size {
            logs[at] = logs[at - 1] + ratio(least + at as f64 - 1.0);
        }
        for at in (0..observed).rev() {
            logs[at] = logs[at + 1] - ratio(least + at as f64);
        }
        Ok(Self {
            least,
            logs,
            observed,
        })
    }

    /// Probabilities for an odds ratio, by its logarithm.
    fn probabilities(&self, log_odds: f64) -> Vec<f64> {
        let logs = self.logs.iter().enumerate();
        let tilted: Vec<f64> = logs.map(|(at, log)| log + log_odds * at as f64).collect();
        let most = tilted.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = tilted.iter().map(|log| (log - most).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    fn lower(&self, log_odds: f64) -> f64 {
        self.probabilities(log_odds)[..=self.observed].iter().sum()
    }

    fn upper(&self, log_odds: f64) -> f64 {
        self.probabilities(log_odds)[self.observed..].iter().sum()
    }

    fn mean(&self, log_odds: f64) -> f64 {
        let probabilities = self.probabilities(log_odds);
        probabilities
            .iter()
            .enumerate()
            .map(|(at, p)| at as f64 * p)
            .sum()
    }

    /// The logarithm of the odds ratio at which a rising function is 0.
    fn log_odds_at(&self, f: impl Fn(f64) -> f64) -> Option<f64> {
        const LARGEST: f64 = 700.0;
        let mut reach = 2.0;
        while reach <= LARGEST {
            let bracket = RootBracket {
                low: -reach,
                at_low: f(-reach),
                high: reach,
                at_high: f(reach),
            };
            if bracket.has_change() {
                let mut value = |x: f64| Ok::<f64, ()>(f(x));
                return bracket
                    .narrowed(1e-14, &mut value)
                    .ok()
                    .map(|it| it.best().0);
            }
            reach *= 2.0;
        }
        None
    }

    /// The odds ratio by conditional maximum likelihood.
    fn estimate(&self) -> f64 {
        if self.observed == 0 {
            return 0.0;
        }
        if self.observed + 1 == self.logs.len() {
            return f64::INFINITY;
        }
        let observed = self.observed as f64;
        self.log_odds_at(|log| self.mean(log) - observed)
            .map_or(f64::NAN, f64::exp)
    }

    fn interval(&self, left_out: OmittedValues) -> [f64; 2] {
        let low = match self.observed > 0 && left_out.below > 0.0 {
            true => self
                .log_odds_at(|log| self.upper(log) - left_out.below)
                .map_or(0.0, f64::exp),
            false => 0.0,
        };
        let high = match self.observed + 1 < self.logs.len() && left_out.above > 0.0 {
            true => self
                .log_odds_at(|log| left_out.above - self.lower(log))
                .map_or(f64::INFINITY, f64::exp),
            false => f64::INFINITY,
        };
        [low, high]
    }
}

/// Fisher's test of a table of whole counts; two-sided, all tables count that are at most as probable as the one observed. `options.null` is the odds
/// ratio under the hypothesis.
///
/// # Errors
/// [`HypothesisError`] for other shapes, counts that are not whole, margins beyond `SUPPORT_MAX`, and an odds ratio that is not above 0.
pub fn test_fisher(
    table: &CountTable,
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    let counts = whole_counts(table)?;
    if options.null <= 0.0 {
        return Err(HypothesisError::Range {
            expected: "an odds ratio above 0",
            found: options.null,
        });
    }
    let cell = FirstCell::new(counts)?;
    let log_odds = options.null.ln();
    let p = match options.alternative {
        Alternative::Less => cell.lower(log_odds),
        Alternative::Greater => cell.upper(log_odds),
        Alternative::TwoSided => {
            let probabilities = cell.probabilities(log_odds);
            let limit = probabilities[cell.observed] * ALIKE;
            probabilities.iter().filter(|p| **p <= limit).sum()
        }
    };
    let symbol = "a";
    Ok(HypothesisResult::new(
        "Fisher exact test",
        symbol,
        cell.least + cell.observed as f64,
        p,
    )
    .with_basis(PValueBasis::Exact)
    .with_alternative(options.alternative)
    .with_estimate(ParameterEstimate {
        name: "odds ratio (conditional)",
        value: cell.estimate(),
        null: options.null,
        interval: Some(cell.interval(OmittedValues::new(options))),
    })
    .with_effects(two_by_two_effects(counts, options.confidence)))
}

/// The whole counts of a table with two rows and columns.
pub(crate) fn whole_counts(table: &CountTable) -> Result<[f64; 4], HypothesisError> {
    let counts = table.two_by_two().ok_or(HypothesisError::Undefined {
        reason: "the test needs a table with two rows and two columns",
    })?;
    match table.is_whole() {
        true => Ok(counts),
        false => Err(HypothesisError::Undefined {
            reason: "an exact test needs whole counts",
        }),
    }
}

/// Logarithm of a factorial.
pub(crate) fn log_factorial(n: f64) -> f64 {
    lgamma(n + 1.0)
}
