//! Fits of families to a sample.

use std::collections::BTreeMap;

use ::statistics::distribution::{
    Family, FamilyFit, FitError, anderson_darling, fit_family, kolmogorov_smirnov, normal_isf,
};

use super::{ChosenDistribution, FamilyChoice, find_family, parameter_fault};
use crate::prelude::*;

/// Most values of a fit: each costs some hundred evaluations of a density for every family.
const VALUES_MAX: usize = 1_000_000;

/// An estimate of a parameter.
#[derive(Debug, Encode, Describe)]
pub(crate) struct FitEstimate {
    /// Name of the parameter.
    pub name: String,
    /// The estimate, or the value that was given.
    pub estimate: f64,
    /// Its standard error by the observed information; "NaN" of a parameter that was given, and where the likelihood has no curvature.
    pub standard_error: Real,
    /// The ends of its confidence interval by the normal distribution.
    pub interval: [Real; 2],
}

/// The fit of one family.
#[derive(Debug, Encode, Describe)]
pub(crate) struct FamilyFitRow {
    /// The family.
    pub family: String,
    /// Its parameters in words.
    pub parameters: String,
    /// Natural logarithm of the likelihood.
    pub log_likelihood: f64,
    /// Akaike's criterion; the least is the best.
    pub aic: f64,
    /// Schwarz's criterion.
    pub bic: f64,
    /// Kolmogorov and Smirnov's distance; "NaN" of a discrete family.
    pub ks: Real,
    /// Its p value for a distribution known beforehand: too large where parameters were fitted.
    pub ks_p: Real,
    /// Anderson and Darling's statistic; "NaN" of a discrete family.
    pub ad: Real,
    /// Its p value, as `ks_p`.
    pub ad_p: Real,
    /// Whether the search for the maximum converged.
    pub converged: bool,
}

/// The families that suit a sample: by whether it is whole, positive, inside 0 to 1.
fn suitable_families(values: &[f64]) -> Vec<&'static str> {
    let all = |holds: fn(f64) -> bool| values.iter().all(|x| holds(*x));
    if all(|x| x.fract() == 0.0 && x >= 0.0) {
        return vec!["poisson", "negative_binomial", "geometric"];
    }
    let mut families = vec![
        "normal",
        "student_t",
        "logistic",
        "laplace",
        "gumbel",
        "skew_normal",
    ];
    if all(|x| x > 0.0) {
        families.extend([
            "lognormal",
            "gamma",
            "weibull",
            "exponential",
            "inverse_gaussian",
            "log_logistic",
        ]);
    }
    if all(|x| x > 0.0 && x < 1.0) {
        families.extend(["beta", "kumaraswamy"]);
    }
    families
}

/// Fits each family and takes the one with the least AIC.
pub(super) fn fit_families(
    choice: &FamilyChoice,
    given: &BTreeMap<String, f64>,
    values: &[f64],
    confidence: f64,
    ctx: &Ctx,
) -> Result<ChosenDistribution, ToolError> {
    check_sample(values)?;
    let is_auto = matches!(choice, FamilyChoice::One(name) if name == "auto");
    let names: Vec<(String, String)> = match choice {
        FamilyChoice::One(_) if is_auto => suitable_families(values)
            .into_iter()
            .map(|name| (name.to_owned(), "/family".to_owned()))
            .collect(),
        FamilyChoice::One(name) => vec![(name.clone(), "/family".to_owned())],
        FamilyChoice::Several(names) => {
            let place =
                |(index, name): (usize, &String)| (name.clone(), format!("/family/{index}"));
            names.iter().enumerate().map(place).collect()
        }
    };
    if names.is_empty() {
        refuse!(invalid "/family"; "expected at least one family, found none"; "such as [\"normal\", \"gamma\"], or `auto`");
    }
    let mut fits = Vec::new();
    for (name, pointer) in &names {
        ctx.check()?;
        let family = find_family(name, pointer)?;
        let held = held_parameters(family, given)?;
        match fit_family(family, values, &held, &|| ctx.stop().is_set()) {
            Ok(fit) => fits.push((family, fit)),
            Err(FitError::Stopped) => ctx.check()?,
            Err(err) if names.len() == 1 => return Err(fit_fault(err)),
            Err(err) => ctx.warn(format!("`{name}` is left out: {err}")),
        }
    }
    fits.sort_by(|a, b| a.1.aic.total_cmp(&b.1.aic));
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rows = fits
        .iter()
        .map(|(family, fit)| fit_row(family, fit, &sorted))
        .collect();
    let Some((family, best)) = fits.into_iter().next() else {
        refuse!(numeric "/data", "no_fit"; "none of the families fits the data"; "name a family whose values the data can be");
    };
    if !best.has_converged {
        ctx.warn(format!(
            "the search for the greatest likelihood of `{}` did not converge",
            family.name
        ));
    }
    Ok(ChosenDistribution {
        family,
        n: values.len(),
        estimates: estimates(family, &best, confidence),
        fits: rows,
        parameters: best.parameters,
        distribution: best.distribution,
    })
}

