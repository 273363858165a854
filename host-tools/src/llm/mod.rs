//! Language-model tools: vectors for texts, similarity, classification, text in images.
//!
//! Each works with the [`lexical`] backend, which is always there, and where the call asks for it with a model behind a configured
//! endpoint, through the context's `Model`; [`endpoint`] is that capability over HTTP. [`compare`] is what the tools share.

pub mod backend;
pub mod classify_text;
pub mod compare;
pub mod embed_text;
pub mod endpoint;
pub mod lexical;
pub mod ocr_extract;
pub mod similarity_search;

#[cfg(test)]
mod tests;

use tool_core::{Entry, entry};

/// The tools of this family, in the order they should be read.
pub static TOOLS: &[Entry] = &[
    entry::<embed_text::EmbedText>(),
    entry::<similarity_search::SimilaritySearch>(),
    entry::<classify_text::ClassifyText>(),
    entry::<ocr_extract::OcrExtract>(),
];
