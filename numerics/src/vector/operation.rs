//! The table of the functions: their names, and what each computes. The kernel of a row has the name of its variant.

/// Hands the rows of [`Unary`] to a macro, after what else it takes.
macro_rules! unary_functions {
    ($then:ident $($head:tt)*) => {
        $then! { $($head)* {
            Neg = "neg", "Minus; exact.";
            Square = "square", "The square; correctly rounded.";
            Abs = "abs", "Magnitude; exact.";
            Sqrt = "sqrt", "Square root; correctly rounded.";
            Reciprocal = "reciprocal", "1 / x; correctly rounded.";
            Floor = "floor", "Next integer below; exact.";
            Ceil = "ceil", "Next integer above; exact.";
            Round = "round", "Nearest integer, halves to even; exact.";
            Trunc = "trunc", "Integer part; exact.";
            Sign = "sign", "-1, 0 or 1; a zero and NaN stay what they are.";
            Degrees = "degrees", "Degrees from radians: the product with 180 / pi.";
            Radians = "radians", "Radians from degrees: the product with pi / 180.";
            Sin = "sin", "Sine of radians; largest error 0.8 ulp.";
            Cos = "cos", "Cosine of radians; largest error 0.8 ulp.";
            Tan = "tan", "Tangent of radians; largest error 1.0 ulp.";
            Asin = "asin", "Arc sine in radians; largest error 0.7 ulp.";
            Acos = "acos", "Arc cosine in radians; largest error 0.65 ulp.";
            Atan = "atan", "Arc tangent in radians; largest error 0.75 ulp.";
            Sinh = "sinh", "Hyperbolic sine; largest error 0.9 ulp.";
            Cosh = "cosh", "Hyperbolic cosine; largest error 1.0 ulp.";
            Tanh = "tanh", "Hyperbolic tangent; largest error 0.9 ulp.";
            Asinh = "asinh", "Inverse hyperbolic sine; largest error 0.75 ulp.";
            Acosh = "acosh", "Inverse hyperbolic cosine; largest error 0.75 ulp.";
            Atanh = "atanh", "Inverse hyperbolic tangent; largest error 0.65 ulp.";
            Exp = "exp", "e to the power x; largest error 1.0 ulp.";
            Exp2 = "exp2", "2 to the power x; largest error 0.9 ulp.";
            Expm1 = "expm1", "`exp(x) - 1`, accurate near zero; largest error 1.3 ulp.";
            Log = "log", "Natural logarithm; largest error 0.75 ulp.";
            Log2 = "log2", "Logarithm to base 2; largest error 0.85 ulp.";
            Log10 = "log10", "Logarithm to base 10; largest error 0.7 ulp.";
            Log1p = "log1p", "`log(1 + x)`, accurate near zero; largest error 0.75 ulp.";
            Cbrt = "cbrt", "Cube root, also of negative numbers; largest error 0.501 ulp.";
            Erf = "erf", "Error function; largest error 1.4 ulp.";
            Erfc = "erfc", "`1 - erf(x)`, accurate where `erf` is near 1; largest error 1.8 ulp.";
        } }
    };
}

/// Hands the rows of [`Binary`] to a macro, after what else it takes.
macro_rules! binary_functions {
    ($then:ident $($head:tt)*) => {
        $then! { $($head)* {
            Add = "add", "Sum; correctly rounded.";
            Sub = "sub", "Difference; correctly rounded.";
            Mul = "mul", "Product; correctly rounded.";
            Div = "div", "Quotient; correctly rounded.";
            Mod = "mod", "Remainder with the divisor's sign, as Python's `%`: the exact remainder, rounded once where the signs differ.";
            Fmod = "fmod", "Remainder with the dividend's sign; exact.";
            Min = "min", "The smaller; NaN when one is NaN.";
            Max = "max", "The larger; NaN when one is NaN.";
            Less = "less", "1 when a < b, else 0.";
            LessEqual = "less_equal", "1 when a <= b, else 0.";
            Greater = "greater", "1 when a > b, else 0.";
            GreaterEqual = "greater_equal", "1 when a >= b, else 0.";
            Equal = "equal", "1 when equal, else 0.";
            NotEqual = "not_equal", "1 when different or NaN, else 0.";
            CopySign = "copysign", "The magnitude of a with the sign of b; exact.";
            Pow = "pow", "a to the power b; largest error 1.1 ulp.";
            Atan2 = "atan2", "Angle of the point (x = b, y = a), in radians from -pi to pi; largest error 0.9 ulp.";
            Hypot = "hypot", "Length of the vector (a, b); largest error 0.501 ulp, 0.75 for subnormal lengths.";
        } }
    };
}

/// Hands the rows of [`Ternary`] to a macro, after what else it takes.
macro_rules! ternary_functions {
    ($then:ident $($head:tt)*) => {
        $then! { $($head)* {
            MulAdd = "mul_add", "`a * b + c`.";
            MulSub = "mul_sub", "`a * b - c`.";
            SubMul = "sub_mul", "`c - a * b`.";
            AddMul = "add_mul", "`(a + b) * c`.";
            DiffMul = "diff_mul", "`(a - b) * c`.";
        } }
    };
}

macro_rules! operations {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal, $meaning:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[doc = $meaning] $variant),+
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

unary_functions! {
    operations
    /// Functions of one number; NaN outside the domain.
    ///
    /// "Largest error" is the largest one found, rounded up, in units of the last place (ulp) of the result: over random bits,
    /// the ranges where the method changes, and hard cases, 10^5 points per function or more, against MPFR. 0.5 would be
    /// correct rounding.
    Unary
}

binary_functions! {
    operations
    /// Functions of two numbers; NaN outside the domain. Errors as for [`Unary`].
    Binary
}

ternary_functions! {
    operations
    /// Two operations of [`Binary`] in a row, each rounded.
    Ternary
}

pub(super) use {binary_functions, ternary_functions, unary_functions};
