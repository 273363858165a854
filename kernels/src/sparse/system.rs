//! Sparse square systems: the method chosen by the matrix, and what is known about the error.

use std::cell::Cell;

use super::cholesky::{Plan, SparseCholesky};
use super::krylov::{Problem, Target};
use super::lu::SparseLu;
use super::{
    Csr, Indefinite, Limits, SparseError, conjugate_gradient, gmres, go_on, precondition,
    reserve_doubles,
};
use crate::dense::condition::{Operator, reciprocal_condition, weighted_inverse_norm};
use crate::dense::refinement::{refine, size_in};
use crate::dense::scaling::Scaling;
use crate::dense::system::units;
use crate::dense::{exponent_of, max_abs, norm2, scaled};

/// How a sparse system is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `L L'` of a symmetric positive definite matrix.
    Cholesky,
    /// Elimination with partial pivoting.
    Lu,
    /// Conjugate gradients.
    ConjugateGradient,
    /// Restarted GMRES.
    Gmres,
}

/// How an iteration is preconditioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preconditioning {
    /// Not at all.
    None,
    /// By the diagonal.
    Jacobi,
    /// By a Cholesky factor without fill.
    IncompleteCholesky,
    /// By LU factors without fill.
    IncompleteLu,
    /// By a cycle of smoothed aggregation multigrid.
    Multigrid,
}

/// What the caller may choose.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// `None` looks at the matrix.
    pub method: Option<Method>,
    /// `None` takes multigrid for conjugate gradients and ILU(0), or the diagonal where that fails, for GMRES.
    pub preconditioning: Option<Preconditioning>,
    /// Largest `|b - A x| / |b|` of an iteration, greater than 0.
    pub tolerance: f64,
    /// Most iterations per right-hand side.
    pub iterations_max: usize,
    /// Steps of GMRES before it starts again.
    pub restart: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: None,
            preconditioning: None,
            tolerance: 1e-10,
            iterations_max: 10_000,
            restart: 50,
        }
    }
}

/// A solution and its evidence. Norms over several right-hand sides are Frobenius norms.
#[derive(Debug, Clone)]
pub struct Solution {
    /// n x k, row by row.
    pub x: Vec<f64>,
    /// `|B - A X|`.
    pub residual: f64,
    /// Largest over the columns of `|b - A x| / |b|`; 0 for a column of zeros.
    pub relative_residual: f64,
    /// Largest over the columns of `|b - A x| / (|A| |x| + |b|)` in maximum norms.
    pub backward_error: f64,
    /// How it was solved.
    pub method: Method,
    /// What the method found beyond the solution.
    pub evidence: Evidence,
    /// What was tried before, and why it did not do.
    pub abandoned: Vec<(Method, SparseError)>,
}

/// What is known besides the residual.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// Of factors.
    Direct {
        /// The estimate of `1 / (|A|_1 |A^-1|_1)` of the matrix as factored.
        rcond: f64,
        /// As [`crate::dense::system::Solution::error_estimate`].
        error_estimate: f64,
        /// As [`crate::dense::system::Solution::error_bound`].
        error_bound: f64,
        /// Entries of the factors.
        fill: usize,
        /// Growth of the elimination, where rows are exchanged.
        growth: Option<f64>,
        /// Steps of refinement that were kept.
        refinements: usize,
        /// Whether rows or columns were scaled before factoring.
        equilibrated: bool,
    },
    /// Of an iteration.
    Iterative {
        /// How it was preconditioned.
        preconditioning: Preconditioning,
        /// Most over the columns.
        iterations: usize,
        /// Largest over the columns of the estimated `|x - A^-1 b| / |x|` in the energy norm; conjugate gradients only.
        error_estimate: Option<f64>,
    },
}

