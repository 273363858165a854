//! `curve_fit`: least squares of a model that is not linear in its parameters.

mod data;
mod model;
mod plot;
mod report;
mod start;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::data::Names;
use self::model::Fitted;
use self::report::{Report, Uncertain, report};
use super::least_squares::levenberg::{Found, How, Reason, minimise};
use super::least_squares::loss::{Kind, Loss};
use super::least_squares::projected::{better, minimise_doggedly};
use crate::expression::{Expression, Parameters};
use crate::prelude::*;

/// Fit a model that is not linear in its parameters to columns of a table, with standard errors and confidence intervals. By least squares
/// (Levenberg-Marquardt with exact derivatives). Without `start` a start point is searched.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Model of the response: an expression in columns of `data` and in the parameters, such as `a*exp(-k*t) + c`. Names that are no
    /// columns are parameters.
    pub model: String,
    /// The table; columns that the model names, and the response, are numbers.
    pub data: Input<Table>,
    /// Column of the response.
    #[serde(default = "response")]
    pub response: String,
    /// Start values by parameter, such as `{"a": 1, "k": 0.1}`; those of the others are searched.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub start: BTreeMap<String, Finite>,
    /// Bounds by parameter, `[low, high]` with null for none, such as `{"k": [0, null]}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bounds: BTreeMap<String, [Option<Finite>; 2]>,
    /// Named numbers that the model uses and that are not fitted.
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// Column with the standard deviation of each response, positive; residuals are divided by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sigma: Option<String>,
    /// Whether `sigma` is known as it is; otherwise only its proportions are, and the residuals tell its size.
    #[serde(default)]
    pub absolute_sigma: bool,
    /// How much a residual counts: `linear` (its square), or less when it is large: `huber`, `soft_l1`, `cauchy`.
    #[serde(default)]
    pub loss: Kind,
    /// Residual at which a loss begins to count less, in units of the response (of `sigma` where there is one).
    #[serde(default = "one")]
    pub loss_scale: Positive,
    /// Probability of the confidence intervals and bands, above 0 and below 1.
    #[serde(default = "confidence")]
    pub confidence: Probability,
    /// Largest number of iterations from each start point.
    #[serde(default = "Bounded::<1, 1_000_000>::of::<1000>")]
    pub max_iter: Bounded<1, 1_000_000>,
    /// Ended when a step changes the parameters by less than this, relative to their size.
    #[serde(default = "tolerance")]
    pub tolerance: Tolerance,
    /// Whether to draw the data, the fit and the residuals as text.
    #[serde(default = "yes")]
    pub plot: bool,
}

fn response() -> String {
    "y".to_owned()
}

fn one() -> Positive {
    Positive::literal(1.0)
}

fn confidence() -> Probability {
    Probability::literal(0.95)
}

fn tolerance() -> Tolerance {
    Tolerance::literal(1e-12)
}

fn yes() -> bool {
    true
}

/// A fit.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The parameters, in alphabetical order.
    #[schemars(extend("x-shape" = ["p"]))]
    pub(crate) parameters: Vec<Term>,
    /// Whether the fit ended at a minimum.
    pub converged: bool,
    /// Reason it ended.
    pub reason: Reason,
    /// Largest cosine between the residuals and a column of the Jacobian: 0 at a minimum.
    pub cosine: f64,
    /// Residual standard deviation, sqrt(sum of squares / degrees of freedom), of weighted residuals where there is a `sigma`; "NaN" with 0 degrees of freedom.
    pub residual_std: Real,
    /// Sum of the squares of the (weighted) residuals, also with a robust loss.
    pub sum_of_squares: f64,
    /// Share of the variance of the (weighted) response around its mean that the model explains; "NaN" for a constant response.
    pub r2: Real,
    /// Observations less fitted parameters.
    pub degrees_of_freedom: usize,
    /// Akaike's criterion, n log(sum of squares / n) + 2 (p + 1); "-Infinity" for an exact fit.
    pub aic: Real,
    /// Schwarz's criterion, n log(sum of squares / n) + log(n) (p + 1).
    pub bic: Real,
    /// Covariance of the estimates; "NaN" for parameters at a bound.
    #[schemars(extend("x-shape" = ["p", "p"]))]
    pub covariance: Vec<Vec<Real>>,
    /// The model at each row.
    #[schemars(extend("x-shape" = ["n"]))]
    pub fitted: Vec<f64>,
    /// Half the width of the confidence band of the model at each row.
    #[schemars(extend("x-shape" = ["n"]))]
    pub band: Vec<Real>,
    /// Iterations, from all start points.
    pub iterations: u64,
    /// Passes over the data.
    pub evaluations: u64,
    /// Start points that were tried.
    pub starts: usize,
    /// The data (dots) with the fit, and the residuals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plot: Option<String>,
}

