//! `P A P' = L L'` of a sparse symmetric positive definite matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};

use super::{CsrMatrix, IndefiniteEvidence, SparseError, go_on, reserve_bytes};
use crate::dense::condition::LinearOperator;
use crate::watch::Watch;

const WHAT: &str = "the Cholesky factorisation";
/// Value and index of an entry of the factor, with the zeros that joined columns hold.
const BYTES_PER_ENTRY: u64 = 24;
/// Operations of the symbolic phase per entry of the factor.
const ANALYSIS: f64 = 20.0;

/// Cost of a Cholesky factorisation, known before it starts.
#[derive(Debug, Clone)]
pub struct CholeskyPlan {
    /// Row and column `order[i]` of `A` comes at place i.
    order: Vec<usize>,
    places: Vec<usize>,
    /// Entries of `L`.
    pub fill: usize,
    /// Multiplications and additions.
    pub operations: f64,
}

/// The factor, and the order in which the unknowns were eliminated.
#[derive(Debug)]
pub(crate) struct SparseCholesky {
    plan: CholeskyPlan,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
}

impl CholeskyPlan {
    /// Orders the unknowns by approximate minimum degree, counts the entries of `L` and sets their memory aside; `None` as soon as
    /// they are more than `fill_max`.
    ///
    /// # References
    /// P. R. Amestoy, T. A. Davis, I. S. Duff, "An approximate minimum degree ordering algorithm", SIAM J. Matrix Anal. Appl.
    /// 17, 1996; J. W. H. Liu, "The role of elimination trees in sparse factorization", same journal 11, 1990.
    ///
    /// # Errors
    /// Stopped, no memory, or more work than the deadline allows.
    pub(crate) fn new(
        a: &CsrMatrix,
        fill_max: usize,
        watch: &dyn Watch,
    ) -> Result<Option<Self>, SparseError> {
        let n = a.row_count();
        let request = amd::order_scratch::<usize>(n, a.nonzeros());
        reserve_bytes(
            watch,
            WHAT,
            request.size_bytes() as u64 + 8 * (a.nonzeros() + 5 * n) as u64,
        )?;
        let indices: Vec<usize> = a.columns().iter().map(|&column| column as usize).collect();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, a.starts(), None, &indices);
        let (mut order, mut places) = (vec![0; n], vec![0; n]);
        let mut memory = MemBuffer::new(request);
        amd::order(
            &mut order,
            &mut places,
            pattern,
            amd::Control::default(),
            MemStack::new(&mut memory),
        )
        .map_err(|_| SparseError::Memory {
            what: WHAT,
            bytes: request.size_bytes() as u64,
        })?;
        drop(memory);
        let Some(counts) = column_counts(a, &order, &places, fill_max, watch)? else {
            return Ok(None);
        };
        let operations = counts.iter().map(|&count| (count as f64).powi(2)).sum();
        Ok(Some(Self {
            order,
            places,
            fill: counts.iter().sum(),
            operations,
        }))
    }
}

/// Entries in each column of `L`, by walking the elimination tree once per entry; sets aside the memory they need.
fn column_counts(
    a: &CsrMatrix,
    order: &[usize],
    places: &[usize],
    fill_max: usize,
    watch: &dyn Watch,
) -> Result<Option<Vec<usize>>, SparseError> {
    const NONE: usize = usize::MAX;
    const CHECK: usize = 1 << 20;
    const CHUNK_MIN: usize = 1 << 10;
    let n = order.len();
    let (mut parent, mut visited, mut counts) = (vec![NONE; n], vec![NONE; n], vec![1_usize; n]);
    let (mut fill, mut reserved) = (n, 0);
    for (step, &row) in order.iter().enumerate() {
        visited[step] = step;
        for &column in a.row(row).0 {
            let mut at = places[column as usize];
            while at < step && visited[at] != step {
                if parent[at] == NONE {
                    parent[at] = step;
                }
                counts[at] += 1;
                fill += 1;
                visited[at] = step;
                at = parent[at];
            }
        }
        if fill > fill_max {
            return Ok(None);
        }
        if fill > reserved {
            let chunk = fill.clamp(CHUNK_MIN, CHECK);
            reserve_bytes(watch, WHAT, BYTES_PER_ENTRY * chunk as u64)?;
            reserved += chunk;
            go_on(watch)?;
            check_operations(watch, ANALYSIS * fill as f64)?;
        }
    }
    Ok(Some(counts))
}

