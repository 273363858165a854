//! `matrix_multiply`: products, in plain or doubled precision.

use super::dense::{self, euclidean_norm, normalise_data, scale_by_exponent};
use super::factors::{afford_operations, finite_matrix};
use super::solve::Rhs;
use crate::prelude::*;

/// Multiply a real matrix by a matrix or a vector, either transposed first when asked; with `precise` every entry is as if computed
/// with twice the digits and rounded once.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The left matrix, m x n (n x m with `transpose_A`).
    #[value(rename = "A")]
    #[schema(extend("x-shape" = { "if": "transpose_A", "then": ["n", "m"], "else": ["m", "n"] }))]
    pub a: Input<Matrix>,
    /// The right matrix, n x k, or a vector of n numbers.
    #[value(rename = "B")]
    #[schema(extend("x-shape" = { "if": "transpose_B", "then": ["k", "n"], "else": ["n", "*k"] }))]
    pub b: Input<Rhs>,
    /// Whether to use the transpose of A.
    #[value(rename = "transpose_A", default)]
    pub transpose_a: bool,
    /// Whether to use the transpose of B, which must be a matrix then.
    #[value(rename = "transpose_B", default)]
    pub transpose_b: bool,
    /// Whether to sum in doubled precision (about 20 times slower).
    #[value(default)]
    pub precise: bool,
}

/// The product.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// m x k, or m numbers when B is a vector.
    #[schema(extend("x-shape" = { "if": "transpose_B", "then": ["m", "k"], "else": ["m", "*k"] }))]
    pub product: Rhs,
    /// Bound of the error of any entry: n eps times the longest row of A and the longest column of B; with `precise` half a unit in
    /// the last place of each entry, and this times n eps.
    pub error_bound: f64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_multiply", "Matrix product")
        .tags(&["linear algebra", "product"])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a row times a column is their inner product": r#"{"A": [[1, 2, 2]], "B": [[2], [2], [1]]}"#
            => r#"{"product": [[8.0]], "error_bound": 5.995204332975845e-15}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let b = args.b.load(ctx)?;
        if args.transpose_b && matches!(b, Rhs::One(_)) {
            refuse!(invalid "/transpose_B"; "`B` is a vector, which has no transpose here";
                "pass a list of one row");
        }
        let left_shape = oriented_shape(a.rows(), a.columns(), args.transpose_a);
        let right_shape = oriented_shape(b.rows(), b.columns(), args.transpose_b);
        let ((m, n), (inner, k)) = (left_shape, right_shape);
        if n != inner {
            refuse!(invalid "/B", "shape";
                "`A` is {m} x {n} and `B` is {inner} x {k}: the inner sizes differ";
                "`transpose_A` and `transpose_B` use the transposes");
        }
        let work = m as f64 * n as f64 * k as f64;
        let doubles = 2 * (m * n + n * k).saturating_add(m.saturating_mul(k));
        afford_operations(ctx, if args.precise { 40.0 * work } else { work }, doubles)?;
        // Sizes near 1 first, so that nothing overflows but the result.
        let (left, left_exponent) = normalise_data(a.as_slice());
        let (right, right_exponent) = normalise_data(b.as_slice());
        let left = dense::columns_of(&left, a.rows(), a.columns());
        let right = dense::columns_of(&right, b.rows(), b.columns());
        let left = if args.transpose_a {
            left.transpose()
        } else {
            left.as_ref()
        };
        let right = if args.transpose_b {
            right.transpose()
        } else {
            right.as_ref()
        };
        // Rows of the left and columns of the right factor, each contiguous.
        let left_rows = left.transpose().to_owned();
        let right_owned = right.to_owned();
        let exponent = left_exponent + right_exponent;
        let mut data = Vec::with_capacity(m * k);
        if args.precise {
            for row in 0..m {
                ctx.check()?;
                let row = left_rows.col_as_slice(row);
                let columns = (0..k).map(|column| right_owned.col_as_slice(column));
                data.extend(columns.map(|column| numerics::exact::precise_dot(row, column)));
            }
        } else {
            data = dense::rows_of(dense::matrix_product(left, right).as_ref());
        }
        let data = dense::all_scaled(data, exponent);
        let longest = |matrix: &faer::Mat<f64>| {
            let lengths =
                (0..matrix.ncols()).map(|column| euclidean_norm(matrix.col_as_slice(column)));
            lengths.fold(0.0, f64::max)
        };
        let unit = n as f64 * f64::EPSILON;
        let mut bound = unit * longest(&left_rows) * longest(&right_owned);
        if args.precise {
            let largest = scale_by_exponent(dense::max_abs(&data), -exponent);
            bound = bound * unit + f64::EPSILON / 2.0 * largest;
        }
        let product = match b {
            Rhs::Many(_) => Rhs::Many(finite_matrix(m, k, data)?),
            Rhs::One(_) => Rhs::One(finite_matrix(m, 1, data)?.as_slice().to_vec().into()),
        };
        Ok(Output {
            product,
            error_bound: scale_by_exponent(bound, exponent),
        })
    }
}

fn oriented_shape(rows: usize, columns: usize, transposed: bool) -> (usize, usize) {
    let shapes = [(rows, columns), (columns, rows)];
    shapes[usize::from(transposed)]
}
