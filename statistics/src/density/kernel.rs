//! Density of a sample by a Gaussian kernel, with three choices of its bandwidth.

use numerics::quantile::QuantileDefinition;
use numerics::special::normal_density;

use crate::summary::CentralMoments;

/// A rule for the bandwidth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BandwidthRule {
    /// `0.9 min(sd, iqr / 1.34) n^(-1/5)`: B. W. Silverman, Density Estimation, 1986, 3.31; R's `bw.nrd0`.
    Silverman,
    /// `1.06 sd n^(-1/5)`: D. W. Scott, Multivariate Density Estimation, 1992, as SciPy's `scott` (1.0 for the 1.06).
    Scott,
    /// The equation of S. J. Sheather and M. C. Jones, J. R. Stat. Soc. B 53, 1991, solved; R's `bw.SJ`.
    SheatherJones,
    /// A number in units of the sample.
    Fixed(f64),
}

/// Why there is no density.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DensityError {
    /// Fewer than two values.
    #[error("a density needs 2 values, found {0}")]
    TooFew(usize),
    /// All values are equal: no bandwidth fits.
    #[error("the values are all equal")]
    Constant,
    /// The equation of Sheather and Jones has no solution in its range.
    #[error("the equation of the bandwidth has no solution")]
    NoBandwidth,
}

impl BandwidthRule {
    /// The bandwidth of a sorted sample.
    pub fn bandwidth(self, sorted: &[f64]) -> Result<f64, DensityError> {
        let n = sorted.len();
        if let Self::Fixed(bandwidth) = self {
            return Ok(bandwidth);
        }
        if n < 2 {
            return Err(DensityError::TooFew(n));
        }
        let sd = CentralMoments::new(sorted).variance().sqrt();
        if sd == 0.0 {
            return Err(DensityError::Constant);
        }
        let quantile = |p| QuantileDefinition::Linear.of(sorted, p);
        let range = quantile(0.75) - quantile(0.25);
        let power = (n as f64).powf(-0.2);
        Ok(match self {
            Self::Scott => sd * power,
            Self::Silverman => {
                let spread = if range > 0.0 {
                    sd.min(range / 1.34)
                } else {
                    sd
                };
                0.9 * spread * power
            }
            _ => {
                let scale = if range > 0.0 {
                    sd.min(range / 1.349)
                } else {
                    sd
                };
                sheather_jones(sorted, scale)?
            }
        })
    }
}

/// Counts of pairs of values by their distance in steps of a thousandth of the range, as in R.
struct DistanceCounts {
    counts: Vec<f64>,
    step: f64,
    n: f64,
}

impl DistanceCounts {
    const BINS: usize = 1000;

    fn new(sorted: &[f64]) -> Self {
        let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
        let step = (high - low) * 1.01 / Self::BINS as f64;
        let mut bins = vec![0.0_f64; Self::BINS];
        for x in sorted {
            let place = ((x - low) / step) as usize;
            bins[place.min(Self::BINS - 1)] += 1.0;
        }
        let mut counts = vec![0.0; Self::BINS];
        for i in 0..Self::BINS {
            if bins[i] == 0.0 {
                continue;
            }
            counts[0] += 0.5 * bins[i] * (bins[i] - 1.0);
            for j in 0..i {
                counts[i - j] += bins[i] * bins[j];
            }
        }
        Self {
            counts,
            step,
            n: sorted.len() as f64,
        }
    }

    /// The sum over pairs of a polynomial in the squared distance times a Gaussian.
    fn sum(&self, width: f64, polynomial: fn(f64) -> f64) -> f64 {
        let term = |(k, count): (usize, &f64)| {
            let square = (k as f64 * self.step / width).powi(2);
            match square < 1000.0 {
                true => count * (-0.5 * square).exp() * polynomial(square),
                false => 0.0,
            }
        };
        self.counts.iter().enumerate().map(term).sum()
    }

    /// The functionals of the fourth and sixth derivative of the density.
    fn fourth(&self, width: f64) -> f64 {
        let sum = 2.0 * self.sum(width, |d| d * d - 6.0 * d + 3.0) + self.n * 3.0;
        sum / (self.n * (self.n - 1.0) * width.powi(5) * std::f64::consts::TAU.sqrt())
    }

    fn sixth(&self, width: f64) -> f64 {
        let sum =
            2.0 * self.sum(width, |d| d * d * d - 15.0 * d * d + 45.0 * d - 15.0) - 15.0 * self.n;
        sum / (self.n * (self.n - 1.0) * width.powi(7) * std::f64::consts::TAU.sqrt())
    }
}

