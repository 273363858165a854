//! Cancellation: a flag set from outside and checked by every loop.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::ToolError;
use crate::reason::Reason;
use crate::tool_error;

const RUNNING: u8 = 0;
const CANCELLED: u8 = 1;
const TIMED_OUT: u8 = 2;
const INTERRUPTED: u8 = 3;
const OUTLASTED: u8 = 4;

/// A flag set by a timer or the caller; the first reason is kept.
#[derive(Debug, Clone, Default)]
pub struct StopFlag {
    state: Arc<AtomicU8>,
    parent: Option<Arc<Self>>,
    late: Option<LatenessProbe>,
}

/// Tells whether work takes longer than its thread can be spared.
#[derive(Clone)]
struct LatenessProbe(Arc<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for LatenessProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Late")
    }
}

impl StopFlag {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A child flag, which is also set when this one or its parent is: a call within a step.
    #[must_use]
    pub fn child(&self) -> Self {
        Self {
            state: Arc::default(),
            parent: Some(Arc::new(self.clone())),
            late: None,
        }
    }

    /// A child flag that is also set once `late` is true, which every check asks: for work that is then begun again elsewhere.
    #[must_use]
    pub fn child_until(&self, late: Arc<dyn Fn() -> bool + Send + Sync>) -> Self {
        Self {
            late: Some(LatenessProbe(late)),
            ..self.child()
        }
    }

    /// Stops work that is known to take long, where it is begun again elsewhere; other work goes along.
    pub fn hand_over(&self) {
        let mut flag = Some(self);
        while let Some(one) = flag {
            if one.late.is_some() {
                one.set(OUTLASTED);
            }
            flag = one.parent.as_deref();
        }
    }

    /// Whether the work stopped because it takes longer than its thread can be spared.
    pub fn is_outlasted(&self) -> bool {
        self.state() == OUTLASTED
    }

    /// Cancels the work.
    pub fn cancel(&self) {
        self.set(CANCELLED);
    }

    /// Stops the work as timed out.
    pub fn time_out(&self) {
        self.set(TIMED_OUT);
    }

    /// Interrupts the work because the process is shutting down (SIGTERM, SIGHUP). A durable run stops without undoing, so that it can be
    /// resumed; other work is cancelled.
    pub fn interrupt(&self) {
        self.set(INTERRUPTED);
    }

    /// Whether a shutdown was the first reason to stop.
    pub fn is_interrupted(&self) -> bool {
        self.state() == INTERRUPTED
    }

    fn set(&self, state: u8) {
        let _ = self
            .state
            .compare_exchange(RUNNING, state, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Checks whether to continue.
    ///
    /// # Errors
    /// `cancelled` or `timeout`.
    #[inline]
    pub fn check(&self) -> Result<(), ToolError> {
        match self.state() {
            RUNNING => Ok(()),
            state => Err(stop_error(state)),
        }
    }

    /// Whether the work should stop.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.state() != RUNNING
    }

    #[inline]
    fn state(&self) -> u8 {
        let mut flag = self;
        loop {
            let mut state = flag.state.load(Ordering::Relaxed);
            if state == RUNNING && flag.late.as_ref().is_some_and(|late| late.0()) {
                flag.set(OUTLASTED);
                state = flag.state.load(Ordering::Relaxed);
            }
            match &flag.parent {
                Some(parent) if state == RUNNING => flag = parent,
                _ => return state,
            }
        }
    }
}

#[cold]
fn stop_error(state: u8) -> ToolError {
    match state {
        TIMED_OUT => tool_error!(Timeout; "the deadline passed before the call finished";
            "raise `timeout_ms`, or ask for less"),
        OUTLASTED => tool_error!(Timeout; "the call takes longer than its thread can be spared"),
        INTERRUPTED => tool_error!(Cancelled, Reason::Interrupted;
            "the process was asked to end before the call finished"),
        _ => tool_error!(Cancelled, "the call was cancelled"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;

    #[test]
    fn a_grandchild_sees_what_stops_the_chain_and_the_chain_does_not_see_its_deadline() {
        let chain = StopFlag::new();
        let step = chain.child();
        let call = step.child();
        call.time_out();
        assert!(call.is_set() && !step.is_set() && !chain.is_set());
        let other = step.child();
        chain.cancel();
        let code = |flag: &StopFlag| flag.check().map_err(|err| err.code());
        assert_eq!(code(&other), Err(ErrorCode::Cancelled));
        assert_eq!(code(&step), Err(ErrorCode::Cancelled));
        assert_eq!(
            code(&call),
            Err(ErrorCode::Timeout),
            "the first reason stays"
        );
        assert!(!step.is_interrupted());
        let ended = StopFlag::new();
        let call = ended.child();
        ended.interrupt();
        ended.cancel();
        assert!(call.is_interrupted(), "the first reason stays");
        assert_eq!(
            call.check().map_err(|err| err.is(Reason::Interrupted)),
            Err(true)
        );
    }

    #[test]
    fn work_that_takes_long_is_told_by_every_check_and_once_told_stays_so() {
        let late = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let asked = Arc::clone(&late);
        let server = StopFlag::new();
        let flag = server.child_until(Arc::new(move || asked.load(Ordering::Relaxed)));
        let call = flag.child();
        assert!(call.check().is_ok() && !flag.is_outlasted());
        late.store(true, Ordering::Relaxed);
        assert!(call.check().is_err() && flag.is_outlasted() && !server.is_set());
        late.store(false, Ordering::Relaxed);
        assert!(flag.is_outlasted());
        let other = server.child();
        other.hand_over();
        assert!(!other.is_set());
        let other = server.child_until(Arc::new(|| false));
        other.child().hand_over();
        assert!(other.is_outlasted() && !server.is_set());
    }
}
