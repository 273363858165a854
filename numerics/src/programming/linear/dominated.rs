//! Variables that are at a bound, and rows that are at a side, whatever the prices.
//!
//! # Reference
//! E. D. Andersen, K. D. Andersen, "Presolving in linear programming", Math. Programming 71, 1995 (dominated columns).

use super::reduce::{PresolveFailure, PresolveReduction, SAME};
use crate::sparse::CsrMatrix;

/// Turns over the columns that bound prices.
const TURNS: usize = 2;

/// Sum of bounds: the finite ones, and how many are not.
#[derive(Clone, Copy, Default)]
struct BoundSum {
    finite: f64,
    infinite: u32,
}

impl BoundSum {
    fn add(&mut self, term: f64) {
        if term.is_finite() {
            self.finite += term;
        } else {
            self.infinite += 1;
        }
    }

    /// The sum without one of its terms.
    fn without(self, term: f64) -> Option<f64> {
        match (self.infinite, term.is_finite()) {
            (0, true) => Some(self.finite - term),
            (1, false) => Some(self.finite),
            _ => None,
        }
    }
}

/// Least and largest price of each row.
struct PriceBounds(Vec<[f64; 2]>);

impl PriceBounds {
    /// Least and largest product of a price and a coefficient.
    fn term(&self, row: u32, by: f64) -> [f64; 2] {
        let [least, most] = self.0[row as usize].map(|price| by * price);
        if by > 0.0 {
            [least, most]
        } else {
            [most, least]
        }
    }

    fn sums(&self, (rows, values): (&[u32], &[f64])) -> [BoundSum; 2] {
        let mut sums = [BoundSum::default(); 2];
        for (&row, &by) in rows.iter().zip(values) {
            for (sum, end) in sums.iter_mut().zip(self.term(row, by)) {
                sum.add(end);
            }
        }
        sums
    }

    /// Keeps the price of a row times a coefficient at most, or at least, `end`.
    fn bound(&mut self, row: u32, by: f64, end: f64, is_most: bool) {
        let [least, most] = &mut self.0[row as usize];
        if is_most == (by > 0.0) {
            *most = most.min(end / by);
        } else {
            *least = least.max(end / by);
        }
    }
}

impl PresolveReduction {
    /// Bounds of prices follow from the signs that reduced costs have at an optimum. Where they make a reduced cost nonzero, its variable
    /// is fixed; where they make a price nonzero, its row becomes an equation.
    pub(super) fn dominated(&mut self) -> Result<(), PresolveFailure> {
        /// Passes over all entries.
        const PASSES: usize = 4;
        /// Sizes of what is not rounding alone, relative to the terms.
        const NONZERO: f64 = 1e3 * SAME;
        let entries: usize = self.rows.iter().map(Vec::len).sum();
        if self.looks < PASSES * entries {
            return Ok(());
        }
        self.look(PASSES * entries);
        let columns = self.by_column();
        let prices = self.prices(&columns);
        for column in 0..self.costs.len() {
            if !self.has_column[column] || self.low[column] == self.high[column] {
                continue;
            }
            let cost = self.costs[column];
            let [least, most] = prices.sums(columns.row(column));
            let slack = |sum: BoundSum| NONZERO * cost.abs().max(sum.finite.abs()).max(1e-3);
            if most.infinite == 0 && cost - most.finite > slack(most) {
                self.fix(column, false)?;
            } else if least.infinite == 0 && cost - least.finite < -slack(least) {
                self.fix(column, true)?;
            }
        }
        for (row, [least, most]) in prices.0.into_iter().enumerate() {
            if least > NONZERO && self.row_low[row].is_finite() {
                self.row_high[row] = self.row_low[row];
            } else if most < -NONZERO && self.row_high[row].is_finite() {
                self.row_low[row] = self.row_high[row];
            }
        }
        Ok(())
    }

    /// Bounds of prices: from the sides that rows have, and from reduced costs, which are not negative where a variable may rise without
    /// end, and not positive where it may fall.
    fn prices(&self, columns: &CsrMatrix) -> PriceBounds {
        let sides = self.row_low.iter().zip(&self.row_high);
        let bounds = sides.map(|(low, high)| {
            let least = if high.is_finite() {
                f64::NEG_INFINITY
            } else {
                0.0
            };
            let most = if low.is_finite() { f64::INFINITY } else { 0.0 };
            [least, most]
        });
        let mut prices = PriceBounds(bounds.collect());
        for _ in 0..TURNS {
            for (column, &cost) in self.costs.iter().enumerate() {
                let is_up = self.high[column] == f64::INFINITY;
                let is_down = self.low[column] == f64::NEG_INFINITY;
                if !is_up && !is_down {
                    continue;
                }
                let (rows, values) = columns.row(column);
                let [least, most] = prices.sums((rows, values));
                for (&row, &by) in rows.iter().zip(values) {
                    let [low, high] = prices.term(row, by);
                    if is_up && let Some(others) = least.without(low) {
                        prices.bound(row, by, cost - others, true);
                    }
                    if is_down && let Some(others) = most.without(high) {
                        prices.bound(row, by, cost - others, false);
                    }
                }
            }
        }
        prices
    }

    fn by_column(&self) -> CsrMatrix {
        let entries = self.rows.iter().enumerate().flat_map(|(row, terms)| {
            terms
                .iter()
                .map(move |&(column, value)| (column, (row as u32, value)))
        });
        let (columns, (rows, values)): (Vec<u32>, (Vec<u32>, Vec<f64>)) = entries.unzip();
        CsrMatrix::from_triplets(
            self.columns.len(),
            self.rows.len(),
            &columns,
            &rows,
            &values,
        )
    }
}
