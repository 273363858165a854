//! Programs against their definitions.

use proptest::prelude::*;

use super::*;
use crate::vector::{Binary, Unary};

mod batches;
mod columns;

/// `sin(x0) * exp(-x1**2)`.
fn example(builder: &mut ProgramBuilder) -> ProgramNode {
    let (x, y) = (builder.variable(0), builder.variable(1));
    let two = builder.constant(2.0);
    let sine = builder.unary(Unary::Sin, x);
    let square = builder.binary(Binary::Pow, y, two);
    let negative = builder.unary(Unary::Neg, square);
    let bell = builder.unary(Unary::Exp, negative);
    builder.binary(Binary::Mul, sine, bell)
}

#[test]
fn common_parts_are_computed_once_and_dead_ones_never() {
    let mut builder = ProgramBuilder::new();
    let first = example(&mut builder);
    let count = builder.len();
    assert_eq!(example(&mut builder), first);
    assert_eq!(builder.len(), count);
    let program = builder.finish(&[first, first]);
    assert_eq!(program.len(), 5); // sin, square, neg, exp, mul
    let x = builder.variable(7);
    assert!(builder.finish(&[x]).is_empty());
    assert_eq!(builder.finish(&[x]).variables(), 8);
}

/// Every pair of operations that one instruction computes, and sine and cosine, against the operations themselves.
#[test]
fn operations_that_run_together_give_the_bits_of_one_after_the_other() {
    let mut builder = ProgramBuilder::new();
    let [a, b, c] = [0, 1, 2].map(|index| builder.variable(index));
    let number = builder.constant(1.7);
    let mut outputs = Vec::new();
    for (first, second) in [
        (Binary::Mul, Binary::Add),
        (Binary::Mul, Binary::Sub),
        (Binary::Add, Binary::Mul),
        (Binary::Sub, Binary::Mul),
    ] {
        for other in [c, number] {
            let inner = builder.binary(first, a, b);
            let apart = builder.unary(Unary::Neg, b);
            let right = builder.binary(first, apart, a);
            let left_first = builder.binary(second, inner, other);
            let right_first = builder.binary(second, other, right);
            // A value that is used elsewhere too stays an operation of its own.
            let shared = builder.binary(first, inner, b);
            let with_shared = builder.binary(second, shared, other);
            outputs.extend([left_first, right_first, shared, with_shared]);
        }
    }
    let [sine, cosine] = [Unary::Sin, Unary::Cos].map(|op| builder.unary(op, a));
    let cosine_first = [Unary::Cos, Unary::Sin].map(|op| builder.unary(op, c));
    outputs.extend([sine, cosine]);
    outputs.extend(cosine_first);
    let whole = builder.finish(&outputs);
    let columns: [Vec<f64>; 3] = [0.3, 0.7, 1.1].map(|step| {
        (0..200)
            .map(|k| (f64::from(k) * step).sin() * 40.0)
            .collect()
    });
    let columns = columns.each_ref().map(|column| &column[..]);
    let mut found = vec![vec![0.0; 200]; outputs.len()];
    let mut slices: Vec<&mut [f64]> = found.iter_mut().map(|out| &mut out[..]).collect();
    whole.evaluator().block(&columns, &mut slices);
    for (&output, found) in outputs.iter().zip(&found) {
        // Alone, its operations have no other users, and more of them run together.
        let alone = builder.finish(&[output]);
        for (k, found) in found.iter().enumerate() {
            let at = columns.map(|column| column[k]);
            let expected = one_by_one(&builder, output, &at);
            let value = alone.evaluator().value(&at);
            assert_eq!([found.to_bits(), value.to_bits()], [expected.to_bits(); 2]);
        }
    }
    // a * b + c is one instruction, and so are sine and cosine.
    assert_eq!(builder.finish(&outputs[..1]).len(), 1);
    assert_eq!(builder.finish(&[sine, cosine]).len(), 1);
    assert_eq!(builder.finish(&cosine_first).len(), 1);
}

/// The value of a node, operation by operation.
fn one_by_one(builder: &ProgramBuilder, node: ProgramNode, at: &[f64]) -> f64 {
    use crate::bytecode::builder::NodeOperation;
    let of = |node| one_by_one(builder, node, at);
    match builder.operations[node.index()] {
        NodeOperation::Constant(value) => value,
        NodeOperation::Variable(index) => at[index as usize],
        NodeOperation::Unary(op, a) => crate::vector::evaluate_unary(op, of(a)),
        NodeOperation::Binary(op, a, b) => crate::vector::evaluate_binary(op, of(a), of(b)),
        _ => unreachable!("the test has no others"),
    }
}

