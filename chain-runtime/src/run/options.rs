//! Options of a run, and the observer of its steps.

use std::sync::Arc;

use journal::StateStore;
use tool_core::{StopFlag, Value};

use super::finished::StepOutcome;
use super::memory::RunMemory;
use super::meter::UsageMeter;
use super::order::ToolCosts;
use super::resume::ResumeRequest;
use crate::check::CheckedStep;
use crate::cluster::Cluster;

/// Stack size of the thread of a step in bytes.
pub const STACK_BYTES: usize = 8 << 20;
/// Maximum number of threads of a run.
pub const THREADS_MAX: usize = 32;
/// Maximum number of calls that wait for the outside world, in addition to those that compute, where no number of threads is
/// given.
pub const WAITING_MAX: usize = 16;

/// Number of calls that an engine computes or that wait for it while the number of its workers is unknown or small.
pub const ELSEWHERE_LEAST: usize = 128;
/// Maximum number of calls that an engine computes or that wait for it; each has a thread of the head that waits.
pub const ELSEWHERE_MAX: usize = 4096;

/// Options of a run.
#[derive(Clone, Default)]
pub struct RunOptions {
    /// Number of parallel calls, at most [`THREADS_MAX`]; 0 for one per processor, and up to [`WAITING_MAX`] more that wait for
    /// files, programs and the network.
    pub threads: usize,
    /// Flag that cancels the run.
    pub stop: StopFlag,
    /// Maximum number of calls where maps are over lists that are known only when they come; that of any plan where absent or larger.
    pub calls_max: Option<usize>,
    /// Timeout of the whole run in milliseconds; then no further step starts and running ones are stopped.
    pub timeout_ms: Option<u64>,
    /// Observer of the steps.
    pub observer: Option<Arc<dyn StepObserver>>,
    /// The chain's id; made when none is given.
    pub chain_id: Option<String>,
    /// Id of the run whose step begins this one.
    pub parent: Option<String>,
    /// The acceptance by a server, which continues the run by itself after a restart; recorded with the caller.
    pub accepted: Option<Value>,
    /// State in which the run is recorded, so that it can be resumed.
    pub state: Option<Arc<StateStore>>,
    /// Durations of the tools in earlier runs.
    pub costs: ToolCosts,
    /// Whether cached results of durable runs are ignored.
    pub no_cache: bool,
    /// The engine that computes calls elsewhere; its owner closes it after the run.
    pub cluster: Option<Arc<Cluster>>,
    /// Memory of a run that is resumed or replayed.
    pub memory: Option<Arc<RunMemory>>,
    /// Budgets of the runs that this one is nested in.
    pub above: Option<Arc<UsageMeter>>,
    /// Rulings with which the run is resumed.
    pub how: Option<Arc<ResumeRequest>>,
}

/// Notified of steps as they start and end, from the threads that run them; its panics are ignored.
pub trait StepObserver: Send + Sync {
    /// A step starts.
    fn started(&self, step: &CheckedStep, position: usize, wave: usize) {
        let _ = (step, position, wave);
    }

    /// A running step reports progress: a fraction from 0 to 1 where it is known, and a few words.
    fn progress(&self, position: usize, fraction: Option<f64>, words: &str) {
        let _ = (position, fraction, words);
    }

    /// A step ended, or will not run.
    fn finished(&self, step: &CheckedStep, position: usize, end: &StepOutcome) {
        let _ = (step, position, end);
    }
}
