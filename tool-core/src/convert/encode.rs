//! [`Encode`]: typed values as a [`Value`]; non-finite doubles are refused with their JSON pointer, wide integers become strings.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{ErrorCode, ToolError};
use crate::source::{DataSource, InputKind, SourceRef};
use crate::value::{Object, Value};

/// A type that is written as a [`Value`]; derived for structs and enums.
pub trait Encode {
    /// Writes the value.
    ///
    /// # Errors
    /// A double that is not finite, or a key of a map that is no text.
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError>;

    /// Writes a list of values; a type whose lists are written as a block says how.
    ///
    /// # Errors
    /// As [`Encode::encode`].
    fn encode_list(items: &[Self], encoder: &mut Encoder) -> Result<Value, EncodeError>
    where
        Self: Sized,
    {
        encoder.list(items.iter())
    }
}

/// A typed value as a [`Value`], with the files and artifacts it refers to.
#[derive(Debug, Clone)]
pub struct EncodedValue {
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
pub fn to_value<T: Encode + ?Sized>(value: &T) -> Result<Value, ToolError> {
    encode_value(value).map(|encoded| encoded.value)
}

/// Converts a typed value and lists the files and artifacts it refers to.
///
/// # Errors
/// As [`to_value`].
pub fn encode_value<T: Encode + ?Sized>(value: &T) -> Result<EncodedValue, ToolError> {
    let mut encoder = Encoder::default();
    let encoded = value.encode(&mut encoder);
    encoder.finish(encoded)
}

/// Why a typed value cannot be written.
#[derive(Debug)]
pub enum EncodeError {
    /// A double that is not finite.
    NotFinite(f64),
    /// Anything else.
    Other(String),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(value) => f.write_str(&crate::number::non_finite_spelling(*value)),
            Self::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for EncodeError {}

#[derive(Debug)]
enum EncodeSegment {
    Field(&'static str),
    Key(Arc<str>),
    Index(usize),
}

/// The path of the value that is written (kept on failure), and the references found.
#[derive(Debug, Default)]
pub struct Encoder {
    path: Vec<EncodeSegment>,
    sources: Vec<SourceRef>,
}

impl Encoder {
    fn finish(self, encoded: Result<Value, EncodeError>) -> Result<EncodedValue, ToolError> {
        match encoded {
            Ok(value) => Ok(EncodedValue {
                value,
                sources: self.sources,
            }),
            Err(EncodeError::NotFinite(found)) => {
                let pointer = self.pointer();
                let found = crate::number::non_finite_spelling(found);
                let message = format_args!(
                    "`{pointer}` of the result is {found}, beyond the range of a double"
                );
                Err(ToolError::numeric(&pointer, message)
                    .reason("not_finite")
                    .hint("scale the arguments so that all results stay below 1.8e308"))
            }
            Err(EncodeError::Other(message)) => Err(ToolError::new(ErrorCode::Internal, message)
                .reason("encode")
                .at(self.pointer())),
        }
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.path {
            match segment {
                EncodeSegment::Field(name) => crate::path::push_key(&mut pointer, name),
                EncodeSegment::Key(name) => crate::path::push_key(&mut pointer, name),
                EncodeSegment::Index(index) => crate::path::push_index(&mut pointer, *index),
            }
        }
        pointer
    }

    /// Writes a value one segment further down.
    fn at(&mut self, segment: EncodeSegment, value: &dyn Encode) -> Result<Value, EncodeError> {
        self.path.push(segment);
        let value = value.encode(self)?;
        self.path.pop();
        Ok(value)
    }