fn check_operations(watch: &dyn Watch, operations: f64) -> Result<(), SparseError> {
    watch.afford(operations).map_err(|_| SparseError::Cost {
        what: WHAT,
        operations,
    })
}

impl SparseCholesky {
    /// Factors the symmetric matrix.
    ///
    /// # Method
    /// faer's supernodal elimination where the columns are long, else its simplicial one.
    ///
    /// # Errors
    /// [`SparseError::NotPositiveDefinite`], no memory, or more work than the deadline allows.
    pub(crate) fn new(
        a: &CsrMatrix,
        plan: CholeskyPlan,
        watch: &dyn Watch,
    ) -> Result<Self, SparseError> {
        // Large factors were measured at 2 to 10 operations a nanosecond.
        check_operations(watch, 0.5 * plan.operations + ANALYSIS * plan.fill as f64)?;
        reserve_bytes(watch, WHAT, 64 * a.nonzeros() as u64)?;
        let n = a.row_count();
        let (starts, rows, values) = upper_triangle(a, &plan);
        let out_of_memory = |_| SparseError::Memory {
            what: WHAT,
            bytes: BYTES_PER_ENTRY * plan.fill as u64,
        };
        let pattern = SymbolicSparseColMatRef::new_unsorted_checked(n, n, &starts, None, &rows);
        let symbolic = factorize_symbolic_cholesky(
            pattern,
            Side::Upper,
            SymmetricOrdering::Identity,
            CholeskySymbolicParams::default(),
        )
        .map_err(out_of_memory)?;
        go_on(watch)?;
        let mut factor = vec![0.0; symbolic.len_val()];
        let request = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default());
        reserve_bytes(watch, WHAT, request.size_bytes() as u64)?;
        let outcome = symbolic.factorize_numeric_llt(
            &mut factor,
            SparseColMatRef::new(pattern, &values),
            Side::Upper,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(request)),
            Spec::default(),
        );
        match outcome {
            Ok(_) => Ok(Self {
                plan,
                symbolic,
                values: factor,
            }),
            Err(LltError::NonPositivePivot { index }) => {
                let row = plan.order.get(index).copied().unwrap_or(index);
                Err(SparseError::NotPositiveDefinite(IndefiniteEvidence::Pivot(
                    row,
                )))
            }
        }
    }

    /// Entries of the factor, with the zeros that are stored.
    pub(crate) fn fill(&self) -> usize {
        self.values.len()
    }
}

/// The upper triangle of `P A P'` by compressed columns.
fn upper_triangle(a: &CsrMatrix, plan: &CholeskyPlan) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let half = a.nonzeros() / 2 + a.row_count();
    let (mut starts, mut rows, mut values) =
        (vec![0], Vec::with_capacity(half), Vec::with_capacity(half));
    for (step, &row) in plan.order.iter().enumerate() {
        let (columns, entries) = a.row(row);
        for (&column, &entry) in columns.iter().zip(entries) {
            let place = plan.places[column as usize];
            if place <= step {
                rows.push(place);
                values.push(entry);
            }
        }
        starts.push(rows.len());
    }
    (starts, rows, values)
}

impl LinearOperator for SparseCholesky {
    fn size(&self) -> usize {
        self.plan.order.len()
    }

    /// Solves `A y = x`.
    fn apply(&self, x: &mut [f64]) {
        let n = x.len();
        let mut permuted: Vec<f64> = self.plan.order.iter().map(|&row| x[row]).collect();
        let request = self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut permuted, n, 1),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(request)),
        );
        for (place, &row) in self.plan.order.iter().enumerate() {
            x[row] = permuted[place];
        }
    }

    fn apply_transposed(&self, x: &mut [f64]) {
        self.apply(x);
    }
}
