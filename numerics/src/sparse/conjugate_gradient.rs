//! Preconditioned conjugate gradients and their error estimate.

use super::krylov::{
    KrylovProblem, KrylovRun, KrylovSolution, StoppingCriterion, iterate_corrections,
};
use super::{IndefiniteEvidence, SparseError, go_on, reserve_doubles};
use crate::dense::{add_multiple, dot};

/// Solves a symmetric positive definite system; returns the relative error in the energy norm as far as the Ritz values tell it.
///
/// # Method
/// The residual is updated; each time it is within the tolerance the true one is computed, and the iteration starts again from
/// there where they differ. The error satisfies `|e|_A^2 <= r' M^-1 r / least eigenvalue of M^-1 A`; the least Ritz value stands
/// for the eigenvalue, which it approaches from above, so that the result is an estimate and no bound.
///
/// # Errors
/// [`SparseError::NotPositiveDefinite`], [`SparseError::NoConvergence`], stopped, or no memory.
///
/// # References
/// M. R. Hestenes and E. Stiefel, J. Res. NBS 49, 1952; G. Meurant and P. Tichy, "On computing quadrature-based bounds for the
/// A-norm of the error in conjugate gradients", Numer. Algorithms 62, 2013.
pub(super) fn solve_conjugate_gradient(
    problem: &mut KrylovProblem<'_>,
    b: &[f64],
    target: StoppingCriterion,
) -> Result<(KrylovSolution, f64), SparseError> {
    const REST_MAX: f64 = 0.5;
    reserve_doubles(problem.watch, "conjugate gradients", 7 * b.len())?;
    let mut first: Option<LanczosCoefficients> = None;
    let inner = |problem: &mut KrylovProblem<'_>, rest: &[f64], level: f64, left: usize| {
        let (run, coefficients) = run_iterations(problem, rest, level, left)?;
        first.get_or_insert(coefficients);
        Ok(run)
    };
    let found = iterate_corrections(problem, b, target, REST_MAX, inner)?;
    let mut z = vec![0.0; b.len()];
    problem.preconditioner.apply(&found.rest, &mut z);
    let energy: f64 = dot(&found.x, b) - dot(&found.x, &found.rest);
    let least = first.map_or(f64::NAN, |coefficients| coefficients.least_ritz_value());
    let uncertain = dot(&found.rest, &z);
    let relative = (uncertain / least / energy).sqrt();
    Ok((found, if uncertain == 0.0 { 0.0 } else { relative }))
}

/// Step lengths and ratios of the residuals: the Lanczos matrix in another form.
#[derive(Debug, Default)]
struct LanczosCoefficients {
    alpha: Vec<f64>,
    beta: Vec<f64>,
}

fn run_iterations(
    problem: &mut KrylovProblem<'_>,
    rest: &[f64],
    level: f64,
    iterations_max: usize,
) -> Result<(KrylovRun, LanczosCoefficients), SparseError> {
    let n = rest.len();
    let (mut x, mut r, mut z, mut image) =
        (vec![0.0; n], rest.to_vec(), vec![0.0; n], vec![0.0; n]);
    problem.preconditioner.apply(&r, &mut z);
    let mut p = z.clone();
    let mut rz = dot(&r, &z);
    let mut coefficients = LanczosCoefficients::default();
    let mut iterations = 0;
    while iterations < iterations_max {
        go_on(problem.watch)?;
        iterations += 1;
        problem.a.multiply(&p, &mut image);
        let curvature = dot(&p, &image);
        let positive = |value: f64| value > 0.0 && value.is_finite();
        if !positive(curvature) || !positive(rz) {
            let at = IndefiniteEvidence::Curvature(iterations);
            return Err(SparseError::NotPositiveDefinite(at));
        }
        let alpha = rz / curvature;
        add_multiple(&mut x, alpha, &p);
        add_multiple(&mut r, -alpha, &image);
        coefficients.alpha.push(alpha);
        if dot(&r, &r).sqrt() <= level {
            break;
        }
        problem.preconditioner.apply(&r, &mut z);
        let next = dot(&r, &z);
        let beta = next / rz;
        rz = next;
        coefficients.beta.push(beta);
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
    }
    let correction = x;
    Ok((
        KrylovRun {
            correction,
            iterations,
        },
        coefficients,
    ))
}

impl LanczosCoefficients {
    /// The least eigenvalue of the Lanczos matrix, by bisection on the signs of its pivots, from below.
    fn least_ritz_value(&self) -> f64 {
        const ROUNDS: usize = 60;
        let (alpha, beta) = (&self.alpha, &self.beta);
        let diagonal = |k: usize| {
            let before = if k > 0 {
                beta[k - 1] / alpha[k - 1]
            } else {
                0.0
            };
            1.0 / alpha[k] + before
        };
        let square = |k: usize| beta[k - 1] / (alpha[k - 1] * alpha[k - 1]);
        // All eigenvalues exceed `shift` when every pivot of T - shift I is positive.
        let below_all = |shift: f64| {
            let mut pivot = diagonal(0) - shift;
            for k in 1..alpha.len() {
                if pivot <= 0.0 {
                    return false;
                }
                pivot = diagonal(k) - shift - square(k) / pivot;
            }
            pivot > 0.0
        };
        let least = (0..alpha.len()).map(diagonal).fold(f64::INFINITY, f64::min);
        let (mut low, mut high) = (0.0, least);
        for _ in 0..ROUNDS {
            let middle = 0.5 * (low + high);
            if below_all(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a system with eigenvalues 1, 2, 3 and a right-hand side that has all of them, three steps find the matrix itself.
    #[test]
    fn the_least_ritz_value_is_the_least_eigenvalue_at_the_end() {
        use crate::sparse::precondition;
        use crate::sparse::{CsrMatrix, PreconditionerMethod};
        use crate::watch::NoWatch;
        let a = CsrMatrix::from_triplets(3, 3, &[0, 1, 2], &[0, 1, 2], &[1.0, 2.0, 3.0]);
        let mut preconditioner =
            precondition::build_preconditioner(&a, PreconditionerMethod::None, &NoWatch).unwrap();
        let mut problem = KrylovProblem {
            a: &a,
            preconditioner: &mut *preconditioner,
            watch: &NoWatch,
        };
        let (_, coefficients) = run_iterations(&mut problem, &[1.0, 1.0, 1.0], 1e-14, 3).unwrap();
        assert!((coefficients.least_ritz_value() - 1.0).abs() < 1e-12);
    }
}
