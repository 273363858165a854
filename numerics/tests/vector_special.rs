//! NaN, infinities, zeros, subnormals and the edges of domains, at every level.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use numerics::vector::{
    Binary, InstructionSet, Unary, evaluate_binary, evaluate_unary, select_value, with_level,
};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const TINY: f64 = f64::from_bits(1);
const MOST: f64 = f64::MAX;

fn same(found: f64, expected: f64, what: &str) {
    assert!(
        found.to_bits() == expected.to_bits(),
        "{what} = {found:e}, expected {expected:e}"
    );
}

fn check1(op: Unary, table: &[(f64, f64)]) {
    for level in InstructionSet::ALL {
        with_level(level, || {
            for &(x, expected) in table {
                same(
                    evaluate_unary(op, x),
                    expected,
                    &format!("{}({x:e})", op.name()),
                );
            }
        });
    }
}

fn check2(op: Binary, table: &[(f64, f64, f64)]) {
    for level in InstructionSet::ALL {
        with_level(level, || {
            for &(a, b, expected) in table {
                same(
                    evaluate_binary(op, a, b),
                    expected,
                    &format!("{}({a:e}, {b:e})", op.name()),
                );
            }
        });
    }
}

#[test]
fn every_function_of_nan_is_the_one_nan() {
    for &op in Unary::ALL {
        assert!(evaluate_unary(op, NAN).is_nan(), "{}", op.name());
        let passes_on = matches!(op, Unary::Neg | Unary::Abs | Unary::Sign);
        if !passes_on {
            same(evaluate_unary(op, -NAN), NAN, op.name());
        }
    }
    same(evaluate_unary(Unary::Neg, NAN), -NAN, "-NaN");
    for op in [
        Binary::Add,
        Binary::Mul,
        Binary::Pow,
        Binary::Atan2,
        Binary::Hypot,
        Binary::Mod,
        Binary::Fmod,
    ] {
        check2(op, &[(NAN, 2.0, NAN), (2.0, -NAN, NAN), (-NAN, NAN, NAN)]);
    }
}

/// Odd functions that are x itself near zero: zeros and the smallest numbers come back unchanged, sign included.
#[test]
fn odd_functions_keep_zeros_and_subnormals() {
    for op in [
        Unary::Sin,
        Unary::Tan,
        Unary::Asin,
        Unary::Atan,
        Unary::Sinh,
        Unary::Tanh,
        Unary::Asinh,
        Unary::Atanh,
        Unary::Expm1,
        Unary::Log1p,
    ] {
        let tiny = 123.0 * TINY;
        check1(
            op,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (TINY, TINY),
                (-TINY, -TINY),
                (tiny, tiny),
                (1e-300, 1e-300),
            ],
        );
    }
    check1(Unary::Erf, &[(0.0, 0.0), (-0.0, -0.0), (TINY, TINY)]);
    check1(
        Unary::Cbrt,
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (INF, INF),
            (-INF, -INF),
            (27.0, 3.0),
            (-8.0, -2.0),
        ],
    );
}

#[test]
fn circular_functions() {
    for op in [Unary::Sin, Unary::Cos, Unary::Tan] {
        check1(op, &[(INF, NAN), (-INF, NAN)]);
    }
    check1(Unary::Cos, &[(0.0, 1.0), (-0.0, 1.0), (TINY, 1.0)]);
    check1(
        Unary::Asin,
        &[
            (1.0, FRAC_PI_2),
            (-1.0, -FRAC_PI_2),
            (1.0 + f64::EPSILON, NAN),
            (-INF, NAN),
        ],
    );
    check1(
        Unary::Acos,
        &[
            (1.0, 0.0),
            (-1.0, PI),
            (0.0, FRAC_PI_2),
            (1.5, NAN),
            (INF, NAN),
        ],
    );
    check1(
        Unary::Atan,
        &[
            (INF, FRAC_PI_2),
            (-INF, -FRAC_PI_2),
            (1.0, FRAC_PI_4),
            (MOST, FRAC_PI_2),
        ],
    );
}

