//! [`HypothesisResult`]: what every test returns, and [`HypothesisError`]: why one cannot be made.

use numerics::Interruption;

use crate::distribution::{normal_isf, normal_sf, student_sf};

/// Which values of the parameter speak against the hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alternative {
    /// Values on either side.
    #[default]
    TwoSided,
    /// Values below that of the hypothesis.
    Less,
    /// Values above that of the hypothesis.
    Greater,
}

/// What all tests are told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestOptions {
    /// Which values speak against the hypothesis.
    pub alternative: Alternative,
    /// Coverage of the intervals, between 0 and 1.
    pub confidence: f64,
    /// Value of the parameter under the hypothesis: a mean, a difference, a median.
    pub null: f64,
}

impl Default for TestOptions {
    fn default() -> Self {
        Self {
            alternative: Alternative::TwoSided,
            confidence: 0.95,
            null: 0.0,
        }
    }
}

/// Where a p value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PValueBasis {
    /// The distribution of the statistic, given the assumptions of the test.
    Distribution,
    /// All arrangements, counted.
    Exact,
    /// The limit for large samples.
    Asymptotic,
    /// The limit for large samples, with a correction for continuity.
    Corrected,
    /// Random arrangements.
    Simulated {
        /// How many.
        draws: usize,
    },
    /// A table or a fitted curve, which ends at the values that the notes name.
    Tabulated,
}

/// The quantity that a test is about, with its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterEstimate {
    /// What it is, such as `difference of means`.
    pub name: &'static str,
    /// The estimate.
    pub value: f64,
    /// Its value under the hypothesis.
    pub null: f64,
    /// Its confidence interval, open to one side for a one-sided test.
    pub interval: Option<[f64; 2]>,
}

/// The size of an effect on a scale without units, with its two-sided interval.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectSize {
    /// Its name, such as `Cohen d`.
    pub name: &'static str,
    /// The letter or letters by which it is reported, such as `d`.
    pub symbol: &'static str,
    /// The estimate.
    pub value: f64,
    /// Its confidence interval, where one is known.
    pub interval: Option<[f64; 2]>,
}

/// A test with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct HypothesisResult {
    /// Name of the test.
    pub name: &'static str,
    /// The letter of its statistic.
    pub symbol: &'static str,
    /// The statistic.
    pub statistic: f64,
    /// Degrees of freedom: none, one, or two for F.
    pub df: Vec<f64>,
    /// Probability, under the hypothesis, of what speaks as much against it; its own digits are good where it is tiny.
    pub p: f64,
    /// Where the p value comes from.
    pub basis: PValueBasis,
    /// Which values spoke against the hypothesis.
    pub alternative: Alternative,
    /// What the test is about.
    pub estimate: Option<ParameterEstimate>,
    /// Sizes of the effect, the usual one first.
    pub effects: Vec<EffectSize>,
    /// What a reader should know of these data.
    pub notes: Vec<String>,
}

