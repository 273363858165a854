use proptest::prelude::*;
use tool_core::{Ctx, ErrorCode, Tool, ToolError, Value, convert, json};

use super::{legacy, monte_carlo, monte_carlo_native};
use numerics::sampling::blocks::{SampleMoments, sorted_quantile};

fn value(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default())
        .unwrap_or_else(|err| panic!("{text}: {err:?}"))
}

fn call<T: Tool>(args: &str) -> Result<Value, ToolError> {
    tool_core::tool_entry::<T>()
        .tool()
        .decode(&value(args))?
        .run(&Ctx::default())
}

fn number(output: &Value, pointer: &str) -> f64 {
    output
        .pointer(pointer)
        .and_then(|found| found.as_f64())
        .unwrap_or_else(|| panic!("{pointer} in {output}"))
}

fn integrate(args: &str) -> Value {
    call::<monte_carlo_native::Args>(args).unwrap_or_else(|err| panic!("{args}: {err:?}"))
}

fn simulate(args: &str) -> Value {
    call::<monte_carlo::Args>(args).unwrap_or_else(|err| panic!("{args}: {err:?}"))
}

fn old(operation: &str, params: &str) -> Result<Value, ToolError> {
    match operation {
        "integrate" => call::<monte_carlo_native::Args>(params),
        _ => legacy::run_operation(operation, &value(params), &Ctx::default()),
    }
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(work)
}

/// The estimate within four of its own standard errors, and the error itself not more than twice what it should be.
fn check_integral(args: &str, truth: f64, error: f64) {
    let output = integrate(args);
    let found = number(&output, "/standard_error");
    assert!(
        (number(&output, "/integral") - truth).abs() <= 4.0 * found,
        "{args}: {output}"
    );
    assert!((0.5..2.0).contains(&(found / error)), "{args}: {output}");
}

