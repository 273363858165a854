use tool_core::{AnyTool, Ctx, ToolError, Value, json, tool_entry};

use super::Args;
use crate::stats::reporting::words::p_words;

fn run(text: &str) -> Result<Value, ToolError> {
    let args = json::parse_json(text, json::JsonLimits::default()).expect("JSON");
    let tool: &dyn AnyTool = tool_entry::<Args>().tool();
    tool.decode(&args)?.run(&Ctx::default())
}

fn text(output: &Value, pointer: &str) -> String {
    let value = output.pointer(pointer).expect("a value");
    value.as_str().expect("a text").to_owned()
}

fn number(output: &Value, pointer: &str) -> f64 {
    let value = output.pointer(pointer).and_then(|value| value.as_f64());
    value.unwrap_or_else(|| panic!("no {pointer} in {output}"))
}

/// Every test by name with data that it takes.
const CALLS: [&str; 38] = [
    r#"{"test": "t_test", "x": [1, 2, 3, 4.5], "y": [3, 4, 5, 7]}"#,
    r#"{"test": "t_one_sample", "x": [1, 2, 3, 4.5], "mu": 9}"#,
    r#"{"test": "t_welch", "x": [1, 2, 3, 4.5], "y": [13, 14, 15, 17]}"#,
    r#"{"test": "t_pooled", "x": [1, 2, 3, 4.5], "y": [13, 14, 15, 17]}"#,
    r#"{"test": "t_paired", "x": [1, 2, 3, 4.5], "y": [3, 4.5, 5, 7]}"#,
    r#"{"test": "yuen", "x": [1, 2, 3, 4.5, 9], "y": [13, 14, 15, 17, 18]}"#,
    r#"{"test": "mann_whitney", "x": [1, 2, 3, 4.5], "y": [13, 14, 15, 17]}"#,
    r#"{"test": "brunner_munzel", "x": [1, 2, 3, 4.5], "y": [3, 14, 15, 17]}"#,
    r#"{"test": "wilcoxon", "x": [1, 2, 3, 4.5, 5, 6, 7]}"#,
    r#"{"test": "sign", "x": [1, 2, 3, 4.5, 5, 6, 7]}"#,
    r#"{"test": "permutation", "x": [1, 2, 3, 4.5], "y": [13, 14, 15, 17]}"#,
    r#"{"test": "permutation_paired", "x": [1, 2, 3, 4.5], "y": [13, 14, 15, 17.5]}"#,
    r#"{"test": "ks_one_sample", "x": [0.1, 0.2, 0.9], "distribution": {"uniform": {"low": 0, "high": 1}}}"#,
    r#"{"test": "ks_two_sample", "x": [1, 2, 3, 4.5], "y": [13, 14, 15, 17]}"#,
    r#"{"test": "anderson_darling", "x": [1, 2, 3, 4.5, 5, 6, 7, 80]}"#,
    r#"{"test": "anderson_k_sample", "x": [1, 2, 3, 4.5], "y": [13, 14, 15, 17]}"#,
    r#"{"test": "shapiro_wilk", "x": [1, 2, 3, 4.5, 5, 6, 7, 80]}"#,
    r#"{"test": "lilliefors", "x": [1, 2, 3, 4.5, 5, 6, 7, 80]}"#,
    r#"{"test": "jarque_bera", "x": [1, 2, 3, 4.5, 5, 6, 7, 80]}"#,
    r#"{"test": "levene", "groups": [[1, 2, 3], [10, 20, 30], [4, 5, 7]]}"#,
    r#"{"test": "brown_forsythe", "groups": [[1, 2, 3], [10, 20, 30], [4, 5, 7]]}"#,
    r#"{"test": "bartlett", "groups": [[1, 2, 3], [10, 20, 30], [4, 5, 7]]}"#,
    r#"{"test": "anova", "groups": [[1, 2, 3], [10, 20, 30], [4, 5, 7]]}"#,
    r#"{"test": "welch_anova", "groups": [[1, 2, 3], [10, 20, 30], [4, 5, 7]]}"#,
    r#"{"test": "kruskal_wallis", "groups": [[1, 2, 3], [10, 20, 30], [4, 5, 7]]}"#,
    r#"{"test": "friedman", "groups": [[1, 2, 3], [10, 20, 30], [4, 5, 7]]}"#,
    r#"{"test": "cochran_q", "groups": [[1, 1, 1], [0, 0, 1], [0, 1, 0]]}"#,
    r#"{"test": "chi_squared", "table": [[12, 5], [3, 19]]}"#,
    r#"{"test": "g_test", "x": [12, 5, 3, 19]}"#,
    r#"{"test": "fisher_exact", "table": [[12, 5, 2], [3, 9, 4]]}"#,
    r#"{"test": "barnard", "table": [[12, 5], [3, 9]]}"#,
    r#"{"test": "mcnemar", "table": [[12, 5], [15, 9]]}"#,
    r#"{"test": "binomial", "successes": [12], "trials": [14]}"#,
    r#"{"test": "proportions", "successes": [12, 5], "trials": [14, 15]}"#,
    r#"{"test": "poisson_rate", "events": [12, 50], "exposure": [1, 1]}"#,
    r#"{"test": "ljung_box", "x": [1, 2, 3, 4.5, 5, 6, 7, 8], "lags": 2}"#,
    r#"{"test": "adf", "x": [1, 3, 2, 4, 1, 2.5, 3, 1, 2, 4, 1, 3], "lags": 1}"#,
    r#"{"test": "kpss", "x": [1, 3, 2, 4, 1, 2.5, 3, 1, 2, 4, 1, 3]}"#,
];

