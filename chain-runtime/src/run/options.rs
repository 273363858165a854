//! Options of a run, and the observer of its steps.

use std::sync::Arc;

use journal::State;
use tool_core::StopFlag;

use super::costs::Costs;
use super::finished::Finished;
use super::memory::Memory;
use super::meter::Meter;
use super::resume::Resume;
use crate::check::CheckedStep;

/// Stack of each step's thread, in bytes.
pub const STACK_BYTES: usize = 8 << 20;
/// Most threads of a chain.
pub const THREADS_MAX: usize = 32;
/// Calls that wait for the world and run beside those that compute, where no number of threads is given.
pub const WAITING_MAX: usize = 16;

/// How a plan is run.
#[derive(Clone, Default)]
pub struct RunOptions {
    /// Calls that run at once, at most [`THREADS_MAX`]; 0 for one per processor that computes, and beside those up to
    /// [`WAITING_MAX`] that wait for files, programs and the network.
    pub threads: usize,
    /// Set from outside to cancel.
    pub stop: StopFlag,
    /// Longest run of the whole chain, in milliseconds; then no further step starts and running ones are stopped.
    pub timeout_ms: Option<u64>,
    /// Told of steps as they start and end.
    pub observer: Option<Arc<dyn Observer>>,
    /// The chain's id; made when none is given.
    pub chain_id: Option<String>,
    /// Where the run is written as it goes, so that it can go on after its process ended; [`execute`] begins it.
    pub state: Option<Arc<State>>,
    /// What calls of tools took in earlier runs.
    pub costs: Costs,
    /// Whether every call is computed, also where a durable run kept the result of the same one.
    pub no_cache: bool,
    /// What is known of the run already.
    pub memory: Option<Arc<Memory>>,
    /// What the runs around this one have used of their budgets.
    pub above: Option<Arc<Meter>>,
    /// What a person said when the run went on.
    pub how: Option<Arc<Resume>>,
}

/// Told of steps as they start and end, from the threads that run them; a panic in it is swallowed.
pub trait Observer: Send + Sync {
    /// A step starts.
    fn started(&self, step: &CheckedStep, position: usize, wave: usize) {
        let _ = (step, position, wave);
    }

    /// A running step reports progress: a fraction from 0 to 1 and a few words.
    fn progress(&self, position: usize, fraction: f64, words: &str) {
        let _ = (position, fraction, words);
    }

    /// A step ended, or will not run.
    fn finished(&self, step: &CheckedStep, position: usize, end: &Finished) {
        let _ = (step, position, end);
    }
}
