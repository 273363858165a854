//! Integers as they are written: digits, and short expressions such as `2^127 - 1`, `10**30 + 57`, `30!`.

use num_bigint::BigInt;
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};
use thiserror::Error;

/// Most nested parentheses.
const DEPTH_MAX: usize = 50;

/// Why a text is no integer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IntegerReadError {
    /// Another sign was expected.
    #[error("expected {expected} at character {place}, found {found}")]
    Unexpected {
        /// What could stand there.
        expected: &'static str,
        /// Place, from 1.
        place: usize,
        /// What stands there.
        found: String,
    },
    /// It has more bits than it may have.
    #[error("the integer has more than {bits} bits")]
    TooLarge {
        /// The limit.
        bits: u64,
    },
    /// A quotient is not whole, or by 0.
    #[error("the quotient at character {place} is no integer")]
    NotWhole {
        /// Place, from 1.
        place: usize,
    },
    /// Parentheses are nested too deeply.
    #[error("parentheses are nested deeper than {DEPTH_MAX}")]
    TooDeep,
}

/// Reads an integer of at most `bits` bits. Operators: `+ - *`, `/` where it is whole, `^` and `**` (to the right), `!`, parentheses; digits may be
/// grouped by `_`, or in threes by spaces or commas.
///
/// # Errors
/// [`IntegerReadError`].
pub fn read_integer(text: &str, bits: u64) -> Result<BigInt, IntegerReadError> {
    let mut reader = IntegerReader {
        letters: text.chars().collect(),
        at: 0,
        bits,
        depth: 0,
    };
    let value = reader.sum()?;
    reader.skip_spaces();
    match reader.letters.get(reader.at) {
        None => Ok(value),
        Some(_) => Err(reader.unexpected("an operator or the end")),
    }
}

struct IntegerReader {
    letters: Vec<char>,
    at: usize,
    bits: u64,
    depth: usize,
}

impl IntegerReader {
    fn skip_spaces(&mut self) {
        while self
            .letters
            .get(self.at)
            .is_some_and(|one| one.is_whitespace())
        {
            self.at += 1;
        }
    }

    fn take(&mut self, sign: &str) -> bool {
        self.skip_spaces();
        let length = sign.chars().count();
        let there = self.letters.get(self.at..self.at + length);
        let fits = there.is_some_and(|there| there.iter().copied().eq(sign.chars()));
        if fits {
            self.at += length;
        }
        fits
    }

    fn unexpected(&self, expected: &'static str) -> IntegerReadError {
        let found = self.letters.get(self.at);
        IntegerReadError::Unexpected {
            expected,
            place: self.at + 1,
            found: found.map_or_else(|| "the end".to_owned(), |one| format!("`{one}`")),
        }
    }

    fn bounded(&self, value: BigInt) -> Result<BigInt, IntegerReadError> {
        match value.bits() <= self.bits {
            true => Ok(value),
            false => Err(IntegerReadError::TooLarge { bits: self.bits }),
        }
    }

    fn sum(&mut self) -> Result<BigInt, IntegerReadError> {
        let mut value = self.product()?;
        loop {
            value = if self.take("+") {
                value + self.product()?
            } else if self.take("-") || self.take("\u{2212}") {
                value - self.product()?
            } else {
                return self.bounded(value);
            };
        }
    }

    fn product(&mut self) -> Result<BigInt, IntegerReadError> {
        let mut value = self.signed()?;
        loop {
            self.skip_spaces();
            let is_power = self.letters.get(self.at..self.at + 2) == Some(&['*', '*']);
            if !is_power && (self.take("*") || self.take("\u{d7}")) {
                let factor = self.signed()?;
                value = self.bounded(value * factor)?;
            } else if self.take("/") {
                let place = self.at;
                let divisor = self.signed()?;
                if divisor.is_zero() || !(&value % &divisor).is_zero() {
                    return Err(IntegerReadError::NotWhole { place });
                }
                value /= divisor;
            } else {
                return Ok(value);
            }
        }
    }

    fn signed(&mut self) -> Result<BigInt, IntegerReadError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(IntegerReadError::TooDeep);
        }
        let value = if self.take("-") || self.take("\u{2212}") {
            -self.signed()?
        } else if self.take("+") {
            self.signed()?
        } else {
            self.power()?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn power(&mut self) -> Result<BigInt, IntegerReadError> {
        let base = self.factorial()?;
        if !(self.take("**") || self.take("^")) {
            return Ok(base);
        }
        let place = self.at;
        let exponent = self.signed()?;
        if exponent.is_negative() {
            return Err(IntegerReadError::NotWhole { place });
        }
        if base.magnitude().is_one() || base.is_zero() {
            let is_odd = exponent.bit(0);
            return Ok(match (exponent.is_zero(), base.is_negative() && !is_odd) {
                (true, _) | (_, true) => BigInt::one(),
                _ => base,
            });
        }
        let too_large = IntegerReadError::TooLarge { bits: self.bits };
        let exponent = exponent.to_u32().ok_or_else(|| too_large.clone())?;
        match u64::from(exponent).saturating_mul(base.bits() - 1) > self.bits {
            true => Err(too_large),
            false => self.bounded(base.pow(exponent)),
        }
    }

    fn factorial(&mut self) -> Result<BigInt, IntegerReadError> {
        let mut value = self.primary()?;
        while self.take("!") {
            let too_large = IntegerReadError::TooLarge { bits: self.bits };
            let n = value.to_u64().ok_or_else(|| too_large.clone())?;
            if n > self.bits {
                return Err(too_large);
            }
            let mut product = BigInt::one();
            for factor in 2..=n {
                product = self.bounded(product * factor)?;
            }
            value = product;
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<BigInt, IntegerReadError> {
        if self.take("(") {
            let value = self.sum()?;
            return match self.take(")") {
                true => Ok(value),
                false => Err(self.unexpected("`)`")),
            };
        }
        self.skip_spaces();
        let mut digits = String::new();
        while let Some(one) = self.letters.get(self.at) {
            let three = self.letters.get(self.at + 1..self.at + 4);
            let is_group = three.is_some_and(|three| three.iter().all(char::is_ascii_digit))
                && !self
                    .letters
                    .get(self.at + 4)
                    .is_some_and(char::is_ascii_digit);
            match one {
                digit if digit.is_ascii_digit() => digits.push(*digit),
                '_' if !digits.is_empty() => {}
                ' ' | ',' | '\u{2009}' | '\u{202f}' | '\u{a0}'
                    if !digits.is_empty() && is_group => {}
                _ => break,
            }
            self.at += 1;
        }
        if digits.is_empty() {
            return Err(self.unexpected("an integer"));
        }
        if (digits.len() as u64).saturating_mul(3) > self.bits.saturating_add(3) {
            return Err(IntegerReadError::TooLarge { bits: self.bits });
        }
        let value = BigInt::parse_bytes(digits.as_bytes(), 10).unwrap_or_default();
        self.bounded(value)
    }
}
