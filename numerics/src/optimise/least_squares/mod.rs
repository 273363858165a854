//! Sums of squares of residuals that are not linear in the variables.
//!
//! [`levenberg`] has the method and the trait of residuals, [`projected`] the retries where it does not converge, [`closure`] residuals without
//! derivatives, [`starts`] start points where none are known, [`uncertainty`] what the end of a fit says of its parameters.

pub(crate) mod closure;
mod curvature;
pub(crate) mod draws;
pub(crate) mod levenberg;
pub(crate) mod loss;
pub(crate) mod projected;
pub(crate) mod qr;
pub(crate) mod starts;
pub(crate) mod uncertainty;
