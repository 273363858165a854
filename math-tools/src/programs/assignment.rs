//! `assignment`: pairs of rows and columns at the least total cost.

use numerics::programming::assignment::{AssignmentCosts, AssignmentFailure, assign_cheapest};

use self::costs::CostMatrix;
use crate::call_watch::CallWatch;
use crate::prelude::*;

mod costs;
#[cfg(test)]
mod tests;

/// Assign rows to columns one to one at the least, or greatest, total. Prices of rows and columns prove that it is.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Cost of each pair, row by row; null where a pair is forbidden. Each row, or each column where those are fewer, gets a partner.
    #[schema(extend("x-shape" = ["rows", "columns"]))]
    pub cost: Input<CostMatrix>,
    /// Whether the total is maximised.
    #[value(default)]
    pub maximize: bool,
}

/// The assignment and its proof.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Pairs [row, column], by row, counted from 0.
    pub pairs: Vec<[usize; 2]>,
    /// Cost of each pair.
    pub costs: Vec<f64>,
    /// The total cost.
    pub total: f64,
    /// Price of each row. An allowed pair costs at least its two prices (when maximising: at most), an assigned one exactly that.
    #[schema(extend("x-shape" = ["rows"]))]
    pub row_prices: Vec<f64>,
    /// Price of each column: 0 where it has no partner.
    #[schema(extend("x-shape" = ["columns"]))]
    pub column_prices: Vec<f64>,
    /// Largest amount by which that is violated; 0 or of the size of rounding. Checked entry by entry.
    pub violation: f64,
    /// Bound of the amount by which the total can be improved: `violation` times the pairs, and the difference of total and prices.
    pub gap: f64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("assignment", "Assign rows to columns at least cost")
        .tags(&["optimisation", "assignment", "matching", "hungarian"])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "three workers, three jobs": r#"{"cost": [[4, 1, 3], [2, 0, 5], [3, 2, 2]]}"#
            => r#"{"pairs": [[0, 1], [1, 0], [2, 2]], "costs": [1.0, 2.0, 2.0], "total": 5.0, "row_prices": [2.0, 1.0, 2.0],
                "column_prices": [1.0, -1.0, 0.0], "violation": 0.0, "gap": 0.0}"#;
        "one pair forbidden": r#"{"cost": [[1, null], [2, 5]]}"#
            => r#"{"pairs": [[0, 0], [1, 1]], "costs": [1.0, 5.0], "total": 6.0, "row_prices": [1.0, 2.0],
                "column_prices": [0.0, 3.0], "violation": 0.0, "gap": 0.0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let matrix = args.cost.load(ctx)?;
        let sign = if args.maximize { -1.0 } else { 1.0 };
        let (rows, columns) = (matrix.rows, matrix.columns);
        ctx.reserve_doubles(matrix.data.len().saturating_mul(2))?;
        // Forbidden pairs cost too much either way.
        let signed = |&cost: &f64| {
            if cost == f64::INFINITY {
                cost
            } else {
                sign * cost
            }
        };
        let data: Vec<f64> = matrix.data.iter().map(signed).collect();
        check_size(&data)?;
        let costs = AssignmentCosts {
            data: &data,
            rows,
            columns,
        };
        let found = match assign_cheapest(costs, &CallWatch(ctx)) {
            Ok(found) => found,
            Err(AssignmentFailure::Stopped) => {
                ctx.check()?;
                refuse!(numeric "/cost", "stopped"; "stopped");
            }
            Err(AssignmentFailure::Hall {
                members,
                partners,
                are_rows,
            }) => return Err(infeasible_error(&members, &partners, are_rows)),
        };
        let partners = found.column_of.iter().enumerate();
        let pairs: Vec<[usize; 2]> = partners
            .filter_map(|(row, column)| column.map(|column| [row, column]))
            .collect();
        let prices: f64 = found.row_prices.iter().chain(&found.column_prices).sum();
        // Adding a zero turns -0 into 0.
        let signed = |price: f64| sign * price + 0.0;
        Ok(Output {
            costs: pairs
                .iter()
                .map(|[row, column]| matrix.data[row * columns + column])
                .collect(),
            total: signed(found.total),
            gap: (found.total - prices).max(0.0) + found.violation * pairs.len() as f64,
            pairs,
            row_prices: found.row_prices.into_iter().map(signed).collect(),
            column_prices: found.column_prices.into_iter().map(signed).collect(),
            violation: found.violation,
        })
    }
}

/// Sums of costs must not overflow.
fn check_size(data: &[f64]) -> Result<(), ToolError> {
    const LARGEST: f64 = 1e150;
    let finite = data.iter().filter(|cost| cost.is_finite());
    if finite.fold(0.0_f64, |most, cost| most.max(cost.abs())) > LARGEST {
        refuse!(invalid "/cost", "range"; "a cost is larger than {LARGEST:e}"; "scale the costs, or pass null for a forbidden pair");
    }
    Ok(())
}

fn infeasible_error(members: &[usize], partners: &[usize], are_rows: bool) -> ToolError {
    const SHOWN_MAX: usize = 8;
    let (side, other) = if are_rows {
        ("rows", "columns")
    } else {
        ("columns", "rows")
    };
    let listed = |all: &[usize]| {
        let shown = all.iter().take(SHOWN_MAX).map(usize::to_string);
        let dots = if all.len() > SHOWN_MAX { ", ..." } else { "" };
        format!("{}{dots}", shown.collect::<Vec<_>>().join(", "))
    };
    let allowed = match partners {
        [] => format!("have no allowed {other}"),
        _ => format!(
            "have only the {other} {} as allowed partners",
            listed(partners)
        ),
    };
    let message = format!(
        "no assignment avoids all forbidden pairs: the {side} {} {allowed} ({} for {})",
        listed(members),
        partners.len(),
        members.len()
    );
    let list = |all: &[usize]| Value::vector(all.iter().map(|&index| index as f64).collect());
    ToolError::numeric("/cost", message)
        .reason("infeasible")
        .hint("allow a pair of one of them with another partner")
        .evidence(Value::object([
            (side, list(members)),
            (other, list(partners)),
        ]))
}
