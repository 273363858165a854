//! Statistics of samples and linear regression, to about one rounding of the data.
//!
//! ```
//! use numerics::NoWatch;
//! use numerics::stats::{RegressionData, SampleSummary, fit_regression};
//!
//! let mut sample = SampleSummary::new(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
//! assert_eq!(sample.mean(&NoWatch)?, 5.0);
//! assert_eq!(sample.std(0, &NoWatch)?, 2.0);
//!
//! // A line: y = 1 + 2 x, and what is left over.
//! let data = RegressionData { x: &[0.0, 1.0, 2.0, 3.0], rows: 4, columns: 1, degree: None, has_intercept: true };
//! let fit = fit_regression(data, &[2.0, 2.0, 4.0, 8.0], &NoWatch)?;
//! assert!((fit.estimates[0] - 1.0).abs() < 1e-14 && (fit.estimates[1] - 2.0).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod regression;
mod summary;

pub use self::regression::{RegressionData, RegressionError, RegressionFit, fit_regression};
pub use self::summary::SampleSummary;
