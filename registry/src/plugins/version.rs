//! Versions of plugins, and the ranges that dependencies ask for: the usual three numbers, `^`, `~` and comparisons.

use std::fmt;

/// `1.2.3`; missing parts are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub [u32; 3]);

impl Version {
    /// Reads one; further parts, signs and names are refused.
    pub fn parse(text: &str) -> Option<Self> {
        Some(numbers(text)?.0)
    }
}

/// The numbers, and how many were written.
fn numbers(text: &str) -> Option<(Version, usize)> {
    let mut parts = [0; 3];
    let mut count = 0;
    for part in text.split('.') {
        let slot = parts.get_mut(count)?;
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *slot = part.parse().ok()?;
        count += 1;
    }
    Some((Version(parts), count))
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// Versions from one on, and below another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    text: String,
    from: Version,
    below: Option<Version>,
}

impl Range {
    /// Reads `>=1.2, <2`, `^1.2`, `~1.2.3`, `=1.0.0`; a bare version means `^`, no text at all any version.
    pub fn parse(text: &str) -> Option<Self> {
        let mut range = Self {
            text: text.trim().to_owned(),
            from: Version([0; 3]),
            below: None,
        };
        for part in range
            .text
            .clone()
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let digits = part.find(|character: char| character.is_ascii_digit())?;
            let (sign, rest) = part.split_at(digits);
            let (version, count) = numbers(rest)?;
            let (from, below) = match sign.trim() {
                ">=" => (version, None),
                ">" => (next(version, 2), None),
                "<" => (Version([0; 3]), Some(version)),
                "<=" => (Version([0; 3]), Some(next(version, 2))),
                "=" | "==" => (version, Some(next(version, count - 1))),
                "~" => (version, Some(next(version, (count - 1).min(1)))),
                "^" | "" => (version, Some(next(version, first_set(version, count)))),
                _ => return None,
            };
            range.from = range.from.max(from);
            range.below = match (range.below, below) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
        Some(range)
    }

    /// Whether a version lies in it.
    pub fn contains(&self, version: Version) -> bool {
        self.from <= version && self.below.is_none_or(|below| version < below)
    }
}

/// The first part that is not zero; of what was written, the last when all are.
fn first_set(version: Version, count: usize) -> usize {
    (0..count)
        .find(|&part| version.0[part] > 0)
        .unwrap_or(count - 1)
}

/// The next version that differs in a part.
fn next(version: Version, part: usize) -> Version {
    let mut parts = [0; 3];
    parts[..=part].copy_from_slice(&version.0[..=part]);
    parts[part] = parts[part].saturating_add(1);
    Version(parts)
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_mean_what_package_managers_mean() {
        for (range, inside, outside) in [
            ("", &["0.0.1", "9"][..], &[][..]),
            ("1.2", &["1.2.0", "1.9"], &["1.1.9", "2"]),
            ("^0.2.3", &["0.2.3", "0.2.9"], &["0.2.2", "0.3"]),
            ("^0.0", &["0.0.5"], &["0.1"]),
            ("~1.2.3", &["1.2.3", "1.2.9"], &["1.3", "1.2.2"]),
            ("=1.2", &["1.2", "1.2.7"], &["1.3"]),
            (">=1.2, <2", &["1.2", "1.99.1"], &["2", "1.1"]),
            (">1.2.3", &["1.2.4"], &["1.2.3"]),
            ("<=2.0.0", &["2", "0.1"], &["2.0.1"]),
        ] {
            let parsed = Range::parse(range).unwrap();
            let fits = |version: &&str| parsed.contains(Version::parse(version).unwrap());
            assert!(inside.iter().all(fits), "{range}");
            assert!(!outside.iter().any(fits), "{range}");
        }
        for wrong in ["^", "1.2.3.4", "=>1", "1.x", "latest", "1..2", "-1"] {
            assert_eq!(Range::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Version::parse("1.4294967296"), None);
    }
}
