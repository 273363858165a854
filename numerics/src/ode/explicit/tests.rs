use super::*;

/// The conditions of order on quadrature, row sums, and the interpolation at the end of a step.
#[test]
fn coefficients_fulfil_their_conditions() {
    for (pair, order) in [
        (RungeKuttaPair::Dopri5, 5),
        (RungeKuttaPair::Tsit5, 5),
        (RungeKuttaPair::Dop853, 8),
    ] {
        let tableau = pair.tableau();
        for (row, c) in tableau.a.iter().zip(tableau.c) {
            let sum: f64 = row.iter().sum();
            assert!((sum - c).abs() < 2e-14, "{pair:?}: {sum} for {c}");
        }
        let weights = tableau.a[tableau.a.len() - 1];
        for power in 0..order {
            let terms = weights
                .iter()
                .zip(tableau.c)
                .map(|(b, c)| b * c.powi(power));
            let sum: f64 = terms.sum();
            let expected = 1.0 / f64::from(power + 1);
            assert!(
                (sum - expected).abs() < 2e-14,
                "{pair:?}, power {power}: {sum}"
            );
        }
    }
    let end = tsit5::interpolation_weights(1.0);
    for (weight, expected) in end.iter().zip(tsit5::TABLEAU.a[6]) {
        assert!((weight - expected).abs() < 1e-14);
    }
    for errors in [dopri5::ERROR, tsit5::ERROR] {
        assert!(errors.iter().sum::<f64>().abs() < 1e-15);
    }
    let errors: f64 = dop853::ERROR.iter().sum();
    assert!(errors.abs() < 1e-14, "{errors}");
}
