//! The problems of More, Garbow and Hillstrom as least squares, and what can go wrong.

use tool_core::json::{self, JsonLimits};
use tool_core::{ErrorCode, convert, object};

use super::*;

const PROBLEMS: &str = include_str!("../../../../tests/reference/more_garbow_hillstrom.json");

fn run(args: Value) -> Result<Output, ToolError> {
    let args = convert::from_value(&args)
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    Args::run(args, &Ctx::default())
}

/// From the start of the paper and from ten times it: a minimum that the paper lists, or one beside.
#[test]
fn the_problems_of_more_garbow_and_hillstrom_end_at_minima() {
    let problems = json::parse_json(PROBLEMS, JsonLimits::default()).expect("JSON");
    let (mut runs, mut solved, mut report) = (0, 0, String::new());
    let problems = problems.items().expect("a list");
    for problem in &problems {
        let name = problem.text("name").expect("a name");
        let objective = problem.text("objective").expect("an objective");
        let inner = objective
            .strip_prefix('(')
            .and_then(|text| text.strip_suffix(")**2"));
        let residuals: Vec<String> = inner
            .expect("squares")
            .split(")**2 + (")
            .map(str::to_owned)
            .collect();
        let start = problem
            .get("x0")
            .and_then(Value::as_numbers)
            .expect("a start");
        let minima = ["minima", "others"].map(|key| problem.get(key).and_then(Value::as_numbers));
        // Approached without end as x0 falls.
        let at_infinity = (name == "6 Jennrich and Sampson").then_some(259.580190134);
        for factor in [1.0, 10.0] {
            runs += 1;
            let x0: Vec<f64> = start
                .as_slice()
                .iter()
                .map(|value| value * factor)
                .collect();
            let args = object! { "residuals" => residuals.clone(), "x0" => Value::vector(x0) };
            let output = match run(args) {
                Ok(output) => output,
                Err(error) => {
                    report.push_str(&format!("{name} x {factor}: {}\n", error.message()));
                    continue;
                }
            };
            let found = output.sum_of_squares;
            let is_known = minima
                .iter()
                .flatten()
                .flat_map(|list| list.as_slice())
                .chain(&at_infinity)
                .any(|known| (found - known).abs() <= 1e-6 * known.abs() + 1e-9);
            if is_known {
                solved += 1;
            } else {
                report.push_str(&format!(
                    "{name} x {factor}: {found}, {:?}, {} iterations\n",
                    output.reason, output.iterations
                ));
            }
        }
    }
    assert!(solved == runs && runs == 80, "{solved} of {runs}\n{report}");
}

#[test]
fn residuals_by_row_are_those_written_out() {
    let by_row = run(object! {
        "residuals" => vec!["x0*t + x1 - y".to_owned(), "0.1*x0".to_owned()],
        "x0" => Value::vector(vec![0.0, 0.0]),
        "data" => object! { "t" => Value::vector(vec![0.0, 1.0, 2.0]), "y" => Value::vector(vec![1.0, 3.0, 4.0]) },
    })
    .expect("a minimum");
    let texts = ["x1 - 1", "x0 + x1 - 3", "2*x0 + x1 - 4", "0.1*x0"];
    let written = run(object! {
        "residuals" => texts.map(str::to_owned).to_vec(), "x0" => Value::vector(vec![0.0, 0.0]),
    })
    .expect("a minimum");
    for (a, b) in by_row.x.iter().zip(&written.x) {
        assert!((a - b).abs() < 1e-12, "{by_row:?} {written:?}");
    }
    assert_eq!(by_row.residuals.len(), 4);
}

