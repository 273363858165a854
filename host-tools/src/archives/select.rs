//! Selection of members.

use std::collections::BTreeSet;

use globset::GlobMatcher;
use tool_core::{ToolError, tool_error};

use crate::files::glob::matcher;

/// Members by pattern, by name, or all.
pub(super) enum Selection {
    All,
    Pattern(GlobMatcher),
    Names(BTreeSet<String>),
}

impl Selection {
    pub(super) fn of(pattern: Option<&str>, files: Option<&[String]>) -> Result<Self, ToolError> {
        match (pattern, files) {
            (Some(_), Some(_)) => Err(tool_error!(
                InvalidArgs,
                "give `pattern` or `files`, not both"
            )
            .at("/files")
            .hint("omit one of them")),
            (Some(pattern), None) => Ok(Self::Pattern(matcher(pattern, "/pattern")?)),
            (None, Some([])) => Err(ToolError::invalid("/files", "`files` is empty")
                .hint("omit it to select all members")),
            (None, Some(files)) => Ok(Self::Names(files.iter().map(|name| tidy(name)).collect())),
            (None, None) => Ok(Self::All),
        }
    }

    pub(super) fn takes(&self, path: &str) -> bool {
        match self {
            Self::All => true,
            Self::Pattern(pattern) => pattern.is_match(path),
            Self::Names(names) => names.contains(path),
        }
    }

    /// The names that no member has.
    pub(super) fn missing<'a>(
        &'a self,
        found: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = &'a str> {
        let names = match self {
            Self::Names(names) => Some(names),
            _ => None,
        };
        names
            .into_iter()
            .flatten()
            .map(String::as_str)
            .filter(move |name| !found(name))
    }
}

/// A name without empty parts and `.`.
pub(super) fn tidy(name: &str) -> String {
    let parts: Vec<&str> = name
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    parts.join("/")
}

/// The error for a name that no member has.
pub(super) fn no_member(pointer: &str, name: &str) -> ToolError {
    tool_error!(
        InvalidArgs,
        "the archive has no file `{}`",
        super::fault::brief(name)
    )
    .at(pointer)
    .reason("no_member")
    .hint("`archive_open` lists the members")
}
