//! The epsilon algorithm: the limit of a sequence from its first members.
//!
//! # References
//! P. Wynn, "On a device for computing the e_m(S_n) transformation", MTAC 10, 1956; E. J. Weniger, "Nonlinear sequence
//! transformations", Computer Physics Reports 10, 1989, section 4.3.

/// The last counter-diagonal of the table, and the last estimates.
#[derive(Debug, Default)]
pub(super) struct EpsilonTable {
    diagonal: Vec<f64>,
    estimates: Vec<f64>,
}

impl EpsilonTable {
    /// Columns that are kept: sums beyond gain nothing but rounding errors.
    const COLUMNS_MAX: usize = 40;

    /// Takes the next member; an estimate of the limit, and the largest distance from the three estimates before.
    pub(super) fn push(&mut self, member: f64) -> (f64, f64) {
        let known = self.diagonal.len();
        self.diagonal.push(member);
        let mut left = 0.0;
        let mut flat = None;
        for column in (1..=known).rev() {
            let above = left;
            left = self.diagonal[column - 1];
            let difference = self.diagonal[column] - left;
            if difference == 0.0 && flat.is_none() && (known - column).is_multiple_of(2) {
                flat = Some(left); // members of an even column agree: that is the limit
            }
            self.diagonal[column - 1] = if difference.abs() <= f64::MIN_POSITIVE {
                f64::MAX
            } else {
                above + 1.0 / difference
            };
        }
        let estimate = flat.unwrap_or(self.diagonal[known % 2]);
        if known + 1 > Self::COLUMNS_MAX {
            self.diagonal.drain(..2);
        }
        let recent = self.estimates.iter().rev().take(3);
        let spread = recent.map(|old| (old - estimate).abs()).fold(0.0, f64::max);
        self.estimates.push(estimate);
        let enough = self.estimates.len() > 3 && estimate.is_finite() && estimate.abs() < f64::MAX;
        (estimate, if enough { spread } else { f64::INFINITY })
    }
}
