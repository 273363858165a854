//! `least_squares`: overdetermined and underdetermined systems, refined, with weights, constraints, ridge and covariance.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{
    Bounded, Category, Ctx, Example, Input, Matrix, Real, Spec, Tolerance, Tool, ToolError, Vector,
};

use super::dense::lstsq::{self, Constraints, Design, LeastSquaresError};
use super::dense::{SingularVectors, doubled, norm2, singular};
use super::solve::{Sides, least_squares_error, trusted_digits};

/// The tool.
pub struct LeastSquares;

/// Find x that makes |b - A x| smallest, for any shape and rank of A: by orthogonal factors refined to full precision, by singular
/// values with minimum norm, or with a ridge penalty; with weights, equality constraints, and the covariance of the estimates.
/// With `polynomial` the columns are the powers of a single column t, formed to 30 digits.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The matrix, m rows of n numbers. With `polynomial`: m rows of one number, t.
    #[serde(rename = "A")]
    pub a: Input<Matrix>,
    /// Right-hand side: a list of m numbers, or m rows with one column per right-hand side.
    pub b: Input<Sides>,
    /// `qr` needs full column rank and gives all digits; `svd` gives the solution of minimum norm for any rank; `ridge` adds
    /// `ridge` |x|^2 to the sum of squares; `auto` is `ridge` when `ridge` is given, else `qr`, and `svd` where that finds the
    /// columns dependent.
    #[serde(default)]
    pub method: Method,
    /// Degree of a polynomial in the single column of A; x holds its coefficients from the constant upwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polynomial: Option<Bounded<0, 60>>,
    /// One weight of at least 0 per row: row i of the sum of squares counts `weights[i]` times (1 / variance of b_i).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Input<Vector>>,
    /// Left-hand sides of equality constraints C x = d: p rows of n numbers, p at most n.
    #[serde(rename = "C", default, skip_serializing_if = "Option::is_none")]
    pub c: Option<Input<Matrix>>,
    /// Right-hand sides of the constraints, p numbers, or p rows with one column per right-hand side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub d: Option<Input<Sides>>,
    /// Penalty on |x|^2, at least 0; in units of b^2 / x^2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge: Option<Tolerance>,
    /// Singular values (for `qr`: pivots of the scaled columns) up to this share of the largest count as zero; absent:
    /// max(m, n) 2.2e-16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<Tolerance>,
    /// Whether to return the covariance matrix of x (one right-hand side, not `ridge`); its diagonal gives `standard_errors`.
    #[serde(default)]
    pub covariance: bool,
}

/// How to solve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By arguments and rank.
    #[default]
    Auto,
    /// Householder QR with column exchanges and iterative refinement.
    Qr,
    /// Singular values, minimum norm.
    Svd,
    /// QR of the matrix over the root of the penalty.
    Ridge,
}

/// The solution and its evidence.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The solution: n numbers, or n rows with one column per right-hand side.
    pub x: Sides,
    /// |b - A x| with weights, without the penalty; Frobenius over several right-hand sides.
    pub residual: f64,
    /// Numerical rank of A (with constraints: of what they leave free, plus their number).
    pub rank: usize,
    /// Reciprocal condition: for `svd` smallest over largest singular value, else smallest over largest pivot of the columns
    /// scaled to one length.
    pub rcond: f64,
    /// Decimal digits of x that survive when the entries of A are only known to 16, from `rcond`: 0 to 15.
    pub trusted_digits: u32,
    /// Singular values of A with weights, descending; only for `svd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub singular_values: Option<Vec<f64>>,
    /// Rows less fitted parameters; for `ridge` less the effective number of them, the sum of s^2 / (s^2 + ridge).
    pub degrees_of_freedom: f64,
    /// Square root of the residual sum of squares over the degrees of freedom; "NaN" with none, absent for several right-hand
    /// sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residual_std: Option<Real>,
    /// Standard errors of x; "NaN" with 0 degrees of freedom. Only with `covariance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_errors: Option<Vec<Real>>,
    /// Covariance of x, n x n. Only with `covariance` and with degrees of freedom left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covariance: Option<Matrix>,
    /// Largest cosine of an angle between the residual and a column of A: 0 at an exact minimum without constraints. Not for `svd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimality: Option<f64>,
    /// Steps of refinement.
    pub refinements: usize,
    /// Estimate of the relative error of x, columns scaled to one length, when the entries are exactly what they say, from the
    /// corrections of the refinement; "Infinity" when they do not shrink. Not for `svd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_estimate: Option<Real>,
    /// What was used; never `auto`.
    pub method: Method,
}

