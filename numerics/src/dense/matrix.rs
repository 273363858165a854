//! [`DenseMatrix`]: a matrix with its size, and its ways to and from the types of other libraries.
//!
//! Functions of this library take slices, row by row, with their sizes. Vectors need no conversion: `ndarray` and `nalgebra` lend theirs as slices
//! and take a `Vec`.

use faer::Mat;

/// A matrix, row by row.
///
/// ```
/// use numerics::dense::DenseMatrix;
///
/// let a = DenseMatrix::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("six entries");
/// assert_eq!(a.row(1), [4.0, 5.0, 6.0]);
/// assert_eq!(a.transposed().as_slice(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DenseMatrix {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl DenseMatrix {
    /// Of entries row by row; `None` unless there are `rows` times `columns`.
    pub fn new(rows: usize, columns: usize, data: Vec<f64>) -> Option<Self> {
        let count = rows.checked_mul(columns)?;
        (data.len() == count).then_some(Self {
            rows,
            columns,
            data,
        })
    }

    /// Of a function of row and column.
    pub fn from_fn(
        rows: usize,
        columns: usize,
        mut entry: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let mut data = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            data.extend((0..columns).map(|column| entry(row, column)));
        }
        Self {
            rows,
            columns,
            data,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The entries, row by row.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// The entries, row by row.
    pub fn into_vec(self) -> Vec<f64> {
        self.data
    }

    /// The entries of a row.
    ///
    /// # Panics
    /// Beyond the last row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.data[row * self.columns..(row + 1) * self.columns]
    }

    /// Rows as columns.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.columns, self.rows, |row, column| {
            self.data[column * self.columns + row]
        })
    }
}

impl From<&DenseMatrix> for Mat<f64> {
    fn from(matrix: &DenseMatrix) -> Self {
        super::columns_of(&matrix.data, matrix.rows, matrix.columns)
    }
}

impl From<&Mat<f64>> for DenseMatrix {
    fn from(matrix: &Mat<f64>) -> Self {
        Self {
            rows: matrix.nrows(),
            columns: matrix.ncols(),
            data: super::rows_of(matrix.as_ref()),
        }
    }
}

#[cfg(feature = "ndarray")]
impl From<ndarray::ArrayView2<'_, f64>> for DenseMatrix {
    fn from(array: ndarray::ArrayView2<'_, f64>) -> Self {
        let (rows, columns) = array.dim();
        Self {
            rows,
            columns,
            data: array.iter().copied().collect(),
        }
    }
}

#[cfg(feature = "ndarray")]
impl From<&ndarray::Array2<f64>> for DenseMatrix {
    fn from(array: &ndarray::Array2<f64>) -> Self {
        array.view().into()
    }
}

#[cfg(feature = "ndarray")]
impl From<DenseMatrix> for ndarray::Array2<f64> {
    fn from(matrix: DenseMatrix) -> Self {
        let shape = (matrix.rows, matrix.columns);
        Self::from_shape_vec(shape, matrix.data).expect("as many entries as rows times columns")
    }
}

#[cfg(feature = "nalgebra")]
impl From<&nalgebra::DMatrix<f64>> for DenseMatrix {
    fn from(matrix: &nalgebra::DMatrix<f64>) -> Self {
        let (rows, columns) = matrix.shape();
        Self::from_fn(rows, columns, |row, column| matrix[(row, column)])
    }
}

#[cfg(feature = "nalgebra")]
impl From<DenseMatrix> for nalgebra::DMatrix<f64> {
    fn from(matrix: DenseMatrix) -> Self {
        Self::from_row_slice(matrix.rows, matrix.columns, &matrix.data)
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::DenseMatrix;

    fn counted() -> DenseMatrix {
        DenseMatrix::from_fn(3, 2, |row, column| (10 * row + column) as f64)
    }

    #[test]
    fn sizes_must_fit() {
        assert!(DenseMatrix::new(2, 2, vec![0.0; 3]).is_none());
        assert!(DenseMatrix::new(usize::MAX, 2, Vec::new()).is_none());
        let empty = DenseMatrix::new(0, 5, Vec::new()).expect("no entries");
        assert_eq!((empty.rows(), empty.columns()), (0, 5));
        assert_eq!(empty.transposed().columns(), 0);
    }

    #[test]
    fn columns_come_back_as_rows() {
        let faer: Mat<f64> = (&counted()).into();
        assert_eq!((faer[(2, 1)], DenseMatrix::from(&faer)), (21.0, counted()));
    }

    #[cfg(feature = "ndarray")]
    #[test]
    fn arrays_come_back_also_from_other_layouts() {
        let array: ndarray::Array2<f64> = counted().into();
        assert_eq!(
            (array[(2, 1)], DenseMatrix::from(&array)),
            (21.0, counted())
        );
        assert_eq!(DenseMatrix::from(array.t()), counted().transposed());
    }

    #[cfg(feature = "nalgebra")]
    #[test]
    fn matrices_of_nalgebra_come_back() {
        let matrix: nalgebra::DMatrix<f64> = counted().into();
        assert_eq!(
            (matrix[(2, 1)], DenseMatrix::from(&matrix)),
            (21.0, counted())
        );
    }
}
