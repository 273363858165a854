//! Windows, periodic as spectra need them: `window(n)` is the first n of the n + 1 values of the symmetric one (SciPy's `fftbins=True`).

use std::f64::consts::PI;

use crate::special::bessel_i0;

/// Weights of the samples before a transform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WindowFunction {
    /// All weights 1.
    None,
    /// 0.5 - 0.5 cos.
    Hann,
    /// 0.54 - 0.46 cos.
    Hamming,
    /// 0.42 - 0.5 cos + 0.08 cos 2.
    Blackman,
    /// Five cosines; amplitudes between two frequencies of the grid are right to 0.1 %.
    FlatTop,
    /// Bessel function of shape beta, from 0 to 700 (beyond that it overflows).
    Kaiser(f64),
    /// Flat, with cosine tapers that take the share alpha, from 0 to 1.
    Tukey(f64),
}

impl WindowFunction {
    /// The n weights.
    ///
    /// # References
    /// F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", Proc. IEEE 66, 1978; the flat top of
    /// G. D'Antona, A. Ferrero, "Digital Signal Processing for Measurement Systems", Springer 2006.
    pub fn weights(self, n: usize) -> Vec<f64> {
        if n == 1 {
            return vec![1.0];
        }
        let cosines = |terms: &[f64]| {
            let value = |j: usize| {
                let angle = 2.0 * PI * j as f64 / n as f64;
                let terms = terms.iter().enumerate();
                terms
                    .map(|(k, a)| a * libm::cos(k as f64 * (angle - PI)))
                    .sum()
            };
            (0..n).map(value).collect()
        };
        match self {
            Self::None => vec![1.0; n],
            Self::Hann => cosines(&[0.5, 0.5]),
            Self::Hamming => cosines(&[0.54, 0.46]),
            Self::Blackman => cosines(&[0.42, 0.5, 0.08]),
            Self::FlatTop => cosines(&[
                0.21557895,
                0.41663158,
                0.277263158,
                0.083578947,
                0.006947368,
            ]),
            Self::Kaiser(beta) => {
                let whole = bessel_i0(beta);
                let value = |j: usize| {
                    let x = 2.0 * j as f64 / n as f64 - 1.0;
                    bessel_i0(beta * (1.0 - x * x).max(0.0).sqrt()) / whole
                };
                (0..n).map(value).collect()
            }
            Self::Tukey(alpha) => {
                let taper = alpha * n as f64 / 2.0;
                let value = |j: usize| {
                    let from_end = (j as f64).min((n - j) as f64);
                    if from_end >= taper {
                        1.0
                    } else {
                        0.5 * (1.0 + libm::cos(PI * (from_end / taper - 1.0)))
                    }
                };
                (0..n).map(value).collect()
            }
        }
    }
}
