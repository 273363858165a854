//! [`gap_statistics`]: how much better clusters fit than those of rows without any.

use numerics::Watch;
use rand::RngExt;
use random_streams::{derive_seed, stream_rng};

use super::{ColumnScaling, KMeansRequest, MultivariateError, PointTable, fit_kmeans};

/// The gap of a number of clusters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GapStatistic {
    /// Number of clusters.
    pub clusters: usize,
    /// Mean logarithm of the sum of squares of uniform rows, less that of the rows.
    pub gap: f64,
    /// Standard deviation over the uniform sets, times `sqrt(1 + 1/B)`.
    pub error: f64,
}

/// Uniform sets that are drawn.
const SETS: usize = 20;
/// Starts for each of them.
const SET_STARTS: usize = 3;

/// The gaps of 1 to `most` clusters: against 20 sets of as many rows, uniform within the range of each column. Ends before the first number of clusters
/// that leaves no squares.
///
/// # Errors
/// As [`fit_kmeans`].
///
/// # References
/// R. Tibshirani, G. Walther, T. Hastie, "Estimating the number of clusters in a data set via the gap statistic", J. R. Stat. Soc. B 63, 2001.
pub fn gap_statistics(
    request: KMeansRequest<'_>,
    most: usize,
    watch: &dyn Watch,
) -> Result<Vec<GapStatistic>, MultivariateError> {
    let points = request.points;
    let distinct = points.distinct_rows(most + 1);
    let mut logarithms = Vec::new();
    for clusters in 1..=most.min(distinct.saturating_sub(1)) {
        let fit = fit_kmeans(
            KMeansRequest {
                clusters,
                ..request
            },
            watch,
        )?;
        if fit.inertia() <= 0.0 {
            break;
        }
        logarithms.push(fit.inertia().ln());
    }
    let mut drawn = vec![Vec::with_capacity(SETS); logarithms.len()];
    for set in 0..SETS {
        watch.progress(Some(set as f64 / SETS as f64), &|| {
            format!("uniform set {set}")
        });
        let uniform = uniform_points(points, request.seed, set as u64, watch)?;
        for (place, drawn) in drawn.iter_mut().enumerate() {
            let request = KMeansRequest {
                points: &uniform,
                clusters: place + 1,
                starts: request.starts.min(SET_STARTS),
                ..request
            };
            drawn.push(fit_kmeans(request, watch)?.inertia().ln());
        }
    }
    let gap = |(place, drawn): (usize, &Vec<f64>)| {
        let mean = drawn.iter().sum::<f64>() / SETS as f64;
        let squares: f64 = drawn.iter().map(|value| (value - mean).powi(2)).sum();
        GapStatistic {
            clusters: place + 1,
            gap: mean - logarithms[place],
            error: (squares / SETS as f64 * (1.0 + 1.0 / SETS as f64)).sqrt(),
        }
    };
    Ok(drawn.iter().enumerate().map(gap).collect())
}

fn uniform_points(
    points: &PointTable,
    seed: u64,
    set: u64,
    watch: &dyn Watch,
) -> Result<PointTable, MultivariateError> {
    let mut random = stream_rng(derive_seed(seed, "gap", set), 0);
    let column = |place: usize| -> Vec<f64> {
        let cells = || {
            points
                .values()
                .iter()
                .skip(place)
                .step_by(points.columns())
                .copied()
        };
        let low = cells().fold(f64::INFINITY, f64::min);
        let high = cells().fold(f64::NEG_INFINITY, f64::max);
        cells()
            .map(|_| low + (high - low) * random.random::<f64>())
            .collect()
    };
    let columns: Vec<Vec<f64>> = (0..points.columns()).map(column).collect();
    let uniform = PointTable::new(&columns, ColumnScaling::Plain, watch)?;
    Ok(uniform.in_exponent(0))
}
