//! [`PiecewiseCubic`]: a cubic polynomial between each two neighbouring points.

/// What a curve is outside its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extrapolation {
    /// The polynomial of the first or last piece.
    Extend,
    /// The value at the end.
    Constant,
    /// Not a number.
    Nan,
    /// That of the place inside which is a whole number of periods away.
    Periodic,
}

/// A curve of cubic pieces. Piece `i` is `c[0] + d (c[1] + d (c[2] + d c[3]))` with `d = x - x[i]`.
#[derive(Debug, Clone, PartialEq)]
pub struct PiecewiseCubic {
    x: Vec<f64>,
    pieces: Vec<[f64; 4]>,
    /// The integral from the first point to each point.
    integrals: Vec<f64>,
}

impl PiecewiseCubic {
    /// The curve with these values and slopes at ascending points, at least two.
    pub fn hermite(x: &[f64], y: &[f64], slopes: &[f64]) -> Self {
        let pieces = (0..x.len() - 1).map(|i| {
            let h = x[i + 1] - x[i];
            let secant = (y[i + 1] - y[i]) / h;
            let t = (slopes[i] + slopes[i + 1] - 2.0 * secant) / h;
            [y[i], slopes[i], (secant - slopes[i]) / h - t, t / h]
        });
        Self::new(x, pieces.collect())
    }

    /// Straight lines through the points.
    pub fn linear(x: &[f64], y: &[f64]) -> Self {
        let slope = |i: usize| (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
        let pieces = (0..x.len() - 1).map(|i| [y[i], slope(i), 0.0, 0.0]);
        Self::new(x, pieces.collect())
    }

    /// From values and second derivatives at the points.
    pub fn from_curvatures(x: &[f64], y: &[f64], second: &[f64]) -> Self {
        let pieces = (0..x.len() - 1).map(|i| {
            let h = x[i + 1] - x[i];
            let slope = (y[i + 1] - y[i]) / h - h * (2.0 * second[i] + second[i + 1]) / 6.0;
            [
                y[i],
                slope,
                second[i] / 2.0,
                (second[i + 1] - second[i]) / (6.0 * h),
            ]
        });
        Self::new(x, pieces.collect())
    }

    fn new(x: &[f64], pieces: Vec<[f64; 4]>) -> Self {
        let mut total = 0.0;
        let mut integrals = vec![0.0];
        for (i, piece) in pieces.iter().enumerate() {
            total += piece_antiderivative(piece, x[i + 1] - x[i]);
            integrals.push(total);
        }
        let x = x.to_vec();
        Self {
            x,
            pieces,
            integrals,
        }
    }

    /// First and last point.
    pub fn ends(&self) -> (f64, f64) {
        (self.x[0], self.x[self.x.len() - 1])
    }

    /// The coefficients of each piece.
    pub fn pieces(&self) -> &[[f64; 4]] {
        &self.pieces
    }

    /// The values at places, or derivatives of the order; order -1 is the integral from the first point. Quick where places that
    /// follow each other are near.
    pub fn evaluate(&self, at: &[f64], order: i32, outside: Extrapolation, out: &mut [f64]) {
        let (low, high) = self.ends();
        let mut piece = 0;
        for (&t, value) in at.iter().zip(out) {
            let is_outside = !(low..=high).contains(&t);
            *value = if !is_outside {
                piece = self.piece_of(t, piece);
                self.value(piece, t, order)
            } else {
                self.beyond(t, order, outside)
            };
        }
    }

    /// The last piece that begins at or before a place inside; `near` is where it may be.
    fn piece_of(&self, t: f64, near: usize) -> usize {
        let last = self.pieces.len() - 1;
        let within = |piece: usize| self.x[piece] <= t && (piece == last || t < self.x[piece + 1]);
        if within(near) {
            return near;
        }
        if near < last && within(near + 1) {
            return near + 1;
        }
        self.x
            .partition_point(|&x| x <= t)
            .saturating_sub(1)
            .min(last)
    }

    fn value(&self, piece: usize, t: f64, order: i32) -> f64 {
        let c = &self.pieces[piece];
        let d = t - self.x[piece];
        if d == self.x[piece + 1] - self.x[piece] && order == 0 && piece + 1 < self.pieces.len() {
            return self.pieces[piece + 1][0];
        }
        match order {
            -1 => self.integrals[piece] + piece_antiderivative(c, d),
            0 => c[0] + d * (c[1] + d * (c[2] + d * c[3])),
            1 => c[1] + d * (2.0 * c[2] + 3.0 * d * c[3]),
            2 => 2.0 * c[2] + 6.0 * d * c[3],
            3 => 6.0 * c[3],
            _ => 0.0,
        }
    }

    fn beyond(&self, t: f64, order: i32, outside: Extrapolation) -> f64 {
        let (low, high) = self.ends();
        let last = self.pieces.len() - 1;
        let (piece, end) = if t < low { (0, low) } else { (last, high) };
        match outside {
            Extrapolation::Nan => f64::NAN,
            Extrapolation::Extend => self.value(piece, t, order),
            Extrapolation::Constant => match order {
                -1 => self.value(piece, end, -1) + (t - end) * self.value(piece, end, 0),
                0 => self.value(piece, end, 0),
                _ => 0.0,
            },
            Extrapolation::Periodic => {
                let period = high - low;
                let periods = ((t - low) / period).floor();
                let inside = (t - periods * period).clamp(low, high);
                let piece = self.piece_of(inside, 0);
                let value = self.value(piece, inside, order);
                match order {
                    -1 => value + periods * self.integrals[self.pieces.len()],
                    _ => value,
                }
            }
        }
    }
}

fn piece_antiderivative(c: &[f64; 4], d: f64) -> f64 {
    d * (c[0] + d * (c[1] / 2.0 + d * (c[2] / 3.0 + d * (c[3] / 4.0))))
}
