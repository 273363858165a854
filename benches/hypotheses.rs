//! How often tests of hypotheses find what is not there: samples for which the hypothesis holds, and the share of p values below 5 %.
//!
//! `cargo bench -p benches --bench hypotheses -- DRAWS PART` prints a table; 20,000 draws of each test when no number is given, and of the tests alone whose name has
//! the part. The seed is fixed. Intervals of the shares are those of Clopper and Pearson. The p values of tests that count take steps, so that theirs lie below
//! 5 % by their nature; they are marked `steps`.

use std::f64::consts::PI;

use numerics::NoWatch;
use rand::RngExt as _;
use random_streams::{StreamRng, stream_rng};
use statistics::anova::{analyse_repeated, test_one_way, test_welch_groups};
use statistics::hypothesis::*;

/// Level of the tests.
const LEVEL: f64 = 0.05;

/// A normal value by Box and Muller.
fn normal(rng: &mut StreamRng) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (2.0 * PI * v).cos()
}

fn normals(rng: &mut StreamRng, count: usize) -> Vec<f64> {
    (0..count).map(|_| normal(rng)).collect()
}

/// Successes of trials with probability one half.
fn successes(rng: &mut StreamRng, trials: usize) -> f64 {
    (0..trials).filter(|_| rng.random::<bool>()).count() as f64
}

/// The p value of one draw; `None` where the test has no answer.
type Draw = fn(&mut StreamRng) -> Option<f64>;

fn p_of(result: Result<HypothesisResult, HypothesisError>) -> Option<f64> {
    result.ok().map(|result| result.p)
}

fn two(rng: &mut StreamRng) -> [Vec<f64>; 2] {
    [normals(rng, 20), normals(rng, 25)]
}

fn three(rng: &mut StreamRng) -> [Vec<f64>; 3] {
    [normals(rng, 15), normals(rng, 20), normals(rng, 25)]
}

fn slices<const N: usize>(groups: &[Vec<f64>; N]) -> [&[f64]; N] {
    groups.each_ref().map(Vec::as_slice)
}

fn walk(rng: &mut StreamRng, count: usize) -> Vec<f64> {
    let mut at = 0.0;
    (0..count)
        .map(|_| {
            at += normal(rng);
            at
        })
        .collect()
}

fn random_table(
    rng: &mut StreamRng,
    rows: usize,
    columns: usize,
    total: usize,
) -> Option<CountTable> {
    let mut counts = vec![0.0; rows * columns];
    for _ in 0..total {
        let cell = rng.random_range(0..rows * columns);
        counts[cell] += 1.0;
    }
    CountTable::new(&counts, rows, columns).ok()
}

const MEANS: &[(&str, Draw)] = &[
    ("t, one sample of 15", |rng| {
        p_of(test_mean(&normals(rng, 15), &TestOptions::default()))
    }),
    ("t, Welch, 20 and 25", |rng| {
        let [x, y] = two(rng);
        p_of(test_welch(&x, &y, &TestOptions::default()))
    }),
    ("t, Welch, deviations 1 and 4", |rng| {
        let [x, y] = two(rng);
        let y: Vec<f64> = y.iter().map(|value| 4.0 * value).collect();
        p_of(test_welch(&x, &y, &TestOptions::default()))
    }),
    ("t, pooled, 20 and 25", |rng| {
        let [x, y] = two(rng);
        p_of(test_pooled(&x, &y, &TestOptions::default()))
    }),
    ("t, 15 pairs", |rng| {
        let (x, y) = (normals(rng, 15), normals(rng, 15));
        p_of(test_pairs(&x, &y, &TestOptions::default()))
    }),
    ("Yuen, 20 and 25", |rng| {
        let [x, y] = two(rng);
        p_of(test_yuen(&x, &y, 0.2, &TestOptions::default()))
    }),
    ("analysis of variance", |rng| {
        p_of(test_one_way(&slices(&three(rng)), 0.95))
    }),
    ("Welch analysis of variance", |rng| {
        p_of(test_welch_groups(&slices(&three(rng)), 0.95))
    }),
    ("repeated measures, 3 x 15", |rng| {
        let columns = [normals(rng, 15), normals(rng, 15), normals(rng, 15)];
        analyse_repeated(&slices(&columns), 0.95)
            .ok()
            .map(|result| result.p)
    }),
    ("Levene", |rng| {
        p_of(test_spread(&slices(&three(rng)), SpreadCentre::Mean, 0.95))
    }),
    ("Brown-Forsythe", |rng| {
        p_of(test_spread(
            &slices(&three(rng)),
            SpreadCentre::Median,
            0.95,
        ))
    }),
    ("Bartlett", |rng| p_of(test_bartlett(&slices(&three(rng))))),
];

