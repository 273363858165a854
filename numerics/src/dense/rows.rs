//! Passes over the rows of a large matrix, shared among threads.
//!
//! The result of a row depends on that row alone, and blocks of rows follow from the shape, so that the bits are the same for any
//! number of threads.

use rayon::prelude::*;

use super::max_abs;

/// Matrices with fewer entries are read by the calling thread alone.
pub(super) const SHARED_LEAST: usize = 1 << 18;
/// Rows that a thread takes at a time, at least.
const ROWS: usize = 32;
/// Rows whose columns are reduced together.
const BLOCK: usize = 256;

/// The results of `find` for every row, by its index and entries.
pub(super) fn each_row<T: Send>(
    a: &[f64],
    columns: usize,
    find: impl Fn(usize, &[f64]) -> T + Sync,
) -> Vec<T> {
    if a.len() < SHARED_LEAST {
        let rows = a.chunks_exact(columns).enumerate();
        return rows.map(|(row, entries)| find(row, entries)).collect();
    }
    let rows = a.par_chunks_exact(columns).enumerate().with_min_len(ROWS);
    thread_pools::run_in_pool(|| rows.map(|(row, entries)| find(row, entries)).collect())
}

/// One number for every column: `take` changes it by an entry of the row with the given index, in blocks of rows that `join` puts
/// together in their order.
pub(super) fn each_column(
    a: &[f64],
    columns: usize,
    take: impl Fn(f64, usize, f64) -> f64 + Sync,
    join: impl Fn(f64, f64) -> f64,
) -> Vec<f64> {
    let reduced = |(block, rows): (usize, &[f64])| {
        let mut found = vec![0.0; columns];
        for (row, entries) in rows.chunks_exact(columns).enumerate() {
            let row = block * BLOCK + row;
            for (found, &entry) in found.iter_mut().zip(entries) {
                *found = take(*found, row, entry);
            }
        }
        found
    };
    let blocks = a.chunks(BLOCK * columns).enumerate();
    let blocks: Vec<Vec<f64>> = if a.len() < SHARED_LEAST {
        blocks.map(reduced).collect()
    } else {
        let blocks: Vec<_> = blocks.collect();
        thread_pools::run_in_pool(|| blocks.into_par_iter().map(reduced).collect())
    };
    blocks
        .into_iter()
        .reduce(|mut all, block| {
            for (all, block) in all.iter_mut().zip(block) {
                *all = join(*all, block);
            }
            all
        })
        .unwrap_or_else(|| vec![0.0; columns])
}

/// The largest magnitude in every row; NaN does not count.
pub(super) fn row_sizes(a: &[f64], columns: usize) -> Vec<f64> {
    each_row(a, columns, |_, entries| max_abs(entries))
}

#[cfg(test)]
mod tests {
    use super::super::system;
    use super::*;

    #[test]
    fn a_large_system_has_the_same_bits_for_any_number_of_threads() {
        let n = 800;
        let a: Vec<f64> = (0..n * n)
            .map(|index| {
                let entry = ((index * 7919 + index / n * 104_729) % 20_011) as f64 / 20_011.0 - 0.5;
                entry + f64::from(u8::from(index / n == index % n))
            })
            .collect();
        let b: Vec<f64> = (0..n).map(|index| (index % 13) as f64 - 6.0).collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let found = pool
                .unwrap()
                .install(|| system::solve_dense_system(&a, n, &b, 1, None));
            let found = found.unwrap();
            assert!(found.backward_error < 1e-15, "{}", found.backward_error);
            format!("{found:?}")
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn rows_and_columns_of_a_large_matrix_are_those_of_its_parts() {
        let columns = 3;
        let rows = SHARED_LEAST / columns + 1;
        let a: Vec<f64> = (0..rows * columns)
            .map(|index| (index % 1000) as f64 - 500.0)
            .collect();
        let sums = each_row(&a, columns, |row, entries| {
            (row, entries.iter().sum::<f64>())
        });
        for (row, entries) in a.chunks(columns).enumerate() {
            assert_eq!(sums[row], (row, entries.iter().sum()));
        }
        // Whole numbers: every order of adding gives the same sum.
        let weighed = each_column(
            &a,
            columns,
            |sum, row, entry| sum + (row % 2) as f64 * entry,
            |a, b| a + b,
        );
        for (column, &sum) in weighed.iter().enumerate() {
            let plain: f64 = (1..rows)
                .step_by(2)
                .map(|row| a[row * columns + column])
                .sum();
            assert_eq!(sum, plain);
        }
    }
}
