//! Stopping: a flag set from outside, looked at by every loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::{ErrorCode, ToolError};

const RUNNING: u8 = 0;
const CANCELLED: u8 = 1;
const TIMED_OUT: u8 = 2;

/// Set by a timer or by the caller; the first reason stays.
#[derive(Debug, Clone, Default)]
pub struct StopFlag {
    state: Arc<AtomicU8>,
    parent: Option<Arc<AtomicU8>>,
}

impl StopFlag {
    /// A flag that nobody has set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag of its own that also reads as set when this one is: a step inside a chain.
    #[must_use]
    pub fn child(&self) -> Self {
        Self {
            state: Arc::default(),
            parent: Some(Arc::clone(&self.state)),
        }
    }

    /// The caller wants no answer any more.
    pub fn cancel(&self) {
        let _ =
            self.state
                .compare_exchange(RUNNING, CANCELLED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The deadline passed.
    pub fn time_out(&self) {
        let _ =
            self.state
                .compare_exchange(RUNNING, TIMED_OUT, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the work should go on.
    ///
    /// # Errors
    /// `cancelled` or `timeout`.
    #[inline]
    pub fn check(&self) -> Result<(), ToolError> {
        match self.state() {
            RUNNING => Ok(()),
            state => Err(stopped(state)),
        }
    }

    /// Whether the work should stop.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.state() != RUNNING
    }

    #[inline]
    fn state(&self) -> u8 {
        let own = self.state.load(Ordering::Relaxed);
        if own != RUNNING {
            return own;
        }
        self.parent
            .as_ref()
            .map_or(RUNNING, |parent| parent.load(Ordering::Relaxed))
    }
}

#[cold]
fn stopped(state: u8) -> ToolError {
    if state == TIMED_OUT {
        ToolError::new(
            ErrorCode::Timeout,
            "the deadline passed before the call finished",
        )
        .hint("raise `timeout_ms`, or ask for less")
    } else {
        ToolError::new(ErrorCode::Cancelled, "the call was cancelled")
    }
}
