//! Parameter sets drawn from the normal distribution of the estimates.

use super::{Output, fit};
use tool_core::ErrorCode;

const LINE: &str = r#""model": "a+b*t", "data": {"t": [0, 1, 2, 3, 4], "y": [1, 3.1, 4.9, 7.2, 8.8]}, "plot": false"#;

fn column(output: &Output, name: &str) -> Vec<f64> {
    let draws = output.draws.as_ref().expect("draws");
    draws.iter().map(|set| set[name]).collect()
}

fn covariance(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    x.iter()
        .zip(y)
        .map(|(x, y)| (x - mx) * (y - my))
        .sum::<f64>()
        / (n - 1.0)
}

/// Mean and covariance of 40,000 draws, within 5 standard deviations of what a sample of that size has.
#[test]
fn draws_have_the_mean_and_the_covariance_of_the_estimates() {
    let count = 40_000;
    let output = fit(&format!(r#"{{{LINE}, "draws": {count}}}"#)).expect("a fit");
    let columns = ["a", "b"].map(|name| column(&output, name));
    for (i, x) in columns.iter().enumerate() {
        assert_eq!(x.len(), count);
        let (term, cov) = (&output.parameters[i], &output.covariance);
        let mean = x.iter().sum::<f64>() / count as f64;
        let width = term.standard_error.0 / (count as f64).sqrt();
        assert!(
            (mean - term.estimate).abs() < 5.0 * width,
            "{mean} {term:?}"
        );
        for (j, y) in columns.iter().enumerate() {
            let spread = ((cov[i][i].0 * cov[j][j].0 + cov[i][j].0.powi(2)) / count as f64).sqrt();
            let found = covariance(x, y);
            assert!(
                (found - cov[i][j].0).abs() < 5.0 * spread,
                "{i} {j}: {found}"
            );
        }
    }
}

#[test]
fn draws_depend_on_the_seed_alone_and_keep_to_the_bounds() {
    let run = |rest: &str| fit(&format!(r#"{{{LINE}, "draws": 50{rest}}}"#)).expect("a fit");
    let (once, again, other) = (run(""), run(r#", "seed": 42"#), run(r#", "seed": 43"#));
    assert_eq!(column(&once, "a"), column(&again, "a"));
    assert_ne!(column(&once, "a"), column(&other, "a"));
    // The estimate is 1.04: about half of the draws would be below it.
    let within = run(r#", "bounds": {"a": [1.04, null]}"#);
    assert!(column(&within, "a").iter().all(|a| *a >= 1.04));
    let held = run(r#", "bounds": {"a": [2, null]}"#);
    assert!(column(&held, "a").iter().all(|a| *a == 2.0));
    assert!(column(&held, "b").windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn without_a_covariance_nothing_is_drawn() {
    for model in [
        r#""model": "a*b*t", "data": {"t": [1, 2, 3], "y": [2, 4.1, 6]}"#,
        r#""model": "a+b*t", "data": {"t": [1, 2], "y": [2, 4]}"#,
    ] {
        let error = fit(&format!(r#"{{{model}, "plot": false, "draws": 3}}"#)).expect_err(model);
        assert_eq!(
            (error.code(), error.path()),
            (ErrorCode::Numeric, Some("/draws"))
        );
    }
    for count in ["0", "100001", "-1"] {
        let error = fit(&format!(r#"{{{LINE}, "draws": {count}}}"#)).expect_err(count);
        assert_eq!(
            (error.code(), error.path()),
            (ErrorCode::InvalidArgs, Some("/draws"))
        );
    }
}
