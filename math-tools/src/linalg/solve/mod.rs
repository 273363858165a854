//! `matrix_solve`: linear systems by the method their structure requires, refined, with residual, condition and error.

pub(crate) mod rhs;

pub(crate) use self::rhs::Rhs;
use super::dense::decomposition;
use super::dense::factors::{FactorError, SquareMethod};
use super::dense::lstsq::{LeastSquaresError, minimum_norm};
use super::dense::structure::MatrixStructure;
use super::dense::system::{self, GROWTH_MAX, SystemError};
use super::dense::{SingularVectors, euclidean_norm};
use super::{kernel_kind, kind_from_kernel};
use crate::prelude::*;

/// Solve the linear system A x = b, for one right-hand side or several at once. The method follows from the structure of A unless
/// one is named; the solution is refined with residuals in doubled precision, and comes with its residual, condition and error.
/// Matrices that are not square are solved by least squares of minimum norm.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix, a list of rows; m x n, square for every method but `lstsq`.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = ["m", "n"]))]
    pub a: Input<Matrix>,
    /// Right-hand side: a list of m numbers, or a list of m rows with one column per right-hand side.
    #[schema(extend("x-shape" = ["m", "*k"]))]
    pub b: Input<Rhs>,
    /// `auto` looks at A: triangular, band or tridiagonal, symmetric positive definite (Cholesky), symmetric indefinite, or general
    /// (LU; QR where elimination is unstable); `lstsq` for a shape that is not square. A named method is used as it is, or refused
    /// when A does not have its structure. A square matrix that is singular, exactly or so that no x makes the residual small, is
    /// refused by all but `lstsq`.
    #[value(default)]
    pub method: LinearSolveMethod,
}

/// Method for a linear system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum LinearSolveMethod {
    /// By the structure of A.
    #[default]
    Auto,
    /// LU factorisation with partial pivoting.
    Lu,
    /// Householder QR.
    Qr,
    /// Cholesky factorisation of a symmetric positive definite matrix.
    Cholesky,
    /// Block diagonal pivoting (L D L') of a symmetric matrix.
    SymmetricIndefinite,
    /// Substitution in an upper or lower triangle.
    Triangular,
    /// LU within the band.
    Banded,
    /// LU within three diagonals.
    Tridiagonal,
    /// Least squares of minimum norm by singular value decomposition.
    Lstsq,
}

