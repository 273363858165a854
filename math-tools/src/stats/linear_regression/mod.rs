//! Ordinary least squares of lists, and linear models of tables by a formula.

mod answer;
mod formula;
mod penalised;

#[cfg(test)]
mod tests;
mod verify;

use tool_core::LoadInput;
use tool_core::input::InputKind;
use tool_core::schema::{Schema, json};

use self::answer::{
    AssumptionCheck, InfluentialRow, LinearMeasures, PenaltyAnswer, PredictedRow, TermInflation,
};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;
use numerics::stats::{RegressionData, RegressionError, RegressionFit, fit_regression};

/// Fits y = intercept + x b, or a polynomial in x, by ordinary least squares (Householder QR) and reports each term with its standard error, t and p
/// value and confidence interval, r2 and the conditioning of the problem. Or a `formula` over a table `data`: categories, interactions and functions as
/// in R, robust and clustered errors, checks of the assumptions, influential rows, predictions with bands, and ridge, lasso or elastic net.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Predictors: a list of n numbers for one predictor, or n rows of p numbers for p of them.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", "*p"]))]
    pub x: Option<Input<PredictorMatrix>>,
    /// Responses: n numbers, one for each row of `x`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub y: Option<Input<Vector>>,
    /// Whether to fit a constant term.
    #[value(default = "default_true")]
    pub intercept: bool,
    /// Degree of a polynomial in the single predictor: its powers from 1 to this take the place of the columns of `x`, formed to 30
    /// digits, so that no digit is lost to their rounding.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub polynomial: Option<BoundedInteger<1, 60>>,
    /// Instead of `x` and `y`: a table with a `formula`: a list of records, an object of columns, or `{"$file": path}`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<TableInput>>,
    /// The model of `data`: `price ~ area + C(city)`, `y ~ x*g + poly(z, 2)`, `log(y) ~ I(x^2) - 1`. A text column is a category, compared with its first
    /// level in the order of characters; `C(rooms)` makes one of numbers, `C(city, ref='Rome')` chooses the level.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Standard errors for `formula`: `classical` (default), `HC0` to `HC3` for unequal variances, `cluster` with the column `cluster`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub errors: Option<LinearErrors>,
    /// Column of clusters whose rows may depend on each other.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Column of positive weights, inversely proportional to the variances of the rows.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Probability of the intervals of `formula`; 0.95 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub confidence: Option<Probability>,
    /// New rows to predict with `formula`: a table with its columns.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub predict: Option<Input<TableInput>>,
    /// A penalty on the coefficients of `formula`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub penalty: Option<PenaltyKind>,
    /// Strength of the penalty over columns of variance 1 (glmnet's lambda); by cross-validation when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub strength: Option<Positive>,
    /// Share of the absolute penalty of the elastic net; 0.5 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub l1_ratio: Option<Probability>,
    /// Folds of the cross-validation; 10 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub folds: Option<BoundedInteger<2, 1000>>,
    /// Seed of the folds; that of the call when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// How standard errors are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
pub(crate) enum LinearErrors {
    /// One variance for all rows.
    #[value(rename = "classical")]
    Classical,
    /// White's estimate.
    HC0,
    /// HC0 times n / (n - p).
    HC1,
    /// Squared residuals over 1 - leverage.
    HC2,
    /// Squared residuals over (1 - leverage)^2: the one for small samples.
    HC3,
    /// Rows of a cluster may depend on each other.
    #[value(rename = "cluster")]
    Cluster,
}

/// A penalty on coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum PenaltyKind {
    /// Squares.
    Ridge,
    /// Magnitudes: some coefficients are 0.
    Lasso,
    /// Both.
    ElasticNet,
}

