//! Summary statistics of a sample.

pub(crate) mod extended;
#[cfg(test)]
mod tests;

use numerics::quantile;

use numerics::Interruption;
use numerics::stats::SampleSummary;

use self::extended::{
    ExtendedStatistics, WeightedStatistics, extended_statistics, weighted_statistics,
};
use super::group_statistics::check_trim;
use crate::call_watch::CallWatch;
use crate::prelude::*;

/// Summary statistics of a list of numbers: count, sum, mean, extremes, median, quartiles, and variance and standard deviation
/// in both variants (`_sample` divides by n - 1, `_population` by n). A statistic beyond the largest double is infinite, with a warning.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The sample: finite numbers in any order; length >= 1, and >= 2 for the sample variants.
    pub data: Input<Vector>,
    /// The statistics to return; all but `std` and `var` when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub metrics: Option<Vec<StatisticMetric>>,
    /// Probabilities of quantiles to return beside the statistics, such as `[0.05, 0.95]`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["k"]))]
    pub quantiles: Option<Vec<Probability>>,
    /// Definition of `quantiles`, by NumPy's name; absent: `linear`. Or by R's: `type1` to `type9`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub definition: Option<QuantileRule>,
    /// Weights of at least 0, one for each value: `weighted` then has their statistics.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub weights: Option<Input<Vector>>,
    /// Whether to return `extended`: shape, robust measures, and the interval of the mean.
    #[value(default)]
    pub extended: bool,
    /// Share of the values that the trimmed and winsorised mean take off each side, below 0.5.
    #[value(default = "default_trim")]
    pub trim: Probability,
    /// Confidence of the interval of the mean.
    #[value(default = "crate::prelude::default_confidence")]
    pub confidence: Probability,
}

fn default_trim() -> Probability {
    Probability::literal(0.2)
}

/// A definition of the quantile of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum QuantileRule {
    /// R's type 1: the inverse of the distribution function.
    #[value(alias = "type1")]
    InvertedCdf,
    /// R's type 2: as type 1, with averages where the distribution function is flat.
    #[value(alias = "type2")]
    AveragedInvertedCdf,
    /// R's type 3: the observation nearest to n p, the even one of two.
    #[value(alias = "type3")]
    ClosestObservation,
    /// R's type 4: linear interpolation of the distribution function.
    #[value(alias = "type4")]
    InterpolatedInvertedCdf,
    /// R's type 5: linear, with knots midway through the steps.
    #[value(alias = "type5")]
    Hazen,
    /// R's type 6: linear in p (n + 1).
    #[value(alias = "type6")]
    Weibull,
    /// R's type 7: linear in p (n - 1).
    #[value(alias = "type7")]
    Linear,
    /// R's type 8: approximately unbiased for the median.
    #[value(alias = "type8")]
    MedianUnbiased,
    /// R's type 9: approximately unbiased for a normal distribution.
    #[value(alias = "type9")]
    NormalUnbiased,
}

impl From<QuantileRule> for quantile::QuantileDefinition {
    fn from(definition: QuantileRule) -> Self {
        Self::ALL[definition as usize]
    }
}

/// A statistic by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum StatisticMetric {
    /// Number of values.
    Count,
    /// Sum.
    Sum,
    /// Arithmetic mean.
    Mean,
    /// Smallest value.
    Min,
    /// Largest value.
    Max,
    /// Median: quantile 0.5.
    Median,
    /// Lower quartile: quantile 0.25.
    Q25,
    /// Upper quartile: quantile 0.75.
    Q75,
    /// Interquartile range, `q75 - q25`.
    Iqr,
    /// Variance with divisor n - 1.
    VarianceSample,
    /// Variance with divisor n.
    VariancePopulation,
    /// Standard deviation with divisor n - 1.
    StdSample,
    /// Standard deviation with divisor n.
    StdPopulation,
    /// The same as `std_population`.
    Std,
    /// The same as `variance_population`.
    Var,
}

impl StatisticMetric {
    /// The statistics returned by default.
    const DEFAULT: [Self; 13] = [
        Self::Count,
        Self::Sum,
        Self::Mean,
        Self::Min,
        Self::Max,
        Self::Median,
        Self::Q25,
        Self::Q75,
        Self::Iqr,
        Self::VarianceSample,
        Self::VariancePopulation,
        Self::StdSample,
        Self::StdPopulation,
    ];
}

