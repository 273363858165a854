//! Whether two patterns have a path in common: an exact decision, not a guess by samples.
//!
//! Both patterns are automata; a common path is a way through their product. At the level of names the letters are characters,
//! at the level of paths they are names, and two parts have a common name exactly if the product of their tokens has a way.

use super::glob::{GlobPart, GlobToken, PathGlob, skip_folders};

impl PathGlob {
    /// Whether some path matches both, upper and lower case told apart.
    pub fn meets(&self, other: &Self) -> bool {
        self.alternatives
            .iter()
            .any(|a| other.alternatives.iter().any(|b| paths_meet(a, b)))
    }
}

/// Whether some path of at least one name matches both.
fn paths_meet(a: &[GlobPart], b: &[GlobPart]) -> bool {
    // reached[i][j]: some path with at least one name leads before part i of `a` and part j of `b`; the start is apart.
    let mut seen = vec![vec![false; b.len() + 1]; a.len() + 1];
    let mut open = Vec::new();
    for i in start_positions(a) {
        for j in start_positions(b) {
            open.push((i, j));
        }
    }
    while let Some((i, j)) = open.pop() {
        let (Some(first), Some(second)) = (a.get(i), b.get(j)) else {
            continue;
        };
        if !parts_meet(first, second) {
            continue;
        }
        for next_i in following_positions(a, i) {
            for next_j in following_positions(b, j) {
                if next_i == a.len() && next_j == b.len() {
                    return true;
                }
                if !std::mem::replace(&mut seen[next_i][next_j], true) {
                    open.push((next_i, next_j));
                }
            }
        }
    }
    false
}

/// The positions before which a path may begin.
fn start_positions(parts: &[GlobPart]) -> Vec<usize> {
    position_closure(parts, 0)
}

/// The positions that follow when part `index` has taken a name.
fn following_positions(parts: &[GlobPart], index: usize) -> Vec<usize> {
    match parts[index] {
        GlobPart::Folders => position_closure(parts, index),
        GlobPart::Name(_) => position_closure(parts, index + 1),
    }
}

/// A position, and those behind the `**` that follow it directly.
fn position_closure(parts: &[GlobPart], index: usize) -> Vec<usize> {
    let mut reached = vec![false; parts.len() + 1];
    reached[index] = true;
    skip_folders(parts, &mut reached);
    (0..=parts.len())
        .filter(|position| reached[*position])
        .collect()
}

fn parts_meet(a: &GlobPart, b: &GlobPart) -> bool {
    match (a, b) {
        (GlobPart::Name(a), GlobPart::Name(b)) => names_meet(a, b),
        // A name that is only `*` matches any name, so that a part alone always matches some.
        _ => true,
    }
}

