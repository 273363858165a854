use tool_core::{
    AnyTool, CallBudget, Ctx, ErrorCode, StopFlag, ToolError, Value, json, tool_entry,
};

use super::Args;

fn parse(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).unwrap()
}

fn run_in(args: &str, ctx: &Ctx) -> Result<Value, ToolError> {
    let tool: &dyn AnyTool = tool_entry::<Args>().tool();
    tool.decode(&parse(args))?.run(ctx)
}

fn run(args: &str) -> Value {
    run_in(args, &Ctx::default()).unwrap_or_else(|err| panic!("{args}: {err:?}"))
}

fn best(output: &Value) -> (Vec<f64>, f64) {
    let x = output.get("x_best").and_then(Value::items).unwrap();
    (
        x.iter().map(|x| x.as_f64().unwrap()).collect(),
        output.get("y_best").and_then(Value::as_f64).unwrap(),
    )
}

/// Every coordinate of the best point within a distance of the optimum, and the value within another.
fn check(args: &str, optimum: &[f64], value: f64, within: f64, value_within: f64) {
    let output = run(args);
    let (x, y) = best(&output);
    assert!(
        x.iter()
            .zip(optimum)
            .all(|(x, best)| (x - best).abs() < within),
        "{args}: {x:?}"
    );
    assert!((y - value).abs() < value_within, "{args}: {y}");
}

#[test]
fn documented_example_in_one_dimension() {
    check(
        r#"{"bounds":[[0,5]],"objective":"-(x0-2)**2"}"#,
        &[2.0],
        0.0,
        1e-2,
        1e-4,
    );
    check(
        r#"{"bounds":[[0,5]],"objective":"-(x0-2)**2","n_iter":20}"#,
        &[2.0],
        0.0,
        1e-2,
        1e-4,
    );
}

#[test]
fn documented_example_in_two_dimensions() {
    check(
        r#"{"bounds":[[0,5],[0,5]],"objective":"-(x0-2)**2 - (x1-3)**2"}"#,
        &[2.0, 3.0],
        0.0,
        1e-2,
        1e-4,
    );
}

#[test]
fn no_initial_point_is_refused() {
    let err = run_in(
        r#"{"bounds":[[0,5]],"objective":"x0","n_init":0}"#,
        &Ctx::default(),
    )
    .unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/n_init"))
    );
}

#[test]
fn scale_of_the_box_does_not_matter() {
    check(
        r#"{"bounds":[[0,500]],"objective":"-(x0-200)**2"}"#,
        &[200.0],
        0.0,
        1e-2,
        1e-4,
    );
    check(
        r#"{"bounds":[[0,5e-6]],"objective":"-1e-9*(x0-2e-6)**2"}"#,
        &[2e-6],
        0.0,
        1e-8,
        1e-24,
    );
    check(
        r#"{"bounds":[[-1e9,1e9]],"objective":"-(x0/1e9-0.3)**2 + 1e6"}"#,
        &[3e8],
        1e6,
        2e7,
        1e-3,
    );
}

#[test]
fn unknown_acquisition_is_refused() {
    let err = run_in(
        r#"{"bounds":[[0,5]],"objective":"x0","acquisition":"foo"}"#,
        &Ctx::default(),
    )
    .unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/acquisition"))
    );
    assert!(err.message().contains("`ei`, `ucb`, `pi`"), "{err:?}");
}

#[test]
fn every_acquisition_and_both_modes() {
    for acquisition in ["ei", "ucb", "pi"] {
        let args = format!(
            r#"{{"bounds":[[-3,3]],"objective":"(x-1)**2 + 4","mode":"minimize","acquisition":"{acquisition}"}}"#
        );
        check(&args, &[1.0], 4.0, 2e-2, 1e-3);
    }
    // an optimum on the border of the box
    check(
        r#"{"bounds":[[0,3],[-1,1]],"objective":"x0 - x1**2"}"#,
        &[3.0, 0.0],
        3.0,
        2e-2,
        1e-3,
    );
}

