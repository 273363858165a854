//! Silhouettes: how much nearer rows are to their own cluster than to the next one.

use numerics::Watch;

use super::{CondensedDistances, MultivariateError};
use crate::resampling::draw_places;

/// All rows up to a limit, beyond it a sample of so many by the seed, ascending.
pub fn sample_rows(rows: usize, most: usize, seed: u64) -> Vec<usize> {
    /// Stream of the sample.
    const STREAM: u64 = 0x0051_1e00;
    if rows <= most {
        return (0..rows).collect();
    }
    let mut places = draw_places(rows, most, false, (seed, STREAM)).unwrap_or_default();
    places.sort_unstable();
    places
}

/// The silhouette of each row: (b - a) / max(a, b), where a is the mean distance from the others of its cluster and b the least mean distance from
/// another cluster; from -1 to 1. Rows alone in their cluster, and rows that coincide with all others, have 0.
///
/// # Errors
/// The caller stopped it.
///
/// # References
/// P. J. Rousseeuw, "Silhouettes", J. Comput. Appl. Math. 20, 1987.
pub fn silhouette_values(
    distances: &CondensedDistances,
    labels: &[usize],
    watch: &dyn Watch,
) -> Result<Vec<f64>, MultivariateError> {
    let clusters = labels.iter().max().map_or(0, |most| most + 1);
    let mut sizes = vec![0_usize; clusters];
    labels.iter().for_each(|label| sizes[*label] += 1);
    let mut values = Vec::with_capacity(labels.len());
    for row in 0..labels.len() {
        if row % 64 == 0 {
            watch.check()?;
        }
        let own = labels[row];
        let mut sums = vec![0.0; clusters];
        for other in (0..labels.len()).filter(|other| *other != row) {
            sums[labels[other]] += distances.between(row, other);
        }
        let others = (0..clusters).filter(|cluster| *cluster != own && sizes[*cluster] > 0);
        let next = others
            .map(|cluster| sums[cluster] / sizes[cluster] as f64)
            .fold(f64::INFINITY, f64::min);
        values.push(match sizes[own] {
            1 => 0.0,
            size => {
                let inner = sums[own] / (size - 1) as f64;
                let most = inner.max(next);
                match most > 0.0 && most.is_finite() {
                    true => (next - inner) / most,
                    false => 0.0,
                }
            }
        });
    }
    Ok(values)
}