/// Solves the square system for `k` right-hand sides; `b` is n x k, row by row.
///
/// # Method
/// Without a method: a symmetric matrix with positive diagonal is factored by Cholesky while that is cheap, else solved by
/// conjugate gradients with multigrid, else by Cholesky whatever it costs; one that turns out indefinite, and any other, by LU
/// while that is cheap, else by GMRES, else by LU. Direct solutions are refined with residuals in doubled precision; rows and
/// columns are scaled by powers of two where their sizes differ by more than 2^26.
///
/// # Errors
/// [`SparseError`]; of several methods that were tried, the error of the last.
///
/// # Panics
/// When `a` is not square or `b` has not n k entries.
pub fn solve(
    a: &Csr,
    b: &[f64],
    k: usize,
    options: &Options,
    limits: &dyn Limits,
) -> Result<Solution, SparseError> {
    let n = a.row_count();
    assert!(
        a.column_count() == n && b.len() == n * k,
        "a square matrix and n k right-hand sides"
    );
    check_structure(a)?;
    let job = Job {
        a,
        b,
        k,
        options,
        limits,
    };
    match options.method {
        Some(method) => job.by(method, None),
        None => job.by_matrix(),
    }
}

fn check_structure(a: &Csr) -> Result<(), SparseError> {
    if a.values().iter().any(|value| !value.is_finite()) {
        return Err(SparseError::Overflow);
    }
    if let Some(row) = a
        .starts()
        .windows(2)
        .position(|bounds| bounds[0] == bounds[1])
    {
        return Err(SparseError::EmptyRow(row));
    }
    let mut present = vec![false; a.column_count()];
    a.columns()
        .iter()
        .for_each(|&column| present[column as usize] = true);
    match present.iter().position(|&present| !present) {
        Some(column) => Err(SparseError::EmptyColumn(column)),
        None => Ok(()),
    }
}

struct Job<'a> {
    a: &'a Csr,
    b: &'a [f64],
    k: usize,
    options: &'a Options,
    limits: &'a dyn Limits,
}

/// What a direct factorisation may cost before an iteration is tried first.
#[derive(Debug, Clone, Copy)]
struct Cheap {
    fill: usize,
    operations: f64,
}

