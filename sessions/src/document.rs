//! Documents: structs without unknown members, distinguished by their member `type`.

use tool_core::schema::{self, Schema};
use tool_core::{
    Decode, Describe, Encode, ErrorCode, Object, Result, ToolError, Value, convert, tool_error,
};

/// The member with the type of a document.
pub(super) const TYPE: &str = "type";

/// Defines the structs of documents. Fields after `;` are optional: absent where they have their default value.
macro_rules! structs {
    ($($(#[$meta:meta])* $name:ident {
        $($(#[$doc:meta])* $field:ident: $type:ty),* $(,)?
        $(; $($(#[$optional_doc:meta])* $optional:ident: $optional_type:ty),+ $(,)?)?
    })+) => {
        $($(#[$meta])*
        #[derive(Debug, Clone, PartialEq, tool_core::Encode, tool_core::Decode, tool_core::Describe)]
        #[value(deny_unknown_fields)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
            $($($(#[$optional_doc])*
            #[value(default, skip_encoding_if = "crate::document::is_default")]
            pub $optional: $optional_type,)+)?
        })+
    };
}
pub(super) use structs;

/// Defines documents: a struct for each, as `structs!` does, and an enum of them with their types, reading, writing and schemas.
macro_rules! documents {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$variant_doc:meta])* $variant:ident = $text:literal { $($fields:tt)* })+
    }) => {
        $crate::document::structs! { $($(#[$variant_doc])* $variant { $($fields)* })+ }

        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant($variant)),+
        }

        $(impl From<$variant> for $name {
            fn from(document: $variant) -> Self {
                Self::$variant(document)
            }
        })+

        impl $name {
            /// The types, in the order of the documentation.
            pub const TYPES: &'static [&'static str] = &[$($text),+];

            /// Its type.
            pub const fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $text),+
                }
            }

            /// The document as a value.
            ///
            /// # Errors
            /// `internal` for a non-finite double.
            pub fn to_value(&self) -> tool_core::Result<tool_core::Value> {
                match self {
                    $(Self::$variant(document) => $crate::document::encode_document($text, document)),+
                }
            }

            /// Reads a document; unknown members and types are refused.
            ///
            /// # Errors
            /// `invalid_request` with the JSON pointer of the invalid member.
            pub fn from_value(value: &tool_core::Value) -> tool_core::Result<Self> {
                let (kind, rest) = $crate::document::split_type(value, Self::TYPES)?;
                match kind.as_str() {
                    $($text => $crate::document::decode_document(&rest).map(Self::$variant),)+
                    other => Err($crate::document::unknown_type_error(other, Self::TYPES)),
                }
            }

            /// The JSON Schema of each type.
            pub(crate) fn schemas() -> Vec<tool_core::schema::Schema> {
                vec![$($crate::document::schema_of::<$variant>($text)),+]
            }
        }
    };
}
pub(super) use documents;

/// Whether a value is the default of its type.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The type of a document, and its other members.
pub(super) fn split_type(value: &Value, known: &[&str]) -> Result<(String, Value)> {
    let invalid = |path: &str, message: String| {
        ToolError::new(ErrorCode::InvalidRequest, message)
            .reason("document")
            .at(path)
    };
    let Some(object) = value.as_object() else {
        let message = format!("expected an object, found {}", value.kind());
        return Err(invalid("", message).hint("send {\"type\":\"run.requested\"}"));
    };
    let Some(kind) = object.get(TYPE).and_then(Value::as_str) else {
        let message = "expected `type`, the type of the document".to_owned();
        return Err(invalid("/type", message).hint(format!("types are `{}`", known.join("`, `"))));
    };
    let mut rest = Object::new();
    for (key, member) in object.iter().filter(|(key, _)| *key != TYPE) {
        rest.push_unique(key.into(), member.clone());
    }
    Ok((kind.to_owned(), Value::Object(rest.into())))
}

pub(super) fn unknown_type_error(kind: &str, known: &[&str]) -> ToolError {
    let shown: String = kind.chars().take(80).collect();
    let error =
        tool_error!(InvalidRequest, "document"; "no document of type `{shown}`").at("/type");
    match tool_core::nearest::nearest_name(kind, known.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("types are `{}`", known.join("`, `"))),
    }
}

pub(super) fn decode_document<T: Decode>(rest: &Value) -> Result<T> {
    convert::from_value(rest).map_err(|problem| {
        let error = ToolError::new(ErrorCode::InvalidRequest, problem.message)
            .reason("document")
            .at(problem.path);
        match problem.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    })
}

pub(super) fn encode_document<T: Encode>(kind: &str, document: &T) -> Result<Value> {
    let value = convert::to_value(document)?;
    let mut object = Object::new();
    object.push_unique(TYPE.into(), kind.into());
    for (key, member) in value.as_object().into_iter().flat_map(Object::iter) {
        object.push_unique(key.into(), member.clone());
    }
    Ok(Value::Object(object.into()))
}

pub(super) fn schema_of<T: Describe>(kind: &str) -> Schema {
    let mut schema = schema::of_input::<T>();
    let Some(object) = schema.as_object_mut() else {
        return schema;
    };
    object.remove("$schema");
    let mut properties = serde_json::Map::new();
    properties.insert(TYPE.to_owned(), serde_json::json!({ "const": kind }));
    if let Some(own) = object.get("properties").and_then(Schema::as_object) {
        properties.extend(own.clone());
    }
    object.insert("properties".to_owned(), properties.into());
    let mut required = vec![Schema::from(TYPE)];
    if let Some(own) = object.get("required").and_then(Schema::as_array) {
        required.extend(own.iter().cloned());
    }
    object.insert("required".to_owned(), required.into());
    object.insert("additionalProperties".to_owned(), false.into());
    schema
}
