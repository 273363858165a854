//! Statistics for programs without tools: distributions, tests, models, series, clusters.
//!
//! Data are slices of finite numbers; missing cells are left out, and counted, by the caller. Every result carries its evidence: statistic, degrees
//! of freedom, p value, effect size with its interval, or the residual and iterations of a fit. Random numbers come from `(seed, stream)`, so
//! results depend on neither threads nor time.

pub mod anova;
pub mod contingency;
pub mod density;
pub mod design;
pub mod distribution;
pub mod effect;
pub mod hypothesis;
pub mod models;
pub mod multivariate;
pub mod power;
pub mod resampling;
pub mod series;
mod simplex;
pub mod summary;
