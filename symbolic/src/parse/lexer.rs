//! Texts into tokens.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::{ReadFault, TEXT_LIMIT};
use crate::greek::greek_name_of_sign;
use crate::tree::RelationKind;

/// Tokens of a text.
const TOKEN_LIMIT: usize = 5_000;

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NotationTokenKind {
    Number(BigRational),
    /// Letters; of LaTeX one each.
    Name(String),
    /// `\name`.
    Command(String),
    /// One of `+ - * / ^ _ ( ) [ ] { } | , ; ! ' &`.
    Sign(char),
    Relation(RelationKind),
    /// `\\`.
    RowBreak,
}

/// A token and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextToken {
    pub kind: NotationTokenKind,
    pub place: usize,
    /// Whether a space stands before it.
    pub is_apart: bool,
}

const SUPERSCRIPTS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const SUBSCRIPTS: &str = "₀₁₂₃₄₅₆₇₈₉";

struct TokenReader<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<TextToken>,
    is_latex: bool,
}

/// Splits a text.
pub(super) fn split_tokens(text: &str) -> Result<Vec<TextToken>, ReadFault> {
    if text.len() > TEXT_LIMIT {
        return Err(ReadFault {
            message: format!("expected at most {TEXT_LIMIT} bytes, found {}", text.len()),
            place: TEXT_LIMIT,
        });
    }
    let mut reader = TokenReader {
        text,
        at: 0,
        tokens: Vec::new(),
        is_latex: text.contains('\\'),
    };
    let mut is_apart = false;
    while let Some(next) = reader.peek() {
        if next.is_whitespace() || matches!(next, '$' | '~' | '\u{2061}' | '\u{2062}') {
            reader.at += next.len_utf8();
            is_apart = true;
            continue;
        }
        let place = reader.at;
        let before = reader.tokens.len();
        reader.read_token(next)?;
        for token in &mut reader.tokens[before..] {
            token.place = place;
        }
        if let Some(token) = reader.tokens.get_mut(before) {
            token.is_apart = is_apart;
            is_apart = false;
        }
        if reader.tokens.len() > TOKEN_LIMIT {
            return Err(reader.fault(format!("more than {TOKEN_LIMIT} signs")));
        }
    }
    Ok(reader.tokens)
}

