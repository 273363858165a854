//! Checked scalar types, each with its rule, schema and check.

use crate::convert::{Decode, DecodeError, Encode, EncodeError, Encoder};
use crate::number;
use crate::schema::json;
use crate::value::{SAFE_INTEGER, Value};

/// Defines a checked `f64`: constructor, decoding, schema.
macro_rules! checked_number {
    ($(#[$doc:meta])* $name:ident, $expected:literal, |$value:ident| $rule:expr, $schema:tt) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Encode)]
        #[value(transparent)]
        pub struct $name(f64);

        impl $name {
            /// The checked value; `None` when the rule does not hold.
            pub fn new($value: f64) -> Option<Self> {
                ($value.is_finite() && $rule).then_some(Self($value))
            }

            /// A value known when the program is compiled; panics at compile time when the rule does not hold.
            pub const fn literal($value: f64) -> Self {
                assert!($value.is_finite() && $rule, $expected);
                Self($value)
            }

            /// The number.
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl Decode for $name {
            fn decode(value: &Value) -> Result<Self, DecodeError> {
                let mismatch = |found: &str| DecodeError::new(format_args!("expected {}, found {found}", $expected));
                match value.as_f64() {
                    Some(number) => Self::new(number).ok_or_else(|| mismatch(&number::non_finite_spelling(number))),
                    None => Err(DecodeError::unexpected(value, $expected)),
                }
            }
        }

        inline_schema!($name, json!($schema));
    };
}

checked_number!(
    /// A finite number.
    Finite, "a finite number", |value| value.is_finite(), { "type": "number" }
);
checked_number!(
    /// A finite number greater than zero.
    Positive, "a number greater than 0", |value| value > 0.0, { "type": "number", "exclusiveMinimum": 0 }
);
checked_number!(
    /// A number from 0 to 1, both included.
    Probability, "a number from 0 to 1", |value| value >= 0.0 && value.abs() <= 1.0, { "type": "number", "minimum": 0, "maximum": 1 }
);
checked_number!(
    /// A finite number of at least zero.
    Tolerance, "a number of at least 0", |value| value >= 0.0, { "type": "number", "minimum": 0 }
);

/// A double in a result that may be non-finite; those are spelled `"NaN"`, `"Infinity"`, `"-Infinity"`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Real(pub f64);

impl From<f64> for Real {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

impl Encode for Real {
    fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
        Ok(match self.0.is_finite() {
            true => Value::Float(self.0),
            false => Value::from(number::non_finite_spelling(self.0)),
        })
    }
}

impl Decode for Real {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let number = match value.as_str() {
            Some(text) => number::from_spelling(text),
            None => value.as_f64(),
        };
        let expected = "a number, \"NaN\", \"Infinity\" or \"-Infinity\"";
        let mismatch = || DecodeError::expected(expected, value);
        number.map(Self).ok_or_else(mismatch)
    }
}

inline_schema!(
    Real,
    json!({ "anyOf": [{ "type": "number" }, { "enum": ["NaN", "Infinity", "-Infinity"] }] })
);

/// An integer from `MIN` to `MAX`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Encode)]
#[value(transparent)]
pub struct BoundedInteger<const MIN: i64, const MAX: i64>(i64);

/// A count of at least one.
pub type Count = BoundedInteger<1, SAFE_INTEGER>;

impl<const MIN: i64, const MAX: i64> BoundedInteger<MIN, MAX> {
    /// The checked value; `None` when it is out of range.
    pub const fn new(value: i64) -> Option<Self> {
        if MIN <= value && value <= MAX {
            Some(Self(value))
        } else {
            None
        }
    }

    /// A value known when the program is compiled; panics at compile time when it is out of range.
    pub const fn literal(value: i64) -> Self {
        assert!(MIN <= value && value <= MAX, "out of range");
        Self(value)
    }

    /// The value `N`, checked against the range at compile time: a default for serde.
    pub const fn of<const N: i64>() -> Self {
        const { Self::literal(N) }
    }

    /// The integer.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The integer as a size; only for ranges that start at zero or above (checked when compiled).
    pub const fn size(self) -> usize {
        const { assert!(MIN >= 0, "a size cannot be negative") };
        self.0 as usize
    }
}

impl<const MIN: i64, const MAX: i64> Decode for BoundedInteger<MIN, MAX> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let integer = value.as_i64();
        integer.and_then(Self::new).ok_or_else(|| {
            let found = integer.map_or_else(|| value.clone(), Value::Int);
            out_of_range(&found, MIN, MAX)
        })
    }
}

fn out_of_range(found: &Value, min: i64, max: i64) -> DecodeError {
    let expected = match max {
        SAFE_INTEGER => format!("an integer of at least {min}"),
        _ => format!("an integer from {min} to {max}"),
    };
    DecodeError::unexpected(found, expected)
}

inline_schema!([const MIN: i64, const MAX: i64] BoundedInteger<MIN, MAX>,
    if MAX == SAFE_INTEGER {
        json!({ "type": "integer", "minimum": MIN })
    } else {
        json!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
);

/// A 64-bit random seed: a number up to 2^53, or any 64-bit integer as a decimal string. Negative ones are taken modulo 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RandomSeed(u64);

impl RandomSeed {
    /// The seed where nothing else sets one.
    pub const DEFAULT: Self = Self(42);

    /// A seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The 64 bits.
    pub const fn get(self) -> u64 {
        self.0
    }

    fn parse(text: &str) -> Option<Self> {
        let value: i128 = text.parse().ok()?;
        (i128::from(i64::MIN)..=i128::from(u64::MAX))
            .contains(&value)
            .then_some(Self(value as u64))
    }
}

impl Default for RandomSeed {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Encode for RandomSeed {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        self.0.encode(encoder)
    }
}

impl Decode for RandomSeed {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let seed = match value {
            Value::String(text) => Self::parse(text),
            Value::Int(number) => Some(Self(*number as u64)),
            Value::Float(number) => (number.fract() == 0.0 && number.abs() <= SAFE_INTEGER as f64)
                .then_some(Self(*number as i64 as u64)),
            _ => None,
        };
        let expected = "an integer up to 2^53, or a 64-bit integer as a string";
        seed.ok_or_else(|| DecodeError::expected(expected, value))
    }
}

inline_schema!(
    RandomSeed,
    json!({ "anyOf": [{ "type": "integer" }, { "type": "string", "pattern": "^-?[0-9]{1,20}$" }] })
);
