//! Searches against all points of small boxes, and their limits.

mod cuts;

use proptest::prelude::*;

use super::*;
use crate::sparse::CsrMatrix;
use crate::watch::NoWatch;

fn limits<'a>(max_nodes: u64) -> MilpLimits<'a> {
    let options = SimplexOptions {
        max_iter: 1_000_000,
        watch: &NoWatch,
    };
    MilpLimits {
        options,
        max_nodes,
        gap: 0.0,
    }
}

/// A program over integers from 0 to 3 with small coefficients.
fn program(rows: usize, columns: usize, values: &[i32]) -> LinearProgram {
    let at = |index: usize| f64::from(values[index % values.len()]);
    let mut lists: (Vec<u32>, Vec<u32>, Vec<f64>) = Default::default();
    for row in 0..rows {
        for column in 0..columns {
            lists.0.push(row as u32);
            lists.1.push(column as u32);
            lists.2.push(at(row * columns + column));
        }
    }
    LinearProgram {
        costs: (0..columns).map(|column| at(7 * column + 3)).collect(),
        matrix: CsrMatrix::from_triplets(rows, columns, &lists.0, &lists.1, &lists.2),
        row_low: vec![f64::NEG_INFINITY; rows],
        row_high: (0..rows).map(|row| at(5 * row + 1) + 2.0).collect(),
        low: vec![0.0; columns],
        high: vec![3.0; columns],
    }
}

/// The best of all points.
fn best(program: &LinearProgram) -> Option<f64> {
    let columns = program.costs.len();
    let mut best: Option<f64> = None;
    for code in 0..4_usize.pow(columns as u32) {
        let x: Vec<f64> = (0..columns)
            .map(|column| (code / 4_usize.pow(column as u32) % 4) as f64)
            .collect();
        let mut rows = vec![0.0; program.row_high.len()];
        program.matrix.multiply(&x, &mut rows);
        if rows
            .iter()
            .zip(&program.row_high)
            .all(|(value, high)| value <= high)
        {
            let value: f64 = program.costs.iter().zip(&x).map(|(c, x)| c * x).sum();
            best = Some(best.map_or(value, |best| best.min(value)));
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_best_of_all_points_is_found(rows in 1_usize..5, columns in 1_usize..6, values in prop::collection::vec(-9_i32..10, 30..40)) {
        let program = program(rows, columns, &values);
        let found = solve_integer_program(&program, &vec![true; columns], &limits(100_000));
        match best(&program) {
            None => prop_assert_eq!(found.outcome, MilpOutcome::Infeasible),
            Some(best) => {
                prop_assert_eq!(found.outcome, MilpOutcome::Optimal);
                prop_assert!((found.solution.objective - best).abs() < 1e-9, "{} {best}", found.solution.objective);
                prop_assert!(found.bound <= best + 1e-9);
                prop_assert!(found.solution.x.iter().all(|x| x.fract() == 0.0), "{:?}", found.solution.x);
            }
        }
    }
}

#[test]
fn a_search_that_ends_early_keeps_a_bound_below_the_optimum() {
    // Two equations with large coefficients: cuts do not help.
    let columns = 20_u32;
    let weight = |at: u32| f64::from((at * at * 37 + at * 101 + 13) % 89 + 1);
    let weights: Vec<f64> = (0..2 * columns).map(weight).collect();
    let right = |row: u32| {
        let odd = (0..columns).filter(|column| column * column % 7 < 3);
        odd.map(|column| weight(row * columns + column)).sum()
    };
    let program = LinearProgram {
        costs: vec![1.0; columns as usize],
        matrix: CsrMatrix::from_triplets(
            2,
            columns as usize,
            &(0..2 * columns).map(|at| at / columns).collect::<Vec<_>>(),
            &(0..2 * columns).map(|at| at % columns).collect::<Vec<_>>(),
            &weights,
        ),
        row_low: vec![right(0), right(1)],
        row_high: vec![right(0), right(1)],
        low: vec![0.0; columns as usize],
        high: vec![1.0; columns as usize],
    };
    let is_integer = vec![true; columns as usize];
    let early = solve_integer_program(&program, &is_integer, &limits(10));
    assert_eq!(early.outcome, MilpOutcome::NodeLimit);
    assert_eq!(early.bound.fract(), 0.0, "raised to an integer");
    let found = solve_integer_program(&program, &is_integer, &limits(1_000_000));
    assert_eq!(
        (found.outcome, found.is_point),
        (MilpOutcome::Optimal, true)
    );
    assert!(found.nodes > 10 && early.bound <= found.solution.objective);
    // Odd sums of even numbers: cuts of the root show that there is no point.
    let parity = LinearProgram {
        matrix: CsrMatrix::from_triplets(
            1,
            columns as usize,
            &vec![0; columns as usize],
            &(0..columns).collect::<Vec<_>>(),
            &vec![2.0; columns as usize],
        ),
        row_low: vec![15.0],
        row_high: vec![15.0],
        ..program
    };
    let found = solve_integer_program(&parity, &is_integer, &limits(10));
    assert_eq!(
        (found.outcome, found.is_point),
        (MilpOutcome::Infeasible, false)
    );
}

#[test]
fn bounds_without_an_integer_between_them_are_infeasible() {
    let mut gap = program(1, 1, &[1, 1, 1, 1, 1]);
    (gap.low[0], gap.high[0]) = (0.2, 0.8);
    assert_eq!(
        solve_integer_program(&gap, &[true], &limits(10)).outcome,
        MilpOutcome::Infeasible
    );
    assert_eq!(
        solve_integer_program(&gap, &[false], &limits(10)).outcome,
        MilpOutcome::Optimal
    );
}
