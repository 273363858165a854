//! The page that maps OWASP's ten risks of agents to tests: each test that it names is in the tree.

use std::path::Path;

const PAGE: &str = include_str!("../docs/owasp.md");

/// The tests that a text names: `file.rs::function`, between backticks.
fn named(text: &str) -> Vec<(&str, &str)> {
    let spans = text.split('`').skip(1).step_by(2);
    spans.filter_map(|span| span.split_once(".rs::")).collect()
}

/// The sections of the page, by the number of their risk.
fn sections() -> Vec<(&'static str, &'static str)> {
    let parts = PAGE.split("\n## ").skip(1);
    parts
        .map(|part| part.split_once(": ").expect("a number and a title"))
        .collect()
}

/// Whether a source has a function as a test: with an attribute, or in the list of a program of trials.
#[expect(
    clippy::disallowed_methods,
    reason = "the sources of the repository are what is looked at"
)]
fn has_test(file: &Path, test: &str) -> bool {
    let Ok(source) = std::fs::read_to_string(file) else {
        return false;
    };
    let Some(at) = source.find(&format!("fn {test}(")) else {
        return false;
    };
    let before = source[..at].trim_end();
    let attributes = before.rsplit("\n\n").next().unwrap_or_default();
    let in_list = source.split("trials!(").skip(1).any(|list| {
        let names = list.split_once(')').unwrap_or_default().0.split(',');
        names.map(str::trim).any(|name| name == test)
    });
    attributes.contains("#[test]") || in_list
}

#[test]
fn every_test_that_the_page_names_is_in_the_tree() {
    let root = tests::root();
    let missing: Vec<_> = named(PAGE)
        .into_iter()
        .filter(|(file, test)| !has_test(&root.join(format!("{file}.rs")), test))
        .collect();
    assert!(missing.is_empty(), "no such tests: {missing:#?}");
    assert!(!has_test(&root.join("tests/owasp.rs"), "no_such_test"));
    assert!(
        !has_test(&root.join("tests/owasp.rs"), "named"),
        "a function that is no test"
    );
}

/// No risk is only praised: each names tests, and says what does not hold.
#[test]
fn every_risk_has_tests_and_says_what_does_not_hold() {
    let sections = sections();
    let numbers: Vec<&str> = sections.iter().map(|(number, _)| *number).collect();
    let expected: Vec<String> = (1..=10).map(|number| format!("ASI{number:02}")).collect();
    assert_eq!(numbers, expected);
    for (number, text) in sections {
        assert!(named(text).len() >= 3, "{number} names too few tests");
        let rows = text.lines().filter(|line| line.starts_with("| ")).skip(1);
        for row in rows {
            assert!(!named(row).is_empty(), "{number}: no test in {row}");
        }
        assert!(
            text.contains("\nDoes not hold: "),
            "{number} says nothing of what does not hold"
        );
    }
}
