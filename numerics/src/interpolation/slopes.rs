//! Slopes at the points, one rule for each method. `x` ascends strictly and has at least two entries.
//!
//! # References
//! C. de Boor, "A Practical Guide to Splines", Springer 2001 (splines). F. N. Fritsch and J. Butland, SIAM J. Sci. Stat. Comput. 5, 1984,
//! and C. Moler, "Numerical Computing with MATLAB", SIAM 2004 (shape-preserving slopes and their ends). H. Akima, J. ACM 17, 1970.

/// The end of a cubic spline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SplineEnd {
    /// The third derivative is continuous at the second point.
    NotAKnot,
    /// The second derivative is this.
    Second(f64),
    /// The slope is this.
    Slope(f64),
}

fn secant_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let pairs = x.windows(2).zip(y.windows(2));
    pairs.map(|(x, y)| (y[1] - y[0]) / (x[1] - x[0])).collect()
}

/// Slopes of the cubic spline: twice continuously differentiable.
pub fn cubic_spline_slopes(x: &[f64], y: &[f64], ends: [SplineEnd; 2]) -> Vec<f64> {
    let n = x.len();
    let h: Vec<f64> = x.windows(2).map(|x| x[1] - x[0]).collect();
    let m = secant_slopes(x, y);
    let ends = match (n, ends) {
        // Two points have no second piece; three have one polynomial through all.
        (2, [a, b]) => [straight_end(a, b, m[0]), straight_end(b, a, m[0])],
        (3, [SplineEnd::NotAKnot, SplineEnd::NotAKnot]) => return parabola_slopes(&h, &m),
        _ => ends,
    };
    // Rows of (below, diagonal, above, right side).
    let mut rows = vec![[0.0; 4]; n];
    for i in 1..n - 1 {
        rows[i] = [
            h[i],
            2.0 * (h[i - 1] + h[i]),
            h[i - 1],
            3.0 * (h[i] * m[i - 1] + h[i - 1] * m[i]),
        ];
    }
    rows[0] = match ends[0] {
        SplineEnd::Slope(slope) => [0.0, 1.0, 0.0, slope],
        SplineEnd::Second(second) => [
            0.0,
            2.0 * h[0],
            h[0],
            3.0 * (y[1] - y[0]) - 0.5 * second * h[0] * h[0],
        ],
        SplineEnd::NotAKnot => {
            let d = x[2] - x[0];
            [
                0.0,
                h[1],
                d,
                ((h[0] + 2.0 * d) * h[1] * m[0] + h[0] * h[0] * m[1]) / d,
            ]
        }
    };
    rows[n - 1] = match ends[1] {
        SplineEnd::Slope(slope) => [0.0, 1.0, 0.0, slope],
        SplineEnd::Second(second) => {
            let h = h[n - 2];
            [
                h,
                2.0 * h,
                0.0,
                3.0 * (y[n - 1] - y[n - 2]) + 0.5 * second * h * h,
            ]
        }
        SplineEnd::NotAKnot => {
            let (d, a, b) = (x[n - 1] - x[n - 3], h[n - 2], h[n - 3]);
            [
                d,
                b,
                0.0,
                (a * a * m[n - 3] + (2.0 * d + a) * b * m[n - 2]) / d,
            ]
        }
    };
    solve_tridiagonal(rows)
}

/// The end of a spline through two points: not a knot says no more than the straight line.
fn straight_end(end: SplineEnd, other: SplineEnd, secant: f64) -> SplineEnd {
    match (end, other) {
        (SplineEnd::NotAKnot, SplineEnd::NotAKnot) => SplineEnd::Slope(secant),
        (SplineEnd::NotAKnot, _) => SplineEnd::Second(0.0),
        _ => end,
    }
}

fn parabola_slopes(h: &[f64], m: &[f64]) -> Vec<f64> {
    let bend = (m[1] - m[0]) / (h[0] + h[1]);
    vec![m[0] - h[0] * bend, m[0] + h[0] * bend, m[1] + h[1] * bend]
}

/// Slopes of the spline whose ends meet with equal first and second derivatives; the last value is that of the first point.
pub fn periodic_spline(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    if n == 2 {
        return vec![0.0; 2];
    }
    let h: Vec<f64> = x.windows(2).map(|x| x[1] - x[0]).collect();
    let m = secant_slopes(x, y);
    // Unknowns: the slopes at the first n - 1 points; the corners of the cyclic system are split off (Sherman and Morrison).
    let k = n - 1;
    let before = |i: usize| (i + k - 1) % k;
    let row = |i: usize| {
        let j = before(i);
        [
            h[i],
            2.0 * (h[j] + h[i]),
            h[j],
            3.0 * (h[i] * m[j] + h[j] * m[i]),
        ]
    };
    let mut rows: Vec<[f64; 4]> = (0..k).map(row).collect();
    if k == 2 {
        // Both neighbours are the other point.
        let [a, b] = [rows[0], rows[1]];
        let (p, q) = (a[0] + a[2], b[0] + b[2]);
        let determinant = a[1] * b[1] - p * q;
        let s = (a[3] * b[1] - p * b[3]) / determinant;
        let t = (a[1] * b[3] - q * a[3]) / determinant;
        return vec![s, t, s];
    }
    let (corner, opposite) = (rows[0][0], rows[k - 1][2]);
    let gamma = -rows[0][1];
    rows[0][1] -= gamma;
    rows[k - 1][1] -= corner * opposite / gamma;
    let mut side = rows.clone();
    side.iter_mut().for_each(|row| row[3] = 0.0);
    side[0][3] = gamma;
    side[k - 1][3] = opposite;
    let (z, u) = (solve_tridiagonal(rows), solve_tridiagonal(side));
    let share = corner / gamma;
    let factor = (z[0] + share * z[k - 1]) / (1.0 + u[0] + share * u[k - 1]);
    let mut slopes: Vec<f64> = z.iter().zip(&u).map(|(z, u)| z - factor * u).collect();
    slopes.push(slopes[0]);
    slopes
}

