//! Maxima of expensive functions in the unit cube with few evaluations, by a model of the function.
//!
//! `process` is the Gaussian process, `ascent` the local search that fits it and searches its acquisition functions, `search` the loop.
//!
//! ```
//! use numerics::NoWatch;
//! use numerics::bayes::{BayesOptions, maximise_in_cube};
//!
//! let options = BayesOptions {
//!     iterations: 12,
//!     ..BayesOptions::default()
//! };
//! let mut hill = |x: &[f64]| Ok(-(x[0] - 0.3).powi(2));
//! let found = maximise_in_cube(1, &options, &NoWatch, &mut hill)?;
//! let best = found.y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
//! assert!(found.y.len() == 17 && best > -1e-6);
//! # Ok::<(), numerics::bayes::BayesError>(())
//! ```

mod acquisition;
mod ascent;
mod error;
mod process;
mod search;

pub use self::acquisition::AcquisitionFunction;
pub use self::ascent::{LocalMaximum, maximise_in_box};
pub use self::error::BayesError;
pub use self::process::{GaussianProcess, ProcessObservations, ProcessPrediction};
pub use self::search::{BayesOptions, BayesSearch, maximise_in_cube};
