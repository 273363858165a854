//! Handles: names of stored values.

use std::fmt;

use rusqlite::types::ValueRef;
use tool_core::value::Numbers;
use tool_core::{Object, Result, Value, json, tool_error};

use super::form::RANK_MAX;
use crate::sql::{Hash, SqlColumn};

/// The BLAKE3 hash of a value's bytes; written `b3:<64 hex digits>`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArtifactHash(pub(crate) [u8; 32]);

impl fmt::Display for ArtifactHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b3:{}", blake3::Hash::from(self.0).to_hex())
    }
}

impl fmt::Debug for ArtifactHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl SqlColumn for ArtifactHash {
    fn of(value: ValueRef<'_>) -> Self {
        Self(Hash::of(value))
    }
}

impl ArtifactHash {
    /// Hashes bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).into())
    }

    /// Parses `b3:<64 hex digits>`.
    ///
    /// # Errors
    /// `invalid_args` for any other form.
    pub fn parse(text: &str) -> Result<Self> {
        let hex = text.strip_prefix("b3:");
        let hash = hex.and_then(|hex| blake3::Hash::from_hex(hex).ok());
        let lower = text.bytes().all(|byte| !byte.is_ascii_uppercase());
        hash.filter(|_| lower)
            .map(|hash| Self(hash.into()))
            .ok_or_else(|| {
                let shown: String = text.chars().take(80).collect();
                tool_error!(InvalidArgs, "handle";
                    "expected a handle `b3:<64 hex digits>`, found `{shown}`";
                    "`mathchain artifacts list` shows handles")
            })
    }
}

/// The kind of a stored value.
#[derive(Debug, Clone, PartialEq)]
pub enum ArtifactKind {
    /// A small value, in the state file.
    Small,
    /// A large value, as a file of its stored form.
    Json {
        /// Size of the file in bytes.
        bytes: u64,
    },
    /// A block of numbers, as a NumPy file of doubles.
    Npy {
        /// Extents, outermost first.
        shape: Vec<usize>,
        /// Whether the numbers are written as integers.
        integral: bool,
        /// Size of the file in bytes.
        bytes: u64,
        /// Minimum, maximum and mean of the finite numbers, and the count of the others.
        summary: Value,
    },
}

/// The name of a stored value, with size and shape.
#[derive(Debug, Clone, PartialEq)]
pub struct ArtifactHandle {
    /// Hash of the bytes.
    pub hash: ArtifactHash,
    /// Kind of the value.
    pub kind: ArtifactKind,
}

/// The member of a handle that names a small value.
pub(super) const VALUE_KEY: &str = "$value";
/// The member of a handle that names a file.
pub(crate) const FILE_KEY: &str = "$artifact";

const JSON_MEDIA: &str = "application/json";
const NPY_MEDIA: &str = "application/x-npy";

impl ArtifactHandle {
    /// The handle as an object, as in events and stored values.
    pub fn to_value(&self) -> Value {
        let mut object = Object::new();
        let name = self.hash.to_string();
        match &self.kind {
            ArtifactKind::Small => object.insert(VALUE_KEY, name),
            ArtifactKind::Json { bytes } => {
                object.insert(FILE_KEY, name);
                object.insert("media", JSON_MEDIA);
                object.insert("bytes", *bytes);
            }
            ArtifactKind::Npy {
                shape,
                integral,
                bytes,
                summary,
            } => {
                object.insert(FILE_KEY, name);
                object.insert("media", NPY_MEDIA);
                object.insert("dtype", "<f8");
                object.insert("shape", shape.clone());
                if *integral {
                    object.insert("integral", true);
                }
                object.insert("bytes", *bytes);
                object.insert("summary", summary.clone());
            }
        }
        Value::Object(object.into())
    }

    /// Parses a handle; `None` for any other value.
    pub fn from_value(value: &Value) -> Option<Self> {
        let hash = |key| ArtifactHash::parse(value.get(key)?.as_str()?).ok();
        if let Some(hash) = hash(VALUE_KEY) {
            return Some(Self::small(hash));
        }
        let hash = hash(FILE_KEY)?;
        let bytes = u64::try_from(value.get("bytes")?.as_i64()?).ok()?;
        let kind = match value.get("media")?.as_str()? {
            JSON_MEDIA => ArtifactKind::Json { bytes },
            NPY_MEDIA => {
                let extents = value.get("shape")?.items()?;
                let extent = |extent: &Value| usize::try_from(extent.as_i64()?).ok();
                ArtifactKind::Npy {
                    shape: extents.iter().map(extent).collect::<Option<_>>()?,
                    integral: value
                        .get("integral")
                        .and_then(Value::as_bool)
                        .unwrap_or(false),
                    bytes,
                    summary: value.get("summary").cloned().unwrap_or_default(),
                }
            }
            _ => return None,
        };
        Some(Self { hash, kind })
    }

    /// Parses the text of a handle.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::from_value(&json::parse_json(text, json::JsonLimits::default()).ok()?)
    }

    /// The handle of a small value.
    pub(crate) fn small(hash: ArtifactHash) -> Self {
        Self {
            hash,
            kind: ArtifactKind::Small,
        }
    }

    /// Whether two handles describe the same file. The spelling of its numbers, and extents beyond those of a stored NumPy file, belong to
    /// the value that names the file.
    pub(crate) fn describes_same(&self, other: &Self) -> bool {
        let of_file = |handle: &Self| {
            let mut handle = handle.clone();
            if let ArtifactKind::Npy {
                shape, integral, ..
            } = &mut handle.kind
            {
                *integral = false;
                if shape.len() > RANK_MAX {
                    *shape = vec![shape.iter().product()];
                }
            }
            // Compared as text, since records and rows spell numbers differently.
            json::canonical_json(&handle.to_value())
        };
        of_file(self) == of_file(other)
    }

    /// File extension; `None` for a value without a file.
    pub(crate) fn ending(&self) -> Option<&'static str> {
        match self.kind {
            ArtifactKind::Small => None,
            ArtifactKind::Json { .. } => Some("json"),
            ArtifactKind::Npy { .. } => Some("npy"),
        }
    }

    /// Size of the file in bytes; 0 without one.
    pub fn bytes(&self) -> u64 {
        match self.kind {
            ArtifactKind::Small => 0,
            ArtifactKind::Json { bytes } | ArtifactKind::Npy { bytes, .. } => bytes,
        }
    }
}

/// Minimum, maximum and mean of the finite numbers (summed in order), and the count of the others.
pub(super) fn summarise_numbers(numbers: &Numbers) -> Value {
    let (mut min, mut max, mut sum, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0_u64);
    for &number in numbers
        .as_slice()
        .iter()
        .filter(|number| number.is_finite())
    {
        min = min.min(number);
        max = max.max(number);
        sum += number;
        count += 1;
    }
    let others = numbers.as_slice().len() as u64 - count;
    let mut object = Object::new();
    if count > 0 {
        object.insert("min", min);
        object.insert("max", max);
        object.insert("mean", sum / count as f64);
    }
    if others > 0 {
        object.insert("non_finite", others);
    }
    Value::Object(object.into())
}