#[test]
fn rewritten_powers_are_those_of_the_general_one() {
    for exponent in [-1.0, 1.0, 2.0, 3.0, 4.0] {
        let mut builder = ProgramBuilder::new();
        let (x, power) = (builder.variable(0), builder.constant(exponent));
        let rewritten = builder.binary(Binary::Pow, x, power);
        let program = builder.finish(&[rewritten]);
        let mut evaluator = program.evaluator();
        for x in [
            0.0,
            -0.0,
            1.0,
            -1.5,
            1e-320,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e200,
            3.7,
        ] {
            let (found, expected) = (
                evaluator.value(&[x]),
                crate::vector::evaluate_binary(Binary::Pow, x, exponent),
            );
            let close = (found - expected).abs() <= 2.0 * f64::EPSILON * expected.abs();
            assert!(
                close || found == expected,
                "{x} ** {exponent}: {found} {expected}"
            );
            assert_eq!(found.is_sign_negative(), expected.is_sign_negative());
        }
    }
}

/// A random expression over the variables 0 to 2 from bytes.
fn random(builder: &mut ProgramBuilder, recipe: &[u8]) -> ProgramNode {
    random_of(builder, recipe, [0, 1, 2])
}

/// A random expression over three variables: a stack machine that never underflows.
fn random_of(builder: &mut ProgramBuilder, recipe: &[u8], variables: [usize; 3]) -> ProgramNode {
    const SMOOTH: [Unary; 12] = [
        Unary::Sin,
        Unary::Cos,
        Unary::Tanh,
        Unary::Atan,
        Unary::Asinh,
        Unary::Erf,
        Unary::Erfc,
        Unary::Neg,
        Unary::Square,
        Unary::Expm1,
        Unary::Abs,
        Unary::Cbrt,
    ];
    const TWO: [Binary; 8] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Min,
        Binary::Max,
        Binary::Hypot,
        Binary::Atan2,
        Binary::Mul,
    ];
    let mut stack: Vec<ProgramNode> = variables.map(|index| builder.variable(index)).into();
    for byte in recipe {
        let pick = usize::from(byte >> 2);
        let node = match byte & 3 {
            0 => builder.variable(variables[pick % 3]),
            1 => {
                let a = stack.pop().unwrap();
                builder.unary(SMOOTH[pick % SMOOTH.len()], a)
            }
            2 if stack.len() >= 2 => {
                let (b, a) = (stack.pop().unwrap(), stack.pop().unwrap());
                builder.binary(TWO[pick % TWO.len()], a, b)
            }
            3 if stack.len() >= 3 => {
                let (c, b, a) = (
                    stack.pop().unwrap(),
                    stack.pop().unwrap(),
                    stack.pop().unwrap(),
                );
                builder.select(a, b, c)
            }
            _ => builder.constant(f64::from(*byte) / 64.0 - 2.0),
        };
        stack.push(node);
    }
    stack
        .into_iter()
        .reduce(|sum, node| builder.binary(Binary::Add, sum, node))
        .unwrap()
}

