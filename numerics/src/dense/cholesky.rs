//! Factorisations of symmetric matrices: Cholesky where they are positive definite, block diagonal pivoting where not.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::lblt::factor::{LbltParams, PivotingStrategy};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::linalg::cholesky::{lblt, llt};
use faer::linalg::triangular_solve as triangular;
use faer::perm::PermRef;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Auto, Conj, Mat, MatMut, Par, Spec, diag::Diag};

use super::condition::LinearOperator;
use super::product::take_lower;
use super::{SMALL, add_multiple, column_blocks, dot, run_parts};

const PAR: Par = Par::Seq;

/// Matrices with fewer rows are one panel.
const BLOCKED_LEAST: usize = 512;
/// Columns of a panel, and of a block of the trailing matrix.
const PANEL: usize = 256;

/// The factor of `A = L L'` of a symmetric positive definite matrix.
#[derive(Debug, Clone)]
pub struct Cholesky {
    /// `L` in the lower triangle; what stands above the diagonal has no meaning.
    pub packed: Mat<f64>,
}

/// The matrix is not positive definite: the leading block of this size is the first that is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the leading block of size {size} is not positive definite")]
pub struct NotPositiveDefinite {
    /// Size of the block, from 1.
    pub size: usize,
}

/// Factors in place.
fn factor_blocked(mut a: MatMut<'_, f64>) -> Result<(), NotPositiveDefinite> {
    let n = a.nrows();
    if n < BLOCKED_LEAST {
        return factor_panel(a);
    }
    let mut done = 0;
    while done < n {
        let width = PANEL.min(n - done);
        let rest = a.rb_mut().submatrix_mut(done, done, n - done, n - done);
        let (mut diagonal, _, mut below, trailing) = rest.split_at_mut(width, width);
        factor_panel(diagonal.rb_mut()).map_err(|error| NotPositiveDefinite {
            size: done + error.size,
        })?;
        let diagonal = diagonal.rb();
        let rows = column_blocks(below.rb_mut().transpose_mut(), PANEL);
        run_parts(rows.into_iter().map(|block| {
            move || triangular::solve_lower_triangular_in_place(diagonal, block, PAR)
        }));
        let below = below.rb();
        let blocks = column_blocks(trailing, PANEL).into_iter().enumerate();
        run_parts(blocks.map(|(index, block)| {
            let first = index * PANEL;
            let (rows, width) = (below.nrows() - first, block.ncols());
            let (left, right) = (below.subrows(first, rows), below.subrows(first, width));
            move || take_lower(block.subrows_mut(first, rows), left, right)
        }));
        done += width;
    }
    Ok(())
}

fn factor_panel(a: MatMut<'_, f64>) -> Result<(), NotPositiveDefinite> {
    let params = Spec::default();
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(a.nrows(), PAR, params);
    let (plain, mut memory) = (LltRegularization::default(), MemBuffer::new(scratch));
    match llt::factor::cholesky_in_place(a, plain, PAR, MemStack::new(&mut memory), params) {
        Ok(_) => Ok(()),
        Err(LltError::NonPositivePivot { index }) => Err(NotPositiveDefinite { size: index + 1 }),
    }
}

impl Cholesky {
    /// Factors the symmetric n x n matrix given by its lower triangle: n^3 / 3 operations.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] at the first pivot that is not greater than zero.
    ///
    /// # Method
    /// Blocked elimination of faer, from 512 rows on in panels whose updates run side by side; plain columns up to `SMALL`.
    pub fn new(mut packed: Mat<f64>) -> Result<Self, NotPositiveDefinite> {
        let n = packed.nrows();
        if n <= SMALL {
            for column in 0..n {
                for row in column..n {
                    let term = |index| packed[(row, index)] * packed[(column, index)];
                    let rest = packed[(row, column)] - (0..column).map(term).sum::<f64>();
                    if row > column {
                        packed[(row, column)] = rest / packed[(column, column)];
                    } else if rest > 0.0 && rest.is_finite() {
                        packed[(row, column)] = rest.sqrt();
                    } else {
                        return Err(NotPositiveDefinite { size: column + 1 });
                    }
                }
            }
            return Ok(Self { packed });
        }
        factor_blocked(packed.as_mut())?;
        let positive = |index: usize| packed[(index, index)] > 0.0;
        match (0..n).find(|&index| !positive(index)) {
            Some(index) => Err(NotPositiveDefinite { size: index + 1 }),
            None => Ok(Self { packed }),
        }
    }

    /// `L` itself, zeros above the diagonal.
    pub fn lower(&self) -> Mat<f64> {
        let n = self.packed.nrows();
        Mat::from_fn(n, n, |row, column| {
            if row >= column {
                self.packed[(row, column)]
            } else {
                0.0
            }
        })
    }

    /// Replaces the columns of `rhs` by the solutions of `A x = rhs`.
    pub fn solve(&self, rhs: &mut Mat<f64>) {
        if rhs.ncols() == 1 {
            self.apply(rhs.col_as_slice_mut(0));
            return;
        }
        let packed = self.packed.as_ref();
        triangular::solve_lower_triangular_in_place(packed, rhs.as_mut(), PAR);
        triangular::solve_upper_triangular_in_place(packed.transpose(), rhs.as_mut(), PAR);
    }
}

