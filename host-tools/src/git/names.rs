//! Names of branches, remotes and commits, checked by git's own rules before git reads them.
//!
//! # References
//! `git-check-ref-format(1)`; the tests compare these rules with the program.

use crate::prelude::*;

/// Longest name in bytes.
const NAME_BYTES_MAX: usize = 200;

/// A branch: its reference is `refs/heads/NAME`.
///
/// # Errors
/// `invalid_args` with reason `ref_name`.
pub(super) fn branch_reference(name: &str, pointer: &str) -> Result<String> {
    match name_fault(name) {
        None if name == "HEAD" => Err(name_refused(
            "a branch",
            name,
            "`HEAD` is no branch",
            pointer,
        )),
        None => Ok(format!("refs/heads/{name}")),
        Some(what) => Err(name_refused("a branch", name, what, pointer)),
    }
}

/// A remote.
///
/// # Errors
/// As [`branch_reference`].
pub(super) fn check_remote<'a>(name: &'a str, pointer: &str) -> Result<&'a str> {
    match name_fault(name) {
        None => Ok(name),
        Some(what) => Err(name_refused("a remote", name, what, pointer)),
    }
}

/// A commit: `HEAD`, a branch, a tag, another reference, or the digits of its id.
///
/// # Errors
/// As [`branch_reference`].
pub(super) fn check_commit<'a>(name: &'a str, pointer: &str) -> Result<&'a str> {
    match name_fault(name) {
        None => Ok(name),
        Some(what) => Err(name_refused("a commit", name, what, pointer)),
    }
}

fn name_refused(kind: &str, name: &str, what: &str, pointer: &str) -> ToolError {
    let shown: String = name.chars().take(80).collect();
    tool_error!(InvalidArgs at pointer, "ref_name";
        "expected the name of {kind}, found `{}`: {what}", shown.escape_debug();
        "a name has letters, digits, `-`, `_`, `.` and `/`, and does not begin with `-`")
}

/// The rule that a name breaks, if any.
pub(super) fn name_fault(name: &str) -> Option<&'static str> {
    const SPECIAL: [char; 8] = [' ', '~', '^', ':', '?', '*', '[', '\\'];
    let mut parts = name.split('/');
    let rules = [
        (name.is_empty(), "it is empty"),
        (name.len() > NAME_BYTES_MAX, "it has more than 200 bytes"),
        (name.starts_with('-'), "it begins with `-`"),
        (name.starts_with('+'), "it begins with `+`, which forces"),
        (name == "@", "`@` is `HEAD`"),
        (name.contains(".."), "it contains `..`"),
        (name.contains("@{"), "it contains `@{`"),
        (name.ends_with('.'), "it ends with `.`"),
        (
            name.chars().any(|c| c.is_ascii_control()),
            "it contains a control character",
        ),
        (
            name.contains(SPECIAL),
            "it contains a space or one of `~^:?*[\\`",
        ),
        (
            parts.any(|part| part.is_empty() || part.starts_with('.') || part.ends_with(".lock")),
            "a part between `/` is empty, begins with `.` or ends with `.lock`",
        ),
    ];
    let broken = rules.into_iter().find(|(is_broken, _)| *is_broken);
    broken.map(|(_, what)| what)
}
