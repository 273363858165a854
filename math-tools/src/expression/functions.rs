//! The functions and constants of the language: one table, one definition of each value.

use std::f64::consts;

use kernels::program::{
    self, BinaryFunction, ProgramBuilder, ProgramNode, TernaryFunction, UnaryFunction,
};
use kernels::vector::{self, Binary as Two, Unary as One};

use super::densities::{self, LogDensity};
use super::special;

macro_rules! operations {
    ($(#[$doc:meta])* $name:ident as $type:ty { $($variant:ident = $word:literal => $value:expr, $meaning:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[doc = $meaning] $variant),+
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

            /// The kernel that computes it: the one definition of every evaluator.
            pub(crate) fn method(self) -> $type {
                match self {
                    $(Self::$variant => $value),+
                }
            }
        }
    };
}

operations! {
    /// Functions of one number; NaN outside the domain.
    Unary as UnaryMethod {
        Neg = "-" => UnaryMethod::Kernel(One::Neg), "Minus.";
        Square = "square" => UnaryMethod::Kernel(One::Square), "The square, from a power with the literal exponent 2.";
        Sin = "sin" => UnaryMethod::Kernel(One::Sin), "Sine of radians.";
        Cos = "cos" => UnaryMethod::Kernel(One::Cos), "Cosine of radians.";
        Tan = "tan" => UnaryMethod::Kernel(One::Tan), "Tangent of radians.";
        Asin = "asin" => UnaryMethod::Kernel(One::Asin), "Arc sine in radians.";
        Acos = "acos" => UnaryMethod::Kernel(One::Acos), "Arc cosine in radians.";
        Atan = "atan" => UnaryMethod::Kernel(One::Atan), "Arc tangent in radians.";
        Sinh = "sinh" => UnaryMethod::Kernel(One::Sinh), "Hyperbolic sine.";
        Cosh = "cosh" => UnaryMethod::Kernel(One::Cosh), "Hyperbolic cosine.";
        Tanh = "tanh" => UnaryMethod::Kernel(One::Tanh), "Hyperbolic tangent.";
        Asinh = "asinh" => UnaryMethod::Kernel(One::Asinh), "Inverse hyperbolic sine.";
        Acosh = "acosh" => UnaryMethod::Kernel(One::Acosh), "Inverse hyperbolic cosine.";
        Atanh = "atanh" => UnaryMethod::Kernel(One::Atanh), "Inverse hyperbolic tangent.";
        Exp = "exp" => UnaryMethod::Kernel(One::Exp), "e to the power x.";
        Expm1 = "expm1" => UnaryMethod::Kernel(One::Expm1), "`exp(x) - 1`, accurate near zero.";
        Ln = "log" => UnaryMethod::Kernel(One::Log), "Natural logarithm.";
        Log2 = "log2" => UnaryMethod::Kernel(One::Log2), "Logarithm to base 2.";
        Log10 = "log10" => UnaryMethod::Kernel(One::Log10), "Logarithm to base 10.";
        Log1p = "log1p" => UnaryMethod::Kernel(One::Log1p), "`log(1 + x)`, accurate near zero.";
        Sqrt = "sqrt" => UnaryMethod::Kernel(One::Sqrt), "Square root.";
        Cbrt = "cbrt" => UnaryMethod::Kernel(One::Cbrt), "Cube root, also of negative numbers.";
        Abs = "abs" => UnaryMethod::Kernel(One::Abs), "Magnitude.";
        Floor = "floor" => UnaryMethod::Kernel(One::Floor), "Next integer below.";
        Ceil = "ceil" => UnaryMethod::Kernel(One::Ceil), "Next integer above.";
        Round = "round" => UnaryMethod::Kernel(One::Round), "Nearest integer, halves to even.";
        Trunc = "trunc" => UnaryMethod::Kernel(One::Trunc), "Integer part.";
        Sign = "sign" => UnaryMethod::Kernel(One::Sign), "-1, 0 or 1.";
        Re = "re" => UnaryMethod::Call(&special::RE), "Real part; of a real number itself.";
        Im = "im" => UnaryMethod::Call(&special::IM), "Imaginary part; zero for a real number.";
        Arg = "arg" => UnaryMethod::Call(&special::ARG), "Angle in the complex plane, in radians: 0, or pi for a negative real number.";
        Conj = "conj" => UnaryMethod::Call(&special::CONJ), "Complex conjugate; of a real number itself.";
        Degrees = "degrees" => UnaryMethod::Kernel(One::Degrees), "Degrees from radians.";
        Radians = "radians" => UnaryMethod::Kernel(One::Radians), "Radians from degrees.";
        Erf = "erf" => UnaryMethod::Kernel(One::Erf), "Error function.";
        Erfc = "erfc" => UnaryMethod::Kernel(One::Erfc), "`1 - erf(x)`, accurate where `erf` is near 1.";
        Gamma = "gamma" => UnaryMethod::Call(&special::GAMMA), "Gamma function; NaN at its poles.";
        Lgamma = "lgamma" => UnaryMethod::Call(&special::LGAMMA), "Logarithm of the magnitude of the gamma function.";
        Exp2 = "exp2" => UnaryMethod::Kernel(One::Exp2), "2 to the power x.";
        Reciprocal = "reciprocal" => UnaryMethod::Kernel(One::Reciprocal), "1 / x.";
        Digamma = "digamma" => UnaryMethod::Call(&special::DIGAMMA), "Logarithmic derivative of the gamma function.";
        Trigamma = "trigamma" => UnaryMethod::Call(&special::TRIGAMMA), "Derivative of the digamma function.";
        Erfinv = "erfinv" => UnaryMethod::Call(&special::ERFINV), "Inverse error function.";
        Erfcinv = "erfcinv" => UnaryMethod::Call(&special::ERFCINV), "Inverse of `erfc`.";
        Normcdf = "normcdf" => UnaryMethod::Call(&special::NORMCDF), "Probability that a standard normal variable is at most x.";
        Normpdf = "normpdf" => UnaryMethod::Call(&special::NORMPDF), "Density of the standard normal distribution.";
        Normppf = "normppf" => UnaryMethod::Call(&special::NORMPPF), "Quantile of the standard normal distribution.";
        Lognormcdf = "lognormcdf" => UnaryMethod::Call(&special::LOGNORMCDF), "Logarithm of `normcdf`, accurate far below zero.";
        BesselJ0 = "besselj0" => UnaryMethod::Call(&special::BESSELJ0), "Bessel function of the first kind, order 0.";
        BesselJ1 = "besselj1" => UnaryMethod::Call(&special::BESSELJ1), "Bessel function of the first kind, order 1.";
        BesselY0 = "bessely0" => UnaryMethod::Call(&special::BESSELY0), "Bessel function of the second kind, order 0.";
        BesselY1 = "bessely1" => UnaryMethod::Call(&special::BESSELY1), "Bessel function of the second kind, order 1.";
        BesselI0 = "besseli0" => UnaryMethod::Call(&special::BESSELI0), "Modified Bessel function of the first kind, order 0.";
        BesselI1 = "besseli1" => UnaryMethod::Call(&special::BESSELI1), "Modified Bessel function of the first kind, order 1.";
        BesselK0 = "besselk0" => UnaryMethod::Call(&special::BESSELK0), "Modified Bessel function of the second kind, order 0.";
        BesselK1 = "besselk1" => UnaryMethod::Call(&special::BESSELK1), "Modified Bessel function of the second kind, order 1.";
        Zeta = "zeta" => UnaryMethod::Call(&special::ZETA), "Riemann zeta function.";
        LambertW = "lambertw" => UnaryMethod::Call(&special::LAMBERTW), "The principal solution w of `w exp(w) = x`.";
        Sinc = "sinc" => UnaryMethod::Call(&special::SINC), "`sin(pi x) / (pi x)`, 1 at 0.";
        Expi = "expi" => UnaryMethod::Call(&special::EXPI), "Exponential integral Ei.";
        Exp1 = "exp1" => UnaryMethod::Call(&special::EXP1), "Exponential integral E1.";
        Factorial = "factorial" => UnaryMethod::Call(&special::FACTORIAL), "Factorial, `gamma(x + 1)`.";
    }
}