#[test]
fn exponentials() {
    check1(
        Unary::Exp,
        &[
            (0.0, 1.0),
            (-0.0, 1.0),
            (INF, INF),
            (-INF, 0.0),
            (709.8, INF),
            (-745.2, 0.0),
            (-745.1, TINY),
            (MOST, INF),
            (-MOST, 0.0),
        ],
    );
    check1(
        Unary::Exp2,
        &[
            (0.0, 1.0),
            (10.0, 1024.0),
            (-1074.0, TINY),
            (-1075.0, 0.0),
            (1024.0, INF),
            (INF, INF),
            (-INF, 0.0),
            (-1022.0, f64::MIN_POSITIVE),
        ],
    );
    check1(
        Unary::Expm1,
        &[(INF, INF), (-INF, -1.0), (800.0, INF), (-800.0, -1.0)],
    );
    check1(
        Unary::Sinh,
        &[(INF, INF), (-INF, -INF), (711.0, INF), (-711.0, -INF)],
    );
    check1(
        Unary::Cosh,
        &[
            (INF, INF),
            (-INF, INF),
            (0.0, 1.0),
            (711.0, INF),
            (-711.0, INF),
        ],
    );
    check1(
        Unary::Tanh,
        &[(INF, 1.0), (-INF, -1.0), (30.0, 1.0), (MOST, 1.0)],
    );
}

#[test]
fn logarithms() {
    for op in [Unary::Log, Unary::Log2, Unary::Log10] {
        check1(
            op,
            &[
                (1.0, 0.0),
                (0.0, -INF),
                (-0.0, -INF),
                (-1.0, NAN),
                (-TINY, NAN),
                (INF, INF),
                (-INF, NAN),
            ],
        );
    }
    check1(
        Unary::Log2,
        &[
            (8.0, 3.0),
            (0.25, -2.0),
            (TINY, -1074.0),
            (2.0_f64.powi(1023), 1023.0),
        ],
    );
    check1(
        Unary::Log10,
        &[(10.0, 1.0), (1000.0, 3.0), (1e15, 15.0), (1e22, 22.0)],
    );
    check1(
        Unary::Log1p,
        &[(-1.0, -INF), (-1.5, NAN), (INF, INF), (-INF, NAN)],
    );
    check1(Unary::Asinh, &[(INF, INF), (-INF, -INF)]);
    check1(
        Unary::Acosh,
        &[(1.0, 0.0), (0.5, NAN), (-2.0, NAN), (INF, INF), (-INF, NAN)],
    );
    check1(
        Unary::Atanh,
        &[(1.0, INF), (-1.0, -INF), (1.5, NAN), (-INF, NAN)],
    );
}

/// Every power of ten that is a double, and every power of two.
#[test]
fn logarithms_of_exact_powers_are_exact() {
    let mut power = 1.0;
    for k in 0..=22 {
        check1(Unary::Log10, &[(power, f64::from(k))]);
        power *= 10.0;
    }
    let mut power = TINY;
    for k in -1074..=1023 {
        check1(Unary::Log2, &[(power, f64::from(k))]);
        power *= 2.0;
    }
}

#[test]
fn error_functions() {
    check1(
        Unary::Erf,
        &[(INF, 1.0), (-INF, -1.0), (6.0, 1.0), (-MOST, -1.0)],
    );
    check1(
        Unary::Erfc,
        &[
            (INF, 0.0),
            (-INF, 2.0),
            (0.0, 1.0),
            (-0.0, 1.0),
            (28.0, 0.0),
            (-7.0, 2.0),
            (1e-20, 1.0),
        ],
    );
}