/// An estimate and its uncertainty.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Term {
    /// The parameter.
    pub name: String,
    /// The estimate.
    pub estimate: f64,
    /// Its standard error, by linear theory; "NaN" at a bound, where the data do not determine it, and with 0 degrees of freedom unless
    /// `absolute_sigma`.
    pub standard_error: Real,
    /// Estimate divided by its standard error.
    pub t: Real,
    /// Two-sided p value of the hypothesis that the parameter is 0 (Student t; normal with `absolute_sigma`).
    pub p: Real,
    /// Ends of its confidence interval (as `p`).
    pub interval: [Real; 2],
    /// Whether it is at a bound.
    pub at_bound: bool,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("curve_fit", "Fit a curve")
        .tags(&[
            "fit",
            "regression",
            "nonlinear",
            "levenberg-marquardt",
            "optimisation",
            "statistics",
        ])
        .syntax(&[("/model", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a decay":
            r#"{"model": "a*exp(-k*t)", "data": {"t": [0, 1, 2, 3], "y": [8.1, 3.9, 2.1, 0.9], "s": [0.2, 0.1, 0.1, 0.1]},
                "start": {"a": 8, "k": 1}, "bounds": {"k": [0, null]}, "sigma": "s", "plot": false}"#
            => r#"{"parameters": [{"name": "a", "estimate": 8.041083117764533, "standard_error": 0.2234249765299476, "t":
                35.99008151484226, "p": 0.000771137391847958, "interval": [7.079763032603744,
                9.002403202925322], "at_bound": false}, {"name": "k", "estimate": 0.7039211501334094,
                "standard_error": 0.02670979697024718, "t": 26.35441785340142, "p": 0.001436668118675781,
                "interval": [0.5889981692883215, 0.8188441309784973], "at_bound": false}], "converged": true,
                "reason": "orthogonal", "cosine": 8.479027738286959e-16, "residual_std": 1.220635714785495,
                "sum_of_squares": 2.979903096419793, "r2": 0.9975818514198841, "degrees_of_freedom": 2, "aic":
                4.822385683555065, "bic": 2.981268766914736, "covariance": [[0.04991872013740764,
                0.004115529792996738], [0.004115529792996738, 0.0007134132541918253]], "fitted":
                [8.041083117764533, 3.9774568797351133, 1.9674169509828767, 0.9731669194795995], "band":
                [0.9613200851607884, 0.3677706904536775, 0.3363145224761045, 0.26882577327645746],
                "iterations": 7, "evaluations": 20, "starts": 1}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let confidence = args.confidence.get();
        if confidence == 0.0 || confidence == 1.0 {
            refuse!(invalid "/confidence"; "expected a probability above 0 and below 1, found {confidence}";
                "the usual one is 0.95");
        }
        if args.absolute_sigma && args.sigma.is_none() {
            refuse!(invalid "/absolute_sigma"; "`absolute_sigma` needs `sigma`: there are no standard deviations to take as they are";
                "name their column with `sigma`");
        }
        let table = args.data.load(ctx)?;
        let names = Names::of(&args, &table)?;
        let scope = names.scope(&args.parameters)?;
        let model =
            Expression::parse(&args.model, &scope).map_err(|err| err.into_tool_error("/model"))?;
        let rows = data::rows(&args, &table, &names)?;
        let (n, p) = (rows.len(), names.parameters.len());
        if n < p {
            refuse!(invalid "/data", "underdetermined"; "{p} parameters cannot be fitted to {n} observations";
                "pass more observations, or fix parameters with `parameters`");
        }
        ctx.reserve_doubles(n.saturating_mul(4 * p + 8))?;
        let bounds = data::bounds(&args, &names)?;
        let loss = Loss {
            kind: args.loss,
            scale: args.loss_scale.get(),
        };
        let mut fitted = Fitted::new(&model, p, &rows, loss, ctx)?;
        let known = |name: &String| args.start.get(name).map(|value| value.get());
        let known: Vec<Option<f64>> = names.parameters.iter().map(known).collect();
        let starts = starts(&args, &model, &mut fitted, &known, &bounds)?;
        let (found, iterations) = best(&args, &mut fitted, &starts, &bounds, ctx)?;
        let values = fitted.columns(&found.point)?;
        let Some(values) = values else {
            refuse!(numeric "/model", "not_finite"; "the model is not finite at the fit"; "set `bounds` or another `start`");
        };
        let evaluations = fitted.evaluations;
        output(
            &args,
            &names,
            &rows,
            found,
            values,
            iterations,
            evaluations,
            starts.len(),
            ctx,
        )
    }
}