#[test]
fn integrals_with_their_errors() {
    // The second number is volume * sqrt(variance / n), from the exact variance of the integrand.
    check_integral(
        r#"{"bounds":[[0,1]],"function":"x**2"}"#,
        1.0 / 3.0,
        (4.0_f64 / 45.0 / 1e4).sqrt(),
    );
    check_integral(
        r#"{"bounds":[[-1,1],[-1,1],[-1,1]],"function":"sphere","n_samples":100000}"#,
        8.0,
        8.0 * (4.0_f64 / 15.0 / 1e5).sqrt(),
    );
    check_integral(
        r#"{"bounds":[[-1,1],[-1,1]],"function":"x**2 + y**2 <= 1","n_samples":100000}"#,
        std::f64::consts::PI,
        4.0 * (0.1685_f64 / 1e5).sqrt(),
    );
    check_integral(
        r#"{"bounds":[[0,3]],"function":"polynomial"}"#,
        3.0 + 4.5 + 9.0,
        3.0 * (12.45_f64 / 1e4).sqrt(),
    );
    // (sqrt(2 pi) erf(sqrt 2))^2 and a variance of 0.0665.
    check_integral(
        r#"{"bounds":[[-2,2],[-2,2]],"function":"gaussian"}"#,
        5.724_420_043_277_409,
        16.0 * (0.0665_f64 / 1e4).sqrt(),
    );
    let constant = integrate(r#"{"bounds":[[0,2],[1,4]]}"#);
    assert_eq!(
        (
            number(&constant, "/integral"),
            number(&constant, "/standard_error")
        ),
        (6.0, 0.0)
    );
    assert_eq!(number(&constant, "/samples_used"), 10_000.0);
    assert_eq!(number(&constant, "/seed"), 42.0);
}

#[test]
fn a_function_is_an_expression() {
    let output = old(
        "integrate",
        r#"{"bounds":[[0,2]],"function":"x^2","n_samples":100000}"#,
    )
    .unwrap();
    assert!(
        (number(&output, "/integral") - 8.0 / 3.0).abs() < 4.0 * number(&output, "/standard_error")
    );
    let err = old("integrate", r#"{"bounds":[[0,2]],"function":"gausian"}"#).unwrap_err();
    assert_eq!(
        (err.code(), err.hint_str()),
        (ErrorCode::InvalidArgs, Some("did you mean `gaussian`?"))
    );
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let all = || {
        (
            integrate(
                r#"{"bounds":[[0,1],[0,1]],"function":"sin(x)*exp(-y**2)","n_samples":50001}"#,
            ),
            simulate(r#"{"expression":"x*y","distribution":"normal","samples":20001}"#),
            old("pi", r#"{"n_samples":100000}"#).unwrap(),
            old("bootstrap", r#"{"data":[1,5,2,8,3],"statistic":"median"}"#).unwrap(),
            old("random_walk", r#"{"type":"2d"}"#).unwrap(),
            old("normal_stats", "{}").unwrap(),
        )
    };
    let one = in_pool(1, all);
    assert_eq!(one, in_pool(2, all));
    assert_eq!(one, in_pool(8, all));
}

#[test]
fn pi_with_seed_zero() {
    for seed in [0, 1, 42] {
        let output = old("pi", &format!(r#"{{"seed":{seed},"n_samples":1000000}}"#)).unwrap();
        assert!(
            number(&output, "/absolute_error") < 4.0 * number(&output, "/standard_error"),
            "{output}"
        );
        assert!(
            (number(&output, "/standard_error") - 0.001642).abs() < 1e-5,
            "{output}"
        );
    }
}

#[test]
fn normal_draws_with_seed_zero() {
    let output = old(
        "normal_stats",
        r#"{"seed":0,"mean":3,"std":2,"n_samples":100000}"#,
    )
    .unwrap();
    let error = 2.0 / 1e5_f64.sqrt();
    assert!((number(&output, "/sample_mean") - 3.0).abs() < 4.0 * error);
    assert!((number(&output, "/sample_std") - 2.0).abs() < 4.0 * error);
    assert!((number(&output, "/median") - 3.0).abs() < 6.0 * error);
    assert!((number(&output, "/percentile_75") - (3.0 + 2.0 * 0.67449)).abs() < 8.0 * error);
    assert!(number(&output, "/min") < -4.0 && number(&output, "/max") > 10.0);
}

#[test]
fn an_unknown_statistic_is_an_error() {
    let err = old("bootstrap", r#"{"data":[1,2,3],"statistic":"max"}"#).unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/statistic"))
    );
    assert!(err.hint_str().unwrap().contains("median"));
}

#[test]
fn nothing_to_sample_is_an_error() {
    for (operation, params) in [
        ("bootstrap", r#"{"data":[]}"#),
        ("bootstrap", r#"{"data":[1],"statistic":"std"}"#),
        ("bootstrap", r#"{"data":[1,2],"confidence":1}"#),
        ("bootstrap", "{}"),
        ("pi", r#"{"n_samples":0}"#),
        ("normal_stats", r#"{"n_samples":0}"#),
        ("normal_stats", r#"{"std":-1}"#),
        ("random_walk", r#"{"n_steps":0}"#),
        ("random_walk", r#"{"type":"3d"}"#),
        ("pi", r#"{"samples":10}"#),
        ("pie", "{}"),
        ("pi", "[]"),
    ] {
        let err = old(operation, params).expect_err(params);
        assert_eq!(
            err.code(),
            ErrorCode::InvalidArgs,
            "{operation} {params}: {err:?}"
        );
    }
}

#[test]
fn bootstrap_intervals() {
    // For the mean of 0..99: standard error 28.866 / 10 (population standard deviation over sqrt n).
    let data: Vec<String> = (0..100).map(|i| i.to_string()).collect();
    let output = old(
        "bootstrap",
        &format!(r#"{{"data":[{}],"confidence":0.9}}"#, data.join(",")),
    )
    .unwrap();
    assert_eq!(number(&output, "/original_value"), 49.5);
    assert!((number(&output, "/standard_error") / 2.8866 - 1.0).abs() < 0.03);
    assert!(
        (number(&output, "/confidence_interval/lower") - (49.5 - 1.6449 * 2.8866)).abs() < 0.25
    );
    assert!(
        (number(&output, "/confidence_interval/upper") - (49.5 + 1.6449 * 2.8866)).abs() < 0.25
    );
    let even = old("bootstrap", r#"{"data":[4,1,3,2],"statistic":"median"}"#).unwrap();
    assert_eq!(number(&even, "/original_value"), 2.5);
    let std = old("bootstrap", r#"{"data":[1,2,3,4,5],"statistic":"std"}"#).unwrap();
    assert!((number(&std, "/original_value") - 2.5_f64.sqrt()).abs() < 1e-15);
}

#[test]
fn random_walks_spread_with_the_square_root_of_time() {
    for (kind, mean_over_rms) in [
        ("1d", (2.0 / std::f64::consts::PI).sqrt()),
        ("2d", std::f64::consts::PI.sqrt() / 2.0),
    ] {
        let output = old(
            "random_walk",
            &format!(r#"{{"type":"{kind}","n_walks":4000,"n_steps":400,"step_size":0.5}}"#),
        )
        .unwrap();
        let expected = number(&output, "/expected_rms_distance");
        assert_eq!(expected, 10.0);
        // Relative standard errors below 1.2 % with 4000 walks.
        assert!(
            (number(&output, "/rms_final_distance") / expected - 1.0).abs() < 0.05,
            "{output}"
        );
        assert!(
            (number(&output, "/mean_final_distance") / (expected * mean_over_rms) - 1.0).abs()
                < 0.05,
            "{output}"
        );
        assert_eq!(output.get("mean_final_position").is_some(), kind == "1d");
    }
}

#[test]
fn distributions() {
    // (arguments, mean, standard deviation, median)
    for (args, mean, std, median) in [
        (
            r#"{"expression":"x","samples":100000}"#,
            0.5,
            12.0_f64.sqrt().recip(),
            0.5,
        ),
        (
            r#"{"expression":"x","samples":100000,"low":-1,"high":3}"#,
            1.0,
            4.0 / 12.0_f64.sqrt(),
            1.0,
        ),
        (
            r#"{"expression":"x","samples":100000,"distribution":"normal"}"#,
            0.0,
            1.0,
            0.0,
        ),
        (
            r#"{"expression":"x","samples":100000,"distribution":"normal","mean":5,"std":2}"#,
            5.0,
            2.0,
            5.0,
        ),
        (
            r#"{"expression":"x","samples":100000,"distribution":"exponential"}"#,
            1.0,
            1.0,
            std::f64::consts::LN_2,
        ),
        (
            r#"{"expression":"x","samples":100000,"distribution":"exponential","rate":4}"#,
            0.25,
            0.25,
            std::f64::consts::LN_2 / 4.0,
        ),
        (
            r#"{"expression":"x0 + x1 - x2","samples":100000,"distribution":"normal"}"#,
            0.0,
            3.0_f64.sqrt(),
            0.0,
        ),
    ] {
        let output = simulate(args);
        let error = number(&output, "/standard_error");
        assert!(
            (number(&output, "/mean") - mean).abs() < 4.0 * error,
            "{args}: {output}"
        );
        assert!(
            (number(&output, "/std") / std - 1.0).abs() < 0.02,
            "{args}: {output}"
        );
        assert!(
            (number(&output, "/percentiles/50") - median).abs() < 6.0 * error,
            "{args}: {output}"
        );
        let counts = output.pointer("/histogram/counts").unwrap();
        let total: f64 = counts.as_numbers().unwrap().as_slice().iter().sum();
        assert_eq!(total, 100_000.0);
    }
    let normal = simulate(r#"{"expression":"x","samples":200000,"distribution":"normal"}"#);
    for (pointer, expected) in [
        ("/percentiles/5", -1.6449),
        ("/percentiles/25", -0.6745),
        ("/percentiles/75", 0.6745),
        ("/percentiles/95", 1.6449),
    ] {
        assert!(
            (number(&normal, pointer) - expected).abs() < 0.02,
            "{pointer}"
        );
    }
}

#[test]
fn undefined_values_are_errors_with_a_point() {
    let err = call::<monte_carlo::Args>(r#"{"expression":"log(x)","distribution":"normal"}"#)
        .unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str(), err.path()),
        (ErrorCode::Numeric, Some("domain"), Some("/expression"))
    );
    assert!(
        err.message().contains("of 10000 points") && err.message().contains("x0 = -"),
        "{err}"
    );
    let err = call::<monte_carlo_native::Args>(r#"{"bounds":[[-1,1]],"function":"sqrt(x)"}"#)
        .unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::Numeric, Some("/function"))
    );
}

#[test]
fn faults_of_arguments() {
    for (args, path) in [
        (r#"{"expression":"x","samples":1}"#, "/samples"),
        (
            r#"{"expression":"x","distribution":"cauchy"}"#,
            "/distribution",
        ),
        (r#"{"expression":"x","std":2}"#, "/std"),
        (r#"{"expression":"x","low":2}"#, "/high"),
        (r#"{"expression":"2x"}"#, "/expression"),
        (r#"{"expression":"x","seed":1.5}"#, "/seed"),
    ] {
        let err = call::<monte_carlo::Args>(args).expect_err(args);
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{args}: {err:?}"
        );
    }
    for (args, path) in [
        (r#"{"bounds":[]}"#, "/bounds"),
        (r#"{"bounds":[[0,1,2]]}"#, "/bounds"),
        (r#"{"bounds":[[0,1],[1,1]]}"#, "/bounds/1"),
        (r#"{"bounds":[[0,1]],"n_samples":1}"#, "/n_samples"),
        (r#"{"bounds":[[0,1]],"function":"y"}"#, "/function"),
    ] {
        let err = call::<monte_carlo_native::Args>(args).expect_err(args);
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{args}: {err:?}"
        );
    }
    let err = call::<monte_carlo_native::Args>(r#"{"bounds":[[-1e308,1e308]]}"#).unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::Numeric, Some("/bounds"))
    );
}

#[test]
fn work_stops_when_it_is_cancelled_and_budgets_hold() {
    let args = || -> monte_carlo_native::Args {
        convert::from_value(&value(
            r#"{"bounds":[[0,1]],"function":"x","n_samples":1000000}"#,
        ))
        .unwrap()
    };
    let ctx = Ctx::default();
    ctx.stop().cancel();
    let err = monte_carlo_native::Args::run(args(), &ctx).unwrap_err();
    assert_eq!(err.code(), ErrorCode::Cancelled);
    let budget = tool_core::CallBudget {
        evaluations: 1000,
        ..Default::default()
    };
    let ctx = Ctx::new(tool_core::StopFlag::new(), budget);
    let err = monte_carlo_native::Args::run(args(), &ctx).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::LimitExceeded, Some("evaluations"))
    );
    let err = call::<monte_carlo::Args>(r#"{"expression":"x","samples":1000000000}"#).unwrap_err();
    assert_eq!(err.reason_str(), Some("memory"));
}

proptest! {
    /// However numbers are cut into parts, the joined moments are those of the whole.
    #[test]
    fn moments_join(values in prop::collection::vec(-1e3..1e3_f64, 2..200), size in 1..50_usize) {
        let joined = SampleMoments::join_all(values.chunks(size).map(SampleMoments::of).collect());
        let whole = SampleMoments::of(&values);
        prop_assert_eq!(joined.count, whole.count);
        prop_assert!((joined.mean - whole.mean).abs() < 1e-10);
        prop_assert!((joined.squares - whole.squares).abs() < 1e-9 * (1.0 + whole.squares));
    }

    /// Quantiles grow with the probability and stay between the extremes.
    #[test]
    fn quantiles_are_monotone(mut values in prop::collection::vec(-1e3..1e3_f64, 1..50), p in 0.0..=1.0_f64, q in 0.0..=1.0_f64) {
        values.sort_unstable_by(f64::total_cmp);
        let (low, high) = (sorted_quantile(&values, p.min(q)), sorted_quantile(&values, p.max(q)));
        prop_assert!(low <= high + 1e-12 * high.abs());
        prop_assert!(values[0] <= low + 1e-9 && high <= values[values.len() - 1] + 1e-9);
    }

    /// The same seed gives the same numbers, another seed others.
    #[test]
    fn seeds_repeat(seed in any::<u64>()) {
        let args = |seed: u64| format!(r#"{{"expression":"x","samples":50,"seed":"{seed}"}}"#);
        prop_assert_eq!(simulate(&args(seed)), simulate(&args(seed)));
        prop_assert_ne!(simulate(&args(seed)).get("mean").cloned(), simulate(&args(seed ^ 1)).get("mean").cloned());
    }
}

#[test]
fn generators_in_lockstep_are_those_of_the_library() {
    use numerics::vector::{GENERATORS, UniformGenerators};
    use rand::rand_core::{Rng as _, SeedableRng as _};
    use tool_core::rng::{StreamRng, stream_states};

    const STEPS: usize = 50;
    let states = stream_states::<GENERATORS>(42, 7);
    let mut together = vec![0.0; STEPS * GENERATORS];
    UniformGenerators::new(states).fill(0.0, 1.0, &mut together);
    for generator in 0..GENERATORS {
        let bytes: Vec<u8> = states
            .iter()
            .flat_map(|words| words[generator].to_le_bytes())
            .collect();
        let mut alone = StreamRng::from_seed(bytes.try_into().unwrap());
        for step in 0..STEPS {
            let middle = ((alone.next_u64() >> 12) as f64 + 0.5) * 2.0_f64.powi(-52);
            assert_eq!(together[step * GENERATORS + generator], middle);
        }
    }
}

#[test]
fn uniform_points_fill_the_box() {
    // Moments of each coordinate and between neighbours, and of the lanes that share a step.
    for (function, mean) in [
        ("x", 0.5),
        ("x**2", 1.0 / 3.0),
        ("x*y", 0.25),
        ("x*z", 0.25),
        ("x**3*y", 0.125),
    ] {
        let args = format!(
            r#"{{"bounds":[[0,1],[0,1],[0,1]],"function":"{function}","n_samples":1000003}}"#
        );
        let output = integrate(&args);
        let error = (number(&output, "/integral") - mean).abs();
        assert!(
            error <= 4.0 * number(&output, "/standard_error"),
            "{output}"
        );
    }
}
