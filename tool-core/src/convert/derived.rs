//! What derived readers call: the fields of an object, the elements of an array, a variant by its name.

use super::{Decode, DecodeError};
use crate::value::{Object, Value};

/// The fields of a struct, as they are read. The error that counts is that of the field written first; then the first one missing.
pub struct Fields<'a> {
    object: &'a Object,
    /// The error so far, with the place of its field among those written.
    error: Option<(usize, DecodeError)>,
}

impl<'a> Fields<'a> {
    /// The members of an object with these names.
    ///
    /// # Errors
    /// The value is no object, or has a field of another name.
    pub fn read(value: &'a Value, names: &[&str]) -> Result<Self, DecodeError> {
        let Value::Object(object) = value else {
            return Err(DecodeError::expected("an object", value));
        };
        if let Some((unknown, _)) = object.iter().find(|(key, _)| !names.contains(key)) {
            return Err(DecodeError::unknown_field(unknown, names));
        }
        let error = None;
        Ok(Self { object, error })
    }

    fn find(&self, name: &str) -> Option<(usize, &'a Value)> {
        let mut members = self.object.iter().enumerate();
        members.find_map(|(place, (key, value))| (key == name).then_some((place, value)))
    }

    fn fail(&mut self, place: usize, error: DecodeError) {
        if self.error.as_ref().is_none_or(|(first, _)| place < *first) {
            self.error = Some((place, error));
        }
    }

    /// Reads a field that has a default: `Some(None)` where it is absent, `None` after an error.
    pub fn optional<T>(
        &mut self,
        name: &str,
        read: fn(&Value) -> Result<T, DecodeError>,
    ) -> Option<Option<T>> {
        let Some((place, value)) = self.find(name) else {
            return Some(None);
        };
        match read(value) {
            Ok(value) => Some(Some(value)),
            Err(error) => {
                self.fail(place, error.under_key(name));
                None
            }
        }
    }

    /// Reads a field without a default; `absent` is what its absence stands for. `None` after an error.
    pub fn required<T>(
        &mut self,
        name: &str,
        read: fn(&Value) -> Result<T, DecodeError>,
        absent: Option<T>,
    ) -> Option<T> {
        let read = self.optional(name, read)?.or(absent);
        if read.is_none() {
            self.fail(usize::MAX, DecodeError::missing(name));
        }
        read
    }

    /// The error found.
    pub fn into_error(self) -> DecodeError {
        let missing = || DecodeError::new("a field could not be read");
        self.error.map_or_else(missing, |(_, error)| error)
    }

    /// Ends a struct all of whose fields are left out.
    ///
    /// # Errors
    /// The error found.
    pub fn finish(self) -> Result<(), DecodeError> {
        self.error.map_or(Ok(()), |(_, error)| Err(error))
    }
}

/// The elements of a tuple.
pub struct Elements<'a>(&'a Value);

impl<'a> Elements<'a> {
    /// The elements of an array of this length.
    ///
    /// # Errors
    /// The value is no array, or one of another length.
    pub fn read(value: &'a Value, length: usize) -> Result<Self, DecodeError> {
        Self::check(value, length, &format!("a tuple of size {length}"))?;
        Ok(Self(value))
    }

    pub(super) fn check(value: &Value, length: usize, what: &str) -> Result<(), DecodeError> {
        let found = match value {
            Value::Array(items) => items.len(),
            Value::Numbers(numbers) => numbers.len(),
            other => return Err(DecodeError::unexpected(other, what)),
        };
        if found == length {
            return Ok(());
        }
        Err(DecodeError::new(format_args!(
            "expected an array of {length} elements, found {found}"
        )))
    }

    /// Reads an element.
    ///
    /// # Errors
    /// Its mismatch, under its index.
    pub fn read_with<T>(
        &self,
        index: usize,
        read: fn(&Value) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let element = self.0.at(index).unwrap_or_default();
        read(&element).map_err(|error| error.under_index(index))
    }

    pub(super) fn read_as<T: Decode>(&self, index: usize) -> Result<T, DecodeError> {
        self.read_with(index, T::decode)
    }
}

/// A variant by its name, and its content where it has one: `"name"` or `{"name": content}`.
pub struct TaggedObject<'a> {
    name: &'a str,
    content: Option<&'a Value>,
}

impl<'a> TaggedObject<'a> {
    /// The name of a variant.
    ///
    /// # Errors
    /// The value is neither a text nor an object with one member.
    pub fn read(value: &'a Value) -> Result<Self, DecodeError> {
        match value {
            Value::String(name) => Ok(Self {
                name,
                content: None,
            }),
            Value::Object(object) if object.len() == 1 => {
                let mut members = object.iter();
                let (name, content) = members.next().expect("there is one member");
                let content = Some(content);
                Ok(Self { name, content })
            }
            other => Err(DecodeError::expected("a name", other)),
        }
    }

    /// The name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Checks that a variant without content has none.
    ///
    /// # Errors
    /// It has one.
    pub fn unit(&self) -> Result<(), DecodeError> {
        let Some(content) = self.content else {
            return Ok(());
        };
        <()>::decode(content).map_err(|error| error.under_key(self.name))
    }

    /// Reads the content of a variant; `expected` says what kind of variant it is.
    ///
    /// # Errors
    /// There is none, or its mismatch.
    pub fn content<T>(
        &self,
        expected: &str,
        read: impl FnOnce(&Value) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let Some(content) = self.content else {
            let message = format_args!("expected {expected}, found unit variant");
            return Err(DecodeError::new(message));
        };
        read(content).map_err(|error| error.under_key(self.name))
    }

    /// The error for a name that none of the variants has.
    pub fn unknown(&self, names: &[&str]) -> DecodeError {
        DecodeError::unknown_variant(self.name, names)
    }
}