/// Each answer has its parts, and its sentence says what its numbers say.
#[test]
fn every_test_answers_with_a_true_sentence() {
    for call in CALLS {
        let output = run(call).unwrap_or_else(|err| panic!("{call}: {err:?}"));
        let (p, summary) = (number(&output, "/p"), text(&output, "/summary"));
        assert!((0.0..=1.0).contains(&p), "{call}: {p}");
        assert!(summary.contains(&p_words(p)), "{call}: {summary}");
        assert_eq!(
            summary.contains("unlikely to be chance"),
            p < 0.05,
            "{call}: {summary}"
        );
        assert_eq!(
            summary.contains("which does not show that there is none"),
            p >= 0.05,
            "{call}"
        );
        let apa = text(&output, "/apa");
        assert!(apa.contains(" = ") && apa.contains("p "), "{call}: {apa}");
        assert!(number(&output, "/n") > 0.0, "{call}");
        // A direction in the sentence is that of the estimate.
        if let Some(value) = output
            .pointer("/estimate/value")
            .and_then(|value| value.as_f64())
        {
            let is_above = value > number(&output, "/estimate/null");
            for (words, above) in [
                ("higher than", true),
                ("is above", true),
                ("lower than", false),
                ("is below", false),
            ] {
                assert!(
                    !summary.contains(words) || is_above == above,
                    "{call}: {summary}"
                );
            }
        }
    }
}

#[test]
fn several_columns_are_corrected() {
    let output = run(
        r#"{"test": "t_one_sample", "data": {"a": [1, 2, 3, 4], "b": [-1, 1, -2, 2.5], "c": [5, 6, 5, 6]},
            "columns": ["a", "b", "c"], "correction": "bonferroni"}"#,
    )
    .expect("an answer");
    for at in 0..3 {
        let p = number(&output, &format!("/tests/{at}/p"));
        let corrected = number(&output, &format!("/tests/{at}/p_corrected"));
        assert_eq!(corrected, (3.0 * p).min(1.0));
    }
    assert!(
        text(&output, "/summary")
            .starts_with("1 of 3 columns show an effect after the correction: `c`")
    );
    assert_eq!(number(&output, "/p"), number(&output, "/tests/2/p"));
}

#[test]
fn tables_and_lists_agree() {
    let list = run(r#"{"x": [1, 2, 4], "y": [3, 5, 8]}"#).expect("an answer");
    let table = run(
        r#"{"data": {"v": [1, 3, 2, 5, null, 4, 8], "g": ["x", "y", "x", "y", "x", "x", "y"]}, "value": "v", "group": "g"}"#,
    )
    .expect("an answer");
    assert_eq!(number(&list, "/p"), number(&table, "/p"));
    assert_eq!(number(&table, "/missing"), 1.0);
    assert_eq!(text(&list, "/summary"), text(&table, "/summary"));
    let paired = run(
        r#"{"test": "t_paired", "data": {"before": [1, 2, null, 4], "after": [3, 5, 6, 8.5]}, "columns": ["before", "after"]}"#,
    )
    .expect("an answer");
    assert_eq!(
        (number(&paired, "/n"), number(&paired, "/missing")),
        (3.0, 1.0)
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let cases = [
        (r#"{"x": [2, 2, 2]}"#, "/x"),
        (r#"{}"#, "/x"),
        (r#"{"test": "t_welch", "x": [1, 2]}"#, "/test"),
        (r#"{"test": "t_paired", "x": [1, 2], "y": [1, 2, 3]}"#, "/x"),
        (
            r#"{"test": "fisher_exact", "table": [[1.5, 2], [3, 4]]}"#,
            "/table",
        ),
        (
            r#"{"test": "fisher_exact", "table": [[0, 0], [3, 4]]}"#,
            "/table",
        ),
        (
            r#"{"test": "binomial", "successes": [5], "trials": [4]}"#,
            "/successes",
        ),
        (
            r#"{"test": "binomial", "successes": [5], "trials": []}"#,
            "/trials",
        ),
        (
            r#"{"test": "yuen", "x": [1, 2, 3], "y": [4, 5, 6], "trim": 0.5}"#,
            "/x",
        ),
        (
            r#"{"test": "t_paired", "data": {"v": [1, 2], "g": ["a", "b"]}, "value": "v", "group": "g"}"#,
            "/subject",
        ),
    ];
    for (call, path) in cases {
        let error = run(call).expect_err(call);
        assert_eq!(error.path(), Some(path), "{call}: {error:?}");
    }
}
