//! The JSON of the earlier layout, member by member; every problem has its line.

use registry::document::{self, DocumentFormat};
use registry::{ParsedDocument, TextPlace};
use tool_core::Value;

use super::{ImportReader, ImportSource};
use crate::actor::EventTime;
use crate::limits::TEXT_BYTES_MAX;

/// A document that is an object.
pub(super) struct JsonItemFile(ParsedDocument);

impl JsonItemFile {
    /// Reads a file; errors are reported.
    pub(super) fn read(reading: &mut ImportReader, file: &ImportSource<'_>) -> Option<Self> {
        match document::parse_document(file.path, file.text, DocumentFormat::Json) {
            Ok(document) if document.value.as_object().is_some() => Some(Self(document)),
            Ok(document) => {
                let message = format!("expected an object, found {}", document.value.kind());
                reading.error(&document.place(""), message);
                None
            }
            Err(errors) => {
                reading.errors.extend(errors.into_list());
                None
            }
        }
    }

    /// The place of a member, or of the deepest part of its path that exists.
    pub(super) fn place(&self, path: &str) -> TextPlace {
        self.0.place(&format!("/{path}"))
    }

    /// The value at a path such as `gate/options`; `null` counts as absent.
    pub(super) fn value(&self, path: &str) -> Option<Value> {
        self.0
            .value
            .pointer(&format!("/{path}"))
            .filter(|value| !value.is_null())
    }

    /// Notes on members that nothing reads.
    pub(super) fn unknown_keys(&self, reading: &mut ImportReader, known: &[&str]) {
        let members = self.0.value.as_object().into_iter();
        let keys: Vec<&str> = members
            .flat_map(|object| object.iter().map(|(key, _)| key))
            .filter(|key| !known.contains(key))
            .collect();
        let pointer = |key: &&str| {
            let mut pointer = String::new();
            tool_core::path::push_key(&mut pointer, key);
            pointer
        };
        let pointers: Vec<String> = keys.iter().map(pointer).collect();
        let pointers: Vec<&str> = pointers.iter().map(String::as_str).collect();
        for (place, key) in self.0.places(&pointers).iter().zip(keys) {
            reading.note(
                place,
                format!(
                    "the key `{}` is not imported",
                    tool_core::brief::brief_name(key)
                ),
            );
        }
    }

    /// A text, if it is one.
    pub(super) fn text(&self, reading: &mut ImportReader, path: &str) -> Option<String> {
        let value = self.value(path)?;
        match value.as_str() {
            Some(text) if text.len() > TEXT_BYTES_MAX => {
                let message = format!(
                    "`{path}` has {} bytes, the limit is {TEXT_BYTES_MAX}",
                    text.len()
                );
                reading.error(&self.place(path), message);
                None
            }
            Some(text) => Some(text.to_owned()).filter(|text| !text.is_empty()),
            None => {
                reading.error(
                    &self.place(path),
                    format!("`{path}`: expected a text, found {}", value.kind()),
                );
                None
            }
        }
    }

    /// A text that must be there.
    pub(super) fn required(&self, reading: &mut ImportReader, path: &str) -> Option<String> {
        if self
            .value(path)
            .is_none_or(|value| value.as_str() == Some(""))
        {
            reading.error(&self.place(path), format!("missing `{path}`"));
            return None;
        }
        self.text(reading, path)
    }

    /// A list of texts; empty where absent.
    pub(super) fn texts(&self, reading: &mut ImportReader, path: &str) -> Vec<String> {
        let Some(value) = self.value(path) else {
            return Vec::new();
        };
        let items = value.items().unwrap_or_default();
        let texts: Vec<String> = items
            .iter()
            .filter_map(|item| Some(item.as_str()?.to_owned()))
            .collect();
        if texts.len() != items.len() || value.items().is_none() {
            reading.error(
                &self.place(path),
                format!("`{path}`: expected a list of texts"),
            );
        }
        texts
    }

    /// A boolean.
    pub(super) fn flag(&self, reading: &mut ImportReader, path: &str) -> Option<bool> {
        let value = self.value(path)?;
        if value.as_bool().is_none() {
            reading.error(
                &self.place(path),
                format!("`{path}`: expected true or false, found {}", value.kind()),
            );
        }
        value.as_bool()
    }

    /// A count.
    pub(super) fn count(&self, reading: &mut ImportReader, path: &str) -> Option<usize> {
        let value = self.value(path)?;
        let count = value.as_i64().and_then(|count| usize::try_from(count).ok());
        if count.is_none() {
            reading.error(
                &self.place(path),
                format!("`{path}`: expected a count, found {}", value.kind()),
            );
        }
        count
    }

    /// A time; the beginning of 1970 where it is absent or cannot be read, the latter with a note.
    pub(super) fn time(&self, reading: &mut ImportReader, path: &str) -> EventTime {
        let text = self.text(reading, path);
        reading.time(text.as_deref().map(|text| (text, self.place(path))))
    }

    /// A name of a closed list.
    pub(super) fn name<T: Copy + std::fmt::Display>(
        &self,
        reading: &mut ImportReader,
        path: &str,
        parse: fn(&str) -> Option<T>,
        all: &[T],
    ) -> Option<T> {
        let text = self.required(reading, path)?;
        let found = parse(&text);
        if found.is_none() {
            let known: Vec<String> = all.iter().map(ToString::to_string).collect();
            let near = tool_core::nearest::nearest_name(&text, known.iter().map(String::as_str))
                .map(str::to_owned);
            let error = reading.error(
                &self.place(path),
                format!(
                    "`{path}`: no `{}` is known",
                    tool_core::brief::brief_name(&text)
                ),
            );
            error.hint = Some(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known are `{}`", known.join("`, `")),
            });
        }
        found
    }
}
