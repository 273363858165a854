//! Encodes typed values as a [`Value`]; non-finite doubles are refused with their JSON pointer, wide integers become strings.

use std::fmt;
use std::sync::Arc;

use serde::ser::{self, Serialize};

use super::{ANY_TOKEN, DATA_TOKEN, TEXT_TOKEN, TOKEN, hand_over, receive};
use crate::error::{ErrorCode, ToolError};
use crate::source::{InputKind, Source, SourceRef};
use crate::value::{Object, Value};

/// A typed value as a [`Value`], with the files and artifacts it refers to.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// The value; a reference to a file or artifact is `{"$file": path}` or `{"$artifact": hash}`.
    pub value: Value,
    /// Each reference with the JSON pointer of the argument it is for.
    pub sources: Vec<SourceRef>,
}

/// Converts a typed value.
///
/// # Errors
/// `numeric` with reason `not_finite` when a double is not finite (use [`Real`](crate::types::Real) for those that may be), `internal`
/// when a map key is not a string.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, ToolError> {
    encode(value).map(|encoded| encoded.value)
}

/// Converts a typed value and lists the files and artifacts it refers to.
///
/// # Errors
/// As [`to_value`].
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Encoded, ToolError> {
    let mut state = State::default();
    let encoded = value.serialize(Encoder { state: &mut state });
    match encoded {
        Ok(value) => Ok(Encoded {
            value,
            sources: state.sources,
        }),
        Err(EncodeError::NotFinite(found)) => {
            let pointer = state.pointer();
            let found = crate::number::spelling(found);
            let message =
                format_args!("`{pointer}` of the result is {found}, beyond the range of a double");
            Err(ToolError::numeric(&pointer, message)
                .reason("not_finite")
                .hint("scale the arguments so that all results stay below 1.8e308"))
        }
        Err(EncodeError::Other(message)) => Err(ToolError::new(ErrorCode::Internal, message)
            .reason("encode")
            .at(state.pointer())),
    }
}

#[derive(Debug)]
enum EncodeError {
    NotFinite(f64),
    Other(String),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(value) => f.write_str(&crate::number::spelling(*value)),
            Self::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for EncodeError {}

impl ser::Error for EncodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Other(message.to_string())
    }
}

enum Segment {
    Field(&'static str),
    Key(Arc<str>),
    Index(usize),
}

/// The path of the encoder (kept on failure), and the references found.
#[derive(Default)]
struct State {
    path: Vec<Segment>,
    sources: Vec<SourceRef>,
}

impl State {
    /// Encodes a value one segment further down.
    fn encode_at<T: Serialize + ?Sized>(
        &mut self,
        segment: Segment,
        value: &T,
    ) -> Result<Value, EncodeError> {
        self.path.push(segment);
        let value = value.serialize(Encoder { state: self })?;
        self.path.pop();
        Ok(value)
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.path {
            match segment {
                Segment::Field(name) => crate::path::push_key(&mut pointer, name),
                Segment::Key(name) => crate::path::push_key(&mut pointer, name),
                Segment::Index(index) => crate::path::push_index(&mut pointer, *index),
            }
        }
        pointer
    }
}

struct Encoder<'a> {
    state: &'a mut State,
}

macro_rules! integers {
    ($($method:ident: $type:ty as $wide:ty),*) => {$(
        fn $method(self, value: $type) -> Result<Value, EncodeError> {
            Ok(Value::from(<$wide>::from(value)))
        }
    )*};
}

impl<'a> ser::Serializer for Encoder<'a> {
    type Ok = Value;
    type Error = EncodeError;
    type SerializeSeq = Sequence<'a>;
    type SerializeTuple = Sequence<'a>;
    type SerializeTupleStruct = Sequence<'a>;
    type SerializeTupleVariant = Sequence<'a>;
    type SerializeMap = Map<'a>;
    type SerializeStruct = Map<'a>;
    type SerializeStructVariant = Map<'a>;

    fn serialize_bool(self, value: bool) -> Result<Value, EncodeError> {
        Ok(Value::Bool(value))
    }

    integers!(
        serialize_i8: i8 as i64, serialize_i16: i16 as i64, serialize_i32: i32 as i64, serialize_i64: i64 as i64,
        serialize_u8: u8 as u64, serialize_u16: u16 as u64, serialize_u32: u32 as u64, serialize_u64: u64 as u64
    );

    fn serialize_f32(self, value: f32) -> Result<Value, EncodeError> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<Value, EncodeError> {
        if value.is_finite() {
            Ok(Value::Float(value))
        } else {
            Err(EncodeError::NotFinite(value))
        }
    }

    fn serialize_char(self, value: char) -> Result<Value, EncodeError> {
        Ok(Value::from(value.to_string()))
    }

    fn serialize_str(self, value: &str) -> Result<Value, EncodeError> {
        Ok(Value::from(value))
    }

    fn serialize_bytes(self, _value: &[u8]) -> Result<Value, EncodeError> {
        Err(EncodeError::Other("bytes have no JSON spelling".to_owned()))
    }