impl Tool for LeastSquares {
    const SPEC: Spec = Spec {
        id: "least_squares",
        title: "Linear least squares",
        category: Category::Math,
        tags: &["linear algebra", "least squares", "qr", "fit"],
        output_bytes_max: Some(256 << 20), // the arrays are the result
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let problem = Problem::new(&args, ctx)?;
        let method = match (args.method, args.ridge) {
            (Method::Auto, Some(_)) => Method::Ridge,
            (Method::Auto, None) if problem.rows() < problem.free() => Method::Svd,
            (Method::Auto, None) => Method::Qr,
            (method, _) => method,
        };
        problem.check_method(method, &args)?;
        let output = match method {
            Method::Svd => problem.by_singular_values(&args, ctx)?,
            Method::Ridge => problem.by_ridge(&args)?,
            _ => match problem.by_orthogonal_factors(&args) {
                Err(LeastSquaresError::RankDeficient { rank, columns })
                    if args.method == Method::Auto && problem.constraints.is_none() =>
                {
                    ctx.warn(format!(
                        "the columns of `A` are dependent (rank {rank} of {columns}): `x` is the solution of smallest norm among many"
                    ));
                    problem.by_singular_values(&args, ctx)?
                }
                other => other.map_err(least_squares_error)?,
            },
        };
        ctx.check()?;
        warn(&output, ctx);
        Ok(output)
    }

    fn examples() -> Vec<Example<Args, Output>> {
        let args = |a: Matrix, b: Sides| Args {
            a: Input::Inline(a),
            b: Input::Inline(b),
            method: Method::Auto,
            polynomial: None,
            weights: None,
            c: None,
            d: None,
            ridge: None,
            tolerance: None,
            covariance: false,
        };
        vec![
            Example {
                title: "the mean of 1, 2 and 6, and its standard error sqrt(7 / 3)",
                args: Args {
                    covariance: true,
                    ..args(
                        Matrix::from([[1.0], [1.0], [1.0]]),
                        Sides::from([1.0, 2.0, 6.0]),
                    )
                },
                output: Output {
                    x: Sides::from([3.0]),
                    residual: 14.0_f64.sqrt(),
                    rank: 1,
                    rcond: 1.0,
                    trusted_digits: 15,
                    singular_values: None,
                    degrees_of_freedom: 2.0,
                    residual_std: Some(Real(7.0_f64.sqrt())),
                    standard_errors: Some(vec![Real((7.0_f64 / 3.0).sqrt())]),
                    covariance: Some(Matrix::from([[7.0 / 3.0]])),
                    optimality: Some(0.0),
                    refinements: 2,
                    error_estimate: Some(Real(f64::EPSILON)),
                    method: Method::Qr,
                },
            },
            Example {
                title: "of all x with x0 + x1 = 2 the shortest is (1, 1)",
                args: args(Matrix::from([[1.0, 1.0]]), Sides::from([2.0])),
                output: Output {
                    x: Sides::from([1.0, 1.0]),
                    residual: 0.0,
                    rank: 1,
                    rcond: 1.0,
                    trusted_digits: 15,
                    singular_values: Some(vec![2.0_f64.sqrt()]),
                    degrees_of_freedom: 0.0,
                    residual_std: Some(Real(f64::NAN)),
                    standard_errors: None,
                    covariance: None,
                    optimality: None,
                    refinements: 0,
                    error_estimate: None,
                    method: Method::Svd,
                },
            },
        ]
    }
}

/// The checked arguments: the design with its weights, and the right-hand sides to twice the digits.
struct Problem {
    design: Design,
    b: Sides,
    high: Vec<f64>,
    low: Option<Vec<f64>>,
    constraints: Option<(Matrix, Sides)>,
}

