//! Sample quantiles: the nine definitions of R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician
//! 50(4), 1996, by NumPy's names.

/// A definition of the quantile of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuantileDefinition {
    /// Type 1: the inverse of the distribution function.
    InvertedCdf,
    /// Type 2: as type 1, with averages where the distribution function is flat.
    AveragedInvertedCdf,
    /// Type 3: the observation nearest to `n p`, the even one of two.
    ClosestObservation,
    /// Type 4: linear interpolation of the distribution function.
    InterpolatedInvertedCdf,
    /// Type 5: linear, with knots midway through the steps.
    Hazen,
    /// Type 6: linear between the expected orders, `p (n + 1)`.
    Weibull,
    /// Type 7: linear between the modes, `p (n - 1)`: the default of R and NumPy.
    Linear,
    /// Type 8: approximately unbiased for the median, whatever the distribution.
    MedianUnbiased,
    /// Type 9: approximately unbiased for a normal distribution.
    NormalUnbiased,
}

impl QuantileDefinition {
    /// By type.
    pub const ALL: [Self; 9] = [
        Self::InvertedCdf,
        Self::AveragedInvertedCdf,
        Self::ClosestObservation,
        Self::InterpolatedInvertedCdf,
        Self::Hazen,
        Self::Weibull,
        Self::Linear,
        Self::MedianUnbiased,
        Self::NormalUnbiased,
    ];

    /// The quantile of a sorted sample, which is not empty, for a probability from 0 to 1; never outside the two values it lies between.
    pub fn of(self, sorted: &[f64], probability: f64) -> f64 {
        let (below, share) = self.position(sorted.len(), probability);
        let low = sorted[below];
        let high = sorted[(below + 1).min(sorted.len() - 1)];
        if share == 0.0 || low == high {
            return low;
        }
        if share == 1.0 {
            return high;
        }
        let span = high - low;
        let value = if span.is_finite() {
            low + span * share
        } else {
            low * (1.0 - share) + high * share
        };
        value.clamp(low, high)
    }

    /// The index of the value below, and the share of the way to the next one.
    fn position(self, count: usize, p: f64) -> (usize, f64) {
        let n = count as f64;
        if self == Self::Linear {
            let position = (n - 1.0) * p;
            return (position.floor() as usize, position - position.floor());
        }
        let offset = match self {
            Self::InvertedCdf | Self::AveragedInvertedCdf | Self::InterpolatedInvertedCdf => 0.0,
            Self::ClosestObservation => -0.5,
            Self::Hazen => 0.5,
            Self::Weibull => p,
            Self::Linear => 1.0 - p,
            Self::MedianUnbiased => (p + 1.0) / 3.0,
            Self::NormalUnbiased => 0.25 * p + 0.375,
        };
        let order = n * p + offset;
        // As in R: an order within a few roundings of a whole number is that number.
        let fuzz = 4.0 * f64::EPSILON * order.abs().max(1.0);
        let whole = (order + fuzz).floor();
        let rest = order - whole;
        let rest = if rest.abs() <= fuzz { 0.0 } else { rest };
        let share = match self {
            Self::InvertedCdf => f64::from(u8::from(rest > 0.0)),
            Self::AveragedInvertedCdf => {
                if rest > 0.0 {
                    1.0
                } else {
                    0.5
                }
            }
            Self::ClosestObservation => f64::from(u8::from(rest > 0.0 || whole % 2.0 != 0.0)),
            _ => rest,
        };
        // Orders count from 1.
        if whole < 1.0 {
            return (0, 0.0);
        }
        if whole >= n {
            return (count - 1, 0.0);
        }
        (whole as usize - 1, share)
    }
}
