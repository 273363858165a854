use tool_core::{AnyTool, Ctx, ErrorCode, Value, json, tool_entry};

use super::Args;

fn run(text: &str) -> Result<Value, tool_core::ToolError> {
    let args = json::parse_json(text, json::JsonLimits::default()).unwrap();
    let tool: &dyn AnyTool = tool_entry::<Args>().tool();
    tool.decode(&args)?.run(&Ctx::default())
}

const DATA: &str = r#""data": {"week": [6, 7, 9, 10, 11, 1, 2, 3, 4, 5], "died": [1, 0, 1, 1, 0, 1, 1, 1, 1, 0], "arm": ["b", "b", "b", "b", "b", "a", "a", "a", "a", "a"], "age": [1, 3, 2, 5, 4, 2, 1, 4, 3, 5]}"#;

/// Arm b outlives arm a: the sentence says so, with the medians of the groups.
#[test]
fn groups_are_compared_in_words() {
    let output = run(&format!(
        r#"{{{DATA}, "time": "week", "event": "died", "group": "arm"}}"#
    ))
    .unwrap();
    let p = output.pointer("/test/p").and_then(|p| p.as_f64()).unwrap();
    assert!(p < 0.05);
    let summary = output.get("summary").unwrap();
    let words = format!(
        "The groups survive differently (log-rank p = {p:.3}); a: at most half survive 3, b: at most half survive 10."
    );
    assert_eq!(summary.as_str(), Some(words.as_str()));
}

#[test]
fn events_may_be_words_or_truths() {
    for events in [
        r#"[true, false, true]"#,
        r#"["dead", "alive", "dead"]"#,
        "[2, 1, 2]",
    ] {
        let output = run(&format!(
            r#"{{"data": {{"t": [1, 2, 3], "e": {events}}}, "time": "t", "event": "e"}}"#
        ))
        .unwrap();
        assert_eq!(
            output.get("events").and_then(|events| events.as_f64()),
            Some(2.0),
            "{events}"
        );
    }
}

#[test]
fn faults_name_the_argument() {
    for (rest, path, words) in [
        (r#""time": "week""#, "/event", "expected the columns"),
        (r#""time": "wek", "event": "died""#, "/time", "wek"),
        (r#""time": "week", "event": "age""#, "/event", "the event 3"),
        (r#""time": "arm", "event": "died""#, "/time", "categories"),
        (
            r#""formula": "week ~ age""#,
            "/formula",
            "Surv(time, event)",
        ),
        (
            r#""formula": "Surv(week, died) ~ age", "time": "week""#,
            "/time",
            "takes the place",
        ),
        (
            r#""formula": "Surv(week, died) ~ arm""#,
            "/formula",
            "separate",
        ),
        (
            r#""formula": "Surv(week, died) ~ 1""#,
            "/formula",
            "no column",
        ),
    ] {
        let err = run(&format!("{{{DATA}, {rest}}}")).unwrap_err();
        assert_eq!(err.path(), Some(path), "{rest}: {err:?}");
        assert!(
            matches!(err.code(), ErrorCode::InvalidArgs | ErrorCode::Numeric),
            "{rest}: {err:?}"
        );
        assert!(err.message().contains(words), "{rest}: {err:?}");
    }
}
