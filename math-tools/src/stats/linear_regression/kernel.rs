//! Least squares by Householder QR, refined.

use tool_core::{Ctx, Matrix, ToolError};

use crate::linalg::dense::doubled::Doubled;
use crate::stats::student;
use crate::stats::sum::{self, Accurate};

/// A fit; the intercept, when there is one, comes first everywhere.
pub(super) struct Fit {
    pub(super) estimates: Vec<f64>,
    pub(super) standard_errors: Vec<f64>,
    pub(super) t_values: Vec<f64>,
    pub(super) p_values: Vec<f64>,
    pub(super) r2: f64,
    pub(super) adjusted_r2: f64,
    pub(super) residual_std: f64,
    pub(super) degrees_of_freedom: usize,
    pub(super) rcond: f64,
}

/// Why there is no fit.
#[derive(Debug, thiserror::Error)]
pub(super) enum FitError {
    /// A column is a combination of the ones before it; `column` is its index in `x`, `None` for the intercept.
    #[error("the columns of `x`{} are linearly dependent: rank {rank} of {parameters}", if *intercept { " and the intercept" } else { "" })]
    RankDeficient {
        column: Option<usize>,
        rank: usize,
        parameters: usize,
        intercept: bool,
    },
    /// Some intermediate result exceeds the largest double.
    #[error("the fit overflows the range of doubles")]
    Overflow,
    /// Cancelled, out of time or out of memory.
    #[error("{0}")]
    Stopped(ToolError),
}

impl From<ToolError> for FitError {
    fn from(err: ToolError) -> Self {
        Self::Stopped(err)
    }
}

/// Fits y = X b, with a leading column of ones when `intercept` is set; with a `degree` the columns are the powers 1 to `degree` of
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
/// [`FitError::RankDeficient`] when a diagonal entry of R falls below n * eps of its column: the column is, to rounding, a
/// combination of the ones before it.
///
/// # References
/// G. H. Golub, Numerische Mathematik 7, 1965; A. Bjorck, "Iterative refinement of linear least squares solutions", BIT 7,
/// 1967.
pub(super) fn fit(
    x: &Matrix,
    degree: Option<usize>,
    y: &[f64],
    intercept: bool,
    ctx: &Ctx,
) -> Result<Fit, FitError> {
    let design = Design::new(x, degree, intercept, ctx)?;
    let (n, p) = (design.rows, design.columns);
    let y_scale = power_of_two(largest(y));
    let y: Vec<f64> = y.iter().map(|&value| value * y_scale).collect();
    let qr = Qr::new(&design, intercept, ctx)?;
    let (scaled, residual) = qr.solve(&design, &y, ctx)?;

    let mut residual_squares = Accurate::default();
    for &value in &residual {
        residual_squares.add_product(value, value);
    }
    let residual_squares = residual_squares.value();
    let total_squares = total_squares(&y, intercept);
    let freedom = n - p;
    // A residual at the level of rounding is an exact fit; without this its r2 and t values would be noise.
    let variance = if freedom == 0 {
        f64::NAN
    } else {
        residual_squares / freedom as f64
    };
    let inverse = qr.inverse(ctx)?;
    let estimates: Vec<f64> = (0..p)
        .map(|column| scaled[column] * design.scales[column] / y_scale)
        .collect();
    let standard_errors: Vec<f64> = (0..p)
        .map(|column| {
            let row = inverse.row_length(column);
            (variance * row * row).sqrt() * design.scales[column] / y_scale
        })
        .collect();
    let t_values: Vec<f64> = estimates
        .iter()
        .zip(&standard_errors)
        .map(|(estimate, error)| estimate / error)
        .collect();
    let r2 = 1.0 - residual_squares / total_squares;
    let adjusted_r2 = {
        let lost = usize::from(intercept);
        1.0 - (residual_squares / freedom as f64) / (total_squares / (n - lost) as f64)
    };
    if estimates.iter().any(|value| !value.is_finite()) {
        return Err(FitError::Overflow);
    }
    Ok(Fit {
        p_values: t_values
            .iter()
            .map(|&t| {
                if freedom == 0 {
                    f64::NAN
                } else {
                    student::two_sided(t, freedom)
                }
            })
            .collect(),
        t_values,
        standard_errors,
        estimates,
        r2: if total_squares == 0.0 { f64::NAN } else { r2 },
        adjusted_r2: if total_squares == 0.0 || freedom == 0 {
            f64::NAN
        } else {
            adjusted_r2
        },
        residual_std: variance.sqrt() / y_scale,
        degrees_of_freedom: freedom,
        rcond: inverse.rcond(&qr),
    })
}

/// Squares of y around its mean, or around 0.
fn total_squares(y: &[f64], around_mean: bool) -> f64 {
    let mean = if around_mean {
        sum::sum(y).divide(y.len() as f64)
    } else {
        Accurate::default()
    };
    let mut squares = Accurate::default();
    for &value in y {
        let deviation = mean.subtract_from(value);
        squares.add_product(deviation, deviation);
    }
    squares.value()
}

fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |largest, value| value.abs().max(largest))
}

/// The power of two that brings a magnitude near 1; 1 for zero.
fn power_of_two(magnitude: f64) -> f64 {
    if magnitude == 0.0 {
        return 1.0;
    }
    2f64.powi(-(magnitude.log2().floor() as i32).clamp(-1020, 1020))
}

/// The design matrix, column-major, each column scaled by a power of two.
struct Design {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
    /// What lies below the last bit of `data`; empty when nothing does.
    low: Vec<f64>,
    scales: Vec<f64>,
}

impl Design {
    fn new(
        x: &Matrix,
        degree: Option<usize>,
        intercept: bool,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        let lead = usize::from(intercept);
        let (rows, columns) = (x.rows(), degree.unwrap_or(x.columns()) + lead);
        // The design in two parts, its factorisation and a few vectors.
        ctx.reserve_doubles(rows.saturating_mul(3 * columns + 8))?;
        let mut powers = vec![Doubled::new(1.0); if degree.is_some() { rows } else { 0 }];
        let mut low = Vec::new();
        let mut data = Vec::with_capacity(rows * columns);
        let mut scales = Vec::with_capacity(columns);
        for column in 0..columns {
            ctx.check()?;
            let start = data.len();
            if column < lead {
                data.resize(start + rows, 1.0);
                low.resize(if degree.is_some() { rows } else { 0 }, 0.0);
            } else if degree.is_some() {
                for (power, &value) in powers.iter_mut().zip(x.as_slice()) {
                    *power = power.times(Doubled::new(value));
                }
                data.extend(powers.iter().map(|power| power.high));
                low.extend(powers.iter().map(|power| power.low));
            } else {
                data.extend(x.as_slice()[column - lead..].iter().step_by(x.columns()));
            }
            // Entries near 1 first, then the length near 1: neither step can overflow or round.
            let entries = power_of_two(largest(&data[start..]));
            let mut squares = 0.0;
            for value in &mut data[start..] {
                *value *= entries;
                squares += *value * *value;
            }
            let length = power_of_two(f64::sqrt(squares));
            for value in &mut data[start..] {
                *value *= length;
            }
            if degree.is_some() {
                for value in &mut low[start..] {
                    *value = *value * entries * length;
                }
            }
            scales.push(entries * length);
        }
        Ok(Self {
            rows,
            columns,
            data,
            low,
            scales,
        })
    }

    /// What lies below the last bit of a column.
    fn low(&self, index: usize) -> &[f64] {
        if self.low.is_empty() {
            &[]
        } else {
            &self.low[index * self.rows..(index + 1) * self.rows]
        }
    }

    fn column(&self, index: usize) -> &[f64] {
        &self.data[index * self.rows..(index + 1) * self.rows]
    }
}

