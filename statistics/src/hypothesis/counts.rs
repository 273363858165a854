//! [`CountTable`], and tests of counts: goodness of fit and independence by chi-squared and G.
//!
//! # References
//! K. Pearson, Phil. Mag. 50, 1900; F. Yates, J. R. Stat. Soc. Suppl. 1, 1934; R. R. Sokal and F. J. Rohlf, "Biometry", 2012, chapter 17 (G).

use super::outcome::{EffectSize, HypothesisError, HypothesisResult, PValueBasis};
use crate::distribution::chi_squared_sf;
use crate::effect::{cohens_w, cramers_v, two_by_two_effects};
use crate::resampling::draw_places;

/// Expected counts below this make the limit for large samples doubtful.
const EXPECTED_LEAST: f64 = 5.0;

/// A table of counts, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct CountTable {
    counts: Vec<f64>,
    rows: usize,
    columns: usize,
}

/// Sums over the rows and columns of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableMargins {
    /// Sum of each row.
    pub rows: Vec<f64>,
    /// Sum of each column.
    pub columns: Vec<f64>,
    /// Sum of all.
    pub total: f64,
}

impl CountTable {
    /// A table of at least two rows and columns, none of which is all 0.
    ///
    /// # Errors
    /// [`HypothesisError`] for other shapes, negative, broken or infinite counts, and empty rows or columns.
    pub fn new(counts: &[f64], rows: usize, columns: usize) -> Result<Self, HypothesisError> {
        if rows < 2 || columns < 2 {
            return Err(HypothesisError::TooFew {
                what: "rows and columns of counts",
                needed: 2,
                found: rows.min(columns),
            });
        }
        if counts.len() != rows * columns {
            return Err(HypothesisError::Lengths {
                first: rows * columns,
                second: counts.len(),
            });
        }
        check_counts(counts)?;
        let table = Self {
            counts: counts.to_vec(),
            rows,
            columns,
        };
        let margins = table.margins();
        match margins
            .rows
            .iter()
            .chain(&margins.columns)
            .all(|sum| *sum > 0.0)
        {
            true => Ok(table),
            false => Err(HypothesisError::Undefined {
                reason: "a row or column of the table has no counts",
            }),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The counts, row by row.
    pub fn counts(&self) -> &[f64] {
        &self.counts
    }

    /// The count of a cell.
    pub fn count(&self, row: usize, column: usize) -> f64 {
        self.counts[row * self.columns + column]
    }

    /// Sums over rows and columns.
    pub fn margins(&self) -> TableMargins {
        let rows: Vec<f64> = self
            .counts
            .chunks(self.columns)
            .map(|row| row.iter().sum())
            .collect();
        let column = |at: usize| self.counts.iter().skip(at).step_by(self.columns).sum();
        TableMargins {
            total: rows.iter().sum(),
            rows,
            columns: (0..self.columns).map(column).collect(),
        }
    }

    /// Counts expected where rows and columns are independent, row by row.
    pub fn expected(&self) -> Vec<f64> {
        let margins = self.margins();
        let rows = margins.rows.iter();
        rows.flat_map(|row| {
            let columns = margins.columns.iter();
            columns
                .map(move |column| row * (column / margins.total))
                .collect::<Vec<f64>>()
        })
        .collect()
    }

    /// A table with the same sums, as if columns had nothing to do with rows: the columns of all counted things in a random order, by a
    /// seed and a stream of it; `None` for counts that are not whole, or of more than `most` things.
    pub fn permuted(&self, most: usize, draw: (u64, u64)) -> Option<Self> {
        let total = self.margins().total;
        if !self.is_whole() || total > most as f64 {
            return None;
        }
        let cells = self.counts.iter().enumerate();
        let of_cell = |(at, count): (usize, &f64)| std::iter::repeat_n(at, *count as usize);
        let things: Vec<usize> = cells.flat_map(of_cell).collect();
        let places = draw_places(things.len(), things.len(), false, draw).ok()?;
        let mut counts = vec![0.0; self.counts.len()];
        for (thing, place) in things.iter().zip(places) {
            let (row, column) = (thing / self.columns, things[place] % self.columns);
            counts[row * self.columns + column] += 1.0;
        }
        Some(Self { counts, ..*self })
    }

    /// The counts of a table with two rows and columns.
    pub fn two_by_two(&self) -> Option<[f64; 4]> {
        match self.counts[..] {
            [a, b, c, d] if self.rows == 2 => Some([a, b, c, d]),
            _ => None,
        }
    }

    /// Whether all counts are whole.
    pub fn is_whole(&self) -> bool {
        self.counts.iter().all(|count| count.fract() == 0.0)
    }
}

fn check_counts(counts: &[f64]) -> Result<(), HypothesisError> {
    const COUNT_MAX: f64 = 1e15;
    let is_wrong = |count: &&f64| !(0.0..=COUNT_MAX).contains(*count) || count.fract() != 0.0;
    match counts.iter().find(is_wrong) {
        Some(&found) => Err(HypothesisError::Range {
            expected: "counts, which are whole and not negative",
            found,
        }),
        None => Ok(()),
    }
}

/// Which measure of the distance of counts from those expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountStatistic {
    /// Pearson's chi-squared.
    Pearson,
    /// The likelihood ratio G.
    LikelihoodRatio,
}

impl CountStatistic {
    fn of(self, observed: &[f64], expected: &[f64], step: f64) -> f64 {
        let pairs = observed.iter().zip(expected);
        let shifted = pairs.map(|(o, e)| (o - (o - e).signum() * step.min((o - e).abs()), *e));
        match self {
            Self::Pearson => shifted.map(|(o, e)| (o - e).powi(2) / e).sum(),
            Self::LikelihoodRatio => {
                let part = |(o, e): (f64, f64)| if o > 0.0 { o * (o / e).ln() } else { 0.0 };
                2.0 * shifted.map(part).sum::<f64>()
            }
        }
    }
}

fn note_small(result: HypothesisResult, expected: &[f64]) -> HypothesisResult {
    let small = expected
        .iter()
        .filter(|count| **count < EXPECTED_LEAST)
        .count();
    match small {
        0 => result,
        _ => result.with_note(format!(
            "{small} of {} expected counts are below 5: the p value is a rough one, an exact test is not",
            expected.len()
        )),
    }
}

/// The test of whether counts have given probabilities, which need not sum to 1; equal ones where there are none.
///
/// # Errors
/// [`HypothesisError`] for fewer than two counts, negative ones, all 0, and probabilities that are not positive or of another number.
pub fn test_goodness(
    counts: &[f64],
    weights: Option<&[f64]>,
    statistic: CountStatistic,
    confidence: f64,
) -> Result<HypothesisResult, HypothesisError> {
    if counts.len() < 2 {
        return Err(HypothesisError::TooFew {
            what: "counts",
            needed: 2,
            found: counts.len(),
        });
    }
    check_counts(counts)?;
    let equal = vec![1.0; counts.len()];
    let weights = weights.unwrap_or(&equal);
    if weights.len() != counts.len() {
        return Err(HypothesisError::Lengths {
            first: counts.len(),
            second: weights.len(),
        });
    }
    if let Some(&found) = weights.iter().find(|w| !(**w > 0.0 && w.is_finite())) {
        return Err(HypothesisError::Range {
            expected: "probabilities above 0",
            found,
        });
    }
    let total: f64 = counts.iter().sum();
    if total <= 0.0 {
        return Err(HypothesisError::Undefined {
            reason: "all counts are 0",
        });
    }
    let all: f64 = weights.iter().sum();
    let expected: Vec<f64> = weights.iter().map(|weight| weight / all * total).collect();
    let df = counts.len() as f64 - 1.0;
    let value = statistic.of(counts, &expected, 0.0);
    let (name, symbol) = match statistic {
        CountStatistic::Pearson => ("chi-squared test of goodness of fit", "chi2"),
        CountStatistic::LikelihoodRatio => ("G test of goodness of fit", "G"),
    };
    let plain = CountStatistic::Pearson.of(counts, &expected, 0.0);
    let result = HypothesisResult::new(name, symbol, value, chi_squared_sf(value, df))
        .with_df(&[df])
        .with_basis(PValueBasis::Asymptotic)
        .with_effects(vec![cohens_w(plain, df, total, confidence)]);
    Ok(note_small(result, &expected))
}

/// The test of whether rows and columns are independent. `has_continuity` is Yates's correction, of tables with two rows and columns.
///
/// # Errors
/// None beyond those of the table.
pub fn test_independence(
    table: &CountTable,
    statistic: CountStatistic,
    has_continuity: bool,
    confidence: f64,
) -> Result<HypothesisResult, HypothesisError> {
    let expected = table.expected();
    let two = table.two_by_two();
    let is_corrected = has_continuity && two.is_some();
    let step = if is_corrected { 0.5 } else { 0.0 };
    let value = statistic.of(table.counts(), &expected, step);
    let df = ((table.rows - 1) * (table.columns - 1)) as f64;
    let (name, symbol) = match statistic {
        CountStatistic::Pearson => ("chi-squared test of independence", "chi2"),
        CountStatistic::LikelihoodRatio => ("G test of independence", "G"),
    };
    let result = HypothesisResult::new(name, symbol, value, chi_squared_sf(value, df))
        .with_df(&[df])
        .with_basis(match is_corrected {
            true => PValueBasis::Corrected,
            false => PValueBasis::Asymptotic,
        })
        .with_effects(association_effects(table, confidence));
    Ok(note_small(result, &expected))
}

/// Cramer's V, and for two rows and columns phi and the ratios.
pub fn association_effects(table: &CountTable, confidence: f64) -> Vec<EffectSize> {
    let plain = CountStatistic::Pearson.of(table.counts(), &table.expected(), 0.0);
    let df = ((table.rows - 1) * (table.columns - 1)) as f64;
    let smaller = table.rows.min(table.columns) as f64 - 1.0;
    let total = table.margins().total;
    let mut effects = vec![cramers_v(plain, df, smaller, total, confidence)];
    if let Some(counts) = table.two_by_two() {
        effects.extend(two_by_two_effects(counts, confidence));
    }
    effects
}