impl Job<'_> {
    /// Up to a few tenths of a second, with about twenty solves for the condition and the error.
    const CHEAP_CHOLESKY: Cheap = Cheap {
        fill: 1_500_000,
        operations: 3e8,
    };
    /// Up to a few seconds, since GMRES may fail.
    const CHEAP_LU: f64 = 2e9;
    /// Larger matrices are ordered only when they have a narrow band: ordering takes longer than the iteration.
    const ORDERED_MAX: usize = 200_000;
    const NARROW: usize = 64;

    fn by_matrix(&self) -> Result<Solution, SparseError> {
        let mut abandoned = Vec::new();
        let definite = self.a.asymmetry().is_none() && first_not_positive(self.a).is_none();
        if definite {
            let n = self.a.row_count();
            let Cheap { fill, operations } = Self::CHEAP_CHOLESKY;
            // Little fill for the size is cheap too.
            let fill = fill.max(2 * self.a.nonzeros());
            let cheap = Some(Cheap { fill, operations });
            let small = n <= Self::ORDERED_MAX || bandwidth(self.a) <= Self::NARROW;
            let tries = [
                (Method::Cholesky, cheap, small),
                (Method::ConjugateGradient, None, true),
                (Method::Cholesky, None, true),
            ];
            for (method, cheap, wanted) in tries {
                if !wanted || is_indefinite(&abandoned) {
                    continue;
                }
                match self.by(method, cheap) {
                    Ok(found) => return Ok(Solution { abandoned, ..found }),
                    Err(err) if !leaves_another(&err) => return Err(err),
                    Err(err) => abandoned.push((method, err)),
                }
            }
            if !is_indefinite(&abandoned) {
                return Err(last_error(abandoned));
            }
        }
        let cheap = Some(Cheap {
            fill: usize::MAX,
            operations: Self::CHEAP_LU,
        });
        for (method, cheap) in [
            (Method::Lu, cheap),
            (Method::Gmres, None),
            (Method::Lu, None),
        ] {
            match self.by(method, cheap) {
                Ok(found) => return Ok(Solution { abandoned, ..found }),
                Err(err) if !leaves_another(&err) => return Err(err),
                Err(err) => abandoned.push((method, err)),
            }
        }
        Err(last_error(abandoned))
    }

    fn by(&self, method: Method, cheap: Option<Cheap>) -> Result<Solution, SparseError> {
        match method {
            Method::Cholesky => self.by_cholesky(cheap),
            Method::Lu => self.by_lu(cheap.map_or(f64::INFINITY, |cheap| cheap.operations)),
            Method::ConjugateGradient => {
                self.check_definite()?;
                self.by_iteration(
                    method,
                    self.options
                        .preconditioning
                        .unwrap_or(Preconditioning::Multigrid),
                )
            }
            Method::Gmres => match self.options.preconditioning {
                Some(named) => self.by_iteration(method, named),
                None => self.by_default_gmres(),
            },
        }
    }

    fn by_default_gmres(&self) -> Result<Solution, SparseError> {
        let tries = [
            Preconditioning::IncompleteLu,
            Preconditioning::Jacobi,
            Preconditioning::None,
        ];
        let mut last = None;
        for kind in tries {
            match self.by_iteration(Method::Gmres, kind) {
                Err(err @ SparseError::Breakdown { .. }) => last = Some(better(last, err)),
                Err(SparseError::NoConvergence(best)) if best.stagnated => {
                    last = Some(better(last, SparseError::NoConvergence(best)));
                }
                other => return other,
            }
        }
        Err(last.unwrap_or(SparseError::Stopped))
    }

    fn check_definite(&self) -> Result<(), SparseError> {
        if let Some((row, column)) = self.a.asymmetry() {
            return Err(SparseError::NotSymmetric { row, column });
        }
        match first_not_positive(self.a) {
            Some(row) => Err(SparseError::NotPositiveDefinite(Indefinite::Diagonal(row))),
            None => Ok(()),
        }
    }

    fn by_cholesky(&self, cheap: Option<Cheap>) -> Result<Solution, SparseError> {
        const WHAT: &str = "the Cholesky factorisation";
        self.check_definite()?;
        // 24 bytes per entry, so that no machine has room for more.
        const FILL_MAX: usize = 1 << 40;
        let scaling = symmetric_scaling(self.a);
        let scaled_copy = scaled_copy(self.a, &scaling, self.limits)?;
        let matrix = scaled_copy.as_ref().unwrap_or(self.a);
        let fill_max = cheap.map_or(FILL_MAX, |cheap| cheap.fill);
        let too_much = |operations| SparseError::Cost {
            what: WHAT,
            operations,
        };
        let plan = Plan::new(matrix, fill_max, self.limits)?.ok_or(too_much(fill_max as f64))?;
        if let Some(cheap) = cheap.filter(|cheap| plan.operations > cheap.operations) {
            return Err(too_much(cheap.operations));
        }
        let factors = SparseCholesky::new(matrix, plan, self.limits)?;
        let fill = factors.fill();
        self.by_factors(Method::Cholesky, matrix, &scaling, &factors, fill, None)
    }

    fn by_lu(&self, operations_max: f64) -> Result<Solution, SparseError> {
        let scaling = general_scaling(self.a);
        let scaled_copy = scaled_copy(self.a, &scaling, self.limits)?;
        let matrix = scaled_copy.as_ref().unwrap_or(self.a);
        let factors = SparseLu::new(matrix, operations_max, self.limits)?;
        let (fill, growth) = (factors.fill(), factors.growth());
        self.by_factors(Method::Lu, matrix, &scaling, &factors, fill, Some(growth))
    }

    fn by_factors(
        &self,
        method: Method,
        matrix: &Csr,
        scaling: &Scaling,
        factors: &dyn Operator,
        fill: usize,
        growth: Option<f64>,
    ) -> Result<Solution, SparseError> {
        let n = matrix.row_count();
        reserve_doubles(self.limits, "the solution", n * (3 * self.k + 16))?;
        let factors = Stoppable {
            inner: factors,
            limits: self.limits,
            stopped: Cell::new(false),
        };
        let rcond = reciprocal_condition(&factors, matrix.norm1());
        let units = units(&scaling.columns);
        let mut sums = Sums::new(self.a, self.k);
        let mut weights = vec![0.0_f64; n];
        let (mut refinements, mut error_estimate) = (0, 0.0_f64);
        for column in 0..self.k {
            let (rhs, exponent) = self.column(column, Some(&scaling.rows));
            let mut start = rhs.clone();
            factors.apply(&mut start);
            factors.check()?;
            if start.iter().any(|value| !value.is_finite()) {
                return Err(SparseError::Overflow);
            }
            let found = refine(
                &factors,
                |x, b| matrix.precise_residual(x, b),
                &rhs,
                start,
                &units,
            );
            factors.check()?;
            refinements = refinements.max(found.refinements);
            error_estimate = error_estimate.max(found.error_estimate);
            raise_weights(
                &mut weights,
                matrix,
                &rhs,
                &found.x,
                &found.rest,
                size_in(&units, &found.x),
            );
            let x = restored(&found.x, |row| exponent + scaling.columns[row])?;
            let rest: Vec<f64> = found
                .rest
                .iter()
                .enumerate()
                .map(|(row, &r)| scaled(r, exponent - scaling.rows[row]))
                .collect();
            sums.add(column, self.b, x, &rest);
        }
        let error_bound = weighted_inverse_norm(&factors, &units, &weights);
        factors.check()?;
        let evidence = Evidence::Direct {
            rcond,
            error_estimate,
            error_bound,
            fill,
            growth,
            refinements,
            equilibrated: scaling.used,
        };
        Ok(sums.finish(method, evidence))
    }

    fn by_iteration(
        &self,
        method: Method,
        preconditioning: Preconditioning,
    ) -> Result<Solution, SparseError> {
        let n = self.a.row_count();
        // One factor for all entries leaves the relative residual as it is.
        let even = even_exponent(self.a);
        let scaling = Scaling::with(vec![-even; n], vec![0; n]);
        let scaled_copy = scaled_copy(self.a, &scaling, self.limits)?;
        let matrix = scaled_copy.as_ref().unwrap_or(self.a);
        reserve_doubles(self.limits, "the solution", n * (self.k + 5))?;
        let mut preconditioner = precondition::build(matrix, preconditioning, self.limits)?;
        let mut problem = Problem {
            a: matrix,
            preconditioner: &mut *preconditioner,
            limits: self.limits,
        };
        let target = Target {
            tolerance: self.options.tolerance,
            iterations_max: self.options.iterations_max,
        };
        let mut sums = Sums::new(self.a, self.k);
        let (mut iterations, mut error_estimate) = (0, None);
        for column in 0..self.k {
            let (rhs, exponent) = self.column(column, None);
            let outcome = match method {
                Method::ConjugateGradient => conjugate_gradient::solve(&mut problem, &rhs, target)
                    .map(|(found, error)| (found, Some(error))),
                _ => gmres::solve(&mut problem, &rhs, target, self.options.restart)
                    .map(|found| (found, None)),
            };
            let (found, error) = outcome.map_err(|err| unscaled(err, exponent - even))?;
            iterations = iterations.max(found.iterations);
            error_estimate = error.map(|error: f64| error.max(error_estimate.unwrap_or(0.0)));
            let x = restored(&found.x, |_| exponent - even)?;
            let rest: Vec<f64> = found.rest.iter().map(|&r| scaled(r, exponent)).collect();
            sums.add(column, self.b, x, &rest);
        }
        Ok(sums.finish(
            method,
            Evidence::Iterative {
                preconditioning,
                iterations,
                error_estimate,
            },
        ))
    }

    /// One right-hand side brought to size 1 by a power of two, with its exponent, after the scaling of the rows.
    fn column(&self, column: usize, rows: Option<&[i32]>) -> (Vec<f64>, i32) {
        let shift = |row: usize| rows.map_or(0, |rows| rows[row]);
        let entries = || self.b.iter().skip(column).step_by(self.k).enumerate();
        let exponent = entries()
            .filter(|(_, entry)| **entry != 0.0)
            .map(|(row, entry)| exponent_of(entry.abs()) + shift(row))
            .max()
            .unwrap_or(0);
        (
            entries()
                .map(|(row, &entry)| scaled(entry, shift(row) - exponent))
                .collect(),
            exponent,
        )
    }
}

