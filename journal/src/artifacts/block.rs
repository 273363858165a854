//! Blocks of numbers as NumPy files: their bytes and handles.

use std::any::Any;
use std::ops::Range;

use tool_core::value::Numbers;
use tool_core::{Result, Value};

use super::form::{RANK_MAX, damaged_value_error, too_large};
use super::handle::{ArtifactHandle, ArtifactKind, summarise_numbers};
use super::{ArtifactHash, FILE_BYTES_MAX};

/// Bytes that several threads hash, at least.
const SHARED_LEAST: usize = 1 << 20;

/// The handle of a block, noted at the immutable block so that it is hashed once.
pub(super) fn block_handle(numbers: &Numbers) -> Result<ArtifactHandle> {
    let note = numbers.note();
    let noted: Option<&dyn Any> = note.and_then(|note| Some(&**note.get()? as &dyn Any));
    let noted = noted.and_then(|noted| noted.downcast_ref::<ArtifactHandle>());
    if let Some(handle) = noted
        && let ArtifactKind::Npy {
            shape, integral, ..
        } = &handle.kind
        && (shape.as_slice(), *integral) == (numbers.shape(), numbers.integral())
    {
        return Ok(handle.clone());
    }
    let mut hasher = blake3::Hasher::new();
    let mut bytes = 0;
    npy_parts(numbers, &mut |part| {
        match part.len() {
            ..SHARED_LEAST => hasher.update(part),
            _ => thread_pools::run_in_pool(|| hasher.update_rayon(part)),
        };
        bytes += part.len() as u64;
        Ok::<(), std::convert::Infallible>(())
    })
    .unwrap_or_else(|never| match never {});
    if bytes > FILE_BYTES_MAX {
        return Err(too_large("artifact_size", bytes, FILE_BYTES_MAX));
    }
    let handle = ArtifactHandle {
        hash: ArtifactHash(hasher.finalize().into()),
        kind: ArtifactKind::Npy {
            shape: numbers.shape().to_vec(),
            integral: numbers.integral(),
            bytes,
            summary: summarise_numbers(numbers),
        },
    };
    if let Some(note) = note {
        // The note may belong to another shape of the same block.
        let _ = note.set(Box::new(handle.clone()));
    }
    Ok(handle)
}

/// Passes the bytes of a block's NumPy file in parts, so that it is hashed and written without a copy of the whole.
pub(super) fn npy_parts<E>(
    numbers: &Numbers,
    take: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    /// Numbers per part: enough to hash with several threads.
    const PART: usize = 1 << 19;
    let flat = [numbers.as_slice().len()];
    let shape = match numbers.rank() {
        ..=RANK_MAX => numbers.shape(),
        _ => &flat,
    };
    take(&tool_core::npy::npy_header(shape))?;
    let mut buffer = vec![0_u8; 8 * PART.min(numbers.as_slice().len())];
    for part in numbers.as_slice().chunks(PART) {
        for (place, number) in buffer.as_chunks_mut::<8>().0.iter_mut().zip(part) {
            *place = number.to_le_bytes();
        }
        take(&buffer[..8 * part.len()])?;
    }
    Ok(())
}

/// Where rows of a block are in its file, and what they are.
pub(super) struct BlockSpan {
    pub(super) offset: u64,
    pub(super) bytes: usize,
    shape: Vec<usize>,
    integral: bool,
}

/// The place of some rows: elements along the first extent.
pub(super) fn row_span(handle: &ArtifactHandle, rows: Range<usize>) -> Result<BlockSpan> {
    let ArtifactKind::Npy {
        shape, integral, ..
    } = &handle.kind
    else {
        return Err(damaged_value_error("a handle is not of a block"));
    };
    let count: usize = shape.iter().product();
    let flat = [count];
    let stored = if shape.len() <= RANK_MAX {
        shape
    } else {
        &flat[..]
    };
    let width: usize = shape.iter().skip(1).product();
    let mut part = shape.clone();
    match part.first_mut() {
        Some(extent) if rows.start <= rows.end && rows.end <= *extent => *extent = rows.len(),
        _ => {
            return Err(damaged_value_error(
                "rows lie beyond the end of their block",
            ));
        }
    }
    let before = tool_core::npy::npy_header(stored).len() + 8 * width * rows.start;
    Ok(BlockSpan {
        offset: before as u64,
        bytes: 8 * width * rows.len(),
        shape: part,
        integral: *integral,
    })
}

impl BlockSpan {
    /// The rows, from their bytes.
    pub(super) fn numbers(self, bytes: &[u8]) -> Result<Value> {
        let data: Vec<f64> = bytes
            .as_chunks::<8>()
            .0
            .iter()
            .map(|number| f64::from_le_bytes(*number))
            .collect();
        if data.is_empty() {
            return Ok(Value::array(Vec::new()));
        }
        let numbers = Numbers::new(self.shape, data, self.integral);
        numbers
            .map(Value::Numbers)
            .ok_or_else(|| damaged_value_error("a handle and its file differ in shape"))
    }
}

/// Decodes a block from the bytes of its file and its handle.
pub(super) fn decode_block(handle: &ArtifactHandle, bytes: &[u8]) -> Result<Value> {
    let ArtifactKind::Npy {
        shape, integral, ..
    } = &handle.kind
    else {
        return Err(damaged_value_error("a handle is not of a block"));
    };
    match tool_core::npy::parse_npy(bytes).map_err(|fault| damaged_value_error(&fault.message))? {
        Value::Numbers(numbers) if numbers.shape() == shape && !integral => {
            Ok(Value::Numbers(numbers))
        }
        Value::Numbers(numbers) => {
            let shaped = numbers.reshaped(shape.clone(), *integral);
            shaped
                .map(Value::Numbers)
                .ok_or_else(|| damaged_value_error("a handle and its file differ in shape"))
        }
        _ => Err(damaged_value_error("a file contains no block")),
    }
}
