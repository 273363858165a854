//! The interior-point method of `clarabel`, and its certificates checked.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultInfo, DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus,
    SupportedConeT::{NonnegativeConeT, ZeroConeT},
};

use super::check::KktResiduals;
use super::{PrimalDualPoint, QuadraticEnd, QuadraticFailure, QuadraticProgram, QuadraticSolution};
use crate::dense::{dot, max_abs};
use crate::sparse::cholesky::CholeskyPlan;
use crate::sparse::{CsrMatrix, SparseError};
use crate::watch::Watch;

/// Where the rows of all constraints are: equations, inequalities, lower and upper bounds.
struct ConstraintLayout {
    equations: usize,
    inequalities: usize,
    low: Vec<usize>,
    high: Vec<usize>,
}

impl ConstraintLayout {
    fn of(program: &QuadraticProgram) -> Self {
        let finite = |bounds: &[f64]| {
            (0..bounds.len())
                .filter(|&at| bounds[at].is_finite())
                .collect()
        };
        Self {
            equations: program.b_eq.len(),
            inequalities: program.b_ub.len(),
            low: finite(&program.low),
            high: finite(&program.high),
        }
    }

    fn rows(&self) -> usize {
        self.equations + self.inequalities + self.low.len() + self.high.len()
    }

    /// The multipliers by what they belong to.
    fn point(&self, x: &[f64], z: &[f64]) -> PrimalDualPoint {
        let n = x.len();
        let (eq, rest) = z.split_at(self.equations);
        let (ub, rest) = rest.split_at(self.inequalities);
        let (low, high) = rest.split_at(self.low.len());
        let spread = |places: &[usize], values: &[f64]| {
            let mut all = vec![0.0; n];
            places
                .iter()
                .zip(values)
                .for_each(|(&at, &value)| all[at] = value.max(0.0));
            all
        };
        PrimalDualPoint {
            x: x.to_vec(),
            eq: eq.to_vec(),
            ub: ub.iter().map(|value| value.max(0.0)).collect(),
            low: spread(&self.low, low),
            high: spread(&self.high, high),
        }
    }
}

fn conic_constraints(
    program: &QuadraticProgram,
    layout: &ConstraintLayout,
) -> (CsrMatrix, Vec<f64>) {
    let entries =
        program.a_eq.nonzeros() + program.a_ub.nonzeros() + layout.low.len() + layout.high.len();
    let (mut starts, mut columns, mut values) = (
        vec![0],
        Vec::with_capacity(entries),
        Vec::with_capacity(entries),
    );
    let mut b = Vec::with_capacity(layout.rows());
    for (a, sides) in [
        (&program.a_eq, &program.b_eq),
        (&program.a_ub, &program.b_ub),
    ] {
        for (row, side) in sides.iter().enumerate() {
            let (of, entries) = a.row(row);
            columns.extend_from_slice(of);
            values.extend_from_slice(entries);
            starts.push(columns.len());
            b.push(*side);
        }
    }
    for (places, bounds, sign) in [
        (&layout.low, &program.low, -1.0),
        (&layout.high, &program.high, 1.0),
    ] {
        for &at in places {
            columns.push(at as u32);
            values.push(sign);
            starts.push(columns.len());
            b.push(sign * bounds[at]);
        }
    }
    (
        CsrMatrix::from_rows(program.n(), starts, columns, values),
        b,
    )
}

/// By columns, as `clarabel` takes it.
fn by_columns(a: &CsrMatrix, rows: usize) -> CscMatrix<f64> {
    let turned = a.transposed();
    let indices = turned.columns().iter().map(|&row| row as usize).collect();
    CscMatrix::new(
        rows,
        a.column_count(),
        turned.starts().to_vec(),
        indices,
        turned.values().to_vec(),
    )
}

fn upper_triangle(p: &CsrMatrix) -> CscMatrix<f64> {
    let n = p.row_count();
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    // By symmetry row j is column j: its entries up to the diagonal.
    for column in 0..n {
        let (of, entries) = p.row(column);
        for (&row, &value) in of
            .iter()
            .zip(entries)
            .filter(|(row, _)| **row as usize <= column)
        {
            rows.push(row as usize);
            values.push(value);
        }
        starts.push(rows.len());
    }
    CscMatrix::new(n, n, starts, rows, values)
}

/// Refuses factors that do not fit into memory or an iteration that outlasts the deadline.
fn check_cost(
    program: &QuadraticProgram,
    a: &CsrMatrix,
    watch: &dyn Watch,
) -> Result<(), SparseError> {
    let (n, m) = (program.n(), a.row_count());
    let count = program.p.nonzeros() + 2 * a.nonzeros() + n + m;
    crate::sparse::reserve_bytes(watch, "the program", 120 * count as u64)?;
    let (mut rows, mut columns) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for row in 0..n {
        rows.push(row as u32);
        columns.push(row as u32);
        for &column in program.p.row(row).0 {
            rows.push(row as u32);
            columns.push(column);
        }
    }
    for row in 0..m {
        let below = (n + row) as u32;
        rows.push(below);
        columns.push(below);
        for &column in a.row(row).0 {
            rows.extend([below, column]);
            columns.extend([column, below]);
        }
    }
    let ones = vec![1.0; rows.len()];
    let pattern = CsrMatrix::from_triplets(n + m, n + m, &rows, &columns, &ones);
    if let Some(plan) = CholeskyPlan::new(&pattern, usize::MAX, watch)? {
        const ITERATIONS: f64 = 3.0;
        let operations = ITERATIONS * plan.operations;
        let what = "three iterations";
        watch
            .afford(operations)
            .map_err(|_| SparseError::Cost { what, operations })?;
    }
    Ok(())
}

