//! [`link_clusters`]: rows joined into clusters, and these into larger ones.

use numerics::Watch;

use super::{ClusterMerge, ClusterTree, CondensedDistances, MultivariateError};

/// How far apart two clusters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkageMethod {
    /// As their nearest rows.
    Single,
    /// As their farthest rows.
    Complete,
    /// As their rows on average (UPGMA).
    Average,
    /// As the two parts of each on average (WPGMA).
    Weighted,
    /// By the growth of the sum of squares (Ward); Euclidean distances alone.
    Ward,
    /// As their means (UPGMC); Euclidean distances alone. Heights may fall.
    Centroid,
    /// As the middles of their parts (WPGMC); Euclidean distances alone. Heights may fall.
    Median,
}

impl LinkageMethod {
    /// Whether it is defined by Euclidean distances.
    pub fn is_euclidean(self) -> bool {
        matches!(self, Self::Ward | Self::Centroid | Self::Median)
    }

    /// The distance of a cluster from two that are joined (G. N. Lance and W. T. Williams, Comput. J. 9, 1967).
    fn join(self, other: ClusterSide, [a, b]: [ClusterSide; 2], between: f64) -> f64 {
        let (da, db) = (a.distance, b.distance);
        let (na, nb, n) = (a.size, b.size, other.size);
        match self {
            Self::Single => da.min(db),
            Self::Complete => da.max(db),
            Self::Average => (na * da + nb * db) / (na + nb),
            Self::Weighted => 0.5 * (da + db),
            Self::Ward => {
                let sum = (n + na) * da * da + (n + nb) * db * db - n * between * between;
                (sum.max(0.0) / (n + na + nb)).sqrt()
            }
            Self::Centroid => {
                let (na, nb) = (na / (na + nb), nb / (na + nb));
                let sum = na * da * da + nb * db * db - na * nb * between * between;
                sum.max(0.0).sqrt()
            }
            Self::Median => {
                let sum = 0.5 * (da * da + db * db) - 0.25 * between * between;
                sum.max(0.0).sqrt()
            }
        }
    }
}

/// Rows of a cluster, and its distance from another.
#[derive(Debug, Clone, Copy)]
struct ClusterSide {
    distance: f64,
    size: f64,
}

/// Joins clusters, the nearest two at a time, from the distances of all pairs of rows.
///
/// # Method
/// Chains of nearest neighbours, which take `n^2` steps; `Centroid` and `Median`, whose distances may fall, search the nearest pair each time with a
/// candidate for each cluster. Of equal distances the cluster that was reached before, or the lower number, comes first.
///
/// # Errors
/// Fewer than two rows, or the caller stopped it.
///
/// # References
/// D. Muellner, "Modern hierarchical, agglomerative clustering algorithms", arXiv:1109.2378, 2011.
pub fn link_clusters(
    distances: CondensedDistances,
    method: LinkageMethod,
    watch: &dyn Watch,
) -> Result<ClusterTree, MultivariateError> {
    let rows = distances.rows();
    if rows < 2 {
        return Err(MultivariateError::TooFewRows {
            needed: 2,
            found: rows,
        });
    }
    let mut joining = ClusterJoining {
        distances,
        sizes: vec![1; rows],
        method,
        merges: Vec::with_capacity(rows - 1),
    };
    match method {
        LinkageMethod::Centroid | LinkageMethod::Median => joining.by_nearest_pairs(watch)?,
        _ => {
            joining.by_chains(watch)?;
            // Chains find the merges out of order.
            joining.merges.sort_by(|a, b| a.height.total_cmp(&b.height));
        }
    }
    Ok(ClusterTree::new(rows, joining.merges))
}

/// Two clusters, each by one of its rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowMerge {
    pub rows: [usize; 2],
    pub height: f64,
}

struct ClusterJoining {
    distances: CondensedDistances,
    /// Rows of the cluster in this place; 0 for one that was joined with another.
    sizes: Vec<usize>,
    method: LinkageMethod,
    merges: Vec<RowMerge>,
}

impl ClusterJoining {
    fn is_open(&self, place: usize) -> bool {
        self.sizes[place] > 0
    }

