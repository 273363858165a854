//! Eigenvalues alone of a symmetric tridiagonal matrix: root-free QL.
//!
//! The iteration is the rational QL of Pal, Walker and Kahan (B. N. Parlett, "The Symmetric Eigenvalue Problem", SIAM 1998, section
//! 8.15): it works on the squares of the off-diagonal entries and takes one square root a sweep. Values are within a small multiple
//! of `eps ||A||`; small ones need not be relatively accurate.

use crate::dense::{
    NO_EIGENVALUES, SpectralConvergenceError, exponent_of, max_abs, scale_all, scale_by_exponent,
};

/// Sweeps an eigenvalue may take on average.
const SWEEPS_EACH: usize = 30;

const EPS: f64 = 0.5 * f64::EPSILON;

/// Replaces `diagonal` by the ascending eigenvalues of the symmetric tridiagonal matrix with `beside` next to it.
pub(in crate::dense) fn tridiagonal_eigenvalues(
    diagonal: &mut [f64],
    beside: &[f64],
) -> Result<(), SpectralConvergenceError> {
    let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
    if !finite(diagonal) || !finite(beside) {
        return Err(NO_EIGENVALUES);
    }
    let exponent = exponent_of(max_abs(diagonal).max(max_abs(beside)));
    scale_all(diagonal, -exponent);
    let mut squares: Vec<f64> = beside
        .iter()
        .map(|&value| scale_by_exponent(value, -exponent).powi(2))
        .collect();
    squares.push(0.0);
    let mut start = 0;
    while start < diagonal.len() {
        let end = (start..diagonal.len() - 1)
            .find(|&i| is_negligible(diagonal, &squares, i))
            .unwrap_or(diagonal.len() - 1);
        block_eigenvalues(&mut diagonal[start..=end], &mut squares[start..end])
            .ok_or(NO_EIGENVALUES)?;
        start = end + 1;
    }
    scale_all(diagonal, exponent);
    diagonal.sort_unstable_by(f64::total_cmp);
    Ok(())
}

fn is_negligible(diagonal: &[f64], squares: &[f64], i: usize) -> bool {
    squares[i] <= EPS * EPS * (diagonal[i] * diagonal[i + 1]).abs()
        || squares[i] < f64::MIN_POSITIVE
}

/// The eigenvalues of one unreduced block, from its smaller end; `None` when the sweeps are used up.
fn block_eigenvalues(diagonal: &mut [f64], squares: &mut [f64]) -> Option<()> {
    let n = diagonal.len();
    if n > 1 && diagonal[n - 1].abs() < diagonal[0].abs() {
        diagonal.reverse();
        squares.reverse();
    }
    let mut sweeps = SWEEPS_EACH * n;
    let mut first = 0;
    while first < n {
        let last = (first..n - 1)
            .find(|&i| is_negligible(diagonal, squares, i))
            .unwrap_or(n - 1);
        if last < n - 1 {
            squares[last] = 0.0;
        }
        match last - first {
            0 => first += 1,
            1 => {
                let (low, high) =
                    two_by_two(diagonal[first], squares[first].sqrt(), diagonal[last]);
                (diagonal[first], diagonal[last]) = (high, low);
                squares[first] = 0.0;
                first += 2;
            }
            _ => {
                sweeps = sweeps.checked_sub(1)?;
                rational_ql_sweep(&mut diagonal[first..=last], &mut squares[first..last]);
            }
        }
    }
    Some(())
}

/// One rational QL sweep with Wilkinson's shift from the top.
fn rational_ql_sweep(diagonal: &mut [f64], squares: &mut [f64]) {
    let last = diagonal.len() - 1;
    let root = squares[0].sqrt();
    let ratio = (diagonal[1] - diagonal[0]) / (2.0 * root);
    let length = libm::hypot(ratio, 1.0);
    let shift = diagonal[0] - root / (ratio + length.copysign(ratio));
    let (mut c, mut s) = (1.0, 0.0);
    let mut gamma = diagonal[last] - shift;
    let mut p = gamma * gamma;
    for i in (0..last).rev() {
        let square = squares[i];
        let r = p + square;
        if i + 1 < last {
            squares[i + 1] = s * r;
        }
        let old_c = c;
        // `r / p` is ready before `gamma`: the quotient `gamma^2 / c` leaves the critical path.
        let inverse_c = r / p;
        c = p / r;
        s = square / r;
        let old_gamma = gamma;
        let alpha = diagonal[i];
        gamma = c * (alpha - shift) - s * old_gamma;
        diagonal[i + 1] = old_gamma + (alpha - gamma);
        p = if c != 0.0 && inverse_c.is_finite() {
            gamma * gamma * inverse_c
        } else {
            old_c * square
        };
    }
    squares[0] = s * p;
    diagonal[0] = shift + gamma;
}

/// The eigenvalues of `[[a, b], [b, c]]`, the smaller in magnitude without cancellation.
fn two_by_two(a: f64, b: f64, c: f64) -> (f64, f64) {
    let sum = a + c;
    let length = libm::hypot(a - c, 2.0 * b);
    if sum == 0.0 {
        return (-0.5 * length, 0.5 * length);
    }
    let (larger, smaller) = if a.abs() > c.abs() { (a, c) } else { (c, a) };
    let outer = 0.5 * (sum + length.copysign(sum));
    (outer, (larger / outer) * smaller - (b / outer) * b)
}
