//! Draws from a density by the No-U-Turn sampler or random-walk Metropolis, several chains at once.
//!
//! [`chain`] has the schedule of a chain, [`run_chains`] runs the chains; `nuts`, `trajectory` and `hamiltonian` are the one sampler,
//! `metropolis` the other; `warmup` adapts both, [`summary`] says what the draws tell and how far to trust them.
//!
//! ```
//! use numerics::NoWatch;
//! use numerics::sampling::mcmc::{ChainSchedule, SmoothDensity, TransitionKernel, run_chains, summarise_chains};
//!
//! // A normal distribution with mean 1 and standard deviation 2: the log density, then its derivative.
//! let density = SmoothDensity(|x: &[f64], out: &mut [f64]| {
//!     let z = (x[0] - 1.0) / 2.0;
//!     out.copy_from_slice(&[-0.5 * z * z, -0.5 * z]);
//! });
//! let schedule = ChainSchedule {
//!     draws: 1000,
//!     kernel: TransitionKernel::Nuts { target_accept: 0.8 },
//!     ..ChainSchedule::new(&density, &[0.0])
//! };
//! let chains = run_chains(&schedule, 4, 42, &NoWatch)?;
//! let found = summarise_chains(&schedule, &chains, &NoWatch)?;
//! assert!((found.mean[0] - 1.0).abs() < 5.0 * found.diagnostics[0].mcse);
//! assert!(found.unconverged.is_none());
//! # Ok::<(), numerics::sampling::SamplingError>(())
//! ```

pub mod chain;
pub mod density;
mod hamiltonian;
mod kernel;
mod metropolis;
mod nuts;
pub mod summary;
mod trajectory;
mod warmup;

pub use self::chain::{
    ChainSchedule, MarkovChain, MetricShape, TrajectoryStatistics, TransitionKernel,
};
pub use self::density::{SmoothDensity, TargetDensity};
pub use self::kernel::run_chains;
pub use self::summary::{
    ChainSummary, TrajectorySummary, diagnose_axes, lowest_number, summarise_chains,
};
pub use self::trajectory::DEPTH_MAX;
