//! Eigenvectors of a symmetric tridiagonal matrix by divide and conquer.
//!
//! # Method
//! The matrix is torn into two halves that differ from it by a change of rank one; each half is solved by itself, and the change
//! becomes a secular equation. Components of the change that are negligible, and pairs of poles too close to tell apart, leave the
//! equation ("deflation"): their vectors are kept as they are. The change is then recomputed from the roots that were found, so that
//! the vectors are orthogonal to working precision regardless of the accuracy of the roots. Halves, roots and blocks of columns are shared
//! by threads; each is computed by one, in one order, so that the bits do not depend on their number.
//!
//! # References
//! J. J. M. Cuppen, "A divide and conquer method for the symmetric tridiagonal eigenproblem", Numer. Math. 36, 1981.
//! M. Gu, S. C. Eisenstat, "A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem", SIAM J. Matrix Anal. Appl. 16,
//! 1995. Deflation and the order of the columns as in LAPACK's xLAED2.

use std::ops::Range;

use faer::diag::{Diag, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef, Par, Spec};
use pulp::Simd;

use super::secular::{SecularEquation, SecularRoot};
use crate::dense::lanes::{LaneKernel, VectorUnit, WIDTH, dispatch_kernel};
use crate::dense::product::LeftPanels;
use crate::dense::{
    NO_EIGENVALUES, SpectralConvergenceError, column_blocks, column_of, column_of_mut, max_abs,
    run_parts,
};

const PAR: Par = Par::Seq;
const EPS: f64 = 0.5 * f64::EPSILON;

/// Matrices up to this size are solved by QR iterations.
const LEAF: usize = 32;
/// Halves of smaller matrices are not worth a second thread.
const SHARED_LEAST: usize = 192;
/// Roots, or rows, that are handled together by one thread.
const BLOCK: usize = 128;

/// Replaces `diagonal` by the ascending eigenvalues, and `basis` (n x n, zeros) by the vectors. `beside` is used up.
///
/// # Errors
/// [`SpectralConvergenceError`].
pub(super) fn divide_and_conquer(
    diagonal: &mut [f64],
    beside: &mut [f64],
    mut basis: MatMut<'_, f64>,
) -> Result<(), SpectralConvergenceError> {
    let n = diagonal.len();
    if n <= LEAF {
        return solve_leaf(diagonal, beside, basis);
    }
    let middle = n / 2;
    let coupling = beside[middle - 1];
    diagonal[middle - 1] -= coupling.abs();
    diagonal[middle] -= coupling.abs();
    let (left, right) = diagonal.split_at_mut(middle);
    let (left_beside, right_beside) = beside.split_at_mut(middle - 1);
    let (top, _, _, bottom) = basis.rb_mut().split_at_mut(middle, middle);
    let first = || divide_and_conquer(left, left_beside, top);
    let second = || divide_and_conquer(right, &mut right_beside[1..], bottom);
    let (first, second) = if n < SHARED_LEAST {
        (first(), second())
    } else {
        thread_pools::run_in_pool(|| rayon::join(first, second))
    };
    first.and(second)?;
    merge_halves(diagonal, basis, coupling, middle);
    Ok(())
}

fn solve_leaf(
    diagonal: &mut [f64],
    beside: &[f64],
    basis: MatMut<'_, f64>,
) -> Result<(), SpectralConvergenceError> {
    let n = diagonal.len();
    let mut values = Diag::<f64>::zeros(n);
    let mut below = vec![0.0; n];
    below[..n - 1].copy_from_slice(beside);
    let params = Spec::default();
    let scratch =
        evd::self_adjoint_evd_scratch::<f64>(n, evd::ComputeEigenvectors::Yes, PAR, params);
    evd::tridiagonal_self_adjoint_evd(
        DiagRef::from_slice(diagonal),
        DiagRef::from_slice(&below),
        values.as_mut(),
        Some(basis),
        PAR,
        MemStack::new(&mut MemBuffer::new(scratch)),
        params,
    )
    .map_err(|_| NO_EIGENVALUES)?;
    for (index, value) in diagonal.iter_mut().enumerate() {
        *value = values[index];
    }
    Ok(())
}

/// Rows in which a column has entries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ColumnSupport {
    Top,
    All,
    Bottom,
}

/// The rank-one update after deflation.
struct RankOneUpdate {
    /// Columns in the equation, their poles strictly ascending.
    kept: Vec<usize>,
    /// Columns that are vectors already.
    dropped: Vec<usize>,
    rows: Vec<ColumnSupport>,
    components: Vec<f64>,
    rho: f64,
}

