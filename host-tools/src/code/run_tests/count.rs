//! How many tests passed and failed, as the runner's output says.

use tool_core::{Value, json};

use super::Runner;

/// Counts of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

/// The counts; `None` when the output has none.
pub(super) fn counts(runner: Option<Runner>, output: &str) -> Option<Counts> {
    match runner {
        Some(Runner::Pytest) => pytest(output),
        Some(Runner::Cargo) => cargo(output),
        Some(Runner::Npm) => npm(output),
        Some(Runner::Go) => go(output),
        None => cargo(output)
            .or_else(|| go(output))
            .or_else(|| npm(output))
            .or_else(|| pytest(output)),
    }
}

/// The last line that has counts: `3 passed, 1 failed, 2 skipped in 0.12s`.
fn pytest(output: &str) -> Option<Counts> {
    output.lines().rev().find_map(|line| {
        let mut counts = Counts::default();
        let mut any = false;
        let line = line.trim_matches(['=', ' ']);
        let line = line.split(" in ").next().unwrap_or(line);
        for part in line.split(", ") {
            let (number, word) = part.split_once(' ')?;
            let number: u64 = number.parse().ok()?;
            any = true;
            match word {
                "passed" | "xpassed" => counts.passed += number,
                "failed" | "error" | "errors" => counts.failed += number,
                "skipped" | "xfailed" | "deselected" => counts.skipped += number,
                "warning" | "warnings" => {}
                _ => return None,
            }
        }
        any.then_some(counts)
    })
}

/// Every line such as `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out`, one per program.
fn cargo(output: &str) -> Option<Counts> {
    let mut counts = None;
    for line in output.lines() {
        let Some(rest) = line.strip_prefix("test result: ") else {
            continue;
        };
        let total = counts.get_or_insert_with(Counts::default);
        let numbers = rest.split_once(". ").map_or(rest, |(_, numbers)| numbers);
        for part in numbers.split("; ") {
            let Some((number, word)) = part.split_once(' ') else {
                continue;
            };
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            match word {
                "passed" => total.passed += number,
                "failed" => total.failed += number,
                "ignored" => total.skipped += number,
                _ => {}
            }
        }
    }
    counts
}

/// One event per line, each a JSON object; those of a test name it.
fn go(output: &str) -> Option<Counts> {
    let mut counts = None;
    for line in output.lines().filter(|line| line.starts_with('{')) {
        let Ok(event) = json::parse(line, json::Limits::default()) else {
            continue;
        };
        if event.get("Test").is_none() {
            continue;
        }
        let total = counts.get_or_insert_with(Counts::default);
        match event.get("Action").and_then(Value::as_str) {
            Some("pass") => total.passed += 1,
            Some("fail") => total.failed += 1,
            Some("skip") => total.skipped += 1,
            _ => {}
        }
    }
    counts
}

/// What node's own runner (`# pass 3`), Jest and Vitest (`Tests: 1 failed, 3 passed, 4 total`) and Mocha (`3 passing`) say.
fn npm(output: &str) -> Option<Counts> {
    let mut counts = None;
    let number = |text: &str| text.parse::<u64>().ok();
    for line in output.lines() {
        let line = line.trim();
        let node = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "));
        if let Some((word, count)) = node.and_then(|rest| rest.split_once(' '))
            && let Some(count) = number(count)
        {
            add(&mut counts, word, count);
        } else if let Some(rest) = line
            .strip_prefix("Tests:")
            .or_else(|| line.strip_prefix("Tests "))
        {
            let parts = rest.split([',', '|', '(']).map(str::trim);
            for (count, word) in parts.filter_map(|part| part.split_once(' ')) {
                if let Some(count) = number(count) {
                    add(&mut counts, word, count);
                }
            }
        } else if let Some((count, word)) = line.split_once(' ')
            && let Some(count) = number(count)
        {
            add(
                &mut counts,
                word.split(' ').next().unwrap_or_default(),
                count,
            );
        }
    }
    counts
}

fn add(counts: &mut Option<Counts>, word: &str, count: u64) {
    let known = [
        "pass", "passed", "passing", "fail", "failed", "failing", "skipped", "pending",
    ];
    if !known.contains(&word) {
        return;
    }
    let total = counts.get_or_insert_with(Counts::default);
    match word {
        "pass" | "passed" | "passing" => total.passed += count,
        "fail" | "failed" | "failing" => total.failed += count,
        _ => total.skipped += count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(runner: Runner, output: &str, expected: Option<(u64, u64, u64)>) {
        let expected = expected.map(|(passed, failed, skipped)| Counts {
            passed,
            failed,
            skipped,
        });
        assert_eq!(counts(Some(runner), output), expected, "{output}");
    }

    #[test]
    fn each_runners_words_are_understood() {
        use Runner::{Cargo, Go, Npm, Pytest};
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
