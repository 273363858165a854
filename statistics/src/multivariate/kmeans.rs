//! [`fit_kmeans`]: clusters around means.

use numerics::Watch;
use random_streams::stream_rng;

use super::seeding::draw_centres;
use super::{DistanceMetric, MultivariateError, PointTable, number_by_appearance};

/// Clusters around means to find.
#[derive(Debug, Clone, Copy)]
pub struct KMeansRequest<'a> {
    /// The rows.
    pub points: &'a PointTable,
    /// Number of clusters, at least 1.
    pub clusters: usize,
    /// Starts, of which the best counts.
    pub starts: usize,
    /// Most iterations of a start.
    pub iterations_max: usize,
    /// Seed of the starts; start i is drawn from stream i.
    pub seed: u64,
}

/// Clusters around means; distances and sums in the unit of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeansFit {
    /// The cluster of each row, numbered by first appearance.
    pub labels: Vec<usize>,
    /// The mean of each cluster, one after another.
    pub centres: Vec<f64>,
    /// Rows of each cluster.
    pub sizes: Vec<usize>,
    /// Sum of the squared distances from its mean, of each cluster.
    pub within: Vec<f64>,
    /// Sum of the squared distances from the mean of all rows.
    pub total: f64,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether no move of a row lowers the sum of the best start.
    pub converged: bool,
    /// Starts that ended with the same sum, up to rounding.
    pub agreeing: usize,
}

impl KMeansFit {
    /// Sum of the squared distances of all rows from their means.
    pub fn inertia(&self) -> f64 {
        self.within.iter().sum()
    }
}

/// Finds clusters with the least sum of squared distances from their means, as far as several starts find it.
///
/// # Method
/// Starts by greedy k-means++, then Lloyd's iteration with Hamerly's bounds, which leave distances out and change no result, then exchanges of single rows
/// (J. A. Hartigan and M. A. Wong, Appl. Stat. 28, 1979) until none lowers the sum. A row that is as near to
/// two means belongs to the one with the lower number. A cluster that loses its rows takes the row that is farthest from its mean. Costs up to
/// `starts * iterations * rows * clusters * columns`, with bounds a small part of it.
///
/// # Errors
/// More clusters than different rows, no rows, or the caller stopped it.
///
/// # References
/// S. P. Lloyd, IEEE Trans. Inf. Theory 28, 1982; G. Hamerly, "Making k-means even faster", SIAM Data Mining 2010.
pub fn fit_kmeans(
    request: KMeansRequest<'_>,
    watch: &dyn Watch,
) -> Result<KMeansFit, MultivariateError> {
    let KMeansRequest {
        points, clusters, ..
    } = request;
    if points.rows() == 0 {
        return Err(MultivariateError::TooFewRows {
            needed: 1,
            found: 0,
        });
    }
    let distinct = points.distinct_rows(clusters);
    if distinct < clusters {
        return Err(MultivariateError::Clusters { clusters, distinct });
    }
    watch.reserve_doubles(points.rows().saturating_mul(6))?;
    let mut best: Option<(f64, LloydIteration<'_>)> = None;
    let mut sums = Vec::with_capacity(request.starts);
    for start in 0..request.starts.max(1) {
        watch.check()?;
        let mut random = stream_rng(request.seed, start as u64);
        let Some(centres) = draw_centres(points, clusters, &mut random) else {
            return Err(MultivariateError::Clusters { clusters, distinct });
        };
        let mut iteration = LloydIteration::new(points, &centres);
        iteration.run(request.iterations_max, watch)?;
        let sum = iteration.within().iter().sum();
        sums.push(sum);
        if best.as_ref().is_none_or(|(least, _)| sum < *least) {
            best = Some((sum, iteration));
        }
    }
    let Some((least, iteration)) = best else {
        return Err(MultivariateError::Constant);
    };
    /// Sums of one partition differ by rounding only.
    const SAME: f64 = 1e-9;
    let agreeing = sums.iter().filter(|sum| **sum <= least * (1.0 + SAME));
    Ok(KMeansFit {
        agreeing: agreeing.count(),
        ..iteration.finish()
    })
}

/// Lloyd's iteration with bounds: `upper` is at least the distance from the own mean, `lower` at most that from any other.
struct LloydIteration<'a> {
    points: &'a PointTable,
    centres: Vec<f64>,
    clusters: usize,
    labels: Vec<usize>,
    upper: Vec<f64>,
    lower: Vec<f64>,
    iterations: usize,
    converged: bool,
}