/// The start points: the given one, or those that a search finds.
fn starts(
    args: &Args,
    model: &Expression,
    fitted: &mut Fitted<'_>,
    known: &[Option<f64>],
    bounds: &[[f64; 2]],
) -> Result<Vec<Vec<f64>>, ToolError> {
    let given: Option<Vec<f64>> = known.iter().copied().collect();
    if let Some(given) = given {
        for ((value, [low, high]), name) in given.iter().zip(bounds).zip(args.start.keys()) {
            if !(low..=high).contains(&value) {
                refuse!(invalid format!("/start/{name}"); "the start value {value} is not within the bounds");
            }
        }
        return Ok(vec![given]);
    }
    let few = start::thinned(fitted.rows);
    let plain = Loss {
        kind: Kind::Linear,
        scale: 1.0,
    };
    let mut search = Fitted::new(model, known.len(), &few, plain, fitted.ctx)?;
    let found = start::search(&mut search, known, bounds)?;
    if found.is_empty() {
        refuse!(numeric "/model", "not_finite"; "the model is finite at no start point that was tried";
            "give `start` values at which it is");
    }
    Ok(found)
}

/// The best fit from several start points, and the iterations of all.
fn best(
    args: &Args,
    fitted: &mut Fitted<'_>,
    starts: &[Vec<f64>],
    bounds: &[[f64; 2]],
    ctx: &Ctx,
) -> Result<(Found, u64), ToolError> {
    let how = How {
        bounds,
        max_iter: args.max_iter.get() as u64,
        tolerance: args.tolerance.get(),
        scale: kernels::dense::norm2(&fitted.weighted(fitted.rows.response.clone())),
        is_forgetting: false,
    };
    let mut best: Option<Found> = None;
    let mut iterations = 0;
    for start in starts {
        let found = match starts.len() {
            1 => {
                let (found, taken) = minimise_doggedly(fitted, start, &how, ctx)?;
                iterations += taken;
                found
            }
            _ => {
                let found = minimise(fitted, start, &how, ctx)?;
                iterations += found.as_ref().map_or(0, |found| found.iterations);
                found
            }
        };
        best = better(best, found);
    }
    let Some(best) = best else {
        refuse!(numeric "/start", "not_finite"; "the model or a derivative is not finite at the start";
            "choose start values at which it is");
    };
    Ok((best, iterations))
}