operations! {
    /// Functions of two numbers; NaN outside the domain.
    Binary as BinaryMethod {
        Add = "+" => BinaryMethod::Kernel(Two::Add), "Sum.";
        Sub = "-" => BinaryMethod::Kernel(Two::Sub), "Difference.";
        Mul = "*" => BinaryMethod::Kernel(Two::Mul), "Product.";
        Div = "/" => BinaryMethod::Kernel(Two::Div), "Quotient.";
        Mod = "%" => BinaryMethod::Kernel(Two::Mod), "Remainder with the divisor's sign.";
        FloorDiv = "//" => BinaryMethod::FloorDiv, "The largest whole number not above the quotient.";
        Pow = "**" => BinaryMethod::Kernel(Two::Pow), "Power.";
        Less = "<" => BinaryMethod::Kernel(Two::Less), "1 when less.";
        LessEqual = "<=" => BinaryMethod::Kernel(Two::LessEqual), "1 when less or equal.";
        Greater = ">" => BinaryMethod::Kernel(Two::Greater), "1 when greater.";
        GreaterEqual = ">=" => BinaryMethod::Kernel(Two::GreaterEqual), "1 when greater or equal.";
        Equal = "==" => BinaryMethod::Kernel(Two::Equal), "1 when equal.";
        NotEqual = "!=" => BinaryMethod::Kernel(Two::NotEqual), "1 when different.";
        Min = "min" => BinaryMethod::Kernel(Two::Min), "The smaller; NaN when one is NaN.";
        Max = "max" => BinaryMethod::Kernel(Two::Max), "The larger; NaN when one is NaN.";
        Atan2 = "atan2" => BinaryMethod::Kernel(Two::Atan2), "Angle of the point (x = b, y = a), in radians from -pi to pi.";
        Hypot = "hypot" => BinaryMethod::Kernel(Two::Hypot), "Length of the vector (a, b).";
        Fmod = "fmod" => BinaryMethod::Kernel(Two::Fmod), "Remainder with the dividend's sign.";
        CopySign = "copysign" => BinaryMethod::Kernel(Two::CopySign), "The magnitude of a with the sign of b.";
        LogAddExp = "logaddexp" => BinaryMethod::LogAddExp, "`log(exp(a) + exp(b))`, without overflow.";
        Beta = "beta" => BinaryMethod::Call(&special::BETA), "Beta function.";
        Lbeta = "lbeta" => BinaryMethod::Call(&special::LBETA), "Logarithm of the magnitude of the beta function.";
        Comb = "comb" => BinaryMethod::Call(&special::COMB), "Binomial coefficient, a over b.";
        Gammainc = "gammainc" => BinaryMethod::Call(&special::GAMMAINC), "Regularised lower incomplete gamma function P(a, b).";
        Gammaincc = "gammaincc" => BinaryMethod::Call(&special::GAMMAINCC), "Regularised upper incomplete gamma function Q(a, b).";
        BesselJ = "besselj" => BinaryMethod::Call(&special::BESSELJ), "Bessel function of the first kind of order a at b.";
        BesselY = "bessely" => BinaryMethod::Call(&special::BESSELY), "Bessel function of the second kind of order a at b.";
        BesselI = "besseli" => BinaryMethod::Call(&special::BESSELI), "Modified Bessel function of the first kind of order a at b.";
        BesselK = "besselk" => BinaryMethod::Call(&special::BESSELK), "Modified Bessel function of the second kind of order a at b.";
        Polygamma = "polygamma" => BinaryMethod::Call(&special::POLYGAMMA), "Derivative of whole order a of the digamma function at b.";
        Gammaincinv = "gammaincinv" => BinaryMethod::Call(&special::GAMMAINCINV), "The x of which `gammainc(a, x)` is b.";
        Tcdf = "tcdf" => BinaryMethod::Call(&special::TCDF), "Probability that Student's t of b degrees of freedom is at most a.";
        Tinv = "tinv" => BinaryMethod::Call(&special::TINV), "Quantile a of Student's t distribution of b degrees of freedom.";
        PoissonQuantile = "poisson_quantile" => BinaryMethod::Call(&special::POISSON_QUANTILE), "Quantile a of the Poisson distribution of rate b.";
        Gcd = "gcd" => BinaryMethod::Call(&special::GCD), "Greatest common divisor of whole numbers.";
        Lcm = "lcm" => BinaryMethod::Call(&special::LCM), "Least common multiple of whole numbers.";
        LogBase = "log" => BinaryMethod::LogBase, "Logarithm of a to base b.";
    }
}

