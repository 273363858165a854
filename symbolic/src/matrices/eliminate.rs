//! RowElimination without fractions (E. Bareiss, Math. Comp. 22, 1968), above the pivots too, so that all pivots become one minor.

use super::ring::{EliminationRing, KernelField};
use crate::budget::{Budget, Outcome};
use crate::poly::fraction::KernelFraction;
use crate::poly::kernels::KernelTable;

/// Rows after elimination. Each pivot row has `minor` at its pivot and zero at the other pivots.
pub(super) struct RowElimination<E> {
    pub rows: Vec<Vec<E>>,
    /// The columns of the pivots.
    pub pivots: Vec<usize>,
    /// The minor of the pivot rows and columns: the determinant but for its sign where all are.
    pub minor: E,
    /// Whether rows were exchanged an odd number of times.
    pub is_flipped: bool,
}

/// Eliminates with pivots in the first columns; `is_reduced` clears above the pivots as well.
pub(super) fn eliminate_rows<R: EliminationRing>(
    ring: &R,
    mut rows: Vec<Vec<R::Element>>,
    pivot_columns: usize,
    is_reduced: bool,
) -> Outcome<RowElimination<R::Element>> {
    let mut pivots = Vec::new();
    let mut minor = ring.one();
    let mut is_flipped = false;
    for column in 0..pivot_columns {
        let at = pivots.len();
        if at == rows.len() {
            break;
        }
        let Some(chosen) = choose_pivot(ring, &rows, at, column)? else {
            continue;
        };
        if chosen != at {
            rows.swap(chosen, at);
            is_flipped = !is_flipped;
        }
        let pivot_row = rows[at].clone();
        let pivot = pivot_row[column].clone();
        for (place, row) in rows.iter_mut().enumerate() {
            if place == at || (place < at && !is_reduced) {
                continue;
            }
            let factor = row[column].clone();
            let has_factor = !ring.is_zero(&factor)?;
            for (entry, above) in row.iter_mut().zip(&pivot_row) {
                ring.budget().spend(1)?;
                let mut value = ring.mul(&pivot, entry)?;
                if has_factor {
                    value = ring.sub(&value, &ring.mul(&factor, above)?)?;
                }
                *entry = ring.div_exact(&value, &minor)?;
            }
            row[column] = ring.zero();
        }
        if is_reduced {
            for (place, row) in rows.iter_mut().enumerate().take(at) {
                row[pivots[place]] = pivot.clone();
            }
        }
        minor = pivot;
        pivots.push(column);
    }
    Ok(RowElimination {
        rows,
        pivots,
        minor,
        is_flipped,
    })
}

/// The row of the smallest entry of a column that is not zero.
fn choose_pivot<R: EliminationRing>(
    ring: &R,
    rows: &[Vec<R::Element>],
    from: usize,
    column: usize,
) -> Outcome<Option<usize>> {
    let mut best: Option<(usize, usize)> = None;
    for (place, row) in rows.iter().enumerate().skip(from) {
        let weight = ring.weight(&row[column]);
        if best.is_none_or(|(least, _)| weight < least) && !ring.is_zero(&row[column])? {
            best = Some((weight, place));
        }
    }
    Ok(best.map(|(_, place)| place))
}

/// The solution of a square system in a field of fractions, where it is unique: each row has its right-hand side last.
pub(crate) fn solve_field_system(
    table: &KernelTable,
    rows: Vec<Vec<KernelFraction>>,
    budget: &Budget<'_>,
) -> Outcome<Option<Vec<KernelFraction>>> {
    let ring = KernelField {
        table,
        budget,
        has_hidden_zeros: false,
    };
    let size = rows.len();
    let done = eliminate_rows(&ring, rows, size, true)?;
    if done.pivots.len() < size {
        return Ok(None);
    }
    let values: Outcome<Vec<KernelFraction>> = done
        .rows
        .iter()
        .map(|row| ring.div_exact(&row[size], &done.minor))
        .collect();
    values.map(Some)
}
