//! [`VertexSearch`]: the descent along edges between fits through p rows.

use numerics::Watch;
use numerics::dense::lstsq::DesignMatrix;

use crate::models::ModelError;

/// Exchanges before the search is given up.
const PIVOTS_MAX: usize = 100_000;
/// A slope of the loss that counts as 0, relative to the largest one.
const SLOPE_ZERO: f64 = 1e-10;
/// Shifts that break ties, relative to the spread of the responses.
const SHIFT: f64 = 1e-11;

/// The loss over some columns and responses.
pub(super) struct VertexSearch<'a> {
    n: usize,
    size: usize,
    /// Row by row.
    x: Vec<f64>,
    /// Responses with their shifts.
    y: Vec<f64>,
    /// Responses as they are.
    plain: &'a [f64],
    weights: Option<&'a [f64]>,
    quantile: f64,
}

/// The best fit through p rows.
pub(super) struct QuantileVertex {
    pub coefficients: Vec<f64>,
    pub basis: Vec<usize>,
    pub is_unique: bool,
    pub pivots: usize,
}

/// A direction along which the loss falls.
struct DescentEdge {
    /// The row that leaves.
    place: usize,
    sign: f64,
    slope: f64,
}

impl<'a> VertexSearch<'a> {
    pub(super) fn new(
        columns: &DesignMatrix,
        y: &'a [f64],
        weights: Option<&'a [f64]>,
        quantile: f64,
    ) -> Self {
        let (n, size) = (columns.rows, columns.columns);
        let mut x = Vec::with_capacity(n * size);
        for row in 0..n {
            x.extend((0..size).map(|column| columns.column(column)[row]));
        }
        let low = y.iter().copied().fold(f64::INFINITY, f64::min);
        let high = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // The golden ratio spreads the shifts over (0, 1) without repeats.
        let shift = |row: usize| ((row + 1) as f64 * 0.618_033_988_749_894_9).fract() - 0.5;
        let shifted = y
            .iter()
            .enumerate()
            .map(|(row, y)| y + SHIFT * (high - low) * shift(row));
        Self {
            n,
            size,
            x,
            y: shifted.collect(),
            plain: y,
            weights,
            quantile,
        }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.x[row * self.size..(row + 1) * self.size]
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    /// `y - X b`.
    pub(super) fn residuals(&self, y: &[f64], b: &[f64]) -> Vec<f64> {
        let fitted = |row: usize| self.row(row).iter().zip(b).map(|(x, b)| x * b).sum::<f64>();
        (0..self.n).map(|row| y[row] - fitted(row)).collect()
    }

    /// Sum of the losses.
    pub(super) fn loss(&self, residuals: &[f64]) -> f64 {
        let loss = |(row, r): (usize, &f64)| {
            let side = if *r < 0.0 {
                self.quantile - 1.0
            } else {
                self.quantile
            };
            self.weight(row) * side * r
        };
        residuals.iter().enumerate().map(loss).sum()
    }

    /// Descends from the rows nearest to a fit with these residuals.
    pub(super) fn run(
        &self,
        start: &[f64],
        watch: &dyn Watch,
    ) -> Result<QuantileVertex, ModelError> {
        let mut basis = self.starting_basis(start)?;
        let mut inverse = self.inverse(&basis)?;
        let mut is_inside = vec![false; self.n];
        basis.iter().for_each(|row| is_inside[*row] = true);
        for pivots in 0..PIVOTS_MAX {
            watch.check()?;
            let b = self.solve(&inverse, &basis, &self.y);
            let residuals = self.residuals(&self.y, &b);
            let slopes = self.slopes(&inverse, &residuals, &is_inside);
            let Some(edge) = self.steepest_edge(&slopes, &inverse, &basis) else {
                let inverse = self.inverse(&basis)?;
                let coefficients = self.solve(&inverse, &basis, self.plain);
                return Ok(QuantileVertex {
                    coefficients,
                    is_unique: self.is_unique(&slopes, &basis),
                    basis,
                    pivots,
                });
            };
            let direction: Vec<f64> = (0..self.size)
                .map(|row| edge.sign * inverse[row * self.size + edge.place])
                .collect();
            let entering = self.line_search(&direction, &residuals, &is_inside, edge.slope);
            let entering = entering.ok_or(ModelError::Overflow)?;
            is_inside[basis[edge.place]] = false;
            is_inside[entering] = true;
            basis[edge.place] = entering;
            inverse = match (pivots + 1) % 32 {
                0 => self.inverse(&basis)?,
                _ => match self.exchanged(&inverse, edge.place, entering) {
                    Some(next) => next,
                    None => self.inverse(&basis)?,
                },
            };
        }
        Err(ModelError::NoConvergence {
            method: "the exchange of rows",
            iterations: PIVOTS_MAX,
        })
    }

    /// Independent rows whose residuals are nearest to their quantile.
    fn starting_basis(&self, residuals: &[f64]) -> Result<Vec<usize>, ModelError> {
        let mut sorted = residuals.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let at = ((self.n - 1) as f64 * self.quantile).round() as usize;
        let centre = sorted[at];
        let mut order: Vec<usize> = (0..self.n).collect();
        let far = |row: &usize| (residuals[*row] - centre).abs();
        order.sort_by(|a, b| far(a).total_cmp(&far(b)).then(a.cmp(b)));
        let scales: Vec<f64> = (0..self.size)
            .map(|column| {
                (0..self.n)
                    .map(|row| self.row(row)[column].abs())
                    .fold(0.0, f64::max)
            })
            .collect();
        let mut chosen: Vec<usize> = Vec::with_capacity(self.size);
        let mut directions: Vec<Vec<f64>> = Vec::with_capacity(self.size);
        // Nearly dependent rows only where no others are left.
        for least in [1e-2, 1e-6, 1e-11] {
            for row in &order {
                if chosen.len() == self.size {
                    return Ok(chosen);
                }
                if chosen.contains(row) {
                    continue;
                }
                let mut v: Vec<f64> = self
                    .row(*row)
                    .iter()
                    .zip(&scales)
                    .map(|(x, scale)| x / scale)
                    .collect();
                let whole = numerics::dense::euclidean_norm(&v);
                for _ in 0..2 {
                    for direction in &directions {
                        let along = numerics::dense::dot(direction, &v);
                        numerics::dense::add_multiple(&mut v, -along, direction);
                    }
                }
                let rest = numerics::dense::euclidean_norm(&v);
                if rest > least * whole {
                    v.iter_mut().for_each(|value| *value /= rest);
                    directions.push(v);
                    chosen.push(*row);
                }
            }
        }
        match chosen.len() == self.size {
            true => Ok(chosen),
            false => Err(ModelError::Overflow),
        }
    }

    /// The inverse of the rows of a basis, row by row.
    fn inverse(&self, basis: &[usize]) -> Result<Vec<f64>, ModelError> {
        let size = self.size;
        let mut a: Vec<f64> = basis
            .iter()
            .flat_map(|row| self.row(*row).iter().copied())
            .collect();
        let mut inverse = crate::models::least_squares::identity(size);
        for column in 0..size {
            let larger = |best: usize, row: usize| match a[row * size + column].abs()
                > a[best * size + column].abs()
            {
                true => row,
                false => best,
            };
            let pivot = (column + 1..size).fold(column, larger);
            if a[pivot * size + column] == 0.0 {
                return Err(ModelError::Overflow);
            }
            for k in 0..size {
                a.swap(pivot * size + k, column * size + k);
                inverse.swap(pivot * size + k, column * size + k);
            }
            let value = a[column * size + column];
            for k in 0..size {
                a[column * size + k] /= value;
                inverse[column * size + k] /= value;
            }
            for row in (0..size).filter(|row| *row != column) {
                let factor = a[row * size + column];
                for k in 0..size {
                    a[row * size + k] -= factor * a[column * size + k];
                    inverse[row * size + k] -= factor * inverse[column * size + k];
                }
            }
        }
        Ok(inverse)
    }

    /// The inverse after a row of the basis is another one; `None` where that loses too many digits.
    fn exchanged(&self, inverse: &[f64], place: usize, entering: usize) -> Option<Vec<f64>> {
        let size = self.size;
        let along: Vec<f64> = (0..size)
            .map(|column| {
                let terms = self.row(entering).iter().enumerate();
                terms.map(|(k, x)| x * inverse[k * size + column]).sum()
            })
            .collect();
        let pivot = along[place];
        let largest = along
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        if pivot.abs() < 1e-6 * largest {
            return None;
        }
        let mut next = inverse.to_vec();
        for row in next.chunks_exact_mut(size) {
            let leading = row[place] / pivot;
            for (column, value) in row.iter_mut().enumerate() {
                *value = match column == place {
                    true => leading,
                    false => *value - leading * along[column],
                };
            }
        }
        Some(next)
    }

    fn solve(&self, inverse: &[f64], basis: &[usize], y: &[f64]) -> Vec<f64> {
        let rows = inverse.chunks_exact(self.size);
        rows.map(|row| row.iter().zip(basis).map(|(a, at)| a * y[*at]).sum())
            .collect()
    }

    /// The slope of the loss of the rows outside along each edge.
    fn slopes(&self, inverse: &[f64], residuals: &[f64], is_inside: &[bool]) -> Vec<f64> {
        let mut gradient = vec![0.0; self.size];
        for (row, residual) in residuals.iter().enumerate() {
            if !is_inside[row] {
                let side = if *residual < 0.0 {
                    self.quantile - 1.0
                } else {
                    self.quantile
                };
                numerics::dense::add_multiple(
                    &mut gradient,
                    -side * self.weight(row),
                    self.row(row),
                );
            }
        }
        (0..self.size)
            .map(|place| {
                let terms = gradient.iter().enumerate();
                terms.map(|(k, g)| g * inverse[k * self.size + place]).sum()
            })
            .collect()
    }

    /// The edge with the steepest fall by length; `None` at the minimum.
    fn steepest_edge(
        &self,
        slopes: &[f64],
        inverse: &[f64],
        basis: &[usize],
    ) -> Option<DescentEdge> {
        let mut best: Option<(f64, DescentEdge)> = None;
        for (place, slope) in slopes.iter().enumerate() {
            let weight = self.weight(basis[place]);
            let scale = weight.max(slope.abs());
            for (sign, slope) in [
                (1.0, slope + weight * (1.0 - self.quantile)),
                (-1.0, weight * self.quantile - slope),
            ] {
                if slope >= -SLOPE_ZERO * scale {
                    continue;
                }
                let length: f64 = (0..self.size)
                    .map(|k| inverse[k * self.size + place].powi(2))
                    .sum();
                let steepness = slope / length.sqrt();
                if best.as_ref().is_none_or(|(least, _)| steepness < *least) {
                    best = Some((steepness, DescentEdge { place, sign, slope }));
                }
            }
        }
        best.map(|(_, edge)| edge)
    }

    fn is_unique(&self, slopes: &[f64], basis: &[usize]) -> bool {
        slopes.iter().zip(basis).all(|(slope, row)| {
            let weight = self.weight(*row);
            let least =
                (slope + weight * (1.0 - self.quantile)).min(weight * self.quantile - slope);
            least > 1e-9 * weight
        })
    }

    /// The row at which the loss stops falling along a direction.
    fn line_search(
        &self,
        direction: &[f64],
        residuals: &[f64],
        is_inside: &[bool],
        slope: f64,
    ) -> Option<usize> {
        let mut breaks: Vec<(f64, f64, usize)> = Vec::new();
        for (row, residual) in residuals.iter().enumerate() {
            if is_inside[row] {
                continue;
            }
            let change = numerics::dense::dot(self.row(row), direction);
            let at = residual / change;
            if change != 0.0 && at >= 0.0 && at.is_finite() {
                breaks.push((at, change.abs() * self.weight(row), row));
            }
        }
        breaks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        let mut slope = slope;
        for (_, jump, row) in breaks {
            slope += jump;
            if slope >= 0.0 {
                return Some(row);
            }
        }
        None
    }
}
