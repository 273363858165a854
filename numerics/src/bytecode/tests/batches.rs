//! Programs of many equations that are alike.

use proptest::prelude::*;

use super::{ProgramBuilder, ProgramNode, UnaryFunction, random_of};
use crate::vector::{Binary, Unary};

/// The values of outputs at a point, together and each by a program of its own.
fn both_ways(
    builder: &ProgramBuilder,
    outputs: &[ProgramNode],
    point: &[f64],
) -> (Vec<u64>, Vec<u64>) {
    let mut together = vec![0.0; outputs.len()];
    let program = builder.finish(outputs);
    let mut evaluator = program.evaluator();
    // Twice: nothing may stay from the first time.
    evaluator.point(&vec![0.5; point.len()], &mut together);
    evaluator.point(point, &mut together);
    let alone = outputs.iter().map(|&output| {
        let program = builder.finish(&[output]);
        program.evaluator().value(point)
    });
    let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect();
    (bits(together), bits(alone.collect()))
}

fn point(count: usize) -> Vec<f64> {
    let value = |index: usize| ((index * 37 + 11) % 101) as f64 / 25.0 - 2.0;
    (0..count).map(value).collect()
}

/// The second difference of a grid, at the ends with constants.
fn grid(builder: &mut ProgramBuilder, count: usize) -> Vec<ProgramNode> {
    let two = builder.constant(2.0);
    let mut outputs = Vec::new();
    for index in 0..count {
        let (zero, x) = (builder.constant(0.0), builder.variable(index));
        let before = match index {
            0 => zero,
            _ => builder.variable(index - 1),
        };
        let after = match index + 1 == count {
            true => zero,
            false => builder.variable(index + 1),
        };
        let twice = builder.binary(Binary::Mul, two, x);
        let left = builder.binary(Binary::Sub, before, twice);
        let sum = builder.binary(Binary::Add, left, after);
        let factor = builder.constant(index as f64 + 0.25);
        outputs.push(builder.binary(Binary::Mul, factor, sum));
    }
    outputs
}

#[test]
fn equations_of_a_grid_run_in_few_loops() {
    let mut builder = ProgramBuilder::new();
    let outputs = grid(&mut builder, 300);
    let program = builder.finish(&outputs);
    assert_eq!(program.len(), 600);
    let batches = program.batches().expect("the equations are alike");
    assert!(batches <= 12, "{batches}");
    let (together, alone) = both_ways(&builder, &outputs, &point(300));
    assert_eq!(together, alone);
}

#[test]
fn few_or_unlike_equations_run_one_by_one() {
    let mut builder = ProgramBuilder::new();
    let outputs = grid(&mut builder, 10);
    assert_eq!(builder.finish(&outputs).batches(), None);
    // A chain: each operation needs the one before.
    let mut x = builder.variable(0);
    for index in 0..200 {
        let next = builder.variable(index + 1);
        x = builder.binary(Binary::Mul, x, next);
        x = builder.unary(Unary::Sin, x);
    }
    assert_eq!(builder.finish(&[x]).batches(), None);
}

#[test]
fn a_shorter_list_of_results_takes_the_first_ones() {
    let mut builder = ProgramBuilder::new();
    let outputs = grid(&mut builder, 100);
    let program = builder.finish(&outputs);
    let (mut all, mut first) = ([0.0; 100], [0.0; 7]);
    program.evaluator().point(&point(100), &mut all);
    program.evaluator().point(&point(100), &mut first);
    assert_eq!(first, all[..7]);
}

#[test]
fn functions_and_choices_of_many_equations_are_those_of_one() {
    static ONE: UnaryFunction = UnaryFunction {
        name: "one",
        value: |x| x + 1.0,
        slope: None,
    };
    static TWO: UnaryFunction = UnaryFunction {
        name: "two",
        value: |x| 3.0 * x,
        slope: None,
    };
    let mut builder = ProgramBuilder::new();
    let zero = builder.constant(0.0);
    let outputs: Vec<ProgramNode> = (0..90)
        .map(|index| {
            let (x, next) = (builder.variable(index), builder.variable((index + 41) % 90));
            let called = builder.call1(if index % 2 == 0 { &ONE } else { &TWO }, x);
            let positive = builder.binary(Binary::Greater, next, zero);
            let root = builder.unary(Unary::Sqrt, next);
            let chosen = builder.select(positive, root, called);
            builder.binary(Binary::Pow, chosen, next)
        })
        .collect();
    assert!(
        builder
            .finish(&outputs)
            .batches()
            .is_none_or(|count| count < 40)
    );
    let (together, alone) = both_ways(&builder, &outputs, &point(90));
    assert_eq!(together, alone);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn many_equations_have_the_bits_of_each_alone(
        recipes in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..20), 1..3),
        (stride, shift, count) in (0_usize..4, 1_usize..50, 30_usize..200),
    ) {
        let mut builder = ProgramBuilder::new();
        let variables = |index: usize| [index * stride % count, (index + 1) % count, (index * 7 + shift) % count];
        let mut outputs = Vec::new();
        for index in 0..count {
            let recipe = &recipes[index % recipes.len()];
            let value = random_of(&mut builder, recipe, variables(index));
            let own = builder.constant((index % 5) as f64);
            outputs.push(builder.binary(Binary::Add, value, own));
        }
        let (together, alone) = both_ways(&builder, &outputs, &point(count));
        prop_assert_eq!(together, alone);
    }
}
