//! Formulas as calls.

use super::*;
use crate::testing::{assert_refused, run};

#[test]
fn every_format_has_its_answer() {
    let latex = r"\\frac{1}{\\sqrt{2}}";
    for (format, words) in [
        ("unicode", "──"),
        ("ascii", "--"),
        ("linear", "1/√2"),
        ("mathml", "<mfrac>"),
        ("svg", "──"),
        ("png", "──"),
    ] {
        let found =
            run::<Args>(&format!(r#"{{"latex": "{latex}", "format": "{format}"}}"#)).unwrap();
        assert!(
            found.rendered.contains(words),
            "{format}: {}",
            found.rendered
        );
        assert_eq!(found.picture.is_some(), format == "svg" || format == "png");
        assert_eq!(
            found.format == FormulaFormat::Ascii,
            found.rendered.is_ascii() && found.linear.is_ascii()
        );
    }
}

#[test]
fn unknown_commands_stay_visible() {
    let found = run::<Args>(r#"{"latex": "a \\frobnicate b \\u2603", "format": "svg"}"#);
    let found = found.unwrap();
    assert!(
        found.rendered.contains("\\frobnicate"),
        "{}",
        found.rendered
    );
    assert_eq!(found.unknown[0], "\\frobnicate");
}

#[test]
fn what_is_no_formula_is_refused() {
    let deep = format!(r#"{{"latex": "{}x{}"}}"#, "{".repeat(60), "}".repeat(60));
    let long = format!(r#"{{"latex": "{}"}}"#, "x".repeat(20_001));
    let wide = format!(r#"{{"latex": "{}", "format": "png"}}"#, "x".repeat(1000));
    let calls: [(&str, &str, &str); 8] = [
        (
            r#"{"latex": "\\frac{1}"}"#,
            "/latex",
            "without its argument",
        ),
        (r#"{"latex": "{a"}"#, "/latex", "is not closed"),
        (r#"{"latex": "a}"}"#, "/latex", "without its beginning"),
        (r#"{"latex": "x^a^b"}"#, "/latex", "two superscripts"),
        (
            r#"{"latex": "\\begin{cases} a"}"#,
            "/latex",
            "is not closed",
        ),
        (&deep, "/latex", "nested deeper"),
        (&long, "/latex", "bytes"),
        (&wide, "/size", "pixels"),
    ];
    assert_refused::<Args>(&calls);
}
