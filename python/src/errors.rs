//! Errors as Python exceptions: a class for each code, made by the module `mathchain._errors`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyAny;
use tool_core::{Result as ToolResult, ToolError, Value, tool_error};

use crate::results;

/// A failure of a conversion: of a value that does not fit, at its place, or an exception of Python.
pub(crate) enum ConversionError {
    Tool(ToolError),
    Python(PyErr),
}

impl From<ToolError> for ConversionError {
    fn from(error: ToolError) -> Self {
        Self::Tool(error)
    }
}

impl From<PyErr> for ConversionError {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl ConversionError {
    /// The fault of a part, seen from the whole.
    pub(crate) fn below(self, key: &str) -> Self {
        match self {
            Self::Tool(error) => {
                let mut pointer = String::new();
                tool_core::path::push_key(&mut pointer, key);
                pointer.push_str(error.path().unwrap_or_default());
                Self::Tool(error.at(pointer))
            }
            python => python,
        }
    }

    /// As an exception.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Tool(error) => tool_exception(py, &error),
            Self::Python(error) => error,
        }
    }

    /// As the error of a tool.
    pub(crate) fn into_tool_error(self, py: Python<'_>) -> ToolError {
        match self {
            Self::Tool(error) => error,
            Self::Python(error) => of_exception(py, &error),
        }
    }
}

/// The function `name` of a module of the package, looked up once.
fn load_helper<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let found = cell.get_or_try_init(py, || {
        let module = py.import("mathchain._errors")?;
        module.getattr(name).map(Bound::unbind)
    })?;
    Ok(found.bind(py).clone())
}

/// The exception of an error.
pub(crate) fn tool_exception(py: Python<'_>, error: &ToolError) -> PyErr {
    make_exception(py, &error.to_value(), None).unwrap_or_else(|failed| failed)
}

/// The exception of a call that awaits approval, with the progress of a run.
pub(crate) fn pending_exception(py: Python<'_>, approval_id: &str, so_far: &Value) -> PyErr {
    let error = tool_error!(ApprovalRequired; "the call needs an approval";
        "approve it with `mathchain approve {approval_id}`, then call again with the same arguments");
    let error = match so_far {
        Value::Null => error,
        so_far => error.evidence(so_far.clone()),
    };
    make_exception(py, &error.to_value(), Some(approval_id)).unwrap_or_else(|failed| failed)
}

fn make_exception(py: Python<'_>, error: &Value, approval_id: Option<&str>) -> PyResult<PyErr> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let members = results::value_to_object(py, error.clone(), false)?;
    let exception = load_helper(py, &MAKE, "make")?.call1((members, approval_id))?;
    Ok(PyErr::from_value(exception))
}

/// Emits the warnings of an answer.
pub(crate) fn emit_warnings(py: Python<'_>, warnings: &[String]) -> PyResult<()> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    for warning in warnings {
        let class = load_helper(py, &CLASS, "CallWarning")?;
        let text = std::ffi::CString::new(warning.replace('\0', " "));
        PyErr::warn(py, &class, &text.unwrap_or_default(), 1)?;
    }
    Ok(())
}

/// The error of a tool that is a Python function, from its exception: an error of this package keeps its code.
pub(crate) fn of_exception(py: Python<'_>, exception: &PyErr) -> ToolError {
    of_own(py, exception).unwrap_or_else(|| {
        let class = exception.get_type(py).name();
        let class = class.map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
        let text = exception.value(py).str();
        let text = text.map_or_else(
            |_| String::new(),
            |text| text.to_string_lossy().into_owned(),
        );
        let error = match text.is_empty() {
            true => tool_error!(ToolError, "{class}"),
            false => tool_error!(ToolError, "{class}: {text}"),
        };
        error.reason("python")
    })
}

fn of_own(py: Python<'_>, exception: &PyErr) -> Option<ToolError> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = load_helper(py, &CLASS, "Error").ok()?;
    if !exception.value(py).is_instance(&class).ok()? {
        return None;
    }
    let members = exception.value(py).call_method0("to_dict").ok()?;
    let members = crate::arguments::python_to_value(&members).ok()?;
    ToolError::from_value(&members)
}

/// A result whose error becomes an exception.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for ToolResult<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| tool_exception(py, &error))
    }
}

impl<T> OrRaise<T> for Result<T, ConversionError> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|fault| fault.raise(py))
    }
}
