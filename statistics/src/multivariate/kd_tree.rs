//! [`NeighbourIndex`]: the nearest rows of a point, by a tree of boxes where they help.

use std::collections::BinaryHeap;

use numerics::Watch;

use super::{DistanceMetric, MultivariateError, PointTable};

/// Rows of a box that is not divided.
const LEAF_ROWS: usize = 16;
/// From so many columns on boxes exclude next to nothing, and all rows are compared.
const BOXED_COLUMNS_MAX: usize = 16;

/// A row and its distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeighbourDistance {
    /// The row.
    pub row: usize,
    /// Its distance, in the unit of the table.
    pub distance: f64,
}

/// A row that may be among the nearest; the greatest is the farthest, of equal distances the one with the higher number.
#[derive(Debug, Clone, Copy, PartialEq)]
struct NeighbourCandidate {
    compared: f64,
    row: usize,
}

impl Eq for NeighbourCandidate {}

impl PartialOrd for NeighbourCandidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for NeighbourCandidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_distance = self.compared.total_cmp(&other.compared);
        by_distance.then(self.row.cmp(&other.row))
    }
}

/// A box around the rows `order[start..end]`.
#[derive(Debug, Clone)]
struct RowBox {
    start: usize,
    end: usize,
    /// The two parts; `None` for a leaf.
    parts: Option<[usize; 2]>,
    least_row: usize,
}

/// An index of rows by place (J. L. Bentley, Commun. ACM 18, 1975): divided at the median of the widest column. Answers are those of comparing
/// with every row, ties by the number of the row.
#[derive(Debug, Clone)]
pub struct NeighbourIndex<'a> {
    points: &'a PointTable,
    metric: DistanceMetric,
    order: Vec<usize>,
    boxes: Vec<RowBox>,
    /// Least and largest number of each column of each box.
    bounds: Vec<[f64; 2]>,
}

impl<'a> NeighbourIndex<'a> {
    /// Costs `n log n` steps for each column; cosine needs rows of length 1 ([`PointTable::for_metric`]).
    ///
    /// # Errors
    /// Memory, or the caller stopped it.
    pub fn new(
        points: &'a PointTable,
        metric: DistanceMetric,
        watch: &dyn Watch,
    ) -> Result<Self, MultivariateError> {
        let rows = points.rows();
        watch.reserve_doubles(rows.saturating_mul(2 + points.columns() / 4))?;
        let mut index = Self {
            points,
            metric,
            order: (0..rows).collect(),
            boxes: Vec::new(),
            bounds: Vec::new(),
        };
        if rows > 0 {
            index.add_box(0, rows);
        }
        let is_boxed = points.columns() <= BOXED_COLUMNS_MAX;
        let mut next = 0;
        while next < index.boxes.len() {
            if next % 256 == 0 {
                watch.check()?;
            }
            let RowBox { start, end, .. } = index.boxes[next];
            if is_boxed && end - start > LEAF_ROWS {
                let middle = index.divide(next);
                let left = index.add_box(start, middle);
                let right = index.add_box(middle, end);
                index.boxes[next].parts = Some([left, right]);
            }
            next += 1;
        }
        Ok(index)
    }

    fn add_box(&mut self, start: usize, end: usize) -> usize {
        let rows = &self.order[start..end];
        let columns = self.points.columns();
        let mut bounds = vec![[f64::INFINITY, f64::NEG_INFINITY]; columns];
        for &row in rows {
            for (bound, &value) in bounds.iter_mut().zip(self.points.row(row)) {
                bound[0] = bound[0].min(value);
                bound[1] = bound[1].max(value);
            }
        }
        self.boxes.push(RowBox {
            start,
            end,
            parts: None,
            least_row: rows.iter().copied().min().unwrap_or(0),
        });
        self.bounds.extend(bounds);
        self.boxes.len() - 1
    }

    fn bounds_of(&self, place: usize) -> &[[f64; 2]] {
        let columns = self.points.columns();
        &self.bounds[place * columns..(place + 1) * columns]
    }

