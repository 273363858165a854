//! The unit cube stretched to a box, or to limits that depend on earlier variables; infinite limits too.

use std::ops::Range;

use super::super::limit::RangeLimit;
use crate::expression::{Expression, ExpressionScope, SystemEvaluator};
use crate::prelude::*;

/// A limit of a variable.
#[derive(Debug, Clone)]
enum VariableLimit {
    Number(f64),
    Formula(Expression),
}

impl VariableLimit {
    fn evaluator(&self) -> Option<SystemEvaluator<'_>> {
        match self {
            Self::Number(_) => None,
            Self::Formula(expression) => Some(expression.evaluator()),
        }
    }
}

/// Limits of every variable.
#[derive(Debug, Clone)]
pub(super) struct IntegrationDomain(Vec<[VariableLimit; 2]>);

/// Evaluators of the limits that are formulas.
pub(super) type Evaluators<'a> = Vec<[Option<SystemEvaluator<'a>>; 2]>;

impl IntegrationDomain {
    pub(super) fn new(
        bounds: &[[RangeLimit; 2]],
        scope: &ExpressionScope,
    ) -> Result<Self, ToolError> {
        let mut all = Vec::with_capacity(bounds.len());
        for (variable, pair) in bounds.iter().enumerate() {
            let side = |index: usize| -> Result<VariableLimit, ToolError> {
                let pointer = format!("/bounds/{variable}/{index}");
                match (&pair[index], pair[index].infinite()) {
                    (_, Some(value)) => Ok(VariableLimit::Number(value)),
                    (RangeLimit::Number(value), None) => Ok(VariableLimit::Number(*value)),
                    (limit, None) => {
                        let expression = limit.expression(scope, &pointer)?;
                        if let Some(slot) = expression
                            .slots()
                            .into_iter()
                            .find(|&slot| slot >= variable)
                        {
                            refuse!(invalid pointer; "the limit of variable {variable} depends on variable {slot} (they count from 0)";
                                "limits depend on variables before theirs: change the order of `bounds`");
                        }
                        if expression.slots().is_empty() {
                            return limit.number(scope, &pointer).map(VariableLimit::Number);
                        }
                        Ok(VariableLimit::Formula(expression))
                    }
                }
            };
            let sides = [side(0)?, side(1)?];
            if let [VariableLimit::Number(low), VariableLimit::Number(high)] = &sides {
                let is_empty = low == high && low.is_infinite();
                if is_empty || !(high - low).is_finite() && low.is_finite() && high.is_finite() {
                    refuse!(invalid format!("/bounds/{variable}"), "range"; "the limits {low} and {high} are no range"; "choose others");
                }
            }
            all.push(sides);
        }
        Ok(Self(all))
    }

    pub(super) fn evaluators(&self) -> Evaluators<'_> {
        let pairs = self
            .0
            .iter()
            .map(|[low, high]| [low.evaluator(), high.evaluator()]);
        pairs.collect()
    }

    /// A point inside, where all limits are numbers.
    pub(super) fn middle(&self) -> Option<Vec<f64>> {
        let one = |sides: &[VariableLimit; 2]| match sides {
            [VariableLimit::Number(low), VariableLimit::Number(high)] => {
                Some(stretch_to_limits(0.5, *low, *high).0)
            }
            _ => None,
        };
        self.0.iter().map(one).collect()
    }

    /// The places of some points of the unit cube, and the volume that each stands for.
    pub(super) fn places(
        &self,
        points: &[Vec<f64>],
        range: Range<usize>,
        evaluators: &mut Evaluators<'_>,
    ) -> (Vec<Vec<f64>>, Vec<f64>) {
        let count = range.len();
        let mut places: Vec<Vec<f64>> = Vec::with_capacity(self.0.len());
        let mut stretch = vec![1.0; count];
        let mut limits = [vec![0.0; count], vec![0.0; count]];
        for (variable, sides) in self.0.iter().enumerate() {
            for (index, side) in sides.iter().enumerate() {
                match (side, &mut evaluators[variable][index]) {
                    (VariableLimit::Formula(_), Some(evaluator)) => {
                        let slots: Vec<&[f64]> = places.iter().map(Vec::as_slice).collect();
                        evaluator.eval_block(&slots, &mut limits[index]);
                    }
                    (VariableLimit::Number(value), _) => limits[index].fill(*value),
                    (VariableLimit::Formula(_), None) => limits[index].fill(f64::NAN),
                }
            }
            let mut here = Vec::with_capacity(count);
            for (lane, point) in range.clone().enumerate() {
                let (place, width) =
                    stretch_to_limits(points[variable][point], limits[0][lane], limits[1][lane]);
                here.push(place);
                stretch[lane] *= width;
            }
            places.push(here);
        }
        (places, stretch)
    }
}

/// The place between two limits of a part in (0, 1), and its derivative.
fn stretch_to_limits(part: f64, low: f64, high: f64) -> (f64, f64) {
    let rest = 1.0 - part;
    match (low.is_infinite(), high.is_infinite()) {
        (false, false) => (low * rest + high * part, high - low),
        (false, true) => {
            let sign = high.signum();
            (low + sign * part / rest, sign / (rest * rest))
        }
        (true, false) => {
            let sign = low.signum();
            (high + sign * rest / part, -sign / (part * part))
        }
        (true, true) => {
            let sign = if low < high { 1.0 } else { -1.0 };
            let both = part * rest;
            (
                sign * (part - rest) / (2.0 * both),
                sign * (1.0 - 2.0 * both) / (2.0 * both * both),
            )
        }
    }
}
