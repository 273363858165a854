use tool_core::ErrorCode;

use super::*;
use crate::testing;

fn run(text: &str) -> Result<Output, ToolError> {
    testing::run::<Args>(text)
}

#[test]
fn faults_name_the_argument() {
    testing::assert_refused::<Args>(&[
        (r#"{"cost": []}"#, "/cost", "at least one row"),
        (r#"{"cost": [[]]}"#, "/cost", "at least one"),
        (r#"{"cost": [1, 2]}"#, "/cost/0", "row"),
        (r#"{"cost": [[1, 2], [3]]}"#, "/cost/1", "row 1 has 1"),
        (r#"{"cost": [[1, "a"]]}"#, "/cost/0/1", "null"),
        (r#"{"cost": [[1, 1e200]]}"#, "/cost", "1e150"),
    ]);
}

#[test]
fn without_an_assignment_the_rows_with_too_few_partners_are_named() {
    let error = run(r#"{"cost": [[1, null, null], [3, null, null], [4, 2, 5]]}"#).unwrap_err();
    assert_eq!(
        (error.code(), error.reason_str()),
        (ErrorCode::Numeric, Some("infeasible"))
    );
    assert!(
        error
            .message()
            .contains("rows 0, 1 have only the columns 0 "),
        "{error:?}"
    );
    let tall = run(r#"{"cost": [[1, null], [3, null]]}"#).unwrap_err();
    assert!(
        tall.message()
            .contains("rows 0, 1 have only the columns 0 "),
        "{tall:?}"
    );
}

#[test]
fn maximising_is_minimising_the_negative() {
    let costs = "[[7, 5, 9, 8], [9, 4, 3, 2], [8, 3, 1, 5]]";
    let negative = "[[-7, -5, -9, -8], [-9, -4, -3, -2], [-8, -3, -1, -5]]";
    let most = run(&format!(r#"{{"cost": {costs}, "maximize": true}}"#)).unwrap();
    let least = run(&format!(r#"{{"cost": {negative}}}"#)).unwrap();
    assert_eq!((most.total, most.pairs), (-least.total, least.pairs));
    let signs = most.row_prices.iter().zip(&least.row_prices);
    assert!(signs.clone().all(|(a, b)| *a == -b) && most.gap == 0.0);
    // A pair is worth at most its prices, and a column left over nothing.
    assert!(most.column_prices.iter().all(|&price| price >= 0.0));
}

#[test]
fn forbidden_pairs_stay_out_when_maximising() {
    let found = run(r#"{"cost": [[1, null], [9, 2]], "maximize": true}"#).unwrap();
    assert_eq!((found.pairs, found.total), (vec![[0, 0], [1, 1]], 3.0));
}
