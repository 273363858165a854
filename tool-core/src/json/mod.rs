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
pub use parse::{JsonError, Limits, parse, parse_bytes};
pub use write::{to_text, write};

#[cfg(test)]
mod tests;
