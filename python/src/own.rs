//! Tools that are Python functions.

use std::cell::RefCell;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use registry::plugins::PluginRunner;
use tool_core::{Ctx, ToolError, Value, tool_error};

use crate::{arguments, errors, results};

/// Calls a function with the arguments as a dictionary; it returns the result.
pub(crate) struct PythonFunction(pub(crate) Py<PyAny>);

impl PluginRunner for PythonFunction {
    fn call(&self, _tool: &str, args: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
        ctx.check()?;
        let value = Python::try_attach(|py| -> Result<Value, ToolError> {
            let raised = |err: PyErr| {
                let error = match err.is_instance_of::<PyException>(py) {
                    true => errors::of_exception(py, &err),
                    false => tool_error!(Cancelled, "the tool was interrupted"),
                };
                RAISED.set(Some(err));
                error
            };
            let given = results::value_to_object(py, args.clone(), false).map_err(raised)?;
            let result = self.0.bind(py).call1((given,)).map_err(raised)?;
            arguments::python_to_value(&result).map_err(|fault| {
                let error = fault.into_tool_error(py);
                let (path, message) = (error.path().unwrap_or_default(), error.message());
                tool_error!(ToolError, "result"; "the result of the tool does not convert: {message}{}", place_suffix(path);
                    "return dictionaries, lists, numbers, texts and arrays")
            })
        });
        let ended = || tool_error!(Cancelled, "the interpreter ends");
        let value = value.unwrap_or_else(|| Err(ended()))?;
        ctx.check()?;
        Ok(value)
    }
}

fn place_suffix(path: &str) -> String {
    match path {
        "" => String::new(),
        path => format!(" (at `{path}`)"),
    }
}

thread_local! {
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Forgets the exceptions of earlier calls of this thread.
pub(crate) fn forget_exceptions() {
    RAISED.take();
}

/// The exception that a tool raised in this thread and that ends the program, such as `KeyboardInterrupt`.
pub(crate) fn take_interrupt(py: Python<'_>) -> Option<PyErr> {
    let is_error = |err: &PyErr| err.is_instance_of::<PyException>(py);
    RAISED.with_borrow_mut(|raised| raised.take_if(|raised| !is_error(raised)))
}

/// The exception that a tool raised in this thread: the cause of the error of its call.
pub(crate) fn take_raised() -> Option<PyErr> {
    RAISED.take()
}
