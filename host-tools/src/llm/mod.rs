//! Language-model tools: vectors for texts, similarity, classification, text in images.
//!
//! Each works with the [`lexical`] backend, which is always there, and where the call asks for it with a model behind a configured
//! endpoint, through the context's `Model`; [`endpoint`] is that capability over HTTP. [`compare`] is what the tools share.

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

use tool_core::{Entry, entry};

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[Entry] = &[
    entry::<embed_text::EmbedText>(),
    entry::<similarity_search::SimilaritySearch>(),
    entry::<classify_text::ClassifyText>(),
    entry::<ocr_extract::OcrExtract>(),
];