fn sheather_jones(sorted: &[f64], scale: f64) -> Result<f64, DensityError> {
    let counts = DistanceCounts::new(sorted);
    let n = counts.n;
    let first = 1.0 / (2.0 * std::f64::consts::PI.sqrt() * n);
    let sixth = -counts.sixth(1.23 * scale * n.powf(-1.0 / 9.0));
    if !(sixth.is_finite() && sixth > 0.0) {
        return Err(DensityError::NoBandwidth);
    }
    let fourth = counts.fourth(1.24 * scale * n.powf(-1.0 / 7.0));
    let factor = 1.357 * (fourth / sixth).powf(1.0 / 7.0);
    let gap = |h: f64| (first / counts.fourth(factor * h.powf(5.0 / 7.0))).powf(0.2) - h;
    let most = 1.144 * scale * n.powf(-0.2);
    let (mut low, mut high) = (0.1 * most, most);
    for _ in 0..100 {
        if gap(low) * gap(high) <= 0.0 {
            break;
        }
        (low, high) = (low / 1.2, high * 1.2);
    }
    let at_low = gap(low);
    let product = at_low * gap(high);
    if product.is_nan() || product > 0.0 {
        return Err(DensityError::NoBandwidth);
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        match gap(middle) * at_low > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    Ok(0.5 * (low + high))
}

/// The density of a sorted sample at places, by a Gaussian kernel. Costs the values within 38 bandwidths of each place.
pub fn kernel_density(sorted: &[f64], bandwidth: f64, places: &[f64]) -> Vec<f64> {
    /// Beyond, the kernel is 0.
    const REACH: f64 = 38.6;
    let n = sorted.len() as f64;
    let at = |place: &f64| {
        let from = sorted.partition_point(|x| *x < place - REACH * bandwidth);
        let to = sorted.partition_point(|x| *x <= place + REACH * bandwidth);
        let kernels = sorted[from..to]
            .iter()
            .map(|x| normal_density((place - x) / bandwidth));
        kernels.sum::<f64>() / (n * bandwidth)
    };
    places.iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: [f64; 10] = [1.2, 3.4, 2.2, 8.9, 4.1, 3.3, 2.8, 5.0, 3.4, 12.5];
    /// Inches of rain of 70 cities: R's data set `precip`.
    const RAIN: [f64; 70] = [
        67.0, 54.7, 7.0, 48.5, 14.0, 17.2, 20.7, 13.0, 43.4, 40.2, 38.9, 54.5, 59.8, 48.3, 22.9,
        11.5, 34.4, 35.1, 38.7, 30.8, 30.6, 43.1, 56.8, 40.8, 41.8, 42.5, 31.0, 31.7, 30.2, 25.9,
        49.2, 37.0, 35.9, 15.0, 30.2, 7.2, 36.2, 45.5, 7.8, 33.4, 36.1, 40.2, 42.7, 42.5, 16.2,
        39.0, 35.0, 37.0, 31.4, 37.6, 39.9, 36.2, 42.8, 46.4, 24.7, 49.1, 46.0, 35.9, 7.8, 48.2,
        15.2, 32.5, 44.7, 42.6, 38.8, 17.4, 40.8, 29.1, 14.6, 59.2,
    ];

    fn sorted(values: &[f64]) -> Vec<f64> {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    }

    /// By SciPy 1.17 (`gaussian_kde`) and statsmodels 0.15 (`bw_silverman`, which divides by 1.349 where R and this have 1.34).
    #[test]
    fn densities_and_bandwidths_agree() {
        let sample = sorted(&SAMPLE);
        let bandwidth = BandwidthRule::Scott.bandwidth(&sample).unwrap();
        assert!((bandwidth / 2.169204881845441 - 1.0).abs() < 1e-13);
        let density = kernel_density(&sample, bandwidth, &[2.0, 4.0, 9.0]);
        for (found, expected) in density.iter().zip([0.11660739, 0.12602245, 0.03053804]) {
            assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
        let silverman = BandwidthRule::Silverman.bandwidth(&sample).unwrap();
        assert!((silverman * 1.34 / 1.349 / 0.7787575823272959 - 1.0).abs() < 1e-4);
    }

    /// By the equation over all pairs without bins, with SciPy 1.17's `brentq`; R prints 3.938, solved to its tolerance of 0.05.
    #[test]
    fn the_equation_of_sheather_and_jones_is_solved() {
        let bandwidth = BandwidthRule::SheatherJones
            .bandwidth(&sorted(&RAIN))
            .unwrap();
        assert!((bandwidth - 3.942012389430292).abs() < 2e-3, "{bandwidth}");
    }

    #[test]
    fn constants_have_no_bandwidth() {
        for rule in [
            BandwidthRule::Scott,
            BandwidthRule::Silverman,
            BandwidthRule::SheatherJones,
        ] {
            assert_eq!(rule.bandwidth(&[2.0; 4]), Err(DensityError::Constant));
            assert_eq!(rule.bandwidth(&[2.0]), Err(DensityError::TooFew(1)));
        }
    }
}
