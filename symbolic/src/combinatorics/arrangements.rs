//! Visits of arrangements in lexicographic order, each once. An arrangement is a list of kinds of items; equal items are one kind.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use num_traits::{One as _, Zero as _};

use super::counts::binomial;

/// What is done with an arrangement; `Break` ends the visit.
pub type ArrangementVisit<'a> = dyn FnMut(&[usize]) -> ControlFlow<()> + 'a;

/// The number of distinct sequences of `k` items, of which there are `counts` of each kind.
pub fn count_multiset_permutations(counts: &[usize], k: usize) -> BigUint {
    // ways[j]: sequences of j items of the kinds so far; those of a kind take any places.
    let mut ways = vec![BigUint::zero(); k + 1];
    ways[0] = BigUint::one();
    for &count in counts {
        for length in (1..=k).rev() {
            let mut sum = ways[length].clone();
            for used in 1..=count.min(length) {
                let before = &ways[length - used];
                if !before.is_zero() {
                    sum += before * binomial(length as u64, used as u64);
                }
            }
            ways[length] = sum;
        }
    }
    ways.swap_remove(k)
}

/// The number of distinct choices of `k` items, of which there are `counts` of each kind.
pub fn count_multiset_combinations(counts: &[usize], k: usize) -> BigUint {
    let mut ways = vec![BigUint::zero(); k + 1];
    ways[0] = BigUint::one();
    for &count in counts {
        for size in (1..=k).rev() {
            let range = size.saturating_sub(count)..size;
            let sum: BigUint = ways[range].iter().sum();
            ways[size] += sum;
        }
    }
    ways.swap_remove(k)
}

/// Visits the distinct sequences of `k` items, of which there are `counts` of each kind.
pub fn visit_permutations(
    counts: &[usize],
    k: usize,
    visit: &mut ArrangementVisit<'_>,
) -> ControlFlow<()> {
    permutation_step(&mut counts.to_vec(), k, &mut Vec::new(), visit)
}

fn permutation_step(
    counts: &mut Vec<usize>,
    k: usize,
    chosen: &mut Vec<usize>,
    visit: &mut ArrangementVisit<'_>,
) -> ControlFlow<()> {
    if chosen.len() == k {
        return visit(chosen);
    }
    for kind in 0..counts.len() {
        if counts[kind] == 0 {
            continue;
        }
        counts[kind] -= 1;
        chosen.push(kind);
        let flow = permutation_step(counts, k, chosen, visit);
        chosen.pop();
        counts[kind] += 1;
        flow?;
    }
    ControlFlow::Continue(())
}

/// Visits the distinct choices of `k` items, of which there are `counts` of each kind, kinds in rising order.
pub fn visit_combinations(
    counts: &[usize],
    k: usize,
    visit: &mut ArrangementVisit<'_>,
) -> ControlFlow<()> {
    // How many items there are from each kind on.
    let mut after = vec![0_usize; counts.len() + 1];
    for kind in (0..counts.len()).rev() {
        after[kind] = after[kind + 1].saturating_add(counts[kind]);
    }
    combination_step(counts, &after, (0, 0), k, &mut Vec::new(), visit)
}

fn combination_step(
    counts: &[usize],
    after: &[usize],
    (first, used): (usize, usize),
    k: usize,
    chosen: &mut Vec<usize>,
    visit: &mut ArrangementVisit<'_>,
) -> ControlFlow<()> {
    let Some(missing) = k.checked_sub(chosen.len()).filter(|missing| *missing > 0) else {
        return visit(chosen);
    };
    for kind in first..counts.len() {
        let taken = if kind == first { used } else { 0 };
        if after[kind] - taken < missing {
            break;
        }
        if taken >= counts[kind] {
            continue;
        }
        chosen.push(kind);
        let flow = combination_step(counts, after, (kind, taken + 1), k, chosen, visit);
        chosen.pop();
        flow?;
    }
    ControlFlow::Continue(())
}

/// Visits the sequences with one item of each of several sets of the given sizes, the last changing fastest.
pub fn visit_product(sizes: &[usize], visit: &mut ArrangementVisit<'_>) -> ControlFlow<()> {
    if sizes.contains(&0) {
        return ControlFlow::Continue(());
    }
    let mut chosen = vec![0; sizes.len()];
    loop {
        visit(&chosen)?;
        let Some(place) = (0..sizes.len()).rfind(|&place| chosen[place] + 1 < sizes[place]) else {
            return ControlFlow::Continue(());
        };
        chosen[place] += 1;
        chosen[place + 1..].fill(0);
    }
}
