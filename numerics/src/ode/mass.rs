//! [`MassMatrix`]: a constant mass matrix, and the check of a start that has to fulfil algebraic equations.
//!
//! With a singular matrix, `M y' = f(t, y)` holds algebraic equations. They have index 1, which the methods need, when `N_l' J N_r` is
//! regular, `N_l` and `N_r` being bases of the left and right null space of M: E. Hairer, G. Wanner, "Solving Ordinary Differential
//! Equations II", 2nd ed., Springer 1996, section VI.1.

use crate::dense::condition::{LinearOperator, reciprocal_condition};
use crate::dense::factors::{MatrixFactors, SquareMethod};
use crate::dense::structure::MatrixStructure;
use crate::dense::system::one_norm;
use crate::dense::{SingularVectors, dot, singular_decomposition};
use crate::watch::Watch;
use faer::{Mat, MatRef};

use super::error::{OdeArgumentError, OdeError};
use super::flow::{OdeFlow, OdeTolerances};

/// A constant mass matrix, with the algebraic equations that it leaves.
#[derive(Debug)]
pub struct MassMatrix {
    len: usize,
    entries: Vec<(usize, usize, f64)>,
    /// Orthonormal vectors x with x' M = 0.
    left: Vec<Vec<f64>>,
    /// Orthonormal vectors x with M x = 0.
    right: Vec<Vec<f64>>,
}

type Vectors = Vec<Vec<f64>>;

/// Bases of the left and right null space of a matrix of `n` rows, below `offset` zeros.
fn null_spaces(
    matrix: &[f64],
    n: usize,
    offset: usize,
    watch: &dyn Watch,
) -> Result<(Vectors, Vectors), OdeError> {
    let size = n as f64;
    watch.afford(25.0 * size * size * size)?;
    watch.reserve_doubles(6 * n * n)?;
    let dense = Mat::from_fn(n, n, |row, column| matrix[row * n + column]);
    let (values, bases) = singular_decomposition(dense.as_ref(), SingularVectors::Full)?;
    let threshold = size * f64::EPSILON * values.first().copied().unwrap_or(0.0);
    let rank = values.iter().filter(|value| **value > threshold).count();
    let of = |basis: MatRef<'_, f64>| -> Vectors {
        let column = |index: usize| {
            let zeros = std::iter::repeat_n(0.0, offset);
            zeros.chain((0..n).map(|row| basis[(row, index)])).collect()
        };
        (rank..n).map(column).collect()
    };
    Ok(bases.map_or_else(Default::default, |(u, v)| (of(u.as_ref()), of(v.as_ref()))))
}

impl MassMatrix {
    /// Of `n` equations, n x n numbers row by row, for a state that begins with `offset` entries besides whose mass is 1: the positions of a
    /// system of second order, whose matrix belongs to the accelerations; otherwise 0.
    ///
    /// # Errors
    /// [`OdeArgumentError`] for other sizes, what is not finite and a matrix of zeros; [`OdeError::MassDecomposition`]; an interruption.
    pub fn new(
        matrix: &[f64],
        n: usize,
        offset: usize,
        watch: &dyn Watch,
    ) -> Result<Self, OdeError> {
        let (expected, found) = (n.saturating_mul(n), matrix.len());
        if expected != found {
            return Err(OdeArgumentError::MassLength { expected, found }.into());
        }
        if let Some(index) = matrix.iter().position(|value| !value.is_finite()) {
            let value = matrix[index];
            return Err(OdeArgumentError::MassValue { index, value }.into());
        }
        let mut entries: Vec<(usize, usize, f64)> = (0..offset).map(|i| (i, i, 1.0)).collect();
        let mut is_diagonal = true;
        for row in 0..n {
            for (column, &value) in matrix[row * n..(row + 1) * n].iter().enumerate() {
                if value != 0.0 {
                    entries.push((offset + row, offset + column, value));
                    is_diagonal &= row == column;
                }
            }
        }
        if entries.len() == offset {
            return Err(OdeArgumentError::ZeroMass.into());
        }
        let (left, right) = if is_diagonal {
            let is_zero = |row: &usize| matrix[row * n + row] == 0.0;
            let unit = |row: usize| {
                let mut vector = vec![0.0; offset + n];
                vector[offset + row] = 1.0;
                vector
            };
            let vectors: Vectors = (0..n).filter(is_zero).map(unit).collect();
            (vectors.clone(), vectors)
        } else {
            null_spaces(matrix, n, offset, watch)?
        };
        Ok(Self {
            len: offset + n,
            entries,
            left,
            right,
        })
    }

    /// Rows and columns, of all entries of the state.
    #[expect(clippy::len_without_is_empty, reason = "there is no empty one")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Row, column and value of the entries that are not zero, for a [`JacobianPattern`](super::JacobianPattern).
    pub fn entries(&self) -> &[(usize, usize, f64)] {
        &self.entries
    }

