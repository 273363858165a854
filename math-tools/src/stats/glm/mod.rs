//! Generalised linear models of tables.

mod answer;

#[cfg(test)]
mod tests;
mod verify;

use statistics::design::{CategoryColumn, ModelResponse};
use statistics::models::glm::{
    DispersionEstimate, GlmFamily, GlmFit, GlmLink, GlmRequest, fit_glm, fit_negative_binomial,
};
use statistics::models::linear::ErrorEstimate;

use self::answer::{AlphaAnswer, GlmMeasures, GlmPredictedRow, GlmTerm, glm_summary, glm_terms};
use super::model_data::{ColumnArgument, ModelData, read_model, warn_of_aliases};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Fits a generalised linear model of a table by a formula: logistic regression (`binomial`), counts (`poisson`, `negative_binomial`), positive numbers
/// (`gamma`, `inverse_gaussian`) or `gaussian`, with odds or rate ratios, robust or clustered errors, offsets and weights. Perfect separation is found
/// and named instead of answered with false errors.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// The model: `sick ~ age + C(sex)`, `cbind(wins, losses) ~ x`, `count ~ x + offset(log(days))`. A category of two levels as binomial response: the
    /// second level, in the order of characters, is the success.
    pub formula: String,
    /// The distribution of the response.
    pub family: FamilyChoice,
    /// The link; that of the family when absent: logit, log for counts, inverse for `gamma`, inverse_squared for `inverse_gaussian`, identity.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub link: Option<LinkChoice>,
    /// Column of trials of a binomial response, which then counts successes.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub trials: Option<String>,
    /// Excess alpha of negative binomial counts (variance mu + alpha mu^2); by maximum likelihood when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub alpha: Option<Positive>,
    /// Column of positive weights, inversely proportional to the dispersions of the rows.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Standard errors: of the model, or robust to a wrong variance (`HC0` to `HC3`).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub errors: Option<super::linear_regression::LinearErrors>,
    /// Column of clusters whose rows may depend on each other: clustered errors.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Probability of the intervals; 0.95 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub confidence: Option<Probability>,
    /// New rows to predict: a table with the columns of the formula.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub predict: Option<Input<TableInput>>,
}

/// The distribution of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum FamilyChoice {
    /// Yes or no, or counts of successes.
    Binomial,
    /// Counts with the variance of their mean.
    Poisson,
    /// Counts with more.
    NegativeBinomial,
    /// Positive numbers with a standard deviation in proportion to their mean.
    Gamma,
    /// Positive numbers with a variance in proportion to the cube of their mean.
    InverseGaussian,
    /// Normal.
    Gaussian,
}

/// A link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum LinkChoice {
    /// mu.
    Identity,
    /// log(mu).
    Log,
    /// log(mu / (1 - mu)).
    Logit,
    /// The normal quantile.
    Probit,
    /// log(-log(1 - mu)).
    Cloglog,
    /// The quantile of Cauchy's distribution.
    Cauchit,
    /// 1 / mu.
    Inverse,
    /// 1 / mu^2.
    InverseSquared,
    /// sqrt(mu).
    Sqrt,
}

impl LinkChoice {
    fn link(self) -> GlmLink {
        match self {
            Self::Identity => GlmLink::Identity,
            Self::Log => GlmLink::Log,
            Self::Logit => GlmLink::Logit,
            Self::Probit => GlmLink::Probit,
            Self::Cloglog => GlmLink::Cloglog,
            Self::Cauchit => GlmLink::Cauchit,
            Self::Inverse => GlmLink::Inverse,
            Self::InverseSquared => GlmLink::InverseSquared,
            Self::Sqrt => GlmLink::Sqrt,
        }
    }
}

