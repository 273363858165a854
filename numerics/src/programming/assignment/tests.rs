use proptest::prelude::*;

use super::{Assignment, AssignmentCosts, AssignmentFailure, assign_cheapest};
use crate::watch::NoWatch;
use crate::watch::tests::StoppedWatch;

fn go(rows: usize, columns: usize, data: &[f64]) -> Result<Assignment, AssignmentFailure> {
    assign_cheapest(
        AssignmentCosts {
            data,
            rows,
            columns,
        },
        &NoWatch,
    )
}

/// The least cost of all assignments of the smaller side, by trying them.
fn least(rows: usize, columns: usize, data: &[f64]) -> f64 {
    fn search(
        row: usize,
        rows: usize,
        columns: usize,
        cost: &dyn Fn(usize, usize) -> f64,
        taken: &mut Vec<bool>,
    ) -> f64 {
        if row == rows {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for column in 0..columns {
            if !taken[column] && cost(row, column) < f64::INFINITY {
                taken[column] = true;
                best = best.min(cost(row, column) + search(row + 1, rows, columns, cost, taken));
                taken[column] = false;
            }
        }
        best
    }
    if rows <= columns {
        search(
            0,
            rows,
            columns,
            &|i, j| data[i * columns + j],
            &mut vec![false; columns],
        )
    } else {
        search(
            0,
            columns,
            rows,
            &|j, i| data[i * columns + j],
            &mut vec![false; rows],
        )
    }
}

#[test]
fn known_assignments() {
    // The example of SciPy's documentation.
    let found = go(3, 3, &[4.0, 1.0, 3.0, 2.0, 0.0, 5.0, 3.0, 2.0, 2.0]).unwrap();
    assert_eq!(found.column_of, [Some(1), Some(0), Some(2)]);
    assert_eq!((found.total, found.violation), (5.0, 0.0));
    let tall = go(3, 2, &[1.0, 2.0, 0.0, 3.0, 5.0, 1.0]).unwrap();
    assert_eq!(tall.column_of, [None, Some(0), Some(1)]);
    assert_eq!((tall.total, tall.violation), (1.0, 0.0));
}

#[test]
fn too_few_partners_are_named() {
    let inf = f64::INFINITY;
    let failure = go(3, 3, &[1.0, inf, inf, 2.0, inf, inf, 3.0, 4.0, 5.0]).unwrap_err();
    assert_eq!(
        failure,
        AssignmentFailure::Hall {
            members: vec![0, 1],
            partners: vec![0],
            are_rows: true
        }
    );
    let AssignmentFailure::Hall {
        members, are_rows, ..
    } = go(3, 2, &[1.0, inf, 2.0, inf, 3.0, inf]).unwrap_err()
    else {
        panic!("a violator");
    };
    assert_eq!((members, are_rows), (vec![1], false));
}

#[test]
fn it_stops_when_told() {
    let costs = vec![1.0; 1000 * 1000];
    let costs: Vec<f64> = costs
        .iter()
        .enumerate()
        .map(|(i, c)| c * ((i * 7919) % 1009) as f64)
        .collect();
    let stopped = assign_cheapest(
        AssignmentCosts {
            data: &costs,
            rows: 1000,
            columns: 1000,
        },
        &StoppedWatch,
    );
    assert_eq!(stopped.unwrap_err(), AssignmentFailure::Stopped);
}

proptest! {
    #[test]
    fn it_is_the_cheapest_of_all(
        rows in 1_usize..7, columns in 1_usize..7,
        entries in prop::collection::vec(prop_oneof![8 => -9.0..9.0_f64, 3 => Just(f64::INFINITY), 4 => (-3_i32..4).prop_map(f64::from)], 36),
    ) {
        let data = &entries[..rows * columns];
        let expected = least(rows, columns, data);
        match go(rows, columns, data) {
            Ok(found) => {
                prop_assert!((found.total - expected).abs() < 1e-12, "{} {expected}", found.total);
                prop_assert!(found.violation < 1e-13, "{found:?}");
                let duals: f64 = found.row_prices.iter().chain(&found.column_prices).sum();
                prop_assert!((duals - found.total).abs() < 1e-12);
            }
            Err(AssignmentFailure::Hall { members, partners, are_rows }) => {
                prop_assert_eq!(expected, f64::INFINITY);
                prop_assert_eq!(members.len(), partners.len() + 1);
                for &member in &members {
                    for other in 0..if are_rows { columns } else { rows } {
                        let cost = if are_rows { data[member * columns + other] } else { data[other * columns + member] };
                        prop_assert!(partners.contains(&other) || cost == f64::INFINITY);
                    }
                }
            }
            Err(AssignmentFailure::Stopped) => prop_assert!(false),
        }
    }
}
