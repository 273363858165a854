//! Lambda, gamma, tau-b and kappa with intervals by their large-sample variances, and residuals.
//!
//! # References
//! L. A. Goodman and W. H. Kruskal, "Measures of association for cross classifications" I to IV, JASA 49 to 67, 1954 to 1972; J. L. Fleiss, J. Cohen and
//! B. S. Everitt, Psychol. Bull. 72, 1969 (kappa); M. B. Brown and J. K. Benedetti, JASA 72, 1977 (variance of gamma and tau-b); S. J. Haberman, Biometrics 29,
//! 1973 (adjusted residuals).

use crate::distribution::normal_isf;
use crate::hypothesis::{CountTable, EffectSize};

/// A cell beside what independence expects of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellResidual {
    /// Row.
    pub row: usize,
    /// Column.
    pub column: usize,
    /// Count.
    pub count: f64,
    /// Expected count.
    pub expected: f64,
    /// (count - expected) / sqrt(expected).
    pub pearson: f64,
    /// The same in standard deviations: a standard normal value where rows and columns are independent.
    pub adjusted: f64,
}

/// Every cell, row by row.
pub fn cell_residuals(table: &CountTable) -> Vec<CellResidual> {
    let margins = table.margins();
    let expected = table.expected();
    let columns = table.columns();
    let cell = |at: usize| {
        let (row, column) = (at / columns, at % columns);
        let difference = table.counts()[at] - expected[at];
        let shares = (1.0 - margins.rows[row] / margins.total)
            * (1.0 - margins.columns[column] / margins.total);
        CellResidual {
            row,
            column,
            count: table.counts()[at],
            expected: expected[at],
            pearson: difference / expected[at].sqrt(),
            adjusted: difference / (expected[at] * shares).sqrt(),
        }
    };
    (0..expected.len()).map(cell).collect()
}

fn with_reach(
    name: &'static str,
    symbol: &'static str,
    value: f64,
    variance: f64,
    confidence: f64,
) -> EffectSize {
    let reach = normal_isf(0.5 * (1.0 - confidence)) * variance.max(0.0).sqrt();
    EffectSize {
        name,
        symbol,
        value,
        interval: Some([(value - reach).max(-1.0), (value + reach).min(1.0)]),
    }
}

/// Lambda: by what share knowing the row reduces errors in predicting the column. `None` where all counts are in one column.
pub fn predictive_lambda(table: &CountTable, confidence: f64) -> Option<EffectSize> {
    let margins = table.margins();
    let (total, columns) = (margins.total, table.columns());
    let place_of_most = |values: &[f64]| {
        let better = |best: usize, at: usize| if values[at] > values[best] { at } else { best };
        (0..values.len()).fold(0, better)
    };
    let mode = place_of_most(&margins.columns);
    let left = total - margins.columns[mode];
    if left <= 0.0 {
        return None;
    }
    let (mut best, mut best_in_mode) = (0.0, 0.0);
    for row in table.counts().chunks(columns) {
        let at = place_of_most(row);
        best += row[at];
        if at == mode {
            best_in_mode += row[at];
        }
    }
    let value = (best - margins.columns[mode]) / left;
    let variance =
        (total - best) * (best + margins.columns[mode] - 2.0 * best_in_mode) / left.powi(3);
    Some(with_reach(
        "lambda of the columns",
        "lambda",
        value,
        variance,
        confidence,
    ))
}

/// Concordant and discordant counts of each cell, and of all pairs twice.
struct OrderedPairs {
    concordant: Vec<f64>,
    discordant: Vec<f64>,
    p: f64,
    q: f64,
}

