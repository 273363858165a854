//! Typed documents in the workspace state.

use crate::prelude::*;
use tool_core::{Decode, Encode};

/// Reads a document; a missing one is the default.
///
/// # Errors
/// `tool_error` with reason `state_corrupt` for one that cannot be decoded.
pub(crate) fn read_document<T: Decode + Default>(ctx: &Ctx, key: &str) -> Result<T> {
    decode_stored_value(ctx.state()?.get(key)?, key)
}

/// Changes a document in one transaction; returns the result of `change`.
///
/// # Errors
/// As [`read_document`], and as `change`; nothing is stored then.
pub(crate) fn update_document<T: Decode + Encode + Default, R>(
    ctx: &Ctx,
    key: &str,
    change: &mut dyn FnMut(&mut T) -> Result<R>,
) -> Result<R> {
    let mut result = None;
    ctx.state()?.update(key, &mut |before| {
        let mut document: T = decode_stored_value(before, key)?;
        result = Some(change(&mut document)?);
        to_value(&document)
    })?;
    result.ok_or_else(|| tool_error!(Internal, "the document was not changed"))
}

fn decode_stored_value<T: Decode + Default>(value: Option<Value>, key: &str) -> Result<T> {
    let Some(value) = value else {
        return Ok(T::default());
    };
    from_value(&value).map_err(|problem| {
        tool_error!(ToolError, "state_corrupt";
            "cannot read the stored `{key}`: {}", problem.message; "use another name")
    })
}
