//! The root of the search: the relaxation made tighter by rounds of cuts.

use super::aggregate::{AggregatedRow, RelaxedPoint};
use super::cover::separate_cover;
use super::cut::{CuttingPlane, choose_cuts};
use super::rounding::round_aggregate;
use super::{INTEGRAL, MilpLimits};
use crate::programming::linear::{
    LinearProgram, ResolverModel, SimplexOptions, SimplexResolver, SimplexStatus, WarmBasis,
};
use crate::sparse::CsrMatrix;

/// Rounds at most, and rounds in a row that hardly raise the bound.
const ROUNDS: usize = 30;
const IDLE: usize = 4;
/// A rise of the bound, relative to all of it so far, that counts.
const RISE: f64 = 0.01;
/// Rows in a combination at most.
const ROWS: usize = 6;
/// Rows of the tableau looked at in a round.
const TABLEAU: usize = 300;
/// Entries that a round looks at, for each entry of the matrix.
const LOOKS: u64 = 60;

/// A relaxation with cuts, the basis of its optimum, and the iterations that it took.
pub(super) struct RootRelaxation {
    pub(super) program: LinearProgram,
    pub(super) basis: Option<WarmBasis>,
    pub(super) iterations: u64,
    /// Whether it is more than the program as it was given.
    pub(super) is_tight: bool,
    /// Whether it has no point, proved.
    pub(super) is_infeasible: bool,
}

impl RootRelaxation {
    /// The program as it was given.
    pub(super) fn plain(program: &LinearProgram) -> Self {
        Self {
            program: program.clone(),
            basis: None,
            iterations: 0,
            is_tight: false,
            is_infeasible: false,
        }
    }
}

/// Adds cuts to a program in rounds while they raise the bound.
pub(super) fn tighten_root(
    mut program: LinearProgram,
    is_integer: &[bool],
    limits: &MilpLimits<'_>,
) -> RootRelaxation {
    let given = program.row_low.len();
    let mut basis = None;
    let mut iterations = 0;
    let mut is_infeasible = false;
    let (mut first, mut before, mut idle) = (f64::NAN, f64::NEG_INFINITY, 0);
    let mut kept: Option<(LinearProgram, Option<WarmBasis>)> = None;
    for round in 0..=ROUNDS {
        let options = SimplexOptions {
            max_iter: limits.options.max_iter.saturating_sub(iterations),
            watch: limits.options.watch,
        };
        let prepared = ResolverModel::new(&program);
        let mut resolver = prepared.resolver(&options);
        if let Some(basis) = &basis {
            resolver.start_from(basis);
        }
        let status = resolver.solve();
        iterations += resolver.iterations();
        if status != SimplexStatus::Optimal {
            is_infeasible = status == SimplexStatus::Infeasible && resolver.is_proved_infeasible();
            // The last relaxation with an optimum has all that is known.
            if let Some((last, last_basis)) = kept {
                (program, basis) = (last, last_basis);
            }
            break;
        }
        let mut x = vec![0.0; is_integer.len()];
        resolver.x(&mut x);
        let objective: f64 = program.costs.iter().zip(&x).map(|(c, x)| c * x).sum();
        if round == 0 {
            first = objective;
        }
        let rise = objective - before.max(first);
        idle = if round > 0 && rise <= RISE * (objective - first).max(1e-9 * first.abs()) {
            idle + 1
        } else {
            0
        };
        before = objective;
        // Cuts that the optimum does not touch are not needed.
        let now = resolver.basis();
        let is_kept: Vec<bool> = (0..program.row_low.len())
            .map(|row| row < given || !resolver.is_basic_row(row))
            .collect();
        let cuts = if round == ROUNDS || idle > IDLE || !is_fractional(&x, is_integer) {
            Vec::new()
        } else {
            separate_cuts(&program, is_integer, x, &mut resolver)
        };
        let is_last = cuts.is_empty();
        let next = replace_rows(&program, &is_kept, &cuts);
        let next_basis = Some(now.with_rows(program.costs.len(), &is_kept, cuts.len()));
        kept = Some((
            replace_rows(&program, &is_kept, &[]),
            Some(now.with_rows(program.costs.len(), &is_kept, 0)),
        ));
        (program, basis) = (next, next_basis);
        if is_last {
            break;
        }
    }
    RootRelaxation {
        program,
        basis,
        iterations,
        is_tight: true,
        is_infeasible,
    }
}

fn is_fractional(x: &[f64], is_integer: &[bool]) -> bool {
    x.iter()
        .zip(is_integer)
        .any(|(x, is_integer)| *is_integer && (x - x.round()).abs() > INTEGRAL)
}