    /// Writes named fields as an object; one without a value is left out.
    ///
    /// # Errors
    /// As [`Encode::encode`].
    pub fn fields(
        &mut self,
        fields: &[(&'static str, Option<&dyn Encode>)],
    ) -> Result<Value, EncodeError> {
        let mut object = Object::new();
        for (name, value) in fields {
            if let Some(value) = value {
                let value = self.at(EncodeSegment::Field(name), *value)?;
                object.push_unique(Arc::from(*name), value);
            }
        }
        Ok(object.into())
    }

    /// Writes the elements of a tuple.
    ///
    /// # Errors
    /// As [`Encode::encode`].
    pub fn elements(&mut self, elements: &[&dyn Encode]) -> Result<Value, EncodeError> {
        self.list(elements.iter().copied())
    }

    /// Writes the content of a variant under its name.
    ///
    /// # Errors
    /// As [`Encode::encode`].
    pub fn tagged(&mut self, name: &'static str, value: &dyn Encode) -> Result<Value, EncodeError> {
        let inner = self.at(EncodeSegment::Field(name), value)?;
        Ok(Value::object([(name, inner)]))
    }

    /// Writes the named fields of a variant under its name.
    ///
    /// # Errors
    /// As [`Encode::encode`].
    pub fn tagged_fields(
        &mut self,
        name: &'static str,
        fields: &[(&'static str, Option<&dyn Encode>)],
    ) -> Result<Value, EncodeError> {
        self.fields(fields)
            .map(|inner| Value::object([(name, inner)]))
    }

    /// Writes the elements of a variant under its name.
    ///
    /// # Errors
    /// As [`Encode::encode`].
    pub fn tagged_elements(
        &mut self,
        name: &'static str,
        elements: &[&dyn Encode],
    ) -> Result<Value, EncodeError> {
        self.elements(elements)
            .map(|inner| Value::object([(name, inner)]))
    }

    /// Writes a list, unboxed while all elements are doubles.
    ///
    /// # Errors
    /// As [`Encode::encode`].
    pub fn list<'a, T: Encode + ?Sized + 'a>(
        &mut self,
        items: impl Iterator<Item = &'a T>,
    ) -> Result<Value, EncodeError> {
        let (mut values, mut numbers) = (Vec::new(), Vec::new());
        for (index, item) in items.enumerate() {
            self.path.push(EncodeSegment::Index(index));
            let value = item.encode(self)?;
            self.path.pop();
            collect_item(&mut values, &mut numbers, value);
        }
        Ok(match values.is_empty() {
            true => Value::vector(numbers),
            false => Value::array(values),
        })
    }

    /// Writes an argument, and notes the file or artifact that it refers to.
    pub(crate) fn source(&mut self, kind: InputKind, value: Value) -> Result<Value, EncodeError> {
        if let Some(Ok(source)) = DataSource::from_value(&value) {
            let pointer = self.pointer();
            self.sources.push(SourceRef {
                pointer,
                source,
                kind,
            });
        }
        value.encode(self)
    }

    /// Writes members whose keys are written as texts or integers.
    ///
    /// # Errors
    /// As [`Encode::encode`]; a key of another kind.
    pub fn members<'a>(
        &mut self,
        members: &mut dyn Iterator<Item = (&'a dyn Encode, &'a dyn Encode)>,
    ) -> Result<Value, EncodeError> {
        let mut object = Object::new();
        for (key, value) in members {
            let key = match key.encode(self)? {
                Value::String(key) => key,
                Value::Int(number) => Arc::from(number.to_string()),
                other => {
                    let found = other.kind();
                    let message = format!("a map key must be a string, found {found}");
                    return Err(EncodeError::Other(message));
                }
            };
            let value = self.at(EncodeSegment::Key(Arc::clone(&key)), value)?;
            object.push_unique(key, value);
        }
        Ok(object.into())
    }
}

fn collect_item(values: &mut Vec<Value>, numbers: &mut Vec<f64>, value: Value) {
    match value {
        Value::Float(number) if values.is_empty() => numbers.push(number),
        item => {
            values.extend(numbers.drain(..).map(Value::Float));
            values.push(item);
        }
    }
}

/// A value with the function that writes it.
pub struct EncodeWith<'a, T>(
    /// The value.
    pub &'a T,
    /// What writes it.
    pub fn(&T, &mut Encoder) -> Result<Value, EncodeError>,
);

impl<T> Encode for EncodeWith<'_, T> {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        self.1(self.0, encoder)
    }
}

/// A shared copy of the value.
impl Encode for Value {
    fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
        match not_finite(self) {
            Some(number) => Err(EncodeError::NotFinite(number)),
            None => Ok(self.clone()),
        }
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

impl Encode for () {
    fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
        Ok(Value::Null)
    }
}

impl Encode for bool {
    fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
        Ok(Value::Bool(*self))
    }
}

impl Encode for f64 {
    fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
        match self.is_finite() {
            true => Ok(Value::Float(*self)),
            false => Err(EncodeError::NotFinite(*self)),
        }
    }

