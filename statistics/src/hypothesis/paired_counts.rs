//! Paired categories: McNemar, Cochran's Q.
//!
//! # References
//! Q. McNemar, Psychometrika 12, 1947; W. G. Cochran, Biometrika 37, 1950.

use numerics::special::{binomial_ccdf, binomial_cdf};

use super::counts::CountTable;
use super::fisher::whole_counts;
use super::outcome::{
    EffectSize, HypothesisError, HypothesisResult, PValueBasis, check_sample, doubled_tail,
};
use super::proportions::clopper_pearson;
use crate::distribution::chi_squared_sf;
use crate::hypothesis::Alternative;

/// Largest number of discordant pairs at which the exact form is chosen.
pub const EXACT_DISCORDANT_MAX: f64 = 1000.0;

/// How McNemar's p value is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McNemarForm {
    /// Binomial probabilities of the discordant pairs.
    Exact,
    /// Chi-squared with Edwards's correction for continuity.
    Corrected,
    /// Chi-squared.
    Plain,
}

/// McNemar's test of whether two classifications of the same subjects have the same share of the first category, by the discordant pairs.
///
/// # Errors
/// [`HypothesisError`] for tables of other shapes, and no discordant pair.
pub fn test_mcnemar(
    table: &CountTable,
    form: McNemarForm,
    confidence: f64,
) -> Result<HypothesisResult, HypothesisError> {
    let [_, b, c, _] = whole_counts(table)?;
    let n = b + c;
    if n == 0.0 {
        return Err(HypothesisError::Undefined {
            reason: "no pair differs, so that there is nothing to compare",
        });
    }
    let ends = clopper_pearson(b, n, confidence).map(|share| share / (1.0 - share));
    let effect = EffectSize {
        name: "odds ratio of the discordant pairs",
        symbol: "OR",
        value: b / c,
        interval: Some(ends),
    };
    let result = match form {
        McNemarForm::Exact => {
            let lower = binomial_cdf(b, n, 0.5);
            let upper = binomial_ccdf(b - 1.0, n, 0.5);
            let p = doubled_tail(lower, upper, Alternative::TwoSided);
            HypothesisResult::new("exact McNemar test", "b", b, p).with_basis(PValueBasis::Exact)
        }
        McNemarForm::Corrected | McNemarForm::Plain => {
            let is_corrected = form == McNemarForm::Corrected;
            let step = if is_corrected { 1.0 } else { 0.0 };
            let statistic = ((b - c).abs() - step).max(0.0).powi(2) / n;
            let p = chi_squared_sf(statistic, 1.0);
            let basis = match is_corrected {
                true => PValueBasis::Corrected,
                false => PValueBasis::Asymptotic,
            };
            HypothesisResult::new("McNemar test", "chi2", statistic, p)
                .with_df(&[1.0])
                .with_basis(basis)
        }
    };
    Ok(result.with_effects(vec![effect]))
}

/// Cochran's Q of `columns`, each 0 or 1 for the same subjects in one condition.
///
/// # Errors
/// [`HypothesisError`] for fewer than two conditions, columns of different length, values other than 0 and 1, and subjects who all answer alike everywhere.
pub fn test_cochran(columns: &[&[f64]]) -> Result<HypothesisResult, HypothesisError> {
    if columns.len() < 2 {
        return Err(HypothesisError::TooFew {
            what: "conditions",
            needed: 2,
            found: columns.len(),
        });
    }
    let subjects = columns[0].len();
    for column in columns {
        check_sample(column, 1, "subjects")?;
        if column.len() != subjects {
            return Err(HypothesisError::Lengths {
                first: subjects,
                second: column.len(),
            });
        }
        if let Some(&found) = column.iter().find(|value| **value != 0.0 && **value != 1.0) {
            return Err(HypothesisError::Range {
                expected: "values 0 and 1",
                found,
            });
        }
    }
    let k = columns.len() as f64;
    let sums: Vec<f64> = columns.iter().map(|column| column.iter().sum()).collect();
    let total: f64 = sums.iter().sum();
    let of_subject = |subject: usize| columns.iter().map(|column| column[subject]).sum::<f64>();
    let spread: f64 = (0..subjects)
        .map(of_subject)
        .map(|sum| sum * (k - sum))
        .sum();
    if spread <= 0.0 {
        return Err(HypothesisError::Constant {
            what: "the answers within each subject",
        });
    }
    let squares: f64 = sums.iter().map(|sum| (sum - total / k).powi(2)).sum();
    let q = k * (k - 1.0) * squares / spread;
    let df = k - 1.0;
    Ok(
        HypothesisResult::new("Cochran Q test", "Q", q, chi_squared_sf(q, df))
            .with_df(&[df])
            .with_basis(PValueBasis::Asymptotic)
            .with_effects(vec![EffectSize {
                name: "share of the largest possible Q",
                symbol: "eta2_Q",
                value: q / (subjects as f64 * df),
                interval: None,
            }]),
    )
}
