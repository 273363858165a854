//! `sparse_solve`: large sparse systems, factored or iterated, with residual, condition or error estimate.

mod failure;
mod matrix;
mod matrix_market;

use numerics::sparse::{
    self, CsrMatrix, PreconditionerMethod, SparseError, SparseEvidence, SparseOptions,
    SparseSolution,
};

use self::failure::tool_error;
use super::dense::system::GROWTH_MAX;
use super::solve::{Rhs, trusted_digits};
use super::{kernel_kind, kind_from_kernel};
use crate::call_watch::CallWatch;
use crate::prelude::*;

/// Solve A x = b for a large sparse square matrix A, for one right-hand side or several. Give A in one of three forms: `rows`,
/// `cols`, `values` (one of each per entry); `indptr`, `indices`, `data` (compressed rows, as SciPy's csr_matrix); or `matrix_market`
/// text. Zeros are not listed; large lists are best given as `{"$file": "name.npy"}`. The method follows from the matrix unless one is
/// named; the solution comes with its residual and, from factors, its condition and error.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub struct Args {
    /// Row of each entry, counted from 0, in any order; entries of one place are added.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["entries"]))]
    pub rows: Option<Input<Vector>>,
    /// Column of each entry, counted from 0; as many as `rows`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["entries"]))]
    pub cols: Option<Input<Vector>>,
    /// The entries; as many as `rows`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["entries"]))]
    pub values: Option<Input<Vector>>,
    /// Compressed rows: row i has the entries from `indptr[i]` up to before `indptr[i + 1]`; n + 1 numbers from 0 up.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub indptr: Option<Input<Vector>>,
    /// Compressed rows: column of each entry, counted from 0.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["places"]))]
    pub indices: Option<Input<Vector>>,
    /// Compressed rows: the entries, as many as `indices`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["places"]))]
    pub data: Option<Input<Vector>>,
    /// The matrix as Matrix Market text: coordinate or array; real, integer or pattern; general, symmetric or skew-symmetric.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-file-endings" = [".mtx"]))]
    pub matrix_market: Option<Input<TextInput>>,
    /// Number of rows and columns; absent: the length of `b`, which it must equal.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub n: Option<Count>,
    /// Right-hand side: a list of n numbers, or n rows with one column per right-hand side.
    #[schema(extend("x-shape" = ["n", "*k"]))]
    pub b: Input<Rhs>,
    /// `auto` takes Cholesky or, where that costs much, `cg` for a symmetric matrix with positive diagonal, and LU or `gmres` for any
    /// other. A named method is used as it is, or refused when A does not suit it.
    #[value(default)]
    pub method: SparseSolveMethod,
    /// Preconditioner of `cg` (`none`, `jacobi`, `ic0`, `amg`) or `gmres` (`none`, `jacobi`, `ilu0`); `auto` takes `amg` for `cg`, and
    /// `ilu0` for `gmres`, or what is left where that breaks down. Only with those methods.
    #[value(default)]
    pub preconditioner: PreconditionerChoice,
    /// Iterative methods end when |b - A x| <= `tolerance` |b| in the Euclidean norm, and `converged` says so; absent: 1e-10.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub tolerance: Option<Positive>,
    /// Most iterations per right-hand side; absent: 10000.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub max_iterations: Option<Count>,
    /// Steps of `gmres` before it starts again, each of which keeps a vector of n numbers; absent: 50.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub restart: Option<Count>,
}

/// Method for a sparse system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub enum SparseSolveMethod {
    /// By the matrix and the cost.
    #[default]
    Auto,
    /// Cholesky factorisation of a symmetric positive definite matrix.
    Cholesky,
    /// LU factorisation with partial pivoting.
    Lu,
    /// Conjugate gradients for a symmetric positive definite matrix.
    Cg,
    /// Restarted GMRES for any matrix.
    Gmres,
}

/// Preconditioner of the iterative methods.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub enum PreconditionerChoice {
    /// By the method.
    #[default]
    Auto,
    /// Not at all.
    None,
    /// By the diagonal.
    Jacobi,
    /// By LU factors without fill.
    Ilu0,
    /// By a Cholesky factor without fill.
    Ic0,
    /// By algebraic multigrid (smoothed aggregation).
    Amg,
}

