//! Order statistics and counts in bins of many numbers, without sorting them: passes over parts of fixed size, side by side.

use rayon::prelude::*;

use super::blocks::{afford_sort, sorted_quantile};
use crate::watch::{Interruption, Watch};

/// Up to so many numbers are sorted.
const SORTED_MAX: usize = 1 << 15;
/// Numbers of a part; the table of a part takes 256 KiB.
const PART: usize = 1 << 19;
/// Leading bits that tell the classes of the first pass: sign, exponent and four bits of the fraction.
const CLASS_BITS: u32 = 16;

/// Quantiles by linear interpolation between order statistics, of ascending probabilities; the order of the values changes.
///
/// # Method
/// Counts by the leading 16 bits of the value say in which class an order statistic lies; the members of that class are collected and
/// selected from. All counts are integers, so the result does not depend on the number of threads.
///
/// # Errors
/// [`Interruption`].
pub fn order_quantiles<const N: usize>(
    values: &mut [f64],
    probabilities: [f64; N],
    watch: &dyn Watch,
) -> Result<[f64; N], Interruption> {
    if values.len() <= SORTED_MAX {
        afford_sort(values.len(), watch)?;
        values.sort_unstable_by(f64::total_cmp);
        return Ok(probabilities.map(|probability| sorted_quantile(values, probability)));
    }
    let values = &*values;
    let tables_bytes = values.len().div_ceil(PART) * (size_of::<u32>() << CLASS_BITS);
    watch.reserve(tables_bytes as u64)?;
    let counted = |part: &[f64]| {
        let mut table = vec![0_u32; 1 << CLASS_BITS];
        for &value in part {
            table[leading_bits_class(value)] += 1;
        }
        watch.check().map(|()| table)
    };
    let tables = values.par_chunks(PART).map(counted);
    let tables: Vec<Vec<u32>> = thread_pools::run_in_pool(|| tables.collect::<Result<_, _>>())?;
    let count = |class: usize| -> usize { tables.iter().map(|table| table[class] as usize).sum() };
    let place = |probability: f64| probability * (values.len() - 1) as f64;
    let mut ranks: Vec<usize> = probabilities
        .iter()
        .map(|&probability| place(probability).floor() as usize)
        .flat_map(|below| [below, (below + 1).min(values.len() - 1)])
        .collect();
    ranks.sort_unstable();
    ranks.dedup();
    // The class of each rank, and how many values lie in the classes below.
    let (mut before, mut at) = (0, 0);
    let mut places = Vec::with_capacity(ranks.len());
    for &rank in &ranks {
        while before + count(at) <= rank {
            before += count(at);
            at += 1;
        }
        places.push((at, before));
    }
    let mut classes: Vec<usize> = places.iter().map(|(class, _)| *class).collect();
    classes.dedup();
    watch.check()?;
    let mut members = collect_class_members(values, &tables, &classes);
    let mut statistics = Vec::with_capacity(ranks.len());
    for (&rank, (class, before)) in ranks.iter().zip(places) {
        watch.check()?;
        let slot = classes.partition_point(|other| *other < class);
        let (_, found, _) = members[slot].select_nth_unstable_by(rank - before, f64::total_cmp);
        statistics.push((rank, *found));
    }
    let statistic = |rank: usize| {
        let found = statistics.binary_search_by_key(&rank, |(rank, _)| *rank);
        found.map_or(f64::NAN, |index| statistics[index].1)
    };
    Ok(probabilities.map(|probability| {
        let below = place(probability).floor();
        let weight = place(probability) - below;
        let above = (below as usize + 1).min(values.len() - 1);
        statistic(below as usize) * (1.0 - weight) + statistic(above) * weight
    }))
}

/// The leading bits of a value, in the order of the values.
fn leading_bits_class(value: f64) -> usize {
    let bits = value.to_bits();
    let negative = bits >> 63 == 1;
    let ordered = if negative { !bits } else { bits | 1 << 63 };
    (ordered >> (64 - CLASS_BITS)) as usize
}

/// The members of some classes, in the order of the values.
fn collect_class_members(values: &[f64], tables: &[Vec<u32>], classes: &[usize]) -> Vec<Vec<f64>> {
    let others = classes.len();
    let mut slots = vec![others; 1 << CLASS_BITS];
    for (slot, &class) in classes.iter().enumerate() {
        slots[class] = slot;
    }
    let members = |(part, table): (&[f64], &Vec<u32>)| {
        // One list: the members of each class, and at its end a place for what is not wanted.
        let mut ends = vec![0];
        for &class in classes {
            ends.push(ends[ends.len() - 1] + table[class] as usize);
        }
        let mut next = ends.clone();
        let mut list = vec![0.0; ends[others] + 1];
        for &value in part {
            let slot = slots[leading_bits_class(value)];
            list[next[slot]] = value;
            next[slot] += usize::from(slot < others);
        }
        (list, ends)
    };
    let parts = values.par_chunks(PART).zip(tables);
    let parts: Vec<(Vec<f64>, Vec<usize>)> =
        thread_pools::run_in_pool(|| parts.map(members).collect());
    let of = |slot: usize| {
        let members = parts
            .iter()
            .map(|(list, ends)| &list[ends[slot]..ends[slot + 1]]);
        members.collect::<Vec<_>>().concat()
    };
    (0..others).map(of).collect()
}

