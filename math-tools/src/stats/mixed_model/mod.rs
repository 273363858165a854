//! Linear mixed models of tables.

#[cfg(test)]
mod tests;

use statistics::models::mixed::{MixedFit, MixedRequest, fit_mixed};

use super::model_data::{ModelData, read_model, warn_of_aliases};
use super::model_words::{EffectScale, effects_sentence};
use super::reporting::words::{estimate_words, percent_words};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Fits a linear mixed model of a table: coefficients that vary between groups, as `(1 | subject)` (random intercepts), `(x | subject)` (slopes too),
/// `(x || subject)` (without correlation), `(1 | school/class)` (nested) or several terms (crossed), by restricted or full likelihood, with
/// Satterthwaite's degrees of freedom, variance components, intraclass correlation and the modes of each group.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table, one row for each observation: a list of records, an object of columns, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// The model: `score ~ day + C(arm) + (day | subject)`.
    pub formula: String,
    /// `reml` (default) for estimates; `ml` to compare models of different fixed terms by AIC.
    #[value(default)]
    pub method: LikelihoodMethod,
    /// Probability of the intervals; 0.95 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub confidence: Option<Probability>,
    /// Groups whose modes are listed, at most.
    #[value(default = "BoundedInteger::<0, 100_000>::of::<50>")]
    pub modes: BoundedInteger<0, 100_000>,
}

/// The likelihood that is maximised.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum LikelihoodMethod {
    /// Restricted likelihood.
    #[default]
    Reml,
    /// Full likelihood.
    Ml,
}

/// A mixed fit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The fixed coefficients.
    pub terms: Vec<FixedTerm>,
    /// Variations of the random coefficients, and of the residuals.
    pub random: Vec<RandomVariation>,
    /// Number of groups of each grouping column.
    pub groups: Vec<GroupCount>,
    /// Measures of the fit.
    pub fit: MixedMeasures,
    /// Standard deviation of the residuals.
    pub residual_std: f64,
    /// Share of the variance that lies between groups, after the fixed terms.
    pub icc: f64,
    /// Share of the variance that the fixed terms explain (Nakagawa and Schielzeth).
    pub r2_marginal: f64,
    /// Share that the fixed and the random terms explain.
    pub r2_conditional: f64,
    /// Whether a variation is estimated as 0 or a correlation as 1: the random terms are more than the data tell.
    pub singular: bool,
    /// Modes of the groups: how far their coefficients are from the fixed ones.
    pub modes: Vec<GroupMode>,
    /// Rows that are used.
    pub n: usize,
    /// Rows that are left out because a cell is missing.
    pub missing: usize,
    /// Likelihood and degrees of freedom.
    pub method: String,
    /// What the model says, in a sentence or two.
    pub summary: String,
}

/// A fixed coefficient.
#[derive(Debug, Encode, Describe)]
pub(crate) struct FixedTerm {
    /// The column of the model.
    pub name: String,
    /// The estimate.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Degrees of freedom by Satterthwaite; `null` for the normal distribution.
    pub df: Option<f64>,
    /// Estimate over error.
    pub t: Real,
    /// Two-sided p value.
    pub p: Real,
    /// Lower end of the confidence interval.
    pub lower: Real,
    /// Upper end.
    pub upper: Real,
}

/// The variation of a random coefficient.
#[derive(Debug, Encode, Describe)]
pub(crate) struct RandomVariation {
    /// The grouping columns; `Residual` for the residuals.
    pub group: String,
    /// The coefficient.
    pub name: String,
    /// Its variance.
    pub variance: f64,
    /// Its standard deviation.
    pub std: f64,
    /// Correlation with the first coefficient of its term; `null` for that one.
    pub correlation: Option<Real>,
}

/// Groups of a grouping column.
#[derive(Debug, Encode, Describe)]
pub(crate) struct GroupCount {
    /// The grouping columns.
    pub group: String,
    /// Number of groups.
    pub count: usize,
}

