//! [`Decode`]: typed values from a [`Value`], with the JSON pointer of each mismatch.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, Hash};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::{DecodeError, Elements, Fields};
use crate::error::RequestProblem;
use crate::value::Value;

/// A type that is read from a [`Value`]; derived for structs and enums.
pub trait Decode: Sized {
    /// Reads the value.
    ///
    /// # Errors
    /// The first mismatch, with its place.
    fn decode(value: &Value) -> Result<Self, DecodeError>;

    /// What an absent field without a default stands for, where that is possible.
    fn absent() -> Option<Self> {
        None
    }
}

/// Reads a typed value; unknown fields are always refused.
///
/// # Errors
/// The first problem, with its JSON pointer.
pub fn from_value<T: Decode>(value: &Value) -> Result<T, RequestProblem> {
    T::decode(value).map_err(RequestProblem::from)
}

impl Decode for Value {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        Ok(value.clone())
    }
}

impl Decode for () {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        match value {
            Value::Null => Ok(()),
            other => Err(DecodeError::unexpected(other, "unit")),
        }
    }
}

impl Decode for bool {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let mismatch = || DecodeError::unexpected(value, "a boolean");
        value.as_bool().ok_or_else(mismatch)
    }
}

impl Decode for f64 {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let mismatch = || DecodeError::unexpected(value, "f64");
        value.as_f64().ok_or_else(mismatch)
    }
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        impl Decode for $type {
            fn decode(value: &Value) -> Result<Self, DecodeError> {
                let integer = value.as_i64();
                integer.and_then(|integer| integer.try_into().ok()).ok_or_else(|| {
                    let found = integer.map_or_else(|| value.clone(), Value::Int);
                    DecodeError::unexpected(&found, stringify!($type))
                })
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

fn decode_text<'a>(value: &'a Value, expected: &str) -> Result<&'a Arc<str>, DecodeError> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(DecodeError::unexpected(other, expected)),
    }
}

macro_rules! texts {
    ($($type:ty)*) => {$(
        impl Decode for $type {
            fn decode(value: &Value) -> Result<Self, DecodeError> {
                Ok((**decode_text(value, "a string")?).into())
            }
        }
    )*};
}

texts!(String Box<str> Rc<str>);

impl Decode for Arc<str> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        decode_text(value, "a string").cloned()
    }
}

impl Decode for Cow<'static, str> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        String::decode(value).map(Cow::Owned)
    }
}

/// As an object of whole seconds and nanoseconds.
impl Decode for Duration {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let mut fields = Fields::read(value, &["secs", "nanos"])?;
        let seconds = fields.required("secs", u64::decode, None);
        let nanoseconds = fields.required("nanos", u32::decode, None);
        let (Some(seconds), Some(nanoseconds)) = (seconds, nanoseconds) else {
            return Err(fields.into_error());
        };
        let whole = Self::from_secs(seconds).checked_add(Self::from_nanos(nanoseconds.into()));
        whole.ok_or_else(|| DecodeError::new("overflow deserializing Duration"))
    }
}

impl Decode for PathBuf {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        decode_text(value, "path string").map(|text| Self::from(&**text))
    }
}

impl<T: Decode> Decode for Option<T> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        match value {
            Value::Null => Ok(None),
            present => T::decode(present).map(Some),
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Decode> Decode for Box<T> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        T::decode(value).map(Self::new)
    }

    fn absent() -> Option<Self> {
        T::absent().map(Self::new)
    }
}

impl<T: Decode> Decode for Arc<T> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        T::decode(value).map(Self::new)
    }

    fn absent() -> Option<Self> {
        T::absent().map(Self::new)
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let (mut items, mut index) = (Self::new(), 0);
        let mut read = |item: &Value| {
            items.push(T::decode(item).map_err(|error| error.under_index(index))?);
            index += 1;
            Ok::<(), DecodeError>(())
        };
        match value {
            Value::Array(given) => given.iter().try_for_each(&mut read)?,
            Value::Numbers(numbers) => {
                let count = numbers.len();
                let mut given = (0..count).map(|index| numbers.get(index).unwrap_or_default());
                given.try_for_each(|item| read(&item))?;
            }
            other => return Err(DecodeError::unexpected(other, "a sequence")),
        }
        Ok(items)
    }
}

impl<T: Decode + Ord> Decode for BTreeSet<T> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        Vec::<T>::decode(value).map(Self::from_iter)
    }
}

impl<T: Decode, const N: usize> Decode for [T; N] {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let what = format!("an array of length {N}");
        Elements::check(value, N, &what)?;
        let items = Vec::<T>::decode(value)?;
        items
            .try_into()
            .map_err(|_| DecodeError::unexpected(value, &what))
    }
}

macro_rules! tuples {
    ($($length:literal: $($index:literal $type:ident),+;)+) => {$(
        impl<$($type: Decode),+> Decode for ($($type,)+) {
            fn decode(value: &Value) -> Result<Self, DecodeError> {
                let elements = Elements::read(value, $length)?;
                Ok(($(elements.read_as::<$type>($index)?,)+))
            }
        }
    )+};
}

tuples! {
    2: 0 A, 1 B;
    3: 0 A, 1 B, 2 C;
    4: 0 A, 1 B, 2 C, 3 D;
}

/// The members of an object, with a key of the type each.
fn decode_members<K: Decode, V: Decode>(
    value: &Value,
    mut insert: impl FnMut(K, V),
) -> Result<(), DecodeError> {
    let Value::Object(object) = value else {
        return Err(DecodeError::unexpected(value, "a map"));
    };
    for (name, member) in object.iter() {
        let key = K::decode(&Value::from(name))?;
        insert(
            key,
            V::decode(member).map_err(|error| error.under_key(name))?,
        );
    }
    Ok(())
}

impl<K: Decode + Ord, V: Decode> Decode for BTreeMap<K, V> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let mut map = Self::new();
        decode_members(value, |key, member| drop(map.insert(key, member)))?;
        Ok(map)
    }
}

impl<K: Decode + Eq + Hash, V: Decode, S: BuildHasher + Default> Decode for HashMap<K, V, S> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let mut map = Self::default();
        decode_members(value, |key, member| drop(map.insert(key, member)))?;
        Ok(map)
    }
}