/// A generalised linear fit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The coefficients, on the scale of the link.
    pub terms: Vec<GlmTerm>,
    /// What the columns `ratio` are: `odds ratio`, `rate ratio`, ...; empty for links without one.
    pub ratio: String,
    /// Measures of the fit.
    pub fit: GlmMeasures,
    /// The excess of negative binomial counts.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "family": "negative_binomial" }))]
    pub alpha: Option<AlphaAnswer>,
    /// Predictions, one for each row of `predict`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "predict": { "not": null } }))]
    pub predicted: Option<Vec<GlmPredictedRow>>,
    /// Rows that are used.
    pub n: usize,
    /// Rows that are left out because a cell is missing.
    pub missing: usize,
    /// The model: family, link, errors.
    pub method: String,
    /// The test of all terms, as the American Psychological Association writes it.
    pub apa: String,
    /// What the model says, in a sentence or two.
    pub summary: String,
}

/// The response of a family.
struct FamilyResponse {
    values: Vec<f64>,
    trials: Option<Vec<f64>>,
    /// What is modelled: the name, or the level that counts as success.
    name: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("glm", "Generalised linear model").tags(&[
        "statistics",
        "numeric",
        "fit",
        "logistic regression",
        "poisson regression",
        "odds ratio",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "rates of two groups, 2 and 6 on average: the rate ratio is 3":
            r#"{"data": {"count": [1, 3, 2, 5, 7, 6], "group": ["a", "a", "a", "b", "b", "b"]}, "formula": "count ~ group", "family": "poisson"}"#
            => r#"{"terms": [{"name": "Intercept", "estimate": 0.6931471805599, "standard_error": 0.4082482904611, "z": 1.697856909032,
                "p": 0.08953477187562, "lower": -0.1070047654939, "upper": 1.493299126614, "ratio": null, "ratio_lower": null,
                "ratio_upper": null}, {"name": "group[T.b]", "estimate": 1.098612288668, "standard_error": 0.4714045207886, "z": 2.330508597648,
                "p": 0.01977928614382, "lower": 0.174676405773, "upper": 2.022548171563, "ratio": 3.0, "ratio_lower": 1.190860798577,
                "ratio_upper": 7.557558373537}], "ratio": "rate ratio", "fit": {"deviance": 1.381390237171, "null_deviance": 7.660367962346,
                "degrees_of_freedom": 4, "pearson_chi2": 1.333333333333, "dispersion": 1.0, "overdispersion": 0.3333333333333,
                "log_likelihood": -9.966257436181, "aic": 23.93251487236, "bic": 23.51603381082, "deviance_r2": 0.8196705113956,
                "mcfadden_r2": 0.2395505598092, "cox_snell_r2": 0.6488340192044, "test": 6.278977725175, "test_df": 1.0,
                "test_p": 0.01221785602298, "iterations": 5}, "n": 6, "missing": 0, "method": "poisson with the link log, classical errors",
                "apa": "chi2(1) = 6.28, p = .012",
                "summary": "The terms explain 82 % of the deviance of `count` in 6 rows (p = 0.012). Clear at 95 %: `group` b against a: rate ratio 3 (interval 1.191 to 7.558)."}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        args.with_request(ctx, |request, model, name| {
            let (fit, alpha) = args.fit(request, model, ctx)?;
            warn_of_aliases(&fit.aliased, ctx);
            let predicted = predicted_rows(&args, model, &fit, ctx)?;
            let (family, link) = (request.family, request.link);
            let ratio = link.ratio_name(family == GlmFamily::Binomial, family.is_count());
            Ok(Output {
                terms: glm_terms(&fit, ratio.is_some()),
                ratio: ratio.unwrap_or_default().to_owned(),
                fit: GlmMeasures::new(&fit),
                alpha: (args.family == FamilyChoice::NegativeBinomial)
                    .then(|| AlphaAnswer::new(&args, alpha)),
                predicted,
                n: fit.fitted.len(),
                missing: model.frame.missing,
                method: format!(
                    "{} with the link {}, {} errors",
                    fit.family.name(),
                    link.name(),
                    request.errors.name()
                ),
                apa: answer::apa_line(&fit),
                summary: glm_summary(&fit, model, name, ratio, request.confidence),
            })
        })
    }
}

