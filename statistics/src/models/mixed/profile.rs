//! The profiled deviance of the relative covariances.

use super::products::{CrossProducts, TermPlace};
use crate::models::least_squares::cholesky_lower;

/// The penalised least squares problem at given parameters, factored.
pub(super) struct ProfileState {
    /// Cholesky factors of the blocks.
    l11: Vec<f64>,
    /// `L11^-1 M12`, `block x dense` for each level.
    t12: Vec<f64>,
    l22: Vec<f64>,
    w1: Vec<f64>,
    w2: Vec<f64>,
    /// Lower Cholesky factor of what is left of `[Q e]'[Q e]`; its last diagonal entry squared is the penalised residual sum of squares.
    pub rest: Vec<f64>,
    /// Logarithm of the determinant of `Lambda' Z'Z Lambda + I`.
    pub log_determinant: f64,
}

/// The lower triangle of a term from its parameters, by columns as lme4.
pub(super) fn relative_factor(theta: &[f64], columns: usize) -> Vec<f64> {
    let mut lambda = vec![0.0; columns * columns];
    let mut next = 0;
    for column in 0..columns {
        for row in column..columns {
            lambda[row * columns + column] = theta[next];
            next += 1;
        }
    }
    lambda
}

/// The factor of the block of a level of the leading group.
fn block_factor(products: &CrossProducts, theta: &[f64]) -> Vec<f64> {
    let block = products.block;
    let mut lambda = vec![0.0; block * block];
    for place in &products.leading {
        let part = term_factor(place, theta);
        for row in 0..place.columns {
            for column in 0..place.columns {
                let at = (place.start + row) * block + place.start + column;
                lambda[at] = part[row * place.columns + column];
            }
        }
    }
    lambda
}

fn term_factor(place: &TermPlace, theta: &[f64]) -> Vec<f64> {
    let count = place.columns * (place.columns + 1) / 2;
    relative_factor(
        &theta[place.parameter..place.parameter + count],
        place.columns,
    )
}

/// `L' A` for a small factor, in place; rows of A have `width` entries.
fn multiply_transposed(lambda: &[f64], size: usize, a: &mut [f64], width: usize) {
    let mut out = vec![0.0; size * width];
    for row in 0..size {
        for k in row..size {
            let factor = lambda[k * size + row];
            if factor != 0.0 {
                let from = &a[k * width..(k + 1) * width];
                let to = &mut out[row * width..(row + 1) * width];
                to.iter_mut()
                    .zip(from)
                    .for_each(|(to, from)| *to += factor * from);
            }
        }
    }
    a.copy_from_slice(&out);
}

/// `A L` for a small factor and the columns from `start`, in place.
fn multiply_columns(a: &mut [f64], width: usize, start: usize, lambda: &[f64], size: usize) {
    let mut out = vec![0.0; size];
    for row in a.chunks_exact_mut(width) {
        let part = &mut row[start..start + size];
        for (column, out) in out.iter_mut().enumerate() {
            *out = (column..size)
                .map(|k| part[k] * lambda[k * size + column])
                .sum();
        }
        part.copy_from_slice(&out);
    }
}

/// Solves `L X = A` in place; rows of A have `width` entries.
fn solve_lower_rows(lower: &[f64], size: usize, a: &mut [f64], width: usize) {
    for row in 0..size {
        let (before, rest) = a.split_at_mut(row * width);
        let current = &mut rest[..width];
        for k in 0..row {
            let factor = lower[row * size + k];
            let from = &before[k * width..(k + 1) * width];
            current
                .iter_mut()
                .zip(from)
                .for_each(|(to, from)| *to -= factor * from);
        }
        let pivot = lower[row * size + row];
        current.iter_mut().for_each(|value| *value /= pivot);
    }
}

/// Subtracts `A' B` of matrices with as many rows each.
fn subtract_inner(out: &mut [f64], a: &[f64], a_width: usize, b: &[f64], b_width: usize) {
    if a_width == 0 || b_width == 0 {
        return;
    }
    for (a_row, b_row) in a.chunks_exact(a_width).zip(b.chunks_exact(b_width)) {
        for (one, out) in a_row.iter().zip(out.chunks_exact_mut(b_width)) {
            if *one != 0.0 {
                out.iter_mut()
                    .zip(b_row)
                    .for_each(|(out, two)| *out -= one * two);
            }
        }
    }
}

fn log_diagonal(lower: &[f64], size: usize) -> f64 {
    (0..size).map(|k| lower[k * size + k].ln()).sum()
}

