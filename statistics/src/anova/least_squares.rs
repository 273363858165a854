//! [`OrthogonalFit`]: least squares by columns made orthogonal one after another, which says how much each of them explains beyond those before.
//!
//! # References
//! L. Giraud, J. Langou and M. Rozloznik, "The loss of orthogonality in the Gram-Schmidt orthogonalization process", Comput. Math. Appl. 50, 2005: twice is enough.

/// The columns that are independent of those before, made orthonormal, and what they leave of the response.
#[derive(Debug, Clone)]
pub(crate) struct OrthogonalFit {
    basis: Vec<Vec<f64>>,
    residuals: Vec<f64>,
    last: Option<LastColumn>,
    squares: f64,
}

/// The last column: its coefficient, and the length of what it adds to the columns before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastColumn {
    pub value: f64,
    pub length: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Takes the parts along an orthonormal basis away, twice.
fn project_out(vector: &mut [f64], basis: &[Vec<f64>]) {
    for _ in 0..2 {
        for direction in basis {
            let along = dot(vector, direction);
            for (value, part) in vector.iter_mut().zip(direction) {
                *value -= along * part;
            }
        }
    }
}

impl OrthogonalFit {
    /// Fits a response by columns of its length; a column that is a combination of those before is left out.
    pub(crate) fn new(columns: &[Vec<f64>], y: &[f64]) -> Self {
        let mut fit = Self {
            basis: Vec::new(),
            residuals: y.to_vec(),
            last: None,
            squares: dot(y, y),
        };
        for column in columns {
            fit.add(column);
        }
        fit
    }

    /// Adds a column; returns the sum of squares that it explains beyond those before.
    pub(crate) fn add(&mut self, column: &[f64]) -> f64 {
        /// Shorter remainders are rounding.
        const DEPENDENT: f64 = 1e-10;
        self.last = None;
        let before = dot(column, column).sqrt();
        let mut direction = column.to_vec();
        project_out(&mut direction, &self.basis);
        let length = dot(&direction, &direction).sqrt();
        if length.is_nan() || length <= DEPENDENT * before {
            return 0.0;
        }
        direction.iter_mut().for_each(|value| *value /= length);
        let along = dot(&self.residuals, &direction);
        for (residual, part) in self.residuals.iter_mut().zip(&direction) {
            *residual -= along * part;
        }
        // Once more, so that the residuals are orthogonal to rounding.
        let rest = dot(&self.residuals, &direction);
        for (residual, part) in self.residuals.iter_mut().zip(&direction) {
            *residual -= rest * part;
        }
        let along = along + rest;
        self.basis.push(direction);
        self.last = Some(LastColumn {
            value: along / length,
            length,
        });
        along * along
    }

    /// Number of independent columns.
    pub(crate) fn rank(&self) -> usize {
        self.basis.len()
    }

    /// What the columns leave of the response.
    pub(crate) fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// Its sum of squares; 0 where it is rounding.
    pub(crate) fn residual_squares(&self) -> f64 {
        let squares = dot(&self.residuals, &self.residuals);
        match squares > 1e-26 * self.squares {
            true => squares,
            false => 0.0,
        }
    }

    /// The last column that was added; `None` where it was a combination of others.
    pub(crate) fn last_coefficient(&self) -> Option<LastColumn> {
        self.last
    }
}
