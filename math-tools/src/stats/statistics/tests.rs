use proptest::prelude::*;
use tool_core::{AnyTool, Ctx, ErrorCode, StopFlag, Value, json, tool_entry};

use super::Args;

fn parse(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).unwrap()
}

fn run(args: &Value) -> Result<Value, tool_core::ToolError> {
    run_in(args, &Ctx::default())
}

fn run_in(args: &Value, ctx: &Ctx) -> Result<Value, tool_core::ToolError> {
    let tool: &dyn AnyTool = tool_entry::<Args>().tool();
    tool.decode(args)?.run(ctx)
}

fn of(data: Vec<f64>) -> Value {
    run(&Value::object([("data", Value::vector(data))])).unwrap()
}

fn get(output: &Value, name: &str) -> f64 {
    output.get(name).and_then(Value::as_f64).unwrap()
}

fn close(found: f64, expected: f64, relative: f64) {
    assert!(
        (found - expected).abs() <= relative * expected.abs(),
        "found {found:?}, expected {expected:?}"
    );
}

/// NIST StRD, univariate: NumAcc1 to NumAcc4 (certified mean and standard deviation, divisor n - 1).
///
/// The sums themselves lose nothing; what remains is that 10000000.1 is not a double: its rounding, 1e-9 of 0.1, bounds the
/// standard deviation of NumAcc4 to eight digits for any program that reads doubles.
#[test]
fn nist_numerical_accuracy() {
    let alternating = |first: f64, a: f64, b: f64, pairs: usize| {
        let mut data = vec![first];
        for _ in 0..pairs {
            data.extend([a, b]);
        }
        data
    };
    let cases = [
        (
            vec![10_000_001.0, 10_000_003.0, 10_000_002.0],
            10_000_002.0,
            1.0,
            0.0,
        ),
        (alternating(1.2, 1.1, 1.3, 500), 1.2, 0.1, 1e-14),
        (
            alternating(1_000_000.2, 1_000_000.1, 1_000_000.3, 500),
            1_000_000.2,
            0.1,
            1e-9,
        ),
        (
            alternating(10_000_000.2, 10_000_000.1, 10_000_000.3, 500),
            10_000_000.2,
            0.1,
            1e-8,
        ),
    ];
    for (data, mean, std, relative) in cases {
        let output = of(data);
        assert_eq!(get(&output, "mean"), mean);
        close(get(&output, "std_sample"), std, relative);
    }
}

/// The variance of the doubles as they are, by exact rational arithmetic: 500 times each neighbour of 10000000.2.
#[test]
fn variance_is_exact_for_the_doubles_given() {
    let (a, b) = (10_000_000.1_f64, 10_000_000.3_f64);
    let half = (b - a) / 2.0; // exact: both have one exponent
    let output = of([a, b].repeat(500));
    close(get(&output, "variance_population"), half * half, 1e-15);
    close(get(&output, "std_population"), half, 1e-15);
}

#[test]
fn quantiles_are_those_of_numpy() {
    // numpy.percentile([1, 2, 3, 4], [25, 50, 75]) = 1.75, 2.5, 3.25
    let output = of(vec![4.0, 1.0, 3.0, 2.0]);
    assert_eq!(get(&output, "q25"), 1.75);
    assert_eq!(get(&output, "median"), 2.5);
    assert_eq!(get(&output, "q75"), 3.25);
    assert_eq!(get(&output, "iqr"), 1.5);
}