/// A Householder factorisation: reflectors below the diagonal of `data` (column-major), R above, its diagonal apart.
struct Qr {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Qr {
    fn new(design: &Design, intercept: bool, ctx: &Ctx) -> Result<Self, FitError> {
        let (n, p) = (design.rows, design.columns);
        let mut data = design.data.clone();
        let mut diagonal = Vec::with_capacity(p);
        for k in 0..p {
            let (head, tail) = data.split_at_mut((k + 1) * n);
            let reflector = &mut head[k * n + k..];
            let length = norm(reflector);
            let whole = norm(design.column(k));
            if length <= n as f64 * f64::EPSILON * whole {
                return Err(FitError::RankDeficient {
                    column: (k + usize::from(!intercept)).checked_sub(1),
                    rank: k,
                    parameters: p,
                    intercept,
                });
            }
            // v = x + sign(x0) |x| e0, scaled so that H = I - v v' (that is, v'v = 2).
            let sign = 1.0_f64.copysign(reflector[0]);
            reflector[0] += sign * length;
            let scale = (length * reflector[0].abs()).sqrt().recip();
            reflector.iter_mut().for_each(|value| *value *= scale);
            diagonal.push(-sign * length);
            for column in tail.chunks_exact_mut(n) {
                ctx.check()?;
                reflect(reflector, &mut column[k..]);
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
            reflect(self.reflector(k), &mut vector[k..]);
        }
    }

    fn apply(&self, vector: &mut [f64]) {
        for k in (0..self.columns).rev() {
            reflect(self.reflector(k), &mut vector[k..]);
        }
    }

    /// Solves R b = c in place.
    fn solve_upper(&self, c: &mut [f64]) {
        for row in (0..self.columns).rev() {
            let rest: f64 = (row + 1..self.columns)
                .map(|column| self.above(row, column) * c[column])
                .sum();
            c[row] = (c[row] - rest) / self.diagonal[row];
        }
    }

    /// Solves R' z = g in place.
    fn solve_lower(&self, g: &mut [f64]) {
        for row in 0..self.columns {
            let rest: f64 = (0..row)
                .map(|column| self.above(column, row) * g[column])
                .sum();
            g[row] = (g[row] - rest) / self.diagonal[row];
        }
    }

    /// Coefficients of the scaled columns and the residual.
    fn solve(
        &self,
        design: &Design,
        y: &[f64],
        ctx: &Ctx,
    ) -> Result<(Vec<f64>, Vec<f64>), ToolError> {
        const REFINEMENTS: usize = 2;
        let p = self.columns;
        let mut estimates = vec![0.0; p];
        let mut residual = vec![0.0; self.rows];
        // Starting from zero, the first step is the plain solution and the others refine it.
        for _ in 0..=REFINEMENTS {
            ctx.check()?;
            let (mut f, mut g) = augmented_residual(design, y, &estimates, &residual, ctx)?;
            self.solve_lower(&mut g);
            self.apply_transposed(&mut f);
            let mut step: Vec<f64> = f[..p].iter().zip(&g).map(|(d, z)| d - z).collect();
            self.solve_upper(&mut step);
            f[..p].copy_from_slice(&g);
            self.apply(&mut f);
            residual
                .iter_mut()
                .zip(&f)
                .for_each(|(value, step)| *value += step);
            estimates
                .iter_mut()
                .zip(&step)
                .for_each(|(value, step)| *value += step);
        }
        // The residual that belongs to the rounded coefficients.
        let (rest, _) = augmented_residual(design, y, &estimates, &vec![0.0; self.rows], ctx)?;
        Ok((estimates, rest))
    }

    /// The inverse of R, one column after the other.
    fn inverse(&self, ctx: &Ctx) -> Result<Inverse, ToolError> {
        let p = self.columns;
        ctx.reserve_doubles(p.saturating_mul(p))?;
        let mut data = vec![0.0; p * p];
        for (index, column) in data.chunks_exact_mut(p).enumerate() {
            ctx.check()?;
            column[index] = 1.0;
            self.solve_upper(column);
        }
        Ok(Inverse { columns: p, data })
    }
}

/// The residuals of r + X b = y and X' r = 0, in twice the working precision: (y - r - X b, -X' r).
fn augmented_residual(
    design: &Design,
    y: &[f64],
    estimates: &[f64],
    residual: &[f64],
    ctx: &Ctx,
) -> Result<(Vec<f64>, Vec<f64>), ToolError> {
    let mut first: Vec<Accurate> = y.iter().map(|&value| Accurate::new(value)).collect();
    let mut second = Vec::with_capacity(design.columns);
    for (total, &value) in first.iter_mut().zip(residual) {
        total.add(-value);
    }
    for (index, &estimate) in estimates.iter().enumerate() {
        ctx.check()?;
        let mut product = Accurate::default();
        for ((total, &x), &value) in first.iter_mut().zip(design.column(index)).zip(residual) {
            total.add_product(-x, estimate);
            product.add_product(-x, value);
        }
        for ((total, &x), &value) in first.iter_mut().zip(design.low(index)).zip(residual) {
            total.add(-x * estimate);
            product.add(-x * value);
        }
        second.push(product.value());
    }
    Ok((first.into_iter().map(Accurate::value).collect(), second))
}

/// The inverse of an upper triangle, column-major.
struct Inverse {
    columns: usize,
    data: Vec<f64>,
}

impl Inverse {
    fn row_length(&self, row: usize) -> f64 {
        let squares: f64 = (row..self.columns)
            .map(|column| self.data[column * self.columns + row].powi(2))
            .sum();
        squares.sqrt()
    }

    /// 1 / (|R| |R^-1|) in the 1-norm, with the columns of R scaled to length exactly 1.
    fn rcond(&self, qr: &Qr) -> f64 {
        let p = self.columns;
        let lengths: Vec<f64> = (0..p)
            .map(|column| {
                let above: f64 = (0..column).map(|row| qr.above(row, column).powi(2)).sum();
                (above + qr.diagonal[column].powi(2)).sqrt()
            })
            .collect();
        let direct = (0..p)
            .map(|column| {
                let above: f64 = (0..column).map(|row| qr.above(row, column).abs()).sum();
                (above + qr.diagonal[column].abs()) / lengths[column]
            })
            .fold(0.0, f64::max);
        let inverse = self
            .data
            .chunks_exact(p)
            .map(|column| {
                column
                    .iter()
                    .zip(&lengths)
                    .map(|(value, length)| (value * length).abs())
                    .sum()
            })
            .fold(0.0, f64::max);
        1.0 / (direct * inverse)
    }
}

/// Applies H = I - v v' to a vector.
fn reflect(reflector: &[f64], vector: &mut [f64]) {
    let dot: f64 = reflector.iter().zip(&*vector).map(|(v, x)| v * x).sum();
    vector
        .iter_mut()
        .zip(reflector)
        .for_each(|(x, v)| *x -= dot * v);
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|value| value * value).sum::<f64>().sqrt()
}
