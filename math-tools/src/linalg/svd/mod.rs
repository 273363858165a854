//! `matrix_svd`: singular values, rank, condition, and the singular vectors.
use numerics::dense::decomposition;
use rand_distr::{Distribution as _, StandardNormal};

use super::dense::lstsq::rank_tolerance;
use super::dense::randomised::randomised_svd;
use super::dense::{self, SingularVectors, euclidean_norm, normalise_data, scale_by_exponent};
use super::factors::{condition_ratio, matrix_from_kernel, overflow_error};
use super::no_convergence;
use crate::prelude::*;

/// Find the singular value decomposition A = U S V' of a real matrix of any shape: singular values, rank and condition, and the
/// orthonormal factors when asked.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix, m rows of n numbers.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = ["m", "n"]))]
    pub a: Input<Matrix>,
    /// Whether to return full square U (m x m) and V (n x n); the same as `vectors`: "full".
    #[value(default)]
    pub full: bool,
    /// Vectors to return: `none`, `thin` (the first min(m, n)) or `full`. Absent: `full` where `full` is true, else `none`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub vectors: Option<SingularVectorSelection>,
    /// Number of the largest singular values (and vectors) to return; absent or more than min(m, n): all. Not with full vectors.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub components: Option<Count>,
    /// Whether to find the `components` from a random sketch, which is much faster when they are few; exact to rounding where the
    /// remaining singular values are small. `truncation_error` says what is left out.
    #[value(default)]
    pub randomised: bool,
    /// Seed of the sketch; absent: 42.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// Selection of singular vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum SingularVectorSelection {
    /// Singular values only.
    None,
    /// The first min(m, n) of each side.
    Thin,
    /// Square orthonormal U and V.
    Full,
}

/// The decomposition.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The min(m, n) singular values, descending, or the first `components` of them.
    #[schema(extend("x-shape" = ["k"]))]
    pub singular_values: Vec<f64>,
    /// Left singular vectors in the columns, m x min(m, n) or m x m; the largest entry of each of the first min(m, n) is positive.
    #[value(rename = "U", skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["m", "left"]))]
    #[schema(extend("x-present" = [{ "vectors": ["thin", "full"] }, { "full": true }]))]
    pub u: Option<Matrix>,
    /// Right singular vectors in the columns (not transposed), n x min(m, n) or n x n.
    #[value(rename = "V", skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", "right"]))]
    #[schema(extend("x-present" = [{ "vectors": ["thin", "full"] }, { "full": true }]))]
    pub v: Option<Matrix>,
    /// Number of singular values above `tolerance`.
    pub rank: usize,
    /// max(m, n) eps times the largest singular value; singular values up to this count as zero.
    pub tolerance: f64,
    /// Largest over smallest singular value, the 2-norm condition number; "Infinity" when the smallest is zero, "NaN" when it is not
    /// known (`randomised`).
    pub condition: Real,
    /// Difference between the Frobenius norm of A and that of all singular values (0 with `randomised`), over max(m, n) eps |A|; of order 1 or below
    /// when all is well.
    pub norm_error: f64,
    /// |A - U S V'| / (max(m, n) eps |A|), Frobenius norm; of order 1 or below when all is well. Only with vectors.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "vectors": ["thin", "full"], "randomised": false }, { "full": true, "randomised": false }]))]
    pub residual: Option<f64>,
    /// |A - U S V'| / |A| of what is returned, Frobenius norm: 0 is nothing left out. Only with `components`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "components": { "not": null } }))]
    pub truncation_error: Option<f64>,
    /// The seed of the sketch. Only with `randomised`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "randomised": true }))]
    pub seed: Option<RandomSeed>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_svd", "Singular value decomposition")
        .tags(&[
            "linear algebra",
            "svd",
            "singular values",
            "pca",
            "principal components",
            "rank",
            "condition",
        ])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a matrix that stretches by 3 and by 2": r#"{"A": [[0, 2], [3, 0]], "full": true}"#
            => r#"{"singular_values": [3.0, 2.0], "U": [[0.0, 1.0], [1.0, 0.0]],
                "V": [[1.0, 0.0], [0.0, 1.0]], "rank": 2, "tolerance": 1.3322676295501878e-15,
                "condition": 1.5, "norm_error": 0.0, "residual": 0.0}"#;
        "proportional rows have rank 1": r#"{"A": [[3, 4], [0, 0]]}"#
            => r#"{"singular_values": [5.0, 0.0], "rank": 1, "tolerance": 2.220446049250313e-15,
                "condition": "Infinity", "norm_error": 0.0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let vectors = wanted_vectors(args.full, args.vectors)?;
        let a = args.a.load(ctx)?;
        let (m, n) = (a.rows(), a.columns());
        let size = m.min(n);
        let kept = args.components.map_or(size, Count::size).min(size);
        if args.components.is_some() && vectors == SingularVectors::Full {
            refuse!(invalid "/components", "contradiction"; "full vectors cannot be cut to `components`";
                "pass `vectors`: \"thin\" or \"none\"");
        }
        if args.randomised {
            if args.components.is_none() {
                refuse!(invalid "/components"; "`randomised` needs the number of `components`";
                    "pass the number of singular values");
            }
            let seed = ctx.seed(args.seed);
            return by_sketch(&a, kept, vectors != SingularVectors::None, seed, ctx);
        }
        // Measured at 0.56 ns n^3 with vectors; the estimate leaves a factor of seven and more.
        let short_squared = (size as f64).powi(2);
        let (operations, doubles) = match vectors {
            SingularVectors::Full => (
                4.0 * short_squared.max(m.max(n) as f64 * size as f64) * m.max(n) as f64,
                m.saturating_mul(m)
                    .saturating_add(n.saturating_mul(n))
                    .saturating_mul(3),
            ),
            _ => (4.0 * short_squared * m.max(n) as f64, 3 * (m + n) * size),
        };
        ctx.afford(operations)?;
        ctx.reserve_doubles(doubles.saturating_add(6 * m * n))?;
        let found = decomposition::singular_value_decomposition(a.as_slice(), m, n, vectors)
            .map_err(no_convergence)?;
        ctx.check()?;
        let (largest, smallest) = (found.values[0], found.values[size - 1]);
        if !largest.is_finite() {
            return Err(overflow_error("a singular value is too large for a double"));
        }
        let cut = |part: Option<(Vec<f64>, usize)>, rows: usize| {
            let (data, columns) = part?;
            let width = if kept < size { kept } else { columns };
            let entries = data
                .chunks_exact(columns)
                .flat_map(|row| row[..width].to_vec())
                .collect();
            Matrix::new(rows, width, entries)
        };
        let left_out = euclidean_norm(&found.values[kept..]);
        Ok(Output {
            u: cut(found.u, m),
            v: cut(found.v, n),
            rank: found.rank,
            tolerance: found.tolerance,
            condition: condition_ratio(largest, smallest),
            truncation_error: args
                .components
                .map(|_| share_of_whole(left_out, euclidean_norm(&found.values))),
            singular_values: found.values[..kept].to_vec(),
            norm_error: found.norm_error,
            residual: found.residual,
            seed: None,
        })
    }
}

