//! Language-model tools: vectors for texts, similarity, classification, text in images.
//!
//! All work with the `lexical` backend, which is always available, and on request with a model behind a configured endpoint,
//! through the context's `LanguageModel`; [`endpoint`] implements that capability over HTTP. `compare` scores texts for all tools.

use crate::prelude::*;

mod backend;
mod classify_text;
mod compare;
mod embed_text;
pub mod endpoint;
mod lexical;
mod ocr_extract;
mod similarity_search;

#[cfg(test)]
mod tests;

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<embed_text::Args>(),
    tool_entry::<similarity_search::Args>(),
    tool_entry::<classify_text::Args>(),
    tool_entry::<ocr_extract::Args>(),
];
