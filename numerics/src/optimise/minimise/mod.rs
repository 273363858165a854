//! Local minima of a function of several variables, within bounds and under constraints where there are some.
//!
//! [`problem`] is the file to read first; [`unconstrained`] and [`constrained`] choose the methods.

pub(crate) mod bounds;
mod compact;
pub(crate) mod constrained;
pub(crate) mod curvature;
mod ending;
pub(crate) mod lbfgs;
mod line;
pub(crate) mod nelder_mead;
pub(crate) mod newton;
pub(crate) mod problem;
pub(crate) mod result;
pub(crate) mod scale;
pub(crate) mod sizes;
pub(crate) mod smooth;
pub(crate) mod target;
mod unconstrained;
