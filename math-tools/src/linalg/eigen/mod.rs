//! `matrix_eigenvalues`: eigenvalues and eigenvectors with their residual.
use numerics::dense::eigenpairs;

use super::factors::overflow_error;
use crate::prelude::*;

/// Find the eigenvalues of a square real matrix, and its eigenvectors when asked. An exactly symmetric matrix takes the symmetric
/// method and has real eigenvalues; any other may have complex ones. They are sorted ascending by real part, then by imaginary part.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix, n rows of n numbers.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = ["n", "n"]))]
    pub a: Input<Matrix>,
    /// Whether to compute eigenvectors too.
    #[value(default)]
    pub vectors: bool,
    /// Right matrix of the generalised problem A v = lambda B v, n rows of n numbers; absent: the identity.
    #[value(rename = "B", default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", "n"]))]
    pub b: Option<Input<Matrix>>,
    /// Whether to return left eigenvectors and the condition of each eigenvalue too (implies `vectors`; not with `B`).
    #[value(default)]
    pub left: bool,
    /// Eigenvalues to return, in ascending order: `all`, or the `count` `smallest` or `largest`.
    #[value(default)]
    pub select: EigenvalueSelection,
    /// Number of eigenvalues to return with `select`, from 1; more than there are means all.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub count: Option<Count>,
}

/// Selection of eigenvalues.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum EigenvalueSelection {
    /// All of them.
    #[default]
    All,
    /// Those of smallest real part.
    Smallest,
    /// Those of largest real part.
    Largest,
}

