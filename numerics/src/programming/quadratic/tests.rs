use proptest::prelude::*;

use super::*;
use crate::watch::NoWatch;
use crate::watch::tests::StoppedWatch;

pub(super) fn dense(rows: &[&[f64]], columns: usize) -> CsrMatrix {
    let (mut i, mut j, mut v) = (Vec::new(), Vec::new(), Vec::new());
    for (row, entries) in rows.iter().enumerate() {
        for (column, value) in entries.iter().enumerate() {
            i.push(row as u32);
            j.push(column as u32);
            v.push(*value);
        }
    }
    CsrMatrix::from_triplets(rows.len(), columns, &i, &j, &v)
}

fn free(p: &[&[f64]], c: &[f64]) -> QuadraticProgram {
    let n = c.len();
    QuadraticProgram {
        p: dense(p, n),
        c: c.to_vec(),
        a_ub: dense(&[], n),
        b_ub: Vec::new(),
        a_eq: dense(&[], n),
        b_eq: Vec::new(),
        low: vec![f64::NEG_INFINITY; n],
        high: vec![f64::INFINITY; n],
    }
}

fn go(program: &QuadraticProgram) -> Result<QuadraticSolution, QuadraticFailure> {
    solve_quadratic_program(program, 200, &NoWatch)
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
}

#[test]
fn known_programs() {
    // (x - 1)^2 + (y - 2.5)^2: Nocedal and Wright, example 16.4; x = (1.4, 1.7), multiplier 0.8.
    let mut program = free(&[&[2.0, 0.0], &[0.0, 2.0]], &[-2.0, -5.0]);
    program.a_ub = dense(&[&[-1.0, 2.0], &[1.0, 2.0], &[1.0, -2.0]], 2);
    program.b_ub = vec![2.0, 6.0, 2.0];
    program.low = vec![0.0, 0.0];
    let found = go(&program).unwrap();
    assert!(
        found.polished && found.ending == QuadraticEnd::Converged,
        "{found:?}"
    );
    assert!(
        near(&found.point.x, &[1.4, 1.7]) && near(&found.point.ub, &[0.8, 0.0, 0.0]),
        "{found:?}"
    );
    assert!(found.kkt.relative() < 1e-14, "{:?}", found.kkt);
    // Equations alone: Nocedal and Wright, example 16.2.
    let mut program = free(
        &[&[6.0, 2.0, 1.0], &[2.0, 5.0, 2.0], &[1.0, 2.0, 4.0]],
        &[-8.0, -3.0, -3.0],
    );
    program.a_eq = dense(&[&[1.0, 0.0, 1.0], &[0.0, 1.0, 1.0]], 3);
    program.b_eq = vec![3.0, 0.0];
    let found = go(&program).unwrap();
    assert!(near(&found.point.x, &[2.0, -1.0, 1.0]), "{found:?}");
    // Nocedal and Wright write the multipliers of A' l = G x + c.
    assert!(near(&found.point.eq, &[-3.0, 2.0]), "{found:?}");
    assert!((program.objective(&found.point.x) + 3.5).abs() < 1e-13);
}

#[test]
fn a_linear_objective_and_multipliers_that_are_not_unique() {
    let mut program = free(&[&[0.0, 0.0], &[0.0, 0.0]], &[-1.0, -1.0]);
    program.a_ub = dense(&[&[1.0, 1.0], &[2.0, 2.0], &[1.0, 0.0]], 2);
    program.b_ub = vec![1.0, 2.0, 0.5];
    program.low = vec![0.0, 0.0];
    let found = go(&program).unwrap();
    assert!(
        (found.point.x.iter().sum::<f64>() - 1.0).abs() < 1e-12,
        "{found:?}"
    );
    assert!(found.kkt.relative() < 1e-10, "{:?}", found.kkt);
}

#[test]
fn programs_without_solution_have_certificates() {
    let mut program = free(&[&[1.0, 0.0], &[0.0, 1.0]], &[0.0, 0.0]);
    program.a_ub = dense(&[&[1.0, 1.0], &[-1.0, -1.0]], 2);
    program.b_ub = vec![1.0, -3.0];
    let Err(QuadraticFailure::Infeasible {
        multipliers,
        beyond,
    }) = go(&program)
    else {
        panic!("infeasible");
    };
    assert!(
        beyond > 1e6 && multipliers.ub.iter().all(|&value| value > 0.0),
        "{multipliers:?} {beyond}"
    );
    let value = multipliers.ub[0] * 1.0 + multipliers.ub[1] * -3.0;
    assert!((value + 1.0).abs() < 1e-12);
    let mut program = free(&[&[1.0, 0.0], &[0.0, 0.0]], &[0.0, -1.0]);
    program.low = vec![0.0, 0.0];
    let Err(QuadraticFailure::Unbounded { direction, error }) = go(&program) else {
        panic!("unbounded");
    };
    assert!(
        (direction[1] - 1.0).abs() < 1e-6 && error < 1e-6,
        "{direction:?} {error}"
    );
}

