//! `distribution`: probabilities, quantiles, moments and fits of families of distributions.

mod fit;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use ::statistics::distribution::{Distribution, DistributionError, FAMILIES, Family};

use self::fit::{FamilyFitRow, FitEstimate, fit_families};
use crate::prelude::*;

/// Gives density, probabilities, quantiles and moments of a distribution, or fits families of distributions to data by maximum likelihood and
/// compares them by AIC, with Kolmogorov-Smirnov and Anderson-Darling statistics. Tails are accurate down to 1e-300: `sf` and `isf` never pass through
/// `1 - p`.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The family, or several to compare on `data`, or `auto` for those that suit `data`. Families: normal, lognormal, uniform, exponential, gamma,
    /// inverse_gamma, beta, chi_squared, student_t, f, weibull, gumbel, frechet, gev, pareto, generalised_pareto, logistic, log_logistic, laplace, cauchy,
    /// half_normal, half_cauchy, rayleigh, maxwell, triangular, inverse_gaussian, skew_normal, von_mises, arcsine, kumaraswamy, noncentral_t,
    /// noncentral_chi_squared, noncentral_f, bernoulli, binomial, negative_binomial, geometric, hypergeometric, poisson, discrete_uniform, beta_binomial,
    /// zeta, skellam, logarithmic.
    pub family: FamilyChoice,
    /// Parameters by name, such as `{"mean": 100, "sd": 15}`; an unknown name is refused with those the family has. Those given hold in a fit.
    #[value(default)]
    pub parameters: BTreeMap<String, f64>,
    /// Values at which to give density and probabilities.
    #[value(default)]
    pub at: Vec<Finite>,
    /// Probabilities of which to give the quantiles: `ppf` with so much below, `isf` with so much above.
    #[value(default)]
    pub probability: Vec<Probability>,
    /// A sample to fit: finite numbers in any order.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Vector>>,
    /// Confidence of the intervals of estimates.
    #[value(default = "crate::prelude::default_confidence")]
    pub confidence: Probability,
}

/// One family, or several.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(untagged)]
pub(crate) enum FamilyChoice {
    /// One family, or `auto`.
    One(String),
    /// Families to compare.
    Several(Vec<String>),
}

/// A distribution, and the fits that led to it.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The family; of several the one with the least AIC.
    pub family: String,
    /// Its parameters.
    pub parameters: BTreeMap<String, f64>,
    /// The ends of the values it can have.
    pub support: [Real; 2],
    /// Mean; infinite or "NaN" where there is none.
    pub mean: Real,
    /// Variance.
    pub variance: Real,
    /// Standard deviation.
    pub sd: Real,
    /// Skewness.
    pub skewness: Real,
    /// Kurtosis less 3.
    pub excess_kurtosis: Real,
    /// Median.
    pub median: Real,
    /// Density and probabilities at the values of `at`.
    pub points: Vec<DistributionPoint>,
    /// Quantiles at the probabilities of `probability`.
    pub quantiles: Vec<DistributionQuantile>,
    /// Values of `data`; 0 without it.
    pub n: usize,
    /// The estimates of the fit, each with its standard error and interval.
    pub estimates: Vec<FitEstimate>,
    /// The fit of each family, the best first.
    pub fits: Vec<FamilyFitRow>,
    /// The result in a sentence.
    pub summary: String,
}

/// A value with its density and probabilities.
#[derive(Debug, Encode, Describe)]
pub(crate) struct DistributionPoint {
    /// The value.
    pub x: f64,
    /// Density, or the probability of exactly `x` of a discrete distribution.
    pub pdf: Real,
    /// Its natural logarithm.
    pub log_pdf: Real,
    /// Probability at or below `x`.
    pub cdf: f64,
    /// Probability above `x`.
    pub sf: f64,
    /// Natural logarithm of `cdf`.
    pub log_cdf: Real,
    /// Natural logarithm of `sf`.
    pub log_sf: Real,
}

