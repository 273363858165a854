//! Partitions of integers and of sets, and compositions.

use std::ops::ControlFlow;

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Zero as _};

use super::arrangements::ArrangementVisit;

/// The number of partitions of `n`, by Euler's theorem of pentagonal numbers; `n^1.5` additions.
pub fn count_partitions(n: u64) -> BigUint {
    let count = usize::try_from(n).unwrap_or(usize::MAX);
    let mut known: Vec<BigInt> = vec![BigInt::one()];
    for index in 1..=count {
        let mut sum = BigInt::zero();
        for k in 1_usize.. {
            let near = k * (3 * k - 1) / 2;
            if near > index {
                break;
            }
            let mut term = known[index - near].clone();
            if let Some(far) = known.get(index.wrapping_sub(near + k)) {
                term += far;
            }
            match k % 2 {
                1 => sum += term,
                _ => sum -= term,
            }
        }
        known.push(sum);
    }
    let last = known.swap_remove(count);
    last.to_biguint().unwrap_or_default()
}

/// The number of partitions of `n` into exactly `k` parts, by `p(n, k) = p(n-1, k-1) + p(n-k, k)`; `n k` additions.
pub fn count_partitions_into(n: u64, k: u64) -> BigUint {
    if k > n {
        return BigUint::zero();
    }
    if k == 0 {
        return BigUint::from(u8::from(n == 0));
    }
    // Partitions of n - k into parts of at most k.
    let rest = usize::try_from(n - k).unwrap_or(usize::MAX);
    let mut ways = vec![BigUint::zero(); rest + 1];
    ways[0] = BigUint::one();
    for part in 1..=usize::try_from(k).unwrap_or(usize::MAX).min(rest) {
        for sum in part..=rest {
            let before = ways[sum - part].clone();
            ways[sum] += before;
        }
    }
    ways.swap_remove(rest)
}

/// Which partitions of an integer are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartitionRule {
    /// The number of parts, if it is given.
    pub parts: Option<usize>,
    /// The largest part allowed.
    pub largest: usize,
    /// Whether all parts differ.
    pub are_distinct: bool,
}

/// Visits the partitions of `n`, parts in falling order, the one with the largest first part first.
pub fn visit_integer_partitions(
    n: usize,
    rule: PartitionRule,
    visit: &mut ArrangementVisit<'_>,
) -> ControlFlow<()> {
    let mut parts = Vec::new();
    partition_step(n, rule.largest.min(n), rule, &mut parts, visit)
}

fn partition_step(
    rest: usize,
    largest: usize,
    rule: PartitionRule,
    parts: &mut Vec<usize>,
    visit: &mut ArrangementVisit<'_>,
) -> ControlFlow<()> {
    if rest == 0 {
        return match rule.parts.is_none_or(|count| count == parts.len()) {
            true => visit(parts),
            false => ControlFlow::Continue(()),
        };
    }
    let room = rule.parts.map(|count| count.saturating_sub(parts.len()));
    if room == Some(0) || room.is_some_and(|room| room > rest) {
        return ControlFlow::Continue(());
    }
    for part in (1..=largest.min(rest)).rev() {
        if room.is_some_and(|room| part.saturating_mul(room) < rest) {
            break;
        }
        parts.push(part);
        let below = if rule.are_distinct { part - 1 } else { part };
        let flow = partition_step(rest - part, below, rule, parts, visit);
        parts.pop();
        flow?;
    }
    ControlFlow::Continue(())
}

/// Visits the compositions of `n`: sums in which the order of parts counts; of `parts` parts, if that is given.
pub fn visit_compositions(
    n: usize,
    parts: Option<usize>,
    visit: &mut ArrangementVisit<'_>,
) -> ControlFlow<()> {
    composition_step(n, parts, &mut Vec::new(), visit)
}

fn composition_step(
    rest: usize,
    room: Option<usize>,
    parts: &mut Vec<usize>,
    visit: &mut ArrangementVisit<'_>,
) -> ControlFlow<()> {
    if rest == 0 {
        return match room.is_none_or(|room| room == 0) {
            true => visit(parts),
            false => ControlFlow::Continue(()),
        };
    }
    if room.is_some_and(|room| room == 0 || room > rest) {
        return ControlFlow::Continue(());
    }
    for part in 1..=rest {
        if room == Some(1) && part < rest {
            continue;
        }
        parts.push(part);
        let flow = composition_step(rest - part, room.map(|room| room - 1), parts, visit);
        parts.pop();
        flow?;
    }
    ControlFlow::Continue(())
}

/// Visits the divisions of `n` items into sets, into `blocks` of them if that is given: the set of each item, counted in the order of their first
/// items (restricted growth; Knuth, The Art of Computer Programming 4A, 7.2.1.5).
pub fn visit_set_partitions(
    n: usize,
    blocks: Option<usize>,
    visit: &mut ArrangementVisit<'_>,
) -> ControlFlow<()> {
    set_partition_step(n, 0, blocks, &mut Vec::new(), visit)
}

fn set_partition_step(
    n: usize,
    used: usize,
    blocks: Option<usize>,
    labels: &mut Vec<usize>,
    visit: &mut ArrangementVisit<'_>,
) -> ControlFlow<()> {
    let missing = blocks.map(|blocks| blocks.saturating_sub(used));
    let has_too_many = blocks.is_some_and(|blocks| used > blocks);
    if has_too_many || missing.is_some_and(|missing| missing > n - labels.len()) {
        return ControlFlow::Continue(());
    }
    if labels.len() == n {
        return visit(labels);
    }
    let most = blocks.map_or(used, |blocks| used.min(blocks.saturating_sub(1)));
    for label in 0..=most {
        labels.push(label);
        let flow = set_partition_step(n, used.max(label + 1), blocks, labels, visit);
        labels.pop();
        flow?;
    }
    ControlFlow::Continue(())
}
