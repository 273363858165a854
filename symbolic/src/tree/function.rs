//! Functions and their exact values.

use std::sync::Arc;

use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

use super::special_angles::{cosine_of_turns, inverse_circular, sine_of_turns, tangent_of_turns};
use super::walk::{has_minus_sign, is_known_nonnegative, is_known_positive, is_known_real};
use super::{Expr, ExprNode, MathConstant};

macro_rules! functions {
    ($($(#[$meta:meta])* $variant:ident = $name:literal,)*) => {
        /// A function, by its name in [`MathFunction::name`].
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum MathFunction {
            $($(#[$meta])* #[doc = concat!("`", $name, "`")] $variant,)*
            /// A function without a definition, such as the unknown of a differential equation.
            Named(Arc<str>),
        }

        impl MathFunction {
            /// The name in plain text.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Named(name) => name,
                }
            }

            /// The function of a name.
            pub fn by_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

functions! {
    Sin = "sin",
    Cos = "cos",
    Tan = "tan",
    Cot = "cot",
    Sec = "sec",
    Csc = "csc",
    Asin = "asin",
    Acos = "acos",
    Atan = "atan",
    Sinh = "sinh",
    Cosh = "cosh",
    Tanh = "tanh",
    Coth = "coth",
    Sech = "sech",
    Csch = "csch",
    Asinh = "asinh",
    Acosh = "acosh",
    Atanh = "atanh",
    Ln = "ln",
    Abs = "abs",
    Sign = "sign",
    Floor = "floor",
    Ceil = "ceil",
    Erf = "erf",
    Erfc = "erfc",
    Gamma = "gamma",
    Factorial = "factorial",
    Zeta = "zeta",
    ExpIntegral = "expi",
    SinIntegral = "sinint",
    CosIntegral = "cosint",
    LambertW = "lambertw",
    Heaviside = "heaviside",
    Dirac = "dirac",
    /// Of an expression, a variable and, where definite, two limits.
    Integral = "integral",
    /// Of an expression, a variable and an order.
    Derivative = "derivative",
    /// Of an expression, an index and two limits.
    SumOver = "summation",
    /// Of an expression, a variable, a point and a side (-1, 0, 1).
    Limit = "limit",
    /// Of rows, each a call of `row`.
    MatrixOf = "matrix",
    /// Of elements.
    Row = "row",
}

impl MathFunction {
    /// Whether real arguments give real values wherever it is defined.
    pub(crate) fn keeps_real_line(&self) -> bool {
        use MathFunction as F;
        matches!(
            self,
            F::Sin
                | F::Cos
                | F::Tan
                | F::Cot
                | F::Sec
                | F::Csc
                | F::Atan
                | F::Sinh
                | F::Cosh
                | F::Tanh
                | F::Coth
                | F::Sech
                | F::Csch
                | F::Asinh
                | F::Abs
                | F::Sign
                | F::Floor
                | F::Ceil
                | F::Erf
                | F::Erfc
                | F::Gamma
                | F::Factorial
                | F::Heaviside
                | F::SinIntegral
        )
    }

    /// Whether `f(-x) = -f(x)`.
    fn is_odd(&self) -> bool {
        use MathFunction as F;
        matches!(
            self,
            F::Sin
                | F::Tan
                | F::Cot
                | F::Csc
                | F::Asin
                | F::Atan
                | F::Sinh
                | F::Tanh
                | F::Coth
                | F::Csch
                | F::Asinh
                | F::Atanh
                | F::Sign
                | F::Erf
                | F::SinIntegral
        )
    }

    /// Whether `f(-x) = f(x)`.
    fn is_even(&self) -> bool {
        use MathFunction as F;
        matches!(
            self,
            F::Cos | F::Sec | F::Cosh | F::Sech | F::Abs | F::Dirac
        )
    }
}

/// The canonical call of a function.
pub(crate) fn build_call(function: MathFunction, arguments: Vec<Expr>) -> Expr {
    if let Some(poisoned) = arguments.iter().find(|part| part.poison().is_some()) {
        return poisoned.clone();
    }
    if let [argument] = arguments.as_slice() {
        if let Some(value) = exact_value(&function, argument) {
            return value;
        }
        let is_mirrored = has_minus_sign(argument);
        if is_mirrored && function.is_odd() {
            return -build_call(function, vec![-argument]);
        }
        if is_mirrored && function.is_even() {
            return build_call(function, vec![-argument]);
        }
    }
    Expr::from_node(ExprNode::Call(function, arguments))
}

/// The number of half turns, where the angle is a fraction of pi.
fn turns_of(angle: &Expr) -> Option<BigRational> {
    if angle.is_zero() {
        return Some(BigRational::from_integer(0.into()));
    }
    let (coefficient, rest) = angle.coefficient_and_rest();
    (rest == Expr::pi()).then_some(coefficient)
}

fn exact_value(function: &MathFunction, x: &Expr) -> Option<Expr> {
    use MathFunction as F;
    match function {
        F::Sin | F::Cos | F::Tan | F::Cot | F::Sec | F::Csc => circular_value(function, x),
        F::Asin | F::Acos | F::Atan => inverse_value(function, x),
        F::Sinh
        | F::Cosh
        | F::Tanh
        | F::Coth
        | F::Sech
        | F::Csch
        | F::Asinh
        | F::Acosh
        | F::Atanh => hyperbolic_value(function, x),
        F::Ln => logarithm_value(x),
        F::Abs => absolute_value(x),
        F::Sign => sign_value(x),
        F::Floor | F::Ceil => {
            let value = x.as_number()?;
            Some(Expr::number(match function {
                F::Floor => value.floor(),
                _ => value.ceil(),
            }))
        }
        F::Erf => match (x.is_zero(), x.as_constant()) {
            (true, _) => Some(Expr::zero()),
            (_, Some(MathConstant::Infinity)) => Some(Expr::one()),
            _ => None,
        },
        F::Erfc => match (x.is_zero(), x.as_constant()) {
            (true, _) => Some(Expr::one()),
            (_, Some(MathConstant::Infinity)) => Some(Expr::zero()),
            (_, Some(MathConstant::MinusInfinity)) => Some(Expr::integer(2)),
            _ => None,
        },
        F::SinIntegral if x.is_zero() => Some(Expr::zero()),
        F::SinIntegral if x.as_constant() == Some(MathConstant::Infinity) => {
            Some(Expr::pi() / Expr::integer(2))
        }
        F::Gamma | F::Factorial => factorial_value(function, x),
        F::Zeta => zeta_value(x),
        F::Heaviside => {
            x.as_number()
                .map(|value| match (value.is_positive(), value.is_negative()) {
                    (true, _) => Expr::one(),
                    (_, true) => Expr::zero(),
                    _ => Expr::ratio(1, 2),
                })
        }
        F::LambertW if x.is_zero() => Some(Expr::zero()),
        F::LambertW if x.as_constant() == Some(MathConstant::E) => Some(Expr::one()),
        _ => None,
    }
}

fn circular_value(function: &MathFunction, x: &Expr) -> Option<Expr> {
    use MathFunction as F;
    if x.is_infinite() {
        return Some(Expr::undefined());
    }
    if let Some(turns) = turns_of(x) {
        let value = match function {
            F::Sin => sine_of_turns(&turns),
            F::Cos => cosine_of_turns(&turns),
            F::Tan => tangent_of_turns(&turns),
            F::Cot => {
                let half = BigRational::new(1.into(), 2.into());
                tangent_of_turns(&(half - turns.clone()))
            }
            F::Sec => cosine_of_turns(&turns).map(|value| value.recip()),
            _ => sine_of_turns(&turns).map(|value| value.recip()),
        };
        if value.is_some() {
            return value;
        }
        return reduce_turns(function, &turns);
    }
    shift_by_pi(function, x).or_else(|| circular_of_inverse(function, x))
}

/// A fraction of pi between minus and plus a quarter turn.
fn reduce_turns(function: &MathFunction, turns: &BigRational) -> Option<Expr> {
    let whole = turns.round().to_integer();
    if whole == 0.into() {
        return None;
    }
    let reduced = turns - BigRational::from_integer(whole.clone());
    let shifted = Expr::apply(function.clone(), Expr::number(reduced) * Expr::pi());
    let flips =
        (whole % 2u32) != 0.into() && !matches!(function, MathFunction::Tan | MathFunction::Cot);
    Some(match flips {
        true => -shifted,
        false => shifted,
    })
}

/// `f(y + k*pi/2)` for whole k.
fn shift_by_pi(function: &MathFunction, x: &Expr) -> Option<Expr> {
    use MathFunction as F;
    let ExprNode::Sum(terms) = x.node() else {
        return None;
    };
    let (place, turns) = terms.iter().enumerate().find_map(|(at, term)| {
        let double = turns_of(term)? * BigRational::from_integer(2.into());
        double.is_integer().then(|| (at, double.numer().clone()))
    })?;
    let rest = Expr::sum(
        terms
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != place)
            .map(|(_, term)| term.clone()),
    );
    let four = num_bigint::BigInt::from(4);
    let quarter: u32 = ((turns % &four + &four) % &four).to_u32()?;
    let (partner, flip): (F, bool) = match (function, quarter) {
        (F::Sin | F::Cos | F::Sec | F::Csc, 2) => (function.clone(), true),
        (F::Tan | F::Cot, 2) | (_, 0) => (function.clone(), false),
        (F::Sin, 1) => (F::Cos, false),
        (F::Sin, _) => (F::Cos, true),
        (F::Cos, 1) => (F::Sin, true),
        (F::Cos, _) => (F::Sin, false),
        (F::Tan, _) => (F::Cot, true),
        (F::Cot, _) => (F::Tan, true),
        (F::Sec, 1) => (F::Csc, true),
        (F::Sec, _) => (F::Csc, false),
        (F::Csc, 1) => (F::Sec, false),
        (_, _) => (F::Sec, true),
    };
    let value = Expr::apply(partner, rest);
    Some(match flip {
        true => -value,
        false => value,
    })
}

/// `sin(asin(y))` and its like.
fn circular_of_inverse(function: &MathFunction, x: &Expr) -> Option<Expr> {
    use MathFunction as F;
    let (inverse, arguments) = x.as_call()?;
    let y = arguments.first()?;
    let root_of = |sum: Expr| sum.sqrt();
    let square = y.powi(2);
    Some(match (function, inverse) {
        (F::Sin, F::Asin) | (F::Cos, F::Acos) | (F::Tan, F::Atan) => y.clone(),
        (F::Cos, F::Asin) | (F::Sin, F::Acos) => root_of(Expr::one() - square),
        (F::Tan, F::Asin) => y / root_of(Expr::one() - square),
        (F::Tan, F::Acos) => root_of(Expr::one() - square) / y,
        (F::Sin, F::Atan) => y / root_of(Expr::one() + square),
        (F::Cos, F::Atan) => root_of(Expr::one() + square).recip(),
        (F::Sec, F::Atan) => root_of(Expr::one() + square),
        _ => return None,
    })
}

fn inverse_value(function: &MathFunction, x: &Expr) -> Option<Expr> {
    use MathFunction as F;
    match (function, x.as_constant()) {
        (F::Atan, Some(MathConstant::Infinity)) => return Some(Expr::pi() / Expr::integer(2)),
        (F::Atan, Some(MathConstant::MinusInfinity)) => {
            return Some(Expr::pi() / Expr::integer(-2));
        }
        (_, Some(MathConstant::Infinity | MathConstant::MinusInfinity)) => {
            return Some(Expr::undefined());
        }
        _ => {}
    }
    if !x.symbols().is_empty() || x.size() > 20 {
        return None;
    }
    inverse_circular(function, x)
}

fn hyperbolic_value(function: &MathFunction, x: &Expr) -> Option<Expr> {
    use MathFunction as F;
    if x.is_zero() {
        return Some(match function {
            F::Sinh | F::Tanh | F::Asinh | F::Atanh => Expr::zero(),
            F::Cosh | F::Sech => Expr::one(),
            F::Acosh => Expr::i() * Expr::pi() / Expr::integer(2),
            _ => Expr::undefined(),
        });
    }
    match x.as_constant() {
        Some(MathConstant::Infinity) => {
            return Some(match function {
                F::Sinh | F::Cosh | F::Asinh | F::Acosh => Expr::infinity(),
                F::Tanh | F::Coth => Expr::one(),
                F::Sech | F::Csch => Expr::zero(),
                _ => Expr::undefined(),
            });
        }
        Some(MathConstant::MinusInfinity) => {
            return Some(match function {
                F::Sinh | F::Asinh => Expr::constant(MathConstant::MinusInfinity),
                F::Cosh => Expr::infinity(),
                F::Tanh | F::Coth => Expr::integer(-1),
                F::Sech | F::Csch => Expr::zero(),
                _ => Expr::undefined(),
            });
        }
        _ => {}
    }
    match (function, x.as_call()) {
        (F::Acosh, _) if x.is_one() => Some(Expr::zero()),
        (F::Atanh, _) if x.as_integer().is_some_and(|value| value.abs() == 1) => {
            Some(Expr::undefined())
        }
        (F::Sinh, Some((F::Asinh, [y])))
        | (F::Cosh, Some((F::Acosh, [y])))
        | (F::Tanh, Some((F::Atanh, [y]))) => Some(y.clone()),
        (F::Cosh, Some((F::Asinh, [y]))) => Some((y.powi(2) + Expr::one()).sqrt()),
        (F::Asinh, Some((F::Sinh, [y]))) if is_known_real(y) => Some(y.clone()),
        (F::Sinh | F::Cosh | F::Tanh, Some((F::Ln, [y]))) => {
            let two = Expr::integer(2);
            Some(match function {
                F::Sinh => (y - y.recip()) / two,
                F::Cosh => (y + y.recip()) / two,
                _ => (y.powi(2) - Expr::one()) / (y.powi(2) + Expr::one()),
            })
        }
        _ => None,
    }
}

fn logarithm_value(x: &Expr) -> Option<Expr> {
    match x.node() {
        ExprNode::Number(value) if value.is_one() => Some(Expr::zero()),
        ExprNode::Number(value) if value == &BigRational::from_integer(0.into()) => {
            Some(Expr::undefined())
        }
        ExprNode::Number(value) if value.is_negative() => Some((-x).ln() + Expr::i() * Expr::pi()),
        ExprNode::Number(value) if value.is_positive() && value.numer().is_one() => {
            Some(-x.recip().ln())
        }
        ExprNode::Number(value) if value.is_integer() && value.numer().bits() < 512 => {
            (2..=9u32).rev().find_map(|degree| {
                let root = super::integer::exact_root(value.numer(), degree)?;
                Some(
                    Expr::integer(i64::from(degree))
                        * Expr::number(BigRational::from_integer(root)).ln(),
                )
            })
        }
        ExprNode::Constant(MathConstant::E) => Some(Expr::one()),
        ExprNode::Constant(MathConstant::I) => Some(Expr::i() * Expr::pi() / Expr::integer(2)),
        ExprNode::Constant(MathConstant::Infinity) => Some(Expr::infinity()),
        ExprNode::Power(base, exponent)
            if base.as_constant() == Some(MathConstant::E) && is_known_real(exponent) =>
        {
            Some(exponent.clone())
        }
        ExprNode::Power(base, exponent) if is_known_positive(base) && is_known_real(exponent) => {
            Some(exponent * base.ln())
        }
        // The half of a root's argument stays within a half turn.
        ExprNode::Power(base, exponent)
            if exponent
                .as_number()
                .is_some_and(|value| value.is_positive() && value < &BigRational::one()) =>
        {
            Some(exponent * base.ln())
        }
        ExprNode::Power(base, exponent)
            if is_known_real(base) && exponent.as_integer().is_some_and(|count| count % 2 == 0) =>
        {
            Some(exponent * Expr::apply(MathFunction::Abs, base.clone()).ln())
        }
        ExprNode::Product(factors) => {
            let (outside, inside): (Vec<&Expr>, Vec<&Expr>) = factors
                .iter()
                .partition(|factor| is_exponential_like(factor));
            if outside.is_empty() {
                return None;
            }
            let rest = Expr::product(inside.into_iter().cloned());
            Some(Expr::sum(
                outside.into_iter().map(Expr::ln).chain([rest.ln()]),
            ))
        }
        _ => None,
    }
}

/// Whether the logarithm of the factor is simpler than the factor, and the factor positive.
fn is_exponential_like(factor: &Expr) -> bool {
    factor.as_exponential().is_some_and(is_known_real)
}

fn absolute_value(x: &Expr) -> Option<Expr> {
    if x.is_infinite() {
        return Some(Expr::infinity());
    }
    if let Some(value) = x.as_number() {
        return Some(Expr::number(value.abs()));
    }
    if is_known_nonnegative(x) {
        return Some(x.clone());
    }
    if is_known_nonnegative(&-x) {
        return Some(-x);
    }
    let of = |part: &Expr| Expr::apply(MathFunction::Abs, part.clone());
    match x.node() {
        ExprNode::Constant(MathConstant::I) => Some(Expr::one()),
        ExprNode::Product(factors) => {
            let (known, others): (Vec<&Expr>, Vec<&Expr>) = factors.iter().partition(|factor| {
                factor.as_number().is_some()
                    || is_known_nonnegative(factor)
                    || factor.as_constant().is_some()
            });
            if known.is_empty() {
                return None;
            }
            let rest = Expr::product(others.into_iter().cloned());
            Some(Expr::product(known.into_iter().map(of).chain([of(&rest)])))
        }
        ExprNode::Power(base, exponent)
            if is_known_real(exponent)
                && (exponent.as_integer().is_some() || is_known_real(base)) =>
        {
            Some(of(base).pow(exponent))
        }
        ExprNode::Call(MathFunction::Abs, _) => Some(x.clone()),
        _ => None,
    }
}

fn sign_value(x: &Expr) -> Option<Expr> {
    if x.is_zero() {
        return Some(Expr::zero());
    }
    if is_known_positive(x) {
        return Some(Expr::one());
    }
    if is_known_positive(&-x) || x.as_constant() == Some(MathConstant::MinusInfinity) {
        return Some(Expr::integer(-1));
    }
    None
}

fn factorial_value(function: &MathFunction, x: &Expr) -> Option<Expr> {
    let shift = match function {
        MathFunction::Gamma => 1,
        _ => 0,
    };
    if x.as_constant() == Some(MathConstant::Infinity) {
        return Some(Expr::infinity());
    }
    if let Some(count) = x.as_integer() {
        let count = count - shift;
        if count < 0 {
            return Some(Expr::undefined());
        }
        if count > 3_000 {
            return None;
        }
        let value = (1..=count).fold(num_bigint::BigInt::one(), |product, factor| {
            product * factor
        });
        return Some(Expr::number(BigRational::from_integer(value)));
    }
    let value = x.as_number()?;
    if *function == MathFunction::Factorial {
        return Some(Expr::apply(MathFunction::Gamma, x + Expr::one()));
    }
    let two = num_bigint::BigInt::from(2);
    let (top, is_half) = (value.numer().to_i64()?, *value.denom() == two);
    if !is_half || top.abs() > 400 {
        return None;
    }
    // Gamma(1/2) = sqrt(pi), and Gamma(x + 1) = x*Gamma(x) from there.
    let mut at = Expr::ratio(1, 2);
    let mut result = Expr::pi().sqrt();
    for _ in 0..(top - 1).abs() / 2 {
        if top > 0 {
            result = result * &at;
            at = at + Expr::one();
        } else {
            at = at - Expr::one();
            result = result / &at;
        }
    }
    Some(result)
}

/// Values at even numbers, and at 0 and -1.
fn zeta_value(x: &Expr) -> Option<Expr> {
    let n = x.as_integer()?;
    Some(match n {
        0 => Expr::ratio(-1, 2),
        1 => Expr::infinity(),
        -1 => Expr::ratio(-1, 12),
        2..=40 if n % 2 == 0 => {
            let bernoulli = crate::numeric::bernoulli::bernoulli_number(n as usize);
            let size = Expr::number(bernoulli.abs()) * Expr::integer(2).powi(n - 1)
                / Expr::apply(MathFunction::Factorial, x.clone());
            size * Expr::pi().powi(n)
        }
        _ => return None,
    })
}
