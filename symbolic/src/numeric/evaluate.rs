//! Values of expressions at a precision.

use std::collections::BTreeMap;

use astro_float_num::{BigFloat, Consts, Radix, RoundingMode, Sign};

use super::complex::{BigArithmetic, ManyDigitComplex, to_double};
use super::special;
use crate::budget::{Budget, Outcome};
use crate::tree::{Expr, ExprNode, MathConstant, MathFunction, Symbol};

/// Bits of mantissa of an ordinary evaluation, about 96 digits, so that 30 are left after cancellation.
pub(crate) const WORKING_BITS: usize = 320;

/// Values of symbols.
pub(crate) type Assignment = BTreeMap<Symbol, ManyDigitComplex>;

/// A number as text and as doubles.
#[derive(Debug, Clone, PartialEq)]
pub struct NumericValue {
    /// The digits; of a complex number both parts.
    pub text: String,
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

/// An evaluation of expressions at a point.
pub(crate) struct Evaluation<'a> {
    pub arithmetic: BigArithmetic,
    values: Assignment,
    budget: &'a Budget<'a>,
}

impl<'a> Evaluation<'a> {
    /// Evaluates with these values at this precision.
    pub(crate) fn new(bits: usize, values: Assignment, budget: &'a Budget<'a>) -> Option<Self> {
        Some(Self {
            arithmetic: BigArithmetic::new(bits)?,
            values,
            budget,
        })
    }

    /// The value, where there is one and it is finite.
    pub(crate) fn value(&mut self, expr: &Expr) -> Outcome<Option<ManyDigitComplex>> {
        self.budget.spend(3)?;
        let value = match expr.node() {
            ExprNode::Number(number) => {
                let real = self.arithmetic.fraction(number);
                Some(self.arithmetic.complex(real))
            }
            ExprNode::Constant(constant) => self.constant(*constant),
            ExprNode::Symbol(symbol) => self.values.get(symbol).cloned(),
            ExprNode::Sum(terms) => {
                let mut total = self.arithmetic.small(0);
                for term in terms {
                    let Some(value) = self.value(term)? else {
                        return Ok(None);
                    };
                    total = self.arithmetic.add(&total, &value);
                }
                Some(total)
            }
            ExprNode::Product(factors) => {
                let mut total = self.arithmetic.small(1);
                for factor in factors {
                    let Some(value) = self.value(factor)? else {
                        return Ok(None);
                    };
                    total = self.arithmetic.mul(&total, &value);
                }
                Some(total)
            }
            ExprNode::Power(base, exponent) => self.power(base, exponent)?,
            ExprNode::Call(function, arguments) => self.call(function, arguments)?,
            ExprNode::Relation(..) | ExprNode::Poisoned(_) => None,
        };
        Ok(value.filter(ManyDigitComplex::is_finite))
    }

    fn constant(&mut self, constant: MathConstant) -> Option<ManyDigitComplex> {
        let real = match constant {
            MathConstant::Pi => self.arithmetic.pi(),
            MathConstant::E => {
                let one = self.arithmetic.real(1);
                self.arithmetic.fexp(&one)
            }
            MathConstant::I => {
                return Some(ManyDigitComplex {
                    re: self.arithmetic.real(0),
                    im: self.arithmetic.real(1),
                });
            }
            MathConstant::EulerGamma => special::euler_gamma(&mut self.arithmetic)?,
            MathConstant::Infinity | MathConstant::MinusInfinity => return None,
        };
        Some(self.arithmetic.complex(real))
    }

    fn power(&mut self, base: &Expr, exponent: &Expr) -> Outcome<Option<ManyDigitComplex>> {
        if base.as_constant() == Some(MathConstant::E) {
            let exponent = self.value(exponent)?;
            return Ok(exponent.map(|exponent| self.arithmetic.exp(&exponent)));
        }
        let Some(value) = self.value(base)? else {
            return Ok(None);
        };
        if let Some(count) = exponent.as_integer() {
            return Ok(Some(self.arithmetic.powi(&value, count)));
        }
        if let Some(part) = exponent.as_number()
            && *part.denom() == 2.into()
            && let Some(count) = num_traits::ToPrimitive::to_i64(part.numer())
        {
            let root = self.arithmetic.sqrt(&value);
            return Ok(Some(self.arithmetic.powi(&root, count)));
        }
        let exponent = self.value(exponent)?;
        Ok(exponent.map(|exponent| self.arithmetic.pow(&value, &exponent)))
    }

