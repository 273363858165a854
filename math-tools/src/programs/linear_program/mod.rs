//! `linear_program`: linear programs, and those with integer variables.

mod answer;
mod arguments;
mod picture;
mod pose;
mod rows;
#[cfg(test)]
mod tests;

use numerics::programming::integer::{self, MilpLimits};
use numerics::programming::linear::{self, LinearProgram, SimplexOptions};

use self::answer::Output;
pub(crate) use self::arguments::Args;
use self::pose::pose_program;
use crate::call_watch::CallWatch;
use crate::prelude::*;

impl Tool for Args {
    const SPEC: Spec = Spec::named("linear_program", "Solve a linear or integer program").tags(&[
        "linear programming",
        "integer programming",
        "simplex",
        "optimisation",
        "linprog",
        "milp",
        "shadow price",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "two products, three plants":
            r#"{"c": [3, 5], "A_ub": [[1, 0], [0, 2], [3, 2]], "b_ub": [4, 12, 18], "maximize": true, "plot": false}"#
            => r#"{"x": [2.0, 6.0], "objective": 36.0, "converged": true, "reason": "optimal", "method": "simplex",
                "variables": [{"name": "x0", "value": 2.0, "reduced_cost": 0.0, "at": "between"},
                {"name": "x1", "value": 6.0, "reduced_cost": 0.0, "at": "between"}],
                "constraints": [{"name": "ub0", "slack": 2.0, "dual": 0.0, "active": false},
                {"name": "ub1", "slack": 0.0, "dual": 1.5, "active": true},
                {"name": "ub2", "slack": 0.0, "dual": 1.0, "active": true}],
                "residuals": {"primal": 0.0, "dual": 0.0, "complementarity": 0.0, "duality_gap": 0.0},
                "unique": true, "duals_unique": true, "condition": 4.0, "iterations": 1}"#;
        "a knapsack":
            r#"{"c": [60, 100, 120], "A_ub": [[10, 20, 30]], "b_ub": [50], "bounds": [[0, 1], [0, 1], [0, 1]],
                "integrality": [1, 1, 1], "maximize": true}"#
            => r#"{"x": [0.0, 1.0, 1.0], "objective": 220.0, "converged": true, "reason": "optimal", "method": "branch_and_bound",
                "variables": [{"name": "x0", "value": 0.0, "at": "lower"}, {"name": "x1", "value": 1.0, "at": "upper"},
                {"name": "x2", "value": 1.0, "at": "upper"}], "constraints": [{"name": "ub0", "slack": 0.0, "active": true}],
                "residuals": {"primal": 0.0}, "bound": 220.0, "gap": 0.0, "nodes": 1, "iterations": 1}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let posed = pose_program(&args, ctx)?;
        let watch = CallWatch(ctx);
        let options = || SimplexOptions {
            max_iter: args.max_iter.get() as u64,
            watch: &watch,
        };
        if !posed.is_integer.contains(&true) {
            for (given, at) in [
                (args.gap.is_some(), "/gap"),
                (args.max_nodes.is_some(), "/max_nodes"),
            ] {
                if given {
                    refuse!(invalid at, "no_effect"; "there are no integer variables, so this has no effect"; "set `integrality`, or leave it out");
                }
            }
            let solution = linear::solve_linear_program(posed.program(), &options());
            return answer::continuous_output(&args, &posed, solution, ctx);
        }
        let limits = MilpLimits {
            options: options(),
            max_nodes: args.max_nodes.map_or(100_000, |most| most.get() as u64),
            gap: args.gap.map_or(0.0, Probability::get),
        };
        let mut found = integer::solve_integer_program(posed.program(), &posed.is_integer, &limits);
        if found.outcome == integer::MilpOutcome::Unbounded {
            // The relaxation falls without end; the program does too if it has any point at all (Meyer 1974, for rational data).
            let costs = vec![0.0; posed.given.costs.len()];
            let feasible = integer::solve_integer_program(
                &LinearProgram {
                    costs,
                    ..posed.program().clone()
                },
                &posed.is_integer,
                &limits,
            );
            found.nodes += feasible.nodes;
            found.iterations += feasible.iterations;
            if feasible.is_point {
                found.solution.x = feasible.solution.x;
            } else {
                found.outcome = feasible.outcome;
                found.bound = f64::NEG_INFINITY;
            }
        }
        answer::integer_output(&args, &posed, found, ctx)
    }
}
