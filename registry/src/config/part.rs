//! A value of a document together with its place: what is wrong is reported there, and reading goes on.

use tool_core::nearest::nearest;
use tool_core::path::{push_index, push_key};
use tool_core::{Object, Value};

use crate::document::Document;
use crate::error::LoadError;
use crate::policy::Selector;

/// Most unknown keys of one table that are reported: finding the place of each takes as long as the table is wide.
const UNKNOWN_MAX: usize = 20;

pub(crate) fn set<T>(slot: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *slot = value;
    }
}

/// A value of the document with its pointer.
pub(crate) struct Part<'a> {
    document: &'a Document,
    errors: &'a mut Vec<LoadError>,
    pointer: String,
    pub(crate) value: Value,
}

impl<'a> Part<'a> {
    pub(crate) fn root(document: &'a Document, errors: &'a mut Vec<LoadError>) -> Self {
        Part {
            document,
            errors,
            pointer: String::new(),
            value: document.value.clone(),
        }
    }

    pub(crate) fn place(&self) -> crate::error::Place {
        self.document.place(&self.pointer)
    }

    pub(crate) fn report(&mut self, message: String, near: Option<&str>) {
        let mut error = LoadError::new(Some(&self.document.place(&self.pointer)), message)
            .at(self.pointer.clone());
        error.hint = near.map(|near| format!("did you mean `{near}`?"));
        self.errors.push(error);
    }

    /// The value as a table with these keys only.
    pub(crate) fn table(self, keys: &[&str]) -> Option<Table<'a>> {
        self.into_table(keys)
    }

    pub(crate) fn into_table(mut self, keys: &[&str]) -> Option<Table<'a>> {
        let Value::Object(object) = self.value.clone() else {
            self.report(
                format!("expected a table, found {}", self.value.kind()),
                None,
            );
            return None;
        };
        let mut unknown = 0;
        for (key, _) in object.iter() {
            if keys.contains(&key) {
                continue;
            }
            unknown += 1;
            if unknown > UNKNOWN_MAX {
                self.report("and more unknown keys".to_owned(), None);
                break;
            }
            let mut part = self.child_key(key);
            part.report(
                format!("unknown key `{key}`"),
                nearest(key, keys.iter().copied()),
            );
        }
        Some(Table {
            part: self,
            object: object.as_ref().clone(),
        })
    }

    pub(crate) fn child_key(&mut self, key: &str) -> Part<'_> {
        let mut pointer = self.pointer.clone();
        push_key(&mut pointer, key);
        Part {
            document: self.document,
            errors: self.errors,
            value: self.value.get(key).cloned().unwrap_or_default(),
            pointer,
        }
    }

    pub(crate) fn child_index(&mut self, index: usize, value: Value) -> Part<'_> {
        let mut pointer = self.pointer.clone();
        push_index(&mut pointer, index);
        Part {
            document: self.document,
            errors: self.errors,
            value,
            pointer,
        }
    }

    /// The value as a list; each item with its own pointer.
    pub(crate) fn items(&mut self, mut each: impl FnMut(Part<'_>)) {
        match self.value.items() {
            Some(items) => {
                for (index, item) in items.into_iter().enumerate() {
                    each(self.child_index(index, item));
                }
            }
            None => self.report(
                format!("expected a list, found {}", self.value.kind()),
                None,
            ),
        }
    }

    pub(crate) fn as_text(&mut self) -> Option<String> {
        let text = self.value.as_str().map(str::to_owned);
        if text.is_none() {
            self.report(format!("expected text, found {}", self.value.kind()), None);
        }
        text
    }

    pub(crate) fn texts(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        self.items(|mut item| texts.extend(item.as_text()));
        texts
    }

    pub(crate) fn text_or_texts(&mut self) -> Vec<String> {
        match self.value.as_str() {
            Some(text) => vec![text.to_owned()],
            None => self.texts(),
        }
    }

    pub(crate) fn as_selector(&mut self) -> Option<Selector> {
        let place = Some(self.place());
        self.as_text().map(|text| Selector { text, place })
    }
}

/// A table whose keys are known to be expected.
pub(crate) struct Table<'a> {
    part: Part<'a>,
    object: Object,
}

