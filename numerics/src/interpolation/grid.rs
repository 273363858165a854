//! Surfaces over a rectangular grid: bilinear, or the product of cubic splines.

use super::slopes::{SplineEnd, cubic_spline_slopes};

/// A surface through `z[i * y.len() + j]` at `(x[i], y[j])`, with ascending `x` and `y` of at least two entries each.
#[derive(Debug, Clone)]
pub struct GridSurface {
    x: Vec<f64>,
    y: Vec<f64>,
    /// At each grid point value, slope along x, slope along y, and mixed derivative; the last three are zero for bilinear ones.
    knots: Vec<[f64; 4]>,
    is_cubic: bool,
}

impl GridSurface {
    /// Linear along both axes within each cell.
    pub fn linear(x: &[f64], y: &[f64], z: &[f64]) -> Self {
        let knots = z.iter().map(|&z| [z, 0.0, 0.0, 0.0]).collect();
        Self::new(x, y, knots, false)
    }

    /// The tensor product of cubic splines with not-a-knot ends: through two points a straight line, through three a parabola.
    pub fn cubic(x: &[f64], y: &[f64], z: &[f64]) -> Self {
        let ends = [SplineEnd::NotAKnot; 2];
        let columns = y.len();
        let mut knots: Vec<[f64; 4]> = z.iter().map(|&z| [z, 0.0, 0.0, 0.0]).collect();
        for row in knots.chunks_exact_mut(columns) {
            let values: Vec<f64> = row.iter().map(|knot| knot[0]).collect();
            let slopes = cubic_spline_slopes(y, &values, ends);
            row.iter_mut()
                .zip(slopes)
                .for_each(|(knot, slope)| knot[2] = slope);
        }
        for column in 0..columns {
            for (from, to) in [(0, 1), (2, 3)] {
                let values: Vec<f64> = (0..x.len())
                    .map(|i| knots[i * columns + column][from])
                    .collect();
                let slopes = cubic_spline_slopes(x, &values, ends);
                (0..x.len()).for_each(|i| knots[i * columns + column][to] = slopes[i]);
            }
        }
        Self::new(x, y, knots, true)
    }

    fn new(x: &[f64], y: &[f64], knots: Vec<[f64; 4]>, is_cubic: bool) -> Self {
        let (x, y) = (x.to_vec(), y.to_vec());
        Self {
            x,
            y,
            knots,
            is_cubic,
        }
    }

    /// The value at a place; outside the grid by the polynomial of the nearest cell.
    pub fn value(&self, x: f64, y: f64) -> f64 {
        let cell = |points: &[f64], at: f64| {
            points
                .partition_point(|&x| x <= at)
                .saturating_sub(1)
                .min(points.len() - 2)
        };
        let (i, j) = (cell(&self.x, x), cell(&self.y, y));
        let (h, k) = (self.x[i + 1] - self.x[i], self.y[j + 1] - self.y[j]);
        let (s, t) = ((x - self.x[i]) / h, (y - self.y[j]) / k);
        let knot = |a: usize, b: usize| &self.knots[(i + a) * self.y.len() + j + b];
        if !self.is_cubic {
            let along = |a: usize| knot(a, 0)[0] * (1.0 - t) + knot(a, 1)[0] * t;
            return along(0) * (1.0 - s) + along(1) * s;
        }
        let (across, up) = (hermite_basis(s, h), hermite_basis(t, k));
        let mut sum = 0.0;
        for a in 0..2 {
            for b in 0..2 {
                let [z, zx, zy, zxy] = *knot(a, b);
                let row = z * up[b] + zy * up[2 + b];
                let slope = zx * up[b] + zxy * up[2 + b];
                sum += row * across[a] + slope * across[2 + a];
            }
        }
        sum
    }
}

/// Hermite's basis at a share of an interval of a length: both values, both slopes.
fn hermite_basis(t: f64, length: f64) -> [f64; 4] {
    let (square, rest) = (t * t, 1.0 - t);
    [
        (1.0 + 2.0 * t) * rest * rest,
        square * (3.0 - 2.0 * t),
        length * t * rest * rest,
        -length * square * rest,
    ]
}
