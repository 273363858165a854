//! Least squares by Householder QR, refined.

use tool_core::{Ctx, Matrix, ToolError, Value, tool_error};

use kernels::dense::lstsq::DesignMatrix;
use kernels::dense::{add_multiple, euclidean_norm, exponent_of, max_abs, scale_by_exponent};
use kernels::exact::{self, CompensatedSum};
use kernels::special::{student_two_sided, student_two_sided_inverse};

/// Probability of the confidence intervals.
const CONFIDENCE: f64 = 0.95;

/// A fit; the intercept, when there is one, comes first everywhere.
pub(super) struct RegressionFit {
    pub(super) estimates: Vec<f64>,
    pub(super) standard_errors: Vec<f64>,
    pub(super) t_values: Vec<f64>,
    pub(super) p_values: Vec<f64>,
    /// Half the width of the 95 % confidence interval of each estimate.
    pub(super) half_widths: Vec<f64>,
    pub(super) r2: f64,
    pub(super) adjusted_r2: f64,
    pub(super) residual_std: f64,
    pub(super) degrees_of_freedom: usize,
    pub(super) rcond: f64,
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
/// `rank_deficient` when a diagonal entry of R falls below n * eps of its column: the column is, to rounding, a
/// combination of the ones before it.
///
/// # References
/// G. H. Golub, Numerische Mathematik 7, 1965; A. Bjorck, "Iterative refinement of linear least squares solutions", BIT 7,
/// 1967.
pub(super) fn fit_regression(
    x: &Matrix,
    degree: Option<usize>,
    y: &[f64],
    intercept: bool,
    ctx: &Ctx,
) -> Result<RegressionFit, ToolError> {
    let n = x.rows();
    let p = degree.unwrap_or(x.columns()) + usize::from(intercept);
    // The design, plain and scaled, its factorisation and a few vectors.
    ctx.reserve_doubles(n.saturating_mul(4 * p + 8))?;
    let (design, exponents) = design_matrix(x, degree, intercept).scaled();
    let y_exponent = exponent_of(max_abs(y));
    let y: Vec<f64> = y
        .iter()
        .map(|&value| scale_by_exponent(value, -y_exponent))
        .collect();
    let qr = HouseholderQr::new(&design, intercept, ctx)?;
    let (solution, residual) = qr.solve(&design, &y, ctx)?;
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
    let inverse = qr.inverse(ctx)?;
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
        refuse!(numeric "/x", "overflow"; "the fit overflows the range of doubles"; "scale `x` or `y`");
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

/// Column k of the fit is a combination of those before it.
fn rank_deficient(k: usize, parameters: usize, intercept: bool) -> ToolError {
    let beside = if intercept { " and the intercept" } else { "" };
    let hint = match (k + usize::from(!intercept)).checked_sub(1) {
        None => "a constant column of `x` is the intercept: leave it out".to_owned(),
        Some(column) => format!(
            "leave column {column} of `x` (columns count from 0) out, or set `intercept` to false if it is constant"
        ),
    };
    tool_error!(Numeric at "/x", "rank_deficient";
        "the columns of `x`{beside} are linearly dependent: rank {k} of {parameters}")
    .hint(hint)
    .evidence(Value::object([("rank", k)]))
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
fn design_matrix(x: &Matrix, degree: Option<usize>, intercept: bool) -> DesignMatrix {
    let rows = x.rows();
    let Some(degree) = degree else {
        let mut design = DesignMatrix::from_rows(x.as_slice(), rows, x.columns());
        if intercept {
            design.high.splice(0..0, std::iter::repeat_n(1.0, rows));
            design.columns += 1;
        }
        return design;
    };
    let mut powers = DesignMatrix::powers(x.as_slice(), degree);
    if !intercept {
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
    fn new(design: &DesignMatrix, intercept: bool, ctx: &Ctx) -> Result<Self, ToolError> {
        let (n, p) = (design.rows, design.columns);
        let mut data = design.high.clone();
        let mut diagonal = Vec::with_capacity(p);
        for k in 0..p {
            let (head, tail) = data.split_at_mut((k + 1) * n);
            let reflector = &mut head[k * n + k..];
            let length = euclidean_norm(reflector);
            let whole = euclidean_norm(design.column(k));
            if length <= n as f64 * f64::EPSILON * whole {
                return Err(rank_deficient(k, p, intercept));
            }
            // v = x + sign(x0) |x| e0, scaled so that H = I - v v' (that is, v'v = 2).
            let sign = 1.0_f64.copysign(reflector[0]);
            reflector[0] += sign * length;
            let scale = (length * reflector[0].abs()).sqrt().recip();
            reflector.iter_mut().for_each(|value| *value *= scale);
            diagonal.push(-sign * length);
            for column in tail.chunks_exact_mut(n) {
                ctx.check()?;
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
        ctx: &Ctx,
    ) -> Result<(Vec<f64>, Vec<f64>), ToolError> {
        const REFINEMENTS: usize = 2;
        let p = self.columns;
        let y: Vec<CompensatedSum> = y.iter().map(|&value| CompensatedSum::new(value)).collect();
        let mut estimates = vec![0.0; p];
        let mut residual = vec![0.0; self.rows];
        // Starting from zero, the first step is the plain solution and the others refine it.
        for _ in 0..=REFINEMENTS {
            ctx.check()?;
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
    fn inverse(&self, ctx: &Ctx) -> Result<TriangleInverse, ToolError> {
        let p = self.columns;
        ctx.reserve_doubles(p.saturating_mul(p))?;
        let mut data = vec![0.0; p * p];
        for (index, column) in data.chunks_exact_mut(p).enumerate() {
            ctx.check()?;
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
