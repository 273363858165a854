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

fn fit(columns: &[Vec<f64>], y: &[f64]) -> Value {
    let rows: Vec<Value> = (0..y.len())
        .map(|row| Value::vector(columns.iter().map(|column| column[row]).collect()))
        .collect();
    run(&Value::object([
        ("x", Value::array(rows)),
        ("y", Value::vector(y.to_vec())),
    ]))
    .unwrap()
}

fn number(output: &Value, pointer: &str) -> f64 {
    output
        .pointer(pointer)
        .and_then(|value| value.as_f64())
        .unwrap_or_else(|| panic!("no {pointer} in {output}"))
}

/// One column of `terms`.
fn of_terms(output: &Value, name: &str) -> Vec<f64> {
    let terms = output.get("terms").and_then(Value::items).unwrap();
    let terms = terms.iter().map(|term| term.get(name)?.as_f64());
    terms.collect::<Option<_>>().unwrap()
}

fn numbers(output: &Value, name: &str) -> Vec<f64> {
    let items = output.get(name).and_then(Value::items).unwrap();
    items.iter().map(|item| item.as_f64().unwrap()).collect()
}

/// Agreement with certified values to a number of significant digits.
fn check(found: &[f64], certified: &[f64], relative: f64) {
    assert_eq!(found.len(), certified.len());
    for (found, certified) in found.iter().zip(certified) {
        assert!(
            (found - certified).abs() <= relative * certified.abs(),
            "found {found:?}, certified {certified:?}"
        );
    }
}

fn estimates(output: &Value) -> Vec<f64> {
    let mut all = vec![number(output, "/intercept")];
    all.extend(numbers(output, "coefficients"));
    all
}

/// NIST StRD, linear regression, lower difficulty: Norris (calibration of ozone monitors).
#[test]
fn nist_norris() {
    #[rustfmt::skip]
    let points = [
        (0.1, 0.2), (338.8, 337.4), (118.1, 118.2), (888.0, 884.6), (9.2, 10.1), (228.1, 226.5), (668.5, 666.3), (998.5, 996.3),
        (449.1, 448.6), (778.9, 777.0), (559.2, 558.2), (0.3, 0.4), (0.1, 0.6), (778.1, 775.5), (668.8, 666.9), (339.3, 338.0),
        (448.9, 447.5), (10.8, 11.6), (557.7, 556.0), (228.3, 228.1), (998.0, 995.8), (888.8, 887.6), (119.6, 120.2), (0.3, 0.3),
        (0.6, 0.3), (557.6, 556.8), (339.3, 339.1), (888.0, 887.2), (998.5, 999.0), (778.9, 779.0), (10.2, 11.1), (117.6, 118.3),
        (228.9, 229.2), (668.4, 669.1), (449.2, 448.9), (0.2, 0.5),
    ];
    let (y, x): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
    let output = fit(&[x], &y);
    check(
        &estimates(&output),
        &[-0.262323073774029, 1.00211681802045],
        1e-13,
    );
    check(
        &of_terms(&output, "standard_error"),
        &[0.232818234301152, 0.429796848199937E-03],
        1e-13,
    );
    check(
        &[number(&output, "/residual_std"), number(&output, "/r2")],
        &[0.884796396144373, 0.999993745883712],
        1e-13,
    );
    assert_eq!(number(&output, "/degrees_of_freedom"), 34.0);
}

