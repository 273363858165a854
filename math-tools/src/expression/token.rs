//! From text to tokens with their columns.

use super::error::{ExpressionError, GRAMMAR};
use super::{LENGTH_MAX, TOKENS_MAX};

/// One token and its 1-based column, in characters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ExpressionToken<'a> {
    pub(super) kind: TokenKind<'a>,
    pub(super) text: &'a str,
    pub(super) column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TokenKind<'a> {
    /// A number, by its nearest double.
    Number(f64),
    /// A name without its prefix, and whether it had one.
    Name { name: &'a str, prefixed: bool },
    /// An operator, a parenthesis, a bracket or a comma.
    Sign,
    /// The end of the text.
    End,
}

const PREFIXES: [&str; 3] = ["np", "numpy", "math"];
/// The hint for a text that is too long.
const SPLIT: &str = "split the expression";
/// Replacements for signs that the language does not have.
const REPLACEMENTS: &[(&str, &str)] = &[
    ("&", "multiply comparisons: `(a < b) * (b < c)`"),
    (
        "|",
        "write `max(a < b, c < d)` for \"or\", `abs(x)` for a magnitude",
    ),
    ("!", "write `factorial(n)`, or `!=` to compare"),
    ("?", "write `if(condition, a, b)`"),
    ("{", "use parentheses"),
    ("\u{d7}", "write `*`"),
    ("\u{b7}", "write `*`"),
    ("\u{22c5}", "write `*`"),
    ("\u{f7}", "write `/`"),
    ("\u{2212}", "write the ASCII minus `-`"),
    ("\u{2013}", "write the ASCII minus `-`"),
    ("\u{b2}", "write `**2`"),
    ("\u{b3}", "write `**3`"),
    ("\u{221a}", "write `sqrt(x)`"),
    ("\u{3c0}", "write `pi`"),
    ("\u{3c4}", "write `tau`"),
    ("\u{221e}", "there is no infinity here"),
];

/// Splits a text into tokens; the last one is [`TokenKind::End`].
pub(super) fn tokenise_text(text: &str) -> Result<Vec<ExpressionToken<'_>>, ExpressionError> {
    if text.len() > LENGTH_MAX {
        let message = format!(
            "the expression has {} bytes, the limit is {LENGTH_MAX}",
            text.len()
        );
        return Err(ExpressionError::new(message, SPLIT));
    }
    let mut tokens = Vec::with_capacity((text.len() / 2 + 2).min(TOKENS_MAX));
    let (mut offset, mut column) = (0, 1);
    loop {
        let rest = &text[offset..];
        let Some(first) = rest.chars().next() else {
            tokens.push(ExpressionToken {
                kind: TokenKind::End,
                text: "",
                column,
            });
            return Ok(tokens);
        };
        if first.is_whitespace() {
            offset += first.len_utf8();
            column += 1;
            continue;
        }
        if tokens.len() == TOKENS_MAX {
            let message =
                format!("more than {TOKENS_MAX} numbers, names and signs, at column {column}");
            return Err(ExpressionError::new(message, SPLIT));
        }
        let (kind, length) = read_token(rest, first, column)?;
        tokens.push(ExpressionToken {
            kind,
            text: &rest[..length],
            column,
        });
        offset += length;
        column += length; // a token is ASCII: bytes are characters
    }
}

/// The token at the start of a text that starts with `first`, and its length in bytes.
fn read_token(
    rest: &str,
    first: char,
    column: usize,
) -> Result<(TokenKind<'_>, usize), ExpressionError> {
    let second_is_digit = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    if first.is_ascii_digit() || (first == '.' && second_is_digit) {
        return read_number(rest, column);
    }
    if first.is_ascii_alphabetic() || first == '_' {
        return Ok(read_name(rest));
    }
    let length = match rest.as_bytes() {
        [b'*', b'*', ..] | [b'/', b'/', ..] | [b'<' | b'>' | b'=' | b'!', b'=', ..] => 2,
        [byte, ..] if b"+-*/%^<>()[],;=".contains(byte) => 1,
        _ => {
            let replaced = REPLACEMENTS.iter().find(|(sign, _)| rest.starts_with(sign));
            return Err(ExpressionError::new(
                format!("unexpected character `{first}` at column {column}"),
                replaced.map_or(GRAMMAR, |(_, hint)| hint),
            ));
        }
    };
    Ok((TokenKind::Sign, length))
}

/// `12`, `1.5`, `.5`, `1.`, `1e-3`.
fn read_number(rest: &str, column: usize) -> Result<(TokenKind<'_>, usize), ExpressionError> {
    let bytes = rest.as_bytes();
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1;
        length += digits(length);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    match rest[..length].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((TokenKind::Number(value), length)),
        _ => Err(ExpressionError::new(
            format!("the number at column {column} is beyond the range of a double"),
            "the largest double is about 1.8e308",
        )),
    }
}

/// A name, without `np.` and the like.
fn read_name(rest: &str) -> (TokenKind<'_>, usize) {
    let length = |text: &str| {
        text.bytes()
            .take_while(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
            .count()
    };
    let first = length(rest);
    let member = rest[first..]
        .strip_prefix('.')
        .map(|member| &member[..length(member)]);
    match member {
        Some(name) if PREFIXES.contains(&&rest[..first]) && !name.is_empty() => {
            let length = first + 1 + name.len();
            (
                TokenKind::Name {
                    name,
                    prefixed: true,
                },
                length,
            )
        }
        _ => {
            let (name, prefixed) = (&rest[..first], false);
            (TokenKind::Name { name, prefixed }, first)
        }
    }
}