    fn serialize_none(self) -> Result<Value, EncodeError> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, EncodeError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, EncodeError> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Value, EncodeError> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Value, EncodeError> {
        Ok(Value::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Value, EncodeError> {
        match name {
            TOKEN => {
                let value = receive().ok_or_else(|| {
                    EncodeError::Other("a value was announced and not handed over".to_owned())
                })?;
                match not_finite(&value) {
                    Some(number) => Err(EncodeError::NotFinite(number)),
                    None => Ok(value),
                }
            }
            ANY_TOKEN | DATA_TOKEN | TEXT_TOKEN => {
                let kind = match name {
                    DATA_TOKEN => InputKind::Data,
                    ANY_TOKEN => InputKind::Any,
                    _ => InputKind::Text,
                };
                let (pointer, state) = (self.state.pointer(), self.state);
                let value = value.serialize(Encoder { state: &mut *state })?;
                if let Some(Ok(source)) = Source::from_value(&value) {
                    state.sources.push(SourceRef {
                        pointer,
                        source,
                        kind,
                    });
                }
                Ok(value)
            }
            _ => value.serialize(self),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, EncodeError> {
        let inner = self.state.encode_at(Segment::Field(variant), value)?;
        Ok(Value::object([(variant, inner)]))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Sequence<'a>, EncodeError> {
        Ok(Sequence {
            state: self.state,
            items: Vec::with_capacity(length.unwrap_or(0).min(1 << 16)),
            numbers: Vec::new(),
            tag: None,
        })
    }

    fn serialize_tuple(self, length: usize) -> Result<Sequence<'a>, EncodeError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        length: usize,
    ) -> Result<Sequence<'a>, EncodeError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Sequence<'a>, EncodeError> {
        let mut sequence = self.serialize_seq(Some(length))?;
        sequence.tag = Some(variant);
        Ok(sequence)
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Map<'a>, EncodeError> {
        Ok(Map {
            state: self.state,
            object: Object::new(),
            key: None,
            tag: None,
        })
    }

    fn serialize_struct(self, _name: &'static str, length: usize) -> Result<Map<'a>, EncodeError> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Map<'a>, EncodeError> {
        let mut map = self.serialize_map(None)?;
        map.tag = Some(variant);
        Ok(map)
    }
}

/// The content of an enum variant under its name; anything else as it is.
fn tagged(tag: Option<&'static str>, value: Value) -> Value {
    match tag {
        Some(tag) => Value::object([(tag, value)]),
        None => value,
    }
}

/// Collects elements, unboxed while all are doubles.
struct Sequence<'a> {
    state: &'a mut State,
    items: Vec<Value>,
    numbers: Vec<f64>,
    tag: Option<&'static str>,
}

impl Sequence<'_> {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        let index = self.items.len() + self.numbers.len();
        match self.state.encode_at(Segment::Index(index), value)? {
            Value::Float(number) if self.items.is_empty() => self.numbers.push(number),
            item => {
                self.items.extend(self.numbers.drain(..).map(Value::Float));
                self.items.push(item);
            }
        }
        Ok(())
    }

    fn finish(self) -> Value {
        let value = match self.items.is_empty() {
            true => Value::vector(self.numbers),
            false => Value::array(self.items),
        };
        tagged(self.tag, value)
    }
}

macro_rules! sequence {
    ($($trait:ident :: $method:ident),*) => {$(
        impl ser::$trait for Sequence<'_> {
            type Ok = Value;
            type Error = EncodeError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
                self.push(value)
            }

            fn end(self) -> Result<Value, EncodeError> {
                Ok(self.finish())
            }
        }
    )*};
}

sequence!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

struct Map<'a> {
    state: &'a mut State,
    object: Object,
    key: Option<Arc<str>>,
    tag: Option<&'static str>,
}

impl Map<'_> {
    fn finish(self) -> Value {
        tagged(self.tag, self.object.into())
    }
}

impl ser::SerializeMap for Map<'_> {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), EncodeError> {
        let key = match key.serialize(Encoder { state: self.state })? {
            Value::String(key) => key,
            Value::Int(number) => Arc::from(number.to_string()),
            other => {
                return Err(EncodeError::Other(format!(
                    "a map key must be a string, found {}",
                    other.kind()
                )));
            }
        };
        self.key = Some(key);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        let key = self
            .key
            .take()
            .ok_or_else(|| EncodeError::Other("a map value without a key".to_owned()))?;
        let at = Segment::Key(Arc::clone(&key));
        let value = self.state.encode_at(at, value)?;
        self.object.push_unique(key, value);
        Ok(())
    }

    fn end(self) -> Result<Value, EncodeError> {
        Ok(self.finish())
    }
}

macro_rules! structure {
    ($($trait:ident),*) => {$(
        impl ser::$trait for Map<'_> {
            type Ok = Value;
            type Error = EncodeError;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), EncodeError> {
                let value = self.state.encode_at(Segment::Field(name), value)?;
                self.object.push_unique(Arc::from(name), value);
                Ok(())
            }

            fn end(self) -> Result<Value, EncodeError> {
                Ok(self.finish())
            }
        }
    )*};
}

structure!(SerializeStruct, SerializeStructVariant);

/// Passes itself to the encoder here as a pointer; any other serializer, such as serde_json, gets ordinary data.
impl Serialize for Value {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        hand_over(self.clone());
        let result = serializer.serialize_newtype_struct(TOKEN, &Plain(self));
        receive();
        result
    }
}

/// A non-finite number in a value.
fn not_finite(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number).filter(|number| !number.is_finite()),
        Value::Numbers(numbers) if !numbers.is_finite() => {
            let mut numbers = numbers.as_slice().iter().copied();
            numbers.find(|number| !number.is_finite())
        }
        Value::Array(items) => items.iter().find_map(not_finite),
        Value::Object(object) => object.iter().find_map(|(_, value)| not_finite(value)),
        _ => None,
    }
}

struct Plain<'a>(&'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(number) => serializer.serialize_i64(*number),
            Value::Float(number) => serializer.serialize_f64(*number),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => serializer.collect_seq(items.iter()),
            Value::Numbers(_) => serializer.collect_seq(self.0.items().unwrap_or_default()),
            Value::Object(object) => serializer.collect_map(object.iter()),
        }
    }
}
