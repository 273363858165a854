//! Checked scalar types, each with its rule, schema and check.

use std::fmt;

use schemars::json_schema;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::number;
use crate::value::{SAFE_INTEGER, Value};

/// Defines a checked `f64`: constructor, decoding, schema.
macro_rules! checked_number {
    ($(#[$doc:meta])* $name:ident, $expected:literal, |$value:ident| $rule:expr, $schema:tt) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
        #[serde(transparent)]
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

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_f64(NumberVisitor { expected: $expected, check: Self::new })
            }
        }

        inline_schema!($name, stringify!($name), json_schema!($schema));
    };
}

struct NumberVisitor<T> {
    expected: &'static str,
    check: fn(f64) -> Option<T>,
}

impl<T> Visitor<'_> for NumberVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<T, E> {
        (self.check)(value).ok_or_else(|| {
            E::custom(format_args!(
                "expected {}, found {}",
                self.expected,
                number::spelling(value)
            ))
        })
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        self.visit_f64(value as f64)
    }
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

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.serialize_str(&number::spelling(self.0))
        }
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let number = match value.as_str() {
            Some(text) => number::from_spelling(text),
            None => value.as_f64(),
        };
        let expected = "a number, \"NaN\", \"Infinity\" or \"-Infinity\"";
        number.map(Self).ok_or_else(|| mismatch(expected, &value))
    }
}

/// The error for a value that a type cannot be read from.
fn mismatch<E: de::Error>(expected: &str, found: &Value) -> E {
    E::custom(format_args!("expected {expected}, found {}", found.kind()))
}

inline_schema!(
    Real,
    "Real",
    json_schema!({ "anyOf": [{ "type": "number" }, { "enum": ["NaN", "Infinity", "-Infinity"] }] })
);

/// An integer from `MIN` to `MAX`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Bounded<const MIN: i64, const MAX: i64>(i64);

/// A count of at least one.
pub type Count = Bounded<1, SAFE_INTEGER>;

impl<const MIN: i64, const MAX: i64> Bounded<MIN, MAX> {
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

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Bounded<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BoundedVisitor<const MIN: i64, const MAX: i64>;
        impl<const MIN: i64, const MAX: i64> Visitor<'_> for BoundedVisitor<MIN, MAX> {
            type Value = Bounded<MIN, MAX>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if MAX == SAFE_INTEGER {
                    write!(f, "an integer of at least {MIN}")
                } else {
                    write!(f, "an integer from {MIN} to {MAX}")
                }
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
                Bounded::new(value)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Signed(value), &self))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
                i64::try_from(value)
                    .ok()
                    .and_then(Bounded::new)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Unsigned(value), &self))
            }
        }
        deserializer.deserialize_i64(BoundedVisitor::<MIN, MAX>)
    }
}

inline_schema!(
    [const MIN: i64, const MAX: i64] Bounded<MIN, MAX>,
    format!("Integer{MIN}To{MAX}"),
    if MAX == SAFE_INTEGER {
        json_schema!({ "type": "integer", "minimum": MIN })
    } else {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
);

/// A 64-bit random seed: a number up to 2^53, or any 64-bit integer as a decimal string. Negative ones are taken modulo 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seed(u64);

impl Seed {
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

impl Default for Seed {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let seed = match &value {
            Value::String(text) => Self::parse(text),
            Value::Int(number) => Some(Self(*number as u64)),
            Value::Float(number) => (number.fract() == 0.0 && number.abs() <= SAFE_INTEGER as f64)
                .then_some(Self(*number as i64 as u64)),
            _ => None,
        };
        let expected = "an integer up to 2^53, or a 64-bit integer as a string";
        seed.ok_or_else(|| mismatch(expected, &value))
    }
}

inline_schema!(
    Seed,
    "Seed",
    json_schema!({ "anyOf": [{ "type": "integer" }, { "type": "string", "pattern": "^-?[0-9]{1,20}$" }] })
);
