//! Elementary functions of doubles, over blocks of lanes.
//!
//! A lane of a block and a single value give the same bits, on every processor and at every [`Level`].

mod level;
mod operation;

pub use level::{Level, level, with_level};
pub use operation::{Binary, Unary};

/// The value of a function at one point: the same bits as a lane of [`unary_block`].
pub fn unary(op: Unary, x: f64) -> f64 {
    match op {
        Unary::Neg => -x,
        Unary::Square => x * x,
        Unary::Abs => x.abs(),
        Unary::Sqrt => x.sqrt(),
        Unary::Reciprocal => 1.0 / x,
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Round => x.round_ties_even(),
        Unary::Trunc => x.trunc(),
        Unary::Sign if x > 0.0 => 1.0,
        Unary::Sign if x < 0.0 => -1.0,
        Unary::Sign => x,
        Unary::Degrees => x.to_degrees(),
        Unary::Radians => x.to_radians(),
        Unary::Sin => libm::sin(x),
        Unary::Cos => libm::cos(x),
        Unary::Tan => libm::tan(x),
        Unary::Asin => libm::asin(x),
        Unary::Acos => libm::acos(x),
        Unary::Atan => libm::atan(x),
        Unary::Sinh => libm::sinh(x),
        Unary::Cosh => libm::cosh(x),
        Unary::Tanh => libm::tanh(x),
        Unary::Asinh => libm::asinh(x),
        Unary::Acosh => libm::acosh(x),
        Unary::Atanh => libm::atanh(x),
        Unary::Exp => libm::exp(x),
        Unary::Exp2 => libm::exp2(x),
        Unary::Expm1 => libm::expm1(x),
        Unary::Log => libm::log(x),
        Unary::Log2 => libm::log2(x),
        Unary::Log10 => libm::log10(x),
        Unary::Log1p => libm::log1p(x),
        Unary::Cbrt => libm::cbrt(x),
        Unary::Erf => libm::erf(x),
        Unary::Erfc => libm::erfc(x),
    }
}

/// The value of a function of two numbers: the same bits as a lane of [`binary_block`].
pub fn binary(op: Binary, a: f64, b: f64) -> f64 {
    let truth = |holds: bool| f64::from(u8::from(holds));
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Mod => modulo(a, b),
        Binary::Fmod => libm::fmod(a, b),
        Binary::Min if a.is_nan() || a < b => a,
        Binary::Max if a.is_nan() || a > b => a,
        Binary::Min | Binary::Max => b,
        Binary::Less => truth(a < b),
        Binary::LessEqual => truth(a <= b),
        Binary::Greater => truth(a > b),
        Binary::GreaterEqual => truth(a >= b),
        Binary::Equal => truth(a == b),
        Binary::NotEqual => truth(a != b),
        Binary::CopySign => a.copysign(b),
        Binary::Pow => libm::pow(a, b),
        Binary::Atan2 => libm::atan2(a, b),
        Binary::Hypot => libm::hypot(a, b),
    }
}

fn modulo(a: f64, b: f64) -> f64 {
    let remainder = libm::fmod(a, b);
    if remainder == 0.0 {
        0.0_f64.copysign(b)
    } else if (remainder < 0.0) == (b < 0.0) {
        remainder
    } else {
        remainder + b
    }
}

/// `then` where the condition is neither 0 nor NaN, `otherwise` where it is 0, and NaN where it is NaN.
pub fn select(condition: f64, then: f64, otherwise: f64) -> f64 {
    if condition.is_nan() {
        condition
    } else if condition != 0.0 {
        then
    } else {
        otherwise
    }
}

/// `out[i] = op(x[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn unary_block(op: Unary, x: &[f64], out: &mut [f64]) {
    assert_eq!(x.len(), out.len(), "lanes of x and out");
    for (out, &x) in out.iter_mut().zip(x) {
        *out = unary(op, x);
    }
}

/// `x[i] = op(x[i])`.
pub fn unary_in_place(op: Unary, x: &mut [f64]) {
    for x in x {
        *x = unary(op, *x);
    }
}

/// `out[i] = op(a[i], b[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn binary_block(op: Binary, a: &[f64], b: &[f64], out: &mut [f64]) {
    assert_eq!(a.len(), out.len(), "lanes of a and out");
    assert_eq!(b.len(), out.len(), "lanes of b and out");
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = binary(op, a, b);
    }
}

/// `out[i] = op(a[i], b)`.
///
/// # Panics
/// When the lengths differ.
pub fn binary_block_scalar_right(op: Binary, a: &[f64], b: f64, out: &mut [f64]) {
    assert_eq!(a.len(), out.len(), "lanes of a and out");
    for (out, &a) in out.iter_mut().zip(a) {
        *out = binary(op, a, b);
    }
}

/// `out[i] = op(a, b[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn binary_block_scalar_left(op: Binary, a: f64, b: &[f64], out: &mut [f64]) {
    assert_eq!(b.len(), out.len(), "lanes of b and out");
    for (out, &b) in out.iter_mut().zip(b) {
        *out = binary(op, a, b);
    }
}

/// `out[i] = select(condition[i], then[i], otherwise[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn select_block(condition: &[f64], then: &[f64], otherwise: &[f64], out: &mut [f64]) {
    assert_eq!(condition.len(), out.len(), "lanes of condition and out");
    assert_eq!(then.len(), out.len(), "lanes of then and out");
    assert_eq!(otherwise.len(), out.len(), "lanes of otherwise and out");
    for (lane, out) in out.iter_mut().enumerate() {
        *out = select(condition[lane], then[lane], otherwise[lane]);
    }
}
