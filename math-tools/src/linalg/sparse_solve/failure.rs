//! The errors of sparse systems.

use numerics::sparse::{KrylovConvergenceError, SparseError};
use tool_core::{Ctx, ErrorCode, ToolError, Value};

use super::{Args, SparseSolveMethod};

/// The error at the argument that holds the matrix.
pub(super) fn tool_error(err: SparseError, args: &Args, ctx: &Ctx) -> ToolError {
    let matrix = if args.matrix_market.is_some() {
        "/matrix_market"
    } else if args.data.is_some() {
        "/data"
    } else {
        "/values"
    };
    let numeric = |reason: &'static str| ToolError::numeric(matrix, &err).reason(reason);
    const SINGULAR: &str = "check how the matrix was assembled, or call `least_squares` with the full matrix for the solution of minimum norm";
    match &err {
        SparseError::Stopped => match ctx.check() {
            Err(stopped) => stopped,
            Ok(()) => ToolError::new(ErrorCode::Cancelled, &err),
        },
        SparseError::Memory { .. } | SparseError::Cost { .. } => {
            let error = ToolError::new(ErrorCode::LimitExceeded, &err).at("/method");
            if matches!(err, SparseError::Memory { .. }) {
                error.reason("memory").hint(cheaper_method_hint(args.method, "`limits.memory_bytes`"))
            } else {
                error.reason("cost").hint(cheaper_method_hint(args.method, "`timeout_ms`"))
            }
        }
        SparseError::EmptyRow(row) | SparseError::EmptyColumn(row) => {
            numeric("singular").hint(SINGULAR).evidence(Value::object([("index", *row)]))
        }
        SparseError::Singular(column) => numeric("singular").hint(SINGULAR).evidence(Value::object([("column", *column)])),
        SparseError::NotSymmetric { row, column } => numeric("structure")
            .hint("pass `method`: \"lu\" or \"gmres\", or leave it out; where only rounding breaks the symmetry, pass (A + A') / 2")
            .evidence(Value::object([("row", *row), ("column", *column)])),
        SparseError::NotPositiveDefinite(_) => {
            numeric("not_positive_definite").hint("pass `method`: \"lu\" or \"gmres\", or leave it out")
        }
        SparseError::Breakdown { row, .. } => numeric("breakdown")
            .hint("pass `preconditioner`: \"none\", leave it out, or pass `method`: \"lu\"")
            .evidence(Value::object([("row", *row)])),
        SparseError::NoConvergence(best) => no_convergence(best, args),
        SparseError::Overflow => numeric("overflow").hint("scale the matrix or `b`"),
    }
}

fn cheaper_method_hint(method: SparseSolveMethod, limit: &str) -> String {
    match method {
        SparseSolveMethod::Cholesky => format!("pass `method`: \"cg\", or raise {limit}"),
        SparseSolveMethod::Lu => format!("pass `method`: \"gmres\", or raise {limit}"),
        SparseSolveMethod::Cg => format!("pass `preconditioner`: \"jacobi\", or raise {limit}"),
        SparseSolveMethod::Gmres => format!("pass a smaller `restart`, or raise {limit}"),
        SparseSolveMethod::Auto => {
            format!("pass `method`: \"gmres\" with a small `restart`, or raise {limit}")
        }
    }
}

fn no_convergence(best: &KrylovConvergenceError, args: &Args) -> ToolError {
    /// A best point larger than this would be most of the answer.
    const SHOWN_MAX: usize = 10_000;
    let mut evidence = vec![
        ("residual", Value::from(best.residual)),
        ("iterations", Value::from(best.iterations)),
        ("stagnated", Value::from(best.stagnated)),
    ];
    if best.x.len() <= SHOWN_MAX && best.x.iter().all(|value| value.is_finite()) {
        evidence.push(("x", Value::vector(best.x.clone())));
    }
    let hint = match (best.stagnated, args.method) {
        (true, _) => {
            "raise `tolerance` above the residual that was reached, change `preconditioner` or `restart`, or pass `method`: \"lu\""
        }
        (false, SparseSolveMethod::Cg) => {
            "raise `max_iterations` or `tolerance`, pass `preconditioner`: \"amg\" or \"ic0\", or `method`: \"cholesky\""
        }
        (false, _) => {
            "raise `max_iterations`, `restart` or `tolerance`, pass `preconditioner`: \"ilu0\", or `method`: \"lu\""
        }
    };
    ToolError::numeric("/method", best)
        .reason("no_convergence")
        .hint(hint)
        .evidence(Value::object(evidence))
}
