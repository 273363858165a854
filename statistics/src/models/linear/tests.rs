use numerics::NoWatch;
use proptest::prelude::*;

use super::*;
use crate::design::{Formula, ModelColumn, ModelColumns, ModelFrame};
use crate::models::ModelError;

fn frame(columns: &[(&str, Vec<f64>)], formula: &str) -> ModelFrame {
    let columns = columns
        .iter()
        .map(|(name, values)| ((*name).to_owned(), ModelColumn::Numbers(values.clone())));
    let data = ModelColumns::new(columns.collect()).unwrap();
    ModelFrame::new(Formula::parse(formula, &[]).unwrap(), &data, &[], &NoWatch).unwrap()
}

fn request(frame: &ModelFrame) -> LinearRequest<'_> {
    LinearRequest {
        design: &frame.design,
        y: &frame.response.as_ref().unwrap().values,
        weights: None,
        offset: None,
        errors: ErrorEstimate::Classical,
        confidence: 0.95,
    }
}

fn line() -> Vec<(&'static str, Vec<f64>)> {
    vec![
        ("x", vec![0.0, 1.0, 2.0, 3.0]),
        ("y", vec![2.0, 2.0, 4.0, 8.0]),
    ]
}

/// The line 1 + 2 x leaves 1, -1, -1, 1: s^2 = 4 / 2, (X'X)^-1 = [14 -6; -6 4] / 20.
#[test]
fn a_line_in_the_head() {
    let frame = frame(&line(), "y ~ x");
    let fit = fit_linear(request(&frame), &NoWatch).unwrap();
    assert!((fit.coefficients[0].estimate - 1.0).abs() < 1e-14);
    assert!((fit.coefficients[1].estimate - 2.0).abs() < 1e-14);
    assert!((fit.covariance[0] - 1.4).abs() < 1e-14 && (fit.covariance[1] + 0.6).abs() < 1e-14);
    // Leverages 1/4 + (x - 1.5)^2 / 5.
    assert!((fit.leverages[0] - 0.7).abs() < 1e-14 && (fit.leverages[1] - 0.3).abs() < 1e-14);
    let influence = fit.influence();
    // 1 / (sqrt(2) sqrt(0.3)), squared times 0.7 / 0.3 / 2.
    assert!((influence[0].cooks_distance - 0.7 / 0.3 / 2.0 / 0.6).abs() < 1e-13);
    assert_eq!(fit.f.unwrap().df2, 2.0);
}

/// HC0 of the same line: (X'X)^-1 X' diag(1) X (X'X)^-1 = (X'X)^-1, since all squared residuals are 1.
#[test]
fn robust_errors_of_equal_residuals() {
    let frame = frame(&line(), "y ~ x");
    let with = |errors| {
        let fit = fit_linear(
            LinearRequest {
                errors,
                ..request(&frame)
            },
            &NoWatch,
        )
        .unwrap();
        fit.covariance[3]
    };
    assert!((with(ErrorEstimate::Hc0) - 0.2).abs() < 1e-14);
    assert!((with(ErrorEstimate::Hc1) - 0.4).abs() < 1e-14);
    // Rows of (X'X)^-1 X' for the slope are (x - 1.5) / 5.
    let hc3 = 2.0 * (2.25 / 0.09 + 0.25 / 0.49) / 25.0;
    assert!((with(ErrorEstimate::Hc3) - hc3).abs() < 1e-13);
    let clusters = ErrorEstimate::Cluster(&[0, 0, 1, 1]);
    // Scores -1.5 + 0.5 and -0.5 + 1.5 over 5, times 2 / 1 * 3 / 2.
    assert!((with(clusters) - 3.0 * 2.0 * 0.04).abs() < 1e-13);
}

#[test]
fn dependent_columns_are_left_out_and_named() {
    let mut columns = line();
    columns.push(("z", vec![1.0, 3.0, 5.0, 7.0]));
    let frame = frame(&columns, "y ~ x + z + I(x^2)");
    let fit = fit_linear(request(&frame), &NoWatch).unwrap();
    assert_eq!(fit.aliased, ["z"]);
    assert_eq!(fit.coefficients[2].name, "I(x^2)");
    assert_eq!(fit.df_residual, 1);
}

#[test]
fn weights_are_rows_repeated() {
    let weights = [1.0, 2.0, 1.0, 3.0];
    let one = frame(&line(), "y ~ x");
    let weighted = LinearRequest {
        weights: Some(&weights),
        ..request(&one)
    };
    let weighted = fit_linear(weighted, &NoWatch).unwrap();
    let repeated = vec![
        ("x", vec![0.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0]),
        ("y", vec![2.0, 2.0, 2.0, 4.0, 8.0, 8.0, 8.0]),
    ];
    let two = frame(&repeated, "y ~ x");
    let whole = fit_linear(request(&two), &NoWatch).unwrap();
    for (one, two) in weighted.coefficients.iter().zip(&whole.coefficients) {
        assert!((one.estimate - two.estimate).abs() < 1e-13);
    }
    assert!((weighted.r2 - whole.r2).abs() < 1e-13);
    let wrong = LinearRequest {
        weights: Some(&[1.0, 0.0, 1.0, 1.0]),
        ..request(&one)
    };
    assert_eq!(
        fit_linear(wrong, &NoWatch).unwrap_err(),
        ModelError::Weight { row: 1, value: 0.0 }
    );
}

