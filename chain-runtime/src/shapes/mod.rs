//! Extents of arrays across a plan: what tools state with `x-shape` ([`tool_core::shape`]), solved over their calls.
//!
//! [`ShapeSolver`] holds extents that are known, or known to be equal; [`ShapeCall`] puts one call's arguments into it and says where they
//! do not fit together. Which calls are certain to happen is the check's business.

mod call;
mod solver;
#[cfg(test)]
mod tests;

pub(crate) use call::element_type;
pub use call::{Given, shape_of_node};
pub use call::{ShapeCall, ShapeCallSite, ShapeMisfit, ToolShapes};
pub use solver::{ExtentAxis, ExtentOrigin, ShapeClash, ShapeId, ShapeSolver};
