//! Means and variances: t, Yuen, Brown and Forsythe, analysis of variance, comparisons of pairs.

use anofox_statistics::{
    Alternative, AnovaKind, TTestKind, brown_forsythe, one_way_anova, ptukey,
    repeated_measures_anova, t_test, tukey_hsd, two_way_anova, yuen_test,
};

use crate::call::{Answer, call};
use crate::comparison::{Comparison, END, P, Tolerance, VALUE};
use crate::draws::{Draws, Shape};

/// The alternatives by both names.
pub(crate) const SIDES: [(&str, Alternative); 3] = [
    ("two_sided", Alternative::TwoSided),
    ("less", Alternative::Less),
    ("greater", Alternative::Greater),
];

/// R's `ptukey`, which anofox follows, has fixed nodes: with ten degrees of freedom and more it is right to 1e-8.
const TUKEY_P: Tolerance = Tolerance {
    relative: 1e-6,
    absolute: 1e-8,
};
/// With fewer to 1e-5: for two groups ours is Student's p to 15 digits, for more SciPy's to 9.
const FEW_DF_P: Tolerance = Tolerance {
    relative: 1e-6,
    absolute: 1e-5,
};
/// R's `qtukey`, which anofox follows, stops at a step of 1e-4.
const TUKEY_END: Tolerance = Tolerance::relative(1e-4);

