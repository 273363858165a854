//! [`DistanceMetric`]: how far apart two rows are.

/// How far apart two rows are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DistanceMetric {
    /// Root of the sum of squares.
    Euclidean,
    /// Sum of magnitudes.
    Manhattan,
    /// Largest magnitude.
    Chebyshev,
    /// Root of order p of the sum of the powers p, from 1 to 100.
    Minkowski(f64),
    /// 1 less the cosine of the angle, from 0 to 2; rows must have length 1.
    Cosine,
}

impl DistanceMetric {
    /// A number that grows with the distance and needs no root.
    #[inline]
    pub(super) fn compare(self, a: &[f64], b: &[f64]) -> f64 {
        self.gather(a.iter().zip(b).map(|(a, b)| (a - b).abs()))
    }

    /// As [`DistanceMetric::compare`], of the differences of columns. Rounding keeps the order: smaller differences never give more.
    #[inline]
    pub(super) fn gather(self, differences: impl Iterator<Item = f64>) -> f64 {
        match self {
            Self::Euclidean | Self::Cosine => differences.fold(0.0, |sum, d| sum + d * d),
            Self::Manhattan => differences.fold(0.0, |sum, d| sum + d),
            Self::Chebyshev => differences.fold(0.0, f64::max),
            Self::Minkowski(power) => differences.fold(0.0, |sum, d| sum + d.powf(power)),
        }
    }

    /// The distance of such a number.
    pub(super) fn distance(self, compared: f64) -> f64 {
        match self {
            Self::Euclidean => compared.sqrt(),
            Self::Manhattan | Self::Chebyshev => compared,
            Self::Minkowski(power) => compared.powf(1.0 / power),
            Self::Cosine => 0.5 * compared,
        }
    }

    /// The number of a distance.
    pub(super) fn compared(self, distance: f64) -> f64 {
        match self {
            Self::Euclidean => distance * distance,
            Self::Manhattan | Self::Chebyshev => distance,
            Self::Minkowski(power) => distance.powf(power),
            Self::Cosine => 2.0 * distance,
        }
    }
}
