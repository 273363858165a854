//! Between typed arguments and [`Value`](crate::Value): [`from_value`] and [`to_value`], over the traits [`Decode`] and [`Encode`].
//!
//! Both are derived (`tool-derive`): a type gives a table of its fields, and the functions here, which are compiled once, read and
//! write it. `derived.rs` has what the derives call.

mod decode;
mod derived;
mod encode;
mod error;

pub use decode::{Decode, from_value};
pub use derived::{Elements, Fields, TaggedObject};
pub use encode::{Encode, EncodeError, EncodeWith, EncodedValue, Encoder, encode_value, to_value};
pub use error::DecodeError;
pub use tool_derive::{Decode, Encode};

#[cfg(test)]
mod tests;
