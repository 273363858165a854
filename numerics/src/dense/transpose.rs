//! Transposition: a copy in squares that stay in the cache; threads share the columns of a large matrix.

use faer::{Mat, MatMut};
use rayon::prelude::*;

use super::column_of_mut;
use super::rows::SHARED_LEAST;

/// Side of the squares that are turned, one at a time.
const SQUARE: usize = 16;
/// Columns that one thread writes, and rows it reads before it continues: their pages and lines stay known to the processor.
const TILE: usize = 64;

/// A column-major copy of a row-major block.
pub fn columns_of(data: &[f64], rows: usize, columns: usize) -> Mat<f64> {
    let mut out = Mat::zeros(rows, columns);
    if data.len() < SHARED_LEAST {
        transpose_panel(data, columns, 0, out.as_mut());
    } else {
        let panels = out.as_mut().par_col_chunks_mut(TILE).enumerate();
        thread_pools::run_in_pool(|| {
            panels.for_each(|(index, panel)| transpose_panel(data, columns, index * TILE, panel));
        });
    }
    out
}

/// Fills a panel with the columns of the block from `first` on.
fn transpose_panel(data: &[f64], columns: usize, first: usize, mut panel: MatMut<'_, f64>) {
    let (rows, width) = panel.shape();
    for top in (0..rows).step_by(TILE) {
        let bottom = (top + TILE).min(rows);
        for left in (0..width).step_by(SQUARE) {
            let right = (left + SQUARE).min(width);
            for top in (top..bottom).step_by(SQUARE) {
                let height = SQUARE.min(bottom - top);
                let mut square = [[0.0; SQUARE]; SQUARE];
                for row in 0..height {
                    let entries = &data[(top + row) * columns + first..][left..right];
                    for (column, &entry) in entries.iter().enumerate() {
                        square[column][row] = entry;
                    }
                }
                for (column, entries) in (left..right).zip(&square) {
                    let column = column_of_mut(&mut panel, column);
                    column[top..top + height].copy_from_slice(&entries[..height]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_arrives_whatever_the_shape() {
        for (rows, columns) in [(1, 1), (3, 70), (65, 17), (130, 64), (700, 513), (513, 700)] {
            let data: Vec<f64> = (0..rows * columns).map(|index| index as f64).collect();
            let found = columns_of(&data, rows, columns);
            for row in 0..rows {
                for column in 0..columns {
                    assert_eq!(
                        found[(row, column)],
                        data[row * columns + column],
                        "{rows} x {columns}"
                    );
                }
            }
        }
    }
}