    fn encode_list(items: &[Self], encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match items.iter().position(|number| !number.is_finite()) {
            Some(index) => {
                encoder.path.push(EncodeSegment::Index(index));
                Err(EncodeError::NotFinite(items[index]))
            }
            None => Ok(Value::vector(items.to_vec())),
        }
    }
}

macro_rules! integers {
    ($($type:ty as $wide:ty),*) => {$(
        impl Encode for $type {
            fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
                Ok(Value::from(*self as $wide))
            }
        }
    )*};
}

integers!(
    i8 as i64,
    i16 as i64,
    i32 as i64,
    i64 as i64,
    isize as i64,
    u8 as u64,
    u16 as u64,
    u32 as u64,
    u64 as u64,
    usize as u64
);

macro_rules! texts {
    ($($type:ty)*) => {$(
        impl Encode for $type {
            fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
                Ok(Value::from(&**self))
            }
        }
    )*};
}

texts!(String Rc<str> Cow<'_, str>);

impl Encode for str {
    fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
        Ok(Value::from(self))
    }
}

impl Encode for char {
    fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
        Ok(Value::from(self.to_string()))
    }
}

impl Encode for Arc<str> {
    fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
        Ok(Value::String(Arc::clone(self)))
    }
}

/// As an object of whole seconds and nanoseconds.
impl Encode for Duration {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        let (seconds, nanoseconds) = (self.as_secs(), self.subsec_nanos());
        encoder.fields(&[("secs", Some(&seconds)), ("nanos", Some(&nanoseconds))])
    }
}

fn encode_path(path: &Path) -> Result<Value, EncodeError> {
    let text = path.to_str().map(Value::from);
    text.ok_or_else(|| EncodeError::Other("path contains invalid UTF-8 characters".to_owned()))
}

impl Encode for Path {
    fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
        encode_path(self)
    }
}

impl Encode for PathBuf {
    fn encode(&self, _: &mut Encoder) -> Result<Value, EncodeError> {
        encode_path(self)
    }
}

macro_rules! forwarded {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Encode for $type {
            fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
                (**self).encode(encoder)
            }
        }
    )*};
}

forwarded! {
    [T: Encode + ?Sized] Box<T>;
    [T: Encode] Arc<T>;
    [T: Encode + ?Sized] &T;
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match self {
            Some(value) => value.encode(encoder),
            None => Ok(Value::Null),
        }
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        T::encode_list(self, encoder)
    }
}

impl<T: Encode> Encode for [T] {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        T::encode_list(self, encoder)
    }
}

impl<T: Encode> Encode for Arc<[T]> {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        T::encode_list(self, encoder)
    }
}

impl<T: Encode, const N: usize> Encode for [T; N] {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        T::encode_list(self, encoder)
    }
}

impl<T: Encode> Encode for BTreeSet<T> {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        encoder.list(self.iter())
    }
}

macro_rules! maps {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Encode for $type {
            fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
                let mut members = self.iter().map(|(key, value)| (key as &dyn Encode, value as &dyn Encode));
                encoder.members(&mut members)
            }
        }
    )*};
}

maps! {
    [K: Encode, V: Encode] BTreeMap<K, V>;
    [K: Encode, V: Encode, S] HashMap<K, V, S>;
}

macro_rules! tuples {
    ($($($index:tt $type:ident),+;)+) => {$(
        impl<$($type: Encode),+> Encode for ($($type,)+) {
            fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
                encoder.elements(&[$(&self.$index as &dyn Encode),+])
            }
        }
    )+};
}

tuples! {
    0 A, 1 B;
    0 A, 1 B, 2 C;
    0 A, 1 B, 2 C, 3 D;
}
