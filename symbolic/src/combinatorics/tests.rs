//! Counts against enumerations, and against values of OEIS.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use num_bigint::{BigInt, BigUint};
use num_traits::One as _;

use super::*;

/// All arrangements of a visit; none may occur twice.
fn collect(run: impl FnOnce(&mut ArrangementVisit<'_>) -> ControlFlow<()>) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let flow = run(&mut |one: &[usize]| {
        all.push(one.to_vec());
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    let distinct: BTreeSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), all.len(), "an arrangement occurs twice");
    all
}

fn count(run: impl FnOnce(&mut ArrangementVisit<'_>) -> ControlFlow<()>) -> BigUint {
    collect(run).len().into()
}

#[test]
fn counts_are_those_of_enumerations() {
    for n in 0_usize..7 {
        let ones = vec![1; n];
        for k in 0..8 {
            let (wide, choose) = (n as u64, k as u64);
            assert_eq!(
                count(|v| visit_permutations(&ones, k, v)),
                count_permutations(wide, choose)
            );
            assert_eq!(
                count(|v| visit_combinations(&ones, k, v)),
                binomial(wide, choose)
            );
            assert_eq!(
                count(|v| visit_combinations(&vec![k; n], k, v)),
                count_multisets(wide, choose)
            );
            assert_eq!(
                count(|v| visit_set_partitions(n, Some(k), v)),
                stirling_second(wide, choose)
            );
            let rule = PartitionRule {
                parts: Some(k),
                largest: n,
                are_distinct: false,
            };
            assert_eq!(
                count(|v| visit_integer_partitions(n, rule, v)),
                count_partitions_into(wide, choose)
            );
            let compositions = if n == 0 {
                u8::from(k == 0).into()
            } else if k == 0 {
                0_u8.into()
            } else {
                binomial(wide - 1, choose - 1)
            };
            assert_eq!(count(|v| visit_compositions(n, Some(k), v)), compositions);
        }
        let permutations = collect(|v| visit_permutations(&ones, n, v));
        let deranged = permutations
            .iter()
            .filter(|one| one.iter().enumerate().all(|(at, item)| at != *item));
        assert_eq!(count_derangements(n as u64), deranged.count().into());
        for k in 0..8 {
            let ascents =
                |one: &&Vec<usize>| one.windows(2).filter(|pair| pair[0] < pair[1]).count() == k;
            assert_eq!(
                eulerian_number(n as u64, k as u64),
                permutations.iter().filter(ascents).count().into()
            );
            let cycles = |one: &&Vec<usize>| count_cycles(one) == k;
            assert_eq!(
                stirling_first(n as u64, k as u64),
                permutations.iter().filter(cycles).count().into()
            );
        }
        assert_eq!(
            bell_number(n as u64),
            count(|v| visit_set_partitions(n, None, v))
        );
    }
}

fn count_cycles(permutation: &[usize]) -> usize {
    let mut seen = vec![false; permutation.len()];
    let mut cycles = 0;
    for start in 0..permutation.len() {
        let mut at = start;
        cycles += usize::from(!seen[start]);
        while !seen[at] {
            seen[at] = true;
            at = permutation[at];
        }
    }
    cycles
}

#[test]
fn equal_items_are_one_kind() {
    let counts = [2, 1, 3];
    for k in 0..8 {
        assert_eq!(
            count(|v| visit_permutations(&counts, k, v)),
            count_multiset_permutations(&counts, k)
        );
        assert_eq!(
            count(|v| visit_combinations(&counts, k, v)),
            count_multiset_combinations(&counts, k)
        );
    }
    assert_eq!(
        multinomial(&[2, 1, 3]),
        count_multiset_permutations(&counts, 6)
    );
    // MISSISSIPPI
    assert_eq!(multinomial(&[1, 4, 4, 2]), 34_650_u32.into());
}

#[test]
fn orders_are_lexicographic() {
    let combinations = collect(|v| visit_combinations(&[1; 4], 2, v));
    assert_eq!(
        combinations,
        [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    );
    let product = collect(|v| visit_product(&[2, 3], v));
    assert_eq!(product, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
    assert!(collect(|v| visit_product(&[2, 0], v)).is_empty());
    let rule = PartitionRule {
        parts: None,
        largest: 5,
        are_distinct: true,
    };
    assert_eq!(
        collect(|v| visit_integer_partitions(5, rule, v)),
        [vec![5], vec![4, 1], vec![3, 2]]
    );
    let mut seen = 0;
    let flow = visit_permutations(&[1; 9], 9, &mut |_| {
        seen += 1;
        match seen {
            3 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    assert!(flow.is_break() && seen == 3);
}

#[test]
fn sequences_are_those_of_oeis() {
    let texts = |list: Vec<String>| list.join(" ");
    // A000041
    assert_eq!(
        texts((0..13).map(|n| count_partitions(n).to_string()).collect()),
        "1 1 2 3 5 7 11 15 22 30 42 56 77"
    );
    assert_eq!(
        count_partitions(1000).to_string(),
        "24061467864032622473692149727991"
    );
    // A000110, A000108, A000166
    assert_eq!(
        texts((0..9).map(|n| bell_number(n).to_string()).collect()),
        "1 1 2 5 15 52 203 877 4140"
    );
    assert_eq!(
        texts((0..9).map(|n| catalan_number(n).to_string()).collect()),
        "1 1 2 5 14 42 132 429 1430"
    );
    assert_eq!(
        texts((0..8).map(|n| count_derangements(n).to_string()).collect()),
        "1 0 1 2 9 44 265 1854"
    );
    // A027641 / A027642, A122045
    assert_eq!(
        texts((0..13).map(|n| bernoulli_number(n).to_string()).collect()),
        "1 -1/2 1/6 0 -1/30 0 1/42 0 -1/30 0 5/66 0 -691/2730"
    );
    assert_eq!(
        texts((0..11).map(|n| euler_number(n).to_string()).collect()),
        "1 0 -1 0 5 0 -61 0 1385 0 -50521"
    );
    // A000045, A000032
    let pairs: Vec<_> = (0..10).map(fibonacci_and_lucas).collect();
    assert_eq!(
        texts(pairs.iter().map(|pair| pair.0.to_string()).collect()),
        "0 1 1 2 3 5 8 13 21 34"
    );
    assert_eq!(
        texts(pairs.iter().map(|pair| pair.1.to_string()).collect()),
        "2 1 3 4 7 11 18 29 47 76"
    );
    let (fibonacci, lucas) = fibonacci_and_lucas(1001);
    let identity = BigInt::from(&lucas * &lucas) - BigInt::from(&fibonacci * &fibonacci * 5_u8);
    assert_eq!(identity, BigInt::from(-4));
    assert!(count_permutations(5, 0).is_one());
}