/// Joins the solutions of two halves, the first of size `middle`: the matrix they represent lacks `|coupling|` on the diagonal beside
/// the tear, and `coupling` next to it.
fn merge_halves(values: &mut [f64], mut basis: MatMut<'_, f64>, coupling: f64, middle: usize) {
    let n = values.len();
    let change = deflate_update(values, basis.rb_mut(), coupling, middle);
    let poles: Vec<f64> = change.kept.iter().map(|&column| values[column]).collect();
    let components: Vec<f64> = change
        .kept
        .iter()
        .map(|&column| change.components[column])
        .collect();
    let equation = SecularEquation {
        poles: &poles,
        components: &components,
        inverse_rho: change.rho.recip(),
    };
    let (roots, mut distances) = solve_secular(&equation);
    let vector = recompute_components(&equation, distances.as_ref());

    // Columns with entries at the top, in all rows, at the bottom: the two products skip the rows of zeros.
    let mut sorted: Vec<usize> = (0..poles.len()).collect();
    sorted.sort_by_key(|&index| change.rows[change.kept[index]] as u8);
    let count = |rows: ColumnSupport| {
        let of = change
            .kept
            .iter()
            .filter(|&&column| change.rows[column] == rows);
        of.count()
    };
    let (tops, bottoms) = (count(ColumnSupport::Top), count(ColumnSupport::Bottom));
    let (top, bottom) = basis.rb().split_at_row(middle);
    let columns = |which: Range<usize>| sorted[which].iter().map(|&index| change.kept[index]);
    let above = LeftPanels::gather(top, columns(0..sorted.len() - bottoms));
    let below = LeftPanels::gather(bottom, columns(tops..sorted.len()));
    let dropped: Vec<Vec<f64>> = change
        .dropped
        .iter()
        .map(|&column| column_of(basis.rb(), column).to_vec())
        .collect();

    let mut found: Vec<(f64, VectorOrigin)> = roots
        .iter()
        .enumerate()
        .map(|(index, root)| (poles[root.origin] + root.offset, VectorOrigin::Root(index)))
        .collect();
    let kept_as_they_are = change.dropped.iter().enumerate();
    found.extend(kept_as_they_are.map(|(at, &column)| (values[column], VectorOrigin::Column(at))));
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (value, (new, _)) in values.iter_mut().zip(&found) {
        *value = *new;
    }
    let mut places = vec![0; roots.len()];
    for (place, (_, source)) in found.iter().enumerate() {
        match *source {
            VectorOrigin::Root(index) => places[index] = place,
            VectorOrigin::Column(at) => {
                column_of_mut(&mut basis, place).copy_from_slice(&dropped[at]);
            }
        }
    }
    let mut products = Mat::zeros(n, roots.len());
    let blocks = column_blocks(distances.as_mut(), BLOCK)
        .into_iter()
        .zip(column_blocks(products.as_mut(), BLOCK));
    run_parts(blocks.map(|(mut distances, products)| {
        let (vector, sorted, above, below) = (&vector, &sorted, &above, &below);
        move || {
            dispatch_kernel(SecularVectors {
                vector,
                sorted,
                distances: distances.rb_mut(),
            });
            let vectors = distances.rb();
            let (to_top, to_bottom) = products.split_at_row_mut(middle);
            above.multiply(to_top, vectors.subrows(0, above.columns()));
            below.multiply(to_bottom, vectors.subrows(tops, below.columns()));
        }
    }));
    for (index, &place) in places.iter().enumerate() {
        column_of_mut(&mut basis, place).copy_from_slice(products.col_as_slice(index));
    }
}

/// Origin of a vector of the joined matrix.
enum VectorOrigin {
    Root(usize),
    Column(usize),
}

/// Sets up the rank-one update and deflates it.
fn deflate_update(
    values: &mut [f64],
    mut basis: MatMut<'_, f64>,
    coupling: f64,
    middle: usize,
) -> RankOneUpdate {
    let n = values.len();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let mut components: Vec<f64> = (0..n)
        .map(|column| {
            if column < middle {
                basis[(middle - 1, column)] * half
            } else {
                basis[(middle, column)] * half.copysign(coupling)
            }
        })
        .collect();
    let rho = 2.0 * coupling.abs();
    let mut rows: Vec<ColumnSupport> = (0..n)
        .map(|column| {
            if column < middle {
                ColumnSupport::Top
            } else {
                ColumnSupport::Bottom
            }
        })
        .collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let tolerance = 8.0 * EPS * max_abs(values).max(max_abs(&components));
    let (mut kept, mut dropped) = (Vec::with_capacity(n), Vec::new());
    let mut waiting: Option<usize> = None;
    for next in order {
        if rho * components[next].abs() <= tolerance {
            dropped.push(next);
            continue;
        }
        let Some(last) = waiting.replace(next) else {
            continue;
        };
        let length = libm::hypot(components[next], components[last]);
        let (c, s) = (components[next] / length, -components[last] / length);
        if ((values[next] - values[last]) * c * s).abs() > tolerance {
            kept.push(last);
            continue;
        }
        (components[next], components[last]) = (length, 0.0);
        if rows[next] != rows[last] {
            rows[next] = ColumnSupport::All;
        }
        for row in 0..n {
            let (x, y) = (basis[(row, last)], basis[(row, next)]);
            basis[(row, last)] = c * x + s * y;
            basis[(row, next)] = c * y - s * x;
        }
        let (low, high) = (values[last], values[next]);
        values[last] = low * (c * c) + high * (s * s);
        values[next] = low * (s * s) + high * (c * c);
        dropped.push(last);
    }
    kept.extend(waiting);
    RankOneUpdate {
        kept,
        dropped,
        rows,
        components,
        rho,
    }
}

