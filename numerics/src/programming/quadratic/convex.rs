//! Whether the matrix of a program is positive semidefinite.

use faer::Mat;

use crate::dense::{euclidean_norm, max_abs, symmetric_eigen};
use crate::sparse::CsrMatrix;
use crate::watch::{Interruption, Watch};

/// What is known of the lowest eigenvalue.
#[derive(Debug, Clone, PartialEq)]
pub enum Convexity {
    /// It is this or 0 up to rounding; `None` where it was only shown not to be negative.
    Convex(Option<f64>),
    /// It is at most this, which is negative: the quotient `v'Pv / v'v` of the vector.
    Indefinite {
        /// The quotient.
        lowest: f64,
        /// Of length 1.
        direction: Vec<f64>,
    },
}

/// Up to this many rows all eigenvalues are computed.
pub(super) const WHOLE_MAX: usize = 1000;

/// Finds out whether a symmetric matrix is positive semidefinite: an eigenvalue above minus 4 n eps times the largest is 0.
///
/// Beyond 1000 rows, Lanczos' method with 120 steps from one vector, without memory of all: what it finds negative is proved so; that it finds
/// nothing is no proof.
///
/// # Errors
/// [`Interruption::Stopped`].
///
/// # References
/// C. Lanczos, J. Res. Nat. Bur. Standards 45, 1950.
pub fn check_convexity(p: &CsrMatrix, watch: &dyn Watch) -> Result<Convexity, Interruption> {
    let n = p.row_count();
    let is_diagonal = (0..n).all(|row| p.row(row).0.iter().all(|&column| column as usize == row));
    if is_diagonal {
        return Ok(diagonal_convexity(p));
    }
    if n <= WHOLE_MAX {
        return Ok(dense_convexity(p));
    }
    lanczos_convexity(p, watch)
}

fn diagonal_convexity(p: &CsrMatrix) -> Convexity {
    let entries = p.diagonal();
    let lowest = (0..entries.len()).min_by(|&a, &b| entries[a].total_cmp(&entries[b]));
    let Some(lowest) = lowest else {
        return Convexity::Convex(None);
    };
    if entries[lowest] >= 0.0 {
        return Convexity::Convex(Some(entries[lowest]));
    }
    let mut direction = vec![0.0; entries.len()];
    direction[lowest] = 1.0;
    Convexity::Indefinite {
        lowest: entries[lowest],
        direction,
    }
}

fn dense_convexity(p: &CsrMatrix) -> Convexity {
    let n = p.row_count();
    let mut dense = Mat::<f64>::zeros(n, n);
    for row in 0..n {
        let (columns, values) = p.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            dense[(row, column as usize)] = value;
        }
    }
    let Ok((values, _)) = symmetric_eigen(dense.as_ref(), false) else {
        return Convexity::Convex(None);
    };
    let (Some(&lowest), Some(&highest)) = (values.first(), values.last()) else {
        return Convexity::Convex(None);
    };
    if lowest >= -4.0 * n as f64 * f64::EPSILON * highest.abs().max(lowest.abs()) {
        return Convexity::Convex(Some(lowest));
    }
    let direction = match symmetric_eigen(dense.as_ref(), true) {
        Ok((_, Some(vectors))) => (0..n).map(|row| vectors[(row, 0)]).collect(),
        _ => Vec::new(),
    };
    Convexity::Indefinite { lowest, direction }
}

fn lanczos_convexity(p: &CsrMatrix, watch: &dyn Watch) -> Result<Convexity, Interruption> {
    const STEPS: usize = 120;
    let n = p.row_count();
    // Of all signs, so that it is orthogonal to no eigenvector that matters but by accident.
    let start: Vec<f64> = (0..n)
        .map(|i| 1.0 + libm::sin(1.0 + i as f64 * 1.618) * 0.9)
        .collect();
    let norm = euclidean_norm(&start);
    let mut basis: Vec<Vec<f64>> = vec![start.iter().map(|x| x / norm).collect()];
    let mut projected = Mat::<f64>::zeros(STEPS, STEPS);
    let mut size = 0;
    for step in 0..STEPS.min(n) {
        watch.check()?;
        let mut next = vec![0.0; n];
        p.multiply(&basis[step], &mut next);
        size = step + 1;
        // Orthogonal to all before, twice.
        for round in 0..2 {
            for (index, vector) in basis.iter().enumerate() {
                let along = crate::dense::dot(vector, &next);
                if round == 0 {
                    projected[(step, index)] = along;
                    projected[(index, step)] = along;
                }
                crate::dense::add_multiple(&mut next, -along, vector);
            }
        }
        let norm = euclidean_norm(&next);
        if norm <= 1e-12 * max_abs(p.values()) {
            break;
        }
        basis.push(next.iter().map(|x| x / norm).collect());
    }
    let small = projected.as_ref().submatrix(0, 0, size, size).to_owned();
    let Ok((values, Some(vectors))) = symmetric_eigen(small.as_ref(), true) else {
        return Ok(Convexity::Convex(None));
    };
    let mut direction = vec![0.0; n];
    for (index, vector) in basis.iter().take(size).enumerate() {
        crate::dense::add_multiple(&mut direction, vectors[(index, 0)], vector);
    }
    // What counts is the quotient of the vector itself.
    let mut image = vec![0.0; n];
    p.multiply(&direction, &mut image);
    let lowest = crate::dense::dot(&direction, &image) / crate::dense::dot(&direction, &direction);
    let highest = values
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    if lowest >= -1e-12 * highest {
        return Ok(Convexity::Convex(None));
    }
    Ok(Convexity::Indefinite { lowest, direction })
}
