//! Patterns on names: `*`, `?` and `[a-z]`.

use tool_core::ToolError;

/// Longest pattern, in characters.
const LENGTH_MAX: usize = 255;

/// A pattern that a whole name must match.
#[derive(Debug)]
pub(super) struct Pattern(Vec<Part>);

#[derive(Debug)]
enum Part {
    /// Any characters, also none: `*`.
    Any,
    /// Any one character: `?`.
    One,
    /// One of some: `[abc0-9]`, or any other: `[!abc0-9]`.
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    /// This character.
    Literal(char),
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// `invalid_args` for an empty or too long one, one with `/` or `..`, and a set without its end.
    pub(super) fn parse(text: &str) -> Result<Self, ToolError> {
        let refuse =
            |message: &str, hint: &str| Err(ToolError::invalid("/pattern", message).hint(hint));
        if text.is_empty() {
            return refuse("`pattern` is empty", "`*` matches every name");
        }
        if text.chars().count() > LENGTH_MAX {
            return refuse(
                "`pattern` is longer than 255 characters",
                "a name has at most 255 bytes",
            );
        }
        if text.contains('/') || text.contains("..") {
            return refuse(
                "`pattern` matches names, not paths: it holds no `/` and no `..`",
                "give the folder as `path`, and `recursive: true` for what is below",
            );
        }
        let mut parts = Vec::new();
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            parts.push(match character {
                '*' => Part::Any,
                '?' => Part::One,
                '[' => match set(&mut rest) {
                    Some(part) => part,
                    None => {
                        return refuse(
                            "`pattern` has a `[` without its `]`",
                            "write `[[]` for the character itself",
                        );
                    }
                },
                literal => Part::Literal(literal),
            });
        }
        Ok(Self(parts))
    }

    /// Whether it matches the whole name. Time is at most the product of both lengths: only the last `*` is ever tried again.
    pub(super) fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut part, mut at) = (0, 0);
        let mut retry = None;
        while at < name.len() {
            match self.0.get(part) {
                Some(Part::Any) => {
                    retry = Some((part + 1, at));
                    part += 1;
                }
                Some(one) if one.accepts(name[at]) => {
                    part += 1;
                    at += 1;
                }
                _ => {
                    let Some((after, from)) = retry else {
                        return false;
                    };
                    retry = Some((after, from + 1));
                    (part, at) = (after, from + 1);
                }
            }
        }
        self.0[part..].iter().all(|rest| matches!(rest, Part::Any))
    }
}

impl Part {
    fn accepts(&self, character: char) -> bool {
        match self {
            Self::Any => false,
            Self::One => true,
            Self::Literal(literal) => *literal == character,
            Self::Set { negated, ranges } => {
                ranges
                    .iter()
                    .any(|&(low, high)| low <= character && character <= high)
                    != *negated
            }
        }
    }
}

/// The rest of a set after its `[`; a `]` that comes first is a member.
fn set(rest: &mut std::str::Chars<'_>) -> Option<Part> {
    let mut ranges = Vec::new();
    let mut ahead = rest.clone();
    let negated = ahead.clone().next() == Some('!');
    if negated {
        ahead.next();
    }
    loop {
        let low = ahead.next()?;
        if low == ']' && !ranges.is_empty() {
            break;
        }
        let mut look = ahead.clone();
        let high = match (look.next(), look.next()) {
            (Some('-'), Some(high)) if high != ']' => {
                ahead = look;
                high
            }
            _ => low,
        };
        ranges.push((low, high));
    }
    *rest = ahead;
    Some(Part::Set { negated, ranges })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, name: &str, expected: bool) {
        assert_eq!(
            Pattern::parse(pattern).unwrap().matches(name),
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
            let err = Pattern::parse(pattern).unwrap_err();
            assert_eq!(err.path(), Some("/pattern"), "{pattern}");
            assert!(err.hint_str().is_some());
        }
        check(&"a*".repeat(127), &"a".repeat(255), true);
        check(&format!("{}b", "a*".repeat(127)), &"a".repeat(255), false);
    }
}
