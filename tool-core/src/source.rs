//! References to data that is not inline.

use crate::value::Value;

/// A reference to data.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
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
    pub source: Source,
    /// Kind of the content.
    pub kind: InputKind,
}

/// The kind of data in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// Numbers or a table: `.npy`, `.json` or `.csv`, by the ending of the name.
    Data,
    /// The text as it is (UTF-8).
    Text,
}

impl Source {
    /// Reads `{"$file": path}` or `{"$artifact": handle}`; `None` when the value is something else.
    pub fn from_value(value: &Value) -> Option<Self> {
        let object = value.as_object().filter(|object| object.len() == 1)?;
        if let Some(path) = object.get("$file") {
            return Some(Self::File(path.as_str()?.to_owned()));
        }
        Some(Self::Artifact(
            object.get("$artifact")?.as_str()?.to_owned(),
        ))
    }

    /// The name of the file or the handle of the artifact.
    pub fn name(&self) -> &str {
        let (Self::File(name) | Self::Artifact(name)) = self;
        name
    }

    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::File(path) => Value::object([("$file", path.as_str())]),
            Self::Artifact(handle) => Value::object([("$artifact", handle.as_str())]),
        }
    }
}
