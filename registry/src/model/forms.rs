//! Forms that documents have: tables of named members, and texts that may be lists.

use std::ops::{Deref, DerefMut};

use tool_core::schema::{Contract, Schema, json};
use tool_core::{Decode, DecodeError, Describe, Encode, Value};

/// A table whose names the author chooses, in the order of the document; each member knows its name.
#[derive(Debug, Clone, PartialEq, Encode)]
#[value(transparent)]
pub struct NamedTable<T>(pub Vec<T>);

impl<T> Default for NamedTable<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> From<Vec<T>> for NamedTable<T> {
    fn from(members: Vec<T>) -> Self {
        Self(members)
    }
}

impl<T> Deref for NamedTable<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for NamedTable<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T: Decode> Decode for NamedTable<T> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let Value::Object(object) = value else {
            return Err(DecodeError::unexpected(value, "a table"));
        };
        let read = |(name, member): (&str, &Value)| {
            T::decode(member).map_err(|error| error.under_key(name))
        };
        object.iter().map(read).collect::<Result<_, _>>().map(Self)
    }
}

impl<T: Describe> Describe for NamedTable<T> {
    fn describe(contract: Contract) -> Schema {
        let member = T::describe(contract);
        json!({"type": "object", "additionalProperties": member})
    }
}

/// One text, or a list of texts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode)]
#[value(transparent)]
pub struct OneOrMany(pub Vec<String>);

impl Deref for OneOrMany {
    type Target = Vec<String>;

    fn deref(&self) -> &Vec<String> {
        &self.0
    }
}

impl<S: Into<String>> FromIterator<S> for OneOrMany {
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        Self(texts.into_iter().map(Into::into).collect())
    }
}

impl Decode for OneOrMany {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let texts = match value.as_str() {
            Some(text) => vec![text.to_owned()],
            None => Vec::decode(value).map_err(|error| DecodeError::new(error.to_string()))?,
        };
        Ok(Self(texts))
    }
}

tool_core::inline_schema!(
    OneOrMany,
    json!({"anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
    ]})
);

/// The version of a document's format, which is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode)]
#[value(from = "u64", into = "u64")]
pub struct FormatVersion;

impl From<u64> for FormatVersion {
    fn from(_: u64) -> Self {
        Self
    }
}

impl From<FormatVersion> for u64 {
    fn from(_: FormatVersion) -> Self {
        1
    }
}

tool_core::inline_schema!(FormatVersion, json!({"const": 1}));
