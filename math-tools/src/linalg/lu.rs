//! `matrix_lu`: triangular factors with partial pivoting, for any shape.

use faer::Mat;

use super::dense::condition::{LinearOperator as _, reciprocal_condition};
use super::dense::factors::MatrixFactors;
use super::dense::{self, Lu, all_scaled, max_abs, normalise_data, system};
use super::factors::{afford_operations, factor_residual, finite_matrix, matrix_from_kernel};
use crate::prelude::*;

/// Factor a real matrix of any shape as P A = L U with partial pivoting: L lower triangular with ones on the diagonal, U upper
/// triangular, P an order of the rows. A singular matrix has factors too, with a zero on the diagonal of U.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix, m rows of n numbers.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = ["m", "n"]))]
    pub a: Input<Matrix>,
}

/// The factors.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// m x min(m, n), ones on the diagonal, entries of magnitude 1 at most.
    #[value(rename = "L")]
    #[schema(extend("x-shape" = ["m", "min(m,n)"]))]
    pub l: Matrix,
    /// min(m, n) x n.
    #[value(rename = "U")]
    #[schema(extend("x-shape" = ["min(m,n)", "n"]))]
    pub u: Matrix,
    /// Row i of L U is row `permutation[i]` of A.
    #[schema(extend("x-shape" = ["m"]))]
    pub permutation: Vec<usize>,
    /// The first column without a pivot, counted from 0: the matrix is exactly singular. Absent when all have one.
    #[value(skip_encoding_if = "Option::is_none")]
    pub zero_pivot: Option<usize>,
    /// Reciprocal condition number, 1-norm, estimated; only for a square matrix with all pivots.
    #[value(skip_encoding_if = "Option::is_none")]
    pub rcond: Option<f64>,
    /// Largest magnitude of U over that of A: digits lost in the elimination are about its logarithm.
    pub growth: f64,
    /// |P A - L U| / (max(m, n) eps |A|), Frobenius norm; of order 1 or below when all is well.
    pub residual: f64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_lu", "LU factorisation")
        .tags(&["linear algebra", "lu", "triangular"])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the larger entry of the first column comes first": r#"{"A": [[1, 2], [4, 4]]}"#
            => r#"{"L": [[1.0, 0.0], [0.25, 1.0]], "U": [[4.0, 4.0], [0.0, 1.0]],
                "permutation": [1, 0], "rcond": 0.08333333333333333, "growth": 1.0, "residual": 0.0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let (m, n) = (a.rows(), a.columns());
        let size = m.min(n);
        afford_operations(ctx, m as f64 * n as f64 * size as f64, 6 * m * n)?;
        let (data, exponent) = normalise_data(a.as_slice());
        let factors = Lu::new(dense::columns_of(&data, m, n));
        ctx.check()?;
        let packed = &factors.packed;
        let lower = Mat::from_fn(m, size, |row, column| match row.cmp(&column) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => packed[(row, column)],
        });
        let upper = Mat::from_fn(size, n, |row, column| {
            if row <= column {
                packed[(row, column)]
            } else {
                0.0
            }
        });
        let exchanged = Mat::from_fn(m, n, |row, column| data[factors.order[row] * n + column]);
        let image = dense::matrix_product(lower.as_ref(), upper.as_ref());
        let u = dense::rows_of(upper.as_ref());
        let largest = max_abs(&data);
        let zero_pivot = factors.zero_pivot();
        let permutation = factors.order.clone();
        let rcond = (m == n && zero_pivot.is_none()).then(|| {
            let factors = MatrixFactors::Lu(factors);
            debug_assert_eq!(factors.size(), n);
            reciprocal_condition(&factors, system::one_norm(&data, n))
        });
        Ok(Output {
            growth: if largest > 0.0 {
                max_abs(&u) / largest
            } else {
                0.0
            },
            residual: factor_residual(exchanged.as_ref(), image.as_ref()),
            u: finite_matrix(size, n, all_scaled(u, exponent))?,
            l: matrix_from_kernel(lower.as_ref())
                .ok_or_else(|| ToolError::invalid("/A", "a matrix without columns"))?,
            permutation,
            zero_pivot,
            rcond,
        })
    }
}
