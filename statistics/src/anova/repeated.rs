//! Analysis of variance of repeated measures, one value of each subject in each condition.
//!
//! # References
//! S. W. Greenhouse and S. Geisser, Psychometrika 24, 1959; H. Huynh and L. S. Feldt, J. Educ. Stat. 1, 1976; J. W. Mauchly, Ann. Math. Stat. 11, 1940;
//! T. W. Anderson, "An Introduction to Multivariate Statistical Analysis", 2003, section 10.7 (p value of Mauchly's W).

use crate::distribution::{chi_squared_sf, fisher_f_sf};
use crate::effect::{VarianceShares, eta_squared, omega_squared, partial_eta_squared};
use crate::hypothesis::sample::mean;
use crate::hypothesis::{EffectSize, HypothesisError};

/// Most conditions.
const CONDITIONS_MAX: usize = 200;

/// The analysis with its corrections for conditions that are not spherical.
#[derive(Debug, Clone)]
pub struct RepeatedResult {
    /// F ratio.
    pub f: f64,
    /// Degrees of freedom of the conditions.
    pub df1: f64,
    /// Degrees of freedom of the error.
    pub df2: f64,
    /// P value without correction.
    pub p: f64,
    /// Sum of squares of the conditions.
    pub condition_squares: f64,
    /// Sum of squares of the subjects.
    pub subject_squares: f64,
    /// Sum of squares of the error.
    pub error_squares: f64,
    /// Greenhouse and Geisser's epsilon: 1 for spherical conditions.
    pub greenhouse_geisser: f64,
    /// Huynh and Feldt's epsilon, at most 1.
    pub huynh_feldt: f64,
    /// P value with degrees of freedom times the first epsilon.
    pub p_greenhouse_geisser: f64,
    /// P value with degrees of freedom times the second epsilon.
    pub p_huynh_feldt: f64,
    /// Mauchly's test of sphericity; `None` for two conditions, which are spherical, and where there are not more subjects than conditions.
    pub mauchly: Option<MauchlyResult>,
    /// Partial eta squared, generalised eta squared, partial omega squared.
    pub effects: Vec<EffectSize>,
}

/// Mauchly's test of sphericity.
#[derive(Debug, Clone, Copy)]
pub struct MauchlyResult {
    /// The statistic, from 0 to 1.
    pub w: f64,
    /// Its p value.
    pub p: f64,
}

fn check_conditions(columns: &[&[f64]]) -> Result<usize, HypothesisError> {
    if columns.len() < 2 {
        return Err(HypothesisError::TooFew {
            what: "conditions",
            needed: 2,
            found: columns.len(),
        });
    }
    if columns.len() > CONDITIONS_MAX {
        return Err(HypothesisError::TooMany {
            what: "conditions",
            limit: CONDITIONS_MAX,
            found: columns.len(),
        });
    }
    let subjects = columns[0].len();
    for column in columns {
        if column.len() != subjects {
            return Err(HypothesisError::Lengths {
                first: subjects,
                second: column.len(),
            });
        }
        if let Some(&found) = column.iter().find(|value| !value.is_finite()) {
            return Err(HypothesisError::Range {
                expected: "finite observations",
                found,
            });
        }
    }
    match subjects < 2 {
        true => Err(HypothesisError::TooFew {
            what: "subjects with a value in every condition",
            needed: 2,
            found: subjects,
        }),
        false => Ok(subjects),
    }
}

/// The values less the effects of subject and condition.
fn residual_columns(columns: &[&[f64]], subjects: usize) -> Vec<Vec<f64>> {
    let means: Vec<f64> = columns.iter().map(|column| mean(column)).collect();
    let centred: Vec<Vec<f64>> = columns
        .iter()
        .zip(&means)
        .map(|(column, mean)| column.iter().map(|value| value - mean).collect())
        .collect();
    let subject_mean = |subject: usize| {
        centred.iter().map(|column| column[subject]).sum::<f64>() / columns.len() as f64
    };
    let own: Vec<f64> = (0..subjects).map(subject_mean).collect();
    centred
        .iter()
        .map(|column| {
            column
                .iter()
                .zip(&own)
                .map(|(value, own)| value - own)
                .collect()
        })
        .collect()
}

