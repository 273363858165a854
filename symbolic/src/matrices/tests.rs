use super::*;
use crate::budget::{Budget, never_stopped};
use crate::parse::{NotationOptions, read_expression};
use crate::print::write_text;

fn budget() -> Budget<'static> {
    Budget::new(4_000_000, &never_stopped)
}

fn read(text: &str) -> Expr {
    read_expression(text, &NotationOptions::default())
        .unwrap_or_else(|fault| panic!("{text}: {fault}"))
        .expr
}

/// `1, a; 2, b`.
fn matrix(text: &str) -> ExprMatrix {
    let rows = text
        .split(';')
        .map(|row| row.split(',').map(read).collect())
        .collect();
    ExprMatrix::from_rows(rows).unwrap_or_else(|| panic!("{text}"))
}

fn lines(file: &str) -> impl Iterator<Item = Vec<&str>> {
    file.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split(" ; ").map(str::trim).collect())
}

fn is_equal(a: &Expr, b: &Expr) -> bool {
    crate::numeric::compare_values(a, b, 4, &budget()).is_ok_and(|found| found.is_agreement())
}

fn are_equal(a: &ExprMatrix, b: &ExprMatrix) -> bool {
    a.rows() == b.rows()
        && a.columns() == b.columns()
        && a.entries()
            .iter()
            .zip(b.entries())
            .all(|(a, b)| is_equal(a, b))
}

fn write(matrix: &ExprMatrix) -> String {
    let rows = matrix.to_rows();
    let rows: Vec<String> = rows
        .iter()
        .map(|row| row.iter().map(write_text).collect::<Vec<_>>().join(", "))
        .collect();
    rows.join("; ")
}