/// Measures of a fit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct MixedMeasures {
    /// -2 log (restricted) likelihood, R's `REMLcrit` or deviance.
    pub criterion: f64,
    /// Logarithm of the (restricted) likelihood.
    pub log_likelihood: f64,
    /// -2 log likelihood + 2 parameters.
    pub aic: f64,
    /// -2 log likelihood + log(n) parameters.
    pub bic: f64,
    /// Fixed coefficients, covariances and the residual variance.
    pub parameters: usize,
    /// Steps of the minimisation.
    pub iterations: usize,
    /// Whether it converged.
    pub converged: bool,
}

/// The mode of a group's coefficient.
#[derive(Debug, Encode, Describe)]
pub(crate) struct GroupMode {
    /// The grouping columns.
    pub group: String,
    /// The group.
    pub level: String,
    /// The coefficient.
    pub name: String,
    /// How far it is from the fixed one.
    pub value: f64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("mixed_model", "Linear mixed model").tags(&[
        "statistics",
        "numeric",
        "fit",
        "random effects",
        "multilevel model",
        "repeated measures",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "three groups with means 10, 20 and 30": r#"{"data": {"y": [9, 11, 19, 21, 29, 31], "g": ["a", "a", "b", "b", "c", "c"]},
            "formula": "y ~ 1 + (1 | g)", "modes": 0}"# => r#"{"terms": [{"name": "Intercept", "estimate": 20.0, "standard_error": 5.773502691919, "df": 1.999999999188, "t": 3.464101615124,
                "p": 0.0741799002708, "lower": -4.84137712727, "upper": 44.84137712727}], "random": [{"group": "g", "name": "Intercept",
                "variance": 99.0, "std": 9.949874371106, "correlation": null}, {"group": "Residual", "name": "", "variance": 2.0,
                "std": 1.414213562369, "correlation": null}], "groups": [{"group": "g", "count": 3}], "fit": {"criterion": 28.65722107605,
                "log_likelihood": -14.32861053803, "aic": 34.65722107605, "bic": 34.03249948373, "parameters": 3, "iterations": 8,
                "converged": true}, "residual_std": 1.414213562369, "icc": 0.9801980198022, "r2_marginal": 0.0,
                "r2_conditional": 0.9801980198022, "singular": false, "modes": [], "n": 6, "missing": 0,
                "method": "restricted likelihood, Satterthwaite's degrees of freedom",
                "summary": "Of the variation of `y` that the fixed terms leave, 98 % lies between groups. The mean is 20 (interval -4.841 to 44.84)."}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let model = read_model(&args.data, &args.formula, &[], ctx)?;
        if model.frame.random.is_empty() {
            refuse!(invalid "/formula", "formula"; "the formula has no random term";
                "add one, such as `(1 | subject)`; `linear_regression` fits models without");
        }
        let confidence = confidence_level(args.confidence)?;
        let request = MixedRequest {
            design: &model.frame.design,
            y: &model.numeric_response()?.values,
            offset: model.frame.offset.as_deref(),
            random: &model.frame.random,
            is_reml: args.method == LikelihoodMethod::Reml,
            confidence,
        };
        let fit = fit_mixed(request, &CallWatch(ctx)).map_err(|err| model.model_fault(err, ctx))?;
        warn_of_fit(&fit, ctx);
        Ok(output(&args, &model, &fit, confidence))
    }
}

fn warn_of_fit(fit: &MixedFit, ctx: &Ctx) {
    warn_of_aliases(&fit.aliased, ctx);
    if fit.is_singular {
        ctx.warn("the fit is singular: a variation between groups is estimated as 0 or a correlation as 1; simplify the random terms");
    }
    if !fit.has_satterthwaite {
        ctx.warn("degrees of freedom could not be estimated; p values and intervals are those of the normal distribution, too small for few groups");
    }
    if !fit.is_converged {
        ctx.warn("the minimisation of the deviance did not converge; scale the columns or simplify the random terms");
    }
}

