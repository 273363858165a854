//! The elementary functions: nanoseconds per value over blocks of 128 lanes at each level of instructions, and one by one.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use numerics::vector::{
    Binary, InstructionSet, Unary, binary_block, evaluate_binary, evaluate_unary, unary_block,
    with_level,
};

const LANES: usize = 128;

/// Numbers spread evenly over (low, high), in a mixed order.
fn spread(low: f64, high: f64) -> Vec<f64> {
    (0..LANES)
        .map(|lane| low + (high - low) * ((lane * 37 % LANES) as f64 + 0.3) / LANES as f64)
        .collect()
}

fn points(op: Unary) -> Vec<f64> {
    match op {
        Unary::Asin | Unary::Acos | Unary::Atanh => spread(-0.97, 0.97),
        Unary::Log | Unary::Log2 | Unary::Log10 | Unary::Log1p | Unary::Sqrt => spread(0.02, 5.0),
        Unary::Acosh => spread(1.02, 5.0),
        _ => spread(-3.0, 3.0),
    }
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(format!("function {name}"));
    group
        .throughput(Throughput::Elements(LANES as u64))
        .sample_size(20)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    group
}

fn one_argument(criterion: &mut Criterion) {
    for &op in Unary::ALL {
        let (x, mut out) = (points(op), vec![0.0; LANES]);
        let mut group = group(criterion, op.name());
        for level in InstructionSet::ALL {
            group.bench_function(format!("{level:?}"), |bencher| {
                with_level(level, || {
                    bencher.iter(|| unary_block(op, black_box(&x), black_box(&mut out)));
                });
            });
        }
        group.bench_function("single", |bencher| {
            bencher.iter(|| {
                x.iter()
                    .map(|&x| evaluate_unary(op, black_box(x)))
                    .sum::<f64>()
            });
        });
    }
}

fn two_arguments(criterion: &mut Criterion) {
    for &op in Binary::ALL {
        let (a, b, mut out) = (spread(0.02, 5.0), spread(-3.0, 3.0), vec![0.0; LANES]);
        let mut group = group(criterion, op.name());
        for level in InstructionSet::ALL {
            group.bench_function(format!("{level:?}"), |bencher| {
                with_level(level, || {
                    bencher.iter(|| {
                        binary_block(op, black_box(&a), black_box(&b), black_box(&mut out));
                    });
                });
            });
        }
        group.bench_function("single", |bencher| {
            bencher.iter(|| {
                let pairs = a.iter().zip(&b);
                pairs
                    .map(|(&a, &b)| evaluate_binary(op, black_box(a), b))
                    .sum::<f64>()
            });
        });
    }
}

/// `sin(x0) * exp(-x1**2)`, operation by operation.
fn expression(criterion: &mut Criterion) {
    let (x0, x1) = (spread(-3.0, 3.0), spread(-2.9, 3.1));
    let (mut sine, mut square, mut out) = (vec![0.0; LANES], vec![0.0; LANES], vec![0.0; LANES]);
    let mut group = group(criterion, "sin(x0)*exp(-x1**2)");
    for level in InstructionSet::ALL {
        group.bench_function(format!("{level:?}"), |bencher| {
            with_level(level, || {
                bencher.iter(|| {
                    unary_block(Unary::Sin, black_box(&x0), &mut sine);
                    unary_block(Unary::Square, black_box(&x1), &mut square);
                    unary_block(Unary::Neg, &square, &mut out);
                    unary_block(Unary::Exp, &out, &mut square);
                    binary_block(Binary::Mul, &sine, &square, &mut out);
                    black_box(&out);
                });
            });
        });
    }
}

criterion_group!(benches, one_argument, two_arguments, expression);
criterion_main!(benches);
