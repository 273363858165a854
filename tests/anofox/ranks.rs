//! Ranks and distribution functions: Mann and Whitney, Wilcoxon, Brunner and Munzel, Kruskal and Wallis, Kolmogorov and Smirnov, Anderson and Darling,
//! normality.

use anofox_statistics::{
    PAdjustMethod, ad_test_ksamp, brunner_munzel, dunn_test, jarque_bera, kruskal_wallis,
    ks_test_2sample, mann_whitney_u, p_adjust, shapiro_wilk, wilcoxon_signed_rank,
};

use crate::call::call;
use crate::comparison::{Comparison, END, P, Tolerance, VALUE};
use crate::draws::{Draws, Shape};
use crate::means::{SIDES, groups, pair_of, slices};

/// Two samples, the second one moved.
fn two_samples(draws: &mut Draws, case: usize, most: usize) -> (Vec<f64>, Vec<f64>) {
    let (n, m) = (draws.size(3, most), draws.size(3, most));
    let shift = draws.normal();
    let x = draws.sample(n, Shape::ALL[case % 4], 0.0);
    let y = draws.sample(m, Shape::ALL[case % 4], shift);
    (x, y)
}

fn has_ties(values: &[f64]) -> bool {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.windows(2).any(|pair| pair[0] == pair[1])
}