/// C99 Annex F.9.4.4.
#[test]
fn powers() {
    check2(
        Binary::Pow,
        &[
            (0.0, -3.0, INF),
            (-0.0, -3.0, -INF),
            (0.0, -2.0, INF),
            (-0.0, -2.5, INF),
            (0.0, -INF, INF),
            (0.0, 3.0, 0.0),
            (-0.0, 3.0, -0.0),
            (-0.0, 2.0, 0.0),
            (-0.0, 2.5, 0.0),
            (-1.0, INF, 1.0),
            (-1.0, -INF, 1.0),
            (1.0, NAN, 1.0),
            (1.0, INF, 1.0),
            (NAN, 0.0, 1.0),
            (INF, 0.0, 1.0),
            (0.0, 0.0, 1.0),
            (-2.0, 0.5, NAN),
            (-MOST, 1e-5, NAN),
            (-8.0, 1.0 / 3.0, NAN),
            (0.5, -INF, INF),
            (2.0, -INF, 0.0),
            (0.5, INF, 0.0),
            (2.0, INF, INF),
            (-0.5, -INF, INF),
            (-2.0, INF, INF),
            (-INF, -3.0, -0.0),
            (-INF, -2.0, 0.0),
            (-INF, 3.0, -INF),
            (-INF, 2.0, INF),
            (-INF, 0.5, INF),
            (INF, -1.0, 0.0),
            (INF, 0.5, INF),
            (2.0, 3.0, 8.0),
            (-2.0, 3.0, -8.0),
            (-2.0, 4.0, 16.0),
            (10.0, 15.0, 1e15),
            (10.0, 22.0, 1e22),
            (3.0, 20.0, 3_486_784_401.0),
            (2.0, -1074.0, TINY),
            (2.0, 1023.0, 2.0_f64.powi(1023)),
            (2.0, 1024.0, INF),
            (2.0, -1080.0, 0.0),
            (-2.0, -1081.0, -0.0),
            (-3.0, 1001.0, -INF),
            (-1.0, 4_503_599_627_370_497.0, -1.0),
            (-1.0, 9_007_199_254_740_992.0, 1.0),
            (-1.0, 1e300, 1.0),
            (4.0, 0.5, 2.0),
            (-INF, 1.5, INF),
            (INF, 1.5, INF),
            (-0.0, 0.5, 0.0),
            (-0.0, 1.5, 0.0),
            (-2.0, 1.5, NAN),
            (NAN, 1.5, NAN),
            (9.0, 1.5, 27.0),
            (MOST, 1.5, INF),
            (TINY, 1.5, 0.0),
            (TINY, 0.5, 2.0_f64.powi(-537)),
            (TINY, 1.0, TINY),
            (TINY, 0.5, 2.0_f64.powi(-537)),
            (1.5, 1e300, INF),
            (1.5, -1e300, 0.0),
            (0.0, TINY, 0.0),
            (7.0, 0.0, 1.0),
            (7.0, 1.0, 7.0),
            (8.0, -1.0, 0.125),
        ],
    );
}

/// C99 Annex F.9.1.4.
#[test]
fn angles_of_points() {
    check2(
        Binary::Atan2,
        &[
            (0.0, -0.0, PI),
            (-0.0, -0.0, -PI),
            (0.0, 0.0, 0.0),
            (-0.0, 0.0, -0.0),
            (0.0, -1.0, PI),
            (-0.0, -1.0, -PI),
            (0.0, 1.0, 0.0),
            (-0.0, 1.0, -0.0),
            (-1.0, 0.0, -FRAC_PI_2),
            (1.0, -0.0, FRAC_PI_2),
            (1.0, -INF, PI),
            (-1.0, -INF, -PI),
            (1.0, INF, 0.0),
            (-1.0, INF, -0.0),
            (INF, 1.0, FRAC_PI_2),
            (-INF, -1.0, -FRAC_PI_2),
            (INF, -INF, 3.0 * FRAC_PI_4),
            (INF, INF, FRAC_PI_4),
            (-INF, -INF, -3.0 * FRAC_PI_4),
            (1.0, 1.0, FRAC_PI_4),
            (TINY, TINY, FRAC_PI_4),
            (MOST, MOST, FRAC_PI_4),
            (MOST, TINY, FRAC_PI_2),
            (TINY, MOST, 0.0),
            (TINY, -MOST, PI),
            (TINY, 1.0, TINY),
        ],
    );
    check2(
        Binary::Hypot,
        &[
            (3.0, 4.0, 5.0),
            (-3.0, 4.0, 5.0),
            (0.0, 0.0, 0.0),
            (-0.0, -0.0, 0.0),
            (0.0, -7.5, 7.5),
            (INF, NAN, INF),
            (NAN, -INF, INF),
            (3.0 * TINY, 4.0 * TINY, 5.0 * TINY),
            (3e300, 4e300, 5e300),
            (MOST, MOST, INF),
            (MOST, TINY, MOST),
            (TINY, 0.0, TINY),
        ],
    );
}

