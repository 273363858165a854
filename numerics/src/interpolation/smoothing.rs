//! Smoothing splines: natural cubic splines that weigh closeness against bending.
//!
//! The curve f minimises `sum w (y - f(x))^2 + lambda * integral f''^2`. Reinsch's algorithm solves a system of five bands for the second
//! derivatives; its inverse near the diagonal gives the trace of the influence matrix for generalised cross-validation.
//!
//! # References
//! C. H. Reinsch, Numer. Math. 10, 1967. P. Craven and G. Wahba, Numer. Math. 31, 1979. M. F. Hutchinson and F. R. de Hoog, Numer. Math. 47,
//! 1985. P. J. Green and B. W. Silverman, "Nonparametric Regression and Generalized Linear Models", Chapman and Hall 1994.

use super::PiecewiseCubic;
use crate::watch::{Interruption, Watch};

/// A smoothing spline.
#[derive(Debug, Clone)]
pub struct SmoothingSpline {
    /// The curve.
    pub curve: PiecewiseCubic,
    /// Its values at the points.
    pub fitted: Vec<f64>,
    /// Trace of the influence matrix: 2 for a straight line, the number of points for interpolation.
    pub degrees_of_freedom: f64,
    /// Score of generalised cross-validation.
    pub score: f64,
}

/// The rows of a symmetric matrix of five bands: diagonal, first and second band above.
type Bands = Vec<[f64; 3]>;

/// What does not depend on lambda.
#[derive(Debug)]
pub struct SmoothingEquations<'a> {
    x: &'a [f64],
    y: &'a [f64],
    w: &'a [f64],
    /// The matrix of the integrals.
    r: Bands,
    /// `Q' W^-1 Q`.
    q: Bands,
    /// `Q' y`.
    right: Vec<f64>,
}

impl<'a> SmoothingEquations<'a> {
    /// At least three points with positive weights.
    pub fn new(x: &'a [f64], y: &'a [f64], w: &'a [f64]) -> Self {
        let k = x.len() - 2;
        let h: Vec<f64> = x.windows(2).map(|x| x[1] - x[0]).collect();
        let column = |j: usize| {
            let (a, c) = (1.0 / h[j], 1.0 / h[j + 1]);
            [a, -a - c, c]
        };
        let product = |i: usize, j: usize| {
            // Columns i and j >= i of Q overlap in rows j to i + 2.
            let (a, b) = (column(i), column(j));
            (j..=i + 2)
                .map(|row| a[row - i] * b[row - j] / w[row])
                .sum::<f64>()
        };
        let band = |i: usize, offset: usize| {
            if i + offset < k {
                product(i, i + offset)
            } else {
                0.0
            }
        };
        let q = (0..k)
            .map(|i| [band(i, 0), band(i, 1), band(i, 2)])
            .collect();
        let r = (0..k)
            .map(|i| {
                [
                    (h[i] + h[i + 1]) / 3.0,
                    if i + 1 < k { h[i + 1] / 6.0 } else { 0.0 },
                    0.0,
                ]
            })
            .collect();
        let right = (0..k)
            .map(|i| (y[i + 2] - y[i + 1]) / h[i + 1] - (y[i + 1] - y[i]) / h[i])
            .collect();
        Self {
            x,
            y,
            w,
            r,
            q,
            right,
        }
    }

    /// The ratio of the traces of the two matrices: the size of lambda at which both count alike.
    pub fn scale(&self) -> f64 {
        let trace = |bands: &Bands| bands.iter().map(|row| row[0]).sum::<f64>();
        trace(&self.r) / trace(&self.q)
    }

