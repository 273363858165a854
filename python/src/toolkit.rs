//! The class `Toolkit`: opening, calls, listings.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use mathchain::Context;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use registry::{Answer, Unattended};
use tool_core::{AnyTool, Outcome, Status, StopFlag, ToolError, json, tool_error};

use crate::errors::{self, OrRaise as _};
use crate::interrupt::Watch;
use crate::progress::Told;
use crate::{arguments, own, plans, results};

/// Stack of a thread that runs calls, where that of the caller is small.
const STACK_BYTES: usize = 16 << 20;
/// Least stack that is left for a call in the caller's thread.
const STACK_BYTES_LEAST: usize = 4 << 20;
/// The warning of a call without an audit, of a step behind its name, which is left out where the caller asked for none.
const UNRECORDED: &str = "the call is not in the audit: no audit log";

/// Cancels one call from another thread.
#[pyclass(frozen)]
#[derive(Default)]
pub(crate) struct Stop(StopFlag);

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

/// Tools, policy and host capabilities.
#[pyclass(frozen, subclass, weakref)]
pub(crate) struct Toolkit {
    pub(crate) inner: Arc<mathchain::Toolkit>,
    role: Option<String>,
    timeout_ms: Option<u64>,
    /// The process that opened it.
    process: u32,
}

/// The process in which the first toolkit was opened.
static PROCESS: OnceLock<u32> = OnceLock::new();

#[pymethods]
impl Toolkit {
    #[new]
    #[pyo3(signature = (*, config = None, workspace = None, role = None, state = None, timeout_ms = None))]
    fn open(
        py: Python<'_>,
        config: Option<PathBuf>,
        workspace: Option<PathBuf>,
        role: Option<String>,
        state: Option<Bound<'_, PyAny>>,
        timeout_ms: Option<u64>,
    ) -> PyResult<Self> {
        let process = std::process::id();
        same_process(*PROCESS.get_or_init(|| process)).or_raise(py)?;
        let unrecorded = state
            .as_ref()
            .is_some_and(|state| state.is(pyo3::types::PyBool::new(py, false)));
        let state = match state.filter(|_| !unrecorded) {
            Some(folder) => Some(folder.extract::<PathBuf>()?),
            None => None,
        };
        let opened = py.detach(|| -> Result<Self, ToolError> {
            let mut builder = mathchain::project(config, workspace)?;
            if unrecorded {
                builder = builder.without_state();
            }
            if let Some(folder) = state {
                builder = builder.state(folder);
            }
            let toolkit = Self {
                inner: Arc::new(builder.build()?),
                role,
                timeout_ms,
                process,
            };
            // An unknown role is one error, not one for each call.
            let inner = &toolkit.inner;
            inner
                .dispatcher()
                .visible(&inner.caller(&toolkit.context()))?;
            Ok(toolkit)
        });
        opened.or_raise(py)
    }

