//! `matrix_rank`: rank, condition, null space and norms, all from the singular values.

use super::dense::decomposition;
use super::dense::{
    SingularVectors, euclidean_norm, max_abs, normalise_data, scale_by_exponent, system::one_norm,
};
use super::factors::{afford_operations, condition_ratio};
use super::no_convergence;
use crate::prelude::*;

/// Find the numerical rank of a real matrix of any shape, its condition number and norms, and an orthonormal basis of its null space
/// when asked.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix, m rows of n numbers.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = ["m", "n"]))]
    pub a: Input<Matrix>,
    /// Singular values up to this share of the largest count as zero; absent: max(m, n) 2.2e-16.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub tolerance: Option<Tolerance>,
    /// Whether to return a basis of the null space.
    #[value(default)]
    pub null_space: bool,
}

/// Rank and evidence.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Number of singular values above the threshold.
    pub rank: usize,
    /// The threshold, in units of A; "Infinity" beyond the range of a double.
    pub threshold: Real,
    /// Smallest singular value that counts over the largest that does not, a measure of how clear the rank is; "Infinity" when
    /// nothing is discarded or what is discarded is 0.
    pub gap: Real,
    /// The min(m, n) singular values, descending.
    #[schema(extend("x-shape" = ["min(m,n)"]))]
    pub singular_values: Vec<f64>,
    /// 2-norm condition number, largest over smallest singular value; "Infinity" when that is 0.
    pub condition: Real,
    /// Orthonormal columns that A takes to (nearly) 0, n x (n - rank); only with `null_space` and when there are any.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", "nullity"]))]
    pub null_space: Option<Matrix>,
    /// Norms of A.
    pub norms: MatrixNorms,
}

/// Norms of a matrix.
#[derive(Debug, Encode, Describe)]
pub(crate) struct MatrixNorms {
    /// Largest column sum of magnitudes.
    pub one: f64,
    /// Largest singular value.
    pub two: f64,
    /// Largest row sum of magnitudes.
    pub infinity: f64,
    /// Root of the sum of squares.
    pub frobenius: f64,
    /// Sum of the singular values.
    pub nuclear: f64,
    /// Largest magnitude of an entry.
    pub max: f64,
}

impl MatrixNorms {
    fn are_finite(&self) -> bool {
        let sums = [self.one, self.infinity, self.frobenius, self.nuclear];
        self.two.is_finite() && sums.iter().all(|norm| norm.is_finite())
    }
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_rank", "Rank, condition, null space and norms")
        .tags(&["linear algebra", "rank", "condition", "null space", "norm"])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a row of zeros": r#"{"A": [[3, 4], [0, 0]], "tolerance": 1e-10}"#
            => r#"{"rank": 1, "threshold": 5e-10, "gap": "Infinity",
                "singular_values": [5.0, 0.0], "condition": "Infinity",
                "norms": {"one": 4.0, "two": 5.0, "infinity": 7.0, "frobenius": 5.0, "nuclear": 5.0, "max": 4.0}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let (m, n) = (a.rows(), a.columns());
        let size = m.min(n);
        let full = args.null_space;
        let long = if full { n.max(m) } else { size };
        let operations = 4.0 * m as f64 * n as f64 * long as f64;
        let bases = if full { 3 * (n * n + m * m) } else { 0 };
        afford_operations(ctx, operations, (6 * m * n).saturating_add(bases))?;
        let vectors = [SingularVectors::None, SingularVectors::Full][usize::from(full)];
        let found = decomposition::singular_value_decomposition(a.as_slice(), m, n, vectors)
            .map_err(no_convergence)?;
        ctx.check()?;
        let values = found.values;
        let largest = values[0];
        let threshold = match args.tolerance {
            Some(tolerance) => tolerance.get() * largest,
            None => found.tolerance,
        };
        let rank = values.iter().filter(|&&value| value > threshold).count();
        let gap = match values.get(rank) {
            Some(&dropped) if rank > 0 && dropped > 0.0 => values[rank - 1] / dropped,
            _ => f64::INFINITY,
        };
        if gap < 1e3 {
            ctx.warn(format!(
                "the rank is not clear: the smallest singular value that counts is only {gap:.0} times the largest that does not"
            ));
        }
        let null_space = match found.v {
            Some((v, columns)) if rank < n => {
                let width = n - rank;
                let entry = |index| v[index / width * columns + rank + index % width];
                Matrix::new(n, width, (0..n * width).map(entry).collect())
            }
            _ => None,
        };
        let norms = matrix_norms(&a, &values);
        if !norms.are_finite() {
            refuse!(numeric "/A", "overflow"; "a norm of `A` is beyond the range of a double";
                "divide `A` by a power of two: values and norms scale with it, rank and condition do not");
        }
        Ok(Output {
            rank,
            threshold: Real(threshold),
            gap: Real(gap),
            condition: condition_ratio(largest, values[size - 1]),
            null_space,
            norms,
            singular_values: values,
        })
    }
}

fn matrix_norms(a: &Matrix, values: &[f64]) -> MatrixNorms {
    let (data, exponent) = normalise_data(a.as_slice());
    let n = a.columns();
    let rows = data
        .chunks_exact(n)
        .map(|row| row.iter().map(|value| value.abs()).sum());
    let rows: f64 = rows.fold(0.0, f64::max);
    MatrixNorms {
        one: scale_by_exponent(one_norm(&data, n), exponent),
        two: values[0],
        infinity: scale_by_exponent(rows, exponent),
        frobenius: euclidean_norm(a.as_slice()),
        nuclear: values.iter().sum(),
        max: max_abs(a.as_slice()),
    }
}
