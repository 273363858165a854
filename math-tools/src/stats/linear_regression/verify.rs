//! A second opinion on `linear_regression`: the coefficients by a singular value decomposition of `nalgebra`.

use numerics::dense::lstsq::DesignMatrix;
use second_opinions::linear;
use tool_core::{AnswerVerification, Ctx, ToolError, Verify};

use super::{Args, Output};
use crate::stats::model_data::{ColumnArgument, read_model};

const BY: &str = "nalgebra, singular value decomposition";
const COMPARED: &str = "terms";
/// The second method takes no more than one core, and its time grows with rows times the square of columns.
const ENTRIES_MAX: usize = 4_000_000;

/// A least squares problem as the second library takes it: columns of length 1.
struct ScaledProblem {
    rows: Vec<f64>,
    lengths: Vec<f64>,
    y: Vec<f64>,
}

impl ScaledProblem {
    /// The chosen columns, with rows and response multiplied by the roots of the weights.
    fn new(design: &DesignMatrix, chosen: &[usize], y: Vec<f64>, weights: Option<&[f64]>) -> Self {
        let root = |row: usize| weights.map_or(1.0, |weights| weights[row].sqrt());
        let count = design.rows;
        let column = |at: &usize| -> Vec<f64> {
            let entries = design.column(*at).iter().enumerate();
            entries.map(|(row, x)| root(row) * x).collect()
        };
        let columns: Vec<Vec<f64>> = chosen.iter().map(column).collect();
        let lengths: Vec<f64> = columns
            .iter()
            .map(|column| numerics::dense::euclidean_norm(column))
            .collect();
        let mut rows = Vec::with_capacity(count * columns.len());
        for row in 0..count {
            rows.extend(
                columns
                    .iter()
                    .zip(&lengths)
                    .map(|(x, length)| x[row] / length),
            );
        }
        let y = y.iter().enumerate().map(|(row, y)| root(row) * y).collect();
        Self { rows, lengths, y }
    }

    /// Compares estimates, each times the length of its column.
    fn compare(&self, estimates: &[f64], rcond: f64) -> AnswerVerification {
        let n = self.lengths.len();
        let unit = (self.y.len().max(n)) as f64 * f64::EPSILON;
        let second = linear::least_squares(&self.rows, &self.y, 1, unit);
        let Some(second) = second else {
            let reason = "its iteration does not end";
            return AnswerVerification::unavailable(BY, COMPARED, reason);
        };
        let scaled: Vec<f64> = estimates
            .iter()
            .zip(&self.lengths)
            .map(|(estimate, length)| estimate * length)
            .collect();
        let condition = rcond.max(f64::MIN_POSITIVE).recip();
        let tolerance = 8.0 * n as f64 * f64::EPSILON * condition * condition;
        if tolerance >= 1.0 {
            let reason =
                "the columns are so nearly dependent that no digit of two computations need agree";
            return AnswerVerification::unavailable(BY, COMPARED, reason);
        }
        AnswerVerification::of_numbers(BY, COMPARED, (&scaled, &second), tolerance)
    }
}

impl Verify for Args {
    fn verify(args: Self, output: &Output, ctx: &Ctx) -> Result<AnswerVerification, ToolError> {
        if args.penalty.is_some() {
            let reason = "penalised fits are not computed again";
            return Ok(AnswerVerification::unavailable(BY, COMPARED, reason));
        }
        let estimates: Vec<f64> = output.terms.iter().map(|term| term.estimate).collect();
        let problem = match &args.formula {
            Some(formula) => formula_problem(&args, formula, output, ctx)?,
            None => list_problem(&args, ctx)?,
        };
        match problem {
            Some(problem) => Ok(problem.compare(&estimates, output.rcond)),
            None => {
                let reason =
                    format!("the design has more than the {ENTRIES_MAX} entries that it takes");
                Ok(AnswerVerification::unavailable(BY, COMPARED, reason))
            }
        }
    }
}

fn formula_problem(
    args: &Args,
    formula: &str,
    output: &Output,
    ctx: &Ctx,
) -> Result<Option<ScaledProblem>, ToolError> {
    let Some(data) = &args.data else {
        return Ok(None);
    };
    let weights = args.weights.as_deref().map(|name| ColumnArgument {
        pointer: "/weights",
        name,
    });
    let cluster = args.cluster.as_deref().map(|name| ColumnArgument {
        pointer: "/cluster",
        name,
    });
    let beside: Vec<ColumnArgument<'_>> = weights.into_iter().chain(cluster).collect();
    let model = read_model(data, formula, &beside, ctx)?;
    let design = &model.frame.design;
    if design.matrix.high.len() > ENTRIES_MAX {
        return Ok(None);
    }
    // Columns that depend on others have no estimate; which they are is part of the answer that is compared.
    let chosen: Vec<usize> = (0..design.names.len())
        .filter(|&at| {
            output
                .terms
                .iter()
                .any(|term| term.name == design.names[at])
        })
        .collect();
    let weights = weights.map(|column| model.numbers(column)).transpose()?;
    let mut y = model.numeric_response()?.values.clone();
    for (y, offset) in y.iter_mut().zip(model.frame.offset.iter().flatten()) {
        *y -= offset;
    }
    Ok(Some(ScaledProblem::new(
        &design.matrix,
        &chosen,
        y,
        weights.as_deref(),
    )))
}

fn list_problem(args: &Args, ctx: &Ctx) -> Result<Option<ScaledProblem>, ToolError> {
    let (Some(x), Some(y)) = (&args.x, &args.y) else {
        return Ok(None);
    };
    let x = x.load(ctx)?.0;
    let y = y.load(ctx)?.to_vec();
    let rows = x.rows();
    let columns = args.polynomial.map_or(x.columns(), |degree| degree.size()) + 1;
    if rows.saturating_mul(columns) > ENTRIES_MAX {
        return Ok(None);
    }
    let design = match args.polynomial {
        Some(degree) => DesignMatrix::powers(x.as_slice(), degree.size()),
        None => {
            let entries = x.as_slice().chunks(x.columns().max(1));
            let with_ones = entries.flat_map(|row| std::iter::once(1.0).chain(row.iter().copied()));
            DesignMatrix::from_rows(&with_ones.collect::<Vec<f64>>(), rows, columns)
        }
    };
    let chosen: Vec<usize> = (usize::from(!args.intercept)..columns).collect();
    Ok(Some(ScaledProblem::new(&design, &chosen, y, None)))
}

#[cfg(test)]
mod tests {
    use tool_core::VerificationOutcome::{Agrees, Differs, Unavailable};

    use super::*;

    /// The line through (0, 1), (1, 3), (2, 5).
    #[test]
    fn wrong_coefficients_differ_and_dependent_columns_say_nothing() {
        let design = DesignMatrix::from_rows(&[1.0, 0.0, 1.0, 1.0, 1.0, 2.0], 3, 2);
        let problem = ScaledProblem::new(&design, &[0, 1], vec![1.0, 3.0, 5.0], None);
        for (estimates, rcond, outcome) in [
            ([1.0, 2.0], 0.3, Agrees),
            ([1.0, 2.0 + 1e-9], 0.3, Differs),
            ([2.0, 1.0], 0.3, Differs),
            ([1.0, 2.0], 1e-9, Unavailable),
        ] {
            let verified = problem.compare(&estimates, rcond);
            assert_eq!(verified.outcome, outcome, "{estimates:?} {verified:?}");
        }
    }
}