/// The solution and how far to trust it.
#[derive(Debug, Default, Encode, Describe)]
pub struct Output {
    /// The solution: n numbers, or n rows with one column per right-hand side, as `b` was given.
    #[schema(extend("x-shape" = ["n", "*k"]))]
    pub x: Rhs,
    /// |b - A x| in the Euclidean norm (Frobenius for several right-hand sides).
    pub residual: f64,
    /// Largest |b - A x| / |b| over the right-hand sides; 0 for a right-hand side of zeros.
    pub relative_residual: f64,
    /// Smallest relative change of A and b that makes x exact, in maximum norm; about 1e-16 is the best possible.
    pub backward_error: f64,
    /// Whether `relative_residual` is at most `tolerance`. An iteration that does not get there is an error; factors of an
    /// ill-conditioned matrix may give x with a larger residual, and false.
    pub converged: bool,
    /// Method used; never `auto`.
    pub method: SparseSolveMethod,
    /// Preconditioner of an iterative method.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": ["cg", "gmres"] }))]
    pub preconditioner: Option<PreconditionerChoice>,
    /// Iterations, the most over the right-hand sides. Only iterative methods.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": ["cg", "gmres"] }))]
    pub iterations: Option<usize>,
    /// Reciprocal condition number, 0 to 1: the 1-norm estimate 1 / (|A| |A^-1|) of the matrix as factored. Only direct methods.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": ["cholesky", "lu"] }))]
    pub rcond: Option<f64>,
    /// Decimal digits of x that survive when the entries are only known to 16, from `rcond`: 0 to 15. Only direct methods.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": ["cholesky", "lu"] }))]
    pub trusted_digits: Option<u32>,
    /// Estimated relative error of x when the entries are exactly what they say. Direct methods: in maximum norm, from the corrections
    /// of the refinement, "Infinity" when they do not shrink. `cg`: in the energy norm sqrt(e' A e), from the residual and the least
    /// Ritz value. Not for `gmres`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": ["cholesky", "lu", "cg"] }))]
    pub error_estimate: Option<Real>,
    /// Bound of the relative error in maximum norm when every entry of A and b may be wrong by half a unit in its last place, from the
    /// componentwise condition number (itself an estimate). Only direct methods.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": ["cholesky", "lu"] }))]
    pub error_bound: Option<Real>,
    /// Entries of A that are not zero.
    pub nonzeros: usize,
    /// Entries of the factors. Only direct methods.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": ["cholesky", "lu"] }))]
    pub fill: Option<usize>,
    /// Largest entry of U over the largest of A; only `lu`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": "lu" }))]
    pub growth: Option<f64>,
    /// Steps of refinement that were kept. Only direct methods.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": ["cholesky", "lu"] }))]
    pub refinements: Option<usize>,
    /// Whether rows or columns of very different size were scaled before factoring. Only direct methods.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": ["cholesky", "lu"] }))]
    pub equilibrated: Option<bool>,
    /// Methods that `auto` tried first, with the reason each was abandoned.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub abandoned: Vec<AbandonedMethod>,
}

/// A method that gave no solution.
#[derive(Debug, Encode, Describe)]
pub struct AbandonedMethod {
    /// The method.
    pub method: SparseSolveMethod,
    /// The reason it was abandoned.
    pub reason: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("sparse_solve", "Solve a sparse linear system")
        .tags(&[
            "linear algebra",
            "sparse",
            "conjugate gradients",
            "gmres",
            "multigrid",
            "matrix market",
        ])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "2 x + y = 4 and x + 3 y = 7, entry by entry":
            r#"{"rows": [0, 0, 1, 1], "cols": [0, 1, 0, 1], "values": [2, 1, 1, 3],
                "b": [4, 7]}"#
            => r#"{"x": [1.0, 2.0], "residual": 0.0, "relative_residual": 0.0,
                "backward_error": 0.0, "converged": true, "method": "cholesky", "rcond": 0.3125,
                "trusted_digits": 15, "error_estimate": 0.0, "error_bound": 4.2188474935755947e-16,
                "nonzeros": 4, "fill": 3, "refinements": 1, "equilibrated": false}"#;
        "half of each from a diagonal matrix in Matrix Market form, by conjugate gradients":
            r#"{"matrix_market": "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 2\n",
                "b": [1, 3], "method": "cg", "preconditioner": "none"}"#
            => r#"{"x": [0.5, 1.5], "residual": 0.0, "relative_residual": 0.0,
                "backward_error": 0.0, "converged": true, "method": "cg", "preconditioner": "none",
                "iterations": 1, "error_estimate": 0.0, "nonzeros": 2}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let options = kernel_options(&args)?;
        let b = args.b.load(ctx)?;
        let a = matrix::load_matrix(&args, b.rows(), ctx)?;
        let found =
            sparse::solve_sparse_system(&a, b.as_slice(), b.columns(), &options, &CallWatch(ctx))
                .map_err(|err| tool_error(err, &args, ctx))?;
        ctx.check()?;
        let output = sparse_solution_output(found, &a, &b, options.tolerance);
        warn_of_lost_digits(&output, ctx);
        Ok(output)
    }
}

/// The kernel's options, after checking that they fit together.
fn kernel_options(args: &Args) -> Result<SparseOptions, ToolError> {
    let fits = match (args.method, args.preconditioner) {
        (_, PreconditionerChoice::Auto) => true,
        (SparseSolveMethod::Cg, kind) => kind != PreconditionerChoice::Ilu0,
        (SparseSolveMethod::Gmres, kind) => {
            !matches!(kind, PreconditionerChoice::Ic0 | PreconditionerChoice::Amg)
        }
        _ => false,
    };
    if !fits {
        refuse!(invalid "/preconditioner", "preconditioner";
            "the preconditioner is incompatible with this `method`";
            "`method`: \"cg\" takes `none`, `jacobi`, `ic0` or `amg`; \"gmres\" takes `none`, `jacobi` or `ilu0`; else leave it out");
    }
    let default = SparseOptions::default();
    Ok(SparseOptions {
        method: kernel_kind(&METHODS, args.method),
        preconditioning: kernel_kind(&PRECONDITIONERS, args.preconditioner),
        tolerance: args.tolerance.map_or(default.tolerance, Positive::get),
        iterations_max: args
            .max_iterations
            .map_or(default.iterations_max, Count::size),
        restart: args.restart.map_or(default.restart, Count::size),
    })
}

