//! From a name to its kernel: every entry of the family, one `match` each.

use super::dispatch;
use super::lanes::{CHUNK, Constant};
use super::operation::{Binary, Unary};

/// Evaluates an expression with the kernel of a function of one number.
macro_rules! with_unary {
    ($op:expr, $kernel:ident => $body:expr) => {
        match $op {
            Unary::Neg => {
                type $kernel = super::simple::Neg;
                $body
            }
            Unary::Square => {
                type $kernel = super::simple::Square;
                $body
            }
            Unary::Abs => {
                type $kernel = super::simple::Abs;
                $body
            }
            Unary::Sqrt => {
                type $kernel = super::simple::Sqrt;
                $body
            }
            Unary::Reciprocal => {
                type $kernel = super::simple::Reciprocal;
                $body
            }
            Unary::Floor => {
                type $kernel = super::simple::Floor;
                $body
            }
            Unary::Ceil => {
                type $kernel = super::simple::Ceil;
                $body
            }
            Unary::Round => {
                type $kernel = super::simple::Round;
                $body
            }
            Unary::Trunc => {
                type $kernel = super::simple::Trunc;
                $body
            }
            Unary::Sign => {
                type $kernel = super::simple::Sign;
                $body
            }
            Unary::Degrees => {
                type $kernel = super::simple::Degrees;
                $body
            }
            Unary::Radians => {
                type $kernel = super::simple::Radians;
                $body
            }
            Unary::Sin => {
                type $kernel = super::circular::Sin;
                $body
            }
            Unary::Cos => {
                type $kernel = super::circular::Cos;
                $body
            }
            Unary::Tan => {
                type $kernel = super::circular::Tan;
                $body
            }
            Unary::Asin => {
                type $kernel = super::inverse::Asin;
                $body
            }
            Unary::Acos => {
                type $kernel = super::inverse::Acos;
                $body
            }
            Unary::Atan => {
                type $kernel = super::inverse::Atan;
                $body
            }
            Unary::Sinh => {
                type $kernel = super::hyperbolic::Sinh;
                $body
            }
            Unary::Cosh => {
                type $kernel = super::hyperbolic::Cosh;
                $body
            }
            Unary::Tanh => {
                type $kernel = super::hyperbolic::Tanh;
                $body
            }
            Unary::Asinh => {
                type $kernel = super::inverse_hyperbolic::Asinh;
                $body
            }
            Unary::Acosh => {
                type $kernel = super::inverse_hyperbolic::Acosh;
                $body
            }
            Unary::Atanh => {
                type $kernel = super::inverse_hyperbolic::Atanh;
                $body
            }
            Unary::Exp => {
                type $kernel = super::exponential::Exp;
                $body
            }
            Unary::Exp2 => {
                type $kernel = super::exponential::Exp2;
                $body
            }
            Unary::Expm1 => {
                type $kernel = super::exponential::Expm1;
                $body
            }
            Unary::Log => {
                type $kernel = super::logarithm::Log;
                $body
            }
            Unary::Log2 => {
                type $kernel = super::logarithm::Log2;
                $body
            }
            Unary::Log10 => {
                type $kernel = super::logarithm::Log10;
                $body
            }
            Unary::Log1p => {
                type $kernel = super::logarithm::Log1p;
                $body
            }
            Unary::Cbrt => {
                type $kernel = super::power::Cbrt;
                $body
            }
            Unary::Erf => {
                type $kernel = super::error::Erf;
                $body
            }
            Unary::Erfc => {
                type $kernel = super::error::Erfc;
                $body
            }
        }
    };
}

