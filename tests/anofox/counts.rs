//! Counts and proportions.

use anofox_statistics::{
    binom_test_with_conf_level, chisq_goodness_of_fit, chisq_test, cohen_kappa, cramers_v,
    fisher_exact_conditional, g_test, mcnemar_exact, mcnemar_test, phi_coefficient, prop_test_two,
};

use crate::call::{Answer, call, try_call};
use crate::comparison::{Comparison, END, P, Tolerance, VALUE};
use crate::draws::Draws;
use crate::means::SIDES;

/// Doubles of counts, as JSON has them.
fn numbers(counts: &[Vec<usize>]) -> String {
    format!("{counts:?}")
}

/// Mean counts of a cell.
const FEW: &[f64] = &[2.0, 6.0];
const MANY: &[f64] = &[2.0, 8.0, 40.0];

/// A table of counts without empty rows and columns.
fn table(draws: &mut Draws, rows: usize, columns: usize, means: &[f64]) -> Vec<Vec<usize>> {
    loop {
        let mean = draws.one_of(means);
        let weights: Vec<f64> = (0..columns).map(|_| 0.3 + draws.uniform()).collect();
        let table: Vec<Vec<usize>> = (0..rows)
            .map(|_| {
                weights
                    .iter()
                    .map(|weight| {
                        let cell = mean * weight * (0.5 + draws.uniform());
                        draws.count(cell)
                    })
                    .collect()
            })
            .collect();
        let is_full = table.iter().all(|row| row.iter().sum::<usize>() > 0)
            && (0..columns).all(|at| table.iter().map(|row| row[at]).sum::<usize>() > 0);
        if is_full {
            return table;
        }
    }
}

fn pair(table: &[Vec<usize>]) -> [[usize; 2]; 2] {
    [[table[0][0], table[0][1]], [table[1][0], table[1][1]]]
}

fn compare_chi_squared(
    comparison: &mut Comparison,
    name: &str,
    ours: &Answer,
    [statistic, df, p]: [f64; 3],
) {
    comparison.number(
        &format!("{name} statistic"),
        ours.number("/statistic"),
        statistic,
        VALUE,
    );
    comparison.number(&format!("{name} df"), ours.number("/df/0"), df, VALUE);
    comparison.number(&format!("{name} p"), ours.number("/p"), p, P);
}

