//! Decodes typed values from a [`Value`], with the JSON pointer of each mismatch.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use super::{TOKEN, hand_over, receive};
use crate::error::Problem;
use crate::value::{Object, Value};

/// Decodes a typed value; unknown fields are always refused.
///
/// # Errors
/// The first problem, with its JSON pointer.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, Problem> {
    T::deserialize(Source(Cow::Borrowed(value))).map_err(|err| Problem {
        hint: err.hint.clone(),
        ..Problem::new(err.pointer(), err.message)
    })
}

#[derive(Debug)]
struct DecodeError {
    message: String,
    hint: Option<String>,
    /// Innermost segment first.
    path: Vec<Segment>,
}

#[derive(Debug)]
enum Segment {
    Key(String),
    Index(usize),
    /// A pointer that the failing type built itself, such as `/2/1` inside a matrix.
    Pointer(String),
}

impl DecodeError {
    fn under_key(mut self, key: &str) -> Self {
        self.path.push(Segment::Key(key.to_owned()));
        self
    }

    fn under_index(mut self, index: usize) -> Self {
        self.path.push(Segment::Index(index));
        self
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in self.path.iter().rev() {
            match segment {
                Segment::Key(key) => crate::path::push_key(&mut pointer, key),
                Segment::Index(index) => crate::path::push_index(&mut pointer, *index),
                Segment::Pointer(inner) => pointer.push_str(inner),
            }
        }
        pointer
    }
}

/// Separates the parts of a problem inside a custom serde error; no message of ours contains it.
const MARK: char = '\u{1}';

/// A serde error that carries the pointer of the culprit within the value, and the hint.
pub(crate) fn custom_at<E: de::Error>(problem: &Problem) -> E {
    let Problem { path, message, .. } = problem;
    let hint = problem.hint.as_deref().unwrap_or_default();
    E::custom(format_args!("{MARK}{path}{MARK}{message}{MARK}{hint}"))
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let message = message.to_string();
        let parts: Vec<&str> = message.split(MARK).collect();
        let ["", pointer, words, hint] = parts.as_slice() else {
            return Self {
                message,
                hint: None,
                path: Vec::new(),
            };
        };
        Self {
            message: (*words).to_owned(),
            hint: (!hint.is_empty()).then(|| (*hint).to_owned()),
            path: vec![Segment::Pointer((*pointer).to_owned())],
        }
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::custom(format_args!("expected {expected}, found {}", words(found)))
    }

    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn de::Expected) -> Self {
        Self::custom(format_args!("expected {expected}, found {length} elements"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let near = crate::nearest::nearest(variant, expected.iter().copied());
        let near = near.map(|name| format!("; did you mean `{name}`?"));
        let near = near.unwrap_or_default();
        let (names, shown) = (expected.join("`, `"), crate::brief::name(variant));
        Self::custom(format_args!(
            "expected one of `{names}`, found `{shown}`{near}"
        ))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let instead = crate::nearest::instead(field, expected.iter().copied());
        let shown = crate::brief::name(field);
        Self::custom(format_args!("unknown argument `{shown}`{instead}")).under_key(field)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::custom(format_args!("missing required argument `{field}`")).under_key(field)
    }
}

fn expected(what: &str, found: &Value) -> DecodeError {
    de::Error::custom(format_args!("expected {what}, found {}", found.kind()))
}

fn words(found: de::Unexpected<'_>) -> String {
    match found {
        de::Unexpected::Unit | de::Unexpected::Option => "null".to_owned(),
        de::Unexpected::Map => "an object".to_owned(),
        de::Unexpected::Seq => "an array".to_owned(),
        de::Unexpected::Str(text) => Value::from(text).kind(),
        de::Unexpected::Float(number) => format!("the number {number}"),
        de::Unexpected::Signed(number) => format!("the integer {number}"),
        de::Unexpected::Unsigned(number) => format!("the integer {number}"),
        other => other.to_string(),
    }
}

/// A value of the document, or a number or row of a block of doubles.
struct Source<'de>(Cow<'de, Value>);

macro_rules! integers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            match self.0.as_i64() {
                Some(number) => visit_whole(number, visitor),
                None => self.deserialize_any(visitor),
            }
        }
    )*};
}

fn visit_whole<'de, V: Visitor<'de>>(number: i64, visitor: V) -> Result<V::Value, DecodeError> {
    match u64::try_from(number) {
        Ok(number) => visitor.visit_u64(number),
        Err(_) => visitor.visit_i64(number),
    }
}