/// Functions of three numbers; NaN outside the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ternary {
    /// Regularised incomplete beta function I(a, b, x).
    Betainc,
    /// Its complement.
    Betaincc,
    /// Its inverse in the last operand.
    Betaincinv,
    /// Probability of at most k successes.
    BinomialCdf,
    /// Probability of more.
    BinomialCcdf,
    /// Its quantile.
    BinomialQuantile,
}

impl Ternary {
    /// Every member.
    pub const ALL: &'static [Self] = &[
        Self::Betainc,
        Self::Betaincc,
        Self::Betaincinv,
        Self::BinomialCdf,
        Self::BinomialCcdf,
        Self::BinomialQuantile,
    ];

    fn function(self) -> &'static TernaryFunction {
        match self {
            Self::Betainc => &special::BETAINC,
            Self::Betaincc => &special::BETAINCC,
            Self::Betaincinv => &special::BETAINCINV,
            Self::BinomialCdf => &special::BINOMIAL_CDF,
            Self::BinomialCcdf => &special::BINOMIAL_CCDF,
            Self::BinomialQuantile => &special::BINOMIAL_QUANTILE,
        }
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.function().name
    }

    /// The value; the same bits as in a program.
    pub fn value(self, a: f64, b: f64, c: f64) -> f64 {
        (self.function().value)(a, b, c)
    }

    /// The operation in a program.
    pub fn lower(self, builder: &mut ProgramBuilder, operands: [ProgramNode; 3]) -> ProgramNode {
        builder.call3(self.function(), operands)
    }

    /// Whether it has no steps inside its domain.
    pub(crate) fn is_smooth(self) -> bool {
        matches!(self, Self::Betainc | Self::Betaincc | Self::Betaincinv)
    }
}

