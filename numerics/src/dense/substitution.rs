//! Substitution in the packed factors `L U` of a square matrix, one vector at a time.
//!
//! Large triangles are cut in blocks of columns; what a block adds to the other entries is shared among threads, each entry by one of
//! them and in the order of the columns, so that the bits are the same for any number of threads.

use faer::MatRef;
use pulp::Arch;
use rayon::prelude::*;

use super::{column_of, dot};

/// Smaller matrices are one block.
const BLOCKED_LEAST: usize = 768;
/// Columns of a block.
const BLOCK: usize = 128;
/// Entries of the vector that one thread changes at a time.
const ENTRIES: usize = 512;
/// Inner products that one thread computes at a time.
const PRODUCTS: usize = 16;

fn block_width(n: usize) -> usize {
    if n < BLOCKED_LEAST { n.max(1) } else { BLOCK }
}

/// Replaces `x` by the solution of `L U y = x`: forward and back by columns.
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 3.1.
pub(super) fn solve_packed_lu(packed: MatRef<'_, f64>, x: &mut [f64]) {
    let n = x.len();
    for start in (0..n).step_by(block_width(n)) {
        let end = (start + block_width(n)).min(n);
        let (head, beyond) = x.split_at_mut(end);
        let block = &mut head[start..];
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for column in start..end {
                    let (done, below) = block.split_at_mut(column - start + 1);
                    let entries = &column_of(packed, column)[column + 1..end];
                    subtract_column(below, done[column - start], entries);
                }
            },
        );
        let columns: Vec<(usize, f64)> = (start..end).zip(block.iter().copied()).collect();
        subtract_columns(packed, &columns, beyond, end);
    }
    for start in (0..n).step_by(block_width(n)).rev() {
        let end = (start + block_width(n)).min(n);
        let (beyond, rest) = x.split_at_mut(start);
        let block = &mut rest[..end - start];
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for column in (start..end).rev() {
                    let entries = &column_of(packed, column)[start..=column];
                    let (above, pivot) = block[..=column - start].split_at_mut(column - start);
                    pivot[0] /= entries[column - start];
                    subtract_column(above, pivot[0], &entries[..column - start]);
                }
            },
        );
        let columns: Vec<(usize, f64)> = (start..end).zip(block.iter().copied()).rev().collect();
        subtract_columns(packed, &columns, beyond, 0);
    }
}

/// Replaces `x` by the solution of `(L U)' y = x`: by inner products with the columns.
pub(super) fn solve_transposed(packed: MatRef<'_, f64>, x: &mut [f64]) {
    let n = x.len();
    for start in (0..n).step_by(block_width(n)) {
        let end = (start + block_width(n)).min(n);
        let (known, rest) = x.split_at_mut(start);
        let block = &mut rest[..end - start];
        subtract_products(packed, start, block, known, 0);
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for column in start..end {
                    let entries = &column_of(packed, column)[start..=column];
                    let at = column - start;
                    let sum = dot(&entries[..at], &block[..at]);
                    block[at] = (block[at] - sum) / entries[at];
                }
            },
        );
    }
    for start in (0..n).step_by(block_width(n)).rev() {
        let end = (start + block_width(n)).min(n);
        let (head, known) = x.split_at_mut(end);
        let block = &mut head[start..];
        subtract_products(packed, start, block, known, end);
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for column in (start..end).rev() {
                    let entries = &column_of(packed, column)[column + 1..end];
                    let (done, below) = block.split_at_mut(column - start + 1);
                    done[column - start] -= dot(entries, below);
                }
            },
        );
    }
}

/// Subtracts multiples of columns, one after the other, from the entries of `x`, which begin in row `first`.
fn subtract_columns(
    packed: MatRef<'_, f64>,
    columns: &[(usize, f64)],
    x: &mut [f64],
    first: usize,
) {
    let parts = x.par_chunks_mut(ENTRIES).enumerate();
    thread_pools::run_in_pool(|| {
        parts.for_each(|(index, x)| {
            let from = first + index * ENTRIES;
            let rows = from..from + x.len();
            let part = |column| &column_of(packed, column)[rows.clone()];
            let (fours, rest) = columns.as_chunks::<4>();
            Arch::new().dispatch(
                #[inline(always)]
                || {
                    for four in fours {
                        subtract_four(
                            x,
                            four.map(|(_, factor)| factor),
                            four.map(|(column, _)| part(column)),
                        );
                    }
                    for &(column, factor) in rest {
                        subtract_column(x, factor, part(column));
                    }
                },
            );
        });
    });
}

