//! Linear algebra: systems, eigenvalues, singular values of dense matrices, and sparse systems.
//!
//! One folder per tool: `mod.rs` is the contract, `kernel.rs` the method on plain slices. The factorisations
//! are those of [`numerics::dense`] and [`numerics::sparse`]; a result never depends on the number of threads.

pub(crate) mod cholesky;
pub(crate) mod determinant;
pub(crate) mod eigen;
pub(crate) mod factors;
pub(crate) mod function;
pub(crate) mod inverse;
pub(crate) mod least_squares;
pub(crate) mod lu;
pub(crate) mod multiply;
pub(crate) mod qr;
pub(crate) mod rank;
pub(crate) mod solve;
pub mod sparse_solve;
pub(crate) mod svd;
mod verify;

pub(crate) use numerics::dense;
use tool_core::{
    Ctx, ErasedTool, Input, Matrix, ToolError, Vector, tool_entry, tool_error, verified_entry,
};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    verified_entry::<solve::Args>(),
    tool_entry::<sparse_solve::Args>(),
    verified_entry::<least_squares::Args>(),
    verified_entry::<eigen::Args>(),
    verified_entry::<svd::Args>(),
    tool_entry::<qr::Args>(),
    tool_entry::<lu::Args>(),
    tool_entry::<cholesky::Args>(),
    tool_entry::<inverse::Args>(),
    tool_entry::<determinant::Args>(),
    tool_entry::<rank::Args>(),
    tool_entry::<multiply::Args>(),
    tool_entry::<function::Args>(),
];

/// The error of an iteration that did not end, at the argument `A`.
pub(crate) fn no_convergence(err: dense::SpectralConvergenceError) -> ToolError {
    ToolError::numeric("/A", err)
        .reason("no_convergence")
        .hint("check the matrix for entries of very different size and scale its rows and columns")
}

/// Loads `A` and `b` (zeros when absent) of the object at `pointer`, as large as the `n` entries of the argument named `of` need.
///
/// # Errors
/// `invalid_args` when the sizes do not fit.
pub(crate) fn square_and_vector(
    (a, b): (&Input<Matrix>, &Option<Input<Vector>>),
    (n, of): (usize, &str),
    pointer: &str,
    ctx: &Ctx,
) -> Result<(Matrix, Vector), ToolError> {
    let misfit = |name: &str, expected: String, found: String| {
        tool_error!(InvalidArgs at format!("{pointer}/{name}"), "shape";
            "expected {expected}, found {found}";
            "`A` is n x n and `b` has n entries, n being the length of `{of}`")
    };
    let a = a.load(ctx)?;
    let (rows, columns) = (a.rows(), a.columns());
    if (rows, columns) != (n, n) {
        let expected = format!("{n} x {n} for the {n} entries of `{of}`");
        return Err(misfit("A", expected, format!("{rows} x {columns}")));
    }
    let Some(b) = b else {
        return Ok((a, vec![0.0; n].into()));
    };
    let b = b.load(ctx)?;
    if b.len() != n {
        let expected = format!("{n} entries, one per entry of `{of}`");
        return Err(misfit("b", expected, b.len().to_string()));
    }
    Ok((a, b))
}

/// The kernel's kind of one in a table of both; `None` for `auto`, which is in none.
pub(crate) fn kernel_kind<T: PartialEq, K: Copy>(table: &[(T, K)], kind: T) -> Option<K> {
    let found = table.iter().find(|(own, _)| *own == kind);
    found.map(|&(_, kernel)| kernel)
}

/// The kind of the kernel's.
pub(crate) fn kind_from_kernel<T: Copy + Default, K: PartialEq>(table: &[(T, K)], kernel: K) -> T {
    let found = table.iter().find(|(_, known)| *known == kernel);
    found.map_or_else(T::default, |&(own, _)| own)
}

#[cfg(test)]
pub(crate) mod tests;
