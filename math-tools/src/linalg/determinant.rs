//! `matrix_determinant`: value, logarithm and sign; exact for matrices of integers.

use num_bigint::{BigInt, Sign};

use super::dense::condition::reciprocal_condition;
use super::dense::factors::MatrixFactors;
use super::dense::{self, Lu, exponent_of, scale_by_exponent, system};
use super::eigen::square_size;
use super::factors::afford_operations;
use crate::prelude::*;

/// Integer matrices up to this size are done exactly.
const EXACT_SIZE_MAX: usize = 100;

/// Matrices up to this size whose entries no scaling brings together are done exactly too.
const WIDE_SIZE_MAX: usize = 32;

/// Integers up to this magnitude are exact as doubles.
const INTEGER_MAX: f64 = 9_007_199_254_740_992.0;

/// Find the determinant of a square real matrix, its sign, and the logarithm of its magnitude, which does not overflow. A matrix of
/// integers of at most 100 rows gets its exact determinant, with all its digits.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix, n rows of n numbers.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = ["n", "n"]))]
    pub a: Input<Matrix>,
}

/// The determinant.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The determinant; infinite when it is larger than any double (see `log_abs_determinant`), 0 also when it is smaller.
    pub determinant: Real,
    /// -1, 0 or 1.
    pub sign: i8,
    /// Natural logarithm of the magnitude; "-Infinity" for 0.
    pub log_abs_determinant: Real,
    /// Whether the determinant is exact, rounded once.
    pub exact: bool,
    /// All digits of an exact determinant of integers; only beyond 2^53, where a double does not hold them.
    #[value(skip_encoding_if = "Option::is_none")]
    pub digits: Option<String>,
    /// Estimate of the relative error: 0 when exact, n eps / rcond at most else; 1 or more means that even the sign is in doubt.
    pub error_estimate: Real,
    /// `bareiss` (fraction-free elimination with integers) or `lu`.
    pub method: DeterminantMethod,
}

/// Method of the determinant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum DeterminantMethod {
    /// Fraction-free elimination with integers of any size.
    Bareiss,
    /// The product of the pivots.
    Lu,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_determinant", "Determinant").tags(&[
        "linear algebra",
        "determinant",
        "log-determinant",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "1 times 4 less 2 times 3": r#"{"A": [[1, 2], [3, 4]]}"#
            => r#"{"determinant": -2.0, "sign": -1, "log_abs_determinant": 0.6931471805599453,
                "exact": true, "error_estimate": 0.0, "method": "bareiss"}"#;
        "of a diagonal matrix the product": r#"{"A": [[0.5, 0], [0, 0.5]]}"#
            => r#"{"determinant": 0.25, "sign": 1, "log_abs_determinant": -1.3862943611198906,
                "exact": false, "error_estimate": 4.440892098500626e-16, "method": "lu"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let n = square_size(&a)?;
        let whole = |value: &f64| value.fract() == 0.0 && value.abs() <= INTEGER_MAX;
        if n <= EXACT_SIZE_MAX && a.as_slice().iter().all(whole) {
            return Ok(of_integer(
                &bareiss_determinant(scale_to_integers(&a).0, n, ctx)?,
                0,
            ));
        }
        afford_operations(ctx, (n as f64).powi(3), 3 * n * n)?;
        let scaling = DeterminantScaling::of(&a, n);
        if n <= WIDE_SIZE_MAX && scaling.loses(&a) {
            let (integers, power) = scale_to_integers(&a);
            return Ok(of_integer(&bareiss_determinant(integers, n, ctx)?, power));
        }
        let output = by_pivots(&a, n, &scaling)?;
        ctx.check()?;
        if output.error_estimate.0 >= 0.1 {
            ctx.warn("the matrix is singular to working precision: the determinant may have no correct digit, not even its sign");
        }
        Ok(output)
    }
}

/// The entries times a power of two that makes them integers, and the exponent that the determinant is to be scaled by.
fn scale_to_integers(a: &Matrix) -> (Vec<Vec<BigInt>>, i64) {
    const FRACTION_BITS: i32 = 52;
    let whole = a.as_slice().iter().all(|value| value.fract() == 0.0);
    let exponents = a.as_slice().iter().filter(|value| **value != 0.0);
    let least = exponents
        .map(|value| exponent_of(value.abs()) - FRACTION_BITS)
        .min();
    let least = if whole { 0 } else { least.unwrap_or_default() };
    let integer = |&value: &f64| {
        if value == 0.0 {
            return BigInt::from(0);
        }
        let exponent = exponent_of(value.abs()) - FRACTION_BITS;
        // Below 2^53 and whole; then moved into place.
        let digits = BigInt::from(scale_by_exponent(value, -exponent) as i64);
        let shift = exponent - least;
        if shift >= 0 {
            digits << shift
        } else {
            digits >> -shift
        }
    };
    let rows = (0..a.rows()).map(|row| a.row(row).iter().map(integer).collect());
    (rows.collect(), i64::from(least) * a.rows() as i64)
}

/// The determinant of integers by elimination without fractions: every entry met is a minor of A.
///
/// About n^3 / 3 products of integers of n log2(n max|a|) bits at most.
///
/// # References
/// E. H. Bareiss, "Sylvester's identity and multistep integer-preserving Gaussian elimination", Math. Comp. 22, 1968.
fn bareiss_determinant(
    mut rows: Vec<Vec<BigInt>>,
    n: usize,
    ctx: &Ctx,
) -> Result<BigInt, ToolError> {
    let mut previous = BigInt::from(1);
    let mut negative = false;
    for step in 0..n {
        let Some(pivot) = (step..n).find(|&row| rows[row][step].sign() != Sign::NoSign) else {
            return Ok(BigInt::from(0));
        };
        if pivot != step {
            rows.swap(pivot, step);
            negative = !negative;
        }
        let (head, tail) = rows.split_at_mut(step + 1);
        let top = &head[step];
        for row in tail {
            ctx.check()?;
            for column in step + 1..n {
                row[column] = (&row[column] * &top[step] - &row[step] * &top[column]) / &previous;
            }
        }
        previous = top[step].clone();
    }
    Ok(if negative { -previous } else { previous })
}