#[test]
fn tables() {
    let mut comparison = Comparison::default();
    for case in 0..300 {
        let mut draws = Draws::new("tables", case);
        // `contingency` makes Fisher's test too, which is long for large tables.
        let is_small = case % 2 == 0;
        let (most, means) = match is_small {
            true => (3, FEW),
            false => (6, MANY),
        };
        let (rows, columns) = (draws.whole(2, most), draws.whole(2, most));
        let counts = table(&mut draws, rows, columns, means);
        let of = |test: &str, continuity: bool| {
            call(
                "hypothesis_test",
                &format!(
                    r#"{{"test":"{test}","table":{},"continuity":{continuity}}}"#,
                    numbers(&counts)
                ),
            )
        };
        comparison.begin(case, format!("{counts:?}"));
        let theirs = chisq_test(&counts, false).unwrap();
        let expected = [theirs.statistic, theirs.df, theirs.p_value];
        compare_chi_squared(
            &mut comparison,
            "chi-squared",
            &of("chi_squared", false),
            expected,
        );
        let theirs = g_test(&counts).unwrap();
        let expected = [theirs.statistic, theirs.df, theirs.p_value];
        compare_chi_squared(&mut comparison, "G", &of("g_test", false), expected);

        if !is_small {
            continue;
        }
        let answer = call(
            "contingency",
            &format!(r#"{{"counts":{}}}"#, numbers(&counts)),
        );
        let theirs = cramers_v(&counts).unwrap();
        let ours = answer.entry("/measures", "/symbol", "V");
        comparison.number("Cramer's V", ours.number("/value"), theirs.estimate, VALUE);
        let cells = answer.entries("/cells");
        let theirs = chisq_test(&counts, false).unwrap();
        for (cell, expected) in cells.iter().zip(theirs.expected.concat()) {
            comparison.number("expected count", cell.number("/expected"), expected, VALUE);
        }
    }
    comparison.end(150);
}

#[test]
fn agreement() {
    let mut comparison = Comparison::default();
    for case in 0..300 {
        let mut draws = Draws::new("agreement", case);
        let size = draws.whole(2, 3);
        let mut counts = table(&mut draws, size, size, FEW);
        let agreed = draws.count(4.0);
        (0..size).for_each(|at| counts[at][at] += agreed);
        let theirs = cohen_kappa(&counts, false).unwrap();
        let answer = call(
            "contingency",
            &format!(r#"{{"counts":{}}}"#, numbers(&counts)),
        );
        let ours = answer.entry("/measures", "/symbol", "kappa");
        comparison.begin(case, format!("{counts:?}"));
        comparison.number("kappa", ours.number("/value"), theirs.kappa, VALUE);
    }
    comparison.end(300);
}

#[test]
fn two_by_two() {
    let mut comparison = Comparison::default();
    for case in 0..300 {
        let mut draws = Draws::new("two by two", case);
        let counts = table(&mut draws, 2, 2, MANY);
        let square = pair(&counts);
        let of = |rest: &str| {
            call(
                "hypothesis_test",
                &format!(r#"{{"table":{},{rest}}}"#, numbers(&counts)),
            )
        };
        comparison.begin(case, format!("{counts:?}"));
        let theirs = chisq_test(&counts, true).unwrap();
        let ours = of(r#""test":"chi_squared","continuity":true"#);
        // R, and we, correct by no more than the difference itself.
        if (counts[0][0] as f64 - theirs.expected[0][0]).abs() >= 0.5 {
            let statistic = ours.number("/statistic");
            comparison.number("Yates statistic", statistic, theirs.statistic, VALUE);
            comparison.number("Yates p", ours.number("/p"), theirs.p_value, P);
        }
        let answer = call(
            "contingency",
            &format!(r#"{{"counts":{}}}"#, numbers(&counts)),
        );
        let phi = phi_coefficient(&square).unwrap().estimate;
        let ours = answer.entry("/measures", "/symbol", "phi");
        comparison.number("phi", ours.number("/value"), phi, VALUE);

        for (side, alternative) in SIDES {
            let theirs = fisher_exact_conditional(&square, alternative, 0.95).unwrap();
            let ours = of(&format!(r#""test":"fisher_exact","alternative":"{side}""#));
            comparison.number("Fisher p", ours.number("/p"), theirs.p_value, P);
            let ratio = theirs.odds_ratio;
            comparison.number("odds ratio", ours.number("/estimate/value"), ratio, END);
            comparison.number(
                "odds low",
                ours.number("/estimate/low"),
                theirs.conf_int_lower,
                END,
            );
            comparison.number(
                "odds high",
                ours.number("/estimate/high"),
                theirs.conf_int_upper,
                END,
            );
        }
        // Without discordant pairs there is nothing to test.
        if counts[0][1] + counts[1][0] > 0 {
            for (name, correction) in [("corrected McNemar", true), ("McNemar", false)] {
                let theirs = mcnemar_test(&square, correction).unwrap();
                let ours = of(&format!(
                    r#""test":"mcnemar","exact":false,"continuity":{correction}"#
                ));
                let expected = [theirs.statistic, theirs.df, theirs.p_value];
                comparison.number(
                    &format!("{name} statistic"),
                    ours.number("/statistic"),
                    expected[0],
                    VALUE,
                );
                comparison.number(&format!("{name} p"), ours.number("/p"), expected[2], P);
            }
            let theirs = mcnemar_exact(&square).unwrap();
            let ours = of(r#""test":"mcnemar","exact":true"#);
            comparison.number("exact McNemar p", ours.number("/p"), theirs.p_value, P);
        }
    }
    comparison.end(180);
}

#[test]
fn goodness_of_fit() {
    let mut comparison = Comparison::default();
    for case in 0..300 {
        let mut draws = Draws::new("goodness", case);
        let size = draws.whole(2, 12);
        let counts: Vec<usize> = (0..size).map(|_| 1 + draws.count(9.0)).collect();
        let weights: Vec<f64> = (0..size).map(|_| 0.2 + draws.uniform()).collect();
        let total: f64 = weights.iter().sum();
        let shares: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        comparison.begin(case, "");
        for (name, shares) in [("equal", None), ("given", Some(&shares[..]))] {
            let theirs = chisq_goodness_of_fit(&counts, shares).unwrap();
            let rest = match shares {
                Some(_) => format!(r#","probabilities":{weights:?}"#),
                None => String::new(),
            };
            let ours = call(
                "hypothesis_test",
                &format!(r#"{{"test":"chi_squared","x":{counts:?}{rest}}}"#),
            );
            let expected = [theirs.statistic, theirs.df, theirs.p_value];
            compare_chi_squared(&mut comparison, name, &ours, expected);
        }
    }
    comparison.end(300);
}

#[test]
fn proportions() {
    let mut comparison = Comparison::default();
    for case in 0..300 {
        let mut draws = Draws::new("proportions", case);
        let n = draws.size(3, 2000);
        let k = draws.whole(0, n);
        let share = draws.one_of(&[0.5, 0.25, 0.9, 0.01]);
        let m = draws.size(3, 2000);
        let centre = (k as f64 / n as f64 * m as f64) as usize;
        let j = (centre + draws.whole(0, m / 4)).min(m);
        for (side, alternative) in SIDES {
            comparison.begin(case, format!("{side}: {k} of {n}, {j} of {m}, {share}"));
            let theirs = binom_test_with_conf_level(k, n, share, alternative, 0.9).unwrap();
            let ours = call(
                "hypothesis_test",
                &format!(
                    r#"{{"test":"binomial","successes":[{k}],"trials":[{n}],"mu":{share},"alternative":"{side}","confidence":0.9}}"#
                ),
            );
            comparison.number("binomial p", ours.number("/p"), theirs.p_value, P);
            comparison.number(
                "share",
                ours.number("/estimate/value"),
                theirs.estimate,
                VALUE,
            );
            comparison.number(
                "low",
                ours.number("/estimate/low"),
                theirs.conf_int_lower,
                END,
            );
            comparison.number(
                "high",
                ours.number("/estimate/high"),
                theirs.conf_int_upper,
                END,
            );
            for correction in [true, false] {
                let theirs = prop_test_two([k, j], [n, m], alternative, correction).unwrap();
                let ours = try_call(
                    "hypothesis_test",
                    &format!(
                        r#"{{"test":"proportions","successes":[{k},{j}],"trials":[{n},{m}],"continuity":{correction},"alternative":"{side}"}}"#
                    ),
                );
                // Outcomes that are all the same are no test for us.
                let Ok(ours) = ours else {
                    assert!(k + j == 0 || k + j == n + m, "{ours:?}");
                    continue;
                };
                let name = |part: &str| match correction {
                    true => format!("corrected proportions {part}"),
                    false => format!("proportions {part}"),
                };
                let difference = theirs.estimate[0] - theirs.estimate[1];
                comparison.number(
                    &name("difference"),
                    ours.number("/estimate/value"),
                    difference,
                    VALUE,
                );
                let statistic = ours.number("/statistic");
                let squared = match ours.text("/statistic_name").as_str() {
                    "z" => statistic * statistic,
                    _ => statistic,
                };
                comparison.number(&name("chi-squared"), squared, theirs.statistic, NEAR_ZERO);
                comparison.number(&name("p"), ours.number("/p"), theirs.p_value, P);
            }
        }
    }
    comparison.end(800);
}

/// A corrected difference of nothing is rounding.
const NEAR_ZERO: Tolerance = Tolerance {
    relative: 1e-9,
    absolute: 1e-12,
};
