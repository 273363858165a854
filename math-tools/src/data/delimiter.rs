//! The character between the cells of a line.

use schemars::json_schema;
use serde::de;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One ASCII character that is not a quote, a line end or NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Delimiter(u8);

impl Delimiter {
    /// A delimiter; `None` when the text is not exactly one such character.
    pub(crate) fn new(text: &str) -> Option<Self> {
        match text.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | 0) => {
                Some(Self(*byte))
            }
            _ => None,
        }
    }

    /// Byte of the delimiter.
    pub(crate) fn byte(self) -> u8 {
        self.0
    }
}

/// The comma.
impl Default for Delimiter {
    fn default() -> Self {
        Self(b',')
    }
}

impl Serialize for Delimiter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_char(char::from(self.0))
    }
}

impl<'de> Deserialize<'de> for Delimiter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const EXPECTED: &str =
            "one ASCII character other than a quote or a line end, such as \",\", \";\" or \"\\t\"";
        let text = String::deserialize(deserializer)?;
        let found = de::Unexpected::Str(&text);
        Self::new(&text).ok_or_else(|| de::Error::invalid_value(found, &EXPECTED))
    }
}

tool_core::inline_schema!(
    Delimiter,
    "Delimiter",
    json_schema!({ "type": "string", "minLength": 1, "maxLength": 1 })
);
