//! Norm estimates of matrices known only by their products with vectors: conditions and forward errors.

use super::max_abs;

/// A square matrix known by its products with vectors.
pub trait LinearOperator {
    /// Number of rows and columns.
    fn size(&self) -> usize;
    /// Replaces `x` by the image.
    fn apply(&self, x: &mut [f64]);
    /// Replaces `x` by the image under the transpose.
    fn apply_transposed(&self, x: &mut [f64]);
}

/// Estimates the 1-norm (largest column sum of magnitudes) with at most five products with the matrix and its transpose each.
///
/// The result is a lower bound that is nearly always within a factor of three. Not finite when a product is not.
///
/// # References
/// N. J. Higham, "FORTRAN codes for estimating the one-norm of a real or complex matrix", ACM TOMS 14, 1988 (LAPACK xLACN2).
pub(crate) fn norm1_estimate(operator: &(impl LinearOperator + ?Sized)) -> f64 {
    const ROUNDS_MAX: usize = 5;
    let n = operator.size();
    let one_norm = |x: &[f64]| x.iter().map(|value| value.abs()).sum::<f64>();
    let mut x = vec![1.0 / n as f64; n];
    operator.apply(&mut x);
    let mut estimate = one_norm(&x);
    if n == 1 || !estimate.is_finite() {
        return estimate;
    }
    let mut signs: Vec<f64> = x.iter().map(|value| 1.0_f64.copysign(*value)).collect();
    let mut last_index = usize::MAX;
    for _ in 0..ROUNDS_MAX {
        let mut gradient = signs.clone();
        operator.apply_transposed(&mut gradient);
        let index = (0..n).fold(0, |best, index| {
            if gradient[index].abs() > gradient[best].abs() {
                index
            } else {
                best
            }
        });
        if index == last_index {
            break;
        }
        last_index = index;
        x.fill(0.0);
        x[index] = 1.0;
        operator.apply(&mut x);
        let grown = one_norm(&x);
        let next: Vec<f64> = x.iter().map(|value| 1.0_f64.copysign(*value)).collect();
        if !grown.is_finite() {
            return grown;
        }
        if next == signs || grown <= estimate {
            estimate = estimate.max(grown);
            break;
        }
        estimate = grown;
        signs = next;
    }
    // A vector with growing entries of alternating sign catches the matrices on which the iteration is blind.
    for (index, value) in x.iter_mut().enumerate() {
        let sign = if index % 2 == 0 { 1.0 } else { -1.0 };
        *value = sign * (1.0 + index as f64 / (n - 1) as f64);
    }
    operator.apply(&mut x);
    estimate.max(2.0 * one_norm(&x) / (3.0 * n as f64))
}

/// `1 / (norm1 |A^-1|_1)` where `inverse` applies `A^-1`; from 0 to 1, and 0 when the estimate is not finite.
pub fn reciprocal_condition(inverse: &(impl LinearOperator + ?Sized), norm1: f64) -> f64 {
    let inverse_norm = norm1_estimate(inverse);
    if norm1 == 0.0 || inverse_norm == 0.0 || inverse_norm.is_nan() {
        return 0.0;
    }
    ((1.0 / inverse_norm) / norm1).min(1.0)
}

/// Estimates the maximum norm of `diag(units) |A^-1| weights`, both vectors not negative: the largest error in any entry of a
/// solution, entry j in units of `1 / units[j]`, when entry i of the residual is uncertain by `weights[i]`.
///
/// # References
/// N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002, sections 7.7 and 15.2 (LAPACK xGERFS).
pub(crate) fn weighted_inverse_norm(
    inverse: &(impl LinearOperator + ?Sized),
    units: &[f64],
    weights: &[f64],
) -> f64 {
    // The maximum norm of diag(units) A^-1 diag(weights) is the 1-norm of its transpose.
    struct WeightedOperator<'a, T: ?Sized>(&'a T, &'a [f64], &'a [f64]);
    impl<T: LinearOperator + ?Sized> LinearOperator for WeightedOperator<'_, T> {
        fn size(&self) -> usize {
            self.1.len()
        }
        fn apply(&self, x: &mut [f64]) {
            scale_entries(x, self.1);
            self.0.apply_transposed(x);
            scale_entries(x, self.2);
        }
        fn apply_transposed(&self, x: &mut [f64]) {
            scale_entries(x, self.2);
            self.0.apply(x);
            scale_entries(x, self.1);
        }
    }
    if max_abs(weights) == 0.0 {
        return 0.0;
    }
    norm1_estimate(&WeightedOperator(inverse, units, weights))
}

fn scale_entries(x: &mut [f64], factors: &[f64]) {
    x.iter_mut().zip(factors).for_each(|(x, f)| *x *= f);
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Dense(Vec<f64>, usize);

    impl LinearOperator for Dense {
        fn size(&self) -> usize {
            self.1
        }
        fn apply(&self, x: &mut [f64]) {
            let image: Vec<f64> = self
                .0
                .chunks(self.1)
                .map(|row| row.iter().zip(&*x).map(|(a, x)| a * x).sum())
                .collect();
            x.copy_from_slice(&image);
        }
        fn apply_transposed(&self, x: &mut [f64]) {
            let n = self.1;
            let image: Vec<f64> = (0..n)
                .map(|column| (0..n).map(|row| self.0[row * n + column] * x[row]).sum())
                .collect();
            x.copy_from_slice(&image);
        }
    }

    #[test]
    fn estimates_are_the_norms_of_small_matrices() {
        let a = Dense(vec![1.0, -7.0, 2.0, 3.0, 0.5, -9.0, 4.0, 1.0, 1.0], 3);
        assert_eq!(norm1_estimate(&a), 12.0);
        assert_eq!(weighted_inverse_norm(&a, &[1.0; 3], &[1.0; 3]), 12.5);
        assert_eq!(
            weighted_inverse_norm(&a, &[1.0, 0.5, 1.0], &[0.0, 2.0, 0.0]),
            14.0
        );
        assert_eq!(weighted_inverse_norm(&a, &[1.0; 3], &[0.0; 3]), 0.0);
    }
}
