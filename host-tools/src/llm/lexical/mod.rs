//! The lexical backend: similarity of texts by their words and n-grams. Pure and bit-identical on every machine.
//!
//! [`words`] normalises and splits a text, [`stem`] removes English endings, [`features`] hashes words and n-grams; [`vector`] builds a
//! vector of them, [`search`] scores texts against a query. Counts are integers, sums have a fixed order, and logarithms come from
//! `libm`. A change of any number requires a new [`NAME`].

mod features;
mod search;
mod stem;
mod vector;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use search::LexicalSearch;
pub(crate) use vector::{DIMENSION, lexical_vector};

/// Name and version of this backend.
pub(crate) const NAME: &str = "lexical-1";