    /// Puts the rows of a box in two halves: by its widest column, by number where all are equal.
    fn divide(&mut self, place: usize) -> usize {
        let RowBox { start, end, .. } = self.boxes[place];
        let width = |bound: &[f64; 2]| bound[1] - bound[0];
        let bounds = self.bounds_of(place);
        let mut widest = 0;
        for column in 1..bounds.len() {
            if width(&bounds[column]) > width(&bounds[widest]) {
                widest = column;
            }
        }
        let middle = usize::midpoint(start, end);
        let points = self.points;
        let value = |row: usize| points.row(row)[widest];
        self.order[start..end].select_nth_unstable_by(middle - start, |&a, &b| {
            value(a).total_cmp(&value(b)).then(a.cmp(&b))
        });
        middle
    }

    /// The least that rows of a box can be away, as compared numbers.
    fn least_of_box(&self, place: usize, point: &[f64]) -> f64 {
        let away = |(value, bound): (&f64, &[f64; 2])| match *value {
            value if value < bound[0] => bound[0] - value,
            value if value > bound[1] => value - bound[1],
            _ => 0.0,
        };
        let differences = point.iter().zip(self.bounds_of(place)).map(away);
        self.metric.gather(differences)
    }

    /// The `count` nearest rows of a point but one, the nearest first.
    pub fn nearest(
        &self,
        point: &[f64],
        count: usize,
        but: Option<usize>,
    ) -> Vec<NeighbourDistance> {
        let mut nearest: BinaryHeap<NeighbourCandidate> = BinaryHeap::new();
        if count == 0 || self.boxes.is_empty() {
            return Vec::new();
        }
        let mut open = vec![self.box_candidate(0, point)];
        while let Some((least, place)) = open.pop() {
            if nearest.len() == count && nearest.peek().is_some_and(|far| least > *far) {
                continue;
            }
            if let Some([left, right]) = self.boxes[place].parts {
                let (left, right) = (
                    self.box_candidate(left, point),
                    self.box_candidate(right, point),
                );
                // The nearer part is opened first.
                match left.0 <= right.0 {
                    true => open.extend([right, left]),
                    false => open.extend([left, right]),
                }
                continue;
            }
            for &row in self.rows_of(place) {
                if Some(row) == but {
                    continue;
                }
                let compared = self.metric.compare(point, self.points.row(row));
                nearest.push(NeighbourCandidate { compared, row });
                if nearest.len() > count {
                    nearest.pop();
                }
            }
        }
        self.sorted(nearest.into_vec())
    }

    fn box_candidate(&self, place: usize, point: &[f64]) -> (NeighbourCandidate, usize) {
        let candidate = NeighbourCandidate {
            compared: self.least_of_box(place, point),
            row: self.boxes[place].least_row,
        };
        (candidate, place)
    }

    fn rows_of(&self, place: usize) -> &[usize] {
        let RowBox { start, end, .. } = self.boxes[place];
        &self.order[start..end]
    }

    fn sorted(&self, mut found: Vec<NeighbourCandidate>) -> Vec<NeighbourDistance> {
        found.sort_unstable();
        let neighbour = |candidate: NeighbourCandidate| NeighbourDistance {
            row: candidate.row,
            distance: self.metric.distance(candidate.compared),
        };
        found.into_iter().map(neighbour).collect()
    }

    /// Visits the rows at most `radius` away with their compared numbers, in no particular order, until the visitor says no.
    pub(super) fn visit_within(
        &self,
        point: &[f64],
        radius: f64,
        visit: &mut dyn FnMut(usize, f64) -> bool,
    ) {
        let most = self.metric.compared(radius);
        if self.boxes.is_empty() {
            return;
        }
        let mut open = vec![0];
        while let Some(place) = open.pop() {
            if self.least_of_box(place, point) > most {
                continue;
            }
            if let Some(parts) = self.boxes[place].parts {
                open.extend(parts);
                continue;
            }
            for &row in self.rows_of(place) {
                let compared = self.metric.compare(point, self.points.row(row));
                if compared <= most && !visit(row, compared) {
                    return;
                }
            }
        }
    }

    /// The rows at most `radius` away but one, the nearest first.
    pub fn within(&self, point: &[f64], radius: f64, but: Option<usize>) -> Vec<NeighbourDistance> {
        let mut found = Vec::new();
        self.visit_within(point, radius, &mut |row, compared| {
            if Some(row) != but {
                found.push(NeighbourCandidate { compared, row });
            }
            true
        });
        self.sorted(found)
    }
}
