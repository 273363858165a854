//! [`PathGlob`]: patterns of paths below the root of the workspace.
//!
//! - `*` is any run of characters of one name, `?` one character, `[a-z]` one of a class, `[!a-z]` one not of it; none of them
//!   matches `/`.
//! - `**` between slashes is any number of folders, also none: `a/**` matches `a` and everything below it.
//! - A pattern without `/` matches at any depth: `*.key` is `**/*.key`. With `./` before it, it matches in the root alone.
//! - `/` at the end means everything below: `docs/tasks/` is `docs/tasks/**`, and `node_modules/` is `**/node_modules/**`.
//! - `{a,b}` is one of several texts, at most [`ALTERNATIVES_MAX`] in all.
//!
//! What could mean something else elsewhere is refused: `!` or `/` at the beginning, `..`, `\`, `**` within a name.

use unicode_normalization::UnicodeNormalization;

use super::class::CharacterClass;

/// Most patterns that the braces of one pattern stand for.
pub const ALTERNATIVES_MAX: usize = 32;
/// Longest pattern, in bytes.
pub const PATTERN_BYTES_MAX: usize = 256;
/// Most names of a pattern.
pub const NAMES_MAX: usize = 32;

/// A pattern of paths; see the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathGlob {
    pub(super) alternatives: Vec<Vec<GlobPart>>,
}

/// A part of a pattern between slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GlobPart {
    /// Any number of folders.
    Folders,
    /// One name.
    Name(Vec<GlobToken>),
}

/// A part of the pattern of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GlobToken {
    /// Any run of characters.
    Star,
    /// One character of a class.
    One(CharacterClass),
}

/// Whether upper and lower case are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlobCase {
    /// They differ.
    Exact,
    /// They are the same, as on file systems that ignore case.
    Ignored,
}

impl PathGlob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is expected instead, for one that is malformed or ambiguous.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("a pattern that is not empty".to_owned());
        }
        if text.len() > PATTERN_BYTES_MAX {
            return Err(format!("a pattern of at most {PATTERN_BYTES_MAX} bytes"));
        }
        if text.starts_with(['!', '/']) {
            return Err("a pattern that begins at the root of the workspace, without `!` or `/` (`./` for the root alone)".to_owned());
        }
        if text.contains(['\\', '\0']) {
            return Err("a pattern with `/` between names and without `\\`".to_owned());
        }
        let normal: String = text.nfc().collect();
        let texts = super::braces::expand_braces(&normal)?;
        let alternatives: Result<Vec<_>, _> =
            texts.iter().map(|text| parse_pattern_parts(text)).collect();
        Ok(Self {
            alternatives: alternatives?,
        })
    }

    /// Number of patterns that it stands for.
    pub fn alternatives(&self) -> usize {
        self.alternatives.len()
    }

    /// Whether it matches a path of the workspace, as [`split_workspace_path`] gives it.
    pub fn matches(&self, path: &[&str], case: GlobCase) -> bool {
        self.alternatives
            .iter()
            .any(|parts| matches_parts(parts, path, case))
    }
}

/// The pattern of one path, in which no character has a meaning of its own.
pub(super) fn literal_pattern(path: &[&str]) -> String {
    let mut pattern = ".".to_owned();
    for name in path {
        pattern.push('/');
        for character in name.chars() {
            match character {
                '*' | '?' | '[' | ']' | '{' | '}' => {
                    pattern.extend(['[', character, ']']);
                }
                other => pattern.push(other),
            }
        }
    }
    pattern
}

/// The names of a path below the root of the workspace, without `.` and empty ones.
///
/// # Errors
/// A path that is empty, absolute, contains `..`, `\` or a zero byte.
pub fn split_workspace_path(text: &str) -> Result<Vec<&str>, String> {
    let names: Vec<&str> = text
        .split('/')
        .filter(|name| !matches!(*name, "" | "."))
        .collect();
    let leaves = text.starts_with('/') || names.contains(&"..") || text.contains(['\\', '\0']);
    match leaves || names.is_empty() {
        false => Ok(names),
        true => Err(
            "a path below the root of the workspace, with `/` between names and without `..`"
                .to_owned(),
        ),
    }
}

