//! The studentised range, and Dunnett's maximum of correlated t values.
//!
//! Both are means over the chi distribution of a normal probability, which is an integral over one normal variable: two trapezoidal sums whose errors fall
//! exponentially with the step. Upper tails are summed as such, so that small probabilities have their digits.
//!
//! # References
//! M. D. Copenhaver and B. Holland, J. Stat. Comput. Simul. 30, 1988; C. W. Dunnett, JASA 50, 1955.

use numerics::roots::bracket::RootBracket;
use numerics::special::normal_cdf;

use crate::effect::scale_nodes;

/// Change of the probabilities with the logarithm of the scale.
const STEEPNESS: f64 = 10.0;
/// Normal deviates beyond do not count.
const DEVIATE_MAX: f64 = 9.0;

/// Points of the inner sum with the weight of the normal density.
struct NormalNode {
    z: f64,
    weight: f64,
}

fn normal_nodes(step: f64, reach: f64) -> Vec<NormalNode> {
    let from = (-DEVIATE_MAX / step).floor() as i64;
    let to = ((DEVIATE_MAX + reach) / step).ceil() as i64;
    let scale = step / (2.0 * std::f64::consts::PI).sqrt();
    let node = |index: i64| {
        let z = step * index as f64;
        NormalNode {
            z,
            weight: scale * (-0.5 * z * z).exp(),
        }
    };
    (from..=to).map(node).collect()
}

/// Probability that the range of `groups` normal means divided by an independent deviation with `df` degrees of freedom exceeds `q`. For 2 groups or
/// more, and `df` above 0.
pub fn studentised_range_sf(q: f64, groups: usize, df: f64) -> f64 {
    /// Ranges beyond have no probability among doubles.
    const RANGE_MAX: f64 = 70.0;
    if q <= 0.0 {
        return 1.0;
    }
    let others = groups as f64 - 1.0;
    let step = 0.55 / (1.0 + 2.0 * (groups as f64).ln()).sqrt();
    let nodes = normal_nodes(step, 0.5 * RANGE_MAX);
    let cdfs: Vec<f64> = nodes.iter().map(|node| normal_cdf(node.z)).collect();
    let powers: Vec<f64> = nodes
        .iter()
        .zip(&cdfs)
        .map(|(node, cdf)| groups as f64 * node.weight * cdf.powf(others))
        .collect();
    let range_tail = |w: f64| -> f64 {
        let high = DEVIATE_MAX + 0.5 * w;
        let parts = nodes.iter().zip(cdfs.iter().zip(&powers));
        parts
            .take_while(|(node, _)| node.z <= high)
            .filter(|(_, (_, power))| **power > 0.0)
            .map(|(node, (cdf, power))| {
                let share = (normal_cdf(node.z - w) / cdf).min(1.0);
                -power * (others * (-share).ln_1p()).exp_m1()
            })
            .sum()
    };
    let scales = scale_nodes(df, STEEPNESS);
    let parts = scales
        .iter()
        .filter(|node| node.scale * q < RANGE_MAX)
        .map(|node| node.weight * range_tail(q * node.scale));
    parts.sum::<f64>().clamp(0.0, 1.0)
}

/// The value that the studentised range exceeds with probability `p`, strictly between 0 and 1.
pub fn studentised_range_isf(p: f64, groups: usize, df: f64) -> f64 {
    falling_root(p, |q| studentised_range_sf(q, groups, df))
}

/// Where a function that falls from 1 to 0 is `p`.
fn falling_root(p: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut at_low, mut high) = (0.0, 1.0 - p, 2.0);
    let mut at_high = f(high) - p;
    while at_high > 0.0 && high < 1e12 {
        (low, at_low) = (high, at_high);
        high *= 2.0;
        at_high = f(high) - p;
    }
    let bracket = RootBracket {
        low,
        at_low,
        high,
        at_high,
    };
    let mut value = |x: f64| Ok::<f64, ()>(f(x) - p);
    bracket
        .narrowed(1e-11 * high, &mut value)
        .map_or(f64::NAN, |it| it.best().0)
}

/// Comparisons of several groups with one: the sizes on which the correlations of the t values depend.
#[derive(Debug, Clone)]
pub struct DunnettSizes {
    /// For each group, the part of the deviation of its t value that is common to all.
    loadings: Vec<f64>,
}

impl DunnettSizes {
    /// From the sizes of the groups, and that of the control.
    pub fn new(groups: &[f64], control: f64) -> Self {
        let loading = |size: &f64| (size / (size + control)).sqrt();
        Self {
            loadings: groups.iter().map(loading).collect(),
        }
    }

    /// Probability that the largest magnitude of the t values exceeds `t`, for `df` degrees of freedom.
    pub fn two_sided_sf(&self, t: f64, df: f64) -> f64 {
        if t <= 0.0 {
            return 1.0;
        }
        let most = self.loadings.iter().copied().fold(0.0, f64::max);
        let step = 0.5 * (1.0 - most * most).sqrt();
        let nodes = normal_nodes(step, 0.0);
        let tail = |bound: f64| -> f64 {
            let parts = nodes.iter().map(|node| {
                let logs = self.loadings.iter().map(|loading| {
                    let rest = (1.0 - loading * loading).sqrt();
                    let common = loading * node.z;
                    let outside =
                        normal_cdf((common - bound) / rest) + normal_cdf((-common - bound) / rest);
                    (-outside).ln_1p()
                });
                -node.weight * logs.sum::<f64>().exp_m1()
            });
            parts.sum()
        };
        let scales = scale_nodes(df, STEEPNESS);
        let parts = scales.iter().map(|node| node.weight * tail(t * node.scale));
        parts.sum::<f64>().clamp(0.0, 1.0)
    }

    /// The value that the largest magnitude exceeds with probability `p`.
    pub fn two_sided_isf(&self, p: f64, df: f64) -> f64 {
        falling_root(p, |t| self.two_sided_sf(t, df))
    }
}