fn output(args: &Args, model: &ModelData, fit: &MixedFit, confidence: f64) -> Output {
    let term = |one: &statistics::models::CoefficientEstimate| FixedTerm {
        name: one.name.clone(),
        estimate: one.estimate,
        standard_error: one.standard_error,
        df: Some(one.df).filter(|df| df.is_finite()),
        t: Real(one.statistic),
        p: Real(one.p),
        lower: Real(one.interval[0]),
        upper: Real(one.interval[1]),
    };
    let residual = fit.residual_std.powi(2);
    let variation = |one: &statistics::models::mixed::VarianceComponent| RandomVariation {
        group: one.group.clone(),
        name: one.name.clone(),
        variance: one.variance,
        std: one.deviation,
        correlation: one.correlations.first().copied().map(Real),
    };
    let mut random: Vec<RandomVariation> = fit.components.iter().map(variation).collect();
    random.push(RandomVariation {
        group: "Residual".to_owned(),
        name: String::new(),
        variance: residual,
        std: fit.residual_std,
        correlation: None,
    });
    let mut groups: Vec<GroupCount> = Vec::new();
    for term in &model.frame.random {
        if groups.iter().all(|known| known.group != term.group) {
            groups.push(GroupCount {
                group: term.group.clone(),
                count: term.levels.len(),
            });
        }
    }
    let total = fit.fixed_variance + fit.random_variance + residual;
    let method = match args.method {
        LikelihoodMethod::Reml => "restricted likelihood",
        LikelihoodMethod::Ml => "full likelihood",
    };
    let icc = fit.random_variance / (fit.random_variance + residual);
    Output {
        terms: fit.coefficients.iter().map(term).collect(),
        summary: summary_sentence(model, fit, icc, confidence),
        random,
        groups,
        fit: MixedMeasures {
            criterion: fit.criterion,
            log_likelihood: fit.log_likelihood,
            aic: fit.aic,
            bic: fit.bic,
            parameters: fit.parameters,
            iterations: fit.iterations,
            converged: fit.is_converged,
        },
        residual_std: fit.residual_std,
        icc,
        r2_marginal: fit.fixed_variance / total,
        r2_conditional: (fit.fixed_variance + fit.random_variance) / total,
        singular: fit.is_singular,
        modes: group_modes(fit, args.modes.size()),
        n: fit.fitted.len(),
        missing: model.frame.missing,
        method: format!("{method}, Satterthwaite's degrees of freedom"),
    }
}

fn group_modes(fit: &MixedFit, shown: usize) -> Vec<GroupMode> {
    let mut out = Vec::new();
    for mode in fit.modes.iter().take(shown) {
        for (name, value) in mode.names.iter().zip(&mode.values) {
            out.push(GroupMode {
                group: mode.group.clone(),
                level: mode.level.clone(),
                name: name.clone(),
                value: *value,
            });
        }
    }
    out
}

fn summary_sentence(model: &ModelData, fit: &MixedFit, icc: f64, confidence: f64) -> String {
    let name = model
        .frame
        .response
        .as_ref()
        .map_or("", |response| response.name.as_str());
    let share = format!(
        "Of the variation of `{name}` that the fixed terms leave, {} lies between groups.",
        percent_words(icc)
    );
    let slopes = fit
        .coefficients
        .iter()
        .filter(|one| one.name != "Intercept")
        .count();
    if slopes == 0 {
        return match fit.coefficients.first() {
            Some(mean) => format!(
                "{share} The mean is {} (interval {} to {}).",
                estimate_words(mean.estimate),
                estimate_words(mean.interval[0]),
                estimate_words(mean.interval[1])
            ),
            None => share,
        };
    }
    let sentence = effects_sentence(
        &fit.coefficients,
        &model.frame,
        EffectScale::Response,
        confidence,
    );
    format!("{share} {sentence}")
}
