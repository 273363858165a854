//! Sizes of effects on scales without units, with their intervals.

mod association;
mod means;
mod noncentral;
mod ranks;
mod variance;

pub use self::association::*;
pub use self::means::*;
pub use self::noncentral::{noncentral_chi_squared_cdf, noncentral_f_cdf, noncentral_t_cdf};
pub(crate) use self::noncentral::{noncentral_chi_squared_interval, scale_nodes};
pub use self::ranks::*;
pub use self::variance::*;
