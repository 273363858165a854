//! [`SaddleFactors`]: factors that solve the augmented system of a least squares problem with or without constraints.

use faer::Mat;

use super::{DesignMatrix, LeastSquaresError};
use crate::dense::banded::TriangularMatrix;
use crate::dense::condition::LinearOperator as _;
use crate::dense::orthogonal::factor_orthogonal;
use crate::dense::{
    SingularVectors, add_multiple, dot, matrix_product, max_abs, singular_decomposition,
};

/// Factors for `r + A x = f`, `A' r + C' y = g`, `C x = h`.
pub(super) struct SaddleFactors {
    /// Rows of A in the order of the factors, largest first.
    rows: Vec<usize>,
    /// `A N` with its columns exchanged is `Q R`; N is the identity without constraints.
    q: Mat<f64>,
    r: TriangularMatrix,
    order: Vec<usize>,
    conditions: Option<ConstraintFactors>,
}

/// `C = U S V'`, the null space of C, and what A does to the rest.
struct ConstraintFactors {
    u: Mat<f64>,
    values: Vec<f64>,
    range: Mat<f64>,
    null: Mat<f64>,
    a: Mat<f64>,
}

impl SaddleFactors {
    pub(super) fn new(
        design: &DesignMatrix,
        c: Option<&Mat<f64>>,
        tolerance: f64,
    ) -> Result<Self, LeastSquaresError> {
        let (m, n) = (design.rows, design.columns);
        let mut rows: Vec<usize> = (0..m).collect();
        let sizes: Vec<f64> = (0..m)
            .map(|row| {
                (0..n).fold(0.0_f64, |most, column| {
                    most.max(design.column(column)[row].abs())
                })
            })
            .collect();
        rows.sort_by(|&left, &right| sizes[right].total_cmp(&sizes[left]));
        let a = Mat::from_fn(m, n, |row, column| design.column(column)[rows[row]]);
        let Some(c) = c else {
            let (q, r, order) = factor_pivoted(a, tolerance)?;
            return Ok(Self {
                rows,
                q,
                r,
                order,
                conditions: None,
            });
        };
        let p = c.nrows();
        let (values, bases) = singular_decomposition(c.as_ref(), SingularVectors::Full)?;
        let (u, v) = bases.expect("full vectors were requested");
        let limit = n.max(p) as f64 * f64::EPSILON * max_abs(&values);
        let rank = values.iter().filter(|&&value| value > limit).count();
        if rank < p {
            return Err(LeastSquaresError::ConstraintsDependent { rank, rows: p });
        }
        let range = v.as_ref().subcols(0, p).to_owned();
        let null = v.as_ref().subcols(p, n - p).to_owned();
        let (q, r, order) = factor_pivoted(matrix_product(a.as_ref(), null.as_ref()), tolerance)?;
        Ok(Self {
            rows,
            q,
            r,
            order,
            conditions: Some(ConstraintFactors {
                u,
                values,
                range,
                null,
                a,
            }),
        })
    }

    /// Smallest over largest diagonal entry of R; 1 when the constraints leave nothing free.
    pub(super) fn rcond(&self) -> f64 {
        let size = self.order.len();
        let diagonal = |index: usize| self.r.entries[(index, index)].abs();
        let (least, most) = (0..size).fold((f64::INFINITY, 0.0_f64), |(least, most), index| {
            (least.min(diagonal(index)), most.max(diagonal(index)))
        });
        if size == 0 { 1.0 } else { least / most }
    }

    /// Solves for `(r, x, y)`.
    pub(super) fn solve(
        &self,
        f: Vec<f64>,
        g: &[f64],
        h: &[f64],
    ) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let mut f: Vec<f64> = self.rows.iter().map(|&row| f[row]).collect();
        let (fixed, free_g) = match &self.conditions {
            Some(conditions) => {
                let mut coordinates = times_transposed(&conditions.u, h);
                divide_entries(&mut coordinates, &conditions.values);
                let fixed = matrix_vector_product(&conditions.range, &coordinates);
                let image = matrix_vector_product(&conditions.a, &fixed);
                add_multiple(&mut f, -1.0, &image);
                (Some(fixed), times_transposed(&conditions.null, g))
            }
            None => (None, g.to_vec()),
        };
        let mut z: Vec<f64> = self.order.iter().map(|&column| free_g[column]).collect();
        self.r.apply_transposed(&mut z);
        let d = times_transposed(&self.q, &f);
        let difference: Vec<f64> = d.iter().zip(&z).map(|(d, z)| d - z).collect();
        let image = matrix_vector_product(&self.q, &difference);
        add_multiple(&mut f, -1.0, &image);
        let mut solved = difference;
        self.r.apply(&mut solved);
        let mut free = vec![0.0; solved.len()];
        for (&column, value) in self.order.iter().zip(solved) {
            free[column] = value;
        }
        let (x, y) = match (&self.conditions, fixed) {
            (Some(conditions), Some(mut x)) => {
                let moved = matrix_vector_product(&conditions.null, &free);
                add_multiple(&mut x, 1.0, &moved);
                let pull = times_transposed(&conditions.a, &f);
                let rest: Vec<f64> = g.iter().zip(&pull).map(|(g, pull)| g - pull).collect();
                let mut coordinates = times_transposed(&conditions.range, &rest);
                divide_entries(&mut coordinates, &conditions.values);
                (x, matrix_vector_product(&conditions.u, &coordinates))
            }
            _ => (free, Vec::new()),
        };
        let mut rest = vec![0.0; f.len()];
        for (&row, value) in self.rows.iter().zip(f) {
            rest[row] = value;
        }
        (rest, x, y)
    }
}

fn divide_entries(x: &mut [f64], values: &[f64]) {
    x.iter_mut().zip(values).for_each(|(x, value)| *x /= value);
}

pub(in crate::dense) fn matrix_vector_product(matrix: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; matrix.nrows()];
    for (column, &factor) in x.iter().enumerate() {
        add_multiple(&mut out, factor, matrix.col_as_slice(column));
    }
    out
}

fn times_transposed(matrix: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    let entry = |column| dot(matrix.col_as_slice(column), x);
    (0..matrix.ncols()).map(entry).collect()
}

/// `A P = Q R` with the columns exchanged, largest first; thin, for at least as many rows as columns.
fn factor_pivoted(
    a: Mat<f64>,
    tolerance: f64,
) -> Result<(Mat<f64>, TriangularMatrix, Vec<usize>), LeastSquaresError> {
    let (m, n) = a.shape();
    let found = factor_orthogonal(a, true, false);
    let size = m.min(n);
    let diagonal = |index: usize| found.r[(index, index)];
    let largest = (0..size).map(diagonal).fold(0.0, f64::max);
    let independent = |&index: &usize| diagonal(index) > tolerance * largest;
    let rank = (0..size).filter(independent).count();
    if rank < n {
        return Err(LeastSquaresError::RankDeficient { rank, columns: n });
    }
    let r = TriangularMatrix {
        entries: found.r,
        upper: true,
    };
    Ok((found.q, r, found.order))
}
