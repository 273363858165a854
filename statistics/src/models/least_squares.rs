//! [`LeastSquaresFactors`]: a refined QR factorisation that leaves out dependent columns.

use numerics::dense::lstsq::DesignMatrix;
use numerics::dense::{add_multiple, euclidean_norm, exponent_of, max_abs, scale_by_exponent};
use numerics::exact::CompensatedSum;
use numerics::{Interruption, Watch};

use super::precise::precise_gram_inverse;

/// A reciprocal condition below which errors are computed in doubled precision, up to so many products.
const PRECISE_CONDITION: f64 = 1e-4;
const PRECISE_WORK_MAX: f64 = 1e8;

/// `X = Q R` of the independent columns of a design matrix.
///
/// # Method
/// Columns are scaled to length about 1 by powers of two, then reflected one after the other (Householder); a column of which less than n eps is left
/// is a combination of the ones before it, and left out. Solutions are refined twice with residuals in doubled precision (A. Bjorck, BIT 7, 1967).
/// 2 n p^2 operations, 3 n p doubles of memory.
#[derive(Debug, Clone)]
pub(crate) struct LeastSquaresFactors {
    design: DesignMatrix,
    /// Columns that are kept, ascending.
    pub kept: Vec<usize>,
    /// Columns that depend on those before them, ascending.
    pub aliased: Vec<usize>,
    exponents: Vec<i32>,
    reflectors: Vec<f64>,
    /// Upper triangle, column by column.
    triangle: Vec<f64>,
    /// Its inverse, column by column.
    inverse: Vec<f64>,
}

/// Coefficients and what they leave.
#[derive(Debug, Clone)]
pub(crate) struct LeastSquaresSolution {
    /// Coefficients of the kept columns.
    pub coefficients: Vec<f64>,
    /// `y - X b`.
    pub residuals: Vec<f64>,
}

impl LeastSquaresFactors {
    /// Factors a matrix.
    pub(crate) fn new(design: &DesignMatrix, watch: &dyn Watch) -> Result<Self, Interruption> {
        let (n, p) = (design.rows, design.columns);
        watch.reserve_doubles(n.saturating_mul(3 * p))?;
        let (scaled, exponents) = design.scaled();
        let mut data = scaled.high.clone();
        let (mut kept, mut aliased) = (Vec::new(), Vec::new());
        let mut reflectors = Vec::with_capacity(n * p);
        let mut triangle: Vec<Vec<f64>> = Vec::new();
        for (column, entries) in data.chunks_exact_mut(n.max(1)).enumerate() {
            watch.check()?;
            let rank = kept.len();
            for (k, reflector) in reflectors.chunks_exact(n.max(1)).enumerate() {
                apply_reflector(&reflector[k..], &mut entries[k..]);
            }
            let rest = entries.get(rank..).unwrap_or_default();
            let length = euclidean_norm(rest);
            let whole = euclidean_norm(scaled.column(column));
            if length <= n as f64 * f64::EPSILON * whole {
                aliased.push(column);
                continue;
            }
            let sign = 1.0_f64.copysign(entries[rank]);
            let mut above = entries[..rank].to_vec();
            above.push(-sign * length);
            triangle.push(above);
            entries[..rank].fill(0.0);
            entries[rank] += sign * length;
            let scale = (length * entries[rank].abs()).sqrt().recip();
            entries.iter_mut().for_each(|value| *value *= scale);
            reflectors.extend_from_slice(entries);
            kept.push(column);
        }
        let size = kept.len();
        let mut packed = vec![0.0; size * size];
        for (column, entries) in triangle.iter().enumerate() {
            packed[column * size..column * size + entries.len()].copy_from_slice(entries);
        }
        let mut factors = Self {
            design: match aliased.is_empty() {
                true => scaled,
                false => chosen_columns(&scaled, &kept),
            },
            exponents: kept.iter().map(|column| exponents[*column]).collect(),
            kept,
            aliased,
            reflectors,
            triangle: packed,
            inverse: Vec::new(),
        };
        factors.inverse = factors.invert_triangle();
        Ok(factors)
    }