    /// Joins two clusters into the place of the second.
    fn join(&mut self, first: usize, second: usize, height: f64) {
        let (na, nb) = (self.sizes[first] as f64, self.sizes[second] as f64);
        self.merges.push(RowMerge {
            rows: [first, second],
            height,
        });
        self.sizes[second] += self.sizes[first];
        self.sizes[first] = 0;
        for other in 0..self.sizes.len() {
            if other == second || !self.is_open(other) {
                continue;
            }
            let side = |place: usize, size: f64| ClusterSide {
                distance: self.distances.between(other, place),
                size,
            };
            let sides = [side(first, na), side(second, nb)];
            let size = self.sizes[other] as f64;
            let other_side = ClusterSide {
                distance: 0.0,
                size,
            };
            let distance = self.method.join(other_side, sides, height);
            self.distances.set_between(other, second, distance);
        }
    }

    fn by_chains(&mut self, watch: &dyn Watch) -> Result<(), MultivariateError> {
        let rows = self.sizes.len();
        let mut chain: Vec<usize> = Vec::new();
        while self.merges.len() + 1 < rows {
            watch.check()?;
            if chain.is_empty() {
                chain.extend((0..rows).find(|&place| self.is_open(place)));
            }
            let Some(&end) = chain.last() else {
                return Ok(());
            };
            // The cluster before it in the chain comes first among equals, so that chains end.
            let before = chain.len().checked_sub(2).map(|at| chain[at]);
            let mut nearest = before.map(|place| (self.distances.between(end, place), place));
            for place in (0..rows).filter(|place| *place != end) {
                if !self.is_open(place) {
                    continue;
                }
                let distance = self.distances.between(end, place);
                if nearest.is_none_or(|(least, _)| distance < least) {
                    nearest = Some((distance, place));
                }
            }
            let Some((height, place)) = nearest else {
                return Ok(());
            };
            if Some(place) == before {
                chain.truncate(chain.len() - 2);
                self.join(end.min(place), end.max(place), height);
            } else {
                chain.push(place);
            }
        }
        Ok(())
    }

    fn by_nearest_pairs(&mut self, watch: &dyn Watch) -> Result<(), MultivariateError> {
        let rows = self.sizes.len();
        let mut nearest: Vec<Option<(f64, usize)>> =
            (0..rows).map(|place| self.nearest_after(place)).collect();
        for _ in 1..rows {
            watch.check()?;
            let mut best: Option<(f64, usize, usize)> = None;
            for place in (0..rows).filter(|place| self.is_open(*place)) {
                if let Some((distance, other)) = nearest[place]
                    && best.is_none_or(|(least, ..)| distance < least)
                {
                    best = Some((distance, place, other));
                }
            }
            let Some((height, first, second)) = best else {
                return Ok(());
            };
            self.join(first, second, height);
            for place in (0..rows).filter(|place| self.is_open(*place)) {
                let lost =
                    nearest[place].is_some_and(|(_, other)| [first, second].contains(&other));
                if place == second || lost {
                    nearest[place] = self.nearest_after(place);
                } else if place < second {
                    let distance = self.distances.between(place, second);
                    if nearest[place].is_none_or(|(least, _)| distance < least) {
                        nearest[place] = Some((distance, second));
                    }
                }
            }
        }
        Ok(())
    }

    /// The nearest cluster in a later place.
    fn nearest_after(&self, place: usize) -> Option<(f64, usize)> {
        let mut nearest: Option<(f64, usize)> = None;
        for other in (place + 1..self.sizes.len()).filter(|other| self.is_open(*other)) {
            let distance = self.distances.between(place, other);
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, other));
            }
        }
        nearest
    }
}

impl ClusterMerge {
    /// Merges by rows as merges by numbers of clusters, in their order.
    pub(super) fn number_clusters(rows: usize, merges: &[RowMerge]) -> Vec<Self> {
        let mut parents: Vec<usize> = (0..2 * rows).collect();
        let mut sizes = vec![1; 2 * rows];
        let mut numbered = Vec::with_capacity(merges.len());
        for (place, merge) in merges.iter().enumerate() {
            let [a, b] = merge.rows.map(|row| find_root(&mut parents, row));
            let number = rows + place;
            parents[a] = number;
            parents[b] = number;
            sizes[number] = sizes[a] + sizes[b];
            numbered.push(Self {
                first: a.min(b),
                second: a.max(b),
                height: merge.height,
                size: sizes[number],
            });
        }
        numbered
    }
}

/// The cluster that a row or cluster is part of.
pub(super) fn find_root(parents: &mut [usize], of: usize) -> usize {
    let mut root = of;
    while parents[root] != root {
        root = parents[root];
    }
    let mut at = of;
    while parents[at] != root {
        at = std::mem::replace(&mut parents[at], root);
    }
    root
}
