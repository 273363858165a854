//! Formulas that the derivatives of several families share.

use numerics::bytecode::{ProgramBuilder, ProgramNode};
use numerics::vector::Binary;

/// `n + 1`.
pub(super) fn next_order(b: &mut ProgramBuilder, n: ProgramNode) -> ProgramNode {
    let one = b.constant(1.0);
    b.binary(Binary::Add, n, one)
}
