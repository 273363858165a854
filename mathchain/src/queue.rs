//! [`Queue`]: how many calls run, and how many wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tool_core::{Result, tool_error};

/// Calls that may wait for a thread; a sender of more is told so.
const WAITING_MAX: usize = 4096;

/// The bounded queue of the calls of a server.
pub(crate) struct Queue {
    permits: Arc<Semaphore>,
    workers: usize,
    waiting: AtomicUsize,
}

impl Queue {
    /// A queue for as many calls at a time.
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(workers)),
            workers,
            waiting: AtomicUsize::new(0),
        }
    }

    /// Waits until a call may run; it runs as long as the permit lives.
    ///
    /// # Errors
    /// `limit_exceeded` with reason `overloaded` where too many wait.
    pub(crate) async fn enter(&self) -> Result<OwnedSemaphorePermit> {
        let waiting = Waiting::new(&self.waiting);
        let overloaded = || {
            tool_error!(LimitExceeded, "overloaded"; "{} calls are waiting", waiting.before;
                "send fewer calls at a time, or repeat this one later")
        };
        if waiting.before >= WAITING_MAX {
            return Err(overloaded());
        }
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        permit.map_err(|_| overloaded())
    }

    /// Calls that run.
    pub(crate) fn running(&self) -> usize {
        self.workers
            .saturating_sub(self.permits.available_permits())
    }

    /// Calls that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

/// A call that waits; it is counted until it runs, or its client goes away.
struct Waiting<'a> {
    count: &'a AtomicUsize,
    /// Calls that waited before it.
    before: usize,
}

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        let before = count.fetch_add(1, Ordering::Relaxed);
        Self { count, before }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}
