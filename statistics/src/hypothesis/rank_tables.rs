//! Exact distributions of the rank sums of three and four groups, with ties: a table of sums for each way to have so many ranks in each group.
//!
//! Ranks are added in ascending order. The sum of the largest group is what is left, so that a table has an axis for each other group, from its least sum to
//! its largest. Numbers of arrangements are doubles, exact below 2^53.

use super::rank_states::{GroupedRanks, RankArrangements};

/// Steps of a cell of a table, beside those that [`RankArrangements::steps`] counts.
const STEPS_A_CELL: f64 = 0.1;

/// The sums of the groups beside the largest one, by their numbers of ranks.
#[derive(Debug, Clone, Default)]
struct SumTable {
    /// Numbers of sums on each axis.
    extent: [usize; 3],
    numbers: Vec<f64>,
}

impl SumTable {
    /// Adds a table whose cells are moved on one axis.
    fn add(&mut self, other: &Self, moved: [usize; 3]) {
        let [_, rows, columns] = self.extent;
        for first in 0..other.extent[0] {
            for second in 0..other.extent[1] {
                let from = (first * other.extent[1] + second) * other.extent[2];
                let from = &other.numbers[from..from + other.extent[2]];
                let to = ((first + moved[0]) * rows + second + moved[1]) * columns + moved[2];
                for (sum, number) in self.numbers[to..to + from.len()].iter_mut().zip(from) {
                    *sum += number;
                }
            }
        }
    }
}

/// Arrangements of three or four groups.
#[derive(Debug)]
pub(crate) struct GroupTables {
    ranks: GroupedRanks,
    /// Sizes of the groups beside the largest one; the first is 0 for three groups.
    sizes: [usize; 3],
    /// Sums of so many of the smallest ranks.
    below: Vec<usize>,
}

impl GroupTables {
    pub(crate) fn new(ranks: GroupedRanks) -> Self {
        let mut sizes = [0; 3];
        for (size, &other) in sizes.iter_mut().rev().zip(ranks.sizes[1..].iter().rev()) {
            *size = other;
        }
        Self {
            below: ranks.sums_from_below(),
            ranks,
            sizes,
        }
    }

    /// All numbers of ranks in the groups beside the largest one.
    fn counts(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [a, b, c] = self.sizes;
        (0..=a).flat_map(move |first| {
            (0..=b).flat_map(move |second| (0..=c).map(move |third| [first, second, third]))
        })
    }

    fn place(&self, counts: [usize; 3]) -> usize {
        let [_, b, c] = self.sizes;
        (counts[0] * (b + 1) + counts[1]) * (c + 1) + counts[2]
    }

    /// The numbers of sums of the groups, when so many ranks are in them and the rest of `placed` ranks in the largest; `None` where that is not possible.
    fn extent(&self, counts: [usize; 3], placed: usize) -> Option<[usize; 3]> {
        let rest = placed.checked_sub(counts.iter().sum())?;
        let below = &self.below;
        (rest <= self.ranks.sizes[0])
            .then(|| counts.map(|count| below[placed] - below[placed - count] - below[count] + 1))
    }

    /// The tables with one rank more.
    fn next_layer(&self, layer: &[SumTable], placed: usize) -> Vec<SumTable> {
        let ranks = &self.ranks.ranks;
        let grown = self.counts().map(|counts| {
            let Some(extent) = self.extent(counts, placed + 1) else {
                return SumTable::default();
            };
            let mut table = SumTable {
                extent,
                numbers: vec![0.0; extent.iter().product()],
            };
            table.add(&layer[self.place(counts)], [0; 3]);
            for (axis, &count) in counts.iter().enumerate() {
                if count > 0 {
                    let (mut before, mut moved) = (counts, [0; 3]);
                    before[axis] = count - 1;
                    // Sums are counted from the least sum, that of the smallest ranks.
                    moved[axis] = ranks[placed] - ranks[count - 1];
                    table.add(&layer[self.place(before)], moved);
                }
            }
            table
        });
        grown.collect()
    }
}

impl RankArrangements for GroupTables {
    fn steps(&self, limit: f64) -> f64 {
        let mut steps = 0.0;
        for placed in 1..=self.ranks.ranks.len() {
            let cells = |counts| Some(self.extent(counts, placed)?.map(|sums| sums as f64));
            let cells: f64 = self
                .counts()
                .filter_map(cells)
                .map(|it| it.iter().product::<f64>())
                .sum();
            steps += cells * self.ranks.sizes.len() as f64 * STEPS_A_CELL;
            if steps > limit {
                break;
            }
        }
        steps
    }

    fn upper_tail(&self) -> f64 {
        let mut layer = vec![SumTable::default(); self.counts().count()];
        layer[0] = SumTable {
            extent: [1; 3],
            numbers: vec![1.0],
        };
        let count = self.ranks.ranks.len();
        for placed in 0..count {
            layer = self.next_layer(&layer, placed);
        }
        let [_, rows, columns] = layer[self.place(self.sizes)].extent;
        let (mut inside, mut all) = (0.0, 0.0);
        for (at, number) in layer[self.place(self.sizes)].numbers.iter().enumerate() {
            let places = [at / columns / rows, at / columns % rows, at % columns];
            let sums: [usize; 3] =
                std::array::from_fn(|axis| places[axis] + self.below[self.sizes[axis]]);
            // Cells outside of the sums that occur are 0, and may leave the largest group less than nothing.
            let rest = self.below[count].saturating_sub(sums.iter().sum());
            let groups = self.ranks.sizes.len() - 1;
            let others = sums[3 - groups..].iter().copied();
            all += number;
            if *number > 0.0
                && self
                    .ranks
                    .is_as_extreme(std::iter::once(rest).chain(others))
            {
                inside += number;
            }
        }
        inside / all
    }
}

#[cfg(test)]
mod tests {
    use super::super::rank_states::GroupStates;
    use super::super::sample::SampleRanks;
    use super::*;

    /// Both ways to count are of one distribution, with ties of one, two and three values.
    #[test]
    fn tables_agree_with_states() {
        for sizes in [&[5, 5, 5][..], &[5, 4, 3], &[4, 4, 3, 2], &[8, 7, 6]] {
            let count: usize = sizes.iter().sum();
            for tie in 1..=3 {
                let values: Vec<f64> = (0..count).map(|at| (at * 5 % count / tie) as f64).collect();
                let ranks = SampleRanks::new(&values).ranks;
                let grouped = || GroupedRanks::new(&ranks, sizes).expect("ranks");
                let states = GroupStates(grouped()).upper_tail();
                let tables = GroupTables::new(grouped()).upper_tail();
                assert!((states - tables).abs() <= 1e-13, "{sizes:?} {tie}");
            }
        }
    }
}
