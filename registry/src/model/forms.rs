//! Forms that documents have: tables of named members, and texts that may be lists.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use tool_core::Value;
use tool_core::convert::from_value;

/// A table whose names the author chooses, in the order of the document; each member knows its name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Named<T>(pub Vec<T>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> From<Vec<T>> for Named<T> {
    fn from(members: Vec<T>) -> Self {
        Self(members)
    }
}

impl<T> Deref for Named<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for Named<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Named<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
                let mut members = Vec::new();
                while let Some((_, member)) = map.next_entry::<String, T>()? {
                    members.push(member);
                }
                Ok(Named(members))
            }
        }

        deserializer.deserialize_map(Members(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Named_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let member = generator.subschema_for::<T>();
        schemars::json_schema!({"type": "object", "additionalProperties": member})
    }
}

/// One text, or a list of texts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
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

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let texts = match value.as_str() {
            Some(text) => Ok(vec![text.to_owned()]),
            None => from_value(&value),
        };
        texts
            .map(Self)
            .map_err(|problem| D::Error::custom(problem.message))
    }
}

tool_core::inline_schema!(
    OneOrMany,
    "OneOrMany",
    schemars::json_schema!({"anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
    ]})
);

/// The version of a document's format, which is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "u64", into = "u64")]
pub struct Version;

impl From<u64> for Version {
    fn from(_: u64) -> Self {
        Self
    }
}

impl From<Version> for u64 {
    fn from(_: Version) -> Self {
        1
    }
}

tool_core::inline_schema!(Version, "Version", schemars::json_schema!({"const": 1}));
