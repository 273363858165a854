//! [`ode_error`]: why equations were not integrated, in the words of `solve_ode`.

use numerics::ode::{OdeArgumentError, OdeError};
use tool_core::number::non_finite_spelling;
use tool_core::{ErrorCode, ToolError};

use crate::call_watch::CallWatch;

/// The error of a call: `numeric` at the argument for what is wrong with the equations, otherwise what the call says to an interruption.
pub(super) fn ode_error(error: OdeError, watch: CallWatch<'_>) -> ToolError {
    match error {
        OdeError::Interrupted(interruption) => watch.interruption_error(interruption),
        OdeError::StartSlope {
            component,
            t,
            value,
        } => {
            let found = non_finite_spelling(value);
            let message =
                format!("the derivative of y{component} at the start (t = {t}) is {found}");
            let error = ToolError::numeric("/system", message).reason("not_finite");
            error.hint("check the equation and the start value")
        }
        OdeError::EventValue {
            event,
            entry,
            t,
            value,
        } => {
            let found = non_finite_spelling(value);
            let message =
                format!("the new value of entry {entry} of the state at t = {t} is {found}");
            let error = ToolError::numeric(format!("/events/{event}/set"), message);
            let error = error.reason("not_finite");
            error.hint("check the expression and the state there, which `terminal` returns")
        }
        OdeError::MassDecomposition(error) => {
            ToolError::numeric("/mass", error).reason("no_convergence")
        }
        OdeError::HigherIndex { t } => {
            let message = format!(
                "the equations without a derivative do not determine the rest at the start (t = {t}): their index is higher than 1"
            );
            let error = ToolError::numeric("/mass", message).reason("index");
            error.hint("differentiate the algebraic equations by hand until they contain the undetermined components")
        }
        OdeError::InconsistentStart {
            component,
            found,
            better,
        } => {
            let message = format!(
                "the start does not fulfil the equations whose row of `mass` is 0: y{component} = {found} should be about {better}"
            );
            let error = ToolError::numeric("/y0", message).reason("inconsistent");
            error.hint("solve the algebraic equations for the start first")
        }
        OdeError::Argument(OdeArgumentError::ZeroMass) => {
            let message = "every entry is 0: there is no differential equation";
            let error = ToolError::invalid("/mass", message);
            error.hint("solve f(t, y) = 0 instead, or give the matrix")
        }
        // The tool checks its arguments before.
        OdeError::Argument(other) => ToolError::new(ErrorCode::Internal, other),
    }
}