    fn call(
        &mut self,
        function: &MathFunction,
        arguments: &[Expr],
    ) -> Outcome<Option<ManyDigitComplex>> {
        let [argument] = arguments else {
            return Ok(None);
        };
        let Some(x) = self.value(argument)? else {
            return Ok(None);
        };
        self.budget.spend(20)?;
        Ok(evaluate_function(&mut self.arithmetic, function, &x))
    }
}

fn evaluate_function(
    math: &mut BigArithmetic,
    function: &MathFunction,
    x: &ManyDigitComplex,
) -> Option<ManyDigitComplex> {
    use MathFunction as F;
    let one = math.small(1);
    let real = |x: &ManyDigitComplex| x.im.is_zero().then(|| x.re.clone());
    Some(match function {
        F::Sin => math.sin_cos(x).0,
        F::Cos => math.sin_cos(x).1,
        F::Tan => {
            let (sin, cos) = math.sin_cos(x);
            math.div(&sin, &cos)
        }
        F::Cot => {
            let (sin, cos) = math.sin_cos(x);
            math.div(&cos, &sin)
        }
        F::Sec => {
            let cos = math.sin_cos(x).1;
            math.div(&one, &cos)
        }
        F::Csc => {
            let sin = math.sin_cos(x).0;
            math.div(&one, &sin)
        }
        F::Asin => math.asin(x),
        F::Acos => math.acos(x),
        F::Atan => math.atan(x),
        F::Sinh => math.hyperbolic(x).0,
        F::Cosh => math.hyperbolic(x).1,
        F::Tanh => {
            let (sinh, cosh) = math.hyperbolic(x);
            math.div(&sinh, &cosh)
        }
        F::Coth => {
            let (sinh, cosh) = math.hyperbolic(x);
            math.div(&cosh, &sinh)
        }
        F::Sech => {
            let cosh = math.hyperbolic(x).1;
            math.div(&one, &cosh)
        }
        F::Csch => {
            let sinh = math.hyperbolic(x).0;
            math.div(&one, &sinh)
        }
        F::Asinh => math.asinh(x),
        F::Acosh => math.acosh(x),
        F::Atanh => math.atanh(x),
        F::Ln => math.ln(x),
        F::Abs => {
            let size = math.modulus(x);
            math.complex(size)
        }
        F::Sign => math.small(sign_of(&real(x)?)),
        F::Floor => math.complex(real(x)?.floor()),
        F::Ceil => math.complex(real(x)?.ceil()),
        F::Heaviside => match sign_of(&real(x)?) {
            0 => math.div(&one, &math.small(2)),
            sign => math.small(i64::from(sign > 0)),
        },
        F::Erf => {
            let value = special::erf(math, &real(x)?)?;
            math.complex(value)
        }
        F::Erfc => {
            let value = special::erf(math, &real(x)?)?;
            let value = math.complex(value);
            math.sub(&one, &value)
        }
        F::Gamma => {
            let value = special::gamma(math, &real(x)?)?;
            math.complex(value)
        }
        F::Factorial => {
            let next = math.fadd(&real(x)?, &one.re);
            let value = special::gamma(math, &next)?;
            math.complex(value)
        }
        F::ExpIntegral => {
            let value = special::exponential_integral(math, &real(x)?)?;
            math.complex(value)
        }
        F::SinIntegral => {
            let value = special::sine_integral(math, &real(x)?)?;
            math.complex(value)
        }
        F::CosIntegral => {
            let value = special::cosine_integral(math, &real(x)?)?;
            math.complex(value)
        }
        F::LambertW => {
            let value = special::lambert(math, &real(x)?)?;
            math.complex(value)
        }
        F::Zeta => {
            let value = special::zeta(math, &real(x)?)?;
            math.complex(value)
        }
        _ => return None,
    })
}

/// -1, 0 or 1.
pub(crate) fn sign_of(value: &BigFloat) -> i64 {
    match (value.is_zero(), value.sign()) {
        (true, _) | (_, None) => 0,
        (_, Some(Sign::Neg)) => -1,
        (_, Some(Sign::Pos)) => 1,
    }
}

