//! The same bits on every path: single values, blocks of any length, in place, constant operands, every level.

use numerics::vector::{
    Binary, GENERATORS, InstructionSet, LaneOperand, Ternary, Unary, UniformGenerators,
    active_level, binary_block, binary_block_scalar_left, binary_block_scalar_right,
    evaluate_binary, evaluate_ternary, evaluate_unary, select_block, select_value, sin_cos,
    sin_cos_block, sum_numbers, sum_of_squares, ternary_block, unary_block, with_level,
};
use proptest::prelude::*;

/// Random bits, ordinary numbers and special ones, mixed.
fn points(count: usize, mut state: u64) -> Vec<f64> {
    const SPECIAL: [f64; 14] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        0.5,
        2.0,
        1e22,
        -745.0,
    ];
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    (0..count)
        .map(|_| {
            let (kind, bits) = (next() % 16, next());
            let unit = (bits >> 11) as f64 * 2.0_f64.powi(-53);
            match kind {
                0 => SPECIAL[(bits % 14) as usize],
                1 => -f64::NAN,
                2..=5 => f64::from_bits(bits),
                6..=9 => 2.0 * unit - 1.0,
                10..=12 => 60.0 * unit - 30.0,
                13 => 1.0 + (unit - 0.5) * 1e-6,
                14 => (unit * 20.0).floor() - 10.0,
                _ => 3000.0 * unit - 1500.0,
            }
        })
        .collect()
}

fn assert_bits(found: &[f64], expected: &[f64], what: &str) {
    for (lane, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(
            found.to_bits(),
            expected.to_bits(),
            "{what}, lane {lane}: {found:e} and {expected:e}"
        );
    }
}

#[test]
fn every_path_of_one_argument_gives_the_same_bits() {
    let x = points(6_000, 1);
    for &op in Unary::ALL {
        let expected: Vec<f64> = with_level(InstructionSet::Portable, || {
            x.iter().map(|&x| evaluate_unary(op, x)).collect()
        });
        for level in InstructionSet::ALL {
            with_level(level, || {
                let single: Vec<f64> = x.iter().map(|&x| evaluate_unary(op, x)).collect();
                assert_bits(&single, &expected, op.name());
                let mut out = vec![0.0; x.len()];
                unary_block(op, &x, &mut out);
                assert_bits(&out, &expected, op.name());
            });
        }
    }
}

#[test]
fn every_path_of_two_arguments_gives_the_same_bits() {
    let (a, b) = (points(6_000, 2), points(6_000, 3));
    for &op in Binary::ALL {
        let expected: Vec<f64> = with_level(InstructionSet::Portable, || {
            a.iter()
                .zip(&b)
                .map(|(&a, &b)| evaluate_binary(op, a, b))
                .collect()
        });
        for level in InstructionSet::ALL {
            with_level(level, || {
                let single: Vec<f64> = a
                    .iter()
                    .zip(&b)
                    .map(|(&a, &b)| evaluate_binary(op, a, b))
                    .collect();
                assert_bits(&single, &expected, op.name());
                let mut out = vec![0.0; a.len()];
                binary_block(op, &a, &b, &mut out);
                assert_bits(&out, &expected, op.name());
            });
        }
    }
}

/// What an operation of three numbers does, by those of two.
fn in_a_row(op: Ternary, a: f64, b: f64, c: f64) -> f64 {
    match op {
        Ternary::MulAdd => evaluate_binary(Binary::Add, evaluate_binary(Binary::Mul, a, b), c),
        Ternary::MulSub => evaluate_binary(Binary::Sub, evaluate_binary(Binary::Mul, a, b), c),
        Ternary::SubMul => evaluate_binary(Binary::Sub, c, evaluate_binary(Binary::Mul, a, b)),
        Ternary::AddMul => evaluate_binary(Binary::Mul, evaluate_binary(Binary::Add, a, b), c),
        Ternary::DiffMul => evaluate_binary(Binary::Mul, evaluate_binary(Binary::Sub, a, b), c),
    }
}

