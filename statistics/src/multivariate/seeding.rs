//! Starts of k-means.

use rand::RngExt;
use random_streams::StreamRng;

use super::{DistanceMetric, PointTable};

/// Rows to start from, by greedy k-means++: each is the best of several that are drawn by their squared distance from those before it.
///
/// `None` where fewer rows differ than centres are asked for.
///
/// # References
/// D. Arthur and S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007, section 7.
pub(super) fn draw_centres(
    points: &PointTable,
    clusters: usize,
    random: &mut StreamRng,
) -> Option<Vec<usize>> {
    let rows = points.rows();
    let candidates = 2 + (clusters as f64).ln().floor() as usize;
    let first = random.random_range(0..rows);
    let mut centres = vec![first];
    let mut squares = squares_from(points, first, None);
    while centres.len() < clusters {
        let sums: Vec<f64> = squares
            .iter()
            .scan(0.0, |sum, square| {
                *sum += square;
                Some(*sum)
            })
            .collect();
        let total = *sums.last()?;
        if !(total > 0.0 && total.is_finite()) {
            return None;
        }
        let mut best: Option<(f64, usize, Vec<f64>)> = None;
        for _ in 0..candidates {
            let drawn = random.random::<f64>() * total;
            let mut row = sums.partition_point(|sum| *sum <= drawn).min(rows - 1);
            if squares[row] == 0.0 {
                row = squares.iter().position(|square| *square > 0.0)?;
            }
            let next = squares_from(points, row, Some(&squares));
            let left: f64 = next.iter().sum();
            if best.as_ref().is_none_or(|(least, ..)| left < *least) {
                best = Some((left, row, next));
            }
        }
        let (_, row, next) = best?;
        centres.push(row);
        squares = next;
    }
    Some(centres)
}

/// The squared distances from a row, or those before where they are smaller.
fn squares_from(points: &PointTable, row: usize, before: Option<&[f64]>) -> Vec<f64> {
    let from = points.row(row);
    let square = |other: usize| {
        let square = DistanceMetric::Euclidean.compare(from, points.row(other));
        before.map_or(square, |before| square.min(before[other]))
    };
    (0..points.rows()).map(square).collect()
}
