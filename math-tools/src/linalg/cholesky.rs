//! `matrix_cholesky`: the triangular root of a symmetric positive definite matrix.

use super::dense::cholesky::Cholesky;
use super::dense::condition::reciprocal_condition;
use super::dense::factors::FactorError;
use super::dense::scaling::Equilibration;
use super::dense::{self, scale_by_exponent, system};
use super::eigen::square_size;
use super::factors::{afford_operations, factor_residual, finite_matrix};
use super::solve::factor_error;
use crate::prelude::*;

/// Factor a symmetric positive definite matrix as A = L L', L lower triangular with a positive diagonal. A matrix that is not
/// symmetric, or not positive definite, is refused: the factorisation is also the test.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix, n rows of n numbers, exactly symmetric.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = ["n", "n"]))]
    pub a: Input<Matrix>,
}

/// The factor.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Lower triangle, n x n.
    #[value(rename = "L")]
    #[schema(extend("x-shape" = ["n", "n"]))]
    pub l: Matrix,
    /// Logarithm of the determinant of A.
    pub log_determinant: f64,
    /// Reciprocal condition number of A, 1-norm, estimated, after its diagonal is brought to 1 where it varies much.
    pub rcond: f64,
    /// |A - L L'| / (n eps |A|), Frobenius norm; of order 1 or below when all is well.
    pub residual: f64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_cholesky", "Cholesky factorisation")
        .tags(&["linear algebra", "cholesky", "positive definite"])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a matrix of squares": r#"{"A": [[4, 2], [2, 10]]}"#
            => r#"{"L": [[2.0, 0.0], [1.0, 3.0]], "log_determinant": 3.58351893845611,
                "rcond": 0.25, "residual": 0.0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let n = square_size(&a)?;
        check_symmetric(&a)?;
        afford_operations(ctx, (n as f64).powi(3), 6 * n * n)?;
        let scaling = Equilibration::symmetric(a.as_slice(), n);
        let data = scaling.apply(a.as_slice());
        let columns = dense::columns_of(&data, n, n);
        let factors = Cholesky::new(columns.clone())
            .map_err(|err| factor_error(FactorError::NotPositiveDefinite(err)))?;
        ctx.check()?;
        let lower = factors.lower();
        let image = dense::matrix_product(lower.as_ref(), lower.as_ref().transpose());
        let rcond = reciprocal_condition(&factors, system::one_norm(&data, n));
        let log_determinant = (0..n)
            .map(|index| {
                let exponent = -f64::from(scaling.rows[index]);
                2.0 * (lower[(index, index)].ln() + exponent * std::f64::consts::LN_2)
            })
            .sum();
        let entries = dense::rows_of(lower.as_ref())
            .into_iter()
            .enumerate()
            .map(|(index, value)| scale_by_exponent(value, -scaling.rows[index / n]))
            .collect();
        Ok(Output {
            l: finite_matrix(n, n, entries)?,
            log_determinant,
            rcond,
            residual: factor_residual(columns.as_ref(), image.as_ref()),
        })
    }
}

/// Refuses a matrix that differs from its transpose, naming the entry.
pub(crate) fn check_symmetric(a: &Matrix) -> Result<(), ToolError> {
    let n = a.rows();
    let differs = (0..n)
        .flat_map(|row| (0..row).map(move |column| (row, column)))
        .find(|&(row, column)| a.row(row)[column] != a.row(column)[row]);
    if let Some((row, column)) = differs {
        let (here, there) = (a.row(row)[column], a.row(column)[row]);
        refuse!(invalid format!("/A/{row}/{column}"), "structure";
            "expected a symmetric matrix, found {here} here and {there} at /A/{column}/{row}";
            "pass (A + A') / 2 when the difference is rounding");
    }
    Ok(())
}
