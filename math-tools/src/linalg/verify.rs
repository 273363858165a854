//! Second opinions on dense linear algebra, by `nalgebra`.

use second_opinions::linear;
use tool_core::{AnswerVerification, Ctx, ToolError, Verify};

use super::{eigen, least_squares, solve, svd};

const SOLVE: &str = "nalgebra, LU factorisation with complete pivoting";
const LEAST_SQUARES: &str = "nalgebra, singular value decomposition";
const SYMMETRIC: &str = "nalgebra, tridiagonal QR iteration";
const SCHUR: &str = "nalgebra, real Schur form";

/// Rounding errors of a method with a backward error of a few units, in units of the matrix.
fn rounding_bound(n: usize) -> f64 {
    8.0 * n as f64 * f64::EPSILON
}

/// Why a large problem is not computed again: the second methods take no more than one core and n^3 operations without blocks.
const SIZE_MAX: usize = 1000;

fn too_large(by: &str, compared: &str, size: usize) -> Option<AnswerVerification> {
    let reason =
        || format!("a matrix with a side of {size} is beyond the {SIZE_MAX} that it takes");
    (size > SIZE_MAX).then(|| AnswerVerification::unavailable(by, compared, reason()))
}

impl Verify for solve::Args {
    fn verify(
        args: Self,
        output: &solve::Output,
        ctx: &Ctx,
    ) -> Result<AnswerVerification, ToolError> {
        let (a, b) = (args.a.load(ctx)?, args.b.load(ctx)?);
        let (m, n) = (a.rows(), a.columns());
        let by_squares = m != n || output.method == solve::LinearSolveMethod::Lstsq;
        let by = if by_squares { LEAST_SQUARES } else { SOLVE };
        if let Some(large) = too_large(by, "x", m.max(n)) {
            return Ok(large);
        }
        let (entries, sides) = (a.as_slice(), b.as_slice());
        let second = match by_squares {
            true => {
                linear::least_squares(entries, sides, b.columns(), m.max(n) as f64 * f64::EPSILON)
            }
            false => linear::solve(entries, sides, b.columns()),
        };
        let Some(second) = second else {
            return Ok(AnswerVerification::unavailable(
                by,
                "x",
                "it found the matrix singular",
            ));
        };
        let mut tolerance = rounding_bound(n) / output.rcond.max(f64::MIN_POSITIVE);
        if by_squares {
            tolerance /= output.rcond.max(f64::MIN_POSITIVE);
        }
        tolerance += output.error_bound.map_or(0.0, |bound| bound.0);
        Ok(of_limited(
            by,
            "x",
            (output.x.as_slice(), &second),
            tolerance,
        ))
    }
}

impl Verify for least_squares::Args {
    fn verify(
        args: Self,
        output: &least_squares::Output,
        ctx: &Ctx,
    ) -> Result<AnswerVerification, ToolError> {
        let plain = args.polynomial.is_none()
            && args.weights.is_none()
            && args.c.is_none()
            && args.ridge.is_none();
        if !plain {
            let reason = "polynomials, weights, constraints and ridges are not computed again";
            return Ok(AnswerVerification::unavailable(LEAST_SQUARES, "x", reason));
        }
        let (a, b) = (args.a.load(ctx)?, args.b.load(ctx)?);
        let size = a.rows().max(a.columns());
        if let Some(large) = too_large(LEAST_SQUARES, "x", size) {
            return Ok(large);
        }
        let cutoff = args
            .tolerance
            .map_or(size as f64 * f64::EPSILON, |own| own.get());
        let second = linear::least_squares(a.as_slice(), b.as_slice(), b.columns(), cutoff);
        let Some(second) = second else {
            return Ok(AnswerVerification::unavailable(
                LEAST_SQUARES,
                "x",
                "its iteration did not end",
            ));
        };
        // The condition of the solution is that of the matrix, squared where the residual is large.
        let rcond = output.rcond.max(f64::MIN_POSITIVE);
        let tolerance = rounding_bound(size) / (rcond * rcond);
        Ok(of_limited(
            LEAST_SQUARES,
            "x",
            (output.x.as_slice(), &second),
            tolerance,
        ))
    }
}

