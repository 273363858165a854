//! The parts of an expression that has texts in it.

use crate::prelude::*;

/// A part of an expression, and where it begins.
pub(super) struct PhraseToken {
    pub(super) start: usize,
    pub(super) kind: TextTokenKind,
}

/// What it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TextTokenKind {
    Name(String),
    /// A text in quotes.
    Text(String),
    Comparison(&'static str),
    Open,
    Close,
    Comma,
    Other,
}

/// Signs of comparisons, the longer ones first.
const COMPARISONS: [&str; 6] = ["<=", ">=", "==", "!=", "<", ">"];

/// The parts of an expression, without the space between them.
///
/// # Errors
/// A text that is not closed.
pub(super) fn split_phrase(text: &str, pointer: &str) -> Result<Vec<PhraseToken>, ToolError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let (kind, length) = match first {
            '"' | '\'' => {
                let Some(end) = rest[1..].find(first) else {
                    refuse!(invalid pointer, "phrase"; "a text is not closed in `{text}`"; "close it with the same quote");
                };
                (TextTokenKind::Text(rest[1..=end].to_owned()), end + 2)
            }
            '(' => (TextTokenKind::Open, 1),
            ')' => (TextTokenKind::Close, 1),
            ',' => (TextTokenKind::Comma, 1),
            letter if letter.is_alphabetic() || letter == '_' => {
                let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
                (TextTokenKind::Name(rest[..length].to_owned()), length)
            }
            // The letters of a number, such as `1e5`, are no name.
            digit if digit.is_ascii_digit() => {
                let is_digit = |letter: char| is_part(letter) || letter == '.';
                let length = rest.find(|letter| !is_digit(letter)).unwrap_or(rest.len());
                (TextTokenKind::Other, length)
            }
            other => {
                let sign = COMPARISONS.iter().find(|sign| rest.starts_with(**sign));
                match sign {
                    Some(sign) => (TextTokenKind::Comparison(sign), sign.len()),
                    None => (TextTokenKind::Other, other.len_utf8()),
                }
            }
        };
        if !first.is_whitespace() {
            tokens.push(PhraseToken { start: at, kind });
        }
        at += length;
    }
    Ok(tokens)
}
