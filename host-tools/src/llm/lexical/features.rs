//! The features of texts: weighted hashes of words and n-grams.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use super::stem::stem_word;
use super::words::{WordPiece, for_each};
use crate::prelude::*;

/// Weight of a word and its n-grams.
const WEIGHT: u64 = 10;
/// Weight of a stop word.
const STOP_WORD_WEIGHT: u64 = 1;

/// Lengths of the n-grams of a word, with a mark at each end.
const WORD_PARTS: RangeInclusive<usize> = 3..=5;
/// Lengths of the n-grams of a run of single characters, without marks.
const RUN_PARTS: RangeInclusive<usize> = 1..=3;
const START: char = '\u{2}';
const END: char = '\u{3}';

/// One feature of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFeature {
    /// A stemmed word; in scripts without spaces one character or two adjacent ones.
    Term(u64),
    /// An n-gram: adjacent characters of a word.
    Part(u64),
}

/// Calls back with every feature of a text and its weight, including repetitions.
///
/// # Errors
/// If the stop flag is set.
pub(crate) fn for_each_feature(
    text: &str,
    stop: &StopFlag,
    visit: &mut dyn FnMut(TextFeature, u64),
) -> Result<()> {
    let mut letters = Vec::new();
    let mut marked = Vec::new();
    for_each(text, stop, &mut |piece| match piece {
        WordPiece::Run(run) => {
            for length in 1..=2 {
                for part in run.windows(length) {
                    visit(TextFeature::Term(hash(TERM, part)), WEIGHT);
                }
            }
            visit_character_ngrams(run, RUN_PARTS, &mut |part| visit(part, WEIGHT));
        }
        WordPiece::Word(word) => {
            let weight = match is_stop_word(word) {
                true => STOP_WORD_WEIGHT,
                false => WEIGHT,
            };
            visit(TextFeature::Term(hash_term(word, &mut letters)), weight);
            marked.clear();
            marked.push(START);
            marked.extend_from_slice(word);
            marked.push(END);
            visit_character_ngrams(&marked, WORD_PARTS, &mut |part| visit(part, weight));
        }
    })
}

fn visit_character_ngrams(
    characters: &[char],
    lengths: RangeInclusive<usize>,
    visit: &mut dyn FnMut(TextFeature),
) {
    for length in lengths {
        for part in characters.windows(length) {
            visit(TextFeature::Part(hash(PART, part)));
        }
    }
}

/// The hash of a word's stem.
fn hash_term(word: &[char], letters: &mut Vec<u8>) -> u64 {
    let ascii = |letter: &char| letter.is_ascii_lowercase().then_some(*letter as u8);
    letters.clear();
    letters.extend(word.iter().map_while(ascii));
    if letters.len() < word.len() {
        return hash(TERM, word);
    }
    stem_word(letters);
    finalise_hash(
        letters
            .iter()
            .fold(hash_seed(TERM), |state, &byte| hash_byte(state, byte)),
    )
}

/// Distinguishes words from n-grams of equal spelling.
const TERM: u8 = 1;
const PART: u8 = 2;

/// FNV-1a over UTF-8 (G. Fowler, L. C. Noll, K.-P. Vo), with a finaliser for uniform bits.
fn hash(kind: u8, characters: &[char]) -> u64 {
    let mut state = hash_seed(kind);
    for character in characters {
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            state = hash_byte(state, byte);
        }
    }
    finalise_hash(state)
}

fn hash_seed(kind: u8) -> u64 {
    hash_byte(0xcbf2_9ce4_8422_2325, kind)
}

fn hash_byte(state: u64, byte: u8) -> u64 {
    (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
}

/// The finaliser of MurmurHash3 (A. Appleby).
fn finalise_hash(mut state: u64) -> u64 {
    state ^= state >> 33;
    state = state.wrapping_mul(0xff51_afd7_ed55_8ccd);
    state ^= state >> 33;
    state = state.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    state ^ (state >> 33)
}

const STOP_WORDS: &str = "
a about above after again against all also although always am an and another any are arent as at away back be became
because been before behind being below between both but by can cannot cant could couldnt did didnt do does doesnt doing
done dont down during each either else enough even ever every few for from further get gets getting give given go goes
going gone got had hadnt has hasnt have havent having he hed her here hers herself hes him himself his how however i if
im in into is isnt it its itself ive just keep keeps kept least less let lets like made make makes many may me might
mine more most much must my myself near need needs neither never next no nor not nothing now of off often on once one
only or other others our ours ourselves out over own per perhaps put puts quite rather same say says see seem seems seen
several shall she shes should shouldnt since so some someone something soon still such take takes than that thats the
their theirs them themselves then there theres these they theyd theyll theyre theyve thing things this those though
through thus to together too took toward towards two under unless until up upon us use used uses using very was wasnt we
well went were werent weve what whats when where whether which while who whole whom whos whose why will with within
without wont would wouldnt yet you youd youll your youre yours yourself youve
";

/// Whether a normalised word is a stop word.
fn is_stop_word(word: &[char]) -> bool {
    static WORDS: LazyLock<HashSet<Vec<char>>> = LazyLock::new(|| {
        let words = STOP_WORDS.split_whitespace();
        words.map(|word| word.chars().collect()).collect()
    });
    WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_looked_up_whole() {
        let is = |word: &str| is_stop_word(&word.chars().collect::<Vec<_>>());
        assert_eq!(STOP_WORDS.split_whitespace().count(), 257);
        for word in STOP_WORDS.split_whitespace() {
            assert!(is(word), "{word}");
        }
        for word in [
            "",
            "planet",
            "th",
            "thee",
            "yourselvesandothers",
            "thé",
            "的",
        ] {
            assert!(!is(word), "{word}");
        }
    }
}