#[test]
fn indefinite_matrices_are_told_by_their_lowest_eigenvalue() {
    let lowest = |p: &CsrMatrix| match check_convexity(p, &NoWatch).unwrap() {
        Convexity::Indefinite { lowest, direction } => {
            let mut image = vec![0.0; direction.len()];
            p.multiply(&direction, &mut image);
            let quotient: f64 = direction.iter().zip(&image).map(|(a, b)| a * b).sum();
            assert!((quotient - lowest).abs() < 1e-9 * lowest.abs().max(1.0));
            Some(lowest)
        }
        Convexity::Convex(_) => None,
    };
    assert!((lowest(&dense(&[&[1.0, 2.0], &[2.0, 1.0]], 2)).unwrap() + 1.0).abs() < 1e-14);
    assert_eq!(lowest(&dense(&[&[1.0, 1.0], &[1.0, 1.0]], 2)), None);
    assert_eq!(lowest(&dense(&[&[1.0, 0.0], &[0.0, -2.0]], 2)), Some(-2.0));
    // A chain of 3000 with eigenvalues 2 - 2 cos, less a little.
    let n = 3000_u32;
    let shifted = |by: f64| {
        let (mut i, mut j, mut v) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..n {
            i.push(k);
            j.push(k);
            v.push(2.0 - by);
            if k + 1 < n {
                i.extend([k, k + 1]);
                j.extend([k + 1, k]);
                v.extend([-1.0, -1.0]);
            }
        }
        CsrMatrix::from_triplets(n as usize, n as usize, &i, &j, &v)
    };
    assert_eq!(lowest(&shifted(0.0)), None);
    assert!(lowest(&shifted(0.01)).unwrap() < -5e-3);
    assert!(check_convexity(&shifted(0.0), &StoppedWatch).is_err());
}

#[test]
fn it_stops_when_told() {
    let program = free(&[&[1.0, 0.0], &[0.0, 1.0]], &[1.0, 1.0]);
    let stopped = solve_quadratic_program(&program, 200, &StoppedWatch);
    assert_eq!(
        stopped.unwrap_err(),
        QuadraticFailure::Sparse(SparseError::Stopped)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Feasible by construction, and of any rank: the residuals vanish, and no point nearby that is feasible is lower.
    #[test]
    fn optima_satisfy_all_conditions(
        n in 1_usize..7, m in 0_usize..8, rank in 0_usize..7,
        entries in prop::collection::vec(-2.0..2.0_f64, 150),
        inside in prop::collection::vec(-1.0..1.0_f64, 7),
    ) {
        let at = |index: usize| entries[index % entries.len()];
        let factor: Vec<Vec<f64>> = (0..rank.min(n)).map(|k| (0..n).map(|j| at(7 * k + j)).collect()).collect();
        let p: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| factor.iter().map(|row| row[i] * row[j]).sum()).collect()).collect();
        let p: Vec<&[f64]> = p.iter().map(|row| &row[..]).collect();
        let c: Vec<f64> = (0..n).map(|j| at(60 + j)).collect();
        let mut program = free(&p, &c);
        let rows: Vec<Vec<f64>> = (0..m).map(|i| (0..n).map(|j| at(70 + 7 * i + j)).collect()).collect();
        let value = |row: &[f64]| row.iter().zip(&inside).map(|(a, x)| a * x).sum::<f64>();
        program.b_ub = rows.iter().enumerate().map(|(i, row)| value(row) + at(130 + i).abs() * 0.1).collect();
        let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
        program.a_ub = dense(&rows, n);
        program.low = vec![-3.0; n];
        program.high = vec![3.0; n];
        let found = go(&program);
        prop_assert!(found.is_ok(), "{found:?}");
        let found = found.unwrap();
        prop_assert!(found.kkt.relative() < 1e-9, "{found:?}");
        let lowest = program.objective(&found.point.x);
        prop_assert!(lowest <= program.objective(&inside[..n]) + 1e-8);
    }
}