/// The solution and how far to trust it.
#[derive(Debug, Default, Encode, Describe)]
pub(crate) struct Output {
    /// The solution: n numbers, or n rows with one column per right-hand side, as `b` was given.
    #[schema(extend("x-shape" = ["n", "*k"]))]
    pub x: Rhs,
    /// |b - A x| / |b| in the Euclidean norm (Frobenius for several right-hand sides); the residual itself when b is zero.
    pub relative_error: f64,
    /// |b - A x| in the same norm.
    pub residual: f64,
    /// Smallest relative change of A and b that makes x exact, in maximum norm; about 1e-16 is the best possible. Large for
    /// `lstsq` when the system is inconsistent.
    pub backward_error: f64,
    /// Reciprocal condition number, 0 to 1: the 1-norm estimate 1 / (|A| |A^-1|) of the matrix as factored, for `lstsq` smallest
    /// over largest singular value.
    pub rcond: f64,
    /// Decimal digits of x that survive when the entries of A and b are only known to 16, from `rcond`: 0 to 15.
    pub trusted_digits: u32,
    /// Estimate of the largest relative error of x (maximum norm) when the entries of A and b are exactly what they say, from the
    /// corrections of the refinement; "Infinity" when they do not shrink. Not for `lstsq`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "method": ["lu", "qr", "cholesky", "symmetric_indefinite", "triangular", "banded", "tridiagonal"] }, { "method": "auto", "A": { "is": "square" } }]))]
    pub error_estimate: Option<Real>,
    /// Bound of the same error when every entry of A and b may be wrong by half a unit in its last place, from the componentwise
    /// condition number (itself an estimate). Not for `lstsq`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "method": ["lu", "qr", "cholesky", "symmetric_indefinite", "triangular", "banded", "tridiagonal"] }, { "method": "auto", "A": { "is": "square" } }]))]
    pub error_bound: Option<Real>,
    /// Numerical rank, as `matrix_rank` counts it; for `lstsq`, less than the number of columns means that x is one of many solutions,
    /// the one of smallest norm.
    pub rank: usize,
    /// Method used; never `auto`.
    pub method: LinearSolveMethod,
    /// Method tried first without a trustworthy answer.
    #[value(skip_encoding_if = "Option::is_none")]
    pub abandoned: Option<LinearSolveMethod>,
    /// Largest entry met by the elimination over the largest of A: digits lost are about its logarithm before refinement. Only
    /// for methods that exchange rows.
    #[value(skip_encoding_if = "Option::is_none")]
    pub growth: Option<f64>,
    /// Steps of refinement that were kept.
    pub refinements: usize,
    /// Whether rows or columns of very different size were scaled before factoring.
    pub equilibrated: bool,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_solve", "Solve a linear system")
        .tags(&["linear algebra", "lu", "cholesky", "least squares"])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "3 x + y = 9 and x + 2 y = 8": r#"{"A": [[3, 1], [1, 2]], "b": [9, 8]}"#
            => r#"{"x": [2.0, 3.0], "relative_error": 0.0, "residual": 0.0,
                "backward_error": 0.0, "rcond": 0.3125, "trusted_digits": 15, "error_estimate": 0.0,
                "error_bound": 2.4424906541753446e-16, "rank": 2, "method": "cholesky",
                "refinements": 0, "equilibrated": false}"#;
        "the mean is the least squares solution of x = 1, x = 2, x = 6":
            r#"{"A": [[1], [1], [1]], "b": [1, 2, 6], "method": "lstsq"}"#
            => r#"{"x": [3.0], "relative_error": 0.5843487097907776,
                "residual": 3.7416573867739413, "backward_error": 0.3333333333333333, "rcond": 1.0,
                "trusted_digits": 15, "rank": 1, "method": "lstsq", "refinements": 0,
                "equilibrated": false}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let b = args.b.load(ctx)?;
        let (m, n) = (a.rows(), a.columns());
        check_shapes(&a, &b, args.method)?;
        let k = b.columns();
        let size = m as f64 * n as f64 * m.min(n) as f64;
        let sides = m as f64 * n as f64 * k as f64;
        let output = if args.method == LinearSolveMethod::Lstsq || m != n {
            ctx.afford(6.0 * size + sides)?;
            ctx.reserve_doubles(4 * m * n + 2 * (m + n) * m.min(n) + 4 * (m + n) * k)?;
            by_least_squares(&a, &b)?
        } else {
            let method = square_method(args.method, &a)?;
            // LU was measured at 0.015 ns n^3; the estimate leaves an order of magnitude. QR costs four times as much.
            let by_qr = method == Some(SquareMethod::Qr);
            let factor = if by_qr { 1.0 } else { 0.2 };
            ctx.afford(factor * size + 2.0 * sides)?;
            ctx.reserve_doubles(6 * m * n + 10 * n * k)?;
            by_factors(&a, &b, method, ctx)?
        };
        ctx.check()?;
        warn_of_lost_digits(&output, n, ctx);
        Ok(output)
    }
}

fn check_shapes(a: &Matrix, b: &Rhs, method: LinearSolveMethod) -> Result<(), ToolError> {
    let (m, n) = (a.rows(), a.columns());
    if b.rows() != m {
        refuse!(invalid "/b", "shape"; "`A` has {m} rows but `b` has {} entries", b.rows();
            "give one entry (or one row) of `b` per row of `A`");
    }
    if m != n && !matches!(method, LinearSolveMethod::Auto | LinearSolveMethod::Lstsq) {
        refuse!(invalid "/A", "shape"; "expected a square matrix, found {m} x {n}";
            "pass `method`: \"lstsq\", or call `least_squares`");
    }
    Ok(())
}

