//! `least_squares`: overdetermined and underdetermined systems, refined, with weights, constraints, ridge and covariance.

mod methods;
mod problem;

use self::problem::LinearLeastSquares;
use super::dense::lstsq::LeastSquaresError;
use super::solve::{Rhs, least_squares_error};
use crate::prelude::*;

/// Find x that makes |b - A x| smallest, for any shape and rank of A. By orthogonal factors refined to full precision, by singular
/// values with minimum norm, or with a ridge penalty; with weights, equality constraints, and the covariance of the estimates.
/// With `polynomial` the columns are the powers of a single column t, formed to 30 digits.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix, m rows of n numbers. With `polynomial`: m rows of one number, t.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = { "if": "polynomial", "then": ["m", 1], "else": ["m", "n"] }))]
    pub a: Input<Matrix>,
    /// Right-hand side: a list of m numbers, or m rows with one column per right-hand side.
    #[schema(extend("x-shape" = ["m", "*k"]))]
    pub b: Input<Rhs>,
    /// `qr` needs full column rank and gives all digits; `svd` gives the solution of minimum norm for any rank; `ridge` adds
    /// `ridge` |x|^2 to the sum of squares; `auto` is `ridge` when `ridge` is given, else `qr`, and `svd` where that finds the
    /// columns dependent.
    #[value(default)]
    pub method: LeastSquaresMethod,
    /// Degree of a polynomial in the single column of A; x holds its coefficients from the constant upwards.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub polynomial: Option<BoundedInteger<0, 60>>,
    /// One weight of at least 0 per row: row i of the sum of squares counts `weights[i]` times (1 / variance of b_i).
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["m"]))]
    pub weights: Option<Input<Vector>>,
    /// Left-hand sides of equality constraints C x = d: p rows of n numbers, p at most n.
    #[value(rename = "C", default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["p", "n"]))]
    pub c: Option<Input<Matrix>>,
    /// Right-hand sides of the constraints, p numbers, or p rows with one column per right-hand side.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["p", "*constraints"]))]
    pub d: Option<Input<Rhs>>,
    /// Penalty on |x|^2, at least 0; in units of b^2 / x^2.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub ridge: Option<Tolerance>,
    /// Singular values (for `qr`: pivots of the scaled columns) up to this share of the largest count as zero; absent:
    /// max(m, n) 2.2e-16.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub tolerance: Option<Tolerance>,
    /// Whether to return the covariance matrix of x (one right-hand side); its diagonal gives `standard_errors`. For `ridge` it is the
    /// scatter of x about its own mean, s^2 (A'A + ridge I)^-1 A'A (A'A + ridge I)^-1; the bias towards zero is not in it.
    #[value(default)]
    pub covariance: bool,
}

/// Method for a least squares problem.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum LeastSquaresMethod {
    /// By arguments and rank.
    #[default]
    Auto,
    /// Householder QR with column exchanges and iterative refinement.
    Qr,
    /// Singular values, minimum norm.
    Svd,
    /// QR of the matrix over the root of the penalty.
    Ridge,
}

