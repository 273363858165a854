//! Powers of two that bring programs near 1 whose numbers are all far from it: the methods compare what they find with tolerances of about
//! 1e-9, in units in which a variable, a cost or an entry of 1 is an ordinary one.

use numerics::dense::{exponent_of, scale_by_exponent};
use numerics::programming::{linear, quadratic};
use numerics::sparse::CsrMatrix;

/// Binary exponents up to this are ordinary: about 1e-4 to 1e4.
const ORDINARY: i32 = 14;
/// Beyond this, near the ends of the range of doubles, answers in other units may have no double in the caller's.
const EXTREME: i32 = 300;

/// The exponent of the nearest to 1 of numbers that are all far from 1, on the same side; else 0. Where sizes differ, the larger ones count, or some lie near
/// 1: then what the caller chose stays.
fn far(values: impl Iterator<Item = f64>) -> i32 {
    let values = values.filter(|value| value.is_finite() && *value != 0.0);
    let exponents = values.map(|value| exponent_of(value.abs()));
    let ends = exponents.fold(None, |ends: Option<(i32, i32)>, exponent| {
        let (least, most) = ends.unwrap_or((exponent, exponent));
        Some((least.min(exponent), most.max(exponent)))
    });
    match ends {
        Some((_, most)) if (-EXTREME..-ORDINARY).contains(&most) => most,
        Some((least, _)) if (ORDINARY + 1..EXTREME).contains(&least) => least,
        _ => 0,
    }
}

fn rows_of(matrix: &CsrMatrix) -> Vec<i32> {
    let rows = 0..matrix.row_count();
    rows.map(|row| far(matrix.row(row).1.iter().copied()))
        .collect()
}

/// A matrix with its rows divided by powers of two.
fn divided(matrix: &CsrMatrix, rows: &[i32]) -> CsrMatrix {
    let rows: Vec<i32> = rows.iter().map(|row| -row).collect();
    let columns = vec![0; matrix.column_count()];
    matrix.clone().scaled(&rows, &columns)
}

fn multiply(values: &mut [f64], exponent: i32) {
    for value in values {
        *value = scale_by_exponent(*value, exponent);
    }
}

/// Multiplies each value by a power of two of its own.
fn multiply_each(values: &mut [f64], exponents: impl Iterator<Item = i32>) {
    for (value, exponent) in values.iter_mut().zip(exponents) {
        *value = scale_by_exponent(*value, exponent);
    }
}

/// Whether numbers keep in the other units what they are: zero, finite, infinite.
fn keep<'a>(
    before: impl IntoIterator<Item = &'a f64>,
    after: impl IntoIterator<Item = &'a f64>,
) -> bool {
    let kind = |value: &f64| (*value == 0.0, value.is_finite());
    let pairs = before.into_iter().zip(after);
    pairs
        .into_iter()
        .all(|(before, after)| kind(before) == kind(after))
}

/// Exponents of the units of a program: of its objective over that of a variable, of its variables, and of its rows.
#[derive(Debug, Clone, Default)]
pub(super) struct ProgramUnits {
    costs: i32,
    x: i32,
    rows: Vec<i32>,
}

impl ProgramUnits {
    /// The units of a linear program, and the program in them; none where all are 1. Integer variables keep theirs.
    pub(super) fn of_linear(
        program: &linear::LinearProgram,
        has_integers: bool,
    ) -> Option<(Self, linear::LinearProgram)> {
        let rows = rows_of(&program.matrix);
        let costs = far(program.costs.iter().copied());
        let sides = program.row_low.iter().zip(&rows);
        let sides = sides.chain(program.row_high.iter().zip(&rows));
        let sides = sides.map(|(side, row)| scale_by_exponent(*side, -row));
        let bounds = program.low.iter().chain(&program.high).copied();
        let x = if has_integers {
            0
        } else {
            far(sides.chain(bounds))
        };
        if costs == 0 && x == 0 && rows.iter().all(|row| *row == 0) {
            return None;
        }
        let mut new = linear::LinearProgram {
            matrix: divided(&program.matrix, &rows),
            ..program.clone()
        };
        multiply(&mut new.costs, -costs);
        for sides in [&mut new.row_low, &mut new.row_high] {
            multiply_each(sides, rows.iter().map(|row| -row - x));
        }
        for bounds in [&mut new.low, &mut new.high] {
            multiply(bounds, -x);
        }
        let fits = keep(program.matrix.values(), new.matrix.values())
            && keep(&program.costs, &new.costs)
            && keep(&program.row_low, &new.row_low)
            && keep(&program.row_high, &new.row_high)
            && keep(&program.low, &new.low)
            && keep(&program.high, &new.high);
        fits.then_some((Self { costs, x, rows }, new))
    }