    /// The spline for `lambda >= 0`.
    pub fn fit(&self, lambda: f64) -> SmoothingSpline {
        let n = self.x.len();
        let k = n - 2;
        let sum = |i: usize| std::array::from_fn(|band| self.r[i][band] + lambda * self.q[i][band]);
        let factor = factorise_bands((0..k).map(sum).collect());
        let inner = solve_banded(&factor, &self.right);
        let mut second = vec![0.0; n];
        second[1..=k].copy_from_slice(&inner);
        let h = |i: usize| self.x[i + 1] - self.x[i];
        let bend = |i: usize| (second[i + 1] - second[i]) / h(i);
        let (mut fitted, mut rss) = (Vec::with_capacity(n), 0.0);
        for i in 0..n {
            // (Q gamma)_i: the difference of the slopes of the second derivative.
            let right = if i + 1 < n { bend(i) } else { 0.0 };
            let left = if i > 0 { bend(i - 1) } else { 0.0 };
            let off = lambda * (right - left) / self.w[i];
            rss += self.w[i] * off * off;
            fitted.push(self.y[i] - off);
        }
        let central = inverse_bands(&factor);
        let trace: f64 = (0..k)
            .map(|i| {
                let (q, c) = (&self.q[i], &central[i]);
                q[0] * c[0] + 2.0 * (q[1] * c[1] + q[2] * c[2])
            })
            .sum();
        let rest = lambda * trace;
        let count = n as f64;
        SmoothingSpline {
            curve: PiecewiseCubic::from_curvatures(self.x, &fitted, &second),
            fitted,
            degrees_of_freedom: count - rest,
            score: if rest > 0.0 {
                rss / count / (rest / count).powi(2)
            } else {
                f64::INFINITY
            },
        }
    }

    /// The lambda with the lowest score: the best of a grid of powers over 24 decades around [`SmoothingEquations::scale`], then golden sections.
    ///
    /// # Errors
    /// [`Interruption::Stopped`]; the caller is asked before each fit.
    pub fn best(&self, watch: &dyn Watch) -> Result<f64, Interruption> {
        const GRID: i32 = 48;
        const SECTIONS: usize = 60;
        let scale = self.scale();
        let score = |log: f64| {
            watch.check()?;
            Ok::<f64, Interruption>(self.fit(scale * libm::exp10(log)).score)
        };
        let mut best = (f64::INFINITY, 0.0);
        for step in -GRID..=GRID {
            let log = f64::from(step) / 4.0;
            let found = score(log)?;
            if found < best.0 {
                best = (found, log);
            }
        }
        let golden = (5f64.sqrt() - 1.0) / 2.0;
        let (mut low, mut high) = (best.1 - 0.25, best.1 + 0.25);
        let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
        let (mut at_a, mut at_b) = (score(a)?, score(b)?);
        for _ in 0..SECTIONS {
            if high - low < 1e-9 {
                break;
            }
            if at_a <= at_b {
                (high, b, at_b) = (b, a, at_a);
                a = high - golden * (high - low);
                at_a = score(a)?;
            } else {
                (low, a, at_a) = (a, b, at_b);
                b = low + golden * (high - low);
                at_b = score(b)?;
            }
        }
        let found = if at_a <= at_b { (at_a, a) } else { (at_b, b) };
        let log = if found.0 <= best.0 { found.1 } else { best.1 };
        Ok(scale * libm::exp10(log))
    }
}

/// `L D L'`: rows of D and the two bands below the diagonal of L, in the columns.
fn factorise_bands(mut a: Bands) -> Bands {
    for i in 0..a.len() {
        let [d, e, f] = a[i];
        let (first, second) = (e / d, f / d);
        if i + 1 < a.len() {
            a[i + 1][0] -= first * e;
            a[i + 1][1] -= first * f;
        }
        if i + 2 < a.len() {
            a[i + 2][0] -= second * f;
        }
        a[i] = [d, first, second];
    }
    a
}

fn solve_banded(factor: &Bands, right: &[f64]) -> Vec<f64> {
    let k = factor.len();
    let mut x = right.to_vec();
    for i in 0..k {
        if i + 1 < k {
            x[i + 1] -= factor[i][1] * x[i];
        }
        if i + 2 < k {
            x[i + 2] -= factor[i][2] * x[i];
        }
    }
    for i in (0..k).rev() {
        x[i] /= factor[i][0];
        if i + 1 < k {
            x[i] -= factor[i][1] * x[i + 1];
        }
        if i + 2 < k {
            x[i] -= factor[i][2] * x[i + 2];
        }
    }
    x
}

/// The five central bands of the inverse (Hutchinson and de Hoog).
fn inverse_bands(factor: &Bands) -> Bands {
    let k = factor.len();
    let mut c: Bands = vec![[0.0; 3]; k];
    for i in (0..k).rev() {
        let [d, l1, l2] = factor[i];
        let next = c.get(i + 1).copied().unwrap_or_default();
        let after = c.get(i + 2).copied().unwrap_or_default();
        let first = -l1 * next[0] - l2 * next[1];
        let second = -l1 * next[1] - l2 * after[0];
        c[i] = [1.0 / d - l1 * first - l2 * second, first, second];
    }
    c
}
