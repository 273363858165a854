//! Symbolic mathematics for programs without tools: exact expressions, polynomials, calculus, equations, integers and formulas as text.
//!
//! Every function is bounded: depth, size and work are limited by its caller, and what cannot be answered is said, never guessed.

pub mod budget;
pub mod calculus;
pub mod combinatorics;
pub mod engine;
mod greek;
pub mod integers;
pub mod matrices;
pub mod numeric;
pub mod ode;
pub mod outside;
pub mod parse;
pub(crate) mod poly;
pub mod print;
pub mod simplify;
pub mod solve;
pub mod transforms;
pub mod tree;
pub mod typeset;