    /// Calls a tool and returns its result.
    #[pyo3(signature = (tool, args = None, /, *, progress = None, **kwargs))]
    fn call<'py>(
        &self,
        py: Python<'py>,
        tool: &Bound<'py, PyString>,
        args: Option<&Bound<'py, PyAny>>,
        progress: Option<Py<PyAny>>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = Call {
            progress,
            stop: None,
        };
        self.call_tool(py, tool, args, kwargs, call)
    }

    /// As `call`, cancelled by a `Stop`.
    #[pyo3(signature = (tool, args, progress, stop))]
    fn _call<'py>(
        &self,
        py: Python<'py>,
        tool: &Bound<'py, PyString>,
        args: &Bound<'py, PyAny>,
        progress: Option<Py<PyAny>>,
        stop: &Bound<'py, Stop>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let stop = Some(stop.get().0.clone());
        self.call_tool(py, tool, Some(args), None, Call { progress, stop })
    }

    /// Calls a tool and returns the whole answer: result or error, warnings, metadata.
    #[pyo3(signature = (tool, args = None, /, **kwargs))]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        tool: &Bound<'py, PyString>,
        args: Option<&Bound<'py, PyAny>>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tool = tool.to_str()?;
        let args = arguments::of_call(args, kwargs).or_raise(py)?;
        let call = Call::default();
        let outcome = call.make(py, self, |context, _| {
            self.inner.call_with(context, tool, &args)
        })?;
        results::give(py, outcome.to_value(), self.spells(tool))
    }

    /// As `answer`, with arguments and answer as JSON.
    fn _answer_json(&self, py: Python<'_>, tool: &str, args: &str) -> PyResult<String> {
        let args = match mathchain::parse(args) {
            Ok(args) => args,
            Err(err) => return Ok(json::to_text(&Outcome::error(err).to_value())),
        };
        let call = Call::default();
        let outcome = call.make(py, self, |context, _| {
            self.inner.call_with(context, tool, &args)
        })?;
        Ok(json::to_text(&outcome.to_value()))
    }

    #[pyo3(signature = (plan, inputs, progress, stop))]
    fn _run<'py>(
        &self,
        py: Python<'py>,
        plan: &Bound<'py, PyAny>,
        inputs: Option<&Bound<'py, PyAny>>,
        progress: Option<Py<PyAny>>,
        stop: Option<&Bound<'py, Stop>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let stop = stop.map(|stop| stop.get().0.clone());
        plans::run(py, self, plan, inputs, Call { progress, stop })
    }

    #[pyo3(signature = (plan, inputs))]
    fn _check<'py>(
        &self,
        py: Python<'py>,
        plan: &Bound<'py, PyAny>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        same_process(self.process).or_raise(py)?;
        plans::check(py, self, plan, inputs)
    }

    /// The ids of the tools that the role sees.
    fn _names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let dispatcher = self.inner.dispatcher();
        let listed = dispatcher.visible(&self.inner.caller(&self.context()));
        let seen = listed.or_raise(py)?.into_iter();
        let seen = seen.filter(|one| one.hidden.is_none());
        Ok(seen.map(|one| one.tool.spec().id.to_owned()).collect())
    }

    /// Name, title, description and schemas of a tool; `None` for an unknown one.
    fn _spec<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let dispatcher = self.inner.dispatcher();
        let catalogue = dispatcher.catalogue();
        let Some(index) = catalogue.called(name) else {
            return Ok(None);
        };
        results::document(py, &described(catalogue.tool(index))).map(Some)
    }

    /// Adds a tool that is a function of its arguments as a dictionary.
    fn _add(
        &self,
        py: Python<'_>,
        declaration: &Bound<'_, PyAny>,
        source: &str,
        function: Py<PyAny>,
    ) -> PyResult<()> {
        let declaration = arguments::take(declaration).or_raise(py)?;
        let added = py.detach(|| -> Result<(), ToolError> {
            let runner = Arc::new(own::Function(function));
            let tool = registry::plugins::own_tool(&declaration, source, runner)?;
            self.inner.add_tools(&[tool])
        });
        added.or_raise(py)
    }

    /// Writes the audit records of earlier calls; later calls are possible.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.process != std::process::id() {
            return Ok(()); // the records are the parent's
        }
        let closed = py.detach(|| self.inner.state().map_or(Ok(()), |state| state.close()));
        closed.or_raise(py)
    }
}

/// In a process that was forked it is left as it is: its threads, which closing waits for, are the parent's.
impl Drop for Toolkit {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            std::mem::forget(Arc::clone(&self.inner));
        }
    }
}

impl Toolkit {
    /// The caller of every call.
    pub(crate) fn context(&self) -> Context {
        let answer = match self.inner.config().approvals.unattended {
            Unattended::Deny => Answer::Unattended,
            Unattended::Pending => Answer::Ask,
        };
        Context {
            role: self.role.clone(),
            timeout_ms: self.timeout_ms,
            answer,
            ..Context::default()
        }
    }

