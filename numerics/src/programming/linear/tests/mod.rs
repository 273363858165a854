//! Optima that prove themselves, rays that prove the contrary, and factors that solve.

mod reduced;

use proptest::prelude::*;

use super::eliminate::BasisElimination;
use super::factor::{BasisFactor, MiddleRetention};
use super::sparse::SparseVector;
use super::state::pseudorandom_noise;
use super::*;
use crate::watch::NoWatch;
use crate::watch::tests::StoppedWatch;

const INF: f64 = f64::INFINITY;

fn solved(program: &LinearProgram) -> SimplexSolution {
    solve_linear_program(
        program,
        &SimplexOptions {
            max_iter: 1_000_000,
            watch: &NoWatch,
        },
    )
}

fn dense(rows: &[Vec<f64>], columns: usize) -> CsrMatrix {
    let mut lists: (Vec<u32>, Vec<u32>, Vec<f64>) = Default::default();
    for (row, entries) in rows.iter().enumerate() {
        for (column, &value) in entries.iter().enumerate() {
            lists.0.push(row as u32);
            lists.1.push(column as u32);
            lists.2.push(value);
        }
    }
    CsrMatrix::from_triplets(rows.len(), columns, &lists.0, &lists.1, &lists.2)
}

/// `min c'x` with `A x <= b` and x >= 0.
fn standard(c: &[f64], a: &[Vec<f64>], b: &[f64]) -> LinearProgram {
    LinearProgram {
        costs: c.to_vec(),
        matrix: dense(a, c.len()),
        row_low: vec![-INF; b.len()],
        row_high: b.to_vec(),
        low: vec![0.0; c.len()],
        high: vec![INF; c.len()],
    }
}

/// A solution is an optimum when it is feasible and its prices, which have the right signs, prove its objective.
fn assert_optimal(program: &LinearProgram, solution: &SimplexSolution, tolerance: f64) {
    assert_proved(program, solution, tolerance);
    let found = solution_residuals(program, solution);
    assert!(found.dual <= tolerance, "{found:?}");
}

/// The same for units that are far apart, in which a price of the wrong sign is compared with nothing.
fn assert_proved(program: &LinearProgram, solution: &SimplexSolution, tolerance: f64) {
    assert_eq!(solution.status, SimplexStatus::Optimal);
    let found = solution_residuals(program, solution);
    assert!(found.primal <= tolerance, "{found:?}");
    let bound = dual_objective(program, solution);
    let size = solution.objective.abs().max(1.0);
    assert!(
        (solution.objective - bound).abs() <= tolerance * size,
        "{} {bound}",
        solution.objective
    );
}

#[test]
fn a_textbook_program_is_solved_to_the_last_digit() {
    let program = standard(
        &[-3.0, -5.0],
        &[vec![1.0, 0.0], vec![0.0, 2.0], vec![3.0, 2.0]],
        &[4.0, 12.0, 18.0],
    );
    let solution = solved(&program);
    assert_eq!(solution.x, [2.0, 6.0]);
    assert_eq!(solution.duals, [0.0, -1.5, -1.0]);
    assert_eq!(solution.objective, -36.0);
}

/// E. M. L. Beale (1955): the rule of the largest coefficient cycles.
#[test]
fn programs_that_cycle_end() {
    let beale = standard(
        &[-0.75, 150.0, -0.02, 6.0],
        &[
            vec![0.25, -60.0, -0.04, 9.0],
            vec![0.5, -90.0, -0.02, 3.0],
            vec![0.0, 0.0, 1.0, 0.0],
        ],
        &[0.0, 0.0, 1.0],
    );
    let solution = solved(&beale);
    assert_optimal(&beale, &solution, 1e-14);
    assert_eq!(solution.objective, -0.05);
}

