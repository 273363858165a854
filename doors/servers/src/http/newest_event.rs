//! What streams found in the log of workflows, so that idle ones share one look at it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When a stream last read the log of workflows, and the number of the newest event then.
#[derive(Default)]
pub(super) struct NewestEvent(Mutex<Option<(Instant, u64)>>);

impl NewestEvent {
    /// Time for which streams go by what another found.
    const VALID: Duration = Duration::from_millis(200);

    pub(super) fn has_none_after(&self, number: u64) -> bool {
        let looked = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        looked.is_some_and(|(at, newest)| newest <= number && at.elapsed() < Self::VALID)
    }

    pub(super) fn note(&self, newest: u64) {
        let mut looked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *looked = Some((Instant::now(), newest));
    }
}