/// The solution and its evidence.
#[derive(Debug, Default, Encode, Describe)]
pub(crate) struct Output {
    /// The solution: n numbers, or n rows with one column per right-hand side.
    #[schema(extend("x-shape" = ["n", "*k"]))]
    pub x: Rhs,
    /// |b - A x| with weights, without the penalty; Frobenius over several right-hand sides.
    pub residual: f64,
    /// Numerical rank of A (with constraints: of what they leave free, plus their number).
    pub rank: usize,
    /// Reciprocal condition: for `svd` smallest over largest singular value, else smallest over largest pivot of the columns
    /// scaled to one length.
    pub rcond: f64,
    /// Decimal digits of x that survive when the entries of A are only known to 16, from `rcond`: 0 to 15.
    pub trusted_digits: u32,
    /// Singular values of A with weights, descending; only for `svd`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": "svd" }))]
    pub singular_values: Option<Vec<f64>>,
    /// Rows less fitted parameters; for `ridge` less the effective number of them, the sum of s^2 / (s^2 + ridge)
    /// over the singular values s of what the constraints leave free.
    pub degrees_of_freedom: f64,
    /// Square root of the residual sum of squares over the degrees of freedom; "NaN" with none, absent for several right-hand
    /// sides.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "b": { "is": "vector" } }))]
    pub residual_std: Option<Real>,
    /// Standard errors of x; "NaN" with 0 degrees of freedom. Only with `covariance`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    #[schema(extend("x-present" = { "covariance": true }))]
    pub standard_errors: Option<Vec<Real>>,
    /// Covariance of x, n x n. Only with `covariance` and with degrees of freedom left.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", "n"]))]
    pub covariance: Option<Matrix>,
    /// Largest cosine of an angle between the residual and a column of A: 0 at an exact minimum without constraints. Not for `svd`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "method": ["qr", "ridge"] }, { "method": "auto", "ridge": { "not": null } }]))]
    pub optimality: Option<f64>,
    /// Steps of refinement.
    pub refinements: usize,
    /// Estimate of the relative error of x, columns scaled to one length, when the entries are exactly what they say, from the
    /// corrections of the refinement; "Infinity" when they do not shrink. Not for `svd`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "method": ["qr", "ridge"] }, { "method": "auto", "ridge": { "not": null } }]))]
    pub error_estimate: Option<Real>,
    /// Method used; never `auto`.
    pub method: LeastSquaresMethod,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("least_squares", "Linear least squares")
        .tags(&["linear algebra", "least squares", "qr", "curve fit"])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the mean of 1, 2 and 6, and its standard error sqrt(7 / 3)":
            r#"{"A": [[1], [1], [1]], "b": [1, 2, 6], "covariance": true}"#
            => r#"{"x": [3.0], "residual": 3.7416573867739413, "rank": 1, "rcond": 1.0,
                "trusted_digits": 15, "degrees_of_freedom": 2.0, "residual_std": 2.6457513110645907,
                "standard_errors": [1.5275252316519468], "covariance": [[2.3333333333333335]],
                "optimality": 0.0, "refinements": 2, "error_estimate": 2.220446049250313e-16,
                "method": "qr"}"#;
        "of all x with x0 + x1 = 2 the shortest is (1, 1)": r#"{"A": [[1, 1]], "b": [2]}"#
            => r#"{"x": [1.0, 1.0], "residual": 0.0, "rank": 1, "rcond": 1.0,
                "trusted_digits": 15, "singular_values": [1.4142135623730951],
                "degrees_of_freedom": 0.0, "residual_std": "NaN", "refinements": 0, "method": "svd"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let problem = LinearLeastSquares::new(&args, ctx)?;
        let method = match (args.method, args.ridge) {
            (LeastSquaresMethod::Auto, Some(_)) => LeastSquaresMethod::Ridge,
            (LeastSquaresMethod::Auto, None) if problem.rows() < problem.free() => {
                LeastSquaresMethod::Svd
            }
            (LeastSquaresMethod::Auto, None) => LeastSquaresMethod::Qr,
            (method, _) => method,
        };
        problem.check_method(method, &args)?;
        let output = match method {
            LeastSquaresMethod::Svd => problem.by_singular_values(&args, ctx)?,
            LeastSquaresMethod::Ridge => problem.by_ridge(&args)?,
            _ => match problem.by_orthogonal_factors(&args) {
                Err(LeastSquaresError::RankDeficient { rank, columns })
                    if args.method == LeastSquaresMethod::Auto && problem.constraints.is_none() =>
                {
                    ctx.warn(format!(
                        "the columns of `A` are dependent (rank {rank} of {columns}): `x` is the solution of smallest norm among many"
                    ));
                    problem.by_singular_values(&args, ctx)?
                }
                other => other.map_err(least_squares_error)?,
            },
        };
        ctx.check()?;
        warn_of_lost_digits(&output, ctx);
        Ok(output)
    }
}

fn warn_of_lost_digits(output: &Output, ctx: &Ctx) {
    const ILL_CONDITIONED: f64 = 1.5e-8; // the square root of eps: half of the digits
    let estimate = output.error_estimate.map_or(0.0, |estimate| estimate.0);
    if estimate > 1e-3 {
        ctx.warn(format!(
            "the refinement does not settle (estimated relative error {estimate:.0e}): scale or reduce the columns of `A`"
        ));
    } else if output.method != LeastSquaresMethod::Svd && output.rcond < ILL_CONDITIONED {
        ctx.warn(format!(
            "the columns of `A` are nearly dependent (rcond {:.1e}): {} digits of `x` can be trusted unless the entries are known \
             to more than 16",
            output.rcond, output.trusted_digits
        ));
    }
    if output.standard_errors.is_some() && output.degrees_of_freedom == 0.0 {
        ctx.warn("as many parameters as rows: the fit is exact and has no standard errors");
    }
}

#[cfg(test)]
mod tests;
