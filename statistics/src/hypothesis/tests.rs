//! Tests against SciPy 1.17 and statsmodels 0.15, and against all arrangements counted one by one.

use numerics::NoWatch;
use proptest::prelude::*;

use super::*;

const X: [f64; 7] = [2.1, 3.4, 1.9, 5.6, 4.4, 3.3, 2.8];
const Y: [f64; 6] = [4.1, 5.2, 6.8, 3.9, 7.1, 5.5];
const A: [f64; 5] = [24.1, 25.3, 26.2, 22.8, 27.0];
const B: [f64; 6] = [28.1, 30.3, 27.2, 29.9, 31.0, 28.4];
const C: [f64; 7] = [23.3, 22.1, 26.0, 24.4, 25.1, 21.2, 24.0];

fn near(value: f64, expected: f64, relative: f64) {
    let distance = (value - expected).abs();
    assert!(
        distance <= relative * expected.abs(),
        "{value} instead of {expected}"
    );
}

fn side(alternative: Alternative) -> TestOptions {
    TestOptions {
        alternative,
        ..TestOptions::default()
    }
}

#[test]
fn mann_whitney_counts_arrangements() {
    let p = |alternative| {
        let result = test_mann_whitney(&X, &Y, RankMethod::default(), &side(alternative));
        let result = result.expect("a test");
        assert_eq!((result.statistic, result.basis), (6.0, PValueBasis::Exact));
        result.p
    };
    near(p(Alternative::TwoSided), 0.034_965_034_965_034_96, 1e-13);
    near(p(Alternative::Less), 0.017_482_517_482_517_48, 1e-13);
    near(p(Alternative::Greater), 0.988_927_738_927_738_9, 1e-13);
    // With ties, against all 462 choices of five ranks.
    let (x, y) = ([1.0, 2.0, 2.0, 3.0, 5.0], [2.0, 3.0, 3.0, 4.0, 6.0, 6.0]);
    let tied = test_mann_whitney(&x, &y, RankMethod::default(), &TestOptions::default());
    let tied = tied.expect("a test");
    assert_eq!(tied.statistic, 7.0);
    near(tied.p, 0.173_160_173_160_173_16, 1e-13);
}

#[test]
fn signed_ranks_count_signs() {
    let d = [1.1, -0.3, 2.2, 0.7, -1.5, 3.1, 0.3, 2.2];
    let result = test_signed_ranks(&d, RankMethod::default(), &TestOptions::default());
    let result = result.expect("a test");
    assert_eq!(result.statistic, 29.5);
    near(result.p, 0.125, 1e-14);
    // Without ties, n = 50: the sum of all positive ranks has one pattern of 2^50.
    let all: Vec<f64> = (1..=50).map(f64::from).collect();
    let extreme = test_signed_ranks(&all, RankMethod::default(), &TestOptions::default());
    near(extreme.expect("a test").p, 2.0 / 2f64.powi(50), 1e-12);
}

/// SciPy's `kstwo` up to 50; beyond its Durbin matrix, since the public function answers an approximation with seven digits there.
#[test]
fn kolmogorov_is_exact() {
    let cases = [
        (10, 0.2, 0.748_719_04, 1e-12),
        (10, 0.35, 0.133_960_546_262_499_1, 1e-12),
        (50, 0.15, 0.190_263_665_182_480_7, 1e-11),
        (200, 0.05, 0.680_262_725_439_557_7, 1e-11),
        (1000, 0.05, 0.013_012_071_309_982_706, 1e-10),
        (100, 0.3, 1.771_986_989_266_291_7e-8, 1e-9),
        (3, 0.4, 0.594_666_666_666_666_5, 1e-13),
        (2000, 0.02, 0.395_313_372_003_108_6, 1e-10),
    ];
    for (n, d, expected, tolerance) in cases {
        near(kolmogorov_sf(d, n), expected, tolerance);
    }
}

/// Against all 792 choices of five of twelve.
#[test]
fn smirnov_counts_paths_with_ties() {
    let (x, y) = (
        [1.0, 2.0, 2.0, 3.0, 3.0],
        [1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 5.0],
    );
    let result = test_smirnov(&x, &y, Alternative::TwoSided).expect("a test");
    near(result.statistic, 3.0 / 7.0, 1e-14);
    near(result.p, 0.242_424_242_424_242_43, 1e-13);
}

