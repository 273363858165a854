//! Exact p values of several groups against all arrangements one by one, published tables, and tables of sums in another form.

use proptest::prelude::*;

use super::*;

fn near(value: f64, expected: f64) {
    assert!(
        (value - expected).abs() <= 1e-12 * expected,
        "{value} instead of {expected}"
    );
}

/// The next order of labels in lexicographic order.
fn advance(labels: &mut [usize]) -> bool {
    let Some(at) = (1..labels.len())
        .rev()
        .find(|&at| labels[at - 1] < labels[at])
    else {
        return false;
    };
    let other = (at..labels.len())
        .rev()
        .find(|&other| labels[other] > labels[at - 1]);
    labels.swap(at - 1, other.unwrap_or(at));
    labels[at..].reverse();
    true
}

/// The share of all orders of the labels whose H is at least that of the groups.
fn kruskal_one_by_one(groups: &[Vec<f64>]) -> f64 {
    let all: Vec<f64> = groups.concat();
    let ranks = SampleRanks::new(&all).ranks;
    let labelled = groups.iter().enumerate();
    let mut labels: Vec<usize> = labelled
        .flat_map(|(group, values)| vec![group; values.len()])
        .collect();
    let weighted = |labels: &[usize]| {
        let mut sums = vec![0.0; groups.len()];
        for (&label, rank) in labels.iter().zip(&ranks) {
            sums[label] += rank;
        }
        let parts = sums.iter().zip(groups);
        parts
            .map(|(sum, group)| sum * sum / group.len() as f64)
            .sum::<f64>()
    };
    let observed = weighted(&labels);
    let (mut inside, mut count) = (0.0, 0.0);
    loop {
        count += 1.0;
        inside += f64::from(u8::from(weighted(&labels) >= observed - 1e-9));
        if !advance(&mut labels) {
            return inside / count;
        }
    }
}

/// The share of all orders within the rows, the first one's fixed, whose sum of squares is at least that of the rows.
fn friedman_one_by_one(rows: &[Vec<f64>]) -> f64 {
    let ranked: Vec<Vec<f64>> = rows.iter().map(|row| SampleRanks::new(row).ranks).collect();
    let squares = |sums: &[f64]| sums.iter().map(|sum| sum * sum).sum::<f64>();
    let mut observed = vec![0.0; rows[0].len()];
    for row in &ranked {
        observed
            .iter_mut()
            .zip(row)
            .for_each(|(sum, rank)| *sum += rank);
    }
    let observed = squares(&observed);
    let mut all = vec![ranked[0].clone()];
    for row in &ranked[1..] {
        let mut places: Vec<usize> = (0..row.len()).collect();
        let mut next = Vec::new();
        loop {
            for sums in &all {
                next.push(
                    (0..row.len())
                        .map(|at| sums[at] + row[places[at]])
                        .collect(),
                );
            }
            if !advance(&mut places) {
                break;
            }
        }
        all = next;
    }
    let inside = all.iter().filter(|sums| squares(sums) >= observed - 1e-9);
    inside.count() as f64 / all.len() as f64
}

fn kruskal(groups: &[Vec<f64>], choice: ExactChoice) -> Result<HypothesisResult, HypothesisError> {
    let groups: Vec<&[f64]> = groups.iter().map(Vec::as_slice).collect();
    test_kruskal(&groups, choice, 0.95)
}

fn friedman(rows: &[Vec<f64>], choice: ExactChoice) -> Result<HypothesisResult, HypothesisError> {
    let columns: Vec<Vec<f64>> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| row[column]).collect())
        .collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    test_friedman(&columns, choice, 0.95)
}

/// Groups by the letters of their ranks.
fn lettered(letters: &str) -> Vec<Vec<f64>> {
    let mut groups = vec![Vec::new(); 3];
    for (at, letter) in letters.bytes().enumerate() {
        groups[usize::from(letter - b'A')].push(at as f64);
    }
    groups
}

/// Kruskal and Wallis, JASA 47, 1952, table 6.1: H and its probability to three decimals.
#[test]
fn kruskal_agrees_with_the_published_table() {
    let table = [
        ("AAABBBCCC", 7.2, 0.004),
        ("AAABBCBCC", 6.4889, 0.011),
        ("AAABBCCCB", 5.6, 0.050),
        ("AAABABBCCCBC", 7.6538, 0.008),
        ("AAABBACCCCBB", 5.6923, 0.049),
        ("AAABBBCCACBC", 4.6538, 0.097),
        ("AAAABABCBCCB", 7.4449, 0.010),
        ("AACACCABBABB", 5.6564, 0.049),
        ("AAAABBBBCCCA", 4.5231, 0.103),
        ("AAAABBBBCACCCBC", 8.0, 0.009),
        ("AAAABBBBCCCCABC", 5.78, 0.049),
        ("AAAABBBBCCCCCBA", 4.5, 0.102),
    ];
    for (letters, h, p) in table {
        let result = kruskal(&lettered(letters), ExactChoice::Auto).expect("a test");
        assert_eq!(result.basis, PValueBasis::Exact);
        assert!(
            (result.statistic - h).abs() < 1e-4,
            "{letters}: {}",
            result.statistic
        );
        assert!((result.p - p).abs() < 6e-4, "{letters}: {}", result.p);
    }
}

