//! Order in which ready calls are taken: by critical path, or as a test draws it.
//!
//! The result may not depend on it. Without the feature `failpoints` (and outside this crate's own tests) no order can be drawn,
//! and nothing of it is compiled.

#[cfg(any(test, feature = "failpoints"))]
pub use drawn::shuffled;

#[cfg(any(test, feature = "failpoints"))]
pub(super) use drawn::Order;

#[cfg(any(test, feature = "failpoints"))]
mod drawn {
    use std::cell::Cell;

    use tool_core::rng::derive_seed;

    thread_local! {
        static SEED: Cell<Option<u64>> = const { Cell::new(None) };
    }

    /// Runs a closure on this thread; runs that it starts take ready calls in an order drawn from a seed.
    pub fn shuffled<T>(seed: u64, run: impl FnOnce() -> T) -> T {
        let before = SEED.replace(Some(seed));
        let done = run();
        SEED.set(before);
        done
    }

    /// The order of one run.
    pub(crate) struct Order {
        seed: Option<u64>,
        picked: u64,
    }

    impl Order {
        /// The order of the runs that this thread starts.
        pub(crate) fn current() -> Self {
            Self {
                seed: SEED.get(),
                picked: 0,
            }
        }

        /// Drawn priorities by step, in place of the critical path.
        pub(crate) fn priorities(&self, steps: usize) -> Option<Vec<u64>> {
            let seed = self.seed?;
            Some(
                (0..steps as u64)
                    .map(|step| derive_seed(seed, "priority", step))
                    .collect(),
            )
        }

        /// Index of the command to take from a queue of this length.
        pub(crate) fn pick(&mut self, waiting: usize) -> usize {
            let (Some(seed), true) = (self.seed, waiting > 1) else {
                return 0;
            };
            self.picked += 1;
            (derive_seed(seed, "queue", self.picked) % waiting as u64) as usize
        }
    }
}

#[cfg(not(any(test, feature = "failpoints")))]
pub(super) struct Order;

#[cfg(not(any(test, feature = "failpoints")))]
impl Order {
    #[inline(always)]
    pub(super) fn current() -> Self {
        Self
    }

    #[inline(always)]
    pub(super) fn priorities(&self, _: usize) -> Option<Vec<u64>> {
        None
    }

    #[inline(always)]
    pub(super) fn pick(&mut self, _: usize) -> usize {
        0
    }
}