/// Functions of all rows of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReductionFunction {
    /// The sum.
    Sum,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The logarithm of the sum of the exponentials.
    LogSumExp,
    /// The sum of the rows so far: a column again.
    CumSum,
}

impl ReductionFunction {
    /// The canonical name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::LogSumExp => "logsumexp",
            Self::CumSum => "cumsum",
        }
    }

    /// What a function of several numbers is for the rows of a column; `None` where there is no such reduction.
    pub(crate) fn of_fold(op: Binary) -> Option<Self> {
        match op {
            Binary::Add => Some(Self::Sum),
            Binary::Min => Some(Self::Min),
            Binary::Max => Some(Self::Max),
            Binary::LogAddExp => Some(Self::LogSumExp),
            _ => None,
        }
    }

    /// The operation in a program.
    pub(crate) fn lower(self, builder: &mut ProgramBuilder, x: ProgramNode) -> ProgramNode {
        use program::ColumnReduction as Kernel;
        let reduction = match self {
            Self::Sum => Kernel::Sum,
            Self::Min => Kernel::Min,
            Self::Max => Kernel::Max,
            Self::LogSumExp => Kernel::LogSumExp,
            Self::CumSum => return builder.running_sum(program::RunningDirection::FromFirst, x),
        };
        builder.reduce(reduction, x)
    }
}