#[test]
fn t_tests() {
    let mut comparison = Comparison::default();
    for case in 0..300 {
        let mut draws = Draws::new("t", case);
        let shape = Shape::ALL[case % 4];
        let n = draws.size(3, 200);
        let x = draws.sample(n, shape, 0.0);
        let shift = 2.0 * draws.normal();
        let m = draws.size(3, 200);
        let y = draws.sample(m, Shape::ALL[case / 4 % 4], shift);
        let pairs: Vec<f64> = x.iter().map(|x| x + draws.normal() + shift).collect();
        let zeros = vec![0.0; n];
        let mu = draws.one_of(&[0.0, 0.0, 0.5, -1.25]);
        let confidence = draws.one_of(&[0.95, 0.9, 0.99]);
        for (side, alternative) in SIDES {
            let kinds = [
                ("t_welch", TTestKind::Welch, &y),
                ("t_pooled", TTestKind::Student, &y),
                ("t_paired", TTestKind::Paired, &pairs),
                ("t_one_sample", TTestKind::Paired, &zeros),
            ];
            for (test, kind, y) in kinds {
                let second = match test {
                    "t_one_sample" => String::new(),
                    _ => format!(r#""y":{y:?},"#),
                };
                let ours = call(
                    "hypothesis_test",
                    &format!(
                        r#"{{"test":"{test}","x":{x:?},{second}"mu":{mu:?},"alternative":"{side}","confidence":{confidence}}}"#
                    ),
                );
                // Theirs is an interval of both sides for every alternative: one end of it is that of one side at half the level.
                let level = match side {
                    "two_sided" => confidence,
                    _ => 2.0 * confidence - 1.0,
                };
                let theirs = t_test(&x, y, kind, alternative, mu, Some(level)).unwrap();
                comparison.begin(case, side);
                let name = |part: &str| format!("{test} {part}");
                comparison.number(
                    &name("t"),
                    ours.number("/statistic"),
                    theirs.statistic,
                    VALUE,
                );
                comparison.number(&name("df"), ours.number("/df/0"), theirs.df, VALUE);
                comparison.number(&name("p"), ours.number("/p"), theirs.p_value, P);
                let interval = theirs.conf_int.unwrap();
                let ends = match side {
                    "less" => [("low", f64::NEG_INFINITY), ("high", interval.upper)],
                    "greater" => [("low", interval.lower), ("high", f64::INFINITY)],
                    _ => [("low", interval.lower), ("high", interval.upper)],
                };
                for (end, value) in ends {
                    let pointer = format!("/estimate/{end}");
                    comparison.number(&name(end), ours.number(&pointer), value, END);
                }
                let estimate = theirs.mean_x - theirs.mean_y.unwrap_or(0.0);
                comparison.number(
                    &name("estimate"),
                    ours.number("/estimate/value"),
                    estimate,
                    VALUE,
                );
            }
        }
    }
    comparison.end(900);
}

/// Another test of the same samples is not taken for the one that was asked for.
#[test]
#[should_panic(expected = "of 50 differ")]
fn another_test_is_noticed() {
    let mut comparison = Comparison::default();
    for case in 0..50 {
        let mut draws = Draws::new("another", case);
        let x = draws.sample(8, Shape::Smooth, 0.0);
        let y = draws.sample(20, Shape::Skewed, 1.0);
        let ours = call(
            "hypothesis_test",
            &format!(r#"{{"test":"t_welch","x":{x:?},"y":{y:?}}}"#),
        );
        let theirs = t_test(&x, &y, TTestKind::Student, Alternative::TwoSided, 0.0, None).unwrap();
        comparison.begin(case, "pooled");
        comparison.number("p", ours.number("/p"), theirs.p_value, P);
    }
    comparison.end(50);
}

#[test]
fn yuen() {
    let mut comparison = Comparison::default();
    for case in 0..300 {
        let mut draws = Draws::new("yuen", case);
        let trim = draws.one_of(&[0.2, 0.1, 0.25]);
        let n = draws.size(5, 200);
        let x = draws.sample(n, Shape::ALL[case % 4], 0.0);
        let m = draws.size(5, 200);
        let shift = 2.0 * draws.normal();
        let y = draws.sample(m, Shape::ALL[case / 4 % 4], shift);
        for (side, alternative) in SIDES {
            let theirs = yuen_test(&x, &y, trim, alternative, Some(0.95)).unwrap();
            // Few values of many ties: both trimmed samples are constant.
            if !theirs.statistic.is_finite() {
                continue;
            }
            let ours = call(
                "hypothesis_test",
                &format!(
                    r#"{{"test":"yuen","x":{x:?},"y":{y:?},"trim":{trim},"alternative":"{side}"}}"#
                ),
            );
            comparison.begin(case, side);
            comparison.number("t", ours.number("/statistic"), theirs.statistic, VALUE);
            comparison.number("df", ours.number("/df/0"), theirs.df, VALUE);
            comparison.number("p", ours.number("/p"), theirs.p_value, P);
            comparison.number(
                "estimate",
                ours.number("/estimate/value"),
                theirs.diff,
                VALUE,
            );
            // Theirs is of both sides for every alternative.
            if side == "two_sided" {
                let interval = theirs.conf_int.unwrap();
                comparison.number("low", ours.number("/estimate/low"), interval.lower, END);
                comparison.number("high", ours.number("/estimate/high"), interval.upper, END);
            }
        }
    }
    comparison.end(250);
}

/// Groups of unequal sizes, spreads and means.
pub(crate) fn groups(draws: &mut Draws, case: usize, least: usize) -> Vec<Vec<f64>> {
    let count = draws.whole(2, 6);
    (0..count)
        .map(|_| {
            let n = draws.size(least, 200 / count);
            let shift = draws.normal();
            draws.sample(n, Shape::ALL[case % 4], shift)
        })
        .collect()
}

/// Groups as slices.
pub(crate) fn slices(groups: &[Vec<f64>]) -> Vec<&[f64]> {
    groups.iter().map(Vec::as_slice).collect()
}

/// The columns `v` and `g` of a table of groups, which are called `g0`, `g1`, ...
fn columns(groups: &[Vec<f64>]) -> (Vec<f64>, Vec<String>) {
    let rows = groups.iter().enumerate();
    rows.flat_map(|(at, group)| group.iter().map(move |value| (*value, format!("g{at}"))))
        .unzip()
}

#[test]
fn spreads_and_one_way_analyses() {
    let mut comparison = Comparison::default();
    for case in 0..300 {
        let mut draws = Draws::new("one way", case);
        let groups = groups(&mut draws, case, 3);
        let of = |test: &str| {
            call(
                "hypothesis_test",
                &format!(r#"{{"test":"{test}","groups":{groups:?}}}"#),
            )
        };
        comparison.begin(case, "");
        let theirs = brown_forsythe(&slices(&groups)).unwrap();
        let expected = [theirs.statistic, theirs.df1, theirs.df2, theirs.p_value];
        compare_f(
            &mut comparison,
            "Brown-Forsythe",
            &of("brown_forsythe"),
            expected,
        );
        for (test, kind) in [
            ("anova", AnovaKind::Fisher),
            ("welch_anova", AnovaKind::Welch),
        ] {
            let theirs = one_way_anova(&slices(&groups), kind).unwrap();
            let expected = [
                theirs.statistic,
                theirs.df_between,
                theirs.df_within,
                theirs.p_value,
            ];
            compare_f(&mut comparison, test, &of(test), expected);
        }
        let theirs = one_way_anova(&slices(&groups), AnovaKind::Fisher).unwrap();
        let (values, names) = columns(&groups);
        let table = call(
            "anova",
            &format!(
                r#"{{"data":{{"v":{values:?},"g":{names:?}}},"formula":"v ~ g","post_hoc":"none"}}"#
            ),
        );
        let between = theirs.ss_between.unwrap();
        comparison.number(
            "squares between",
            table.number("/terms/0/squares"),
            between,
            VALUE,
        );
        let within = theirs.ss_within.unwrap();
        comparison.number(
            "squares within",
            table.number("/terms/1/squares"),
            within,
            VALUE,
        );
        let eta = between / (between + within);
        comparison.number("eta squared", table.number("/terms/0/eta2"), eta, VALUE);
    }
    comparison.end(300);
}

/// F, both degrees of freedom, p.
fn compare_f(comparison: &mut Comparison, name: &str, ours: &Answer, theirs: [f64; 4]) {
    let [f, first, second, p] = theirs;
    comparison.number(&format!("{name} F"), ours.number("/statistic"), f, VALUE);
    comparison.number(&format!("{name} df 1"), ours.number("/df/0"), first, VALUE);
    comparison.number(&format!("{name} df 2"), ours.number("/df/1"), second, VALUE);
    comparison.number(&format!("{name} p"), ours.number("/p"), p, P);
}

#[test]
fn two_way_analyses() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("two way", case);
        let (rows, columns) = (draws.whole(2, 4), draws.whole(2, 4));
        let each = draws.whole(2, 6);
        let mut values = Vec::new();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for row in 0..rows {
            for column in 0..columns {
                // Every other design is balanced.
                let n = match case % 2 {
                    0 => each,
                    _ => draws.whole(2, 8),
                };
                let shift = draws.normal();
                values.extend(draws.sample(n, Shape::ALL[case / 2 % 4], shift));
                first.extend(vec![row; n]);
                second.extend(vec![column; n]);
            }
        }
        let theirs = two_way_anova(&values, &first, &second).unwrap();
        let ours = call(
            "anova",
            &format!(
                r#"{{"data":{{"v":{values:?},"a":{first:?},"b":{second:?}}},"formula":"v ~ a * b","type":3,"post_hoc":"none"}}"#
            ),
        );
        comparison.begin(case, "");
        let rows = [
            ("a", &theirs.factor_a),
            ("b", &theirs.factor_b),
            ("a:b", &theirs.interaction),
        ];
        for (term, expected) in rows {
            let row = ours.entry("/terms", "/term", term);
            let name = |part: &str| format!("{term} {part}");
            comparison.number(&name("squares"), row.number("/squares"), expected.ss, VALUE);
            comparison.number(&name("df"), row.number("/df"), expected.df, VALUE);
            let f = expected.f_statistic.unwrap();
            comparison.number(&name("F"), row.number("/f"), f, VALUE);
            comparison.number(&name("p"), row.number("/p"), expected.p_value.unwrap(), P);
        }
        let rest = ours.entry("/terms", "/term", "residuals");
        comparison.number(
            "residual squares",
            rest.number("/squares"),
            theirs.residual.ss,
            VALUE,
        );
        comparison.number("residual df", rest.number("/df"), theirs.residual.df, VALUE);
    }
    comparison.end(200);
}

#[test]
fn repeated_measures() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("repeated", case);
        let (subjects, conditions) = (draws.size(3, 40), draws.whole(2, 5));
        let effects: Vec<f64> = (0..conditions).map(|_| 0.5 * draws.normal()).collect();
        let rows: Vec<Vec<f64>> = (0..subjects)
            .map(|_| {
                let own = 2.0 * draws.normal();
                let errors = draws.sample(conditions, Shape::ALL[case % 4], own);
                effects
                    .iter()
                    .zip(errors)
                    .map(|(effect, error)| effect + error)
                    .collect()
            })
            .collect();
        // Mauchly's matrix needs more subjects than conditions.
        let has_correction = conditions > 2 && subjects > conditions;
        let theirs = repeated_measures_anova(&slices(&rows), has_correction).unwrap();
        let values: Vec<f64> = rows.concat();
        let subject: Vec<usize> = (0..values.len()).map(|at| at / conditions).collect();
        let condition: Vec<String> = (0..values.len())
            .map(|at| format!("c{}", at % conditions))
            .collect();
        let ours = call(
            "anova",
            &format!(
                r#"{{"data":{{"v":{values:?},"c":{condition:?},"s":{subject:?}}},"formula":"v ~ c","subject":"s","post_hoc":"none"}}"#
            ),
        );
        comparison.begin(
            case,
            format!("{subjects} subjects, {conditions} conditions"),
        );
        let expected = &theirs.within_subjects;
        let row = ours.entries("/terms").remove(0);
        comparison.number("squares", row.number("/squares"), expected.ss, VALUE);
        comparison.number("F", row.number("/f"), expected.f_statistic.unwrap(), VALUE);
        // The table has the correction of Greenhouse and Geisser where conditions are not spherical.
        let df = row.number("/df");
        match theirs.greenhouse_geisser {
            Some(corrected) if df < conditions as f64 - 1.0 - 1e-9 => {
                comparison.number("corrected df", df, corrected.df_num_corrected, VALUE);
                comparison.number("corrected p", row.number("/p"), corrected.p_value, P);
            }
            _ if conditions == 2 || has_correction => {
                comparison.number("df", df, expected.df, VALUE);
                comparison.number("p", row.number("/p"), expected.p_value.unwrap(), P);
            }
            _ => {}
        }
    }
    comparison.end(20);
}

