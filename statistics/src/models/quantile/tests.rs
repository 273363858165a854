use numerics::NoWatch;
use proptest::prelude::*;

use super::*;
use crate::design::{Formula, ModelColumn, ModelColumns, ModelFrame};

fn fit(columns: &[(&str, Vec<f64>)], formula: &str, quantile: f64) -> QuantileFit {
    fit_with(columns, formula, quantile, QuantileErrors::Kernel)
}

fn fit_with(
    columns: &[(&str, Vec<f64>)],
    formula: &str,
    quantile: f64,
    errors: QuantileErrors,
) -> QuantileFit {
    let columns = columns
        .iter()
        .map(|(name, values)| ((*name).to_owned(), ModelColumn::Numbers(values.clone())));
    let data = ModelColumns::new(columns.collect()).unwrap();
    let frame =
        ModelFrame::new(Formula::parse(formula, &[]).unwrap(), &data, &[], &NoWatch).unwrap();
    let request = QuantileRequest {
        design: &frame.design,
        y: &frame.response.as_ref().unwrap().values,
        weights: None,
        quantile,
        errors,
        confidence: 0.95,
    };
    fit_quantile(request, &NoWatch).unwrap()
}

/// A constant alone is a quantile of the sample.
#[test]
fn a_constant_is_the_quantile() {
    let y = vec![7.0, 1.0, 3.0, 2.0, 9.0, 4.0, 8.0];
    assert_eq!(
        fit(&[("y", y.clone())], "y ~ 1", 0.5).coefficients[0].estimate,
        4.0
    );
    let low = fit(&[("y", y)], "y ~ 1", 0.2);
    assert_eq!(low.coefficients[0].estimate, 2.0);
    assert!(low.pseudo_r2.abs() < 1e-12 && low.is_unique);
    let even = fit(&[("y", vec![1.0, 2.0, 3.0, 4.0])], "y ~ 1", 0.5);
    assert!(!even.is_unique);
}

/// One wild response does not move a median line through the others.
#[test]
fn outliers_do_not_move_the_median() {
    let x: Vec<f64> = (0..9).map(f64::from).collect();
    let mut y: Vec<f64> = x.iter().map(|x| 1.0 + 2.0 * x).collect();
    y[4] = 1e6;
    let found = fit(&[("x", x), ("y", y)], "y ~ x", 0.5);
    assert!((found.coefficients[0].estimate - 1.0).abs() < 1e-12);
    assert!((found.coefficients[1].estimate - 2.0).abs() < 1e-12);
}

#[test]
fn ties_everywhere_end() {
    let x: Vec<f64> = (0..60).map(|row| f64::from(row % 3)).collect();
    let y: Vec<f64> = (0..60).map(|row| f64::from(row % 4)).collect();
    let found = fit(&[("x", x), ("y", y)], "y ~ x", 0.5);
    // Zeros to threes for each x: any line within 1 and 2 has the least loss, 4 / 2 for each 4 rows.
    assert!((found.loss - 30.0).abs() < 1e-9);
}

#[test]
fn bootstrapped_errors_follow_the_seed() {
    let x: Vec<f64> = (0..40).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|x| x + (x * 1.7).sin() * 3.0).collect();
    let errors = |seed| QuantileErrors::Bootstrap { samples: 50, seed };
    let columns = [("x", x), ("y", y)];
    let one = fit_with(&columns, "y ~ x", 0.5, errors(3));
    assert_eq!(one, fit_with(&columns, "y ~ x", 0.5, errors(3)));
    let kernel = fit(&columns, "y ~ x", 0.5);
    let ratio = one.coefficients[1].standard_error / kernel.coefficients[1].standard_error;
    assert!((0.3..3.0).contains(&ratio), "{ratio}");
}

proptest! {
    /// No fit through two rows has a smaller loss, and about the share of the quantile lies below.
    #[test]
    fn no_line_through_two_rows_is_better(rows in prop::collection::vec((-5.0..5.0_f64, -5.0..5.0_f64), 5..14), quantile in 0.1..0.9_f64) {
        let x: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let y: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let found = fit(&[("x", x.clone()), ("y", y.clone())], "y ~ x", quantile);
        let loss = |a: f64, b: f64| -> f64 {
            x.iter().zip(&y).map(|(x, y)| { let r = y - a - b * x; r * if r < 0.0 { quantile - 1.0 } else { quantile } }).sum()
        };
        for i in 0..x.len() {
            for j in 0..i {
                let slope = (y[i] - y[j]) / (x[i] - x[j]);
                if slope.is_finite() {
                    prop_assert!(found.loss <= loss(y[i] - slope * x[i], slope) + 1e-9);
                }
            }
        }
        let below = found.residuals.iter().filter(|r| **r < -1e-9).count() as f64;
        prop_assert!(below <= quantile * x.len() as f64 + 1e-9);
    }
}
