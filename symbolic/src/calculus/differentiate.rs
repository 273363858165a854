//! Exact derivatives.

use crate::budget::{Budget, Outcome, refuse};
use crate::tree::{Expr, ExprNode, MathConstant, MathFunction};

/// The derivative by a symbol. Of `abs` and `sign` it holds where the argument is not zero.
pub fn derivative_of(expr: &Expr, x: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    budget.spend(1)?;
    if !expr.contains(x) {
        return Ok(Expr::zero());
    }
    let derivative = match expr.node() {
        ExprNode::Symbol(_) => Expr::one(),
        ExprNode::Sum(terms) => {
            let terms: Outcome<Vec<Expr>> = terms
                .iter()
                .map(|term| derivative_of(term, x, budget))
                .collect();
            Expr::sum(terms?)
        }
        ExprNode::Product(factors) => {
            let mut terms = Vec::new();
            for (place, factor) in factors.iter().enumerate() {
                let slope = derivative_of(factor, x, budget)?;
                if !slope.is_zero() {
                    let others = factors
                        .iter()
                        .enumerate()
                        .filter(|(other, _)| *other != place);
                    terms.push(Expr::product(
                        others.map(|(_, factor)| factor.clone()).chain([slope]),
                    ));
                }
            }
            Expr::sum(terms)
        }
        ExprNode::Power(base, exponent) => power_derivative(expr, base, exponent, x, budget)?,
        ExprNode::Call(function, arguments) => call_derivative(function, arguments, x, budget)?,
        ExprNode::Relation(kind, a, b) => Expr::relation(
            *kind,
            derivative_of(a, x, budget)?,
            derivative_of(b, x, budget)?,
        ),
        _ => Expr::zero(),
    };
    budget.admit(derivative)
}

fn power_derivative(
    expr: &Expr,
    base: &Expr,
    exponent: &Expr,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Expr> {
    let by_base = match base.contains(x) {
        true => exponent * base.pow(&(exponent - Expr::one())) * derivative_of(base, x, budget)?,
        false => Expr::zero(),
    };
    let by_exponent = match exponent.contains(x) {
        true if base.as_constant() == Some(MathConstant::E) => {
            expr * derivative_of(exponent, x, budget)?
        }
        true => expr * base.ln() * derivative_of(exponent, x, budget)?,
        false => Expr::zero(),
    };
    Ok(by_base + by_exponent)
}

fn call_derivative(
    function: &MathFunction,
    arguments: &[Expr],
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Expr> {
    if let (MathFunction::Derivative, [inner, variable, order]) = (function, arguments)
        && variable == x
    {
        let next = order + Expr::one();
        return Ok(Expr::call(
            MathFunction::Derivative,
            vec![inner.clone(), variable.clone(), next],
        ));
    }
    let [argument] = arguments else {
        return refuse(format!("`{}` has no derivative here", function.name()));
    };
    if let MathFunction::Named(_) = function
        && argument == x
    {
        let call = Expr::apply(function.clone(), argument.clone());
        return Ok(Expr::call(
            MathFunction::Derivative,
            vec![call, x.clone(), Expr::one()],
        ));
    }
    let Some(outer) = outer_derivative(function, argument) else {
        return refuse(format!(
            "`{}` has no derivative in closed form",
            function.name()
        ));
    };
    Ok(outer * derivative_of(argument, x, budget)?)
}

/// The derivative of a function by its argument.
pub(crate) fn outer_derivative(function: &MathFunction, u: &Expr) -> Option<Expr> {
    use MathFunction as F;
    let of = |function: F| Expr::apply(function, u.clone());
    let one = Expr::one();
    let two_over_root_pi = || Expr::integer(2) / Expr::pi().sqrt();
    Some(match function {
        F::Sin => of(F::Cos),
        F::Cos => -of(F::Sin),
        F::Tan => of(F::Tan).powi(2) + one,
        F::Cot => -(of(F::Cot).powi(2) + one),
        F::Sec => of(F::Sec) * of(F::Tan),
        F::Csc => -(of(F::Csc) * of(F::Cot)),
        F::Asin => (one - u.powi(2)).sqrt().recip(),
        F::Acos => -(one - u.powi(2)).sqrt().recip(),
        F::Atan => (one + u.powi(2)).recip(),
        F::Sinh => of(F::Cosh),
        F::Cosh => of(F::Sinh),
        F::Tanh => one - of(F::Tanh).powi(2),
        F::Coth => one - of(F::Coth).powi(2),
        F::Sech => -(of(F::Sech) * of(F::Tanh)),
        F::Csch => -(of(F::Csch) * of(F::Coth)),
        F::Asinh => (u.powi(2) + one).sqrt().recip(),
        F::Acosh => ((u - &one).sqrt() * (u + one).sqrt()).recip(),
        F::Atanh => (one - u.powi(2)).recip(),
        F::Ln => u.recip(),
        F::Abs => of(F::Sign),
        F::Sign | F::Floor | F::Ceil => Expr::zero(),
        F::Erf => two_over_root_pi() * (-u.powi(2)).exp(),
        F::Erfc => -(two_over_root_pi() * (-u.powi(2)).exp()),
        F::ExpIntegral => u.exp() / u,
        F::SinIntegral => of(F::Sin) / u,
        F::CosIntegral => of(F::Cos) / u,
        F::LambertW => of(F::LambertW) / (u * (one + of(F::LambertW))),
        F::Heaviside => of(F::Dirac),
        _ => return None,
    })
}