#[test]
fn operations_agree_with_another_system() {
    let mut wrong = Vec::new();
    for parts in lines(include_str!("../../tests-data/matrices.txt")) {
        let [text, operation, expected] = parts.as_slice() else {
            panic!("{parts:?}");
        };
        let m = matrix(text);
        let (word, rest) = operation.split_once(' ').unwrap_or((operation, ""));
        let (is_right, shown) = match word {
            "determinant" => match determinant_of(&m, &budget()) {
                Ok(found) => (
                    is_equal(&found.value, &read(expected)),
                    write_text(&found.value),
                ),
                Err(fault) => (false, fault.to_string()),
            },
            "inverse" | "rref" | "power" => {
                let found = match word {
                    "inverse" => inverse_of(&m, &budget()),
                    "rref" => reduced_rows_of(&m, &budget()),
                    _ => power_of(&m, rest.parse().unwrap_or(0), &budget()),
                };
                match found {
                    Ok(found) => (
                        are_equal(&found.matrix, &matrix(expected)),
                        write(&found.matrix),
                    ),
                    Err(fault) => (false, fault.to_string()),
                }
            }
            "rank" => match rank_of(&m, &budget()) {
                Ok(found) => (found.rank.to_string() == *expected, found.rank.to_string()),
                Err(fault) => (false, fault.to_string()),
            },
            "characteristic" => {
                match characteristic_polynomial(&m, &Expr::symbol("lambda"), &budget()) {
                    Ok((found, _)) => (is_equal(&found, &read(expected)), write_text(&found)),
                    Err(fault) => (false, fault.to_string()),
                }
            }
            "eigen" => has_eigenvalues(&m, expected),
            _ => panic!("{word}"),
        };
        if !is_right {
            wrong.push(format!("{text} {operation}: {shown}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// `value:multiplicity:dimension` of each.
fn has_eigenvalues(m: &ExprMatrix, expected: &str) -> (bool, String) {
    let found = match eigensystem_of(m, &Expr::symbol("lambda"), true, &budget()) {
        Ok(found) => found,
        Err(fault) => return (false, fault.to_string()),
    };
    let mut expected: Vec<(Expr, usize, usize)> = expected
        .split(", ")
        .map(|part| {
            let fields: Vec<&str> = part.split(':').collect();
            let number = |at: usize| fields[at].parse().unwrap_or(0);
            (read(fields[0]), number(1), number(2))
        })
        .collect();
    let shown: Vec<String> = found
        .pairs
        .iter()
        .map(|pair| {
            format!(
                "{} {} {}",
                write_text(&pair.value),
                pair.multiplicity,
                pair.vectors.len()
            )
        })
        .collect();
    for pair in &found.pairs {
        let place = expected
            .iter()
            .position(|(value, multiplicity, dimension)| {
                is_equal(value, &pair.value)
                    && *multiplicity == pair.multiplicity
                    && *dimension == pair.vectors.len()
            });
        match place {
            Some(place) => {
                expected.remove(place);
            }
            None => return (false, shown.join(", ")),
        }
    }
    (expected.is_empty(), shown.join(", "))
}

#[test]
fn systems_have_their_free_unknowns() {
    let found = solve_linear(&matrix("1, 2; 2, 4"), &matrix("3; 6"), &budget()).unwrap();
    assert_eq!(
        found.solution.map(|found| write(&found)).as_deref(),
        Some("3; 0")
    );
    assert_eq!(found.null_space.len(), 1);
    let found = solve_linear(&matrix("1, 2; 2, 4"), &matrix("3; 7"), &budget()).unwrap();
    assert!(found.solution.is_none());
    let found = solve_linear(&matrix("a, 1; 0, b"), &matrix("1; 1"), &budget()).unwrap();
    let conditions: Vec<String> = found.conditions.iter().map(write_text).collect();
    assert_eq!(conditions, ["a != 0", "b != 0"]);
}

#[test]
fn roots_and_functions_are_exact_too() {
    let turn = matrix("cos(t), -sin(t); sin(t), cos(t)");
    let found = determinant_of(&turn, &budget()).unwrap();
    assert_eq!(write_text(&found.value), "1");
    let golden =
        eigensystem_of(&matrix("1, 1; 1, 0"), &Expr::symbol("k"), true, &budget()).unwrap();
    let values: Vec<String> = golden
        .pairs
        .iter()
        .map(|pair| write_text(&pair.value))
        .collect();
    assert_eq!(values, ["1/2 - sqrt(5)/2", "1/2 + sqrt(5)/2"]);
    assert!(golden.pairs.iter().all(|pair| pair.vectors.len() == 1));
    // Without roots in radicals digits are given and said to be no exact values.
    let quintic =
        matrix("0, 0, 0, 0, 1; 1, 0, 0, 0, 1; 0, 1, 0, 0, 0; 0, 0, 1, 0, 0; 0, 0, 0, 1, 0");
    let found = eigensystem_of(&quintic, &Expr::symbol("k"), true, &budget()).unwrap();
    assert_eq!(found.pairs.len(), 5);
    assert!(
        found
            .pairs
            .iter()
            .all(|pair| !pair.is_exact && pair.vectors.is_empty())
    );
}

#[test]
fn what_has_no_answer_is_refused() {
    let words = |fault: crate::budget::SymbolicFault| fault.to_string();
    let singular = inverse_of(&matrix("a, b; 2*a, 2*b"), &budget());
    assert!(words(singular.unwrap_err()).contains("singular"));
    assert!(
        words(determinant_of(&matrix("1, 2, 3; 4, 5, 6"), &budget()).unwrap_err())
            .contains("square")
    );
    let infinite = Expr::infinity();
    let with_infinity = ExprMatrix::from_rows(vec![vec![infinite]]).unwrap();
    assert!(words(determinant_of(&with_infinity, &budget()).unwrap_err()).contains("infinite"));
    let row: Vec<String> = (0..13).map(|at| format!("x + {at}")).collect();
    let large = matrix(&vec![row.join(", "); 13].join("; "));
    assert!(words(determinant_of(&large, &budget()).unwrap_err()).contains("at most 12"));
    assert!(power_of(&matrix("2"), 1_000, &budget()).is_ok());
    assert!(power_of(&matrix("2"), 1_001, &budget()).is_err());
    assert!(power_of(&matrix("x, 1; 0, 1"), 60, &budget()).is_ok());
    assert!(power_of(&matrix("x, 1; 0, 1"), 61, &budget()).is_err());
    assert!(multiply_matrices(&matrix("1, 2"), &matrix("1, 2"), &budget()).is_err());
    assert!(ExprMatrix::from_rows(vec![vec![Expr::one()], Vec::new()]).is_none());
}

#[test]
fn forty_rows_of_fractions_are_within_the_limits() {
    let size = NUMERIC_SIZE_LIMIT;
    let entry = |row: usize, column: usize| {
        Expr::integer(((row * column + row) % 7) as i64 + i64::from(row == column))
    };
    let rows = (0..size).map(|row| (0..size).map(|column| entry(row, column)).collect());
    let large = ExprMatrix::from_rows(rows.collect()).unwrap();
    let found = determinant_of(&large, &budget()).unwrap();
    assert!(found.value.as_number().is_some());
    let small = (0..8).map(|row| {
        (0..8)
            .map(|column| Expr::ratio(1, row + column + 1))
            .collect()
    });
    let hilbert = ExprMatrix::from_rows(small.collect()).unwrap();
    let found = inverse_of(&hilbert, &budget()).unwrap();
    // The largest entry of the inverse (M.-D. Choi, Amer. Math. Monthly 90, 1983).
    assert!(
        found
            .matrix
            .entries()
            .contains(&Expr::integer(4_249_941_696))
    );
}