/// Branin-Hoo: three minima of 0.397887 (Jones, Schonlau and Welch 1998); 30 evaluations, seeds 1 to 5.
#[test]
fn branin_in_thirty_evaluations() {
    let objective = "(x1 - 5.1/(4*pi**2)*x0**2 + 5/pi*x0 - 6)**2 + 10*(1 - 1/(8*pi))*cos(x0) + 10";
    let mut regrets: Vec<f64> = (1..=5)
        .map(|seed| {
            let args = format!(r#"{{"bounds":[[-5,10],[0,15]],"objective":"{objective}","mode":"minimize","n_init":8,"n_iter":22,"seed":{seed}}}"#);
            let output = run(&args);
            assert_eq!(output.get("n_evaluations"), Some(&Value::Int(30)));
            best(&output).1 - 0.397_887_357_729_738
        })
        .collect();
    regrets.sort_by(f64::total_cmp);
    assert!(regrets[0] > -1e-12 && regrets[2] < 1e-2, "{regrets:?}");
}

#[test]
fn the_result_tells_how_it_was_found() {
    let output = run(
        r#"{"bounds":[[0,5],[0,10]],"objective":"-(x0-2)**2","n_init":4,"n_iter":12,"seed":7}"#,
    );
    assert_eq!(output.get("seed"), Some(&Value::Int(7)));
    let points = output.pointer("/history/X").unwrap();
    assert_eq!(points.as_numbers().unwrap().shape(), [16, 2]);
    let values = output
        .pointer("/history/y")
        .and_then(|y| y.items())
        .unwrap();
    let most = values
        .iter()
        .filter_map(Value::as_f64)
        .fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(most, best(&output).1);
    // The second variable does not matter, and its length scale says so.
    let lengths = output
        .pointer("/model/length_scales")
        .and_then(|lengths| lengths.items())
        .unwrap();
    let [first, second] = [
        lengths[0].as_f64().unwrap() / 5.0,
        lengths[1].as_f64().unwrap() / 10.0,
    ];
    assert!(second > 2.0 * first, "{lengths:?}");
    assert!(output.get("converged").and_then(Value::as_bool).is_some());
}

#[test]
fn the_same_call_gives_the_same_numbers() {
    let args = r#"{"bounds":[[0,5],[0,5]],"objective":"sin(3*x)*y","n_iter":10}"#;
    assert_eq!(run(args).to_string(), run(args).to_string());
    let seeded = r#"{"bounds":[[0,5],[0,5]],"objective":"sin(3*x)*y","n_iter":10,"seed":42}"#;
    assert_eq!(run(args).to_string(), run(seeded).to_string());
    let other = r#"{"bounds":[[0,5],[0,5]],"objective":"sin(3*x)*y","n_iter":10,"seed":43}"#;
    assert_ne!(run(args).to_string(), run(other).to_string());
}

#[test]
fn undefined_values_are_avoided_and_counted() {
    let ctx = Ctx::default();
    let output = run_in(r#"{"bounds":[[-5,5]],"objective":"sqrt(x) - x"}"#, &ctx).unwrap();
    let (x, y) = best(&output);
    assert!(
        (x[0] - 0.25).abs() < 0.05 && (y - 0.25).abs() < 1e-2,
        "{x:?} {y}"
    );
    let warnings = ctx.take_warnings();
    assert!(warnings[0].contains("not finite"), "{warnings:?}");
    assert!(
        output
            .pointer("/history/y")
            .and_then(|y| y.items())
            .unwrap()
            .contains(&Value::from("NaN"))
    );
    let err = run_in(
        r#"{"bounds":[[-5,-1]],"objective":"sqrt(x)"}"#,
        &Ctx::default(),
    )
    .unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str(), err.path()),
        (ErrorCode::Numeric, Some("non_finite"), Some("/objective"))
    );
}