#[test]
fn comparisons_of_pairs() {
    let mut comparison = Comparison::default();
    for case in 0..150 {
        let mut draws = Draws::new("pairs", case);
        let groups = groups(&mut draws, case, 3);
        let (values, names) = columns(&groups);
        let theirs = tukey_hsd(&values, &names, 0.95).unwrap();
        let of = |method: &str| {
            call(
                "anova",
                &format!(
                    r#"{{"data":{{"v":{values:?},"g":{names:?}}},"formula":"v ~ g","post_hoc":"{method}"}}"#
                ),
            )
        };
        let (tukey, howell) = (of("tukey"), of("games_howell"));
        comparison.begin(case, "");
        for pair in &theirs.comparisons {
            // Theirs are the second group less the first.
            let ours = pair_of(&tukey, &pair.group1, &pair.group2);
            comparison.number(
                "Tukey difference",
                ours.number("/difference"),
                -pair.estimate,
                VALUE,
            );

            comparison.number("Tukey p", ours.number("/p"), pair.p_adj, TUKEY_P);
            comparison.number(
                "Tukey low",
                ours.number("/low"),
                -pair.conf_high.unwrap(),
                TUKEY_END,
            );
            comparison.number(
                "Tukey high",
                ours.number("/high"),
                -pair.conf_low.unwrap(),
                TUKEY_END,
            );
            // Games and Howell: Welch's t times the root of 2 in the studentised range.
            let of = |name: &str| &groups[name[1..].parse::<usize>().unwrap()];
            let welch = t_test(
                of(&pair.group1),
                of(&pair.group2),
                TTestKind::Welch,
                Alternative::TwoSided,
                0.0,
                None,
            );
            let welch = welch.unwrap();
            let q = welch.statistic * std::f64::consts::SQRT_2;
            let p = ptukey(q.abs(), groups.len() as f64, welch.df, 1.0, false);
            let ours = pair_of(&howell, &pair.group1, &pair.group2);
            comparison.number("Games-Howell df", ours.number("/df"), welch.df, VALUE);
            let tolerance = match welch.df {
                ..10.0 => FEW_DF_P,
                _ => TUKEY_P,
            };
            comparison.number("Games-Howell p", ours.number("/p"), p, tolerance);
        }
    }
    comparison.end(300);
}

/// The comparison of two groups, in the order of `anova`.
pub(crate) fn pair_of(answer: &Answer, first: &str, second: &str) -> Answer {
    answer
        .entries("/comparisons")
        .into_iter()
        .find(|entry| entry.text("/first") == first && entry.text("/second") == second)
        .unwrap_or_else(|| panic!("no comparison of {first} and {second} in {answer:?}"))
}