impl LinearOperator for Cholesky {
    fn size(&self) -> usize {
        self.packed.nrows()
    }

    fn apply(&self, x: &mut [f64]) {
        let n = x.len();
        for column in 0..n {
            let entries = self.packed.col_as_slice(column);
            let (head, tail) = x.split_at_mut(column + 1);
            head[column] /= entries[column];
            add_multiple(tail, -head[column], &entries[column + 1..]);
        }
        for column in (0..n).rev() {
            let entries = self.packed.col_as_slice(column);
            let sum = dot(&entries[column + 1..], &x[column + 1..]);
            x[column] = (x[column] - sum) / entries[column];
        }
    }

    fn apply_transposed(&self, x: &mut [f64]) {
        self.apply(x);
    }
}

/// Factors `P A P' = L D L'` of a symmetric matrix, `D` of 1 x 1 and 2 x 2 blocks.
#[derive(Debug, Clone)]
pub struct BunchKaufman {
    packed: Mat<f64>,
    subdiagonal: Diag<f64>,
    order: Vec<usize>,
    inverse_order: Vec<usize>,
}

impl BunchKaufman {
    /// Factors the symmetric n x n matrix given by its lower triangle: n^3 / 3 operations, and up to as much for the pivots.
    ///
    /// # Method
    /// Rook pivoting, which bounds the entries of `L` by 2.79.
    ///
    /// # References
    /// C. Ashcraft, R. G. Grimes, J. G. Lewis, "Accurate symmetric indefinite linear equation solvers", SIAM J. Matrix Anal. Appl.
    /// 20, 1998; J. R. Bunch, L. Kaufman, "Some stable methods for calculating inertia and solving symmetric linear systems",
    /// Math. Comp. 31, 1977.
    pub fn new(mut packed: Mat<f64>) -> Self {
        let n = packed.nrows();
        let mut subdiagonal = Diag::<f64>::zeros(n);
        let (mut order, mut inverse_order) = (vec![0_usize; n], vec![0_usize; n]);
        let mut params: LbltParams = Auto::<f64>::auto();
        params.pivoting = PivotingStrategy::Rook;
        let params: Spec<LbltParams, f64> = Spec::new(params);
        let scratch = lblt::factor::cholesky_in_place_scratch::<usize, f64>(n, PAR, params);
        lblt::factor::cholesky_in_place(
            packed.as_mut(),
            subdiagonal.as_mut(),
            &mut order,
            &mut inverse_order,
            PAR,
            MemStack::new(&mut MemBuffer::new(scratch)),
            params,
        );
        Self {
            packed,
            subdiagonal,
            order,
            inverse_order,
        }
    }

    /// Whether some block of `D` is exactly singular or not finite.
    pub(crate) fn is_singular(&self) -> bool {
        let n = self.order.len();
        let mut index = 0;
        while index < n {
            let off = self.subdiagonal[index];
            let mut determinant = self.packed[(index, index)];
            index += 1;
            if off != 0.0 {
                determinant = (determinant / off) * (self.packed[(index, index)] / off) - 1.0;
                index += 1;
            }
            if determinant == 0.0 || !determinant.is_finite() {
                return true;
            }
        }
        false
    }

    /// Replaces the columns of `rhs` by the solutions of `A x = rhs`.
    pub fn solve(&self, rhs: &mut Mat<f64>) {
        let (n, k) = rhs.shape();
        let scratch = lblt::solve::solve_in_place_scratch::<usize, f64>(n, k, PAR);
        lblt::solve::solve_in_place_with_conj(
            self.packed.as_ref(),
            self.packed.diagonal(),
            self.subdiagonal.as_ref(),
            Conj::No,
            PermRef::new_checked(&self.order, &self.inverse_order, n),
            rhs.as_mut(),
            PAR,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
    }
}

impl LinearOperator for BunchKaufman {
    fn size(&self) -> usize {
        self.order.len()
    }

    fn apply(&self, x: &mut [f64]) {
        let mut rhs = Mat::from_fn(x.len(), 1, |row, _| x[row]);
        self.solve(&mut rhs);
        x.copy_from_slice(rhs.col_as_slice(0));
    }

    fn apply_transposed(&self, x: &mut [f64]) {
        self.apply(x);
    }
}

/// The factor `L` of `L L^T`, lower triangles row by row in a full square; `None` when the matrix is not positive definite.
pub fn cholesky_factor(mut matrix: Vec<f64>, n: usize) -> Option<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for i in 0..n {
        for j in 0..=i {
            let (above, row) = matrix.split_at(i * n);
            let other = if j == i { row } else { &above[j * n..] };
            let rest = row[j] - dot(&row[..j], &other[..j]);
            if j < i {
                let pivot = other[j];
                matrix[i * n + j] = rest / pivot;
            } else if rest > 0.0 && rest.is_finite() {
                matrix[i * n + i] = rest.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(matrix)
}