impl Table<'_> {
    pub(crate) fn has(&self, key: &str) -> bool {
        self.object.get(key).is_some()
    }

    pub(crate) fn report(&mut self, message: impl Into<String>) {
        self.part.report(message.into(), None);
    }

    pub(crate) fn within<T>(&mut self, key: &str, read: impl FnOnce(Part<'_>) -> T) -> Option<T> {
        self.has(key).then(|| read(self.part.child_key(key)))
    }

    pub(crate) fn version(&mut self) {
        if !self.has("version") {
            self.report("expected `version = 1`");
        }
        self.within("version", |mut part| {
            if part.value.as_i64() != Some(1) {
                part.report(
                    format!("expected version 1, found {}", part.value.kind()),
                    None,
                );
            }
        });
    }

    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
        self.within(key, |mut part| part.as_text()).flatten()
    }

    pub(crate) fn truth(&mut self, key: &str) -> Option<bool> {
        self.within(key, |mut part| {
            let truth = part.value.as_bool();
            if truth.is_none() {
                part.report(
                    format!("expected true or false, found {}", part.value.kind()),
                    None,
                );
            }
            truth
        })
        .flatten()
    }

    pub(crate) fn number(&mut self, key: &str) -> Option<f64> {
        self.within(key, |mut part| {
            let number = part.value.as_f64();
            if number.is_none() {
                part.report(
                    format!("expected a number, found {}", part.value.kind()),
                    None,
                );
            }
            number
        })
        .flatten()
    }

    pub(crate) fn positive(&mut self, key: &str) -> Option<u64> {
        self.within(key, |mut part| {
            let number = part
                .value
                .as_i64()
                .and_then(|number| u64::try_from(number).ok())
                .filter(|number| *number > 0);
            if number.is_none() {
                part.report(
                    format!(
                        "expected an integer of at least 1, found {}",
                        part.value.kind()
                    ),
                    None,
                );
            }
            number
        })
        .flatten()
    }

    pub(crate) fn integer(&mut self, key: &str) -> Option<i64> {
        self.within(key, |mut part| {
            let number = part.value.as_i64();
            if number.is_none() {
                part.report(
                    format!("expected an integer, found {}", part.value.kind()),
                    None,
                );
            }
            number
        })
        .flatten()
    }

    /// An integer of at least 0.
    pub(crate) fn count(&mut self, key: &str) -> Option<u64> {
        self.within(key, |mut part| {
            let number = part
                .value
                .as_i64()
                .and_then(|number| u64::try_from(number).ok());
            if number.is_none() {
                part.report(
                    format!(
                        "expected an integer of at least 0, found {}",
                        part.value.kind()
                    ),
                    None,
                );
            }
            number
        })
        .flatten()
    }

    pub(crate) fn one_of(&mut self, key: &str, names: &[&str]) -> Option<String> {
        self.within(key, |mut part| {
            let text = part.as_text()?;
            if names.contains(&text.as_str()) {
                return Some(text);
            }
            part.report(
                format!("expected one of `{}`, found `{text}`", names.join("`, `")),
                nearest(&text, names.iter().copied()),
            );
            None
        })
        .flatten()
    }

    pub(crate) fn list(&mut self, key: &str) -> Option<Vec<String>> {
        self.within(key, |mut part| part.texts())
    }

    pub(crate) fn selector(&mut self, key: &str) -> Option<Selector> {
        self.within(key, |mut part| part.as_selector()).flatten()
    }

    /// `None` when the key is absent; present but empty is an empty list.
    pub(crate) fn selectors(&mut self, key: &str) -> Option<Vec<Selector>> {
        self.within(key, |mut part| {
            let mut list = Vec::new();
            part.items(|mut item| list.extend(item.as_selector()));
            list
        })
    }

    pub(crate) fn each(&mut self, key: &str, mut read: impl FnMut(Part<'_>)) {
        self.within(key, |mut part| part.items(&mut read));
    }

    pub(crate) fn each_named(&mut self, key: &str, mut read: impl FnMut(String, Part<'_>)) {
        self.within(key, |mut part| {
            let Some(object) = part.value.as_object().cloned() else {
                part.report(
                    format!("expected a table, found {}", part.value.kind()),
                    None,
                );
                return;
            };
            for (name, _) in object.iter() {
                read(name.to_owned(), part.child_key(name));
            }
        });
    }
}
