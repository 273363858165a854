//! [`JacobianPattern`]: which entries of a Jacobian can differ from zero, and how the matrices made of it are stored.

/// The entries of the Jacobian that can differ from zero, the mass matrix, and the storage that suits both.
#[derive(Debug)]
pub struct JacobianPattern {
    /// Rows and columns.
    pub n: usize,
    /// Row and column of each entry of the Jacobian, in the order of their values.
    pub entries: Vec<(usize, usize)>,
    /// The entries of the mass matrix with their values.
    pub mass: Vec<(usize, usize, f64)>,
    /// Whether the mass matrix is the identity.
    pub identity: bool,
    storage: JacobianStorage,
}

/// How `s M - J` is stored and factored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JacobianStorage {
    /// Every entry.
    Dense,
    /// The diagonals from `lower` below to `upper` above the main one.
    Banded {
        /// Diagonals below the main one.
        lower: usize,
        /// Diagonals above the main one.
        upper: usize,
    },
    /// The entries of the pattern.
    Sparse,
}

impl JacobianPattern {
    /// The pattern of a Jacobian and a mass matrix, the identity when absent.
    pub fn new(
        n: usize,
        entries: Vec<(usize, usize)>,
        mass: Option<Vec<(usize, usize, f64)>>,
    ) -> Self {
        let identity = mass.is_none();
        let mass = mass.unwrap_or_else(|| (0..n).map(|index| (index, index, 1.0)).collect());
        let places = || {
            let of_mass = mass.iter().map(|&(row, column, _)| (row, column));
            entries.iter().copied().chain(of_mass)
        };
        let below = |(row, column): (usize, usize)| row.saturating_sub(column);
        let above = |(row, column): (usize, usize)| column.saturating_sub(row);
        let lower = places().map(below).max().unwrap_or(0);
        let upper = places().map(above).max().unwrap_or(0);
        // A band costs 2 l (l + u) operations per column, full elimination 2/3 n^2 that run faster; sparse elimination starts late.
        let storage = if n >= 8 && 3 * lower * (lower + upper) < n * n / 4 && 2 * lower + upper < n
        {
            JacobianStorage::Banded { lower, upper }
        } else if n >= 64 && 10 * (entries.len() + mass.len()) < n * n {
            JacobianStorage::Sparse
        } else {
            JacobianStorage::Dense
        };
        // A band of which little is used is better served by its entries.
        let storage = match storage {
            JacobianStorage::Banded { lower, upper }
                if lower + upper > 40 && 8 * entries.len() < n * (lower + upper) =>
            {
                JacobianStorage::Sparse
            }
            other => other,
        };
        Self {
            n,
            entries,
            mass,
            identity,
            storage,
        }
    }

    /// The storage that was chosen.
    pub fn storage(&self) -> JacobianStorage {
        self.storage
    }

    /// `y = M x`, for each part of the length of the matrix.
    pub fn apply_mass(&self, x: &[f64], y: &mut [f64]) {
        if self.identity {
            y.copy_from_slice(x);
            return;
        }
        y.fill(0.0);
        for (x, y) in x.chunks_exact(self.n).zip(y.chunks_exact_mut(self.n)) {
            for &(row, column, value) in &self.mass {
                y[row] += value * x[column];
            }
        }
    }
}
