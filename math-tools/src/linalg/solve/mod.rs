//! `matrix_solve`: linear systems with their residual and condition, and least squares.

pub mod kernel;
pub mod sides;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Category, Ctx, ErrorCode, Example, Input, Matrix, Spec, Tool, ToolError, Value};

use self::kernel::{Solution, SolveError};
pub use self::sides::Sides;

/// The tool.
pub struct MatrixSolve;

/// Solve the linear system A x = b, for one right-hand side or several at once. Square systems are solved by LU with partial
/// pivoting and one step of refinement; other shapes, or any shape on request, by least squares of minimum norm.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The matrix, a list of rows; m x n, square for `lu`.
    #[serde(rename = "A")]
    pub a: Input<Matrix>,
    /// Right-hand side: a list of m numbers, or a list of m rows with one column per right-hand side.
    pub b: Input<Sides>,
    /// `lu` (square only), `lstsq` (any shape, any rank), or `auto`: `lu` for a square matrix, `lstsq` for another shape.
    /// A square singular matrix is refused by `auto` and `lu`.
    #[serde(default)]
    pub method: Method,
}

/// How to solve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// `lu` for a square matrix, `lstsq` for another shape.
    #[default]
    Auto,
    /// LU factorisation with partial pivoting.
    Lu,
    /// Least squares of minimum norm by singular value decomposition.
    Lstsq,
}

/// The solution and how far to trust it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The solution: n numbers, or n rows with one column per right-hand side, as `b` was given.
    pub x: Sides,
    /// |b - A x| / |b| in the Euclidean norm (Frobenius for several right-hand sides); the residual itself when b is zero.
    pub relative_error: f64,
    /// |b - A x| in the same norm.
    pub residual: f64,
    /// Smallest relative change of A and b that makes x exact, in maximum norm; about 1e-16 is the best possible. Large for
    /// `lstsq` when the system is inconsistent.
    pub backward_error: f64,
    /// Reciprocal condition number, 0 to 1: for `lu` the 1-norm estimate 1 / (|A| |A^-1|) of the matrix as factored, for
    /// `lstsq` smallest over largest singular value.
    pub rcond: f64,
    /// Decimal digits of x that a backward stable method can promise, from `rcond`: 0 to 15.
    pub trusted_digits: u32,
    /// Numerical rank; less than the number of columns means that x is one of many solutions, the one of smallest norm.
    pub rank: usize,
    /// What was used: `lu` or `lstsq`.
    pub method: Method,
    /// Whether rows or columns of very different size were scaled before factoring.
    pub equilibrated: bool,
}

impl Tool for MatrixSolve {
    const SPEC: Spec = Spec {
        id: "matrix_solve",
        title: "Solve a linear system",
        category: Category::Math,
        tags: &["linear algebra", "lu", "least squares"],
        output_bytes_max: Some(256 << 20), // the arrays are the result
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let b = args.b.load(ctx)?;
        let (m, n) = (a.rows(), a.columns());
        check_shapes(&a, &b, args.method)?;
        let method = match args.method {
            Method::Auto if m == n => Method::Lu,
            Method::Auto => Method::Lstsq,
            method => method,
        };
        let (data, k) = (b.as_slice(), b.columns());
        let size = m as f64 * n as f64 * m.min(n) as f64;
        let sides = m as f64 * n as f64 * k as f64;
        let solution = if method == Method::Lu {
            // Measured at 0.015 ns n^3; the estimate leaves an order of magnitude.
            ctx.afford(size / 5.0 + 2.0 * sides)?;
            ctx.reserve_doubles(4 * m * n + 8 * n * k)?;
            kernel::solve(a.as_slice(), n, data, k)
        } else {
            ctx.afford(6.0 * size + sides)?;
            ctx.reserve_doubles(4 * m * n + 2 * (m + n) * m.min(n) + 4 * (m + n) * k)?;
            kernel::least_squares(a.as_slice(), m, n, data, k)
        }?;
        ctx.check()?;
        warn(&solution, method, n, ctx);
        Ok(Output {
            trusted_digits: trusted_digits(solution.rcond),
            relative_error: solution.relative_error,
            residual: solution.residual,
            backward_error: solution.backward_error,
            rcond: solution.rcond,
            rank: solution.rank,
            equilibrated: solution.equilibrated,
            x: b.like(n, solution.x),
            method,
        })
    }

