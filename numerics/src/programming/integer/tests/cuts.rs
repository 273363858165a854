//! Tightened rows, bounds and cuts against all points of small programs, with and without other variables.

use proptest::prelude::*;

use super::*;
use crate::programming::integer::{presolve, root};
use crate::programming::linear::ResolverModel;
use crate::watch::NoWatch;

/// A program over `whole` integers and others that may be positive only with an integer, with rows of every kind.
fn mixed(whole: usize, parts: usize, rows: usize, values: &[i32]) -> (LinearProgram, Vec<bool>) {
    let columns = whole + parts;
    let at = |index: usize| f64::from(values[index % values.len()]);
    let mut dense = vec![vec![0.0; columns]; rows];
    for (row, line) in dense.iter_mut().enumerate() {
        for (column, entry) in line.iter_mut().enumerate() {
            let value = at(row * columns + column);
            if value.abs() > 2.0 {
                *entry = if column < whole { value } else { value / 4.0 };
            }
        }
    }
    let (mut row_low, mut row_high) = (vec![f64::NEG_INFINITY; rows], vec![f64::INFINITY; rows]);
    for row in 0..rows {
        // Rows through or around a point, so that there are some.
        let line = dense[row].iter().enumerate();
        let value: f64 = line
            .map(|(column, entry)| entry * (at(3 * column + 1).abs() % 3.0))
            .sum();
        match row % 4 {
            0 | 1 => row_high[row] = value + 0.5 * at(5 * row).abs(),
            2 => row_low[row] = value - 0.5 * at(5 * row).abs(),
            _ => (row_low[row], row_high[row]) = (value - 1.25, value + 1.25),
        }
    }
    for part in 0..parts {
        let mut line = vec![0.0; columns];
        line[whole + part] = 1.0;
        line[part % whole] = -(1.5 + at(part).abs());
        dense.push(line);
        row_low.push(f64::NEG_INFINITY);
        row_high.push(if part % 2 == 0 { 0.0 } else { 0.75 });
    }
    let mut lists: (Vec<u32>, Vec<u32>, Vec<f64>) = Default::default();
    for (row, line) in dense.iter().enumerate() {
        for (column, &value) in line.iter().enumerate() {
            lists.0.push(row as u32);
            lists.1.push(column as u32);
            lists.2.push(value);
        }
    }
    let program = LinearProgram {
        costs: (0..columns)
            .map(|column| at(7 * column + 3) + 0.5)
            .collect(),
        matrix: CsrMatrix::from_triplets(dense.len(), columns, &lists.0, &lists.1, &lists.2),
        row_low,
        row_high,
        low: vec![0.0; columns],
        high: (0..columns)
            .map(|column| {
                if column >= whole {
                    f64::INFINITY
                } else if column % 2 == 0 {
                    1.0
                } else {
                    3.0
                }
            })
            .collect(),
    };
    (program, (0..columns).map(|column| column < whole).collect())
}

/// The program with its integers fixed, for every choice of them.
fn fixed(program: &LinearProgram, whole: usize) -> impl Iterator<Item = LinearProgram> + '_ {
    (0..4_usize.pow(whole as u32)).filter_map(move |code| {
        let digits = (0..whole).map(|column| (code / 4_usize.pow(column as u32) % 4) as f64);
        let mut fixed = program.clone();
        for (column, digit) in digits.enumerate() {
            if digit > program.high[column] {
                return None;
            }
            (fixed.low[column], fixed.high[column]) = (digit, digit);
        }
        Some(fixed)
    })
}

fn minimum(program: &LinearProgram) -> SimplexSolution {
    let options = SimplexOptions {
        max_iter: 10_000,
        watch: &NoWatch,
    };
    crate::programming::linear::solve_linear_program(program, &options)
}

/// Rows of a program as costs with the bound that they must not fall below.
fn sides(program: &LinearProgram) -> Vec<(Vec<f64>, f64)> {
    let columns = program.costs.len();
    let mut sides = Vec::new();
    for row in 0..program.row_low.len() {
        let mut line = vec![0.0; columns];
        let (places, values) = program.matrix.row(row);
        for (&place, value) in places.iter().zip(values) {
            line[place as usize] = *value;
        }
        sides.push((
            line.iter().map(|value| -value).collect(),
            -program.row_high[row],
        ));
        sides.push((line, program.row_low[row]));
    }
    for column in 0..columns {
        let unit = |by: f64| {
            let mut line = vec![0.0; columns];
            line[column] = by;
            line
        };
        sides.push((unit(1.0), program.low[column]));
        sides.push((unit(-1.0), -program.high[column]));
    }
    sides.retain(|side| side.1.is_finite());
    sides
}