/// Eigenvalues, eigenvectors and how exact they are.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The eigenvalues, ascending; only when all of them are real.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["k"]))]
    #[schema(extend("x-present" = { "A": { "is": "symmetric" }, "B": null }))]
    pub eigenvalues: Option<Vec<f64>>,
    /// Real parts of the eigenvalues.
    #[schema(extend("x-shape" = ["k"]))]
    pub real: Vec<f64>,
    /// Imaginary parts of the eigenvalues, in the same order; conjugate pairs are neighbours.
    #[schema(extend("x-shape" = ["k"]))]
    pub imaginary: Vec<f64>,
    /// Unit eigenvectors in the columns, in the order of the eigenvalues, the largest entry of each positive; only with `vectors`
    /// and when all eigenvalues are real.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", "k"]))]
    #[schema(extend("x-present" = [{ "vectors": true, "A": { "is": "symmetric" }, "B": null }, { "left": true, "A": { "is": "symmetric" }, "B": null }]))]
    pub eigenvectors: Option<Matrix>,
    /// Real parts of the unit eigenvectors in the columns, the largest entry of each real and positive; only with `vectors` and
    /// when some eigenvalue is complex.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", "k"]))]
    pub eigenvectors_real: Option<Matrix>,
    /// Imaginary parts of the eigenvectors, likewise.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", "k"]))]
    pub eigenvectors_imaginary: Option<Matrix>,
    /// Whether the matrix is exactly symmetric.
    pub symmetric: bool,
    /// |sum of all eigenvalues - trace of A| / (n eps |A|), Frobenius norm (0 with `B`); of order 1 or below when all is well.
    pub trace_error: f64,
    /// Largest |A v - lambda v| / (n eps |A|) over the eigenvectors; of order 1 or below when all is well. Only with `vectors`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "vectors": true, "B": null }, { "left": true }]))]
    pub residual: Option<f64>,
    /// Condition of each eigenvalue, 1 / |y* x| for unit left and right vectors: a change of A by e moves it by up to e times this.
    /// Only with `left`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["k"]))]
    #[schema(extend("x-present" = { "left": true }))]
    pub conditions: Option<Vec<Real>>,
    /// Real parts of the unit left eigenvectors y in the columns, y* A = lambda y*. Only with `left`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", "k"]))]
    #[schema(extend("x-present" = { "left": true }))]
    pub left_eigenvectors_real: Option<Matrix>,
    /// Imaginary parts of the left eigenvectors, when some eigenvalue is complex.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", "k"]))]
    pub left_eigenvectors_imaginary: Option<Matrix>,
    /// Number of infinite eigenvalues, which are left out; only with `B`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "B": { "not": null } }))]
    pub infinite: Option<usize>,
    /// `symmetric`, `general`, or with `B` `cholesky` (A symmetric, B positive definite), `qz`, `reduction` to B^-1 A, or `shift_invert`,
    /// the reduction to (A - s B)^-1 B, which singular B allow.
    pub method: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_eigenvalues", "Eigenvalues and eigenvectors")
        .tags(&[
            "linear algebra",
            "eigenvalues",
            "spectrum",
            "roots of a polynomial",
        ])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a diagonal matrix has its entries as eigenvalues":
            r#"{"A": [[3, 0], [0, 1]], "vectors": true}"#
            => r#"{"eigenvalues": [1.0, 3.0], "real": [1.0, 3.0], "imaginary": [0.0, 0.0],
                "eigenvectors": [[0.0, 1.0], [1.0, 0.0]], "symmetric": true, "trace_error": 0.0,
                "residual": 0.0, "method": "symmetric"}"#;
        "a quarter turn has the eigenvalues -i and i": r#"{"A": [[0, -1], [1, 0]]}"#
            => r#"{"real": [0.0, 0.0], "imaginary": [-1.0, 1.0], "symmetric": false,
                "trace_error": 0.0, "method": "general"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let n = square_size(&a)?;
        // The general problem was measured at 0.58 ns n^3; the estimate leaves a factor of five and more.
        ctx.afford(4.0 * (n as f64).powi(3))?;
        ctx.reserve_doubles(12 * n * n)?;
        if args.left && args.b.is_some() {
            refuse!(invalid "/left"; "left eigenvectors are computed for the standard problem only";
                "leave `left` or `B` out");
        }
        if (args.select == EigenvalueSelection::All) == args.count.is_some() {
            refuse!(invalid "/count", "contradiction";
                "`count` belongs to `select`: \"smallest\" or \"largest\", which need it");
        }
        let vectors = args.vectors || args.left;
        let (found, infinite, method) = match &args.b {
            Some(b) => {
                let b = b.load(ctx)?;
                if (b.rows(), b.columns()) != (n, n) {
                    let found = format!("found {} x {}", b.rows(), b.columns());
                    refuse!(invalid "/B", "shape"; "expected {n} x {n} as `A`, {found}");
                }
                ctx.afford(20.0 * (n as f64).powi(3))?;
                ctx.reserve_doubles(8 * n * n)?;
                let (found, infinite, method) =
                    eigenpairs::generalised_eigen(a.as_slice(), b.as_slice(), n, vectors)
                        .map_err(pair_error)?;
                (found, Some(infinite), method)
            }
            None => {
                let found = eigenpairs::eigen_decomposition(a.as_slice(), n, vectors, args.left)
                    .map_err(super::no_convergence)?;
                let method = if found.symmetric {
                    "symmetric"
                } else {
                    "general"
                };
                (found, None, method)
            }
        };
        ctx.check()?;
        let finite = found
            .real
            .iter()
            .chain(&found.imaginary)
            .all(|value| value.is_finite());
        if !finite {
            return Err(overflow_error("an eigenvalue is too large for a double"));
        }
        if infinite.is_some_and(|infinite| infinite > 0) {
            ctx.warn("`B` is singular to working precision: infinite eigenvalues are left out");
        }
        let size = found.real.len();
        let count = args.count.map_or(size, Count::size).min(size);
        let kept = match args.select {
            EigenvalueSelection::Largest => size - count..size,
            _ => 0..count,
        };
        let columns = |data: Vec<f64>| {
            let entries = data
                .chunks(size.max(1))
                .flat_map(|row| row[kept.clone()].to_vec())
                .collect();
            Matrix::new(n, kept.len(), entries)
        };
        let all_real = found.imaginary.iter().all(|&value| value == 0.0);
        let parts = |vectors: Option<eigenpairs::EigenvectorMatrix>| match vectors {
            Some(vectors) => (columns(vectors.real), vectors.imaginary.and_then(columns)),
            None => (None, None),
        };
        let (eigenvectors, eigenvectors_imaginary) = parts(found.vectors);
        let (eigenvectors, eigenvectors_real) = match all_real {
            true => (eigenvectors, None),
            false => (None, eigenvectors),
        };
        let (left, conditions) = found.left.unzip();
        let (left_eigenvectors_real, left_eigenvectors_imaginary) = parts(left);
        let real = found.real[kept.clone()].to_vec();
        Ok(Output {
            eigenvalues: all_real.then(|| real.clone()),
            real,
            imaginary: found.imaginary[kept.clone()].to_vec(),
            eigenvectors,
            eigenvectors_real,
            eigenvectors_imaginary,
            symmetric: found.symmetric,
            trace_error: found.trace_error,
            residual: found.residual,
            conditions: conditions
                .map(|all| all[kept.clone()].iter().map(|&value| Real(value)).collect()),
            left_eigenvectors_real,
            left_eigenvectors_imaginary,
            infinite,
            method: method.to_owned(),
        })
    }
}

fn pair_error(err: eigenpairs::PairError) -> ToolError {
    match err {
        eigenpairs::PairError::NoConvergence(err) => super::no_convergence(err),
        eigenpairs::PairError::Singular => {
            let message = "`A` - lambda `B` is singular for every lambda: every number is an eigenvalue of the pair";
            ToolError::numeric("/B", message)
                .reason("singular_pencil")
                .hint("leave out what neither matrix determines: rows or columns that depend on others in both in the same way")
        }
    }
}

/// The size of a square matrix.
pub(crate) fn square_size(a: &Matrix) -> Result<usize, ToolError> {
    let (m, n) = (a.rows(), a.columns());
    if m == n {
        return Ok(n);
    }
    refuse!(invalid "/A", "shape"; "expected a square matrix, found {m} x {n}";
        "for a matrix of another shape, `matrix_svd` gives singular values");
}

#[cfg(test)]
mod tests;