/// Bounds are moved by rounded distances: so much they may be wrong.
const SLACK: f64 = 1.0 + 1e-10;

impl<'a> LloydIteration<'a> {
    fn new(points: &'a PointTable, rows: &[usize]) -> Self {
        let centres = rows.iter().flat_map(|row| points.row(*row));
        let count = points.rows();
        Self {
            points,
            centres: centres.copied().collect(),
            clusters: rows.len(),
            labels: vec![0; count],
            upper: vec![f64::INFINITY; count],
            lower: vec![0.0; count],
            iterations: 0,
            converged: false,
        }
    }

    fn centre(&self, cluster: usize) -> &[f64] {
        let columns = self.points.columns();
        &self.centres[cluster * columns..(cluster + 1) * columns]
    }

    fn distance(&self, row: usize, cluster: usize) -> f64 {
        let metric = DistanceMetric::Euclidean;
        metric.distance(metric.compare(self.points.row(row), self.centre(cluster)))
    }

    fn run(&mut self, most: usize, watch: &dyn Watch) -> Result<(), MultivariateError> {
        for iteration in 1..=most.max(1) {
            self.iterations = iteration;
            let changed = self.assign(iteration == 1, watch)?;
            let filled = self.fill_empty();
            if !changed && !filled {
                return self.exchange(most, watch);
            }
            self.move_centres();
        }
        Ok(())
    }

    /// Moves single rows while that lowers the sum, the means with them: what leaves no such row is an end of Lloyd's iteration too, and often a lower one.
    fn exchange(&mut self, most: usize, watch: &dyn Watch) -> Result<(), MultivariateError> {
        /// A move has to gain more than rounding.
        const GAIN: f64 = 1.0 - 1e-10;
        let columns = self.points.columns();
        let metric = DistanceMetric::Euclidean;
        while self.iterations <= most {
            self.centres = self.means(&self.centres);
            let mut sizes = self.sizes();
            let mut moved = false;
            for row in 0..self.labels.len() {
                if row % 4096 == 0 {
                    watch.check()?;
                }
                let own = self.labels[row];
                if sizes[own] < 2 {
                    continue;
                }
                let cells = self.points.row(row);
                let cost = |cluster: usize, change: f64| {
                    let size = sizes[cluster] as f64;
                    size / (size + change) * metric.compare(cells, self.centre(cluster))
                };
                let mut best = (cost(own, -1.0) * GAIN, own);
                for cluster in (0..self.clusters).filter(|cluster| *cluster != own) {
                    let added = cost(cluster, 1.0);
                    if added < best.0 {
                        best = (added, cluster);
                    }
                }
                let to = best.1;
                if to == own {
                    continue;
                }
                moved = true;
                for (cluster, change) in [(own, -1.0), (to, 1.0)] {
                    let share = change / (sizes[cluster] as f64 + change);
                    let centre = &mut self.centres[cluster * columns..(cluster + 1) * columns];
                    let pairs = centre.iter_mut().zip(cells);
                    pairs.for_each(|(centre, value)| *centre += share * (value - *centre));
                }
                sizes[own] -= 1;
                sizes[to] += 1;
                self.labels[row] = to;
            }
            if !moved {
                self.converged = true;
                return Ok(());
            }
            self.iterations += 1;
        }
        Ok(())
    }

    /// Gives each row to its nearest mean; whether one changed.
    fn assign(&mut self, is_first: bool, watch: &dyn Watch) -> Result<bool, MultivariateError> {
        let apart = self.half_gaps();
        let mut changed = is_first;
        for row in 0..self.labels.len() {
            if row % 4096 == 0 {
                watch.check()?;
            }
            let own = self.labels[row];
            let bound = apart[own].max(self.lower[row]);
            if self.upper[row] * SLACK < bound {
                continue;
            }
            self.upper[row] = self.distance(row, own);
            if self.upper[row] * SLACK < bound {
                continue;
            }
            let (mut nearest, mut least, mut second) = (0, f64::INFINITY, f64::INFINITY);
            for cluster in 0..self.clusters {
                let distance = self.distance(row, cluster);
                if distance < least {
                    (second, least, nearest) = (least, distance, cluster);
                } else {
                    second = second.min(distance);
                }
            }
            changed |= nearest != own;
            (self.labels[row], self.upper[row], self.lower[row]) = (nearest, least, second);
        }
        Ok(changed)
    }

