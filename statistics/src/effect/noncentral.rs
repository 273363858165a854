//! Noncentral distributions, and the noncentrality at which an observed statistic has a given probability: what intervals of effect sizes need.
//!
//! # References
//! M. D. Smithson, "Confidence Intervals", 2003, on inverting the noncentral distributions. The noncentral t is a mixture of normal
//! distributions over the chi distribution, summed by the trapezoidal rule in the logarithm of the scale, whose error falls exponentially for
//! such integrands (L. N. Trefethen and J. A. C. Weideman, "The exponentially convergent trapezoidal rule", SIAM Review 56, 2014).

use numerics::roots::bracket::RootBracket;
use numerics::special::{normal_cdf, regularised_beta, regularised_gamma_p};

/// Exponents below this do not count, also beside a tail of 1e-13.
const EXPONENT_LEAST: f64 = -62.0;
/// Most nodes of a mixture.
const NODES_MAX: f64 = 200_000.0;

/// A scale `s` of a chi distribution divided by its root mean square, and the weight of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScaleNode {
    pub scale: f64,
    pub weight: f64,
}

/// Nodes whose weights sum to 1, by which a mean over `sqrt(chi^2_df / df)` is taken, for integrands that change over `1 / steepness` of the
/// logarithm of the scale.
pub(crate) fn scale_nodes(df: f64, steepness: f64) -> Vec<ScaleNode> {
    let exponent = |u: f64| df * u - 0.5 * df * (2.0 * u).exp_m1();
    let width = (2.0 * df + steepness * steepness).sqrt();
    let (mut low, mut high) = (-1.0 / width, 1.0 / width);
    while exponent(low) > EXPONENT_LEAST {
        low *= 1.3;
    }
    while exponent(high) > EXPONENT_LEAST {
        high *= 1.1;
    }
    let step = (1.0 / (1.6 * width))
        .min(0.09)
        .max((high - low) / NODES_MAX);
    let count = ((high - low) / step).ceil() as usize;
    let mut nodes: Vec<ScaleNode> = (0..=count)
        .map(|index| {
            let u = low + step * index as f64;
            ScaleNode {
                scale: u.exp(),
                weight: exponent(u).exp(),
            }
        })
        .collect();
    let total: f64 = nodes.iter().map(|node| node.weight).sum();
    nodes.iter_mut().for_each(|node| node.weight /= total);
    nodes
}

/// Probability of a noncentral t value at or below `t`; to some 1e-13 absolutely.
pub fn noncentral_t_cdf(t: f64, df: f64, noncentrality: f64) -> f64 {
    let nodes = scale_nodes(df, noncentrality.abs().min(1e4) + 6.0);
    let part = |node: &ScaleNode| node.weight * normal_cdf(t * node.scale - noncentrality);
    nodes.iter().map(part).sum::<f64>().min(1.0)
}

/// A function of a whole number that falls with it by steps, each of which is a known multiple of the one before.
struct FallingSteps<V, R> {
    /// The function.
    value: V,
    /// The step from j over that from j - 1.
    ratio: R,
    /// Where the steps are largest.
    peak: f64,
}

/// Mean of a function over a Poisson distribution. The function is computed at three places, and is else the sum of its steps from the far end on; the
/// recurrences go away from the largest step, so that no error grows.
fn poisson_mean<V: Fn(f64) -> f64, R: Fn(f64) -> f64>(rate: f64, f: &FallingSteps<V, R>) -> f64 {
    const NEGLIGIBLE: f64 = 1e-18;
    let mode = rate.floor();
    let (mut below, mut weights) = (Vec::new(), vec![1.0]);
    let (mut index, mut weight) = (mode, 1.0);
    while index > 0.0 && weight > NEGLIGIBLE {
        weight *= index / rate;
        index -= 1.0;
        below.push(weight);
    }
    let low = index;
    (index, weight) = (mode, 1.0);
    while weight > NEGLIGIBLE {
        index += 1.0;
        weight *= rate / index;
        weights.push(weight);
    }
    below.reverse();
    below.append(&mut weights);
    let weights = below;
    let last = weights.len() - 1;
    let peak = ((f.peak - low).max(0.0) as usize).min(last);
    let place = |at: usize| low + at as f64;
    let mut steps = vec![0.0; weights.len()];
    steps[peak] = (f.value)(place(peak)) - (f.value)(place(peak + 1));
    for at in peak + 1..=last {
        steps[at] = steps[at - 1] * (f.ratio)(place(at));
    }
    for at in (0..peak).rev() {
        steps[at] = steps[at + 1] / (f.ratio)(place(at + 1));
    }
    let (mut value, mut sum) = ((f.value)(place(last + 1)), 0.0);
    for (step, weight) in steps.iter().zip(&weights).rev() {
        value += step;
        sum += weight * value;
    }
    sum / weights.iter().sum::<f64>()
}

