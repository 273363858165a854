use tool_core::{AnyTool, Ctx, ToolError, Value, json, tool_entry};

use super::Args;

fn run(text: &str) -> Result<Value, ToolError> {
    let args = json::parse_json(text, json::JsonLimits::default()).expect("JSON");
    let tool: &dyn AnyTool = tool_entry::<Args>().tool();
    tool.decode(&args)?.run(&Ctx::default())
}

fn number(output: &Value, pointer: &str) -> f64 {
    let value = output.pointer(pointer).and_then(|value| value.as_f64());
    value.unwrap_or_else(|| panic!("no {pointer} in {output}"))
}

/// The value and the ends of a measure by its letters.
fn measure(output: &Value, symbol: &str) -> [f64; 3] {
    let measures = output
        .get("measures")
        .and_then(Value::items)
        .expect("measures");
    let found = measures
        .iter()
        .find(|one| one.get("symbol").and_then(Value::as_str) == Some(symbol))
        .unwrap_or_else(|| panic!("no {symbol} in {output}"));
    ["value", "low", "high"].map(|name| found.get(name).and_then(|it| it.as_f64()).expect(name))
}

/// Two raters who agree in 89 of 100 cases, 66 of them expected by chance: kappa is 0.23 / 0.34.
#[test]
fn kappa_by_hand() {
    let output = run(r#"{"counts": [[75, 1, 4], [5, 4, 1], [0, 0, 10]]}"#).expect("an answer");
    let [kappa, low, high] = measure(&output, "kappa");
    let chance = 0.80 * 0.80 + 0.10 * 0.05 + 0.10 * 0.15;
    assert!(
        (kappa - (0.89 - chance) / (1.0 - chance)).abs() < 1e-12,
        "{kappa}"
    );
    assert!(low < kappa && kappa < high);
}

/// Two rows by hand: concordant 10 x 20, discordant 5 x 15.
#[test]
fn measures_of_order_by_hand() {
    let output = run(r#"{"counts": [[10, 5], [15, 20]]}"#).expect("an answer");
    let gamma = measure(&output, "gamma")[0];
    assert!((gamma - (200.0 - 75.0) / 275.0).abs() < 1e-14);
    let (tau, phi) = (measure(&output, "tau_b")[0], measure(&output, "phi")[0]);
    assert!((tau - phi).abs() < 1e-14);
    let lambda = measure(&output, "lambda")[0];
    assert!((lambda - 5.0 / 25.0).abs() < 1e-14);
    assert_eq!(number(&output, "/cells/3/expected"), 17.5);
}

#[test]
fn categories_are_counted() {
    let output = run(
        r#"{"data": {"a": ["x", "y", "x", null, "y"], "b": [1, 2, 1, 2, 2]}, "rows": "a", "columns": "b"}"#,
    )
    .expect("an answer");
    assert_eq!(
        (number(&output, "/n"), number(&output, "/missing")),
        (4.0, 1.0)
    );
    assert_eq!(number(&output, "/cells/0/count"), 2.0);
    let summary = output.pointer("/summary").expect("a sentence").to_string();
    assert_eq!(
        summary.contains("unlikely to be chance"),
        number(&output, "/p") < 0.05
    );
}

#[test]
fn what_is_no_table_of_counts_is_refused() {
    for call in [
        r#"{}"#,
        r#"{"counts": [[1, 2]]}"#,
        r#"{"counts": [[1, -2], [3, 4]]}"#,
        r#"{"counts": [[0, 0], [3, 4]]}"#,
    ] {
        let error = run(call).expect_err(call);
        assert_eq!(error.path(), Some("/counts"), "{call}: {error:?}");
    }
}