/// The first diagonal entry that is not greater than zero.
fn first_not_positive(a: &Csr) -> Option<usize> {
    (0..a.row_count()).find(|&row| a.get(row, row) <= 0.0)
}

/// The largest distance of an entry from the diagonal.
fn bandwidth(a: &Csr) -> usize {
    let ends = |row: usize| {
        let columns = a.row(row).0;
        [columns.first(), columns.last()]
    };
    (0..a.row_count())
        .flat_map(|row| {
            ends(row)
                .into_iter()
                .flatten()
                .map(move |&column| (column as usize).abs_diff(row))
        })
        .max()
        .unwrap_or(0)
}

fn is_indefinite(abandoned: &[(Method, SparseError)]) -> bool {
    abandoned
        .iter()
        .any(|(_, err)| matches!(err, SparseError::NotPositiveDefinite(_)))
}

/// Whether another method may do better: not after a stop, nor where the matrix itself is at fault.
fn leaves_another(err: &SparseError) -> bool {
    matches!(
        err,
        SparseError::NotPositiveDefinite(_)
            | SparseError::NoConvergence(_)
            | SparseError::Breakdown { .. }
            | SparseError::Cost { .. }
            | SparseError::Memory { .. }
    )
}

/// The best that an iteration reached says more than the limit that stopped a factorisation.
fn last_error(abandoned: Vec<(Method, SparseError)>) -> SparseError {
    abandoned
        .into_iter()
        .map(|(_, err)| err)
        .reduce(|last, err| better(Some(last), err))
        .unwrap_or(SparseError::Stopped)
}

