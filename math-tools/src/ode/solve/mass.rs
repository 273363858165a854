//! [`MassMatrix`]: a constant mass matrix, and the check of a start that has to fulfil algebraic equations.
//!
//! With a singular matrix, `M y' = f(t, y)` holds algebraic equations. They have index 1, which the methods need, when `N_l' J N_r` is
//! regular, `N_l` and `N_r` being bases of the left and right null space of M: E. Hairer, G. Wanner, "Solving Ordinary Differential
//! Equations II", 2nd ed., Springer 1996, section VI.1.

use faer::{Mat, MatRef};
use kernels::dense::condition::{LinearOperator, reciprocal_condition};
use kernels::dense::factors::{MatrixFactors, SquareMethod};
use kernels::dense::structure::MatrixStructure;
use kernels::dense::system::one_norm;
use kernels::dense::{SingularVectors, dot, singular_decomposition};
use tool_core::{Ctx, Input, Matrix, ToolError};

use super::flow::{OdeFlow, OdeTolerances};
use super::system::StateNames;

/// A mass matrix.
#[derive(Debug)]
pub(super) struct MassMatrix {
    /// The entries that are not zero.
    pub entries: Vec<(usize, usize, f64)>,
    /// Orthonormal vectors x with x' M = 0.
    left: Vec<Vec<f64>>,
    /// Orthonormal vectors x with M x = 0.
    right: Vec<Vec<f64>>,
}

/// Loads the matrix of a state; that of a system of second order belongs to the accelerations.
///
/// # Errors
/// `invalid_args` at `/mass` when its size does not fit or it is zero.
pub(super) fn load_mass_matrix(
    input: &Input<Matrix>,
    state: StateNames,
    ctx: &Ctx,
) -> Result<MassMatrix, ToolError> {
    let (matrix, n) = (input.load(ctx)?, state.equations());
    if (matrix.rows(), matrix.columns()) != (n, n) {
        let (rows, columns) = (matrix.rows(), matrix.columns());
        refuse!(invalid "/mass", "shape"; "expected {n} x {n} numbers, one row per equation, found {rows} x {columns}");
    }
    let offset = state.len() - n;
    let mut entries: Vec<(usize, usize, f64)> = (0..offset).map(|i| (i, i, 1.0)).collect();
    let mut diagonal = true;
    for row in 0..n {
        for (column, &value) in matrix.row(row).iter().enumerate() {
            if value != 0.0 {
                entries.push((offset + row, offset + column, value));
                diagonal &= row == column;
            }
        }
    }
    if entries.len() == offset {
        refuse!(invalid "/mass"; "every entry is 0: there is no differential equation";
            "solve f(t, y) = 0 instead, or give the matrix");
    }
    let (left, right) = if diagonal {
        let zero = |row: &usize| matrix.row(*row)[*row] == 0.0;
        let unit = |row: usize| {
            let mut vector = vec![0.0; state.len()];
            vector[offset + row] = 1.0;
            vector
        };
        let vectors: Vec<Vec<f64>> = (0..n).filter(zero).map(unit).collect();
        (vectors.clone(), vectors)
    } else {
        null_spaces(&matrix, offset, ctx)?
    };
    Ok(MassMatrix {
        entries,
        left,
        right,
    })
}

type Vectors = Vec<Vec<f64>>;

/// Bases of the left and right null space, below zeros for the positions of a system of second order.
fn null_spaces(matrix: &Matrix, offset: usize, ctx: &Ctx) -> Result<(Vectors, Vectors), ToolError> {
    let n = matrix.rows();
    let size = n as f64;
    ctx.afford(25.0 * size * size * size)?;
    ctx.reserve_doubles(6 * n * n)?;
    let dense = Mat::from_fn(n, n, |row, column| matrix.row(row)[column]);
    let no_convergence = |err| ToolError::numeric("/mass", err).reason("no_convergence");
    let (values, bases) =
        singular_decomposition(dense.as_ref(), SingularVectors::Full).map_err(no_convergence)?;
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
    /// Whether there are algebraic equations.
    pub(super) fn is_singular(&self) -> bool {
        !self.left.is_empty()
    }

    /// Whether an algebraic equation is a combination of rows, not a row of its own.
    pub(super) fn mixes_rows(&self) -> bool {
        let entries = |left: &Vec<f64>| left.iter().filter(|entry| **entry != 0.0).count();
        self.left.iter().any(|left| entries(left) > 1)
    }

    /// The factors of `N_l' J N_r`, by which the algebraic equations determine the rest.
    ///
    /// # Errors
    /// `numeric` at `/mass` when they do not.
    fn algebraic(
        &self,
        flow: &mut dyn OdeFlow,
        (t, y): (f64, &[f64]),
        ctx: &Ctx,
    ) -> Result<MatrixFactors, ToolError> {
        let count = self.left.len();
        let pattern = flow.pattern();
        ctx.reserve_doubles(count * (count + y.len()) + pattern.entries.len())?;
        let mut jacobian = vec![0.0; pattern.entries.len()];
        ctx.count_evaluations(flow.jacobian(t, y, &mut jacobian))?;
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
        let factors = factors.filter(|factors| {
            reciprocal_condition(factors, one_norm(&matrix, count)) > 10.0 * f64::EPSILON
        });
        let Some(factors) = factors else {
            refuse!(numeric "/mass", "index";
                "the equations without a derivative do not determine the rest at the start (t = {t}): their index is higher than 1";
                "differentiate the algebraic equations by hand until they contain the undetermined components");
        };
        Ok(factors)
    }

    /// The derivatives of the start by parameters, which the algebraic equations determine: `f_p` is given for each parameter.
    ///
    /// # Errors
    /// `numeric` at `/mass` when they do not.
    pub(super) fn start_by_parameters(
        &self,
        flow: &mut dyn OdeFlow,
        at: (f64, &[f64]),
        by_parameters: &[Vec<f64>],
        ctx: &Ctx,
    ) -> Result<Vec<Vec<f64>>, ToolError> {
        let zeros = vec![vec![0.0; at.1.len()]; by_parameters.len()];
        if !self.is_singular() {
            return Ok(zeros);
        }
        let factors = self.algebraic(flow, at, ctx)?;
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
    /// `numeric` at `/mass` when the index is not 1, at `/y0` when the start is not consistent, with the nearest one that is to first
    /// order.
    pub(super) fn check_start(
        &self,
        flow: &mut dyn OdeFlow,
        (t, y): (f64, &[f64]),
        tolerances: &OdeTolerances,
        ctx: &Ctx,
    ) -> Result<(), ToolError> {
        /// Corrections of the start by more than so many tolerances are the caller's decision.
        const TOLERANCES: f64 = 1e3;
        if !self.is_singular() {
            return Ok(());
        }
        let factors = self.algebraic(flow, (t, y), ctx)?;
        let mut slope = vec![0.0; y.len()];
        ctx.count_evaluations(1)?;
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
        let (found, better) = (y[index], moved[index]);
        refuse!(numeric "/y0", "inconsistent";
            "the start does not fulfil the equations whose row of `mass` is 0: y{index} = {found} should be about {better}";
            "solve the algebraic equations for the start first");
    }
}
