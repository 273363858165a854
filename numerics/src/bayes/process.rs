//! A Gaussian process on the unit cube: Matern 5/2 kernel with one length scale for each dimension.

use std::f64::consts::PI;

use rand::{Rng, RngExt};

use super::ascent::{LocalMaximum, dot, maximise_in_box};
use super::error::BayesError;
use crate::Watch;
use crate::dense::add_multiple;
use crate::dense::cholesky::cholesky_factor;

/// Range of the logarithm of a length scale, in units of the cube: from 1/200 to 20 of its edge.
const LOG_LENGTH: (f64, f64) = (-5.298_317_366_548_036, 2.995_732_273_553_991);
const SQRT_5: f64 = 2.236_067_977_499_79;

/// Observations: points of the unit cube, row by row, and a value at each.
#[derive(Debug, Clone, Copy)]
pub struct ProcessObservations<'a> {
    /// Coordinates, `n * dimension`.
    pub x: &'a [f64],
    /// Values, n of them.
    pub y: &'a [f64],
    /// Number of coordinates of a point.
    pub dimension: usize,
}

impl<'a> ProcessObservations<'a> {
    fn check(&self) -> Result<(), BayesError> {
        let (points, dimension) = (self.y.len(), self.dimension);
        if points == 0 || dimension == 0 || self.x.len() != points * dimension {
            let coordinates = self.x.len();
            return Err(BayesError::Shape {
                points,
                dimension,
                coordinates,
            });
        }
        Ok(())
    }

    fn point(&self, index: usize) -> &'a [f64] {
        &self.x[index * self.dimension..(index + 1) * self.dimension]
    }
}

/// A process conditioned on observations.
///
/// # Method
/// Ordinary kriging: y = m + f(x) with k(x, x') = s2 (1 + q + q^2/3) exp(-q), q = sqrt(5) r, r the distance in units of the
/// length scales, and noise of variance s2 * `nugget`. Mean m and signal variance s2 have closed forms given the length scales,
/// which maximise the log marginal likelihood (several starts, exact gradient).
///
/// # Cost
/// O(n^3 + n^2 d) for each evaluation of the likelihood, O(n^2) for each prediction.
///
/// # References
/// C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine Learning", MIT Press, 2006, chapters 2, 4 and 5;
/// D. R. Jones, M. Schonlau and W. J. Welch, "Efficient Global Optimization of Expensive Black-Box Functions", J. Global
/// Optimization 13, 1998.
#[derive(Debug, Clone)]
pub struct GaussianProcess {
    x: Vec<f64>,
    factor: Vec<f64>,
    weights: Vec<f64>,
    /// Length scale of each dimension, in units of the cube.
    pub lengths: Vec<f64>,
    /// Mean far from all observations.
    pub mean: f64,
    /// Variance far from all observations.
    pub signal_variance: f64,
    /// Noise variance divided by `signal_variance`, as used (raised where the factorisation needs it).
    pub nugget: f64,
    /// Log marginal likelihood of the observations.
    pub log_likelihood: f64,
}

/// Mean and standard deviation at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessPrediction {
    /// Mean.
    pub mean: f64,
    /// Standard deviation of the function (without noise).
    pub std: f64,
}

impl GaussianProcess {
    /// Fits the length scales and conditions on the observations.
    ///
    /// `start` are length scales to begin from besides the fixed ones and a random one.
    ///
    /// # Errors
    /// As [`GaussianProcess::condition`].
    pub fn fit(
        data: ProcessObservations<'_>,
        nugget: f64,
        start: Option<&[f64]>,
        rng: &mut impl Rng,
        watch: &dyn Watch,
    ) -> Result<Self, BayesError> {
        const ITERATIONS_MAX: usize = 40;
        data.check()?;
        let d = data.dimension;
        let constant = data.y.iter().all(|value| *value == data.y[0]);
        if constant {
            return Self::condition(data, &vec![0.5; d], nugget, watch);
        }
        let mut starts: Vec<Vec<f64>> = [0.15_f64, 0.5, 2.0]
            .map(|length| vec![length.ln(); d])
            .into();
        starts.extend(start.map(|lengths| lengths.iter().map(|length| length.ln()).collect()));
        starts.push((0..d).map(|_| rng.random_range(-3.0..1.0)).collect());
        let mut best: Option<LocalMaximum> = None;
        for start in &starts {
            let height = |at: &[f64], gradient: &mut [f64]| {
                profile_log_likelihood(data, at, nugget, gradient, watch)
            };
            let peak = maximise_in_box(start, LOG_LENGTH, ITERATIONS_MAX, watch, height)?;
            if best.as_ref().is_none_or(|best| peak.value > best.value) {
                best = Some(peak);
            }
        }
        let log_lengths = best.map_or_else(|| vec![0.5_f64.ln(); d], |peak| peak.x);
        let lengths: Vec<f64> = log_lengths.iter().map(|log| log.exp()).collect();
        Self::condition(data, &lengths, nugget, watch)
    }

