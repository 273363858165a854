//! The lexical backend: similarity of texts from their words and parts of words. Pure, and the same bits on every machine.
//!
//! [`words`] normalises and splits a text, [`stem`] cuts English endings, [`features`] hashes words and parts of words; [`vector`] makes a
//! vector of them, [`search`] scores texts against a query. Counts are integers, sums have a fixed order, and logarithms come from
//! `libm`. Whoever changes a number changes [`NAME`].

pub mod features;
pub mod search;
pub mod stem;
pub mod stop_words;
pub mod vector;
pub mod words;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod topics_tests;

pub use search::Search;
pub use vector::{DIMENSION, embed};

/// Name and version of the numbers that this backend gives.
pub const NAME: &str = "lexical-1";