impl Args {
    /// Reads the table and hands on the model that is asked for, with the name of its response.
    fn with_request<T>(
        &self,
        ctx: &Ctx,
        then: impl FnOnce(GlmRequest<'_>, &ModelData, &str) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let named = |pointer, name: &Option<String>| name.clone().map(|name| (pointer, name));
        let beside = [
            named("/weights", &self.weights),
            named("/cluster", &self.cluster),
            named("/trials", &self.trials),
        ];
        let beside: Vec<ColumnArgument<'_>> = beside
            .iter()
            .flatten()
            .map(|(pointer, name)| ColumnArgument { pointer, name })
            .collect();
        let column = |pointer: &str| {
            beside
                .iter()
                .copied()
                .find(|column| column.pointer == pointer)
        };
        let model = read_model(&self.data, &self.formula, &beside, ctx)?;
        if !model.frame.random.is_empty() {
            refuse!(invalid "/formula", "formula"; "the formula has a random term, which `glm` does not fit"; "`mixed_model` fits normal responses");
        }
        let family = self.family();
        let link = self.link.map_or(family.default_link(), LinkChoice::link);
        if !family.takes_link(link) {
            let (family, link) = (family.name(), link.name());
            refuse!(invalid "/link", "link"; "the family {family} does not take the link {link}"; "leave `link` out");
        }
        let response = family_response(&model, self.family, column("/trials"))?;
        let weights = column("/weights")
            .map(|column| model.numbers(column))
            .transpose()?;
        let clusters = column("/cluster")
            .map(|column| model.categories(column))
            .transpose()?;
        let codes = cluster_codes(clusters.as_ref());
        let request = GlmRequest {
            design: &model.frame.design,
            y: &response.values,
            trials: response.trials.as_deref(),
            weights: weights.as_deref(),
            offset: model.frame.offset.as_deref(),
            family,
            link,
            errors: error_estimate(self.errors, self.cluster.is_some(), &codes)?,
            confidence: confidence_level(self.confidence)?,
        };
        then(request, &model, &response.name)
    }

    fn family(&self) -> GlmFamily {
        match self.family {
            FamilyChoice::Binomial => GlmFamily::Binomial,
            FamilyChoice::Poisson => GlmFamily::Poisson,
            FamilyChoice::NegativeBinomial => GlmFamily::NegativeBinomial {
                alpha: self.alpha.map_or(1.0, |alpha| alpha.get()),
            },
            FamilyChoice::Gamma => GlmFamily::Gamma,
            FamilyChoice::InverseGaussian => GlmFamily::InverseGaussian,
            FamilyChoice::Gaussian => GlmFamily::Gaussian,
        }
    }

    fn fit(
        &self,
        request: GlmRequest<'_>,
        model: &ModelData,
        ctx: &Ctx,
    ) -> Result<(GlmFit, Option<DispersionEstimate>), ToolError> {
        if self.alpha.is_some() && self.family != FamilyChoice::NegativeBinomial {
            refuse!(invalid "/alpha", "family"; "`alpha` belongs to the family negative_binomial"; "leave it out");
        }
        let is_estimated = self.family == FamilyChoice::NegativeBinomial && self.alpha.is_none();
        let fault = |err| model.model_fault(err, ctx);
        if !is_estimated {
            return Ok((fit_glm(request, &CallWatch(ctx)).map_err(fault)?, None));
        }
        let (fit, alpha) = fit_negative_binomial(request, &CallWatch(ctx)).map_err(fault)?;
        if alpha.is_poisson {
            ctx.warn("the counts vary no more than Poisson counts: alpha is 0, and the fit is that of the family poisson");
        }
        Ok((fit, Some(alpha)))
    }
}

/// The places of the clusters.
pub(crate) fn cluster_codes(clusters: Option<&CategoryColumn>) -> Vec<u32> {
    clusters
        .into_iter()
        .flat_map(|column| column.codes.iter().flatten().copied())
        .collect()
}

/// How errors are estimated.
pub(crate) fn error_estimate(
    errors: Option<super::linear_regression::LinearErrors>,
    has_cluster: bool,
    codes: &[u32],
) -> Result<ErrorEstimate<'_>, ToolError> {
    use super::linear_regression::LinearErrors as Errors;
    let estimate = match (errors, has_cluster) {
        (Some(Errors::Cluster) | None, true) => ErrorEstimate::Cluster(codes),
        (Some(Errors::Cluster), false) => {
            refuse!(invalid "/cluster", "missing"; "clustered errors need the column of the clusters"; "name it in `cluster`");
        }
        (Some(_), true) => {
            refuse!(invalid "/errors", "cluster"; "`cluster` is used by clustered errors alone"; "leave `errors` out, or `cluster`");
        }
        (None | Some(Errors::Classical), false) => ErrorEstimate::Classical,
        (Some(Errors::HC0), false) => ErrorEstimate::Hc0,
        (Some(Errors::HC1), false) => ErrorEstimate::Hc1,
        (Some(Errors::HC2), false) => ErrorEstimate::Hc2,
        (Some(Errors::HC3), false) => ErrorEstimate::Hc3,
    };
    Ok(estimate)
}