/// NIST StRD, linear regression, higher difficulty: Longley (labour statistics, nearly collinear).
#[test]
fn nist_longley() {
    let y = [
        60323.0, 61122.0, 60171.0, 61187.0, 63221.0, 63639.0, 64989.0, 63761.0, 66019.0, 67857.0,
        68169.0, 66513.0, 68655.0, 69564.0, 69331.0, 70551.0,
    ];
    let columns: [Vec<f64>; 6] = [
        vec![
            83.0, 88.5, 88.2, 89.5, 96.2, 98.1, 99.0, 100.0, 101.2, 104.6, 108.4, 110.8, 112.6,
            114.2, 115.7, 116.9,
        ],
        vec![
            234289.0, 259426.0, 258054.0, 284599.0, 328975.0, 346999.0, 365385.0, 363112.0,
            397469.0, 419180.0, 442769.0, 444546.0, 482704.0, 502601.0, 518173.0, 554894.0,
        ],
        vec![
            2356.0, 2325.0, 3682.0, 3351.0, 2099.0, 1932.0, 1870.0, 3578.0, 2904.0, 2822.0, 2936.0,
            4681.0, 3813.0, 3931.0, 4806.0, 4007.0,
        ],
        vec![
            1590.0, 1456.0, 1616.0, 1650.0, 3099.0, 3594.0, 3547.0, 3350.0, 3048.0, 2857.0, 2798.0,
            2637.0, 2552.0, 2514.0, 2572.0, 2827.0,
        ],
        vec![
            107608.0, 108632.0, 109773.0, 110929.0, 112075.0, 113270.0, 115094.0, 116219.0,
            117388.0, 118734.0, 120445.0, 121950.0, 123366.0, 125368.0, 127852.0, 130081.0,
        ],
        (1947..=1962).map(f64::from).collect(),
    ];
    let output = fit(&columns, &y);
    let certified = [
        -3482258.63459582,
        15.0618722713733,
        -0.358191792925910E-01,
        -2.02022980381683,
        -1.03322686717359,
        -0.511041056535807E-01,
        1829.15146461355,
    ];
    let deviations = [
        890420.383607373,
        84.9149257747669,
        0.334910077722432E-01,
        0.488399681651699,
        0.214274163161675,
        0.226073200069370,
        455.478499142212,
    ];
    check(&estimates(&output), &certified, 1e-12);
    check(&of_terms(&output, "standard_error"), &deviations, 1e-11);
    check(
        &[number(&output, "/residual_std"), number(&output, "/r2")],
        &[304.854073561965, 0.995479004577296],
        1e-12,
    );
    // t of the first slope and its p value with 9 degrees of freedom, as R prints them: 0.177, 0.863141
    check(
        &[number(&output, "/terms/1/t"), number(&output, "/terms/1/p")],
        &[0.177376028, 0.863141],
        1e-6,
    );
}

/// NIST StRD, linear regression, higher difficulty: Wampler1, an exact polynomial of degree 5; every coefficient is 1.
#[test]
fn nist_wampler1() {
    let x: Vec<f64> = (0..=20).map(f64::from).collect();
    let columns: Vec<Vec<f64>> = (1..=5)
        .map(|power| x.iter().map(|x| x.powi(power)).collect())
        .collect();
    let y: Vec<f64> = x
        .iter()
        .map(|x| (0..=5).map(|power| x.powi(power)).sum())
        .collect();
    let output = fit(&columns, &y);
    check(&estimates(&output), &[1.0; 6], 1e-12);
    assert!(number(&output, "/residual_std") < 1e-9 && number(&output, "/r2") > 1.0 - 1e-15);
}