impl PenaltyKind {
    /// The word for it.
    fn word(self) -> &'static str {
        match self {
            Self::Ridge => "ridge",
            Self::Lasso => "lasso",
            Self::ElasticNet => "elastic_net",
        }
    }
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
    /// Rows that are used, with `formula`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null } }))]
    pub n: Option<usize>,
    /// Rows that are left out because a cell is missing.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null } }))]
    pub missing: Option<usize>,
    /// Measures of the fit.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null }, "penalty": null }))]
    pub fit: Option<LinearMeasures>,
    /// Checks of what the model assumes.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null }, "penalty": null }))]
    pub checks: Option<Vec<AssumptionCheck>>,
    /// Variance inflation of each term; empty for a single one.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null }, "penalty": null }))]
    pub collinearity: Option<Vec<TermInflation>>,
    /// The rows that move the fit most, at most five.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null }, "penalty": null }))]
    pub influential: Option<Vec<InfluentialRow>>,
    /// Predictions, one for each row of `predict`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null }, "predict": { "not": null } }))]
    pub predicted: Option<Vec<PredictedRow>>,
    /// The penalty and its path.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null }, "penalty": { "not": null } }))]
    pub penalty: Option<PenaltyAnswer>,
    /// The result as the American Psychological Association writes it.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null }, "penalty": null }))]
    pub apa: Option<String>,
    /// What the model says, in a sentence or two.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "formula": { "not": null } }))]
    pub summary: Option<String>,
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
    /// Ends of its confidence interval (Student t), of 95 % unless `confidence` says otherwise.
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
        "a table: Rome is dearer than Oslo by 1 on average":
            r#"{"data": {"price": [3, 5, 4, 6], "city": ["Oslo", "Oslo", "Rome", "Rome"]}, "formula": "price ~ city"}"#
            => r#"{"coefficients": [1.0], "intercept": 4.0, "terms": [{"name": "Intercept", "estimate": 4.0, "standard_error": 1.0, "t": 4.0,
                "p": 0.05719095841794, "interval": [-0.3026527297495, 8.302652729749]}, {"name": "city[T.Rome]", "estimate": 1.0,
                "standard_error": 1.414213562373, "t": 0.7071067811865, "p": 0.5527864045, "interval": [-5.084869844593, 7.084869844593]}],
                "r2": 0.2, "adjusted_r2": -0.2, "residual_std": 1.414213562373, "degrees_of_freedom": 2, "rcond": 0.2928932188135,
                "method": "least squares by QR with refinement", "n": 4, "missing": 0, "fit": {"f": 0.5, "f_df1": 1.0, "f_df2": 2.0,
                "f_p": 0.5527864045, "log_likelihood": -5.675754132819, "aic": 15.35150826564, "bic": 14.12409698788},
                "checks": [{"check": "equal variances (Breusch-Pagan)", "statistic": 0.0, "df1": 1.0, "df2": null, "p": 1.0,
                "verdict": "no sign against it"}, {"check": "normal residuals (Jarque-Bera)", "statistic": 0.6666666666667, "df1": 2.0,
                "df2": null, "p": 0.7165313105738, "verdict": "no sign against it"}, {"check": "independent rows (Durbin-Watson)",
                "statistic": 3.0, "df1": null, "df2": null, "p": null,
                "verdict": "neighbouring rows alternate: doubtful where rows are in order of time or place"}, {"check": "independent columns (condition)",
                "statistic": 3.414213562373, "df1": null, "df2": null, "p": null,
                "verdict": "no sign against it (1 for columns at right angles)"}], "collinearity": [], "influential": [{"row": 0,
                "leverage": 0.5, "studentised": -1.0, "cooks_distance": 0.5}, {"row": 1, "leverage": 0.5, "studentised": 1.0,
                "cooks_distance": 0.5}, {"row": 2, "leverage": 0.5, "studentised": -1.0, "cooks_distance": 0.5}, {"row": 3, "leverage": 0.5,
                "studentised": 1.0, "cooks_distance": 0.5}], "apa": "F(1, 2) = 0.50, p = .553, R2 = .20, adjusted R2 = -.20",
                "summary": "The terms explain 20 % of the variation of `price` in 4 rows (p = 0.55). No term differs clearly from no effect, which does not show that there is none."}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        if let Some(formula) = &args.formula {
            if args.x.is_some() || args.y.is_some() || args.polynomial.is_some() {
                refuse!(invalid "/formula", "formula"; "a formula takes the place of `x`, `y` and `polynomial`";
                    "give `data` and `formula`, or `x` and `y`");
            }
            return formula::run_formula(&args, formula, ctx);
        }
        args.refuse_formula_arguments()?;
        let (x, y) = match (&args.x, &args.y) {
            (Some(x), Some(y)) => (x, y),
            (None, _) => return Err(missing_list("/x")),
            (_, None) => return Err(missing_list("/y")),
        };
        let names = predictor_names(x);
        let x = x.load(ctx)?.0;
        let y = y.load(ctx)?;
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
        let largest = numerics::dense::max_abs(x.as_slice());
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
        let data = RegressionData {
            x: x.as_slice(),
            rows: x.rows(),
            columns: x.columns(),
            degree,
            has_intercept: args.intercept,
        };
        let fit = fit_regression(data, &y, &CallWatch(ctx))
            .map_err(|error| regression_error(error, args.intercept, ctx))?;
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
            n: None,
            missing: None,
            fit: None,
            checks: None,
            collinearity: None,
            influential: None,
            predicted: None,
            penalty: None,
            apa: None,
            summary: None,
        })
    }
}

