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
    /// Functions of one number; NaN outside the domain.
    ///
    /// "Largest error" is the largest one found, rounded up, in units of the last place (ulp) of the result: over random bits,
    /// the ranges where the method changes, and hard cases, 10^5 points per function or more, against MPFR. 0.5 would be
    /// correct rounding.
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
        /// Sine of radians; largest error 0.8 ulp.
        Sin = "sin";
        /// Cosine of radians; largest error 0.8 ulp.
        Cos = "cos";
        /// Tangent of radians; largest error 1.0 ulp.
        Tan = "tan";
        /// Arc sine in radians; largest error 0.7 ulp.
        Asin = "asin";
        /// Arc cosine in radians; largest error 0.65 ulp.
        Acos = "acos";
        /// Arc tangent in radians; largest error 0.75 ulp.
        Atan = "atan";
        /// Hyperbolic sine; largest error 0.9 ulp.
        Sinh = "sinh";
        /// Hyperbolic cosine; largest error 1.0 ulp.
        Cosh = "cosh";
        /// Hyperbolic tangent; largest error 0.9 ulp.
        Tanh = "tanh";
        /// Inverse hyperbolic sine; largest error 0.75 ulp.
        Asinh = "asinh";
        /// Inverse hyperbolic cosine; largest error 0.75 ulp.
        Acosh = "acosh";
        /// Inverse hyperbolic tangent; largest error 0.65 ulp.
        Atanh = "atanh";
        /// e to the power x; largest error 1.0 ulp.
        Exp = "exp";
        /// 2 to the power x; largest error 0.9 ulp.
        Exp2 = "exp2";
        /// `exp(x) - 1`, accurate near zero; largest error 1.3 ulp.
        Expm1 = "expm1";
        /// Natural logarithm; largest error 0.75 ulp.
        Log = "log";
        /// Logarithm to base 2; largest error 0.85 ulp.
        Log2 = "log2";
        /// Logarithm to base 10; largest error 0.7 ulp.
        Log10 = "log10";
        /// `log(1 + x)`, accurate near zero; largest error 0.75 ulp.
        Log1p = "log1p";
        /// Cube root, also of negative numbers; largest error 0.501 ulp.
        Cbrt = "cbrt";
        /// Error function; largest error 1.4 ulp.
        Erf = "erf";
        /// `1 - erf(x)`, accurate where `erf` is near 1; largest error 1.8 ulp.
        Erfc = "erfc";
    }
}

operations! {
    /// Functions of two numbers; NaN outside the domain. Errors as for [`Unary`].
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
        /// a to the power b; largest error 1.1 ulp.
        Pow = "pow";
        /// Angle of the point (x = b, y = a), in radians from -pi to pi; largest error 0.9 ulp.
        Atan2 = "atan2";
        /// Length of the vector (a, b); largest error 0.501 ulp, 0.75 for subnormal lengths.
        Hypot = "hypot";
    }
}