#[test]
fn dependent_columns_are_refused() {
    for (args, rank) in [
        (r#"{"x":[[1,2],[2,4],[3,6],[4,8]],"y":[1,2,3,5]}"#, 2),
        (r#"{"x":[[1],[1],[1]],"y":[1,2,3]}"#, 1),
        (r#"{"x":[0,0,0],"y":[1,2,3],"intercept":false}"#, 0),
        (
            r#"{"x":[[0.1,0.3],[0.2,0.6],[0.7,2.1],[0.9,2.7]],"y":[1,2,3,5]}"#,
            2,
        ),
    ] {
        let err = run(&parse(args)).unwrap_err();
        assert_eq!(
            (err.code(), err.reason_str(), err.path()),
            (ErrorCode::Numeric, Some("rank_deficient"), Some("/x")),
            "{args}"
        );
        assert!(
            err.message().contains(&format!("rank {rank} of")),
            "{args}: {err:?}"
        );
    }
}

#[test]
fn faults_name_the_argument() {
    for (args, path, word) in [
        (
            r#"{"x":[1,2,3],"y":[1,2]}"#,
            "/y",
            "3 rows but `y` has 2 entries",
        ),
        (
            r#"{"x":[[1,2],[3]],"y":[1,2]}"#,
            "/x",
            "row 1 has 1 entry, expected 2 (rows count from 0)",
        ),
        (r#"{"x":[],"y":[]}"#, "/x", "at least one observation"),
        (
            r#"{"x":[1],"y":[1]}"#,
            "/x",
            "2 parameters cannot be fitted to 1 observations",
        ),
        (r#"{"x":[1,"a"],"y":[1,2]}"#, "/x/1", "expected a number"),
        (r#"{"x":"a","y":[1,2]}"#, "/x", "expected"),
        (
            r#"{"x":[1,2],"y":[1,2],"intecept":true}"#,
            "/intecept",
            "did you mean `intercept`?",
        ),
    ] {
        let err = run(&parse(args)).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{args}: {err:?}"
        );
        assert!(err.message().contains(word), "{args}: {err:?}");
    }
}

#[test]
fn without_intercept_r2_is_around_zero() {
    // b = x'y / x'x = 28 / 14 = 2, residuals -1, -1, 1.
    let output = run(&parse(r#"{"x":[1,2,3],"y":[1,3,7],"intercept":false}"#)).unwrap();
    check(&numbers(&output, "coefficients"), &[2.0], 1e-15);
    assert_eq!(number(&output, "/intercept"), 0.0);
    // residual squares 1 + 1 + 1 = 3, squares of y 59
    check(&[number(&output, "/r2")], &[1.0 - 3.0 / 59.0], 1e-15);
    assert_eq!(of_terms(&output, "standard_error").len(), 1);
}

#[test]
fn terms_are_named_and_agree_with_the_coefficients() {
    for (args, names) in [
        (
            r#"{"x":[1,2,3,5],"y":[1,3,7,8]}"#,
            ["intercept", "x"].as_slice(),
        ),
        (
            r#"{"x":[[1,2],[2,1],[3,5],[5,4]],"y":[1,3,7,8]}"#,
            &["intercept", "x0", "x1"],
        ),
        (
            r#"{"x":[[1,2],[2,1],[3,5],[5,4]],"y":[1,3,7,8],"intercept":false}"#,
            &["x0", "x1"],
        ),
        (
            r#"{"x":[1,2,3,5],"y":[1,3,7,8],"polynomial":2}"#,
            &["intercept", "x", "x^2"],
        ),
    ] {
        let output = run(&parse(args)).unwrap();
        let terms = output.get("terms").and_then(Value::items).unwrap();
        let found: Vec<_> = terms.iter().map(|term| term.get("name")).collect();
        let expected: Vec<_> = names.iter().map(|name| Some(Value::from(*name))).collect();
        assert_eq!(
            found,
            expected.iter().map(Option::as_ref).collect::<Vec<_>>(),
            "{args}"
        );
        let mut estimates = of_terms(&output, "estimate");
        if names[0] == "intercept" {
            assert_eq!(estimates.remove(0), number(&output, "/intercept"));
        }
        assert_eq!(estimates, numbers(&output, "coefficients"), "{args}");
    }
}

/// The quantile t(0.975) with 2 degrees of freedom is 0.95 sqrt(2 / (1 - 0.95^2)).
#[test]
fn intervals_are_those_of_the_t_distribution() {
    let output = run(&parse(r#"{"x":[0,1,2,3],"y":[2,2,4,8]}"#)).unwrap();
    let half = 4.302_652_729_749_463 * number(&output, "/terms/1/standard_error");
    check(
        &[
            number(&output, "/terms/1/interval/0"),
            number(&output, "/terms/1/interval/1"),
        ],
        &[2.0 - half, 2.0 + half],
        1e-12,
    );
}

#[test]
fn an_exact_fit_has_no_standard_errors_and_says_so() {
    let ctx = Ctx::default();
    let output = run_in(&parse(r#"{"x":[1,2],"y":[3,5]}"#), &ctx).unwrap();
    check(&estimates(&output), &[1.0, 2.0], 1e-14);
    assert_eq!(output.pointer("/terms/0/p"), Some(Value::from("NaN")));
    assert_eq!(ctx.take_warnings().len(), 1);
    let ctx = Ctx::default();
    let output = run_in(&parse(r#"{"x":[1,2,3],"y":[4,4,4]}"#), &ctx).unwrap();
    assert_eq!(output.get("r2"), Some(&Value::from("NaN")));
    assert_eq!(ctx.take_warnings().len(), 1);
}

#[test]
fn extreme_scales() {
    let output = run(&parse(
        r#"{"x":[1e300,2e300,3e300],"y":[1e100,2e100,3e100],"intercept":false}"#,
    ))
    .unwrap();
    check(&numbers(&output, "coefficients"), &[1e-200], 1e-15);
    let output = run(&parse(
        r#"{"x":[1e-200,2e-200,3e-200],"y":[3e-300,5e-300,7e-300]}"#,
    ))
    .unwrap();
    check(&estimates(&output), &[1e-300, 2e-100], 1e-14);
    let err = run(&parse(
        r#"{"x":[1e-300,2e-300,3e-300],"y":[1e300,2e300,3e300]}"#,
    ))
    .unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::Numeric, Some("overflow"))
    );
}

#[test]
fn stops_when_told() {
    let stop = StopFlag::new();
    stop.time_out();
    let err = run_in(
        &parse(r#"{"x":[1,2,3],"y":[1,2,4]}"#),
        &Ctx::new(stop, tool_core::CallBudget::default()),
    )
    .unwrap_err();
    assert_eq!(err.code(), ErrorCode::Timeout);
}

proptest! {
    /// The residual is orthogonal to every column: the normal equations hold.
    #[test]
    fn residuals_are_orthogonal(rows in prop::collection::vec((prop::array::uniform3(-10.0..10.0_f64), -10.0..10.0_f64), 6..30)) {
        let columns: Vec<Vec<f64>> = (0..3).map(|column| rows.iter().map(|(x, _)| x[column]).collect()).collect();
        let y: Vec<f64> = rows.iter().map(|(_, y)| *y).collect();
        let output = fit(&columns, &y);
        let all = estimates(&output);
        let residuals: Vec<f64> = rows.iter().map(|(x, y)| y - all[0] - x.iter().zip(&all[1..]).map(|(x, b)| x * b).sum::<f64>()).collect();
        let scale = all.iter().fold(100.0, |most: f64, value| most.max(value.abs()));
        // 30 rows of entries up to 10, each rounded a few times at the size of x b
        prop_assert!(residuals.iter().sum::<f64>().abs() < 1e-12 * scale);
        for column in &columns {
            prop_assert!(column.iter().zip(&residuals).map(|(x, r)| x * r).sum::<f64>().abs() < 1e-11 * scale);
        }
    }
}

/// NIST StRD, linear regression, higher difficulty: Filip, a polynomial of degree 10, and Wampler5, of degree 5.
#[test]
fn nist_filip_and_wampler5() {
    use crate::linalg::tests::nist::{
        FILIP, FILIP_RESIDUAL_STD, FILIP_X, FILIP_Y, WAMPLER_DELTA, WAMPLER5_STANDARD_ERRORS,
    };
    let polynomial = |x: &[f64], y: &[f64], degree: usize| {
        run(&Value::object([
            ("x", Value::vector(x.to_vec())),
            ("y", Value::vector(y.to_vec())),
            ("polynomial", Value::from(degree)),
        ]))
        .unwrap()
    };
    let output = polynomial(&FILIP_X, &FILIP_Y, 10);
    let (expected, errors): (Vec<f64>, Vec<f64>) = FILIP.into_iter().unzip();
    check(&estimates(&output), &expected, 1e-12);
    check(&of_terms(&output, "standard_error"), &errors, 1e-5);
    check(
        &[number(&output, "/residual_std")],
        &[FILIP_RESIDUAL_STD],
        1e-12,
    );

    let x: Vec<f64> = (0..21).map(f64::from).collect();
    let y: Vec<f64> = x
        .iter()
        .zip(WAMPLER_DELTA)
        .map(|(x, delta)| (0..6).map(|power| x.powi(power)).sum::<f64>() + 10_000.0 * delta)
        .collect();
    let output = polynomial(&x, &y, 5);
    check(&estimates(&output), &[1.0; 6], 1e-8);
    check(
        &of_terms(&output, "standard_error"),
        &WAMPLER5_STANDARD_ERRORS,
        1e-12,
    );
}