#[test]
fn remainders() {
    check2(
        Binary::Fmod,
        &[
            (7.0, 3.0, 1.0),
            (-7.0, 3.0, -1.0),
            (7.0, -3.0, 1.0),
            (6.0, 3.0, 0.0),
            (-6.0, 3.0, -0.0),
            (0.3, 0.1, 0.3 - 0.1 - 0.1),
            (5.0, 0.0, NAN),
            (INF, 2.0, NAN),
            (5.0, INF, 5.0),
            (-5.0, -INF, -5.0),
            (MOST, TINY, 0.0),
            (1e300, 7.0, 1.0),
            (TINY, 1.0, TINY),
            (0.0, 5.0, 0.0),
        ],
    );
    check2(
        Binary::Mod,
        &[
            (7.0, 3.0, 1.0),
            (-7.0, 3.0, 2.0),
            (7.0, -3.0, -2.0),
            (-6.0, 3.0, 0.0),
            (6.0, -3.0, -0.0),
            (5.0, 0.0, NAN),
            (5.0, INF, 5.0),
            (-5.0, INF, INF),
            (5.0, -INF, -INF),
            (-1e-20, 1.0, 1.0),
            (INF, 1.0, NAN),
        ],
    );
}

#[test]
fn comparisons_and_choices() {
    check2(
        Binary::Less,
        &[
            (1.0, 2.0, 1.0),
            (2.0, 1.0, 0.0),
            (NAN, 1.0, 0.0),
            (0.0, -0.0, 0.0),
        ],
    );
    check2(
        Binary::GreaterEqual,
        &[(1.0, 1.0, 1.0), (NAN, NAN, 0.0), (0.0, -0.0, 1.0)],
    );
    check2(
        Binary::Equal,
        &[(0.0, -0.0, 1.0), (NAN, NAN, 0.0), (INF, INF, 1.0)],
    );
    check2(Binary::NotEqual, &[(NAN, NAN, 1.0), (1.0, 1.0, 0.0)]);
    check2(
        Binary::Min,
        &[
            (1.0, 2.0, 1.0),
            (2.0, 1.0, 1.0),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
        ],
    );
    check2(
        Binary::Max,
        &[
            (1.0, 2.0, 2.0),
            (2.0, 1.0, 2.0),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
        ],
    );
    check2(
        Binary::CopySign,
        &[(3.0, -0.0, -3.0), (-3.0, 1.0, 3.0), (NAN, -1.0, -NAN)],
    );
    check1(
        Unary::Sign,
        &[
            (3.0, 1.0),
            (-TINY, -1.0),
            (0.0, 0.0),
            (-0.0, -0.0),
            (-INF, -1.0),
        ],
    );
    check1(
        Unary::Round,
        &[
            (0.5, 0.0),
            (1.5, 2.0),
            (2.5, 2.0),
            (-0.5, -0.0),
            (-1.5, -2.0),
            (MOST, MOST),
            (INF, INF),
        ],
    );
    check1(Unary::Floor, &[(-0.5, -1.0), (1e300, 1e300), (-0.0, -0.0)]);
    check1(
        Unary::Sqrt,
        &[
            (-0.0, -0.0),
            (-1.0, NAN),
            (INF, INF),
            (TINY, 2.0_f64.powi(-537)),
        ],
    );
    check1(
        Unary::Reciprocal,
        &[(0.0, INF), (-0.0, -INF), (TINY, INF), (4.0, 0.25)],
    );
    same(select_value(1.0, 2.0, 3.0), 2.0, "select true");
    same(select_value(-0.0, 2.0, 3.0), 3.0, "select false");
    same(select_value(-NAN, 2.0, 3.0), NAN, "select NaN");
}
