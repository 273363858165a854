//! Regression of quantiles.

use statistics::models::quantile::{QuantileErrors, QuantileFit, QuantileRequest, fit_quantile};

use super::model_data::{ColumnArgument, read_model, warn_of_aliases};
use super::model_words::{EffectScale, effects_sentence};
use super::reporting::words::estimate_words;
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Fits quantiles of a response, such as its median, as linear functions of the terms of a formula over a table: exact minima of the asymmetric loss,
/// with errors by a kernel, of equal densities, or by bootstrap. Outliers of the response do not move the median.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// The model: `price ~ area + C(city)`.
    pub formula: String,
    /// Quantiles between 0 and 1; the median alone when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(length(min = 1, max = 99))]
    pub quantiles: Option<Vec<Probability>>,
    /// Standard errors.
    #[value(default)]
    pub errors: QuantileErrorsChoice,
    /// Samples of the bootstrap.
    #[value(default = "BoundedInteger::<10, 100_000>::of::<200>")]
    pub samples: BoundedInteger<10, 100_000>,
    /// Column of positive weights of the losses.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Probability of the intervals; 0.95 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub confidence: Option<Probability>,
    /// Seed of the bootstrap; that of the call when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// How standard errors are estimated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum QuantileErrorsChoice {
    /// Powell's sandwich with an Epanechnikov kernel, robust to unequal spreads.
    #[default]
    Kernel,
    /// One density of the errors for all rows.
    Homogeneous,
    /// Samples of rows drawn with replacement.
    Bootstrap,
}

/// Fits of quantiles.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The coefficients, quantile by quantile.
    pub terms: Vec<QuantileTerm>,
    /// Each quantile.
    pub quantiles: Vec<QuantileMeasures>,
    /// Rows that are used.
    pub n: usize,
    /// Rows that are left out because a cell is missing.
    pub missing: usize,
    /// Seed of the bootstrap.
    pub seed: RandomSeed,
    /// What the first quantile says, in a sentence or two.
    pub summary: String,
}

/// A coefficient of a quantile.
#[derive(Debug, Encode, Describe)]
pub(crate) struct QuantileTerm {
    /// The quantile.
    pub quantile: f64,
    /// The column of the model.
    pub name: String,
    /// The estimate.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: Real,
    /// Estimate over error.
    pub t: Real,
    /// Two-sided p value (Student t).
    pub p: Real,
    /// Lower end of the confidence interval.
    pub lower: Real,
    /// Upper end.
    pub upper: Real,
}