fn shape_error(path: &str, message: String) -> ToolError {
    ToolError::invalid(path, message).reason("shape")
}

impl Problem {
    fn new(args: &Args, ctx: &Ctx) -> Result<Self, ToolError> {
        let a = args.a.load(ctx)?;
        let b = args.b.load(ctx)?;
        let (m, k) = (a.rows(), b.columns());
        if b.rows() != m {
            return Err(shape_error(
                "/b",
                format!("`A` has {m} rows but `b` has {} entries", b.rows()),
            )
            .hint("give one entry (or one row) of `b` per row of `A`"));
        }
        let n = args
            .polynomial
            .map_or(a.columns(), |degree| degree.size() + 1);
        let size = m as f64 * n as f64 * m.min(n) as f64;
        ctx.afford(8.0 * size + 400.0 * m as f64 * n as f64 * k as f64)?;
        ctx.reserve_doubles(8 * (m + n) * n + 8 * (m + n) * k)?;
        let mut design = match args.polynomial {
            Some(_) if a.columns() != 1 => {
                return Err(shape_error(
                    "/A",
                    format!("a polynomial needs one column, found {}", a.columns()),
                )
                .hint("leave `polynomial` out when `A` holds all columns"));
            }
            Some(degree) => Design::powers(a.as_slice(), degree.size()),
            None => Design::from_rows(a.as_slice(), m, n),
        };
        if design.high.iter().any(|value| !value.is_finite()) {
            return Err(ToolError::invalid(
                "/A",
                "a power of a number in `A` is too large for a double",
            )
            .reason("overflow")
            .hint("scale the column of `A`"));
        }
        let mut high = b.as_slice().to_vec();
        let mut low = None;
        if let Some(weights) = &args.weights {
            let roots = roots(&weights.load(ctx)?, m)?;
            design.weigh(&roots);
            let mut errors = Vec::with_capacity(high.len());
            for (index, value) in high.iter_mut().enumerate() {
                let (product, error) = doubled::two_product(*value, roots[index / k]);
                *value = product;
                errors.push(error);
            }
            low = Some(errors);
        }
        let constraints = match (&args.c, &args.d) {
            (None, None) => None,
            (Some(c), Some(d)) => Some(constraints(c.load(ctx)?, d.load(ctx)?, n, k)?),
            (Some(_), None) => {
                return Err(ToolError::invalid(
                    "/d",
                    "`C` needs its right-hand side `d`",
                ));
            }
            (None, Some(_)) => {
                return Err(ToolError::invalid("/C", "`d` needs its left-hand side `C`"));
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

    fn rows(&self) -> usize {
        self.design.rows
    }

    /// Parameters that the constraints leave free.
    fn free(&self) -> usize {
        self.design.columns - self.constraint_count()
    }

    fn constraint_count(&self) -> usize {
        self.constraints.as_ref().map_or(0, |(c, _)| c.rows())
    }

    fn check_method(&self, method: Method, args: &Args) -> Result<(), ToolError> {
        if method == Method::Svd && self.constraints.is_some() {
            return Err(
                ToolError::invalid("/C", "`svd` takes no constraints").hint("use `qr` or `ridge`")
            );
        }
        if (method == Method::Ridge) != args.ridge.is_some() {
            return Err(ToolError::invalid(
                "/ridge",
                "`ridge` is the penalty of the method `ridge`, and that method needs it",
            )
            .reason("contradiction"));
        }
        if args.covariance && (method == Method::Ridge || self.b.columns() > 1) {
            return Err(ToolError::invalid(
                "/covariance",
                "the covariance is that of one right-hand side without a penalty",
            ));
        }
        Ok(())
    }

    fn tolerance(&self, args: &Args) -> f64 {
        let default = self.rows().max(self.design.columns) as f64 * f64::EPSILON;
        args.tolerance.map_or(default, Tolerance::get)
    }

    fn fit(
        &self,
        design: &Design,
        high: &[f64],
        low: Option<&[f64]>,
        args: &Args,
    ) -> Result<lstsq::Fit, LeastSquaresError> {
        let constraints = self.constraints.as_ref().map(|(c, d)| Constraints {
            c: c.as_slice(),
            d: d.as_slice(),
            rows: c.rows(),
        });
        lstsq::fit(
            design,
            (high, low),
            self.b.columns(),
            constraints,
            self.tolerance(args),
            args.covariance,
        )
    }

    fn by_orthogonal_factors(&self, args: &Args) -> Result<Output, LeastSquaresError> {
        let n = self.design.columns;
        let found = self.fit(&self.design, &self.high, self.low.as_deref(), args)?;
        let freedom = (self.rows() - self.free()) as f64;
        let residual = norm2(&found.residual_norms);
        let (standard_errors, covariance) =
            statistics(found.unscaled_covariance, residual, freedom, n);
        Ok(Output {
            residual,
            rank: n,
            rcond: found.rcond,
            trusted_digits: trusted_digits(found.rcond),
            singular_values: None,
            degrees_of_freedom: freedom,
            residual_std: self.residual_std(residual, freedom),
            standard_errors,
            covariance,
            optimality: Some(found.optimality),
            refinements: found.refinements,
            error_estimate: Some(Real(found.error_estimate)),
            method: Method::Qr,
            x: self.b.like(n, found.x),
        })
    }

    fn by_ridge(&self, args: &Args) -> Result<Output, ToolError> {
        let (m, n, k) = (self.rows(), self.design.columns, self.b.columns());
        let penalty = args.ridge.map_or(0.0, Tolerance::get);
        let extended = self.design.over_identity(penalty.sqrt());
        let extend = |values: &[f64]| {
            let mut out = values.to_vec();
            out.resize((m + n) * k, 0.0);
            out
        };
        let low = self.low.as_deref().map(extend);
        let found = self
            .fit(&extended, &extend(&self.high), low.as_deref(), args)
            .map_err(least_squares_error)?;
        let columns = faer::MatRef::from_column_major_slice(&self.design.high, m, n);
        let (values, _) =
            singular(columns, SingularVectors::None).map_err(super::no_convergence)?;
        let effective: f64 = values
            .iter()
            .filter(|&&value| value > 0.0)
            .map(|&value| 1.0 / (1.0 + penalty / value / value))
            .sum();
        let freedom = m as f64 - effective;
        let image =
            super::dense::product(columns, super::dense::columns_of(&found.x, n, k).as_ref());
        let residual = norm2(
            &(0..m * k)
                .map(|index| self.high[index] - image[(index / k, index % k)])
                .collect::<Vec<_>>(),
        );
        Ok(Output {
            residual,
            rank: n,
            rcond: found.rcond,
            trusted_digits: trusted_digits(found.rcond),
            singular_values: None,
            degrees_of_freedom: freedom,
            residual_std: self.residual_std(residual, freedom),
            standard_errors: None,
            covariance: None,
            optimality: Some(found.optimality),
            refinements: found.refinements,
            error_estimate: Some(Real(found.error_estimate)),
            method: Method::Ridge,
            x: self.b.like(n, found.x),
        })
    }

    fn by_singular_values(&self, args: &Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (m, n) = (self.rows(), self.design.columns);
        let rows: Vec<f64> = (0..m * n)
            .map(|index| self.design.high[index % n * m + index / n])
            .collect();
        let tolerance = self.tolerance(args);
        let found = lstsq::minimum_norm(&rows, m, n, &self.high, self.b.columns(), tolerance)
            .map_err(least_squares_error)?;
        let freedom = (m - found.rank) as f64;
        let residual = norm2(&found.residuals);
        let values = &found.singular_values;
        let rcond = match (values.first(), values.last()) {
            (Some(&largest), Some(&least)) if largest > 0.0 => least / largest,
            _ => 0.0,
        };
        if args.covariance && found.rank < n {
            ctx.warn("the columns of `A` are dependent: the covariance is that of the solution of smallest norm");
        }
        let inverse = args.covariance.then(|| {
            let size = values.len();
            let mut inverse = vec![0.0; n * n];
            for row in 0..n {
                for column in 0..n {
                    inverse[row * n + column] = (0..found.rank)
                        .map(|index| {
                            let (left, right) =
                                (found.v[row * size + index], found.v[column * size + index]);
                            left / values[index] * (right / values[index])
                        })
                        .sum();
                }
            }
            inverse
        });
        let (standard_errors, covariance) = statistics(inverse, residual, freedom, n);
        Ok(Output {
            residual,
            rank: found.rank,
            rcond,
            trusted_digits: trusted_digits(rcond),
            degrees_of_freedom: freedom,
            residual_std: self.residual_std(residual, freedom),
            standard_errors,
            covariance,
            optimality: None,
            refinements: 0,
            error_estimate: None,
            method: Method::Svd,
            x: self.b.like(n, found.x),
            singular_values: Some(found.singular_values),
        })
    }

    fn residual_std(&self, residual: f64, freedom: f64) -> Option<Real> {
        (self.b.columns() == 1).then(|| Real(spread(residual, freedom)))
    }
}

fn spread(residual: f64, freedom: f64) -> f64 {
    if freedom > 0.0 {
        residual / freedom.sqrt()
    } else {
        f64::NAN
    }
}

/// Standard errors and covariance from `(A' A)^-1`.
fn statistics(
    inverse: Option<Vec<f64>>,
    residual: f64,
    freedom: f64,
    n: usize,
) -> (Option<Vec<Real>>, Option<Matrix>) {
    let Some(mut inverse) = inverse else {
        return (None, None);
    };
    let spread = spread(residual, freedom);
    let errors = (0..n)
        .map(|index| Real(spread * inverse[index * n + index].max(0.0).sqrt()))
        .collect();
    inverse
        .iter_mut()
        .for_each(|value| *value *= spread * spread);
    let finite = inverse.iter().all(|value| value.is_finite());
    let covariance = if finite {
        Matrix::new(n, n, inverse)
    } else {
        None
    };
    (Some(errors), covariance)
}

/// Square roots of the weights.
fn roots(weights: &Vector, m: usize) -> Result<Vec<f64>, ToolError> {
    if weights.len() != m {
        return Err(shape_error(
            "/weights",
            format!(
                "`A` has {m} rows but `weights` has {} entries",
                weights.len()
            ),
        ));
    }
    if let Some(index) = weights.iter().position(|&weight| weight < 0.0) {
        return Err(ToolError::invalid(
            format!("/weights/{index}"),
            format_args!("expected a weight of at least 0, found {}", weights[index]),
        ));
    }
    Ok(weights.iter().map(|weight| weight.sqrt()).collect())
}

fn constraints(c: Matrix, d: Sides, n: usize, k: usize) -> Result<(Matrix, Sides), ToolError> {
    if c.columns() != n || c.rows() > n {
        return Err(shape_error(
            "/C",
            format!(
                "expected at most {n} rows of {n} numbers, found {} x {}",
                c.rows(),
                c.columns()
            ),
        ));
    }
    if d.rows() != c.rows() || d.columns() != k {
        return Err(shape_error(
            "/d",
            format!(
                "expected {} rows of {k}, found {} of {}",
                c.rows(),
                d.rows(),
                d.columns()
            ),
        ));
    }
    Ok((c, d))
}

fn warn(output: &Output, ctx: &Ctx) {
    const ILL_CONDITIONED: f64 = 1.5e-8; // the square root of eps: half of the digits
    let estimate = output.error_estimate.map_or(0.0, |estimate| estimate.0);
    if estimate > 1e-3 {
        ctx.warn(format!(
            "the refinement does not settle (estimated relative error {estimate:.0e}): scale or reduce the columns of `A`"
        ));
    } else if output.method != Method::Svd && output.rcond < ILL_CONDITIONED {
        ctx.warn(format!(
            "the columns of `A` are nearly dependent (rcond {:.1e}): {} digits of `x` can be trusted unless the entries are known \
             to more than 16",
            output.rcond, output.trusted_digits
        ));
    }
    if output.standard_errors.is_some() && output.degrees_of_freedom == 0.0 {
        ctx.warn("as many parameters as rows: the fit is exact and has no standard errors");
    }
}

#[cfg(test)]
mod tests;