    /// Independent columns.
    pub(crate) fn rank(&self) -> usize {
        self.kept.len()
    }

    /// Rows.
    pub(crate) fn rows(&self) -> usize {
        self.design.rows
    }

    /// The coefficients of the kept columns and the residuals, refined so many times.
    pub(crate) fn solve(
        &self,
        y: &[f64],
        refinements: usize,
        watch: &dyn Watch,
    ) -> Result<LeastSquaresSolution, Interruption> {
        let exponent = exponent_of(max_abs(y));
        let scaled = y.iter().map(|value| scale_by_exponent(*value, -exponent));
        let scaled: Vec<CompensatedSum> = scaled.map(CompensatedSum::new).collect();
        let estimates = self.refined_estimates(&scaled, refinements, watch)?;
        let rest = self.design.residual(&scaled, &estimates);
        Ok(LeastSquaresSolution {
            coefficients: self.in_units(&estimates, exponent),
            residuals: rest
                .iter()
                .map(|value| scale_by_exponent(*value, exponent))
                .collect(),
        })
    }

    /// The coefficients of [`Self::solve`] alone.
    pub(crate) fn coefficients(
        &self,
        y: &[f64],
        refinements: usize,
        watch: &dyn Watch,
    ) -> Result<Vec<f64>, Interruption> {
        let exponent = exponent_of(max_abs(y));
        let scaled = y.iter().map(|value| scale_by_exponent(*value, -exponent));
        let scaled: Vec<CompensatedSum> = scaled.map(CompensatedSum::new).collect();
        let estimates = self.refined_estimates(&scaled, refinements, watch)?;
        Ok(self.in_units(&estimates, exponent))
    }

    /// Estimates for scaled columns and a scaled response, in units of that.
    fn in_units(&self, estimates: &[f64], exponent: i32) -> Vec<f64> {
        let pairs = estimates.iter().zip(&self.exponents);
        pairs
            .map(|(estimate, column)| scale_by_exponent(*estimate, column + exponent))
            .collect()
    }

    fn refined_estimates(
        &self,
        scaled: &[CompensatedSum],
        refinements: usize,
        watch: &dyn Watch,
    ) -> Result<Vec<f64>, Interruption> {
        let size = self.rank();
        let mut estimates = vec![0.0; size];
        let mut residual = vec![0.0; self.rows()];
        for pass in 0..=refinements {
            watch.check()?;
            // At first both are 0, and the response is what is left.
            let (mut f, mut g): (Vec<f64>, Vec<f64>) = match pass {
                0 => (
                    scaled.iter().map(|sum| sum.value()).collect(),
                    vec![0.0; size],
                ),
                _ => (
                    self.design
                        .augmented_residual(scaled, &residual, &estimates),
                    (0..size)
                        .map(|column| self.design.dual_residual(column, &residual))
                        .collect(),
                ),
            };
            self.solve_lower(&mut g);
            self.apply_transposed(&mut f);
            let mut step: Vec<f64> = f[..size].iter().zip(&g).map(|(d, z)| d - z).collect();
            self.solve_upper(&mut step);
            add_multiple(&mut estimates, 1.0, &step);
            if pass < refinements {
                f[..size].copy_from_slice(&g);
                self.apply(&mut f);
                add_multiple(&mut residual, 1.0, &f);
            }
        }
        Ok(estimates)
    }

    /// The first `rank` columns of Q, row by row: n x rank.
    pub(crate) fn thin_q(&self, watch: &dyn Watch) -> Result<Vec<f64>, Interruption> {
        let (n, size) = (self.rows(), self.rank());
        watch.reserve_doubles(n.saturating_mul(size + 1))?;
        let mut q = vec![0.0; n * size];
        let mut column = vec![0.0; n];
        for index in 0..size {
            watch.check()?;
            column.fill(0.0);
            column[index] = 1.0;
            self.apply(&mut column);
            for (row, value) in column.iter().enumerate() {
                q[row * size + index] = *value;
            }
        }
        Ok(q)
    }

