//! The optimum as the solution of linear equations: those of its active constraints.

use super::check::kkt_residuals;
use super::{KktResiduals, PrimalDualPoint, QuadraticFailure, QuadraticProgram};
use crate::dense::condition::LinearOperator;
use crate::dense::max_abs;
use crate::sparse::lu::SparseLu;
use crate::sparse::{CsrMatrix, SparseError};
use crate::watch::Watch;

/// A constraint that is taken as an equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ActiveConstraint {
    Equation(usize),
    Inequality(usize),
    Low(usize),
    High(usize),
}

/// A better point, where solving equations gives one.
pub(super) fn polish_point(
    program: &QuadraticProgram,
    from: &PrimalDualPoint,
    before: &KktResiduals,
    watch: &dyn Watch,
) -> Result<Option<(PrimalDualPoint, KktResiduals)>, QuadraticFailure> {
    const ROUNDS: usize = 10;
    const OPERATIONS_MAX: f64 = 5e9;
    let mut active = first_guess(program, from);
    let mut best: Option<(PrimalDualPoint, KktResiduals)> = None;
    for _ in 0..ROUNDS {
        if watch.check().is_err() {
            return Err(SparseError::Stopped.into());
        }
        let found = match solve_active_set(program, from, &active, OPERATIONS_MAX, watch) {
            Ok(found) => found,
            Err(SparseError::Stopped) => return Err(SparseError::Stopped.into()),
            Err(_) => break,
        };
        let Some(found) = found else { break };
        let next = exchange_active(program, &found, &active);
        let mut point = found;
        for multipliers in [&mut point.ub, &mut point.low, &mut point.high] {
            multipliers
                .iter_mut()
                .for_each(|value| *value = value.max(0.0));
        }
        clamp_point(program, &mut point, &active);
        let residuals = kkt_residuals(program, &point);
        let reference = best.as_ref().map_or(before, |(_, kkt)| kkt);
        // Not when NaN.
        if residuals.relative() < reference.relative() {
            best = Some((point, residuals));
        }
        match next {
            Some(next) if next != active => active = next,
            _ => break,
        }
    }
    Ok(best)
}

/// Rounding must not lead over a bound.
fn clamp_point(
    program: &QuadraticProgram,
    point: &mut PrimalDualPoint,
    active: &[ActiveConstraint],
) {
    for (index, x) in point.x.iter_mut().enumerate() {
        let (low, high) = (program.low[index], program.high[index]);
        let near = 1e-12 * x.abs().max(1.0);
        if (*x < low && low - *x <= near)
            || active.binary_search(&ActiveConstraint::Low(index)).is_ok()
        {
            *x = low;
        }
        if (*x > high && *x - high <= near)
            || active.binary_search(&ActiveConstraint::High(index)).is_ok()
        {
            *x = high;
        }
    }
}

fn row_slack(a: &CsrMatrix, row: usize, b: f64, x: &[f64]) -> f64 {
    let (columns, values) = a.row(row);
    let terms = columns
        .iter()
        .zip(values)
        .map(|(&column, value)| value * x[column as usize]);
    b - terms.sum::<f64>()
}

/// Constraints whose multiplier exceeds their slack.
fn first_guess(program: &QuadraticProgram, at: &PrimalDualPoint) -> Vec<ActiveConstraint> {
    let mut active: Vec<ActiveConstraint> = (0..program.b_eq.len())
        .map(ActiveConstraint::Equation)
        .collect();
    for (row, &b) in program.b_ub.iter().enumerate() {
        if at.ub[row] > row_slack(&program.a_ub, row, b, &at.x) {
            active.push(ActiveConstraint::Inequality(row));
        }
    }
    for index in 0..program.n() {
        let (low, high) = (program.low[index], program.high[index]);
        let below = low.is_finite() && at.low[index] > at.x[index] - low;
        let above = high.is_finite() && at.high[index] > high - at.x[index];
        if below {
            active.push(ActiveConstraint::Low(index));
        } else if above {
            active.push(ActiveConstraint::High(index));
        }
    }
    active.sort_unstable();
    active
}

/// The set without constraints of wrong signs, and with the violated ones; `None` where nothing is wrong.
fn exchange_active(
    program: &QuadraticProgram,
    at: &PrimalDualPoint,
    active: &[ActiveConstraint],
) -> Option<Vec<ActiveConstraint>> {
    const SMALL: f64 = 1e-12;
    let wrong = SMALL * max_abs(&program.c).max(1.0);
    let keeps = |one: &ActiveConstraint| match *one {
        ActiveConstraint::Equation(_) => true,
        ActiveConstraint::Inequality(row) => at.ub[row] >= -wrong,
        ActiveConstraint::Low(index) => at.low[index] >= -wrong,
        ActiveConstraint::High(index) => at.high[index] >= -wrong,
    };
    let mut next: Vec<ActiveConstraint> = active.iter().copied().filter(keeps).collect();
    let is_in = |one: ActiveConstraint| active.binary_search(&one).is_ok();
    for (row, &b) in program.b_ub.iter().enumerate() {
        let violated = row_slack(&program.a_ub, row, b, &at.x) < -SMALL * b.abs().max(1.0);
        if violated && !is_in(ActiveConstraint::Inequality(row)) {
            next.push(ActiveConstraint::Inequality(row));
        }
    }
    for index in 0..program.n() {
        let (x, near) = (at.x[index], SMALL * at.x[index].abs().max(1.0));
        for (bound, violated) in [
            (ActiveConstraint::Low(index), x < program.low[index] - near),
            (
                ActiveConstraint::High(index),
                x > program.high[index] + near,
            ),
        ] {
            if violated && !is_in(bound) {
                next.push(bound);
            }
        }
    }
    next.sort_unstable();
    (next != active).then_some(next)
}

