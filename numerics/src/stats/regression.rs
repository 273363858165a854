//! Least squares by Householder QR, refined.

use crate::dense::lstsq::DesignMatrix;
use crate::dense::{add_multiple, euclidean_norm, exponent_of, max_abs, scale_by_exponent};
use crate::exact::{self, CompensatedSum};
use crate::special::{student_two_sided, student_two_sided_inverse};
use crate::watch::{Interruption, Watch};

/// Probability of the confidence intervals.
const CONFIDENCE: f64 = 0.95;

/// Observations of predictors, and what is fitted of them.
#[derive(Debug, Clone, Copy)]
pub struct RegressionData<'a> {
    /// The predictors, row by row.
    pub x: &'a [f64],
    /// Observations, at least as many as parameters.
    pub rows: usize,
    /// Predictors.
    pub columns: usize,
    /// With a degree, the powers 1 to it of a single predictor are the columns.
    pub degree: Option<usize>,
    /// Whether a leading column of ones is fitted.
    pub has_intercept: bool,
}

/// Why there is no fit.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum RegressionError {
    /// The caller ended it.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
    /// A column is, to rounding, a combination of the ones before it.
    #[error("the columns are linearly dependent: rank {rank} of {parameters}")]
    RankDeficient {
        /// Columns before it, which are independent.
        rank: usize,
        /// All columns.
        parameters: usize,
    },
    /// An estimate is beyond the range of doubles.
    #[error("the fit overflows the range of doubles")]
    Overflow,
}

/// A fit; the intercept, when there is one, comes first everywhere.
#[derive(Debug, Clone, PartialEq)]
pub struct RegressionFit {
    /// The coefficients.
    pub estimates: Vec<f64>,
    /// Their standard errors; NaN without degrees of freedom.
    pub standard_errors: Vec<f64>,
    /// Estimates over their standard errors.
    pub t_values: Vec<f64>,
    /// Two-sided p values of the hypothesis that an estimate is 0 (Student t).
    pub p_values: Vec<f64>,
    /// Half the width of the 95 % confidence interval of each estimate.
    pub half_widths: Vec<f64>,
    /// Share of the variation of y that the fit explains.
    pub r2: f64,
    /// The share, with both sums over their degrees of freedom.
    pub adjusted_r2: f64,
    /// Standard deviation of the residuals.
    pub residual_std: f64,
    /// Observations less parameters.
    pub degrees_of_freedom: usize,
    /// Reciprocal condition of the columns, scaled to length 1.
    pub rcond: f64,
}

/// Fits y = X b, with a leading column of ones when `has_intercept` is set; with a `degree` the columns are the powers 1 to `degree` of
/// the single column of `x`, to about 30 digits.
///
/// # Method
/// Columns are scaled to length about 1 by powers of two (exact), X = Q R by Householder reflections, then two steps of
/// Bjorck's refinement of the augmented system with residuals in twice the working precision. Standard errors are
/// s * |row of R^-1|.
///
/// # Accuracy and cost
/// On the NIST reference problems all digits but one or two of a double; 2 n p^2 operations, 2 n p doubles of memory.
///
/// # Errors
/// [`RegressionError::RankDeficient`] when a diagonal entry of R falls below n * eps of its column: the column is, to rounding, a
/// combination of the ones before it; [`RegressionError::Overflow`], [`RegressionError::Interrupted`].
///
/// # References
/// G. H. Golub, Numerische Mathematik 7, 1965; A. Bjorck, "Iterative refinement of linear least squares solutions", BIT 7,
/// 1967.
pub fn fit_regression(
    data: RegressionData<'_>,
    y: &[f64],
    watch: &dyn Watch,
) -> Result<RegressionFit, RegressionError> {
    let (n, intercept) = (data.rows, data.has_intercept);
    let p = data.degree.unwrap_or(data.columns) + usize::from(intercept);
    // The design, plain and scaled, its factorisation and a few vectors.
    watch.reserve_doubles(n.saturating_mul(4 * p + 8))?;
    let (design, exponents) = design_matrix(data).scaled();
    let y_exponent = exponent_of(max_abs(y));
    let y: Vec<f64> = y
        .iter()
        .map(|&value| scale_by_exponent(value, -y_exponent))
        .collect();
    let qr = HouseholderQr::new(&design, watch)?;
    let (solution, residual) = qr.solve(&design, &y, watch)?;
    let restored =
        |value: f64, column: usize| scale_by_exponent(value, exponents[column] + y_exponent);

    let mut residual_squares = CompensatedSum::default();
    for &value in &residual {
        residual_squares.add_product(value, value);
    }
    let residual_squares = residual_squares.value();
    let total_squares = total_squares(&y, intercept);
    let freedom = n - p;
    // A residual at the level of rounding is an exact fit; without this its r2 and t values would be noise.
    let defined = |value: f64, is: bool| if is { value } else { f64::NAN };
    let variance = defined(residual_squares / freedom as f64, freedom > 0);
    let inverse = qr.inverse(watch)?;
    let estimate = |column| restored(solution[column], column);
    let estimates: Vec<f64> = (0..p).map(estimate).collect();
    let error = |column| {
        let row = inverse.row_length(column);
        restored((variance * row * row).sqrt(), column)
    };
    let standard_errors: Vec<f64> = (0..p).map(error).collect();
    let pairs = estimates.iter().zip(&standard_errors);
    let t_values: Vec<f64> = pairs.map(|(estimate, error)| estimate / error).collect();
    let r2 = 1.0 - residual_squares / total_squares;
    let total_variance = total_squares / (n - usize::from(intercept)) as f64;
    let p_value = |&t: &f64| match freedom {
        0 => f64::NAN,
        freedom => student_two_sided(t, freedom as f64),
    };
    let quantile = match freedom {
        0 => f64::NAN,
        freedom => student_two_sided_inverse(1.0 - CONFIDENCE, freedom as f64),
    };
    if estimates.iter().any(|value| !value.is_finite()) {
        return Err(RegressionError::Overflow);
    }
    Ok(RegressionFit {
        p_values: t_values.iter().map(p_value).collect(),
        half_widths: standard_errors
            .iter()
            .map(|error| quantile * error)
            .collect(),
        t_values,
        standard_errors,
        estimates,
        r2: defined(r2, total_squares != 0.0),
        adjusted_r2: defined(1.0 - variance / total_variance, total_squares != 0.0),
        residual_std: scale_by_exponent(variance.sqrt(), y_exponent),
        degrees_of_freedom: freedom,
        rcond: inverse.rcond(&qr),
    })
}