/// As [`AnswerVerification::of_numbers`]; with a tolerance of 1 or more nothing can be said.
fn of_limited(
    by: &str,
    compared: &str,
    pair: (&[f64], &[f64]),
    tolerance: f64,
) -> AnswerVerification {
    if tolerance >= 1.0 {
        let reason =
            "the matrix is so near to a singular one that no digit of two computations need agree";
        return AnswerVerification::unavailable(by, compared, reason);
    }
    AnswerVerification::of_numbers(by, compared, pair, tolerance)
}

impl Verify for eigen::Args {
    fn verify(
        args: Self,
        output: &eigen::Output,
        ctx: &Ctx,
    ) -> Result<AnswerVerification, ToolError> {
        let by = if output.symmetric { SYMMETRIC } else { SCHUR };
        if args.b.is_some() {
            let reason = "generalised problems are not computed again";
            return Ok(AnswerVerification::unavailable(by, "eigenvalues", reason));
        }
        let a = args.a.load(ctx)?;
        let n = a.rows();
        if let Some(large) = too_large(by, "eigenvalues", n) {
            return Ok(large);
        }
        let second = match output.symmetric {
            true => linear::symmetric_eigenvalues(a.as_slice(), n)
                .map(|values| values.into_iter().map(|value| (value, 0.0)).collect()),
            false => linear::eigenvalues(a.as_slice(), n),
        };
        let Some(second) = second else {
            return Ok(AnswerVerification::unavailable(
                by,
                "eigenvalues",
                "its iteration did not end",
            ));
        };
        let second = nearest_values(&output.real, &output.imaginary, second);
        let pairs = output.real.iter().zip(&output.imaginary);
        let first: Vec<f64> = pairs.flat_map(|(re, im)| [*re, *im]).collect();
        // Eigenvalues move by the condition times the rounding; without it, as those of blocks of two do.
        let tolerance = match (&output.conditions, output.symmetric) {
            (_, true) => rounding_bound(n),
            (Some(conditions), _) => {
                rounding_bound(n)
                    * conditions
                        .iter()
                        .fold(1.0, |most: f64, one| most.max(one.0))
            }
            (None, false) => rounding_bound(n).sqrt(),
        };
        Ok(of_limited(by, "eigenvalues", (&first, &second), tolerance))
    }
}

/// For each value the nearest of the others that is left, as real and imaginary parts.
fn nearest_values(real: &[f64], imaginary: &[f64], mut others: Vec<(f64, f64)>) -> Vec<f64> {
    let mut found = Vec::with_capacity(2 * real.len());
    for (re, im) in real.iter().zip(imaginary) {
        let gap = |other: &(f64, f64)| (other.0 - re).hypot(other.1 - im);
        let nearest =
            (0..others.len()).min_by(|a, b| gap(&others[*a]).total_cmp(&gap(&others[*b])));
        let Some(nearest) = nearest else { break };
        let other = others.swap_remove(nearest);
        found.extend([other.0, other.1]);
    }
    found
}

impl Verify for svd::Args {
    fn verify(
        args: Self,
        output: &svd::Output,
        ctx: &Ctx,
    ) -> Result<AnswerVerification, ToolError> {
        let a = args.a.load(ctx)?;
        let size = a.rows().max(a.columns());
        if let Some(large) = too_large(LEAST_SQUARES, "singular_values", size) {
            return Ok(large);
        }
        let Some(mut second) = linear::singular_values(a.as_slice(), a.columns()) else {
            let reason = "its iteration did not end";
            return Ok(AnswerVerification::unavailable(
                LEAST_SQUARES,
                "singular_values",
                reason,
            ));
        };
        second.truncate(output.singular_values.len());
        let mut tolerance = rounding_bound(size);
        if args.randomised {
            // A sketch finds them up to what it leaves out.
            tolerance += output.truncation_error.unwrap_or(0.0);
        }
        let pair = (&output.singular_values[..], &second[..]);
        Ok(of_limited(
            LEAST_SQUARES,
            "singular_values",
            pair,
            tolerance,
        ))
    }
}