    /// `R^-1 M R^-T` in units of the columns, for a symmetric matrix M row by row.
    pub(crate) fn sandwich(&self, middle: &[f64]) -> Vec<f64> {
        let size = self.rank();
        let inverse = |row: usize, column: usize| match row <= column {
            true => self.inverse[column * size + row],
            false => 0.0,
        };
        let mut left = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..size {
                let terms = (row..size).map(|k| inverse(row, k) * middle[k * size + column]);
                left[row * size + column] = terms.sum();
            }
        }
        let mut out = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..=row {
                let terms = (column..size).map(|k| left[row * size + k] * inverse(column, k));
                let value: f64 = terms.sum();
                let exponent = self.exponents[row] + self.exponents[column];
                let value = scale_by_exponent(value, exponent);
                out[row * size + column] = value;
                out[column * size + row] = value;
            }
        }
        out
    }

    /// `(X'X)^-1` of the kept columns, in doubled precision where they are near to dependence.
    pub(crate) fn inverse_gram(&self) -> Vec<f64> {
        let size = self.rank();
        let work = self.rows() as f64 * (size * size) as f64;
        let is_hard = self.rcond() < PRECISE_CONDITION && work < PRECISE_WORK_MAX;
        let precise = is_hard
            .then(|| precise_gram_inverse(&self.design))
            .flatten();
        if let Some(mut inverse) = precise {
            for (at, value) in inverse.iter_mut().enumerate() {
                let exponent = self.exponents[at / size] + self.exponents[at % size];
                *value = scale_by_exponent(*value, exponent);
            }
            return inverse;
        }
        self.sandwich(&identity(size))
    }

    /// The solution of `R b = g` in units of the columns.
    pub(crate) fn restored(&self, g: &[f64]) -> Vec<f64> {
        let mut b = g.to_vec();
        self.solve_upper(&mut b);
        let pairs = b.iter().zip(&self.exponents);
        pairs
            .map(|(value, exponent)| scale_by_exponent(*value, *exponent))
            .collect()
    }

    /// Logarithm of the magnitude of the determinant of R in units of the columns.
    pub(crate) fn log_determinant(&self) -> f64 {
        let size = self.rank();
        let entry = |(k, exponent): (usize, &i32)| {
            self.triangle[k * size + k].abs().ln() - f64::from(*exponent) * std::f64::consts::LN_2
        };
        self.exponents.iter().enumerate().map(entry).sum()
    }

    /// `1 / (|R| |R^-1|)` in the 1-norm, columns scaled to length 1.
    pub(crate) fn rcond(&self) -> f64 {
        let size = self.rank();
        if size == 0 {
            return 1.0;
        }
        let columns = || self.triangle.chunks_exact(size);
        let lengths: Vec<f64> = columns().map(euclidean_norm).collect();
        let sums = columns().map(|column| column.iter().map(|value| value.abs()).sum::<f64>());
        let direct = sums.zip(&lengths).map(|(sum, length)| sum / length);
        let direct = direct.fold(0.0, f64::max);
        let scaled = |column: &[f64]| -> f64 {
            let pairs = column.iter().zip(&lengths);
            pairs.map(|(value, length)| (value * length).abs()).sum()
        };
        let inverse = self.inverse.chunks_exact(size).map(scaled);
        1.0 / (direct * inverse.fold(0.0, f64::max))
    }

    fn invert_triangle(&self) -> Vec<f64> {
        let size = self.rank();
        let mut data = vec![0.0; size * size];
        for (index, column) in data.chunks_exact_mut(size.max(1)).enumerate() {
            column[index] = 1.0;
            self.solve_upper(column);
        }
        data
    }

    fn solve_upper(&self, c: &mut [f64]) {
        let size = self.rank();
        for row in (0..size).rev() {
            let terms =
                (row + 1..size).map(|column| self.triangle[column * size + row] * c[column]);
            c[row] = (c[row] - terms.sum::<f64>()) / self.triangle[row * size + row];
        }
    }

    fn solve_lower(&self, g: &mut [f64]) {
        let size = self.rank();
        for row in 0..size {
            let terms = (0..row).map(|column| self.triangle[row * size + column] * g[column]);
            g[row] = (g[row] - terms.sum::<f64>()) / self.triangle[row * size + row];
        }
    }

    fn apply_transposed(&self, vector: &mut [f64]) {
        for (k, reflector) in self.reflectors.chunks_exact(self.rows().max(1)).enumerate() {
            apply_reflector(&reflector[k..], &mut vector[k..]);
        }
    }

    fn apply(&self, vector: &mut [f64]) {
        let reflectors = self.reflectors.chunks_exact(self.rows().max(1)).enumerate();
        for (k, reflector) in reflectors.rev() {
            apply_reflector(&reflector[k..], &mut vector[k..]);
        }
    }
}