#[test]
fn mann_whitney() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("Mann-Whitney", case);
        let (x, y) = two_samples(&mut draws, case, 90);
        let mu = draws.one_of(&[0.0, 0.0, 1.0]);
        let is_tied = has_ties(&[&x[..], &y[..]].concat());
        for (side, alternative) in SIDES {
            let of = |rest: &str| {
                call(
                    "hypothesis_test",
                    &format!(
                        r#"{{"test":"mann_whitney","x":{x:?},"y":{y:?},"mu":{mu:?},"alternative":"{side}",{rest}}}"#
                    ),
                )
            };
            comparison.begin(case, format!("{side}, {} and {} values", x.len(), y.len()));
            for (name, continuity) in [("corrected", true), ("plain", false)] {
                let theirs = mann_whitney_u(&x, &y, alternative, continuity, false, None, Some(mu));
                let theirs = theirs.unwrap();
                let ours = of(&format!(r#""exact":false,"continuity":{continuity}"#));
                comparison.number("U", ours.number("/statistic"), theirs.statistic, VALUE);
                comparison.number(&format!("{name} p"), ours.number("/p"), theirs.p_value, P);
            }
            // Theirs counts arrangements without ties, up to 10,000 pairs.
            if !is_tied && mu == 0.0 {
                let theirs = mann_whitney_u(&x, &y, alternative, true, true, Some(0.95), None);
                let theirs = theirs.unwrap();
                let ours = of(r#""exact":true"#);
                comparison.number("exact p", ours.number("/p"), theirs.p_value, P);
                let shift = theirs.estimate.unwrap();
                comparison.number("shift", ours.number("/estimate/value"), shift, VALUE);
                let interval = theirs.conf_int.unwrap();
                comparison.number("low", ours.number("/estimate/low"), interval.lower, END);
                comparison.number("high", ours.number("/estimate/high"), interval.upper, END);
            }
        }
    }
    comparison.end(250);
}

#[test]
fn wilcoxon() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("Wilcoxon", case);
        let shape = Shape::ALL[case % 4];
        let n = draws.size(3, 200);
        let shift = 0.7 * draws.normal();
        let x = draws.sample(n, shape, 0.0);
        let y = draws.sample(n, shape, shift);
        let differences: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
        let sizes: Vec<f64> = differences.iter().map(|value| value.abs()).collect();
        if sizes.iter().all(|size| *size == 0.0) {
            continue;
        }
        let is_tied = has_ties(&sizes) || sizes.contains(&0.0);
        for (side, alternative) in SIDES {
            let of = |rest: &str| {
                call(
                    "hypothesis_test",
                    &format!(
                        r#"{{"test":"wilcoxon","x":{x:?},"y":{y:?},"alternative":"{side}",{rest}}}"#
                    ),
                )
            };
            comparison.begin(case, format!("{side}, {n} pairs"));
            for (name, continuity) in [("corrected", true), ("plain", false)] {
                let theirs =
                    wilcoxon_signed_rank(&x, &y, alternative, continuity, false, None, None);
                let theirs = theirs.unwrap();
                let ours = of(&format!(r#""exact":false,"continuity":{continuity}"#));
                comparison.number("V", ours.number("/statistic"), theirs.statistic, VALUE);
                comparison.number(&format!("{name} p"), ours.number("/p"), theirs.p_value, P);
            }
            // Theirs counts signs without ties and zeros, up to 300 differences.
            if !is_tied {
                let theirs = wilcoxon_signed_rank(&x, &y, alternative, true, true, Some(0.9), None);
                let theirs = theirs.unwrap();
                let ours = of(r#""exact":true,"confidence":0.9"#);
                // Their upper tails are 1 less the lower ones.
                let tail = Tolerance {
                    absolute: 1e-14,
                    ..P
                };
                comparison.number("exact p", ours.number("/p"), theirs.p_value, tail);
                let middle = theirs.estimate.unwrap();
                comparison.number(
                    "pseudomedian",
                    ours.number("/estimate/value"),
                    middle,
                    VALUE,
                );
                let interval = theirs.conf_int.unwrap();
                comparison.number("low", ours.number("/estimate/low"), interval.lower, END);
                comparison.number("high", ours.number("/estimate/high"), interval.upper, END);
            }
        }
    }
    comparison.end(300);
}

#[test]
fn brunner_and_munzel() {
    let mut comparison = Comparison::default();
    for case in 0..300 {
        let mut draws = Draws::new("Brunner-Munzel", case);
        let (x, y) = two_samples(&mut draws, case, 200);
        for (side, alternative) in SIDES {
            // Groups that do not overlap have no variance: both refuse.
            let Ok(theirs) = brunner_munzel(&x, &y, alternative, Some(0.05)) else {
                continue;
            };
            let ours = call(
                "hypothesis_test",
                &format!(
                    r#"{{"test":"brunner_munzel","x":{x:?},"y":{y:?},"alternative":"{side}"}}"#
                ),
            );
            comparison.begin(case, side);
            // Theirs is positive where the second group tends to be larger, and its estimate the probability of that.
            comparison.number("W", ours.number("/statistic"), -theirs.statistic, VALUE);
            comparison.number("df", ours.number("/df/0"), theirs.df, VALUE);
            comparison.number("p", ours.number("/p"), theirs.p_value, P);
            let share = 1.0 - theirs.estimate;
            comparison.number("probability", ours.number("/estimate/value"), share, VALUE);
            if side == "two_sided" {
                let interval = theirs.conf_int.unwrap();
                let [low, high] = [1.0 - interval.upper, 1.0 - interval.lower];
                comparison.number("low", ours.number("/estimate/low"), low.max(0.0), END);
                comparison.number("high", ours.number("/estimate/high"), high.min(1.0), END);
            }
        }
    }
    comparison.end(250);
}

#[test]
fn kolmogorov_and_smirnov() {
    let mut comparison = Comparison::default();
    for case in 0..300 {
        let mut draws = Draws::new("Smirnov", case);
        let (x, y) = two_samples(&mut draws, case, 200);
        for (side, alternative) in SIDES {
            let theirs = ks_test_2sample(&x, &y, alternative, Some(true)).unwrap();
            let ours = call(
                "hypothesis_test",
                &format!(
                    r#"{{"test":"ks_two_sample","x":{x:?},"y":{y:?},"alternative":"{side}"}}"#
                ),
            );
            comparison.begin(case, side);
            comparison.number("D", ours.number("/statistic"), theirs.statistic, VALUE);
            comparison.number("p", ours.number("/p"), theirs.p_value, P);
        }
    }
    comparison.end(900);
}

#[test]
fn several_groups_by_ranks() {
    let mut comparison = Comparison::default();
    let corrections = [
        ("none", PAdjustMethod::None),
        ("bonferroni", PAdjustMethod::Bonferroni),
        ("holm", PAdjustMethod::Holm),
        ("hochberg", PAdjustMethod::Hochberg),
        ("bh", PAdjustMethod::BH),
        ("by", PAdjustMethod::BY),
    ];
    for case in 0..240 {
        let mut draws = Draws::new("ranks of groups", case);
        let groups = groups(&mut draws, case, 3);
        let of = |rest: &str| {
            call(
                "hypothesis_test",
                &format!(r#"{{"groups":{groups:?},{rest}}}"#),
            )
        };
        comparison.begin(case, "");
        let theirs = kruskal_wallis(&slices(&groups)).unwrap();
        let ours = of(r#""test":"kruskal_wallis","exact":false"#);
        comparison.number(
            "Kruskal-Wallis H",
            ours.number("/statistic"),
            theirs.statistic,
            VALUE,
        );
        comparison.number("Kruskal-Wallis df", ours.number("/df/0"), theirs.df, VALUE);
        comparison.number("Kruskal-Wallis p", ours.number("/p"), theirs.p_value, P);
        let theirs = ad_test_ksamp(&slices(&groups), true).unwrap();
        let ours = of(r#""test":"anderson_k_sample""#);
        comparison.number(
            "Anderson-Darling T",
            ours.number("/statistic"),
            theirs.statistic,
            VALUE,
        );

        let rows = groups.iter().enumerate();
        let (values, names): (Vec<f64>, Vec<String>) = rows
            .flat_map(|(at, group)| group.iter().map(move |value| (*value, format!("g{at}"))))
            .unzip();
        let (correction, method) = corrections[case % corrections.len()];
        let theirs = dunn_test(&values, &names, method).unwrap();
        let ours = call(
            "anova",
            &format!(
                r#"{{"data":{{"v":{values:?},"g":{names:?}}},"formula":"v ~ g","post_hoc":"dunn","correction":"{correction}"}}"#
            ),
        );
        for pair in &theirs.comparisons {
            let ours = pair_of(&ours, &pair.group1, &pair.group2);
            comparison.number("Dunn z", ours.number("/statistic"), -pair.statistic, VALUE);
            comparison.number(
                "Dunn difference",
                ours.number("/difference"),
                -pair.estimate,
                VALUE,
            );
            comparison.number(
                &format!("Dunn {correction} p"),
                ours.number("/p"),
                pair.p_adj,
                P,
            );
        }
    }
    comparison.end(200);
}

#[test]
fn normality() {
    let mut comparison = Comparison::default();
    for case in 0..400 {
        let mut draws = Draws::new("normality", case);
        let n = draws.size(3, 200);
        let x = draws.sample(n, Shape::ALL[case % 4], 10.0);
        let of = |test: &str| {
            call(
                "hypothesis_test",
                &format!(r#"{{"test":"{test}","x":{x:?}}}"#),
            )
        };
        comparison.begin(case, format!("{n} values"));
        let theirs = shapiro_wilk(&x).unwrap();
        let ours = of("shapiro_wilk");
        comparison.number("W", ours.number("/statistic"), theirs.statistic, VALUE);
        // Of three values it is a difference of angles.
        let tolerance = match n {
            3 => Tolerance {
                absolute: 1e-14,
                ..P
            },
            _ => P,
        };
        comparison.number(
            "Shapiro-Wilk p",
            ours.number("/p"),
            theirs.p_value,
            tolerance,
        );
        let theirs = jarque_bera(&x).unwrap();
        let ours = of("jarque_bera");
        comparison.number("JB", ours.number("/statistic"), theirs.statistic, VALUE);
        comparison.number("Jarque-Bera p", ours.number("/p"), theirs.p_value, P);
    }
    comparison.end(400);
}

#[test]
fn corrections_of_p_values() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("corrections", case);
        let count = draws.whole(2, 12);
        let columns: Vec<String> = (0..count).map(|at| format!("c{at}")).collect();
        let table: Vec<String> = columns
            .iter()
            .map(|name| {
                let shift = draws.normal();
                format!(
                    r#""{name}":{:?}"#,
                    draws.sample(12, Shape::ALL[case % 4], shift)
                )
            })
            .collect();
        let table = table.join(",");
        for (correction, method) in [
            ("bonferroni", PAdjustMethod::Bonferroni),
            ("holm", PAdjustMethod::Holm),
            ("hochberg", PAdjustMethod::Hochberg),
            ("bh", PAdjustMethod::BH),
            ("by", PAdjustMethod::BY),
        ] {
            let ours = call(
                "hypothesis_test",
                &format!(
                    r#"{{"test":"t_one_sample","data":{{{table}}},"columns":{columns:?},"correction":"{correction}"}}"#
                ),
            );
            let tests = ours.entries("/tests");
            let plain: Vec<f64> = tests.iter().map(|test| test.number("/p")).collect();
            comparison.begin(case, "");
            for (test, theirs) in tests.iter().zip(p_adjust(&plain, method)) {
                comparison.number(correction, test.number("/p_corrected"), theirs, P);
            }
        }
    }
    comparison.end(1000);
}
