//! Roots: of functions of one variable ([`find`]; its parts are [`bracket`] and [`isolate`]), of systems of equations ([`system`]) and of
//! polynomials ([`polynomial`]).
//!
//! [`interval`] is the arithmetic of enclosures that proves roots and their absence.

pub mod bracket;
mod error;
pub mod find;
pub mod interval;
pub mod isolate;
pub mod polynomial;
pub mod system;

pub use self::error::RootError;