/// Whether some name matches both.
fn names_meet(a: &[GlobToken], b: &[GlobToken]) -> bool {
    let mut seen = vec![vec![false; b.len() + 1]; a.len() + 1];
    let mut open = vec![(0, 0)];
    while let Some((i, j)) = open.pop() {
        if i == a.len() && j == b.len() {
            return true;
        }
        if std::mem::replace(&mut seen[i][j], true) {
            continue;
        }
        match (a.get(i), b.get(j)) {
            (Some(GlobToken::Star), _) if j < b.len() => {
                open.push((i + 1, j));
                // A star of `b` may stand for nothing; a character of `b` is taken by the star of `a`.
                open.push((i, j + 1));
            }
            (Some(GlobToken::Star), _) => open.push((i + 1, j)),
            (_, Some(GlobToken::Star)) if i < a.len() => {
                open.push((i, j + 1));
                open.push((i + 1, j));
            }
            (_, Some(GlobToken::Star)) => open.push((i, j + 1)),
            (Some(GlobToken::One(x)), Some(GlobToken::One(y))) if x.meets(y) => {
                open.push((i + 1, j + 1))
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::governance::glob::GlobCase;

    fn meet(a: &str, b: &str) -> bool {
        let (a, b) = (PathGlob::parse(a).unwrap(), PathGlob::parse(b).unwrap());
        assert_eq!(a.meets(&b), b.meets(&a));
        a.meets(&b)
    }

    #[test]
    fn patterns_that_overlap() {
        for (a, b, expected) in [
            ("src/**", "src/a/**", true),
            ("src/**", "lib/**", false),
            ("src/*.rs", "src/a?.rs", true),
            ("src/*.rs", "src/*.ts", false),
            ("src/*", "src/a/b", false),
            ("**/*.rs", "src/**", true),
            ("a/**", "a", true),
            ("a/*/c", "a/b/*", true),
            ("a*b", "*ab", true),
            ("./a*b", "./b*a", false),
            ("x/[a-c]", "x/[c-e]", true),
            ("x/[a-c]", "x/[d-e]", false),
            ("x/[!a]", "x/a", false),
            ("x/[!a]", "x/[!b]", true),
            ("a/**/b/**/c", "a/c", false),
            ("a/**/b/**/c", "a/*/c", true),
            ("{a,b}/x", "{b,c}/x", true),
            ("{a,b}/x", "{c,d}/x", false),
            ("*.key", "secrets/", true),
            ("./*.key", "secrets/**", false),
            ("./*.key", "secrets.key/**", true),
        ] {
            assert_eq!(meet(a, b), expected, "{a} {b}");
        }
    }

    fn pattern() -> impl Strategy<Value = String> {
        let name = prop_oneof![
            proptest::string::string_regex("[ab*?]{1,4}")
                .unwrap()
                .prop_filter("`**`", |name| !name.contains("**")),
            Just("[ab]".to_owned()),
            Just("[!a]*".to_owned()),
            Just("**".to_owned()),
        ];
        proptest::collection::vec(name, 1..5).prop_map(|names| format!("./{}", names.join("/")))
    }

    /// Every path of up to four names of up to three characters of `a`, `b`, `c`, drawn by number.
    fn some_path() -> impl Strategy<Value = Vec<String>> {
        proptest::collection::vec(proptest::string::string_regex("[abc]{1,4}").unwrap(), 1..6)
    }

    /// A shortest common path of two patterns, by search over short paths: the oracle.
    fn common(a: &PathGlob, b: &PathGlob) -> bool {
        let names = names();
        let mut paths: Vec<Vec<&str>> = vec![Vec::new()];
        for _ in 0..3 {
            let mut longer = Vec::new();
            for path in &paths {
                for name in &names {
                    let mut path = path.clone();
                    path.push(name);
                    if a.matches(&path, GlobCase::Exact) && b.matches(&path, GlobCase::Exact) {
                        return true;
                    }
                    longer.push(path);
                }
            }
            paths = longer;
        }
        false
    }

    /// Names that tell short patterns of `a`, `b`, `*`, `?` apart.
    fn names() -> Vec<String> {
        let mut names = vec![String::new()];
        let mut all = Vec::new();
        for _ in 0..3 {
            names = names
                .iter()
                .flat_map(|name| ["a", "b"].map(|letter| format!("{name}{letter}")))
                .collect();
            all.extend(names.clone());
        }
        all
    }

    fn small() -> impl Strategy<Value = String> {
        let name = prop_oneof![
            3 => proptest::string::string_regex("[ab?]{1,2}|[ab]?\\*[ab]?").unwrap(),
            1 => Just("**".to_owned()),
        ];
        proptest::collection::vec(name, 1..4).prop_map(|names| format!("./{}", names.join("/")))
    }

    proptest! {
        /// Nothing that both match is missed.
        #[test]
        fn a_common_path_is_an_overlap(a in pattern(), b in pattern(), path in some_path()) {
            let (one, other) = (PathGlob::parse(&a).unwrap(), PathGlob::parse(&b).unwrap());
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            if one.matches(&path, GlobCase::Exact) && other.matches(&path, GlobCase::Exact) {
                prop_assert!(one.meets(&other), "{} {} {:?}", a, b, path);
            }
            prop_assert!(one.meets(&one), "{}", a);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        /// Nothing is called an overlap that is none: small patterns have a small common path or none.
        #[test]
        fn an_overlap_has_a_common_path(a in small(), b in small()) {
            let (one, other) = (PathGlob::parse(&a).unwrap(), PathGlob::parse(&b).unwrap());
            // A pattern without `**` fixes how long a common path is.
            prop_assume!(!(a.contains("**") && b.contains("**")));
            prop_assert_eq!(one.meets(&other), common(&one, &other), "{} {}", a, b);
        }
    }
}