impl TokenReader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn fault(&self, message: String) -> ReadFault {
        ReadFault {
            message,
            place: self.at,
        }
    }

    fn push(&mut self, kind: NotationTokenKind, bytes: usize) {
        self.tokens.push(TextToken {
            kind,
            place: self.at,
            is_apart: false,
        });
        self.at += bytes;
    }

    fn read_token(&mut self, next: char) -> Result<(), ReadFault> {
        let starts_fraction =
            next == '.' && self.rest()[1..].starts_with(|c: char| c.is_ascii_digit());
        if next.is_ascii_digit() || starts_fraction {
            return self.read_number();
        }
        if next.is_ascii_alphabetic() {
            return self.read_name();
        }
        if next == '\\' {
            return self.read_command();
        }
        if SUPERSCRIPTS.contains(next) || next == '⁻' || next == 'ⁿ' || next == 'ˣ' {
            self.read_superscript();
            return Ok(());
        }
        if SUBSCRIPTS.contains(next) {
            let digits: String = self
                .rest()
                .chars()
                .map_while(|c| digit_among(c, SUBSCRIPTS))
                .collect();
            self.push(NotationTokenKind::Sign('_'), 0);
            self.push(NotationTokenKind::Name(digits.clone()), 3 * digits.len());
            return Ok(());
        }
        self.read_sign(next)
    }

    fn read_number(&mut self) -> Result<(), ReadFault> {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| {
            bytes[from..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count()
        };
        let whole = digits(0);
        let mut end = whole;
        let mut decimals = 0;
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
            decimals = digits(end + 1);
            end += 1 + decimals;
        } else if bytes.get(end) == Some(&b'.') && whole > 0 {
            end += 1;
        }
        let mantissa: String = self.rest()[..end]
            .chars()
            .filter(char::is_ascii_digit)
            .collect();
        let mut exponent = -(decimals as i64);
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
            let count = digits(end + 1 + sign);
            let is_exponent = count > 0 && !self.is_latex;
            if is_exponent {
                let value: i64 = self.rest()[end + 1..end + 1 + sign + count]
                    .trim_start_matches('+')
                    .parse()
                    .map_err(|_| self.fault("the exponent of ten is too large".to_owned()))?;
                exponent += value;
                end += 1 + sign + count;
            }
        }
        if exponent.abs() > 2_000 || mantissa.len() > 3_000 {
            return Err(self.fault(
                "a number has more digits than 3000 or an exponent of ten beyond 2000".to_owned(),
            ));
        }
        let Ok(value) = mantissa.parse::<BigInt>() else {
            return Err(self.fault("expected a number".to_owned()));
        };
        let ten = BigInt::from(10).pow(exponent.unsigned_abs() as u32);
        let value = match exponent < 0 {
            true => BigRational::new(value, ten),
            false => BigRational::new(value * ten, BigInt::one()),
        };
        self.push(NotationTokenKind::Number(value), end);
        Ok(())
    }

    fn read_name(&mut self) -> Result<(), ReadFault> {
        let rest = self.rest();
        if self.is_latex {
            let letter: String = rest.chars().take(1).collect();
            self.push(NotationTokenKind::Name(letter), 1);
            return Ok(());
        }
        for prefix in ["numpy.", "math.", "np."] {
            if rest.starts_with(prefix) {
                self.at += prefix.len();
                return Ok(());
            }
        }
        let count = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let name = rest[..count].to_owned();
        self.push(NotationTokenKind::Name(name), count);
        Ok(())
    }

    fn read_command(&mut self) -> Result<(), ReadFault> {
        let rest = &self.rest()[1..];
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        if letters > 0 {
            let name = rest[..letters].to_owned();
            self.push_command(name, letters + 1);
            return Ok(());
        }
        match rest.chars().next() {
            Some('\\') => self.push(NotationTokenKind::RowBreak, 2),
            Some(',' | ';' | ':' | '!' | ' ' | '\n') => self.at += 2,
            Some(sign @ ('{' | '}')) => {
                let name = if sign == '{' { "lbrace" } else { "rbrace" };
                self.push(NotationTokenKind::Command(name.to_owned()), 2);
            }
            Some('|') => self.push(NotationTokenKind::Sign('|'), 2),
            _ => return Err(self.fault("a backslash without a command".to_owned())),
        }
        Ok(())
    }

    fn push_command(&mut self, name: String, bytes: usize) {
        let kind = match name.as_str() {
            "quad" | "qquad" | "displaystyle" | "textstyle" | "limits" | "nolimits" | "big"
            | "Big" | "bigl" | "bigr" | "Bigl" | "Bigr" | "bigg" | "Bigg" | "biggl" | "biggr"
            | "left" | "right" | "mathstrut" | "strut" | "middle" => {
                self.at += bytes;
                // `\left.` and `\right.` are no bracket.
                if matches!(name.as_str(), "left" | "right")
                    && self.rest().trim_start().starts_with('.')
                {
                    self.at += self.rest().len() - self.rest().trim_start().len() + 1;
                }
                return;
            }
            "cdot" | "times" | "ast" => NotationTokenKind::Sign('*'),
            "div" => NotationTokenKind::Sign('/'),
            "lvert" | "rvert" | "vert" | "mid" => NotationTokenKind::Sign('|'),
            "le" | "leq" | "leqslant" => NotationTokenKind::Relation(RelationKind::LessEqual),
            "ge" | "geq" | "geqslant" => NotationTokenKind::Relation(RelationKind::GreaterEqual),
            "ne" | "neq" => NotationTokenKind::Relation(RelationKind::Unequal),
            "lt" => NotationTokenKind::Relation(RelationKind::Less),
            "gt" => NotationTokenKind::Relation(RelationKind::Greater),
            "prime" => NotationTokenKind::Sign('\''),
            "lparen" => NotationTokenKind::Sign('('),
            "rparen" => NotationTokenKind::Sign(')'),
            _ => NotationTokenKind::Command(name),
        };
        self.push(kind, bytes);
    }

    fn read_superscript(&mut self) {
        self.push(NotationTokenKind::Sign('^'), 0);
        self.push(NotationTokenKind::Sign('{'), 0);
        while let Some(next) = self.peek() {
            match next {
                '⁻' => self.push(NotationTokenKind::Sign('-'), next.len_utf8()),
                'ⁿ' => self.push(NotationTokenKind::Name("n".to_owned()), next.len_utf8()),
                'ˣ' => self.push(NotationTokenKind::Name("x".to_owned()), next.len_utf8()),
                _ if SUPERSCRIPTS.contains(next) => {
                    let digits: String = self
                        .rest()
                        .chars()
                        .map_while(|c| digit_among(c, SUPERSCRIPTS))
                        .collect();
                    let bytes = self
                        .rest()
                        .chars()
                        .take(digits.len())
                        .map(char::len_utf8)
                        .sum();
                    let value = digits.parse::<BigInt>().unwrap_or_else(|_| BigInt::one());
                    self.push(
                        NotationTokenKind::Number(BigRational::from_integer(value)),
                        bytes,
                    );
                }
                _ => break,
            }
        }
        self.push(NotationTokenKind::Sign('}'), 0);
    }

    fn read_sign(&mut self, next: char) -> Result<(), ReadFault> {
        let pairs = [
            ("**", NotationTokenKind::Sign('^')),
            ("<=", NotationTokenKind::Relation(RelationKind::LessEqual)),
            (
                ">=",
                NotationTokenKind::Relation(RelationKind::GreaterEqual),
            ),
            ("==", NotationTokenKind::Relation(RelationKind::Equal)),
            ("!=", NotationTokenKind::Relation(RelationKind::Unequal)),
        ];
        for (sign, kind) in pairs {
            if self.rest().starts_with(sign) {
                self.push(kind, sign.len());
                return Ok(());
            }
        }
        let bytes = next.len_utf8();
        let kind = match next {
            '+' | '*' | '/' | '^' | '_' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | ',' | ';'
            | '!' | '\'' | '&' => NotationTokenKind::Sign(next),
            '-' | '−' | '–' => NotationTokenKind::Sign('-'),
            '×' | '·' | '⋅' | '∗' => NotationTokenKind::Sign('*'),
            '÷' | '∕' => NotationTokenKind::Sign('/'),
            '′' => NotationTokenKind::Sign('\''),
            '=' => NotationTokenKind::Relation(RelationKind::Equal),
            '<' => NotationTokenKind::Relation(RelationKind::Less),
            '>' => NotationTokenKind::Relation(RelationKind::Greater),
            '≤' | '⩽' => NotationTokenKind::Relation(RelationKind::LessEqual),
            '≥' | '⩾' => NotationTokenKind::Relation(RelationKind::GreaterEqual),
            '≠' => NotationTokenKind::Relation(RelationKind::Unequal),
            '√' => NotationTokenKind::Command("sqrt".to_owned()),
            '∞' => NotationTokenKind::Command("infty".to_owned()),
            '∫' => NotationTokenKind::Command("int".to_owned()),
            '∑' | 'Σ' => NotationTokenKind::Command("sum".to_owned()),
            '→' => NotationTokenKind::Command("to".to_owned()),
            '⌊' => NotationTokenKind::Command("lfloor".to_owned()),
            '⌋' => NotationTokenKind::Command("rfloor".to_owned()),
            '⌈' => NotationTokenKind::Command("lceil".to_owned()),
            '⌉' => NotationTokenKind::Command("rceil".to_owned()),
            _ => match greek_name_of_sign(next) {
                Some(name) => NotationTokenKind::Command(name.to_owned()),
                None => return Err(self.fault(format!("`{next}` is no sign of the language"))),
            },
        };
        self.push(kind, bytes);
        Ok(())
    }
}

fn digit_among(sign: char, digits: &str) -> Option<char> {
    digits
        .chars()
        .position(|digit| digit == sign)
        .and_then(|value| char::from_digit(value as u32, 10))
}