fn share_of_whole(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The first `k` components from a sketch of ten columns more.
fn by_sketch(
    a: &Matrix,
    k: usize,
    vectors: bool,
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    const OVERSAMPLING: usize = 10;
    const POWERS: usize = 3;
    let (m, n) = (a.rows(), a.columns());
    let width = (k + OVERSAMPLING).min(m.min(n));
    ctx.afford(12.0 * m as f64 * n as f64 * width as f64)?;
    ctx.reserve_doubles(4 * m * n + 8 * (m + n) * width)?;
    let (data, exponent) = normalise_data(a.as_slice());
    let columns = dense::columns_of(&data, m, n);
    let mut rng = ctx.rng(seed, 0);
    let sketch = faer::Mat::from_fn(n, width, |_, _| StandardNormal.sample(&mut rng));
    let (values, mut u, mut v) =
        randomised_svd(columns.as_ref(), k, sketch, POWERS).map_err(no_convergence)?;
    ctx.check()?;
    decomposition::settle_signs(&mut u, &mut v, k);
    let weighted = faer::Mat::from_fn(m, k, |row, column| u[(row, column)] * values[column]);
    let image = dense::matrix_product(weighted.as_ref(), v.as_ref().transpose());
    let difference: Vec<f64> = (0..m * n)
        .map(|index| data[index] - image[(index / n, index % n)])
        .collect();
    let tolerance = rank_tolerance(m, n, values[0]);
    Ok(Output {
        rank: values.iter().filter(|&&value| value > tolerance).count(),
        tolerance: scale_by_exponent(tolerance, exponent),
        condition: Real(f64::NAN),
        norm_error: 0.0,
        residual: None,
        truncation_error: Some(share_of_whole(
            euclidean_norm(&difference),
            euclidean_norm(&data),
        )),
        singular_values: dense::all_scaled(values, exponent),
        u: matrix_from_kernel(u.as_ref()).filter(|_| vectors),
        v: matrix_from_kernel(v.as_ref()).filter(|_| vectors),
        seed: Some(seed),
    })
}

fn wanted_vectors(
    full: bool,
    vectors: Option<SingularVectorSelection>,
) -> Result<SingularVectors, ToolError> {
    match (full, vectors) {
        (true, None | Some(SingularVectorSelection::Full))
        | (false, Some(SingularVectorSelection::Full)) => Ok(SingularVectors::Full),
        (false, None | Some(SingularVectorSelection::None)) => Ok(SingularVectors::None),
        (false, Some(SingularVectorSelection::Thin)) => Ok(SingularVectors::Thin),
        (true, Some(SingularVectorSelection::None | SingularVectorSelection::Thin)) => {
            refuse!(invalid "/vectors", "contradiction";
                "`full` and `vectors` contradict each other"; "pass only `vectors`")
        }
    }
}

#[cfg(test)]
mod tests;
