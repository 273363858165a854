//! Ordinary differential equations.

pub(crate) mod bvp;
pub(crate) mod solve;

pub use self::solve::drive::{OdeOptions, OdeTrajectory};
pub use self::solve::flow::{OdeTolerances, OdeWork};
pub use self::solve::function::OdeFunction;
pub use self::solve::method::OdeMethod;
pub use self::solve::stepper::OdeEnd;

use tool_core::{ErasedTool, tool_entry, verified_entry};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] =
    &[verified_entry::<solve::Args>(), tool_entry::<bvp::Args>()];
