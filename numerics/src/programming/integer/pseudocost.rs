//! [`Pseudocosts`]: how much the bound has risen where a variable was branched on, per unit of its fraction.

/// Sums and counts for each variable and direction.
pub(super) struct Pseudocosts {
    sums: Vec<[f64; 2]>,
    counts: Vec<[u32; 2]>,
    /// Sum and count over all variables.
    means: [(f64, u32); 2],
}

impl Pseudocosts {
    pub(super) fn new(count: usize) -> Self {
        Self {
            sums: vec![[0.0; 2]; count],
            counts: vec![[0; 2]; count],
            means: [(0.0, 0); 2],
        }
    }

    /// Records a rise of the bound after a branch: direction 0 is down, 1 is up.
    pub(super) fn record(&mut self, variable: usize, direction: usize, rise: f64, distance: f64) {
        if rise.is_finite() && distance > 1e-9 {
            self.sums[variable][direction] += rise.max(0.0) / distance;
            self.counts[variable][direction] += 1;
            let (sum, count) = &mut self.means[direction];
            *sum += rise.max(0.0) / distance;
            *count += 1;
        }
    }

    /// The product of the rises that a branch is expected to have.
    pub(super) fn score(&self, variable: usize, fraction: f64) -> f64 {
        let rise = |direction: usize, distance: f64| {
            let count = self.counts[variable][direction];
            let per_unit = if count == 0 {
                self.mean(direction)
            } else {
                self.sums[variable][direction] / f64::from(count)
            };
            (per_unit * distance).max(1e-6)
        };
        rise(0, fraction) * rise(1, 1.0 - fraction)
    }

    /// Records of the direction that has fewer.
    pub(super) fn least_count(&self, variable: usize) -> u32 {
        let [down, up] = self.counts[variable];
        down.min(up)
    }

    fn mean(&self, direction: usize) -> f64 {
        let (sum, count) = self.means[direction];
        if count == 0 {
            1.0
        } else {
            sum / f64::from(count)
        }
    }
}
