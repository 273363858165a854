//! Linear mixed models: coefficients that vary between groups.

mod descent;
mod fit;
mod products;
mod profile;
mod satterthwaite;
mod scaled;

#[cfg(test)]
mod tests;

pub use self::fit::{ConditionalMode, MixedFit, MixedRequest, VarianceComponent, fit_mixed};