/// The statistics that were requested; the others are absent.
#[derive(Debug, Default, Encode, Describe)]
pub(crate) struct Output {
    /// Number of values.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null }, { "metrics": { "has": "count" } }]))]
    pub count: Option<Count>,
    /// Sum, accumulated in twice the working precision.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null }, { "metrics": { "has": "sum" } }]))]
    pub sum: Option<Real>,
    /// Arithmetic mean.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null }, { "metrics": { "has": "mean" } }]))]
    pub mean: Option<f64>,
    /// Smallest value.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null }, { "metrics": { "has": "min" } }]))]
    pub min: Option<f64>,
    /// Largest value.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null }, { "metrics": { "has": "max" } }]))]
    pub max: Option<f64>,
    /// Median.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null }, { "metrics": { "has": "median" } }]))]
    pub median: Option<f64>,
    /// Lower quartile: linear interpolation at (n - 1) / 4 of the sorted sample (Hyndman-Fan type 7, as in NumPy and R).
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null }, { "metrics": { "has": "q25" } }]))]
    pub q25: Option<f64>,
    /// Upper quartile, defined likewise.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null }, { "metrics": { "has": "q75" } }]))]
    pub q75: Option<f64>,
    /// Interquartile range, `q75 - q25`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null }, { "metrics": { "has": "iqr" } }]))]
    pub iqr: Option<Real>,
    /// Variance with divisor n - 1; absent for a single value unless requested, then an error.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null, "data": { "least": 2 } }, { "metrics": { "has": "variance_sample" } }]))]
    pub variance_sample: Option<Real>,
    /// Variance with divisor n.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null }, { "metrics": { "has": "variance_population" } }]))]
    pub variance_population: Option<Real>,
    /// Standard deviation with divisor n - 1; absent for a single value unless requested, then an error.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null, "data": { "least": 2 } }, { "metrics": { "has": "std_sample" } }]))]
    pub std_sample: Option<Real>,
    /// Standard deviation with divisor n.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "metrics": null }, { "metrics": { "has": "std_population" } }]))]
    pub std_population: Option<Real>,
    /// The same as `std_population`, under the name that was requested.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "metrics": { "has": "std" } }))]
    pub std: Option<Real>,
    /// The same as `variance_population`, under the name that was requested.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "metrics": { "has": "var" } }))]
    pub var: Option<Real>,
    /// The quantiles, in the order of their probabilities.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["k"], "x-present" = { "quantiles": { "not": null } }))]
    pub quantiles: Option<Vec<f64>>,
    /// Shape, robust measures and the interval of the mean.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "extended": true }))]
    pub extended: Option<ExtendedStatistics>,
    /// Statistics with the weights.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "weights": { "not": null } }))]
    pub weighted: Option<WeightedStatistics>,
}