const RANKS: &[(&str, Draw)] = &[
    ("Mann-Whitney, 20 and 25, exact (steps)", |rng| {
        let [x, y] = two(rng);
        p_of(test_mann_whitney(
            &x,
            &y,
            RankMethod::default(),
            &TestOptions::default(),
        ))
    }),
    ("Mann-Whitney, 60 and 70, normal", |rng| {
        let (x, y) = (normals(rng, 60), normals(rng, 70));
        p_of(test_mann_whitney(
            &x,
            &y,
            RankMethod::default(),
            &TestOptions::default(),
        ))
    }),
    ("Brunner-Munzel, 20 and 25", |rng| {
        let [x, y] = two(rng);
        p_of(test_brunner_munzel(&x, &y, &TestOptions::default()))
    }),
    ("Wilcoxon signed ranks, 25, exact (steps)", |rng| {
        p_of(test_signed_ranks(
            &normals(rng, 25),
            RankMethod::default(),
            &TestOptions::default(),
        ))
    }),
    ("sign test, 40 (steps)", |rng| {
        p_of(test_signs(&normals(rng, 40), &TestOptions::default()))
    }),
    ("Kruskal-Wallis, 15, 20 and 25, limit", |rng| {
        p_of(test_kruskal(
            &slices(&three(rng)),
            ExactChoice::Asymptotic,
            0.95,
        ))
    }),
    ("Kruskal-Wallis, 5, 5 and 5, exact (steps)", |rng| {
        let groups = [normals(rng, 5), normals(rng, 5), normals(rng, 5)];
        p_of(test_kruskal(&slices(&groups), ExactChoice::Exact, 0.95))
    }),
    ("Friedman, 4 x 20, limit", |rng| {
        let columns = [
            normals(rng, 20),
            normals(rng, 20),
            normals(rng, 20),
            normals(rng, 20),
        ];
        p_of(test_friedman(
            &slices(&columns),
            ExactChoice::Asymptotic,
            0.95,
        ))
    }),
    ("Friedman, 3 x 12, exact (steps)", |rng| {
        let columns = [normals(rng, 12), normals(rng, 12), normals(rng, 12)];
        p_of(test_friedman(&slices(&columns), ExactChoice::Exact, 0.95))
    }),
    ("permutation, 12 and 14, 999 draws", |rng| {
        let (x, y) = (normals(rng, 12), normals(rng, 14));
        let draws = PermutationDraws {
            draws: 999,
            seed: rng.random(),
        };
        p_of(test_permutation(
            &x,
            &y,
            draws,
            &TestOptions::default(),
            &NoWatch,
        ))
    }),
];

const DISTRIBUTIONS: &[(&str, Draw)] = &[
    ("Kolmogorov, 30, exact", |rng| {
        let x: Vec<f64> = (0..30).map(|_| rng.random()).collect();
        p_of(test_kolmogorov(
            &x,
            |value| value.clamp(0.0, 1.0),
            Alternative::TwoSided,
        ))
    }),
    ("Smirnov, 60 and 71, exact", |rng| {
        p_of(test_smirnov(
            &normals(rng, 60),
            &normals(rng, 71),
            Alternative::TwoSided,
        ))
    }),
    ("Shapiro-Wilk, 30", |rng| {
        p_of(test_shapiro(&normals(rng, 30)))
    }),
    ("Anderson-Darling, 30", |rng| {
        p_of(test_anderson(&normals(rng, 30)))
    }),
    ("Lilliefors, 30", |rng| {
        p_of(test_lilliefors(&normals(rng, 30)))
    }),
    ("Jarque-Bera, 2000", |rng| {
        p_of(test_jarque_bera(&normals(rng, 2000)))
    }),
    ("Anderson-Darling, three groups", |rng| {
        p_of(test_anderson_groups(&slices(&three(rng))))
    }),
];

