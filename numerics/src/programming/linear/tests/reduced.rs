//! Reduced programs against the same programs without reduction.

use super::*;
use crate::programming::linear::model::SimplexModel;
use crate::programming::linear::reduce::PresolveReduction;
use crate::programming::linear::restore::reduced_start;
use crate::programming::linear::state::Simplex;
use crate::programming::linear::step::PresolveStep;
use crate::watch::NoWatch;

const OPTIONS: SimplexOptions<'static> = SimplexOptions {
    max_iter: 100_000,
    watch: &NoWatch,
};

/// Rows of one, two and more entries, equations and others, around a point that meets many of them with equality.
fn program(rows: usize, columns: usize, seed: u64, is_possible: bool) -> LinearProgram {
    let draw = |at: usize, stream: u64| pseudorandom_noise(at, seed * 100 + stream);
    let whole = |at: usize, stream: u64, range: f64| (draw(at, stream) * range).floor();
    let x: Vec<f64> = (0..columns)
        .map(|at| (whole(at, 1, 6.0) - 2.0).max(0.0))
        .collect();
    let mut lines = vec![vec![0.0; columns]; rows];
    let (mut row_low, mut row_high) = (vec![-INF; rows], vec![INF; rows]);
    for row in 0..rows {
        let count = 1 + whole(row, 2, 4.0) as usize;
        for entry in 0..count {
            let at = whole(row * 8 + entry, 3, columns as f64) as usize;
            let value = whole(row * 8 + entry, 4, 6.0) - 2.0;
            lines[row][at] = if value == 0.0 { 3.0 } else { value };
        }
        let value: f64 = lines[row].iter().zip(&x).map(|(a, x)| a * x).sum();
        let value = value + if is_possible { 0.0 } else { whole(row, 8, 1.2) };
        match whole(row, 5, 4.0) as usize {
            0 => row_high[row] = value + whole(row, 6, 2.0),
            1 => row_low[row] = value - whole(row, 6, 2.0),
            2 => (row_low[row], row_high[row]) = (value - 1.0, value + whole(row, 6, 3.0)),
            _ => (row_low[row], row_high[row]) = (value, value),
        }
    }
    let high = |(at, x): (usize, &f64)| match whole(at, 7, 3.0) as usize {
        0 => x + whole(at, 9, 3.0),
        _ => INF,
    };
    LinearProgram {
        costs: (0..columns)
            .map(|at| whole(at, 10, 12.0) - if is_possible { 2.0 } else { 4.0 })
            .collect(),
        matrix: dense(&lines, columns),
        row_low,
        row_high,
        low: vec![0.0; columns],
        high: x.iter().enumerate().map(high).collect(),
    }
}

/// The same method on the program as it is.
fn unreduced(program: &LinearProgram) -> SimplexSolution {
    let model = SimplexModel::new(program);
    let mut simplex = Simplex::new(&model, OPTIONS.max_iter, OPTIONS.watch);
    let status = simplex.drive(None);
    polish::polish_solution(&mut simplex, program, status)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_program_ends_as_it_does_without_reduction(rows in 1_usize..20, columns in 2_usize..20, seed in 0_u64..1_000_000, is_possible: bool) {
        let program = program(rows, columns, seed, is_possible);
        let (mut found, plain) = (solved(&program), unreduced(&program));
        match found.status {
            SimplexStatus::Optimal => {
                assert_optimal(&program, &found, 1e-9);
                prop_assert!((found.objective - plain.objective).abs() < 1e-9 * plain.objective.abs().max(1.0));
            }
            SimplexStatus::Infeasible => {
                let proof = prove_infeasible(&program, found.ray.as_mut().unwrap());
                prop_assert!(proof.margin > 0.0 && proof.residual < 1e-9, "{proof:?}");
            }
            SimplexStatus::Unbounded => {
                let proof = prove_unbounded(&program, found.ray.as_ref().unwrap());
                prop_assert!(proof.margin > 0.0 && proof.residual < 1e-9, "{proof:?}");
            }
            other => prop_assert!(false, "{other:?}"),
        }
        // A program without points may fall without end as well.
        prop_assert_eq!(found.status == SimplexStatus::Optimal, plain.status == SimplexStatus::Optimal);
    }
}

#[test]
fn the_restored_basis_is_an_optimal_one() {
    let mut kinds = [0; 7];
    let (mut optima, mut moved) = (0, 0);
    for seed in 0..600 {
        let program = program(12, 14, seed, true);
        let (Ok(reduction), Some(from)) = (
            PresolveReduction::new(&program),
            reduced_start(&program, &OPTIONS),
        ) else {
            continue;
        };
        let model = SimplexModel::new(&program);
        let mut simplex = Simplex::new(&model, OPTIONS.max_iter, OPTIONS.watch);
        if simplex.go_on(&from) != Some(SimplexStatus::Optimal) {
            continue;
        }
        optima += 1;
        moved += usize::from(simplex.iterations > from.iterations);
        for step in &reduction.steps {
            kinds[match step {
                PresolveStep::Redundant { .. } => 0,
                PresolveStep::Fixed { .. } => 1,
                PresolveStep::Forced { .. } => 2,
                PresolveStep::Singleton { .. } => 3,
                PresolveStep::Doubleton { .. } => 4,
                PresolveStep::Slack { .. } => 5,
                PresolveStep::Replaced { .. } => 6,
            }] += 1;
        }
    }
    assert!(kinds.iter().all(|&count| count >= 20), "{kinds:?}");
    // Where several places are right for a variable, rounding may choose the other one.
    assert!(optima > 200 && moved * 50 <= optima, "{moved} of {optima}");
}