/// The parts of a pattern without braces.
fn parse_pattern_parts(text: &str) -> Result<Vec<GlobPart>, String> {
    let below = text.ends_with('/');
    let anchored = text.trim_end_matches('/').contains('/');
    let mut parts = Vec::new();
    if !anchored {
        parts.push(GlobPart::Folders);
    }
    for name in text.split('/').filter(|name| !matches!(*name, "" | ".")) {
        match name {
            ".." => return Err("a pattern without `..`".to_owned()),
            "**" => parts.push(GlobPart::Folders),
            _ => parts.push(GlobPart::Name(parse_name_tokens(name)?)),
        }
    }
    if parts.iter().all(|part| *part == GlobPart::Folders) && !text.contains("**") {
        return Err("a pattern that names something".to_owned());
    }
    if below {
        parts.push(GlobPart::Folders);
    }
    if parts.len() > NAMES_MAX {
        return Err(format!("a pattern of at most {NAMES_MAX} names"));
    }
    parts.dedup_by(|next, before| *next == GlobPart::Folders && *before == GlobPart::Folders);
    Ok(parts)
}

fn parse_name_tokens(name: &str) -> Result<Vec<GlobToken>, String> {
    if name.contains("**") {
        return Err("`**` alone between slashes".to_owned());
    }
    let mut tokens = Vec::new();
    let mut rest = name.chars();
    while let Some(character) = rest.next() {
        tokens.push(match character {
            '*' => GlobToken::Star,
            '?' => GlobToken::One(CharacterClass::any()),
            '[' => GlobToken::One(CharacterClass::read(&mut rest)?),
            ']' => return Err("`]` only after `[`".to_owned()),
            other => GlobToken::One(CharacterClass::only(other)),
        });
    }
    Ok(tokens)
}

/// After each name of the path: which parts of the pattern may come next.
fn matches_parts(parts: &[GlobPart], path: &[&str], case: GlobCase) -> bool {
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    skip_folders(parts, &mut reached);
    for name in path {
        // Names that look the same are the same, as on file systems that normalise them.
        let name: Vec<char> = name.nfc().collect();
        let mut next = vec![false; parts.len() + 1];
        for (index, part) in parts
            .iter()
            .enumerate()
            .filter(|(index, _)| reached[*index])
        {
            match part {
                GlobPart::Folders => next[index] = true,
                GlobPart::Name(tokens) => next[index + 1] |= matches_name(tokens, &name, case),
            }
        }
        skip_folders(parts, &mut next);
        reached = next;
    }
    reached[parts.len()]
}

/// `**` may be no folder.
pub(super) fn skip_folders(parts: &[GlobPart], reached: &mut [bool]) {
    for (index, part) in parts.iter().enumerate() {
        if *part == GlobPart::Folders {
            reached[index + 1] |= reached[index];
        }
    }
}

