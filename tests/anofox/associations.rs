//! Correlations.

use anofox_statistics::{KendallVariant, distance_cor, kendall, partial_cor, pearson, spearman};

use crate::call::{Answer, call};
use crate::comparison::{Comparison, END, P, Tolerance, VALUE};
use crate::draws::{Draws, Shape};

/// Two columns, of which one follows the other.
fn columns(draws: &mut Draws, case: usize, least: usize) -> (Vec<f64>, Vec<f64>) {
    let n = draws.size(least, 200);
    let shape = Shape::ALL[case % 4];
    let slope = draws.normal();
    let x = draws.sample(n, shape, 0.0);
    loop {
        let errors = draws.sample(n, shape, 0.0);
        let y: Vec<f64> = x
            .iter()
            .zip(errors)
            .map(|(x, error)| match shape {
                Shape::Tied => (slope * x + error).round(),
                _ => slope * x + error,
            })
            .collect();
        if y.iter().any(|value| *value != y[0]) {
            return (x, y);
        }
    }
}

fn correlation(x: &[f64], y: &[f64], rest: &str) -> Answer {
    let answer = call(
        "correlation",
        &format!(r#"{{"data":{{"x":{x:?},"y":{y:?}}},{rest}}}"#),
    );
    answer.entries("/pairs").remove(0)
}

#[test]
fn pearson_spearman_and_kendall() {
    let mut comparison = Comparison::default();
    for case in 0..400 {
        let mut draws = Draws::new("correlation", case);
        let (x, y) = columns(&mut draws, case, 4);
        comparison.begin(case, format!("{} pairs", x.len()));
        let theirs = pearson(&x, &y, Some(0.95)).unwrap();
        if theirs.estimate.abs() < 1.0 {
            let ours = correlation(&x, &y, r#""method":"pearson""#);
            comparison.number("r", ours.number("/estimate"), theirs.estimate, VALUE);
            comparison.number("t of r", ours.number("/statistic"), theirs.statistic, VALUE);
            comparison.number("p of r", ours.number("/p"), theirs.p_value, P);
            let interval = theirs.conf_int.unwrap();
            comparison.number("low of r", ours.number("/interval/0"), interval.lower, END);
            comparison.number("high of r", ours.number("/interval/1"), interval.upper, END);
        }
        let theirs = spearman(&x, &y, None).unwrap();
        let ours = correlation(&x, &y, r#""method":"spearman""#);
        comparison.number("rho", ours.number("/estimate"), theirs.estimate, VALUE);
        // Theirs has no exact p values.
        if ours.text("/p_method") == "t" && theirs.statistic.is_finite() {
            comparison.number(
                "t of rho",
                ours.number("/statistic"),
                theirs.statistic,
                VALUE,
            );
            comparison.number("p of rho", ours.number("/p"), theirs.p_value, P);
        }
        let theirs = kendall(&x, &y, KendallVariant::TauB).unwrap();
        let ours = correlation(&x, &y, r#""method":"kendall""#);
        comparison.number("tau", ours.number("/estimate"), theirs.estimate, VALUE);
        if ours.text("/p_method") == "normal" {
            comparison.number(
                "z of tau",
                ours.number("/statistic"),
                theirs.statistic,
                VALUE,
            );
            comparison.number("p of tau", ours.number("/p"), theirs.p_value, P);
        }
    }
    comparison.end(150);
}

#[test]
fn partial() {
    let mut comparison = Comparison::default();
    for case in 0..300 {
        let mut draws = Draws::new("partial", case);
        let count = draws.whole(1, 3);
        let (x, y) = columns(&mut draws, case, 8);
        let given: Vec<Vec<f64>> = (0..count)
            .map(|_| {
                let own = draws.sample(x.len(), Shape::Smooth, 0.0);
                let slope = draws.normal();
                x.iter().zip(own).map(|(x, own)| slope * x + own).collect()
            })
            .collect();
        let given: Vec<&[f64]> = given.iter().map(Vec::as_slice).collect();
        let theirs = partial_cor(&x, &y, &given).unwrap();
        let names: Vec<String> = (0..count).map(|at| format!("z{at}")).collect();
        let extra: Vec<String> = names
            .iter()
            .zip(&given)
            .map(|(name, column)| format!(r#","{name}":{column:?}"#))
            .collect();
        let ours = call(
            "correlation",
            &format!(
                r#"{{"data":{{"x":{x:?},"y":{y:?}{}}},"columns":["x","y"],"given":{names:?}}}"#,
                extra.concat()
            ),
        );
        let ours = ours.entries("/pairs").remove(0);
        comparison.begin(case, format!("{} rows", x.len()));
        comparison.number("r", ours.number("/estimate"), theirs.estimate, VALUE);
        comparison.number("t", ours.number("/statistic"), theirs.statistic, VALUE);
        comparison.number("p", ours.number("/p"), theirs.p_value, P);
    }
    comparison.end(300);
}

#[test]
fn distance() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("distance", case);
        let (x, y) = columns(&mut draws, case, 4);
        let theirs = distance_cor(&x, &y).unwrap();
        let ours = correlation(&x, &y, r#""method":"distance","permutations":1"#);
        comparison.begin(case, format!("{} pairs", x.len()));
        // The root of a difference of sums: half the digits of a small one are lost.
        let tolerance = Tolerance {
            relative: 1e-9,
            absolute: 1e-9,
        };
        comparison.number(
            "distance correlation",
            ours.number("/estimate"),
            theirs.dcor,
            tolerance,
        );
    }
    comparison.end(200);
}
