//! LU factors with partial pivoting: panels by faer, and the columns beside them in blocks that threads share.
//!
//! The blocks follow from the shape alone and each is updated by one thread, so that the bits are the same for any number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_unit_lower_triangular_in_place;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par, Spec};

use super::{column_blocks, entries_of, run_parts};

const PAR: Par = Par::Seq;

/// Panel widths: a matrix with at least so many rows and columns goes by panels of so many columns, a panel with as many rows
/// by narrower ones.
const LEVELS: [PanelLevel; 2] = [
    PanelLevel {
        rows_least: 512,
        columns_least: 512,
        panel: 256,
    },
    PanelLevel {
        rows_least: 1024,
        columns_least: 256,
        panel: 64,
    },
];

struct PanelLevel {
    rows_least: usize,
    columns_least: usize,
    panel: usize,
}

/// Replaces the matrix by its packed factors; row `i` of `P A` is row `order[i]` of `A`.
///
/// # References
/// J. J. Dongarra, I. S. Duff, D. C. Sorensen, H. A. van der Vorst, "Numerical Linear Algebra for High-Performance Computers", SIAM
/// 1998, section 5.4 (right-looking).
pub(super) fn factor_with_pivoting(a: MatMut<'_, f64>) -> Vec<usize> {
    eliminate_panels(a, &LEVELS)
}

fn eliminate_panels(mut a: MatMut<'_, f64>, levels: &[PanelLevel]) -> Vec<usize> {
    let (m, n) = a.shape();
    let Some((level, narrower)) = levels.split_first() else {
        return factor_single_panel(a);
    };
    if m < level.rows_least || n < level.columns_least {
        return eliminate_panels(a, narrower);
    }
    let mut order: Vec<usize> = (0..m).collect();
    let mut done = 0;
    while done < m.min(n) {
        let width = level.panel.min(m.min(n) - done);
        let (left, rest) = a.rb_mut().split_at_col_mut(done);
        let (panel, right) = rest.split_at_col_mut(width);
        let mut panel = panel.subrows_mut(done, m - done);
        let rows = panel.nrows();
        let moves: Vec<(usize, usize)> = eliminate_panels(panel.rb_mut(), narrower)
            .into_iter()
            .enumerate()
            .filter(|&(to, from)| to != from)
            .map(|(to, from)| (done + to, done + from))
            .collect();
        copy_entries(&mut order, &moves);
        let panel = panel.rb();
        let moves = &moves;
        let before = column_blocks(left, level.panel).into_iter();
        let after = column_blocks(right, level.panel).into_iter();
        let blocks = before
            .map(|block| (block, false))
            .chain(after.map(|block| (block, true)));
        run_parts(blocks.map(|(mut block, changes)| {
            move || {
                exchange_rows(block.rb_mut(), moves);
                if changes {
                    update_trailing_block(panel, block.subrows_mut(done, rows));
                }
            }
        }));
        done += width;
    }
    order
}

/// One panel, by faer; real or complex.
pub(crate) fn factor_single_panel<T: ComplexField>(a: MatMut<'_, T>) -> Vec<usize> {
    let (m, n) = a.shape();
    let (mut forward, mut backward) = (vec![0_usize; m], vec![0_usize; m]);
    let params = Spec::default();
    let scratch = factor::lu_in_place_scratch::<usize, T>(m, n, PAR, params);
    factor::lu_in_place(
        a,
        &mut forward,
        &mut backward,
        PAR,
        MemStack::new(&mut MemBuffer::new(scratch)),
        params,
    );
    forward
}

/// Copies the second element of each pair to the first.
fn copy_entries<T: Copy>(entries: &mut [T], moves: &[(usize, usize)]) {
    let moved: Vec<T> = moves.iter().map(|&(_, from)| entries[from]).collect();
    for (&(to, _), value) in moves.iter().zip(moved) {
        entries[to] = value;
    }
}

fn exchange_rows(block: MatMut<'_, f64>, moves: &[(usize, usize)]) {
    for column in block.col_iter_mut() {
        copy_entries(entries_of(column), moves);
    }
}

/// Rows of `U` beside the panel, and the rest less their product with the panel's rows of `L`.
fn update_trailing_block(panel: MatRef<'_, f64>, block: MatMut<'_, f64>) {
    let width = panel.ncols();
    let (triangle, below) = panel.split_at_row(width);
    let (mut top, rest) = block.split_at_row_mut(width);
    solve_unit_lower_triangular_in_place(triangle, top.rb_mut(), PAR);
    matmul(rest, Accum::Add, below, top.rb(), -1.0, PAR);
}