/// Solves a program, or finds a certificate; the residuals are left to the caller.
pub(super) fn solve_interior_point(
    program: &QuadraticProgram,
    iterations_max: u32,
    watch: &dyn Watch,
) -> Result<QuadraticSolution, QuadraticFailure> {
    let layout = ConstraintLayout::of(program);
    let (a, b) = conic_constraints(program, &layout);
    check_cost(program, &a, watch)?;
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .max_iter(iterations_max)
        .max_threads(1)
        .direct_solve_method("qdldl".to_owned())
        .tol_gap_abs(1e-10)
        .tol_gap_rel(1e-10)
        .tol_feas(1e-10)
        .tol_infeas_abs(1e-10)
        .tol_infeas_rel(1e-10)
        .build()
        .map_err(|_| QuadraticFailure::Stalled)?;
    let cones = [
        ZeroConeT(layout.equations),
        NonnegativeConeT(layout.rows() - layout.equations),
    ];
    let (p, matrix) = (upper_triangle(&program.p), by_columns(&a, layout.rows()));
    let Ok(mut solver) = DefaultSolver::new(&p, &program.c, &matrix, &b, &cones, settings) else {
        return Err(QuadraticFailure::Stalled);
    };
    let stop = watch.stop_handle();
    solver.set_termination_callback(move |_: &DefaultInfo<f64>| stop());
    solver.solve();
    let found = &solver.solution;
    let ending = match found.status {
        SolverStatus::Solved => QuadraticEnd::Converged,
        SolverStatus::MaxIterations => QuadraticEnd::Iterations,
        SolverStatus::CallbackTerminated => return Err(SparseError::Stopped.into()),
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => {
            return Err(infeasibility_certificate(&layout, &a, &b, &found.z));
        }
        SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => {
            return Err(unboundedness_certificate(program, &layout, &a, &found.x));
        }
        _ => QuadraticEnd::Stalled,
    };
    if found
        .x
        .iter()
        .chain(&found.z)
        .any(|value| !value.is_finite())
    {
        return Err(QuadraticFailure::Stalled);
    }
    Ok(QuadraticSolution {
        point: layout.point(&found.x, &found.z),
        kkt: KktResiduals {
            stationarity: f64::NAN,
            violation: f64::NAN,
            complementarity: f64::NAN,
            sign: f64::NAN,
            gap: f64::NAN,
            objective_size: 1.0,
            gradient_size: 1.0,
            constraint_size: 1.0,
        },
        iterations: found.iterations,
        polished: false,
        ending,
    })
}

/// What is left of certificates may be this large.
const CERTIFIED: f64 = 1e-6;

fn infeasibility_certificate(
    layout: &ConstraintLayout,
    a: &CsrMatrix,
    b: &[f64],
    z: &[f64],
) -> QuadraticFailure {
    let mut z = z.to_vec();
    z[layout.equations..]
        .iter_mut()
        .for_each(|value| *value = value.max(0.0));
    let value = -dot(&z, b);
    if value.is_nan() || value <= 0.0 {
        return QuadraticFailure::Stalled;
    }
    z.iter_mut().for_each(|entry| *entry /= value);
    let mut rest = vec![0.0; a.column_count()];
    for (row, multiplier) in z.iter().enumerate() {
        let (columns, values) = a.row(row);
        columns
            .iter()
            .zip(values)
            .for_each(|(&column, value)| rest[column as usize] += value * multiplier);
    }
    let largest = max_abs(&rest);
    let size = a.nonzeros().max(1) as f64;
    let terms = max_abs(a.values()) * max_abs(&z);
    if largest.is_nan() || largest > CERTIFIED * terms.max(1.0 / size) {
        return QuadraticFailure::Stalled;
    }
    let mut multipliers = layout.point(&vec![0.0; a.column_count()], &z);
    multipliers.x.clear();
    QuadraticFailure::Infeasible {
        multipliers: Box::new(multipliers),
        beyond: largest.recip(),
    }
}

fn unboundedness_certificate(
    program: &QuadraticProgram,
    layout: &ConstraintLayout,
    a: &CsrMatrix,
    x: &[f64],
) -> QuadraticFailure {
    let slope = -dot(&program.c, x);
    if slope.is_nan() || slope <= 0.0 {
        return QuadraticFailure::Stalled;
    }
    let direction: Vec<f64> = x.iter().map(|value| value / slope).collect();
    let (mut along, mut curved) = (vec![0.0; a.row_count()], vec![0.0; program.n()]);
    a.multiply(&direction, &mut along);
    program.p.multiply(&direction, &mut curved);
    let (equations, others) = along.split_at(layout.equations);
    let blocked = others.iter().fold(0.0_f64, |most, &value| most.max(value));
    let error = max_abs(equations).max(blocked).max(max_abs(&curved));
    let size = max_abs(&direction);
    let entries = max_abs(a.values()).max(max_abs(program.p.values()));
    if error.is_nan() || error > CERTIFIED * (size * entries).max(f64::MIN_POSITIVE) {
        return QuadraticFailure::Stalled;
    }
    QuadraticFailure::Unbounded { direction, error }
}