/// Implementation of a function of one number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum UnaryMethod {
    /// By lanes.
    Kernel(One),
    /// Point by point.
    Call(&'static UnaryFunction),
}

impl Unary {
    /// Whether it has neither kinks nor steps inside its domain.
    pub(crate) fn is_smooth(self) -> bool {
        !matches!(
            self,
            Self::Abs
                | Self::Floor
                | Self::Ceil
                | Self::Round
                | Self::Trunc
                | Self::Sign
                | Self::Arg
        )
    }

    /// The value; the same bits as in a program.
    pub fn value(self, x: f64) -> f64 {
        match self.method() {
            UnaryMethod::Kernel(op) => vector::evaluate_unary(op, x),
            UnaryMethod::Call(function) => (function.value)(x),
        }
    }

    /// Whether values are computed point by point.
    pub(crate) fn is_called(self) -> bool {
        matches!(self.method(), UnaryMethod::Call(_))
    }

    /// The operation in a program.
    pub fn lower(self, builder: &mut ProgramBuilder, x: ProgramNode) -> ProgramNode {
        match self.method() {
            UnaryMethod::Kernel(op) => builder.unary(op, x),
            UnaryMethod::Call(function) => builder.call1(function, x),
        }
    }
}

/// Implementation of a function of two numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BinaryMethod {
    /// By lanes.
    Kernel(Two),
    /// Point by point.
    Call(&'static BinaryFunction),
    /// The quotient of two logarithms.
    LogBase,
    /// The larger operand, plus the contribution of the smaller.
    LogAddExp,
    /// The dividend less the remainder, divided.
    FloorDiv,
}

impl Binary {
    /// Whether the value says that a relation holds.
    pub(crate) fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Less
                | Self::LessEqual
                | Self::Greater
                | Self::GreaterEqual
                | Self::Equal
                | Self::NotEqual
        )
    }

    /// Whether it has neither kinks nor steps inside its domain.
    pub(crate) fn is_smooth(self) -> bool {
        !matches!(
            self,
            Self::Mod
                | Self::FloorDiv
                | Self::Fmod
                | Self::Min
                | Self::Max
                | Self::Less
                | Self::LessEqual
                | Self::Greater
                | Self::GreaterEqual
                | Self::Equal
                | Self::NotEqual
                | Self::CopySign
                | Self::Gcd
                | Self::Lcm
                | Self::PoissonQuantile
        )
    }

    /// The value; the same bits as in a program.
    pub fn value(self, a: f64, b: f64) -> f64 {
        match self.method() {
            BinaryMethod::Kernel(op) => vector::evaluate_binary(op, a, b),
            BinaryMethod::Call(function) => (function.value)(a, b),
            BinaryMethod::LogBase | BinaryMethod::LogAddExp | BinaryMethod::FloorDiv => {
                let mut builder = ProgramBuilder::new();
                let (a, b) = (builder.constant(a), builder.constant(b));
                let value = self.lower(&mut builder, a, b);
                // Operations on constants are computed as they are added.
                builder.constant_of(value).unwrap_or(f64::NAN)
            }
        }
    }

    /// Whether values are computed point by point.
    pub(crate) fn is_called(self) -> bool {
        matches!(self.method(), BinaryMethod::Call(_))
    }

    /// The operations in a program.
    pub fn lower(
        self,
        builder: &mut ProgramBuilder,
        a: ProgramNode,
        b: ProgramNode,
    ) -> ProgramNode {
        match self.method() {
            BinaryMethod::Kernel(op) => builder.binary(op, a, b),
            BinaryMethod::Call(function) => builder.call2(function, a, b),
            BinaryMethod::LogBase => {
                let (a, b) = (builder.unary(One::Log, a), builder.unary(One::Log, b));
                builder.binary(Two::Div, a, b)
            }
            // As Python does it: the floor of the rounded quotient of 1 and 0.1 would be 10, and ten times 0.1 is more than 1.
            BinaryMethod::FloorDiv => {
                let rest = builder.binary(Two::Mod, a, b);
                let multiple = builder.binary(Two::Sub, a, rest);
                let quotient = builder.binary(Two::Div, multiple, b);
                builder.unary(One::Round, quotient)
            }
            BinaryMethod::LogAddExp => {
                let (larger, smaller) = (
                    builder.binary(Two::Max, a, b),
                    builder.binary(Two::Min, a, b),
                );
                // Of two infinities there is no difference: equal ones add nothing that counts.
                let equal = builder.binary(Two::Equal, larger, smaller);
                let difference = builder.binary(Two::Sub, smaller, larger);
                let zero = builder.constant(0.0);
                let difference = builder.select(equal, zero, difference);
                let share = builder.unary(One::Exp, difference);
                let rest = builder.unary(One::Log1p, share);
                builder.binary(Two::Add, larger, rest)
            }
        }
    }
}

