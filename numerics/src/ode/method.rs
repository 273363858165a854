//! [`OdeMethod`]: the names of the methods, and the stepper of each.

use super::bdf::Bdf;
use super::explicit::{ExplicitRungeKutta, RungeKuttaPair};
use super::flow::OdeProblem;
use super::radau;
use super::rodas::Rodas;
use super::stepper::{OdeStepper, StepBounds};

/// The integration method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OdeMethod {
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

impl OdeMethod {
    /// Every method.
    pub const ALL: [Self; 7] = [
        Self::Auto,
        Self::Dopri5,
        Self::Dop853,
        Self::Tsit5,
        Self::Radau,
        Self::Bdf,
        Self::Rodas4,
    ];

    /// The name, such as `dop853`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Dopri5 => "dopri5",
            Self::Dop853 => "dop853",
            Self::Tsit5 => "tsit5",
            Self::Radau => "radau",
            Self::Bdf => "bdf",
            Self::Rodas4 => "rodas4",
        }
    }

    /// The method of the first step.
    pub(crate) fn first(self) -> Self {
        match self {
            Self::Auto => Self::Dop853,
            other => other,
        }
    }

    /// Whether it solves equations at each step.
    pub fn is_implicit(self) -> bool {
        matches!(self, Self::Radau | Self::Bdf | Self::Rodas4)
    }

    /// The stepper of a method, at a state; `step` is the size of the first step, found when absent.
    pub(crate) fn start(
        self,
        problem: &mut OdeProblem<'_>,
        at: (f64, &[f64]),
        step: Option<f64>,
        bounds: StepBounds,
    ) -> Box<dyn OdeStepper> {
        let pair = match self {
            Self::Radau => return radau::start_radau(problem, at, step, bounds),
            Self::Bdf => return Box::new(Bdf::new(problem, at, step, bounds)),
            Self::Rodas4 => return Box::new(Rodas::new(problem, at, step, bounds)),
            Self::Dopri5 => RungeKuttaPair::Dopri5,
            Self::Tsit5 => RungeKuttaPair::Tsit5,
            Self::Auto | Self::Dop853 => RungeKuttaPair::Dop853,
        };
        Box::new(ExplicitRungeKutta::new(pair, problem, at, step, bounds))
    }
}