fn better(last: Option<SparseError>, err: SparseError) -> SparseError {
    match (last, err) {
        (Some(SparseError::NoConvergence(one)), SparseError::NoConvergence(other)) => {
            SparseError::NoConvergence(if one.residual <= other.residual {
                one
            } else {
                other
            })
        }
        (Some(one @ SparseError::NoConvergence(_)), _) => one,
        (_, err) => err,
    }
}

/// Looks at the limits before each solve, which then is left out.
struct Stoppable<'a> {
    inner: &'a dyn Operator,
    limits: &'a dyn Limits,
    stopped: Cell<bool>,
}

impl Stoppable<'_> {
    fn check(&self) -> Result<(), SparseError> {
        if self.stopped.get() {
            return Err(SparseError::Stopped);
        }
        go_on(self.limits)
    }

    fn goes_on(&self) -> bool {
        if self.limits.stopped() {
            self.stopped.set(true);
        }
        !self.stopped.get()
    }
}

impl Operator for Stoppable<'_> {
    fn size(&self) -> usize {
        self.inner.size()
    }

    fn apply(&self, x: &mut [f64]) {
        if self.goes_on() {
            self.inner.apply(x);
        }
    }

    fn apply_transposed(&self, x: &mut [f64]) {
        if self.goes_on() {
            self.inner.apply_transposed(x);
        }
    }
}

/// Raises the uncertainty of each residual, relative to the size of its solution: what it is, and half a unit in the last place
/// of every entry.
fn raise_weights(weights: &mut [f64], a: &Csr, b: &[f64], x: &[f64], rest: &[f64], size: f64) {
    const ROUNDOFF: f64 = f64::EPSILON / 2.0;
    if size == 0.0 {
        return;
    }
    let images = a.absolute_product(x);
    for (row, weight) in weights.iter_mut().enumerate() {
        let uncertain = rest[row].abs() + ROUNDOFF * (images[row] + b[row].abs());
        *weight = weight.max(uncertain / size);
    }
}

