//! Exact distributions of the rank sums of several groups, and of several conditions of the same subjects, with ties.
//!
//! Arrangements with the same sums are one state with a number, and states that differ only in the order of groups of one size are one. Observations
//! (or subjects) are added one by one. A state is one integer: a lane of bits for each group. Numbers are doubles, all of them positive, so that each
//! probability is good to some 1e-14 of itself; they are exact below 2^53.
//!
//! # References
//! B. Streitberg and J. Roehmel, "Exact distributions for permutations and rank tests", Stat. Softw. Newsl. 12, 1986; W. H. Kruskal and W. A. Wallis,
//! JASA 47, 1952; M. Friedman, JASA 32, 1937.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::outcome::HypothesisError;
use super::rank_sums::whole_ranks;

/// Most groups or conditions: the lanes of a key.
const LANES_MAX: usize = 7;
const LANE_BITS: u32 = 18;
/// Of a group: its sum below, its count above. All ranks together are below 2^12, since there are at most 63 observations.
const SUM_BITS: u32 = 12;
/// Doubled ranks of so many subjects stay below 2^18.
const SUBJECTS_MAX: usize = 18_000;
const OBSERVATIONS_MAX: usize = 63;
/// Steps of a rank that is placed into a group of a state.
const STEPS_A_PLACING: f64 = 4.0;
/// Steps of an order of a subject that is added to a state.
const STEPS_AN_ORDER: f64 = 2.0;
/// Beyond this the numbers are scaled, so that none overflows.
const SCALED_FROM: f64 = 1e200;

/// Mixes the two halves of a key; the same in every run, so that sums have one order.
#[derive(Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u128(&mut self, key: u128) {
        let low = key as u64 ^ 0x9e37_79b9_7f4a_7c15;
        let high = (key >> 64) as u64 ^ 0xd1b5_4a32_d192_ed03;
        let product = u128::from(low) * u128::from(high);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

type StateNumbers = HashMap<u128, f64, BuildHasherDefault<KeyHasher>>;
type Lanes = [u32; LANES_MAX];

fn lanes_of(key: u128) -> Lanes {
    std::array::from_fn(|at| (key >> (LANE_BITS * at as u32)) as u32 & ((1 << LANE_BITS) - 1))
}

fn key_of(lanes: &Lanes) -> u128 {
    lanes
        .iter()
        .rev()
        .fold(0, |key, &lane| key << LANE_BITS | u128::from(lane))
}

/// The share of the numbers of those states that pass.
fn share_of_states(states: &StateNumbers, passes: impl Fn(&Lanes) -> bool) -> f64 {
    let (mut inside, mut all) = (0.0, 0.0);
    for (&key, number) in states {
        all += number;
        inside += if passes(&lanes_of(key)) { *number } else { 0.0 };
    }
    inside / all
}

/// All arrangements of ranks, of which some were observed.
pub(crate) trait RankArrangements {
    /// About the time of counting them, in steps of about ten nanoseconds; somewhere above `limit` where it is above.
    fn steps(&self, limit: f64) -> f64;

    /// The share of the arrangements whose statistic is at least that observed.
    fn upper_tail(&self) -> f64;
}

/// Refuses more of something than a key holds.
fn check_most(what: &'static str, limit: usize, found: usize) -> Result<(), HypothesisError> {
    match found > limit {
        true => Err(HypothesisError::TooMany { what, limit, found }),
        false => Ok(()),
    }
}

/// The ranks of observations in groups, reduced without a change of the order of statistics.
#[derive(Debug)]
pub(crate) struct GroupedRanks {
    /// Whole ranks less the least one, over what divides all of them; ascending.
    pub ranks: Vec<usize>,
    /// Sizes, descending.
    pub sizes: Vec<usize>,
    /// A common multiple of the sizes.
    multiple: u128,
    /// The weighted squares of the sums that were observed.
    observed: u128,
}

fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl GroupedRanks {
    /// The ranks of all observations, group by group.
    pub(crate) fn new(ranks: &[f64], sizes: &[usize]) -> Result<Self, HypothesisError> {
        check_most("groups for an exact test", LANES_MAX, sizes.len())?;
        check_most(
            "observations in more than two groups for an exact test",
            OBSERVATIONS_MAX,
            ranks.len(),
        )?;
        let (mut whole, unit) = whole_ranks(ranks);
        let least = whole[0];
        let divisor = whole.iter().fold(0, |divisor, &rank| {
            common_divisor(divisor, (rank - least) as u128)
        });
        let divisor = divisor.max(1) as usize;
        for rank in &mut whole {
            *rank = (*rank - least) / divisor;
        }
        let multiple = sizes.iter().fold(1, |multiple, &size| {
            multiple / common_divisor(multiple, size as u128) * size as u128
        });
        let (mut start, mut observed) = (0, 0);
        for &size in sizes {
            let own: f64 = ranks[start..start + size].iter().sum();
            let own = (own * unit as f64).round() as usize;
            observed += weighted_square((own - size * least) / divisor, size, multiple);
            start += size;
        }
        let mut sizes = sizes.to_vec();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        Ok(Self {
            ranks: whole,
            sizes,
            multiple,
            observed,
        })
    }

    /// Sums of so many of the smallest ranks.
    pub(crate) fn sums_from_below(&self) -> Vec<usize> {
        let mut below = vec![0; self.ranks.len() + 1];
        for (at, rank) in self.ranks.iter().enumerate() {
            below[at + 1] = below[at] + rank;
        }
        below
    }

    /// Whether the sums of the groups speak at least as much against the hypothesis as those observed: squares over sizes, in whole numbers.
    pub(crate) fn is_as_extreme(&self, sums: impl Iterator<Item = usize>) -> bool {
        let squares = sums
            .zip(&self.sizes)
            .map(|(sum, &size)| weighted_square(sum, size, self.multiple));
        squares.sum::<u128>() >= self.observed
    }
}

/// The square of a sum over the size of its group, times a common multiple of the sizes.
fn weighted_square(sum: usize, size: usize, multiple: u128) -> u128 {
    (sum as u128).pow(2) * (multiple / size as u128)
}

/// Arrangements of five groups or more, whose states with groups in another order are one.
#[derive(Debug)]
pub(crate) struct GroupStates(pub(crate) GroupedRanks);

impl GroupStates {
    /// Adds the states of every way to complete the counts of the first groups; false once they are too many.
    fn add_steps(
        &self,
        group: usize,
        counts: &mut [usize],
        below: &[usize],
        limit: f64,
        steps: &mut f64,
    ) -> bool {
        if group == counts.len() {
            *steps += self.states(counts, below) * counts.len() as f64 * STEPS_A_PLACING;
            return *steps <= limit;
        }
        let is_alike = group > 0 && self.0.sizes[group] == self.0.sizes[group - 1];
        let most = match is_alike {
            true => counts[group - 1],
            false => self.0.sizes[group],
        };
        (0..=most).all(|count| {
            counts[group] = count;
            self.add_steps(group + 1, counts, below, limit, steps)
        })
    }

    /// At least the number of states with these counts: the product of the numbers of sums that each group can have, but for one group, whose sum is
    /// what is left; over the orders of groups with one size and count.
    fn states(&self, counts: &[usize], below: &[usize]) -> f64 {
        let all: usize = counts.iter().sum();
        let (mut product, mut largest, mut orders, mut alike) = (1.0, 1.0_f64, 1.0, 1.0);
        for (group, &count) in counts.iter().enumerate() {
            let sums = (below[all] - below[all - count] - below[count] + 1) as f64;
            product *= sums;
            largest = largest.max(sums);
            let same = group > 0
                && self.0.sizes[group] == self.0.sizes[group - 1]
                && count == counts[group - 1];
            alike = if same { alike + 1.0 } else { 1.0 };
            orders *= alike;
        }
        (product / largest / orders).max(1.0)
    }

