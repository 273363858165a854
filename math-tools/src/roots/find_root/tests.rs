use serde_json::Value as Json;
use tool_core::ToolError;
use tool_core::convert::to_value;

use super::{Args, FindRootMethod, FindRootReason, Output, SuspectKind};

fn call(text: &str) -> Result<(Output, String), ToolError> {
    crate::testing::run_warned::<Args>(text)
}

fn found(text: &str) -> Output {
    call(text).unwrap_or_else(|err| panic!("{text}: {err:?}")).0
}

/// `tests/reference/find_root.json`, with its sources in the script beside it.
#[test]
fn roots_agree_with_mpmath() {
    let text = include_str!("../../../../tests/reference/find_root.json");
    let cases: Vec<Json> = serde_json::from_str(text).unwrap();
    assert!(cases.len() >= 40);
    for mut case in cases {
        let object = case.as_object_mut().unwrap();
        let mut take = |key: &str| object.remove(key).unwrap_or(Json::Null);
        let (roots, complete, left) = (take("roots"), take("complete"), take("left"));
        let is_multiple = take("multiple") == true;
        take("source");
        object.insert("plot".into(), false.into());
        let output = found(&case.to_string());
        let expected: Vec<f64> = roots
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Json::as_f64)
            .collect();
        let what = format!("{case} {output:?}");
        assert_eq!(output.roots.len(), expected.len(), "{what}");
        for (root, x) in output.roots.iter().zip(expected) {
            // Half a unit in the last place for the rounding of the reference.
            let error = (root.x - x).abs();
            assert!(error <= root.error + 1.2e-16 * x.abs(), "{x}: {what}");
            assert!(
                is_multiple || error <= 4e-15 * x.abs() || error < 1e-13 && root.error < 1e-12,
                "{x}: {what}"
            );
        }
        if let Some(complete) = complete.as_bool() {
            assert_eq!(output.complete, Some(complete), "{what}");
            assert_eq!(output.converged, complete, "{what}");
            for kind in left.as_array().unwrap() {
                let has = |place: &super::SuspectPlace| {
                    to_value(&place.kind).unwrap().as_str() == kind.as_str()
                };
                assert!(output.unresolved.iter().any(has), "{kind}: {what}");
            }
        } else {
            assert!(
                output.converged && output.reason == FindRootReason::Root,
                "{what}"
            );
        }
    }
}

#[test]
fn poles_and_jumps_are_no_roots() {
    for (text, reason) in [
        (
            r#"{"f": "tan(x)", "from": 1, "to": 2}"#,
            FindRootReason::Pole,
        ),
        (
            r#"{"f": "1/(x-1)", "from": 0, "to": 3}"#,
            FindRootReason::Pole,
        ),
        (
            r#"{"f": "gamma(x)", "from": -0.5, "to": 0.5}"#,
            FindRootReason::Pole,
        ),
        (
            r#"{"f": "if(x<1, -1, 2)", "from": 0, "to": 3}"#,
            FindRootReason::Jump,
        ),
        (
            r#"{"f": "sign(x-0.3)", "from": 0, "to": 3}"#,
            FindRootReason::Jump,
        ),
        (r#"{"f": "x-x", "from": -1, "to": 3}"#, FindRootReason::Flat),
        (
            r#"{"f": "exp(-1/x**2)", "from": -0.01, "to": 0.01}"#,
            FindRootReason::Flat,
        ),
    ] {
        let output = found(text);
        assert_eq!(output.reason, reason, "{text} {output:?}");
        assert!(!output.converged && output.root.is_none() && output.roots.is_empty());
        assert_eq!(output.unresolved.len(), 1);
    }
}

#[test]
fn a_pole_between_the_ends_is_passed_over() {
    let (output, warnings) = call(r#"{"f": "tan(x)-x", "from": 1, "to": 5}"#).unwrap();
    assert!(
        (output.root.unwrap() - 4.493_409_457_909_064).abs() < 1e-14,
        "{output:?}"
    );
    assert!(warnings.contains("`all`"), "{warnings}");
}

#[test]
fn a_start_alone_finds_a_root_near_it() {
    let output = found(r#"{"f": "exp(x)-1e6", "x0": 0}"#);
    assert!((output.root.unwrap() - 6.0 * std::f64::consts::LN_10).abs() < 1e-14 * 14.0);
    let output = found(r#"{"f": "x", "x0": 0}"#);
    assert_eq!(output.root, Some(0.0));
    let err = call(r#"{"f": "x**2+1", "x0": 3}"#).unwrap_err();
    assert!(err.message().contains("same sign"), "{err:?}");
}

#[test]
fn what_intervals_do_not_know_is_sampled_and_said() {
    let (output, warnings) =
        call(r#"{"f": "bessely0(x)", "from": 0.5, "to": 12, "all": true}"#).unwrap();
    assert_eq!(
        (output.method, output.reason, output.complete),
        (
            FindRootMethod::Sampling,
            FindRootReason::Sampled,
            Some(false)
        )
    );
    // A. and S. table 9.5
    for (root, x) in output.roots.iter().zip([
        0.893_576_966_3,
        3.957_678_419_3,
        7.086_051_060_3,
        10.222_345_043_5,
    ]) {
        assert!((root.x - x).abs() < 1e-9 && !root.proven);
    }
    assert_eq!(output.roots.len(), 4);
    assert!(warnings.contains("bessely0"), "{warnings}");
}

#[test]
fn accumulating_roots_end_at_the_limit() {
    let (output, warnings) =
        call(r#"{"f": "sin(1/x)", "from": 0, "to": 1, "all": true, "plot": false}"#).unwrap();
    assert!(
        output.roots.len() > 300 && !output.converged,
        "{}",
        output.roots.len()
    );
    assert!(
        output
            .unresolved
            .iter()
            .any(|place| place.kind == SuspectKind::Unsearched)
    );
    assert!(warnings.contains("may be missing"), "{warnings}");
    assert!(output.roots.iter().all(|root| root.proven));
}

#[test]
fn arguments_are_checked() {
    for (text, at, word) in [
        (r#"{"f": "x"}"#, "/from", "x0"),
        (r#"{"f": "x", "from": 1}"#, "/to", "both ends"),
        (r#"{"f": "x", "from": 2, "to": 1}"#, "/to", "above"),
        (
            r#"{"f": "x", "from": 1, "to": 2, "x0": 1}"#,
            "/x0",
            "exclude",
        ),
        (r#"{"f": "x", "x0": 1, "all": true}"#, "/all", "from"),
        (r#"{"f": "y", "from": 1, "to": 2}"#, "/f", "y"),
        (r#"{"f": "2", "from": 1, "to": 2}"#, "/f", "variable"),
        (
            r#"{"f": "x", "from": 1, "to": 2, "variable": "sin"}"#,
            "/variable/sin",
            "language",
        ),
        (
            r#"{"f": "x**2+1", "from": 1, "to": 2}"#,
            "/from",
            "same sign",
        ),
        (
            r#"{"f": "log(x)", "from": -3, "to": -1}"#,
            "/from",
            "no value",
        ),
    ] {
        let err = call(text).unwrap_err();
        let said = format!("{} {}", err.message(), err.hint_str().unwrap_or_default());
        assert!(said.contains(word), "{text}: {err:?}");
        assert_eq!(err.path().unwrap_or_default(), at, "{text}: {err:?}");
    }
}