/// Whether a number is above 0; NaN is not.
pub(crate) fn is_positive(value: f64) -> bool {
    value > 0.0
}

/// The identity, row by row.
pub(crate) fn identity(size: usize) -> Vec<f64> {
    let entry = |index: usize| f64::from(u8::from(index / size == index % size));
    (0..size * size).map(entry).collect()
}

/// Some columns of a matrix.
pub(crate) fn chosen_columns(design: &DesignMatrix, columns: &[usize]) -> DesignMatrix {
    let n = design.rows;
    let choose = |part: &[f64]| -> Vec<f64> {
        let parts = columns
            .iter()
            .map(|column| &part[column * n..(column + 1) * n]);
        parts.flatten().copied().collect()
    };
    DesignMatrix {
        rows: n,
        columns: columns.len(),
        high: choose(&design.high),
        low: design.low.as_deref().map(choose),
    }
}

/// Applies `H = I - v v'`.
fn apply_reflector(reflector: &[f64], vector: &mut [f64]) {
    let dot = numerics::dense::dot(reflector, vector);
    add_multiple(vector, -dot, reflector);
}

/// The lower Cholesky factor of a symmetric matrix, row by row; `None` where it is not positive definite.
pub(crate) fn cholesky_lower(matrix: &[f64], size: usize) -> Option<Vec<f64>> {
    let mut lower = vec![0.0; size * size];
    for row in 0..size {
        for column in 0..=row {
            let terms = (0..column).map(|k| lower[row * size + k] * lower[column * size + k]);
            let rest = matrix[row * size + column] - terms.sum::<f64>();
            if row == column {
                if !is_positive(rest) || !rest.is_finite() {
                    return None;
                }
                lower[row * size + row] = rest.sqrt();
            } else {
                lower[row * size + column] = rest / lower[column * size + column];
            }
        }
    }
    Some(lower)
}

/// Solves `L L' x = b` in place.
pub(crate) fn cholesky_solve(lower: &[f64], size: usize, b: &mut [f64]) {
    for row in 0..size {
        let terms = (0..row).map(|k| lower[row * size + k] * b[k]);
        b[row] = (b[row] - terms.sum::<f64>()) / lower[row * size + row];
    }
    for row in (0..size).rev() {
        let terms = (row + 1..size).map(|k| lower[k * size + row] * b[k]);
        b[row] = (b[row] - terms.sum::<f64>()) / lower[row * size + row];
    }
}

/// The inverse of a symmetric positive definite matrix, scaled to a unit diagonal first; `None` where it is not one.
pub(crate) fn inverse_definite(matrix: &[f64], size: usize) -> Option<Vec<f64>> {
    let scale: Vec<f64> = (0..size)
        .map(|k| matrix[k * size + k].sqrt().recip())
        .collect();
    let scaled: Vec<f64> = (0..size * size)
        .map(|at| matrix[at] * scale[at / size] * scale[at % size])
        .collect();
    let lower = cholesky_lower(&scaled, size)?;
    let mut out = vec![0.0; size * size];
    for column in 0..size {
        let mut unit = vec![0.0; size];
        unit[column] = 1.0;
        cholesky_solve(&lower, size, &mut unit);
        for row in 0..size {
            out[row * size + column] = unit[row] * scale[row] * scale[column];
        }
    }
    Some(out)
}