    /// Conditions on the observations with given length scales.
    ///
    /// # Errors
    /// A stop; [`BayesError::Singular`] when no nugget up to the signal variance is enough.
    pub fn condition(
        data: ProcessObservations<'_>,
        lengths: &[f64],
        nugget: f64,
        watch: &dyn Watch,
    ) -> Result<Self, BayesError> {
        /// From 1e-12 to 1 and beyond by tenfolds: with a nugget of 1 the matrix is positive definite for any points.
        const ATTEMPTS_MAX: usize = 16;
        data.check()?;
        // A nugget that lets the factorisation succeed: correlation matrices are positive semidefinite up to rounding.
        let mut used = nugget;
        for _ in 0..ATTEMPTS_MAX {
            watch.check()?;
            let (matrix, _) = correlation_matrices(data, lengths, used);
            if let Some(factor) = cholesky_factor(matrix, data.y.len()) {
                return Ok(Self::solved(data, lengths, used, factor));
            }
            used = (10.0 * used).max(1e-12);
        }
        Err(BayesError::Singular {
            points: data.y.len(),
            nugget: used,
        })
    }

    fn solved(
        data: ProcessObservations<'_>,
        lengths: &[f64],
        nugget: f64,
        factor: Vec<f64>,
    ) -> Self {
        let solved = KrigingWeights::new(&factor, data.y);
        Self {
            x: data.x.to_vec(),
            factor,
            weights: solved.weights,
            lengths: lengths.to_vec(),
            mean: solved.mean,
            signal_variance: solved.variance,
            nugget,
            log_likelihood: solved.log_likelihood,
        }
    }

    /// Standard deviation of the noise.
    pub fn noise_std(&self) -> f64 {
        (self.nugget * self.signal_variance).sqrt()
    }

    /// The prediction at a point of the cube.
    pub fn predict(&self, point: &[f64]) -> ProcessPrediction {
        self.half_solved(point).0
    }

    /// The prediction, and `L^-1 k` of the correlations `k` with the observations.
    fn half_solved(&self, point: &[f64]) -> (ProcessPrediction, Vec<f64>) {
        let others = self.x.chunks_exact(point.len());
        let near = others.map(|other| matern_correlation(self.distance(point, other)));
        let mut k: Vec<f64> = near.collect();
        let mean = self.mean + dot(&k, &self.weights);
        solve_lower_factor(&self.factor, &mut k);
        let explained: f64 = k.iter().map(|value| value * value).sum();
        let std = (self.signal_variance * (1.0 - explained).max(0.0)).sqrt();
        (ProcessPrediction { mean, std }, k)
    }

    /// The prediction and its gradients (of the mean, then of the standard deviation).
    pub fn predict_with_gradient(&self, point: &[f64]) -> (ProcessPrediction, Vec<f64>, Vec<f64>) {
        let d = point.len();
        let (prediction, mut solved) = self.half_solved(point);
        let std = prediction.std;
        solve_transposed_factor(&self.factor, &mut solved);
        let (mut mean_gradient, mut std_gradient) = (vec![0.0; d], vec![0.0; d]);
        for (index, other) in self.x.chunks_exact(d).enumerate() {
            let q = SQRT_5 * self.distance(point, other);
            let slope = -5.0 / 3.0 * (1.0 + q) * (-q).exp();
            for i in 0..d {
                let partial = slope * (point[i] - other[i]) / (self.lengths[i] * self.lengths[i]);
                mean_gradient[i] += self.weights[index] * partial;
                std_gradient[i] -= solved[index] * partial;
            }
        }
        let (variance, uncertain) = (self.signal_variance, std > 0.0);
        let scale = if uncertain { variance / std } else { 0.0 };
        std_gradient.iter_mut().for_each(|value| *value *= scale);
        (prediction, mean_gradient, std_gradient)
    }

    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        square_distance(a, b, &self.lengths).sqrt()
    }
}

/// Correlation at a distance in units of the length scales.
fn square_distance(a: &[f64], b: &[f64], lengths: &[f64]) -> f64 {
    let pairs = a.iter().zip(b).zip(lengths);
    pairs
        .map(|((a, b), length)| ((a - b) / length).powi(2))
        .sum()
}

fn matern_correlation(distance: f64) -> f64 {
    let q = SQRT_5 * distance;
    (1.0 + q + q * q / 3.0) * (-q).exp()
}

/// Quantities derived from the factor: mean, signal variance, weights K^-1 (y - m) and likelihood.
struct KrigingWeights {
    mean: f64,
    variance: f64,
    weights: Vec<f64>,
    log_likelihood: f64,
}

