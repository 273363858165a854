use tool_core::{AnyTool, Ctx, ToolError, Value, json, tool_entry};

use super::Args;
use crate::stats::reporting::words::{number_words, p_words};

fn parse(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).expect("JSON")
}

fn run(text: &str) -> Result<Value, ToolError> {
    let tool: &dyn AnyTool = tool_entry::<Args>().tool();
    tool.decode(&parse(text))?.run(&Ctx::default())
}

fn text(output: &Value, pointer: &str) -> String {
    let value = output.pointer(pointer).expect("a value");
    value.as_str().expect("a text").to_owned()
}

fn number(output: &Value, pointer: &str) -> f64 {
    let value = output.pointer(pointer).and_then(|value| value.as_f64());
    value.unwrap_or_else(|| panic!("no {pointer} in {output}"))
}

/// A call on groups of values.
fn call(groups: &[(&str, &[f64])]) -> String {
    let rows = groups.iter().flat_map(|(name, values)| {
        values
            .iter()
            .map(move |value| format!(r#"{{"g": "{name}", "v": {value}}}"#))
    });
    let rows: Vec<String> = rows.collect();
    format!(
        r#"{{"data": [{}], "value": "v", "group": "g"}}"#,
        rows.join(", ")
    )
}

const LOW: [f64; 12] = [4.1, 5.2, 6.3, 4.8, 5.5, 5.9, 4.4, 5.0, 6.1, 5.7, 4.9, 5.3];
const HIGH: [f64; 12] = [8.2, 9.1, 7.7, 8.8, 9.5, 8.1, 7.9, 8.6, 9.0, 8.4, 7.5, 9.3];
const ALIKE: [f64; 12] = [5.1, 4.2, 6.2, 5.8, 4.7, 5.6, 4.5, 6.0, 5.4, 4.9, 5.2, 5.5];

/// The sentence again from the numbers of the answer.
fn check_sentence(output: &Value) {
    let (summary, p) = (text(output, "/summary"), number(output, "/p"));
    assert!(summary.contains(&p_words(p)), "{summary}");
    let is_clear = p < 0.05;
    assert_eq!(
        summary.contains("unlikely to be chance"),
        is_clear,
        "{summary}"
    );
    assert_eq!(
        summary.contains("which does not show that there is none"),
        !is_clear,
        "{summary}"
    );
    let two = output.pointer("/groups/2").is_none();
    if is_clear && two && text(output, "/estimate/name").contains("mean") {
        let value = number(output, "/estimate/value");
        let labels = [
            text(output, "/groups/0/group"),
            text(output, "/groups/1/group"),
        ];
        let (upper, lower) = if value > 0.0 { (0, 1) } else { (1, 0) };
        let means = [
            number(output, "/groups/0/mean"),
            number(output, "/groups/1/mean"),
        ];
        assert!(means[upper] > means[lower]);
        let words = format!(
            "higher in `{}` than in `{}`, on average by {}",
            labels[upper],
            labels[lower],
            number_words(value.abs())
        );
        assert!(summary.contains(&words), "{summary}: {words}");
    }
}

#[test]
fn two_normal_groups_take_welch() {
    for groups in [
        [("a", &LOW[..]), ("b", &HIGH[..])],
        [("a", &HIGH[..]), ("b", &LOW[..])],
        [("a", &LOW[..]), ("b", &ALIKE[..])],
    ] {
        let output = run(&call(&groups)).expect("an answer");
        assert_eq!(text(&output, "/test"), "Welch two-sample t test");
        assert!(text(&output, "/reason").contains("equal variances"));
        assert_eq!(text(&output, "/robust/test"), "Mann-Whitney U test");
        check_sentence(&output);
    }
}

#[test]
fn skewed_and_small_groups_take_ranks() {
    let skewed = [1.0, 1.1, 1.3, 1.2, 1.0, 1.4, 1.1, 25.0, 40.0, 1.2, 1.3, 1.5];
    let output = run(&call(&[("a", &skewed), ("b", &HIGH)])).expect("an answer");
    assert_eq!(text(&output, "/test"), "Brunner-Munzel test");
    check_sentence(&output);
    let output = run(&call(&[("a", &skewed[4..]), ("b", &HIGH[..6])])).expect("an answer");
    assert_eq!(text(&output, "/test"), "Mann-Whitney U test");
    assert_eq!(text(&output, "/p_from"), "exact, all arrangements");
    check_sentence(&output);
}

#[test]
fn three_groups_are_compared_in_pairs() {
    let output = run(&call(&[("a", &LOW), ("b", &HIGH), ("c", &ALIKE)])).expect("an answer");
    assert_eq!(text(&output, "/test"), "one-way analysis of variance");
    assert_eq!(text(&output, "/comparison_method"), "Tukey HSD");
    check_sentence(&output);
    let summary = text(&output, "/summary");
    // Each pair that the sentence names has a small corrected p value, in the direction of its difference.
    for at in 0..3 {
        let pair = |name: &str| text(&output, &format!("/comparisons/{at}/{name}"));
        let p = number(&output, &format!("/comparisons/{at}/p"));
        let difference = number(&output, &format!("/comparisons/{at}/difference"));
        let sign = if difference > 0.0 { "above" } else { "below" };
        let words = format!("{} {sign} {}", pair("first"), pair("second"));
        assert_eq!(summary.contains(&words), p < 0.05, "{summary}: {words}");
    }
    let spread: Vec<f64> = LOW.iter().map(|value| 6.0 * value - 20.0).collect();
    let output = run(&call(&[("a", &LOW), ("b", &spread), ("c", &ALIKE)])).expect("an answer");
    assert_eq!(text(&output, "/test"), "Welch analysis of variance");
    assert_eq!(text(&output, "/comparison_method"), "Games-Howell");
    check_sentence(&output);
}

#[test]
fn subjects_are_paired() {
    let rows = |conditions: &[&str]| {
        let values = (0..12).flat_map(|subject| {
            conditions.iter().enumerate().map(move |(at, name)| {
                let value = LOW[subject] + at as f64 * (1.0 + 0.1 * ALIKE[(subject + 3 * at) % 12]);
                format!(r#"{{"s": {subject}, "g": "{name}", "v": {value}}}"#)
            })
        });
        values.collect::<Vec<String>>().join(", ")
    };
    let call =
        |rows: &str| format!(r#"{{"data": [{rows}], "value": "v", "group": "g", "subject": "s"}}"#);
    let two = run(&call(&rows(&["before", "after"]))).expect("an answer");
    assert_eq!(text(&two, "/test"), "paired t test");
    check_sentence(&two);
    let three = run(&call(&rows(&["one", "two", "three"]))).expect("an answer");
    assert_eq!(
        text(&three, "/test"),
        "analysis of variance of repeated measures"
    );
    assert_eq!(number(&three, "/n"), 36.0);
    check_sentence(&three);
    let twice = format!(
        "{}, {}",
        rows(&["before", "after"]),
        rows(&["before", "after"])
    );
    let error = run(&call(&twice)).expect_err("two rows of one subject");
    assert_eq!(error.path(), Some("/subject"));
}

#[test]
fn missing_cells_and_small_groups_are_counted() {
    let output = run(
        r#"{"data": {"v": [1, 2, null, 4, 5.5, 7, 9], "g": ["a", "a", "a", "b", "b", null, "c"]},
            "value": "v", "group": "g"}"#,
    )
    .expect("an answer");
    assert_eq!(number(&output, "/missing"), 2.0);
    assert_eq!(number(&output, "/groups/0/missing"), 1.0);
    assert!(text(&output, "/notes/0").contains("`c`"));
}

#[test]
fn hopeless_data_are_refused() {
    let cases = [
        (
            r#"{"data": {"v": [1, 1, 1, 1], "g": ["a", "a", "b", "b"]}, "value": "v", "group": "g"}"#,
            "/value",
        ),
        (
            r#"{"data": {"v": [1, 2, 3], "g": ["a", "a", "a"]}, "value": "v", "group": "g"}"#,
            "/group",
        ),
        (
            r#"{"data": {"v": [null, null], "g": ["a", "b"]}, "value": "v", "group": "g"}"#,
            "/group",
        ),
        (
            r#"{"data": {"v": ["x", "y"], "g": ["a", "b"]}, "value": "v", "group": "g"}"#,
            "/value",
        ),
        (
            r#"{"data": {"v": [1, 2], "g": ["a", "b"]}, "value": "w", "group": "g"}"#,
            "/value",
        ),
    ];
    for (call, path) in cases {
        let error = run(call).expect_err(call);
        assert_eq!(error.path(), Some(path), "{call}: {error:?}");
        assert!(error.hint_str().is_some(), "{call}");
    }
}
