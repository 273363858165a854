//! The functions and constants of the language: one table, one definition of each value.

use std::f64::consts;

macro_rules! operations {
    ($(#[$doc:meta])* $name:ident as $type:ty { $($(#[$variant_doc:meta])* $variant:ident = $word:literal => $value:expr;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant),+
        }

        impl $name {
            /// Every member.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The canonical name, or the operator's sign.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            /// Its value: the one definition that every evaluator uses.
            pub fn function(self) -> $type {
                match self {
                    $(Self::$variant => $value),+
                }
            }
        }
    };
}

operations! {
    /// Functions of one number; NaN outside the domain.
    Unary as fn(f64) -> f64 {
        /// Minus.
        Neg = "-" => |x| -x;
        /// The square, from a power with the literal exponent 2.
        Square = "square" => |x| x * x;
        /// Sine of radians.
        Sin = "sin" => |x| x.sin();
        /// Cosine of radians.
        Cos = "cos" => |x| x.cos();
        /// Tangent of radians.
        Tan = "tan" => |x| x.tan();
        /// Arc sine in radians.
        Asin = "asin" => |x| x.asin();
        /// Arc cosine in radians.
        Acos = "acos" => |x| x.acos();
        /// Arc tangent in radians.
        Atan = "atan" => |x| x.atan();
        /// Hyperbolic sine.
        Sinh = "sinh" => |x| x.sinh();
        /// Hyperbolic cosine.
        Cosh = "cosh" => |x| x.cosh();
        /// Hyperbolic tangent.
        Tanh = "tanh" => |x| x.tanh();
        /// Inverse hyperbolic sine.
        Asinh = "asinh" => libm::asinh;
        /// Inverse hyperbolic cosine.
        Acosh = "acosh" => libm::acosh;
        /// Inverse hyperbolic tangent.
        Atanh = "atanh" => libm::atanh;
        /// e to the power x.
        Exp = "exp" => |x| x.exp();
        /// `exp(x) - 1`, accurate near zero.
        Expm1 = "expm1" => |x| x.exp_m1();
        /// Natural logarithm.
        Ln = "log" => |x| x.ln();
        /// Logarithm to base 2.
        Log2 = "log2" => |x| x.log2();
        /// Logarithm to base 10.
        Log10 = "log10" => |x| x.log10();
        /// `log(1 + x)`, accurate near zero.
        Log1p = "log1p" => |x| x.ln_1p();
        /// Square root.
        Sqrt = "sqrt" => |x| x.sqrt();
        /// Cube root, also of negative numbers.
        Cbrt = "cbrt" => |x| x.cbrt();
        /// Magnitude.
        Abs = "abs" => |x| x.abs();
        /// Next integer below.
        Floor = "floor" => |x| x.floor();
        /// Next integer above.
        Ceil = "ceil" => |x| x.ceil();
        /// Nearest integer, halves to even.
        Round = "round" => |x| x.round_ties_even();
        /// Integer part.
        Trunc = "trunc" => |x| x.trunc();
        /// -1, 0 or 1.
        Sign = "sign" => sign;
        /// Real part; of a real number itself.
        Re = "re" => |x| x;
        /// Imaginary part; zero for a real number.
        Im = "im" => |x| 0.0 * x;
        /// Angle in the complex plane, in radians: 0, or pi for a negative real number.
        Arg = "arg" => |x| if x < 0.0 { consts::PI } else { 0.0 * x };
        /// Complex conjugate; of a real number itself.
        Conj = "conj" => |x| x;
        /// Degrees from radians.
        Degrees = "degrees" => |x| x.to_degrees();
        /// Radians from degrees.
        Radians = "radians" => |x| x.to_radians();
        /// Error function.
        Erf = "erf" => libm::erf;
        /// `1 - erf(x)`, accurate where `erf` is near 1.
        Erfc = "erfc" => libm::erfc;
        /// Gamma function; NaN at its poles.
        Gamma = "gamma" => gamma;
        /// Logarithm of the magnitude of the gamma function.
        Lgamma = "lgamma" => libm::lgamma;
        /// Factorial of a whole number; NaN for others.
        Factorial = "factorial" => factorial;
    }
}

operations! {
    /// Functions of two numbers; NaN outside the domain.
    Binary as fn(f64, f64) -> f64 {
        /// Sum.
        Add = "+" => |a, b| a + b;
        /// Difference.
        Sub = "-" => |a, b| a - b;
        /// Product.
        Mul = "*" => |a, b| a * b;
        /// Quotient.
        Div = "/" => |a, b| a / b;
        /// Remainder with the divisor's sign.
        Mod = "%" => modulo;
        /// Power.
        Pow = "**" => |a, b| a.powf(b);
        /// 1 when less.
        Less = "<" => |a, b| f64::from(u8::from(a < b));
        /// 1 when less or equal.
        LessEqual = "<=" => |a, b| f64::from(u8::from(a <= b));
        /// 1 when greater.
        Greater = ">" => |a, b| f64::from(u8::from(a > b));
        /// 1 when greater or equal.
        GreaterEqual = ">=" => |a, b| f64::from(u8::from(a >= b));
        /// 1 when equal.
        Equal = "==" => |a, b| f64::from(u8::from(a == b));
        /// 1 when different.
        NotEqual = "!=" => |a, b| f64::from(u8::from(a != b));
        /// The smaller; NaN when one is NaN.
        Min = "min" => minimum;
        /// The larger; NaN when one is NaN.
        Max = "max" => maximum;
        /// Angle of the point (x = b, y = a), in radians from -pi to pi.
        Atan2 = "atan2" => |a, b| a.atan2(b);
        /// Length of the vector (a, b).
        Hypot = "hypot" => |a, b| a.hypot(b);
        /// Remainder with the dividend's sign.
        Fmod = "fmod" => |a, b| a % b;
        /// Logarithm of a to base b.
        LogBase = "log" => |a, b| a.ln() / b.ln();
    }
}

