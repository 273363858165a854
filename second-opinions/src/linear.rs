//! Dense linear algebra by `nalgebra`.

use nalgebra::{DMatrix, Dyn, SVD};

/// Most sweeps of an iteration for one singular value or eigenvalue, as in LAPACK.
const ITERATIONS_MAX: usize = 30;

/// Numbers times a power of two that makes the largest about 1, and what undoes it: products of large numbers would overflow, and an
/// iteration over what is no number ends late.
fn scaled(numbers: &[f64]) -> (Vec<f64>, f64) {
    let largest = numbers.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    // Within the range of which both it and its inverse are normal.
    let exponent = if largest > 0.0 {
        largest.log2().floor().clamp(-1022.0, 1022.0)
    } else {
        0.0
    };
    let unit = exponent.exp2();
    (numbers.iter().map(|x| x / unit).collect(), unit)
}

fn times(numbers: &mut [f64], first: f64, second: f64) {
    numbers.iter_mut().for_each(|x| *x = *x * first * second);
}

/// A x = b for k right-hand sides, by LU factorisation with complete pivoting; `None` where a pivot is 0.
pub fn solve(a: &[f64], b: &[f64], columns: usize) -> Option<Vec<f64>> {
    let n = b.len() / columns.max(1);
    let ((a, a_unit), (b, b_unit)) = (scaled(a), scaled(b));
    let a = DMatrix::from_row_slice(n, n, &a);
    let b = DMatrix::from_row_slice(n, columns, &b);
    let mut x = rows(&a.full_piv_lu().solve(&b)?);
    times(&mut x, b_unit, 1.0 / a_unit);
    Some(x)
}

/// The x of least norm that minimises |A x - b|, by the singular value decomposition; singular values below `cutoff` times the largest
/// count as 0. `None` where the iteration does not end.
pub fn least_squares(a: &[f64], b: &[f64], columns: usize, cutoff: f64) -> Option<Vec<f64>> {
    let m = b.len() / columns.max(1);
    let ((a, a_unit), (b, b_unit)) = (scaled(a), scaled(b));
    let a = DMatrix::from_row_slice(m, a.len() / m.max(1), &a);
    let b = DMatrix::from_row_slice(m, columns, &b);
    let factors = decompose(a, true)?;
    let largest = factors.singular_values.max();
    let mut x = rows(&factors.solve(&b, cutoff * largest).ok()?);
    times(&mut x, b_unit, 1.0 / a_unit);
    Some(x)
}

/// The singular values, the largest first; `None` where the iteration does not end.
pub fn singular_values(a: &[f64], columns: usize) -> Option<Vec<f64>> {
    let (a, unit) = scaled(a);
    let a = DMatrix::from_row_slice(a.len() / columns.max(1), columns, &a);
    let mut values: Vec<f64> = decompose(a, false)?
        .singular_values
        .iter()
        .copied()
        .collect();
    values.sort_by(|a, b| b.total_cmp(a));
    times(&mut values, unit, 1.0);
    Some(values)
}

fn decompose(a: DMatrix<f64>, vectors: bool) -> Option<SVD<f64, Dyn, Dyn>> {
    let most = ITERATIONS_MAX * a.nrows().max(a.ncols());
    SVD::try_new(a, vectors, vectors, f64::EPSILON, most)
}

/// The eigenvalues of a symmetric matrix in increasing order, by tridiagonal QR; `None` where the iteration does not end.
pub fn symmetric_eigenvalues(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let (a, unit) = scaled(a);
    let a = DMatrix::from_row_slice(n, n, &a);
    let factors = a.try_symmetric_eigen(f64::EPSILON, ITERATIONS_MAX * n)?;
    let mut values: Vec<f64> = factors.eigenvalues.iter().copied().collect();
    values.sort_by(f64::total_cmp);
    times(&mut values, unit, 1.0);
    Some(values)
}

/// The eigenvalues of any square matrix as real and imaginary parts, by the real Schur form; `None` where the iteration does not end.
pub fn eigenvalues(a: &[f64], n: usize) -> Option<Vec<(f64, f64)>> {
    let (a, unit) = scaled(a);
    let a = DMatrix::from_row_slice(n, n, &a);
    let schur = a.try_schur(f64::EPSILON, ITERATIONS_MAX * n)?;
    let values = schur.complex_eigenvalues();
    Some(
        values
            .iter()
            .map(|value| (value.re * unit, value.im * unit))
            .collect(),
    )
}

fn rows(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.transpose().iter().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        }
    }

    #[test]
    fn systems_with_several_right_hand_sides() {
        let a = [3.0, 1.0, 1.0, 2.0];
        near(
            &solve(&a, &[9.0, 3.0, 8.0, 1.0], 2).unwrap(),
            &[2.0, 1.0, 3.0, 0.0],
        );
        assert!(solve(&[1.0, 2.0, 2.0, 4.0], &[1.0, 1.0], 1).is_none());
    }

    #[test]
    fn the_mean_is_a_least_squares_solution() {
        near(
            &least_squares(&[1.0; 3], &[1.0, 2.0, 6.0], 1, 1e-12).unwrap(),
            &[3.0],
        );
        // Of x + y = 2 the solution of least norm.
        near(
            &least_squares(&[1.0, 1.0], &[2.0], 1, 1e-12).unwrap(),
            &[1.0, 1.0],
        );
    }

    #[test]
    fn sizes_near_the_ends_of_the_range_are_none() {
        for size in [1e-300, 1e300] {
            let a = [3.0 * size, size, size, 2.0 * size];
            near(
                &solve(&a, &[9.0 * size, 8.0 * size], 1).unwrap(),
                &[2.0, 3.0],
            );
            let found = singular_values(&[3.0 * size, 0.0, 0.0, 4.0 * size], 2).unwrap();
            near(&[found[0] / size, found[1] / size], &[4.0, 3.0]);
            let found = eigenvalues(&[0.0, -size, size, 0.0], 2).unwrap();
            assert!((found[0].1.abs() / size - 1.0).abs() < 1e-14, "{found:?}");
        }
    }

    #[test]
    fn values_of_small_matrices() {
        near(
            &singular_values(&[3.0, 0.0, 0.0, 4.0, 0.0, 0.0], 2).unwrap(),
            &[4.0, 3.0],
        );
        near(
            &symmetric_eigenvalues(&[2.0, 1.0, 1.0, 2.0], 2).unwrap(),
            &[1.0, 3.0],
        );
        let turned = eigenvalues(&[0.0, -1.0, 1.0, 0.0], 2).unwrap();
        assert!(
            turned
                .iter()
                .all(|(re, im)| re.abs() < 1e-15 && (im.abs() - 1.0).abs() < 1e-15)
        );
    }
}
