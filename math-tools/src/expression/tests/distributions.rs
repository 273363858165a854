//! Distribution functions, quantiles, and the costs of exact arguments. Values: mpmath 1.3 with 40 digits.

use tool_core::{BoundedInteger, Ctx, Input, Table, Tool, ToolError, json};

use crate::expression::calculate::{Args, CalculatedValue, Output};

fn run(expression: &str, data: Option<&str>, precision: Option<i64>) -> Result<Output, ToolError> {
    let table = data.map(|text| {
        let value = json::parse_json(text, json::JsonLimits::default()).unwrap();
        tool_core::convert::from_value::<Input<Table>>(&value).unwrap()
    });
    let args = Args {
        expression: expression.into(),
        variables: Default::default(),
        data: table,
        exact: false,
        precision: precision.and_then(BoundedInteger::new),
        complex: false,
    };
    Args::run(args, &Ctx::default())
}

fn value(expression: &str, data: Option<&str>) -> f64 {
    match run(expression, data, None)
        .unwrap_or_else(|err| panic!("{expression}: {err:?}"))
        .value
    {
        CalculatedValue::Double(value) => value,
        CalculatedValue::Integer(value) => value as f64,
        other => panic!("{expression}: {other:?}"),
    }
}

fn close(expression: &str, expected: f64) {
    let found = value(expression, None);
    assert!(
        (found - expected).abs() <= 1e-13 * expected.abs(),
        "{expression}: {found} {expected}"
    );
}

#[test]
fn distribution_functions() {
    for (expression, expected) in [
        (
            "student_t_cdf(-2.64919, 22, 0, 1)",
            0.007_326_419_122_070_554,
        ),
        ("tcdf(1.5, 4)", 0.896),
        ("student_t_quantile(0.975, 10, 0, 1)", 2.228_138_851_986_275),
        ("tinv(0.975, 10)", 2.228_138_851_986_275),
        ("f_cdf(2.5, 3, 10)", 0.880_960_437_341_721_8),
        ("fcdf(2.5, 3, 10)", 0.880_960_437_341_721_8),
        ("f_ccdf(2.5, 3, 10)", 0.119_039_562_658_278_15),
        ("f_quantile(0.95, 3, 10)", 3.708_264_819_046_844_5),
        ("chi_square_cdf(11.07, 5)", 0.949_990_381_377_594_5),
        ("chi2cdf(11.07, 5)", 0.949_990_381_377_594_5),
        ("chi_square_quantile(0.95, 5)", 11.070_497_693_516_354),
        ("beta_cdf(0.25, 2, 3)", 0.261_718_75),
        ("beta_ccdf(0.25, 2, 3)", 0.738_281_25),
        ("beta_quantile(0.26171875, 2, 3)", 0.25),
        ("betainc(2, 3, 0.25)", 0.261_718_75),
        ("binomial_cdf(15, 40, 0.36)", 0.646_223_753_334_319_1),
        ("binomial_ccdf(15, 40, 0.36)", 1.0 - 0.646_223_753_334_319_1),
        ("binomial_quantile(0.6, 40, 0.36)", 15.0),
        ("poisson_cdf(4, 2.45)", 0.897_757_147_401_541_3),
        ("poisson_cdf(-1, 2.45)", 0.0),
        ("poisson_ccdf(-1, 2.45)", 1.0),
        ("poisson_quantile(0.8, 2.45)", 4.0),
        ("gamma_cdf(1.5, 2.5, 2)", 0.693_781_081_586_721_6),
        ("normal_quantile(0.9, 3, 2)", 5.563_103_131_089_201),
        ("normal_cdf(3, 3, 2) + normal_ccdf(3, 3, 2)", 1.0),
        ("besselj(2.5, 2.5)", 0.328_091_411_534_438_1),
        ("besselk(0.25, 2)", 0.115_378_276_840_856_76),
        ("comb(5.5, 2)", 12.375),
        ("factorial(0.5)", 0.886_226_925_452_758),
    ] {
        close(expression, expected);
    }
}

#[test]
fn refusals_say_what_is_wrong() {
    for (expression, words) in [
        ("gcd(2.5, 2)", "takes whole numbers"),
        ("polygamma(1.5, 2)", "takes whole numbers"),
        ("besselj(0.5, -1)", "has no real value"),
        ("besselj(1000000.5, 2)", "orders to 100,000"),
        ("betainc(2, 3, 1.5)", "has no real value for 2, 3 and 1.5"),
    ] {
        let error = run(expression, None, None).unwrap_err();
        assert!(
            error.message().contains(words),
            "{expression}: {}",
            error.message()
        );
    }
}