/// A probability with its quantiles.
#[derive(Debug, Encode, Describe)]
pub(crate) struct DistributionQuantile {
    /// The probability.
    pub probability: f64,
    /// The value with so much at or below it.
    pub ppf: Real,
    /// The value with so much above it.
    pub isf: Real,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("distribution", "Distributions of probability").tags(&[
        "statistics",
        "probability",
        "quantile",
        "normal",
        "fit",
        "numeric",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a fair die: the chance of at most 2, and the least value with half of the chance":
            r#"{"family": "discrete_uniform", "parameters": {"low": 1, "high": 6}, "at": [2], "probability": [0.5]}"#
            => r#"{"family": "discrete_uniform", "parameters": {"high": 6.0, "low": 1.0}, "support": [1.0, 6.0], "mean": 3.5,
                "variance": 2.9166666666666665, "sd": 1.707825127659933, "skewness": 0.0, "excess_kurtosis": -1.2685714285714285,
                "median": 3.0,
                "points": [{"x": 2.0, "pdf": 0.16666666666666666, "log_pdf": -1.791759469228055, "cdf": 0.3333333333333333,
                    "sf": 0.6666666666666666, "log_cdf": -1.0986122886681098, "log_sf": -0.40546510810816433}],
                "quantiles": [{"probability": 0.5, "ppf": 3.0, "isf": 3.0}], "n": 0, "estimates": [], "fits": [],
                "summary": "The discrete_uniform distribution with low 1 and high 6 has mean 3.5 and standard deviation 1.708."}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let confidence = confidence_level(args.confidence)?;
        let chosen = match &args.data {
            Some(data) => {
                let values = data.load(ctx)?;
                fit_families(&args.family, &args.parameters, &values, confidence, ctx)?
            }
            None => {
                let family = single_family(&args.family)?;
                let given = args
                    .parameters
                    .iter()
                    .map(|(name, value)| (name.as_str(), *value));
                let parameters = family.arrange(given).map_err(parameter_fault)?;
                ChosenDistribution {
                    family,
                    distribution: family.build(&parameters).map_err(parameter_fault)?,
                    parameters,
                    n: 0,
                    estimates: Vec::new(),
                    fits: Vec::new(),
                }
            }
        };
        describe(&args, chosen, ctx)
    }
}

/// A distribution and where it comes from.
struct ChosenDistribution {
    family: &'static Family,
    distribution: Box<dyn Distribution>,
    parameters: Vec<f64>,
    n: usize,
    estimates: Vec<FitEstimate>,
    fits: Vec<FamilyFitRow>,
}

fn describe(args: &Args, chosen: ChosenDistribution, ctx: &Ctx) -> Result<Output, ToolError> {
    let distribution = chosen.distribution.as_ref();
    let moments = distribution.moments();
    let support = distribution.support();
    let mut points = Vec::with_capacity(args.at.len());
    for x in &args.at {
        ctx.check()?;
        points.push(distribution_point(distribution, x.get()));
    }
    let mut quantiles = Vec::with_capacity(args.probability.len());
    for p in &args.probability {
        ctx.check()?;
        quantiles.push(DistributionQuantile {
            probability: p.get(),
            ppf: Real(distribution.quantile(p.get())),
            isf: Real(distribution.upper_quantile(p.get())),
        });
    }
    Ok(Output {
        family: chosen.family.name.to_owned(),
        support: [Real(support.low), Real(support.high)],
        mean: Real(moments.mean),
        variance: Real(moments.variance),
        sd: Real(moments.variance.sqrt()),
        skewness: Real(moments.skewness),
        excess_kurtosis: Real(moments.excess_kurtosis),
        median: Real(distribution.quantile(0.5)),
        points,
        quantiles,
        n: chosen.n,
        summary: summary(&chosen),
        parameters: named(chosen.family, &chosen.parameters),
        estimates: chosen.estimates,
        fits: chosen.fits,
    })
}

