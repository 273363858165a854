//! Selection of members.

use std::collections::BTreeSet;

use globset::GlobMatcher;

use crate::files::glob::compile_glob;
use crate::prelude::*;

/// Members by pattern, by name, or all.
pub(super) enum MemberSelection {
    All,
    Pattern(GlobMatcher),
    Names(BTreeSet<String>),
}

impl MemberSelection {
    pub(super) fn of(pattern: Option<&str>, files: Option<&[String]>) -> Result<Self> {
        match (pattern, files) {
            (Some(_), Some(_)) => Err(tool_error!(InvalidArgs at "/files";
                "give `pattern` or `files`, not both"; "omit one of them")),
            (Some(pattern), None) => Ok(Self::Pattern(compile_glob(pattern, "/pattern")?)),
            (None, Some([])) => Err(tool_error!(InvalidArgs at "/files"; "`files` is empty";
                "omit it to select all members")),
            (None, Some(files)) => Ok(Self::Names(
                files.iter().map(|name| normalise_name(name)).collect(),
            )),
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
}

/// A name without empty parts and `.`.
pub(super) fn normalise_name(name: &str) -> String {
    path_parts(name).collect::<Vec<_>>().join("/")
}

/// The error for a name that no member has.
pub(super) fn no_member(pointer: &str, name: &str) -> ToolError {
    let name = super::fault::abbreviate_name(name);
    tool_error!(InvalidArgs at pointer, "no_member"; "the archive has no file `{name}`";
        "`archive_open` lists the members")
}