fn check_sample(values: &[f64]) -> Result<(), ToolError> {
    if values.is_empty() {
        refuse!(invalid "/data", "empty"; "`data` is empty"; "pass at least two numbers");
    }
    if values.len() > VALUES_MAX {
        let found = values.len();
        refuse!(invalid "/data", "limit"; "expected at most {VALUES_MAX} values, found {found}"; "fit a sample of them");
    }
    Ok(())
}

/// The parameters that were given, in the order of the family.
fn held_parameters(
    family: &'static Family,
    given: &BTreeMap<String, f64>,
) -> Result<Vec<Option<f64>>, ToolError> {
    let known = |name: &String| family.parameters.iter().any(|one| one.name == name);
    if let Some(name) = given.keys().find(|name| !known(name)) {
        let probe = family.arrange([(name.as_str(), 0.0)]);
        if let Err(err) = probe {
            return Err(parameter_fault(err));
        }
    }
    Ok(family
        .parameters
        .iter()
        .map(|one| given.get(one.name).copied())
        .collect())
}

fn fit_fault(err: FitError) -> ToolError {
    let error = match &err {
        FitError::Parameters(inner) => return parameter_fault(inner.clone()),
        FitError::OutsideSupport { index, .. } => {
            ToolError::invalid(format!("/data/{index}"), &err)
        }
        FitError::NotEstimated { .. } => ToolError::invalid("/parameters", &err),
        FitError::TooFew(..) | FitError::Constant => ToolError::invalid("/data", &err),
        FitError::NoMaximum(_) | FitError::Stopped => ToolError::numeric("/data", &err),
    };
    let hint = match &err {
        FitError::OutsideSupport { .. } => "choose a family whose values include it",
        FitError::NotEstimated { .. } => "give it in `parameters`",
        FitError::TooFew(..) | FitError::Constant => "pass more, different values",
        _ => "try another family",
    };
    error.reason("fit").hint(hint)
}

fn fit_row(family: &Family, fit: &FamilyFit, sorted: &[f64]) -> FamilyFitRow {
    let words: Vec<String> = family
        .parameters
        .iter()
        .zip(&fit.parameters)
        .map(|(one, value)| format!("{} = {value:.6}", one.name))
        .collect();
    let distribution = fit.distribution.as_ref();
    let goodness = (!family.is_discrete).then(|| {
        (
            kolmogorov_smirnov(distribution, sorted),
            anderson_darling(distribution, sorted),
        )
    });
    let of = |value: Option<f64>| Real(value.unwrap_or(f64::NAN));
    FamilyFitRow {
        family: family.name.to_owned(),
        parameters: words.join(", "),
        log_likelihood: fit.ln_likelihood,
        aic: fit.aic,
        bic: fit.bic,
        ks: of(goodness.map(|(ks, _)| ks.statistic)),
        ks_p: of(goodness.map(|(ks, _)| ks.p)),
        ad: of(goodness.map(|(_, ad)| ad.statistic)),
        ad_p: of(goodness.map(|(_, ad)| ad.p)),
        converged: fit.has_converged,
    }
}

fn estimates(family: &Family, fit: &FamilyFit, confidence: f64) -> Vec<FitEstimate> {
    let z = normal_isf(0.5 * (1.0 - confidence));
    let parameters = family
        .parameters
        .iter()
        .zip(&fit.parameters)
        .zip(&fit.standard_errors);
    let estimate = |((parameter, &estimate), error): (
        (&::statistics::distribution::FamilyParameter, &f64),
        &Option<f64>,
    )| {
        let error = error.unwrap_or(f64::NAN);
        FitEstimate {
            name: parameter.name.to_owned(),
            estimate,
            standard_error: Real(error),
            interval: [Real(estimate - z * error), Real(estimate + z * error)],
        }
    };
    parameters.map(estimate).collect()
}