#[test]
fn two_operations_in_a_row_give_the_bits_of_one_after_the_other() {
    let [a, b, c] = [14, 15, 16].map(|seed| points(3_000, seed));
    for &op in Ternary::ALL {
        for level in InstructionSet::ALL {
            // Each operand in its lanes, or one for all: every way.
            for ways in 0..8 {
                let mut index = 0;
                let [a, b, c] = [&a, &b, &c].map(|of| {
                    index += 1;
                    match ways >> (index - 1) & 1 {
                        0 => LaneOperand::Many(of),
                        _ => LaneOperand::One(of[index]),
                    }
                });
                let mut out = vec![0.0; 3_000];
                with_level(level, || ternary_block(op, a, b, c, &mut out));
                let at = |lane: usize| (a.lane(lane), b.lane(lane), c.lane(lane));
                for (lane, found) in out.iter().enumerate() {
                    let (a, b, c) = at(lane);
                    let expected = in_a_row(op, a, b, c);
                    assert_bits(
                        &[*found, evaluate_ternary(op, a, b, c)],
                        &[expected; 2],
                        op.name(),
                    );
                }
            }
        }
    }
}

#[test]
fn sines_and_cosines_together_give_the_bits_of_each() {
    let mut x = points(6_000, 17);
    x.extend(points(6_000, 18).iter().map(|x| x * 1e3));
    let each = |op| {
        x.iter()
            .map(|&x| evaluate_unary(op, x))
            .collect::<Vec<f64>>()
    };
    let (expected_sines, expected_cosines) = (each(Unary::Sin), each(Unary::Cos));
    for level in InstructionSet::ALL {
        for length in [0, 1, 7, 128, 200, x.len()] {
            let x = &x[..length];
            let (mut sines, mut cosines) = (vec![0.0; length], vec![0.0; length]);
            with_level(level, || sin_cos_block(x, &mut sines, &mut cosines));
            assert_bits(&sines, &expected_sines, "sin");
            assert_bits(&cosines, &expected_cosines, "cos");
            let single = with_level(level, || x.iter().map(|&x| sin_cos(x)).collect::<Vec<_>>());
            for (found, (sine, cosine)) in single.iter().zip(sines.iter().zip(&cosines)) {
                assert_bits(&[found.0, found.1], &[*sine, *cosine], "both");
            }
        }
    }
}

#[test]
fn constant_operands_give_the_bits_of_whole_blocks() {
    let x = points(300, 4);
    for &constant in &points(24, 5) {
        let same = vec![constant; x.len()];
        for &op in Binary::ALL {
            for level in InstructionSet::ALL {
                with_level(level, || {
                    let (mut plain, mut out) = (vec![0.0; x.len()], vec![0.0; x.len()]);
                    binary_block(op, &x, &same, &mut plain);
                    binary_block_scalar_right(op, &x, constant, &mut out);
                    assert_bits(&out, &plain, op.name());
                    binary_block(op, &same, &x, &mut plain);
                    binary_block_scalar_left(op, constant, &x, &mut out);
                    assert_bits(&out, &plain, op.name());
                });
            }
        }
    }
}

#[test]
fn every_length_and_offset_gives_the_same_bits() {
    let x = points(600, 6);
    for op in [
        Unary::Exp,
        Unary::Sin,
        Unary::Log,
        Unary::Erfc,
        Unary::Atanh,
    ] {
        let expected: Vec<f64> = x.iter().map(|&x| evaluate_unary(op, x)).collect();
        for start in [0, 1, 3] {
            for length in (0..40).chain([127, 128, 129, 255, 256, 257, 511, 520]) {
                let range = start..start + length;
                let mut out = vec![0.0; length];
                unary_block(op, &x[range.clone()], &mut out);
                assert_bits(&out, &expected[range], op.name());
            }
        }
    }
}

#[test]
fn every_length_and_offset_of_two_arguments_gives_the_same_bits() {
    let (a, b) = (points(600, 12), points(600, 13));
    for op in [Binary::Pow, Binary::Atan2, Binary::Hypot, Binary::Fmod] {
        let expected: Vec<f64> = a
            .iter()
            .zip(&b)
            .map(|(&a, &b)| evaluate_binary(op, a, b))
            .collect();
        for start in [0, 1, 3] {
            for length in (0..40).chain([127, 128, 129, 255, 256, 257, 511, 520]) {
                let range = start..start + length;
                let mut out = vec![0.0; length];
                binary_block(op, &a[range.clone()], &b[range.clone()], &mut out);
                assert_bits(&out, &expected[range], op.name());
            }
        }
    }
}

