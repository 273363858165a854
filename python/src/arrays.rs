//! NumPy arrays as shared blocks and back, without a copy where that is possible.
//!
//! An array that goes in is lent: the block holds a reference to it, and reads it in place while the call runs. A caller that writes to
//! it meanwhile from another thread gets a meaningless result, as from NumPy's own functions. No result refers to lent memory.
#![expect(
    unsafe_code,
    reason = "a lent array is a pointer that the reference beside it keeps valid"
)]

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use ndarray::ArrayViewD;
use numpy::{
    IntoPyArray as _, PyArray1, PyArrayDyn, PyArrayMethods as _, PyUntypedArray,
    PyUntypedArrayMethods as _,
};
use pyo3::prelude::*;
use tool_core::value::{MemoryLender, NumberBlock, Numbers};
use tool_core::{Value, number};

use crate::results::SharedArray;

/// Arrays with fewer numbers are copied, which is faster than sharing them.
const SHARED_LEAST: usize = 1024;
/// Most dimensions of a block.
const RANK_MAX: usize = 8;

/// A contiguous array of doubles, kept alive.
struct LentArray {
    /// Its state after a panic is that of any Python object.
    _owner: AssertUnwindSafe<Py<PyArrayDyn<f64>>>,
    data: *const f64,
    count: usize,
}

// SAFETY: the memory is only read, and belongs to the owner, whose count of references is changed with the interpreter's lock alone.
unsafe impl Send for LentArray {}
// SAFETY: as above.
unsafe impl Sync for LentArray {}

impl MemoryLender for LentArray {
    fn doubles(&self) -> &[f64] {
        // SAFETY: `lend` took pointer and count from an aligned contiguous array, which the owner keeps alive: NumPy does not
        // move the memory of an array that is referred to.
        unsafe { std::slice::from_raw_parts(self.data, self.count) }
    }
}

/// A non-empty contiguous array of doubles as a value; `None` for the others, which become such arrays or lists first.
pub(crate) fn array_to_value(array: &Bound<'_, PyUntypedArray>) -> Option<Value> {
    let is_block = (1..=RANK_MAX).contains(&array.ndim()) && !array.is_empty();
    let array = array.cast::<PyArrayDyn<f64>>().ok()?;
    if !is_block || !array.is_c_contiguous() || !array.is_aligned() {
        return None;
    }
    let numbers = Numbers::from_shared(Arc::new(lend_block(array)), array.shape().to_vec());
    numbers.map(spell_numbers)
}

fn lend_block(array: &Bound<'_, PyArrayDyn<f64>>) -> NumberBlock {
    let (data, count) = (array.data().cast_const(), array.len());
    let lent = LentArray {
        _owner: AssertUnwindSafe(array.clone().unbind()),
        data,
        count,
    };
    match count < SHARED_LEAST {
        true => lent.doubles().to_vec().into(),
        false => NumberBlock::lent(Box::new(lent)),
    }
}

/// Numbers as a value; those that are not finite are spelled, as in JSON.
fn spell_numbers(numbers: Numbers) -> Value {
    if numbers.is_finite() {
        return Value::Numbers(numbers);
    }
    let parts = (0..numbers.len()).filter_map(|index| numbers.get(index));
    let part = |part: Value| match part {
        Value::Numbers(part) => spell_numbers(part),
        Value::Float(value) => Value::from(value),
        other => other,
    };
    Value::array(parts.map(part).collect())
}

/// A block as an array: the allocation itself where nothing else uses it, else a read-only view that keeps it alive. Whole numbers
/// become integers.
pub(crate) fn numbers_to_array(py: Python<'_>, numbers: Numbers) -> PyResult<Bound<'_, PyAny>> {
    let shape = numbers.shape().to_vec();
    if numbers.integral() {
        let whole: Vec<i64> = numbers.as_slice().iter().map(|one| *one as i64).collect();
        return Ok(whole.into_pyarray(py).reshape(shape)?.into_any());
    }
    if numbers.as_slice().len() < SHARED_LEAST {
        let array = PyArray1::from_slice(py, numbers.as_slice());
        return Ok(array.reshape(shape)?.into_any());
    }
    match Arc::try_unwrap(numbers.into_shared()) {
        Ok(block) => Ok(block.into_vec().into_pyarray(py).reshape(shape)?.into_any()),
        Err(block) if block.is_lent() => {
            let copy = block.to_vec();
            Ok(copy.into_pyarray(py).reshape(shape)?.into_any())
        }
        Err(block) => shared_view(py, block, &shape),
    }
}

fn shared_view<'py>(
    py: Python<'py>,
    block: Arc<NumberBlock>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let owner = Bound::new(py, SharedArray(Arc::clone(&block)))?;
    let view = ArrayViewD::from_shape(shape, &block);
    let view = view.map_err(|err| pyo3::exceptions::PyValueError::new_err(err.to_string()))?;
    // SAFETY: the owner holds the block, whose memory does not move, and becomes the base of the array.
    let array = unsafe { PyArrayDyn::borrow_from_array(&view, owner.into_any()) };
    array.readwrite().make_nonwriteable();
    Ok(array.into_any())
}

/// A list that holds spelled numbers that are not finite, such as `[1.0, "NaN"]`, as an array; `None` for other lists.
pub(crate) fn give_spelled<'py>(py: Python<'py>, items: &[Value]) -> Option<Bound<'py, PyAny>> {
    let number = |item: &Value| match item {
        Value::String(text) => number::from_spelling(text),
        other => other.as_f64(),
    };
    let numbers: Option<Vec<f64>> = items.iter().map(number).collect();
    let numbers = numbers.filter(|numbers| !numbers.is_empty())?;
    Some(numbers.into_pyarray(py).into_any())
}
