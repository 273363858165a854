//! Stored values, addressed by content: small ones in the state file, large ones as files that other programs can open.
//!
//! A value has a *stored form* (`form.rs`): JSON in which every large block of numbers is a [`ArtifactHandle`] to an `.npy`
//! file. It is lossless: the bits of every number, its spelling as an integer, the order of members.
//! [`ArtifactHandle`] names a value by the BLAKE3 hash of its bytes. `folder.rs` writes and reads the files; the tables of [`crate`]
//! list the values and the references to them.

use tool_core::{Result, Value};

mod block;
mod folder;
mod form;
mod handle;

#[cfg(test)]
mod tests;

pub use self::folder::FOLDER;
pub(crate) use self::folder::{ArtifactFolder, corrupt_artifact, missing_artifact, verify_body};
pub(crate) use self::form::{StoredForm, decode_stored_form, encode_value};
pub(crate) use self::handle::FILE_KEY;
pub use self::handle::{ArtifactHandle, ArtifactHash, ArtifactKind};

/// Default size above which values and blocks of numbers become files, in bytes.
pub const FILE_BYTES_LEAST: usize = 32 << 10;
/// Largest file, in bytes.
pub const FILE_BYTES_MAX: u64 = 4 << 30;
/// Longest JSON of one value without its blocks of numbers, in bytes.
pub const JSON_BYTES_MAX: usize = 256 << 20;
/// Deepest nesting of a stored value.
pub const DEPTH_MAX: usize = 200;

/// Size above which a value that an answer refers to becomes files: an array and a table are some, however small.
pub(crate) fn least_of(value: &Value) -> usize {
    match value {
        Value::Numbers(_) => 0,
        table if table.table_rows().is_some() => 0,
        _ => FILE_BYTES_LEAST,
    }
}

/// One text that decodes to exactly the same value: the bits of every number, its spelling, the order of members.
///
/// # Errors
/// `limit_exceeded` for a value that is too deep or too large.
pub fn to_exact_text(value: &Value) -> Result<String> {
    let form = encode_value(value, usize::MAX)?;
    Ok(form.body.unwrap_or_default())
}

/// The value of a text made by [`to_exact_text`].
///
/// # Errors
/// `artifact_corrupt` for any other text.
pub fn from_exact_text(text: &str) -> Result<Value> {
    decode_stored_form(text, &mut |handle| {
        let hash = handle.hash;
        Err(form::damaged_value_error(&format!(
            "it refers to the file {hash}"
        )))
    })
}

/// Total size of the files of a value when it is stored; 0 for a value that cannot be stored.
pub fn bytes_in_files(value: &Value) -> u64 {
    let Ok(stored) = encode_value(value, FILE_BYTES_LEAST) else {
        return 0;
    };
    let blocks: u64 = stored.blocks.iter().map(|(block, _)| block.bytes()).sum();
    match stored.handle.kind {
        ArtifactKind::Json { bytes } => blocks + bytes,
        ArtifactKind::Npy { .. } | ArtifactKind::Small => blocks,
    }
}
