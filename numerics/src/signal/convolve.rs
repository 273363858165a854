//! Convolution of sequences and matrices, directly or through transforms.

use super::Complex64;
use super::transform::{self, TransformDirection};
use crate::watch::{Interruption, Watch};

/// Cost of a multiplication of the direct sum, and of a point of a transform times its logarithm, in the same unit.
const DIRECT: f64 = 1.0;
const TRANSFORMED: f64 = 12.0;

/// A matrix by rows; a sequence is one row.
#[derive(Debug, Clone, Copy)]
pub struct SequenceBlock<'a> {
    /// The entries, row by row.
    pub data: &'a [f64],
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
}

/// Operations of the direct sum.
pub fn direct_operations(a: SequenceBlock<'_>, b: SequenceBlock<'_>) -> f64 {
    DIRECT * a.data.len() as f64 * b.data.len() as f64
}

/// Operations by transforms.
pub fn transform_operations(a: SequenceBlock<'_>, b: SequenceBlock<'_>) -> f64 {
    let (rows, columns) = padded_sizes(a, b);
    let points = rows as f64 * columns as f64;
    TRANSFORMED * points * points.max(2.0).log2()
}

/// Sizes of the transforms: the next ones whose prime factors are 2, 3 and 5.
fn padded_sizes(a: SequenceBlock<'_>, b: SequenceBlock<'_>) -> (usize, usize) {
    let next = |n: usize| if n == 1 { 1 } else { smooth_above(n) };
    (next(a.rows + b.rows - 1), next(a.columns + b.columns - 1))
}

/// The least number of prime factors 2, 3 and 5 that is at least n.
pub fn smooth_above(n: usize) -> usize {
    let mut best = n.next_power_of_two();
    let mut fives = 1;
    while fives < best {
        let mut threes = fives;
        while threes < best {
            let mut value = threes;
            while value < n {
                value *= 2;
            }
            best = best.min(value);
            threes *= 3;
        }
        fives *= 5;
    }
    best
}

/// The full convolution, of `a.rows + b.rows - 1` rows and `a.columns + b.columns - 1` columns, by the sum.
///
/// Terms are added in the order of the indices of the smaller one; of integers it is exact while the sums stay below 2^53. The caller is asked
/// between pieces of about a million terms.
///
/// # Errors
/// [`Interruption::Stopped`].
pub fn convolve_direct(
    a: SequenceBlock<'_>,
    b: SequenceBlock<'_>,
    watch: &dyn Watch,
) -> Result<Vec<f64>, Interruption> {
    const PIECE: usize = 1 << 20;
    let (long, short) = if a.data.len() >= b.data.len() {
        (a, b)
    } else {
        (b, a)
    };
    let columns = a.columns + b.columns - 1;
    let mut out = vec![0.0; (a.rows + b.rows - 1) * columns];
    let mut done = 0;
    for (at, &factor) in short.data.iter().enumerate() {
        let (row, column) = (at / short.columns, at % short.columns);
        if factor == 0.0 {
            continue;
        }
        for (index, values) in long.data.chunks_exact(long.columns).enumerate() {
            let start = (row + index) * columns + column;
            let sums = &mut out[start..start + long.columns];
            sums.iter_mut()
                .zip(values)
                .for_each(|(sum, value)| *sum += factor * value);
            done += long.columns;
            if done >= PIECE {
                done = 0;
                watch.check()?;
            }
        }
    }
    Ok(out)
}

/// The full convolution through transforms.
///
/// The error in the Euclidean norm is about 1e-16 times the logarithm of the size times the product of the norms of both: small entries beside
/// large ones have fewer digits than by [`convolve_direct`].
pub fn by_transforms(a: SequenceBlock<'_>, b: SequenceBlock<'_>) -> Vec<f64> {
    let (rows, columns) = padded_sizes(a, b);
    if rows == 1 {
        let of = |block: SequenceBlock<'_>| {
            let mut samples = block.data.to_vec();
            samples.resize(columns, 0.0);
            transform::transform_real(&samples)
        };
        let product: Vec<Complex64> = of(a).iter().zip(of(b)).map(|(a, b)| a * b).collect();
        let mut out = transform::real_inverse(&product, columns);
        out.truncate(a.columns + b.columns - 1);
        return out;
    }
    // Both at once: the transform of a + i b has those of a and of b as its even and odd parts.
    let mut both = vec![Complex64::default(); rows * columns];
    for (block, part) in [(a, Complex64::new(1.0, 0.0)), (b, Complex64::new(0.0, 1.0))] {
        for (row, values) in block.data.chunks_exact(block.columns).enumerate() {
            for (column, value) in values.iter().enumerate() {
                both[row * columns + column] += part * value;
            }
        }
    }
    transform::complex_2d(&mut both, rows, columns, TransformDirection::Forward);
    let mut product = vec![Complex64::default(); rows * columns];
    for row in 0..rows {
        for column in 0..columns {
            let z = both[row * columns + column];
            let mirrored = ((rows - row) % rows) * columns + (columns - column) % columns;
            let w = both[mirrored].conj();
            // (z + w) / 2 times (z - w) / 2i.
            product[row * columns + column] = (z + w) * (z - w) * Complex64::new(0.0, -0.25);
        }
    }
    transform::complex_2d(&mut product, rows, columns, TransformDirection::Inverse);
    let (out_rows, out_columns) = (a.rows + b.rows - 1, a.columns + b.columns - 1);
    let entry = |at: usize| product[(at / out_columns) * columns + at % out_columns].re;
    (0..out_rows * out_columns).map(entry).collect()
}
