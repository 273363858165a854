//! Rates of events: Poisson counts over exposures.
//!
//! # References
//! F. Garwood, "Fiducial limits for the Poisson distribution", Biometrika 28, 1936; J. Przyborowski and H. Wilenski, Biometrika 31, 1940.

use numerics::special::{
    inverse_regularised_gamma, lgamma, regularised_gamma_p, regularised_gamma_q,
};

use super::outcome::{
    Alternative, EffectSize, HypothesisError, HypothesisResult, PValueBasis, ParameterEstimate,
    TestOptions, check_options,
};
use super::proportions::{SuccessCount, test_binomial};

/// Events seen over an exposure: time, area, or persons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EventCount {
    /// Events: whole, from 0.
    pub events: f64,
    /// Exposure, above 0.
    pub exposure: f64,
}

impl EventCount {
    fn check(&self) -> Result<(), HypothesisError> {
        if !(self.events >= 0.0 && self.events.fract() == 0.0 && self.events <= 9e15) {
            return Err(HypothesisError::Range {
                expected: "a whole number of events",
                found: self.events,
            });
        }
        match self.exposure > 0.0 && self.exposure.is_finite() {
            true => Ok(()),
            false => Err(HypothesisError::Range {
                expected: "an exposure above 0",
                found: self.exposure,
            }),
        }
    }
}

/// Garwood's interval of the mean of a Poisson count, leaving out given probabilities below and above.
fn garwood_interval(k: f64, left_out: [f64; 2]) -> [f64; 2] {
    let low = match k > 0.0 && left_out[0] > 0.0 {
        true => inverse_regularised_gamma(k, left_out[0]),
        false => 0.0,
    };
    let high = match left_out[1] > 0.0 {
        true => inverse_regularised_gamma(k + 1.0, 1.0 - left_out[1]),
        false => f64::INFINITY,
    };
    [low, high]
}

fn poisson_cdf(k: f64, mean: f64) -> f64 {
    match k < 0.0 {
        true => 0.0,
        false => regularised_gamma_q(k.floor() + 1.0, mean),
    }
}

/// P(K >= k).
fn poisson_tail(k: f64, mean: f64) -> f64 {
    match k <= 0.0 {
        true => 1.0,
        false => regularised_gamma_p(k, mean),
    }
}

/// The exact test of a rate of events; `options.null` is the rate by unit of exposure under the hypothesis. Two-sided, all counts count that are at most as
/// probable as the one observed.
///
/// # Errors
/// [`HypothesisError::Range`] for what are not counts, and for a null rate that is not above 0.
pub fn test_rate(
    count: EventCount,
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    count.check()?;
    if options.null <= 0.0 {
        return Err(HypothesisError::Range {
            expected: "a rate above 0 under the hypothesis",
            found: options.null,
        });
    }
    let (k, mean) = (count.events, options.null * count.exposure);
    let alpha = 1.0 - options.confidence;
    let (p, left_out) = match options.alternative {
        Alternative::Less => (poisson_cdf(k, mean), [0.0, alpha]),
        Alternative::Greater => (poisson_tail(k, mean), [alpha, 0.0]),
        Alternative::TwoSided => (minlike_poisson(k, mean), [0.5 * alpha; 2]),
    };
    let interval = garwood_interval(k, left_out).map(|end| end / count.exposure);
    let both = garwood_interval(k, [0.5 * alpha; 2]).map(|end| end / mean);
    Ok(HypothesisResult::new("exact Poisson test", "k", k, p)
        .with_basis(PValueBasis::Exact)
        .with_alternative(options.alternative)
        .with_estimate(ParameterEstimate {
            name: "rate",
            value: k / count.exposure,
            null: options.null,
            interval: Some(interval),
        })
        .with_effects(vec![EffectSize {
            name: "ratio to the expected rate",
            symbol: "ratio",
            value: k / mean,
            interval: Some(both),
        }]))
}

/// Probability of all counts that are at most as probable as `k`.
fn minlike_poisson(k: f64, mean: f64) -> f64 {
    const ALIKE: f64 = 1e-7;
    if k == mean {
        return 1.0;
    }
    let density = |j: f64| j * mean.ln() - mean - lgamma(j + 1.0);
    let limit = density(k) + ALIKE;
    if k > mean {
        let own = poisson_tail(k, mean);
        if density(0.0) > limit {
            return own;
        }
        let (mut far, mut near) = (0.0, mean.floor());
        if density(near) <= limit {
            far = near;
        }
        while near - far > 1.0 {
            let middle = (0.5 * (near + far)).floor();
            match density(middle) <= limit {
                true => far = middle,
                false => near = middle,
            }
        }
        return (own + poisson_cdf(far, mean)).min(1.0);
    }
    let own = poisson_cdf(k, mean);
    let mut near = mean.ceil();
    let mut far = near;
    let mut step = mean.sqrt().ceil().max(1.0);
    while density(far) > limit {
        near = far;
        far += step;
        step *= 2.0;
    }
    while far - near > 1.0 {
        let middle = (0.5 * (near + far)).floor();
        match density(middle) <= limit {
            true => far = middle,
            false => near = middle,
        }
    }
    (own + poisson_tail(far, mean)).min(1.0)
}

/// The exact test of the ratio of two rates, the first by the second: given the sum of the events, the first count is binomial.
///
/// # Errors
/// [`HypothesisError::Range`] for what are not counts, for no event at all, and for a null ratio that is not above 0.
pub fn test_rates(
    first: EventCount,
    second: EventCount,
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    first.check()?;
    second.check()?;
    if options.null <= 0.0 {
        return Err(HypothesisError::Range {
            expected: "a ratio above 0 under the hypothesis",
            found: options.null,
        });
    }
    let count = SuccessCount::new(first.events, first.events + second.events)?;
    let scale = second.exposure / first.exposure;
    let share = options.null / (options.null + scale);
    let inner = TestOptions {
        null: share,
        ..*options
    };
    let binomial = test_binomial(count, &inner)?;
    let to_ratio = |share: f64| match share < 1.0 {
        true => share / (1.0 - share) * scale,
        false => f64::INFINITY,
    };
    let value = to_ratio(first.events / count.trials);
    let interval = binomial.estimate.and_then(|estimate| estimate.interval);
    let ends = super::proportions::clopper_pearson(first.events, count.trials, options.confidence);
    Ok(HypothesisResult::new(
        "exact test of two Poisson rates",
        "k",
        first.events,
        binomial.p,
    )
    .with_basis(PValueBasis::Exact)
    .with_alternative(options.alternative)
    .with_estimate(ParameterEstimate {
        name: "ratio of rates",
        value,
        null: options.null,
        interval: interval.map(|ends| ends.map(to_ratio)),
    })
    .with_effects(vec![EffectSize {
        name: "rate ratio",
        symbol: "RR",
        value,
        interval: Some(ends.map(to_ratio)),
    }]))
}