fn named(family: &Family, values: &[f64]) -> BTreeMap<String, f64> {
    let pairs = family.parameters.iter().zip(values);
    pairs
        .map(|(parameter, value)| (parameter.name.to_owned(), *value))
        .collect()
}

fn distribution_point(distribution: &dyn Distribution, x: f64) -> DistributionPoint {
    DistributionPoint {
        x,
        pdf: Real(distribution.density(x)),
        log_pdf: Real(distribution.ln_density(x)),
        cdf: distribution.cdf(x),
        sf: distribution.sf(x),
        log_cdf: Real(distribution.ln_cdf(x)),
        log_sf: Real(distribution.ln_sf(x)),
    }
}

fn summary(chosen: &ChosenDistribution) -> String {
    let short = |value: f64| {
        let rounded = format!("{value:.4}").parse::<f64>().unwrap_or(value);
        match value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
            true => estimate_words(rounded),
            false => format!("{value:.3e}"),
        }
    };
    let pairs = chosen.family.parameters.iter().zip(&chosen.parameters);
    let words: Vec<String> = pairs
        .map(|(one, value)| format!("{} {}", one.name, short(*value)))
        .collect();
    let family = chosen.family.name;
    let with = words.join(" and ");
    if let Some(best) = chosen.fits.first() {
        let others = chosen.fits.get(1).map_or(String::new(), |second| {
            format!(
                "; next is {} with an AIC {:.2} higher",
                second.family,
                second.aic - best.aic
            )
        });
        return format!(
            "Of {} fitted, the {family} distribution with {with} has the least AIC, {:.2}{others}.",
            count_words(chosen.fits.len()),
            best.aic
        );
    }
    let moments = chosen.distribution.moments();
    format!(
        "The {family} distribution with {with} has mean {} and standard deviation {}.",
        short(moments.mean),
        estimate_words(round_to(moments.variance.sqrt(), 4))
    )
}

fn count_words(count: usize) -> String {
    match count {
        1 => "1 family".to_owned(),
        _ => format!("{count} families"),
    }
}

/// To so many significant digits.
fn round_to(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

fn estimate_words(value: f64) -> String {
    format!("{value}")
}

/// The family where only one makes sense.
fn single_family(choice: &FamilyChoice) -> Result<&'static Family, ToolError> {
    match choice {
        FamilyChoice::One(name) if name != "auto" => find_family(name, "/family"),
        _ => refuse!(invalid "/family"; "`auto` and lists of families need `data` to fit";
            "give a sample as `data`, or one family with its `parameters`"),
    }
}

/// The family of a name, with the nearest name as hint.
pub(super) fn find_family(name: &str, pointer: &str) -> Result<&'static Family, ToolError> {
    Family::named(name).map_err(|err| {
        let error = ToolError::invalid(pointer, &err).reason("family");
        let near = did_you_mean(name, FAMILIES.iter().map(|family| family.name));
        error.hint(near.unwrap_or_else(|| "such as `normal`, `gamma` or `poisson`".to_owned()))
    })
}

/// The error of a parameter, at its name.
pub(super) fn parameter_fault(err: DistributionError) -> ToolError {
    let pointer = match &err {
        DistributionError::MissingParameter { .. } | DistributionError::UnknownFamily(_) => {
            "/parameters".to_owned()
        }
        DistributionError::UnknownParameter { parameter, .. } => format!("/parameters/{parameter}"),
        DistributionError::OutOfRange { parameter, .. } => format!("/parameters/{parameter}"),
    };
    let hint = match &err {
        DistributionError::MissingParameter { parameter, .. } => {
            format!("such as {{\"{parameter}\": 1}}")
        }
        DistributionError::UnknownParameter { .. } => "use the names it has".to_owned(),
        _ => "correct the parameter".to_owned(),
    };
    ToolError::invalid(&pointer, &err)
        .reason("parameters")
        .hint(hint)
}