/// Exponents that are roots, alone, in each lane, and beside others.
#[test]
fn powers_by_roots_are_the_same_bits_in_a_block_and_at_every_level() {
    let a = points(600, 12);
    for exponents in [
        vec![0.5],
        vec![1.5],
        vec![0.5, 1.5],
        vec![1.5, 2.7, 0.5, 3.0],
    ] {
        let b: Vec<f64> = exponents.iter().copied().cycle().take(a.len()).collect();
        let expected: Vec<f64> = a
            .iter()
            .zip(&b)
            .map(|(&a, &b)| evaluate_binary(Binary::Pow, a, b))
            .collect();
        for level in InstructionSet::ALL {
            let mut out = vec![0.0; a.len()];
            with_level(level, || binary_block(Binary::Pow, &a, &b, &mut out));
            assert_bits(&out, &expected, "pow");
        }
        for ((a, b), found) in a.iter().zip(&b).zip(&expected) {
            // Of the standard library, whose error is less than 1 ulp.
            let other = a.powf(*b);
            let close = (found - other).abs() <= 2.0 * f64::EPSILON * other.abs();
            assert!(
                close || *found == other || (found.is_nan() && other.is_nan()),
                "{a} ** {b}: {found} {other}"
            );
        }
    }
}

/// What a lane gets does not depend on its neighbours: no lane of these blocks is out of the ordinary at first, then one is.
#[test]
fn a_lane_out_of_the_ordinary_leaves_the_bits_of_the_others() {
    const EXTRAORDINARY: [f64; 7] = [
        f64::NAN,
        0.0,
        -2.0,
        f64::INFINITY,
        f64::MAX,
        f64::from_bits(1),
        -1e18,
    ];
    let unit: Vec<f64> = (0..256).map(|k| (f64::from(k) + 0.37) / 256.0).collect();
    for &op in Unary::ALL {
        let shift = if op == Unary::Acosh { 1.0 } else { 0.0 };
        let mut x: Vec<f64> = unit.iter().map(|u| u + shift).collect();
        let expected: Vec<f64> = x.iter().map(|&x| evaluate_unary(op, x)).collect();
        for level in InstructionSet::ALL {
            let mut out = vec![0.0; x.len()];
            with_level(level, || unary_block(op, &x, &mut out));
            assert_bits(&out, &expected, op.name());
            for (lane, &strange) in EXTRAORDINARY.iter().enumerate() {
                let lane = lane * 37;
                let usual = std::mem::replace(&mut x[lane], strange);
                with_level(level, || unary_block(op, &x, &mut out));
                assert_bits(&out[..lane], &expected[..lane], op.name());
                assert_bits(&out[lane + 1..], &expected[lane + 1..], op.name());
                assert_bits(&out[lane..=lane], &[evaluate_unary(op, strange)], op.name());
                x[lane] = usual;
            }
        }
    }
    let mut b: Vec<f64> = unit.iter().rev().map(|u| 3.0 * u - 1.0).collect();
    for &op in Binary::ALL {
        let expected: Vec<f64> = unit
            .iter()
            .zip(&b)
            .map(|(&a, &b)| evaluate_binary(op, a, b))
            .collect();
        for level in InstructionSet::ALL {
            let mut out = vec![0.0; unit.len()];
            with_level(level, || binary_block(op, &unit, &b, &mut out));
            assert_bits(&out, &expected, op.name());
            for (lane, &strange) in EXTRAORDINARY.iter().enumerate() {
                let lane = lane * 37;
                let usual = std::mem::replace(&mut b[lane], strange);
                with_level(level, || binary_block(op, &unit, &b, &mut out));
                assert_bits(&out[..lane], &expected[..lane], op.name());
                assert_bits(&out[lane + 1..], &expected[lane + 1..], op.name());
                let alone = evaluate_binary(op, unit[lane], strange);
                assert_bits(&out[lane..=lane], &[alone], op.name());
                b[lane] = usual;
            }
        }
    }
}

#[test]
fn choices_give_the_same_bits() {
    let (c, t, o) = (points(1_000, 7), points(1_000, 8), points(1_000, 9));
    for level in InstructionSet::ALL {
        with_level(level, || {
            let mut out = vec![0.0; c.len()];
            select_block(&c, &t, &o, &mut out);
            let single: Vec<f64> = (0..c.len())
                .map(|i| select_value(c[i], t[i], o[i]))
                .collect();
            assert_bits(&out, &single, "select");
        });
    }
}