    fn examples() -> Vec<Example<Args, Output>> {
        vec![
            Example {
                title: "3 x + y = 9 and x + 2 y = 8",
                args: Args {
                    a: Input::inline([[3.0, 1.0], [1.0, 2.0]]),
                    b: Input::inline([9.0, 8.0]),
                    method: Method::Auto,
                },
                output: Output {
                    x: Sides::from([2.0, 3.0]),
                    relative_error: 0.0,
                    residual: 0.0,
                    backward_error: 0.0,
                    rcond: 0.3125,
                    trusted_digits: 15,
                    rank: 2,
                    method: Method::Lu,
                    equilibrated: false,
                },
            },
            Example {
                title: "the mean is the least squares solution of x = 1, x = 2, x = 6",
                args: Args {
                    a: Input::inline([[1.0], [1.0], [1.0]]),
                    b: Input::inline([1.0, 2.0, 6.0]),
                    method: Method::Lstsq,
                },
                output: Output {
                    x: Sides::from([3.0]),
                    relative_error: (14.0_f64 / 41.0).sqrt(),
                    residual: 14.0_f64.sqrt(),
                    backward_error: 1.0 / 3.0,
                    rcond: 1.0,
                    trusted_digits: 15,
                    rank: 1,
                    method: Method::Lstsq,
                    equilibrated: false,
                },
            },
        ]
    }
}

fn check_shapes(a: &Matrix, b: &Sides, method: Method) -> Result<(), ToolError> {
    let (m, n) = (a.rows(), a.columns());
    if b.rows() != m {
        return Err(ToolError::invalid(
            "/b",
            format_args!("`A` has {m} rows but `b` has {} entries", b.rows()),
        )
        .reason("shape")
        .hint("give one entry (or one row) of `b` per row of `A`"));
    }
    if method == Method::Lu && m != n {
        return Err(ToolError::invalid(
            "/A",
            format_args!("expected a square matrix, found {m} x {n}"),
        )
        .reason("shape")
        .hint("pass `method`: \"lstsq\" for the `least_squares` solution"));
    }
    Ok(())
}

impl From<SolveError> for ToolError {
    fn from(err: SolveError) -> Self {
        match err {
            SolveError::Singular { column } => Self::new(ErrorCode::Numeric, err)
                .reason("singular")
                .at("/A")
                .hint("pass `method`: \"lstsq\" for the `least_squares` solution of minimum norm")
                .evidence(Value::object([("column", column)])),
            SolveError::Overflow => Self::new(ErrorCode::Numeric, err)
                .reason("overflow")
                .at("/b")
                .hint("scale `A` or `b`"),
            SolveError::NoConvergence(err) => super::no_convergence(err),
        }
    }
}

/// Digits left of sixteen when the condition takes its share.
fn trusted_digits(rcond: f64) -> u32 {
    let digits = (rcond / f64::EPSILON).log10().floor();
    if digits > 0.0 {
        digits.min(15.0) as u32
    } else {
        0
    }
}

fn warn(solution: &Solution, method: Method, n: usize, ctx: &Ctx) {
    let digits = trusted_digits(solution.rcond);
    let rcond = solution.rcond;
    if method == Method::Lu && rcond < f64::EPSILON {
        ctx.warn(format!(
            "`A` is singular to working precision (rcond {rcond:.1e}): {digits} digits of `x` can be trusted; \
             `method`: \"lstsq\" gives the least squares solution of minimum norm"
        ));
    }
    if solution.rank < n {
        ctx.warn(format!(
            "`A` has rank {} and {n} columns: `x` is the solution of smallest norm among many",
            solution.rank
        ));
    }
}

#[cfg(test)]
mod tests;
