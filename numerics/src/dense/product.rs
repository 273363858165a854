//! Products of matrices: the kernels of faer on panels of rows that are copied together, and shared by threads.
//!
//! Rows of a column-major matrix with long columns lie a page apart; the copy keeps a panel within the second-level cache and in few
//! pages (n = 500: 5.1 against 8.3 milliseconds).

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::prelude::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef};

use super::{PAR, run_parts};

/// Products of fewer pairs of numbers are made at once, by one thread.
const PANELS_LEAST: usize = 300 * 300 * 300;
/// Rows of a panel are a multiple of those that faer's widest kernel holds in registers.
const KERNEL_ROWS: usize = 48;
/// Most rows of a panel, twice: there is an even number of panels, for the sake of two threads.
const ROWS_OF_TWO: usize = 8 * KERNEL_ROWS;

/// `a b`: 2 m k n operations.
pub fn matrix_product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    if a.nrows()
        .saturating_mul(a.ncols())
        .saturating_mul(b.ncols())
        < PANELS_LEAST
    {
        matmul(out.as_mut(), Accum::Replace, a, b, 1.0, PAR);
        return out;
    }
    let height = panel_rows(a.nrows());
    run_parts(
        row_blocks(out.as_mut(), height)
            .into_iter()
            .enumerate()
            .map(|(index, block)| {
                let rows = a.subrows(index * height, block.nrows());
                move || matmul(block, Accum::Replace, rows.to_owned(), b, 1.0, PAR)
            }),
    );
    out
}

fn panel_rows(rows: usize) -> usize {
    let count = 2 * rows.div_ceil(ROWS_OF_TWO);
    rows.div_ceil(count).next_multiple_of(KERNEL_ROWS)
}

fn row_blocks(matrix: MatMut<'_, f64>, height: usize) -> Vec<MatMut<'_, f64>> {
    let mut blocks = Vec::new();
    let mut rest = matrix;
    while rest.nrows() > 0 {
        let height = height.min(rest.nrows());
        let (block, after) = rest.split_at_row_mut(height);
        blocks.push(block);
        rest = after;
    }
    blocks
}

/// A left factor in panels, for several products with it.
pub(super) struct LeftPanels {
    panels: Vec<Mat<f64>>,
    columns: usize,
}

impl LeftPanels {
    /// Packs columns of a matrix.
    pub(super) fn gather(
        from: MatRef<'_, f64>,
        columns: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Self {
        let height = panel_rows(from.nrows().max(1));
        let panels = (0..from.nrows()).step_by(height).map(|first| {
            let rows = height.min(from.nrows() - first);
            let mut panel = Mat::zeros(rows, columns.len());
            for (to, column) in columns.clone().enumerate() {
                let entries = &super::column_of(from, column)[first..first + rows];
                panel.col_as_slice_mut(to).copy_from_slice(entries);
            }
            panel
        });
        Self {
            panels: panels.collect(),
            columns: columns.len(),
        }
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Replaces `out` by the product with `right`.
    pub(super) fn multiply(&self, out: MatMut<'_, f64>, right: MatRef<'_, f64>) {
        let mut rest = out;
        for panel in &self.panels {
            let (rows, after) = rest.split_at_row_mut(panel.nrows());
            matmul(rows, Accum::Replace, panel, right, 1.0, PAR);
            rest = after;
        }
    }
}

/// Subtracts `left right'` from the lower part of a block; the part above its diagonal is unchanged.
pub(super) fn take_lower(
    mut block: MatMut<'_, f64>,
    left: MatRef<'_, f64>,
    right: MatRef<'_, f64>,
) {
    let width = block.ncols();
    let (top, below) = block.rb_mut().split_at_row_mut(width);
    let (left_top, left_below) = left.split_at_row(width);
    triangular::matmul(
        top,
        BlockStructure::TriangularLower,
        Accum::Add,
        left_top,
        BlockStructure::Rectangular,
        right.transpose(),
        BlockStructure::Rectangular,
        -1.0,
        PAR,
    );
    matmul(below, Accum::Add, left_below, right.transpose(), -1.0, PAR);
}
