//! `matrix_eigenvalues`: eigenvalues and eigenvectors with their residual.

pub mod kernel;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Category, Ctx, ErrorCode, Example, Input, Matrix, Spec, Tool, ToolError};

/// The tool.
pub struct MatrixEigenvalues;

/// Find the eigenvalues of a square real matrix, and its eigenvectors when asked. An exactly symmetric matrix takes the symmetric
/// method and has real eigenvalues; any other may have complex ones. They are sorted ascending by real part, then by imaginary part.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The matrix, n rows of n numbers.
    #[serde(rename = "A")]
    pub a: Input<Matrix>,
    /// Whether to compute eigenvectors too.
    #[serde(default)]
    pub vectors: bool,
}

/// Eigenvalues, eigenvectors and how exact they are.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The eigenvalues, ascending; only when all of them are real.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eigenvalues: Option<Vec<f64>>,
    /// Real parts of the eigenvalues.
    pub real: Vec<f64>,
    /// Imaginary parts of the eigenvalues, in the same order; conjugate pairs are neighbours.
    pub imaginary: Vec<f64>,
    /// Unit eigenvectors in the columns, in the order of the eigenvalues, the largest entry of each positive; only with `vectors`
    /// and when all eigenvalues are real.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eigenvectors: Option<Matrix>,
    /// Real parts of the unit eigenvectors in the columns, the largest entry of each real and positive; only with `vectors` and
    /// when some eigenvalue is complex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eigenvectors_real: Option<Matrix>,
    /// Imaginary parts of the eigenvectors, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eigenvectors_imaginary: Option<Matrix>,
    /// Whether the matrix is exactly symmetric.
    pub symmetric: bool,
    /// |sum of eigenvalues - trace of A| / (n eps |A|), Frobenius norm; of order 1 or below when all is well.
    pub trace_error: f64,
    /// Largest |A v - lambda v| / (n eps |A|) over the eigenvectors; of order 1 or below when all is well. Only with `vectors`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
}

impl Tool for MatrixEigenvalues {
    const SPEC: Spec = Spec {
        id: "matrix_eigenvalues",
        title: "Eigenvalues and eigenvectors",
        category: Category::Math,
        tags: &["linear algebra", "eigenvalues", "spectrum"],
        output_bytes_max: Some(256 << 20), // the arrays are the result
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let n = square(&a)?;
        // The general problem was measured at 0.58 ns n^3; the estimate leaves a factor of five and more.
        ctx.afford(4.0 * (n as f64).powi(3))?;
        ctx.reserve_doubles(12 * n * n)?;
        let found = kernel::eigen(a.as_slice(), n, args.vectors).map_err(super::no_convergence)?;
        ctx.check()?;
        let finite = found
            .real
            .iter()
            .chain(&found.imaginary)
            .all(|value| value.is_finite());
        if !finite {
            return Err(ToolError::new(
                ErrorCode::Numeric,
                "an eigenvalue is too large for a double",
            )
            .reason("overflow")
            .at("/A")
            .hint("scale `A`"));
        }
        let all_real = found.imaginary.iter().all(|&value| value == 0.0);
        let matrix = |data| Matrix::new(n, n, data);
        let (real_vectors, imaginary_vectors) = match found.vectors {
            Some(vectors) => (matrix(vectors.real), vectors.imaginary.and_then(matrix)),
            None => (None, None),
        };
        let (eigenvectors, eigenvectors_real) = if all_real {
            (real_vectors, None)
        } else {
            (None, real_vectors)
        };
        Ok(Output {
            eigenvalues: all_real.then(|| found.real.clone()),
            real: found.real,
            imaginary: found.imaginary,
            eigenvectors,
            eigenvectors_real,
            eigenvectors_imaginary: imaginary_vectors,
            symmetric: found.symmetric,
            trace_error: found.trace_error,
            residual: found.residual,
        })
    }

    fn examples() -> Vec<Example<Args, Output>> {
        vec![
            Example {
                title: "a diagonal matrix has its entries as eigenvalues",
                args: Args {
                    a: Input::inline([[3.0, 0.0], [0.0, 1.0]]),
                    vectors: true,
                },
                output: Output {
                    eigenvalues: Some(vec![1.0, 3.0]),
                    real: vec![1.0, 3.0],
                    imaginary: vec![0.0, 0.0],
                    eigenvectors: Some(Matrix::from([[0.0, 1.0], [1.0, 0.0]])),
                    eigenvectors_real: None,
                    eigenvectors_imaginary: None,
                    symmetric: true,
                    trace_error: 0.0,
                    residual: Some(0.0),
                },
            },
            Example {
                title: "a quarter turn has the eigenvalues -i and i",
                args: Args {
                    a: Input::inline([[0.0, -1.0], [1.0, 0.0]]),
                    vectors: false,
                },
                output: Output {
                    eigenvalues: None,
                    real: vec![0.0, 0.0],
                    imaginary: vec![-1.0, 1.0],
                    eigenvectors: None,
                    eigenvectors_real: None,
                    eigenvectors_imaginary: None,
                    symmetric: false,
                    trace_error: 0.0,
                    residual: None,
                },
            },
        ]
    }
}

/// The size of a square matrix.
pub(crate) fn square(a: &Matrix) -> Result<usize, ToolError> {
    let (m, n) = (a.rows(), a.columns());
    if m == n {
        return Ok(n);
    }
    Err(ToolError::invalid(
        "/A",
        format_args!("expected a square matrix, found {m} x {n}"),
    )
    .reason("shape")
    .hint("for a matrix of another shape, `matrix_svd` gives singular values"))
}

#[cfg(test)]
mod tests;
