//! Hamiltonian dynamics of a log density: states, the metric and the leapfrog step.
//!
//! Momenta are kept in the coordinates in which the metric is the identity: with the covariance estimate `L L^T` a step moves `x`
//! by `step * L p` and `p` by the slope `L^T grad`, and the kinetic energy is `|p|^2 / 2`. It is the usual scheme with mass
//! matrix `(L L^T)^-1`, without its solves.
//!
//! # References
//! R. M. Neal, "MCMC Using Hamiltonian Dynamics", Handbook of Markov Chain Monte Carlo, 2011, sections 5.2 and 5.4.1.

use super::chain::MetricShape;
use super::density::GradientEvaluator;
use crate::dense::cholesky::cholesky_factor;
use crate::sampling::SamplingError;

/// Most dimensions of a dense metric, whose steps cost their square.
const DENSE_DIMENSION_MAX: usize = 50;
/// A correlation beyond this, in magnitude, makes the metric dense.
const CORRELATION_MAX: f64 = 0.5;

/// A point and a momentum.
#[derive(Debug, Clone, Default)]
pub(super) struct PhasePoint {
    pub(super) point: Vec<f64>,
    pub(super) momentum: Vec<f64>,
    /// The gradient in the coordinates of the momentum.
    pub(super) slope: Vec<f64>,
    /// The log density.
    pub(super) level: f64,
}

impl PhasePoint {
    /// Minus the logarithm of the joint density of point and momentum.
    pub(super) fn energy(&self) -> f64 {
        let square: f64 = self.momentum.iter().map(|p| p * p).sum();
        0.5 * square - self.level
    }

    /// Copies another state.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.point.clone_from(&other.point);
        self.momentum.clone_from(&other.momentum);
        self.slope.clone_from(&other.slope);
        self.level = other.level;
    }
}

/// A log density with its gradient, and the metric.
pub(super) struct Hamiltonian<'a> {
    gradient: GradientEvaluator<'a>,
    /// The log density, then its derivatives.
    found: Vec<f64>,
    scale: CovarianceFactor,
    /// Evaluations so far.
    pub(super) evaluations: u64,
}

impl<'a> Hamiltonian<'a> {
    /// With the same scale in every dimension.
    pub(super) fn new(gradient: GradientEvaluator<'a>, dimension: usize, std: f64) -> Self {
        Self {
            gradient,
            found: vec![0.0; dimension + 1],
            scale: CovarianceFactor::Diagonal(vec![std; dimension]),
            evaluations: 0,
        }
    }

    /// A state at a point, at rest.
    pub(super) fn state(&mut self, point: Vec<f64>) -> Result<PhasePoint, SamplingError> {
        let dimension = point.len();
        let mut state = PhasePoint {
            point,
            momentum: vec![0.0; dimension],
            slope: vec![0.0; dimension],
            level: 0.0,
        };
        self.evaluate(&mut state)?;
        Ok(state)
    }

    /// The log density at a point; NaN where the gradient is not finite, from where no trajectory starts.
    pub(super) fn start_level(&mut self, point: &[f64]) -> f64 {
        self.evaluations += 1;
        (self.gradient)(point, &mut self.found);
        let finite = self.found.iter().all(|value| value.is_finite());
        if finite { self.found[0] } else { f64::NAN }
    }

    /// Sets level and slope of a state from its point.
    ///
    /// # Errors
    /// When the log density is plus infinity at a finite point.
    pub(super) fn evaluate(&mut self, state: &mut PhasePoint) -> Result<(), SamplingError> {
        self.evaluations += 1;
        (self.gradient)(&state.point, &mut self.found);
        state.level = self.found[0];
        self.scale.pull(&self.found[1..], &mut state.slope);
        if state.level == f64::INFINITY {
            if state.point.iter().all(|x| x.is_finite()) {
                let point = state.point.clone();
                return Err(SamplingError::Unbounded { point });
            }
            state.level = f64::NEG_INFINITY;
        }
        Ok(())
    }

    /// One leapfrog step; backwards in time when `step` is negative. Reversible and volume-preserving; its error of the energy is of
    /// second order in the step. O(d) beside the density for a diagonal metric, O(d^2) for a dense one.
    ///
    /// # Errors
    /// As [`Hamiltonian::evaluate`].
    pub(super) fn leapfrog(
        &mut self,
        state: &mut PhasePoint,
        step: f64,
    ) -> Result<(), SamplingError> {
        kick_momentum(state, 0.5 * step);
        self.scale.push(step, &state.momentum, &mut state.point);
        self.evaluate(state)?;
        kick_momentum(state, 0.5 * step);
        Ok(())
    }