impl Args {
    /// Refuses what only a formula uses.
    fn refuse_formula_arguments(&self) -> Result<(), ToolError> {
        for (pointer, is_there) in [
            ("/data", self.data.is_some()),
            ("/errors", self.errors.is_some()),
            ("/cluster", self.cluster.is_some()),
            ("/weights", self.weights.is_some()),
            ("/confidence", self.confidence.is_some()),
            ("/predict", self.predict.is_some()),
            ("/penalty", self.penalty.is_some()),
            ("/strength", self.strength.is_some()),
            ("/l1_ratio", self.l1_ratio.is_some()),
            ("/folds", self.folds.is_some()),
            ("/seed", self.seed.is_some()),
        ] {
            if is_there {
                let name = &pointer[1..];
                refuse!(invalid pointer, "formula"; "`{name}` needs a `formula`"; "such as \"price ~ area + C(city)\"");
            }
        }
        Ok(())
    }
}

/// The error of a list that is missing.
fn missing_list(pointer: &'static str) -> ToolError {
    let message = "expected `x` and `y`, or `data` and `formula`";
    let error = ToolError::invalid(pointer, message).reason("missing");
    error.hint("give one response of `y` for each row of `x`")
}

/// The error of a fit as that of the call.
fn regression_error(error: RegressionError, intercept: bool, ctx: &Ctx) -> ToolError {
    match error {
        RegressionError::Interrupted(interruption) => {
            CallWatch(ctx).interruption_error(interruption)
        }
        RegressionError::RankDeficient { rank, parameters } => {
            rank_deficient(rank, parameters, intercept)
        }
        RegressionError::Overflow => {
            let error = ToolError::numeric("/x", "the fit overflows the range of doubles");
            error.reason("overflow").hint("scale `x` or `y`")
        }
    }
}

/// Column k of the fit is a combination of those before it.
fn rank_deficient(k: usize, parameters: usize, intercept: bool) -> ToolError {
    let beside = if intercept { " and the intercept" } else { "" };
    let hint = match (k + usize::from(!intercept)).checked_sub(1) {
        None => "a constant column of `x` is the intercept: leave it out".to_owned(),
        Some(column) => format!(
            "leave column {column} of `x` (columns count from 0) out, or set `intercept` to false if it is constant"
        ),
    };
    tool_core::tool_error!(Numeric at "/x", "rank_deficient";
        "the columns of `x`{beside} are linearly dependent: rank {k} of {parameters}")
    .hint(hint)
    .evidence(Value::object([("rank", k)]))
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
