//! [`ClusterTree`]: which clusters were joined at which height.

use numerics::Watch;

use super::chain::{RowMerge, find_root};
use super::{CondensedDistances, MultivariateError, number_by_appearance};

/// Two clusters that were joined, as a line of SciPy's linkage: numbers below the number of rows are rows, n + i is the cluster of line i.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterMerge {
    /// The cluster with the lower number.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// Their distance.
    pub height: f64,
    /// Rows of both.
    pub size: usize,
}

/// Clusters of clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterTree {
    rows: usize,
    merges: Vec<ClusterMerge>,
}

impl ClusterTree {
    pub(super) fn new(rows: usize, merges: Vec<RowMerge>) -> Self {
        Self {
            merges: ClusterMerge::number_clusters(rows, &merges),
            rows,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The merges in their order.
    pub fn merges(&self) -> &[ClusterMerge] {
        &self.merges
    }

    /// The cluster of each row after all but the last merges, so that `clusters` are left (1 to the number of rows).
    pub fn cut_by_number(&self, clusters: usize) -> Vec<usize> {
        let made = self.rows.saturating_sub(clusters.max(1));
        self.labels_after(|place, _| place < made)
    }

    /// The cluster of each row after the merges up to a height, of each merge the largest one below it.
    pub fn cut_by_height(&self, height: f64) -> Vec<usize> {
        self.labels_after(|_, highest| highest <= height)
    }

    fn labels_after(&self, is_made: impl Fn(usize, f64) -> bool) -> Vec<usize> {
        let mut parents: Vec<usize> = (0..self.rows + self.merges.len()).collect();
        let mut highest = vec![f64::NEG_INFINITY; parents.len()];
        for (place, merge) in self.merges.iter().enumerate() {
            let number = self.rows + place;
            let below = highest[merge.first].max(highest[merge.second]);
            highest[number] = merge.height.max(below);
            if is_made(place, highest[number]) {
                parents[merge.first] = number;
                parents[merge.second] = number;
            }
        }
        let rows = 0..self.rows;
        let mut labels: Vec<usize> = rows.map(|row| find_root(&mut parents, row)).collect();
        number_by_appearance(&mut labels);
        labels
    }

    /// The rows in an order in which no lines of a picture cross: of each merge the rows of the lower number first.
    pub fn leaf_order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.rows);
        let mut open: Vec<usize> = (self.rows + self.merges.len())
            .checked_sub(1)
            .into_iter()
            .collect();
        while let Some(at) = open.pop() {
            match at.checked_sub(self.rows) {
                None => order.push(at),
                Some(place) => {
                    let merge = &self.merges[place];
                    open.extend([merge.second, merge.first]);
                }
            }
        }
        order
    }

    /// Whether a merge is lower than one of its parts, as means of clusters may be.
    pub fn has_inversions(&self) -> bool {
        let part = |number: usize| {
            let place = number.checked_sub(self.rows);
            place.map_or(f64::NEG_INFINITY, |place| self.merges[place].height)
        };
        let mut merges = self.merges.iter();
        merges.any(|merge| merge.height < part(merge.first).max(part(merge.second)))
    }

    /// The correlation of the distances of rows with the heights at which they are joined; `None` where one of both does not vary.
    ///
    /// # Errors
    /// The caller stopped it.
    ///
    /// # References
    /// R. R. Sokal and F. J. Rohlf, "The comparison of dendrograms by objective methods", Taxon 11, 1962.
    pub fn cophenetic_correlation(
        &self,
        distances: &CondensedDistances,
        watch: &dyn Watch,
    ) -> Result<Option<f64>, MultivariateError> {
        let pairs = distances.values().len() as f64;
        let size = |number: usize| match number.checked_sub(self.rows) {
            None => 1,
            Some(place) => self.merges[place].size,
        };
        let crossing = |merge: &ClusterMerge| (size(merge.first) * size(merge.second)) as f64;
        let distance_mean = distances.values().iter().sum::<f64>() / pairs;
        let weighted = self
            .merges
            .iter()
            .map(|merge| crossing(merge) * merge.height);
        let height_mean = weighted.sum::<f64>() / pairs;
        // The rows of each cluster lie side by side in the order of the leaves.
        let order = self.leaf_order();
        let mut starts = vec![0; self.rows + self.merges.len()];
        for (place, row) in order.iter().enumerate() {
            starts[*row] = place;
        }
        let (mut both, mut of_distances, mut of_heights) = (0.0, 0.0, 0.0);
        for (place, merge) in self.merges.iter().enumerate() {
            watch.check()?;
            starts[self.rows + place] = starts[merge.first];
            let rows = |number: usize| &order[starts[number]..starts[number] + size(number)];
            let height = merge.height - height_mean;
            for &a in rows(merge.first) {
                for &b in rows(merge.second) {
                    let distance = distances.between(a, b) - distance_mean;
                    both += distance * height;
                    of_distances += distance * distance;
                }
            }
            of_heights += crossing(merge) * height * height;
        }
        let correlation = both / (of_distances.sqrt() * of_heights.sqrt());
        let largest = numerics::dense::max_abs(distances.values());
        // Distances that are equal but for rounding have no correlation.
        let varies = |squares: f64| (squares / pairs).sqrt() > 1e-12 * largest;
        let is_defined = varies(of_distances) && varies(of_heights) && correlation.is_finite();
        Ok(is_defined.then_some(correlation.clamp(-1.0, 1.0)))
    }
}
