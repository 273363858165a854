//! Extraction of the most relevant sentences: TextRank, biased towards a query.
//!
//! # Method
//! Sentences are nodes; the weight of an edge is the number of words two sentences share over the sum of the logarithms of
//! their lengths. The rank is the stationary distribution of a random walk with damping 0.85 that starts anew at sentences
//! in proportion to a tenth plus the words they share with the query. Ties go to the earlier sentence; nothing is random.
//!
//! # References
//! R. Mihalcea and P. Tarau, "TextRank: Bringing Order into Text", EMNLP 2004. The bias is that of J. Otterbacher, G. Erkan and
//! D. R. Radev, "Biased LexRank", Information Processing & Management 45(1), 2009.

use std::collections::{BTreeMap, BTreeSet};

use super::html::one_line;
use crate::prelude::*;

const DAMPING: f64 = 0.85;
const ROUNDS_MAX: usize = 200;
const CHANGE_MIN: f64 = 1e-9;
/// Length of useful sentences in words: shorter ones say too little, longer ones are usually unmarked lists.
const WORDS: std::ops::RangeInclusive<usize> = 6..=80;
/// Sentences with a larger overlap of words are considered equal.
const OVERLAP_MAX: f64 = 0.6;

/// A sentence of one of several texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RankedSentence {
    pub(super) text: String,
    /// Index of its text.
    pub(super) source: usize,
    words: BTreeSet<u32>,
}

/// The sentences of several texts.
pub(super) struct SentenceGraph {
    list: Vec<RankedSentence>,
    words: BTreeMap<String, u32>,
}

impl SentenceGraph {
    /// Splits texts into useful sentences, at most `each_max` of each text, without duplicates.
    pub(super) fn of<'a>(texts: impl IntoIterator<Item = &'a str>, each_max: usize) -> Self {
        let mut all = Self {
            list: Vec::new(),
            words: BTreeMap::new(),
        };
        let mut seen = BTreeSet::new();
        for (source, text) in texts.into_iter().enumerate() {
            let mut sentences = split_sentences(text);
            sentences.retain(|text| WORDS.contains(&text.split(' ').count()));
            for text in sentences.into_iter().take(each_max) {
                let words = content_words(&text).map(|word| all.number(word));
                let words: BTreeSet<u32> = words.collect();
                if words.len() > 2 && seen.insert(words.clone()) {
                    all.list.push(RankedSentence {
                        text,
                        source,
                        words,
                    });
                }
            }
        }
        all
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    fn number(&mut self, word: String) -> u32 {
        let next = self.words.len() as u32;
        *self.words.entry(word).or_insert(next)
    }

    /// The most relevant sentences for a query, best first, without near duplicates.
    ///
    /// # Errors
    /// `cancelled` or `timeout`.
    pub(super) fn best(
        &self,
        query: &str,
        count: usize,
        stop: &StopFlag,
    ) -> Result<Vec<RankedSentence>> {
        let asked: BTreeSet<u32> = content_words(query)
            .filter_map(|word| self.words.get(&word).copied())
            .collect();
        let ranks = self.ranks(&asked, stop)?;
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        order.sort_by(|a, b| ranks[*b].total_cmp(&ranks[*a]).then(a.cmp(b)));
        let mut chosen: Vec<RankedSentence> = Vec::new();
        for sentence in order.into_iter().map(|index| &self.list[index]) {
            let apart =
                |other: &RankedSentence| word_overlap(&other.words, &sentence.words) <= OVERLAP_MAX;
            if chosen.len() < count && chosen.iter().all(apart) {
                chosen.push(sentence.clone());
            }
        }
        Ok(chosen)
    }

    fn ranks(&self, asked: &BTreeSet<u32>, stop: &StopFlag) -> Result<Vec<f64>> {
        let size = self.list.len();
        let shared = |sentence: &RankedSentence| sentence.words.intersection(asked).count() as f64;
        let mut start: Vec<f64> = self.list.iter().map(|one| 0.1 + shared(one)).collect();
        let total: f64 = start.iter().sum();
        start.iter_mut().for_each(|weight| *weight /= total);
        let edges = self.edges(stop)?;
        let weights = |row: &Vec<(usize, f64)>| row.iter().map(|(_, weight)| weight).sum();
        let out: Vec<f64> = edges.iter().map(weights).collect();
        let mut ranks = start.clone();
        for _ in 0..ROUNDS_MAX {
            stop.check()?;
            // A sentence without neighbours passes its rank to the start.
            let isolated = (0..size).filter(|index| out[*index] == 0.0);
            let lost: f64 = isolated.map(|index| ranks[index]).sum();
            let next = |index: usize| {
                let share = |(other, weight): &(usize, f64)| ranks[*other] * weight / out[*other];
                let arrives: f64 = edges[index].iter().map(share).sum();
                DAMPING * arrives + (1.0 - DAMPING + DAMPING * lost) * start[index]
            };
            let next: Vec<f64> = (0..size).map(next).collect();
            let changes = next.iter().zip(&ranks).map(|(new, old)| (new - old).abs());
            let change: f64 = changes.sum();
            ranks = next;
            if change < CHANGE_MIN {
                break;
            }
        }
        Ok(ranks)
    }

    /// The neighbours of each sentence with their weights, the same in both directions.
    fn edges(&self, stop: &StopFlag) -> Result<Vec<Vec<(usize, f64)>>> {
        let size = self.list.len();
        let mut edges = vec![Vec::new(); size];
        for a in 0..size {
            stop.check()?;
            for b in a + 1..size {
                let (first, second) = (&self.list[a].words, &self.list[b].words);
                let shared = first.intersection(second).count();
                if shared > 0 {
                    let lengths = (first.len() as f64).ln() + (second.len() as f64).ln();
                    let weight = shared as f64 / lengths;
                    edges[a].push((b, weight));
                    edges[b].push((a, weight));
                }
            }
        }
        Ok(edges)
    }
}