/// The values of the response and their trials.
fn family_response(
    model: &ModelData,
    family: FamilyChoice,
    trials: Option<ColumnArgument<'_>>,
) -> Result<FamilyResponse, ToolError> {
    let response = model.response()?;
    if family != FamilyChoice::Binomial {
        if trials.is_some() {
            refuse!(invalid "/trials", "family"; "`trials` belongs to the family binomial"; "an offset gives counts their exposure");
        }
        let response = model.numeric_response()?;
        return Ok(FamilyResponse {
            values: response.values.clone(),
            trials: None,
            name: response.name.clone(),
        });
    }
    let trials = trials.map(|column| model.numbers(column)).transpose()?;
    binomial_response(model, response, trials)
}

fn binomial_response(
    model: &ModelData,
    response: &ModelResponse,
    trials: Option<Vec<f64>>,
) -> Result<FamilyResponse, ToolError> {
    let name = response.name.clone();
    if let Some(levels) = &response.levels {
        let [_, success] = &levels[..] else {
            let count = levels.len();
            refuse!(invalid "/formula", "response"; "the response `{name}` has {count} levels, and a binomial response has two";
                "compare one level with the others in a column of its own");
        };
        return Ok(FamilyResponse {
            values: response.values.clone(),
            trials: None,
            name: format!("{name} = {success}"),
        });
    }
    let trials = match (&response.second, trials) {
        (Some(failures), None) => response
            .values
            .iter()
            .zip(failures)
            .map(|(s, f)| s + f)
            .collect(),
        (None, Some(trials)) => trials,
        (Some(_), Some(_)) => {
            refuse!(invalid "/trials", "response"; "`cbind(successes, failures)` says the trials already"; "leave `trials` out");
        }
        (None, None) => {
            return Ok(FamilyResponse {
                values: response.values.clone(),
                trials: None,
                name,
            });
        }
    };
    for (row, (successes, trials)) in response.values.iter().zip(&trials).enumerate() {
        if !(*successes >= 0.0 && successes <= trials && *trials > 0.0) {
            let row = model.table_row(row);
            refuse!(invalid "/formula", "response"; "row {row} has {successes} successes in {trials} trials (rows count from 0)";
                "successes lie between 0 and the trials; leave out rows without trials");
        }
    }
    Ok(FamilyResponse {
        values: response
            .values
            .iter()
            .zip(&trials)
            .map(|(s, n)| s / n)
            .collect(),
        trials: Some(trials),
        name,
    })
}

fn predicted_rows(
    args: &Args,
    model: &ModelData,
    fit: &GlmFit,
    ctx: &Ctx,
) -> Result<Option<Vec<GlmPredictedRow>>, ToolError> {
    let Some(rows) = &args.predict else {
        return Ok(None);
    };
    let new = model.new_rows(rows, ctx)?;
    let predictions = fit.predict(&new.matrix, new.offset.as_deref());
    let row = |(row, one): (usize, &statistics::models::glm::GlmPrediction)| GlmPredictedRow {
        row,
        mean: Real(one.mean),
        lower: Real(one.confidence[0]),
        upper: Real(one.confidence[1]),
        predictor: one.predictor,
        standard_error: one.standard_error,
    };
    Ok(Some(predictions.iter().enumerate().map(row).collect()))
}
