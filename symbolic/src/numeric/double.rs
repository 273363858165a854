//! Values in doubles, where many are needed: samples of quadratures and signs.

use num_traits::ToPrimitive;

use crate::tree::{Expr, ExprNode, MathConstant, MathFunction};

/// The real value with one symbol set; NaN where there is none.
pub(crate) fn double_value(expr: &Expr, symbol: &Expr, x: f64) -> f64 {
    let of = |part: &Expr| double_value(part, symbol, x);
    match expr.node() {
        ExprNode::Number(value) => value.to_f64().unwrap_or(f64::NAN),
        ExprNode::Constant(constant) => match constant {
            MathConstant::Pi => std::f64::consts::PI,
            MathConstant::E => std::f64::consts::E,
            MathConstant::EulerGamma => 0.577_215_664_901_532_9,
            MathConstant::Infinity => f64::INFINITY,
            MathConstant::MinusInfinity => f64::NEG_INFINITY,
            MathConstant::I => f64::NAN,
        },
        ExprNode::Symbol(_) => match expr == symbol {
            true => x,
            false => f64::NAN,
        },
        ExprNode::Sum(terms) => terms.iter().map(of).sum(),
        ExprNode::Product(factors) => factors.iter().map(of).product(),
        ExprNode::Power(base, exponent) => {
            let value = of(base);
            match exponent
                .as_integer()
                .and_then(|count| i32::try_from(count).ok())
            {
                Some(count) => value.powi(count),
                None => value.powf(of(exponent)),
            }
        }
        ExprNode::Call(function, arguments) if arguments.len() == 1 => {
            double_function(function, of(&arguments[0]))
        }
        _ => f64::NAN,
    }
}

fn double_function(function: &MathFunction, x: f64) -> f64 {
    use MathFunction as F;
    match function {
        F::Sin => x.sin(),
        F::Cos => x.cos(),
        F::Tan => x.tan(),
        F::Cot => x.tan().recip(),
        F::Sec => x.cos().recip(),
        F::Csc => x.sin().recip(),
        F::Asin => x.asin(),
        F::Acos => x.acos(),
        F::Atan => x.atan(),
        F::Sinh => x.sinh(),
        F::Cosh => x.cosh(),
        F::Tanh => x.tanh(),
        F::Coth => x.tanh().recip(),
        F::Sech => x.cosh().recip(),
        F::Csch => x.sinh().recip(),
        F::Asinh => x.asinh(),
        F::Acosh => x.acosh(),
        F::Atanh => x.atanh(),
        F::Ln => x.ln(),
        F::Abs => x.abs(),
        F::Sign if x == 0.0 => 0.0,
        F::Sign => x.signum(),
        F::Floor => x.floor(),
        F::Ceil => x.ceil(),
        F::Heaviside => match x {
            x if x > 0.0 => 1.0,
            x if x < 0.0 => 0.0,
            _ => 0.5,
        },
        _ => f64::NAN,
    }
}
