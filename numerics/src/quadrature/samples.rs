//! Samples of a function: integrals of each interval, and derivatives at the samples.
//!
//! Places are strictly ascending, values as many. Nothing is checked here.

/// Integrals of the intervals by trapezia.
pub fn trapezoid_integrals(x: &[f64], y: &[f64]) -> Vec<f64> {
    let pairs = x.windows(2).zip(y.windows(2));
    pairs
        .map(|(x, y)| (x[1] - x[0]) * (y[0] / 2.0 + y[1] / 2.0))
        .collect()
}

/// Integrals of the intervals by parabolas through three neighbours: two intervals share one, and of an odd number of intervals the last
/// takes that through the last three samples. At least three samples.
///
/// # References
/// K. V. Cartwright, "Simpson's rule cumulative integration with MS Excel and irregularly-spaced data", Journal of Mathematical
/// Sciences and Mathematics Education 12, 2017: the rule of `scipy.integrate.simpson`.
pub fn simpson_integrals(x: &[f64], y: &[f64]) -> Vec<f64> {
    let intervals = x.len() - 1;
    let first = |a: usize, b: usize, c: usize| {
        let (near, far) = ((x[b] - x[a]).abs(), (x[c] - x[b]).abs());
        let (of_both, of_far) = (near / (near + far), near / far);
        let last = of_both * of_far;
        near / 6.0 * ((3.0 - of_both) * y[a] + (3.0 + last + of_both) * y[b] - last * y[c])
    };
    let one = |index: usize| {
        if index.is_multiple_of(2) && index + 1 < intervals {
            first(index, index + 1, index + 2)
        } else {
            first(index + 1, index, index - 1)
        }
    };
    (0..intervals).map(one).collect()
}

/// Integrals of the intervals of the cubic with these values and slopes at the samples.
pub fn hermite_integrals(x: &[f64], y: &[f64], slopes: &[f64]) -> Vec<f64> {
    let one = |index: usize| {
        let step = x[index + 1] - x[index];
        let mean = y[index] / 2.0 + y[index + 1] / 2.0;
        step * (mean + step / 12.0 * (slopes[index] - slopes[index + 1]))
    };
    (0..x.len() - 1).map(one).collect()
}

/// Slopes of the cubic spline with continuous second derivatives, whose third derivative is continuous at the second and the last but one
/// sample too ("not a knot"); of two samples the line, of three the parabola. At least two samples.
///
/// # References
/// C. de Boor, "A Practical Guide to Splines", Springer 1978, chapter IV.
pub fn spline_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let step: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let secant: Vec<f64> = (0..n - 1).map(|i| (y[i + 1] - y[i]) / step[i]).collect();
    if n == 2 {
        return vec![secant[0]; 2];
    }
    if n == 3 {
        let bend = (secant[1] - secant[0]) / (step[0] + step[1]);
        return vec![
            secant[0] - bend * step[0],
            secant[0] + bend * step[0],
            secant[1] + bend * step[1],
        ];
    }
    // Rows of (below, diagonal, above | right side).
    let mut rows: Vec<[f64; 4]> = Vec::with_capacity(n);
    let end = |near: usize, next: usize| {
        let (a, b) = (step[near], step[next]);
        let right = ((a + 2.0 * (a + b)) * b * secant[near] + a * a * secant[next]) / (a + b);
        (b, a + b, right)
    };
    let (diagonal, beside, right) = end(0, 1);
    rows.push([0.0, diagonal, beside, right]);
    for i in 1..n - 1 {
        let right = 3.0 * (step[i] * secant[i - 1] + step[i - 1] * secant[i]);
        rows.push([step[i], 2.0 * (step[i - 1] + step[i]), step[i - 1], right]);
    }
    let (diagonal, beside, right) = end(n - 2, n - 3);
    rows.push([beside, diagonal, 0.0, right]);
    for i in 1..n {
        let factor = rows[i][0] / rows[i - 1][1];
        rows[i][1] -= factor * rows[i - 1][2];
        rows[i][3] -= factor * rows[i - 1][3];
    }
    let mut slopes = vec![0.0; n];
    for i in (0..n).rev() {
        let above = if i + 1 < n {
            rows[i][2] * slopes[i + 1]
        } else {
            0.0
        };
        slopes[i] = (rows[i][3] - above) / rows[i][1];
    }
    slopes
}

/// Slopes of the cubic that is monotone where the samples are. At least two samples.
///
/// # References
/// F. N. Fritsch, J. Butland, "A method for constructing local monotone piecewise cubic interpolants", SIAM J. Sci. Stat. Comput. 5, 1984;
/// C. Moler, "Numerical Computing with MATLAB", SIAM 2004, for the ends.
pub fn pchip_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let step: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let secant: Vec<f64> = (0..n - 1).map(|i| (y[i + 1] - y[i]) / step[i]).collect();
    if n == 2 {
        return vec![secant[0]; 2];
    }
    let end = |near: usize, next: usize| {
        let (h, g, d, e) = (step[near], step[next], secant[near], secant[next]);
        let slope = ((2.0 * h + g) * d - h * e) / (h + g);
        if slope * d <= 0.0 {
            0.0
        } else if d * e < 0.0 && slope.abs() > 3.0 * d.abs() {
            3.0 * d
        } else {
            slope
        }
    };
    let inner = |i: usize| {
        let (a, b) = (secant[i - 1], secant[i]);
        if a * b <= 0.0 {
            return 0.0;
        }
        let (left, right) = (2.0 * step[i] + step[i - 1], step[i] + 2.0 * step[i - 1]);
        (left + right) / (left / a + right / b)
    };
    let mut slopes = vec![end(0, 1)];
    slopes.extend((1..n - 1).map(inner));
    slopes.push(end(n - 2, n - 3));
    slopes
}

