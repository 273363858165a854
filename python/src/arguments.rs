//! Python objects as values: numbers, texts, lists and dictionaries as in JSON, arrays by `arrays`, and anything else by the module
//! `mathchain._plain`, which knows frames, series, paths and dates.

use std::sync::Arc;

use numpy::{PyArrayDescrMethods as _, PyUntypedArray, PyUntypedArrayMethods as _};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use tool_core::{Object, Value, tool_error};

use crate::errors::ConversionError;
use crate::{arrays, frames};

/// Deepest nesting of lists and dictionaries, as in a text of JSON.
const DEPTH_MAX: usize = 128;

/// One object as a value.
///
/// # Errors
/// An object that is none, with its place.
pub(crate) fn python_to_value(item: &Bound<'_, PyAny>) -> Result<Value, ConversionError> {
    nested_to_value(item, 0)
}

/// The arguments of a call: a mapping, keywords, or both.
///
/// # Errors
/// As [`python_to_value`]; a name given twice.
pub(crate) fn of_call(
    given: Option<&Bound<'_, PyAny>>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> Result<Value, ConversionError> {
    let mut members = match given.map(python_to_value).transpose()? {
        None => Object::new(),
        Some(Value::Object(members)) => Arc::unwrap_or_clone(members),
        Some(other) => {
            let found = other.kind();
            return Err(tool_error!(InvalidRequest; "expected the arguments as a dictionary, found {found}";
                "pass them as keywords, or as one dictionary").into());
        }
    };
    for (name, item) in keywords.into_iter().flatten() {
        let name = name.cast_into::<PyString>().map_err(PyErr::from)?;
        let name = argument_name(name.to_str()?);
        if members.get(name).is_some() {
            return Err(tool_error!(InvalidRequest, "the argument `{name}` is given twice").into());
        }
        let value = nested_to_value(&item, 1).map_err(|fault| fault.below(name))?;
        members.push_unique(name.into(), value);
    }
    Ok(Value::from(members))
}

/// The argument that a keyword means: `from_` is `from`, which is a word of the language.
fn argument_name(name: &str) -> &str {
    /// Words of the language among the names of arguments.
    const RESERVED: [&str; 6] = ["class", "def", "from", "global", "in", "lambda"];
    let bare = name.strip_suffix('_');
    bare.filter(|bare| RESERVED.contains(bare)).unwrap_or(name)
}

fn nested_to_value(item: &Bound<'_, PyAny>, depth: usize) -> Result<Value, ConversionError> {
    if depth > DEPTH_MAX {
        return Err(tool_error!(InvalidRequest, "depth";
            "the arguments are nested deeper than {DEPTH_MAX}";
            "a list or dictionary that contains itself has no end")
        .into());
    }
    if item.is_none() {
        Ok(Value::Null)
    } else if let Ok(number) = item.cast::<PyFloat>() {
        Ok(Value::from(number.value()))
    } else if let Ok(text) = item.cast::<PyString>() {
        Ok(Value::from(text_of(text)?))
    } else if let Ok(truth) = item.cast::<PyBool>() {
        Ok(Value::Bool(truth.is_true()))
    } else if let Ok(number) = item.cast::<PyInt>() {
        integer_to_value(number)
    } else if let Ok(members) = item.cast::<PyDict>() {
        dictionary_to_value(members, depth)
    } else if let Ok(items) = item.cast::<PyList>() {
        list_to_value(items.iter(), depth)
    } else if let Ok(items) = item.cast::<PyTuple>() {
        list_to_value(items.iter(), depth)
    } else {
        other_to_value(item, depth)
    }
}

fn text_of<'a>(text: &'a Bound<'_, PyString>) -> Result<&'a str, ConversionError> {
    let invalid = |_| {
        tool_error!(InvalidRequest, "text"; "the text has an unpaired surrogate, so that it is not Unicode";
            "decode it with errors=\"replace\"")
    };
    text.to_str().map_err(|err| invalid(err).into())
}

fn integer_to_value(number: &Bound<'_, PyInt>) -> Result<Value, ConversionError> {
    match number.extract::<i64>().ok() {
        Some(value) => Ok(Value::Int(value)),
        None => Err(
            tool_error!(InvalidRequest, "number"; "the integer is beyond 64 bits";
                "pass it as text, or as a float")
            .into(),
        ),
    }
}

fn dictionary_to_value(
    members: &Bound<'_, PyDict>,
    depth: usize,
) -> Result<Value, ConversionError> {
    let mut object = Object::new();
    for (key, item) in members {
        let Ok(key) = key.cast::<PyString>() else {
            let found = key.get_type().name()?;
            return Err(tool_error!(InvalidRequest, "key";
                "expected text as the key of a dictionary, found {found}"; "use str(key)")
            .into());
        };
        let key = text_of(key)?;
        let value = nested_to_value(&item, depth + 1).map_err(|fault| fault.below(key))?;
        object.push_unique(key.into(), value);
    }
    Ok(Value::from(object))
}

fn list_to_value<'py>(
    items: impl ExactSizeIterator<Item = Bound<'py, PyAny>>,
    depth: usize,
) -> Result<Value, ConversionError> {
    let mut values = Vec::with_capacity(items.len());
    for (index, item) in items.enumerate() {
        let value =
            nested_to_value(&item, depth + 1).map_err(|fault| fault.below(&index.to_string()))?;
        values.push(value);
    }
    Ok(Value::array(values))
}

/// An array, or an object that the module `mathchain._plain` makes plain.
fn other_to_value(item: &Bound<'_, PyAny>, depth: usize) -> Result<Value, ConversionError> {
    static PLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = item.py();
    if let Ok(array) = item.cast_exact::<PyUntypedArray>()
        && let Some(value) = arrays::array_to_value(array)
    {
        return Ok(value);
    }
    if let Some(table) = frames::frame_to_value(item)? {
        return Ok(table);
    }
    let plain = PLAIN.get_or_try_init(py, || {
        let module = py.import("mathchain._plain")?;
        module.getattr("plain").map(Bound::unbind)
    })?;
    let value = nested_to_value(&plain.bind(py).call1((item,))?, depth + 1)?;
    match (value, item.cast::<PyUntypedArray>()) {
        // Integers are spelled as such.
        (Value::Numbers(numbers), Ok(array)) if matches!(array.dtype().kind(), b'i' | b'u') => {
            let shape = numbers.shape().to_vec();
            let whole = numbers.clone().reshaped(shape, true);
            Ok(Value::Numbers(whole.unwrap_or(numbers)))
        }
        (value, _) => Ok(value),
    }
}
