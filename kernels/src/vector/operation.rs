//! The names of the functions.

macro_rules! operations {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant),+
        }

        impl $name {
            /// Every member.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The usual name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }
    };
}

operations! {
    /// Functions of one number; NaN outside the domain. "Largest error" is in units of the last place (ulp) of the result.
    Unary {
        /// Minus; exact.
        Neg = "neg";
        /// The square; correctly rounded.
        Square = "square";
        /// Magnitude; exact.
        Abs = "abs";
        /// Square root; correctly rounded.
        Sqrt = "sqrt";
        /// 1 / x; correctly rounded.
        Reciprocal = "reciprocal";
        /// Next integer below; exact.
        Floor = "floor";
        /// Next integer above; exact.
        Ceil = "ceil";
        /// Nearest integer, halves to even; exact.
        Round = "round";
        /// Integer part; exact.
        Trunc = "trunc";
        /// -1, 0 or 1; a zero and NaN stay what they are.
        Sign = "sign";
        /// Degrees from radians: the product with 180 / pi.
        Degrees = "degrees";
        /// Radians from degrees: the product with pi / 180.
        Radians = "radians";
        /// Sine of radians.
        Sin = "sin";
        /// Cosine of radians.
        Cos = "cos";
        /// Tangent of radians.
        Tan = "tan";
        /// Arc sine in radians.
        Asin = "asin";
        /// Arc cosine in radians.
        Acos = "acos";
        /// Arc tangent in radians.
        Atan = "atan";
        /// Hyperbolic sine.
        Sinh = "sinh";
        /// Hyperbolic cosine.
        Cosh = "cosh";
        /// Hyperbolic tangent.
        Tanh = "tanh";
        /// Inverse hyperbolic sine.
        Asinh = "asinh";
        /// Inverse hyperbolic cosine.
        Acosh = "acosh";
        /// Inverse hyperbolic tangent.
        Atanh = "atanh";
        /// e to the power x.
        Exp = "exp";
        /// 2 to the power x.
        Exp2 = "exp2";
        /// `exp(x) - 1`, accurate near zero.
        Expm1 = "expm1";
        /// Natural logarithm.
        Log = "log";
        /// Logarithm to base 2.
        Log2 = "log2";
        /// Logarithm to base 10.
        Log10 = "log10";
        /// `log(1 + x)`, accurate near zero.
        Log1p = "log1p";
        /// Cube root, also of negative numbers.
        Cbrt = "cbrt";
        /// Error function.
        Erf = "erf";
        /// `1 - erf(x)`, accurate where `erf` is near 1.
        Erfc = "erfc";
    }
}

operations! {
    /// Functions of two numbers; NaN outside the domain.
    Binary {
        /// Sum; correctly rounded.
        Add = "add";
        /// Difference; correctly rounded.
        Sub = "sub";
        /// Product; correctly rounded.
        Mul = "mul";
        /// Quotient; correctly rounded.
        Div = "div";
        /// Remainder with the divisor's sign, as Python's `%`: the exact remainder, rounded once where the signs differ.
        Mod = "mod";
        /// Remainder with the dividend's sign; exact.
        Fmod = "fmod";
        /// The smaller; NaN when one is NaN.
        Min = "min";
        /// The larger; NaN when one is NaN.
        Max = "max";
        /// 1 when a < b, else 0.
        Less = "less";
        /// 1 when a <= b, else 0.
        LessEqual = "less_equal";
        /// 1 when a > b, else 0.
        Greater = "greater";
        /// 1 when a >= b, else 0.
        GreaterEqual = "greater_equal";
        /// 1 when equal, else 0.
        Equal = "equal";
        /// 1 when different or NaN, else 0.
        NotEqual = "not_equal";
        /// The magnitude of a with the sign of b; exact.
        CopySign = "copysign";
        /// a to the power b.
        Pow = "pow";
        /// Angle of the point (x = b, y = a), in radians from -pi to pi.
        Atan2 = "atan2";
        /// Length of the vector (a, b).
        Hypot = "hypot";
    }
}
