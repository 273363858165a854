//! Derivatives of sampled functions with estimates of their errors, by comparison of rules.

use super::samples::{difference_derivatives, difference_weights, spline_slopes, stencil_size};

/// Derivatives at samples.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledDerivatives {
    /// The derivative at each sample.
    pub values: Vec<f64>,
    /// An estimate of the error of each: the difference from another rule, the largest of a sample and its neighbours.
    pub errors: Vec<f64>,
}

/// Derivatives of an order from the polynomials through the nearest samples, of an even order of accuracy from 2; at least
/// [`stencil_size`] samples at strictly ascending places.
///
/// ```
/// let found = numerics::quadrature::differentiate_samples(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 4.0, 9.0], 1, 2);
/// assert_eq!(found.values, [0.0, 2.0, 4.0, 6.0]);
/// ```
pub fn differentiate_samples(
    x: &[f64],
    y: &[f64],
    order: usize,
    accuracy: usize,
) -> SampledDerivatives {
    let values = difference_derivatives(x, y, order, accuracy);
    // One accuracy below; of the lowest, the nearest `order + 1` samples alone.
    let lower = if accuracy > 2 {
        difference_derivatives(x, y, order, accuracy - 2)
    } else {
        one_sided_derivatives(x, y, order)
    };
    let errors = largest_neighbour_differences(&values, &lower);
    SampledDerivatives { values, errors }
}

/// Derivatives of order 1 or 2 of the cubic spline with the ends "not a knot", of at least 4 samples.
pub fn differentiate_spline(x: &[f64], y: &[f64], order: usize) -> SampledDerivatives {
    let slopes = spline_slopes(x, y);
    let values: Vec<f64> = if order == 1 {
        slopes
    } else {
        let bend = |index: usize| {
            // From the interval on the right, at the end from that on the left.
            let (a, b) = if index + 1 < x.len() {
                (index, index + 1)
            } else {
                (index, index - 1)
            };
            let step = x[b] - x[a];
            (6.0 * (y[b] - y[a]) / step - 4.0 * slopes[a] - 2.0 * slopes[b]) / step
        };
        (0..x.len()).map(bend).collect()
    };
    let accuracy = if x.len() >= stencil_size(order, 4) {
        4
    } else {
        1
    };
    let other = difference_derivatives(x, y, order, accuracy);
    let errors = largest_neighbour_differences(&values, &other);
    SampledDerivatives { values, errors }
}

/// Derivatives from `order + 1` samples, one side first.
fn one_sided_derivatives(x: &[f64], y: &[f64], order: usize) -> Vec<f64> {
    let one = |index: usize| {
        let first = index.min(x.len() - order - 1);
        let places = &x[first..=first + order];
        let weights = difference_weights(x[index], places, order);
        weights.iter().zip(&y[first..]).map(|(w, y)| w * y).sum()
    };
    (0..x.len()).map(one).collect()
}

/// Differences of two rules, the largest of each sample and its neighbours: one alone may be small by chance.
fn largest_neighbour_differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    let apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect();
    let around = |index: usize| index.saturating_sub(1)..(index + 2).min(apart.len());
    let most = |index: usize| apart[around(index)].iter().copied().fold(0.0, f64::max);
    (0..apart.len()).map(most).collect()
}