/// Friedman, JASA 32, 1937, tables V and VI.
#[test]
fn friedman_agrees_with_the_published_table() {
    let first = [1.0, 2.0, 3.0];
    let rows = |last: &[[f64; 3]], count: usize| {
        let firsts = std::iter::repeat_n(first, count - last.len());
        let all = firsts.chain(last.iter().copied());
        all.map(|row| row.to_vec()).collect::<Vec<_>>()
    };
    let of_four = |orders: [[f64; 4]; 4]| orders.map(|row| row.to_vec()).to_vec();
    let four = [1.0, 2.0, 3.0, 4.0];
    let table = [
        (rows(&[], 3), 6.0, 0.028),
        (rows(&[], 4), 8.0, 0.0046),
        (rows(&[[1.0, 3.0, 2.0]], 4), 6.5, 0.042),
        (rows(&[[1.0, 3.0, 2.0]], 5), 8.4, 0.0085),
        (rows(&[[1.0, 3.0, 2.0], [2.0, 1.0, 3.0]], 5), 6.4, 0.039),
        (
            of_four([four, four, four, [1.0, 2.0, 4.0, 3.0]]),
            11.1,
            0.00094,
        ),
        (
            of_four([four, four, [2.0, 1.0, 4.0, 3.0], [2.0, 1.0, 4.0, 3.0]]),
            9.6,
            0.0069,
        ),
        (
            of_four([four, four, [1.0, 2.0, 4.0, 3.0], [2.0, 3.0, 1.0, 4.0]]),
            7.8,
            0.036,
        ),
    ];
    for (rows, statistic, p) in table {
        let result = friedman(&rows, ExactChoice::Auto).expect("a test");
        assert_eq!(result.basis, PValueBasis::Exact);
        near(result.statistic, statistic);
        assert!(
            (result.p / p - 1.0).abs() < 0.02,
            "{statistic}: {}",
            result.p
        );
    }
}

/// Tables of the sums of all groups but one, in Python with whole numbers; 5.6e12 arrangements of the second sample.
#[test]
fn larger_samples_agree_with_dense_tables() {
    let groups = |sizes: [usize; 3]| {
        let value =
            |group: usize, at: usize| ((7 * at + 3 * group) % 19) as f64 + 2.5 * group as f64;
        (0..3)
            .map(|group| (0..sizes[group]).map(|at| value(group, at)).collect())
            .collect::<Vec<Vec<f64>>>()
    };
    let p = |groups: &[Vec<f64>]| kruskal(groups, ExactChoice::Exact).expect("a test").p;
    near(p(&groups([8, 8, 8])), 0.131_608_661_451_170_53);
    near(p(&groups([10, 10, 10])), 0.120_524_001_657_096_59);
    let tied: Vec<Vec<f64>> = [9, 8, 7]
        .iter()
        .enumerate()
        .map(|(group, &size)| {
            (0..size)
                .map(|at| ((5 * at + 2 * group) % 11 + group) as f64)
                .collect()
        })
        .collect();
    near(p(&tied), 0.608_779_349_074_751_6);
    let row = |at: usize| {
        vec![
            (at * 5 % 7) as f64,
            (at * 3 % 7) as f64 + 1.5,
            (at * 2 % 5) as f64 + 2.2,
        ]
    };
    let rows: Vec<Vec<f64>> = (0..22).map(row).collect();
    let result = friedman(&rows, ExactChoice::Auto).expect("a test");
    near(result.p, 0.022_968_432_083_850_705);
}

/// Two groups: the two-sided test of Mann and Whitney where ranks have no ties.
#[test]
fn two_groups_are_those_of_mann_and_whitney() {
    let (x, y) = (
        vec![1.0, 4.0, 6.0, 9.0, 11.0],
        vec![2.0, 3.0, 10.0, 12.0, 15.0, 16.0],
    );
    let two = super::super::test_mann_whitney(
        &x,
        &y,
        super::super::RankMethod::default(),
        &super::super::TestOptions::default(),
    );
    let result = kruskal(&[x, y], ExactChoice::Auto).expect("a test");
    near(result.p, two.expect("a test").p);
    let large: Vec<f64> = (0..50).map(f64::from).collect();
    let moved: Vec<f64> = large.iter().map(|value| value + 60.5).collect();
    let result = kruskal(&[large, moved], ExactChoice::Auto).expect("a test");
    // Two arrangements of 100 over 50.
    near(result.p, 2.0 / 1.008_913_445_455_641_9e29);
}

