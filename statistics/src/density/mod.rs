//! Smoothers: kernel density and local regression.

mod kernel;
mod lowess;

pub use self::kernel::*;
pub use self::lowess::*;
