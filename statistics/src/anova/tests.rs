//! Analysis of variance against SciPy 1.17, pingouin 0.7, scikit-posthocs 0.17 and, where they are exact, sums by hand.

use numerics::NoWatch;

use super::*;
use crate::hypothesis::PValueCorrection;

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

/// SciPy's `studentized_range.sf`, which integrates to some 1e-11.
#[test]
fn studentised_ranges() {
    let cases = [
        (3.5, 3, 20.0, 0.055_891_849_081_749_934),
        (1.0, 2, 5.0, 0.511_084_080_430_280_5),
        (4.2, 10, 60.0, 0.109_368_270_807_481_57),
        (8.0, 4, 7.0, 0.003_281_833_601_727_069),
        (3.3, 50, 12.0, 0.914_970_607_772_113_9),
        (2.0, 3, 1.0, 0.559_288_496_032_011_9),
    ];
    for (q, groups, df, expected) in cases {
        near(studentised_range_sf(q, groups, df), expected, 1e-9);
    }
    // Two groups: q = t sqrt(2), also deep in the tail.
    for (t, df) in [(2.0, 10.0), (30.0, 12.0), (1.0, 1.0), (9.0, 500.0)] {
        let t_tail = 2.0 * crate::distribution::student_sf(t, df);
        near(studentised_range_sf(t * 2f64.sqrt(), 2, df), t_tail, 1e-11);
    }
    near(
        studentised_range_sf(studentised_range_isf(0.05, 4, 9.0), 4, 9.0),
        0.05,
        1e-9,
    );
}

/// One comparison is a t test; with more, Bonferroni's bound holds from above.
#[test]
fn dunnett_between_its_bounds() {
    let t_tail = 2.0 * crate::distribution::student_sf(2.5, 22.0);
    near(
        DunnettSizes::new(&[5.0], 8.0).two_sided_sf(2.5, 22.0),
        t_tail,
        1e-11,
    );
    let three = DunnettSizes::new(&[5.0, 7.0, 6.0], 8.0).two_sided_sf(2.5, 22.0);
    assert!(three > t_tail && three < 3.0 * t_tail, "{three}");
    // C. W. Dunnett's table: 2.54 for three comparisons of equal sizes, 20 degrees of freedom, 5 %.
    let equal = DunnettSizes::new(&[6.0; 3], 6.0);
    assert!((equal.two_sided_isf(0.05, 20.0) - 2.54).abs() < 0.005);
}

#[test]
fn pairs_of_groups() {
    let tukey = compare_tukey(&[&A, &B, &C], 0.95).expect("comparisons");
    let p = [0.002_167_359_30, 0.348_114_795, 6.071_826_99e-5];
    for (pair, expected) in tukey.iter().zip(p) {
        near(pair.p, expected, 1e-7);
    }
    let [low, high] = tukey[0].interval.expect("an interval");
    near(low, -6.596_929_47, 1e-7);
    near(high, -1.543_070_53, 1e-7);
    let games = compare_games_howell(&[&A, &B, &C], 0.95).expect("comparisons");
    let p = [
        0.006_764_451_020_113_36,
        0.390_747_758_599_411_9,
        0.000_177_291_836_427_451_17,
    ];
    for (pair, expected) in games.iter().zip(p) {
        near(pair.p, expected, 1e-8);
    }
    let dunn = compare_dunn(&[&A, &B, &C], PValueCorrection::Holm, 0.95).expect("comparisons");
    let p = [
        0.047_864_888_358_370_744,
        0.351_184_377_705_617_5,
        0.001_751_275_614_893_710_7,
    ];
    for (pair, expected) in dunn.iter().zip(p) {
        near(pair.p, expected, 1e-11);
    }
}

/// pingouin 0.7: `rm_anova`, `epsilon`; Mauchly's p value here has the term of second order of R.
#[test]
fn repeated_measures() {
    let columns: [&[f64]; 3] = [
        &[2.2, 3.1, 4.3, 4.1, 7.2],
        &[1.1, 2.5, 4.1, 5.2, 6.4],
        &[8.2, 4.5, 3.4, 6.2, 7.2],
    ];
    let result = analyse_repeated(&columns, 0.95).expect("an analysis");
    near(result.f, 2.153_754_398_520_904, 1e-12);
    near(result.p, 0.178_516_896_681_226_67, 1e-11);
    near(result.condition_squares, 12.037_333_333_333_333, 1e-12);
    near(result.error_squares, 22.356, 1e-12);
    near(result.greenhouse_geisser, 0.558_775_457_758_502_5, 1e-12);
    near(result.huynh_feldt, 0.622_344_831_153_979_4, 1e-12);
    near(result.p_greenhouse_geisser, 0.211_692_255_143_077_77, 1e-11);
    near(
        result.mauchly.expect("three conditions").w,
        0.210_372_366_725_901_32,
        1e-11,
    );
}

/// A balanced table by hand: the three types agree, and sums of squares add up.
#[test]
fn balanced_factors() {
    let y = [1.0, 2.0, 3.0, 4.0, 2.0, 4.0, 6.0, 9.0];
    let factors = [
        FactorCodes {
            codes: vec![0, 0, 0, 0, 1, 1, 1, 1],
            levels: 2,
        },
        FactorCodes {
            codes: vec![0, 0, 1, 1, 0, 0, 1, 1],
            levels: 2,
        },
    ];
    let terms = [vec![0], vec![1], vec![0, 1]];
    for squares in [
        SquaresType::Sequential,
        SquaresType::Marginal,
        SquaresType::Partial,
    ] {
        let table = analyse_factors(&y, &factors, &terms, squares, 0.95, &NoWatch);
        let table = table.expect("an analysis");
        let found: Vec<f64> = table.rows.iter().map(|row| row.squares).collect();
        for (value, expected) in found.iter().zip([15.125, 21.125, 3.125]) {
            near(*value, expected, 1e-12);
        }
        near(table.residual_squares, 7.5, 1e-12);
        assert_eq!(table.residual_df, 4.0);
        near(table.total_squares, 46.875, 1e-12);
    }
}

/// A cell without values takes a degree of freedom from the interaction.
#[test]
fn empty_cells_are_seen() {
    let y = [1.0, 2.0, 3.5, 4.0, 2.0, 4.5];
    let factors = [
        FactorCodes {
            codes: vec![0, 0, 0, 0, 1, 1],
            levels: 2,
        },
        FactorCodes {
            codes: vec![0, 0, 1, 1, 0, 0],
            levels: 2,
        },
    ];
    let terms = [vec![0], vec![1], vec![0, 1]];
    let table = analyse_factors(
        &y,
        &factors,
        &terms,
        SquaresType::Sequential,
        0.95,
        &NoWatch,
    );
    let table = table.expect("an analysis");
    assert_eq!(table.rows[2].df, 0.0);
    assert!(table.rows[2].effects.is_empty());
}
