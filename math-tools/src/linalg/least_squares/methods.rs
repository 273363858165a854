//! The three methods of `least_squares` and their statistics.

use faer::MatRef;
use tool_core::{Ctx, Matrix, Real, Tolerance, ToolError};

use super::super::dense::lstsq::{self, DesignMatrix, EqualityConstraints, LeastSquaresError};
use super::super::dense::{
    SingularVectors, columns_of, dot, euclidean_norm, matrix_product, rows_of,
    singular_decomposition,
};
use super::super::no_convergence;
use super::super::solve::{least_squares_error, trusted_digits};
use super::problem::LinearLeastSquares;
use super::{Args, LeastSquaresMethod, Output};

impl LinearLeastSquares {
    fn tolerance(&self, args: &Args) -> f64 {
        let default = self.rows().max(self.design.columns) as f64 * f64::EPSILON;
        args.tolerance.map_or(default, Tolerance::get)
    }

    fn fit(
        &self,
        design: &DesignMatrix,
        high: &[f64],
        low: Option<&[f64]>,
        args: &Args,
        covariance: bool,
    ) -> Result<lstsq::LeastSquaresFit, LeastSquaresError> {
        let constraints = self.constraints.as_ref().map(|(c, d)| EqualityConstraints {
            c: c.as_slice(),
            d: d.as_slice(),
            rows: c.rows(),
        });
        let (k, tolerance) = (self.b.columns(), self.tolerance(args));
        lstsq::fit_least_squares(design, (high, low), k, constraints, tolerance, covariance)
    }

    pub(super) fn by_orthogonal_factors(&self, args: &Args) -> Result<Output, LeastSquaresError> {
        let low = self.low.as_deref();
        let found = self.fit(&self.design, &self.high, low, args, args.covariance)?;
        let freedom = (self.rows() - self.free()) as f64;
        let residual = euclidean_norm(&found.residual_norms);
        let inverse = found.unscaled_covariance;
        Ok(Output {
            optimality: Some(found.optimality),
            refinements: found.refinements,
            error_estimate: Some(Real(found.error_estimate)),
            ..self.output(
                LeastSquaresMethod::Qr,
                found.x,
                found.rcond,
                residual,
                freedom,
                inverse,
            )
        })
    }

    /// Smallest `|b - A x|^2 + ridge |x|^2`, as the least squares of A over the root of the penalty times the identity.
    ///
    /// The covariance is that of the estimates about their own mean, which the penalty draws towards zero:
    /// `s^2 G A'A G` with `G = (A'A + ridge I)^-1` (within the constraints) and `s^2 = |b - A x|^2 / (m - trace(A G A'))`.
    ///
    /// # References
    /// D. W. Marquardt, "Generalized inverses, ridge regression, biased linear estimation, and nonlinear estimation", Technometrics
    /// 12, 1970; T. Hastie, R. Tibshirani, J. Friedman, "The Elements of Statistical Learning", 2nd ed., 2009, section 3.4.1.
    pub(super) fn by_ridge(&self, args: &Args) -> Result<Output, ToolError> {
        let (m, n, k) = (self.rows(), self.design.columns, self.b.columns());
        let penalty = args.ridge.map_or(0.0, Tolerance::get);
        let extended = self.design.over_identity(penalty.sqrt());
        let extend = |values: &[f64]| {
            let mut out = values.to_vec();
            out.resize((m + n) * k, 0.0);
            out
        };
        let low = self.low.as_deref().map(extend);
        let constrained = self.constraints.is_some();
        let (high, covariance) = (extend(&self.high), args.covariance || constrained);
        let found = self.fit(&extended, &high, low.as_deref(), args, covariance);
        let found = found.map_err(least_squares_error)?;
        let columns = MatRef::from_column_major_slice(&self.design.high, m, n);
        // A (A' A + ridge I)^-1, within the constraints: what the estimates answer to, row by row of A.
        let inverse = found.unscaled_covariance.as_ref();
        let answers =
            inverse.map(|inverse| matrix_product(columns, columns_of(inverse, n, n).as_ref()));
        let effective: f64 = match &answers {
            Some(answers) if constrained => {
                let own = |column| {
                    dot(
                        answers.col_as_slice(column),
                        &self.design.high[column * m..][..m],
                    )
                };
                (0..n).map(own).sum()
            }
            _ => {
                let found = singular_decomposition(columns, SingularVectors::None);
                let (values, _) = found.map_err(no_convergence)?;
                let positive = values.iter().filter(|&&value| value > 0.0);
                positive
                    .map(|&value| 1.0 / (1.0 + penalty / value / value))
                    .sum()
            }
        };
        let freedom = m as f64 - effective;
        let image = matrix_product(columns, columns_of(&found.x, n, k).as_ref());
        let rest = |index| self.high[index] - image[(index / k, index % k)];
        let residual = euclidean_norm(&(0..m * k).map(rest).collect::<Vec<_>>());
        let unscaled = answers.filter(|_| args.covariance).map(|answers| {
            rows_of(matrix_product(answers.as_ref().transpose(), answers.as_ref()).as_ref())
        });
        Ok(Output {
            optimality: Some(found.optimality),
            refinements: found.refinements,
            error_estimate: Some(Real(found.error_estimate)),
            ..self.output(
                LeastSquaresMethod::Ridge,
                found.x,
                found.rcond,
                residual,
                freedom,
                unscaled,
            )
        })
    }