/// Analysis of variance of `columns`, one a condition, each with a value of the same subjects in the same order.
///
/// # Errors
/// [`HypothesisError`] for fewer than two conditions or subjects, columns of different length, and subjects who all differ alike between conditions.
pub fn analyse_repeated(
    columns: &[&[f64]],
    confidence: f64,
) -> Result<RepeatedResult, HypothesisError> {
    let subjects = check_conditions(columns)?;
    let (n, k) = (subjects as f64, columns.len() as f64);
    let all: Vec<f64> = columns
        .iter()
        .flat_map(|column| column.iter().copied())
        .collect();
    let centre = mean(&all);
    let condition_squares: f64 = columns
        .iter()
        .map(|column| n * (mean(column) - centre).powi(2))
        .sum();
    let subject = |at: usize| {
        let own = columns
            .iter()
            .map(|column| column[at] - centre)
            .sum::<f64>()
            / k;
        k * own * own
    };
    let subject_squares: f64 = (0..subjects).map(subject).sum();
    let residuals = residual_columns(columns, subjects);
    let error_squares: f64 = residuals.iter().flatten().map(|r| r * r).sum();
    let total: f64 = all.iter().map(|value| (value - centre).powi(2)).sum();
    if error_squares <= 1e-26 * total || total == 0.0 {
        return Err(HypothesisError::Constant {
            what: "the differences between conditions",
        });
    }
    let (df1, df2) = (k - 1.0, (k - 1.0) * (n - 1.0));
    let f = (condition_squares / df1) / (error_squares / df2);
    let covariance = residual_covariance(&residuals, n);
    let gg = greenhouse_geisser(&covariance).clamp(1.0 / df1, 1.0);
    let hf = (n * df1 * gg - 2.0) / (df1 * (n - 1.0 - df1 * gg));
    let hf = if hf > 0.0 && hf < 1.0 { hf } else { 1.0 };
    let corrected = |epsilon: f64| fisher_f_sf(f, epsilon * df1, epsilon * df2);
    let shares = VarianceShares {
        term_squares: condition_squares,
        term_df: df1,
        error_squares,
        error_df: df2,
        total_squares: total,
        count: n * k,
    };
    let mut generalised = eta_squared(&shares, confidence);
    (generalised.name, generalised.symbol) = ("generalised eta squared", "eta2_G");
    Ok(RepeatedResult {
        f,
        df1,
        df2,
        p: fisher_f_sf(f, df1, df2),
        condition_squares,
        subject_squares,
        error_squares,
        greenhouse_geisser: gg,
        huynh_feldt: hf,
        p_greenhouse_geisser: corrected(gg),
        p_huynh_feldt: corrected(hf),
        mauchly: match columns.len() > 2 && n > k {
            true => Some(mauchly_test(&covariance, n - 1.0)),
            false => None,
        },
        effects: vec![
            partial_eta_squared(&shares, confidence),
            generalised,
            omega_squared(&shares, confidence),
        ],
    })
}

/// Covariance of the residual columns, which is that of the conditions centred by rows and columns.
fn residual_covariance(residuals: &[Vec<f64>], subjects: f64) -> Vec<Vec<f64>> {
    let product = |a: &Vec<f64>, b: &Vec<f64>| {
        a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / (subjects - 1.0)
    };
    let row = |a: &Vec<f64>| residuals.iter().map(|b| product(a, b)).collect();
    residuals.iter().map(row).collect()
}

fn greenhouse_geisser(covariance: &[Vec<f64>]) -> f64 {
    let trace: f64 = (0..covariance.len()).map(|at| covariance[at][at]).sum();
    let squares: f64 = covariance.iter().flatten().map(|value| value * value).sum();
    trace * trace / ((covariance.len() as f64 - 1.0) * squares)
}

/// W of the covariance of orthonormal contrasts, which has the eigenvalues of the centred covariance but for one that is 0.
fn mauchly_test(covariance: &[Vec<f64>], df: f64) -> MauchlyResult {
    let p = covariance.len() as f64 - 1.0;
    let contrasts = contrast_covariance(covariance);
    let trace: f64 = (0..contrasts.len()).map(|at| contrasts[at][at]).sum();
    let log_w = log_determinant(contrasts) - p * (trace / p).ln();
    let rho = 1.0 - (2.0 * p * p + p + 2.0) / (6.0 * df * p);
    let second =
        (p + 2.0) * (p - 1.0) * (p - 2.0) * (2.0 * p.powi(3) + 6.0 * p * p + 3.0 * p + 2.0)
            / (288.0 * (df * p * rho).powi(2));
    let statistic = -df * rho * log_w;
    let free = 0.5 * p * (p + 1.0) - 1.0;
    let first = chi_squared_sf(statistic, free);
    let tail = first + second * (chi_squared_sf(statistic, free + 4.0) - first);
    MauchlyResult {
        w: log_w.exp().min(1.0),
        p: tail.clamp(0.0, 1.0),
    }
}

/// Covariance of the orthonormal Helmert contrasts.
fn contrast_covariance(covariance: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let contrast = |at: usize| -> Vec<f64> {
        let size = at as f64 + 1.0;
        let scale = 1.0 / (size * (size + 1.0)).sqrt();
        let weight = |condition: usize| match condition {
            condition if condition <= at => scale,
            condition if condition == at + 1 => -size * scale,
            _ => 0.0,
        };
        (0..covariance.len()).map(weight).collect()
    };
    let contrasts: Vec<Vec<f64>> = (0..covariance.len() - 1).map(contrast).collect();
    let form = |a: &Vec<f64>, b: &Vec<f64>| -> f64 {
        let rows = covariance.iter().zip(a);
        rows.map(|(row, a)| a * row.iter().zip(b).map(|(cell, b)| cell * b).sum::<f64>())
            .sum()
    };
    let row = |a: &Vec<f64>| contrasts.iter().map(|b| form(a, b)).collect();
    contrasts.iter().map(row).collect()
}

/// Logarithm of the determinant of a positive semidefinite matrix, by Cholesky's elimination; minus infinity where it is singular.
fn log_determinant(mut matrix: Vec<Vec<f64>>) -> f64 {
    let mut log = 0.0;
    for at in 0..matrix.len() {
        let pivot = matrix[at][at];
        if pivot.is_nan() || pivot <= 0.0 {
            return f64::NEG_INFINITY;
        }
        log += pivot.ln();
        let top = matrix[at].clone();
        for row in matrix.iter_mut().skip(at + 1) {
            let factor = row[at] / pivot;
            for (cell, above) in row.iter_mut().zip(&top).skip(at) {
                *cell -= factor * above;
            }
        }
    }
    log
}
