//! [`SolveOdeMethod`]: the integration method as an argument.

use numerics::ode::OdeMethod;
use tool_core::{Decode, Describe, Encode};

/// The integration method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum SolveOdeMethod {
    /// `dop853`, and `radau` where the problem is stiff.
    #[default]
    Auto,
    /// Dormand-Prince 5(4), explicit.
    Dopri5,
    /// Dormand-Prince 8(5,3), explicit.
    Dop853,
    /// Tsitouras 5(4), explicit.
    Tsit5,
    /// Radau IIA of order 5, of order 9 below a tolerance of 3e-8, implicit: stiff problems, also with high accuracy.
    Radau,
    /// Backward differentiation of orders 1 to 5, implicit: large stiff problems.
    Bdf,
    /// Rodas of order 4, linearly implicit: stiff problems with low accuracy.
    Rodas4,
}

impl From<SolveOdeMethod> for OdeMethod {
    fn from(method: SolveOdeMethod) -> Self {
        match method {
            SolveOdeMethod::Auto => Self::Auto,
            SolveOdeMethod::Dopri5 => Self::Dopri5,
            SolveOdeMethod::Dop853 => Self::Dop853,
            SolveOdeMethod::Tsit5 => Self::Tsit5,
            SolveOdeMethod::Radau => Self::Radau,
            SolveOdeMethod::Bdf => Self::Bdf,
            SolveOdeMethod::Rodas4 => Self::Rodas4,
        }
    }
}