/// The value of an expression without symbols, in so many significant digits (at most 60). `None` where there is no finite value.
pub fn evaluate_digits(
    expr: &Expr,
    digits: usize,
    budget: &Budget<'_>,
) -> Outcome<Option<NumericValue>> {
    let Some(mut evaluation) = Evaluation::new(WORKING_BITS, Assignment::new(), budget) else {
        return Ok(None);
    };
    let Some(value) = evaluation.value(expr)? else {
        return Ok(None);
    };
    Ok(Some(describe_value(&value, digits)))
}

/// A value in digits; a part that is only rounding noise beside the other is left out.
pub(crate) fn describe_value(value: &ManyDigitComplex, digits: usize) -> NumericValue {
    let (re, im) = value.to_doubles();
    let digits = digits.clamp(1, 60);
    let is_noise = |part: f64, other: f64| part.abs() <= other.abs() * 1e-60;
    let (re, im) = (
        if is_noise(re, im) { 0.0 } else { re },
        if is_noise(im, re) { 0.0 } else { im },
    );
    let text = match (re == 0.0, im == 0.0) {
        (_, true) => format_digits(&value.re, digits),
        (true, false) => format!("{}*i", format_digits(&value.im, digits)),
        _ => {
            let (sign, size) = match im < 0.0 {
                true => ("-", value.im.neg()),
                false => ("+", value.im.clone()),
            };
            format!(
                "{} {sign} {}*i",
                format_digits(&value.re, digits),
                format_digits(&size, digits)
            )
        }
    };
    NumericValue { text, re, im }
}

/// A real number in so many significant digits.
pub(crate) fn format_digits(value: &BigFloat, digits: usize) -> String {
    let double = to_double(value);
    if double == 0.0 {
        return "0".to_owned();
    }
    let Some((sign, mantissa, exponent)) = decimal_digits(value) else {
        return format!("{double}");
    };
    let (mantissa, exponent) = round_digits(&mantissa, exponent, digits);
    let trimmed = mantissa.trim_end_matches('0');
    let trimmed = if trimmed.is_empty() { "0" } else { trimmed };
    let sign = if sign { "-" } else { "" };
    // The number is 0.mantissa * 10^exponent.
    match exponent {
        1..=20 => {
            let point = exponent as usize;
            match trimmed.len() <= point {
                true => format!("{sign}{trimmed}{}", "0".repeat(point - trimmed.len())),
                false => format!("{sign}{}.{}", &trimmed[..point], &trimmed[point..]),
            }
        }
        -5..=0 => format!(
            "{sign}0.{}{trimmed}",
            "0".repeat(exponent.unsigned_abs() as usize)
        ),
        _ => {
            let (first, rest) = trimmed.split_at(1);
            match rest.is_empty() {
                true => format!("{sign}{first}e{}", exponent - 1),
                false => format!("{sign}{first}.{rest}e{}", exponent - 1),
            }
        }
    }
}

fn decimal_digits(value: &BigFloat) -> Option<(bool, String, i64)> {
    let mut consts = Consts::new().ok()?;
    let (sign, digits, exponent) = value
        .convert_to_radix(Radix::Dec, RoundingMode::ToEven, &mut consts)
        .ok()?;
    let text: String = digits
        .iter()
        .map(|&digit| char::from(b'0' + digit))
        .collect();
    let zeros = text.len() - text.trim_start_matches('0').len();
    Some((
        sign == Sign::Neg,
        text.trim_start_matches('0').to_owned(),
        i64::from(exponent) - zeros as i64,
    ))
}

/// Decimal digits rounded half up to a count.
fn round_digits(mantissa: &str, exponent: i64, count: usize) -> (String, i64) {
    if mantissa.len() <= count {
        return (mantissa.to_owned(), exponent);
    }
    let is_up = mantissa.as_bytes()[count] >= b'5';
    let mut kept: Vec<u8> = mantissa.bytes().take(count).collect();
    if is_up {
        let mut place = count;
        loop {
            if place == 0 {
                kept.insert(0, b'1');
                return (
                    kept[..count]
                        .iter()
                        .map(|&digit| char::from(digit))
                        .collect(),
                    exponent + 1,
                );
            }
            place -= 1;
            if kept[place] == b'9' {
                kept[place] = b'0';
            } else {
                kept[place] += 1;
                break;
            }
        }
    }
    (kept.into_iter().map(char::from).collect(), exponent)
}