/// A determinant that is to be multiplied by two to a power.
fn of_integer(determinant: &BigInt, power: i64) -> Output {
    let sign = match determinant.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    };
    let bits = determinant.bits();
    // 128 leading bits are enough to round the logarithm; the double comes from the digits themselves.
    let shift = bits.saturating_sub(128);
    let leading = decimal_double(&(determinant.magnitude() >> shift).to_string());
    let value = if power == 0 {
        decimal_double(&determinant.to_string())
    } else {
        let exponent = (shift as i64 + power).clamp(-5000, 5000) as i32;
        f64::from(sign) * scale_by_exponent(leading, exponent)
    };
    let log = if bits == 0 {
        f64::NEG_INFINITY
    } else {
        leading.ln() + (shift as i64 + power) as f64 * std::f64::consts::LN_2
    };
    Output {
        determinant: Real(value),
        sign,
        log_abs_determinant: Real(log),
        exact: true,
        digits: (bits > 53 && power == 0).then(|| determinant.to_string()),
        error_estimate: Real(0.0),
        method: DeterminantMethod::Bareiss,
    }
}

/// The double nearest to an integer in decimal digits; infinite beyond the range.
fn decimal_double(digits: &str) -> f64 {
    digits.parse().unwrap_or(f64::NAN)
}

/// The product of the pivots: rows and columns scaled by powers of two and exponents counted apart, so that only the result itself
/// can overflow.
fn by_pivots(a: &Matrix, n: usize, scaling: &DeterminantScaling) -> Result<Output, ToolError> {
    let (data, mut power) = scaling.apply(a);
    let factors = Lu::new(dense::columns_of(&data, n, n));
    let mut mantissa = factors.sign();
    for index in 0..n {
        mantissa *= factors.packed[(index, index)];
        let shift = exponent_of(mantissa.abs());
        mantissa = scale_by_exponent(mantissa, -shift);
        power += i64::from(shift);
    }
    if !mantissa.is_finite() {
        refuse!(numeric "/A", "overflow";
            "elimination overflows: the entries of `A` differ by more than doubles hold, in ways that scaling rows and columns does not cure";
            "eliminate the largest entries by hand, or give the matrix in integers of at most 2^53");
    }
    let zero = mantissa == 0.0;
    let rcond = if zero {
        0.0
    } else {
        reciprocal_condition(&MatrixFactors::Lu(factors), system::one_norm(&data, n))
    };
    let log = mantissa.abs().ln() + power as f64 * std::f64::consts::LN_2;
    Ok(Output {
        determinant: Real(scale_by_exponent(mantissa, power.clamp(-5000, 5000) as i32)),
        sign: if zero { 0 } else { mantissa.signum() as i8 },
        log_abs_determinant: Real(if zero { f64::NEG_INFINITY } else { log }),
        exact: false,
        digits: None,
        error_estimate: Real(n as f64 * f64::EPSILON / rcond),
        method: DeterminantMethod::Lu,
    })
}

/// Exponents of two that bring the largest entry of each row, and of each column where those differ much, near 1.
struct DeterminantScaling {
    rows: Vec<i32>,
    columns: Vec<i32>,
}

impl DeterminantScaling {
    fn of(a: &Matrix, n: usize) -> Self {
        /// Columns that differ by fewer powers of two are left alone.
        const SPREAD_MAX: i32 = 26;
        let exponent = |value: f64| (value != 0.0).then(|| exponent_of(value.abs()));
        let rows: Vec<i32> = (0..n)
            .map(|row| a.row(row).iter().filter_map(|&value| exponent(value)).max())
            .map(Option::unwrap_or_default)
            .collect();
        let mut columns: Vec<i32> = (0..n)
            .map(|column| {
                let entries = (0..n).map(|row| (a.row(row)[column], rows[row]));
                let left = entries.filter_map(|(value, row)| Some(exponent(value)? - row));
                left.max().unwrap_or_default()
            })
            .collect();
        if columns.iter().all(|&column| column >= -SPREAD_MAX) {
            columns.fill(0);
        }
        Self { rows, columns }
    }

    /// The factor of an entry, as an exponent of two.
    fn exponent(&self, index: usize) -> i32 {
        let n = self.columns.len();
        -self.rows[index / n] - self.columns[index % n]
    }

    /// Whether an entry becomes so small that it, or its products, may be rounded to zero.
    fn loses(&self, a: &Matrix) -> bool {
        const LEAST: i32 = -500;
        let mut entries = a.as_slice().iter().enumerate();
        let small = |value: f64, shift| value != 0.0 && exponent_of(value.abs()) + shift < LEAST;
        entries.any(|(index, &value)| small(value, self.exponent(index)))
    }

    /// The scaled matrix, each entry scaled once, and the exponent of two factored out of its determinant.
    fn apply(&self, a: &Matrix) -> (Vec<f64>, i64) {
        let entries = a.as_slice().iter().enumerate();
        let data = entries.map(|(index, &value)| scale_by_exponent(value, self.exponent(index)));
        let exponents = self.rows.iter().chain(&self.columns);
        let power = exponents.map(|&exponent| i64::from(exponent)).sum();
        (data.collect(), power)
    }
}
