//! Scores of texts against a query: half from shared words, half from shared n-grams.
//!
//! # Method
//! Words: Okapi BM25 with k1 = 1.2 and b = 0.75. A word counts more the rarer it is among the texts, `ln(1 + (n - d + 0.5) / (d + 0.5))` for
//! d of n texts, and less with each repetition; long texts are penalised. The sum is divided by the score of the query itself.
//! N-grams: the cosine of the roots of their weights, by full hash, so that texts without a common n-gram have exactly 0.
//!
//! # References
//! S. Robertson and H. Zaragoza, "The probabilistic relevance framework: BM25 and beyond", Foundations and Trends in Information
//! Retrieval 3(4), 2009; W. B. Cavnar and J. M. Trenkle, "N-gram-based text categorization", SDAIR 1994.

use std::collections::HashMap;

use super::features::{TextFeature, for_each_feature};
use crate::prelude::*;

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Weight of the n-grams in a score; the rest is that of the words.
const PARTS_SHARE: f64 = 0.5;

/// A query, and statistics of the texts that were read.
#[derive(Debug)]
pub(crate) struct LexicalSearch {
    terms: QueryFeatures,
    parts: QueryFeatures,
    documents: Vec<LexicalDocument>,
    /// Weight of each n-gram of the query in the current text; all 0 between texts.
    shared: Vec<u64>,
}

#[derive(Debug)]
struct LexicalDocument {
    /// The words of the query in the text, by position, with their weights.
    terms: Vec<(u32, u64)>,
    /// Total weight of its words.
    length: u64,
    cosine: f64,
}

/// The features of one kind, ordered by hash.
#[derive(Debug, Default)]
struct QueryFeatures {
    positions: HashMap<u64, u32>,
    /// Count and weight of each in the query.
    counts: Vec<(u64, u64)>,
    /// Sum of the weights.
    total: u64,
}

impl QueryFeatures {
    fn new(mut found: Vec<(u64, u64)>) -> Self {
        found.sort_unstable();
        let mut known = Self::default();
        for same in found.chunk_by(|a, b| a.0 == b.0) {
            let position = known.counts.len() as u32;
            known.positions.insert(same[0].0, position);
            let weight = same.iter().map(|(_, weight)| weight).sum();
            known.counts.push((same.len() as u64, weight));
            known.total += weight;
        }
        known
    }
}

impl LexicalSearch {
    /// Reads a query; `None` if it has no letter, digit or emoji.
    ///
    /// # Errors
    /// If the stop flag is set.
    pub(crate) fn new(query: &str, stop: &StopFlag) -> Result<Option<Self>> {
        let (mut terms, mut parts) = (Vec::new(), Vec::new());
        for_each_feature(query, stop, &mut |feature, weight| match feature {
            TextFeature::Term(hash) => terms.push((hash, weight)),
            TextFeature::Part(hash) => parts.push((hash, weight)),
        })?;
        let parts = QueryFeatures::new(parts);
        Ok((!terms.is_empty()).then(|| Self {
            terms: QueryFeatures::new(terms),
            shared: vec![0; parts.counts.len()],
            parts,
            documents: Vec::new(),
        }))
    }

    /// Reads a text.
    ///
    /// # Errors
    /// If the stop flag is set.
    pub(crate) fn add(&mut self, text: &str, stop: &StopFlag) -> Result<()> {
        let (mut found, mut length) = (Vec::new(), 0);
        let (mut touched, mut weight_of_parts) = (Vec::new(), 0);
        for_each_feature(text, stop, &mut |feature, weight| match feature {
            TextFeature::Term(hash) => {
                length += weight;
                found.extend(self.terms.positions.get(&hash));
            }
            TextFeature::Part(hash) => {
                weight_of_parts += weight;
                if let Some(position) = self.parts.positions.get(&hash) {
                    let shared = &mut self.shared[*position as usize];
                    if *shared == 0 {
                        touched.push(*position);
                    }
                    *shared += weight;
                }
            }
        })?;
        found.sort_unstable();
        let terms = found.chunk_by(|a, b| a == b);
        let terms = terms.map(|same| (same[0], same.len() as u64)).collect();
        touched.sort_unstable();
        let cosine = self.cosine(&touched, weight_of_parts);
        for position in touched {
            self.shared[position as usize] = 0;
        }
        self.documents.push(LexicalDocument {
            terms,
            length,
            cosine,
        });
        Ok(())
    }

    /// The n-gram score of the current text. For the query itself every root is an integer and the result exactly 1.
    fn cosine(&self, touched: &[u32], weight_of_parts: u64) -> f64 {
        let root = |&position: &u32| {
            let (_, own) = self.parts.counts[position as usize];
            (own as f64 * self.shared[position as usize] as f64).sqrt()
        };
        let product: f64 = touched.iter().map(root).sum();
        match product > 0.0 {
            true => product / (self.parts.total as f64 * weight_of_parts as f64).sqrt(),
            false => 0.0,
        }
    }

    /// The scores of all texts in the order of reading: 1 for the query itself, 0 for a text that shares nothing with it.
    pub(crate) fn scores(&self) -> Vec<f64> {
        let words = self.bm25();
        let score = |(words, text): (&f64, &LexicalDocument)| {
            (1.0 - PARTS_SHARE) * words.min(1.0) + PARTS_SHARE * text.cosine.min(1.0)
        };
        words.iter().zip(&self.documents).map(score).collect()
    }

    fn bm25(&self) -> Vec<f64> {
        let texts = self.documents.len() as f64;
        let mut with_term = vec![0_u64; self.terms.counts.len()];
        for (term, _) in self.documents.iter().flat_map(|text| &text.terms) {
            with_term[*term as usize] += 1;
        }
        let weight = |((_, weight), &with_term): (&(u64, u64), &u64)| {
            let with_term = with_term as f64;
            *weight as f64 * libm::log(1.0 + (texts - with_term + 0.5) / (with_term + 0.5))
        };
        let terms = self.terms.counts.iter().zip(&with_term);
        let weights: Vec<f64> = terms.map(weight).collect();
        let total: u64 = self.documents.iter().map(|text| text.length).sum();
        let mean = total as f64 / texts.max(1.0);
        let score = |terms: &mut dyn Iterator<Item = (u32, u64)>, length: u64| -> f64 {
            let relative = if mean > 0.0 {
                length as f64 / mean
            } else {
                1.0
            };
            let held_back = K1 * (1.0 - B + B * relative);
            terms
                .map(|(term, count)| {
                    let count = count as f64;
                    weights[term as usize] * count * (K1 + 1.0) / (count + held_back)
                })
                .sum()
        };
        let mut own = (0..).zip(self.terms.counts.iter().map(|(count, _)| *count));
        let own = score(&mut own, self.terms.total);
        self.documents
            .iter()
            .map(|text| score(&mut text.terms.iter().copied(), text.length) / own)
            .collect()
    }
}