    /// A solution in the units of the program that was given.
    pub(super) fn restore(&self, solution: &mut linear::SimplexSolution) {
        let rows = || self.rows.iter();
        multiply(&mut solution.x, self.x);
        multiply(&mut solution.reduced, self.costs);
        multiply_each(&mut solution.duals, rows().map(|row| self.costs - row));
        solution.objective = self.objective(solution.objective);
        // Of rows where the program is infeasible; a direction stays one.
        if let Some(ray) = &mut solution.ray
            && solution.status == linear::SimplexStatus::Infeasible
        {
            multiply_each(ray, rows().map(|row| -row));
        }
    }

    /// A value of the objective.
    pub(super) fn objective(&self, value: f64) -> f64 {
        scale_by_exponent(value, self.costs + self.x)
    }
}

/// The units of a quadratic program: exponents of its objective, its variables, and the rows of inequalities and of equations.
#[derive(Debug, Clone, Default)]
pub(super) struct QuadraticUnits {
    objective: i32,
    x: i32,
    ub: Vec<i32>,
    eq: Vec<i32>,
}

impl QuadraticUnits {
    /// The units of a program, and the program in them; none where all are 1.
    pub(super) fn of(
        program: &quadratic::QuadraticProgram,
    ) -> Option<(Self, quadratic::QuadraticProgram)> {
        let (ub, eq) = (rows_of(&program.a_ub), rows_of(&program.a_eq));
        let sides = program.b_ub.iter().zip(&ub);
        let sides = sides.chain(program.b_eq.iter().zip(&eq));
        let sides = sides.map(|(side, row)| scale_by_exponent(*side, -row));
        let bounds = program.low.iter().chain(&program.high).copied();
        let curvature = numerics::dense::max_abs(program.p.values());
        let steps = program.c.iter().map(|c| c / curvature);
        let x = far(sides.chain(bounds).chain(steps));
        let squares = program
            .p
            .values()
            .iter()
            .map(|p| scale_by_exponent(*p, 2 * x));
        let linear = program.c.iter().map(|c| scale_by_exponent(*c, x));
        let objective = far(squares.chain(linear));
        if objective == 0 && x == 0 && ub.iter().chain(&eq).all(|row| *row == 0) {
            return None;
        }
        let by = 2 * x - objective;
        let rows = vec![by; program.n()];
        let columns = vec![0; program.n()];
        let mut new = quadratic::QuadraticProgram {
            p: program.p.clone().scaled(&rows, &columns),
            a_ub: divided(&program.a_ub, &ub),
            a_eq: divided(&program.a_eq, &eq),
            ..program.clone()
        };
        multiply(&mut new.c, x - objective);
        multiply_each(&mut new.b_ub, ub.iter().map(|row| -row - x));
        multiply_each(&mut new.b_eq, eq.iter().map(|row| -row - x));
        for bounds in [&mut new.low, &mut new.high] {
            multiply(bounds, -x);
        }
        let units = Self {
            objective,
            x,
            ub,
            eq,
        };
        let fits = keep(program.p.values(), new.p.values())
            && keep(&program.c, &new.c)
            && keep(program.a_ub.values(), new.a_ub.values())
            && keep(program.a_eq.values(), new.a_eq.values())
            && keep(&program.b_ub, &new.b_ub)
            && keep(&program.b_eq, &new.b_eq)
            && keep(&program.low, &new.low)
            && keep(&program.high, &new.high);
        fits.then_some((units, new))
    }

    /// A point in the units of the program that was given.
    pub(super) fn restore(&self, point: &mut quadratic::PrimalDualPoint) {
        let by = self.objective - self.x;
        multiply(&mut point.x, self.x);
        multiply_each(&mut point.ub, self.ub.iter().map(|row| by - row));
        multiply_each(&mut point.eq, self.eq.iter().map(|row| by - row));
        multiply(&mut point.low, by);
        multiply(&mut point.high, by);
    }

    /// Residuals in these units; the one of constraints stays for the caller, since each row has a unit of its own.
    pub(super) fn restore_residuals(&self, kkt: &mut quadratic::KktResiduals) {
        kkt.stationarity = scale_by_exponent(kkt.stationarity, self.objective - self.x);
        kkt.complementarity = scale_by_exponent(kkt.complementarity, self.objective);
        kkt.gap = scale_by_exponent(kkt.gap, self.objective);
    }

    /// A failure in these units.
    pub(super) fn failure(
        &self,
        failure: quadratic::QuadraticFailure,
    ) -> quadratic::QuadraticFailure {
        match failure {
            quadratic::QuadraticFailure::Infeasible {
                mut multipliers,
                beyond,
            } => {
                // Rows add up to -1 again.
                let plain = Self {
                    objective: 0,
                    ..self.clone()
                };
                plain.restore(&mut multipliers);
                let beyond = scale_by_exponent(beyond, self.x);
                quadratic::QuadraticFailure::Infeasible {
                    multipliers,
                    beyond,
                }
            }
            quadratic::QuadraticFailure::Unbounded {
                mut direction,
                error,
            } => {
                multiply(&mut direction, self.x - self.objective);
                quadratic::QuadraticFailure::Unbounded { direction, error }
            }
            other => other,
        }
    }
}