    /// Places one rank into each group with room; groups in one state are one with their number.
    fn place(&self, rank: u32, lanes: &Lanes, number: f64, next: &mut StateNumbers) {
        let is_alike = |group: usize| {
            group > 0
                && self.0.sizes[group] == self.0.sizes[group - 1]
                && lanes[group] == lanes[group - 1]
        };
        for (group, &size) in self.0.sizes.iter().enumerate() {
            if (lanes[group] >> SUM_BITS) as usize == size || is_alike(group) {
                continue;
            }
            let later = (group + 1..self.0.sizes.len()).take_while(|&at| is_alike(at));
            let ways = (1 + later.count()) as f64;
            let mut placed = *lanes;
            placed[group] += (1 << SUM_BITS) + rank;
            let mut at = group;
            while at > 0 && self.0.sizes[at] == self.0.sizes[at - 1] && placed[at] > placed[at - 1]
            {
                placed.swap(at, at - 1);
                at -= 1;
            }
            *next.entry(key_of(&placed)).or_default() += number * ways;
        }
    }
}

impl RankArrangements for GroupStates {
    fn steps(&self, limit: f64) -> f64 {
        let below = self.0.sums_from_below();
        let mut counts = vec![0; self.0.sizes.len()];
        let mut steps = 0.0;
        self.add_steps(0, &mut counts, &below, limit, &mut steps);
        steps
    }

    fn upper_tail(&self) -> f64 {
        let mut states = StateNumbers::default();
        states.insert(0, 1.0);
        for &rank in &self.0.ranks {
            let mut next = StateNumbers::with_capacity_and_hasher(
                states.len() + states.len() / 2,
                BuildHasherDefault::default(),
            );
            for (&key, &number) in &states {
                self.place(rank as u32, &lanes_of(key), number, &mut next);
            }
            states = next;
        }
        share_of_states(&states, |lanes| {
            let sums = lanes.map(|lane| (lane & ((1 << SUM_BITS) - 1)) as usize);
            self.0.is_as_extreme(sums.into_iter())
        })
    }
}

/// Ranks of several conditions within each subject, in any order.
#[derive(Debug)]
pub(crate) struct SubjectArrangements {
    /// Whole ranks of each subject, ascending; subjects in an order of their own.
    subjects: Vec<Vec<u32>>,
    /// The squares of the sums that were observed.
    observed: u64,
}

impl SubjectArrangements {
    /// The ranks of `conditions` within each subject.
    pub(crate) fn new(rows: &[Vec<f64>], conditions: usize) -> Result<Self, HypothesisError> {
        check_most("conditions for an exact test", LANES_MAX, conditions)?;
        check_most("subjects for an exact test", SUBJECTS_MAX, rows.len())?;
        let is_whole = rows.iter().flatten().all(|rank| rank.fract() == 0.0);
        let unit = if is_whole { 1.0 } else { 2.0 };
        let mut sums = vec![0_u64; conditions];
        let mut subjects = Vec::with_capacity(rows.len());
        for row in rows {
            let mut whole: Vec<u32> = row.iter().map(|rank| (unit * rank) as u32).collect();
            for (sum, &rank) in sums.iter_mut().zip(&whole) {
                *sum += u64::from(rank);
            }
            whole.sort_unstable();
            subjects.push(whole);
        }
        subjects.sort_unstable();
        Ok(Self {
            subjects,
            observed: sums.iter().map(|sum| sum * sum).sum(),
        })
    }