impl KrigingWeights {
    fn new(factor: &[f64], y: &[f64]) -> Self {
        let n = y.len();
        let solve = |mut vector: Vec<f64>| {
            solve_lower_factor(factor, &mut vector);
            solve_transposed_factor(factor, &mut vector);
            vector
        };
        let ones = solve(vec![1.0; n]);
        let mean = dot(&ones, y) / ones.iter().sum::<f64>();
        let centred: Vec<f64> = y.iter().map(|value| value - mean).collect();
        let weights = solve(centred.clone());
        let variance = dot(&centred, &weights) / n as f64;
        let log_determinant: f64 = 2.0 * (0..n).map(|i| factor[i * n + i].ln()).sum::<f64>();
        let log_likelihood =
            -0.5 * (n as f64 * ((2.0 * PI * variance).ln() + 1.0) + log_determinant);
        Self {
            mean,
            variance,
            weights,
            log_likelihood,
        }
    }
}

/// The log likelihood, maximal over mean and signal variance, and its gradient in the logarithms of the length scales.
///
/// Minus infinity where there is no factor, and when the call is stopped, which the caller sees next.
fn profile_log_likelihood(
    data: ProcessObservations<'_>,
    log_lengths: &[f64],
    nugget: f64,
    gradient: &mut [f64],
    watch: &dyn Watch,
) -> f64 {
    let n = data.y.len();
    let lengths: Vec<f64> = log_lengths.iter().map(|log| log.exp()).collect();
    let (matrix, slopes) = correlation_matrices(data, &lengths, nugget);
    let Some(factor) = cholesky_factor(matrix, n) else {
        return f64::NEG_INFINITY;
    };
    let solved = KrigingWeights::new(&factor, data.y);
    let Some(inverse) = inverse_from_factor(&factor, n, watch).filter(|_| solved.variance > 0.0)
    else {
        return f64::NEG_INFINITY;
    };
    gradient.fill(0.0);
    for i in 0..n {
        for j in 0..i {
            // Both (i, j) and (j, i): twice one half.
            let weight =
                solved.weights[i] * solved.weights[j] / solved.variance - inverse[i * n + j];
            let common = weight * slopes[i * n + j];
            for (k, slot) in gradient.iter_mut().enumerate() {
                let difference = (data.point(i)[k] - data.point(j)[k]) / lengths[k];
                *slot += common * difference * difference;
            }
        }
    }
    solved.log_likelihood
}

/// The lower triangle of the correlation matrix with the nugget on its diagonal, and of the factor of its derivatives:
/// dR/d(log l_k) = slope * ((x_k - x'_k) / l_k)^2.
fn correlation_matrices(
    data: ProcessObservations<'_>,
    lengths: &[f64],
    nugget: f64,
) -> (Vec<f64>, Vec<f64>) {
    let n = data.y.len();
    let (mut matrix, mut slopes) = (vec![0.0; n * n], vec![0.0; n * n]);
    for i in 0..n {
        matrix[i * n + i] = 1.0 + nugget;
        for j in 0..i {
            let q = (5.0 * square_distance(data.point(i), data.point(j), lengths)).sqrt();
            let decay = (-q).exp();
            matrix[i * n + j] = (1.0 + q + q * q / 3.0) * decay;
            slopes[i * n + j] = 5.0 / 3.0 * (1.0 + q) * decay;
        }
    }
    (matrix, slopes)
}

/// Solves L z = b in place.
fn solve_lower_factor(factor: &[f64], b: &mut [f64]) {
    let n = b.len();
    for i in 0..n {
        let rest = b[i] - dot(&factor[i * n..i * n + i], &b[..i]);
        b[i] = rest / factor[i * n + i];
    }
}

/// Solves L' z = b in place.
fn solve_transposed_factor(factor: &[f64], b: &mut [f64]) {
    let n = b.len();
    for i in (0..n).rev() {
        b[i] /= factor[i * n + i];
        let value = b[i];
        add_multiple(&mut b[..i], -value, &factor[i * n..i * n + i]);
    }
}

