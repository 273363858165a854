//! Ordinary least squares.

mod kernel;
#[cfg(test)]
mod tests;

use tool_core::LoadInput;
use tool_core::input::InputKind;
use tool_core::schema::{Schema, json};

use self::kernel::{RegressionFit, fit_regression};
use crate::prelude::*;

/// Fits y = intercept + x b, or a polynomial in x, by ordinary least squares (Householder QR) and reports each term with its standard error, t and p
/// value and confidence interval, r2 and the conditioning of the problem.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Predictors: a list of n numbers for one predictor, or n rows of p numbers for p of them.
    #[schema(extend("x-shape" = ["n", "*p"]))]
    pub x: Input<PredictorMatrix>,
    /// Responses: n numbers, one for each row of `x`.
    #[schema(extend("x-shape" = ["n"]))]
    pub y: Input<Vector>,
    /// Whether to fit a constant term.
    #[value(default = "default_true")]
    pub intercept: bool,
    /// Degree of a polynomial in the single predictor: its powers from 1 to this take the place of the columns of `x`, formed to 30
    /// digits, so that no digit is lost to their rounding.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub polynomial: Option<BoundedInteger<1, 60>>,
}

/// Predictors: one row for each observation; a flat list is one column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PredictorMatrix(Matrix);

impl LoadInput for PredictorMatrix {
    const KIND: InputKind = InputKind::Data;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        let flat = match value {
            Value::Numbers(numbers) => numbers.rank() == 1,
            Value::Array(items) => items.iter().all(|item| item.items().is_none()),
            _ => false,
        };
        if !flat {
            return Matrix::from_value(value).map(Self);
        }
        let column = Vector::from_value(value)?;
        let matrix = Matrix::new(column.len(), 1, column.to_vec());
        let empty =
            || RequestProblem::new("", "expected at least one observation, found an empty list");
        matrix.map(Self).ok_or_else(empty)
    }

    fn to_value(&self) -> Value {
        self.0.to_value()
    }

    fn schema() -> Schema {
        json!({
            "type": "array",
            "minItems": 1,
            "items": { "anyOf": [{ "type": "number" }, { "type": "array", "minItems": 1, "items": { "type": "number" } }] }
        })
    }
}

/// A least-squares fit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Slopes, one for each column of `x` (or each power), in units of y per unit of that column.
    pub coefficients: Vec<f64>,
    /// Constant term; 0 when `intercept` is false.
    pub intercept: f64,
    /// The estimates one by one, the intercept (when fitted), then the coefficients: each with `name`, `estimate`, `standard_error`, `t`, `p` and
    /// the 95 % confidence `interval`.
    #[schema(extend("x-shape" = ["terms"]))]
    pub(crate) terms: Vec<RegressionTerm>,
    /// Coefficient of determination: around the mean of y with an intercept, around 0 without; "NaN" for a constant y.
    pub r2: Real,
    /// r2 adjusted for the number of predictors; "NaN" with 0 degrees of freedom.
    pub adjusted_r2: Real,
    /// Residual standard deviation, sqrt(residual sum of squares / degrees of freedom); "NaN" with 0 degrees of freedom.
    pub residual_std: Real,
    /// Observations less fitted parameters.
    pub degrees_of_freedom: usize,
    /// Reciprocal condition number (1-norm, columns scaled to length 1): digits lost are about -log10 of it.
    pub rcond: f64,
    /// Method used.
    pub method: String,
}

