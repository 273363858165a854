//! Patterns for names and paths: `*`, `?`, and for paths `**`.

use tool_core::capability::fold_file_name;

/// Whether a pattern fits a whole name: `*` is any run of characters, `?` any one.
pub fn fits_name(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|rest| *rest == '*')
}

/// A pattern for paths from the root of the workspace: `**` is any number of folders, `*` any run of characters of one name, `?`
/// one character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathPattern {
    exact: Vec<PathPatternPart>,
    /// The same for file systems that ignore case.
    folded: Vec<PathPatternPart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathPatternPart {
    /// Any number of folders.
    Folders,
    Name(String),
}

impl PathPattern {
    /// Reads a pattern; gives what is wrong with one that could not mean what it looks like.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with('/') || text.split('/').any(|part| part == "..") {
            return Err("a pattern begins at the root of the workspace and stays in it".to_owned());
        }
        if text.contains(['[', ']', '{', '}', '\\', '\0']) || text.starts_with('!') {
            return Err(
                "patterns know `*`, `?` and `**` only; `?` stands for any character".to_owned(),
            );
        }
        if !text.contains('/') {
            return Err(format!(
                "write `**/{text}` for every folder, or `./{text}` for the root alone"
            ));
        }
        let mut exact = Vec::new();
        for part in text.split('/').filter(|part| !matches!(*part, "" | ".")) {
            match part {
                "**" if exact.last() == Some(&PathPatternPart::Folders) => {}
                "**" => exact.push(PathPatternPart::Folders),
                name if name.contains("**") => {
                    return Err("`**` stands alone between slashes".to_owned());
                }
                name => exact.push(PathPatternPart::Name(name.to_owned())),
            }
        }
        if exact.is_empty() {
            return Err("the pattern names nothing".to_owned());
        }
        let fold = |part: &PathPatternPart| match part {
            PathPatternPart::Folders => PathPatternPart::Folders,
            PathPatternPart::Name(name) => PathPatternPart::Name(fold_file_name(name)),
        };
        Ok(Self {
            folded: exact.iter().map(fold).collect(),
            exact,
        })
    }

    /// Whether it certainly fits a path.
    pub(super) fn fits(&self, path: &[String]) -> bool {
        let ends = walk_pattern(&self.exact, path.iter().map(String::as_str));
        ends.last().is_some_and(|reached| reached[self.exact.len()])
    }

    /// Whether it could fit a path, a folder above it, or with `below` something below it, on a file system that ignores case too.
    pub(super) fn could_fit(&self, path: &[String], below: bool) -> bool {
        let names: Vec<String> = path.iter().map(|name| fold_file_name(name)).collect();
        let ends = walk_pattern(&self.folded, names.iter().map(String::as_str));
        let whole = self.folded.len();
        // The root itself is no folder above anything that a pattern names.
        let above = ends.iter().skip(1).any(|reached| reached[whole]);
        let goes_on = |reached: &Vec<bool>| reached[..whole].contains(&true);
        above || below && ends.last().is_some_and(goes_on)
    }
}

/// After each name of a path, and before the first: which parts of the pattern may come next.
fn walk_pattern<'a>(
    pattern: &[PathPatternPart],
    path: impl Iterator<Item = &'a str>,
) -> Vec<Vec<bool>> {
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip_folders(pattern, &mut reached);
    let mut all = vec![reached.clone()];
    for name in path {
        let mut next = vec![false; pattern.len() + 1];
        let parts = pattern.iter().enumerate();
        for (index, part) in parts.filter(|(index, _)| reached[*index]) {
            match part {
                PathPatternPart::Folders => next[index] = true,
                PathPatternPart::Name(wanted) => next[index + 1] |= fits_name(wanted, name),
            }
        }
        skip_folders(pattern, &mut next);
        reached = next;
        all.push(reached.clone());
    }
    all
}

/// `**` may stand for no folder.
fn skip_folders(pattern: &[PathPatternPart], reached: &mut [bool]) {
    for (index, part) in pattern.iter().enumerate() {
        if *part == PathPatternPart::Folders {
            reached[index + 1] |= reached[index];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Vec<String> {
        text.split('/').map(str::to_owned).collect()
    }

    #[test]
    fn patterns_fit_paths() {
        for (pattern, fitting, others) in [
            (
                "**/*.key",
                &["a.key", "x/a.key", "x/y/.key"][..],
                &["a.keys", "a.key/b"][..],
            ),
            ("./.env*", &[".env", ".env.local"], &["x/.env", "env"]),
            ("a/**", &["a", "a/b", "a/b/c"], &["b", "ab"]),
            ("a/**/z", &["a/z", "a/b/z", "a/b/c/z"], &["a", "z", "a/z/b"]),
            ("src/?.rs", &["src/a.rs"], &["src/ab.rs", "src/x/a.rs"]),
            (
                "**/secret/**",
                &["secret", "a/secret/b"],
                &["secrets", "a/secrets"],
            ),
        ] {
            let read = PathPattern::parse(pattern).unwrap();
            fitting
                .iter()
                .for_each(|one| assert!(read.fits(&path(one)), "{pattern} {one}"));
            others
                .iter()
                .for_each(|one| assert!(!read.fits(&path(one)), "{pattern} {one}"));
        }
    }

    #[test]
    fn what_could_fit_is_wider() {
        let keys = PathPattern::parse("**/*.key").unwrap();
        for (one, below, expected) in [
            ("A.KEY", false, true),
            ("a.key/b", false, true),
            ("a", false, false),
            ("a", true, true),
        ] {
            assert_eq!(keys.could_fit(&path(one), below), expected, "{one}");
        }
        let narrow = PathPattern::parse("a/b/*.key").unwrap();
        assert!(narrow.could_fit(&[], true) && !narrow.could_fit(&[], false));
        assert!(narrow.could_fit(&path("a"), true) && !narrow.could_fit(&path("c"), true));
    }

    #[test]
    fn patterns_that_look_like_more_are_refused() {
        for text in [
            "*.key", "/a/*", "a/../b", "a/[ab]", "a/{b,c}", "!a/b", "a/**b", "./",
        ] {
            assert!(PathPattern::parse(text).is_err(), "{text}");
        }
    }
}