/// The inverse of L L', full, row-major; `None` when the call is stopped.
fn inverse_from_factor(factor: &[f64], n: usize, watch: &dyn Watch) -> Option<Vec<f64>> {
    let mut inverse = vec![0.0; n * n];
    for (index, row) in inverse.chunks_exact_mut(n).enumerate() {
        watch.check().ok()?;
        row[index] = 1.0;
        solve_lower_factor(factor, row);
        solve_transposed_factor(factor, row);
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoWatch;

    fn observations() -> (Vec<f64>, Vec<f64>) {
        let x: Vec<f64> = (0..24).map(|i| f64::from(i * 7 % 24) / 23.0).collect();
        let y = x
            .chunks_exact(2)
            .map(|p| (4.0 * p[0]).sin() + p[1] * p[1])
            .collect();
        (x, y)
    }

    /// Central differences of the likelihood agree with its gradient.
    #[test]
    fn likelihood_gradient() {
        let (x, y) = observations();
        let data = ProcessObservations {
            x: &x,
            y: &y,
            dimension: 2,
        };
        let at = [-1.0, 0.3];
        let mut gradient = [0.0; 2];
        profile_log_likelihood(data, &at, 1e-6, &mut gradient, &NoWatch);
        for k in 0..2 {
            let side = |step: f64| {
                let mut moved = at;
                moved[k] += step;
                profile_log_likelihood(data, &moved, 1e-6, &mut [0.0; 2], &NoWatch)
            };
            let difference = (side(1e-5) - side(-1e-5)) / 2e-5;
            assert!(
                (difference - gradient[k]).abs() < 1e-4 * (1.0 + gradient[k].abs()),
                "{difference} {}",
                gradient[k]
            );
        }
    }

    #[test]
    fn prediction_gradient() {
        let (x, y) = observations();
        let process = GaussianProcess::condition(
            ProcessObservations {
                x: &x,
                y: &y,
                dimension: 2,
            },
            &[0.4, 0.9],
            1e-6,
            &NoWatch,
        )
        .unwrap();
        let at = [0.37, 0.61];
        let (prediction, mean, std) = process.predict_with_gradient(&at);
        assert_eq!(prediction, process.predict(&at));
        for k in 0..2 {
            let side = |step: f64| {
                let mut moved = at;
                moved[k] += step;
                process.predict(&moved)
            };
            let (up, down) = (side(1e-5), side(-1e-5));
            assert!(((up.mean - down.mean) / 2e-5 - mean[k]).abs() < 1e-5);
            assert!(((up.std - down.std) / 2e-5 - std[k]).abs() < 1e-5);
        }
    }

    /// With a vanishing nugget the process goes through its observations and is sure of them.
    #[test]
    fn interpolates() {
        let (x, y) = observations();
        let process = GaussianProcess::condition(
            ProcessObservations {
                x: &x,
                y: &y,
                dimension: 2,
            },
            &[0.3, 0.3],
            1e-10,
            &NoWatch,
        )
        .unwrap();
        for (point, y) in x.chunks_exact(2).zip(&y) {
            let found = process.predict(point);
            assert!(
                (found.mean - y).abs() < 1e-6 && found.std < 1e-3,
                "{found:?} {y}"
            );
        }
        let far = process.predict(&[50.0, 50.0]);
        assert!(
            (far.mean - process.mean).abs() < 1e-12
                && (far.std - process.signal_variance.sqrt()).abs() < 1e-12
        );
    }

    /// Two observations, by hand: with correlation c the weights are (y - m) / (1 - c) = +-1/(1 - c), m = 0 and
    /// s2 = 1 / (1 - c); log likelihood -(ln(2 pi s2) + 1) - ln(1 - c^2) / 2.
    #[test]
    fn two_observations_by_hand() {
        let process = GaussianProcess::condition(
            ProcessObservations {
                x: &[0.0, 1.0],
                y: &[1.0, -1.0],
                dimension: 1,
            },
            &[1.0],
            0.0,
            &NoWatch,
        )
        .unwrap();
        let c = (1.0 + SQRT_5 + 5.0 / 3.0) * (-SQRT_5).exp();
        assert!(
            process.mean.abs() < 1e-15 && (process.signal_variance - 1.0 / (1.0 - c)).abs() < 1e-14
        );
        let expected = -((2.0 * PI / (1.0 - c)).ln() + 1.0) - 0.5 * (1.0 - c * c).ln();
        assert!((process.log_likelihood - expected).abs() < 1e-14);
    }

    /// A matrix that no nugget cures is an error, not an endless loop.
    #[test]
    fn a_matrix_without_factor_is_an_error() {
        let data = ProcessObservations {
            x: &[0.0, 1.0],
            y: &[1.0, -1.0],
            dimension: 1,
        };
        let error = GaussianProcess::condition(data, &[1.0], f64::INFINITY, &NoWatch).unwrap_err();
        assert!(matches!(error, BayesError::Singular { .. }), "{error}");
    }

    #[test]
    fn repeated_points_and_constant_values_are_no_trouble() {
        let mut rng = random_streams::stream_rng(42, 0);
        let x = [0.5, 0.5, 0.5, 0.2];
        for y in [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 2.0]] {
            let process = GaussianProcess::fit(
                ProcessObservations {
                    x: &x,
                    y: &y,
                    dimension: 1,
                },
                0.0,
                None,
                &mut rng,
                &NoWatch,
            )
            .unwrap();
            let found = process.predict(&[0.5]);
            assert!((found.mean - 1.0).abs() < 1e-3 && found.std.is_finite());
        }
    }
}
