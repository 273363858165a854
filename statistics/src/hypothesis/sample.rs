//! Moments, orders and ranks of a sample.

/// Arithmetic mean, corrected once for the rounding of its sum.
pub(crate) fn mean(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let first = x.iter().sum::<f64>() / n;
    first + x.iter().map(|value| value - first).sum::<f64>() / n
}

/// Sum of squared deviations from the mean.
pub(crate) fn squared_deviations(x: &[f64]) -> f64 {
    let centre = mean(x);
    x.iter().map(|value| (value - centre).powi(2)).sum()
}

/// Variance with divisor n - 1.
pub(crate) fn variance(x: &[f64]) -> f64 {
    squared_deviations(x) / (x.len() as f64 - 1.0)
}

/// Whether all values are one.
pub(crate) fn is_constant(x: &[f64]) -> bool {
    x.windows(2).all(|pair| pair[0] == pair[1])
}

/// The values in ascending order.
pub(crate) fn sorted(x: &[f64]) -> Vec<f64> {
    let mut values = x.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// Median of sorted values.
pub(crate) fn sorted_median(values: &[f64]) -> f64 {
    let n = values.len();
    match n % 2 {
        1 => values[n / 2],
        _ => 0.5 * values[n / 2 - 1] + 0.5 * values[n / 2],
    }
}

/// Median.
pub(crate) fn median(x: &[f64]) -> f64 {
    sorted_median(&sorted(x))
}

/// Ranks from 1, equal values sharing their mean rank.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SampleRanks {
    /// The rank of each value, in the order of the sample.
    pub ranks: Vec<f64>,
    /// Sizes of the groups of equal values, in ascending order of the values.
    pub groups: Vec<usize>,
}

impl SampleRanks {
    pub(crate) fn new(x: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        let (mut ranks, mut groups) = (vec![0.0; x.len()], Vec::new());
        let mut start = 0;
        while start < order.len() {
            let value = x[order[start]];
            let equal = order[start..].iter().take_while(|&&at| x[at] == value);
            let count = equal.count();
            let rank = start as f64 + 0.5 * (count as f64 + 1.0);
            for &at in &order[start..start + count] {
                ranks[at] = rank;
            }
            groups.push(count);
            start += count;
        }
        Self { ranks, groups }
    }

    /// Sum of t^3 - t over the groups of t equal values.
    pub(crate) fn tie_sum(&self) -> f64 {
        let cubes = self.groups.iter().map(|&count| {
            let t = count as f64;
            t * (t * t - 1.0)
        });
        cubes.sum()
    }

    /// Whether some values are equal.
    pub(crate) fn has_ties(&self) -> bool {
        self.groups.iter().any(|&count| count > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_a_rank() {
        let ranks = SampleRanks::new(&[3.0, 1.0, 3.0, 2.0]);
        assert_eq!(ranks.ranks, [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(ranks.groups, [1, 1, 2]);
        assert_eq!(ranks.tie_sum(), 6.0);
        assert!(ranks.has_ties());
        assert_eq!(median(&[4.0, 1.0, 2.0]), 2.0);
        // The mean of values near 1e15 is exact.
        assert_eq!(mean(&[1e15 + 1.0, 1e15 + 2.0, 1e15 + 3.0]), 1e15 + 2.0);
    }
}
