//! From the arguments to a program.

use numerics::programming::linear::{LinearProgram, SimplexSolution};
use tool_core::{Ctx, Finite, Input, ToolError, Vector};

use super::arguments::{Args, IntegerVariables};
use super::rows::{ConstraintEntries, ConstraintMatrix};
use crate::expression::unknowns::PerVariable;
use crate::prelude::did_you_mean;
use crate::programs::units::ProgramUnits;

/// Most variables and most constraints.
const SIZE_MAX: usize = 10_000_000;
/// Bytes for each variable, constraint and entry while a program is solved.
const BYTES_PER_LINE: u64 = 400;
const BYTES_PER_ENTRY: u64 = 160;

/// A program and how its lines are called.
pub(super) struct PosedLinearProgram {
    /// To be minimised: the costs are negated where the maximum is asked for.
    pub(super) given: LinearProgram,
    /// The same in other units, where its own are far from 1.
    in_units: Option<(ProgramUnits, LinearProgram)>,
    pub(super) is_integer: Vec<bool>,
    pub(super) names: Vec<String>,
    /// Constraints with `<=`; those with `==` follow.
    pub(super) upper_count: usize,
}

impl PosedLinearProgram {
    /// The program to be solved; points and prices of it are compared with tolerances.
    pub(super) fn program(&self) -> &LinearProgram {
        self.in_units.as_ref().map_or(&self.given, |(_, new)| new)
    }

    /// A solution of it, as one of the program that was given.
    pub(super) fn restored(&self, mut solution: SimplexSolution) -> SimplexSolution {
        if let Some((units, _)) = &self.in_units {
            units.restore(&mut solution);
        }
        solution
    }

    /// As [`PosedLinearProgram::restored`], of a value of the objective.
    pub(super) fn objective(&self, value: f64) -> f64 {
        let units = self.in_units.as_ref();
        units.map_or(value, |(units, _)| units.objective(value))
    }
}

/// Reads and checks the arguments.
pub(super) fn pose_program(args: &Args, ctx: &Ctx) -> Result<PosedLinearProgram, ToolError> {
    let costs = args.c.load(ctx)?;
    let n = costs.len();
    if n == 0 {
        refuse!(invalid "/c", "shape"; "`c` is empty"; "give one cost for each variable");
    }
    check_count("/c", n)?;
    let names = variable_names(args.names.as_deref(), n)?;
    let b_ub = load_right_side("ub", args.A_ub.as_ref(), args.b_ub.as_ref(), ctx)?;
    let b_eq = load_right_side("eq", args.A_eq.as_ref(), args.b_eq.as_ref(), ctx)?;
    let (upper_count, count) = (b_ub.len(), b_ub.len() + b_eq.len());
    ctx.reserve(BYTES_PER_LINE * (n + count) as u64)?;
    let mut entries = ConstraintEntries::default();
    for (given, at, above, rows) in [
        (&args.A_ub, "/A_ub", 0, upper_count),
        (&args.A_eq, "/A_eq", upper_count, b_eq.len()),
    ] {
        if let Some(given) = given {
            entries.add(given, at, (above, rows, n), ctx)?;
        }
    }
    ctx.reserve(BYTES_PER_ENTRY * entries.values.len() as u64)?;
    let sign = if args.maximize { -1.0 } else { 1.0 };
    let [low, high] = variable_bounds(args.bounds.as_ref(), args.names.as_deref(), n)?;
    let free = std::iter::repeat_n(f64::NEG_INFINITY, upper_count);
    let given = LinearProgram {
        costs: costs.iter().map(|cost| sign * cost).collect(),
        matrix: entries.matrix(count, n),
        row_low: free.chain(b_eq.iter().copied()).collect(),
        row_high: b_ub.iter().chain(b_eq.iter()).copied().collect(),
        low,
        high,
    };
    let is_integer = integer_flags(args.integrality.as_ref(), &names, n)?;
    Ok(PosedLinearProgram {
        in_units: ProgramUnits::of_linear(&given, is_integer.contains(&true)),
        given,
        is_integer,
        names,
        upper_count,
    })
}

fn check_count(at: &str, count: usize) -> Result<(), ToolError> {
    if count > SIZE_MAX {
        refuse!(invalid at, "size"; "{count} entries are more than the limit of {SIZE_MAX}"; "leave out what is not needed");
    }
    Ok(())
}

