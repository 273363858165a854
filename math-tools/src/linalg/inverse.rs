//! `matrix_inverse`: the inverse with its error, and the pseudo-inverse of any matrix.

use super::dense::{lstsq, system};
use super::eigen::square_size;
use super::factors::{afford_operations, finite_matrix};
use super::kind_from_kernel;
use super::solve::{
    LinearSolveMethod, METHODS, full_rank, least_squares_error, system_error, trusted_digits,
};
use crate::prelude::*;

/// Invert a square real matrix, or find the Moore-Penrose pseudo-inverse of a matrix of any shape and rank. To solve a system,
/// `matrix_solve` is faster and more exact than the product with an inverse.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix, square unless `pseudo`.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = { "if": "pseudo", "then": ["m", "n"], "else": ["n", "n"] }))]
    pub a: Input<Matrix>,
    /// Whether to return the pseudo-inverse, which exists for every matrix.
    #[value(default)]
    pub pseudo: bool,
    /// Singular values up to this share of the largest count as zero, with `pseudo`; absent: max(m, n) 2.2e-16.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub tolerance: Option<Tolerance>,
}

/// The inverse and its evidence.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// n x m for a matrix of m x n.
    #[schema(extend("x-shape" = { "if": "pseudo", "then": ["n", "m"], "else": ["n", "n"] }))]
    pub inverse: Matrix,
    /// Reciprocal condition number: 1-norm, estimated, or for `pseudo` smallest over largest singular value.
    pub rcond: f64,
    /// Decimal digits of the inverse that survive when the entries of A are only known to 16: 0 to 15.
    pub trusted_digits: u32,
    /// Estimate of the largest relative error of a column, entries taken as exact; "Infinity" when unknown. Not for `pseudo`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "pseudo": false }))]
    pub error_estimate: Option<Real>,
    /// |A X - I|, Frobenius norm; for `pseudo` it is the root of the number of rows less the rank, at best.
    pub residual: f64,
    /// Numerical rank.
    pub rank: usize,
    /// Method used: one of `matrix_solve`, `lstsq` for the pseudo-inverse.
    pub method: LinearSolveMethod,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_inverse", "Inverse and pseudo-inverse")
        .tags(&["linear algebra", "inverse", "pseudo-inverse"])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a matrix of determinant 1": r#"{"A": [[2, 3], [1, 2]]}"#
            => r#"{"inverse": [[2.0, -3.0], [-1.0, 2.0]], "rcond": 0.04, "trusted_digits": 14,
                "error_estimate": 0.0, "residual": 0.0, "rank": 2, "method": "lu"}"#;
        "the pseudo-inverse of a column divides by its squared length":
            r#"{"A": [[3], [4]], "pseudo": true}"#
            => r#"{"inverse": [[0.12, 0.16]], "rcond": 1.0, "trusted_digits": 15,
                "residual": 1.0, "rank": 1, "method": "lstsq"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let (m, n) = (a.rows(), a.columns());
        let mut identity = vec![0.0; m * m];
        if args.pseudo {
            let operations = 12.0 * m as f64 * n as f64 * m.max(n) as f64;
            let doubles = m.saturating_mul(m).saturating_mul(3) + 6 * m * n;
            afford_operations(ctx, operations, doubles)?;
            (0..m).for_each(|index| identity[index * m + index] = 1.0);
            let default = m.max(n) as f64 * f64::EPSILON;
            let tolerance = args.tolerance.map_or(default, Tolerance::get);
            let found = lstsq::minimum_norm(a.as_slice(), m, n, &identity, m, tolerance)
                .map_err(least_squares_error)?;
            ctx.check()?;
            let rcond = found.rcond();
            return Ok(Output {
                rcond,
                trusted_digits: trusted_digits(rcond),
                error_estimate: None,
                residual: super::dense::euclidean_norm(&found.residuals),
                rank: found.rank,
                method: LinearSolveMethod::Lstsq,
                inverse: finite_matrix(n, m, found.x)?,
            });
        }
        if args.tolerance.is_some() {
            let error = ToolError::invalid("/tolerance", "`tolerance` requires `pseudo`");
            return Err(error.hint("pass `pseudo`: true, or leave `tolerance` out"));
        }
        square_size(&a).map_err(|err| err.hint("pass `pseudo`: true for the pseudo-inverse"))?;
        afford_operations(ctx, 4.0 * (n as f64).powi(3), 12 * n * n)?;
        (0..n).for_each(|index| identity[index * n + index] = 1.0);
        let hint = "pass `pseudo`: true for the pseudo-inverse";
        let found = system::solve_dense_system(a.as_slice(), n, &identity, n, None);
        let found = found.map_err(|err| system_error(err).at("/A").hint(hint))?;
        ctx.check()?;
        let digits = trusted_digits(found.rcond);
        if found.rcond < 1.5e-8 {
            ctx.warn(format!(
                "`A` is ill-conditioned (rcond {:.1e}): {digits} digits of its inverse can be trusted",
                found.rcond
            ));
        }
        Ok(Output {
            rcond: found.rcond,
            trusted_digits: digits,
            error_estimate: Some(Real(found.error_estimate)),
            residual: found.residual,
            rank: full_rank(&a, found.rcond, ctx)?,
            method: kind_from_kernel(&METHODS, found.method),
            inverse: finite_matrix(n, n, found.x)?,
        })
    }
}