/// Solves rows of (below, diagonal, above, right side), with exchanges of neighbouring rows.
fn solve_tridiagonal(mut rows: Vec<[f64; 4]>) -> Vec<f64> {
    let n = rows.len();
    let mut second = vec![0.0; n]; // two places above the diagonal
    for i in 0..n - 1 {
        let below = rows[i + 1][0];
        if rows[i][1].abs() >= below.abs() {
            let factor = below / rows[i][1];
            rows[i + 1][1] -= factor * rows[i][2];
            rows[i + 1][3] -= factor * rows[i][3];
        } else {
            let factor = rows[i][1] / below;
            let [_, diagonal, above, right] = rows[i + 1];
            let [_, _, own, own_right] = rows[i];
            second[i] = above;
            rows[i + 1] = [
                0.0,
                own - factor * diagonal,
                -factor * above,
                own_right - factor * right,
            ];
            rows[i] = [0.0, below, diagonal, right];
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let mut sum = rows[i][3];
        if i + 1 < n {
            sum -= rows[i][2] * x[i + 1];
        }
        if i + 2 < n {
            sum -= second[i] * x[i + 2];
        }
        x[i] = sum / rows[i][1];
    }
    x
}

/// Slopes that keep the shape: between two points the curve rises or falls as they do.
pub fn shape_preserving_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let m = secant_slopes(x, y);
    if m.len() == 1 {
        return vec![m[0]; 2];
    }
    let h: Vec<f64> = x.windows(2).map(|x| x[1] - x[0]).collect();
    let end = |h: [f64; 2], m: [f64; 2]| {
        let slope = ((2.0 * h[0] + h[1]) * m[0] - h[0] * m[1]) / (h[0] + h[1]);
        if sign_of_slope(slope) != sign_of_slope(m[0]) {
            0.0
        } else if sign_of_slope(m[0]) != sign_of_slope(m[1]) && slope.abs() > 3.0 * m[0].abs() {
            3.0 * m[0]
        } else {
            slope
        }
    };
    let k = m.len();
    let inner = (1..k).map(|i| {
        if sign_of_slope(m[i - 1]) != sign_of_slope(m[i]) || m[i] == 0.0 || m[i - 1] == 0.0 {
            return 0.0;
        }
        let (a, b) = (2.0 * h[i] + h[i - 1], h[i] + 2.0 * h[i - 1]);
        let mean = (a / m[i - 1] + b / m[i]) / (a + b);
        1.0 / mean
    });
    std::iter::once(end([h[0], h[1]], [m[0], m[1]]))
        .chain(inner)
        .chain([end([h[k - 1], h[k - 2]], [m[k - 1], m[k - 2]])])
        .collect()
}

fn sign_of_slope(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

/// Akima's slopes; `is_modified` weighs by sums of neighbouring secants too, which avoids overshoot at flat places.
pub fn akima_slopes(x: &[f64], y: &[f64], is_modified: bool) -> Vec<f64> {
    /// Weights of this share of the secants around count as none.
    const NONE: f64 = 1e-9;
    let inner = secant_slopes(x, y);
    if inner.len() == 1 {
        return vec![inner[0]; 2];
    }
    let n = x.len();
    let k = inner.len();
    let (a, b) = (2.0 * inner[0] - inner[1], 2.0 * inner[k - 1] - inner[k - 2]);
    let mut m = vec![2.0 * a - inner[0], a];
    m.extend_from_slice(&inner);
    m.extend([b, 2.0 * b - inner[k - 1]]);
    let weight = |i: usize| {
        let difference = (m[i + 1] - m[i]).abs();
        if is_modified {
            difference + 0.5 * (m[i + 1] + m[i]).abs()
        } else {
            difference
        }
    };
    let pair = |i: usize| (weight(i + 2), weight(i));
    (0..n)
        .map(|i| {
            let (f1, f2) = pair(i);
            let sum = f1 + f2;
            let around = m[i..i + 4]
                .iter()
                .fold(0.0_f64, |most, m| most.max(m.abs()));
            if sum > NONE * around {
                m[i + 1] + f2 / sum * (m[i + 2] - m[i + 1])
            } else {
                0.5 * (m[i + 3] + m[i])
            }
        })
        .collect()
}
