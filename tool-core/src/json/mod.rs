//! Strict JSON in and shortest JSON out.
//!
//! [`parse_json`] is the one scan at the door: it checks the grammar (RFC 8259), refuses duplicate keys at every level, counts
//! depth, size and memory, and reads every double correctly rounded. Arrays of numbers go straight into one block.
//! Start with [`parse_json`] and [`to_text`].

mod canonical;
mod decimal;
mod number;
mod parse;
mod write;

pub use canonical::canonical_json;
pub use parse::{JsonError, JsonLimits, parse_bytes, parse_json};
pub use write::{to_text, write_value};

use crate::error::{ErrorCode, ToolError};
use crate::value::Value;

#[cfg(test)]
mod tests;

/// The arguments of a call: as they are, or parsed from the JSON text in which some model interfaces send them.
///
/// # Errors
/// `invalid_args` for a text that is not JSON.
pub fn parse_call_arguments(args: &Value, bytes_max: usize) -> Result<Value, ToolError> {
    let Value::String(text) = args else {
        return Ok(args.clone());
    };
    let limits = JsonLimits {
        bytes_max,
        ..JsonLimits::default()
    };
    parse_json(text, limits).map_err(|err| {
        let error = ToolError::new(
            ErrorCode::InvalidArgs,
            format_args!("the arguments are a text that is not JSON: {err}"),
        );
        error.hint("send the arguments as an object, or as the JSON text of one")
    })
}
