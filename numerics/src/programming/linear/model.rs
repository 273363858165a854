//! [`SimplexModel`]: a program in the form the simplex method works on, scaled.
//!
//! Every row gets a logical variable z with `A x + z = 0`, so that bounds of rows are bounds of variables and the right-hand side
//! is zero. Rows and columns are scaled by powers of two, which changes no digit.

use super::LinearProgram;
use crate::dense::scale_by_exponent;

#[derive(Debug, Clone)]
pub(super) struct SimplexModel {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// The matrix by columns and by rows, scaled.
    pub(super) column_starts: Vec<u32>,
    pub(super) column_rows: Vec<u32>,
    pub(super) column_values: Vec<f64>,
    pub(super) row_starts: Vec<u32>,
    pub(super) row_columns: Vec<u32>,
    pub(super) row_values: Vec<f64>,
    /// Of variables and then of logical variables, scaled.
    pub(super) cost: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// Exponents of the scaling: entry (i, j) is multiplied by `2^(row[i] + column[j])`, costs by `2^cost` besides.
    pub(super) row_scale: Vec<i32>,
    pub(super) column_scale: Vec<i32>,
    pub(super) cost_scale: i32,
    units: Vec<u32>,
    ones: Vec<f64>,
}

impl SimplexModel {
    pub(super) fn new(program: &LinearProgram) -> Self {
        let (rows, columns) = (program.matrix.row_count(), program.costs.len());
        let (row_scale, column_scale) = geometric_scaling(program);
        let matrix = program.matrix.clone().scaled(&row_scale, &column_scale);
        let by_column = matrix.transposed();
        let narrow = |starts: &[usize]| starts.iter().map(|&start| start as u32).collect();
        let mut cost: Vec<f64> = program
            .costs
            .iter()
            .zip(&column_scale)
            .map(|(cost, by)| scale_by_exponent(*cost, *by))
            .collect();
        let largest = cost.iter().fold(0.0_f64, |most, cost| most.max(cost.abs()));
        let cost_scale = if largest > 0.0 {
            6 - binary_exponent(largest).clamp(-500, 500)
        } else {
            0
        };
        for cost in &mut cost {
            *cost = scale_by_exponent(*cost, cost_scale);
        }
        cost.resize(columns + rows, 0.0);
        let mut model = Self {
            rows,
            columns,
            column_starts: narrow(by_column.starts()),
            column_rows: by_column.columns().to_vec(),
            column_values: by_column.values().to_vec(),
            row_starts: narrow(matrix.starts()),
            row_columns: matrix.columns().to_vec(),
            row_values: matrix.values().to_vec(),
            cost,
            lower: Vec::new(),
            upper: Vec::new(),
            row_scale,
            column_scale,
            cost_scale,
            units: (0..rows as u32).collect(),
            ones: vec![1.0; rows],
        };
        for (column, (low, high)) in program.low.iter().zip(&program.high).enumerate() {
            model.lower.push(model.to_scaled(column, *low));
            model.upper.push(model.to_scaled(column, *high));
        }
        for (row, (low, high)) in program.row_low.iter().zip(&program.row_high).enumerate() {
            model.lower.push(model.to_scaled(columns + row, -high));
            model.upper.push(model.to_scaled(columns + row, -low));
        }
        model
    }

    /// A value of a variable, or of a logical variable, in scaled units.
    pub(super) fn to_scaled(&self, variable: usize, value: f64) -> f64 {
        if value.is_finite() {
            scale_by_exponent(value, -self.unit(variable))
        } else {
            value
        }
    }

    pub(super) fn unscaled(&self, variable: usize, value: f64) -> f64 {
        scale_by_exponent(value, self.unit(variable))
    }

    /// The exponent of the unit of a variable.
    fn unit(&self, variable: usize) -> i32 {
        if variable < self.columns {
            self.column_scale[variable]
        } else {
            -self.row_scale[variable - self.columns]
        }
    }

    pub(super) fn total(&self) -> usize {
        self.rows + self.columns
    }

    /// Rows and values of the column of a variable.
    #[inline]
    pub(super) fn column(&self, variable: usize) -> (&[u32], &[f64]) {
        if variable < self.columns {
            let range =
                self.column_starts[variable] as usize..self.column_starts[variable + 1] as usize;
            (&self.column_rows[range.clone()], &self.column_values[range])
        } else {
            let row = variable - self.columns;
            (&self.units[row..=row], &self.ones[row..=row])
        }
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.row_starts[row] as usize..self.row_starts[row + 1] as usize;
        (&self.row_columns[range.clone()], &self.row_values[range])
    }

    /// `y' a` for the column of a variable.
    #[inline]
    pub(super) fn inner(&self, variable: usize, y: &[f64]) -> f64 {
        if variable >= self.columns {
            return y[variable - self.columns];
        }
        let (rows, values) = self.column(variable);
        rows.iter()
            .zip(values)
            .map(|(&row, value)| value * y[row as usize])
            .sum()
    }
}

/// Powers of two near the geometric means of rows and columns, repeated, then columns to a largest entry near 1.
fn geometric_scaling(program: &LinearProgram) -> (Vec<i32>, Vec<i32>) {
    let matrix = &program.matrix;
    let (mut rows, mut columns) = (
        vec![0_i32; matrix.row_count()],
        vec![0_i32; matrix.column_count()],
    );
    let by_column = matrix.transposed();
    let spread = |csr: &crate::sparse::CsrMatrix| {
        let values = csr.values().iter().map(|value| binary_exponent(*value));
        values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
    };
    if spread(matrix) <= 4 {
        return (rows, columns);
    }
    for _ in 0..6 {
        balance_rows(matrix, &mut rows, &columns, true);
        balance_rows(&by_column, &mut columns, &rows, true);
    }
    balance_rows(&by_column, &mut columns, &rows, false);
    (rows, columns)
}

/// Sets the exponent of each row from those of its entries: the middle of the largest and the smallest, or the largest alone.
fn balance_rows(
    matrix: &crate::sparse::CsrMatrix,
    own: &mut [i32],
    other: &[i32],
    is_middle: bool,
) {
    for (row, own) in own.iter_mut().enumerate() {
        let (columns, values) = matrix.row(row);
        let sizes = columns
            .iter()
            .zip(values)
            .map(|(&column, value)| binary_exponent(*value) + other[column as usize]);
        let (Some(least), Some(most)) = (sizes.clone().min(), sizes.max()) else {
            continue;
        };
        *own = if is_middle {
            -(least + most).div_euclid(2)
        } else {
            -most
        };
        *own = (*own).clamp(-400, 400);
    }
}

/// The exponent of a number as a power of two, rounded down.
fn binary_exponent(value: f64) -> i32 {
    let bits = ((value.to_bits() >> 52) & 0x7ff) as i32;
    if bits == 0 { -1022 } else { bits - 1023 }
}