const COUNTS: &[(&str, Draw)] = &[
    ("chi-squared, 3 x 4", |rng| {
        let table = random_table(rng, 3, 4, 300)?;
        p_of(test_independence(
            &table,
            CountStatistic::Pearson,
            false,
            0.95,
        ))
    }),
    ("chi-squared, 2 x 2, corrected (steps)", |rng| {
        let table = random_table(rng, 2, 2, 100)?;
        p_of(test_independence(
            &table,
            CountStatistic::Pearson,
            true,
            0.95,
        ))
    }),
    ("G, 3 x 4", |rng| {
        let table = random_table(rng, 3, 4, 300)?;
        p_of(test_independence(
            &table,
            CountStatistic::LikelihoodRatio,
            false,
            0.95,
        ))
    }),
    ("goodness of fit, 5 cells", |rng| {
        let mut counts = [0.0; 5];
        (0..200).for_each(|_| counts[rng.random_range(0..5)] += 1.0);
        p_of(test_goodness(&counts, None, CountStatistic::Pearson, 0.95))
    }),
    ("Fisher, 2 x 2, 200 (steps)", |rng| {
        let options = TestOptions {
            null: 1.0,
            ..TestOptions::default()
        };
        p_of(test_fisher(&random_table(rng, 2, 2, 200)?, &options))
    }),
    ("McNemar, exact (steps)", |rng| {
        p_of(test_mcnemar(
            &random_table(rng, 2, 2, 200)?,
            McNemarForm::Exact,
            0.95,
        ))
    }),
    ("Cochran Q, 4 x 40", |rng| {
        let mut column = || {
            (0..40)
                .map(|_| f64::from(rng.random::<bool>()))
                .collect::<Vec<f64>>()
        };
        let columns = [column(), column(), column(), column()];
        p_of(test_cochran(&slices(&columns)))
    }),
    ("binomial, 400 (steps)", |rng| {
        let options = TestOptions {
            null: 0.5,
            ..TestOptions::default()
        };
        p_of(test_binomial(
            SuccessCount::new(successes(rng, 400), 400.0).ok()?,
            &options,
        ))
    }),
    ("three proportions, 80 each", |rng| {
        let mut group = || SuccessCount::new(successes(rng, 80), 80.0).ok();
        p_of(test_proportions(
            &[group()?, group()?, group()?],
            false,
            &TestOptions::default(),
        ))
    }),
];

const SERIES: &[(&str, Draw)] = &[
    ("Ljung-Box, 10 lags of 500", |rng| {
        p_of(test_ljung_box(&normals(rng, 500), 10, 0))
    }),
    ("runs, 200 (steps)", |rng| {
        p_of(test_runs(&normals(rng, 200), Alternative::TwoSided))
    }),
    ("Dickey-Fuller, walk of 200, no lag", |rng| {
        p_of(test_dickey_fuller(
            &walk(rng, 200),
            SeriesTrend::Constant,
            Some(0),
        ))
    }),
    ("KPSS, noise of 500, 5 lags", |rng| {
        p_of(test_kpss(
            &normals(rng, 500),
            SeriesTrend::Constant,
            Some(5),
        ))
    }),
];

/// Coverage of the intervals of the shares.
const CONFIDENCE: f64 = 0.99;

/// What the interval of a share says of a test.
fn verdict(name: &str, [low, high]: [f64; 2]) -> String {
    let side = match (low > LEVEL, high < LEVEL) {
        (true, _) => "above",
        (_, true) => "below",
        _ => return "holds".to_owned(),
    };
    match name.contains("(steps)") {
        true => format!("{side}, by steps"),
        false => side.to_owned(),
    }
}

#[expect(clippy::print_stdout, reason = "a program that prints its table")]
fn main() {
    let draws: usize = std::env::args()
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(20_000);
    let is_part = |arg: &String| !arg.starts_with('-') && arg.parse::<usize>().is_err();
    let part = std::env::args().skip(1).find(is_part).unwrap_or_default();
    println!("| test | draws | p below 5 % | 99 % interval | level |\n|---|---|---|---|---|");
    let mut stream = 0;
    for (name, draw) in [MEANS, RANKS, DISTRIBUTIONS, COUNTS, SERIES]
        .into_iter()
        .flatten()
    {
        stream += 1;
        if !name.contains(&part) {
            continue;
        }
        let mut rng = stream_rng(20_261_129, stream);
        let (mut below, mut answered) = (0_u32, 0_u32);
        for _ in 0..draws {
            if let Some(p) = draw(&mut rng) {
                answered += 1;
                below += u32::from(p < LEVEL);
            }
        }
        let (below, all) = (f64::from(below), f64::from(answered.max(1)));
        let interval = clopper_pearson(below, all, CONFIDENCE);
        println!(
            "| {name} | {answered} | {:.2} % | {:.2} to {:.2} % | {} |",
            100.0 * below / all,
            100.0 * interval[0],
            100.0 * interval[1],
            verdict(name, interval)
        );
    }
}