#[test]
fn std_and_var_are_the_population_variants() {
    let output = run(&parse(r#"{"data":[1,2,3,4],"metrics":["std","var"]}"#)).unwrap();
    assert_eq!(output, parse(r#"{"std":1.118033988749895,"var":1.25}"#));
}

#[test]
fn one_value_has_no_sample_variance() {
    let ctx = Ctx::default();
    let output = run_in(&parse(r#"{"data":[3]}"#), &ctx).unwrap();
    assert!(output.get("variance_sample").is_none());
    assert_eq!(get(&output, "variance_population"), 0.0);
    assert_eq!(ctx.take_warnings().len(), 1);
    let err = run(&parse(r#"{"data":[3],"metrics":["std_sample"]}"#)).unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/metrics/0"))
    );
}

#[test]
fn faults_name_the_argument() {
    for (args, path, word) in [
        (r#"{"data":[]}"#, "/data", "empty"),
        (r#"{"data":[1],"metrics":[]}"#, "/metrics", "empty"),
        (
            r#"{"data":[1,2],"metrics":["mean","medain"]}"#,
            "/metrics/1",
            "did you mean `median`?",
        ),
        (r#"{"data":[1,"x"]}"#, "/data/1", "expected a number"),
        (r#"{"data":[[1,2],[3,4]]}"#, "/data", "flat list"),
        (
            r#"{"data":[1],"metric":["mean"]}"#,
            "/metric",
            "did you mean `metrics`?",
        ),
        (r#"{}"#, "/data", "missing"),
    ] {
        let err = run(&parse(args)).unwrap_err();
        assert_eq!(err.code(), ErrorCode::InvalidArgs, "{args}");
        assert_eq!(err.path(), Some(path), "{args}: {err:?}");
        assert!(err.message().contains(word), "{args}: {err:?}");
    }
}

#[test]
fn huge_and_tiny_numbers() {
    let ctx = Ctx::default();
    let output = run_in(&parse(r#"{"data":[1e308,1e308,1.5e308,-1e308]}"#), &ctx).unwrap();
    // By rational arithmetic: the sum is 2.5e308, the deviations 3.75, 3.75, 8.75 and -16.25 times 1e307.
    close(get(&output, "mean"), 0.625e308, 1e-15);
    assert_eq!(get(&output, "median"), 1e308);
    close(get(&output, "q25"), 0.5e308, 1e-15);
    close(get(&output, "q75"), 1.125e308, 1e-15);
    close(
        get(&output, "std_population"),
        0.960_143_218_483_576e308,
        1e-14,
    );
    let infinite = Value::from("Infinity");
    for name in ["sum", "variance_sample", "variance_population"] {
        assert_eq!(output.get(name), Some(&infinite), "{name}");
    }
    let warnings = ctx.take_warnings();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings[0].contains("`sum` is infinite"), "{warnings:?}");
    let output = run(&parse(r#"{"data":[-1e308,-1e308],"metrics":["sum"]}"#)).unwrap();
    assert_eq!(output.get("sum"), Some(&Value::from("-Infinity")));
    let output = run(&parse(
        r#"{"data":[1e308,1.5e308,-1e308],"metrics":["mean","median","std"]}"#,
    ))
    .unwrap();
    close(get(&output, "mean"), 0.5e308, 1e-15);
    close(get(&output, "std"), 1.080_123_449_734_643_5e308, 1e-15); // sqrt(7/6)
    let output = run(&parse(r#"{"data":[1e-300,3e-300],"metrics":["std"]}"#)).unwrap();
    close(get(&output, "std"), 1e-300, 1e-15);
}

#[test]
fn long_samples_are_sorted_in_runs() {
    // 200,003 values i * 7919 mod n are a permutation of 0..n, since n is prime.
    let n = 200_003_u64;
    let output = of((0..n).map(|i| (i * 7919 % n) as f64).collect());
    assert_eq!(get(&output, "median"), 100_001.0);
    assert_eq!(get(&output, "q25"), 50_000.5);
    assert_eq!(get(&output, "sum"), (n * (n - 1) / 2) as f64);
    // variance of 0..n: (n^2 - 1) / 12
    close(
        get(&output, "variance_population"),
        ((n * n - 1) as f64) / 12.0,
        1e-15,
    );
}

#[test]
fn stops_when_told_and_respects_the_memory_limit() {
    let stop = StopFlag::new();
    stop.cancel();
    let err = run_in(
        &parse(r#"{"data":[1,2]}"#),
        &Ctx::new(stop, tool_core::CallBudget::default()),
    )
    .unwrap_err();
    assert_eq!(err.code(), ErrorCode::Cancelled);
    let tight = tool_core::CallBudget {
        memory_bytes: 100,
        ..tool_core::CallBudget::default()
    };
    let args = Value::object([("data", Value::vector(vec![1.0; 50]))]);
    let err = run_in(&args, &Ctx::new(StopFlag::new(), tight)).unwrap_err();
    assert_eq!(err.code(), ErrorCode::LimitExceeded);
}

proptest! {
    #[test]
    fn shifting_and_scaling(data in prop::collection::vec(-1e6..1e6_f64, 2..200), exponent in -20..20_i32) {
        let plain = of(data.clone());
        let scaled = of(data.iter().map(|value| value * 2f64.powi(exponent)).collect());
        for name in ["sum", "mean", "median", "q25", "q75", "std_sample", "std_population"] {
            prop_assert_eq!(get(&scaled, name), get(&plain, name) * 2f64.powi(exponent), "{}", name);
        }
        prop_assert!(get(&plain, "min") <= get(&plain, "q25") && get(&plain, "q25") <= get(&plain, "median"));
        prop_assert!(get(&plain, "median") <= get(&plain, "q75") && get(&plain, "q75") <= get(&plain, "max"));
        prop_assert!(get(&plain, "min") <= get(&plain, "mean") && get(&plain, "mean") <= get(&plain, "max"));
    }
}

#[test]
fn quantiles_by_a_named_definition() {
    let of = |definition: &str| {
        let text = format!(
            r#"{{"data": [8, 3, 15, 1, 4], "metrics": ["count"], "quantiles": [0.3, 1]{definition}}}"#
        );
        let output = run(&parse(&text)).unwrap();
        let found = output.get("quantiles").and_then(Value::as_numbers).unwrap();
        found.as_slice().to_vec()
    };
    close(of("")[0], 3.2, 1e-15);
    close(of(r#", "definition": "hazen""#)[0], 3.0, 1e-15);
    close(of(r#", "definition": "type6""#)[0], 2.6, 1e-15);
    assert_eq!(of(r#", "definition": "inverted_cdf""#), [3.0, 15.0]);
    let error = run(&parse(r#"{"data": [1, 2], "definition": "hazen"}"#)).unwrap_err();
    assert_eq!(error.path(), Some("/definition"));
}
