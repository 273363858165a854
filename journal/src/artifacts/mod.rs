//! Stored values, addressed by content: small ones in the state file, large ones as files that other programs can open.
//!
//! A value has a *stored form* (`form.rs`): JSON in which every large block of numbers is a [`Handle`] to an `.npy`
//! file. It is lossless: the bits of every number, its spelling as an integer, the order of members.
//! [`Handle`] names a value by the BLAKE3 hash of its bytes. `folder.rs` writes and reads the files; the tables of [`crate`]
//! list the values and the references to them.

use std::sync::Arc;

use tool_core::{Object, Result, Value};

mod block;
mod folder;
mod form;
mod handle;

#[cfg(test)]
mod tests;

pub use self::folder::FOLDER;
pub(crate) use self::folder::{Folder, corrupt, missing, verified};
pub(crate) use self::form::{Stored, load, stored};
pub(crate) use self::handle::FILE_KEY;
pub use self::handle::{ArtifactHash, Handle, Kind};

/// Default size above which values and blocks of numbers become files, in bytes.
pub const FILE_BYTES_LEAST: usize = 32 << 10;
/// Largest file, in bytes.
pub const FILE_BYTES_MAX: u64 = 4 << 30;
/// Longest JSON of one value without its blocks of numbers, in bytes.
pub const JSON_BYTES_MAX: usize = 256 << 20;
/// Deepest nesting of a stored value.
pub const DEPTH_MAX: usize = 200;

/// A value as shown in answers: handles replace arrays of more than `least` bytes.
///
/// # Errors
/// `limit_exceeded` for an array that is too large to be a file.
pub fn shown(value: &Value, least: usize) -> Result<Value> {
    Ok(match value {
        Value::Numbers(numbers) if std::mem::size_of_val(numbers.as_slice()) > least => {
            block::named(numbers)?.to_value()
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| shown(item, least));
            Value::Array(Arc::new(items.collect::<Result<_, _>>()?))
        }
        Value::Object(object) => {
            let mut copy = Object::new();
            for (key, member) in object.iter() {
                copy.insert(key, shown(member, least)?);
            }
            Value::Object(Arc::new(copy))
        }
        other => other.clone(),
    })
}

/// Total size of the files of a value when it is stored; 0 for a value that cannot be stored.
pub fn bytes_in_files(value: &Value) -> u64 {
    let Ok(stored) = stored(value, FILE_BYTES_LEAST) else {
        return 0;
    };
    let blocks: u64 = stored.blocks.iter().map(|(block, _)| block.bytes()).sum();
    match stored.handle.kind {
        Kind::Json { bytes } => blocks + bytes,
        Kind::Npy { .. } | Kind::Small => blocks,
    }
}
