//! The program of the root with tighter bounds and coefficients: the same points, fewer relaxed ones.
//!
//! Columns stay as they are, so that a point of the one program is a point of the other.
//!
//! # References
//! M. W. P. Savelsbergh, ORSA J. Comput. 6, 1994.

use super::propagate::{ProgramRows, PropagationQueue};
use crate::programming::linear::LinearProgram;
use crate::sparse::CsrMatrix;

/// Turns of bounds and coefficients.
const TURNS: usize = 6;
/// Entries looked at in a turn, for each entry of the matrix.
const LOOKS: u64 = 20;

/// A program with the same points, or `None` where the rows show that there are none.
pub(super) fn strengthen_program(
    program: &LinearProgram,
    is_integer: &[bool],
) -> Option<LinearProgram> {
    let mut now = program.clone();
    for _ in 0..TURNS {
        let (mut low, mut high) = (now.low.clone(), now.high.clone());
        let rows = ProgramRows::new(&now, is_integer);
        let mut queue = PropagationQueue::default();
        (0..now.row_low.len() as u32).for_each(|row| queue.push(row));
        let most = LOOKS * (now.matrix.nonzeros() as u64 + 100);
        if !rows.propagate((&mut low, &mut high), &mut queue, most) {
            return None;
        }
        let (next, is_changed) = tighten_rows(&rows, &low, &high);
        now = LinearProgram { low, high, ..next };
        if !is_changed {
            break;
        }
    }
    Some(now)
}

/// The rows that are not redundant, with tighter coefficients of integers; whether a coefficient changed.
fn tighten_rows(rows: &ProgramRows<'_>, low: &[f64], high: &[f64]) -> (LinearProgram, bool) {
    let program = rows.program;
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    let (mut row_low, mut row_high) = (Vec::new(), Vec::new());
    let mut is_changed = false;
    for row in 0..program.row_low.len() {
        let (mut bottom, mut top) = (program.row_low[row], program.row_high[row]);
        let [least, most] = rows.extents(row, low, high);
        let allowance = |bound: f64| 1e-9 * bound.abs().max(1.0);
        if bottom != top {
            if most.infinite == 0 && most.sum <= top + allowance(top) {
                top = f64::INFINITY;
            }
            if least.infinite == 0 && least.sum >= bottom - allowance(bottom) {
                bottom = f64::NEG_INFINITY;
            }
        }
        if !bottom.is_finite() && !top.is_finite() {
            continue;
        }
        let (places, entries) = program.matrix.row(row);
        let mut entries = entries.to_vec();
        // One row as `sign * row <= bound`, where it is a single inequality.
        let one = match (bottom.is_finite(), top.is_finite()) {
            (false, true) if most.infinite == 0 => Some((1.0, top, most.sum)),
            (true, false) if least.infinite == 0 => Some((-1.0, -bottom, -least.sum)),
            _ => None,
        };
        if let Some((sign, mut bound, mut most)) = one {
            for (&column, entry) in places.iter().zip(&mut entries) {
                let at = column as usize;
                if !rows.is_integer[at] || low[at] >= high[at] {
                    continue;
                }
                // One step of the variable from where the row is largest makes it redundant by this.
                let spare = bound - (most - entry.abs());
                if spare <= 1e-6 * bound.abs().max(1.0) || spare >= entry.abs() - 1e-9 {
                    continue;
                }
                let value = sign * *entry;
                let at_most = if value > 0.0 { high[at] } else { low[at] };
                let by = if value > 0.0 { -spare } else { spare };
                *entry += sign * by;
                bound += by * at_most;
                most += by * at_most;
                is_changed = true;
            }
            if sign > 0.0 {
                top = bound;
            } else {
                bottom = -bound;
            }
        }
        for (&column, entry) in places.iter().zip(entries) {
            if entry != 0.0 {
                columns.push(column);
                values.push(entry);
            }
        }
        starts.push(columns.len());
        row_low.push(bottom);
        row_high.push(top);
    }
    let matrix = CsrMatrix::from_rows(program.costs.len(), starts, columns, values);
    let next = LinearProgram {
        matrix,
        row_low,
        row_high,
        costs: program.costs.clone(),
        low: Vec::new(),
        high: Vec::new(),
    };
    (next, is_changed)
}