#[test]
fn programs_without_rows_or_entries_are_solved() {
    let free = LinearProgram {
        low: vec![-1.0, 2.0],
        high: vec![1.0, 5.0],
        ..standard(&[1.0, -1.0], &[], &[])
    };
    assert_eq!(solved(&free).x, [-1.0, 5.0]);
    let unbounded = standard(&[-1.0], &[], &[]);
    assert_eq!(solved(&unbounded).status, SimplexStatus::Unbounded);
    let empty = standard(&[1.0], &[vec![0.0]], &[-1.0]);
    assert_eq!(solved(&empty).status, SimplexStatus::Infeasible);
    let free = LinearProgram {
        low: vec![-INF],
        ..standard(&[0.0], &[vec![0.0]], &[1.0])
    };
    assert_eq!(solved(&free).status, SimplexStatus::Optimal);
}

#[test]
fn limits_end_a_solve() {
    let program = random(40, 60, 7, 3);
    let few = SimplexOptions {
        max_iter: 3,
        watch: &NoWatch,
    };
    assert_eq!(
        solve_linear_program(&program, &few).status,
        SimplexStatus::IterationLimit
    );
    let stopped = SimplexOptions {
        max_iter: 1000,
        watch: &StoppedWatch,
    };
    assert_eq!(
        solve_linear_program(&program, &stopped).status,
        SimplexStatus::Stopped
    );
}

/// A program with a known optimum in general position or, where values are small integers, with many ties.
fn random(rows: usize, columns: usize, seed: u64, kind: u64) -> LinearProgram {
    let draw = |at: usize, stream: u64| pseudorandom_noise(at, seed * 100 + stream);
    let value = |at: usize| match kind % 3 {
        0 => (draw(at, 1) * 7.0).floor() - 3.0,
        1 => draw(at, 1) * 2.0 - 1.0,
        _ => (draw(at, 1) - 0.5) * 2.0_f64.powi((draw(at, 2) * 40.0) as i32 - 20),
    };
    let lines: Vec<Vec<f64>> = (0..rows)
        .map(|row| {
            (0..columns)
                .map(|column| {
                    if draw(row * columns + column, 3) < 0.3 {
                        value(row * columns + column)
                    } else {
                        0.0
                    }
                })
                .collect()
        })
        .collect();
    let x: Vec<f64> = (0..columns)
        .map(|at| {
            if draw(at, 4) < 0.5 {
                (draw(at, 5) * 5.0).floor()
            } else {
                0.0
            }
        })
        .collect();
    let y: Vec<f64> = (0..rows)
        .map(|at| {
            if draw(at, 6) < 0.5 {
                (draw(at, 7) * 5.0).floor()
            } else {
                0.0
            }
        })
        .collect();
    let b: Vec<f64> = lines
        .iter()
        .zip(&y)
        .enumerate()
        .map(|(row, (line, y))| {
            let sum: f64 = line.iter().zip(&x).map(|(a, x)| a * x).sum();
            if *y > 0.0 {
                sum
            } else {
                sum + (draw(row, 8) * 3.0).floor()
            }
        })
        .collect();
    let c: Vec<f64> = (0..columns)
        .map(|column| {
            let sum: f64 = lines.iter().zip(&y).map(|(line, y)| line[column] * y).sum();
            -sum + if x[column] > 0.0 {
                0.0
            } else {
                (draw(column, 9) * 3.0).floor()
            }
        })
        .collect();
    let mut program = standard(&c, &lines, &b);
    if kind >= 3 {
        for (high, x) in program.high.iter_mut().zip(&x) {
            *high = x + 4.0;
        }
    }
    program
}