#[test]
fn a_forced_level_ends_with_its_closure() {
    let before = active_level();
    assert_eq!(before, InstructionSet::best());
    with_level(InstructionSet::Portable, || {
        assert_eq!(active_level(), InstructionSet::Portable)
    });
    assert_eq!(active_level(), before);
    let panicked =
        std::panic::catch_unwind(|| with_level(InstructionSet::Portable, || panic!("inside")));
    assert!(panicked.is_err());
    assert_eq!(active_level(), before);
}

#[test]
#[should_panic(expected = "lanes of x and out")]
fn lengths_must_agree() {
    unary_block(Unary::Exp, &[1.0, 2.0], &mut [0.0]);
}

/// The remainders against the exact one of an independent library.
#[test]
fn remainders_are_exact() {
    let (a, b) = (points(40_000, 10), points(40_000, 11));
    for (&a, &b) in a.iter().zip(&b) {
        let (found, expected) = (evaluate_binary(Binary::Fmod, a, b), libm::fmod(a, b));
        assert!(
            found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan()),
            "fmod({a:e}, {b:e}) = {found:e}, expected {expected:e}"
        );
    }
}

proptest! {
    #[test]
    fn odd_and_even_functions_are_exactly_so(x in proptest::num::f64::ANY) {
        prop_assume!(!x.is_nan());
        for op in [Unary::Sin, Unary::Tan, Unary::Asin, Unary::Atan, Unary::Sinh, Unary::Tanh, Unary::Asinh, Unary::Atanh, Unary::Erf, Unary::Cbrt] {
            let (plus, minus) = (evaluate_unary(op, x), evaluate_unary(op, -x));
            prop_assert!(plus.to_bits() == (-minus).to_bits() || plus.is_nan() && minus.is_nan(), "{}", op.name());
        }
        for op in [Unary::Cos, Unary::Cosh] {
            prop_assert_eq!(evaluate_unary(op, x).to_bits(), evaluate_unary(op, -x).to_bits());
        }
    }

    #[test]
    fn lengths_are_symmetric_and_not_below_a_side(a in proptest::num::f64::NORMAL, b in proptest::num::f64::NORMAL) {
        let length = evaluate_binary(Binary::Hypot, a, b);
        prop_assert_eq!(length, evaluate_binary(Binary::Hypot, b, -a));
        prop_assert!(length >= a.abs() && length >= b.abs());
    }

    #[test]
    fn sine_and_cosine_lie_on_the_circle(x in proptest::num::f64::NORMAL) {
        let (s, c) = (evaluate_unary(Unary::Sin, x), evaluate_unary(Unary::Cos, x));
        prop_assert!((s * s + c * c - 1.0).abs() <= 4.0 * f64::EPSILON);
    }
}

#[test]
fn sums_are_the_same_bits_at_every_level() {
    for count in [0, 1, 31, 32, 33, 100, 4096, 5001] {
        let x: Vec<f64> = (0..count).map(|k| f64::from(k).sin() * 3.0).collect();
        let sums = || [sum_numbers(&x), sum_of_squares(&x, 0.1)];
        let portable = with_level(InstructionSet::Portable, sums);
        for level in InstructionSet::ALL {
            assert_bits(&with_level(level, sums), &portable, "sums");
        }
        let exact: f64 = x.iter().sum();
        assert!((portable[0] - exact).abs() <= 1e-13 * f64::from(count + 1));
        let squares: f64 = x.iter().map(|x| (x - 0.1).powi(2)).sum();
        assert!((portable[1] - squares).abs() <= 1e-13 * f64::from(count + 1));
    }
    assert!(sum_numbers(&[1.0, f64::NAN, 2.0]).is_nan());
    assert!(!sum_numbers(&[f64::INFINITY, 1.0, f64::NEG_INFINITY]).is_finite());
}

#[test]
fn uniform_numbers_are_the_same_bits_at_every_level() {
    let states = std::array::from_fn(|word| {
        std::array::from_fn(|generator| (1 + word + GENERATORS * generator) as u64)
    });
    let numbers = || {
        let mut uniforms = UniformGenerators::new(states);
        let mut out = vec![0.0; 1003];
        uniforms.fill(-2.0, 5.0, &mut out);
        uniforms.fill(0.0, 1.0, &mut out[900..]);
        out
    };
    let portable = with_level(InstructionSet::Portable, numbers);
    for level in InstructionSet::ALL {
        assert_bits(&with_level(level, numbers), &portable, "uniform");
    }
}