impl OrderedPairs {
    fn new(table: &CountTable) -> Self {
        let (rows, columns) = (table.rows(), table.columns());
        // Sums over all cells above and to the left.
        let mut sums = vec![0.0; (rows + 1) * (columns + 1)];
        let at = |row: usize, column: usize| row * (columns + 1) + column;
        for row in 0..rows {
            for column in 0..columns {
                sums[at(row + 1, column + 1)] = table.count(row, column)
                    + sums[at(row, column + 1)]
                    + sums[at(row + 1, column)]
                    - sums[at(row, column)];
            }
        }
        let block = |top: usize, bottom: usize, left: usize, right: usize| {
            sums[at(bottom, right)] - sums[at(top, right)] - sums[at(bottom, left)]
                + sums[at(top, left)]
        };
        let mut pairs = Self {
            concordant: Vec::with_capacity(rows * columns),
            discordant: Vec::with_capacity(rows * columns),
            p: 0.0,
            q: 0.0,
        };
        for row in 0..rows {
            for column in 0..columns {
                let same = block(0, row, 0, column) + block(row + 1, rows, column + 1, columns);
                let other = block(0, row, column + 1, columns) + block(row + 1, rows, 0, column);
                pairs.p += table.count(row, column) * same;
                pairs.q += table.count(row, column) * other;
                pairs.concordant.push(same);
                pairs.discordant.push(other);
            }
        }
        pairs
    }
}

/// Goodman and Kruskal's gamma of ordered rows and columns. `None` where no pair is ordered.
pub fn goodman_kruskal_gamma(table: &CountTable, confidence: f64) -> Option<EffectSize> {
    let pairs = OrderedPairs::new(table);
    let sum = pairs.p + pairs.q;
    if sum <= 0.0 {
        return None;
    }
    let cells = pairs.concordant.iter().zip(&pairs.discordant);
    let parts = cells
        .zip(table.counts())
        .map(|((c, d), count)| count * (pairs.q * c - pairs.p * d).powi(2));
    let variance = 16.0 * parts.sum::<f64>() / sum.powi(4);
    let value = (pairs.p - pairs.q) / sum;
    Some(with_reach("gamma", "gamma", value, variance, confidence))
}

/// Kendall's tau-b of ordered rows and columns.
pub fn kendall_tau_b(table: &CountTable, confidence: f64) -> EffectSize {
    let pairs = OrderedPairs::new(table);
    let margins = table.margins();
    let n = margins.total;
    let squares = |sums: &[f64]| sums.iter().map(|sum| sum * sum).sum::<f64>();
    let (wr, wc) = (
        n * n - squares(&margins.rows),
        n * n - squares(&margins.columns),
    );
    let w = (wr * wc).sqrt();
    let value = (pairs.p - pairs.q) / w;
    let mut sum = 0.0;
    for row in 0..table.rows() {
        for column in 0..table.columns() {
            let at = row * table.columns() + column;
            let difference = pairs.concordant[at] - pairs.discordant[at];
            let v = margins.rows[row] * wc + margins.columns[column] * wr;
            sum += table.count(row, column) * (2.0 * w * difference + value * v).powi(2);
        }
    }
    let variance = (sum - n.powi(3) * value * value * (wr + wc).powi(2)) / w.powi(4);
    with_reach("Kendall tau-b", "tau_b", value, variance, confidence)
}

/// Cohen's kappa of two raters whose categories are the rows and the columns. `None` for a table that is not square, or raters of whom each uses one category.
pub fn agreement_kappa(table: &CountTable, confidence: f64) -> Option<EffectSize> {
    let size = table.rows();
    if size != table.columns() {
        return None;
    }
    let margins = table.margins();
    let n = margins.total;
    let row = |at: usize| margins.rows[at] / n;
    let column = |at: usize| margins.columns[at] / n;
    let seen: f64 = (0..size).map(|at| table.count(at, at) / n).sum();
    let chance: f64 = (0..size).map(|at| row(at) * column(at)).sum();
    if chance >= 1.0 {
        return None;
    }
    let value = (seen - chance) / (1.0 - chance);
    let (mut same, mut other) = (0.0, 0.0);
    for i in 0..size {
        let weight = 1.0 - (row(i) + column(i)) * (1.0 - value);
        same += table.count(i, i) / n * weight * weight;
        for j in (0..size).filter(|j| *j != i) {
            other += table.count(i, j) / n * (column(i) + row(j)).powi(2);
        }
    }
    let last = value - chance * (1.0 - value);
    let variance =
        (same + (1.0 - value).powi(2) * other - last * last) / (n * (1.0 - chance).powi(2));
    Some(with_reach(
        "Cohen kappa",
        "kappa",
        value,
        variance,
        confidence,
    ))
}
