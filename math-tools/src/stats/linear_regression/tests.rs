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

/// A fit by formula; columns are named.
fn fit_formula(columns: &[(&str, &[f64])], formula: &str) -> Value {
    let columns = columns
        .iter()
        .map(|(name, column)| (*name, Value::vector(column.to_vec())));
    let data = Value::object(columns);
    run(&Value::object([
        ("data", data),
        ("formula", Value::from(formula)),
    ]))
    .unwrap()
}

/// NIST StRD, linear regression, by formula: Filip, Pontius, NoInt1, NoInt2 and Wampler1 to Wampler5. Powers are formed in doubled precision, and errors
/// of nearly dependent columns are computed in it.
#[test]
fn nist_by_formula() {
    use crate::linalg::tests::nist::{
        FILIP, FILIP_RESIDUAL_STD, FILIP_X, FILIP_Y, WAMPLER_DELTA, WAMPLER5_STANDARD_ERRORS,
    };
    let powers = |degree: usize| {
        let terms: Vec<String> = (1..=degree).map(|power| format!("I(x^{power})")).collect();
        format!("y ~ {}", terms.join(" + "))
    };
    let (expected, errors): (Vec<f64>, Vec<f64>) = FILIP.into_iter().unzip();
    for formula in [powers(10), "y ~ poly(x, 10, raw=True)".to_owned()] {
        let output = fit_formula(&[("x", &FILIP_X), ("y", &FILIP_Y)], &formula);
        check(&estimates(&output), &expected, 1e-12);
        check(&of_terms(&output, "standard_error"), &errors, 1e-9);
        check(
            &[number(&output, "/residual_std")],
            &[FILIP_RESIDUAL_STD],
            1e-12,
        );
    }
    let x: Vec<f64> = (0..21).map(f64::from).collect();
    for (scale, tolerance) in [(0.0, 1e-12), (1.0, 1e-11), (100.0, 1e-10), (10_000.0, 1e-8)] {
        let polynomial = |x: f64| (0..6).map(|power| x.powi(power)).sum::<f64>();
        let y: Vec<f64> = x
            .iter()
            .zip(WAMPLER_DELTA)
            .map(|(x, delta)| polynomial(*x) + scale * delta)
            .collect();
        let output = fit_formula(&[("x", &x), ("y", &y)], &powers(5));
        check(&estimates(&output), &[1.0; 6], tolerance);
        if scale > 0.0 {
            let errors = WAMPLER5_STANDARD_ERRORS.map(|error| error * scale / 10_000.0);
            check(&of_terms(&output, "standard_error"), &errors, 1e-12);
        }
    }
    // Wampler2: coefficients 1, 0.1, ..., 0.00001, whose responses have five decimals.
    let digits = |x: f64| {
        (0..6)
            .map(|power| x.powi(power) * 10_f64.powi(5 - power))
            .sum::<f64>()
            / 1e5
    };
    let y: Vec<f64> = x.iter().map(|x| digits(*x)).collect();
    let output = fit_formula(&[("x", &x), ("y", &y)], &powers(5));
    check(
        &estimates(&output),
        &[1.0, 0.1, 0.01, 0.001, 0.0001, 0.00001],
        1e-10,
    );
}

/// NIST StRD: Pontius (calibration of load cells), NoInt1 and NoInt2 (no intercept), by formula.
#[test]
fn nist_quadratic_and_no_intercept_by_formula() {
    #[rustfmt::skip]
    let y = [
        0.11019, 0.21956, 0.32949, 0.43899, 0.54803, 0.65694, 0.76562, 0.87487, 0.98292, 1.09146, 1.20001, 1.30822, 1.41599,
        1.52399, 1.63194, 1.73947, 1.84646, 1.95392, 2.06128, 2.16844, 0.11052, 0.22018, 0.32939, 0.43886, 0.54798, 0.65739,
        0.76596, 0.87474, 0.98300, 1.09150, 1.20004, 1.30818, 1.41613, 1.52408, 1.63159, 1.73965, 1.84696, 1.95445, 2.06177,
        2.16829,
    ];
    let x: Vec<f64> = (0..40)
        .map(|row| f64::from(row % 20 + 1) * 150_000.0)
        .collect();
    let output = fit_formula(&[("x", &x), ("y", &y)], "y ~ x + I(x^2)");
    check(
        &estimates(&output),
        &[
            0.673565789473684E-03,
            0.732059160401003E-06,
            -0.316081871345029E-14,
        ],
        1e-12,
    );
    let errors = [
        0.107938612033077E-03,
        0.157817399981659E-09,
        0.486652849992036E-16,
    ];
    check(&of_terms(&output, "standard_error"), &errors, 1e-12);
    check(
        &[number(&output, "/residual_std"), number(&output, "/r2")],
        &[0.205177424076185E-03, 0.999999900178537],
        1e-12,
    );

    let x: Vec<f64> = (60..=70).map(f64::from).collect();
    let y: Vec<f64> = (130..=140).map(f64::from).collect();
    let output = fit_formula(&[("x", &x), ("y", &y)], "y ~ x - 1");
    check(
        &numbers(&output, "coefficients"),
        &[2.07438016528926],
        1e-13,
    );
    check(
        &of_terms(&output, "standard_error"),
        &[0.165289256198347E-01],
        1e-13,
    );
    check(
        &[number(&output, "/residual_std"), number(&output, "/r2")],
        &[3.56753034006338, 0.999365492298663],
        1e-13,
    );

    let output = fit_formula(
        &[("x", &[4.0, 5.0, 6.0]), ("y", &[3.0, 4.0, 4.0])],
        "y ~ 0 + x",
    );
    check(
        &numbers(&output, "coefficients"),
        &[0.727272727272727],
        1e-13,
    );
    check(
        &of_terms(&output, "standard_error"),
        &[0.420827318078432E-01],
        1e-13,
    );
    check(
        &[number(&output, "/residual_std"), number(&output, "/r2")],
        &[0.369274472937998, 0.993348115299335],
        1e-13,
    );
}

