//! Frames of polars, pyarrow, DuckDB and pandas as typed tables, by Arrow's C stream interface: dates, exact decimals and integers of 64 bits
//! stay what they are, and no cell becomes a Python object.
#![expect(
    unsafe_code,
    reason = "the pointer of a capsule by that interface is its stream"
)]

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyCapsule;
use tables::read::read_arrow_stream;
use tables::{ReadLimits, TableError};
use tool_core::{Value, tool_error};

use crate::errors::ConversionError;

/// The name of the capsules, by the interface.
const CAPSULE: &std::ffi::CStr = c"arrow_array_stream";
/// The frame is in this process: it has what memory it has.
const LIMITS: ReadLimits = ReadLimits {
    bytes_max: u64::MAX,
    memory_max: u64::MAX,
};

/// A frame as a table; `None` for an object that is none, or has columns that no table has, such as lists.
///
/// # Errors
/// A stream that fails, or with two columns of one name.
pub(crate) fn frame_to_value(item: &Bound<'_, PyAny>) -> Result<Option<Value>, ConversionError> {
    static STREAM: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = item.py();
    if !item.hasattr("__arrow_c_stream__")? {
        return Ok(None);
    }
    let stream = STREAM.get_or_try_init(py, || {
        let module = py.import("mathchain._plain")?;
        module.getattr("stream").map(Bound::unbind)
    })?;
    let capsule = stream.bind(py).call1((item,))?;
    if capsule.is_none() {
        return Ok(None);
    }
    let capsule = capsule.cast_into::<PyCapsule>().map_err(PyErr::from)?;
    let pointer = capsule.pointer_checked(Some(CAPSULE))?;
    // SAFETY: a capsule of this name has an `ArrowArrayStream`, and nobody else has this one: it was made for this call.
    let table = unsafe { read_arrow_stream(pointer, LIMITS, &|| false) };
    match table {
        Ok(table) => Ok(Some(table_values::table_value(table))),
        Err(TableError::UnsupportedType { .. }) => Ok(None),
        Err(err) => {
            let error = tool_error!(InvalidArgs, "the frame cannot be read: {err}");
            Err(error.hint(err.hint()).into())
        }
    }
}