#[test]
fn constant_and_wild_objectives() {
    let output = run(r#"{"bounds":[[0,1]],"objective":"7","n_iter":5}"#);
    assert_eq!(best(&output).1, 7.0);
    assert_eq!(output.get("converged"), Some(&Value::Bool(true)));
    run(r#"{"bounds":[[0,1]],"objective":"1e308*sin(1e6*x)","n_iter":8}"#);
    run(r#"{"bounds":[[0,1]],"objective":"if(x < 0.5, 0, 1)","n_iter":10,"noise":0}"#);
    run(r#"{"bounds":[[0,1]],"objective":"x","n_init":1,"n_iter":0}"#);
    run(
        r#"{"bounds":[[0,1],[0,1],[0,1],[0,1],[0,1],[0,1]],"objective":"x0+x1*x2-x3*x4+x5","n_iter":10}"#,
    );
}

#[test]
fn faults_name_the_argument() {
    for (args, path, words) in [
        (
            r#"{"bounds":[],"objective":"1"}"#,
            "/bounds",
            "1 to 20 pairs",
        ),
        (
            r#"{"bounds":[[5,0]],"objective":"x0"}"#,
            "/bounds/0",
            "low < high",
        ),
        (
            r#"{"bounds":[[0,1],[2,2]],"objective":"x0"}"#,
            "/bounds/1",
            "low < high",
        ),
        (r#"{"bounds":[[0,1,2]],"objective":"x0"}"#, "/bounds/0", ""),
        (
            r#"{"bounds":[[-1e308,1e308]],"objective":"x0"}"#,
            "/bounds/0",
            "finite distance",
        ),
        (r#"{"bounds":[[0,1]],"objective":"x1"}"#, "/objective", "x1"),
        (
            r#"{"bounds":[[0,1]],"objective":"-(x0-2)**2 garbage"}"#,
            "/objective",
            "",
        ),
        (r#"{"bounds":[[0,1]],"objective":""}"#, "/objective", ""),
        (
            r#"{"bounds":[[0,1]],"objective":"x0","mode":"maximise"}"#,
            "/mode",
            "did you mean `maximize`?",
        ),
        (
            r#"{"bounds":[[0,1]],"objective":"x0","n_iter":100000}"#,
            "/n_iter",
            "300",
        ),
        (
            r#"{"bounds":[[0,1]],"objective":"x0","noise":-1}"#,
            "/noise",
            "",
        ),
    ] {
        let err = run_in(args, &Ctx::default()).unwrap_err();
        assert_eq!(err.code(), ErrorCode::InvalidArgs, "{args}: {err:?}");
        assert!(
            err.path().is_some_and(|found| found.starts_with(path))
                && err.message().contains(words),
            "{args}: {err:?}"
        );
    }
}

#[test]
fn budgets_and_the_stop_flag_hold() {
    let args = r#"{"bounds":[[0,5]],"objective":"-(x0-2)**2"}"#;
    let few = CallBudget {
        evaluations: 10,
        ..CallBudget::default()
    };
    let err = run_in(args, &Ctx::new(StopFlag::new(), few)).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::LimitExceeded, Some("evaluations"))
    );
    let stop = StopFlag::new();
    stop.cancel();
    assert_eq!(
        run_in(args, &Ctx::new(stop, CallBudget::default()))
            .unwrap_err()
            .code(),
        ErrorCode::Cancelled
    );
}

/// Noise of any size has an answer, or is refused by name; there is no loop that waits for a factor.
#[test]
fn noise_of_any_size_is_answered() {
    let with = |noise: &str| {
        format!(r#"{{"bounds":[[0,1]],"objective":"7","n_init":2,"n_iter":0,"noise":{noise}}}"#)
    };
    for noise in ["0", "1", "1e20", "1e100"] {
        assert_eq!(best(&run(&with(noise))).1, 7.0, "{noise}");
    }
    for noise in ["1e101", "1e200", "1e308"] {
        let error = run_in(&with(noise), &Ctx::default()).unwrap_err();
        assert_eq!(
            (error.code(), error.path()),
            (ErrorCode::InvalidArgs, Some("/noise"))
        );
    }
    for objective in ["x", "sin(9*x)"] {
        let args = with("1e100").replace("\"7\"", &format!("\"{objective}\""));
        assert!(best(&run(&args)).1.is_finite());
    }
}