/// Solves `P x + A' y = -c`, `A x = b` for the active rows A; `None` where the refinement does not settle.
///
/// Both blocks of the diagonal are shifted by a little for the factors, so that they exist also where multipliers are not unique; the refinement is
/// against the equations as they are.
fn solve_active_set(
    program: &QuadraticProgram,
    from: &PrimalDualPoint,
    active: &[ActiveConstraint],
    operations_max: f64,
    watch: &dyn Watch,
) -> Result<Option<PrimalDualPoint>, SparseError> {
    const SHIFT: f64 = 1e-9;
    const ROUNDS: usize = 30;
    let n = program.n();
    let size = n + active.len();
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..n {
        let (of, entries) = program.p.row(row);
        rows.resize(rows.len() + of.len(), row as u32);
        columns.extend_from_slice(of);
        values.extend_from_slice(entries);
    }
    let mut side: Vec<f64> = program.c.iter().map(|c| -c).collect();
    for (position, &one) in active.iter().enumerate() {
        let below = (n + position) as u32;
        let mut put = |column: u32, value: f64| {
            rows.extend([below, column]);
            columns.extend([column, below]);
            values.extend([value, value]);
        };
        match one {
            ActiveConstraint::Equation(row) | ActiveConstraint::Inequality(row) => {
                let is_equation = matches!(one, ActiveConstraint::Equation(_));
                let (a, b) = if is_equation {
                    (&program.a_eq, &program.b_eq)
                } else {
                    (&program.a_ub, &program.b_ub)
                };
                let (of, entries) = a.row(row);
                of.iter()
                    .zip(entries)
                    .for_each(|(&column, &value)| put(column, value));
                side.push(b[row]);
            }
            ActiveConstraint::Low(index) => {
                put(index as u32, -1.0);
                side.push(-program.low[index]);
            }
            ActiveConstraint::High(index) => {
                put(index as u32, 1.0);
                side.push(program.high[index]);
            }
        }
    }
    let exact = CsrMatrix::from_triplets(size, size, &rows, &columns, &values);
    let scale = max_abs(exact.values()).max(f64::MIN_POSITIVE);
    for index in 0..size {
        rows.push(index as u32);
        columns.push(index as u32);
        values.push(if index < n {
            SHIFT * scale
        } else {
            -SHIFT * scale
        });
    }
    let shifted = CsrMatrix::from_triplets(size, size, &rows, &columns, &values);
    drop((rows, columns, values));
    let factors = SparseLu::new(&shifted, operations_max, watch)?;
    let mut found = starting_vector(n, from, active);
    let mut last = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut rest = exact.precise_residual(&found, &side);
        let most = max_abs(&rest);
        if most.is_nan() {
            return Ok(None);
        }
        if most == 0.0 || most > 0.5 * last {
            break;
        }
        last = most;
        factors.apply(&mut rest);
        found
            .iter_mut()
            .zip(&rest)
            .for_each(|(x, correction)| *x += correction);
    }
    Ok(found
        .iter()
        .all(|value| value.is_finite())
        .then(|| taken_apart(program, &found, active)))
}

/// The point that is improved, in the order of the equations.
fn starting_vector(n: usize, from: &PrimalDualPoint, active: &[ActiveConstraint]) -> Vec<f64> {
    let multiplier = |one: &ActiveConstraint| match *one {
        ActiveConstraint::Equation(row) => from.eq[row],
        ActiveConstraint::Inequality(row) => from.ub[row],
        ActiveConstraint::Low(index) => from.low[index],
        ActiveConstraint::High(index) => from.high[index],
    };
    let mut all = from.x[..n].to_vec();
    all.extend(active.iter().map(multiplier));
    all
}

fn taken_apart(
    program: &QuadraticProgram,
    found: &[f64],
    active: &[ActiveConstraint],
) -> PrimalDualPoint {
    let n = program.n();
    let mut point = PrimalDualPoint {
        x: found[..n].to_vec(),
        ub: vec![0.0; program.b_ub.len()],
        eq: vec![0.0; program.b_eq.len()],
        low: vec![0.0; n],
        high: vec![0.0; n],
    };
    for (&one, &multiplier) in active.iter().zip(&found[n..]) {
        match one {
            ActiveConstraint::Equation(row) => point.eq[row] = multiplier,
            ActiveConstraint::Inequality(row) => point.ub[row] = multiplier,
            ActiveConstraint::Low(index) => point.low[index] = multiplier,
            ActiveConstraint::High(index) => point.high[index] = multiplier,
        }
    }
    point
}
