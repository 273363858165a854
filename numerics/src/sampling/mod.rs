//! Monte Carlo and Markov chain Monte Carlo.
//!
//! Work is cut into blocks of a fixed size, each with its own random stream, and reduced in a fixed tree ([`blocks`]), so results are the
//! same bits for any number of threads. [`monte_carlo`] has means and distributions of functions of random variables, [`mcmc`] draws from a
//! density by chains, [`diagnostics`] says how far chains can be trusted, [`order`] has quantiles and histograms without a sort.

pub mod blocks;
pub mod diagnostics;
mod error;
pub mod mcmc;
pub mod monte_carlo;
pub mod order;
#[cfg(test)]
mod tests;

pub use self::error::{ImproperEvidence, SamplingError};
