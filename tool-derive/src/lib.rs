//! Derives for typed arguments, results and documents: `Decode` (from a value), `Encode` (to a value), `Describe` (JSON Schema).
//!
//! Each derive emits a table of fields and calls to functions of `tool-core` that are not generic over the format, so that a type
//! costs one call a field. Attributes: `#[value(..)]` says how a field is spelled, `#[schema(..)]` what its schema adds; both are
//! listed in `attributes.rs`. An unknown attribute does not compile.

mod attributes;
mod decode;
mod describe;
mod encode;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use attributes::DeriveTarget;

/// Reads a type from a value.
#[proc_macro_derive(Decode, attributes(value, schema))]
pub fn derive_decode(input: TokenStream) -> TokenStream {
    expand_derive(parse_macro_input!(input), decode::implement_decode)
}

/// Writes a type as a value.
#[proc_macro_derive(Encode, attributes(value, schema))]
pub fn derive_encode(input: TokenStream) -> TokenStream {
    expand_derive(parse_macro_input!(input), encode::implement_encode)
}

/// The JSON Schema of a type.
#[proc_macro_derive(Describe, attributes(value, schema))]
pub fn derive_describe(input: TokenStream) -> TokenStream {
    expand_derive(parse_macro_input!(input), describe::implement_describe)
}

fn expand_derive(
    input: DeriveInput,
    implementation: fn(&DeriveTarget) -> proc_macro2::TokenStream,
) -> TokenStream {
    let tokens = match DeriveTarget::parse(input) {
        Ok(container) => implementation(&container),
        Err(error) => error.into_compile_error(),
    };
    tokens.into()
}
