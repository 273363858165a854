//! Negative curvature of the variables that are free to move: the direction of lowest curvature, and whether it leads to lower values.

use faer::Mat;
use rand::RngExt;
use random_streams::stream_rng;

use crate::optimise::error::OptimiseError;

use super::bounds::VariableBounds;
use super::smooth::SmoothFunction;
use crate::dense::{add_multiple, dot, euclidean_norm, max_abs, symmetric_eigen};

/// Up to so many variables the whole Hessian is formed.
pub(super) const WHOLE_MAX: usize = 60;
/// Products of the Hessian and a vector beyond that.
const PRODUCTS: usize = 60;
/// Seed of the vector from which they start.
const SEED: u64 = 42;

/// The Hessian at a point, as far as it is known.
pub(crate) struct HessianCurvature {
    /// Lowest eigenvalue.
    pub lowest: f64,
    /// A unit vector with that curvature.
    direction: Vec<f64>,
    /// The largest magnitude of an eigenvalue.
    size: f64,
    /// Size of a zero eigenvalue after rounding.
    noise: f64,
    /// The variables that move.
    free: Vec<usize>,
    /// Every eigenvalue with its vector, where the whole Hessian was formed.
    whole: Option<(Vec<f64>, Mat<f64>)>,
}

impl HessianCurvature {
    /// Whether the function curves down along the direction by more than what is left of a valley's floor near a minimum.
    pub(crate) fn is_negative(&self) -> bool {
        const SHARE: f64 = 1e-6;
        self.lowest < -SHARE * self.size
    }

    /// A unit vector with the lowest curvature.
    pub(super) fn direction(&self) -> &[f64] {
        &self.direction
    }

    /// The step of Newton's method for a gradient, where the Hessian is known and positive definite.
    pub(crate) fn newton_step(&self, gradient: &[f64]) -> Option<Vec<f64>> {
        let (values, vectors) = self.whole.as_ref()?;
        let inner: Vec<f64> = self.free.iter().map(|&index| gradient[index]).collect();
        let mut free_step = vec![0.0; inner.len()];
        for (index, value) in values.iter().enumerate() {
            if *value <= self.noise {
                return None;
            }
            let vector = vectors.col_as_slice(index);
            add_multiple(&mut free_step, -dot(vector, &inner) / value, vector);
        }
        let mut step = vec![0.0; gradient.len()];
        for (&index, entry) in self.free.iter().zip(free_step) {
            step[index] = entry;
        }
        Some(step)
    }
}

/// The lowest curvature at a point; `None` where second derivatives are not known or not finite.
///
/// # Method
/// Exact products of the Hessian and a vector. Up to 60 variables all of them and the eigenvalues of the symmetric matrix; beyond, 60
/// steps of Lanczos with full orthogonalisation from one vector of a fixed random stream, which find the ends of the spectrum first but
/// may miss a slight negative curvature.
///
/// # Errors
/// Those of the target.
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 10.1.
pub(crate) fn find_lowest_curvature(
    target: &mut impl SmoothFunction,
    x: &[f64],
    free: &[usize],
) -> Result<Option<HessianCurvature>, OptimiseError> {
    if free.is_empty() {
        return Ok(None);
    }
    let basis = if free.len() <= WHOLE_MAX {
        None
    } else {
        match lanczos_projection(target, x, free)? {
            Some(projected) => Some(projected),
            None => return Ok(None),
        }
    };
    let (hessian, basis) = match basis {
        Some((hessian, basis)) => (hessian, Some(basis)),
        None => match hessian_in_free_variables(target, x, free)? {
            Some(hessian) => (hessian, None),
            None => return Ok(None),
        },
    };
    Ok(of_matrix(&hessian, basis.as_deref(), x.len(), free))
}

/// The lowest curvature in a part of the variables of a Hessian: `kept` are positions in `all`, of `n` variables.
pub(super) fn of_part(
    hessian: &Mat<f64>,
    kept: &[usize],
    all: &[usize],
    n: usize,
) -> Option<HessianCurvature> {
    let part = Mat::from_fn(kept.len(), kept.len(), |i, j| hessian[(kept[i], kept[j])]);
    let variables: Vec<usize> = kept.iter().map(|&position| all[position]).collect();
    of_matrix(&part, None, n, &variables)
}

/// The Hessian in some of the variables.
///
/// # Errors
/// Those of the target.
pub(crate) fn hessian_in_free_variables(
    target: &mut impl SmoothFunction,
    x: &[f64],
    free: &[usize],
) -> Result<Option<Mat<f64>>, OptimiseError> {
    let mut columns = Vec::with_capacity(free.len());
    for &index in free {
        let mut unit = vec![0.0; x.len()];
        unit[index] = 1.0;
        let Some(column) = target.hessian_times(x, &unit)? else {
            return Ok(None);
        };
        columns.push(column);
    }
    let entry = |i: usize, j: usize| columns[i][free[j]] / 2.0 + columns[j][free[i]] / 2.0;
    Ok(Some(Mat::from_fn(free.len(), free.len(), entry)))
}