#[test]
fn bounds_hold_and_are_named() {
    let output = run(object! {
        "residuals" => vec!["10*(x1 - x0**2)".to_owned(), "1 - x0".to_owned()],
        "x0" => Value::vector(vec![-1.2, 1.0]),
        "bounds" => json::parse_json("[[null, 0.5], [null, null]]", JsonLimits::default()).expect("JSON"),
    })
    .expect("a minimum");
    assert!(output.converged && output.at_bound == [true, false]);
    assert!((output.x[1] - 0.25).abs() < 1e-9, "{output:?}");
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let x0 = || Value::vector(vec![1.0]);
    let one = |text: &str| vec![text.to_owned()];
    let cases = [
        (
            object! { "residuals" => Vec::<String>::new(), "x0" => x0() },
            "/residuals",
        ),
        (
            object! { "residuals" => one("x1"), "x0" => x0() },
            "/residuals/0",
        ),
        (
            object! { "residuals" => one("x0"), "x0" => Value::vector(vec![]) },
            "/x0",
        ),
        (
            object! { "residuals" => one("x0*t"), "x0" => x0(), "data" => json::parse_json(r#"{"t": [1, "a"]}"#, JsonLimits::default()).expect("JSON") },
            "/data/t/1",
        ),
    ];
    for (args, place) in cases {
        let error = run(args).expect_err(place);
        assert_eq!(
            (error.code(), error.path()),
            (ErrorCode::InvalidArgs, Some(place)),
            "{error:?}"
        );
    }
    let error =
        run(object! { "residuals" => one("log(-x0)"), "x0" => x0() }).expect_err("no value");
    assert_eq!(error.code(), ErrorCode::Numeric);
}

fn from_text(text: &str) -> Output {
    run(json::parse_json(text, JsonLimits::default()).expect("JSON")).expect("a fit")
}

/// At the minimum of x^2 + 5 the column of the Jacobian vanishes, and the cosine says nothing.
#[test]
fn curvature_decides_where_a_column_vanishes() {
    for (residuals, start, at) in [
        (r#"["x0**2+5"]"#, "[2]", vec![0.0]),
        (r#"["x0**2+5"]"#, "[0]", vec![0.0]),
        (r#"["cosh(x0)"]"#, "[0.7]", vec![0.0]),
        (r#"["exp(x0**2)"]"#, "[0.7]", vec![0.0]),
        (
            r#"["2+sin(x0)"]"#,
            "[-1]",
            vec![-std::f64::consts::FRAC_PI_2],
        ),
        (r#"["x0**2+5","x0**2+3"]"#, "[2]", vec![0.0]),
        (r#"["x0**2+5","x1-1"]"#, "[2,3]", vec![0.0, 1.0]),
        (r#"["(x0-1)**2+2","(x1+1)**2+1"]"#, "[2,3]", vec![1.0, -1.0]),
        (r#"["1e-12*(x0**2+5)"]"#, "[2]", vec![0.0]),
        (r#"["1e12*((x0/1e6)**2+5)"]"#, "[2e6]", vec![0.0]),
    ] {
        let found = from_text(&format!(r#"{{"residuals":{residuals},"x0":{start}}}"#));
        assert_eq!(
            (found.converged, found.reason),
            (true, LeastSquaresReason::Curvature),
            "{found:?}"
        );
        for (x, at) in found.x.iter().zip(at) {
            assert!((x - at).abs() < 1e-6, "{residuals}: {found:?}");
        }
    }
    // A maximum, and a variable without influence, are no minima.
    for residuals in [r#"["x0**2-5"]"#, r#"["3+0*x0"]"#] {
        let found = from_text(&format!(r#"{{"residuals":{residuals},"x0":[0]}}"#));
        assert_eq!(
            (found.converged, found.reason),
            (false, LeastSquaresReason::Flat),
            "{found:?}"
        );
    }
}

/// Data that the model passes through, at any scale.
#[test]
fn exact_data_are_exact() {
    for (residual, start, model) in [
        (
            "a*exp(-k*t)+c-y",
            r#"{"a":1,"k":1,"c":0}"#,
            (|t: f64| 2.0 * (-0.7 * t).exp() + 0.5) as fn(f64) -> f64,
        ),
        ("a*sin(b*t+c)-y", r#"{"a":1,"b":0.8,"c":0.2}"#, |t| {
            2.0 * (0.7 * t + 0.5).sin()
        }),
        ("a*exp(-((t-b)/c)**2)-y", r#"{"a":1,"b":3.5,"c":1}"#, |t| {
            2.0 * (-((t - 4.0) / 1.5).powi(2)).exp()
        }),
    ] {
        for scale in [1e-12, 1e-6, 1.0, 1e6, 1e12] {
            let t: Vec<f64> = (0..40).map(|row| 0.25 * f64::from(row)).collect();
            let y: Vec<f64> = t.iter().map(|&t| scale * model(t)).collect();
            let start = start.replace("\"a\":1", &format!("\"a\":{scale:e}"));
            let found = from_text(&format!(
                r#"{{"residuals":["{residual}"],"x0":{start},"data":{{"t":{t:?},"y":{y:?}}}}}"#
            ));
            assert_eq!(
                (found.converged, found.reason),
                (true, LeastSquaresReason::Exact),
                "{residual} {scale}: {found:?}"
            );
        }
    }
}
