//! References to data that is not inline, and what is taken of it.

use std::hash::{Hash, Hasher};

use crate::brief;
use crate::error::RequestProblem;
use crate::nearest::suggest_instead;
use crate::selection::DataSelection;
use crate::value::{Object, Value};

/// A reference to data.
#[derive(Debug, Clone, PartialEq)]
pub struct DataSource {
    /// The file or artifact.
    pub place: DataPlace,
    /// The part of it that is taken.
    pub selection: Box<DataSelection>,
}

/// Where data is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DataPlace {
    /// A file, by its path relative to the workspace root.
    File(String),
    /// An artifact, by its handle `b3:<64 hex digits>`.
    Artifact(String),
}

/// A reference in an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRef {
    /// JSON pointer of the argument.
    pub pointer: String,
    /// The file or artifact.
    pub source: DataSource,
    /// Kind of the content.
    pub kind: InputKind,
}

/// The kind of data in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// Numbers, by the ending of the name; a table as an object of columns, of which rows with missing cells are left out.
    Data,
    /// A table as an object of columns, with its missing cells.
    Table,
    /// As [`InputKind::Data`], a table as a list of records.
    Any,
    /// The text as it is (UTF-8).
    Text,
}

/// The key of a file.
pub const FILE: &str = "$file";
/// The key of an artifact.
pub const ARTIFACT: &str = "$artifact";

/// Whether an object refers to a file or artifact, well or badly.
pub fn has_source_reference(object: &Object) -> bool {
    object.get(FILE).is_some() || object.get(ARTIFACT).is_some()
}

/// Where in a value an object refers to a file or artifact, as a pointer; the first one outside the places that `skip` accepts.
pub fn find_reference(value: &Value, skip: &dyn Fn(&str) -> bool) -> Option<String> {
    fn find(value: &Value, at: &mut String, skip: &dyn Fn(&str) -> bool) -> bool {
        let length = at.len();
        let found = match value {
            _ if skip(at) => false,
            Value::Object(object) if has_source_reference(object) => return true,
            Value::Object(object) => object.iter().any(|(key, member)| {
                at.truncate(length);
                crate::path::push_key(at, key);
                find(member, at, skip)
            }),
            Value::Array(items) => items.iter().enumerate().any(|(index, item)| {
                at.truncate(length);
                crate::path::push_index(at, index);
                find(item, at, skip)
            }),
            _ => false,
        };
        if !found {
            at.truncate(length);
        }
        found
    }
    let mut at = String::new();
    find(value, &mut at, skip).then_some(at)
}

impl DataSource {
    /// The whole of a file.
    pub fn file(path: impl Into<String>) -> Self {
        Self {
            place: DataPlace::File(path.into()),
            selection: Box::default(),
        }
    }

    /// The whole of an artifact.
    pub fn artifact(handle: impl Into<String>) -> Self {
        Self {
            place: DataPlace::Artifact(handle.into()),
            selection: Box::default(),
        }
    }

    /// Reads `{"$file": path}` or `{"$artifact": handle}` with the members of a [`DataSelection`]; `None` when the value is something else.
    ///
    /// # Errors
    /// An object with one of these keys that is malformed; the pointer is relative to it.
    pub fn from_value(value: &Value) -> Option<Result<Self, RequestProblem>> {
        let object = value
            .as_object()
            .filter(|object| has_source_reference(object))?;
        Some(Self::read(object))
    }

    fn read(object: &Object) -> Result<Self, RequestProblem> {
        let text = |key: &str| match object.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.to_string())),
            Some(other) => Err(RequestProblem::new(
                format!("/{key}"),
                format_args!("expected a text, found {}", other.kind()),
            )),
        };
        let place = match (text(FILE)?, text(ARTIFACT)?) {
            (Some(path), None) => DataPlace::File(path),
            (None, Some(handle)) => DataPlace::Artifact(handle),
            _ => {
                let message = "`$file` and `$artifact` exclude each other";
                return Err(RequestProblem::new("", message));
            }
        };
        let known = [FILE, ARTIFACT].into_iter().chain(DataSelection::KEYS);
        let unknown = object.iter().map(|(key, _)| key);
        if let Some(key) = unknown
            .into_iter()
            .find(|key| !known.clone().any(|one| one == *key))
        {
            let message = format!(
                "unknown key `{}` beside `{}`{}",
                brief::brief_name(key),
                place.key(),
                suggest_instead(key, DataSelection::KEYS)
            );
            return Err(RequestProblem::new("", message));
        }
        let selection = DataSelection::read(object)?;
        if matches!(place, DataPlace::Artifact(_)) && !selection.dialect.is_open() {
            let message = "`delimiter`, `has_header`, `decimal_comma` and `missing_words` are for files of delimited text";
            return Err(RequestProblem::new("", message));
        }
        Ok(Self {
            place,
            selection: Box::new(selection),
        })
    }

    /// The name of the file or the handle of the artifact.
    pub fn name(&self) -> &str {
        self.place.name()
    }

    pub(crate) fn to_value(&self) -> Value {
        let mut object = Object::new();
        object.insert(self.place.key(), self.name());
        self.selection.write(&mut object);
        Value::Object(object.into())
    }
}

impl DataPlace {
    /// The name of the file or the handle of the artifact.
    pub fn name(&self) -> &str {
        let (Self::File(name) | Self::Artifact(name)) = self;
        name
    }

    /// The key that a reference to it has.
    pub fn key(&self) -> &'static str {
        match self {
            Self::File(_) => FILE,
            Self::Artifact(_) => ARTIFACT,
        }
    }
}

/// The numbers of a selection are finite, so that equality is reflexive.
impl Eq for DataSource {}

impl Hash for DataSource {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.place.hash(state);
        self.selection.column.hash(state);
        self.selection.member.hash(state);
    }
}