/// Weights of the values at `places` in the derivative of an order at `at`, of the polynomial through them.
///
/// # References
/// B. Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", Mathematics of Computation 51, 1988.
pub fn difference_weights(at: f64, places: &[f64], order: usize) -> Vec<f64> {
    let n = places.len();
    let mut weights = vec![vec![0.0; order + 1]; n];
    weights[0][0] = 1.0;
    let mut product = 1.0;
    for i in 1..n {
        let before = product;
        product = 1.0;
        let highest = order.min(i);
        for j in 0..i {
            let distance = places[i] - places[j];
            product *= distance;
            if j == i - 1 {
                for k in (0..=highest).rev() {
                    let lower = if k > 0 {
                        k as f64 * weights[i - 1][k - 1]
                    } else {
                        0.0
                    };
                    weights[i][k] =
                        before / product * (lower - (places[i - 1] - at) * weights[i - 1][k]);
                }
            }
            for k in (0..=highest).rev() {
                let lower = if k > 0 {
                    k as f64 * weights[j][k - 1]
                } else {
                    0.0
                };
                weights[j][k] = ((places[i] - at) * weights[j][k] - lower) / distance;
            }
        }
    }
    weights.into_iter().map(|row| row[order]).collect()
}

/// Derivatives of an order at every sample, from the nearest `order + accuracy` samples (rounded up to an odd number inside, so that the
/// middle one is the place). At least that many samples.
pub fn difference_derivatives(x: &[f64], y: &[f64], order: usize, accuracy: usize) -> Vec<f64> {
    let width = stencil_size(order, accuracy);
    let one = |index: usize| {
        let first = index.saturating_sub(width / 2).min(x.len() - width);
        let places = &x[first..first + width];
        let weights = difference_weights(x[index], places, order);
        weights.iter().zip(&y[first..]).map(|(w, y)| w * y).sum()
    };
    (0..x.len()).map(one).collect()
}

/// Samples that a derivative of an order takes at an accuracy.
pub fn stencil_size(order: usize, accuracy: usize) -> usize {
    order + accuracy + (order + accuracy + 1) % 2
}

/// Derivatives of an order at every sample of the polynomial that fits a window of `width` samples best, and the standard deviation of
/// the residuals of all fits; a window at an end is not centred. `width` is odd and above `degree`, which is at least `order`.
///
/// # References
/// A. Savitzky, M. J. E. Golay, "Smoothing and differentiation of data by simplified least squares procedures", Analytical Chemistry 36,
/// 1964; here with orthogonal polynomials, for any spacing.
pub fn savitzky_golay(
    x: &[f64],
    y: &[f64],
    order: usize,
    width: usize,
    degree: usize,
) -> (Vec<f64>, Vec<f64>) {
    let mut derivatives = Vec::with_capacity(x.len());
    let mut errors = Vec::with_capacity(x.len());
    for (index, &at) in x.iter().enumerate() {
        let first = index.saturating_sub(width / 2).min(x.len() - width);
        let (derivative, error) = fitted_derivative(
            at,
            &x[first..first + width],
            &y[first..first + width],
            order,
            degree,
        );
        derivatives.push(derivative);
        errors.push(error);
    }
    (derivatives, errors)
}

/// The derivative of the fit of one window, and its standard error from the residuals.
fn fitted_derivative(at: f64, x: &[f64], y: &[f64], order: usize, degree: usize) -> (f64, f64) {
    let scale = (x[x.len() - 1] - x[0]) / 2.0;
    let t: Vec<f64> = x.iter().map(|x| (x - at) / scale).collect();
    // Polynomials that are orthonormal over the window, by their values there and their Taylor coefficients at `at`.
    let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for power in 0..=degree {
        let mut values: Vec<f64> = t.iter().map(|t| t.powi(power as i32)).collect();
        let mut taylor = vec![0.0; degree + 1];
        taylor[power] = 1.0;
        for _ in 0..2 {
            for (others, of_others) in &basis {
                let part: f64 = values.iter().zip(others).map(|(a, b)| a * b).sum();
                values
                    .iter_mut()
                    .zip(others)
                    .for_each(|(a, b)| *a -= part * b);
                taylor
                    .iter_mut()
                    .zip(of_others)
                    .for_each(|(a, b)| *a -= part * b);
            }
        }
        let norm = values.iter().map(|value| value * value).sum::<f64>().sqrt();
        values.iter_mut().for_each(|value| *value /= norm);
        taylor.iter_mut().for_each(|value| *value /= norm);
        basis.push((values, taylor));
    }
    let mut rest = y.to_vec();
    let (mut derivative, mut variance) = (0.0, 0.0);
    for (values, taylor) in &basis {
        let part: f64 = rest.iter().zip(values).map(|(a, b)| a * b).sum();
        rest.iter_mut()
            .zip(values)
            .for_each(|(a, b)| *a -= part * b);
        derivative += part * taylor[order];
        variance += taylor[order] * taylor[order];
    }
    let factor = (1..=order).map(|k| k as f64 / scale).product::<f64>();
    let free = (x.len() - degree - 1).max(1) as f64;
    let spread = (rest.iter().map(|r| r * r).sum::<f64>() / free).sqrt();
    (derivative * factor, spread * variance.sqrt() * factor)
}
