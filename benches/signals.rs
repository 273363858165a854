//! Times of transforms, filters, assignments and quadratic programs, one JSON line per row, for `benches/peers/signals_peer.py`.
//!
//! `cargo bench -p benches --bench signals -- RUNS`. Both sides make the same data, and keep the plans of transforms.

use std::io::Write as _;

use numerics::NoWatch;
use numerics::programming::assignment::{AssignmentCosts, assign_cheapest};
use numerics::programming::quadratic::{QuadraticProgram, solve_quadratic_program};
use numerics::signal::convolve::{SequenceBlock, by_transforms};
use numerics::signal::design::{FilterPrototype, PassBand, design_filter};
use numerics::signal::filter::FilterCascade;
use numerics::signal::transform::{TransformDirection, transform_complex, transform_real};
use numerics::signal::{Complex64, spectrum, window};
use numerics::sparse::CsrMatrix;

const SIZES: [usize; 7] = [1 << 10, 1 << 16, 1 << 20, 360_360, 1021, 100_003, 1_000_003];

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let runs: usize = args
        .first()
        .map_or(20, |runs| runs.parse().expect("a number of runs"));
    for n in SIZES {
        let x = data(n, 1);
        row("fft real", n, runs, || transform_real(&x).len());
        let z: Vec<Complex64> = x.iter().map(|&x| Complex64::new(x, 0.5)).collect();
        row("fft complex", n, runs, || {
            let mut z = z.clone();
            transform_complex(&mut z, TransformDirection::Forward);
            z.len()
        });
    }
    let x = data(1_000_000, 2);
    let welch = spectrum::WelchMethod {
        segment: 4096,
        overlap: 2048,
        points: 4096,
        window: window::WindowFunction::Hann,
        trend: spectrum::TrendRemoval::Constant,
        scaling: spectrum::SpectrumScaling::Density,
        rate: 1.0,
    };
    row("welch", x.len(), runs, || {
        welch.run(&x, &NoWatch).map_or(0, |found| found.segments)
    });
    let filter = FilterCascade::of_sections(
        &design_filter(FilterPrototype::Butterworth, 8, PassBand::Low(0.1)).sections(),
    );
    row("zero-phase filter of order 8", x.len(), runs, || {
        filter.zero_phase(&x, 27).map_or(0, |y| y.len())
    });
    let b = data(1000, 3);
    let block = |data| SequenceBlock {
        data,
        rows: 1,
        columns: <[f64]>::len(data),
    };
    row("convolution with 1000", x.len(), runs, || {
        by_transforms(block(&x), block(&b)).len()
    });
    for (name, levels) in [
        ("assignment, doubles", None),
        ("assignment, 100 levels", Some(100.0)),
    ] {
        for n in [500, 2000] {
            let level = |x: f64| levels.map_or(x, |levels: f64| (x * levels).floor());
            let costs: Vec<f64> = data(n * n, 4).into_iter().map(level).collect();
            let costs = AssignmentCosts {
                data: &costs,
                rows: n,
                columns: n,
            };
            row(name, n, runs.min(5), || {
                assign_cheapest(costs, &NoWatch).map_or(0, |found| found.column_of.len())
            });
        }
    }
    for n in [10, 100, 400] {
        let program = portfolio(n);
        row("quadratic program, dense", n, runs, || {
            let found = solve_quadratic_program(&program, 200, &NoWatch);
            found.map_or(0, |found| found.iterations as usize)
        });
    }
}

/// Numbers from 0 to 1, the same as in Python.
fn data(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let next = |_| {
        state = (1_664_525 * state + 1_013_904_223) % (1 << 32);
        state as f64 / (1_u64 << 32) as f64
    };
    (0..n).map(next).collect()
}

/// Least risk at a return, no weight below 0: P = F F' / n + diagonal.
fn portfolio(n: usize) -> QuadraticProgram {
    let f = data(n * 20, 5);
    let entry = |i: usize, j: usize| {
        let inner: f64 = (0..20).map(|k| f[i * 20 + k] * f[j * 20 + k]).sum();
        inner / 20.0 + if i == j { 0.1 } else { 0.0 }
    };
    let values: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
    let rows = |count: usize, values: Vec<f64>| {
        let starts = (0..=count).map(|row| row * n).collect();
        let columns = (0..count).flat_map(|_| 0..n as u32).collect();
        CsrMatrix::from_rows(n, starts, columns, values)
    };
    let returns = data(n, 6);
    QuadraticProgram {
        p: rows(n, values),
        c: vec![0.0; n],
        a_ub: rows(1, returns.iter().map(|value| -value).collect()),
        b_ub: vec![-0.6],
        a_eq: rows(1, vec![1.0; n]),
        b_eq: vec![1.0],
        low: vec![0.0; n],
        high: vec![f64::INFINITY; n],
    }
}

fn row(name: &str, n: usize, runs: usize, mut work: impl FnMut() -> usize) {
    let mut least = f64::INFINITY;
    for _ in 0..runs {
        let start = std::time::Instant::now();
        std::hint::black_box(work());
        least = least.min(start.elapsed().as_secs_f64() * 1e3);
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{{\"op\":\"{name}\",\"n\":{n},\"min_ms\":{least:.5}}}")
        .expect("standard output");
}
