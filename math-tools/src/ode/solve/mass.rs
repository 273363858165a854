//! [`load_mass_matrix`]: the mass matrix from its argument.

use numerics::ode::MassMatrix;
use tool_core::{Ctx, Input, Matrix, ToolError};

use super::failure::ode_error;
use super::system::StateNames;
use crate::call_watch::CallWatch;

/// Loads the matrix of a state; that of a system of second order belongs to the accelerations.
///
/// # Errors
/// `invalid_args` at `/mass` when its size does not fit or it is zero.
pub(super) fn load_mass_matrix(
    input: &Input<Matrix>,
    state: StateNames,
    ctx: &Ctx,
) -> Result<MassMatrix, ToolError> {
    let (matrix, n) = (input.load(ctx)?, state.equations());
    if (matrix.rows(), matrix.columns()) != (n, n) {
        let (rows, columns) = (matrix.rows(), matrix.columns());
        refuse!(invalid "/mass", "shape"; "expected {n} x {n} numbers, one row per equation, found {rows} x {columns}");
    }
    let watch = CallWatch(ctx);
    MassMatrix::new(matrix.as_slice(), n, state.len() - n, &watch)
        .map_err(|error| ode_error(error, watch))
}
