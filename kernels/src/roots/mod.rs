//! Roots: of polynomials ([`polynomial`]) and of functions of one variable ([`bracket`], [`isolate`]).
//!
//! [`interval`] is the arithmetic of enclosures that proves roots and their absence.

pub mod bracket;
pub mod interval;
pub mod isolate;
pub mod polynomial;
