//! `matrix_qr`: orthogonal times triangular, with or without column exchanges.

use super::dense::orthogonal::factor_orthogonal;
use super::dense::{self, all_scaled, normalise_data};
use super::factors::{
    afford_operations, factor_residual, finite_matrix, matrix_from_kernel, orthogonality_error,
};
use crate::prelude::*;

/// Factor a real matrix of any shape as A = Q R, Q with orthonormal columns and R upper triangular with a diagonal that is not
/// negative; with `pivoting` as A P = Q R, the diagonal of R falling, which shows the rank.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix, m rows of n numbers.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = ["m", "n"]))]
    pub a: Input<Matrix>,
    /// Whether to exchange columns, the largest remaining first.
    #[value(default)]
    pub pivoting: bool,
    /// Whether Q is square (m x m) and R m x n, instead of m x min(m, n) and min(m, n) x n.
    #[value(default)]
    pub full: bool,
}

/// The factors.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Orthonormal columns.
    #[value(rename = "Q")]
    #[schema(extend("x-shape" = { "if": "full", "then": ["m", "m"], "else": ["m", "min(m,n)"] }))]
    pub q: Matrix,
    /// Upper triangle.
    #[value(rename = "R")]
    #[schema(extend("x-shape" = { "if": "full", "then": ["m", "n"], "else": ["min(m,n)", "n"] }))]
    pub r: Matrix,
    /// Column j of Q R is column `permutation[j]` of A; only with `pivoting`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    #[schema(extend("x-present" = { "pivoting": true }))]
    pub permutation: Option<Vec<usize>>,
    /// Number of diagonal entries of R above max(m, n) eps times the largest: the rank, reliable with `pivoting` only.
    pub rank: usize,
    /// |A P - Q R| / (max(m, n) eps |A|), Frobenius norm; of order 1 or below when all is well.
    pub residual: f64,
    /// |Q' Q - I| / (m eps), Frobenius norm; likewise.
    pub orthogonality: f64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_qr", "QR factorisation")
        .tags(&["linear algebra", "qr", "orthogonal"])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "an upper triangle with a positive diagonal is its own R": r#"{"A": [[3, 1], [0, 4]]}"#
            => r#"{"Q": [[1.0, 0.0], [0.0, 1.0]], "R": [[3.0, 1.0], [0.0, 4.0]], "rank": 2,
                "residual": 0.0, "orthogonality": 0.0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let (m, n) = (a.rows(), a.columns());
        let width = if args.full { m } else { m.min(n) };
        let operations = 4.0 * m as f64 * n.max(width) as f64 * m.min(n) as f64;
        let doubles = 5_usize.saturating_mul(m.saturating_mul(n.max(width)));
        afford_operations(ctx, operations, doubles)?;
        let (data, exponent) = normalise_data(a.as_slice());
        let columns = dense::columns_of(&data, m, n);
        let found = factor_orthogonal(columns.clone(), args.pivoting, args.full);
        ctx.check()?;
        let exchanged = faer::Mat::from_fn(m, n, |row, column| columns[(row, found.order[column])]);
        let image = dense::matrix_product(found.q.as_ref(), found.r.as_ref());
        let diagonal: Vec<f64> = (0..m.min(n)).map(|index| found.r[(index, index)]).collect();
        let tolerance = m.max(n) as f64 * f64::EPSILON * dense::max_abs(&diagonal);
        let r = dense::rows_of(found.r.as_ref());
        Ok(Output {
            rank: diagonal.iter().filter(|&&value| value > tolerance).count(),
            residual: factor_residual(exchanged.as_ref(), image.as_ref()),
            orthogonality: orthogonality_error(found.q.as_ref()),
            r: finite_matrix(width, n, all_scaled(r, exponent))?,
            q: matrix_from_kernel(found.q.as_ref())
                .ok_or_else(|| ToolError::invalid("/A", "a matrix without columns"))?,
            permutation: args.pivoting.then_some(found.order),
        })
    }
}
