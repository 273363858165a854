//! The elementary functions against values computed with MPFR (see `data/vector/README.md`) and against an independent library.

use numerics::vector::{
    Binary, InstructionSet, Unary, binary_block, evaluate_unary, unary_block, with_level,
};

macro_rules! reference {
    ($name:literal) => {
        include_bytes!(concat!("data/vector/", $name, ".bin"))
    };
}

/// The largest error allowed, in ulp: what the documentation of each function states.
const UNARY: &[(Unary, f64, &[u8])] = &[
    (Unary::Sin, 0.8, reference!("sin")),
    (Unary::Cos, 0.8, reference!("cos")),
    (Unary::Tan, 1.0, reference!("tan")),
    (Unary::Asin, 0.7, reference!("asin")),
    (Unary::Acos, 0.65, reference!("acos")),
    (Unary::Atan, 0.75, reference!("atan")),
    (Unary::Sinh, 0.9, reference!("sinh")),
    (Unary::Cosh, 1.0, reference!("cosh")),
    (Unary::Tanh, 0.9, reference!("tanh")),
    (Unary::Asinh, 0.75, reference!("asinh")),
    (Unary::Acosh, 0.75, reference!("acosh")),
    (Unary::Atanh, 0.65, reference!("atanh")),
    (Unary::Exp, 1.0, reference!("exp")),
    (Unary::Exp2, 0.9, reference!("exp2")),
    (Unary::Expm1, 1.3, reference!("expm1")),
    (Unary::Log, 0.75, reference!("log")),
    (Unary::Log2, 0.85, reference!("log2")),
    (Unary::Log10, 0.7, reference!("log10")),
    (Unary::Log1p, 0.75, reference!("log1p")),
    (Unary::Cbrt, 0.51, reference!("cbrt")),
    (Unary::Erf, 1.4, reference!("erf")),
    (Unary::Erfc, 1.8, reference!("erfc")),
];

const BINARY: &[(Binary, f64, &[u8])] = &[
    (Binary::Pow, 1.1, reference!("pow")),
    (Binary::Atan2, 0.9, reference!("atan2")),
    (Binary::Hypot, 0.8, reference!("hypot")),
];

/// One reference value: the arguments, the rounded value, and the rest in units of its last place.
struct Case<const N: usize> {
    arguments: [f64; N],
    value: f64,
    rest: f64,
}

fn cases<const N: usize>(file: &[u8]) -> Vec<Case<N>> {
    let size = 8 * (N + 1) + 1;
    assert_eq!(file.len() % size, 0);
    file.chunks_exact(size)
        .map(|record| {
            let double = |index: usize| {
                f64::from_le_bytes(record[8 * index..8 * index + 8].try_into().unwrap())
            };
            Case {
                arguments: std::array::from_fn(double),
                value: double(N),
                rest: f64::from(record[size - 1] as i8) / 240.0,
            }
        })
        .collect()
}

/// The unit of the last place of a double; 2^-1074 below the normal numbers.
fn last_place(value: f64) -> f64 {
    let exponent = ((value.to_bits() >> 52) & 0x7ff).max(1);
    if exponent > 52 {
        f64::from_bits((exponent - 52) << 52)
    } else {
        f64::from_bits(1 << (exponent - 1))
    }
}

/// The error of `found` in units of the last place.
fn error(found: f64, value: f64, rest: f64) -> f64 {
    if found == value && (value.is_infinite() || value == 0.0) {
        if value == 0.0 && found.is_sign_negative() != value.is_sign_negative() {
            return f64::INFINITY;
        }
        return rest.abs();
    }
    ((found - value) / last_place(value) - rest).abs()
}

