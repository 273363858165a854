//! [`CondensedDistances`]: the distances of all pairs of rows.

use numerics::Watch;

use super::{DistanceMetric, MultivariateError, PointTable};

/// The distances of all pairs of rows, the first row's first, as SciPy's `pdist`.
#[derive(Debug, Clone, PartialEq)]
pub struct CondensedDistances {
    rows: usize,
    values: Vec<f64>,
}

impl CondensedDistances {
    /// Of some rows of a table: 8 bytes and one distance for each pair.
    ///
    /// # Errors
    /// Memory, or the caller stopped it.
    pub fn new(
        points: &PointTable,
        rows: &[usize],
        metric: DistanceMetric,
        watch: &dyn Watch,
    ) -> Result<Self, MultivariateError> {
        let count = rows.len();
        let pairs = count.saturating_mul(count.saturating_sub(1)) / 2;
        watch.reserve_doubles(pairs)?;
        let mut values = Vec::with_capacity(pairs);
        for (place, &row) in rows.iter().enumerate() {
            watch.check()?;
            let from = points.row(row);
            let others = rows[place + 1..].iter();
            values.extend(
                others.map(|&other| metric.distance(metric.compare(from, points.row(other)))),
            );
        }
        Ok(Self {
            rows: count,
            values,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The distances, pair by pair.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    #[inline]
    fn place(&self, a: usize, b: usize) -> usize {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        low * (2 * self.rows - low - 1) / 2 + high - low - 1
    }

    /// The distance of two different rows.
    #[inline]
    pub fn between(&self, a: usize, b: usize) -> f64 {
        self.values[self.place(a, b)]
    }

    #[inline]
    pub(super) fn set_between(&mut self, a: usize, b: usize, distance: f64) {
        let place = self.place(a, b);
        self.values[place] = distance;
    }
}