/// A variable in very many rows that go one by one: each time all of its rows would be looked at.
#[test]
fn a_long_search_ends() {
    const ROWS: usize = 20_000;
    let program = |rows: usize| LinearProgram {
        costs: vec![1.0; 3],
        matrix: CsrMatrix::from_rows(
            3,
            (0..=rows).map(|row| 2 * row).collect(),
            (0..rows).flat_map(|row| [row as u32 % 2, 2]).collect(),
            (0..rows).flat_map(|_| [1.0, -1.0]).collect(),
        ),
        row_low: vec![-INF; rows],
        row_high: vec![5.0; rows],
        low: vec![0.0; 3],
        high: vec![1.0; 3],
    };
    for (rows, is_long) in [(100, false), (ROWS, true)] {
        let reduction = PresolveReduction::new(&program(rows)).ok().unwrap();
        assert_eq!(reduction.has_row.contains(&true), is_long);
    }
    assert_eq!(
        solve_linear_program(&program(ROWS), &OPTIONS).objective,
        0.0
    );
}

/// `x + y + z - w >= 2` with costs 1, 3, 2 and -0.5: the price is at most 1 because of `x`, so that `y` and `z` are 0, and at least 0.5
/// because of `w`, so that the row is an equation.
#[test]
fn prices_fix_variables_and_make_equations() {
    let program = LinearProgram {
        costs: vec![1.0, 3.0, 2.0, -0.5],
        matrix: dense(&[vec![1.0, 1.0, 1.0, -1.0]], 4),
        row_low: vec![2.0],
        row_high: vec![INF],
        low: vec![0.0; 4],
        high: vec![INF, INF, INF, INF],
    };
    let reduction = PresolveReduction::new(&program).ok().unwrap();
    assert!(!reduction.has_row[0] && !reduction.has_column.contains(&true));
    let fixed = |at: u32| {
        let is_low = |step: &PresolveStep| matches!(step, PresolveStep::Fixed { column, is_high: false } if *column == at);
        reduction.steps.iter().any(is_low)
    };
    assert!(fixed(1) && fixed(2), "{:?}", reduction.steps);
    let solution = solved(&program);
    assert_eq!(solution.x, [2.0, 0.0, 0.0, 0.0]);
}

/// Each variable is the mean of the next two, so that the last two stand for all in as many ways as there are Fibonacci numbers.
#[test]
fn nested_replacements_are_bounded() {
    const ROWS: usize = 300;
    let program = LinearProgram {
        costs: vec![1.0; ROWS + 2],
        matrix: CsrMatrix::from_rows(
            ROWS + 2,
            (0..=ROWS).map(|row| 3 * row).collect(),
            (0..ROWS as u32)
                .flat_map(|row| [row, row + 1, row + 2])
                .collect(),
            (0..ROWS).flat_map(|_| [1.0, -0.5, -0.5]).collect(),
        ),
        row_low: vec![0.0; ROWS],
        row_high: vec![0.0; ROWS],
        low: [vec![0.0; ROWS], vec![1.0; 2]].concat(),
        high: vec![INF; ROWS + 2],
    };
    let reduction = PresolveReduction::new(&program).ok().unwrap();
    assert!(
        reduction
            .steps
            .iter()
            .any(|step| matches!(step, PresolveStep::Replaced { .. }))
    );
    let solution = solved(&program);
    assert!((solution.objective - 302.0).abs() < 1e-9);
}

/// All variables free: what is left of their costs is rounding.
#[test]
fn free_variables_are_replaced() {
    const ROWS: usize = 20;
    const COLUMNS: usize = 40;
    let lines: Vec<Vec<f64>> = (0..ROWS)
        .map(|row| {
            let value = |column: usize| {
                (
                    pseudorandom_noise(row * COLUMNS + column, 1) < 0.1,
                    pseudorandom_noise(row * COLUMNS + column, 2) - 0.5,
                )
            };
            (0..COLUMNS)
                .map(|column| match value(column) {
                    (true, value) => value,
                    (false, _) => f64::from(u8::from(row == column)),
                })
                .collect()
        })
        .collect();
    let prices: Vec<f64> = (0..ROWS)
        .map(|row| pseudorandom_noise(row, 3) - 0.5)
        .collect();
    let program = LinearProgram {
        costs: (0..COLUMNS)
            .map(|column| {
                lines
                    .iter()
                    .zip(&prices)
                    .map(|(line, price)| line[column] * price)
                    .sum()
            })
            .collect(),
        matrix: dense(&lines, COLUMNS),
        row_low: vec![1.0; ROWS],
        row_high: vec![1.0; ROWS],
        low: vec![-INF; COLUMNS],
        high: vec![INF; COLUMNS],
    };
    let reduction = PresolveReduction::new(&program).ok().unwrap();
    assert!(reduction.has_row.iter().filter(|&&has| has).count() <= ROWS / 2);
    let solution = solved(&program);
    assert_eq!(solution.status, SimplexStatus::Optimal);
    assert!((solution.objective - prices.iter().sum::<f64>()).abs() < 1e-9);
}