/// Probability of a noncentral chi-squared value at or below `x`.
pub fn noncentral_chi_squared_cdf(x: f64, df: f64, noncentrality: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let (a, y) = (0.5 * df, 0.5 * x);
    // P(a, y) - P(a + 1, y) = y^a e^-y / gamma(a + 1).
    let steps = FallingSteps {
        value: |j| regularised_gamma_p(a + j, y),
        ratio: |j| y / (a + j),
        peak: y - a,
    };
    poisson_mean(0.5 * noncentrality, &steps)
}

/// Probability of a noncentral F value at or below `x`.
pub fn noncentral_f_cdf(x: f64, df1: f64, df2: f64, noncentrality: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let (a, b) = (0.5 * df1, 0.5 * df2);
    let share = df1 * x / (df1 * x + df2);
    // I(a, b) - I(a + 1, b) = share^a (1 - share)^b / (a B(a, b)).
    let steps = FallingSteps {
        value: |j| regularised_beta(a + j, b, share),
        ratio: |j| share * (a + j + b - 1.0) / (a + j),
        peak: share * (b - 1.0) / (1.0 - share) - a,
    };
    poisson_mean(0.5 * noncentrality, &steps)
}

/// The noncentrality at which a distribution function, which falls with it, is `p`; `least` where it is below `p` already there.
fn noncentrality_at(p: f64, least: f64, start: f64, cdf: impl Fn(f64) -> f64) -> Option<f64> {
    const DOUBLINGS_MAX: usize = 60;
    let at_least = cdf(least) - p;
    if at_least <= 0.0 {
        return Some(least);
    }
    let mut step = start.abs().max(1.0);
    let (mut low, mut at_low) = (least, at_least);
    for _ in 0..DOUBLINGS_MAX {
        let high = low + step;
        let at_high = cdf(high) - p;
        if at_high <= 0.0 {
            let bracket = RootBracket {
                low,
                at_low,
                high,
                at_high,
            };
            let mut f = |x: f64| Ok::<f64, ()>(cdf(x) - p);
            let tolerance = 1e-13 * high.abs().max(1.0);
            return bracket
                .narrowed(tolerance, &mut f)
                .ok()
                .map(|it| it.best().0);
        }
        (low, at_low) = (high, at_high);
        step *= 2.0;
    }
    None
}

/// EstimateInterval of the noncentrality of an observed t value, both ends of any sign. `None` for values beyond 10^4.
pub(crate) fn noncentral_t_interval(t: f64, df: f64, confidence: f64) -> Option<[f64; 2]> {
    const T_MAX: f64 = 1e4;
    if t.is_nan() || t.abs() > T_MAX || df < 1.0 {
        return None;
    }
    let tail = 0.5 * (1.0 - confidence);
    let spread = 8.0 + 2.0 * t.abs() * (1.0 + 8.0 / df.sqrt());
    let cdf = |ncp: f64| noncentral_t_cdf(t, df, ncp);
    let low = noncentrality_at(1.0 - tail, t - spread, spread, cdf)?;
    let high = noncentrality_at(tail, low, spread, cdf)?;
    Some([low, high])
}

/// EstimateInterval of the noncentrality of an observed F value.
pub(crate) fn noncentral_f_interval(
    x: f64,
    df1: f64,
    df2: f64,
    confidence: f64,
) -> Option<[f64; 2]> {
    let tail = 0.5 * (1.0 - confidence);
    let cdf = |ncp: f64| noncentral_f_cdf(x, df1, df2, ncp);
    interval_above_zero(x * df1, tail, cdf)
}

