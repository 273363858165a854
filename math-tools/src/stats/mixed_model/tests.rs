use tool_core::{AnyTool, Ctx, ErrorCode, Value, json, tool_entry};

use super::Args;

fn run_in(text: &str, ctx: &Ctx) -> Result<Value, tool_core::ToolError> {
    let args = json::parse_json(text, json::JsonLimits::default()).unwrap();
    let tool: &dyn AnyTool = tool_entry::<Args>().tool();
    tool.decode(&args)?.run(ctx)
}

fn number(output: &Value, pointer: &str) -> f64 {
    output
        .pointer(pointer)
        .and_then(|value| value.as_f64())
        .unwrap()
}

/// Means 10, 20 and 30 of two rows each: the residual variance is 2, that between groups (2 * 100 - 2) / 2.
#[test]
fn balanced_groups_are_the_analysis_of_variance() {
    let ctx = Ctx::default();
    let output = run_in(
        r#"{"data": {"y": [9, 11, 19, 21, 29, 31, null], "g": ["a", "a", "b", "b", "c", "c", "a"]}, "formula": "y ~ 1 + (1 | g)"}"#,
        &ctx,
    )
    .unwrap();
    assert!((number(&output, "/random/0/variance") - 99.0).abs() < 1e-5);
    assert!((number(&output, "/random/1/variance") - 2.0).abs() < 1e-7);
    assert!((number(&output, "/icc") - 99.0 / 101.0).abs() < 1e-8);
    assert!((number(&output, "/terms/0/df") - 2.0).abs() < 1e-4);
    assert_eq!(
        (number(&output, "/n"), number(&output, "/missing")),
        (6.0, 1.0)
    );
    let summary = output.get("summary").unwrap();
    assert!(
        summary
            .as_str()
            .unwrap()
            .contains("98 % lies between groups. The mean is 20"),
        "{summary}"
    );
    assert!(ctx.take_warnings()[0].contains("1 of 7 rows"));
}

#[test]
fn faults_name_the_argument() {
    let data =
        r#""data": {"y": [1, 2, 3, 5], "g": ["a", "a", "b", "b"], "h": ["a", "b", "c", "d"]}"#;
    for (formula, words) in [
        ("y ~ 1", "no random term"),
        ("y ~ 1 + (1 | h)", "every row is a group"),
        ("y ~ 1 + (1 | k)", "no column `k`"),
        ("g ~ 1 + (1 | h)", "is a category"),
    ] {
        let err = run_in(
            &format!(r#"{{{data}, "formula": "{formula}"}}"#),
            &Ctx::default(),
        )
        .unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/formula")),
            "{formula}: {err:?}"
        );
        assert!(err.message().contains(words), "{formula}: {err:?}");
    }
}