#[test]
fn exact_fits_and_constant_responses_have_no_false_numbers() {
    let exact = frame(&[("x", vec![1.0, 2.0]), ("y", vec![3.0, 5.0])], "y ~ x");
    let fit = fit_linear(request(&exact), &NoWatch).unwrap();
    assert!(fit.coefficients[0].p.is_nan() && fit.residual_std.is_nan() && fit.f.is_none());
    assert!(fit.influence().is_empty());
    let robust = LinearRequest {
        errors: ErrorEstimate::Hc3,
        ..request(&exact)
    };
    assert!(matches!(
        fit_linear(robust, &NoWatch),
        Err(ModelError::TooFewRows { .. })
    ));
    let flat = frame(&[("x", vec![1.0, 2.0, 3.0]), ("y", vec![4.0; 3])], "y ~ x");
    assert!(fit_linear(request(&flat), &NoWatch).unwrap().r2.is_nan());
    // A row with a column of its own has leverage 1.
    let alone = frame(
        &[
            ("x", vec![0.0, 0.0, 0.0, 1.0]),
            ("y", vec![1.0, 2.0, 4.0, 9.0]),
        ],
        "y ~ x",
    );
    let robust = LinearRequest {
        errors: ErrorEstimate::Hc3,
        ..request(&alone)
    };
    assert_eq!(
        fit_linear(robust, &NoWatch).unwrap_err(),
        ModelError::FullLeverage { row: 3 }
    );
    assert!(
        fit_linear(request(&alone), &NoWatch).unwrap().influence()[3]
            .studentised
            .is_nan()
    );
    let nothing = frame(
        &[("x", vec![0.0; 3]), ("y", vec![1.0, 2.0, 4.0])],
        "y ~ 0 + x",
    );
    assert_eq!(
        fit_linear(request(&nothing), &NoWatch).unwrap_err(),
        ModelError::NoColumns
    );
}

/// One column of variance 1 (divisor n): lasso takes the strength from the slope, ridge divides by 1 + strength.
#[test]
fn penalties_of_one_column() {
    let x = vec![-1.0, 1.0, -1.0, 1.0];
    let one = frame(&[("x", x), ("y", vec![1.0, 5.0, 1.0, 5.0])], "y ~ x");
    let fit = |l1_ratio, strength| {
        let request = PenaltyRequest {
            design: &one.design,
            y: &one.response.as_ref().unwrap().values,
            l1_ratio,
            strength: Some(strength),
            folds: 2,
            seed: 0,
        };
        fit_penalised(request, &NoWatch).unwrap()
    };
    assert!((fit(1.0, 0.5).coefficients[0] - 1.5).abs() < 1e-13);
    assert_eq!(fit(1.0, 2.5).coefficients[0], 0.0);
    assert!((fit(0.0, 1.0).coefficients[0] - 1.0).abs() < 1e-13);
    assert!((fit(0.5, 1.0).coefficients[0] - 1.0).abs() < 1e-13);
    assert!((fit(1.0, 0.5).intercept - 3.0).abs() < 1e-13);
}

#[test]
fn cross_validation_follows_the_seed_and_finds_the_signal() {
    let n = 80;
    let wave = |k: usize, row: usize| ((row * (k + 3)) as f64 * 0.7).sin();
    let mut columns: Vec<(&str, Vec<f64>)> = ["a", "b", "c", "d"]
        .iter()
        .enumerate()
        .map(|(k, name)| (*name, (0..n).map(|row| wave(k, row)).collect()))
        .collect();
    columns.push((
        "y",
        (0..n)
            .map(|row| 3.0 * wave(0, row) + 0.3 * wave(7, row))
            .collect(),
    ));
    let one = frame(&columns, "y ~ a + b + c + d");
    let fit = |seed| {
        let request = PenaltyRequest {
            design: &one.design,
            y: &one.response.as_ref().unwrap().values,
            l1_ratio: 1.0,
            strength: None,
            folds: 5,
            seed,
        };
        fit_penalised(request, &NoWatch).unwrap()
    };
    let found = fit(1);
    assert_eq!(found, fit(1));
    assert_eq!(found.path.len(), 100);
    assert!(found.strength_1se.unwrap() >= found.strength);
    assert!((found.coefficients[0] - 3.0).abs() < 0.1 && found.r2 > 0.95);
}

proptest! {
    /// Residuals are orthogonal to the columns, and leverages add up to the number of coefficients.
    #[test]
    fn normal_equations_hold(rows in prop::collection::vec((-10.0..10.0_f64, -10.0..10.0_f64, -10.0..10.0_f64), 6..40)) {
        let column = |of: fn(&(f64, f64, f64)) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
        let columns = vec![("x", column(|row| row.0)), ("z", column(|row| row.1)), ("y", column(|row| row.2))];
        let one = frame(&columns, "y ~ x + z + I(x*z)");
        let fit = fit_linear(request(&one), &NoWatch).unwrap();
        for index in 0..one.design.names.len() {
            let inner: f64 = one.design.matrix.column(index).iter().zip(&fit.residuals).map(|(x, e)| x * e).sum();
            prop_assert!(inner.abs() < 1e-8);
        }
        let trace: f64 = fit.leverages.iter().sum();
        prop_assert!((trace - fit.coefficients.len() as f64).abs() < 1e-10);
    }
}