/// Subtracts from every entry of the block, whose columns begin at `start`, the inner product of its column with the entries known
/// from row `first` on.
fn subtract_products(
    packed: MatRef<'_, f64>,
    start: usize,
    block: &mut [f64],
    known: &[f64],
    first: usize,
) {
    if known.is_empty() {
        return;
    }
    let parts = block.par_chunks_mut(PRODUCTS).enumerate();
    thread_pools::run_in_pool(|| {
        parts.for_each(|(index, entries)| {
            Arch::new().dispatch(
                #[inline(always)]
                || {
                    for (column, entry) in (start + index * PRODUCTS..).zip(entries) {
                        *entry -= dot(
                            &column_of(packed, column)[first..first + known.len()],
                            known,
                        );
                    }
                },
            );
        });
    });
}

#[inline(always)]
fn subtract_column(x: &mut [f64], factor: f64, column: &[f64]) {
    for (value, entry) in x.iter_mut().zip(column) {
        *value -= factor * entry;
    }
}

/// As four times [`subtract_column`]: the same bits, with one pass over `x`.
#[inline(always)]
fn subtract_four(x: &mut [f64], factors: [f64; 4], [a, b, c, d]: [&[f64]; 4]) {
    let n = x.len();
    let (a, b, c, d) = (&a[..n], &b[..n], &c[..n], &d[..n]);
    for row in 0..n {
        x[row] = (((x[row] - factors[0] * a[row]) - factors[1] * b[row]) - factors[2] * c[row])
            - factors[3] * d[row];
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    /// Factors that do not blow up: the off-diagonal entries of a row sum to less than the diagonal one.
    fn packed(n: usize) -> Mat<f64> {
        Mat::from_fn(n, n, |row, column| {
            let entry = ((row * 31 + column * 17) % 101) as f64 / 101.0 - 0.5;
            if row == column {
                1.5 + entry
            } else {
                entry / n as f64
            }
        })
    }

    fn vector(n: usize) -> Vec<f64> {
        (0..n)
            .map(|index| ((index * 7) % 23) as f64 - 11.0)
            .collect()
    }

    fn with_threads(threads: usize, solve: fn(MatRef<'_, f64>, &mut [f64]), n: usize) -> Vec<f64> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let (packed, mut x) = (packed(n), vector(n));
        pool.install(|| solve(packed.as_ref(), &mut x));
        x
    }

    #[test]
    fn blocks_give_the_bits_of_plain_substitution() {
        for n in [
            1,
            5,
            BLOCKED_LEAST - 1,
            BLOCKED_LEAST,
            3 * BLOCK + BLOCKED_LEAST + 7,
        ] {
            let (packed, mut plain) = (packed(n), vector(n));
            for column in 0..n {
                for row in column + 1..n {
                    plain[row] -= plain[column] * packed[(row, column)];
                }
            }
            for column in (0..n).rev() {
                plain[column] /= packed[(column, column)];
                for row in 0..column {
                    plain[row] -= plain[column] * packed[(row, column)];
                }
            }
            assert_eq!(with_threads(3, solve_packed_lu, n), plain, "{n}");
        }
    }

    #[test]
    fn the_transposed_solution_is_one_for_any_number_of_threads() {
        for n in [
            1,
            5,
            BLOCKED_LEAST - 1,
            BLOCKED_LEAST,
            3 * BLOCK + BLOCKED_LEAST + 7,
        ] {
            let (packed, b) = (packed(n), vector(n));
            let x = with_threads(1, solve_transposed, n);
            assert_eq!(x, with_threads(3, solve_transposed, n), "{n}");
            // U' L' x = b, row by row of the transposed factors.
            let mut y = x.clone();
            for column in 0..n {
                y[column] += (column + 1..n)
                    .map(|row| packed[(row, column)] * x[row])
                    .sum::<f64>();
            }
            for column in 0..n {
                let image: f64 = (0..=column).map(|row| packed[(row, column)] * y[row]).sum();
                // Both sums have at most n terms of the size of b.
                let tolerance = 1e-14 * (n as f64).sqrt() * 11.0;
                assert!(
                    (image - b[column]).abs() < tolerance,
                    "{n} {column}: {image} {}",
                    b[column]
                );
            }
        }
    }
}
