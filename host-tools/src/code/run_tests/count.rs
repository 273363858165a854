//! Numbers of passed and failed tests, from the output of the runner.

use super::TestFramework;
use crate::prelude::*;

/// Counts of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TestCounts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

/// The words of runners for the three counts.
const PASSED: &str = "passed xpassed pass passing";
const FAILED: &str = "failed error errors fail failing";
const SKIPPED: &str = "skipped xfailed deselected ignored skip pending";

impl TestCounts {
    /// Adds a count by its word; returns whether the word is known.
    fn add(&mut self, word: &str, count: u64) -> bool {
        let is = |words: &str| words.split(' ').any(|known| known == word);
        match word {
            _ if is(PASSED) => self.passed += count,
            _ if is(FAILED) => self.failed += count,
            _ if is(SKIPPED) => self.skipped += count,
            _ => return false,
        }
        true
    }
}

/// Parses the counts; `None` if the output has none.
pub(super) fn parse_counts(runner: Option<TestFramework>, output: &str) -> Option<TestCounts> {
    match runner {
        Some(TestFramework::Pytest) => pytest_counts(output),
        Some(TestFramework::Cargo) => cargo_counts(output),
        Some(TestFramework::Npm) => npm_counts(output),
        Some(TestFramework::Go) => go_counts(output),
        None => cargo_counts(output)
            .or_else(|| go_counts(output))
            .or_else(|| npm_counts(output))
            .or_else(|| pytest_counts(output)),
    }
}

/// `3 passed` as a count and its word.
fn count_and_word(part: &str) -> Option<(u64, &str)> {
    let (number, word) = part.split_once(' ')?;
    Some((number.parse().ok()?, word))
}

/// Sums the counts of lines; `None` if no line has counts.
fn sum_counts<'a>(parts: impl Iterator<Item = (u64, &'a str)>) -> Option<TestCounts> {
    let mut counts = TestCounts::default();
    let mut any = false;
    for (count, word) in parts {
        any |= counts.add(word, count);
    }
    any.then_some(counts)
}

/// The last line that has counts: `3 passed, 1 failed, 2 skipped in 0.12s`.
fn pytest_counts(output: &str) -> Option<TestCounts> {
    output.lines().rev().find_map(|line| {
        let line = line.trim_matches(['=', ' ']);
        let line = line.split(" in ").next().unwrap_or(line);
        let parts: Option<Vec<(u64, &str)>> = line.split(", ").map(count_and_word).collect();
        let mut counts = TestCounts::default();
        for (count, word) in parts? {
            if !counts.add(word, count) && !matches!(word, "warning" | "warnings") {
                return None;
            }
        }
        Some(counts)
    })
}

/// Every line such as `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out`, one per program.
fn cargo_counts(output: &str) -> Option<TestCounts> {
    let lines = output.lines();
    let results = lines.filter_map(|line| line.strip_prefix("test result: "));
    let numbers = results.map(|rest| rest.split_once(". ").map_or(rest, |(_, numbers)| numbers));
    sum_counts(numbers.flat_map(|numbers| numbers.split("; ").filter_map(count_and_word)))
}

/// One JSON object per line; events of a test have its name.
fn go_counts(output: &str) -> Option<TestCounts> {
    let lines = output.lines().filter(|line| line.starts_with('{'));
    let events = lines.filter_map(|line| json::parse_json(line, json::JsonLimits::default()).ok());
    let tests: Vec<Value> = events.filter(|event| event.get("Test").is_some()).collect();
    let actions = tests
        .iter()
        .filter_map(|event| event.get("Action")?.as_str());
    sum_counts(actions.map(|action| match action {
        "pass" | "fail" | "skip" => (1, action),
        _ => (0, "pass"),
    }))
}

/// Lines of node's own runner (`# pass 3`), Jest and Vitest (`Tests: 1 failed, 3 passed, 4 total`) and Mocha (`3 passing`).
fn npm_counts<'a>(output: &'a str) -> Option<TestCounts> {
    let parts = output.lines().flat_map(|line| {
        let line = line.trim();
        let node = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "));
        let node = node.and_then(|rest| rest.split_once(' '));
        if let Some((word, Ok(count))) = node.map(|(word, count)| (word, count.parse())) {
            return vec![(count, word)];
        }
        let jest = line
            .strip_prefix("Tests")
            .filter(|rest| rest.starts_with([':', ' ']));
        if let Some(rest) = jest {
            let parts = rest[1..].split([',', '|', '(']);
            return parts
                .filter_map(|part| count_and_word(part.trim()))
                .collect();
        }
        let mocha = count_and_word(line).into_iter();
        let first = |(count, rest): (u64, &'a str)| (count, rest.split(' ').next().unwrap_or(rest));
        mocha.map(first).collect()
    });
    const WORDS: &str = "pass passed passing fail failed failing skipped pending";
    sum_counts(parts.filter(|(_, word)| WORDS.split(' ').any(|known| known == *word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(runner: TestFramework, output: &str, expected: Option<(u64, u64, u64)>) {
        let expected = expected.map(|(passed, failed, skipped)| TestCounts {
            passed,
            failed,
            skipped,
        });
        assert_eq!(parse_counts(Some(runner), output), expected, "{output}");
    }

    #[test]
    fn each_runners_words_are_understood() {
        use TestFramework::{Cargo, Go, Npm, Pytest};
        for (output, expected) in [
            ("..\n2 passed in 0.01s\n", Some((2, 0, 0))),
            (
                "F.s\n=== 1 failed, 1 passed, 1 skipped, 2 warnings in 1.5s ===\n",
                Some((1, 1, 1)),
            ),
            ("=== 3 errors in 0.1s ===", Some((0, 3, 0))),
            ("no tests ran in 0.00s\n", None),
            ("", None),
        ] {
            check(Pytest, output, expected);
        }
        let cargo = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
                     test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n";
        check(Cargo, cargo, Some((4, 2, 1)));
        check(Cargo, "error: could not compile", None);
        let go = "{\"Action\":\"run\",\"Test\":\"A\"}\n{\"Action\":\"pass\",\"Test\":\"A\"}\n{\"Action\":\"fail\",\"Test\":\"B\"}\n\
                  {\"Action\":\"skip\",\"Test\":\"C\"}\n{\"Action\":\"fail\",\"Package\":\"p\"}\n";
        check(Go, go, Some((1, 1, 1)));
        check(Go, "{\"Action\":\"fail\",\"Package\":\"p\"}\n", None);
        for (output, expected) in [
            (
                "# tests 4\n# pass 3\n# fail 1\n# skipped 0\n",
                Some((3, 1, 0)),
            ),
            (
                "Tests:       1 failed, 1 skipped, 3 passed, 5 total\n",
                Some((3, 1, 1)),
            ),
            (" Tests  2 failed | 3 passed (5)\n", Some((3, 2, 0))),
            ("  3 passing (12ms)\n  1 failing\n", Some((3, 1, 0))),
            ("nothing", None),
        ] {
            check(Npm, output, expected);
        }
    }
}
