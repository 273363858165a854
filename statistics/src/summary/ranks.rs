//! Ranks, with averages for ties.

/// The ranks from 1, equal values with the average of theirs. No NaN.
pub fn average_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let mut to = from + 1;
        while to < order.len() && values[order[to]] == values[order[from]] {
            to += 1;
        }
        let rank = 0.5 * (from + to + 1) as f64;
        order[from..to]
            .iter()
            .for_each(|&place| ranks[place] = rank);
        from = to;
    }
    ranks
}

/// The sizes of groups of equal values, of those with two or more.
pub fn tie_sizes(values: &[f64]) -> Vec<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let groups = sorted.chunk_by(|a, b| a == b);
    groups.map(<[f64]>::len).filter(|&size| size > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(average_ranks(&[3.0, 1.0, 3.0, -2.0]), [3.5, 2.0, 3.5, 1.0]);
        assert_eq!(average_ranks(&[0.0, -0.0]), [1.5, 1.5]);
        assert_eq!(tie_sizes(&[1.0, 2.0, 1.0, 2.0, 2.0, 5.0]), [2, 3]);
    }
}