#[test]
fn barnard_takes_the_worst_share() {
    let table = CountTable::new(&[12.0, 5.0, 3.0, 9.0], 2, 2).expect("a table");
    let result = test_barnard(&table, &TestOptions::default()).expect("a test");
    near(result.statistic, 2.419_675_997_478_404, 1e-13);
    near(result.p, 0.018_455_948_680_639_32, 1e-9);
    let greater = test_barnard(&table, &side(Alternative::Greater)).expect("a test");
    near(greater.p, 0.009_230_901_283_485_119, 1e-9);
}

/// SciPy caps its p value at 0.001 and interpolates a table; ours is the limit.
#[test]
fn anderson_darling_of_groups() {
    let three = test_anderson_groups(&[&A, &B, &C]).expect("a test");
    near(three.statistic, 5.722_616_704_816_122, 1e-12);
    assert!(three.p < 0.001 && three.p > 1e-5, "{}", three.p);
    let two = test_anderson_groups(&[&A, &C]).expect("a test");
    near(two.statistic, 0.456_980_103_424_476_76, 1e-12);
    assert!((two.p - 0.2155).abs() < 0.004, "{}", two.p);
}

#[test]
fn lilliefors_of_statsmodels() {
    let all: Vec<f64> = A.iter().chain(&B).chain(&C).copied().collect();
    let result = test_lilliefors(&all).expect("a test");
    near(result.statistic, 0.090_657_967_182_757_76, 1e-12);
    // Stephens' curve, not the table of statsmodels (0.957).
    assert!((result.p - 0.957).abs() < 0.02, "{}", result.p);
}

#[test]
fn permutations_agree_with_ranks_on_ranks() {
    // On ranks 1..=8 the permutation test of means is the exact Mann-Whitney test.
    let (x, y) = ([1.0, 2.0, 4.0, 6.0], [3.0, 5.0, 7.0, 8.0]);
    let draws = PermutationDraws {
        draws: 999,
        seed: 1,
    };
    let options = TestOptions::default();
    let permuted = test_permutation(&x, &y, draws, &options, &NoWatch).expect("a test");
    let ranked = test_mann_whitney(&x, &y, RankMethod::default(), &options).expect("a test");
    near(permuted.p, ranked.p, 1e-14);
    assert_eq!(permuted.basis, PValueBasis::Exact);
    // Signs: three positive differences, two of eight patterns.
    let signs = test_sign_permutation(
        &[2.0, 3.0, 5.0],
        &[1.0, 1.0, 1.0],
        draws,
        &options,
        &NoWatch,
    );
    near(signs.expect("a test").p, 0.25, 1e-14);
    let groups = test_permutation_groups(&[&A, &B, &C], draws, 0.95, &NoWatch).expect("a test");
    assert!(groups.p < 0.01);
    let again = test_permutation_groups(&[&A, &B, &C], draws, 0.95, &NoWatch).expect("a test");
    assert_eq!(groups, again);
}

/// The rows in another order, and the table turned, have the same p value, which is that of all tables.
#[test]
fn fisher_of_larger_tables() {
    let p = |counts: &[f64], rows, columns| {
        let table = CountTable::new(counts, rows, columns).expect("a table");
        test_fisher_table(&table, 0.95, &NoWatch).expect("a test").p
    };
    let counts = [3.0, 1.0, 2.0, 0.0, 4.0, 1.0];
    let turned = [3.0, 0.0, 1.0, 4.0, 2.0, 1.0];
    near(p(&counts, 2, 3), p(&turned, 3, 2), 1e-10);
    // Job satisfaction of R's fisher.test: p = 0.7827.
    let jobs = [
        1.0, 2.0, 1.0, 0.0, 3.0, 3.0, 6.0, 1.0, 10.0, 10.0, 14.0, 9.0, 6.0, 7.0, 12.0, 11.0,
    ];
    assert!((p(&jobs, 4, 4) - 0.7827).abs() < 5e-5);
    // The larger form agrees with the one for two rows and columns.
    let small = CountTable::new(&[12.0, 5.0, 3.0, 9.0], 2, 2).expect("a table");
    let two = TestOptions {
        null: 1.0,
        ..TestOptions::default()
    };
    let fisher = test_fisher(&small, &two).expect("a test").p;
    near(p(small.counts(), 2, 2), fisher, 1e-10);
}