fn sparse_solution_output(found: SparseSolution, a: &CsrMatrix, b: &Rhs, tolerance: f64) -> Output {
    let abandoned = |(method, err): &(sparse::SparseMethod, SparseError)| AbandonedMethod {
        method: kind_from_kernel(&METHODS, *method),
        reason: err.to_string(),
    };
    let mut output = Output {
        x: b.like(a.row_count(), found.x),
        residual: found.residual,
        relative_residual: found.relative_residual,
        backward_error: found.backward_error,
        converged: found.relative_residual <= tolerance,
        method: kind_from_kernel(&METHODS, found.method),
        nonzeros: a.nonzeros(),
        abandoned: found.abandoned.iter().map(abandoned).collect(),
        ..Output::default()
    };
    match found.evidence {
        SparseEvidence::Direct {
            rcond,
            error_estimate,
            error_bound,
            fill,
            growth,
            refinements,
            equilibrated,
        } => {
            output.rcond = Some(rcond);
            output.trusted_digits = Some(trusted_digits(rcond));
            output.error_estimate = Some(Real(error_estimate));
            output.error_bound = Some(Real(error_bound));
            output.fill = Some(fill);
            output.growth = growth;
            output.refinements = Some(refinements);
            output.equilibrated = Some(equilibrated);
        }
        SparseEvidence::Iterative {
            preconditioning,
            iterations,
            error_estimate,
        } => {
            output.preconditioner = Some(kind_from_kernel(&PRECONDITIONERS, preconditioning));
            output.iterations = Some(iterations);
            output.error_estimate = error_estimate.map(Real);
        }
    }
    output
}

/// The methods, and the kernel's.
const METHODS: [(SparseSolveMethod, sparse::SparseMethod); 4] = [
    (SparseSolveMethod::Cholesky, sparse::SparseMethod::Cholesky),
    (SparseSolveMethod::Lu, sparse::SparseMethod::Lu),
    (
        SparseSolveMethod::Cg,
        sparse::SparseMethod::ConjugateGradient,
    ),
    (SparseSolveMethod::Gmres, sparse::SparseMethod::Gmres),
];

/// The preconditioners, and the kernel's.
const PRECONDITIONERS: [(PreconditionerChoice, PreconditionerMethod); 5] = [
    (PreconditionerChoice::None, PreconditionerMethod::None),
    (PreconditionerChoice::Jacobi, PreconditionerMethod::Jacobi),
    (
        PreconditionerChoice::Ilu0,
        PreconditionerMethod::IncompleteLu,
    ),
    (
        PreconditionerChoice::Ic0,
        PreconditionerMethod::IncompleteCholesky,
    ),
    (PreconditionerChoice::Amg, PreconditionerMethod::Multigrid),
];

/// Warns when condition or refinement leave few digits of a solution.
fn warn_of_lost_digits(output: &Output, ctx: &Ctx) {
    const ILL_CONDITIONED: f64 = 1.5e-8; // the square root of eps: half of the digits
    for AbandonedMethod { method, reason } in &output.abandoned {
        ctx.warn(format!("{method:?} was tried first: {reason}"));
    }
    if !output.converged {
        ctx.warn(format!(
            "the residual is {:.0e} of `b`, above `tolerance`: the matrix is too ill-conditioned for a solution in doubles",
            output.relative_residual
        ));
    }
    let estimate = output.error_estimate.map_or(0.0, |estimate| estimate.0);
    let (Some(rcond), Some(digits)) = (output.rcond, output.trusted_digits) else {
        if estimate.is_nan() || estimate > 1e-3 {
            ctx.warn(format!(
                "the residual is small but the estimated error in the energy norm is {estimate:.0e}: lower `tolerance`, or pass \
                 `method`: \"cholesky\""
            ));
        }
        return;
    };
    if rcond < f64::EPSILON {
        ctx.warn(format!("the matrix is singular to working precision (rcond {rcond:.1e}): {digits} digits of `x` can be trusted"));
    } else if rcond < ILL_CONDITIONED {
        ctx.warn(format!(
            "the matrix is ill-conditioned (rcond {rcond:.1e}): {digits} digits of `x` can be trusted unless the entries are known to \
             more than 16"
        ));
    }
    if let Some(growth) = output.growth.filter(|&growth| growth > GROWTH_MAX) {
        ctx.warn(format!(
            "elimination grew by {growth:.0e}: see `error_estimate` before using `x`"
        ));
    }
    if estimate.is_nan() || estimate > 1e-3 {
        ctx.warn(format!(
            "the refinement does not settle (estimated relative error {estimate:.0e}): `x` makes the residual small and may have no \
             right digit"
        ));
    }
}

#[cfg(test)]
mod tests;
