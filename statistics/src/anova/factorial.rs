//! Analysis of variance of several factors.
//!
//! Factors are coded so that the effects of each sum to 0, which is what sums of squares of type III mean.
//!
//! # References
//! F. Yates, JASA 29, 1934; Ø. Langsrud, "ANOVA for unbalanced data: use type II instead of type III sums of squares", Stat. Comput. 13, 2003.

use numerics::Watch;

use super::least_squares::OrthogonalFit;
use crate::distribution::fisher_f_sf;
use crate::effect::{VarianceShares, eta_squared, omega_squared, partial_eta_squared};
use crate::hypothesis::sample::{is_constant, mean};
use crate::hypothesis::{EffectSize, HypothesisError};

/// Most columns of a design.
const COLUMNS_MAX: usize = 400;
/// Most factors.
const FACTORS_MAX: usize = 8;

/// The level of each observation in one factor.
#[derive(Debug, Clone)]
pub struct FactorCodes {
    /// Levels, numbered from 0.
    pub codes: Vec<usize>,
    /// Number of levels.
    pub levels: usize,
}

/// A main effect or an interaction: the factors in it, in ascending order.
pub type FactorTerm = Vec<usize>;

/// Which model each term is compared in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SquaresType {
    /// One term after another, in the order given.
    Sequential,
    /// Each after all that do not contain it.
    #[default]
    Marginal,
    /// Each after all others.
    Partial,
}

/// A row of the table of an analysis of variance.
#[derive(Debug, Clone)]
pub struct VarianceRow {
    /// The factors of the term.
    pub term: FactorTerm,
    /// Degrees of freedom; 0 where the data cannot tell it from the others.
    pub df: f64,
    /// Sum of squares.
    pub squares: f64,
    /// F ratio.
    pub f: f64,
    /// Its p value.
    pub p: f64,
    /// Eta squared, partial eta squared, partial omega squared.
    pub effects: Vec<EffectSize>,
}

/// The table of an analysis of variance.
#[derive(Debug, Clone)]
pub struct VarianceTable {
    /// A row for each term.
    pub rows: Vec<VarianceRow>,
    /// Degrees of freedom of the residuals.
    pub residual_df: f64,
    /// Their sum of squares.
    pub residual_squares: f64,
    /// Sum of squares about the mean.
    pub total_squares: f64,
    /// Residuals of the whole model.
    pub residuals: Vec<f64>,
}

/// Columns of a term: products of the columns of its factors.
fn term_columns(factors: &[FactorCodes], term: &FactorTerm) -> Vec<Vec<f64>> {
    let rows = factors.first().map_or(0, |factor| factor.codes.len());
    let mut columns = vec![vec![1.0; rows]];
    for &at in term {
        let factor = &factors[at];
        let last = factor.levels - 1;
        let sums = (0..last).map(|level| {
            let code = |&code: &usize| match code {
                code if code == level => 1.0,
                code if code == last => -1.0,
                _ => 0.0,
            };
            factor.codes.iter().map(code).collect::<Vec<f64>>()
        });
        let sums: Vec<Vec<f64>> = sums.collect();
        columns = columns
            .iter()
            .flat_map(|column| {
                let product = |sum: &Vec<f64>| column.iter().zip(sum).map(|(a, b)| a * b).collect();
                sums.iter().map(product).collect::<Vec<Vec<f64>>>()
            })
            .collect();
    }
    columns
}

fn check_design(
    y: &[f64],
    factors: &[FactorCodes],
    terms: &[FactorTerm],
) -> Result<(), HypothesisError> {
    if factors.len() > FACTORS_MAX {
        return Err(HypothesisError::TooMany {
            what: "factors",
            limit: FACTORS_MAX,
            found: factors.len(),
        });
    }
    for factor in factors {
        if factor.codes.len() != y.len() {
            return Err(HypothesisError::Lengths {
                first: y.len(),
                second: factor.codes.len(),
            });
        }
        if factor.levels < 2 {
            return Err(HypothesisError::TooFew {
                what: "levels of each factor",
                needed: 2,
                found: factor.levels,
            });
        }
    }
    let size = |term: &FactorTerm| {
        let levels = term.iter().map(|&at| factors[at].levels - 1);
        levels.fold(1_usize, usize::saturating_mul)
    };
    let columns = terms.iter().map(size).fold(1_usize, usize::saturating_add);
    if columns > COLUMNS_MAX {
        return Err(HypothesisError::TooMany {
            what: "parameters of the model",
            limit: COLUMNS_MAX,
            found: columns,
        });
    }
    if is_constant(y) {
        return Err(HypothesisError::Constant {
            what: "the observations",
        });
    }
    Ok(())
}