#[test]
fn what_takes_too_long_is_asymptotic_or_refused() {
    let group = |shift: f64, count: u32| {
        (0..count)
            .map(|at| f64::from(at) + shift)
            .collect::<Vec<f64>>()
    };
    let groups = [group(0.0, 21), group(0.3, 21), group(0.6, 21)];
    let basis = |groups: &[Vec<f64>], choice| kruskal(groups, choice).map(|result| result.basis);
    assert_eq!(
        basis(&groups, ExactChoice::Auto),
        Ok(PValueBasis::Asymptotic)
    );
    let refused = |error: Result<PValueBasis, HypothesisError>, what: &str| match error {
        Err(HypothesisError::TooMany {
            what: found,
            limit,
            found: count,
        }) => {
            assert!(found.contains(what) && count > limit, "{found} {count}");
        }
        other => panic!("{other:?}"),
    };
    refused(basis(&groups, ExactChoice::Exact), "steps");
    let many: Vec<Vec<f64>> = (0..8).map(|at| group(0.1 * f64::from(at), 2)).collect();
    assert_eq!(basis(&many, ExactChoice::Auto), Ok(PValueBasis::Asymptotic));
    refused(basis(&many, ExactChoice::Exact), "groups");
    let long = [group(0.0, 30), group(0.3, 30), group(0.6, 4)];
    refused(basis(&long, ExactChoice::Exact), "observations");
    let rows: Vec<Vec<f64>> = (0..60)
        .map(|at| {
            (0..6)
                .map(|column| f64::from((at * 7 + column * 5) % 13 + column))
                .collect()
        })
        .collect();
    let basis = |choice| friedman(&rows, choice).map(|result| result.basis);
    assert_eq!(basis(ExactChoice::Auto), Ok(PValueBasis::Asymptotic));
    refused(basis(ExactChoice::Exact), "steps");
    assert_eq!(
        kruskal(&groups[..2], ExactChoice::Asymptotic).map(|result| result.basis),
        Ok(PValueBasis::Asymptotic)
    );
}

/// The largest samples that are counted unasked.
#[test]
fn counts_unasked_are_of_this_size() {
    let value = |at: usize| ((at * 37) % 101) as f64 + at as f64 / 1000.0;
    let is_exact = |sizes: &[usize]| {
        let mut at = 0..;
        let groups: Vec<Vec<f64>> = sizes
            .iter()
            .map(|&size| at.by_ref().take(size).map(value).collect())
            .collect();
        kruskal(&groups, ExactChoice::Auto).expect("a test").basis == PValueBasis::Exact
    };
    for sizes in [
        &[13, 13, 13][..],
        &[5, 5, 5, 5],
        &[3, 3, 3, 3, 3],
        &[2, 2, 2, 2, 2, 2, 2],
        &[30, 6, 5],
    ] {
        assert!(is_exact(sizes), "{sizes:?}");
    }
    assert!(!is_exact(&[15, 15, 15]));
    for (subjects, conditions) in [(150, 3), (25, 4), (9, 5)] {
        let rows: Vec<Vec<f64>> = (0..subjects)
            .map(|row| {
                (0..conditions)
                    .map(|column| value(row * conditions + column))
                    .collect()
            })
            .collect();
        let result = friedman(&rows, ExactChoice::Auto).expect("a test");
        assert_eq!(result.basis, PValueBasis::Exact, "{subjects} {conditions}");
    }
}

proptest! {
    #[test]
    fn groups_are_counted_as_one_by_one(
        groups in prop::collection::vec(prop::collection::vec(0..5_u8, 1..4), 2..5)
            .prop_filter("at most 9 values, not all equal", |groups| {
                let all = groups.concat();
                all.len() <= 9 && all.iter().any(|value| *value != all[0])
            }),
    ) {
        let groups: Vec<Vec<f64>> = groups
            .iter()
            .map(|group| group.iter().map(|value| f64::from(*value)).collect())
            .collect();
        let result = kruskal(&groups, ExactChoice::Auto).expect("a test");
        prop_assert_eq!(result.basis, PValueBasis::Exact);
        prop_assert!((result.p - kruskal_one_by_one(&groups)).abs() < 1e-12);
    }

    #[test]
    fn subjects_are_counted_as_one_by_one(
        rows in prop::collection::vec(prop::collection::vec(0..4_u8, 4), 2..4),
        conditions in 3..5_usize,
    ) {
        let rows: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| row[..conditions].iter().map(|value| f64::from(*value)).collect())
            .collect();
        if let Ok(result) = friedman(&rows, ExactChoice::Auto) {
            prop_assert_eq!(result.basis, PValueBasis::Exact);
            prop_assert!((result.p - friedman_one_by_one(&rows)).abs() < 1e-12);
        }
    }
}
