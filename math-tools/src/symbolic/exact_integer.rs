//! [`ExactInteger`]: an integer of any length in arguments and results.

use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive as _;
use symbolic::integers::read_integer;
use tool_core::convert::{DecodeError, EncodeError, Encoder};
use tool_core::schema::json;
use tool_core::value::SAFE_INTEGER;

use crate::prelude::*;

/// Most bits of an integer in an argument: 9,864 digits.
pub(super) const ARGUMENT_BITS_MAX: u64 = 1 << 15;

/// An integer: a number up to 2^53, beyond it a string of its digits. Arguments may also be short expressions such as `2^127 - 1` or `30!`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ExactInteger(pub(crate) BigInt);

impl ExactInteger {
    /// The natural number, if it is one.
    pub(super) fn to_natural(&self) -> Option<BigUint> {
        self.0.to_biguint()
    }
}

impl<T: Into<BigInt>> From<T> for ExactInteger {
    fn from(integer: T) -> Self {
        Self(integer.into())
    }
}

impl Encode for ExactInteger {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        let small = self.0.to_i64();
        match small.filter(|small| small.unsigned_abs() <= SAFE_INTEGER.unsigned_abs()) {
            Some(small) => small.encode(encoder),
            None => self.0.to_string().encode(encoder),
        }
    }
}

impl Decode for ExactInteger {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let expected = "an integer, or beyond 2^53 a string of its digits";
        if let Some(text) = value.as_str() {
            let read = read_integer(text, ARGUMENT_BITS_MAX);
            return read
                .map(Self)
                .map_err(|err| DecodeError::new(format_args!("expected {expected}: {err}")));
        }
        // An integer of more than 2^53 is kept with its digits.
        let whole = match value {
            Value::Int(whole) => Some(*whole),
            Value::Float(number)
                if number.fract() == 0.0 && number.abs() <= SAFE_INTEGER as f64 =>
            {
                Some(*number as i64)
            }
            _ => None,
        };
        whole
            .map(Self::from)
            .ok_or_else(|| DecodeError::expected(expected, value))
    }
}

tool_core::inline_schema!(
    ExactInteger,
    json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] })
);

/// An integer by its name.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub(crate) struct NamedInteger {
    /// What it is.
    pub name: String,
    /// The integer.
    pub value: ExactInteger,
}

impl NamedInteger {
    pub(super) fn new(name: &str, value: impl Into<BigInt>) -> Self {
        Self {
            name: name.to_owned(),
            value: ExactInteger(value.into()),
        }
    }
}

/// The digits of an integer for a sentence: the first and last of a long one.
pub(super) fn short_digits(integer: &BigInt) -> String {
    const SHOWN: usize = 12;
    let digits = integer.to_string();
    match digits.len() > 60 {
        true => format!(
            "{}…{} ({} digits)",
            &digits[..SHOWN],
            &digits[digits.len() - SHOWN..],
            digits.trim_start_matches('-').len()
        ),
        false => digits,
    }
}
