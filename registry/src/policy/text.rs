//! Texts of decisions: shared with the policy, and put together only when somebody reads them.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use tool_core::Value;
use tool_core::{Encode, EncodeError, Encoder};

/// A name that decisions share with the policy: copying it copies no letters.
#[derive(Clone)]
pub enum PolicyLabel {
    /// A name of the program's.
    Fixed(&'static str),
    /// A name of the configuration's.
    Shared(Arc<str>),
}

impl PolicyLabel {
    /// The text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Fixed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl From<&'static str> for PolicyLabel {
    fn from(text: &'static str) -> Self {
        Self::Fixed(text)
    }
}

impl From<String> for PolicyLabel {
    fn from(text: String) -> Self {
        Self::Shared(text.into())
    }
}

/// Why, in words: a name between two fixed texts, joined when it is first read.
#[derive(Clone)]
pub struct DecisionReason {
    before: &'static str,
    name: PolicyLabel,
    after: &'static str,
    joined: OnceLock<String>,
}

impl DecisionReason {
    /// A name with what stands before and after it.
    pub fn about(before: &'static str, name: impl Into<PolicyLabel>, after: &'static str) -> Self {
        Self {
            before,
            name: name.into(),
            after,
            joined: OnceLock::new(),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        if self.before.is_empty() && self.after.is_empty() {
            return self.name.as_str();
        }
        let join = || [self.before, self.name.as_str(), self.after].concat();
        self.joined.get_or_init(join)
    }
}

impl<T: Into<PolicyLabel>> From<T> for DecisionReason {
    fn from(text: T) -> Self {
        Self::about("", text, "")
    }
}

macro_rules! reads_as_text {
    ($($name:ty),*) => {$(
        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                self.as_str()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self.as_str(), f)
            }
        }

        impl<T: AsRef<str> + ?Sized> PartialEq<T> for $name {
            fn eq(&self, other: &T) -> bool {
                self.as_str() == other.as_ref()
            }
        }

        impl PartialEq<$name> for String {
            fn eq(&self, other: &$name) -> bool {
                self == other.as_str()
            }
        }

        impl From<$name> for Value {
            fn from(text: $name) -> Self {
                Self::from(text.as_str())
            }
        }

        impl Encode for $name {
            fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
                self.as_str().encode(encoder)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
    )*};
}

reads_as_text!(PolicyLabel, DecisionReason);
