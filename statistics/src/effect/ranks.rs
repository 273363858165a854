//! Effect sizes of ranks.
//!
//! # References
//! D. S. Kerby, "The simple difference formula", Compr. Psychol. 3, 2014; A. Vargha and H. D. Delaney, J. Educ. Behav. Stat. 25, 2000. The
//! intervals take the variance under the hypothesis on the scale of Fisher's z.

use crate::distribution::normal_isf;
use crate::hypothesis::EffectSize;

/// A correlation with an interval on the scale of Fisher's z.
fn rank_correlation(name: &'static str, value: f64, error: f64, confidence: f64) -> EffectSize {
    let reach = normal_isf(0.5 * (1.0 - confidence)) * error;
    let bounded = value.clamp(-1.0, 1.0);
    let interval = match bounded.abs() < 1.0 {
        true => Some([-reach, reach].map(|step| (bounded.atanh() + step).tanh())),
        false => None,
    };
    EffectSize {
        name,
        symbol: "r_rb",
        value: bounded,
        interval,
    }
}

/// Rank-biserial correlation and Vargha and Delaney's A, the probability that `x` exceeds `y` with half of the ties, from that share.
pub fn dominance_effects(share: f64, n: f64, m: f64, confidence: f64) -> Vec<EffectSize> {
    let error = ((n + m + 1.0) / (3.0 * n * m)).sqrt();
    let biserial = rank_correlation(
        "rank-biserial correlation",
        2.0 * share - 1.0,
        error,
        confidence,
    );
    let probability = EffectSize {
        name: "probability of superiority",
        symbol: "A",
        value: share,
        interval: biserial
            .interval
            .map(|ends| ends.map(|end| 0.5 * (1.0 + end))),
    };
    vec![biserial, probability]
}

/// Rank-biserial correlation of pairs: the sum of the positive signed ranks less that of the negative ones, as a share of all.
pub fn signed_rank_effect(positive: f64, negative: f64, n: f64, confidence: f64) -> EffectSize {
    let total = 0.5 * n * (n + 1.0);
    let error = ((2.0 * n + 1.0) * n * (n + 1.0) / 6.0).sqrt() / total;
    let value = (positive - negative) / (positive + negative);
    rank_correlation(
        "matched-pairs rank-biserial correlation",
        value,
        error,
        confidence,
    )
}