/// The kernel's name of a method, after checking that A has the structure it needs.
fn square_method(method: LinearSolveMethod, a: &Matrix) -> Result<Option<SquareMethod>, ToolError> {
    let Some(chosen) = kernel_kind(&METHODS, method) else {
        return Ok(None);
    };
    let structure = MatrixStructure::of(a.as_slice(), a.rows());
    let symmetric = matches!(
        method,
        LinearSolveMethod::Cholesky | LinearSolveMethod::SymmetricIndefinite
    );
    let expected = match chosen {
        _ if symmetric && !structure.symmetric => "a symmetric matrix",
        SquareMethod::Triangular if !structure.is_triangular() => "a triangular matrix",
        SquareMethod::Tridiagonal if !structure.is_tridiagonal() => "a tridiagonal matrix",
        _ => return Ok(Some(chosen)),
    };
    let differs = [" that differs from its transpose", ""][usize::from(structure.symmetric)];
    let (lower, upper) = (structure.lower, structure.upper);
    refuse!(invalid "/A", "structure";
        "expected {expected}, found one with {lower} diagonals below and {upper} above the main one{differs}";
        "leave `method` out: it is chosen by the structure");
}

fn by_factors(
    a: &Matrix,
    b: &Rhs,
    method: Option<SquareMethod>,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let n = a.rows();
    let found = system::solve_dense_system(a.as_slice(), n, b.as_slice(), b.columns(), method)
        .map_err(system_error)?;
    Ok(Output {
        relative_error: found.relative_error,
        residual: found.residual,
        backward_error: found.backward_error,
        rcond: found.rcond,
        trusted_digits: trusted_digits(found.rcond),
        error_estimate: Some(Real(found.error_estimate)),
        error_bound: Some(Real(found.error_bound)),
        rank: full_rank(a, found.rcond, ctx)?,
        method: kind_from_kernel(&METHODS, found.method),
        abandoned: found
            .abandoned
            .map(|method| kind_from_kernel(&METHODS, method)),
        growth: found.growth,
        refinements: found.refinements,
        equilibrated: found.equilibrated,
        x: b.like(n, found.x),
    })
}

/// The rank of a square matrix that was factored, as `matrix_rank` finds it: below n only where the condition leaves that open.
pub(crate) fn full_rank(a: &Matrix, rcond: f64, ctx: &Ctx) -> Result<usize, ToolError> {
    /// Singular values of larger matrices would cost far more than their factors.
    const SIZE_MAX: usize = 1000;
    let n = a.rows();
    // Norms differ by up to n, and the condition is estimated.
    let clear = 10.0 * (n as f64).powi(2) * f64::EPSILON;
    if rcond > clear || n > SIZE_MAX {
        return Ok(n);
    }
    super::factors::afford_operations(ctx, 4.0 * (n as f64).powi(3), 6 * n * n)?;
    let found =
        decomposition::singular_value_decomposition(a.as_slice(), n, n, SingularVectors::None);
    Ok(found.map_err(super::no_convergence)?.rank)
}

fn by_least_squares(a: &Matrix, b: &Rhs) -> Result<Output, ToolError> {
    let (m, n) = (a.rows(), a.columns());
    let tolerance = m.max(n) as f64 * f64::EPSILON;
    let found = minimum_norm(a.as_slice(), m, n, b.as_slice(), b.columns(), tolerance)
        .map_err(least_squares_error)?;
    let (residual, norm) = (
        euclidean_norm(&found.residuals),
        euclidean_norm(b.as_slice()),
    );
    let rcond = found.rcond();
    Ok(Output {
        relative_error: residual / if norm > 0.0 { norm } else { 1.0 },
        residual,
        backward_error: found.backward_error,
        rcond,
        trusted_digits: trusted_digits(rcond),
        rank: found.rank,
        method: LinearSolveMethod::Lstsq,
        x: b.like(n, found.x),
        ..Output::default()
    })
}

/// The methods for square matrices, and the kernel's.
pub(crate) const METHODS: [(LinearSolveMethod, SquareMethod); 7] = [
    (LinearSolveMethod::Lu, SquareMethod::Lu),
    (LinearSolveMethod::Qr, SquareMethod::Qr),
    (LinearSolveMethod::Cholesky, SquareMethod::Cholesky),
    (
        LinearSolveMethod::SymmetricIndefinite,
        SquareMethod::SymmetricIndefinite,
    ),
    (LinearSolveMethod::Triangular, SquareMethod::Triangular),
    (LinearSolveMethod::Banded, SquareMethod::Banded),
    (LinearSolveMethod::Tridiagonal, SquareMethod::Tridiagonal),
];