/// Cuts of a program; panics when one, or a tightened row or bound, is violated at a point of the program.
fn cuts_that_hold(program: &LinearProgram, is_integer: &[bool], whole: usize) -> usize {
    let Some(strong) = presolve::strengthen_program(program, is_integer) else {
        assert!(
            fixed(program, whole).all(|fixed| minimum(&fixed).status == SimplexStatus::Infeasible),
            "there are points"
        );
        return 0;
    };
    let first = first_round(&strong, is_integer);
    let count = first.row_low.len() - strong.row_low.len();
    let root = root::tighten_root(strong, is_integer, &limits(1));
    let sides = [sides(&first), sides(&root.program)].concat();
    for mut fixed in fixed(program, whole) {
        fixed.costs.fill(0.0);
        if minimum(&fixed).status != SimplexStatus::Optimal {
            continue;
        }
        assert!(!root.is_infeasible, "there are points");
        for (line, bound) in &sides {
            fixed.costs.clone_from(line);
            let least = minimum(&fixed);
            assert!(
                least.status == SimplexStatus::Optimal && least.objective >= bound - 1e-9,
                "{:?} {line:?}: {} below {bound} at {:?}",
                least.status,
                least.objective,
                least.x
            );
        }
    }
    count
}

/// A program with the cuts of its first round.
fn first_round(program: &LinearProgram, is_integer: &[bool]) -> LinearProgram {
    let prepared = ResolverModel::new(program);
    let mut resolver = prepared.resolver(&limits(1).options);
    if resolver.solve() != SimplexStatus::Optimal {
        return program.clone();
    }
    let mut x = vec![0.0; is_integer.len()];
    resolver.x(&mut x);
    let cuts = root::separate_cuts(program, is_integer, x, &mut resolver);
    root::replace_rows(program, &vec![true; program.row_low.len()], &cuts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_point_is_cut_off(whole in 2_usize..5, parts in 0_usize..4, rows in 1_usize..6, values in prop::collection::vec(-9_i32..10, 30..40)) {
        let (program, is_integer) = mixed(whole, parts, rows, &values);
        cuts_that_hold(&program, &is_integer, whole);
    }

    #[test]
    fn the_best_mixed_point_is_found(whole in 2_usize..5, parts in 1_usize..4, rows in 1_usize..6, values in prop::collection::vec(-9_i32..10, 30..40)) {
        let (program, is_integer) = mixed(whole, parts, rows, &values);
        let found = solve_integer_program(&program, &is_integer, &limits(10_000));
        let solutions: Vec<SimplexSolution> = fixed(&program, whole).map(|fixed| minimum(&fixed)).collect();
        let is_unbounded = solutions.iter().any(|solution| solution.status == SimplexStatus::Unbounded);
        prop_assume!(!is_unbounded);
        let optima = solutions.iter().filter(|solution| solution.status == SimplexStatus::Optimal);
        let best = optima.map(|solution| solution.objective).reduce(f64::min);
        match best {
            None => prop_assert_eq!(found.outcome, MilpOutcome::Infeasible),
            Some(best) => {
                prop_assert_eq!(found.outcome, MilpOutcome::Optimal);
                prop_assert!((found.solution.objective - best).abs() < 1e-8, "{} {best}", found.solution.objective);
                prop_assert!(found.bound <= best + 1e-8);
            }
        }
    }
}

#[test]
fn programs_of_every_kind_have_cuts() {
    let mut kinds = [0; 4];
    for seed in 0..100_i32 {
        let values: Vec<i32> = (0..37)
            .map(|at| (at * 7919 + seed * 104_729 + at * at * seed) % 19 - 9)
            .collect();
        let (whole, parts) = (4, (seed % 4) as usize);
        let (program, is_integer) = mixed(whole, parts, 5, &values);
        kinds[parts] += cuts_that_hold(&program, &is_integer, whole);
    }
    assert!(kinds.iter().all(|&count| count >= 5), "{kinds:?}");
}