    pub(super) fn by_singular_values(&self, args: &Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (m, n) = (self.rows(), self.design.columns);
        let rows: Vec<f64> = (0..m * n)
            .map(|index| self.design.high[index % n * m + index / n])
            .collect();
        let tolerance = self.tolerance(args);
        let found = lstsq::minimum_norm(&rows, m, n, &self.high, self.b.columns(), tolerance)
            .map_err(least_squares_error)?;
        let freedom = (m - found.rank) as f64;
        let residual = euclidean_norm(&found.residuals);
        let (values, rcond) = (&found.singular_values, found.rcond());
        if args.covariance && found.rank < n {
            ctx.warn("the columns of `A` are dependent: the covariance is that of the solution of smallest norm");
        }
        let inverse = args.covariance.then(|| {
            let size = values.len();
            let mut inverse = vec![0.0; n * n];
            for row in 0..n {
                for column in 0..n {
                    let entry = |at: usize, index| found.v[at * size + index] / values[index];
                    let terms =
                        (0..found.rank).map(|index| entry(row, index) * entry(column, index));
                    inverse[row * n + column] = terms.sum();
                }
            }
            inverse
        });
        Ok(Output {
            rank: found.rank,
            singular_values: Some(found.singular_values),
            ..self.output(
                LeastSquaresMethod::Svd,
                found.x,
                rcond,
                residual,
                freedom,
                inverse,
            )
        })
    }

    /// The solution of a method with full rank and without the evidence of a refinement; `inverse` is the covariance for errors of
    /// size 1.
    fn output(
        &self,
        method: LeastSquaresMethod,
        x: Vec<f64>,
        rcond: f64,
        residual: f64,
        freedom: f64,
        inverse: Option<Vec<f64>>,
    ) -> Output {
        let n = self.design.columns;
        let (standard_errors, covariance) = estimate_statistics(inverse, residual, freedom, n);
        Output {
            x: self.b.like(n, x),
            residual,
            rank: n,
            rcond,
            trusted_digits: trusted_digits(rcond),
            degrees_of_freedom: freedom,
            residual_std: (self.b.columns() == 1).then(|| Real(residual_spread(residual, freedom))),
            standard_errors,
            covariance,
            method,
            ..Output::default()
        }
    }
}

fn residual_spread(residual: f64, freedom: f64) -> f64 {
    if freedom > 0.0 {
        residual / freedom.sqrt()
    } else {
        f64::NAN
    }
}

/// Standard errors and covariance from the covariance for errors of size 1, such as `(A' A)^-1`.
fn estimate_statistics(
    inverse: Option<Vec<f64>>,
    residual: f64,
    freedom: f64,
    n: usize,
) -> (Option<Vec<Real>>, Option<Matrix>) {
    let Some(mut inverse) = inverse else {
        return (None, None);
    };
    let spread = residual_spread(residual, freedom);
    let error = |index: usize| Real(spread * inverse[index * n + index].max(0.0).sqrt());
    let errors = (0..n).map(error).collect();
    inverse
        .iter_mut()
        .for_each(|value| *value *= spread * spread);
    let finite = inverse.iter().all(|value| value.is_finite());
    (Some(errors), Matrix::new(n, n, inverse).filter(|_| finite))
}
