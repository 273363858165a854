//! [`CsrMatrix`]: a sparse matrix by compressed rows.

use crate::dense::scale_by_exponent;
use crate::exact::CompensatedSum;

/// A matrix by rows: the entries of row i are at `starts[i]..starts[i + 1]`, columns ascending, none of them zero.
#[derive(Debug, Clone, PartialEq)]
pub struct CsrMatrix {
    column_count: usize,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

/// The largest number of rows or columns.
pub const SIZE_MAX: usize = u32::MAX as usize;

impl CsrMatrix {
    /// From triplets in any order; those of one place are summed in the order given, zeros are left out.
    ///
    /// O(entries + rows + columns) time; 24 bytes per entry while it works.
    ///
    /// # Panics
    /// When the three lists differ in length or an index is out of range.
    pub fn from_triplets(
        row_count: usize,
        column_count: usize,
        rows: &[u32],
        columns: &[u32],
        values: &[f64],
    ) -> Self {
        assert!(
            rows.len() == columns.len() && rows.len() == values.len(),
            "one row, column and value per entry"
        );
        // A stable sort by column, then by row.
        let (_, order) = bucket_keys(column_count, columns.iter().copied());
        let (starts, places) = bucket_keys(row_count, order.iter().map(|&at| rows[at as usize]));
        let sorted = places.iter().map(|&place| order[place as usize] as usize);
        Self::compact(
            column_count,
            &starts,
            sorted.map(|at| (columns[at], values[at])),
        )
    }

    /// Sums neighbours of one place and leaves zeros out; entries come row by row, columns ascending.
    fn compact(
        column_count: usize,
        starts: &[usize],
        mut entries: impl ExactSizeIterator<Item = (u32, f64)>,
    ) -> Self {
        let mut out = Self {
            column_count,
            starts: Vec::with_capacity(starts.len()),
            columns: Vec::with_capacity(entries.len()),
            values: Vec::with_capacity(entries.len()),
        };
        out.starts.push(0);
        for bounds in starts.windows(2) {
            let first = out.columns.len();
            for (column, value) in entries.by_ref().take(bounds[1] - bounds[0]) {
                match out.columns.last() {
                    Some(&last) if last == column && out.columns.len() > first => {
                        *out.values.last_mut().expect("a value per column") += value;
                    }
                    _ => out.push_entry(column, value, first),
                }
            }
            out.drop_zero(first);
            out.starts.push(out.columns.len());
        }
        out
    }

    /// Appends an entry to the open row, whose first is at `first`; the one before is complete and goes when it is zero.
    fn push_entry(&mut self, column: u32, value: f64, first: usize) {
        self.drop_zero(first);
        self.columns.push(column);
        self.values.push(value);
    }

    fn drop_zero(&mut self, first: usize) {
        if self.values.len() > first && self.values.last() == Some(&0.0) {
            self.columns.pop();
            self.values.pop();
        }
    }

    /// From compressed rows whose columns may be in any order and repeat.
    ///
    /// # Panics
    /// When `starts` does not rise from 0 to the number of entries, or a column is out of range.
    pub fn from_rows(
        column_count: usize,
        starts: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<f64>,
    ) -> Self {
        assert!(
            starts.first() == Some(&0)
                && starts.last() == Some(&columns.len())
                && columns.len() == values.len()
        );
        let ready = starts.windows(2).all(|bounds| {
            let row = &columns[bounds[0]..bounds[1]];
            let inside = row
                .last()
                .is_none_or(|&last| (last as usize) < column_count);
            inside && row.windows(2).all(|pair| pair[0] < pair[1])
        }) && values.iter().all(|&value| value != 0.0);
        if ready {
            return Self::from_sorted(column_count, starts, columns, values);
        }
        let mut rows = Vec::with_capacity(columns.len());
        for (row, bounds) in starts.windows(2).enumerate() {
            rows.resize(rows.len() + bounds[1] - bounds[0], row as u32);
        }
        Self::from_triplets(starts.len() - 1, column_count, &rows, &columns, &values)
    }

    /// From parts that are known to be in order.
    pub(super) fn from_sorted(
        column_count: usize,
        starts: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<f64>,
    ) -> Self {
        Self {
            column_count,
            starts,
            columns,
            values,
        }
    }

    /// Number of rows.
    pub fn row_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn column_count(&self) -> usize {
        self.column_count
    }

    /// Number of stored entries.
    pub fn nonzeros(&self) -> usize {
        self.values.len()
    }

    /// Start of each row, and the end of the last.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Columns of all entries, row by row.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// All entries, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Columns and entries of one row.
    #[inline]
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The entry at a place; zero where none is stored.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let (columns, values) = self.row(row);
        let place = columns.binary_search(&(column as u32));
        place.map_or(0.0, |at| values[at])
    }