/// Quantile 0.3 of 1, 3, 4, 8 and 15 by the nine formulas of Hyndman and Fan.
#[test]
fn quantiles_by_each_definition() {
    let data = Some(r#"{"y": [8, 3, 15, 1, 4]}"#);
    let expected = [
        3.0,
        3.0,
        3.0,
        2.0,
        3.0,
        2.6,
        3.2,
        2.866_666_666_666_666_6,
        2.9,
    ];
    for (index, expected) in expected.into_iter().enumerate() {
        let found = value(&format!("quantile(y, 0.3, {})", index + 1), data);
        assert!(
            (found - expected).abs() < 1e-12,
            "type {}: {found} {expected}",
            index + 1
        );
    }
    assert_eq!(value("quantile(y, 0.3)", data), 3.2);
    assert_eq!(value("median(y) - quantile(-y, 1)", data), 5.0);
    assert_eq!(value("sum((y > median(y)))", data), 2.0);
    assert_eq!(value("count(y)", data), 5.0);
    for (expression, words) in [
        ("quantile(y, 2)", "a probability from 0 to 1"),
        ("quantile(y, 0.5, 10)", "a whole number from 1 to 9"),
        ("quantile(y - mean(y), 0.5)", "a column of data alone"),
        ("median(3)", "takes a column"),
    ] {
        let error = run(expression, data, None).unwrap_err();
        assert!(
            error.message().contains(words),
            "{expression}: {}",
            error.message()
        );
    }
}

/// Arguments of many digits cost what the digits of the answer cost: each of these took seconds when the work was done with the bits of the
/// gamma function or the power.
#[test]
fn large_exact_arguments_are_cut_to_the_precision() {
    for (expression, expected) in [
        (
            "poisson_lpmf(12345, 2.45)",
            "-92903.196815298008985278871749149",
        ),
        (
            "binomial_lpmf(40, 12345, 0.36)",
            "-5265.9724823595426090329514709482",
        ),
        ("lgamma(20000)", "178065.71824964616418482243898"),
        ("lgamma(30000)", "279264.34428430943312821927551"),
        ("log(3**60000)", "65916.737320086581483714714215"),
        ("sin(3**30000)", "0.47607504041440752025216793560605689"),
        ("lgamma(2.5)", "0.28468287047291915963249466968270192"),
    ] {
        let digits = expected.bytes().filter(u8::is_ascii_digit).count() as i64;
        let digits = digits - i64::from(expected.starts_with("0.")) - 3;
        let found = run(expression, None, Some(digits))
            .unwrap_or_else(|err| panic!("{expression}: {err:?}"));
        let CalculatedValue::Text(found) = found.value else {
            panic!("{expression}")
        };
        let same = found.len() - 1; // the last digit may be rounded
        assert!(
            expected.starts_with(&found[..same]),
            "{expression}: {found} {expected}"
        );
    }
    // A column of such values in the default mode, with its bound.
    let rows: Vec<String> = (0..40).map(|row| (8000 + 300 * row).to_string()).collect();
    let data = format!(r#"{{"k": [{}]}}"#, rows.join(", "));
    let found = run("sum(poisson_lpmf(k, 2.45))", Some(&data), None).unwrap();
    assert!(found.error_bound.is_some());
}

#[test]
fn sines_of_large_integers_keep_their_quadrant() {
    // The power is a double; by the addition theorem so is the rest, also where the sum is none.
    let (s, c) = 1_f64.sin_cos();
    for power in 35..60 {
        let (sine, cosine) = 2_f64.powi(power).sin_cos();
        let text = format!("2**{power} + 1");
        for (name, expected) in [
            ("sin", sine * c + cosine * s),
            ("cos", cosine * c - sine * s),
        ] {
            let found = run(&format!("{name}({text})"), None, Some(15)).unwrap();
            let CalculatedValue::Text(found) = found.value else {
                panic!("{text}")
            };
            let found: f64 = found.parse().unwrap();
            assert!(
                (found - expected).abs() < 1e-12,
                "{name}({text}): {found} {expected}"
            );
        }
    }
}
