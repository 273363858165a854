//! Strict JSON in and shortest JSON out.
//!
//! [`parse`] is the one scan at the door: it checks the grammar (RFC 8259), refuses duplicate keys at every level, counts
//! depth, size and memory, and reads every double correctly rounded. Arrays of numbers go straight into one block.
//! Start with [`parse`] and [`to_text`].

mod canonical;
mod decimal;
mod number;
mod parse;
mod write;

pub use canonical::canonical;
pub use parse::{JsonError, JsonLimits, parse, parse_bytes};
pub use write::{to_text, write};

use crate::error::{ErrorCode, ToolError};
use crate::value::Value;

#[cfg(test)]
mod tests;

/// The arguments of a call: as they are, or parsed from the JSON text in which some model interfaces send them.
///
/// # Errors
/// `invalid_args` for a text that is not JSON.
pub fn arguments(args: &Value, bytes_max: usize) -> Result<Value, ToolError> {
    let Value::String(text) = args else {
        return Ok(args.clone());
    };
    let limits = JsonLimits {
        bytes_max,
        ..JsonLimits::default()
    };
    parse(text, limits).map_err(|err| {
        let error = ToolError::new(
            ErrorCode::InvalidArgs,
            format_args!("the arguments are a text that is not JSON: {err}"),
        );
        error.hint("send the arguments as an object, or as the JSON text of one")
    })
}
