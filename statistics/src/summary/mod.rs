//! Summaries of samples: location, spread, shape, correlation.

mod correlation;
mod descriptive;
mod partial;
mod ranks;

pub use self::correlation::*;
pub use self::descriptive::*;
pub use self::partial::partial_correlation;
pub use self::ranks::*;