    /// Sets the covariance (lower triangle, row by row in a full square) as the inverse of the mass matrix: its diagonal, or all
    /// of it when a correlation is beyond [`CORRELATION_MAX`] in [`DENSE_DIMENSION_MAX`] dimensions or fewer. Slopes of earlier
    /// states are void then.
    pub(super) fn learn(&mut self, covariance: &[f64]) {
        let n = self.found.len() - 1;
        let mut std = self.scale.std();
        for (axis, std) in std.iter_mut().enumerate() {
            let found = covariance[axis * n + axis].sqrt();
            if found.is_finite() && found > 0.0 {
                *std = found;
            }
        }
        let correlation =
            |row: usize, column: usize| covariance[row * n + column] / (std[row] * std[column]);
        let correlated = n <= DENSE_DIMENSION_MAX
            && (0..n)
                .any(|row| (0..row).any(|column| correlation(row, column).abs() > CORRELATION_MAX));
        self.scale = correlated
            .then(|| cholesky_factor(covariance.to_vec(), n))
            .flatten()
            .map_or(CovarianceFactor::Diagonal(std), |rows| {
                CovarianceFactor::dense(rows, n)
            });
    }

    /// Standard deviation per dimension that the metric assumes.
    pub(super) fn std(&self) -> Vec<f64> {
        self.scale.std()
    }

    /// The form of the metric.
    pub(super) fn metric(&self) -> MetricShape {
        match self.scale {
            CovarianceFactor::Diagonal(_) => MetricShape::Diagonal,
            CovarianceFactor::Dense { .. } => MetricShape::Dense,
        }
    }
}

fn kick_momentum(state: &mut PhasePoint, time: f64) {
    for (p, slope) in state.momentum.iter_mut().zip(&state.slope) {
        *p += time * slope;
    }
}

/// The factor `L` of the covariance estimate.
enum CovarianceFactor {
    /// Standard deviations.
    Diagonal(Vec<f64>),
    /// The lower triangle in a full square, row by row and column by column: both products then run along memory.
    Dense { rows: Vec<f64>, columns: Vec<f64> },
}

impl CovarianceFactor {
    fn dense(rows: Vec<f64>, n: usize) -> Self {
        let columns = (0..n * n)
            .map(|index| rows[index % n * n + index / n])
            .collect();
        Self::Dense { rows, columns }
    }

    /// `point += step * L momentum`.
    fn push(&self, step: f64, momentum: &[f64], point: &mut [f64]) {
        match self {
            Self::Diagonal(std) => {
                for ((x, p), std) in point.iter_mut().zip(momentum).zip(std) {
                    *x += step * p * std;
                }
            }
            Self::Dense { columns, .. } => {
                let columns = columns.chunks_exact(momentum.len());
                for (first, (p, column)) in momentum.iter().zip(columns).enumerate() {
                    let way = step * p;
                    for (x, factor) in point[first..].iter_mut().zip(&column[first..]) {
                        *x += way * factor;
                    }
                }
            }
        }
    }

    /// `slope = L^T gradient`.
    fn pull(&self, gradient: &[f64], slope: &mut [f64]) {
        match self {
            Self::Diagonal(std) => {
                for ((slope, derivative), std) in slope.iter_mut().zip(gradient).zip(std) {
                    *slope = derivative * std;
                }
            }
            Self::Dense { rows, .. } => {
                slope.fill(0.0);
                let rows = rows.chunks_exact(gradient.len());
                for (last, (derivative, row)) in gradient.iter().zip(rows).enumerate() {
                    for (slope, factor) in slope[..=last].iter_mut().zip(&row[..=last]) {
                        *slope += derivative * factor;
                    }
                }
            }
        }
    }

    /// Standard deviation per dimension.
    fn std(&self) -> Vec<f64> {
        match self {
            Self::Diagonal(std) => std.clone(),
            Self::Dense { rows, columns } => rows
                .chunks_exact(columns.len().isqrt())
                .map(|row| row.iter().map(|factor| factor * factor).sum::<f64>().sqrt())
                .collect(),
        }
    }
}