/// The Hessian in the basis of a Krylov space, and that basis.
type Projected = (Mat<f64>, Vec<Vec<f64>>);

fn lanczos_projection(
    target: &mut impl SmoothFunction,
    x: &[f64],
    free: &[usize],
) -> Result<Option<Projected>, OptimiseError> {
    let mut rng = stream_rng(SEED, 0);
    let mut next = vec![0.0; x.len()];
    for &index in free {
        next[index] = 2.0 * rng.random::<f64>() - 1.0;
    }
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut projected = vec![vec![0.0; PRODUCTS]; PRODUCTS];
    for step in 0..PRODUCTS {
        let length = euclidean_norm(&next);
        if !basis.is_empty() && length <= f64::EPSILON * max_abs(&projected.concat()) {
            break; // the basis spans an invariant subspace
        }
        next.iter_mut().for_each(|entry| *entry /= length);
        let Some(product) = target.hessian_times(x, &next)? else {
            return Ok(None);
        };
        let mut image = vec![0.0; x.len()];
        for &index in free {
            image[index] = product[index];
        }
        basis.push(std::mem::take(&mut next));
        // Twice is enough.
        for round in 0..2 {
            for (index, vector) in basis.iter().enumerate() {
                let share = dot(vector, &image);
                add_multiple(&mut image, -share, vector);
                if round == 0 {
                    projected[index][step] = share;
                    projected[step][index] = share;
                }
            }
        }
        next = image;
    }
    let size = basis.len();
    let hessian = Mat::from_fn(size, size, |i, j| projected[i][j]);
    Ok(Some((hessian, basis)))
}

fn of_matrix(
    hessian: &Mat<f64>,
    basis: Option<&[Vec<f64>]>,
    n: usize,
    free: &[usize],
) -> Option<HessianCurvature> {
    const ROUNDINGS: f64 = 64.0;
    let (values, vectors) = symmetric_eigen(hessian.as_ref(), true).ok()?;
    let vectors = vectors?;
    let size = max_abs(&values);
    let first = vectors.col_as_slice(0);
    let mut direction = vec![0.0; n];
    match basis {
        None => {
            for (&index, share) in free.iter().zip(first) {
                direction[index] = *share;
            }
        }
        Some(basis) => {
            for (vector, share) in basis.iter().zip(first) {
                add_multiple(&mut direction, *share, vector);
            }
        }
    }
    if !size.is_finite() || direction.iter().any(|entry: &f64| !entry.is_finite()) {
        return None;
    }
    Some(HessianCurvature {
        lowest: values[0],
        direction,
        size,
        noise: ROUNDINGS * f64::EPSILON * values.len() as f64 * size,
        free: free.to_vec(),
        whole: basis.is_none().then_some((values, vectors)),
    })
}

/// The point one step away from another.
pub(crate) fn point_along(x: &[f64], step: f64, direction: &[f64]) -> Vec<f64> {
    let pairs = x.iter().zip(direction);
    pairs.map(|(x, d)| x + step * d).collect()
}

/// The lowest of some points along the direction of the lowest curvature that is clearly lower than `value`; looked for only where the
/// function does not clearly curve up.
///
/// # Errors
/// Those of the target.
pub(crate) fn lower_point(
    target: &mut impl SmoothFunction,
    bounds: &VariableBounds,
    (x, value): (&[f64], f64),
    curvature: &HessianCurvature,
) -> Result<Option<Vec<f64>>, OptimiseError> {
    /// Steps relative to the size of the point: from where a curvature shows in the values to far away.
    const STEPS: [f64; 8] = [1e-4, 1e-3, 1e-2, 0.1, 0.5, 2.0, 10.0, 100.0];
    if curvature.lowest > curvature.noise {
        return Ok(None);
    }
    // Values that differ by less are equal up to rounding; along the floor of a valley, up to what does not matter.
    let clearly = if curvature.is_negative() {
        1e-14 * value.abs()
    } else {
        1e-12 * (1.0 + value.abs())
    };
    let size = max_abs(x).max(1.0);
    let mut best: Option<(f64, Vec<f64>)> = None;
    for step in STEPS.iter().flat_map(|step| [step * size, -step * size]) {
        let mut point = point_along(x, step, &curvature.direction);
        bounds.project(&mut point);
        let found = target.value(&point)?;
        let bar = best.as_ref().map_or(value - clearly, |(value, _)| *value);
        if found < bar {
            best = Some((found, point));
        }
    }
    Ok(best.map(|(_, point)| point))
}
