//! [`Describe`]: the JSON Schema of a type, and of the types of the standard library.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::json;

use super::{Schema, derived};
use crate::value::Value;

/// The side for which a schema is: a field that is left out when it is written may still have to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contract {
    /// What is accepted.
    Read,
    /// What is written.
    Write,
}

/// A type with a JSON Schema; derived for structs and enums. No such type contains itself.
pub trait Describe {
    /// Whether an absent field of this type is read as none.
    const OPTIONAL: bool = false;

    /// The schema.
    fn describe(contract: Contract) -> Schema;

    /// The schema of a value that is not left out.
    fn describe_present(contract: Contract) -> Schema {
        Self::describe(contract)
    }
}

macro_rules! described {
    ($($([$($generics:tt)*])? $type:ty => $schema:tt;)*) => {$(
        impl$(<$($generics)*>)? Describe for $type {
            fn describe(_: Contract) -> Schema {
                json!($schema)
            }
        }
    )*};
}

described! {
    () => {"type": "null"};
    bool => {"type": "boolean"};
    f64 => {"type": "number", "format": "double"};
    i8 => {"type": "integer", "format": "int8", "minimum": (i8::MIN), "maximum": (i8::MAX)};
    i16 => {"type": "integer", "format": "int16", "minimum": (i16::MIN), "maximum": (i16::MAX)};
    i32 => {"type": "integer", "format": "int32"};
    i64 => {"type": "integer", "format": "int64"};
    isize => {"type": "integer", "format": "int"};
    u8 => {"type": "integer", "format": "uint8", "minimum": 0, "maximum": (u8::MAX)};
    u16 => {"type": "integer", "format": "uint16", "minimum": 0, "maximum": (u16::MAX)};
    u32 => {"type": "integer", "format": "uint32", "minimum": 0};
    u64 => {"type": "integer", "format": "uint64", "minimum": 0};
    usize => {"type": "integer", "format": "uint", "minimum": 0};
    char => {"type": "string", "minLength": 1, "maxLength": 1};
    str => {"type": "string"};
    String => {"type": "string"};
    Path => {"type": "string"};
    PathBuf => {"type": "string"};
    Value => {};
}

macro_rules! forwarded {
    ($([$($generics:tt)*] $type:ty => $inner:ty;)*) => {$(
        impl<$($generics)*> Describe for $type {
            const OPTIONAL: bool = <$inner>::OPTIONAL;

            fn describe(contract: Contract) -> Schema {
                <$inner>::describe(contract)
            }

            fn describe_present(contract: Contract) -> Schema {
                <$inner>::describe_present(contract)
            }
        }
    )*};
}

forwarded! {
    [T: Describe + ?Sized] &T => T;
    [T: Describe + ?Sized] Box<T> => T;
    [T: Describe + ?Sized] Rc<T> => T;
    [T: Describe + ?Sized] Arc<T> => T;
    [T: Describe + ToOwned + ?Sized] Cow<'_, T> => T;
}

impl<T: Describe> Describe for Option<T> {
    const OPTIONAL: bool = true;

    fn describe(contract: Contract) -> Schema {
        derived::or_null(T::describe(contract))
    }

    fn describe_present(contract: Contract) -> Schema {
        T::describe_present(contract)
    }
}

fn list_schema(items: Schema) -> Schema {
    json!({"type": "array", "items": items})
}

impl<T: Describe> Describe for [T] {
    fn describe(contract: Contract) -> Schema {
        list_schema(T::describe(contract))
    }
}

impl<T: Describe> Describe for Vec<T> {
    fn describe(contract: Contract) -> Schema {
        list_schema(T::describe(contract))
    }
}

impl<T: Describe, const N: usize> Describe for [T; N] {
    fn describe(contract: Contract) -> Schema {
        let items = T::describe(contract);
        json!({"type": "array", "items": items, "minItems": N, "maxItems": N})
    }
}

impl<T: Describe> Describe for BTreeSet<T> {
    fn describe(contract: Contract) -> Schema {
        let items = T::describe(contract);
        json!({"type": "array", "uniqueItems": true, "items": items})
    }
}

impl<K: Describe, V: Describe> Describe for BTreeMap<K, V> {
    fn describe(contract: Contract) -> Schema {
        derived::map_schema(&K::describe(contract), &V::describe(contract))
    }
}

impl<K: Describe, V: Describe, S> Describe for HashMap<K, V, S> {
    fn describe(contract: Contract) -> Schema {
        derived::map_schema(&K::describe(contract), &V::describe(contract))
    }
}

macro_rules! tuples {
    ($($length:literal: $($type:ident),+;)+) => {$(
        impl<$($type: Describe),+> Describe for ($($type,)+) {
            fn describe(contract: Contract) -> Schema {
                derived::tuple_schema(vec![$($type::describe(contract)),+])
            }
        }
    )+};
}

tuples! {
    2: A, B;
    3: A, B, C;
    4: A, B, C, D;
}
