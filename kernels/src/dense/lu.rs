//! LU factors with partial pivoting: panels by faer, and the columns beside them in blocks that threads share.
//!
//! The blocks follow from the shape alone and each is updated by one thread, so that the bits are the same for any number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_unit_lower_triangular_in_place;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par, Spec};

const PAR: Par = Par::Seq;

/// Matrices with fewer rows or columns are one panel.
const BLOCKED_LEAST: usize = 512;
/// Columns of a panel, and of a block beside it.
const PANEL: usize = 256;

/// Replaces the matrix by its packed factors; row `i` of `P A` is row `order[i]` of `A`.
///
/// # References
/// J. J. Dongarra, I. S. Duff, D. C. Sorensen, H. A. van der Vorst, "Numerical Linear Algebra for High-Performance Computers", SIAM
/// 1998, section 5.4 (right-looking).
pub(super) fn factor(mut a: MatMut<'_, f64>) -> Vec<usize> {
    let (m, n) = a.shape();
    let width = if m.min(n) < BLOCKED_LEAST {
        m.min(n)
    } else {
        PANEL
    };
    let mut order: Vec<usize> = (0..m).collect();
    let (mut forward, mut backward) = (vec![0_usize; m], vec![0_usize; m]);
    let mut done = 0;
    while done < m.min(n) {
        let width = width.min(m.min(n) - done);
        let (left, rest) = a.rb_mut().split_at_col_mut(done);
        let (panel, right) = rest.split_at_col_mut(width);
        let mut panel = panel.subrows_mut(done, m - done);
        let rows = panel.nrows();
        let params = Spec::default();
        let scratch = factor::lu_in_place_scratch::<usize, f64>(rows, width, PAR, params);
        factor::lu_in_place(
            panel.rb_mut(),
            &mut forward[..rows],
            &mut backward[..rows],
            PAR,
            MemStack::new(&mut MemBuffer::new(scratch)),
            params,
        );
        let moves: Vec<(usize, usize)> = forward[..rows]
            .iter()
            .enumerate()
            .filter(|&(to, &from)| to != from)
            .map(|(to, &from)| (done + to, done + from))
            .collect();
        exchange(&mut order, &moves);
        if left.ncols() + right.ncols() == 0 {
            return order;
        }
        let panel = panel.rb();
        rayon::scope(|scope| {
            let moves = &moves;
            for mut block in blocks(left) {
                scope.spawn(move |_| exchange_rows(block.rb_mut(), moves));
            }
            for mut block in blocks(right) {
                scope.spawn(move |_| {
                    exchange_rows(block.rb_mut(), moves);
                    update(panel, block.subrows_mut(done, rows));
                });
            }
        });
        done += width;
    }
    order
}

/// The columns in blocks.
fn blocks(columns: MatMut<'_, f64>) -> Vec<MatMut<'_, f64>> {
    let mut blocks = Vec::new();
    let mut rest = columns;
    while rest.ncols() > 0 {
        let width = PANEL.min(rest.ncols());
        let (block, after) = rest.split_at_col_mut(width);
        blocks.push(block);
        rest = after;
    }
    blocks
}

/// Puts what stands at the second place of each pair in the first.
fn exchange<T: Copy>(entries: &mut [T], moves: &[(usize, usize)]) {
    let moved: Vec<T> = moves.iter().map(|&(_, from)| entries[from]).collect();
    for (&(to, _), value) in moves.iter().zip(moved) {
        entries[to] = value;
    }
}

fn exchange_rows(block: MatMut<'_, f64>, moves: &[(usize, usize)]) {
    for column in block.col_iter_mut() {
        let column = column
            .try_as_col_major_mut()
            .expect("an owned matrix stores its columns contiguously");
        exchange(column.as_slice_mut(), moves);
    }
}

/// Rows of `U` beside the panel, and the rest less their product with the panel's rows of `L`.
fn update(panel: MatRef<'_, f64>, block: MatMut<'_, f64>) {
    let width = panel.ncols();
    let (triangle, below) = panel.split_at_row(width);
    let (mut top, rest) = block.split_at_row_mut(width);
    solve_unit_lower_triangular_in_place(triangle, top.rb_mut(), PAR);
    matmul(rest, Accum::Add, below, top.rb(), -1.0, PAR);
}
