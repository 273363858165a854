//! Programs without a solution, with the evidence.

use numerics::programming::quadratic::{PrimalDualPoint, QuadraticFailure};
use numerics::sparse::SparseError;

use crate::prelude::*;

/// Longer lists would be most of the answer.
const SHOWN_MAX: usize = 10_000;

fn short_list(values: Vec<f64>) -> Value {
    if values.len() > SHOWN_MAX {
        return Value::Null;
    }
    Value::vector(values)
}

/// A matrix with a negative eigenvalue.
pub(super) fn indefinite_error(lowest: f64, direction: Vec<f64>) -> ToolError {
    let message =
        format!("`P` is not positive semidefinite: its lowest eigenvalue is at most {lowest:.6e}");
    ToolError::numeric("/P", message)
        .reason("not_convex")
        .hint("check the signs of `P` (a maximum of a concave objective is a minimum of its negative), or search a local minimum with `optimize`")
        .evidence(Value::object([
            ("lowest_eigenvalue", Value::Float(lowest)),
            ("direction", short_list(direction)),
        ]))
}

/// An objective that falls without end from a point.
pub(super) fn unbounded_error(x: Vec<f64>, failure: QuadraticFailure, ctx: &Ctx) -> ToolError {
    match failure {
        QuadraticFailure::Unbounded { direction, error } => falling(x, direction, error),
        other => tool_error(other, ctx),
    }
}

fn falling(x: Vec<f64>, direction: Vec<f64>, error: f64) -> ToolError {
    let message = "the objective falls without end: by 1 for each `direction` that is added to `x` of the evidence";
    ToolError::numeric("/c", message)
        .reason("unbounded")
        .hint("bound the variables that `direction` moves, or check the signs of `c`")
        .evidence(Value::object([
            ("x", short_list(x)),
            ("direction", short_list(direction)),
            ("error", Value::Float(error)),
        ]))
}

fn infeasible_error(multipliers: PrimalDualPoint, beyond: f64) -> ToolError {
    let large = if beyond.is_finite() {
        format!(" (but for points whose entries add up to more than {beyond:.0e})")
    } else {
        String::new()
    };
    let message = format!(
        "no x satisfies the constraints{large}: with the multipliers of the evidence they add up to 0 <= -1"
    );
    let bounds = multipliers.low.iter().zip(&multipliers.high);
    ToolError::numeric("/b_ub", message)
        .reason("infeasible")
        .hint("loosen one of the constraints whose multiplier is not 0")
        .evidence(Value::object([
            ("ub", short_list(multipliers.ub.clone())),
            ("eq", short_list(multipliers.eq.clone())),
            (
                "bounds",
                short_list(bounds.map(|(low, high)| high - low).collect()),
            ),
        ]))
}

pub(super) fn tool_error(failure: QuadraticFailure, ctx: &Ctx) -> ToolError {
    match failure {
        QuadraticFailure::Infeasible {
            multipliers,
            beyond,
        } => infeasible_error(*multipliers, beyond),
        QuadraticFailure::Unbounded { direction, error } => falling(Vec::new(), direction, error),
        QuadraticFailure::Stalled => ToolError::numeric(
            "/P",
            "the iteration ended without an optimum, and without a certificate that there is none",
        )
        .reason("no_convergence")
        .hint("scale the program: its numbers differ too much in size"),
        QuadraticFailure::Sparse(SparseError::Stopped) => match ctx.check() {
            Err(stopped) => stopped,
            Ok(()) => ToolError::new(ErrorCode::Cancelled, "stopped"),
        },
        QuadraticFailure::Sparse(err) => {
            let error = ToolError::new(ErrorCode::LimitExceeded, &err).at("/P");
            match err {
                SparseError::Memory { .. } => error
                    .reason("memory")
                    .hint("ask for less, or raise `limits.memory_bytes`"),
                _ => error
                    .reason("cost")
                    .hint("ask for less, or raise `timeout_ms`"),
            }
        }
    }
}