    /// Whether there are algebraic equations.
    pub fn is_singular(&self) -> bool {
        !self.left.is_empty()
    }

    /// Whether an algebraic equation is a combination of rows, not a row of its own.
    pub fn mixes_rows(&self) -> bool {
        let entries = |left: &Vec<f64>| left.iter().filter(|entry| **entry != 0.0).count();
        self.left.iter().any(|left| entries(left) > 1)
    }

    /// The factors of `N_l' J N_r`, by which the algebraic equations determine the rest.
    ///
    /// # Errors
    /// [`OdeError::HigherIndex`] where they do not.
    fn algebraic(
        &self,
        flow: &mut dyn OdeFlow,
        (t, y): (f64, &[f64]),
        watch: &dyn Watch,
    ) -> Result<MatrixFactors, OdeError> {
        let count = self.left.len();
        let pattern = flow.pattern();
        watch.reserve_doubles(count * (count + y.len()) + pattern.entries.len())?;
        let mut jacobian = vec![0.0; pattern.entries.len()];
        watch.count_evaluations(flow.jacobian(t, y, &mut jacobian))?;
        let mut matrix = vec![0.0; count * count];
        for (column, right) in self.right.iter().enumerate() {
            let mut image = vec![0.0; y.len()];
            for (&(row, at), value) in pattern.entries.iter().zip(&jacobian) {
                image[row] += value * right[at];
            }
            for (row, left) in self.left.iter().enumerate() {
                matrix[row * count + column] = dot(left, &image);
            }
        }
        let structure = MatrixStructure::of(&matrix, count);
        let factors = MatrixFactors::new(&matrix, count, structure, SquareMethod::Lu).ok();
        factors
            .filter(|factors| {
                reciprocal_condition(factors, one_norm(&matrix, count)) > 10.0 * f64::EPSILON
            })
            .ok_or(OdeError::HigherIndex { t })
    }

    /// The derivatives of the start by parameters, which the algebraic equations determine: `f_p` is given for each parameter.
    ///
    /// # Errors
    /// [`OdeError::HigherIndex`] where they do not.
    pub(super) fn start_by_parameters(
        &self,
        flow: &mut dyn OdeFlow,
        at: (f64, &[f64]),
        by_parameters: &[Vec<f64>],
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<f64>>, OdeError> {
        let zeros = vec![vec![0.0; at.1.len()]; by_parameters.len()];
        if !self.is_singular() {
            return Ok(zeros);
        }
        let factors = self.algebraic(flow, at, watch)?;
        let mut starts = zeros;
        for (start, slope) in starts.iter_mut().zip(by_parameters) {
            let mut steps: Vec<f64> = self.left.iter().map(|left| -dot(left, slope)).collect();
            factors.apply(&mut steps);
            for (right, by) in self.right.iter().zip(&steps) {
                for (start, right) in start.iter_mut().zip(right) {
                    *start += by * right;
                }
            }
        }
        Ok(starts)
    }

    /// Refuses a start that does not fulfil the algebraic equations, and equations of higher index.
    ///
    /// # Errors
    /// [`OdeError::HigherIndex`] where the index is not 1, [`OdeError::InconsistentStart`] with the nearest start that is to first order.
    pub(super) fn check_start(
        &self,
        flow: &mut dyn OdeFlow,
        (t, y): (f64, &[f64]),
        tolerances: &OdeTolerances,
        watch: &dyn Watch,
    ) -> Result<(), OdeError> {
        /// Corrections of the start by more than so many tolerances are the caller's decision.
        const TOLERANCES: f64 = 1e3;
        if !self.is_singular() {
            return Ok(());
        }
        let factors = self.algebraic(flow, (t, y), watch)?;
        let mut slope = vec![0.0; y.len()];
        watch.count_evaluations(1)?;
        flow.eval(t, y, &mut slope);
        let mut correction: Vec<f64> = self.left.iter().map(|left| -dot(left, &slope)).collect();
        factors.apply(&mut correction);
        let mut moved = y.to_vec();
        for (right, by) in self.right.iter().zip(&correction) {
            for (moved, right) in moved.iter_mut().zip(right) {
                *moved += by * right;
            }
        }
        let changes: Vec<f64> = moved.iter().zip(y).map(|(moved, y)| moved - y).collect();
        if tolerances.norm(&changes, y) <= TOLERANCES {
            return Ok(());
        }
        let most = |a: &usize, b: &usize| changes[*a].abs().total_cmp(&changes[*b].abs());
        let index = (0..y.len()).max_by(most).unwrap_or(0);
        Err(OdeError::InconsistentStart {
            component: index,
            found: y[index],
            better: moved[index],
        })
    }
}
