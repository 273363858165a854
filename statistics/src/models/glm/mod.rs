//! Generalised linear models: families, links, iterated weighted least squares, and the dispersion of counts.

mod family;
mod fit;
mod irls;
mod link;
mod negative_binomial;

#[cfg(test)]
mod tests;

pub use self::family::GlmFamily;
pub use self::fit::{GlmFit, GlmPrediction, fit_glm};
pub use self::irls::GlmRequest;
pub use self::link::GlmLink;
pub use self::negative_binomial::{DispersionEstimate, fit_negative_binomial};
