//! Exact distributions of rank sums, with ties: all ways to choose ranks, counted by dynamic programming.
//!
//! Ranks are doubled, so that mean ranks of ties are whole. Counts are doubles; all terms are positive, so that each probability is good to some
//! 1e-14 of itself.
//!
//! # References
//! B. Streitberg and J. Roehmel, "Exact distributions for permutations and rank tests", Stat. Softw. Newsl. 12, 1986.

/// Both tails of a statistic, each with the observed value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BothTails {
    pub lower: f64,
    pub upper: f64,
}

/// Numbers of ways by doubled sum, from the least sum on.
#[derive(Debug, Clone)]
pub(crate) struct SumCounts {
    counts: Vec<f64>,
}

/// Doubled ranks in ascending order; halved again where all are even, which they are without ties.
pub(crate) fn whole_ranks(ranks: &[f64]) -> (Vec<usize>, usize) {
    let mut doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank) as usize).collect();
    doubled.sort_unstable();
    match doubled.iter().all(|rank| rank % 2 == 0) {
        true => (doubled.iter().map(|rank| rank / 2).collect(), 1),
        false => (doubled, 2),
    }
}

impl SumCounts {
    /// The sums of `chosen` of the ranks.
    pub(crate) fn of_choices(ranks: &[f64], chosen: usize) -> (Self, usize) {
        let (whole, unit) = whole_ranks(ranks);
        let largest: usize = whole[whole.len() - chosen..].iter().sum();
        let mut table = vec![vec![0.0; largest + 1]; chosen + 1];
        table[0][0] = 1.0;
        // Largest sum reached by each number of chosen ranks, so that nothing is added where all is 0.
        let mut reach = vec![0; chosen + 1];
        for (index, &rank) in whole.iter().enumerate() {
            let most = (index + 1).min(chosen);
            let fewest = (index + 1 + chosen).saturating_sub(whole.len()).max(1);
            for count in (fewest..=most).rev() {
                let (before, after) = table.split_at_mut(count);
                let (from, to) = (&before[count - 1], &mut after[0]);
                let end = (reach[count - 1] + rank).min(largest);
                for sum in rank..=end {
                    to[sum] += from[sum - rank];
                }
                reach[count] = reach[count].max(end);
            }
        }
        (
            Self {
                counts: table.pop().unwrap_or_default(),
            },
            unit,
        )
    }

    /// The sums of any of the ranks.
    pub(crate) fn of_subsets(ranks: &[f64]) -> (Self, usize) {
        let (whole, unit) = whole_ranks(ranks);
        let total: usize = whole.iter().sum();
        let mut counts = vec![0.0; total + 1];
        counts[0] = 1.0;
        let mut reach = 0;
        for rank in whole {
            reach += rank;
            for sum in (rank..=reach).rev() {
                counts[sum] += counts[sum - rank];
            }
        }
        (Self { counts }, unit)
    }

    /// Tails at a sum in the units of the counts.
    pub(crate) fn tails(&self, sum: usize) -> BothTails {
        let total: f64 = self.counts.iter().sum();
        let sum = sum.min(self.counts.len() - 1);
        BothTails {
            lower: self.counts[..=sum].iter().sum::<f64>() / total,
            upper: self.counts[sum..].iter().rev().sum::<f64>() / total,
        }
    }

    /// The share of the sums that are as far from a centre, given doubled, as `sum`.
    pub(crate) fn outer_share(&self, sum: usize, doubled_centre: usize) -> f64 {
        let total: f64 = self.counts.iter().sum();
        let distance = |sum: usize| (2 * sum).abs_diff(doubled_centre);
        let outside = |at: &usize| distance(*at) >= distance(sum);
        let outer: f64 = (0..self.counts.len())
            .filter(outside)
            .map(|at| self.counts[at])
            .sum();
        outer / total
    }

    /// The largest sum whose lower tail is at most `p`; `None` where that of the least sum is larger.
    pub(crate) fn critical_sum(&self, p: f64) -> Option<usize> {
        let total: f64 = self.counts.iter().sum();
        let (mut below, mut last) = (0.0, None);
        for (sum, count) in self.counts.iter().enumerate() {
            below += count;
            if below > p * total * (1.0 + 1e-12) {
                break;
            }
            if below > 0.0 {
                last = Some(sum);
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two of 1, 2, 3, 4: the sums 3, 4, 5, 5, 6, 7.
    #[test]
    fn sums_of_two_of_four() {
        let (counts, unit) = SumCounts::of_choices(&[1.0, 2.0, 3.0, 4.0], 2);
        assert_eq!(unit, 1);
        assert_eq!(&counts.counts[3..], [1.0, 1.0, 2.0, 1.0, 1.0]);
        let tails = counts.tails(4);
        assert!((tails.lower - 2.0 / 6.0).abs() < 1e-15);
        assert!((tails.upper - 5.0 / 6.0).abs() < 1e-15);
    }

    /// Ranks 1.5, 1.5, 3: one of them; and the eight sums of any of 1, 2, 3.
    #[test]
    fn ties_are_doubled() {
        let (counts, unit) = SumCounts::of_choices(&[1.5, 3.0, 1.5], 1);
        assert_eq!(unit, 2);
        assert_eq!(counts.counts, [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0]);
        let (subsets, _) = SumCounts::of_subsets(&[1.0, 2.0, 3.0]);
        assert_eq!(subsets.counts, [1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]);
        assert_eq!(subsets.critical_sum(0.25), Some(1));
        assert_eq!(subsets.critical_sum(0.1), None);
    }
}
