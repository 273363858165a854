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

const DATA: &str = r#"{"y": [1, 2, 3, 4, 2, 4, 6, 9, null], "a": ["p", "p", "p", "p", "q", "q", "q", "q", "q"],
    "b": [1, 1, 2, 2, 1, 1, 2, 2, 2]}"#;

/// Sums of squares by hand.
#[test]
fn two_factors_by_hand() {
    for squares in [1, 2, 3] {
        let call = format!(r#"{{"data": {DATA}, "formula": "y ~ a * b", "type": {squares}}}"#);
        let output = run(&call).expect("an answer");
        let expected = [15.125, 21.125, 3.125, 7.5];
        for (at, expected) in expected.iter().enumerate() {
            let found = number(&output, &format!("/terms/{at}/squares"));
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        assert_eq!(
            (number(&output, "/n"), number(&output, "/missing")),
            (8.0, 1.0)
        );
        let summary = output.pointer("/summary").expect("a sentence").to_string();
        for (at, name) in ["`a`", "`b`", "`a:b`"].iter().enumerate() {
            let p = number(&output, &format!("/terms/{at}/p"));
            assert_eq!(summary.contains(name), p < 0.05, "{summary}");
        }
    }
}

#[test]
fn dunnett_has_a_control() {
    let call = |control: &str| {
        format!(
            r#"{{"data": {{"y": [1, 2, 3, 5, 6, 7, 2, 3, 4.5], "g": ["c", "c", "c", "t", "t", "t", "u", "u", "u"]}},
                "formula": "y ~ g", "post_hoc": "dunnett", "control": "{control}"}}"#
        )
    };
    let output = run(&call("c")).expect("an answer");
    assert_eq!(number(&output, "/comparisons/0/difference"), 4.0);
    let error = run(&call("cc")).expect_err("no such group");
    assert_eq!(error.path(), Some("/control"));
}

#[test]
fn what_does_not_fit_is_refused() {
    let cases = [
        (
            r#"{"data": {"y": [1, 2], "g": ["a", "b"]}, "formula": "y ~ g"}"#,
            "/formula",
        ),
        (
            r#"{"data": {"y": [1, 2, 3], "g": ["a", "a", "a"]}, "formula": "y ~ g"}"#,
            "/formula",
        ),
        (
            r#"{"data": {"y": [1, 2, 3], "g": ["a", "a", "b"]}, "formula": "y ~ h"}"#,
            "/formula",
        ),
        (
            r#"{"data": {"y": [1, 2, 3], "g": ["a", "a", "b"]}, "formula": "y"}"#,
            "/formula",
        ),
    ];
    for (call, path) in cases {
        let error = run(call).expect_err(call);
        assert_eq!(error.path(), Some(path), "{call}: {error:?}");
    }
}

/// NIST StRD, SmLs01 to SmLs09 of Simon and Lesage: nine treatments, whose certified sums of squares, between and within, are exactly
/// `0.08 replicates` and `0.09 (replicates - 1)`.
///
/// From the fourth set on seven, from the seventh on thirteen leading digits are constant. Doubles at 10^12 are 0.0001 apart, a
/// thousandth of the differences, so that no program that reads doubles has more than three digits of the last three sets; for them the
/// reference is the analysis of the doubles themselves, by differences from 10^12, which are exact.
#[test]
fn nist_simon_and_lesage() {
    const TENTHS: [f64; 9] = [4.0, 3.0, 5.0, 3.0, 5.0, 3.0, 5.0, 3.0, 5.0];
    for (base, digits) in [(1.0, 12.0), (1e6, 8.5), (1e12, 3.0)] {
        for replicates in [21_usize, 201, 2001] {
            let (mut y, mut g) = (Vec::new(), Vec::new());
            for (treatment, tenths) in TENTHS.iter().enumerate() {
                for at in 0..replicates {
                    let step = match at {
                        0 => 0.0,
                        odd if odd % 2 == 1 => -1.0,
                        _ => 1.0,
                    };
                    // The decimal is rounded once, as a file of data is.
                    let text = format!("{}.{}", base as i64, tenths + step);
                    y.push(text.parse::<f64>().unwrap());
                    g.push(format!("t{treatment}"));
                }
            }
            let squares = |y: &[f64]| -> [f64; 2] {
                let call = format!(
                    r#"{{"data": {{"y": {y:?}, "g": {g:?}}}, "formula": "y ~ g", "post_hoc": "none"}}"#
                );
                let output = run(&call).expect("an answer");
                [0, 1].map(|at| number(&output, &format!("/terms/{at}/squares")))
            };
            let n = replicates as f64;
            let certified = [0.08 * n, 0.09 * (n - 1.0)];
            let found = squares(&y);
            let shifted: Vec<f64> = y.iter().map(|y| y - base).collect();
            for ((found, certified), own) in found.iter().zip(certified).zip(squares(&shifted)) {
                let lre = -((found - certified) / certified).abs().log10();
                assert!(
                    lre >= digits,
                    "{base:e} {replicates}: {found} has {lre} digits of {certified}"
                );
                let own_lre = -((found - own) / own).abs().log10();
                assert!(
                    own_lre >= 11.0,
                    "{base:e} {replicates}: {found} beside {own}"
                );
            }
        }
    }
}