/// Measures of a quantile.
#[derive(Debug, Encode, Describe)]
pub(crate) struct QuantileMeasures {
    /// The quantile.
    pub quantile: f64,
    /// Sum of the losses: `q` times positive residuals, `1 - q` times negative ones.
    pub loss: f64,
    /// 1 - loss over that of a constant alone (Koenker and Machado); "NaN" without a constant.
    pub pseudo_r2: Real,
    /// Whether no other coefficients have the same loss.
    pub unique: bool,
    /// Exchanges of rows.
    pub pivots: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("quantile_regression", "Quantile regression").tags(&[
        "statistics",
        "numeric",
        "fit",
        "median regression",
        "robust",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the median of five numbers":
            r#"{"data": {"y": [1, 2, 3, 4, 10]}, "formula": "y ~ 1", "errors": "homogeneous", "seed": 1}"# => r#"{"terms": [{"quantile": 0.5, "name": "Intercept", "estimate": 3.0, "standard_error": 1.201921587135, "t": 2.496003093806,
                "p": 0.06705242530553, "lower": -0.3370693074315, "upper": 6.337069307432}], "quantiles": [{"quantile": 0.5, "loss": 5.5,
                "pseudo_r2": 0.0, "unique": true, "pivots": 0}], "n": 5, "missing": 0, "seed": 1,
                "summary": "The quantile 0.5 of `y` over 5 rows. The model has no terms beside the constant."}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let weights = args.weights.as_deref().map(|name| ColumnArgument {
            pointer: "/weights",
            name,
        });
        let beside: Vec<ColumnArgument<'_>> = weights.into_iter().collect();
        let model = read_model(&args.data, &args.formula, &beside, ctx)?;
        if !model.frame.random.is_empty() || model.frame.offset.is_some() {
            refuse!(invalid "/formula", "formula"; "quantile regression takes neither random terms nor offsets"; "leave them out of the formula");
        }
        let weights = weights.map(|column| model.numbers(column)).transpose()?;
        let confidence = confidence_level(args.confidence)?;
        let seed = ctx.seed(args.seed);
        let errors = match args.errors {
            QuantileErrorsChoice::Kernel => QuantileErrors::Kernel,
            QuantileErrorsChoice::Homogeneous => QuantileErrors::Homogeneous,
            QuantileErrorsChoice::Bootstrap => QuantileErrors::Bootstrap {
                samples: args.samples.size(),
                seed: seed.get(),
            },
        };
        let quantiles: Vec<f64> = match &args.quantiles {
            None => vec![0.5],
            Some(quantiles) => quantiles.iter().map(|quantile| quantile.get()).collect(),
        };
        let mut fits: Vec<QuantileFit> = Vec::with_capacity(quantiles.len());
        for (index, quantile) in quantiles.into_iter().enumerate() {
            if !(quantile > 0.0 && quantile < 1.0) {
                refuse!(invalid format!("/quantiles/{index}"), "range"; "expected a number between 0 and 1, found {quantile}"; "such as 0.9");
            }
            let request = QuantileRequest {
                design: &model.frame.design,
                y: &model.numeric_response()?.values,
                weights: weights.as_deref(),
                quantile,
                errors,
                confidence,
            };
            let fit = fit_quantile(request, &CallWatch(ctx));
            fits.push(fit.map_err(|err| model.model_fault(err, ctx))?);
        }
        let Some(first) = fits.first() else {
            refuse!(invalid "/quantiles", "empty"; "expected at least one quantile"; "such as [0.5]");
        };
        warn_of_aliases(&first.aliased, ctx);
        for fit in fits.iter().filter(|fit| !fit.is_unique) {
            ctx.warn(format!(
                "at the quantile {} other coefficients have the same loss",
                fit.quantile
            ));
        }
        if fits.iter().any(|fit| {
            fit.coefficients
                .iter()
                .any(|one| !one.standard_error.is_finite())
        }) {
            ctx.warn("half of the residuals have no spread, so that standard errors are not given; `errors` bootstrap needs none");
        }
        let name = model.response()?.name.clone();
        let sentence = effects_sentence(
            &first.coefficients,
            &model.frame,
            EffectScale::Response,
            confidence,
        );
        let of = estimate_words(first.quantile);
        Ok(Output {
            summary: format!(
                "The quantile {of} of `{name}` over {} rows. {sentence}",
                first.residuals.len()
            ),
            n: first.residuals.len(),
            missing: model.frame.missing,
            seed,
            terms: fits.iter().flat_map(quantile_terms).collect(),
            quantiles: fits.iter().map(quantile_measures).collect(),
        })
    }
}

fn quantile_terms(fit: &QuantileFit) -> Vec<QuantileTerm> {
    let term = |one: &statistics::models::CoefficientEstimate| QuantileTerm {
        quantile: fit.quantile,
        name: one.name.clone(),
        estimate: one.estimate,
        standard_error: Real(one.standard_error),
        t: Real(one.statistic),
        p: Real(one.p),
        lower: Real(one.interval[0]),
        upper: Real(one.interval[1]),
    };
    fit.coefficients.iter().map(term).collect()
}

fn quantile_measures(fit: &QuantileFit) -> QuantileMeasures {
    QuantileMeasures {
        quantile: fit.quantile,
        loss: fit.loss,
        pseudo_r2: Real(fit.pseudo_r2),
        unique: fit.is_unique,
        pivots: fit.pivots,
    }
}