/// Numbers of values in bins that begin at ascending edges; the last edge ends the last bin, which holds it.
///
/// # Errors
/// [`Interruption`].
pub fn count_in_bins(
    values: &[f64],
    edges: &[f64],
    watch: &dyn Watch,
) -> Result<Vec<u64>, Interruption> {
    let bins = edges.len() - 1;
    // Bins as narrow as rounding: the quotient would be off by more than one of them.
    let size = edges[0].abs().max(edges[bins].abs());
    if edges[bins] - edges[0] < 1e-9 * size {
        let mut counts = vec![0; bins];
        for &value in values {
            counts[edges[1..bins].partition_point(|edge| *edge <= value)] += 1;
        }
        return Ok(counts);
    }
    const LANES: usize = 4;
    let per_width = bins as f64 / (edges[bins] - edges[0]);
    let bin = |value: f64| {
        let quotient = (value - edges[0]) * per_width;
        let bin = (quotient as usize).min(bins - 1);
        // Edges are rounded to 1e-16 of the largest number, which is less than 1e-5 of a bin: bins are wider than 1e-11 of it.
        let inside = quotient - bin as f64;
        if (1e-4..=1.0 - 1e-4).contains(&inside) {
            return bin;
        }
        let bin = bin - usize::from(value < edges[bin]);
        bin + usize::from(value >= edges[bin + 1] && bin + 1 < bins)
    };
    let counted = |part: &[f64]| -> Result<Vec<u64>, Interruption> {
        // Lanes of their own: one bin that takes most values would wait for itself.
        let mut lanes = vec![[0_u64; LANES]; bins];
        let (steps, rest) = part.as_chunks::<LANES>();
        for step in steps {
            for (lane, &value) in step.iter().enumerate() {
                lanes[bin(value)][lane] += 1;
            }
        }
        for &value in rest {
            lanes[bin(value)][0] += 1;
        }
        let counts = lanes.iter().map(|lanes| lanes.iter().sum()).collect();
        watch.check().map(|()| counts)
    };
    let parts = values.par_chunks(PART).map(counted);
    let parts: Vec<Vec<u64>> = thread_pools::run_in_pool(|| parts.collect::<Result<_, _>>())?;
    let of = |bin: usize| parts.iter().map(|counts: &Vec<u64>| counts[bin]).sum();
    Ok((0..bins).map(of).collect())
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use random_streams::stream_rng;

    use super::*;
    use crate::watch::NoWatch;

    /// Numbers of every size and sign, few and many different ones; the sorted ones say what is right.
    #[test]
    fn selection_agrees_with_sorting() {
        let mut rng = stream_rng(42, 0);
        let mut uniform = || rng.random::<f64>();
        let same = [1.0, -0.0, f64::MAX, f64::MIN_POSITIVE];
        let mut samples: Vec<Vec<f64>> = same.map(|value| vec![value; SORTED_MAX + 3]).into();
        for shape in 0..5 {
            let values = (0..PART + 12_345).map(|_| {
                let u = uniform();
                match shape {
                    0 => u,
                    1 => (1.0 / (u - 0.5)).powi(3),
                    2 => (5.0 * u).floor() - 2.0,
                    3 => 1.0 + 1e-15 * (4.0 * u).floor(),
                    _ => {
                        if u < 0.5 {
                            -0.0
                        } else {
                            0.0
                        }
                    }
                }
            });
            samples.push(values.collect());
        }
        let probabilities = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0];
        for mut values in samples {
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            let expected = probabilities.map(|p| sorted_quantile(&sorted, p).to_bits());
            let found = order_quantiles(&mut values, probabilities, &NoWatch).unwrap();
            assert_eq!(found.map(f64::to_bits), expected);
            let (least, greatest) = (sorted[0], sorted[sorted.len() - 1]);
            let width = (greatest - least) / 20.0;
            if width > 0.0 && width.is_finite() {
                let mut edges: Vec<f64> =
                    (0..20).map(|bin| least + f64::from(bin) * width).collect();
                edges.push(greatest);
                let below = |edge: f64| sorted.partition_point(|value| *value < edge) as u64;
                let found = count_in_bins(&values, &edges, &NoWatch).unwrap();
                for (bin, found) in found.iter().enumerate() {
                    let end = if bin == 19 {
                        sorted.len() as u64
                    } else {
                        below(edges[bin + 1])
                    };
                    assert_eq!(*found, end - below(edges[bin]), "bin {bin}");
                }
            }
        }
    }
}
