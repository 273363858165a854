//! The range of an integral: ends, break points and poles in ascending order.

use super::{Args, IntegrateMethod};
use crate::expression::ExpressionScope;
use crate::prelude::*;

/// Most break points and poles together.
pub(super) const POINTS_MAX: usize = 1000;

/// A range in ascending order.
#[derive(Debug, Clone)]
pub(super) struct IntegrationRange {
    /// Ends and points; none where the range is empty.
    pub(super) points: Vec<f64>,
    /// Those of which the principal value is meant.
    pub(super) poles: Vec<f64>,
    /// -1 where the ends are given in descending order.
    pub(super) sign: f64,
}

impl IntegrationRange {
    pub(super) fn new(args: &Args, ctx: &Ctx) -> Result<Self, ToolError> {
        let names = ExpressionScope::new().with_parameters(&args.parameters, "/parameters")?;
        let from = args.from.number(&names, "/from")?;
        let to = args.to.number(&names, "/to")?;
        if from.is_nan() || to.is_nan() {
            refuse!(invalid "/from"; "an end of the range is not a number");
        }
        let (low, high) = (from.min(to), from.max(to));
        if low == high && low.is_infinite() {
            refuse!(invalid "/to", "range"; "both ends are {low}"; "write `-inf` and `inf` for all numbers");
        }
        let count = args.points.len() + args.principal_value.len();
        if count > POINTS_MAX {
            refuse!(invalid "/points", "points"; "{count} points, the limit is {POINTS_MAX}"; "leave out those that matter least");
        }
        ctx.reserve_doubles(4 * count)?;
        let mut points = vec![low, high];
        let mut poles = Vec::new();
        for (name, list) in [
            ("points", &args.points),
            ("principal_value", &args.principal_value),
        ] {
            for (index, point) in list.iter().enumerate() {
                let pointer = format!("/{name}/{index}");
                let value = point.number(&names, &pointer)?;
                if !(low <= value && value <= high && value.is_finite()) {
                    refuse!(invalid pointer, "range"; "{value:?} is not between the ends {low:?} and {high:?}"; "leave it out");
                }
                if name == "principal_value" {
                    if value == low || value == high {
                        refuse!(invalid pointer, "range"; "{value:?} is an end: a principal value needs both sides of its pole";
                            "move the end, or leave the pole out");
                    }
                    poles.push(value);
                }
                points.push(value);
            }
        }
        points.sort_by(f64::total_cmp);
        points.dedup();
        poles.sort_by(f64::total_cmp);
        poles.dedup();
        if !poles.is_empty() && args.method != IntegrateMethod::Auto {
            refuse!(invalid "/method"; "`principal_value` needs the method `auto`"; "leave `method` out");
        }
        let mut gaps = Vec::new();
        for pair in points.windows(2) {
            // Between two poles both take half of the distance.
            if poles.contains(&pair[0]) && poles.contains(&pair[1]) {
                gaps.push(pair[0] / 2.0 + pair[1] / 2.0);
            }
        }
        points.extend(gaps);
        points.sort_by(f64::total_cmp);
        if low == high {
            points.clear();
        }
        let sign = if from > to { -1.0 } else { 1.0 };
        Ok(Self {
            points,
            poles,
            sign,
        })
    }
}