/// Squares of y around its mean, or around 0.
fn total_squares(y: &[f64], around_mean: bool) -> f64 {
    let mean = if around_mean {
        exact::compensated_sum(y).divide(y.len() as f64)
    } else {
        CompensatedSum::default()
    };
    let mut squares = CompensatedSum::default();
    for &value in y {
        let deviation = mean.subtract_from(value);
        squares.add_product(deviation, deviation);
    }
    squares.value()
}

/// The columns of the fit: a leading one for the intercept, then those of `x` or its powers.
fn design_matrix(data: RegressionData<'_>) -> DesignMatrix {
    let rows = data.rows;
    let Some(degree) = data.degree else {
        let mut design = DesignMatrix::from_rows(data.x, rows, data.columns);
        if data.has_intercept {
            design.high.splice(0..0, std::iter::repeat_n(1.0, rows));
            design.columns += 1;
        }
        return design;
    };
    let mut powers = DesignMatrix::powers(data.x, degree);
    if !data.has_intercept {
        powers.high.drain(..rows);
        if let Some(low) = &mut powers.low {
            low.drain(..rows);
        }
        powers.columns -= 1;
    }
    powers
}

/// A Householder factorisation: reflectors below the diagonal of `data` (column-major), R above, its diagonal apart.
struct HouseholderQr {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
    diagonal: Vec<f64>,
}

impl HouseholderQr {
    fn new(design: &DesignMatrix, watch: &dyn Watch) -> Result<Self, RegressionError> {
        let (n, p) = (design.rows, design.columns);
        let mut data = design.high.clone();
        let mut diagonal = Vec::with_capacity(p);
        for k in 0..p {
            let (head, tail) = data.split_at_mut((k + 1) * n);
            let reflector = &mut head[k * n + k..];
            let length = euclidean_norm(reflector);
            let whole = euclidean_norm(design.column(k));
            if length <= n as f64 * f64::EPSILON * whole {
                return Err(RegressionError::RankDeficient {
                    rank: k,
                    parameters: p,
                });
            }
            // v = x + sign(x0) |x| e0, scaled so that H = I - v v' (that is, v'v = 2).
            let sign = 1.0_f64.copysign(reflector[0]);
            reflector[0] += sign * length;
            let scale = (length * reflector[0].abs()).sqrt().recip();
            reflector.iter_mut().for_each(|value| *value *= scale);
            diagonal.push(-sign * length);
            for column in tail.chunks_exact_mut(n) {
                watch.check()?;
                apply_reflector(reflector, &mut column[k..]);
            }
        }
        Ok(Self {
            rows: n,
            columns: p,
            data,
            diagonal,
        })
    }

    fn reflector(&self, k: usize) -> &[f64] {
        &self.data[k * self.rows + k..(k + 1) * self.rows]
    }