/// The remainder of `a / b` with the sign of `b`, as in Python: exact, never the rounded `a - b * floor(a / b)`.
fn modulo(a: f64, b: f64) -> f64 {
    let remainder = a % b;
    if remainder == 0.0 {
        0.0_f64.copysign(b)
    } else if (remainder < 0.0) == (b < 0.0) {
        remainder
    } else {
        remainder + b
    }
}

fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

fn factorial(n: f64) -> f64 {
    if n >= 0.0 && n.fract() == 0.0 {
        gamma(n + 1.0)
    } else {
        f64::NAN
    }
}

/// The gamma function; the poles at 0, -1, -2, ... are NaN from both sides.
fn gamma(x: f64) -> f64 {
    if x <= 0.0 && x.fract() == 0.0 {
        f64::NAN
    } else {
        libm::tgamma(x)
    }
}

/// The value of `if(condition, then, otherwise)`.
pub fn select(condition: f64, then: f64, otherwise: f64) -> f64 {
    if condition.is_nan() {
        condition
    } else if condition != 0.0 {
        then
    } else {
        otherwise
    }
}

/// What a name that is followed by `(` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// One argument.
    Unary(Unary),
    /// Two arguments.
    Binary(Binary),
    /// One or more arguments, combined from left to right.
    Fold(Binary),
    /// A logarithm: natural, or to the base given as second argument.
    Log,
    /// `if(condition, then, else)`.
    Select,
}

impl Function {
    /// Fewest and most arguments.
    pub fn arity(self) -> (usize, usize) {
        match self {
            Self::Unary(_) => (1, 1),
            Self::Binary(_) => (2, 2),
            Self::Fold(_) => (1, usize::MAX),
            Self::Log => (1, 2),
            Self::Select => (3, 3),
        }
    }
}

/// Spellings beside the canonical names: NumPy's, and common others.
const ALIASES: &[(&str, Function)] = &[
    ("if", Function::Select),
    ("where", Function::Select),
    ("log", Function::Log),
    ("min", Function::Fold(Binary::Min)),
    ("max", Function::Fold(Binary::Max)),
    ("pow", Function::Binary(Binary::Pow)),
    ("mod", Function::Binary(Binary::Mod)),
    ("ln", Function::Unary(Unary::Ln)),
    ("power", Function::Binary(Binary::Pow)),
    ("remainder", Function::Binary(Binary::Mod)),
    ("minimum", Function::Binary(Binary::Min)),
    ("maximum", Function::Binary(Binary::Max)),
    ("arcsin", Function::Unary(Unary::Asin)),
    ("arccos", Function::Unary(Unary::Acos)),
    ("arctan", Function::Unary(Unary::Atan)),
    ("arctan2", Function::Binary(Binary::Atan2)),
    ("arcsinh", Function::Unary(Unary::Asinh)),
    ("arccosh", Function::Unary(Unary::Acosh)),
    ("arctanh", Function::Unary(Unary::Atanh)),
    ("absolute", Function::Unary(Unary::Abs)),
    ("fabs", Function::Unary(Unary::Abs)),
    ("sgn", Function::Unary(Unary::Sign)),
    ("rad2deg", Function::Unary(Unary::Degrees)),
    ("deg2rad", Function::Unary(Unary::Radians)),
];

/// The named numbers.
pub const CONSTANTS: &[(&str, f64)] = &[("pi", consts::PI), ("e", consts::E), ("tau", consts::TAU)];

/// Whether a canonical name is a word that can be called, not the sign of an operator.
fn is_word(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Every callable name with its meaning, aliases first.
fn callable() -> impl Iterator<Item = (&'static str, Function)> {
    let unary = Unary::ALL
        .iter()
        .map(|&op| (op.name(), Function::Unary(op)));
    let binary = Binary::ALL
        .iter()
        .map(|&op| (op.name(), Function::Binary(op)));
    ALIASES
        .iter()
        .copied()
        .chain(unary)
        .chain(binary)
        .filter(|(name, _)| is_word(name))
}

/// The function of a name.
pub fn function(name: &str) -> Option<Function> {
    callable()
        .find(|(candidate, _)| *candidate == name)
        .map(|(_, function)| function)
}

/// Every name of a function.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    callable().map(|(name, _)| name)
}

/// The constant of a name.
pub fn constant(name: &str) -> Option<f64> {
    CONSTANTS
        .iter()
        .find(|(candidate, _)| *candidate == name)
        .map(|&(_, value)| value)
}