#[test]
fn what_cannot_be_tested_is_refused() {
    let options = TestOptions::default();
    let same = [2.0, 2.0, 2.0];
    let constant = |result: Result<HypothesisResult, HypothesisError>| {
        assert!(
            matches!(result, Err(HypothesisError::Constant { .. })),
            "{result:?}"
        );
    };
    constant(test_mean(&same, &options));
    constant(test_welch(&same, &same, &options));
    constant(test_mann_whitney(
        &same,
        &same,
        RankMethod::default(),
        &options,
    ));
    constant(test_kruskal(&[&same, &same], ExactChoice::Auto, 0.95));
    constant(test_shapiro(&same));
    constant(test_bartlett(&[&same, &X]));
    constant(test_spread(&[&same, &same], SpreadCentre::Median, 0.95));
    let short = test_mean(&[1.0], &options);
    assert!(
        matches!(short, Err(HypothesisError::TooFew { .. })),
        "{short:?}"
    );
    let infinite = test_welch(&[1.0, f64::INFINITY], &X, &options);
    assert!(
        matches!(infinite, Err(HypothesisError::Range { .. })),
        "{infinite:?}"
    );
    let apart = test_brunner_munzel(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], &options);
    assert!(
        matches!(apart, Err(HypothesisError::Undefined { .. })),
        "{apart:?}"
    );
    assert!(CountTable::new(&[0.0, 0.0, 1.0, 2.0], 2, 2).is_err());
    let unequal = test_pairs(&X, &Y, &options);
    assert!(
        matches!(unequal, Err(HypothesisError::Lengths { .. })),
        "{unequal:?}"
    );
}

/// Tiny p values keep their digits: a mean 100 standard errors off.
#[test]
fn deep_tails_are_numbers() {
    let x: Vec<f64> = (0..100).map(|at| 10.0 + f64::from(at % 5) * 0.1).collect();
    let result = test_mean(&x, &TestOptions::default()).expect("a test");
    assert!(result.p > 0.0 && result.p < 1e-150, "{}", result.p);
}

proptest! {
    /// A common shift and factor change no p value, and exchanged groups turn the estimate.
    #[test]
    fn tests_do_not_know_units(
        x in prop::collection::vec(-5.0..5.0_f64, 4..12),
        y in prop::collection::vec(-5.0..5.0_f64, 4..12),
        shift in -100.0..100.0_f64,
    ) {
        let options = TestOptions::default();
        let moved = |values: &[f64]| values.iter().map(|value| 4.0 * (value + shift)).collect::<Vec<f64>>();
        let plain = test_welch(&x, &y, &options).expect("a test");
        let scaled = test_welch(&moved(&x), &moved(&y), &options).expect("a test");
        prop_assert!((plain.p - scaled.p).abs() < 1e-9);
        let turned = test_welch(&y, &x, &options).expect("a test");
        prop_assert!((plain.statistic + turned.statistic).abs() < 1e-9);
        let ranks = test_mann_whitney(&x, &y, RankMethod::default(), &options).expect("a test");
        let back = test_mann_whitney(&y, &x, RankMethod::default(), &options).expect("a test");
        prop_assert!((ranks.p - back.p).abs() < 1e-12);
        prop_assert!((ranks.statistic + back.statistic - (x.len() * y.len()) as f64).abs() < 1e-9);
    }

    /// The interval at coverage 1 - a has the null value inside exactly where p > a.
    #[test]
    fn intervals_agree_with_p_values(
        x in prop::collection::vec(-5.0..5.0_f64, 3..10),
        null in -2.0..2.0_f64,
    ) {
        let options = TestOptions { null, ..TestOptions::default() };
        let result = test_mean(&x, &options).expect("a test");
        let [low, high] = result.estimate.expect("a mean").interval.expect("an interval");
        prop_assert_eq!(low < null && null < high, result.p > 0.05);
    }
}
