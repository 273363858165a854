//! The lexical backend: similarity of texts from their words and parts of words. Pure, and the same bits on every machine.
//!
//! [`words`] normalises and splits a text, [`stem`] cuts English endings, [`features`] hashes words and parts of words; [`vector`] makes a
//! vector of them, [`search`] scores texts against a query. Counts are integers, sums have a fixed order, and logarithms come from
//! `libm`. Whoever changes a number changes [`NAME`].

mod features;
mod search;
mod stem;
mod stop_words;
mod vector;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use search::Search;
pub(crate) use vector::{DIMENSION, embed};

/// Name and version of the numbers that this backend gives.
pub(crate) const NAME: &str = "lexical-1";