/// Meaning of a name that is followed by `(`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpressionFunction {
    /// One argument.
    Unary(Unary),
    /// Two arguments.
    Binary(Binary),
    /// Three arguments.
    Ternary(Ternary),
    /// One or more arguments, combined from left to right.
    Fold(Binary),
    /// `quantile(x, p, definition)` of a column of data.
    Quantile,
    /// The median of a column of data.
    Median,
    /// A logarithm: natural, or to the base given as second argument.
    Log,
    /// `if(condition, then, else)`.
    Select,
    /// `clip(x, low, high)`: the nearest value of the range.
    Clip,
    /// The mean of a column, or of several values.
    Mean,
    /// The sum of the products of two columns.
    Dot,
    /// The sum of the rows so far.
    CumSum,
    /// Number of rows.
    Count,
    /// The logarithm of a density: its template.
    Density(&'static LogDensity),
    /// `support(condition, value)` in the template of a density.
    Support,
}

impl ExpressionFunction {
    /// Fewest and most arguments.
    pub(crate) fn arity(self) -> (usize, usize) {
        match self {
            Self::Unary(_) | Self::CumSum | Self::Count | Self::Median => (1, 1),
            Self::Quantile => (2, 3),
            Self::Binary(_) | Self::Dot | Self::Support => (2, 2),
            Self::Fold(_) | Self::Mean => (1, usize::MAX),
            Self::Density(density) => (density.names.len(), density.names.len()),
            Self::Log => (1, 2),
            Self::Select | Self::Clip | Self::Ternary(_) => (3, 3),
        }
    }
}

