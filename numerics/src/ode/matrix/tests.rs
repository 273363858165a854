use faer::c64;

use super::*;

/// Entries of a matrix with a band, and a few far from it when asked.
fn entries(n: usize, lower: usize, upper: usize, far: bool) -> (Vec<(usize, usize)>, Vec<f64>) {
    let mut places = Vec::new();
    for row in 0..n {
        for column in row.saturating_sub(lower)..(row + upper + 1).min(n) {
            places.push((row, column));
        }
        if far && row % 7 == 0 {
            places.push((row, n - 1 - row));
        }
    }
    let value =
        |(index, _): (usize, &(usize, usize))| ((index * 37 + 11) % 101) as f64 / 50.0 - 1.0;
    let values = places.iter().enumerate().map(value).collect();
    (places, values)
}

/// The residual of `(s M - J) x = b` with the largest entry of x.
fn residual<T: RealOrComplexField>(
    pattern: &Arc<JacobianPattern>,
    shift: T,
    values: &[f64],
) -> f64 {
    let n = pattern.n;
    let mut factors = ShiftedFactors::<T>::new(pattern);
    factors.factor(shift, values).unwrap();
    let b: Vec<T> = (0..n)
        .map(|index| T::real((index % 5) as f64 - 1.5))
        .collect();
    let mut x = b.clone();
    factors.solve(&mut x);
    let mut rest = b;
    for (&(row, column), &value) in pattern.entries.iter().zip(values) {
        rest[row] += T::real(value) * x[column];
    }
    for &(row, column, value) in &pattern.mass {
        rest[row] -= shift * T::real(value) * x[column];
    }
    let most = |values: &[T]| values.iter().fold(0.0, |most: f64, v| most.max(v.size()));
    most(&rest) / most(&x)
}

#[test]
fn every_storage_solves_the_system() {
    let band = |lower, upper| JacobianStorage::Banded { lower, upper };
    for (n, lower, upper, far, storage) in [
        (1, 0, 0, false, JacobianStorage::Dense),
        (5, 4, 4, false, JacobianStorage::Dense),
        (60, 59, 59, false, JacobianStorage::Dense),
        (40, 1, 1, false, band(1, 1)),
        (60, 2, 2, false, band(2, 2)),
        (60, 2, 3, false, band(2, 3)),
        (200, 1, 1, true, JacobianStorage::Sparse),
    ] {
        let (places, values) = entries(n, lower, upper, far);
        for mass in [
            None,
            Some((0..n).map(|i| (i, i, 1.0 + (i % 3) as f64)).collect()),
        ] {
            let pattern = Arc::new(JacobianPattern::new(n, places.clone(), mass));
            assert_eq!(pattern.storage(), storage, "n = {n}");
            let real = residual(&pattern, 3.7, &values);
            let complex = residual(&pattern, c64::new(2.0, 3.0), &values);
            // A few units in the last place times the growth of the elimination.
            assert!(
                real < 1e-12 && complex < 1e-12,
                "n = {n}: {real:e} {complex:e}"
            );
        }
    }
}

#[test]
fn singular_matrices_are_told() {
    for n in [2, 50] {
        let places: Vec<(usize, usize)> = (0..n).map(|index| (index, 0)).collect();
        let pattern = Arc::new(JacobianPattern::new(n, places, Some(vec![(0, 0, 1.0)])));
        let mut factors = ShiftedFactors::<f64>::new(&pattern);
        assert_eq!(factors.factor(1.0, &vec![1.0; n]), Err(SingularShift));
    }
}
