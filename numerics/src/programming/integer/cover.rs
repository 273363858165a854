//! Covers of knapsack rows: items that do not fit together, lifted with the others one after another.
//!
//! # References
//! E. Balas, "Facets of the knapsack polytope", Math. Programming 8, 1975. E. Zemel, "Easily computable facets of the knapsack
//! polytope", Math. Oper. Res. 14, 1989.

use super::aggregate::RelaxedPoint;
use super::cut::{CuttingPlane, safe_cut};

/// Largest cover that is lifted; the work is its square for each item.
const COVER_MAX: usize = 200;

/// A 0/1 variable in a row, complemented where its coefficient is negative.
#[derive(Clone, Copy)]
struct KnapsackItem {
    column: u32,
    weight: f64,
    value: f64,
    is_complement: bool,
}

/// A cut of one row with one of its sides: `sign * row <= bound`.
pub(super) fn separate_cover(
    space: &RelaxedPoint<'_>,
    row: usize,
    is_upper: bool,
) -> Option<CuttingPlane> {
    let (items, room) = knapsack_items(space, row, is_upper)?;
    let (cover, rest) = minimal_cover(items, room)?;
    let size = cover.len();
    if size > COVER_MAX {
        return None;
    }
    // Least weight at which a count is reached, of the items lifted so far.
    let most = size - 1;
    let mut least = vec![f64::INFINITY; most + 1];
    least[0] = 0.0;
    let mut terms: Vec<(KnapsackItem, f64)> = Vec::new();
    let take = |item: KnapsackItem, count: usize, least: &mut Vec<f64>| {
        for reached in (0..=most).rev() {
            let from = reached.saturating_sub(count);
            least[reached] = least[reached].min(least[from] + item.weight);
        }
    };
    for item in cover {
        take(item, 1, &mut least);
        terms.push((item, 1.0));
    }
    for item in rest {
        let left = room - item.weight;
        // Lengths that all but fit count as fitting.
        let fits = |weight: &f64| *weight <= left + 1e-9 * room.abs().max(1.0);
        let reached = (0..=most).rev().find(|&count| fits(&least[count]));
        let by = reached.map_or(most, |reached| most - reached);
        if by > 0 {
            take(item, by, &mut least);
            terms.push((item, by as f64));
        }
    }
    let mut high = most as f64;
    let mut out = Vec::with_capacity(terms.len());
    for (item, by) in terms {
        out.push((item.column, if item.is_complement { -by } else { by }));
        if item.is_complement {
            high -= by;
        }
    }
    safe_cut(space.program, &space.x, out.into_iter(), high)
}

/// The 0/1 variables of a row as items, the others at the end of their bounds where they weigh least.
fn knapsack_items(
    space: &RelaxedPoint<'_>,
    row: usize,
    is_upper: bool,
) -> Option<(Vec<KnapsackItem>, f64)> {
    let program = space.program;
    let (sign, mut room) = if is_upper {
        (1.0, program.row_high[row])
    } else {
        (-1.0, -program.row_low[row])
    };
    if !room.is_finite() {
        return None;
    }
    let (columns, values) = program.matrix.row(row);
    let mut items: Vec<KnapsackItem> = Vec::new();
    let mut put = |column: u32, value: f64, room: &mut f64| {
        let x = space.x[column as usize];
        let is_complement = value < 0.0;
        if is_complement {
            *room -= value;
        }
        items.push(KnapsackItem {
            column,
            weight: value.abs(),
            value: if is_complement { 1.0 - x } else { x },
            is_complement,
        });
    };
    for (&column, value) in columns.iter().zip(values) {
        let (at, value) = (column as usize, sign * value);
        let (low, high) = (program.low[at], program.high[at]);
        if space.is_integer[at] && low == 0.0 && high == 1.0 {
            put(column, value, &mut room);
        } else {
            room -= value * if value > 0.0 { low } else { high };
        }
    }
    (room.is_finite() && room >= 0.0 && items.len() >= 2).then_some((items, room))
}

/// A minimal cover, and the other items in the order of lifting.
fn minimal_cover(
    mut items: Vec<KnapsackItem>,
    room: f64,
) -> Option<(Vec<KnapsackItem>, Vec<KnapsackItem>)> {
    let beyond = 1e-6 * room.max(1.0);
    // Those nearest to 1 for their weight first.
    items.sort_by(|a, b| {
        let price = |item: &KnapsackItem| (1.0 - item.value) / item.weight;
        price(a)
            .total_cmp(&price(b))
            .then(b.weight.total_cmp(&a.weight))
    });
    let mut weight = 0.0;
    let mut count = 0;
    for item in &items {
        weight += item.weight;
        count += 1;
        if weight > room + beyond {
            break;
        }
    }
    if weight <= room + beyond {
        return None;
    }
    let mut rest = items.split_off(count);
    let mut cover = items;
    // Without what is not needed, least values first.
    let mut order: Vec<usize> = (0..cover.len()).collect();
    order.sort_by(|&a, &b| cover[a].value.total_cmp(&cover[b].value));
    let mut is_out = vec![false; cover.len()];
    for at in order {
        if weight - cover[at].weight > room + beyond {
            weight -= cover[at].weight;
            is_out[at] = true;
        }
    }
    let mut kept = Vec::new();
    for (item, is_out) in cover.drain(..).zip(is_out) {
        if is_out {
            rest.push(item);
        } else {
            kept.push(item);
        }
    }
    rest.sort_by(|a, b| {
        b.value
            .total_cmp(&a.value)
            .then(b.weight.total_cmp(&a.weight))
    });
    Some((kept, rest))
}