/// Spellings beside the canonical names: NumPy's, and common others.
const ALIASES: &[(&str, ExpressionFunction)] = &[
    ("if", ExpressionFunction::Select),
    ("where", ExpressionFunction::Select),
    ("log", ExpressionFunction::Log),
    ("min", ExpressionFunction::Fold(Binary::Min)),
    ("max", ExpressionFunction::Fold(Binary::Max)),
    ("sum", ExpressionFunction::Fold(Binary::Add)),
    ("prod", ExpressionFunction::Fold(Binary::Mul)),
    ("logsumexp", ExpressionFunction::Fold(Binary::LogAddExp)),
    ("clip", ExpressionFunction::Clip),
    ("mean", ExpressionFunction::Mean),
    ("dot", ExpressionFunction::Dot),
    ("cumsum", ExpressionFunction::CumSum),
    ("count", ExpressionFunction::Count),
    ("quantile", ExpressionFunction::Quantile),
    ("median", ExpressionFunction::Median),
    ("binom", ExpressionFunction::Binary(Binary::Comb)),
    ("jv", ExpressionFunction::Binary(Binary::BesselJ)),
    ("yv", ExpressionFunction::Binary(Binary::BesselY)),
    ("iv", ExpressionFunction::Binary(Binary::BesselI)),
    ("kv", ExpressionFunction::Binary(Binary::BesselK)),
    ("negative", ExpressionFunction::Unary(Unary::Neg)),
    ("rint", ExpressionFunction::Unary(Unary::Round)),
    ("fix", ExpressionFunction::Unary(Unary::Trunc)),
    ("divide", ExpressionFunction::Binary(Binary::Div)),
    ("pow", ExpressionFunction::Binary(Binary::Pow)),
    ("mod", ExpressionFunction::Binary(Binary::Mod)),
    ("ln", ExpressionFunction::Unary(Unary::Ln)),
    ("power", ExpressionFunction::Binary(Binary::Pow)),
    ("remainder", ExpressionFunction::Binary(Binary::Mod)),
    ("floor_divide", ExpressionFunction::Binary(Binary::FloorDiv)),
    ("minimum", ExpressionFunction::Binary(Binary::Min)),
    ("maximum", ExpressionFunction::Binary(Binary::Max)),
    ("arcsin", ExpressionFunction::Unary(Unary::Asin)),
    ("arccos", ExpressionFunction::Unary(Unary::Acos)),
    ("arctan", ExpressionFunction::Unary(Unary::Atan)),
    ("arctan2", ExpressionFunction::Binary(Binary::Atan2)),
    ("arcsinh", ExpressionFunction::Unary(Unary::Asinh)),
    ("arccosh", ExpressionFunction::Unary(Unary::Acosh)),
    ("arctanh", ExpressionFunction::Unary(Unary::Atanh)),
    ("absolute", ExpressionFunction::Unary(Unary::Abs)),
    ("fabs", ExpressionFunction::Unary(Unary::Abs)),
    ("sgn", ExpressionFunction::Unary(Unary::Sign)),
    ("rad2deg", ExpressionFunction::Unary(Unary::Degrees)),
    ("deg2rad", ExpressionFunction::Unary(Unary::Radians)),
];

/// The named numbers.
pub const CONSTANTS: &[(&str, f64)] = &[("pi", consts::PI), ("e", consts::E), ("tau", consts::TAU)];

/// Whether a canonical name is a word that can be called, not the sign of an operator.
fn is_word(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Every callable name with its meaning, aliases first.
fn callable_functions() -> impl Iterator<Item = (&'static str, ExpressionFunction)> {
    let unary = Unary::ALL
        .iter()
        .map(|&op| (op.name(), ExpressionFunction::Unary(op)));
    let binary = Binary::ALL
        .iter()
        .map(|&op| (op.name(), ExpressionFunction::Binary(op)));
    let ternary = Ternary::ALL
        .iter()
        .map(|&op| (op.name(), ExpressionFunction::Ternary(op)));
    let densities = densities::density_templates()
        .map(|density| (density.name, ExpressionFunction::Density(density)));
    ALIASES
        .iter()
        .copied()
        .chain(unary)
        .chain(binary)
        .chain(ternary)
        .chain(densities)
        .filter(|(name, _)| is_word(name))
}

/// The function of a name.
pub(crate) fn find_function(name: &str) -> Option<ExpressionFunction> {
    callable_functions()
        .find(|(candidate, _)| *candidate == name)
        .map(|(_, function)| function)
}

/// Every name of a function.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    callable_functions().map(|(name, _)| name)
}

/// The constant of a name.
pub(crate) fn find_constant(name: &str) -> Option<f64> {
    CONSTANTS
        .iter()
        .find(|(candidate, _)| *candidate == name)
        .map(|&(_, value)| value)
}