impl<'de> Deserializer<'de> for Source<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match (&*self.0, &self.0) {
            (Value::Null, _) => visitor.visit_unit(),
            (Value::Bool(value), _) => visitor.visit_bool(*value),
            (Value::Int(number), _) => visit_whole(*number, visitor),
            (Value::Float(number), _) => visitor.visit_f64(*number),
            (Value::Numbers(numbers), _) => {
                let (numbers, count) = (numbers.clone(), numbers.len());
                let item = move |index| Cow::Owned(numbers.get(index).unwrap_or_default());
                let items = (0..count).map(item);
                visitor.visit_seq(Elements { items, next: 0 })
            }
            (_, Cow::Borrowed(Value::String(text))) => visitor.visit_borrowed_str(text),
            (_, Cow::Borrowed(Value::Array(items))) => {
                let items = items.iter().map(Cow::Borrowed);
                visitor.visit_seq(Elements { items, next: 0 })
            }
            (_, Cow::Borrowed(Value::Object(object))) => visitor.visit_map(Members::of(object)),
            (other, _) => Err(expected("a number", other)), // a block holds nothing else
        }
    }

    integers!(deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64);

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match *self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        if name != TOKEN {
            return visitor.visit_newtype_struct(self);
        }
        hand_over(self.0.into_owned());
        let result = visitor.visit_unit();
        receive();
        result
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let Cow::Borrowed(Value::Object(object)) = self.0 else {
            return Err(expected("an object", &self.0));
        };
        if let Some((unknown, _)) = object.iter().find(|(key, _)| !fields.contains(key)) {
            return Err(de::Error::unknown_field(unknown, fields));
        }
        visitor.visit_map(Members::of(object))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match self.0 {
            Cow::Borrowed(Value::String(text)) => {
                visitor.visit_enum(IntoDeserializer::<DecodeError>::into_deserializer(&**text))
            }
            Cow::Borrowed(Value::Object(object)) if object.len() == 1 => {
                let mut members = object.iter();
                let (key, value) = members.next().expect("there is one member");
                visitor.visit_enum(Content { key, value })
            }
            other => Err(expected("a name", &other)),
        }
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        check_length(&self.0, length)?;
        self.deserialize_any(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_tuple(length, visitor)
    }

    forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq map identifier ignored_any
    }
}

/// Refuses an array of another length than a tuple has; serde would leave the surplus unread.
fn check_length(value: &Value, length: usize) -> Result<(), DecodeError> {
    let found = match value {
        Value::Array(items) => items.len(),
        Value::Numbers(numbers) => numbers.len(),
        _ => return Ok(()),
    };
    if found == length {
        return Ok(());
    }
    Err(de::Error::custom(format_args!(
        "expected an array of {length} elements, found {found}"
    )))
}

/// The elements of an array, with the number of those already read.
struct Elements<I> {
    items: I,
    next: usize,
}

impl<'de, I: ExactSizeIterator<Item = Cow<'de, Value>>> de::SeqAccess<'de> for Elements<I> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let item = self.items.next().map(|item| seed.deserialize(Source(item)));
        self.next += 1;
        item.transpose()
            .map_err(|err| err.under_index(self.next - 1))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Members<'de> {
    members: Vec<(&'de str, &'de Value)>,
    next: usize,
}

impl<'de> Members<'de> {
    fn of(object: &'de Object) -> Self {
        Self {
            members: object.iter().collect(),
            next: 0,
        }
    }
}

impl<'de> de::MapAccess<'de> for Members<'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DecodeError> {
        let Some((key, _)) = self.members.get(self.next) else {
            return Ok(None);
        };
        seed.deserialize(de::value::BorrowedStrDeserializer::new(key))
            .map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DecodeError> {
        let (key, value) = self.members[self.next];
        self.next += 1;
        seed.deserialize(Source(Cow::Borrowed(value)))
            .map_err(|err| err.under_key(key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len() - self.next)
    }
}

/// An externally tagged enum variant with content: `{"key": value}`.
struct Content<'de> {
    key: &'de str,
    value: &'de Value,
}

impl<'de> de::EnumAccess<'de> for Content<'de> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), DecodeError> {
        let variant = seed.deserialize(de::value::BorrowedStrDeserializer::new(self.key));
        variant.map(|variant: V::Value| (variant, self))
    }
}

impl<'de> de::VariantAccess<'de> for Content<'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        Deserialize::deserialize(Source(Cow::Borrowed(self.value)))
            .map_err(|err: DecodeError| err.under_key(self.key))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, DecodeError> {
        seed.deserialize(Source(Cow::Borrowed(self.value)))
            .map_err(|err| err.under_key(self.key))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        Source(Cow::Borrowed(self.value))
            .deserialize_tuple(length, visitor)
            .map_err(|err| err.under_key(self.key))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        Source(Cow::Borrowed(self.value))
            .deserialize_struct("", fields, visitor)
            .map_err(|err| err.under_key(self.key))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(TOKEN, AnyValue)
    }
}

struct AnyValue;

macro_rules! scalars {
    ($($method:ident($type:ty))*) => {$(
        fn $method<E: de::Error>(self, value: $type) -> Result<Value, E> {
            Ok(Value::from(value))
        }
    )*};
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(receive().unwrap_or(Value::Null))
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    scalars!(visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_f64(f64) visit_str(&str));

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::array(items))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Object::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            if object.get(&key).is_some() {
                return Err(de::Error::custom(format_args!("duplicate key {key:?}")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(std::sync::Arc::new(object)))
    }
}
