//! [`local_outlier_factors`]: how much sparser a row lies than its neighbours.

use numerics::Watch;

use super::{DistanceMetric, MultivariateError, NeighbourDistance, NeighbourIndex, PointTable};

/// The local outlier factor of each row: the mean density of its `k` nearest rows over its own, by Euclidean distance; near 1 within a cluster, larger outside.
/// Exactly k neighbours count, ties by number.
///
/// Distances below 1e-10 of the extent of the rows count as that, so that rows that coincide have a density.
///
/// # Errors
/// Fewer than k + 1 rows, memory, or the caller stopped it.
///
/// # References
/// M. M. Breunig, H.-P. Kriegel, R. T. Ng, J. Sander, "LOF: identifying density-based local outliers", SIGMOD 2000.
pub fn local_outlier_factors(
    points: &PointTable,
    k: usize,
    watch: &dyn Watch,
) -> Result<Vec<f64>, MultivariateError> {
    /// Of the extent.
    const FLOOR: f64 = 1e-10;
    let rows = points.rows();
    if k == 0 || rows <= k {
        return Err(MultivariateError::TooFewRows {
            needed: k.max(1) + 1,
            found: rows,
        });
    }
    watch.reserve_doubles(rows.saturating_mul(2 * k + 4))?;
    let index = NeighbourIndex::new(points, DistanceMetric::Euclidean, watch)?;
    let mut neighbours: Vec<Vec<NeighbourDistance>> = Vec::with_capacity(rows);
    for row in 0..rows {
        if row % 64 == 0 {
            watch.check()?;
        }
        neighbours.push(index.nearest(points.row(row), k, Some(row)));
    }
    let floor = FLOOR * extent_of(points);
    if floor == 0.0 {
        return Ok(vec![1.0; rows]);
    }
    let reach = |other: &NeighbourDistance| {
        let own = neighbours[other.row]
            .last()
            .map_or(0.0, |last| last.distance);
        own.max(other.distance).max(floor)
    };
    let mean_reaches: Vec<f64> = neighbours
        .iter()
        .map(|nearest| nearest.iter().map(reach).sum::<f64>() / k as f64)
        .collect();
    let factor = |(row, nearest): (usize, &Vec<NeighbourDistance>)| {
        let densities = nearest.iter().map(|other| 1.0 / mean_reaches[other.row]);
        densities.sum::<f64>() / k as f64 * mean_reaches[row]
    };
    Ok(neighbours.iter().enumerate().map(factor).collect())
}

/// The diagonal of the box around all rows.
fn extent_of(points: &PointTable) -> f64 {
    let mut squares = 0.0;
    for column in 0..points.columns() {
        let cells = || {
            points
                .values()
                .iter()
                .skip(column)
                .step_by(points.columns())
        };
        let low = cells().copied().fold(f64::INFINITY, f64::min);
        let high = cells().copied().fold(f64::NEG_INFINITY, f64::max);
        squares += (high - low).powi(2);
    }
    squares.sqrt()
}