/// Rounding leads the dual method in a circle: that ends long before the limit of iterations.
#[test]
fn a_circle_ends_as_numerical() {
    let program = random(24, 22, 13_973, 2);
    let solution = solved(&program);
    assert_eq!(solution.status, SimplexStatus::Numerical);
    assert!(solution.iterations < 1_000_000, "{}", solution.iterations);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn optima_are_proved_by_their_prices(rows in 1_usize..25, columns in 1_usize..30, seed in 0_u64..100_000, kind in 0_u64..6) {
        let program = random(rows, columns, seed, kind);
        let solution = solved(&program);
        let scale = program.costs.iter().chain(&program.row_high).fold(1.0_f64, |most, value| most.max(value.abs()));
        if kind % 3 == 2 {
            // Entries 2^40 apart: rounding may hide the optimum, but what is called one is.
            match solution.status {
                SimplexStatus::Optimal => assert_proved(&program, &solution, 1e-7 * scale),
                other => prop_assert!(matches!(other, SimplexStatus::Numerical | SimplexStatus::Infeasible), "{other:?}"),
            }
        } else {
            assert_optimal(&program, &solution, 1e-10 * scale);
        }
        prop_assert_eq!(&solution, &solved(&program), "the same bits again");
    }

    #[test]
    fn programs_without_an_optimum_come_with_a_proof(rows in 1_usize..15, columns in 1_usize..15, seed in 0_u64..100_000) {
        let mut program = random(rows, columns, seed, seed % 2);
        // Other costs and right-hand sides: any of the three endings.
        for (stream, values) in [&mut program.costs, &mut program.row_high].into_iter().enumerate() {
            for (at, value) in values.iter_mut().enumerate() {
                *value = (pseudorandom_noise(at, seed + stream as u64) * 9.0).floor() - 5.0;
            }
        }
        let mut solution = solved(&program);
        match solution.status {
            SimplexStatus::Optimal => assert_optimal(&program, &solution, 1e-9),
            SimplexStatus::Infeasible => {
                let proof = prove_infeasible(&program, solution.ray.as_mut().expect("a ray"));
                prop_assert!(proof.margin > 0.0 && proof.residual < 1e-12, "{proof:?}");
            }
            SimplexStatus::Unbounded => {
                let proof = prove_unbounded(&program, solution.ray.as_ref().expect("a ray"));
                prop_assert!(proof.margin > 0.0 && proof.residual < 1e-12, "{proof:?}");
                prop_assert!(solution_residuals(&program, &solution).primal < 1e-9);
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn factors_solve_also_after_exchanges(size in 1_usize..40, seed in 0_u64..100_000) {
        let entry = |row: usize, column: usize, round: u64| {
            let at = row * size + column;
            if row == column { 2.0 + pseudorandom_noise(at, seed + round) } else if pseudorandom_noise(at, seed + round + 1) < 0.15 { pseudorandom_noise(at, seed + round + 2) - 0.5 } else { 0.0 }
        };
        let mut columns: Vec<Vec<f64>> = (0..size).map(|column| (0..size).map(|row| entry(row, column, 0)).collect()).collect();
        let rows: Vec<u32> = (0..size as u32).collect();
        let (mut elimination, mut factor) = (BasisElimination::default(), BasisFactor::default());
        let nonzero = |column: &Vec<f64>| -> (Vec<u32>, Vec<f64>) {
            rows.iter().zip(column).filter(|(_, value)| **value != 0.0).map(|(row, value)| (*row, *value)).unzip()
        };
        let lists: Vec<(Vec<u32>, Vec<f64>)> = columns.iter().map(nonzero).collect();
        elimination.factor(size, |slot| (&lists[slot].0[..], &lists[slot].1[..]), &mut factor).expect("no dependent columns");
        let mut slot_of_row = vec![0; size];
        for slot in 0..size {
            slot_of_row[elimination.row_of(slot) as usize] = slot;
        }
        for round in 0..8 {
            let b: Vec<f64> = (0..size).map(|at| pseudorandom_noise(at, seed + 50 + round) - 0.5).collect();
            let mut x = SparseVector::new(size);
            x.values.copy_from_slice(&b);
            x.gather();
            factor.forward(&mut x, MiddleRetention::Nothing);
            for row in 0..size {
                let sum: f64 = (0..size).map(|at| columns[slot_of_row[at]][row] * x.values[at]).sum();
                prop_assert!((sum - b[row]).abs() < 1e-9, "forward, round {round}");
            }
            let mut y = SparseVector::new(size);
            y.values.copy_from_slice(&b);
            y.gather();
            factor.backward(&mut y, MiddleRetention::Nothing);
            for at in 0..size {
                let sum: f64 = (0..size).map(|row| columns[slot_of_row[at]][row] * y.values[row]).sum();
                prop_assert!((sum - b[at]).abs() < 1e-9, "backward, round {round}");
            }
            // Another column for one row.
            let row = (pseudorandom_noise(round as usize, seed + 9) * size as f64) as usize;
            let column: Vec<f64> = (0..size).map(|at| entry(at, slot_of_row[row], 10 + round)).collect();
            let mut entering = SparseVector::new(size);
            for (at, value) in column.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                entering.put(at as u32, *value);
            }
            let mut other = SparseVector::new(size);
            other.values.copy_from_slice(&b);
            other.gather();
            factor.forward_pair(&mut entering, &mut other);
            for (solved, right) in [(&entering, &column), (&other, &b)] {
                for row in 0..size {
                    let sum: f64 = (0..size).map(|at| columns[slot_of_row[at]][row] * solved.values[at]).sum();
                    prop_assert!((sum - right[row]).abs() < 1e-9, "pair, round {round}");
                }
            }
            let alpha = entering.values[row];
            if alpha.abs() < 0.01 {
                continue;
            }
            let mut unit = SparseVector::new(size);
            unit.put(row as u32, 1.0);
            factor.backward(&mut unit, MiddleRetention::Middle);
            factor.exchange(row as u32, alpha);
            columns[slot_of_row[row]] = column;
        }
    }
}

/// Costs whose bound in the ratio test rounds below themselves: it ends, at the optimum.
#[test]
fn huge_and_tiny_costs_end() {
    let rows = [vec![1.0, 0.0], vec![0.0, 2.0], vec![3.0, 2.0]];
    let program = standard(&[-1e200, -1e-200], &rows, &[4.0, 12.0, 18.0]);
    let solution = solved(&program);
    assert!(solution.iterations < 100, "{solution:?}");
    assert_eq!(solution.x, [4.0, 3.0]);
}

/// A weight that is too large hides its row from the choice, so that a program takes several times as many iterations.
#[test]
fn weights_are_the_lengths_of_their_edges() {
    const PERIODS: usize = 8;
    const SIZE: usize = 8;
    let (rows, columns) = (PERIODS * SIZE, 2 * PERIODS * SIZE);
    let mut matrix = vec![vec![0.0; columns]; rows];
    for (row, entries) in matrix.iter_mut().enumerate() {
        let (period, item) = (row / SIZE, row % SIZE);
        let first = 2 * period * SIZE;
        entries[first + item] = 1.0;
        entries[first + SIZE + item] = -1.0;
        for other in 0..SIZE {
            let index = row * SIZE + other;
            if pseudorandom_noise(index, 3) < 0.5 {
                entries[first + other] += pseudorandom_noise(index, 4);
            }
            if period > 0 && pseudorandom_noise(index, 5) < 0.3 {
                entries[first - 2 * SIZE + other] = -pseudorandom_noise(index, 6);
            }
        }
        if period > 0 {
            entries[first - SIZE + item] = 0.9;
        }
    }
    let x: Vec<f64> = (0..columns)
        .map(|at| (pseudorandom_noise(at, 7) - 0.5).max(0.0))
        .collect();
    let right = |row: &Vec<f64>| row.iter().zip(&x).map(|(a, x)| a * x).sum();
    let right: Vec<f64> = matrix.iter().map(right).collect();
    let costs: Vec<f64> = (0..columns)
        .map(|at| 0.1 + pseudorandom_noise(at, 8))
        .collect();
    let mut program = standard(&costs, &matrix, &right);
    program.row_low = right;
    assert_optimal(&program, &solved(&program), 1e-9);

    let model = model::SimplexModel::new(&program);
    for most in (10..100).step_by(10) {
        let mut simplex = state::Simplex::new(&model, most, &NoWatch);
        simplex.conclusion();
        simplex.factorise();
        let estimates = simplex.estimated_weights();
        for row in 0..rows as u32 {
            simplex.compute_row(row);
            let (weight, true_weight) = (simplex.weights[row as usize], simplex.rho.square());
            assert!(
                weight <= 1.01 * true_weight.max(1e-4),
                "{most}, row {row}: {weight} for {true_weight}"
            );
            let ratio = estimates[row as usize] / true_weight;
            assert!((0.1..10.0).contains(&ratio), "{most}, row {row}: {ratio}");
        }
    }
}