impl Tool for Args {
    const SPEC: Spec =
        Spec::named("statistics", "Summary statistics").tags(&["statistics", "numeric"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "both variances of a small sample": r#"{"data": [2, 4, 4, 4, 5, 5, 7, 9]}"#
            => r#"{"count": 8, "sum": 40.0, "mean": 5.0, "min": 2.0, "max": 9.0, "median": 4.5,
                "q25": 4.0, "q75": 5.5, "iqr": 1.5, "variance_sample": 4.571428571428571,
                "variance_population": 4.0, "std_sample": 2.138089935299395, "std_population": 2.0}"#;
        "only the requested statistics; `std` divides by n":
            r#"{"data": [1, 3], "metrics": ["mean", "std"]}"# => r#"{"mean": 2.0, "std": 1.0}"#;
        "percentiles 10 and 90":
            r#"{"data": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "metrics": ["median"], "quantiles": [0.1, 0.9]}"#
            => r#"{"median": 6.0, "quantiles": [2.0, 10.0]}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let data = args.data.load(ctx)?;
        if data.is_empty() {
            refuse!(invalid "/data", "empty"; "`data` is empty"; "pass at least one number");
        }
        let asked = args.metrics.as_deref();
        let metrics = asked.unwrap_or(&StatisticMetric::DEFAULT);
        if metrics.is_empty() {
            return Err(ToolError::invalid("/metrics", "`metrics` is empty")
                .hint("name at least one statistic, or leave `metrics` out for all of them"));
        }
        let lone = data.len() == 1;
        if lone && asked.is_none() {
            ctx.warn("the sample variance of a single value is undefined; `variance_sample` and `std_sample` are left out");
        }
        let watch = CallWatch(ctx);
        let mut summary = SampleSummary::new(&data);
        let mut output = Output::default();
        for (index, &metric) in metrics.iter().enumerate() {
            if lone
                && matches!(
                    metric,
                    StatisticMetric::VarianceSample | StatisticMetric::StdSample
                )
            {
                if asked.is_none() {
                    continue;
                }
                refuse!(invalid format!("/metrics/{index}");
                    "the sample variance of a single value is undefined";
                    "request the population variant, or pass at least two values");
            }
            fill_statistic(&mut output, metric, &mut summary, ctx)
                .map_err(|interruption| watch.interruption_error(interruption))?;
        }
        if args.definition.is_some() && args.quantiles.is_none() {
            refuse!(invalid "/definition"; "`definition` is that of `quantiles`, which are absent";
                "give `quantiles`, such as [0.05, 0.95], or leave it out");
        }
        if let Some(probabilities) = &args.quantiles {
            let definition = args.definition.unwrap_or(QuantileRule::Linear).into();
            let probabilities = probabilities.iter().map(|p| p.get());
            let quantiles = probabilities.map(|p| summary.quantile_by(definition, p, &watch));
            let quantiles = quantiles.collect::<Result<_, _>>();
            let quantiles =
                quantiles.map_err(|interruption| watch.interruption_error(interruption))?;
            output.quantiles = Some(quantiles);
        }
        let (trim, confidence) = (check_trim(args.trim)?, confidence_level(args.confidence)?);
        if args.extended {
            output.extended = Some(extended_statistics(&data, trim, confidence));
        }
        if let Some(weights) = &args.weights {
            output.weighted = Some(weighted_statistics(&data, &weights.load(ctx)?)?);
        }
        Ok(output)
    }
}

/// Computes one statistic into its field.
fn fill_statistic(
    output: &mut Output,
    metric: StatisticMetric,
    summary: &mut SampleSummary<'_>,
    ctx: &Ctx,
) -> Result<(), Interruption> {
    let watch = &CallWatch(ctx);
    let (slot, name, value) = match metric {
        StatisticMetric::Count => {
            output.count = Count::new(summary.count() as i64);
            return Ok(());
        }
        // These lie within the data.
        StatisticMetric::Mean => return set_statistic(&mut output.mean, summary.mean(watch)),
        StatisticMetric::Min => return set_statistic(&mut output.min, summary.min(watch)),
        StatisticMetric::Max => return set_statistic(&mut output.max, summary.max(watch)),
        StatisticMetric::Median => {
            return set_statistic(&mut output.median, summary.quantile(0.5, watch));
        }
        StatisticMetric::Q25 => {
            return set_statistic(&mut output.q25, summary.quantile(0.25, watch));
        }
        StatisticMetric::Q75 => {
            return set_statistic(&mut output.q75, summary.quantile(0.75, watch));
        }
        StatisticMetric::Sum => (&mut output.sum, "sum", summary.sum(watch)?),
        StatisticMetric::Iqr => {
            let range = summary.quantile(0.75, watch)? - summary.quantile(0.25, watch)?;
            (&mut output.iqr, "iqr", range)
        }
        StatisticMetric::VarianceSample => {
            let value = summary.variance(1, watch)?;
            (&mut output.variance_sample, "variance_sample", value)
        }
        StatisticMetric::VariancePopulation => {
            let value = summary.variance(0, watch)?;
            (
                &mut output.variance_population,
                "variance_population",
                value,
            )
        }
        StatisticMetric::StdSample => {
            (&mut output.std_sample, "std_sample", summary.std(1, watch)?)
        }
        StatisticMetric::StdPopulation => {
            let value = summary.std(0, watch)?;
            (&mut output.std_population, "std_population", value)
        }
        StatisticMetric::Std => (&mut output.std, "std", summary.std(0, watch)?),
        StatisticMetric::Var => (&mut output.var, "var", summary.variance(0, watch)?),
    };
    if !value.is_finite() {
        ctx.warn(format!(
            "`{name}` is infinite: it is beyond the largest double, about 1.8e308; the other statistics are as given"
        ));
    }
    *slot = Some(Real(value));
    Ok(())
}

fn set_statistic(
    slot: &mut Option<f64>,
    value: Result<f64, Interruption>,
) -> Result<(), Interruption> {
    *slot = Some(value?);
    Ok(())
}
