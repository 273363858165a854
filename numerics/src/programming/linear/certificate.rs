//! Proofs of the two ways in which a program has no optimum.

use super::SimplexStatus;
use super::state::Simplex;
use crate::dense::scale_by_exponent;
use crate::exact::CompensatedSum;

/// The ray that belongs to a status, in the units of the program.
pub(super) fn certificate_ray(simplex: &Simplex<'_>, status: SimplexStatus) -> Option<Vec<f64>> {
    match status {
        SimplexStatus::Infeasible => Some(row_combination(simplex)),
        SimplexStatus::Unbounded => Some(unbounded_direction(simplex)),
        _ => None,
    }
}

/// Violations of a condition of a proof, relative to the terms of each, that rounding explains.
const ROUNDING: f64 = 1e-9;

/// Whether the row of the inverse in `rho` combines the rows, with the bounds at work, to a contradiction; sums in doubled precision.
pub(super) fn is_contradiction(simplex: &Simplex<'_>) -> bool {
    let model = simplex.model;
    [1.0, -1.0].into_iter().any(|sign| {
        // The least value of `y' (A x + z)`, which is zero at every point; without entries that use a bound which is not there.
        let mut least = CompensatedSum::new(0.0);
        let mut size = 0.0;
        let mut y = vec![0.0; model.rows];
        for (row, value) in simplex.rho.entries() {
            let bound = simplex.nearer(model.columns + row, sign * value);
            if bound.is_finite() {
                y[row] = sign * value;
                least.add_product(y[row], bound);
                size += (y[row] * bound).abs();
            }
        }
        for variable in 0..model.columns {
            let (rows, values) = model.column(variable);
            let (mut sum, mut terms) = (CompensatedSum::new(0.0), 0.0);
            for (&row, value) in rows.iter().zip(values) {
                let by = y[row as usize];
                if by != 0.0 {
                    sum.add_product(by, *value);
                    terms += (by * value).abs();
                }
            }
            let entry = sum.value();
            if entry == 0.0 {
                continue;
            }
            let bound = simplex.nearer(variable, entry);
            if bound.is_finite() {
                least.add_product(entry, bound);
                size += (entry * bound).abs();
            } else if entry.abs() > ROUNDING * terms {
                return false;
            }
        }
        least.value() > 1e-14 * size
    })
}

impl Simplex<'_> {
    /// The bound at which a term with this coefficient is least.
    fn nearer(&self, variable: usize, coefficient: f64) -> f64 {
        if coefficient > 0.0 {
            self.lower[variable]
        } else {
            self.upper[variable]
        }
    }
}

/// Multipliers of rows, with a largest of 1.
fn row_combination(simplex: &Simplex<'_>) -> Vec<f64> {
    let model = simplex.model;
    let rho = &simplex.rho.values;
    let entry = |row: usize| scale_by_exponent(rho[row], model.row_scale[row]);
    normalise_ray((0..model.rows).map(entry).collect())
}

/// The direction of the variables when the last entering one moves, with a largest entry of 1.
fn unbounded_direction(simplex: &Simplex<'_>) -> Vec<f64> {
    let model = simplex.model;
    let (entering, way) = simplex.way;
    let mut moves = vec![0.0; model.total()];
    moves[entering] = way;
    for (row, value) in simplex.alpha.entries() {
        moves[simplex.header[row] as usize] = -way * value;
    }
    let entry = |variable: usize| model.unscaled(variable, moves[variable]);
    normalise_ray((0..model.columns).map(entry).collect())
}

fn normalise_ray(mut ray: Vec<f64>) -> Vec<f64> {
    let largest = ray
        .iter()
        .fold(0.0_f64, |most, entry| most.max(entry.abs()));
    if largest > 0.0 {
        ray.iter_mut().for_each(|entry| *entry /= largest);
    }
    ray
}
