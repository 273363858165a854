//! Householder QR of a tall matrix with few columns, and the damped problems that its triangle solves.

/// The triangle of J = Q R, column by column, and the first entries of -Q' r.
pub struct JacobianQr {
    /// `triangle[j][i]` is row i of column j.
    triangle: Vec<Vec<f64>>,
    target: Vec<f64>,
}

impl JacobianQr {
    /// Factors the columns of J; `residuals` is r.
    pub fn new(mut columns: Vec<Vec<f64>>, residuals: &[f64]) -> Self {
        let mut target: Vec<f64> = residuals.iter().map(|value| -value).collect();
        let n = columns.len();
        for step in 0..n.min(target.len()) {
            let (done, rest) = columns.split_at_mut(step + 1);
            let Some(reflector) = reflect_column(&mut done[step], step) else {
                continue;
            };
            for column in rest.iter_mut().chain([&mut target]) {
                reflector.apply(column);
            }
        }
        let rows = n.min(target.len());
        target.resize(n, 0.0);
        let mut triangle = vec![vec![0.0; n]; n];
        for (j, column) in columns.iter().enumerate() {
            let above = rows.min(j + 1);
            triangle[j][..above].copy_from_slice(&column[..above]);
        }
        target[rows..].fill(0.0);
        Self { triangle, target }
    }

    /// The p that minimises |J p + r|^2 + damping |W p|^2, with W diagonal.
    pub fn damped(&self, weights: &[f64], damping: f64) -> Vec<f64> {
        let n = self.triangle.len();
        // [R; sqrt(damping) W] p = [target; 0], again by reflections.
        let root = damping.sqrt();
        let mut columns = Vec::with_capacity(n);
        for j in 0..n {
            let mut column = self.triangle[j].clone();
            column.resize(2 * n, 0.0);
            column[n + j] = root * weights[j];
            columns.push(column);
        }
        let mut target = self.target.clone();
        target.resize(2 * n, 0.0);
        let negative: Vec<f64> = target.iter().map(|value| -value).collect();
        Self::new(columns, &negative).solution()
    }

    /// The p with R p = target; entries of columns without a pivot are 0.
    fn solution(&self) -> Vec<f64> {
        let n = self.triangle.len();
        let mut p = self.target.clone();
        for j in (0..n).rev() {
            let pivot = self.triangle[j][j];
            p[j] = if pivot == 0.0 { 0.0 } else { p[j] / pivot };
            let value = p[j];
            for (entry, above) in p[..j].iter_mut().zip(&self.triangle[j][..j]) {
                *entry -= above * value;
            }
        }
        p
    }

    /// |r|^2 - |J p + r|^2.
    pub fn decrease(&self, p: &[f64]) -> f64 {
        let n = self.triangle.len();
        let mut image = vec![0.0; n];
        for (column, step) in self.triangle.iter().zip(p) {
            for (entry, above) in image.iter_mut().zip(column) {
                *entry += above * step;
            }
        }
        let pairs = image.iter().zip(&self.target);
        pairs
            .map(|(image, target)| image * (2.0 * target - image))
            .sum()
    }

    /// The rows of the inverse of R, whose squares sum to the diagonal of (J'J)^-1; `None` where J has no full rank: a pivot is less than
    /// `share` of its column.
    pub fn inverse(&self, share: f64) -> Option<Vec<Vec<f64>>> {
        let n = self.triangle.len();
        for column in &self.triangle {
            let size = crate::dense::euclidean_norm(column);
            let pivot = column[..].iter().rev().find(|value| **value != 0.0)?.abs();
            if size == 0.0 || pivot <= share * size {
                return None;
            }
        }
        let mut inverse = vec![vec![0.0; n]; n];
        for k in 0..n {
            // Column k of the inverse, from below.
            let mut e = vec![0.0; n];
            e[k] = 1.0;
            for j in (0..=k).rev() {
                let pivot = self.triangle[j][j];
                if pivot == 0.0 {
                    return None;
                }
                e[j] /= pivot;
                let value = e[j];
                for (entry, above) in e[..j].iter_mut().zip(&self.triangle[j][..j]) {
                    *entry -= above * value;
                }
            }
            for (row, value) in e.into_iter().enumerate() {
                inverse[row][k] = value;
            }
        }
        Some(inverse)
    }
}

struct JacobianReflector {
    from: usize,
    vector: Vec<f64>,
    /// 2 / |vector|^2.
    factor: f64,
}

/// Reflects a column so that it is zero below the row `from`; `None` where it is so already.
fn reflect_column(column: &mut [f64], from: usize) -> Option<JacobianReflector> {
    let below = &column[from..];
    let size = crate::dense::euclidean_norm(below);
    if size == 0.0 || below[1..].iter().all(|value| *value == 0.0) {
        return None;
    }
    let mut vector: Vec<f64> = below.iter().map(|value| value / size).collect();
    let sign = if vector[0] < 0.0 { -1.0 } else { 1.0 };
    vector[0] += sign;
    let squares: f64 = vector.iter().map(|value| value * value).sum();
    column[from] = -sign * size;
    column[from + 1..].fill(0.0);
    Some(JacobianReflector {
        from,
        vector,
        factor: 2.0 / squares,
    })
}

impl JacobianReflector {
    fn apply(&self, column: &mut [f64]) {
        let below = &mut column[self.from..];
        let product: f64 = below.iter().zip(&self.vector).map(|(a, b)| a * b).sum();
        let by = self.factor * product;
        for (entry, part) in below.iter_mut().zip(&self.vector) {
            *entry -= by * part;
        }
    }
}
