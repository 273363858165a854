//! One call or run: without the interpreter's lock, cancelled by Ctrl-C, by a `Stop` and by an exception of its callback.

use std::sync::Arc;

use mathchain::CallContext;
use pyo3::prelude::*;
use tool_core::{CallOutcome, StopFlag, ToolError, tool_error};

use crate::errors::OrRaise as _;
use crate::interrupt::InterruptWatch;
use crate::own;
use crate::progress::ProgressCallback;

/// Stack of a thread that runs calls, where that of the caller is small.
const STACK_BYTES: usize = 16 << 20;
/// Least stack that is left for a call in the caller's thread.
const STACK_BYTES_LEAST: usize = 4 << 20;

/// Cancels one call from another thread.
#[pyclass(frozen)]
#[derive(Default)]
pub(crate) struct Stop(pub(crate) StopFlag);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Cancels the call.
    fn cancel(&self) {
        self.0.cancel();
    }
}

/// Who calls.
pub(crate) struct PythonCaller {
    /// Role, deadline and approvals of every call.
    pub(crate) context: CallContext,
    /// The process that opened the toolkit.
    pub(crate) process: u32,
}

/// A call or run: its callback and the flag that cancels it.
#[derive(Default)]
pub(crate) struct PythonCall {
    pub(crate) progress: Option<Py<PyAny>>,
    pub(crate) stop: Option<StopFlag>,
}

impl PythonCall {
    /// Makes it without the interpreter's lock. Ctrl-C and exceptions of the callback cancel it and are raised.
    pub(crate) fn make(
        self,
        py: Python<'_>,
        caller: &PythonCaller,
        work: impl FnOnce(&CallContext, Option<Arc<ProgressCallback>>) -> CallOutcome + Send,
    ) -> PyResult<CallOutcome> {
        same_process(caller.process).or_raise(py)?;
        own::forget_exceptions();
        let watch = InterruptWatch::begin(py)?;
        let stop = self.stop.unwrap_or_else(|| watch.stop().clone());
        let told = self
            .progress
            .map(|callback| ProgressCallback::new(callback, stop.clone()));
        let context = CallContext {
            stop,
            progress: told.as_ref().map(ProgressCallback::receiver),
            ..caller.context.clone()
        };
        let outcome = py.detach(|| on_stack(|| work(&context, told.clone())));
        drop(watch);
        py.check_signals()?;
        let raised = told.and_then(|told| told.raised());
        match raised.or_else(|| own::take_interrupt(py)) {
            Some(raised) => Err(raised),
            None => outcome.or_raise(py),
        }
    }
}

/// Runs here, or in another thread if little is left of the stack.
fn on_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, ToolError> {
    if stacker::remaining_stack().is_none_or(|left| left >= STACK_BYTES_LEAST) {
        return Ok(work());
    }
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("call".to_owned());
        let thread = builder.stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let thread =
            thread.map_err(|err| tool_error!(LimitExceeded, "cannot start a thread: {err}"))?;
        let panicked = |_| tool_error!(Internal, "the call panicked outside the tool");
        thread.join().map_err(panicked)
    })
}

/// Refuses a process that was forked: the threads of the parent do not exist in it.
pub(crate) fn same_process(opened_in: u32) -> Result<(), ToolError> {
    if opened_in == std::process::id() {
        return Ok(());
    }
    Err(tool_error!(PreconditionFailed, "forked";
        "a toolkit was opened before this process was forked, and its threads are not here";
        "start processes by `spawn` or `forkserver` (multiprocessing.set_start_method), or call no tool before the fork"))
}