    fn call_tool<'py>(
        &self,
        py: Python<'py>,
        tool: &Bound<'py, PyString>,
        args: Option<&Bound<'py, PyAny>>,
        kwargs: Option<&Bound<'py, PyDict>>,
        call: Call,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tool = tool.to_str()?;
        let args = arguments::of_call(args, kwargs).or_raise(py)?;
        let outcome = call.make(py, self, |context, _| {
            self.inner.call_with(context, tool, &args)
        })?;
        drop(args); // the result may then own what it shares with them
        let spelled = outcome.is_success() && self.spells(tool);
        let is_plot = outcome
            .output()
            .is_some_and(|output| output.text("plot").or(output.text("sixel")).is_some());
        let result = self.finish(py, outcome, spelled)?;
        match is_plot {
            true => plot(py, result),
            false => Ok(result),
        }
    }

    /// The result of an outcome, or its exception; warnings are emitted.
    pub(crate) fn finish<'py>(
        &self,
        py: Python<'py>,
        mut outcome: Outcome,
        spelled: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.inner.state().is_none() && self.inner.state_fault().is_none() {
            outcome
                .warnings
                .retain(|warning| !warning.ends_with(UNRECORDED));
        }
        if !outcome.warnings.is_empty() {
            errors::warn(py, &outcome.warnings)?;
        }
        match outcome.status {
            Status::Success(output) => results::give(py, output, spelled),
            Status::Error(error) => {
                let exception = errors::raise(py, &error);
                exception.set_cause(py, own::raised());
                Err(exception)
            }
            Status::PendingApproval {
                approval_id,
                so_far,
            } => Err(errors::pending(py, &approval_id, &so_far)),
        }
    }

    /// Whether the results of a tool hold numbers that may not be finite, which are then spelled.
    fn spells(&self, tool: &str) -> bool {
        let dispatcher = self.inner.dispatcher();
        let catalogue = dispatcher.catalogue();
        let Some(index) = catalogue.called(tool) else {
            return false;
        };
        spelling::of(catalogue.tool(index))
    }
}

/// A call or run: its callback and the flag that cancels it.
#[derive(Default)]
pub(crate) struct Call {
    progress: Option<Py<PyAny>>,
    stop: Option<StopFlag>,
}

impl Call {
    /// Makes it without the interpreter's lock. Ctrl-C and exceptions of the callback cancel it and are raised.
    pub(crate) fn make(
        self,
        py: Python<'_>,
        toolkit: &Toolkit,
        work: impl FnOnce(&Context, Option<Arc<Told>>) -> Outcome + Send,
    ) -> PyResult<Outcome> {
        same_process(toolkit.process).or_raise(py)?;
        own::forget();
        let watch = Watch::begin(py)?;
        let stop = self.stop.unwrap_or_else(|| watch.stop().clone());
        let told = self
            .progress
            .map(|callback| Told::new(callback, stop.clone()));
        let context = Context {
            stop,
            progress: told.as_ref().map(Told::receiver),
            ..toolkit.context()
        };
        let outcome = py.detach(|| on_stack(|| work(&context, told.clone())));
        drop(watch);
        py.check_signals()?;
        let raised = told.and_then(|told| told.raised());
        match raised.or_else(|| own::interrupted(py)) {
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
fn same_process(opened_in: u32) -> Result<(), ToolError> {
    if opened_in == std::process::id() {
        return Ok(());
    }
    Err(tool_error!(PreconditionFailed, "forked";
        "a toolkit was opened before this process was forked, and its threads are not here";
        "start processes by `spawn` or `forkserver` (multiprocessing.set_start_method), or call no tool before the fork"))
}

/// A result that draws itself in a notebook.
fn plot<'py>(py: Python<'py>, result: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    py.import("mathchain._plot")?
        .getattr("Plot")?
        .call1((result,))
}

/// A tool as a document.
fn described(tool: &dyn AnyTool) -> serde_json::Value {
    let spec = tool.spec();
    serde_json::json!({
        "name": spec.wire_name(),
        "id": spec.id,
        "title": spec.title,
        "description": tool.description(),
        "input_schema": tool.input_schema(),
        "output_schema": tool.output_schema(),
        "effects": spec.effects,
        "destructive": spec.destructive,
    })
}

/// Which tools have results with spelled numbers, from their schemas, which are made once.
mod spelling {
    use std::collections::HashMap;
    use std::sync::{LazyLock, PoisonError, RwLock};

    use tool_core::AnyTool;

    /// By id and source.
    static KNOWN: LazyLock<RwLock<HashMap<(&'static str, &'static str), bool>>> =
        LazyLock::new(RwLock::default);

    pub(super) fn of(tool: &dyn AnyTool) -> bool {
        let spec = tool.spec();
        let key = (spec.id, spec.source);
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&key) {
            return *known;
        }
        drop(known);
        let found = tool.output_schema().to_string().contains("\"-Infinity\"");
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, found);
        found
    }
}
