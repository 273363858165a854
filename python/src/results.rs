//! Values as Python objects: dictionaries, lists, arrays.

use std::sync::Arc;

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use tool_core::value::NumberBlock;
use tool_core::{Value, number};

use crate::arrays;

/// The owner of the memory behind an array that is shared.
#[pyclass(frozen)]
pub(crate) struct SharedArray(
    #[expect(dead_code, reason = "it keeps the memory alive")] pub(crate) Arc<NumberBlock>,
);

/// A value as an object. With `spelled`, the texts `NaN`, `Infinity` and `-Infinity` are numbers: the tool's result has such.
///
/// # Errors
/// Exceptions of the interpreter, such as `MemoryError`.
pub(crate) fn value_to_object(
    py: Python<'_>,
    value: Value,
    spelled: bool,
) -> PyResult<Bound<'_, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(truth) => truth.into_bound_py_any(py),
        Value::Int(number) => number.into_bound_py_any(py),
        Value::Float(number) => number.into_bound_py_any(py),
        Value::String(text) => match number::from_spelling(&text).filter(|_| spelled) {
            Some(number) => number.into_bound_py_any(py),
            None => (&*text).into_bound_py_any(py),
        },
        Value::Numbers(numbers) => arrays::numbers_to_array(py, numbers),
        Value::Array(items) => {
            let array = spelled.then(|| arrays::give_spelled(py, &items)).flatten();
            if let Some(array) = array {
                return Ok(array);
            }
            let list = PyList::empty(py);
            for item in Arc::unwrap_or_clone(items) {
                list.append(value_to_object(py, item, spelled)?)?;
            }
            Ok(list.into_any())
        }
        Value::Object(members) => {
            let dictionary = PyDict::new(py);
            for (key, member) in Arc::unwrap_or_clone(members) {
                dictionary.set_item(&*key, value_to_object(py, member, spelled)?)?;
            }
            Ok(dictionary.into_any())
        }
    }
}

/// A document, such as a schema, as an object.
///
/// # Errors
/// As [`value_to_object`].
pub(crate) fn document_to_object<'py>(
    py: Python<'py>,
    json: &serde_json::Value,
) -> PyResult<Bound<'py, PyAny>> {
    use serde_json::Value as Json;
    match json {
        Json::Null => Ok(py.None().into_bound(py)),
        Json::Bool(truth) => truth.into_bound_py_any(py),
        Json::String(text) => text.into_bound_py_any(py),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_bound_py_any(py),
            None => number.as_f64().into_bound_py_any(py),
        },
        Json::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(document_to_object(py, item)?)?;
            }
            Ok(list.into_any())
        }
        Json::Object(members) => {
            let dictionary = PyDict::new(py);
            for (key, member) in members {
                dictionary.set_item(key, document_to_object(py, member)?)?;
            }
            Ok(dictionary.into_any())
        }
    }
}

/// The picture of a sixel text as a PNG file; `None` for another text.
#[pyfunction]
pub(crate) fn png_of_sixel<'py>(py: Python<'py>, text: &str) -> Option<Bound<'py, PyBytes>> {
    let png = py.detach(|| mathchain::picture::png_of_sixel(text));
    png.map(|png| PyBytes::new(py, &png))
}