    /// The diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        let entry = |row| self.get(row, row);
        (0..self.row_count()).map(entry).collect()
    }

    /// The transpose; the same arrays are the matrix by compressed columns.
    pub fn transposed(&self) -> Self {
        let mut starts = vec![0_usize; self.column_count + 1];
        for &column in &self.columns {
            starts[column as usize + 1] += 1;
        }
        for index in 0..self.column_count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut columns = vec![0_u32; self.columns.len()];
        let mut values = vec![0.0; self.columns.len()];
        for row in 0..self.row_count() {
            let (row_columns, row_values) = self.row(row);
            for (&column, &value) in row_columns.iter().zip(row_values) {
                let at = &mut next[column as usize];
                columns[*at] = row as u32;
                values[*at] = value;
                *at += 1;
            }
        }
        Self::from_sorted(self.row_count(), starts, columns, values)
    }

    /// The first place, row by row, whose entry differs from its mirror; `None` for a symmetric matrix.
    pub(crate) fn asymmetry(&self) -> Option<(usize, usize)> {
        let mirror = self.transposed();
        for row in 0..self.row_count() {
            let (columns, values) = self.row(row);
            let (mirror_columns, mirror_values) = mirror.row(row);
            if columns == mirror_columns && values == mirror_values {
                continue;
            }
            let both = columns.iter().chain(mirror_columns);
            let places = both.map(|&column| (row, column as usize));
            let differs = |&(row, column): &_| self.get(row, column) != mirror.get(row, column);
            return places.filter(differs).min();
        }
        None
    }

    /// `y = A x`, each row summed in order.
    #[inline]
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        for (row, y) in y.iter_mut().enumerate() {
            *y = self.row_product(row, x);
        }
    }

    /// `r = b - A x`.
    pub fn residual(&self, x: &[f64], b: &[f64], r: &mut [f64]) {
        for (row, (r, b)) in r.iter_mut().zip(b).enumerate() {
            *r = b - self.row_product(row, x);
        }
    }

    /// `b - A x` as if computed with twice the digits and rounded once; about 25 operations per entry.
    pub(crate) fn precise_residual(&self, x: &[f64], b: &[f64]) -> Vec<f64> {
        let entry = |row: usize| {
            let (columns, values) = self.row(row);
            let mut sum = CompensatedSum::new(b[row]);
            for (&column, &value) in columns.iter().zip(values) {
                sum.add_product(-value, x[column as usize]);
            }
            sum.value()
        };
        (0..self.row_count()).map(entry).collect()
    }

    /// An entry of `A x`.
    #[inline]
    pub(super) fn row_product(&self, row: usize, x: &[f64]) -> f64 {
        let (columns, values) = self.row(row);
        row_dot(columns, values, x)
    }

    /// `sum of |a_ij| |x_j|` for each row.
    pub(crate) fn absolute_product(&self, x: &[f64]) -> Vec<f64> {
        let sum = |row| {
            let (columns, values) = self.row(row);
            let pairs = columns.iter().zip(values);
            pairs.map(|(&column, value)| (value * x[column as usize]).abs())
        };
        (0..self.row_count()).map(|row| sum(row).sum()).collect()
    }

    /// The largest column sum of magnitudes.
    pub fn norm1(&self) -> f64 {
        let mut sums = vec![0.0; self.column_count];
        for (&column, value) in self.columns.iter().zip(&self.values) {
            sums[column as usize] += value.abs();
        }
        crate::dense::max_abs(&sums)
    }

    /// The largest row sum of magnitudes.
    pub(crate) fn norm_max(&self) -> f64 {
        let sum = |row| self.row(row).1.iter().map(|value| value.abs()).sum();
        (0..self.row_count()).map(sum).fold(0.0, f64::max)
    }

    /// Entry (i, j) times `2^(rows[i] + columns[j])`.
    #[must_use]
    pub fn scaled(mut self, rows: &[i32], columns: &[i32]) -> Self {
        for (row, &exponent) in rows.iter().enumerate() {
            let range = self.starts[row]..self.starts[row + 1];
            let values = self.values[range.clone()].iter_mut();
            for (value, &column) in values.zip(&self.columns[range]) {
                *value = scale_by_exponent(*value, exponent + columns[column as usize]);
            }
        }
        self
    }
}

/// The sum of some entries of a row times those of a vector in their columns.
#[inline]
pub(super) fn row_dot(columns: &[u32], values: &[f64], x: &[f64]) -> f64 {
    let pairs = columns.iter().zip(values);
    pairs
        .map(|(&column, value)| value * x[column as usize])
        .sum()
}

/// Start of each bucket, and the positions of the keys bucket by bucket, in the order given.
fn bucket_keys(
    count: usize,
    keys: impl ExactSizeIterator<Item = u32> + Clone,
) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0_usize; count + 1];
    for key in keys.clone() {
        starts[key as usize + 1] += 1;
    }
    for index in 0..count {
        starts[index + 1] += starts[index];
    }
    let mut next = starts.clone();
    let mut order = vec![0_u32; keys.len()];
    for (position, key) in keys.enumerate() {
        let at = &mut next[key as usize];
        order[*at] = position as u32;
        *at += 1;
    }
    (starts, order)
}
