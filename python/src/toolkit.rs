//! The class `Toolkit`: opening, calls, listings.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use mathchain::CallContext;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use registry::{ApprovalAnswer, Unattended};
use tool_core::{CallOutcome, OutcomeStatus, ToolError, json};

use crate::call::{PythonCall, PythonCaller, Stop, same_process};
use crate::command::agent_program;
use crate::errors::{self, OrRaise as _};
use crate::{arguments, declared, own, plans, results};

/// The warning of a call without an audit, of a step behind its name, which is left out where the caller asked for none.
const UNRECORDED: &str = "the call is not in the audit: no audit log";

/// Tools, policy and host capabilities.
#[pyclass(frozen, subclass, weakref)]
pub(crate) struct Toolkit {
    pub(crate) inner: Arc<mathchain::Toolkit>,
    pub(crate) caller: PythonCaller,
}

/// The process in which the first toolkit was opened.
static PROCESS: OnceLock<u32> = OnceLock::new();

#[pymethods]
impl Toolkit {
    #[new]
    #[pyo3(signature = (*, config = None, workspace = None, role = None, state = None, timeout_ms = None, agents = None))]
    fn open(
        py: Python<'_>,
        config: Option<PathBuf>,
        workspace: Option<PathBuf>,
        role: Option<String>,
        state: Option<Bound<'_, PyAny>>,
        timeout_ms: Option<u64>,
        agents: Option<(Vec<String>, Vec<PathBuf>)>,
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
            let mut builder = mathchain::Door { config, workspace }.builder()?;
            if let Some(agents) = agents {
                builder = builder.agent_program(agent_program(agents));
            }
            if unrecorded {
                builder = builder.without_state();
            }
            if let Some(folder) = state {
                builder = builder.state(folder);
            }
            let inner = Arc::new(builder.build()?);
            let answer = match inner.config().approvals.unattended {
                Unattended::Deny => ApprovalAnswer::Unattended,
                Unattended::Pending => ApprovalAnswer::Ask,
            };
            let context = CallContext {
                role,
                timeout_ms,
                answer,
                ..CallContext::default()
            };
            // An unknown role is one error, not one for each call.
            inner.dispatcher().visible(&inner.caller(&context))?;
            let caller = PythonCaller { context, process };
            Ok(Self { inner, caller })
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
        let call = PythonCall {
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
        self.call_tool(py, tool, Some(args), None, PythonCall { progress, stop })
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
        let call = PythonCall::default();
        let outcome = call.make(py, &self.caller, |context, _| {
            self.inner.call_with(context, tool, &args)
        })?;
        results::value_to_object(
            py,
            outcome.to_value(),
            declared::has_spelled_numbers(&self.inner, tool),
        )
    }

    /// As `answer`, with arguments and answer as JSON, for a tool of any catalogue.
    fn _answer_json(&self, py: Python<'_>, tool: &str, args: &str) -> PyResult<String> {
        let args = match mathchain::parse_json(args) {
            Ok(args) => args,
            Err(err) => return Ok(json::to_text(&CallOutcome::error(err).to_value())),
        };
        let call = PythonCall::default();
        let outcome = call.make(py, &self.caller, |context, _| {
            self.inner.call_offered(context, tool, &args)
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
        plans::execute_plan(py, self, plan, inputs, PythonCall { progress, stop })
    }

    #[pyo3(signature = (plan, inputs))]
    fn _check<'py>(
        &self,
        py: Python<'py>,
        plan: &Bound<'py, PyAny>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        same_process(self.caller.process).or_raise(py)?;
        plans::check_plan(py, self, plan, inputs)
    }

    /// The ids of the tools that the role sees.
    fn _names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        declared::visible_tool_names(&self.inner, &self.caller.context).or_raise(py)
    }

    /// Name, title, description and schemas of a tool; `None` for an unknown one.
    fn _spec<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let spec = declared::tool_declaration(&self.inner, name);
        spec.map(|spec| results::document_to_object(py, &spec))
            .transpose()
    }

    /// The tools of a catalogue, or those named, in a format.
    fn _declared<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        catalog: &str,
        names: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let declared =
            declared::declare_tools(&self.inner, &self.caller.context, format, catalog, names);
        results::document_to_object(py, &declared.or_raise(py)?)
    }

    /// Adds a tool that is a function of its arguments as a dictionary.
    fn _add(
        &self,
        py: Python<'_>,
        declaration: &Bound<'_, PyAny>,
        source: &str,
        function: Py<PyAny>,
    ) -> PyResult<()> {
        let declaration = arguments::python_to_value(declaration).or_raise(py)?;
        let added = py.detach(|| -> Result<(), ToolError> {
            let runner = Arc::new(own::PythonFunction(function));
            let tool = registry::plugins::own_tool(&declaration, source, runner)?;
            self.inner.add_tools(&[tool])
        });
        added.or_raise(py)
    }

    /// Writes the audit records of earlier calls; later calls are possible.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.caller.process != std::process::id() {
            return Ok(()); // the records are the parent's
        }
        let closed = py.detach(|| self.inner.state().map_or(Ok(()), |state| state.close()));
        closed.or_raise(py)
    }
}

/// In a process that was forked it is left as it is: its threads, which closing waits for, are the parent's.
impl Drop for Toolkit {
    fn drop(&mut self) {
        if self.caller.process != std::process::id() {
            std::mem::forget(Arc::clone(&self.inner));
        }
    }
}

impl Toolkit {
    fn call_tool<'py>(
        &self,
        py: Python<'py>,
        tool: &Bound<'py, PyString>,
        args: Option<&Bound<'py, PyAny>>,
        kwargs: Option<&Bound<'py, PyDict>>,
        call: PythonCall,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tool = tool.to_str()?;
        let args = arguments::of_call(args, kwargs).or_raise(py)?;
        let outcome = call.make(py, &self.caller, |context, _| {
            self.inner.call_with(context, tool, &args)
        })?;
        drop(args); // the result may then own what it shares with them
        let spelled = outcome.is_success() && declared::has_spelled_numbers(&self.inner, tool);
        let is_plot = outcome
            .output()
            .is_some_and(|output| output.text("plot").or(output.text("sixel")).is_some());
        let result = self.finish(py, outcome, spelled)?;
        match is_plot {
            true => plot_result(py, result),
            false => Ok(result),
        }
    }

    /// The result of an outcome, or its exception; warnings are emitted.
    pub(crate) fn finish<'py>(
        &self,
        py: Python<'py>,
        mut outcome: CallOutcome,
        spelled: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.inner.state().is_none() && self.inner.state_fault().is_none() {
            outcome
                .warnings
                .retain(|warning| !warning.ends_with(UNRECORDED));
        }
        if !outcome.warnings.is_empty() {
            errors::emit_warnings(py, &outcome.warnings)?;
        }
        match outcome.status {
            OutcomeStatus::Success(output) => results::value_to_object(py, output, spelled),
            OutcomeStatus::Error(error) => {
                let exception = errors::tool_exception(py, &error);
                exception.set_cause(py, own::take_raised());
                Err(exception)
            }
            OutcomeStatus::PendingApproval {
                approval_id,
                so_far,
            } => Err(errors::pending_exception(py, &approval_id, &so_far)),
        }
    }
}

/// A result that draws itself in a notebook.
fn plot_result<'py>(py: Python<'py>, result: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    py.import("mathchain._plot")?
        .getattr("Plot")?
        .call1((result,))
}