/// The error of factors that do not exist, at the argument `A`.
pub(crate) fn factor_error(err: FactorError) -> ToolError {
    let error = ToolError::numeric("/A", err);
    match err {
        FactorError::Singular { column } => singular_error(error).evidence(Value::object([("column", column)])),
        FactorError::SingularBlock => singular_error(error),
        FactorError::NotPositiveDefinite(at) => error
            .reason("not_positive_definite")
            .hint("`symmetric_indefinite` and `lu` of `matrix_solve` need no positive definite matrix")
            .evidence(Value::object([("size", at.size)])),
    }
}

fn singular_error(error: ToolError) -> ToolError {
    error
        .reason("singular")
        .hint("call `least_squares` for the solution of minimum norm, or `matrix_rank` for the null space")
}

fn overflow_error(err: impl std::fmt::Display) -> ToolError {
    let error = ToolError::numeric("/b", err).reason("overflow");
    error.hint("scale `A` or `b`")
}

/// The error of a system without a solution.
pub(crate) fn system_error(err: SystemError) -> ToolError {
    match err {
        SystemError::Factors(err) => factor_error(err),
        SystemError::Overflow => overflow_error(err),
        SystemError::NoSolution { rcond } => {
            let evidence = Value::object([("rcond", rcond)]);
            singular_error(ToolError::numeric("/A", err)).evidence(evidence)
        }
    }
}

/// The error of a least squares problem without a solution.
pub(crate) fn least_squares_error(err: LeastSquaresError) -> ToolError {
    match err {
        LeastSquaresError::NoConvergence(err) => super::no_convergence(err),
        LeastSquaresError::Overflow => overflow_error(err),
        LeastSquaresError::RankDeficient { rank, .. } => ToolError::numeric("/A", err)
            .reason("rank_deficient")
            .hint("pass `method`: \"svd\" for the solution of minimum norm, or `ridge`")
            .evidence(Value::object([("rank", rank)])),
        LeastSquaresError::ConstraintsDependent { rank, .. } => ToolError::numeric("/C", err)
            .reason("rank_deficient")
            .hint("leave out the constraints that follow from the others, or contradict them")
            .evidence(Value::object([("rank", rank)])),
    }
}

/// Digits left of sixteen when the condition takes its share.
pub(crate) fn trusted_digits(rcond: f64) -> u32 {
    let digits = (rcond / f64::EPSILON).log10().floor();
    digits.clamp(0.0, 15.0) as u32 // 0 for NaN
}

/// Warns when condition or refinement leave few digits of a solution.
fn warn_of_lost_digits(output: &Output, n: usize, ctx: &Ctx) {
    const ILL_CONDITIONED: f64 = 1.5e-8; // the square root of eps: half of the digits
    let (rcond, digits) = (output.rcond, output.trusted_digits);
    if output.method == LinearSolveMethod::Lstsq {
        if output.rank < n {
            ctx.warn(format!(
                "`A` has rank {} and {n} columns: `x` is the solution of smallest norm among many",
                output.rank
            ));
        }
        return;
    }
    if rcond < f64::EPSILON {
        ctx.warn(format!(
            "`A` is singular to working precision (rcond {rcond:.1e}): {digits} digits of `x` can be trusted; \
             `least_squares` gives the solution of minimum norm"
        ));
    } else if rcond < ILL_CONDITIONED {
        ctx.warn(format!(
            "`A` is ill-conditioned (rcond {rcond:.1e}): {digits} digits of `x` can be trusted unless the entries of `A` and `b` \
             are known to more than 16"
        ));
    }
    let estimate = output.error_estimate.map_or(0.0, |estimate| estimate.0);
    if estimate > 1e-3 {
        ctx.warn(format!(
            "the refinement does not settle (estimated relative error {estimate:.0e}): `x` makes the residual small and may have no right digit"
        ));
    }
    if let Some(abandoned) = output.abandoned {
        ctx.warn(format!(
            "{abandoned:?} lost too many digits on this matrix; {:?} was used instead",
            output.method
        ));
    } else if let Some(growth) = output.growth.filter(|&growth| growth > GROWTH_MAX) {
        ctx.warn(format!(
            "elimination grew by {growth:.0e}: pass `method`: \"qr\", or leave it out"
        ));
    }
}

#[cfg(test)]
mod tests;
