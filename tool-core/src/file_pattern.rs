//! Several files under one name: `data/*.csv`.
//!
//! `*` and `?` stand for characters within one name, and `**` as a whole name for any number of folders. What they match are regular files,
//! never links, and no name that begins with a dot unless the pattern does. The policy judges the same files that a tool reads.

use crate::capability::{FileKind, WorkspaceFiles};
use crate::error::ToolError;
use crate::stop::StopFlag;
use crate::tool_error;

/// Most files of a pattern.
pub const PATTERN_FILES_MAX: usize = 1_000;
/// Most entries of a folder.
const ENTRIES_MAX: usize = 100_000;
/// Most folders for which `**` stands.
const DEPTH_MAX: usize = 64;

/// Whether a path stands for several files.
pub fn is_file_pattern(path: &str) -> bool {
    path.contains(['*', '?'])
}

fn path_names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !matches!(*name, "" | "."))
}

/// The folder that has all files of a pattern; any other path unchanged.
pub fn pattern_folder(path: &str) -> String {
    if !is_file_pattern(path) {
        return path.to_owned();
    }
    let names: Vec<&str> = path_names(path)
        .take_while(|name| !is_file_pattern(name))
        .collect();
    match (path.starts_with('/'), names.is_empty()) {
        (true, _) => format!("/{}", names.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => names.join("/"),
    }
}

/// The paths of the files that a pattern matches, sorted.
///
/// # Errors
/// As [`WorkspaceFiles::list`] of the folder before the first `*` or `?`; `limit_exceeded` for more than [`PATTERN_FILES_MAX`] files.
pub fn matching_files(
    files: &dyn WorkspaceFiles,
    pattern: &str,
    stop: &StopFlag,
) -> Result<Vec<String>, ToolError> {
    let folder = pattern_folder(pattern);
    let wanted: Vec<&str> = path_names(pattern)
        .skip_while(|name| !is_file_pattern(name))
        .collect();
    let is_deep = wanted.len() > 1 || wanted.contains(&"**");
    let (entries, is_cut) = files.list(&folder, is_deep, ENTRIES_MAX, stop)?;
    if is_cut {
        return Err(tool_error!(LimitExceeded, "entries";
            "`{folder}` has more than {ENTRIES_MAX} entries"; "choose a folder further down"));
    }
    let below = match files.identity(&folder)?.path {
        root if root.is_empty() || root == "." => String::new(),
        folder => format!("{folder}/"),
    };
    let mut found = Vec::new();
    for entry in entries {
        let is_file = entry.kind == FileKind::File;
        let Some(rest) = entry.path.strip_prefix(&below).filter(|_| is_file) else {
            continue;
        };
        let names: Vec<&str> = rest.split('/').collect();
        if names.len() <= DEPTH_MAX && matches_names(&wanted, &names) {
            found.push(entry.path);
        }
        if found.len() > PATTERN_FILES_MAX {
            return Err(tool_error!(LimitExceeded, "entries";
                "`{pattern}` matches more than {PATTERN_FILES_MAX} files"; "choose fewer files"));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Whether the names of a path are those of a pattern.
fn matches_names(wanted: &[&str], names: &[&str]) -> bool {
    match (wanted, names) {
        ([], []) => true,
        (["**", rest @ ..], names) => (0..=names.len()).any(|skipped| {
            let is_plain = |name: &&str| !name.starts_with('.');
            names[..skipped].iter().all(is_plain) && matches_names(rest, &names[skipped..])
        }),
        ([first, rest @ ..], [name, others @ ..]) => {
            matches_name(first, name) && matches_names(rest, others)
        }
        _ => false,
    }
}

/// Whether a name fits `*` and `?`; linear in the product of the lengths.
fn matches_name(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    // Which beginnings of the pattern the characters so far fit.
    let mut fits = vec![false; pattern.len() + 1];
    fits[0] = true;
    for (index, one) in pattern.iter().enumerate() {
        fits[index + 1] = fits[index] && *one == '*';
    }
    for letter in name.chars() {
        let mut next = vec![false; pattern.len() + 1];
        for (index, one) in pattern.iter().enumerate() {
            next[index + 1] = match one {
                '*' => fits[index + 1] || next[index] || fits[index],
                '?' => fits[index],
                one => fits[index] && *one == letter,
            };
        }
        fits = next;
    }
    fits[pattern.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_stars_and_question_marks() {
        for (pattern, name, fits) in [
            ("*.csv", "a.csv", true),
            ("*.csv", ".csv", false),
            (".*", ".csv", true),
            ("*", "", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("a?c", "aéc", true),
            ("a?c", "ac", false),
            ("**", "x", true),
            ("a", "A", false),
        ] {
            assert_eq!(matches_name(pattern, name), fits, "{pattern} {name}");
        }
        let long = "a".repeat(2_000);
        assert!(!matches_name(&"*a".repeat(200), &format!("{long}b")));
    }

    #[test]
    fn the_folder_of_a_pattern_is_before_the_first_star() {
        for (path, folder) in [
            ("data/*.csv", "data"),
            ("./a//b/?/c", "a/b"),
            ("*", "."),
            ("/srv/x/*.csv", "/srv/x"),
            ("a/b.csv", "a/b.csv"),
        ] {
            assert_eq!(pattern_folder(path), folder);
        }
    }

    #[test]
    fn two_stars_are_any_folders() {
        for (pattern, path, fits) in [
            ("**/*.csv", "a.csv", true),
            ("**/*.csv", "x/y/a.csv", true),
            ("**/*.csv", "x/.git/a.csv", false),
            ("*/a.csv", "x/a.csv", true),
            ("*/a.csv", "a.csv", false),
            ("x/**/b/*.csv", "x/b/1.csv", true),
            ("**", "x/y", true),
        ] {
            let pattern: Vec<&str> = pattern.split('/').collect();
            let path: Vec<&str> = path.split('/').collect();
            assert_eq!(matches_names(&pattern, &path), fits, "{pattern:?} {path:?}");
        }
    }
}