    /// An entry of R above the diagonal.
    fn above(&self, row: usize, column: usize) -> f64 {
        self.data[column * self.rows + row]
    }

    fn apply_transposed(&self, vector: &mut [f64]) {
        for k in 0..self.columns {
            apply_reflector(self.reflector(k), &mut vector[k..]);
        }
    }

    fn apply(&self, vector: &mut [f64]) {
        for k in (0..self.columns).rev() {
            apply_reflector(self.reflector(k), &mut vector[k..]);
        }
    }

    /// Solves R b = c in place.
    fn solve_upper(&self, c: &mut [f64]) {
        for row in (0..self.columns).rev() {
            let terms = (row + 1..self.columns).map(|column| self.above(row, column) * c[column]);
            c[row] = (c[row] - terms.sum::<f64>()) / self.diagonal[row];
        }
    }

    /// Solves R' z = g in place.
    fn solve_lower(&self, g: &mut [f64]) {
        for row in 0..self.columns {
            let terms = (0..row).map(|column| self.above(column, row) * g[column]);
            g[row] = (g[row] - terms.sum::<f64>()) / self.diagonal[row];
        }
    }

    /// Coefficients of the scaled columns and the residual.
    fn solve(
        &self,
        design: &DesignMatrix,
        y: &[f64],
        watch: &dyn Watch,
    ) -> Result<(Vec<f64>, Vec<f64>), Interruption> {
        const REFINEMENTS: usize = 2;
        let p = self.columns;
        let y: Vec<CompensatedSum> = y.iter().map(|&value| CompensatedSum::new(value)).collect();
        let mut estimates = vec![0.0; p];
        let mut residual = vec![0.0; self.rows];
        // Starting from zero, the first step is the plain solution and the others refine it.
        for _ in 0..=REFINEMENTS {
            watch.check()?;
            let mut f = design.augmented_residual(&y, &residual, &estimates);
            let dual = |column| design.dual_residual(column, &residual);
            let mut g: Vec<f64> = (0..p).map(dual).collect();
            self.solve_lower(&mut g);
            self.apply_transposed(&mut f);
            let mut step: Vec<f64> = f[..p].iter().zip(&g).map(|(d, z)| d - z).collect();
            self.solve_upper(&mut step);
            f[..p].copy_from_slice(&g);
            self.apply(&mut f);
            add_multiple(&mut residual, 1.0, &f);
            add_multiple(&mut estimates, 1.0, &step);
        }
        // The residual that belongs to the rounded coefficients.
        let rest = design.residual(&y, &estimates);
        Ok((estimates, rest))
    }

    /// The inverse of R, one column after the other.
    fn inverse(&self, watch: &dyn Watch) -> Result<TriangleInverse, Interruption> {
        let p = self.columns;
        watch.reserve_doubles(p.saturating_mul(p))?;
        let mut data = vec![0.0; p * p];
        for (index, column) in data.chunks_exact_mut(p).enumerate() {
            watch.check()?;
            column[index] = 1.0;
            self.solve_upper(column);
        }
        Ok(TriangleInverse { columns: p, data })
    }
}

/// The inverse of an upper triangle, column-major.
struct TriangleInverse {
    columns: usize,
    data: Vec<f64>,
}

impl TriangleInverse {
    fn row_length(&self, row: usize) -> f64 {
        let entry = |column: usize| self.data[column * self.columns + row];
        let squares = (row..self.columns).map(|column| entry(column).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// 1 / (|R| |R^-1|) in the 1-norm, with the columns of R scaled to length exactly 1.
    fn rcond(&self, qr: &HouseholderQr) -> f64 {
        let p = self.columns;
        let sum = |column: usize, of: fn(f64) -> f64| {
            let above: f64 = (0..column).map(|row| of(qr.above(row, column))).sum();
            above + of(qr.diagonal[column])
        };
        let length = |column| sum(column, |value| value.powi(2)).sqrt();
        let lengths: Vec<f64> = (0..p).map(length).collect();
        let direct = (0..p).map(|column| sum(column, f64::abs) / lengths[column]);
        let direct = direct.fold(0.0, f64::max);
        let scaled = |column: &[f64]| {
            let pairs = column.iter().zip(&lengths);
            pairs.map(|(value, length)| (value * length).abs()).sum()
        };
        let inverse = self.data.chunks_exact(p).map(scaled).fold(0.0, f64::max);
        1.0 / (direct * inverse)
    }
}

/// Applies H = I - v v' to a vector.
fn apply_reflector(reflector: &[f64], vector: &mut [f64]) {
    let dot: f64 = reflector.iter().zip(&*vector).map(|(v, x)| v * x).sum();
    add_multiple(vector, -dot, reflector);
}
