//! [`DesignMatrix`]: the columns of a least squares problem, to more digits than a double where they are computed and not given.

use crate::dense::{euclidean_norm, exponent_of, max_abs, scale_all};
use crate::exact::{CompensatedSum, two_product};

/// An m x n matrix, column by column, with an optional second part below the last bit of the first.
#[derive(Debug, Clone)]
pub struct DesignMatrix {
    /// m.
    pub rows: usize,
    /// n.
    pub columns: usize,
    /// The entries.
    pub high: Vec<f64>,
    /// The rounding errors of the entries.
    pub low: Option<Vec<f64>>,
}

impl DesignMatrix {
    /// The matrix given row by row.
    pub fn from_rows(a: &[f64], rows: usize, columns: usize) -> Self {
        let mut high = Vec::with_capacity(rows * columns);
        for column in 0..columns {
            high.extend((0..rows).map(|row| a[row * columns + column]));
        }
        Self {
            rows,
            columns,
            high,
            low: None,
        }
    }

    /// The powers 0 to `degree` of `t`, each to about 30 digits: a polynomial of high degree loses its digits to the rounding of
    /// its columns otherwise.
    pub fn powers(t: &[f64], degree: usize) -> Self {
        let rows = t.len();
        let mut powers = vec![CompensatedSum::new(1.0); rows];
        let (mut high, mut low) = (Vec::new(), Vec::new());
        for column in 0..=degree {
            if column > 0 {
                for (power, &t) in powers.iter_mut().zip(t) {
                    *power = power.times(CompensatedSum::new(t));
                }
            }
            high.extend(powers.iter().map(|power| power.high));
            low.extend(powers.iter().map(|power| power.low));
        }
        Self {
            rows,
            columns: degree + 1,
            high,
            low: Some(low),
        }
    }

    /// Multiplies the rows by factors; what rounding takes from the products is kept.
    pub fn weigh(&mut self, factors: &[f64]) {
        let low = self.low.get_or_insert_with(|| vec![0.0; self.high.len()]);
        for (index, (high, low)) in self.high.iter_mut().zip(low).enumerate() {
            let factor = factors[index % self.rows];
            let (product, error) = two_product(*high, factor);
            *high = product;
            *low = error + *low * factor;
        }
    }

    /// Appends `factor` times the identity below the matrix.
    #[must_use]
    pub fn over_identity(&self, factor: f64) -> Self {
        let extend = |part: &[f64], factor: f64| {
            let mut out = Vec::with_capacity((self.rows + self.columns) * self.columns);
            for column in 0..self.columns {
                out.extend_from_slice(&part[column * self.rows..(column + 1) * self.rows]);
                let start = out.len();
                out.resize(start + self.columns, 0.0);
                out[start + column] = factor;
            }
            out
        };
        Self {
            rows: self.rows + self.columns,
            columns: self.columns,
            high: extend(&self.high, factor),
            low: self.low.as_ref().map(|low| extend(low, 0.0)),
        }
    }

    /// The columns divided by powers of two to length about 1, and the exponents that take solutions back.
    pub fn scaled(&self) -> (Self, Vec<i32>) {
        let mut out = self.clone();
        let mut exponents = Vec::with_capacity(self.columns);
        for column in 0..self.columns {
            let range = column * self.rows..(column + 1) * self.rows;
            let entries = &mut out.high[range.clone()];
            let exponent = exponent_of(euclidean_norm(entries));
            scale_all(entries, -exponent);
            if let Some(low) = &mut out.low {
                scale_all(&mut low[range], -exponent);
            }
            exponents.push(-exponent);
        }
        (out, exponents)
    }

    /// A column, to the last bit of a double.
    pub fn column(&self, index: usize) -> &[f64] {
        &self.high[index * self.rows..(index + 1) * self.rows]
    }

    /// `b - r - A x` in doubled precision.
    pub fn augmented_residual(&self, b: &[CompensatedSum], rest: &[f64], x: &[f64]) -> Vec<f64> {
        let mut sums = b.to_vec();
        for (sum, &rest) in sums.iter_mut().zip(rest) {
            sum.add(-rest);
        }
        for (column, &factor) in x.iter().enumerate() {
            for (sum, &entry) in sums.iter_mut().zip(self.column(column)) {
                sum.add_product(-entry, factor);
            }
            if let Some(low) = &self.low {
                let low = &low[column * self.rows..(column + 1) * self.rows];
                for (sum, &entry) in sums.iter_mut().zip(low) {
                    sum.low -= entry * factor;
                }
            }
        }
        sums.into_iter().map(CompensatedSum::value).collect()
    }

    /// `b - A x` in doubled precision, rounded once.
    pub fn residual(&self, b: &[CompensatedSum], x: &[f64]) -> Vec<f64> {
        self.augmented_residual(b, &vec![0.0; self.rows], x)
    }

    /// Subtracts `A_j' r`.
    pub(super) fn subtract_inner(&self, sum: &mut CompensatedSum, column: usize, rest: &[f64]) {
        for (&entry, &rest) in self.column(column).iter().zip(rest) {
            sum.add_product(-entry, rest);
        }
        if let Some(low) = &self.low {
            let low = &low[column * self.rows..(column + 1) * self.rows];
            sum.low -= low.iter().zip(rest).map(|(a, r)| a * r).sum::<f64>();
        }
    }

    /// `-A_j' r` in doubled precision.
    pub fn dual_residual(&self, column: usize, rest: &[f64]) -> f64 {
        let mut sum = CompensatedSum::default();
        self.subtract_inner(&mut sum, column, rest);
        sum.value()
    }

    /// Largest cosine of an angle between the residual and a column.
    pub(super) fn optimality(&self, rest: &[f64], norm: f64) -> f64 {
        if norm == 0.0 || max_abs(rest) == 0.0 {
            return 0.0;
        }
        (0..self.columns)
            .map(|column| {
                let length = euclidean_norm(self.column(column));
                if length > 0.0 {
                    self.dual_residual(column, rest).abs() / length / norm
                } else {
                    0.0
                }
            })
            .fold(0.0, f64::max)
    }
}