/// What the terms at some places explain together, and by how many independent columns.
struct ExplainedPart {
    squares: f64,
    rank: usize,
}

/// Analysis of variance of `y` by terms over factors. Terms name factors by their places.
///
/// # Errors
/// [`HypothesisError`] for columns of different length, a factor with one level, designs beyond the limits, a response that is constant, and a model that
/// leaves no residuals.
pub fn analyse_factors(
    y: &[f64],
    factors: &[FactorCodes],
    terms: &[FactorTerm],
    squares_type: SquaresType,
    confidence: f64,
    watch: &dyn Watch,
) -> Result<VarianceTable, HypothesisError> {
    check_design(y, factors, terms)?;
    let centre = mean(y);
    let deviations: Vec<f64> = y.iter().map(|value| value - centre).collect();
    let blocks: Vec<Vec<Vec<f64>>> = terms
        .iter()
        .map(|term| term_columns(factors, term))
        .collect();
    let fit_terms = |chosen: &[usize]| -> Result<OrthogonalFit, HypothesisError> {
        let mut fit = OrthogonalFit::new(&[vec![1.0; y.len()]], &deviations);
        for &at in chosen {
            for column in &blocks[at] {
                watch.check()?;
                fit.add(column);
            }
        }
        Ok(fit)
    };
    let order: Vec<usize> = (0..terms.len()).collect();
    let full = fit_terms(&order)?;
    let residual_df = (y.len() - full.rank()) as f64;
    let residual_squares = full.residual_squares();
    if residual_df < 1.0 || residual_squares <= 0.0 {
        return Err(HypothesisError::Constant {
            what: "the observations within the cells of the factors",
        });
    }
    let added = |before: &[usize], at: usize| -> Result<ExplainedPart, HypothesisError> {
        let mut fit = fit_terms(before)?;
        let rank = fit.rank();
        let squares = blocks[at].iter().map(|column| fit.add(column)).sum();
        Ok(ExplainedPart {
            squares,
            rank: fit.rank() - rank,
        })
    };
    let contains =
        |outer: &FactorTerm, inner: &FactorTerm| inner.iter().all(|at| outer.contains(at));
    let total_squares: f64 = deviations.iter().map(|d| d * d).sum();
    let mut rows = Vec::with_capacity(terms.len());
    for at in 0..terms.len() {
        let before: Vec<usize> = match squares_type {
            SquaresType::Sequential => (0..at).collect(),
            SquaresType::Marginal => {
                let apart = |other: &usize| !contains(&terms[*other], &terms[at]);
                order.iter().copied().filter(apart).collect()
            }
            SquaresType::Partial => order.iter().copied().filter(|other| *other != at).collect(),
        };
        let part = added(&before, at)?;
        let shares = VarianceShares {
            term_squares: part.squares,
            term_df: part.rank as f64,
            error_squares: residual_squares,
            error_df: residual_df,
            total_squares,
            count: y.len() as f64,
        };
        rows.push(variance_row(&terms[at], &shares, confidence));
    }
    Ok(VarianceTable {
        rows,
        residual_df,
        residual_squares,
        total_squares,
        residuals: full.residuals().to_vec(),
    })
}

fn variance_row(term: &FactorTerm, shares: &VarianceShares, confidence: f64) -> VarianceRow {
    let f = (shares.term_squares / shares.term_df) / (shares.error_squares / shares.error_df);
    let has_df = shares.term_df > 0.0;
    VarianceRow {
        term: term.clone(),
        df: shares.term_df,
        squares: shares.term_squares,
        f: if has_df { f } else { f64::NAN },
        p: match has_df {
            true => fisher_f_sf(f, shares.term_df, shares.error_df),
            false => f64::NAN,
        },
        effects: match has_df {
            true => vec![
                eta_squared(shares, confidence),
                partial_eta_squared(shares, confidence),
                omega_squared(shares, confidence),
            ],
            false => Vec::new(),
        },
    }
}
