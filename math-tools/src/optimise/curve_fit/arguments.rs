//! [`Args`]: the arguments of `curve_fit`.

use std::collections::BTreeMap;

use super::equations::ResponseModel;
use crate::expression::NamedParameters;
use crate::optimise::least_squares::options::ResidualLoss;
use crate::prelude::*;

/// Fit a model that is not linear in its parameters to columns of a table, with standard errors and confidence intervals. By least squares
/// (Levenberg-Marquardt with exact derivatives). The model is a formula, or the solution of differential equations. For a formula without
/// `start` a start point is searched.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Model of the response: an expression in columns of `data` and in the parameters, such as `a*exp(-k*t) + c`; or differential
    /// equations, such as `{"system": {"S": "-b*S*I", "I": "b*S*I - g*I"}, "y0": {"S": "n", "I": 1}, "observe": "I", "time": "day"}`.
    /// Names that are no columns and no states are parameters. Equations hold from `t0` on, where `y0` is the value, by default the smallest
    /// time of the data; `observe` is the only state and `time` the column `t` where absent; further keys `method`, `rtol` (1e-8), `atol` (1e-10)
    /// and `max_steps` (10000 for each integration) are as in `solve_ode`.
    pub model: ResponseModel,
    /// The table; columns that the model names, and the response, are numbers.
    pub data: Input<Table>,
    /// Column of the response.
    #[value(default = "default_response")]
    pub response: String,
    /// Start values by parameter, such as `{"a": 1, "k": 0.1}`; those of the others are searched. Differential equations need all.
    #[value(default, skip_encoding_if = "BTreeMap::is_empty")]
    pub start: BTreeMap<String, Finite>,
    /// Bounds by parameter, `[low, high]` with null for none, such as `{"k": [0, null]}`.
    #[value(default, skip_encoding_if = "BTreeMap::is_empty")]
    pub bounds: BTreeMap<String, [Option<Finite>; 2]>,
    /// Named numbers that the model uses and that are not fitted.
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Column with the standard deviation of each response, positive; residuals are divided by it.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub sigma: Option<String>,
    /// Whether `sigma` is known as it is; otherwise only its proportions are, and the residuals tell its size.
    #[value(default)]
    pub absolute_sigma: bool,
    /// How much a residual counts: `linear` (its square), or less when it is large: `huber`, `soft_l1`, `cauchy`.
    #[value(default)]
    pub loss: ResidualLoss,
    /// Residual at which a loss begins to count less, in units of the response (of `sigma` where there is one).
    #[value(default = "default_loss_scale")]
    pub loss_scale: Positive,
    /// New places: a table with the columns of `data` that the model names, for which `predicted` has the fit and its bands. With `sigma` also that
    /// column, where `observation_band` is wanted.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub predict: Option<Input<Table>>,
    /// Probability of the confidence intervals and bands, above 0 and below 1.
    #[value(default = "crate::prelude::default_confidence")]
    pub confidence: Probability,
    /// Largest number of iterations from each start point.
    #[value(default = "BoundedInteger::<1, 1_000_000>::of::<1000>")]
    pub max_iter: BoundedInteger<1, 1_000_000>,
    /// Ended when a step changes the parameters by less than this, relative to their size.
    #[value(default = "default_tolerance")]
    pub tolerance: Tolerance,
    /// Number of parameter sets to draw from the normal distribution with the estimates and their covariance, 1 to 100,000, within the
    /// bounds; parameters at a bound stay there. For what depends on the parameters, such as a `sweep` of `solve_ode`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub draws: Option<BoundedInteger<1, 100_000>>,
    /// Seed of `draws`; 42 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
    /// Whether to draw the data, the fit and the residuals as text, and with several places in `predict` the fit there.
    #[value(default = "default_true")]
    pub plot: bool,
}

fn default_response() -> String {
    "y".to_owned()
}

fn default_loss_scale() -> Positive {
    Positive::literal(1.0)
}

fn default_tolerance() -> Tolerance {
    Tolerance::literal(1e-12)
}
