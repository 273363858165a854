use numerics::NoWatch;

use super::*;
use crate::design::{Formula, ModelColumn, ModelColumns, ModelFrame};

fn fit(x: &[f64], y: &[f64], method: RobustMethod) -> Result<RobustFit, ModelError> {
    let columns = vec![
        ("x".to_owned(), ModelColumn::Numbers(x.to_vec())),
        ("y".to_owned(), ModelColumn::Numbers(y.to_vec())),
    ];
    let data = ModelColumns::new(columns).unwrap();
    let frame =
        ModelFrame::new(Formula::parse("y ~ x", &[]).unwrap(), &data, &[], &NoWatch).unwrap();
    let request = RobustRequest {
        design: &frame.design,
        y: &frame.response.as_ref().unwrap().values,
        method,
        confidence: 0.95,
        seed: 7,
    };
    fit_robust(request, &NoWatch)
}

/// A line with small waves, and some rows far away.
fn wave(wild: usize) -> (Vec<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..50).map(f64::from).collect();
    let mut y: Vec<f64> = x
        .iter()
        .map(|x| 3.0 - 0.5 * x + 0.1 * (x * 2.3).sin())
        .collect();
    for k in 0..wild {
        y[49 - k] = 200.0 + k as f64;
    }
    (x, y)
}

#[test]
fn wild_rows_lose_their_weight() {
    let (x, y) = wave(3);
    for method in [RobustMethod::Huber, RobustMethod::Tukey, RobustMethod::Mm] {
        let found = fit(&x, &y, method).unwrap();
        assert!(
            (found.coefficients[1].estimate + 0.5).abs() < 0.01,
            "{method:?}: {:?}",
            found.coefficients[1]
        );
        assert!(
            found.weights[49] < 0.01 && found.weights[10] > 0.5,
            "{method:?}"
        );
    }
}

/// 40 % of the rows on one side move all but the estimate that starts from a robust fit.
#[test]
fn mm_withstands_two_fifths() {
    let (x, y) = wave(20);
    let found = fit(&x, &y, RobustMethod::Mm).unwrap();
    assert!((found.coefficients[1].estimate + 0.5).abs() < 0.01);
    assert!((found.coefficients[0].estimate - 3.0).abs() < 0.1);
    let huber = fit(&x, &y, RobustMethod::Huber).unwrap();
    assert!((huber.coefficients[1].estimate + 0.5).abs() > 1.0);
    // The weight of a fitted row is the function of its residual.
    for (residual, weight) in found.residuals.iter().zip(&found.weights) {
        assert!((bisquare_weight(residual / found.scale, 4.685) - weight).abs() < 1e-12);
    }
    assert_eq!(found, fit(&x, &y, RobustMethod::Mm).unwrap());
}

#[test]
fn exact_majorities_and_few_rows_are_refused() {
    let x: Vec<f64> = (0..10).map(f64::from).collect();
    let mut y = x.clone();
    y[3] = 100.0;
    let fault = fit(&x, &y, RobustMethod::Huber).map(|fit| fit.scale);
    assert!(
        matches!(
            fault,
            Err(ModelError::Unsuitable(_)) | Err(ModelError::NoConvergence { .. })
        ),
        "{fault:?}"
    );
    assert!(matches!(
        fit(&x[..3], &y[..3], RobustMethod::Huber),
        Err(ModelError::TooFewRows { .. })
    ));
}
