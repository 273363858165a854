//! The callback `progress`: called at most every [`INTERVAL`], with the interpreter's lock. An exception in it cancels the call.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chain_runtime::run::StepOutcome;
use chain_runtime::{CheckedStep, StepObserver};
use pyo3::prelude::*;
use tool_core::StopFlag;
use tool_core::ctx::Progress;

/// Least time between two calls of the callback.
const INTERVAL: Duration = Duration::from_millis(50);

/// A callback, and what it raised.
pub(crate) struct ProgressCallback {
    callback: Py<PyAny>,
    stop: StopFlag,
    state: Mutex<CallbackState>,
}

#[derive(Default)]
struct CallbackState {
    last: Option<Instant>,
    raised: Option<PyErr>,
    steps: Vec<String>,
}

impl ProgressCallback {
    /// Reports to a callback, whose exception sets the flag.
    pub(crate) fn new(callback: Py<PyAny>, stop: StopFlag) -> Arc<Self> {
        let state = Mutex::default();
        Arc::new(Self {
            callback,
            stop,
            state,
        })
    }

    /// The receiver for a call.
    pub(crate) fn receiver(self: &Arc<Self>) -> Arc<Progress> {
        let told = Arc::clone(self);
        Arc::new(move |fraction: Option<f64>, words: &str| told.tell(fraction, words, false))
    }

    /// The exception of the callback, if there was one.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.change(|state| state.raised.take())
    }

    fn change<T>(&self, change: impl FnOnce(&mut CallbackState) -> T) -> T {
        // Never held while the lock of the interpreter is awaited.
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, fraction: Option<f64>, words: &str, always: bool) {
        let now = Instant::now();
        let is_due = self.change(|state| {
            let early = state
                .last
                .is_some_and(|last| now.duration_since(last) < INTERVAL);
            let is_due = state.raised.is_none() && (always || !early);
            if is_due {
                state.last = Some(now);
            }
            is_due
        });
        if !is_due {
            return;
        }
        let call = |py: Python<'_>| self.callback.call1(py, (fraction, words)).map(drop);
        // An interpreter that ends calls nothing any more.
        if let Some(Err(raised)) = Python::try_attach(call) {
            self.change(|state| drop(state.raised.replace(raised)));
            self.stop.cancel();
        }
    }
}

/// Steps of a run are reported as they end.
impl StepObserver for ProgressCallback {
    fn started(&self, step: &CheckedStep, position: usize, _wave: usize) {
        self.change(|state| {
            if state.steps.len() <= position {
                state.steps.resize(position + 1, String::new());
            }
            state.steps[position] = step.id.to_string();
        });
    }

    fn progress(&self, position: usize, fraction: Option<f64>, words: &str) {
        let id = self.change(|state| state.steps.get(position).cloned());
        let id = id.unwrap_or_default();
        self.tell(fraction, &format!("{id}: {words}"), false);
    }

    fn finished(&self, step: &CheckedStep, _position: usize, end: &StepOutcome) {
        let (id, status) = (&step.id, end.status.as_str());
        self.tell(None, &format!("{id}: {status}"), true);
    }
}
