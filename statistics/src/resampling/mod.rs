//! Resampling: bootstrap intervals and weighted draws.

mod bootstrap;
mod draws;

pub use self::bootstrap::*;
pub use self::draws::*;
