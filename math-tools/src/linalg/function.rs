//! `matrix_function`: exponential, logarithm, roots, powers, sine and cosine of a square matrix.

use super::dense::function::{self, FunctionError};
use super::dense::{columns_of, rows_of};
use super::eigen::square_size;
use super::factors::{afford_operations, finite_matrix};
use crate::prelude::*;

/// Evaluate a function of a square real matrix (not entry by entry): `exp`, the principal `log` and `sqrt`, `power`, `sin` or `cos`,
/// with its condition and an estimate of the error. `log`, `sqrt` and broken powers of a matrix with an eigenvalue on the closed
/// negative real axis have no principal value and are refused; `sqrt` takes a single eigenvalue 0, and `sqrt` and positive powers any
/// symmetric positive semidefinite matrix.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix, n rows of n numbers.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = ["n", "n"]))]
    pub a: Input<Matrix>,
    /// The function.
    pub function: MatrixFunctionName,
    /// The exponent; for `power`, and only there. Integers of any sign, or real numbers.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub exponent: Option<Finite>,
}

/// A function of matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum MatrixFunctionName {
    /// Exponential.
    Exp,
    /// Principal logarithm.
    Log,
    /// Principal square root.
    Sqrt,
    /// Power with `exponent`.
    Power,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
}

/// The value and its evidence.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// f(A), n x n.
    #[schema(extend("x-shape" = ["n", "n"]))]
    pub value: Matrix,
    /// Estimate of the relative condition number (Frobenius norm): a relative change d of A changes the value by up to condition
    /// times d; "Infinity" when it cannot be estimated.
    pub condition: Real,
    /// Estimate of the relative error (Frobenius norm), the entries of A taken as exact.
    pub error_estimate: Real,
    /// Squarings or square roots taken.
    pub scalings: u32,
    /// Method used.
    pub method: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_function", "Functions of a matrix")
        .tags(&[
            "linear algebra",
            "matrix exponential",
            "matrix logarithm",
            "matrix power",
        ])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the exponential of zero is the identity": r#"{"A": [[0, 0], [0, 0]], "function": "exp"}"#
            => r#"{"value": [[1.0, 0.0], [0.0, 1.0]], "condition": 1.0,
                "error_estimate": 3.1401849173675503e-16, "scalings": 0,
                "method": "scaling and squaring, Pade"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let a = args.a.load(ctx)?;
        let n = square_size(&a)?;
        let (function, method) = choose_function(&args)?;
        // Five evaluations of the dearest kind; complex entries, unblocked.
        let squarings = args
            .exponent
            .map_or(0.0, |p| 10.0 * (p.get().abs() + 1.0).log2());
        let cubes = 500.0 + 2.0 * squarings;
        afford_operations(ctx, cubes * (n as f64).powi(3), 40 * n * n)?;
        let found = function::evaluate_function(columns_of(a.as_slice(), n, n).as_ref(), function)
            .map_err(function_error)?;
        ctx.check()?;
        if found.condition == f64::INFINITY && args.function == MatrixFunctionName::Sqrt {
            ctx.warn(format!(
                "`A` is singular: eigenvalues that are 0 to rounding count as 0, and where they are not the root is off by up to {:.0e} of \
                 its size",
                found.error_estimate
            ));
        } else if found.error_estimate > 1e-6 {
            ctx.warn(format!(
                "the function is ill-conditioned here (condition {:.1e}): the relative error may reach {:.0e}",
                found.condition, found.error_estimate
            ));
        }
        Ok(Output {
            value: finite_matrix(n, n, rows_of(found.value.as_ref()))?,
            condition: Real(found.condition),
            error_estimate: Real(found.error_estimate),
            scalings: found.scalings,
            method: method.to_owned(),
        })
    }
}

fn choose_function(args: &Args) -> Result<(function::MatrixFunction, &'static str), ToolError> {
    if (args.function == MatrixFunctionName::Power) != args.exponent.is_some() {
        refuse!(invalid "/exponent", "contradiction";
            "`exponent` is that of the function `power`, and `power` needs it");
    }
    Ok(match (args.function, args.exponent) {
        (MatrixFunctionName::Exp, _) => (
            function::MatrixFunction::Exponential,
            "scaling and squaring, Pade",
        ),
        (MatrixFunctionName::Log, _) => (
            function::MatrixFunction::Logarithm,
            "Schur, inverse scaling and squaring",
        ),
        (MatrixFunctionName::Sqrt, _) => (function::MatrixFunction::SquareRoot, "Schur"),
        (MatrixFunctionName::Sin, _) => {
            (function::MatrixFunction::Sine, "imaginary part of exp(i A)")
        }
        (MatrixFunctionName::Cos, _) => (function::MatrixFunction::Cosine, "real part of exp(i A)"),
        (MatrixFunctionName::Power, exponent) => {
            let exponent = exponent.map_or(1.0, Finite::get);
            let method = if exponent.fract() == 0.0 {
                "repeated squaring"
            } else {
                "Schur, exponential of the logarithm"
            };
            (function::MatrixFunction::Power(exponent), method)
        }
    })
}

fn function_error(err: FunctionError) -> ToolError {
    let error = ToolError::numeric("/A", err);
    match err {
        FunctionError::BranchCut { real, imaginary } => error
            .reason("branch_cut")
            .hint("the eigenvalues are those of `matrix_eigenvalues`; only whole powers and `exp`, `sin`, `cos` exist for every matrix")
            .evidence(Value::object([("real", real), ("imaginary", imaginary)])),
        FunctionError::Singular => error
            .reason("singular")
            .hint("`matrix_inverse` with `pseudo` gives the pseudo-inverse"),
        FunctionError::Overflow => error.reason("overflow").hint("scale `A`"),
        FunctionError::NoConvergence(err) => super::no_convergence(err),
    }
}
