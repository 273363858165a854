//! Processor slots of the whole process: a step that computes occupies one.
//!
//! Each run has slots of its own, but runs stand within and beside each other: plans in plans, lines of a server. Their steps
//! together would be many more than there are processors, and each of them may hand its kernel to the pool of threads that all
//! kernels share (one a processor). So a step takes a processor before it begins, and what waits for the world takes none. A
//! step that has one never waits for another, so there is no deadlock. The order in which steps get theirs does not affect
//! results.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use tool_core::{StopFlag, ToolError};

/// Interval at which a waiting step checks for a stop.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

static PROCESSORS: ProcessorPool = ProcessorPool::new();

/// Maximum and current number of calls that compute.
#[derive(Debug)]
pub(super) struct ProcessorPool {
    count: Mutex<ProcessorCount>,
    freed: Condvar,
}

#[derive(Debug)]
struct ProcessorCount {
    /// Zero until it is known.
    total: usize,
    taken: usize,
}

/// An occupied processor, released on drop.
#[derive(Debug)]
pub(super) struct ProcessorGuard<'a>(&'a ProcessorPool);

/// The processors of this process.
pub(super) fn process_processors() -> &'static ProcessorPool {
    &PROCESSORS
}

/// Number of processors of this machine.
pub(super) fn available_processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl ProcessorPool {
    const fn new() -> Self {
        Self {
            count: Mutex::new(ProcessorCount { total: 0, taken: 0 }),
            freed: Condvar::new(),
        }
    }

    /// Raises the number of slots: a caller that requests more parallel calls than there are processors gets them.
    pub(super) fn at_least(&self, asked: usize) {
        let mut count = self.lock();
        if count.total < asked.max(available_processors()) {
            count.total = asked.max(available_processors());
            self.freed.notify_all();
        }
    }

    /// Waits for a free processor and occupies it.
    ///
    /// # Errors
    /// `cancelled` or `timeout`, when `stop` is set before.
    pub(super) fn take(&self, stop: &StopFlag) -> Result<ProcessorGuard<'_>, ToolError> {
        let mut count = self.lock();
        if count.total == 0 {
            count.total = available_processors();
        }
        while count.taken >= count.total {
            stop.check()?;
            let waited = self.freed.wait_timeout(count, LOOK_AGAIN);
            count = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        count.taken += 1;
        Ok(ProcessorGuard(self))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ProcessorCount> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ProcessorGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().taken -= 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_compute_at_once_than_there_are_processors() {
        let processors = ProcessorPool::new();
        processors.at_least(0);
        let total = processors.lock().total;
        assert_eq!(total, available_processors());
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 * total {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let held = processors.take(&StopFlag::new()).unwrap();
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        drop(held);
                    }
                });
            }
        });
        assert!((1..=total).contains(&most.into_inner()));
        assert_eq!(processors.lock().taken, 0);
    }

    #[test]
    fn who_asks_for_more_gets_more_and_who_is_stopped_waits_no_longer() {
        let processors = ProcessorPool::new();
        let total = available_processors() + 3;
        processors.at_least(total);
        processors.at_least(1);
        let held: Vec<_> = (0..total)
            .map(|_| processors.take(&StopFlag::new()).unwrap())
            .collect();
        let stop = StopFlag::new();
        stop.cancel();
        assert!(processors.take(&stop).is_err());
        drop(held);
        // One that is free is taken also then: the call itself says that it was stopped.
        assert!(processors.take(&stop).is_ok());
    }
}