#[test]
fn functions_of_one_number_keep_their_bounds_at_every_level() {
    for &(op, bound, file) in UNARY {
        let cases = cases::<1>(file);
        assert!(cases.len() > 400);
        let x: Vec<f64> = cases.iter().map(|case| case.arguments[0]).collect();
        for level in InstructionSet::ALL {
            let mut out = vec![0.0; x.len()];
            with_level(level, || unary_block(op, &x, &mut out));
            for (case, &found) in cases.iter().zip(&out) {
                let error = error(found, case.value, case.rest);
                assert!(
                    error <= bound,
                    "{}({:e}) = {found:e}, expected {:e}: {error} ulp, {level:?}",
                    op.name(),
                    case.arguments[0],
                    case.value
                );
            }
        }
    }
}

#[test]
fn functions_of_two_numbers_keep_their_bounds_at_every_level() {
    for &(op, bound, file) in BINARY {
        let cases = cases::<2>(file);
        assert!(cases.len() > 400);
        let a: Vec<f64> = cases.iter().map(|case| case.arguments[0]).collect();
        let b: Vec<f64> = cases.iter().map(|case| case.arguments[1]).collect();
        for level in InstructionSet::ALL {
            let mut out = vec![0.0; a.len()];
            with_level(level, || binary_block(op, &a, &b, &mut out));
            for (case, &found) in cases.iter().zip(&out) {
                let error = error(found, case.value, case.rest);
                assert!(
                    error <= bound,
                    "{}({:e}, {:e}) = {found:e}, expected {:e}: {error} ulp, {level:?}",
                    op.name(),
                    case.arguments[0],
                    case.arguments[1],
                    case.value
                );
            }
        }
    }
}

/// The whole range of bits against an independent implementation: neither is exact, so the sum of both bounds is allowed.
#[test]
fn random_bits_agree_with_an_independent_library() {
    type Peer = fn(f64) -> f64;
    let table: &[(Unary, Peer)] = &[
        (Unary::Sin, libm::sin),
        (Unary::Cos, libm::cos),
        (Unary::Tan, libm::tan),
        (Unary::Asin, libm::asin),
        (Unary::Acos, libm::acos),
        (Unary::Atan, libm::atan),
        (Unary::Sinh, libm::sinh),
        (Unary::Cosh, libm::cosh),
        (Unary::Tanh, libm::tanh),
        (Unary::Asinh, libm::asinh),
        (Unary::Acosh, libm::acosh),
        (Unary::Atanh, libm::atanh),
        (Unary::Exp, libm::exp),
        (Unary::Exp2, libm::exp2),
        (Unary::Expm1, libm::expm1),
        (Unary::Log, libm::log),
        (Unary::Log2, libm::log2),
        (Unary::Log10, libm::log10),
        (Unary::Log1p, libm::log1p),
        (Unary::Cbrt, libm::cbrt),
        (Unary::Erf, libm::erf),
        (Unary::Erfc, libm::erfc),
    ];
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state ^ (state >> 31)
    };
    let mut points: Vec<f64> = (0..20_000).map(|_| f64::from_bits(next())).collect();
    points.extend((0..20_000).map(|_| (next() >> 11) as f64 * 2.0_f64.powi(-53) * 80.0 - 40.0));
    points.extend((0..20_000).map(|_| (next() >> 11) as f64 * 2.0_f64.powi(-52) - 1.0));
    for &(op, peer) in table {
        for &x in &points {
            if op == Unary::Acosh && x < 1.0 {
                // That library has numbers for some arguments outside the domain.
                assert!(evaluate_unary(op, x).is_nan());
                continue;
            }
            let (found, expected) = (evaluate_unary(op, x), peer(x));
            if found.is_nan() || expected.is_nan() {
                assert_eq!(found.is_nan(), expected.is_nan(), "{}({x:e})", op.name());
                continue;
            }
            if found == expected {
                continue;
            }
            let error = ((found - expected) / last_place(expected)).abs();
            assert!(
                error <= 3.0,
                "{}({x:e}) = {found:e}, the other library has {expected:e}",
                op.name()
            );
        }
    }
}