/// EstimateInterval of the noncentrality of an observed chi-squared value.
pub(crate) fn noncentral_chi_squared_interval(
    x: f64,
    df: f64,
    confidence: f64,
) -> Option<[f64; 2]> {
    let tail = 0.5 * (1.0 - confidence);
    interval_above_zero(x, tail, |ncp| noncentral_chi_squared_cdf(x, df, ncp))
}

fn interval_above_zero(size: f64, tail: f64, cdf: impl Fn(f64) -> f64) -> Option<[f64; 2]> {
    const SIZE_MAX: f64 = 1e8;
    if size.is_nan() || size > SIZE_MAX {
        return None;
    }
    let low = noncentrality_at(1.0 - tail, 0.0, size, &cdf)?;
    let high = noncentrality_at(tail, 0.0, size, &cdf)?;
    Some([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, relative: f64) {
        assert!(
            (value - expected).abs() <= relative * expected.abs(),
            "{value} instead of {expected}"
        );
    }

    /// mpmath 1.4 with 30 digits.
    #[test]
    fn noncentral_values() {
        let cases = [
            (2.0, 10.0, 1.5, 0.659_154_072_442_190_8),
            (5.0, 3.0, 4.0, 0.586_262_542_101_976_7),
            (-1.0, 7.0, 2.0, 0.002_027_715_991_649_275_6),
            (30.0, 50.0, 25.0, 0.940_367_554_563_657_7),
            (0.5, 1.0, -2.0, 0.989_638_617_359_642_9),
        ];
        for (t, df, noncentrality, expected) in cases {
            near(noncentral_t_cdf(t, df, noncentrality), expected, 1e-12);
        }
        near(
            noncentral_f_cdf(3.0, 2.0, 12.0, 4.0),
            0.554_445_062_163_214_2,
            1e-12,
        );
        near(
            noncentral_chi_squared_cdf(7.0, 3.0, 5.0),
            0.494_930_502_165_384_5,
            1e-12,
        );
        let further = [
            (0.02, 2.0, 30.0, 9.0, 0.000_230_512_409_867_040_34),
            (40.0, 5.0, 200.0, 150.0, 0.920_369_337_346_884_5),
            (1.1, 1.0, 3.0, 0.0, 0.628_691_687_689_689_1),
            (300.0, 3.0, 8.0, 700.0, 0.619_618_177_374_813),
        ];
        for (x, df1, df2, noncentrality, expected) in further {
            near(
                noncentral_f_cdf(x, df1, df2, noncentrality),
                expected,
                1e-12,
            );
        }
        near(
            noncentral_chi_squared_cdf(900.0, 4.0, 800.0),
            0.951_966_974_810_681_5,
            1e-12,
        );
        near(
            noncentral_chi_squared_cdf(0.1, 2.0, 20.0),
            2.810_607_664_952_267e-6,
            1e-12,
        );
        // Without noncentrality it is Student's distribution.
        near(
            noncentral_t_cdf(1.2, 4.0, 0.0),
            1.0 - crate::distribution::student_sf(1.2, 4.0),
            1e-13,
        );
    }

    /// The ends have the probabilities that they are to have, for small and large statistics of either sign.
    #[test]
    fn intervals_leave_out_their_tails() {
        for (t, df) in [
            (0.0, 5.0),
            (2.3, 18.0),
            (-4.0, 3.0),
            (45.0, 200.0),
            (1.0, 1.0),
        ] {
            let [low, high] = noncentral_t_interval(t, df, 0.95).expect("an interval");
            near(noncentral_t_cdf(t, df, low), 0.975, 1e-9);
            near(noncentral_t_cdf(t, df, high), 0.025, 1e-9);
        }
        let [low, high] = noncentral_f_interval(0.5, 2.0, 30.0, 0.95).expect("an interval");
        assert_eq!(low, 0.0);
        near(noncentral_f_cdf(0.5, 2.0, 30.0, high), 0.025, 1e-9);
    }
}
