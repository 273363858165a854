//! Which members a call is about.

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
                "members are chosen by `pattern` or by `files`, not by both"
            )
            .at("/files")
            .hint("leave one of them out")),
            (Some(pattern), None) => Ok(Self::Pattern(matcher(pattern, "/pattern")?)),
            (None, Some([])) => Err(ToolError::invalid("/files", "`files` is empty")
                .hint("leave it out to take all members")),
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

    /// The names that no member had.
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

/// A name as members have it.
pub(super) fn tidy(name: &str) -> String {
    let parts: Vec<&str> = name
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    parts.join("/")
}

/// Where a name is wrong, the nearest way to the right one.
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