fn central(value: &mut dyn FnMut(&[f64]) -> f64, at: &[f64], index: usize) -> (f64, f64) {
    let mut slope = |h: f64| {
        let mut point = at.to_vec();
        point[index] = at[index] + h;
        let above = value(&point);
        point[index] = at[index] - h;
        (above - value(&point)) / (2.0 * h)
    };
    // Richardson: two steps, and how far they are apart.
    let (coarse, fine) = (slope(2e-4), slope(1e-4));
    ((4.0 * fine - coarse) / 3.0, (fine - coarse).abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn blocks_and_points_give_the_same_bits(recipe in prop::collection::vec(any::<u8>(), 0..40), count in 1_usize..300) {
        let mut builder = ProgramBuilder::new();
        let output = random(&mut builder, &recipe);
        let (sine, cosine) = (builder.unary(Unary::Sin, output), builder.unary(Unary::Cos, output));
        let other = builder.binary(Binary::Sub, sine, cosine);
        let program = builder.finish(&[output, other]);
        let columns: Vec<Vec<f64>> = (0..3).map(|variable| (0..count).map(|k| ((k * 7 + variable * 13) % 29) as f64 / 7.0 - 2.0).collect()).collect();
        let (mut first, mut second) = (vec![0.0; count], vec![0.0; count]);
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        program.evaluator().block(&columns, &mut [&mut first, &mut second]);
        let mut evaluator = program.evaluator();
        for k in 0..count {
            let mut out = [0.0; 2];
            evaluator.point(&[columns[0][k], columns[1][k], columns[2][k]], &mut out);
            prop_assert_eq!(out.map(f64::to_bits), [first[k].to_bits(), second[k].to_bits()]);
        }
        let several = [0, count / 2, count - 1];
        let mut out = [[0.0; 2]; 3];
        let variables = several.map(|k| [&columns[0][k..=k], &columns[1][k..=k], &columns[2][k..=k]]);
        evaluator.points_of(variables, out.each_mut().map(|out| &mut out[..]));
        for (out, k) in out.iter().zip(several) {
            prop_assert_eq!(out.map(f64::to_bits), [first[k].to_bits(), second[k].to_bits()]);
        }
    }

    #[test]
    fn gradients_agree_with_differences_and_with_tangents(recipe in prop::collection::vec(any::<u8>(), 0..24), at in prop::array::uniform3(-1.5_f64..1.5)) {
        let mut builder = ProgramBuilder::new();
        let output = random(&mut builder, &recipe);
        let gradient = builder.gradient(output, &[0, 1, 2]).unwrap();
        let forward: Vec<ProgramNode> = (0..3).map(|variable| {
            let one = builder.constant(1.0);
            builder.tangents(&[output], &[(variable, one)]).unwrap()[0]
        }).collect();
        let program = builder.finish(&[output]);
        let mut value = |point: &[f64]| program.evaluator().value(point);
        let all: Vec<ProgramNode> = gradient.into_iter().chain(forward).collect();
        let derivatives = builder.finish(&all);
        let mut found = [0.0; 6];
        derivatives.evaluator().point(&at, &mut found);
        for index in 0..3 {
            let (reverse, forward) = (found[index], found[index + 3]);
            if !reverse.is_finite() || !forward.is_finite() {
                continue; // a kink or a pole at this very point
            }
            prop_assert!((reverse - forward).abs() <= 1e-9 * (1.0 + forward.abs()), "{} {}", reverse, forward);
            let (difference, spread) = central(&mut value, &at, index);
            // Near a kink or a pole the two steps disagree, and a difference says nothing.
            if spread <= 1e-4 * (1.0 + difference.abs()) && difference.abs() < 1e6 {
                prop_assert!((reverse - difference).abs() <= 2e-3 * (1.0 + difference.abs()), "{} {} {}", reverse, difference, spread);
            }
        }
    }
}

#[test]
fn gradients_of_several_outputs_are_those_of_each() {
    let recipes: [&[u8]; 3] = [&[9, 34, 77, 130], &[21, 6, 14, 91, 250], &[3, 65, 42]];
    let variables = vec![vec![0, 1, 2], vec![1, 2, 3], vec![2, 3, 4]];
    let mut builder = ProgramBuilder::new();
    let outputs = [0, 1, 2].map(|k| random_of(&mut builder, recipes[k], [k, k + 1, k + 2]));
    let mut alone = builder.clone();
    let together = builder.gradients(&outputs, &variables).unwrap();
    let each = outputs.iter().zip(&variables);
    let each = each.map(|(&output, variables)| alone.gradient(output, variables).unwrap());
    assert_eq!(together, each.collect::<Vec<_>>());
}

#[test]
fn every_function_has_its_derivative() {
    // A point inside the domain of each, away from kinks.
    for &op in Unary::ALL {
        let at = match op {
            Unary::Acosh => 1.7,
            _ => 0.6,
        };
        let mut builder = ProgramBuilder::new();
        let x = builder.variable(0);
        let y = builder.unary(op, x);
        let slope = builder.gradient(y, &[0]).unwrap()[0];
        let (function, derivative) = (builder.finish(&[y]), builder.finish(&[slope]));
        let mut value = |point: &[f64]| function.evaluator().value(point);
        let (difference, _) = central(&mut value, &[at], 0);
        let found = derivative.evaluator().value(&[at]);
        assert!(
            (found - difference).abs() <= 1e-8 * (1.0 + difference.abs()),
            "{}: {found} {difference}",
            op.name()
        );
    }
    for &op in Binary::ALL {
        let at = [2.3, 0.7];
        let mut builder = ProgramBuilder::new();
        let (a, b) = (builder.variable(0), builder.variable(1));
        let y = builder.binary(op, a, b);
        let gradient = builder.gradient(y, &[0, 1]).unwrap();
        let (function, derivative) = (builder.finish(&[y]), builder.finish(&gradient));
        let mut value = |point: &[f64]| function.evaluator().value(point);
        let mut found = [0.0; 2];
        derivative.evaluator().point(&at, &mut found);
        for (index, found) in found.into_iter().enumerate() {
            let (difference, _) = central(&mut value, &at, index);
            assert!(
                (found - difference).abs() <= 1e-8 * (1.0 + difference.abs()),
                "{} by {index}: {found} {difference}",
                op.name()
            );
        }
    }
}

#[test]
fn a_branch_that_is_not_taken_spoils_nothing() {
    // if(x > 0, sqrt(x), 0) at 0: the root has an infinite slope there, and is not taken.
    let mut builder = ProgramBuilder::new();
    let (x, zero) = (builder.variable(0), builder.constant(0.0));
    let positive = builder.binary(Binary::Greater, x, zero);
    let root = builder.unary(Unary::Sqrt, x);
    let y = builder.select(positive, root, zero);
    let slope = builder.gradient(y, &[0]).unwrap();
    let program = builder.finish(&slope);
    let mut evaluator = program.evaluator();
    assert_eq!(evaluator.value(&[0.0]), 0.0);
    assert_eq!(evaluator.value(&[-1.0]), 0.0);
    assert_eq!(evaluator.value(&[4.0]), 0.25);
}

#[test]
fn a_function_without_a_formula_is_named() {
    static STEP: UnaryFunction = UnaryFunction {
        name: "step",
        value: f64::floor,
        slope: None,
    };
    let mut builder = ProgramBuilder::new();
    let x = builder.variable(0);
    let y = builder.call1(&STEP, x);
    assert_eq!(
        builder.gradient(y, &[0]),
        Err(NotDifferentiable { function: "step" })
    );
    assert_eq!(builder.finish(&[y]).evaluator().value(&[2.5]), 2.0);
}

#[test]
fn hessian_times_vector_is_the_tangent_of_the_gradient() {
    // f = x^2 y: the Hessian is [[2 y, 2 x], [2 x, 0]].
    let mut builder = ProgramBuilder::new();
    let (x, y) = (builder.variable(0), builder.variable(1));
    let square = builder.unary(Unary::Square, x);
    let f = builder.binary(Binary::Mul, square, y);
    let gradient = builder.gradient(f, &[0, 1]).unwrap();
    let direction = [(0, builder.variable(2)), (1, builder.variable(3))];
    let product = builder.tangents(&gradient, &direction).unwrap();
    let program = builder.finish(&product);
    let mut found = [0.0; 2];
    program
        .evaluator()
        .point(&[3.0, 5.0, 1.0, -2.0], &mut found);
    assert_eq!(found, [2.0 * 5.0 - 2.0 * 2.0 * 3.0, 2.0 * 3.0]);
}

#[test]
fn a_gradient_costs_a_few_times_the_function() {
    // Rosenbrock in 20 variables: at most five times the instructions.
    let mut builder = ProgramBuilder::new();
    let hundred = builder.constant(100.0);
    let one = builder.constant(1.0);
    let mut sum = builder.constant(0.0);
    for index in 0..19 {
        let (x, next) = (builder.variable(index), builder.variable(index + 1));
        let square = builder.unary(Unary::Square, x);
        let difference = builder.binary(Binary::Sub, next, square);
        let difference = builder.unary(Unary::Square, difference);
        let steep = builder.binary(Binary::Mul, hundred, difference);
        let flat = builder.binary(Binary::Sub, one, x);
        let flat = builder.unary(Unary::Square, flat);
        let term = builder.binary(Binary::Add, steep, flat);
        sum = builder.binary(Binary::Add, sum, term);
    }
    let function = builder.finish(&[sum]);
    let variables: Vec<usize> = (0..20).collect();
    let gradient = builder.gradient(sum, &variables).unwrap();
    let both: Vec<ProgramNode> = std::iter::once(sum).chain(gradient).collect();
    let both = builder.finish(&both);
    assert!(
        both.len() <= 4 * function.len(),
        "{} {}",
        both.len(),
        function.len()
    );
}
