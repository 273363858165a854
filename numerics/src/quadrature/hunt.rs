//! Features between the samples: where bounds of the integrand exceed what the samples around have shown, the place is halved down to
//! what they come from. A peak costs one bound for each bit of its place, however narrow it is.
//!
//! # References
//! Best-first branch and bound: E. Hansen and G. W. Walster, "Global Optimization Using Interval Analysis", Dekker 2004.

use std::collections::BinaryHeap;

use super::Bounds;
use super::chart::RangeChart;
use crate::roots::interval::Interval;

/// Pieces of a chart to begin with.
const PIECES: usize = 64;
/// An excess below this share of the largest sample is left alone.
const LOW: f64 = 1e-6;

/// A piece of a chart, by how far the bounds on it exceed the samples around it.
struct ExcessPiece {
    excess: f64,
    low: f64,
    high: f64,
}

impl Ord for ExcessPiece {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by = self.excess.total_cmp(&other.excess);
        by.then(other.low.total_cmp(&self.low))
    }
}

impl PartialOrd for ExcessPiece {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ExcessPiece {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ExcessPiece {}

/// What the samples of a chart have shown.
pub(super) struct ChartSamples<'a> {
    pub(super) chart: RangeChart,
    /// In ascending order.
    pub(super) coordinates: &'a [f64],
    /// Values in the measure of the chart.
    pub(super) values: &'a [f64],
}

impl ChartSamples<'_> {
    /// Coordinates worth a sample, fewer than `most`, from about so many bounds; none where the chart pairs two places.
    pub(super) fn hunt(&self, reach: f64, bounds: &Bounds<'_>, most: usize) -> Vec<f64> {
        let [smallest, ..] = *self.coordinates else {
            return Vec::new();
        };
        if matches!(self.chart, RangeChart::Pair { .. }) {
            return Vec::new();
        }
        let finite = self.values.iter().filter(|value| value.is_finite());
        let scale = finite.fold(0.0_f64, |most, value| most.max(value.abs()));
        let least = (LOW * scale).max(f64::MIN_POSITIVE);
        let piece = |low: f64, high: f64| {
            let excess = self.excess(low, high, bounds);
            (excess > least).then_some(ExcessPiece { excess, low, high })
        };
        let group = self.coordinates.len().div_ceil(PIECES);
        let inner = self.coordinates.iter().step_by(group).skip(1);
        let (mut low, mut count) = (0.0, 0);
        let mut heap = BinaryHeap::new();
        for &high in inner.chain(&[reach]) {
            if low < high {
                heap.extend(piece(low, high));
                (low, count) = (high, count + 1);
            }
        }
        let mut found = Vec::new();
        while count < most
            && let Some(ExcessPiece { low, high, .. }) = heap.pop()
        {
            let middle = low + (high - low) / 2.0;
            let is_narrow = high - low <= 64.0 * f64::EPSILON * self.size(high);
            // An end that is infinite or has no bounds: samples are dense there, and the rest is extrapolated.
            if is_narrow || high < smallest {
                continue;
            }
            found.push(middle);
            heap.extend(piece(low, middle));
            heap.extend(piece(middle, high));
            count += 2;
        }
        found
    }

    /// Size of what a coordinate is rounded with.
    fn size(&self, u: f64) -> f64 {
        let (x, stretch) = self.chart.place(u);
        u.max(x.abs() / stretch)
    }

    /// How far the bounds on a piece exceed its samples and the next ones.
    fn excess(&self, low: f64, high: f64, bounds: &Bounds<'_>) -> f64 {
        let (a, b) = (self.chart.place(low), self.chart.place(high));
        let Some(found) = bounds(Interval::new(a.0.min(b.0), a.0.max(b.0))) else {
            return 0.0;
        };
        let found = found.hull();
        let stretch = Interval::new(a.1.min(b.1), a.1.max(b.1));
        let found = found.times(stretch);
        let first = self.coordinates.partition_point(|&u| u < low);
        let last = self.coordinates.partition_point(|&u| u <= high);
        let around = first.saturating_sub(1)..(last + 1).min(self.values.len());
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for &value in self.values[around].iter().filter(|value| value.is_finite()) {
            least = least.min(value);
            most = most.max(value);
        }
        if least > most {
            return 0.0;
        }
        (found.hi - most).max(least - found.lo)
    }
}