    /// Half the distance of each mean from the nearest other one.
    fn half_gaps(&self) -> Vec<f64> {
        let metric = DistanceMetric::Euclidean;
        let gap = |cluster: usize| {
            let others = (0..self.clusters).filter(|other| *other != cluster);
            let least = others
                .map(|other| metric.compare(self.centre(cluster), self.centre(other)))
                .fold(f64::INFINITY, f64::min);
            0.5 * metric.distance(least)
        };
        (0..self.clusters).map(gap).collect()
    }

    fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.clusters];
        self.labels.iter().for_each(|label| sizes[*label] += 1);
        sizes
    }

    /// Gives each cluster without rows the row farthest from its mean; whether there was one.
    fn fill_empty(&mut self) -> bool {
        let mut sizes = self.sizes();
        let mut filled = false;
        while let Some(empty) = sizes.iter().position(|size| *size == 0) {
            let mut farthest: Option<(f64, usize)> = None;
            for row in 0..self.labels.len() {
                let distance = self.distance(row, self.labels[row]);
                let is_farther = farthest.is_none_or(|(most, _)| distance > most);
                if sizes[self.labels[row]] > 1 && is_farther {
                    farthest = Some((distance, row));
                }
            }
            let Some((_, row)) = farthest else {
                return filled;
            };
            sizes[self.labels[row]] -= 1;
            sizes[empty] += 1;
            self.labels[row] = empty;
            self.upper[row] = f64::INFINITY;
            self.lower[row] = 0.0;
            filled = true;
        }
        filled
    }

    /// Moves the means to their rows, and the bounds by as much.
    fn move_centres(&mut self) {
        let columns = self.points.columns();
        let before = std::mem::take(&mut self.centres);
        self.centres = self.means(&before);
        let metric = DistanceMetric::Euclidean;
        let moves: Vec<f64> = before
            .chunks_exact(columns)
            .zip(self.centres.chunks_exact(columns))
            .map(|(before, after)| metric.distance(metric.compare(before, after)))
            .collect();
        let most = moves.iter().copied().fold(0.0, f64::max);
        for row in 0..self.labels.len() {
            self.upper[row] += moves[self.labels[row]];
            self.lower[row] = (self.lower[row] - most * SLACK).max(0.0);
        }
    }

    /// The means of the clusters: around those before, so that no digit of a common offset is lost.
    fn means(&self, around: &[f64]) -> Vec<f64> {
        let columns = self.points.columns();
        let mut sums = vec![0.0; around.len()];
        for (row, label) in self.labels.iter().enumerate() {
            let range = label * columns..(label + 1) * columns;
            let centre = &around[range.clone()];
            let cells = self.points.row(row).iter().zip(centre);
            let sums = sums[range].iter_mut();
            sums.zip(cells)
                .for_each(|(sum, (value, centre))| *sum += value - centre);
        }
        let sizes = self.sizes();
        let mean = |(place, sum): (usize, f64)| match sizes[place / columns] {
            0 => around[place],
            size => around[place] + sum / size as f64,
        };
        sums.into_iter().enumerate().map(mean).collect()
    }

    fn within(&self) -> Vec<f64> {
        let mut within = vec![0.0; self.clusters];
        for (row, label) in self.labels.iter().enumerate() {
            let metric = DistanceMetric::Euclidean;
            within[*label] += metric.compare(self.points.row(row), self.centre(*label));
        }
        within
    }

    fn finish(mut self) -> KMeansFit {
        // The means of an iteration that was cut short are those of its rows too.
        self.centres = self.means(&self.centres);
        let columns = self.points.columns();
        let mut labels = self.labels.clone();
        number_by_appearance(&mut labels);
        let mut places = vec![0; self.clusters];
        for (before, after) in self.labels.iter().zip(&labels) {
            places[*after] = *before;
        }
        let within = self.within();
        let sizes = self.sizes();
        let centres = places.iter().flat_map(|place| self.centre(*place));
        KMeansFit {
            centres: centres.copied().collect(),
            sizes: places.iter().map(|place| sizes[*place]).collect(),
            within: places.iter().map(|place| within[*place]).collect(),
            total: total_squares(self.points, columns),
            iterations: self.iterations,
            converged: self.converged,
            agreeing: 0,
            labels,
        }
    }
}

/// Sum of the squared distances from the mean of all rows.
fn total_squares(points: &PointTable, columns: usize) -> f64 {
    let column = |place: usize| -> Vec<f64> {
        let cells = points.values().iter().skip(place).step_by(columns);
        cells.copied().collect()
    };
    let squares = |place: usize| -> f64 {
        let column = column(place);
        let mean = crate::summary::mean_of(&column);
        column.iter().map(|value| (value - mean).powi(2)).sum()
    };
    (0..columns).map(squares).sum()
}