/// The sentence says what the numbers say: explained share, p value, effect with its interval, and what is not clear.
#[test]
fn the_sentence_follows_from_the_numbers() {
    use crate::stats::reporting::words::{estimate_words, number_words};
    let output = run(&parse(
        r#"{"data": {"price": [10, 12, 11, 13, 20, 22, 21, 23], "city": ["Lyon", "Lyon", "Lyon", "Lyon", "Oslo", "Oslo", "Oslo", "Oslo"],
            "noise": [1, 2, 2, 1, 1, 2, 2, 1]}, "formula": "price ~ city + noise"}"#,
    ))
    .unwrap();
    let summary = output.get("summary").unwrap();
    let of = |pointer: &str| estimate_words(number(&output, pointer));
    let expected = format!(
        "The terms explain {} % of the variation of `price` in 8 rows (p < 0.001). Clear at 95 %: `city` Oslo against Lyon +{} (interval {} to {}); 1 term is not clearly different from no effect.",
        number_words(100.0 * number(&output, "/r2")),
        of("/terms/1/estimate"),
        of("/terms/1/interval/0"),
        of("/terms/1/interval/1"),
    );
    assert_eq!(summary.as_str(), Some(expected.as_str()));
    assert!(number(&output, "/fit/f_p") < 0.001 && number(&output, "/terms/2/interval/0") < 0.0);
    let apa = output.get("apa").unwrap();
    let f = number(&output, "/fit/f");
    assert!(
        apa.as_str()
            .unwrap()
            .starts_with(&format!("F(2, 5) = {f:.2}, p < .001, R2 = .")),
        "{apa}"
    );
}

#[test]
fn faults_of_formulas_name_the_argument() {
    let data = r#""data": {"x": [1, 2, 3, 5], "y": [2, 3, 5, 4], "g": ["a", "a", "b", "b"], "e": [null, null, null, null]}"#;
    for (rest, path, words) in [
        (
            r#""formula": "y ~ z""#,
            "/formula",
            "there is no column `z`",
        ),
        (
            r#""formula": "y ~ x + e""#,
            "/formula",
            "no row has a value",
        ),
        (r#""formula": "y ~ log(g)""#, "/formula", "holds categories"),
        (r#""formula": "g ~ x""#, "/formula", "is a category"),
        (r#""formula": "y ~ x + (1 | g)""#, "/formula", "random term"),
        (
            r#""formula": "y ~ x", "errors": "cluster""#,
            "/cluster",
            "the column of the clusters",
        ),
        (
            r#""formula": "y ~ x", "errors": "HC3", "cluster": "g""#,
            "/errors",
            "clustered errors alone",
        ),
        (r#""formula": "y ~ x", "weights": "q""#, "/weights", "q"),
        (
            r#""formula": "y ~ x", "confidence": 0"#,
            "/confidence",
            "above 0 and below 1",
        ),
        (
            r#""formula": "y ~ x", "x": [1]"#,
            "/formula",
            "takes the place",
        ),
        (
            r#""formula": "y ~ x", "predict": {"x": [null]}"#,
            "/predict",
            "missing cell",
        ),
        (
            r#""formula": "y ~ g", "predict": {"g": ["c"]}"#,
            "/predict",
            "no level `c`",
        ),
        (
            r#""formula": "y ~ x", "penalty": "lasso", "errors": "HC3""#,
            "/penalty",
            "no standard errors",
        ),
        (
            r#""formula": "y ~ x", "penalty": "ridge", "l1_ratio": 0.5"#,
            "/l1_ratio",
            "elastic net",
        ),
        (r#""x": [1, 2]"#, "/data", "needs a `formula`"),
    ] {
        let err = run(&parse(&format!("{{{data}, {rest}}}"))).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{rest}: {err:?}"
        );
        assert!(err.message().contains(words), "{rest}: {err:?}");
    }
    for (args, path) in [
        (r#"{"x": [1, 2]}"#, "/y"),
        (r#"{"y": [1, 2]}"#, "/x"),
        (r#"{"formula": "y ~ x"}"#, "/data"),
    ] {
        let err = run(&parse(args)).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{args}: {err:?}"
        );
    }
}
