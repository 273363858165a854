//! Shares of variance: eta squared, omega squared, epsilon squared.
//!
//! # References
//! K. Kelley, "Confidence intervals for standardized effect sizes", J. Stat. Softw. 20(8), 2007: intervals by the noncentral F distribution.
//! J. H. Steiger, "Beyond the F test", Psychol. Methods 9, 2004.

use super::noncentral::noncentral_f_interval;
use crate::hypothesis::EffectSize;

/// Sums of squares of a term and of its error, as effect sizes need them.
#[derive(Debug, Clone, Copy)]
pub struct VarianceShares {
    /// Sum of squares of the term.
    pub term_squares: f64,
    /// Degrees of freedom of the term.
    pub term_df: f64,
    /// Sum of squares of the error.
    pub error_squares: f64,
    /// Degrees of freedom of the error.
    pub error_df: f64,
    /// Sum of squares about the mean.
    pub total_squares: f64,
    /// Number of observations.
    pub count: f64,
}

impl VarianceShares {
    fn f_value(&self) -> f64 {
        (self.term_squares / self.term_df) / (self.error_squares / self.error_df)
    }

    /// EstimateInterval of the partial share, from that of the noncentrality.
    fn partial_interval(&self, confidence: f64) -> Option<[f64; 2]> {
        let ends = noncentral_f_interval(self.f_value(), self.term_df, self.error_df, confidence)?;
        Some(ends.map(|ncp| ncp / (ncp + self.term_df + self.error_df + 1.0)))
    }
}

/// Partial eta squared: the share of what the term and the error explain.
pub fn partial_eta_squared(shares: &VarianceShares, confidence: f64) -> EffectSize {
    EffectSize {
        name: "partial eta squared",
        symbol: "partial eta2",
        value: shares.term_squares / (shares.term_squares + shares.error_squares),
        interval: shares.partial_interval(confidence),
    }
}

/// Eta squared: the share of all variation. Its interval is that of the partial share where the term is the only one.
pub fn eta_squared(shares: &VarianceShares, confidence: f64) -> EffectSize {
    let rest = shares.total_squares - shares.term_squares - shares.error_squares;
    let is_only = rest.abs() <= 1e-9 * shares.total_squares;
    EffectSize {
        name: "eta squared",
        symbol: "eta2",
        value: shares.term_squares / shares.total_squares,
        interval: match is_only {
            true => shares.partial_interval(confidence),
            false => None,
        },
    }
}

/// Partial omega squared, less biased than eta squared; negative values are reported as they are.
pub fn omega_squared(shares: &VarianceShares, confidence: f64) -> EffectSize {
    let excess = shares.term_df * (shares.f_value() - 1.0);
    let transform = |f: f64| {
        let excess = shares.term_df * (f - 1.0);
        excess / (excess + shares.count)
    };
    let ends = noncentral_f_interval(
        shares.f_value(),
        shares.term_df,
        shares.error_df,
        confidence,
    );
    // The interval of F in the population of that noncentrality, so that the ends are on the scale of omega.
    let interval = ends.map(|ends| ends.map(|ncp| transform(1.0 + ncp / shares.term_df)));
    EffectSize {
        name: "partial omega squared",
        symbol: "omega2",
        value: excess / (excess + shares.count),
        interval,
    }
}

/// Partial omega squared and partial eta squared of an F value whose sums of squares are not known, such as Welch's.
pub fn f_effects(f: f64, df1: f64, df2: f64, count: f64, confidence: f64) -> Vec<EffectSize> {
    let shares = VarianceShares {
        term_squares: f * df1,
        term_df: df1,
        error_squares: df2,
        error_df: df2,
        total_squares: f * df1 + df2,
        count,
    };
    vec![
        omega_squared(&shares, confidence),
        partial_eta_squared(&shares, confidence),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: F = (30 / 2) / (60 / 12) = 3, eta squared 1 / 3, omega squared 4 / 19.
    #[test]
    fn shares_by_hand() {
        let shares = VarianceShares {
            term_squares: 30.0,
            term_df: 2.0,
            error_squares: 60.0,
            error_df: 12.0,
            total_squares: 90.0,
            count: 15.0,
        };
        let eta = eta_squared(&shares, 0.95);
        let omega = omega_squared(&shares, 0.95);
        assert!((eta.value - 1.0 / 3.0).abs() < 1e-15);
        assert!((omega.value - 4.0 / 19.0).abs() < 1e-15);
        for effect in [eta, omega, partial_eta_squared(&shares, 0.95)] {
            let [low, high] = effect.interval.expect("an interval");
            assert!(low <= effect.value && effect.value <= high, "{effect:?}");
        }
    }
}