/// A program without some rows and with cuts after the others.
pub(super) fn replace_rows(
    program: &LinearProgram,
    is_kept: &[bool],
    cuts: &[CuttingPlane],
) -> LinearProgram {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    let (mut row_low, mut row_high) = (Vec::new(), Vec::new());
    for row in (0..is_kept.len()).filter(|&row| is_kept[row]) {
        let (places, entries) = program.matrix.row(row);
        columns.extend_from_slice(places);
        values.extend_from_slice(entries);
        starts.push(columns.len());
        row_low.push(program.row_low[row]);
        row_high.push(program.row_high[row]);
    }
    for cut in cuts {
        columns.extend_from_slice(&cut.columns);
        values.extend_from_slice(&cut.values);
        starts.push(columns.len());
        row_low.push(f64::NEG_INFINITY);
        row_high.push(cut.high);
    }
    LinearProgram {
        matrix: CsrMatrix::from_rows(program.costs.len(), starts, columns, values),
        row_low,
        row_high,
        ..program.clone()
    }
}

/// Cuts of the optimum of a relaxation, each deep and unlike the others.
pub(super) fn separate_cuts(
    program: &LinearProgram,
    is_integer: &[bool],
    x: Vec<f64>,
    resolver: &mut SimplexResolver<'_>,
) -> Vec<CuttingPlane> {
    let space = RelaxedPoint::new(program, is_integer, x);
    let mut cuts = Vec::new();
    let mut base = AggregatedRow::default();
    let mut work = AggregatedRow::default();
    let mut left = LOOKS * (program.matrix.nonzeros() as u64 + 10_000);
    for row in 0..program.row_low.len() {
        cuts.extend(separate_cover(&space, row, true));
        cuts.extend(separate_cover(&space, row, false));
        if left > 0 {
            cuts.extend(aggregate_path(
                &space,
                row,
                (&mut base, &mut work),
                &mut left,
            ));
        }
    }
    let mut fractional: Vec<(usize, f64)> = (0..space.x.len())
        .filter(|&at| is_integer[at])
        .map(|at| (at, (space.x[at] - space.x[at].round()).abs()))
        .filter(|pair| pair.1 > 1e-4)
        .collect();
    fractional.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    for (variable, _) in fractional.into_iter().take(TABLEAU) {
        let Some(multipliers) = resolver.row_multipliers(variable) else {
            continue;
        };
        base.clear(space.x.len());
        let is_whole = multipliers
            .iter()
            .all(|&(row, by)| base.add_row(&space, row as usize, by));
        if is_whole {
            for sign in [1.0, -1.0] {
                cuts.extend(round_aggregate(&space, &base, sign, &mut work));
            }
        }
    }
    choose_cuts(cuts, 50 + is_integer.len() / 4)
}

/// A cut of a row, or of it and rows added to it that take away variables between their bounds.
fn aggregate_path(
    space: &RelaxedPoint<'_>,
    row: usize,
    (base, work): (&mut AggregatedRow, &mut AggregatedRow),
    left: &mut u64,
) -> Option<CuttingPlane> {
    base.clear(space.x.len());
    if space.slack(row) > 0.1 * (1.0 + space.activity[row].abs()) || !base.add_row(space, row, 1.0)
    {
        return None;
    }
    let mut used = vec![row];
    loop {
        let size = base.places.len() as u64 + 1;
        *left = left.saturating_sub(8 * size);
        for sign in [1.0, -1.0] {
            if let Some(cut) = round_aggregate(space, base, sign, work) {
                return Some(cut);
            }
        }
        if used.len() >= ROWS || *left == 0 {
            return None;
        }
        let (next, by) = next_row(space, base, &used, left)?;
        used.push(next);
        if !base.add_row(space, next, by) {
            return None;
        }
    }
}

/// The row that takes away the variable farthest from its bounds, and its multiplier.
fn next_row(
    space: &RelaxedPoint<'_>,
    base: &AggregatedRow,
    used: &[usize],
    left: &mut u64,
) -> Option<(usize, f64)> {
    let mut order: Vec<(u32, f64)> = base
        .places
        .iter()
        .filter(|&&place| {
            !space.is_integer[place as usize]
                && base.values[place as usize].abs() > 1e-9 * base.size
        })
        .map(|&place| (place, space.distance(place as usize)))
        .filter(|pair| pair.1 > 1e-6)
        .collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    for (place, _) in order {
        let (rows, values) = space.by_column.row(place as usize);
        *left = left.saturating_sub(rows.len() as u64);
        let found = rows
            .iter()
            .zip(values)
            .filter(|(row, _)| !used.contains(&(**row as usize)))
            .map(|(&row, &value)| (row as usize, value, space.slack(row as usize)))
            .filter(|(row, _, slack)| *slack <= 1e-6 * (1.0 + space.activity[*row].abs()))
            .min_by_key(|(row, ..)| space.program.matrix.row(*row).0.len());
        if let Some((row, value, _)) = found {
            return Some((row, -base.values[place as usize] / value));
        }
    }
    None
}
