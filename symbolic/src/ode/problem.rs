//! An equation as an expression in the variable, the function and its derivatives, each a symbol.

use crate::budget::{Budget, Outcome, refuse};
use crate::tree::{Expr, ExprNode, MathFunction, RelationKind};

/// Orders that are solved.
const ORDER_LIMIT: usize = 6;

/// A value of the function or of a derivative at a point.
#[derive(Debug, Clone)]
pub struct InitialCondition {
    /// The order of the derivative; 0 is the function.
    pub order: usize,
    /// The point.
    pub at: Expr,
    /// The value there.
    pub value: Expr,
}

/// An equation as it was read.
#[derive(Debug, Clone)]
pub struct OdeQuestion {
    /// The equation, with calls of the function and of its derivatives.
    pub equation: Expr,
    /// The name of the unknown function.
    pub function: String,
    /// The variable.
    pub variable: Expr,
    /// Values at points.
    pub conditions: Vec<InitialCondition>,
}

/// An equation whose function and derivatives are symbols.
#[derive(Debug, Clone)]
pub(super) struct DifferentialProblem {
    pub x: Expr,
    pub order: usize,
    /// The function and its derivatives, from order 0.
    pub slots: Vec<Expr>,
    /// Zero where the equation holds.
    pub residual: Expr,
    /// Both sides.
    pub sides: (Expr, Expr),
    /// Constants of integration, as many as the order.
    pub constants: Vec<Expr>,
}

/// The symbol of a derivative.
pub(super) fn slot_symbol(order: usize) -> Expr {
    Expr::symbol(&format!("\u{3b7}{order}"))
}

impl DifferentialProblem {
    pub(super) fn read(question: &OdeQuestion, budget: &Budget<'_>) -> Outcome<Self> {
        let equation = budget.admit(question.equation.clone())?;
        let x = question.variable.clone();
        let (left, right) = match equation.node() {
            ExprNode::Relation(RelationKind::Equal, a, b) => (a.clone(), b.clone()),
            ExprNode::Relation(..) => {
                return refuse("a differential inequality is not solved: write an equation");
            }
            _ => (equation.clone(), Expr::zero()),
        };
        let call = Expr::apply(
            MathFunction::Named(question.function.as_str().into()),
            x.clone(),
        );
        let is_derivative = |part: &Expr| {
            matches!(part.as_call(), Some((MathFunction::Derivative, [inner, variable, _]))
                if *inner == call && *variable == x)
        };
        let mut order = 0;
        let (mut left, mut right) = (left, right);
        let found = equation.collect(&is_derivative);
        for part in &found {
            let Some((_, [_, _, count])) = part.as_call() else {
                continue;
            };
            let Some(count) = count.as_integer().filter(|count| *count > 0) else {
                return refuse("a derivative has a whole order above 0");
            };
            let count = count as usize;
            if count > ORDER_LIMIT {
                return refuse(format!("an equation has an order of at most {ORDER_LIMIT}"));
            }
            order = order.max(count);
            left = left.replace(part, &slot_symbol(count));
            right = right.replace(part, &slot_symbol(count));
        }
        if order == 0 {
            return refuse("the equation has no derivative of the unknown function");
        }
        left = left.replace(&call, &slot_symbol(0));
        right = right.replace(&call, &slot_symbol(0));
        let is_left_over = |part: &Expr| {
            matches!(
                part.as_call(),
                Some((
                    MathFunction::Derivative
                        | MathFunction::Integral
                        | MathFunction::Named(_)
                        | MathFunction::SumOver
                        | MathFunction::Limit
                        | MathFunction::MatrixOf,
                    _
                ))
            )
        };
        if left.any(&is_left_over) || right.any(&is_left_over) {
            return refuse(
                "the equation has the function at another argument, another unknown function, an integral or a matrix",
            );
        }
        let residual = budget.admit(&left - &right)?;
        if !residual.contains(&slot_symbol(order)) {
            return refuse("the highest derivative falls out of the equation");
        }
        let names = equation.symbols();
        let stem = ["C", "K", "c_"]
            .into_iter()
            .find(|stem| {
                (1..=order).all(|k| {
                    names
                        .iter()
                        .all(|known| *known.name != format!("{stem}{k}"))
                })
            })
            .unwrap_or("constant");
        Ok(Self {
            x,
            order,
            slots: (0..=order).map(slot_symbol).collect(),
            residual,
            sides: (left, right),
            constants: (1..=order)
                .map(|k| Expr::symbol(&format!("{stem}{k}")))
                .collect(),
        })
    }

    /// An equation of the first order `y' = f(x, y)` with its own variables.
    pub(super) fn of_slope(x: &Expr, slope: &Expr, constant: &Expr) -> Self {
        Self {
            x: x.clone(),
            order: 1,
            slots: vec![slot_symbol(0), slot_symbol(1)],
            residual: slot_symbol(1) - slope,
            sides: (slot_symbol(1), slope.clone()),
            constants: vec![constant.clone()],
        }
    }
}
