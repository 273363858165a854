//! Power of tests by noncentral distributions: the chance that a test of a size finds an effect, and what size or effect gives a chance.

use crate::distribution::{Distribution, Family, normal_isf, student_isf};
use numerics::special::normal_cdf;

/// A test of which the power is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PowerTest {
    /// A mean against a number, or the mean of differences of pairs: Cohen's d, `n` values or pairs.
    OneMean,
    /// Two means: Cohen's d, `n` in the first group, `ratio` times as many in the second.
    TwoMeans {
        /// Size of the second group over that of the first.
        ratio: f64,
    },
    /// Means of several groups: Cohen's f, `n` in each group.
    Anova {
        /// Number of groups.
        groups: f64,
    },
    /// A correlation against 0: r, `n` pairs; by Fisher's z with its bias, as in R's package pwr.
    Correlation,
    /// A proportion against a number: Cohen's h, normal approximation.
    OneProportion,
    /// Two proportions: Cohen's h, `n` in the first group.
    TwoProportions {
        /// Size of the second group over that of the first.
        ratio: f64,
    },
    /// A table of counts: Cohen's w, `n` counts in all.
    ChiSquared {
        /// Degrees of freedom.
        df: f64,
    },
}

/// What a power is computed for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerDesign {
    /// The test.
    pub test: PowerTest,
    /// Its size.
    pub n: f64,
    /// The effect.
    pub effect: f64,
    /// Level of the test.
    pub alpha: f64,
    /// Whether both directions count; ANOVA and chi-squared have none.
    pub is_two_sided: bool,
}

/// The quantity that is solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PowerUnknown {
    /// The size.
    Size,
    /// The effect.
    Effect,
    /// The level.
    Alpha,
}

/// Why no design has a power.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PowerError {
    /// Nothing in the range gives the power.
    #[error("no {0} from {1} to {2} gives the power {3}")]
    OutOfReach(&'static str, f64, f64, f64),
}

/// Builds a distribution whose parameters are known to be right.
fn known(family: &str, parameters: &[f64]) -> Option<Box<dyn Distribution>> {
    Family::named(family).ok()?.build(parameters).ok()
}

impl PowerDesign {
    /// The least size of the test.
    pub fn least_size(&self) -> f64 {
        match self.test {
            PowerTest::Correlation => 4.0,
            PowerTest::OneMean | PowerTest::TwoMeans { .. } | PowerTest::Anova { .. } => 2.0,
            _ => 1.0,
        }
    }

    /// The power; NaN where the size is too small for the test.
    pub fn power(&self) -> f64 {
        let Self {
            n, effect, alpha, ..
        } = *self;
        match self.test {
            PowerTest::OneMean => self.t_power(n - 1.0, effect * n.sqrt()),
            PowerTest::TwoMeans { ratio } => {
                let second = ratio * n;
                self.t_power(
                    n + second - 2.0,
                    effect * (n * second / (n + second)).sqrt(),
                )
            }
            PowerTest::Anova { groups } => {
                let (df1, df2) = (groups - 1.0, groups * (n - 1.0));
                let critical = known("f", &[df1, df2]).map(|f| f.upper_quantile(alpha));
                let shifted = known("noncentral_f", &[df1, df2, effect * effect * n * groups]);
                tail(shifted, critical)
            }
            PowerTest::ChiSquared { df } => {
                let critical = known("chi_squared", &[df]).map(|chi| chi.upper_quantile(alpha));
                tail(
                    known("noncentral_chi_squared", &[df, n * effect * effect]),
                    critical,
                )
            }
            PowerTest::Correlation => self.correlation_power(),
            PowerTest::OneProportion => self.normal_power(effect * n.sqrt()),
            PowerTest::TwoProportions { ratio } => {
                let second = ratio * n;
                self.normal_power(effect * (n * second / (n + second)).sqrt())
            }
        }
    }

    fn level(&self) -> f64 {
        if self.is_two_sided {
            0.5 * self.alpha
        } else {
            self.alpha
        }
    }

    fn t_power(&self, df: f64, noncentrality: f64) -> f64 {
        if df.is_nan() || df <= 0.0 {
            return f64::NAN;
        }
        let critical = student_isf(self.level(), df);
        let Some(shifted) = known("noncentral_t", &[df, noncentrality]) else {
            return f64::NAN;
        };
        let other = if self.is_two_sided {
            shifted.cdf(-critical)
        } else {
            0.0
        };
        shifted.sf(critical) + other
    }

    fn normal_power(&self, shift: f64) -> f64 {
        let critical = normal_isf(self.level());
        let other = if self.is_two_sided {
            normal_cdf(-critical - shift)
        } else {
            0.0
        };
        normal_cdf(shift - critical) + other
    }

    fn correlation_power(&self) -> f64 {
        let (n, r) = (self.n, self.effect);
        if n.is_nan() || n <= 3.0 {
            return f64::NAN;
        }
        let t = student_isf(self.level(), n - 2.0);
        let critical = (t / (t * t + n - 2.0).sqrt()).atanh();
        let z = r.atanh() + 0.5 * r / (n - 1.0);
        let root = (n - 3.0).sqrt();
        let other = if self.is_two_sided {
            normal_cdf((-z - critical) * root)
        } else {
            0.0
        };
        normal_cdf((z - critical) * root) + other
    }

