//! Ordinary differential equations.

pub(crate) mod bvp;
pub(crate) mod solve;

pub use self::solve::drive::{Options, Trajectory};
pub use self::solve::flow::{Tolerances, Work};
pub use self::solve::function::Function;
pub use self::solve::method::Method;
pub use self::solve::stepper::Reason;

use tool_core::{Entry, entry, verified_entry};

/// The tools of this family.
pub(crate) static TOOLS: &[Entry] = &[verified_entry::<solve::Args>(), entry::<bvp::Args>()];