/// An estimate and its uncertainty.
#[derive(Debug, Encode, Describe)]
pub(crate) struct RegressionTerm {
    /// Name: `intercept`; `x`, or `x0`, `x1`, ... for the columns of `x`, or their names where a file with `columns` gives them; `x`, `x^2`, ... for powers.
    pub name: String,
    /// The estimate.
    pub estimate: f64,
    /// Its standard error; "NaN" with 0 degrees of freedom.
    pub standard_error: Real,
    /// Estimate divided by its standard error.
    pub t: Real,
    /// Two-sided p value of the hypothesis that the estimate is 0 (Student t).
    pub p: Real,
    /// Ends of its 95 % confidence interval (Student t).
    pub interval: [Real; 2],
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        version: 2,
        ..Spec::named("linear_regression", "Linear regression").tags(&[
            "statistics",
            "numeric",
            "fit",
            "curve fit",
            "trend line",
        ])
    };
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a line through four points, two above it and two below":
            r#"{"x": [[0], [1], [2], [3]], "y": [2, 2, 4, 8]}"#
            => r#"{"coefficients": [2.0], "intercept": 1.0,
                "terms": [
                    {"name": "intercept", "estimate": 1.0, "standard_error": 1.1832159566199232,
                        "t": 0.8451542547285166, "p": 0.487010823957423,
                        "interval": [-4.090967365633834, 6.090967365633834]},
                    {"name": "x", "estimate": 2.0, "standard_error": 0.6324555320336759,
                        "t": 3.162277660168379, "p": 0.0871290708247231,
                        "interval": [-0.7212365213498444, 4.721236521349844]}],
                "r2": 0.8333333333333334,
                "adjusted_r2": 0.75, "residual_std": 1.4142135623730951, "degrees_of_freedom": 2,
                "rcond": 0.2370156734266744, "method": "Householder QR with refinement"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let names = predictor_names(&args.x);
        let x = args.x.load(ctx)?.0;
        let y = args.y.load(ctx)?;
        if x.rows() != y.len() {
            let (rows, found) = (x.rows(), y.len());
            refuse!(invalid "/y", "shape"; "`x` has {rows} rows but `y` has {found} entries";
                "give one response for each observation");
        }
        let degree = args.polynomial.map(BoundedInteger::size);
        if degree.is_some() && x.columns() != 1 {
            refuse!(invalid "/x", "shape"; "a polynomial needs one predictor, found {}", x.columns();
                "leave `polynomial` out when `x` holds all columns");
        }
        let largest = kernels::dense::max_abs(x.as_slice());
        if !largest.powi(degree.unwrap_or(1) as i32).is_finite() {
            let error = ToolError::invalid("/x", "a power of `x` is too large for a double");
            return Err(error.reason("overflow").hint("scale `x`"));
        }
        let parameters = degree.unwrap_or(x.columns()) + usize::from(args.intercept);
        if x.rows() < parameters {
            let rows = x.rows();
            refuse!(invalid "/x", "underdetermined";
                "{parameters} parameters cannot be fitted to {rows} observations";
                "pass more observations or fewer columns");
        }
        let fit = fit_regression(&x, degree, &y, args.intercept, ctx)?;
        let freedom = fit.degrees_of_freedom;
        if freedom == 0 {
            ctx.warn(
                "as many parameters as observations: the fit is exact and has no standard errors",
            );
        } else if fit.r2.is_nan() {
            ctx.warn("`y` does not vary: r2 is undefined");
        }
        if fit.rcond < 1e-12 {
            ctx.warn(format!("the columns of `x` are nearly dependent (reciprocal condition {:.1e}): few digits of the coefficients can be trusted", fit.rcond));
        }
        let (constant, slopes) = fit.estimates.split_at(usize::from(args.intercept));
        Ok(Output {
            coefficients: slopes.to_vec(),
            intercept: constant.first().copied().unwrap_or(0.0),
            terms: regression_terms(&fit, constant.len(), degree.is_some(), &names),
            r2: Real(fit.r2),
            adjusted_r2: Real(fit.adjusted_r2),
            residual_std: Real(fit.residual_std),
            degrees_of_freedom: freedom,
            rcond: fit.rcond,
            method: "Householder QR with refinement".to_owned(),
        })
    }
}

/// The names of the columns of a file, where `x` names them.
fn predictor_names(x: &Input<PredictorMatrix>) -> Vec<String> {
    match x {
        Input::Inline(_) => Vec::new(),
        Input::From(source) => {
            let selection = &source.selection;
            let columns = selection.columns.iter().flatten();
            columns.chain(&selection.column).cloned().collect()
        }
    }
}

/// The estimates of a fit by name, `constants` of them before the coefficients.
fn regression_terms(
    fit: &RegressionFit,
    constants: usize,
    are_powers: bool,
    names: &[String],
) -> Vec<RegressionTerm> {
    let slopes = fit.estimates.len() - constants;
    let variable = match names {
        [one] => one.as_str(),
        _ => "x",
    };
    let name = |index: usize| match index.checked_sub(constants) {
        None => "intercept".to_owned(),
        Some(0) if slopes == 1 || are_powers => variable.to_owned(),
        Some(slope) if are_powers => format!("{variable}^{}", slope + 1),
        Some(slope) if names.len() == slopes => names[slope].clone(),
        Some(slope) => format!("x{slope}"),
    };
    let term = |(index, &estimate): (usize, &f64)| {
        let half = fit.half_widths[index];
        RegressionTerm {
            name: name(index),
            estimate,
            standard_error: Real(fit.standard_errors[index]),
            t: Real(fit.t_values[index]),
            p: Real(fit.p_values[index]),
            interval: [Real(estimate - half), Real(estimate + half)],
        }
    };
    fit.estimates.iter().enumerate().map(term).collect()
}
