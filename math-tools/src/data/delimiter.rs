//! The character between the cells of a line.

use tool_core::schema::json;
use tool_core::{Decode, DecodeError, Encode, EncodeError, Encoder, Value};

/// One ASCII character that is not a quote, a line end or NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CsvDelimiter(u8);

impl CsvDelimiter {
    /// A delimiter; `None` when the text is not exactly one such character.
    pub(crate) fn new(text: &str) -> Option<Self> {
        tool_core::csv::parse_delimiter(text).map(Self)
    }

    /// Byte of the delimiter.
    pub(crate) fn byte(self) -> u8 {
        self.0
    }
}

/// The comma.
impl Default for CsvDelimiter {
    fn default() -> Self {
        Self(b',')
    }
}

impl Encode for CsvDelimiter {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        char::from(self.0).encode(encoder)
    }
}

impl Decode for CsvDelimiter {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        const EXPECTED: &str =
            "one ASCII character other than a quote or a line end, such as \",\", \";\" or \"\\t\"";
        let text = String::decode(value)?;
        Self::new(&text).ok_or_else(|| DecodeError::expected(EXPECTED, value))
    }
}

tool_core::inline_schema!(
    CsvDelimiter,
    json!({ "type": "string", "minLength": 1, "maxLength": 1 })
);