    fn add_subject(&self, states: &StateNumbers, orders: &[Lanes]) -> StateNumbers {
        let conditions = self.subjects[0].len();
        let total: f64 = states.values().sum();
        let scale = if total > SCALED_FROM {
            0.5_f64.powi(512)
        } else {
            1.0
        };
        let mut next =
            StateNumbers::with_capacity_and_hasher(2 * states.len(), BuildHasherDefault::default());
        for (&key, &number) in states {
            let lanes = lanes_of(key);
            for order in orders {
                let mut sums = lanes;
                for (sum, rank) in sums.iter_mut().zip(order) {
                    *sum += rank;
                }
                sums[..conditions].sort_unstable();
                *next.entry(key_of(&sums)).or_default() += number * scale;
            }
        }
        next
    }
}

impl RankArrangements for SubjectArrangements {
    fn steps(&self, limit: f64) -> f64 {
        let conditions = self.subjects[0].len();
        let orders: f64 = (1..=conditions).map(|at| at as f64).product();
        let (mut reach, mut states, mut steps) = (0.0, 1.0_f64, 0.0);
        for (at, subject) in self.subjects.iter().enumerate() {
            let ways = distinct_orders(subject);
            reach += f64::from(subject[conditions - 1] - subject[0]);
            if at == 0 {
                continue;
            }
            steps += states * ways * STEPS_AN_ORDER;
            let spread = (reach + conditions as f64).powi(conditions as i32 - 1) / orders;
            states = (states * ways).min(spread.max(1.0));
            if steps > limit {
                break;
            }
        }
        steps
    }

    fn upper_tail(&self) -> f64 {
        let mut states = StateNumbers::default();
        // The order of conditions is free: the first subject has one state.
        let mut first = Lanes::default();
        first[..self.subjects[0].len()].copy_from_slice(&self.subjects[0]);
        states.insert(key_of(&first), 1.0);
        let mut orders: Vec<Lanes> = Vec::new();
        for pair in self.subjects.windows(2) {
            if orders.is_empty() || pair[0] != pair[1] {
                orders = orders_of(&pair[1]);
            }
            states = self.add_subject(&states, &orders);
        }
        share_of_states(&states, |lanes| {
            let squares = lanes.iter().map(|&sum| u64::from(sum).pow(2));
            squares.sum::<u64>() >= self.observed
        })
    }
}

/// The number of orders of ascending ranks that differ.
fn distinct_orders(ranks: &[u32]) -> f64 {
    let (mut orders, mut alike) = (1.0, 1.0);
    for at in 1..ranks.len() {
        alike = if ranks[at] == ranks[at - 1] {
            alike + 1.0
        } else {
            1.0
        };
        orders *= (at + 1) as f64 / alike;
    }
    orders
}

/// All different orders of ascending ranks, by the next one in lexicographic order.
fn orders_of(ranks: &[u32]) -> Vec<Lanes> {
    let mut lanes = Lanes::default();
    let count = ranks.len();
    lanes[..count].copy_from_slice(ranks);
    let mut orders = vec![lanes];
    while let Some(at) = (1..count).rev().find(|&at| lanes[at - 1] < lanes[at]) {
        let swapped = (at..count)
            .rev()
            .find(|&other| lanes[other] > lanes[at - 1]);
        lanes.swap(at - 1, swapped.unwrap_or(at));
        lanes[at..count].reverse();
        orders.push(lanes);
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_with_ties_are_listed_once() {
        for (ranks, orders) in [
            (&[1, 2, 3][..], 6),
            (&[2, 2, 5], 3),
            (&[3, 3, 3], 1),
            (&[1, 4, 4, 6, 9], 60),
        ] {
            let listed = orders_of(ranks);
            assert_eq!(listed.len(), orders);
            assert_eq!(distinct_orders(ranks), orders as f64);
            let mut unique: Vec<u128> = listed.iter().map(key_of).collect();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), orders);
        }
    }

    #[test]
    fn keys_hold_their_lanes() {
        let lanes = [1, 0, (1 << LANE_BITS) - 1, 77, 4095, 5, 262_000];
        assert_eq!(lanes_of(key_of(&lanes)), lanes);
    }
}
