//! A second opinion on `glm`: the deviance minimised by `argmin`, from a start of its own.

use second_opinions::minimum;
use statistics::models::glm::GlmRequest;
use tool_core::{AnswerVerification, Ctx, ToolError, Verify};

use super::{Args, FamilyChoice, Output};

const BY: &str = "argmin, L-BFGS from coefficients of 0";
const COMPARED: &str = "deviance";
/// Improvement, relative to the deviance without any term, that a descent by gradients may leave.
const TOLERATED: f64 = 1e-8;
/// The second method walks over all rows some hundred times, on one core.
const ENTRIES_MAX: usize = 2_000_000;

impl Verify for Args {
    fn verify(args: Self, output: &Output, ctx: &Ctx) -> Result<AnswerVerification, ToolError> {
        if args.family == FamilyChoice::NegativeBinomial && args.alpha.is_none() {
            let reason =
                "negative binomial models with an alpha to be estimated are not computed again";
            return Ok(AnswerVerification::unavailable(BY, COMPARED, reason));
        }
        args.with_request(ctx, |request, _, _| Ok(compare(&request, output, ctx)))
    }
}

fn compare(request: &GlmRequest<'_>, output: &Output, ctx: &Ctx) -> AnswerVerification {
    let design = request.design;
    let entries = design.matrix.high.len();
    if entries > ENTRIES_MAX {
        let reason =
            format!("the design has {entries} entries, more than the {ENTRIES_MAX} that it takes");
        return AnswerVerification::unavailable(BY, COMPARED, reason);
    }
    let kept: Vec<usize> = (0..design.names.len())
        .filter(|&at| {
            output
                .terms
                .iter()
                .any(|term| term.name == design.names[at])
        })
        .collect();
    let constant = kept.iter().position(|&at| design.terms[at].is_none());
    let Some(constant) = constant else {
        let reason = "models without a constant are not computed again";
        return AnswerVerification::unavailable(BY, COMPARED, reason);
    };
    let problem = DevianceProblem::new(request, &kept, constant);
    let objective = |point: &[f64]| {
        ctx.check().ok()?;
        Some(problem.deviance(point))
    };
    let slope = |point: &[f64]| Some(problem.gradient(point));
    let start = vec![0.0; kept.len()];
    let Some((_, second)) = minimum::lbfgs(&objective, &slope, &start) else {
        return AnswerVerification::unavailable(BY, COMPARED, "it finds no value");
    };
    let (own, unit) = (output.fit.deviance, output.fit.null_deviance);
    // Both are told beside the deviance without any term: an exact fit has a deviance of rounding errors.
    let pair = ([own, unit], [second, unit]);
    AnswerVerification::of_numbers(BY, COMPARED, (&pair.0, &pair.1), TOLERATED)
}

/// The deviance over coefficients of columns that have mean 0 and length 1, beside a constant.
struct DevianceProblem<'a> {
    request: &'a GlmRequest<'a>,
    columns: Vec<Vec<f64>>,
    /// The linear predictor of the mean response.
    origin: f64,
}

impl<'a> DevianceProblem<'a> {
    fn new(request: &'a GlmRequest<'a>, kept: &[usize], constant: usize) -> Self {
        let count = request.y.len() as f64;
        let column = |(at, &index): (usize, &usize)| {
            let entries = request.design.matrix.column(index);
            if at == constant {
                return vec![1.0; entries.len()];
            }
            let mean = entries.iter().sum::<f64>() / count;
            let centred: Vec<f64> = entries.iter().map(|x| x - mean).collect();
            let length = numerics::dense::euclidean_norm(&centred) / count.sqrt();
            centred.iter().map(|x| x / length).collect()
        };
        let weight = |row: usize| request.weight(row);
        let total: f64 = (0..request.y.len()).map(weight).sum();
        let response = |row: usize| weight(row) * request.y[row] / total;
        let mean: f64 = (0..request.y.len()).map(response).sum();
        Self {
            columns: kept.iter().enumerate().map(column).collect(),
            origin: request.link.predictor(mean),
            request,
        }
    }

    fn predictors(&self, point: &[f64]) -> Vec<f64> {
        let offset = |row: usize| self.request.offset.map_or(0.0, |offset| offset[row]);
        let mut eta: Vec<f64> = (0..self.request.y.len())
            .map(|row| self.origin + offset(row))
            .collect();
        for (column, coefficient) in self.columns.iter().zip(point) {
            for (eta, x) in eta.iter_mut().zip(column) {
                *eta += coefficient * x;
            }
        }
        eta
    }

    /// Infinite where a predictor has no mean of the family.
    fn deviance(&self, point: &[f64]) -> f64 {
        let request = self.request;
        let mut deviance = 0.0;
        for (row, eta) in self.predictors(point).into_iter().enumerate() {
            if !request.link.takes(eta) {
                return f64::INFINITY;
            }
            let unit = request
                .family
                .unit_deviance(request.y[row], request.link.mean(eta));
            deviance += request.weight(row) * unit;
        }
        if deviance.is_nan() {
            f64::INFINITY
        } else {
            deviance
        }
    }

    fn gradient(&self, point: &[f64]) -> Vec<f64> {
        let request = self.request;
        let pulls: Vec<f64> = self
            .predictors(point)
            .into_iter()
            .enumerate()
            .map(|(row, eta)| {
                let mu = request.link.mean(eta);
                let step = request.link.slope(eta) / request.family.variance(mu);
                -2.0 * request.weight(row) * (request.y[row] - mu) * step
            })
            .collect();
        let dot = |column: &Vec<f64>| column.iter().zip(&pulls).map(|(x, pull)| x * pull).sum();
        self.columns.iter().map(dot).collect()
    }
}

#[cfg(test)]
mod tests {
    use tool_core::{Tool as _, VerificationOutcome};

    use super::*;

    fn call() -> Args {
        let text = r#"{"data": {"y": [1, 4, 2, 8, 5, 7], "x": [1, 2, 3, 4, 5, 7]}, "formula": "y ~ x", "family": "poisson"}"#;
        let value = tool_core::json::parse_json(text, tool_core::json::JsonLimits::default());
        tool_core::convert::from_value(&value.unwrap()).unwrap()
    }

    #[test]
    fn a_deviance_that_is_not_the_least_differs() {
        let ctx = Ctx::default();
        let mut output = Args::run(call(), &ctx).unwrap();
        let verified = Args::verify(call(), &output, &ctx).unwrap();
        assert_eq!(
            verified.outcome,
            VerificationOutcome::Agrees,
            "{verified:?}"
        );
        output.fit.deviance *= 1.0 + 1e-6;
        let verified = Args::verify(call(), &output, &ctx).unwrap();
        assert_eq!(
            verified.outcome,
            VerificationOutcome::Differs,
            "{verified:?}"
        );
    }
}