/// The fraction of the words of the shorter sentence that the other contains.
fn word_overlap(a: &BTreeSet<u32>, b: &BTreeSet<u32>) -> f64 {
    a.intersection(b).count() as f64 / a.len().min(b.len()).max(1) as f64
}

/// Splits a text into sentences, at line ends and at marks followed by a space and a possible first letter.
fn split_sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    for line in text.lines() {
        let line = line.trim_start_matches(['#', '-', ' ']);
        let mut from = 0;
        for (at, mark) in line.match_indices(['.', '!', '?', '。', '！', '？']) {
            let end = at + mark.len();
            let mut rest = line[end..].chars();
            let wide = mark.len() > 1;
            let ends = wide || rest.next().is_none_or(char::is_whitespace);
            let begins = wide || rest.next().is_none_or(|letter| !letter.is_lowercase());
            let word = line[from..at].chars().rev();
            let initial = word.take_while(|letter| letter.is_alphanumeric()).count() < 2;
            if ends && begins && (!initial || wide) {
                sentences.push(one_line(&line[from..end]));
                from = end;
            }
        }
        sentences.push(one_line(&line[from..]));
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Lower-case words without very common ones.
fn content_words(text: &str) -> impl Iterator<Item = String> + '_ {
    const COMMON: &str = "the and for that this with are was were has have had not but from which its can may also than \
        then they their there been will would into more most other some such when what who how you your";
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words
        .map(str::to_lowercase)
        .filter(|word| word.chars().count() > 2 && !COMMON.split(' ').any(|common| common == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_reader_would_end_them() {
        for (text, expected) in [
            (
                "One two. Three four! Five?",
                &["One two.", "Three four!", "Five?"][..],
            ),
            (
                "Version 3.5 of J. Smith, e.g. here. Next",
                &["Version 3.5 of J. Smith, e.g. here.", "Next"],
            ),
            ("# A heading\n- an item\n", &["A heading", "an item"]),
            ("第一句。第二句。", &["第一句。", "第二句。"]),
            ("", &[]),
        ] {
            assert_eq!(split_sentences(text), expected, "{text}");
        }
    }

    const PAGES: [&str; 2] = [
        "Tides are caused by the gravity of the moon and the sun. The moon pulls the water of the oceans towards itself. \
         My cat sleeps on the warm window sill every morning.",
        "Ocean tides rise and fall because the gravity of the moon pulls the water. Bread needs flour, salt, yeast and patience to rise.",
    ];

    #[test]
    fn the_sentences_that_others_repeat_come_first() {
        let sentences = SentenceGraph::of(PAGES, 100);
        assert_eq!(sentences.len(), 5);
        let best = sentences
            .best("why are there tides in the ocean", 2, &StopFlag::new())
            .unwrap();
        assert!(best[0].text.starts_with("Ocean tides rise"), "{best:?}");
        assert_eq!(best[0].source, 1);
        assert!(best.iter().all(|sentence| sentence.text.contains("gravity") || sentence.text.contains("moon")), "{best:?}");
        let about_cats = sentences
            .best("cat sleeps window", 1, &StopFlag::new())
            .unwrap();
        assert!(about_cats[0].text.contains("cat"), "{about_cats:?}");
    }

    #[test]
    fn a_chain_of_three_sentences_has_the_ranks_of_its_equations() {
        let sentences = SentenceGraph::of(
            [
                "Alpha beta gamma delta here there now. Gamma delta epsilon zeta again more so. Epsilon zeta eta theta one two xx.",
            ],
            10,
        );
        let asked = BTreeSet::new();
        let ranks = sentences.ranks(&asked, &StopFlag::new()).unwrap();
        // Only neighbours share words, so r1 = r3 = d r2 / 2 + (1 - d) / 3 and r2 = 1 - 2 r1.
        let ends = (DAMPING / 2.0 + (1.0 - DAMPING) / 3.0) / (1.0 + DAMPING);
        for (found, expected) in ranks.iter().zip([ends, 1.0 - 2.0 * ends, ends]) {
            assert!((found - expected).abs() < 1e-8, "{ranks:?}, {ends}");
        }
    }

    #[test]
    fn the_same_texts_give_the_same_sentences_and_none_twice() {
        let doubled = [PAGES[0], PAGES[0], PAGES[1]];
        let sentences = SentenceGraph::of(doubled, 100);
        assert_eq!(sentences.len(), 5);
        let first = sentences.best("tides", 5, &StopFlag::new()).unwrap();
        assert_eq!(
            SentenceGraph::of(doubled, 100)
                .best("tides", 5, &StopFlag::new())
                .unwrap(),
            first
        );
        assert!(
            SentenceGraph::of([""], 5)
                .best("x", 3, &StopFlag::new())
                .unwrap()
                .is_empty()
        );
    }
}