impl ProfileState {
    /// Factors the problem; `None` where rounding leaves nothing positive.
    pub(super) fn new(products: &CrossProducts, theta: &[f64]) -> Option<Self> {
        let (block, dense, width) = (products.block, products.dense, products.fixed);
        let lambda = block_factor(products, theta);
        let mut a22 = products.a22.clone();
        let mut b2 = products.b2.clone();
        let mut a12 = products.a12.clone();
        for place in &products.others {
            let part = term_factor(place, theta);
            for level in 0..place.levels {
                let start = place.start + level * place.columns;
                let end = start + place.columns;
                multiply_transposed(
                    &part,
                    place.columns,
                    &mut a22[start * dense..end * dense],
                    dense,
                );
                multiply_columns(&mut a22, dense, start, &part, place.columns);
                multiply_transposed(
                    &part,
                    place.columns,
                    &mut b2[start * width..end * width],
                    width,
                );
                multiply_columns(&mut a12, dense, start, &part, place.columns);
            }
        }
        (0..dense).for_each(|k| a22[k * dense + k] += 1.0);
        let mut state = Self {
            l11: Vec::with_capacity(products.a11.len()),
            t12: a12,
            l22: Vec::new(),
            w1: products.b1.clone(),
            w2: b2,
            rest: products.c.clone(),
            log_determinant: 0.0,
        };
        for group in 0..products.groups {
            let at = group * block;
            let mut a11 = products.a11[at * block..(at + block) * block].to_vec();
            multiply_transposed(&lambda, block, &mut a11, block);
            multiply_columns(&mut a11, block, 0, &lambda, block);
            (0..block).for_each(|k| a11[k * block + k] += 1.0);
            let lower = cholesky_lower(&a11, block)?;
            state.log_determinant += 2.0 * log_diagonal(&lower, block);
            let w1 = &mut state.w1[at * width..(at + block) * width];
            multiply_transposed(&lambda, block, w1, width);
            solve_lower_rows(&lower, block, w1, width);
            subtract_inner(&mut state.rest, w1, width, w1, width);
            if dense > 0 {
                let t12 = &mut state.t12[at * dense..(at + block) * dense];
                multiply_transposed(&lambda, block, t12, dense);
                solve_lower_rows(&lower, block, t12, dense);
                subtract_inner(&mut a22, t12, dense, t12, dense);
                subtract_inner(&mut state.w2, t12, dense, w1, width);
            }
            state.l11.extend(lower);
        }
        if dense > 0 {
            let lower = cholesky_lower(&a22, dense)?;
            state.log_determinant += 2.0 * log_diagonal(&lower, dense);
            solve_lower_rows(&lower, dense, &mut state.w2, width);
            let w2 = &state.w2;
            subtract_inner(&mut state.rest, w2, width, w2, width);
            state.l22 = lower;
        }
        state.rest = cholesky_lower(&state.rest, width)?;
        Some(state)
    }

    /// The penalised residual sum of squares.
    pub(super) fn residual_squares(&self, width: usize) -> f64 {
        self.rest[width * width - 1].powi(2)
    }

    /// Logarithm of the determinant of the fixed part.
    pub(super) fn fixed_log_determinant(&self, width: usize) -> f64 {
        2.0 * (0..width - 1)
            .map(|k| self.rest[k * width + k].ln())
            .sum::<f64>()
    }

    /// The coefficients of Q.
    pub(super) fn fixed_coefficients(&self, width: usize) -> Vec<f64> {
        let size = width - 1;
        // rest = [R' 0; r' s]: R g = r.
        let mut g: Vec<f64> = (0..size).map(|k| self.rest[size * width + k]).collect();
        for row in (0..size).rev() {
            let terms = (row + 1..size).map(|k| self.rest[k * width + row] * g[k]);
            g[row] = (g[row] - terms.sum::<f64>()) / self.rest[row * width + row];
        }
        g
    }

    /// The inverse of the fixed part's Gram matrix, for dispersion 1.
    pub(super) fn fixed_inverse(&self, width: usize) -> Vec<f64> {
        let size = width - 1;
        let mut inverse = vec![0.0; size * size];
        for k in 0..size {
            inverse[k * size + k] = 1.0;
        }
        let lower: Vec<f64> = (0..size * size)
            .map(|at| self.rest[at / size * width + at % size])
            .collect();
        // Columns of L^-1, then its product with its transpose.
        solve_lower_rows(&lower, size, &mut inverse, size);
        let mut out = vec![0.0; size * size];
        for k in 0..size {
            let row = &inverse[k * size..(k + 1) * size];
            for (one, out) in row.iter().zip(out.chunks_exact_mut(size)) {
                out.iter_mut()
                    .zip(row)
                    .for_each(|(out, two)| *out += one * two);
            }
        }
        out
    }

    /// The conditional modes of each term, level by level, for coefficients of Q.
    pub(super) fn modes(
        &self,
        products: &CrossProducts,
        theta: &[f64],
        g: &[f64],
    ) -> Vec<Vec<f64>> {
        let (block, dense, width) = (products.block, products.dense, products.fixed);
        let free = |row: &[f64]| {
            let fitted: f64 = row.iter().zip(g).map(|(w, g)| w * g).sum();
            row[width - 1] - fitted
        };
        let mut u2: Vec<f64> = self.w2.chunks_exact(width).map(free).collect();
        solve_upper(&self.l22, dense, &mut u2);
        let lambda = block_factor(products, theta);
        let mut modes = vec![Vec::new(); products.leading.len() + products.others.len()];
        for group in 0..products.groups {
            let at = group * block;
            let rows = self.w1[at * width..(at + block) * width].chunks_exact(width);
            let mut u1: Vec<f64> = rows.map(free).collect();
            for (k, u) in u1.iter_mut().enumerate() {
                let row = &self.t12[(at + k) * dense..(at + k + 1) * dense];
                *u -= row.iter().zip(&u2).map(|(t, u)| t * u).sum::<f64>();
            }
            solve_upper(&self.l11[at * block..(at + block) * block], block, &mut u1);
            for place in &products.leading {
                for row in place.start..place.start + place.columns {
                    let terms = (0..=row).map(|k| lambda[row * block + k] * u1[k]);
                    modes[place.term].push(terms.sum());
                }
            }
        }
        for place in &products.others {
            let part = term_factor(place, theta);
            for level in u2[place.start..place.start + place.levels * place.columns]
                .chunks_exact(place.columns)
            {
                for row in 0..place.columns {
                    let terms = (0..=row).map(|k| part[row * place.columns + k] * level[k]);
                    modes[place.term].push(terms.sum());
                }
            }
        }
        modes
    }
}

/// Solves `L' x = b` in place.
fn solve_upper(lower: &[f64], size: usize, b: &mut [f64]) {
    for row in (0..size).rev() {
        let terms = (row + 1..size).map(|k| lower[k * size + row] * b[k]);
        b[row] = (b[row] - terms.sum::<f64>()) / lower[row * size + row];
    }
}
