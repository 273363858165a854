use tool_core::{AnyTool, Ctx, ErrorCode, Value, json, tool_entry};

use super::Args;

fn run(text: &str) -> Result<Value, tool_core::ToolError> {
    let args = json::parse_json(text, json::JsonLimits::default()).unwrap();
    let tool: &dyn AnyTool = tool_entry::<Args>().tool();
    tool.decode(&args)?.run(&Ctx::default())
}

fn number(output: &Value, pointer: &str) -> f64 {
    output
        .pointer(pointer)
        .and_then(|value| value.as_f64())
        .unwrap()
}

#[test]
fn separation_is_an_error_with_its_column() {
    let err = run(r#"{"data": {"x": [1,2,3,4,5,6], "sick": ["no","no","no","yes","yes","yes"]}, "formula": "sick ~ x", "family": "binomial"}"#).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str(), err.path()),
        (ErrorCode::Numeric, Some("separation"), Some("/formula"))
    );
    assert!(err.message().contains("by `x`"), "{err:?}");
}

/// The sentence is what the numbers say: the odds are 4 to 1 against 1 to 4.
#[test]
fn the_sentence_follows_from_the_numbers() {
    let output = run(
        r#"{"data": {"arm": ["a","b"], "yes": [40,10], "no": [10,40]}, "formula": "cbind(yes, no) ~ arm", "family": "binomial"}"#,
    )
    .unwrap();
    assert!((number(&output, "/terms/1/ratio") - 1.0 / 16.0).abs() < 1e-12);
    let summary = output.get("summary").unwrap();
    let summary = summary.as_str().unwrap();
    let (low, high) = (
        number(&output, "/terms/1/ratio_lower"),
        number(&output, "/terms/1/ratio_upper"),
    );
    let expected = format!(
        "`arm` b against a: odds ratio 0.0625 (interval {} to {})",
        crate::stats::reporting::words::estimate_words(low),
        crate::stats::reporting::words::estimate_words(high)
    );
    assert!(summary.contains(&expected), "{summary}");
    assert!(summary.contains("100 % of the deviance"), "{summary}");
}

#[test]
fn faults_name_the_argument() {
    let data =
        r#""data": {"x": [1,2,3,4], "y": [1,0,1,1], "n": [2,2,2,0], "t": ["a","b","c","a"]}"#;
    for (rest, path, words) in [
        (
            r#""formula": "y ~ x", "family": "poisson", "link": "logit""#,
            "/link",
            "does not take",
        ),
        (
            r#""formula": "y ~ x", "family": "gamma""#,
            "/formula",
            "row 1 is 0",
        ),
        (
            r#""formula": "y ~ x", "family": "poisson", "alpha": 1"#,
            "/alpha",
            "negative_binomial",
        ),
        (
            r#""formula": "y ~ x", "family": "poisson", "trials": "n""#,
            "/trials",
            "binomial",
        ),
        (
            r#""formula": "y ~ x", "family": "binomial", "trials": "n""#,
            "/formula",
            "row 3 has 1 successes in 0 trials",
        ),
        (
            r#""formula": "t ~ x", "family": "binomial""#,
            "/formula",
            "3 levels",
        ),
        (
            r#""formula": "y ~ z", "family": "poisson""#,
            "/formula",
            "no column `z`",
        ),
        (
            r#""formula": "y ~ x +", "family": "poisson""#,
            "/formula",
            "expected a term",
        ),
        (
            r#""formula": "x", "family": "poisson""#,
            "/formula",
            "no response",
        ),
        (
            r#""formula": "y ~ x", "family": "poisson", "weights": "w""#,
            "/weights",
            "w",
        ),
        (
            r#""formula": "y ~ x", "family": "poisson", "errors": "cluster""#,
            "/cluster",
            "clusters",
        ),
        (
            r#""formula": "y ~ x + (1|t)", "family": "poisson""#,
            "/formula",
            "random term",
        ),
        (
            r#""formula": "y ~ x", "family": "poisson", "confidence": 1"#,
            "/confidence",
            "above 0 and below 1",
        ),
    ] {
        let err = run(&format!("{{{data}, {rest}}}")).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{rest}: {err:?}"
        );
        assert!(err.message().contains(words), "{rest}: {err:?}");
    }
}