/// All roots, and column by column their distances from the poles.
fn solve_secular(equation: &SecularEquation<'_>) -> (Vec<SecularRoot>, Mat<f64>) {
    let count = equation.poles.len();
    let mut distances = Mat::zeros(count, count);
    let mut roots = vec![
        SecularRoot {
            origin: 0,
            offset: 0.0
        };
        count
    ];
    let blocks = column_blocks(distances.as_mut(), BLOCK)
        .into_iter()
        .zip(roots.chunks_mut(BLOCK))
        .enumerate();
    run_parts(blocks.map(|(block, (mut columns, roots))| {
        move || {
            for (at, root) in roots.iter_mut().enumerate() {
                *root = equation.root(block * BLOCK + at, column_of_mut(&mut columns, at));
            }
        }
    }));
    (roots, distances)
}

/// The components for which the roots are exact: `z_i^2 = prod_j (x_j - d_i) / prod_(j != i) (d_j - d_i)`, with the old signs.
fn recompute_components(equation: &SecularEquation<'_>, distances: MatRef<'_, f64>) -> Vec<f64> {
    let count = equation.poles.len();
    let mut found = vec![1.0; count];
    let blocks = found.chunks_mut(BLOCK).enumerate();
    run_parts(blocks.map(|(block, found)| {
        move || {
            dispatch_kernel(RecomputedWeights {
                equation,
                distances,
                first: block * BLOCK,
                found,
            });
        }
    }));
    found
}

/// [`recompute_components`] for some rows.
struct RecomputedWeights<'a> {
    equation: &'a SecularEquation<'a>,
    distances: MatRef<'a, f64>,
    first: usize,
    found: &'a mut [f64],
}

impl LaneKernel for RecomputedWeights<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) {
        let Self {
            equation,
            distances,
            first,
            found,
        } = self;
        let here = first..first + found.len();
        let poles = &equation.poles[here.clone()];
        for column in 0..equation.poles.len() {
            let pole = equation.poles[column];
            let distances = &column_of(distances, column)[here.clone()];
            if !here.contains(&column) {
                multiply_quotients(unit, poles, pole, distances, found);
                continue;
            }
            let at = column - first;
            multiply_quotients(unit, &poles[..at], pole, &distances[..at], &mut found[..at]);
            found[at] *= distances[at];
            let after = at + 1..;
            multiply_quotients(
                unit,
                &poles[after.clone()],
                pole,
                &distances[after.clone()],
                &mut found[after],
            );
        }
        for (found, z) in found.iter_mut().zip(&equation.components[here]) {
            *found = found.abs().sqrt().copysign(*z);
        }
    }
}

/// Multiplies each number by `distance / (d - pole)`.
#[inline(always)]
fn multiply_quotients<S: Simd, const R: usize>(
    unit: VectorUnit<S, R>,
    poles: &[f64],
    pole: f64,
    distances: &[f64],
    found: &mut [f64],
) {
    let spread = unit.splat(pole);
    let (blocks, rest) = poles.as_chunks::<WIDTH>();
    let (distance_blocks, distances_rest) = distances.as_chunks::<WIDTH>();
    let (outs, outs_rest) = found.as_chunks_mut::<WIDTH>();
    for ((d, distance), out) in blocks.iter().zip(distance_blocks).zip(outs) {
        let quotient = unit.div(unit.load(distance), unit.sub(unit.load(d), spread));
        unit.store(unit.mul(unit.load(out), quotient), out);
    }
    for ((d, distance), out) in rest.iter().zip(distances_rest).zip(outs_rest) {
        *out *= distance / (d - pole);
    }
}

/// Replaces columns of distances by unit vectors `z_i / (d_i - x)`, their rows in the order of the columns they multiply.
struct SecularVectors<'a> {
    vector: &'a [f64],
    sorted: &'a [usize],
    distances: MatMut<'a, f64>,
}

impl LaneKernel for SecularVectors<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) {
        let Self {
            vector,
            sorted,
            mut distances,
        } = self;
        let mut entries = vec![0.0; vector.len()];
        for column in 0..distances.ncols() {
            let distances = column_of_mut(&mut distances, column);
            let (parts, parts_rest) = vector.as_chunks::<WIDTH>();
            let (blocks, rest) = distances.as_chunks::<WIDTH>();
            let (outs, outs_rest) = entries.as_chunks_mut::<WIDTH>();
            for ((z, d), out) in parts.iter().zip(blocks).zip(outs) {
                unit.store(unit.div(unit.load(z), unit.load(d)), out);
            }
            for ((z, d), out) in parts_rest.iter().zip(rest).zip(outs_rest) {
                *out = z / d;
            }
            let [square] = unit.dots(&entries, [&entries]);
            let inverse = square.sqrt().recip();
            for (to, &from) in distances.iter_mut().zip(sorted) {
                *to = entries[from] * inverse;
            }
        }
    }
}