/// The right-hand side of constraints, empty where there are none.
fn load_right_side(
    which: &str,
    matrix: Option<&Input<ConstraintMatrix>>,
    side: Option<&Input<Vector>>,
    ctx: &Ctx,
) -> Result<Vector, ToolError> {
    match (matrix, side) {
        (None, None) => Ok(Vector::default()),
        (Some(_), Some(side)) => {
            let side = side.load(ctx)?;
            check_count(&format!("/b_{which}"), side.len())?;
            Ok(side)
        }
        (Some(_), None) => {
            refuse!(invalid format!("/b_{which}"), "missing"; "`A_{which}` is given without `b_{which}`"; "give a right-hand side for each row");
        }
        (None, Some(_)) => {
            refuse!(invalid format!("/A_{which}"), "missing"; "`b_{which}` is given without `A_{which}`"; "give a row for each right-hand side");
        }
    }
}

fn variable_names(given: Option<&[String]>, n: usize) -> Result<Vec<String>, ToolError> {
    let Some(given) = given else {
        return Ok((0..n).map(|index| format!("x{index}")).collect());
    };
    if given.len() != n {
        let found = given.len();
        refuse!(invalid "/names", "shape"; "expected {n} names, as many as `c` has entries, found {found}"; "name every variable or none");
    }
    let mut seen = std::collections::HashSet::new();
    if let Some(at) = given
        .iter()
        .position(|name| name.is_empty() || !seen.insert(name))
    {
        refuse!(invalid format!("/names/{at}"), "name"; "the name `{}` is empty or given twice", given[at]; "give each variable a name of its own");
    }
    Ok(given.to_vec())
}

/// Lower and upper bounds: from 0 up where none are given.
fn variable_bounds(
    given: Option<&PerVariable<[Option<Finite>; 2]>>,
    names: Option<&[String]>,
    n: usize,
) -> Result<[Vec<f64>; 2], ToolError> {
    let (mut low, mut high) = (vec![0.0; n], vec![f64::INFINITY; n]);
    let mut set = |at: usize, path: String, pair: &[Option<Finite>; 2]| {
        let [below, above] = pair.map(|bound| bound.map(Finite::get));
        (low[at], high[at]) = (
            below.unwrap_or(f64::NEG_INFINITY),
            above.unwrap_or(f64::INFINITY),
        );
        if low[at] > high[at] {
            refuse!(invalid path, "infeasible"; "the low {} is above the high {}: no value is within the bounds", low[at], high[at];
                "give each pair as [low, high]");
        }
        Ok(())
    };
    match given {
        None => {}
        Some(PerVariable::List(pairs)) if pairs.len() == n => {
            for (at, pair) in pairs.iter().enumerate() {
                set(at, format!("/bounds/{at}"), pair)?;
            }
        }
        Some(PerVariable::List(pairs)) => {
            let found = pairs.len();
            refuse!(invalid "/bounds", "shape"; "expected {n} pairs [low, high], one for each variable, found {found}";
                "null where there is no bound; by name only those that differ from [0, null]");
        }
        Some(PerVariable::Named(pairs)) => {
            for (name, pair) in pairs {
                let at = find_variable(name, names, n, "/bounds")?;
                set(at, format!("/bounds/{name}"), pair)?;
            }
        }
    }
    Ok([low, high])
}

/// The place of a variable by its name.
fn find_variable(
    name: &str,
    names: Option<&[String]>,
    n: usize,
    at: &str,
) -> Result<usize, ToolError> {
    let found = match names {
        Some(names) => names.iter().position(|known| known == name),
        None => name
            .strip_prefix('x')
            .and_then(|index| index.parse().ok())
            .filter(|index| *index < n),
    };
    found.ok_or_else(|| {
        let error =
            ToolError::invalid(at, format_args!("no variable is named `{name}`")).reason("name");
        let near = did_you_mean(name, names.unwrap_or_default().iter().map(String::as_str));
        error.hint(
            near.unwrap_or_else(|| "without `names` the variables are x0, x1, ...".to_owned()),
        )
    })
}

fn integer_flags(
    given: Option<&IntegerVariables>,
    names: &[String],
    n: usize,
) -> Result<Vec<bool>, ToolError> {
    match given {
        None => Ok(vec![false; n]),
        Some(IntegerVariables::Flags(flags)) if flags.len() == n => {
            Ok(flags.iter().map(|flag| *flag == 1).collect())
        }
        Some(IntegerVariables::Flags(flags)) => {
            let found = flags.len();
            refuse!(invalid "/integrality", "shape"; "expected {n} numbers 0 or 1, one for each variable, found {found}";
                "or list the names of the integer variables");
        }
        Some(IntegerVariables::Names(list)) => {
            let mut is_integer = vec![false; n];
            for name in list {
                is_integer[find_variable(name, Some(names), n, "/integrality")?] = true;
            }
            Ok(is_integer)
        }
    }
}
