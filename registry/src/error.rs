//! What is wrong with configuration and other texts handed in: each error with its place, all of them at once.

use std::fmt;
use std::sync::Arc;

use tool_core::{Decode, Encode, ErrorCode, RequestProblem, ToolError, brief, path};

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Encode, Decode)]
pub struct TextPlace {
    /// Name of the text, usually a file name.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for TextPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

tool_core::inline_schema!(TextPlace, tool_core::schema::json!({}));

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// Where; `None` for what was built in the program.
    pub place: Option<TextPlace>,
    /// JSON pointer in the text, where there is one.
    pub pointer: String,
    /// What was expected and found.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl LoadError {
    /// An error at a place.
    pub fn new(place: Option<&TextPlace>, message: impl fmt::Display) -> Self {
        Self {
            place: place.cloned(),
            pointer: String::new(),
            message: brief::brief_message(message),
            hint: None,
        }
    }

    /// Names the JSON pointer.
    #[must_use]
    pub fn at(mut self, pointer: impl AsRef<str>) -> Self {
        self.pointer = path::brief_pointer(pointer.as_ref()).into_owned();
        self
    }

    /// Adds the next step.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(brief::brief_message(hint));
        self
    }

    /// Adds the nearest name as the next step, where there is one.
    #[must_use]
    pub fn nearest<'a>(self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        match tool_core::nearest::nearest_name(name, candidates) {
            Some(near) => self.hint(format!("did you mean `{near}`?")),
            None => self,
        }
    }
}

impl LoadError {
    /// As it is displayed, with the key that it is about.
    pub fn with_key(&self) -> String {
        match self.pointer.as_str() {
            "" => self.to_string(),
            pointer => Self {
                message: format!("{} (at `{pointer}`)", self.message),
                ..self.clone()
            }
            .to_string(),
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// Everything that is wrong; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadErrors(Vec<LoadError>);

impl LoadErrors {
    /// As they are displayed, each with the key that it is about.
    pub fn with_keys(&self) -> String {
        let lines = self.0.iter().map(LoadError::with_key);
        lines.collect::<Vec<_>>().join("\n")
    }

    /// `Err` with all errors, `Ok` when there is none.
    ///
    /// # Errors
    /// The errors given.
    pub fn check(errors: Vec<LoadError>) -> Result<(), Self> {
        match errors.is_empty() {
            true => Ok(()),
            false => Err(Self(errors)),
        }
    }

    /// The errors, in the order of the text.
    pub fn list(&self) -> &[LoadError] {
        &self.0
    }

    /// The errors themselves.
    pub fn into_list(self) -> Vec<LoadError> {
        self.0
    }
}

impl From<LoadError> for LoadErrors {
    fn from(error: LoadError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for LoadErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for LoadErrors {}

impl From<LoadErrors> for ToolError {
    fn from(errors: LoadErrors) -> Self {
        let problem = |error: LoadError| {
            let message = match &error.place {
                Some(place) => format!("{place}: {}", error.message),
                None => error.message,
            };
            RequestProblem {
                hint: error.hint,
                ..RequestProblem::new(error.pointer, message)
            }
        };
        let problems = errors.0.into_iter().map(problem).collect();
        Self::of_problems(ErrorCode::InvalidRequest, problems).reason("configuration")
    }
}