/// Evaluates an expression with the kernel of a function of two numbers.
macro_rules! with_binary {
    ($op:expr, $kernel:ident => $body:expr) => {
        match $op {
            Binary::Add => {
                type $kernel = super::simple::Add;
                $body
            }
            Binary::Sub => {
                type $kernel = super::simple::Sub;
                $body
            }
            Binary::Mul => {
                type $kernel = super::simple::Mul;
                $body
            }
            Binary::Div => {
                type $kernel = super::simple::Div;
                $body
            }
            Binary::Mod => {
                type $kernel = super::simple::Mod;
                $body
            }
            Binary::Fmod => {
                type $kernel = super::simple::Fmod;
                $body
            }
            Binary::Min => {
                type $kernel = super::simple::Min;
                $body
            }
            Binary::Max => {
                type $kernel = super::simple::Max;
                $body
            }
            Binary::Less => {
                type $kernel = super::simple::Less;
                $body
            }
            Binary::LessEqual => {
                type $kernel = super::simple::LessEqual;
                $body
            }
            Binary::Greater => {
                type $kernel = super::simple::Greater;
                $body
            }
            Binary::GreaterEqual => {
                type $kernel = super::simple::GreaterEqual;
                $body
            }
            Binary::Equal => {
                type $kernel = super::simple::Equal;
                $body
            }
            Binary::NotEqual => {
                type $kernel = super::simple::NotEqual;
                $body
            }
            Binary::CopySign => {
                type $kernel = super::simple::CopySign;
                $body
            }
            Binary::Pow => {
                type $kernel = super::power::Pow;
                $body
            }
            Binary::Atan2 => {
                type $kernel = super::inverse::Atan2;
                $body
            }
            Binary::Hypot => {
                type $kernel = super::power::Hypot;
                $body
            }
        }
    };
}

/// The value of a function at one point: the same bits as a lane of [`unary_block`].
pub fn unary(op: Unary, x: f64) -> f64 {
    with_unary!(op, Kernel => dispatch::one::<Kernel>(x))
}

/// The value of a function of two numbers: the same bits as a lane of [`binary_block`].
pub fn binary(op: Binary, a: f64, b: f64) -> f64 {
    with_binary!(op, Kernel => dispatch::two::<Kernel>(a, b))
}

/// `then` where the condition is neither 0 nor NaN, `otherwise` where it is 0, and NaN where it is NaN.
pub fn select(condition: f64, then: f64, otherwise: f64) -> f64 {
    super::simple::choose(condition, then, otherwise)
}

/// `out[i] = op(x[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn unary_block(op: Unary, x: &[f64], out: &mut [f64]) {
    assert_eq!(x.len(), out.len(), "lanes of x and out");
    with_unary!(op, Kernel => dispatch::run1::<Kernel>(x, out));
}

/// `x[i] = op(x[i])`.
pub fn unary_in_place(op: Unary, x: &mut [f64]) {
    let mut copy = [0.0; CHUNK];
    for part in x.chunks_mut(CHUNK) {
        let copy = &mut copy[..part.len()];
        copy.copy_from_slice(part);
        unary_block(op, copy, part);
    }
}

/// `out[i] = op(a[i], b[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn binary_block(op: Binary, a: &[f64], b: &[f64], out: &mut [f64]) {
    assert_eq!(a.len(), out.len(), "lanes of a and out");
    assert_eq!(b.len(), out.len(), "lanes of b and out");
    with_binary!(op, Kernel => dispatch::run2::<Kernel, &[f64], &[f64]>(a, b, out));
}

/// `out[i] = op(a[i], b)`.
///
/// # Panics
/// When the lengths differ.
pub fn binary_block_scalar_right(op: Binary, a: &[f64], b: f64, out: &mut [f64]) {
    assert_eq!(a.len(), out.len(), "lanes of a and out");
    with_binary!(op, Kernel => dispatch::run2::<Kernel, &[f64], Constant>(a, Constant(b), out));
}

/// `out[i] = op(a, b[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn binary_block_scalar_left(op: Binary, a: f64, b: &[f64], out: &mut [f64]) {
    assert_eq!(b.len(), out.len(), "lanes of b and out");
    with_binary!(op, Kernel => dispatch::run2::<Kernel, Constant, &[f64]>(Constant(a), b, out));
}

/// `out[i] = select(condition[i], then[i], otherwise[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn select_block(condition: &[f64], then: &[f64], otherwise: &[f64], out: &mut [f64]) {
    assert_eq!(condition.len(), out.len(), "lanes of condition and out");
    assert_eq!(then.len(), out.len(), "lanes of then and out");
    assert_eq!(otherwise.len(), out.len(), "lanes of otherwise and out");
    dispatch::run_choose(condition, then, otherwise, out);
}
