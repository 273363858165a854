//! From a program to its search: whole bounds, tighter rows, cuts, and the program itself where those fail.

use super::presolve::strengthen_program;
use super::root::{RootRelaxation, tighten_root};
use super::search::BranchAndBoundSearch;
use super::{MilpLimits, MilpOutcome, MilpResult};
use crate::programming::linear::{
    LinearProgram, ResolverModel, SimplexOptions, solve_linear_program,
};

pub(super) fn begin_search(
    program: &LinearProgram,
    is_integer: &[bool],
    limits: &MilpLimits<'_>,
) -> MilpResult {
    let (mut low, mut high) = (program.low.clone(), program.high.clone());
    for (variable, _) in is_integer
        .iter()
        .enumerate()
        .filter(|(_, is_integer)| **is_integer)
    {
        low[variable] = (low[variable] - 1e-9).ceil();
        high[variable] = (high[variable] + 1e-9).floor();
    }
    let rounded = LinearProgram {
        low: low.clone(),
        high: high.clone(),
        ..program.clone()
    };
    let is_empty = low.iter().zip(&high).any(|(low, high)| low > high);
    let strong = (!is_empty)
        .then(|| strengthen_program(&rounded, is_integer))
        .flatten();
    let Some(strong) = strong else {
        return infeasible_result(&rounded, limits, 0);
    };
    let root = tighten_root(strong, is_integer, limits);
    if root.is_infeasible {
        return infeasible_result(&rounded, limits, root.iterations);
    }
    let found = attempt_search(&rounded, is_integer, limits, root);
    found.unwrap_or_else(|| {
        // Rounding, or there is no optimum: the program itself tells.
        let root = RootRelaxation::plain(&rounded);
        attempt_search(&rounded, is_integer, limits, root)
            .expect("the plain root is reported as it is")
    })
}

/// No point, as bounds, rows or cuts have shown; the relaxation is that of the program as it was given.
fn infeasible_result(
    program: &LinearProgram,
    limits: &MilpLimits<'_>,
    iterations: u64,
) -> MilpResult {
    let options = SimplexOptions {
        max_iter: limits.options.max_iter,
        watch: limits.options.watch,
    };
    MilpResult {
        outcome: MilpOutcome::Infeasible,
        solution: solve_linear_program(program, &options),
        is_point: false,
        bound: f64::INFINITY,
        nodes: 0,
        iterations,
    }
}

/// The search from a root; `None` where the relaxation of a tightened one has no optimum after all.
fn attempt_search(
    given: &LinearProgram,
    is_integer: &[bool],
    limits: &MilpLimits<'_>,
    root: RootRelaxation,
) -> Option<MilpResult> {
    let prepared = ResolverModel::new(&root.program);
    let options = SimplexOptions {
        max_iter: limits.options.max_iter.saturating_sub(root.iterations),
        watch: limits.options.watch,
    };
    let mut resolver = prepared.resolver(&options);
    if let Some(basis) = &root.basis {
        resolver.start_from(basis);
    }
    BranchAndBoundSearch::new(given, is_integer, limits, &root, resolver).run(root.is_tight)
}