    /// The design with the unknown such that it has the power; sizes are not rounded. Effects are looked for above 0.
    ///
    /// # Errors
    /// When nothing in the range of the unknown gives the power.
    pub fn solve(&self, unknown: PowerUnknown, power: f64) -> Result<Self, PowerError> {
        let with = |value: f64| match unknown {
            PowerUnknown::Size => Self { n: value, ..*self },
            PowerUnknown::Effect => Self {
                effect: value,
                ..*self
            },
            PowerUnknown::Alpha => Self {
                alpha: value,
                ..*self
            },
        };
        let (word, low, high) = match unknown {
            PowerUnknown::Size => ("size", self.least_size(), 1e9),
            PowerUnknown::Alpha => ("level", 1e-300, 1.0 - 1e-12),
            PowerUnknown::Effect => match self.test {
                PowerTest::Correlation => ("effect", 1e-12, 1.0 - 1e-12),
                PowerTest::OneProportion | PowerTest::TwoProportions { .. } => {
                    ("effect", 1e-12, std::f64::consts::PI)
                }
                _ => ("effect", 1e-12, 1e4),
            },
        };
        let gap = |value: f64| with(value).power() - power;
        // Outward from the start, so that the largest sizes are not tried where a few suffice.
        let (mut below, mut above) = (
            low,
            if unknown == PowerUnknown::Alpha {
                high
            } else {
                low
            },
        );
        let mut stride = if unknown == PowerUnknown::Size {
            4.0
        } else {
            0.125
        };
        while unknown != PowerUnknown::Alpha && above < high && gap(above) < 0.0 {
            below = above;
            above = (low + stride).min(high);
            stride *= 2.0;
        }
        let at_above = gap(above);
        if at_above.is_nan() || at_above < 0.0 || (below == above && at_above > 1e-9) {
            return Err(PowerError::OutOfReach(word, low, high, power));
        }
        for _ in 0..200 {
            let middle = match unknown {
                PowerUnknown::Alpha => (below * above).sqrt(),
                _ => 0.5 * (below + above),
            };
            if middle <= below || middle >= above || (above - below) < 1e-13 * above {
                break;
            }
            match gap(middle) < 0.0 {
                true => below = middle,
                false => above = middle,
            }
        }
        Ok(with(above))
    }
}

fn tail(shifted: Option<Box<dyn Distribution>>, critical: Option<f64>) -> f64 {
    match (shifted, critical) {
        (Some(shifted), Some(critical)) => shifted.sf(critical),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(test: PowerTest, n: f64, effect: f64) -> PowerDesign {
        PowerDesign {
            test,
            n,
            effect,
            alpha: 0.05,
            is_two_sided: true,
        }
    }

    /// By statsmodels 0.15 (noncentral distributions of SciPy 1.17).
    #[test]
    fn powers_agree_with_statsmodels() {
        use PowerTest::*;
        let near = |design: PowerDesign, expected: f64| {
            let power = design.power();
            assert!(
                (power / expected - 1.0).abs() < 1e-8,
                "{design:?}: {power}, expected {expected}"
            );
        };
        near(design(OneMean, 20.0, 0.5), 0.5645044184390203);
        near(
            design(TwoMeans { ratio: 1.5 }, 30.0, 0.5),
            0.5530865834946614,
        );
        let one_sided = PowerDesign {
            is_two_sided: false,
            ..design(TwoMeans { ratio: 1.0 }, 25.0, 0.4)
        };
        near(one_sided, 0.40106389243870133);
        near(
            design(Anova { groups: 4.0 }, 30.0, 0.25),
            0.6065227867477794,
        );
        near(
            design(ChiSquared { df: 3.0 }, 100.0, 0.3),
            0.7112535997950424,
        );
        near(
            design(TwoProportions { ratio: 1.0 }, 80.0, 0.3),
            0.47510087057263783,
        );
        // R, package pwr 1.3: pwr.r.test(r = 0.3, n = 50, sig.level = 0.05)
        let power = design(Correlation, 50.0, 0.3).power();
        assert!((power - 0.5715558).abs() < 1e-6, "{power}");
    }

    #[test]
    fn unknowns_agree_with_statsmodels() {
        use PowerTest::*;
        let near = |value: f64, expected: f64| {
            assert!(
                (value / expected - 1.0).abs() < 1e-7,
                "{value}, expected {expected}"
            );
        };
        let size = |test, effect, power| design(test, 2.0, effect).solve(PowerUnknown::Size, power);
        near(
            size(TwoMeans { ratio: 1.0 }, 0.5, 0.8).unwrap().n,
            63.76561058891169,
        );
        near(size(OneMean, 0.3, 0.9).unwrap().n, 118.68650521827722);
        near(
            size(Anova { groups: 4.0 }, 0.25, 0.8).unwrap().n,
            44.59927430675453,
        );
        let effect = design(TwoMeans { ratio: 1.0 }, 30.0, 0.0).solve(PowerUnknown::Effect, 0.8);
        // statsmodels gives 0.7356198, whose power is 1.3e-6 below 0.8.
        let effect = effect.unwrap();
        assert!((effect.effect - 0.735621).abs() < 1e-6 && (effect.power() - 0.8).abs() < 1e-11);
        let alpha = design(OneMean, 20.0, 0.5).solve(PowerUnknown::Alpha, 0.8);
        near(alpha.unwrap().alpha, 0.1798319559265387);
        assert!(size(OneMean, 0.0, 0.8).is_err());
    }
}
