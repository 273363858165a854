//! Words and signs of a formula.

use super::{FormulaError, FormulaProblem};

/// A word or sign.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FormulaToken {
    /// A name, plain or between backquotes.
    Name(String),
    /// A number.
    Number(f64),
    /// A text between quotes.
    Text(String),
    /// `+ - * / ^ : ~ | ( ) , = .`; `**` is `^`.
    Sign(char),
    /// The end.
    End,
}

impl FormulaToken {
    /// The token for messages.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Name(name) => format!("`{name}`"),
            Self::Number(number) => format!("`{number}`"),
            Self::Text(text) => format!("`\"{text}\"`"),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "the end".to_owned(),
        }
    }
}

/// A token and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlacedToken {
    pub token: FormulaToken,
    /// Character, from 1.
    pub place: usize,
}

/// The tokens of a formula; the last one is the end.
pub(super) fn read_tokens(text: &str) -> Result<Vec<PlacedToken>, FormulaError> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let first = characters[at];
        if first.is_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        let fault = |problem| FormulaError {
            problem,
            place: start + 1,
            text: text.to_owned(),
        };
        let is_number = first.is_ascii_digit()
            || (first == '.' && characters.get(at + 1).is_some_and(char::is_ascii_digit));
        let token = if is_number {
            at = number_end(&characters, at);
            let word: String = characters[start..at].iter().collect();
            let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
            FormulaToken::Number(number.ok_or_else(|| fault(FormulaProblem::Character(first)))?)
        } else if first.is_alphabetic() || first == '_' {
            while at < characters.len() && is_name_character(characters[at]) {
                at += 1;
            }
            FormulaToken::Name(characters[start..at].iter().collect())
        } else if matches!(first, '`' | '"' | '\'') {
            let rest = &characters[at + 1..];
            let length = rest.iter().position(|character| *character == first);
            let length = length.ok_or_else(|| fault(FormulaProblem::OpenQuote))?;
            at += length + 2;
            let word = rest[..length].iter().collect();
            match first {
                '`' => FormulaToken::Name(word),
                _ => FormulaToken::Text(word),
            }
        } else if "+-*/^:~|(),=.".contains(first) {
            at += 1;
            if first == '*' && characters.get(at) == Some(&'*') {
                at += 1;
                FormulaToken::Sign('^')
            } else {
                FormulaToken::Sign(first)
            }
        } else {
            return Err(fault(FormulaProblem::Character(first)));
        };
        tokens.push(PlacedToken {
            token,
            place: start + 1,
        });
    }
    tokens.push(PlacedToken {
        token: FormulaToken::End,
        place: characters.len() + 1,
    });
    Ok(tokens)
}

/// Dots are part of names, as in R.
fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.')
}

fn number_end(characters: &[char], mut at: usize) -> usize {
    let digits = |mut at: usize| {
        while characters.get(at).is_some_and(char::is_ascii_digit) {
            at += 1;
        }
        at
    };
    at = digits(at);
    if characters.get(at) == Some(&'.') {
        at = digits(at + 1);
    }
    if matches!(characters.get(at), Some('e' | 'E')) {
        let sign = usize::from(matches!(characters.get(at + 1), Some('+' | '-')));
        if characters
            .get(at + 1 + sign)
            .is_some_and(char::is_ascii_digit)
        {
            at = digits(at + 1 + sign);
        }
    }
    at
}
