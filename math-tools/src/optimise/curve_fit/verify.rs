//! A second opinion on `curve_fit`: the sum of squares minimised by `argmin` from the fit.

use std::cell::RefCell;

use numerics::optimise::{ResidualProblem, RobustLoss};
use second_opinions::minimum;
use tool_core::{AnswerVerification, Ctx, ToolError, Verify};

use super::answer::Output;
use super::equations::ResponseModel;
use super::model::{CurveFitProblem, FitCurve, OverData};
use super::solution::OdeCurve;
use super::{Args, data};
use crate::optimise::errors::fit_error;

const BY: &str = "argmin, Nelder and Mead's simplex";
const COMPARED: &str = "sum of squares";
/// Improvement, relative to the sum of squares, that two local methods may leave.
const TOLERATED: f64 = 1e-7;

impl Verify for Args {
    fn verify(args: Self, output: &Output, ctx: &Ctx) -> Result<AnswerVerification, ToolError> {
        let (table, names, _) = data::load_complete_table(&args, ctx)?;
        let rows = data::load_fit_rows(&args, &table, &names)?;
        let bounds = data::parameter_bounds(&args, &names)?;
        let loss = RobustLoss {
            kind: args.loss.into(),
            scale: args.loss_scale.get(),
        };
        let curve: Box<dyn FitCurve + '_> = match &args.model {
            ResponseModel::Formula(text) => {
                let scope = names.scope_of_data(&table, &args.parameters)?.by_row();
                Box::new(OverData::new(text, &scope, names.parameters.len(), ctx)?)
            }
            ResponseModel::Equations(equations) => {
                Box::new(OdeCurve::new(equations, &args, &names, &rows, ctx)?)
            }
        };
        let fit: Vec<f64> = output.parameters.iter().map(|term| term.estimate).collect();
        let mut fitted = CurveFitProblem::new(curve, &rows, loss);
        fitted.look(&fit)?;
        let Some(least) = fitted.cost(&fit).map_err(|error| fit_error(error, ctx))? else {
            let reason = "the model is not finite at the fit";
            return Ok(AnswerVerification::unavailable(BY, COMPARED, reason));
        };
        let size = fitted.weighted(rows.response.clone());
        let size: f64 = size.iter().map(|y| y * y).sum();
        let fitted = RefCell::new(fitted);
        let objective = |point: &[f64]| {
            let inside = point
                .iter()
                .zip(&bounds)
                .all(|(x, [low, high])| (low..=high).contains(&x));
            if !inside {
                return Some(f64::INFINITY);
            }
            ctx.check().ok()?;
            let cost = fitted.borrow_mut().cost(point).ok()?;
            Some(cost.unwrap_or(f64::INFINITY))
        };
        let high: Vec<f64> = bounds.iter().map(|[_, high]| *high).collect();
        let found = minimum::nelder_mead(&objective, &fit, &high);
        ctx.check()?;
        let Some((point, best)) = found else {
            return Ok(AnswerVerification::unavailable(
                BY,
                COMPARED,
                "it finds no value",
            ));
        };
        let best = best.min(least);
        // Below the rounding of the values there is nothing to compare.
        let floor = rows.len() as f64 * size * f64::EPSILON * f64::EPSILON;
        let tolerance = TOLERATED
            + if least > 0.0 {
                16.0 * floor / least
            } else {
                0.0
            };
        let pair = (&[least][..], &[best][..]);
        let found = AnswerVerification::of_numbers(BY, COMPARED, pair, tolerance);
        let note = format!("it reaches {best:e} at {point:?}");
        Ok(match found.note {
            Some(_) => AnswerVerification {
                note: Some(note),
                ..found
            },
            None => found,
        })
    }
}
