//! [`Output`]: the answer of a fit.

use std::collections::BTreeMap;

use numerics::optimise::{
    FitUncertainty, LeastSquaresResult, LevenbergEnd, RobustLoss, UncertaintyInputs,
    report_uncertainty,
};

use super::arguments::Args;
use super::draws::draw_parameter_sets;
use super::model::FitRows;
use super::names::ModelNames;
use super::plot;
use super::predict::{PredictionBands, PredictionPlaces, prediction_bands};
use crate::optimise::least_squares::options::{LeastSquaresReason, ResidualLoss};
use crate::prelude::*;

/// A fit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The parameters, in alphabetical order.
    #[schema(extend("x-shape" = ["p"]))]
    pub(crate) parameters: Vec<FittedParameter>,
    /// Whether the fit ended at a minimum.
    pub converged: bool,
    /// Reason it ended.
    pub reason: LeastSquaresReason,
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
    /// Akaike's criterion, n log(sum of squares / n) + 2 (p + 1), parameters at a bound counted; "-Infinity" for an exact fit.
    pub aic: Real,
    /// Schwarz's criterion, n log(sum of squares / n) + log(n) (p + 1).
    pub bic: Real,
    /// Covariance of the estimates; "NaN" for parameters at a bound.
    #[schema(extend("x-shape" = ["p", "p"]))]
    pub covariance: Vec<Vec<Real>>,
    /// The model at each row.
    #[schema(extend("x-shape" = ["n"]))]
    pub fitted: Vec<f64>,
    /// Half the width of the confidence band of the model at each row.
    #[schema(extend("x-shape" = ["n"]))]
    pub band: Vec<Real>,
    /// The fit at the rows of `predict`; absent without it.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "predict": { "not": null } }))]
    pub predicted: Option<PredictionBands>,
    /// Iterations, from all start points.
    pub iterations: u64,
    /// Passes over the data: of differential equations, integrations.
    pub evaluations: u64,
    /// Start points that were tried.
    pub starts: usize,
    /// Rows that were left out, since they miss a cell of a column that the fit uses; absent where there are none.
    #[value(skip_encoding_if = "Option::is_none")]
    pub dropped: Option<usize>,
    /// Parameter sets drawn from the normal distribution of the estimates; absent without `draws`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "draws": { "not": null } }))]
    pub draws: Option<Vec<BTreeMap<String, f64>>>,
    /// The seed of the draws; absent without them.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "draws": { "not": null } }))]
    pub seed: Option<RandomSeed>,
    /// The data (dots) with the fit, and the residuals.
    #[value(skip_encoding_if = "Option::is_none")]
    pub plot: Option<String>,
}

/// An estimate and its uncertainty.
#[derive(Debug, Encode, Describe)]
pub(crate) struct FittedParameter {
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

#[expect(clippy::too_many_arguments, reason = "the parts of one answer")]
pub(super) fn curve_fit_output(
    args: &Args,
    names: &ModelNames,
    (rows, bounds): (&FitRows, &[[f64; 2]]),
    found: LeastSquaresResult,
    (mut values, places): (Vec<Vec<f64>>, Option<PredictionPlaces>),
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
    let loss = RobustLoss {
        kind: args.loss.into(),
        scale: args.loss_scale.get(),
    };
    let residuals: Vec<f64> = (0..n)
        .map(|row| (fit[row] - rows.response[row]) * weight(row))
        .collect();
    let of_estimates = match (args.loss, args.absolute_sigma) {
        (ResidualLoss::Linear, true) => 1.0,
        (ResidualLoss::Linear, false) => variance,
        _ => loss.variance(&residuals, freedom),
    };
    let weighted = jacobian.iter().map(|column| {
        let entries = column.iter().enumerate();
        entries.map(|(row, entry)| entry * weight(row)).collect()
    });
    let uncertain = UncertaintyInputs {
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
    let report = report_uncertainty(&found, &uncertain, args.confidence.get());
    let converged = found.reason.has_converged();
    warn_of_weak_fit(&found, &report, freedom, args.absolute_sigma, ctx);
    let total: f64 = (0..n).map(|row| weight(row).powi(2)).sum();
    let mean = (0..n)
        .map(|row| rows.response[row] * weight(row).powi(2))
        .sum::<f64>()
        / total;
    let spread = squares(&|row| rows.response[row] - mean);
    let per_row = (sum_of_squares / n as f64).ln() * n as f64;
    let seed = args.draws.map(|_| ctx.seed(args.seed));
    let draws = args.draws.zip(seed);
    let draws = draws
        .map(|(count, seed)| {
            draw_parameter_sets(count.size(), names, (&found, &report), bounds, seed, ctx)
        })
        .transpose()?;
    let predicted = places.map(|places| {
        let found = prediction_bands(&places, &report, of_estimates, args.sigma.is_some());
        (found, places)
    });
    let plot = match args.plot {
        false => None,
        true => Some(plot::plot_fit(names, rows, &fit, predicted.as_ref(), ctx)?),
    };
    let predicted = predicted.map(|(predicted, _)| predicted);
    let real = |values: Vec<f64>| values.into_iter().map(Real).collect::<Vec<Real>>();
    Ok(Output {
        parameters: parameter_terms(names, &found, &report),
        converged,
        reason: found.reason.into(),
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
        predicted,
        iterations,
        evaluations,
        starts,
        dropped: None,
        draws,
        seed,
        plot,
    })
}

fn warn_of_weak_fit(
    found: &LeastSquaresResult,
    report: &FitUncertainty,
    freedom: usize,
    is_known: bool,
    ctx: &Ctx,
) {
    if found.reason == LevenbergEnd::Flat {
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

fn parameter_terms(
    names: &ModelNames,
    found: &LeastSquaresResult,
    report: &FitUncertainty,
) -> Vec<FittedParameter> {
    let term = |(index, name): (usize, &String)| {
        let (estimate, half) = (found.point[index], report.half_widths[index]);
        FittedParameter {
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
