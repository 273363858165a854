//! Normalisation and word segmentation.
//!
//! NFKD, lower case, accents of Latin, Greek and Cyrillic letters removed, NFC. A word is a run of letters, digits and combining
//! marks. Scripts without spaces, and emoji, yield runs of single characters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::prelude::*;

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordPiece<'a> {
    /// A word, never empty.
    Word(&'a [char]),
    /// Characters of a script without spaces, or emoji; never empty.
    Run(&'a [char]),
}

/// Characters between checks of the stop flag.
const STOP_INTERVAL: usize = 4096;

/// Calls back with every part of a text, in order.
///
/// # Errors
/// If the stop flag is set.
pub(crate) fn for_each(
    text: &str,
    stop: &StopFlag,
    visit: &mut dyn FnMut(WordPiece<'_>),
) -> Result<()> {
    if text.is_ascii() {
        let lower = text
            .bytes()
            .map(|byte| char::from(byte.to_ascii_lowercase()));
        return split_words(lower, stop, visit);
    }
    let normalised = text
        .nfkd()
        .flat_map(char::to_lowercase)
        .filter(|character| !('\u{300}'..='\u{36f}').contains(character))
        .nfc();
    split_words(normalised, stop, visit)
}

fn split_words(
    normalised: impl Iterator<Item = char>,
    stop: &StopFlag,
    visit: &mut dyn FnMut(WordPiece<'_>),
) -> Result<()> {
    let mut splitter = WordSplitter {
        kind: CharClass::End,
        buffer: Vec::new(),
        apostrophe: None,
        visit,
    };
    for (count, character) in normalised.enumerate() {
        if count % STOP_INTERVAL == 0 {
            stop.check()?;
        }
        splitter.push(character);
    }
    splitter.end();
    Ok(())
}

/// The effect of a character on the current part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Word,
    Run,
    Mark,
    Apostrophe,
    Invisible,
    End,
}

fn character_class(character: char) -> CharClass {
    if character.is_ascii_alphanumeric() {
        return CharClass::Word;
    }
    match character {
        '\'' | '\u{2019}' | '\u{ff07}' => CharClass::Apostrophe,
        _ if character.is_ascii() => CharClass::End,
        // Soft hyphen, joiners, variation selectors and skin tones change only the appearance.
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => CharClass::Invisible,
        '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' => CharClass::Invisible,
        _ if is_unspaced(character) || is_emoji(character) => CharClass::Run,
        _ if is_combining_mark(character) => CharClass::Mark,
        _ if character.is_alphanumeric() => CharClass::Word,
        _ => CharClass::End,
    }
}

/// Thai, Lao, Myanmar, Khmer, kana and the ideographs.
fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x0e01..=0x0e3a | 0x0e40..=0x0e4e
        | 0x0e81..=0x0ebd | 0x0ec0..=0x0ece | 0x0edc..=0x0edf
        | 0x1000..=0x103f | 0x1050..=0x108f
        | 0x1780..=0x17d3
        | 0x3005..=0x3007 | 0x3041..=0x3096 | 0x309d..=0x309f | 0x30a1..=0x30fa | 0x30fc..=0x30ff
        | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff
        | 0x20000..=0x3ffff)
}

fn is_emoji(character: char) -> bool {
    matches!(u32::from(character), 0x2600..=0x27bf | 0x1f000..=0x1faff)
}

struct WordSplitter<'v> {
    /// `Word` or `Run` while the buffer has a part.
    kind: CharClass,
    buffer: Vec<char>,
    /// Position in the word after an apostrophe.
    apostrophe: Option<usize>,
    visit: &'v mut dyn FnMut(WordPiece<'_>),
}

impl WordSplitter<'_> {
    fn push(&mut self, character: char) {
        match character_class(character) {
            CharClass::Invisible => {}
            CharClass::End => self.end(),
            // A mark belongs to the character before it.
            CharClass::Mark if self.buffer.is_empty() => {}
            CharClass::Mark => self.buffer.push(character),
            CharClass::Apostrophe if self.kind == CharClass::Word && self.apostrophe.is_none() => {
                self.apostrophe = Some(self.buffer.len());
            }
            CharClass::Apostrophe => self.end(),
            kind @ (CharClass::Word | CharClass::Run) => {
                if self.kind != kind {
                    self.end();
                }
                self.kind = kind;
                self.buffer.push(character);
            }
        }
    }

    fn end(&mut self) {
        match self.kind {
            CharClass::Run => (self.visit)(WordPiece::Run(&self.buffer)),
            CharClass::Word => self.end_word(),
            _ => {}
        }
        self.buffer.clear();
        self.apostrophe = None;
        self.kind = CharClass::End;
    }

    /// Removes the possessive, keeps contractions as one word, and splits `l'eau` in two.
    fn end_word(&mut self) {
        let (front, back) = self
            .buffer
            .split_at(self.apostrophe.unwrap_or(self.buffer.len()));
        match back {
            [] | ['s'] => (self.visit)(WordPiece::Word(front)),
            ['t' | 'd' | 'm'] | ['r' | 'v', 'e'] | ['l', 'l'] => {
                (self.visit)(WordPiece::Word(&self.buffer));
            }
            _ => {
                (self.visit)(WordPiece::Word(front));
                (self.visit)(WordPiece::Word(back));
            }
        }
    }
}
