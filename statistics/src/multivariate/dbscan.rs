//! [`cluster_by_density`]: clusters as places where rows are dense.

use numerics::Watch;

use super::chain::find_root;
use super::points::compare_rows;
use super::{DistanceMetric, MultivariateError, NeighbourIndex, PointTable, number_by_appearance};

/// Dense clusters to find.
#[derive(Debug, Clone, Copy)]
pub struct DensityRequest<'a> {
    /// The rows, in the form of the metric.
    pub points: &'a PointTable,
    /// The metric.
    pub metric: DistanceMetric,
    /// Rows at most so far away are neighbours, in the unit of the table.
    pub radius: f64,
    /// Neighbours, the row itself among them, that make a row a core.
    pub least: usize,
}

/// Clusters as places where rows are dense.
#[derive(Debug, Clone, PartialEq)]
pub struct DensityClusters {
    /// The cluster of each row, numbered by first appearance; `None` for noise.
    pub labels: Vec<Option<usize>>,
    /// Whether the row has enough neighbours itself.
    pub is_core: Vec<bool>,
    /// Number of clusters.
    pub clusters: usize,
}

/// Finds clusters: rows with enough neighbours, connected through such rows.
///
/// # Method
/// Rows that coincide are one with a weight. Cores within the radius of each other are of one cluster; another row within the radius of a core belongs to
/// the cluster of its nearest core, of equally near ones that with the first smaller number, so that the order of the rows does not matter. The
/// first form gave it to the cluster that was found first. Costs the neighbours of all rows.
///
/// # Errors
/// Memory, or the caller stopped it.
///
/// # References
/// M. Ester, H.-P. Kriegel, J. Sander, X. Xu, "A density-based algorithm for discovering clusters in large spatial databases with noise", KDD 1996.
pub fn cluster_by_density(
    request: DensityRequest<'_>,
    watch: &dyn Watch,
) -> Result<DensityClusters, MultivariateError> {
    let DensityRequest {
        points,
        metric,
        radius,
        least,
    } = request;
    let distinct = DistinctRows::new(points);
    let index = NeighbourIndex::new(&distinct.points, metric, watch)?;
    let count = distinct.points.rows();
    let mut is_core = vec![false; count];
    for (row, is_core) in is_core.iter_mut().enumerate() {
        watch_each(row, watch)?;
        let mut weight = 0;
        index.visit_within(distinct.points.row(row), radius, &mut |other, _| {
            weight += distinct.weights[other];
            weight < least
        });
        *is_core = weight >= least;
    }
    let mut parents: Vec<usize> = (0..count).collect();
    let mut nearest_core: Vec<Option<usize>> = vec![None; count];
    for row in 0..count {
        watch_each(row, watch)?;
        let mut nearest: Option<(f64, usize)> = None;
        index.visit_within(distinct.points.row(row), radius, &mut |other, compared| {
            if is_core[row] && is_core[other] && other > row {
                let (a, b) = (find_root(&mut parents, row), find_root(&mut parents, other));
                parents[a.max(b)] = a.min(b);
            } else if !is_core[row] && is_core[other] {
                // Rows are in the order of their numbers: the lower one is the smaller.
                let is_nearer = nearest.is_none_or(|(least, before)| {
                    compared < least || (compared == least && other < before)
                });
                if is_nearer {
                    nearest = Some((compared, other));
                }
            }
            true
        });
        nearest_core[row] = match is_core[row] {
            true => Some(row),
            false => nearest.map(|(_, core)| core),
        };
    }
    let root = |place: &usize| Some(find_root(&mut parents, nearest_core[*place]?));
    let roots: Vec<Option<usize>> = distinct.places.iter().map(root).collect();
    let mut known: Vec<usize> = roots.iter().flatten().copied().collect();
    let clusters = number_by_appearance(&mut known);
    let mut numbers = known.into_iter();
    Ok(DensityClusters {
        labels: roots
            .iter()
            .map(|root| root.and_then(|_| numbers.next()))
            .collect(),
        is_core: distinct
            .places
            .iter()
            .map(|place| is_core[*place])
            .collect(),
        clusters,
    })
}

fn watch_each(row: usize, watch: &dyn Watch) -> Result<(), MultivariateError> {
    if row.is_multiple_of(64) {
        watch.check()?;
    }
    Ok(())
}

/// Rows without repetition, ascending by their numbers.
struct DistinctRows {
    points: PointTable,
    weights: Vec<usize>,
    /// The place of each row among them.
    places: Vec<usize>,
}

impl DistinctRows {
    fn new(points: &PointTable) -> Self {
        let mut order: Vec<usize> = (0..points.rows()).collect();
        order.sort_by(|&a, &b| compare_rows(points.row(a), points.row(b)));
        let (mut kept, mut weights): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut places = vec![0; order.len()];
        for row in order {
            let is_new = kept
                .last()
                .is_none_or(|&last| points.row(last) != points.row(row));
            if is_new {
                kept.push(row);
                weights.push(0);
            }
            places[row] = kept.len() - 1;
            if let Some(weight) = weights.last_mut() {
                *weight += 1;
            }
        }
        Self {
            points: points.take(&kept),
            weights,
            places,
        }
    }
}

/// The distance of each row from its k-th neighbour, ascending.
///
/// # Errors
/// Fewer than k + 1 rows, memory, or the caller stopped it.
pub fn neighbour_distances(
    points: &PointTable,
    metric: DistanceMetric,
    k: usize,
    watch: &dyn Watch,
) -> Result<Vec<f64>, MultivariateError> {
    if points.rows() <= k {
        return Err(MultivariateError::TooFewRows {
            needed: k + 1,
            found: points.rows(),
        });
    }
    let index = NeighbourIndex::new(points, metric, watch)?;
    let mut distances = Vec::with_capacity(points.rows());
    for row in 0..points.rows() {
        watch_each(row, watch)?;
        let nearest = index.nearest(points.row(row), k, Some(row));
        distances.push(nearest.last().map_or(0.0, |last| last.distance));
    }
    distances.sort_by(f64::total_cmp);
    Ok(distances)
}

/// The knee of an ascending curve: the value farthest below the straight line between its ends, where it begins to rise steeply; the first of equals, the last
/// value of a straight line.
///
/// # References
/// V. Satopaa, J. Albrecht, D. Irwin, B. Raghavan, "Finding a kneedle in a haystack", ICDCS Workshops 2011.
pub fn knee_of(ascending: &[f64]) -> Option<f64> {
    let (&first, &last) = (ascending.first()?, ascending.last()?);
    let steps = (ascending.len() - 1) as f64;
    let mut knee = (0.0, last);
    for (place, &value) in ascending.iter().enumerate() {
        let below = first + (last - first) * (place as f64 / steps) - value;
        // A distance of 0 is that of rows that coincide, and separates nothing.
        if below > knee.0 && value > 0.0 {
            knee = (below, value);
        }
    }
    Some(knee.1)
}
