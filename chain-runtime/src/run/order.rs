//! Order in which ready calls are taken: by critical path, or as a test draws it.
//!
//! The result may not depend on it. Without the feature `failpoints` (and outside this crate's own tests) no order can be drawn.

#[cfg(any(test, feature = "failpoints"))]
use std::cell::Cell;

use tool_core::rng::derive_seed;

#[cfg(any(test, feature = "failpoints"))]
thread_local! {
    static SEED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Runs a closure on this thread; runs that it starts take ready calls in an order drawn from a seed.
#[cfg(any(test, feature = "failpoints"))]
pub fn shuffled<T>(seed: u64, run: impl FnOnce() -> T) -> T {
    let before = SEED.replace(Some(seed));
    let done = run();
    SEED.set(before);
    done
}

/// The order of one run.
pub(super) struct Order {
    seed: Option<u64>,
    picked: u64,
}

impl Order {
    /// The order of the runs that this thread starts.
    pub(super) fn current() -> Self {
        #[cfg(any(test, feature = "failpoints"))]
        let seed = SEED.get();
        #[cfg(not(any(test, feature = "failpoints")))]
        let seed = None;
        Self { seed, picked: 0 }
    }

    /// Drawn priorities by step, in place of the critical path.
    pub(super) fn priorities(&self, steps: usize) -> Option<Vec<u64>> {
        let seed = self.seed?;
        Some(
            (0..steps as u64)
                .map(|step| derive_seed(seed, "priority", step))
                .collect(),
        )
    }

    /// Index of the command to take from a queue of this length.
    pub(super) fn pick(&mut self, waiting: usize) -> usize {
        let (Some(seed), true) = (self.seed, waiting > 1) else {
            return 0;
        };
        self.picked += 1;
        (derive_seed(seed, "queue", self.picked) % waiting as u64) as usize
    }
}
