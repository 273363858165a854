use proptest::prelude::*;
use tool_core::{Ctx, ErrorCode, ToolError, Value, convert};

use super::{Args, Output};
use crate::linalg::tests::nist::{
    FILIP, FILIP_RESIDUAL_STD, FILIP_X, FILIP_Y, LONGLEY, LONGLEY_DATA, WAMPLER_DELTA,
    WAMPLER5_RESIDUAL_STD, WAMPLER5_STANDARD_ERRORS,
};
use crate::linalg::tests::{distance, formula, multiply, parse};
use tool_core::Tool;

fn call(fields: Vec<(&'static str, Value)>) -> Result<(Output, Vec<String>), ToolError> {
    let args: Args = convert::from_value(&Value::object(fields))
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    let ctx = Ctx::default();
    let output = Args::run(args, &ctx)?;
    Ok((output, ctx.take_warnings()))
}

fn run(fields: Vec<(&'static str, Value)>) -> Output {
    call(fields).unwrap().0
}

fn rows(data: &[f64], columns: usize) -> Value {
    Value::array(
        data.chunks(columns)
            .map(|row| Value::vector(row.to_vec()))
            .collect(),
    )
}

/// Decimal digits that the least exact of the numbers shares with its reference.
fn digits(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found
        .iter()
        .zip(expected)
        .map(|(found, expected)| -((found - expected).abs() / expected.abs()).log10())
        .fold(16.0, f64::min)
}

fn errors(output: &Output) -> Vec<f64> {
    let errors = output.standard_errors.as_ref().unwrap();
    errors.iter().map(|error| error.0).collect()
}

#[test]
fn nist_filip() {
    let output = run(vec![
        ("A", rows(&FILIP_X, 1)),
        ("b", Value::vector(FILIP_Y.to_vec())),
        ("polynomial", Value::from(10_usize)),
        ("covariance", Value::from(true)),
    ]);
    let (x, standard): (Vec<f64>, Vec<f64>) = FILIP.into_iter().unzip();
    assert!(digits(output.x.as_slice(), &x) > 13.0, "{:?}", output.x);
    assert!(digits(&errors(&output), &standard) > 12.0);
    assert!(digits(&[output.residual_std.unwrap().0], &[FILIP_RESIDUAL_STD]) > 12.0);
    assert_eq!((output.rank, output.degrees_of_freedom), (11, 71.0));
}

/// With the powers rounded to doubles the problem is another one; its exact solution (mpmath 1.4, 80 digits) agrees with the
/// certified values to 2.5e-8, and so does ours.
#[test]
fn nist_filip_with_rounded_columns() {
    let data: Vec<f64> = FILIP_X
        .iter()
        .flat_map(|&t| (0..11).map(move |power| t.powi(power)))
        .collect();
    let (output, warnings) = call(vec![
        ("A", rows(&data, 11)),
        ("b", Value::vector(FILIP_Y.to_vec())),
    ])
    .unwrap();
    let (x, _): (Vec<f64>, Vec<f64>) = FILIP.into_iter().unzip();
    assert!(digits(output.x.as_slice(), &x) > 6.8, "{:?}", output.x);
    assert!(warnings[0].contains("nearly dependent"), "{warnings:?}");
}

#[test]
fn nist_longley() {
    let data: Vec<f64> = LONGLEY_DATA
        .iter()
        .flat_map(|row| std::iter::once(1.0).chain(row[1..].iter().copied()))
        .collect();
    let b = LONGLEY_DATA.iter().map(|row| row[0]).collect();
    let output = run(vec![
        ("A", rows(&data, 7)),
        ("b", Value::vector(b)),
        ("covariance", Value::from(true)),
    ]);
    let (x, standard): (Vec<f64>, Vec<f64>) = LONGLEY.into_iter().unzip();
    assert!(digits(output.x.as_slice(), &x) > 13.5, "{:?}", output.x);
    assert!(digits(&errors(&output), &standard) > 13.5);
}

#[test]
fn nist_wampler5() {
    let t: Vec<f64> = (0..21).map(f64::from).collect();
    let data: Vec<f64> = t
        .iter()
        .flat_map(|&t| (0..6).map(move |power| t.powi(power)))
        .collect();
    let b: Vec<f64> = data
        .chunks(6)
        .zip(WAMPLER_DELTA)
        .map(|(row, delta)| row.iter().sum::<f64>() + 10_000.0 * delta)
        .collect();
    for fields in [
        vec![("A", rows(&data, 6))],
        vec![("A", rows(&t, 1)), ("polynomial", Value::from(5_usize))],
    ] {
        let mut fields = fields;
        fields.push(("b", Value::vector(b.clone())));
        fields.push(("covariance", Value::from(true)));
        let output = run(fields);
        assert!(
            digits(output.x.as_slice(), &[1.0; 6]) > 8.0,
            "{:?}",
            output.x
        );
        assert!(digits(&errors(&output), &WAMPLER5_STANDARD_ERRORS) > 12.0);
        assert!(digits(&[output.residual_std.unwrap().0], &[WAMPLER5_RESIDUAL_STD]) > 12.0);
    }
}

/// A weight of 2 is the row twice; a weight of 0 leaves it out.
#[test]
fn weights_count_rows() {
    let (a, b) = (formula(6, 2), [1.0, 2.0, -1.0, 0.5, 3.0, 7.0]);
    let weighted = run(vec![
        ("A", rows(&a, 2)),
        ("b", Value::vector(b.to_vec())),
        ("weights", Value::vector(vec![2.0, 1.0, 1.0, 1.0, 1.0, 0.0])),
    ]);
    let twice: Vec<f64> = a[..2].iter().chain(&a[..10]).copied().collect();
    let plain = run(vec![
        ("A", rows(&twice, 2)),
        ("b", Value::vector(vec![1.0, 1.0, 2.0, -1.0, 0.5, 3.0])),
    ]);
    assert!(distance(weighted.x.as_slice(), plain.x.as_slice()) < 1e-15);
    assert!((weighted.residual / plain.residual - 1.0).abs() < 1e-15);
}

/// Weights 1 and 1e14: the heavy rows become equations (S. Van Huffel's example, solved by `fractions` in Python).
#[test]
fn stiff_weights_approach_constraints() {
    let a = formula(7, 3);
    let b = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let mut weights = vec![1.0; 7];
    weights[3] = 1e28;
    let heavy = run(vec![
        ("A", rows(&a, 3)),
        ("b", Value::vector(b.to_vec())),
        ("weights", Value::vector(weights)),
    ]);
    let rest: Vec<f64> = a[..9].iter().chain(&a[12..]).copied().collect();
    let constrained = run(vec![
        ("A", rows(&rest, 3)),
        ("b", Value::vector(vec![1.0, 2.0, 3.0, 5.0, 6.0, 7.0])),
        ("C", rows(&a[9..12], 3)),
        ("d", Value::vector(vec![4.0])),
    ]);
    assert!(distance(heavy.x.as_slice(), constrained.x.as_slice()) < 1e-13);
    let image = multiply(&a[9..12], constrained.x.as_slice(), 1, 3, 1);
    assert!((image[0] - 4.0).abs() < 1e-14);
}

/// The point of x + y + z = 3 nearest to the origin, and its covariance (I - 1 1' / 3) s^2.
#[test]
fn constraints_hold_exactly() {
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let output = run(vec![
        ("A", rows(&identity, 3)),
        ("b", Value::vector(vec![1.0, 0.0, 0.0])),
        ("C", rows(&[1.0; 3], 3)),
        ("d", Value::vector(vec![3.0])),
        ("covariance", Value::from(true)),
    ]);
    let third = 1.0 / 3.0;
    assert!(
        distance(
            output.x.as_slice(),
            &[5.0 * third, 2.0 * third, 2.0 * third]
        ) < 1e-15
    );
    assert_eq!(output.degrees_of_freedom, 1.0);
    let variance = output.residual_std.unwrap().0.powi(2);
    let expected =
        [2.0, -1.0, -1.0, -1.0, 2.0, -1.0, -1.0, -1.0, 2.0].map(|v| v * third * variance);
    assert!(distance(output.covariance.unwrap().as_slice(), &expected) < 1e-14);
    let all = run(vec![
        ("A", rows(&identity, 3)),
        ("b", Value::vector(vec![9.0, 9.0, 9.0])),
        ("C", rows(&identity, 3)),
        ("d", Value::vector(vec![1.0, 2.0, 3.0])),
    ]);
    assert!(distance(all.x.as_slice(), &[1.0, 2.0, 3.0]) < 1e-15);
}

/// The ridge solution solves (A' A + l I) x = A' b; for A = I it is b / (1 + l).
#[test]
fn ridge_shrinks() {
    let output = run(vec![
        ("A", rows(&[1.0, 0.0, 0.0, 1.0], 2)),
        ("b", Value::vector(vec![4.0, -2.0])),
        ("ridge", Value::from(3.0)),
    ]);
    assert!(distance(output.x.as_slice(), &[1.0, -0.5]) < 1e-15);
    assert!((output.degrees_of_freedom - 1.5).abs() < 1e-15);
    assert!((output.residual - 45.0_f64.sqrt() / 2.0).abs() < 1e-14);
    let wide = run(vec![
        ("A", rows(&[1.0, 1.0], 2)),
        ("b", Value::vector(vec![2.0])),
        ("ridge", Value::from(2.0)),
    ]);
    assert!(distance(wide.x.as_slice(), &[0.5, 0.5]) < 1e-15);
}

/// The estimates are linear in b: the covariance is the sum over the rows of what one more unit of b_i changes in x, squared, times
/// the variance of b_i; that of b is |r|^2 over the rows less the trace of what the fit answers to them.
#[test]
fn ridge_covariance_is_that_of_a_linear_estimate() {
    let (m, n) = (6, 3);
    let a: Vec<f64> = (0..m * n)
        .map(|index| ((index * 37 + 11) % 19) as f64 / 4.0 - 2.0)
        .collect();
    let b = vec![1.0, -2.0, 0.5, 3.0, 2.5, -1.0];
    let weights = [1.0, 4.0, 0.25, 2.0, 9.0, 1.0];
    let weighted = ("weights", Value::vector(weights.to_vec()));
    let constrained = vec![
        ("C", rows(&[1.0, 2.0, -1.0], 3)),
        ("d", Value::vector(vec![0.75])),
    ];
    for (extra, weights) in [
        (vec![], [1.0; 6]),
        (vec![weighted.clone()], weights),
        (constrained.clone(), [1.0; 6]),
        ([vec![weighted], constrained].concat(), weights),
    ] {
        let fit = |b: &[f64]| {
            let mut fields = vec![
                ("A", rows(&a, n)),
                ("b", Value::vector(b.to_vec())),
                ("ridge", Value::from(1.5)),
                ("covariance", Value::from(true)),
            ];
            fields.extend(extra.clone());
            run(fields)
        };
        let output = fit(&b);
        let still = fit(&[0.0; 6]).x;
        let answers: Vec<Vec<f64>> = (0..m)
            .map(|row| {
                let mut unit = vec![0.0; m];
                unit[row] = 1.0;
                let x = fit(&unit).x;
                let moved = x.as_slice().iter().zip(still.as_slice());
                moved.map(|(x, still)| x - still).collect()
            })
            .collect();
        let trace: f64 = (0..m)
            .flat_map(|row| (0..n).map(move |column| (row, column)))
            .map(|(row, column)| a[row * n + column] * answers[row][column])
            .sum();
        assert!((output.degrees_of_freedom - (m as f64 - trace)).abs() < 1e-13);
        let squares: f64 = (0..m)
            .map(|row| {
                let image: f64 = (0..n)
                    .map(|column| a[row * n + column] * output.x.as_slice()[column])
                    .sum();
                weights[row] * (b[row] - image).powi(2)
            })
            .sum();
        let variance = squares / (m as f64 - trace);
        assert!((output.residual_std.unwrap().0.powi(2) / variance - 1.0).abs() < 1e-13);
        let found = output.covariance.as_ref().unwrap();
        for i in 0..n {
            for j in 0..n {
                let expected: f64 = (0..m)
                    .map(|row| variance / weights[row] * answers[row][i] * answers[row][j])
                    .sum();
                // The differences of x lose a digit or two.
                let error = found.row(i)[j] - expected;
                assert!(error.abs() < 1e-12 * variance, "{i} {j}: {error}");
            }
            assert!((errors(&output)[i].powi(2) - found.row(i)[i]).abs() < 1e-14 * variance);
        }
    }
}

/// One column of ones: x = sum b / (m + ridge), its variance s^2 m / (m + ridge)^2, with m - m / (m + ridge) degrees of freedom.
#[test]
fn ridge_covariance_of_a_mean() {
    let output = run(vec![
        ("A", rows(&[1.0; 4], 1)),
        ("b", Value::vector(vec![1.0, 2.0, 3.0, 4.0])),
        ("ridge", Value::from(1.0)),
        ("covariance", Value::from(true)),
    ]);
    assert!(distance(output.x.as_slice(), &[2.0]) < 1e-15);
    assert!((output.degrees_of_freedom - 3.2).abs() < 1e-14);
    // |r|^2 = 1 + 0 + 1 + 4
    let expected = 6.0 / 3.2 * 4.0 / 25.0;
    assert!((output.covariance.unwrap().row(0)[0] - expected).abs() < 1e-14);
}

/// NumPy 2.4.6, `numpy.linalg.lstsq`: dependent columns have a solution of smallest norm, and a warning says so.
#[test]
fn dependent_columns_have_minimum_norm() {
    let a = [
        1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0,
    ];
    let b = || Value::vector(vec![1.0, 0.0, 2.0, 1.0]);
    let (output, warnings) = call(vec![("A", rows(&a, 3)), ("b", b())]).unwrap();
    assert_eq!((output.rank, output.singular_values.unwrap().len()), (2, 3));
    assert!(warnings[0].contains("rank 2 of 3"), "{warnings:?}");
    let sum = output.x.as_slice()[0] - 2.0 * output.x.as_slice()[1] + output.x.as_slice()[2];
    assert!(sum.abs() < 1e-14, "orthogonal to the null space: {sum}");
    let err = call(vec![
        ("A", rows(&a, 3)),
        ("b", b()),
        ("method", Value::from("qr")),
    ])
    .unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::Numeric, Some("rank_deficient"))
    );
    let err = call(vec![
        ("A", rows(&a, 3)),
        ("b", b()),
        ("C", rows(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], 3)),
        ("d", Value::vector(vec![1.0, 2.0])),
    ])
    .unwrap_err();
    assert_eq!(
        (err.reason_str(), err.path()),
        (Some("rank_deficient"), Some("/C"))
    );
}

