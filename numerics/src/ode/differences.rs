//! [`FiniteDifferences`]: derivatives of a right-hand side whose formula is not known.

use super::flow::OdeTolerances;
use super::matrix::{JacobianPattern, JacobianStorage};

/// Computes `dy = f(t, y)`.
pub type RightHandSide<'a> = dyn FnMut(f64, &[f64], &mut [f64]) + 'a;

/// Derivatives by differences, with steps of the root of the rounding error relative to each component, or to the size below which its absolute
/// tolerance counts.
///
/// Columns of a band or of few entries that share no row are changed at once: A. R. Curtis, M. J. D. Powell, J. K. Reid, "On the
/// estimation of sparse Jacobian matrices", J. Inst. Maths Applics 13, 1974.
#[derive(Debug)]
pub struct FiniteDifferences {
    /// Columns that are changed at once.
    groups: Vec<Vec<usize>>,
    /// Row and place of the entries of each column.
    columns: Vec<Vec<(usize, usize)>>,
    /// Sizes of small components.
    sizes: Vec<f64>,
    point: Vec<f64>,
    here: Vec<f64>,
    there: Vec<f64>,
}

impl FiniteDifferences {
    /// For the entries of a pattern, and a state with these tolerances where they are known.
    pub fn new(pattern: &JacobianPattern, tolerances: Option<&OdeTolerances>) -> Self {
        let n = pattern.n;
        let mut columns = vec![Vec::new(); n];
        for (place, &(row, column)) in pattern.entries.iter().enumerate() {
            columns[column].push((row, place));
        }
        let used = (0..n).filter(|&column| !columns[column].is_empty());
        let groups = match pattern.storage() {
            JacobianStorage::Dense => used.map(|column| vec![column]).collect(),
            JacobianStorage::Banded { .. } | JacobianStorage::Sparse => {
                group_disjoint_columns(&columns, used)
            }
        };
        let size = |index| match tolerances.map(|given| given.absolute(index) / given.rtol) {
            None => 1e-5,
            Some(size) if size > 0.0 && size.is_finite() => size,
            // Nothing tells the size of a component that is 0.
            Some(_) => f64::EPSILON,
        };
        Self {
            groups,
            columns,
            sizes: (0..n).map(size).collect(),
            point: vec![0.0; n],
            here: vec![0.0; n],
            there: vec![0.0; n],
        }
    }

    /// The entries of the Jacobian in the order of the pattern; returns the evaluations of `f`.
    pub fn jacobian(
        &mut self,
        f: &mut RightHandSide<'_>,
        (t, y): (f64, &[f64]),
        entries: &mut [f64],
    ) -> u64 {
        f(t, y, &mut self.here);
        self.point.copy_from_slice(y);
        let sizes = &self.sizes;
        let moved = |column: usize| {
            let y: f64 = y[column];
            y + f64::EPSILON.sqrt() * y.abs().max(sizes[column])
        };
        for group in &self.groups {
            for &column in group {
                self.point[column] = moved(column);
            }
            f(t, &self.point, &mut self.there);
            for &column in group {
                let step = self.point[column] - y[column];
                self.point[column] = y[column];
                for &(row, place) in &self.columns[column] {
                    entries[place] = (self.there[row] - self.here[row]) / step;
                }
            }
        }
        1 + self.groups.len() as u64
    }

    /// The derivative by time; returns the evaluations of `f`.
    pub fn time_slope(
        &mut self,
        f: &mut RightHandSide<'_>,
        (t, y): (f64, &[f64]),
        slope: &mut [f64],
    ) -> u64 {
        let later = t + (f64::EPSILON * t.abs().max(1e-5)).sqrt();
        f(t, y, &mut self.here);
        f(later, y, slope);
        for (slope, here) in slope.iter_mut().zip(&self.here) {
            *slope = (*slope - here) / (later - t);
        }
        2
    }
}

/// Groups of columns without a common row: each column goes to the first that has room.
fn group_disjoint_columns(
    columns: &[Vec<(usize, usize)>],
    used: impl Iterator<Item = usize>,
) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // The groups that have each row.
    let mut taken = vec![Vec::new(); columns.len()];
    let mut closed = Vec::new();
    for column in used {
        closed.clear();
        closed.resize(groups.len() + 1, false);
        for &(row, _) in &columns[column] {
            for &group in &taken[row] {
                closed[group] = true;
            }
        }
        let group = closed.iter().position(|closed| !closed);
        let group = group.unwrap_or(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(column);
        for &(row, _) in &columns[column] {
            taken[row].push(group);
        }
    }
    groups
}