fn matches_name(tokens: &[GlobToken], name: &[char], case: GlobCase) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < name.len() {
        match tokens.get(token) {
            Some(GlobToken::Star) => {
                star = Some((token, at));
                token += 1;
            }
            Some(GlobToken::One(class)) if class.has(name[at], case) => {
                token += 1;
                at += 1;
            }
            _ => match star {
                Some((from, taken)) => {
                    star = Some((from, taken + 1));
                    token = from + 1;
                    at = taken + 1;
                }
                None => return false,
            },
        }
    }
    tokens[token..]
        .iter()
        .all(|token| *token == GlobToken::Star)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_what_they_say() {
        for (pattern, fitting, others) in [
            (
                ".git/**",
                &[".git", ".git/config", ".git/a/b"][..],
                &[".gitignore", "x/.git/config"][..],
            ),
            (
                "**/dist/**",
                &["dist", "dist/a", "a/dist/b/c"],
                &["distinct", "a/dist2/b"],
            ),
            (
                "docs/**",
                &["docs/a.md", "docs/tasks/todo/x.md"],
                &["doc/a", "a/docs/b"],
            ),
            (
                "docs/tasks/",
                &["docs/tasks/x", "docs/tasks"],
                &["docs/task"],
            ),
            (
                "*.key",
                &["a.key", "x/y/a.key", ".key"],
                &["a.keys", "a.key/b"],
            ),
            ("./*.key", &["a.key"], &["x/a.key"]),
            (".env*", &[".env", "x/.env.local"], &["env"]),
            (
                "node_modules/",
                &["node_modules", "a/node_modules/b"],
                &["node_modules2"],
            ),
            ("**/*.{ts,tsx}", &["a.ts", "a/b.tsx"], &["a.t", "a.tsxx"]),
            ("{src,lib}/**", &["src/a", "lib"], &["a/src"]),
            (
                "src/?.rs",
                &["src/a.rs", "src/é.rs"],
                &["src/ab.rs", "src/a/b.rs"],
            ),
            ("a/[a-cx]", &["a/a", "a/x"], &["a/d", "a/ab"]),
            ("a/[!a-c]", &["a/d"], &["a/a"]),
            ("a/[]]", &["a/]"], &["a/a"]),
            ("a/[a-]", &["a/-", "a/a"], &["a/b"]),
            ("**", &["a", "a/b"], &[]),
            ("**/*", &["a", "a/b"], &[]),
            ("a/**/z", &["a/z", "a/b/z"], &["z", "a/z/b"]),
        ] {
            let glob = PathGlob::parse(pattern).unwrap();
            for one in fitting {
                assert!(
                    glob.matches(&split_workspace_path(one).unwrap(), GlobCase::Exact),
                    "{pattern} {one}"
                );
            }
            for one in others {
                assert!(
                    !glob.matches(&split_workspace_path(one).unwrap(), GlobCase::Exact),
                    "{pattern} {one}"
                );
            }
        }
    }

    #[test]
    fn case_is_ignored_on_demand() {
        let glob = PathGlob::parse("**/[A-C]*.KEY").unwrap();
        assert!(
            glob.matches(&["x", "b.key"], GlobCase::Ignored)
                && !glob.matches(&["x", "b.key"], GlobCase::Exact)
        );
        assert!(
            PathGlob::parse("./.git/**")
                .unwrap()
                .matches(&[".GIT", "config"], GlobCase::Ignored)
        );
    }

    #[test]
    fn names_are_compared_in_one_normal_form() {
        let glob = PathGlob::parse("caf\u{e9}/?").unwrap();
        assert!(glob.matches(&["cafe\u{301}", "e\u{301}"], GlobCase::Exact));
        assert!(PathGlob::parse("cafe\u{301}/*").unwrap().meets(&glob));
    }

    #[test]
    fn ambiguous_patterns_are_refused() {
        for text in [
            "", "/a", "!a", "a/../b", "a\\b", "a/**b", "a**", "[", "a/[]", "a/[z-a]", "a]", "{a",
            "a}", "./", ".", "{a,b", "[a/b]",
        ] {
            assert!(PathGlob::parse(text).is_err(), "{text}");
        }
        assert!(
            PathGlob::parse(&"{a,b}".repeat(5)).is_ok()
                && PathGlob::parse(&"{a,b}".repeat(6)).is_err()
        );
        assert!(
            PathGlob::parse(&"a".repeat(256)).is_ok() && PathGlob::parse(&"a".repeat(257)).is_err()
        );
        assert!(
            PathGlob::parse(&"a/".repeat(31)).is_ok() && PathGlob::parse(&"a/".repeat(32)).is_err()
        );
        for text in ["", "/a", "../a", "a/..", "a\\b", ".", "a\0"] {
            assert!(split_workspace_path(text).is_err(), "{text}");
        }
    }
}