#[test]
fn bad_input_names_the_argument() {
    let cases = [
        (r#"{"A":[[1,2]],"b":[1,2]}"#, "/b"),
        (r#"{"A":[[1],[2]],"b":[1,2],"weights":[1]}"#, "/weights"),
        (
            r#"{"A":[[1],[2]],"b":[1,2],"weights":[1,-1]}"#,
            "/weights/1",
        ),
        (r#"{"A":[[1],[2]],"b":[1,2],"C":[[1]]}"#, "/d"),
        (r#"{"A":[[1],[2]],"b":[1,2],"d":[1]}"#, "/C"),
        (r#"{"A":[[1],[2]],"b":[1,2],"C":[[1,2]],"d":[1]}"#, "/C"),
        (r#"{"A":[[1],[2]],"b":[1,2],"C":[[1]],"d":[1,2]}"#, "/d"),
        (r#"{"A":[[1],[2]],"b":[1,2],"method":"ridge"}"#, "/ridge"),
        (
            r#"{"A":[[1],[2]],"b":[1,2],"method":"qr","ridge":1}"#,
            "/ridge",
        ),
        (
            r#"{"A":[[1],[2]],"b":[[1,0],[2,1]],"ridge":1,"covariance":true}"#,
            "/covariance",
        ),
        (r#"{"A":[[1,2],[2,1]],"b":[1,2],"polynomial":1}"#, "/A"),
        (r#"{"A":[[1e300],[2]],"b":[1,2],"polynomial":2}"#, "/A"),
        (
            r#"{"A":[[1],[2]],"b":[1,2],"polynomial":61}"#,
            "/polynomial",
        ),
        (
            r#"{"A":[[1],[2]],"b":[1,2],"C":[[1]],"d":[1],"method":"svd"}"#,
            "/C",
        ),
    ];
    for (text, path) in cases {
        let args: Result<Args, _> = convert::from_value(&parse(text));
        let err = match args {
            Err(problem) => ToolError::invalid(problem.path, problem.message),
            Ok(args) => Args::run(args, &Ctx::default()).unwrap_err(),
        };
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{text}: {err:?}"
        );
    }
}

proptest! {
    #[test]
    fn the_residual_is_orthogonal_and_svd_agrees(
        (m, n, a, b) in (1_usize..6).prop_flat_map(|n| (n..20).prop_flat_map(move |m| (
            Just(m),
            Just(n),
            prop::collection::vec(-10.0_f64..10.0, m * n),
            prop::collection::vec(-10.0_f64..10.0, m),
        ))),
    ) {
        let fields = || vec![("A", rows(&a, n)), ("b", Value::vector(b.clone()))];
        let (output, _) = call(fields()).unwrap();
        prop_assume!(output.rcond > 1e-6);
        let scale = 1e-13 / output.rcond;
        let size = b.iter().fold(0.0_f64, |most, b| most.max(b.abs()));
        prop_assert!(output.residual < 1e-12 * size || output.optimality.unwrap() < scale);
        let mut by_values = fields();
        by_values.push(("method", Value::from("svd")));
        let (other, _) = call(by_values).unwrap();
        prop_assert!(distance(other.x.as_slice(), output.x.as_slice()) < 10.0 * scale / output.rcond);
        prop_assert_eq!(m - n, output.degrees_of_freedom as usize);
    }
}