fn restored(x: &[f64], shift: impl Fn(usize) -> i32) -> Result<Vec<f64>, SparseError> {
    let out: Vec<f64> = x
        .iter()
        .enumerate()
        .map(|(row, &value)| scaled(value, shift(row)))
        .collect();
    if out.iter().all(|value| value.is_finite()) {
        return Ok(out);
    }
    Err(SparseError::Overflow)
}

/// The best point of a failed iteration in the units of the system.
fn unscaled(err: SparseError, exponent: i32) -> SparseError {
    match err {
        SparseError::NoConvergence(mut best) => {
            best.x
                .iter_mut()
                .for_each(|value| *value = scaled(*value, exponent));
            SparseError::NoConvergence(best)
        }
        other => other,
    }
}

/// The solution as its columns come.
struct Sums {
    k: usize,
    a_norm: f64,
    x: Vec<f64>,
    residual: f64,
    relative_residual: f64,
    backward_error: f64,
}

impl Sums {
    fn new(a: &Csr, k: usize) -> Self {
        let x = vec![0.0; a.row_count() * k];
        Self {
            k,
            a_norm: a.norm_max(),
            x,
            residual: 0.0,
            relative_residual: 0.0,
            backward_error: 0.0,
        }
    }

    fn add(&mut self, column: usize, b: &[f64], x: Vec<f64>, rest: &[f64]) {
        let rhs: Vec<f64> = b.iter().skip(column).step_by(self.k).copied().collect();
        let (size, whole) = (norm2(rest), norm2(&rhs));
        self.residual = self.residual.hypot(size);
        if whole > 0.0 {
            self.relative_residual = self.relative_residual.max(size / whole);
        }
        let scale = self.a_norm * max_abs(&x) + max_abs(&rhs);
        if scale > 0.0 {
            self.backward_error = self.backward_error.max(max_abs(rest) / scale);
        }
        if self.k == 1 {
            self.x = x;
            return;
        }
        self.x
            .iter_mut()
            .skip(column)
            .step_by(self.k)
            .zip(x)
            .for_each(|(out, value)| *out = value);
    }

    fn finish(self, method: Method, evidence: Evidence) -> Solution {
        Solution {
            x: self.x,
            residual: self.residual,
            relative_residual: self.relative_residual,
            backward_error: self.backward_error,
            method,
            evidence,
            abandoned: Vec::new(),
        }
    }
}

fn scaled_copy(
    a: &Csr,
    scaling: &Scaling,
    limits: &dyn Limits,
) -> Result<Option<Csr>, SparseError> {
    if !scaling.used {
        return Ok(None);
    }
    reserve_doubles(
        limits,
        "the scaled matrix",
        2 * a.nonzeros() + a.row_count(),
    )?;
    Ok(Some(a.clone().scaled(&scaling.rows, &scaling.columns)))
}

/// As [`Scaling::of`].
fn general_scaling(a: &Csr) -> Scaling {
    let n = a.row_count();
    let row_sizes: Vec<f64> = (0..n).map(|row| max_abs(a.row(row).1)).collect();
    let rows = Scaling::exponents(&row_sizes).unwrap_or_else(|| vec![0; n]);
    let mut sizes = vec![0.0_f64; n];
    for row in 0..n {
        let (columns, values) = a.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            let size = &mut sizes[column as usize];
            *size = size.max(scaled(value, rows[row]).abs());
        }
    }
    let columns = Scaling::exponents(&sizes).unwrap_or_else(|| vec![0; n]);
    Scaling::with(rows, columns)
}

/// As [`Scaling::symmetric`].
fn symmetric_scaling(a: &Csr) -> Scaling {
    let half: Vec<i32> = Scaling::exponents(&a.diagonal()).map_or_else(
        || vec![0; a.row_count()],
        |exponents| {
            exponents
                .iter()
                .map(|exponent| exponent.div_euclid(2))
                .collect()
        },
    );
    Scaling::with(half.clone(), half)
}

/// The exponent of the largest entry where it is near the end of the range, else 0.
fn even_exponent(a: &Csr) -> i32 {
    const RANGE: i32 = 300;
    let exponent = exponent_of(max_abs(a.values()));
    if exponent.abs() > RANGE { exponent } else { 0 }
}