impl HypothesisResult {
    /// A two-sided result by a distribution, to be completed.
    pub(crate) fn new(name: &'static str, symbol: &'static str, statistic: f64, p: f64) -> Self {
        Self {
            name,
            symbol,
            statistic,
            df: Vec::new(),
            p: p.clamp(0.0, 1.0),
            basis: PValueBasis::Distribution,
            alternative: Alternative::TwoSided,
            estimate: None,
            effects: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn with_df(mut self, df: &[f64]) -> Self {
        self.df = df.to_vec();
        self
    }

    pub(crate) fn with_basis(mut self, basis: PValueBasis) -> Self {
        self.basis = basis;
        self
    }

    pub(crate) fn with_alternative(mut self, alternative: Alternative) -> Self {
        self.alternative = alternative;
        self
    }

    pub(crate) fn with_estimate(mut self, estimate: ParameterEstimate) -> Self {
        self.estimate = Some(estimate);
        self
    }

    pub(crate) fn with_effects(mut self, effects: Vec<EffectSize>) -> Self {
        self.effects = effects;
        self
    }

    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// Why a test cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HypothesisError {
    /// Too few observations.
    #[error("expected at least {needed} {what}, found {found}")]
    TooFew {
        /// Of what.
        what: &'static str,
        /// So many are needed.
        needed: usize,
        /// So many are there.
        found: usize,
    },
    /// More than the method takes.
    #[error("expected at most {limit} {what}, found {found}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// So many are taken.
        limit: usize,
        /// So many are there.
        found: usize,
    },
    /// Observations that do not differ.
    #[error("{what} do not vary, so that the test has no statistic")]
    Constant {
        /// Which ones.
        what: &'static str,
    },
    /// Samples that are to be of one length.
    #[error("expected samples of one length, found {first} and {second}")]
    Lengths {
        /// Length of the first one.
        first: usize,
        /// Length of another one.
        second: usize,
    },
    /// A parameter, an observation or a count outside of its range.
    #[error("expected {expected}, found {found}")]
    Range {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: f64,
    },
    /// Data for which the statistic is not defined.
    #[error("{reason}")]
    Undefined {
        /// Why.
        reason: &'static str,
    },
    /// The caller stopped the work.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
}

/// The p value of a standard normal statistic.
pub(crate) fn normal_p(z: f64, alternative: Alternative) -> f64 {
    match alternative {
        Alternative::TwoSided => 2.0 * normal_sf(z.abs()),
        Alternative::Less => normal_sf(-z),
        Alternative::Greater => normal_sf(z),
    }
}

/// The p value of a Student t statistic.
pub(crate) fn student_p(t: f64, df: f64, alternative: Alternative) -> f64 {
    match alternative {
        Alternative::TwoSided => 2.0 * student_sf(t.abs(), df),
        Alternative::Less => student_sf(-t, df),
        Alternative::Greater => student_sf(t, df),
    }
}

/// The p value from both tails, each with the observed value; two-sided, the smaller one is doubled.
pub(crate) fn doubled_tail(lower: f64, upper: f64, alternative: Alternative) -> f64 {
    match alternative {
        Alternative::TwoSided => (2.0 * lower.min(upper)).min(1.0),
        Alternative::Less => lower,
        Alternative::Greater => upper,
    }
}

/// Tail probabilities that an interval of some coverage leaves out below and above.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OmittedValues {
    pub below: f64,
    pub above: f64,
}

impl OmittedValues {
    pub(crate) fn new(options: &TestOptions) -> Self {
        let alpha = 1.0 - options.confidence;
        match options.alternative {
            Alternative::TwoSided => Self {
                below: 0.5 * alpha,
                above: 0.5 * alpha,
            },
            Alternative::Less => Self {
                below: 0.0,
                above: alpha,
            },
            Alternative::Greater => Self {
                below: alpha,
                above: 0.0,
            },
        }
    }

    /// The interval of an estimate by its standard error and upper quantiles; an end that leaves nothing out is infinite.
    pub(crate) fn around(&self, value: f64, error: f64, isf: impl Fn(f64) -> f64) -> [f64; 2] {
        let low = match self.below > 0.0 {
            true => value - error * isf(self.below),
            false => f64::NEG_INFINITY,
        };
        let high = match self.above > 0.0 {
            true => value + error * isf(self.above),
            false => f64::INFINITY,
        };
        [low, high]
    }
}

/// The two-sided standard normal quantile of a coverage.
pub(crate) fn two_sided_z(confidence: f64) -> f64 {
    normal_isf(0.5 * (1.0 - confidence))
}

/// Refuses a sample that is too short or has a value that is not finite.
pub(crate) fn check_sample(
    x: &[f64],
    needed: usize,
    what: &'static str,
) -> Result<(), HypothesisError> {
    if x.len() < needed {
        return Err(HypothesisError::TooFew {
            what,
            needed,
            found: x.len(),
        });
    }
    match x.iter().find(|value| !value.is_finite()) {
        Some(&found) => Err(HypothesisError::Range {
            expected: "finite observations",
            found,
        }),
        None => Ok(()),
    }
}

/// Refuses options that no test takes.
pub(crate) fn check_options(options: &TestOptions) -> Result<(), HypothesisError> {
    if !(options.confidence > 0.0 && options.confidence < 1.0) {
        return Err(HypothesisError::Range {
            expected: "a confidence between 0 and 1",
            found: options.confidence,
        });
    }
    match options.null.is_finite() {
        true => Ok(()),
        false => Err(HypothesisError::Range {
            expected: "a finite value under the hypothesis",
            found: options.null,
        }),
    }
}
