//! Patterns on names: `*`, `?` and `[a-z]`.

use regex::Regex;

use crate::prelude::*;

/// Maximum length of a pattern in characters.
const LENGTH_MAX: usize = 255;

/// A pattern that a whole name must match, in time linear in the name.
#[derive(Debug)]
pub(super) struct NamePattern(Regex);

impl NamePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// `invalid_args` for an empty or too long one, one with `/` or `..`, and a set that is not closed or not in order.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let (message, hint) = match text {
            "" => ("`pattern` is empty", "`*` matches every name"),
            _ if text.chars().count() > LENGTH_MAX => (
                "`pattern` is longer than 255 characters",
                "a name has at most 255 bytes",
            ),
            _ if text.contains('/') || text.contains("..") => (
                "`pattern` matches names, not paths: it must not contain `/` or `..`",
                "give the folder as `path`, and `recursive: true` for the tree below",
            ),
            _ => {
                let regex = translate_pattern(text).and_then(|regex| Regex::new(&regex).ok());
                match regex {
                    Some(regex) => return Ok(Self(regex)),
                    None => (
                        "`pattern` has an invalid set",
                        "write `[[]` for the character `[`",
                    ),
                }
            }
        };
        Err(ToolError::invalid("/pattern", message).hint(hint))
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        self.0.is_match(name)
    }
}

/// The pattern as a regular expression; `None` for a set without its end.
fn translate_pattern(text: &str) -> Option<String> {
    let mut regex = "(?s)^".to_owned();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        match character {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            '[' => {
                let set = rest.as_str();
                let (negation, set) = match set.strip_prefix('!') {
                    Some(set) => ("^", set),
                    None => ("", set),
                };
                // A `]` that comes first is a member.
                let first = set.chars().next()?.len_utf8();
                let end = first + set[first..].find(']')?;
                regex.push_str(&format!("[{negation}"));
                for member in set[..end].chars() {
                    if !matches!(member, '-' | 'a'..='z' | 'A'..='Z' | '0'..='9')
                        && member.is_ascii()
                    {
                        regex.push('\\');
                    }
                    regex.push(member);
                }
                regex.push(']');
                rest = set[end + 1..].chars();
            }
            literal => regex.push_str(&regex::escape(literal.encode_utf8(&mut [0; 4]))),
        }
    }
    Some(regex + "$")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, name: &str, expected: bool) {
        assert_eq!(
            NamePattern::parse(pattern).unwrap().matches(name),
            expected,
            "{pattern} {name}"
        );
    }

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("*", "a", true),
            ("*", ".hidden", true),
            ("*.csv", "a.csv", true),
            ("*.csv", "a.csv.gz", false),
            ("*.csv", ".csv", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "abcbc", true),
            ("a*b*c", "acb", false),
            ("?", "é", true),
            ("?", "", false),
            ("??", "a", false),
            ("[a-c]x", "bx", true),
            ("[a-c]x", "dx", false),
            ("[!a-c]x", "dx", true),
            ("[]]", "]", true),
            ("[-a]", "-", true),
            ("[a-]", "-", true),
            ("[[]", "[", true),
            ("a**", "a", true),
            ("A", "a", false),
            ("grüße*", "grüße.txt", true),
        ] {
            check(pattern, name, expected);
        }
    }

    #[test]
    fn hostile_patterns_are_refused_or_quick() {
        for pattern in [
            "",
            "../x",
            "a/b",
            "..",
            "[a",
            "[",
            "[!",
            "[a-",
            &"x".repeat(256),
        ] {
            let err = NamePattern::parse(pattern).unwrap_err();
            assert_eq!(err.path(), Some("/pattern"), "{pattern}");
            assert!(err.hint_str().is_some());
        }
        check(&"a*".repeat(127), &"a".repeat(255), true);
        check(&format!("{}b", "a*".repeat(127)), &"a".repeat(255), false);
    }
}