#[expect(clippy::too_many_arguments, reason = "the parts of one answer")]
fn output(
    args: &Args,
    names: &Names,
    rows: &model::Rows,
    found: Found,
    mut values: Vec<Vec<f64>>,
    iterations: u64,
    evaluations: u64,
    starts: usize,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let (n, p) = (rows.len(), found.point.len());
    let jacobian = values.split_off(1);
    let fit = values.swap_remove(0);
    let weight = |row: usize| rows.weights.as_ref().map_or(1.0, |weights| weights[row]);
    let squares = |of: &dyn Fn(usize) -> f64| {
        (0..n)
            .map(|row| (of(row) * weight(row)).powi(2))
            .sum::<f64>()
    };
    let sum_of_squares = squares(&|row| fit[row] - rows.response[row]);
    let held = found.held.iter().filter(|held| **held).count();
    let freedom = n - (p - held);
    let variance = match freedom {
        0 => f64::NAN,
        freedom => sum_of_squares / freedom as f64,
    };
    let loss = Loss {
        kind: args.loss,
        scale: args.loss_scale.get(),
    };
    let residuals: Vec<f64> = (0..n)
        .map(|row| (fit[row] - rows.response[row]) * weight(row))
        .collect();
    let of_estimates = match (args.loss, args.absolute_sigma) {
        (Kind::Linear, true) => 1.0,
        (Kind::Linear, false) => variance,
        _ => loss.variance(&residuals, freedom),
    };
    let weighted = jacobian.iter().map(|column| {
        let entries = column.iter().enumerate();
        entries.map(|(row, entry)| entry * weight(row)).collect()
    });
    let uncertain = Uncertain {
        plain: &jacobian,
        weighted: weighted.collect(),
        variance: of_estimates,
        // What is known as it is has a normal distribution.
        freedom: if args.absolute_sigma {
            None
        } else {
            Some(freedom)
        },
    };
    let report = report(&found, &uncertain, args.confidence.get());
    let converged = found.reason.has_converged();
    warn(&found, &report, freedom, args.absolute_sigma, ctx);
    let total: f64 = (0..n).map(|row| weight(row).powi(2)).sum();
    let mean = (0..n)
        .map(|row| rows.response[row] * weight(row).powi(2))
        .sum::<f64>()
        / total;
    let spread = squares(&|row| rows.response[row] - mean);
    let per_row = (sum_of_squares / n as f64).ln() * n as f64;
    let plot = args
        .plot
        .then(|| plot::plot(names, rows, &fit, ctx))
        .transpose()?;
    let real = |values: Vec<f64>| values.into_iter().map(Real).collect::<Vec<Real>>();
    Ok(Output {
        parameters: terms(names, &found, &report),
        converged,
        reason: found.reason,
        cosine: found.cosine,
        residual_std: Real(variance.sqrt()),
        sum_of_squares,
        r2: Real(if spread > 0.0 {
            1.0 - sum_of_squares / spread
        } else {
            f64::NAN
        }),
        degrees_of_freedom: freedom,
        aic: Real(per_row + 2.0 * (p + 1) as f64),
        bic: Real(per_row + (n as f64).ln() * (p + 1) as f64),
        covariance: report.covariance.into_iter().map(real).collect(),
        fitted: fit,
        band: real(report.bands),
        iterations,
        evaluations,
        starts,
        plot,
    })
}

fn warn(found: &Found, report: &Report, freedom: usize, is_known: bool, ctx: &Ctx) {
    if found.reason == Reason::Flat {
        ctx.warn("a parameter has no influence near the end of the search, which need not be a minimum: give another `start`");
    } else if !found.reason.has_converged() {
        ctx.warn("the fit did not converge: give other `start` values, set `bounds`, or raise `max_iter`");
    }
    if !report.is_determined {
        ctx.warn("the data do not determine all parameters: some can change together without changing the fit, so there are no standard errors");
    } else if freedom == 0 && !is_known {
        ctx.warn("as many parameters as observations: the fit has no standard errors");
    }
    if found.held.iter().any(|held| *held) {
        ctx.warn("a parameter is at its bound: it has no standard error, and those of the others hold for it there");
    }
}

fn terms(names: &Names, found: &Found, report: &Report) -> Vec<Term> {
    let term = |(index, name): (usize, &String)| {
        let (estimate, half) = (found.point[index], report.half_widths[index]);
        Term {
            name: name.clone(),
            estimate,
            standard_error: Real(report.standard_errors[index]),
            t: Real(report.t_values[index]),
            p: Real(report.p_values[index]),
            interval: [Real(estimate - half), Real(estimate + half)],
            at_bound: found.held[index],
        }
    };
    names.parameters.iter().enumerate().map(term).collect()
}
