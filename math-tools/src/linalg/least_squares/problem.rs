//! The arguments of `least_squares`, checked and weighted.

use tool_core::{Ctx, Matrix, ToolError, Vector};

use super::super::dense::lstsq::DesignMatrix;
use super::super::solve::Rhs;
use super::{Args, LeastSquaresMethod};

/// The checked arguments: the design with its weights, and the right-hand sides to twice the digits.
pub(super) struct LinearLeastSquares {
    pub(super) design: DesignMatrix,
    pub(super) b: Rhs,
    pub(super) high: Vec<f64>,
    pub(super) low: Option<Vec<f64>>,
    pub(super) constraints: Option<(Matrix, Rhs)>,
}

impl LinearLeastSquares {
    pub(super) fn new(args: &Args, ctx: &Ctx) -> Result<Self, ToolError> {
        let a = args.a.load(ctx)?;
        let b = args.b.load(ctx)?;
        let (m, k) = (a.rows(), b.columns());
        if b.rows() != m {
            refuse!(invalid "/b", "shape"; "`A` has {m} rows but `b` has {} entries", b.rows();
                "give one entry (or one row) of `b` per row of `A`");
        }
        let powers = args.polynomial.map(|degree| degree.size() + 1);
        let n = powers.unwrap_or(a.columns());
        let size = m as f64 * n as f64 * m.min(n) as f64;
        ctx.afford(8.0 * size + 400.0 * m as f64 * n as f64 * k as f64)?;
        ctx.reserve_doubles(8 * (m + n) * n + 8 * (m + n) * k)?;
        let mut design = match args.polynomial {
            Some(_) if a.columns() != 1 => {
                refuse!(invalid "/A", "shape"; "a polynomial needs one column, found {}", a.columns();
                    "leave `polynomial` out when `A` holds all columns");
            }
            Some(degree) => DesignMatrix::powers(a.as_slice(), degree.size()),
            None => DesignMatrix::from_rows(a.as_slice(), m, n),
        };
        if design.high.iter().any(|value| !value.is_finite()) {
            refuse!(invalid "/A", "overflow";
                "a power of a number in `A` is too large for a double"; "scale the column of `A`");
        }
        let mut high = b.as_slice().to_vec();
        let mut low = None;
        if let Some(weights) = &args.weights {
            let roots = weight_roots(&weights.load(ctx)?, m)?;
            design.weigh(&roots);
            let mut errors = Vec::with_capacity(high.len());
            for (index, value) in high.iter_mut().enumerate() {
                let (product, error) = numerics::exact::two_product(*value, roots[index / k]);
                *value = product;
                errors.push(error);
            }
            low = Some(errors);
        }
        let constraints = match (&args.c, &args.d) {
            (None, None) => None,
            (Some(c), Some(d)) => Some(check_constraints(c.load(ctx)?, d.load(ctx)?, n, k)?),
            (c, _) => {
                let missing = ["/C", "/d"][usize::from(c.is_some())];
                refuse!(invalid missing;
                    "`C` and `d` are the two sides of one condition: give both or neither");
            }
        };
        Ok(Self {
            design,
            b,
            high,
            low,
            constraints,
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.design.rows
    }

    /// Parameters that the constraints leave free.
    pub(super) fn free(&self) -> usize {
        self.design.columns - self.constraint_count()
    }

    fn constraint_count(&self) -> usize {
        self.constraints.as_ref().map_or(0, |(c, _)| c.rows())
    }

    pub(super) fn check_method(
        &self,
        method: LeastSquaresMethod,
        args: &Args,
    ) -> Result<(), ToolError> {
        if method == LeastSquaresMethod::Svd && self.constraints.is_some() {
            refuse!(invalid "/C"; "`svd` takes no constraints"; "use `qr` or `ridge`");
        }
        if (method == LeastSquaresMethod::Ridge) != args.ridge.is_some() {
            refuse!(invalid "/ridge", "contradiction";
                "`ridge` is the penalty of the method `ridge`, and that method needs it");
        }
        if args.covariance && self.b.columns() > 1 {
            refuse!(invalid "/covariance"; "the covariance is that of one right-hand side";
                "call once for each column of `b`");
        }
        Ok(())
    }
}

/// Square roots of the weights.
fn weight_roots(weights: &Vector, m: usize) -> Result<Vec<f64>, ToolError> {
    if weights.len() != m {
        let found = weights.len();
        refuse!(invalid "/weights", "shape"; "`A` has {m} rows but `weights` has {found} entries");
    }
    if let Some(index) = weights.iter().position(|&weight| weight < 0.0) {
        refuse!(invalid format!("/weights/{index}");
            "expected a weight of at least 0, found {}", weights[index]);
    }
    Ok(weights.iter().map(|weight| weight.sqrt()).collect())
}

fn check_constraints(c: Matrix, d: Rhs, n: usize, k: usize) -> Result<(Matrix, Rhs), ToolError> {
    let (rows, columns) = (c.rows(), c.columns());
    if columns != n || rows > n {
        refuse!(invalid "/C", "shape";
            "expected at most {n} rows of {n} numbers, found {rows} x {columns}");
    }
    let found = (d.rows(), d.columns());
    if found != (rows, k) {
        refuse!(invalid "/d", "shape"; "expected {rows} rows of {k}, found {} of {}", found.0, found.1);
    }
    Ok((c, d))
}
