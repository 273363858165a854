//! A value of a document together with its place: what is wrong is reported there, and reading goes on.

use tool_core::nearest::nearest;
use tool_core::path::{push_index, push_key};
use tool_core::schema::Schema;
use tool_core::{Object, Problem, Value};

use super::outline::{Outline, object};
use crate::document::Document;
use crate::error::LoadError;
use crate::model::Selector;

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
    /// Where what is asked for is noted, in place of being read.
    outline: Option<&'a mut Outline>,
}

impl<'a> Part<'a> {
    pub(crate) fn root(document: &'a Document, errors: &'a mut Vec<LoadError>) -> Self {
        Part {
            document,
            errors,
            pointer: String::new(),
            value: document.value.clone(),
            outline: None,
        }
    }

    /// What a reader takes.
    pub(crate) fn outline(read: impl FnOnce(Part<'_>)) -> Outline {
        let mut outline = Outline::default();
        read(Part {
            document: &Document::empty(),
            errors: &mut Vec::new(),
            pointer: String::new(),
            value: Value::Null,
            outline: Some(&mut outline),
        });
        outline
    }

    /// Notes a form for an outline; whether there is one.
    pub(crate) fn notes(&mut self, form: impl FnOnce() -> Schema) -> bool {
        match self.outline.as_deref_mut() {
            Some(outline) => outline.form(form()),
            None => return false,
        }
        true
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

    /// Reports problems, with their places below this part.
    pub(crate) fn report_all(&mut self, problems: Vec<Problem>) {
        let at = |problem: Problem| Problem {
            path: format!("{}{}", self.pointer, problem.path),
            ..problem
        };
        let problems = problems.into_iter().map(at).collect();
        crate::document::report(self.document, problems, self.errors);
    }

    /// Reports what is wrong, with the next step.
    pub(crate) fn report_with(&mut self, message: String, hint: &str) {
        let error = LoadError::new(Some(&self.document.place(&self.pointer)), message);
        self.errors.push(error.at(self.pointer.clone()).hint(hint));
    }

    /// Takes a key out of a table; whether it was there.
    pub(crate) fn take(&mut self, key: &str) -> bool {
        let Value::Object(object) = &self.value else {
            return false;
        };
        if object.get(key).is_none() {
            return false;
        }
        let left = object.iter().filter(|(name, _)| *name != key);
        let left = left.map(|(name, value)| (name.to_owned(), value.clone()));
        self.value = Value::object(left.collect::<Vec<_>>());
        true
    }

    /// The value as a table with these keys only.
    pub(crate) fn table(self, keys: &[&str]) -> Option<Table<'a>> {
        self.into_table(keys)
    }

    pub(crate) fn into_table(mut self, keys: &[&str]) -> Option<Table<'a>> {
        if let Some(outline) = self.outline.as_deref_mut() {
            outline.table(keys);
            return Some(Table {
                part: self,
                object: Object::new(),
            });
        }
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
                format!("unknown key `{}`", tool_core::brief::name(key)),
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
            outline: self
                .outline
                .as_deref_mut()
                .and_then(|outline| outline.key(key)),
        }
    }

    /// The only part of its kind: what an outline says of all items, or of all members.
    fn example<'b>(
        &'b mut self,
        of: impl FnOnce(&'b mut Outline) -> &'b mut Outline,
    ) -> Option<Part<'b>> {
        Some(Part {
            document: self.document,
            errors: self.errors,
            pointer: String::new(),
            value: Value::Null,
            outline: Some(of(self.outline.as_deref_mut()?)),
        })
    }

    pub(crate) fn child_index(&mut self, index: usize, value: Value) -> Part<'_> {
        let mut pointer = self.pointer.clone();
        push_index(&mut pointer, index);
        Part {
            document: self.document,
            errors: self.errors,
            value,
            pointer,
            outline: None,
        }
    }

    /// The value as a list; each item with its own pointer.
    pub(crate) fn items(&mut self, mut each: impl FnMut(Part<'_>)) {
        if let Some(example) = self.example(Outline::items) {
            return each(example);
        }
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

    /// The value as a table whose names the author chose; each member with its own pointer.
    pub(crate) fn members(&mut self, mut each: impl FnMut(String, Part<'_>)) {
        if let Some(example) = self.example(Outline::members) {
            return each(String::new(), example);
        }
        let Some(object) = self.value.as_object().cloned() else {
            let kind = self.value.kind();
            return self.report(format!("expected a table, found {kind}"), None);
        };
        for (name, _) in object.iter() {
            each(name.to_owned(), self.child_key(name));
        }
    }

    pub(crate) fn as_text(&mut self) -> Option<String> {
        if self.notes(|| of_type("string")) {
            return None;
        }
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

    /// The value where it is a text; it should be one of these.
    pub(crate) fn word(&mut self, words: &[&str]) -> Option<String> {
        self.notes(|| one_of(words));
        self.value.as_str().map(str::to_owned)
    }

    pub(crate) fn text_or_texts(&mut self) -> Vec<String> {
        self.notes(|| of_type("string"));
        match self.value.as_str() {
            Some(text) => vec![text.to_owned()],
            None => self.texts(),
        }
    }

    /// A text, a truth or a number.
    pub(crate) fn scalar(&mut self) -> Option<Value> {
        if self.outline.is_some() {
            self.notes(|| of_type("string"));
            self.notes(|| of_type("boolean"));
            self.notes(|| of_type("number"));
            return None;
        }
        let scalar = matches!(
            &self.value,
            Value::String(_) | Value::Bool(_) | Value::Int(_) | Value::Float(_)
        );
        if !scalar {
            let kind = self.value.kind();
            self.report(
                format!("expected text, true, false or a number, found {kind}"),
                None,
            );
        }
        scalar.then(|| self.value.clone())
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
        // An outline has every key.
        self.part.outline.is_some() || self.object.get(key).is_some()
    }

    pub(crate) fn report(&mut self, message: impl Into<String>) {
        self.part.report(message.into(), None);
    }

    pub(crate) fn within<T>(&mut self, key: &str, read: impl FnOnce(Part<'_>) -> T) -> Option<T> {
        self.has(key).then(|| read(self.part.child_key(key)))
    }

    /// Reports a key that is not there.
    pub(crate) fn need(&mut self, key: &str, message: &str) {
        if let Some(outline) = self.part.outline.as_deref_mut() {
            outline.require(key);
        } else if !self.has(key) {
            self.report(message);
        }
    }

    pub(crate) fn version(&mut self) {
        self.need("version", "expected `version = 1`");
        let form = || object([("const", 1.into())]);
        self.scalar("version", form, "version 1", |value| {
            (value.as_i64() == Some(1)).then_some(())
        });
    }

    fn scalar<T>(
        &mut self,
        key: &str,
        form: impl FnOnce() -> Schema,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        self.within(key, |mut part| {
            if part.notes(form) {
                return None;
            }
            let found = read(&part.value);
            if found.is_none() {
                let kind = part.value.kind();
                part.report(format!("expected {expected}, found {kind}"), None);
            }
            found
        })
        .flatten()
    }

    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
        self.within(key, |mut part| part.as_text()).flatten()
    }

    pub(crate) fn truth(&mut self, key: &str) -> Option<bool> {
        let form = || of_type("boolean");
        self.scalar(key, form, "true or false", Value::as_bool)
    }

    pub(crate) fn number(&mut self, key: &str) -> Option<f64> {
        self.scalar(key, || of_type("number"), "a number", Value::as_f64)
    }

    pub(crate) fn integer(&mut self, key: &str) -> Option<i64> {
        self.scalar(key, || of_type("integer"), "an integer", Value::as_i64)
    }

    /// An integer of at least 1.
    pub(crate) fn positive(&mut self, key: &str) -> Option<u64> {
        self.at_least(key, 1)
    }

    /// An integer of at least 0.
    pub(crate) fn count(&mut self, key: &str) -> Option<u64> {
        self.at_least(key, 0)
    }

    /// A share: an integer from 1 to 100.
    pub(crate) fn percent(&mut self, key: &str) -> Option<u64> {
        let form = || {
            object([
                ("type", "integer".into()),
                ("minimum", 1.into()),
                ("maximum", 100.into()),
            ])
        };
        self.scalar(key, form, "a percentage from 1 to 100", |value| {
            let number = u64::try_from(value.as_i64()?).ok()?;
            (1..=100).contains(&number).then_some(number)
        })
    }

    fn at_least(&mut self, key: &str, least: u64) -> Option<u64> {
        let form = || object([("type", "integer".into()), ("minimum", least.into())]);
        let expected = format!("an integer of at least {least}");
        self.scalar(key, form, &expected, |value| {
            let number = u64::try_from(value.as_i64()?).ok()?;
            (number >= least).then_some(number)
        })
    }

    pub(crate) fn one_of(&mut self, key: &str, names: &[&str]) -> Option<String> {
        self.within(key, |mut part| {
            if part.notes(|| one_of(names)) {
                return None;
            }
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
        self.within(key, |mut part| part.members(&mut read));
    }
}

fn of_type(name: &str) -> Schema {
    object([("type", name.into())])
}

fn one_of(words: &[&str]) -> Schema {
    let words = words.iter().map(|word| Schema::from(*word)).collect();
    object([("type", "string".into()), ("enum", words)])
}
