//! Agreement with solutions that other programs, exact arithmetic or a closed form gave; each case says which.
//!
//! The cases lie in `tests/reference/`, beside the script that made them.

use math_tools::linalg::sparse_solve::Args;
use tool_core::{Ctx, Tool, Value, convert, json};

const SPARSE: &str = include_str!("reference/sparse_solve.json");

fn cases(text: &str) -> Vec<Value> {
    json::parse_json(text, json::JsonLimits::default())
        .expect("the reference file is JSON")
        .items()
        .expect("the reference file is a list")
}

fn numbers(value: &Value, key: &str) -> Vec<f64> {
    let block = value.get(key).and_then(Value::as_numbers);
    block
        .unwrap_or_else(|| panic!("no numbers `{key}`"))
        .as_slice()
        .to_vec()
}

fn solve(args: Value) -> Value {
    let args = convert::from_value(&args)
        .unwrap_or_else(|problem| panic!("{}: {}", problem.path, problem.message));
    let output = Args::run(args, &Ctx::default()).unwrap_or_else(|err| panic!("{err:?}"));
    convert::to_value(&output).expect("the output has a value")
}

/// The same matrix by compressed rows; the entries of a row stay in their order.
fn compressed(case: &Value) -> [(&'static str, Value); 3] {
    let [rows, cols, values] = ["rows", "cols", "values"].map(|key| numbers(case, key));
    let n = numbers(case, "b").len();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&i, &j| rows[i].total_cmp(&rows[j]));
    let starts = (0..=n).map(|row| rows.iter().filter(|&&r| r < row as f64).count() as f64);
    let pick = |list: &[f64]| Value::vector(order.iter().map(|&at| list[at]).collect());
    [
        ("indptr", Value::vector(starts.collect())),
        ("indices", pick(&cols)),
        ("data", pick(&values)),
    ]
}

fn matrix_market(case: &Value) -> String {
    use std::fmt::Write;
    let [rows, cols, values] = ["rows", "cols", "values"].map(|key| numbers(case, key));
    let n = numbers(case, "b").len();
    let mut text = format!(
        "%%MatrixMarket matrix coordinate real general\n% a comment\n{n} {n} {}\n",
        rows.len()
    );
    for ((row, col), value) in rows.iter().zip(&cols).zip(&values) {
        writeln!(text, "{} {} {value:e}", row + 1.0, col + 1.0).expect("writing to a string");
    }
    text
}

fn with_b(case: &Value, matrix: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let b = case.get("b").cloned().unwrap_or_default();
    Value::object(matrix.into_iter().chain([("b", b)]))
}

#[test]
fn sparse_systems_are_solved_as_elsewhere() {
    let cases = cases(SPARSE);
    assert!(cases.len() >= 20, "{} cases", cases.len());
    for case in &cases {
        let name = case.get("name").and_then(Value::as_str).expect("a name");
        let coordinates =
            ["rows", "cols", "values"].map(|key| (key, case.get(key).cloned().unwrap_or_default()));
        let automatic = solve(with_b(case, coordinates.clone()));
        let lu = solve(with_b(
            case,
            coordinates
                .into_iter()
                .chain([("method", Value::from("lu"))]),
        ));
        for found in [&automatic, &lu] {
            check(name, case, found);
        }
        // The three forms are one matrix, bit for bit.
        assert_eq!(solve(with_b(case, compressed(case))), automatic, "{name}");
        let market = ("matrix_market", Value::from(matrix_market(case).as_str()));
        assert_eq!(solve(with_b(case, [market])), automatic, "{name}");
    }
}

fn check(name: &str, case: &Value, found: &Value) {
    let (x, expected) = (numbers(found, "x"), numbers(case, "x"));
    let tolerance = case
        .get("tolerance")
        .and_then(Value::as_f64)
        .expect("a tolerance");
    let size = expected
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let entrywise = case.get("entrywise").is_some();
    for (index, (x, expected)) in x.iter().zip(&expected).enumerate() {
        let unit = if entrywise { expected.abs() } else { size };
        let error = (x - expected).abs() / unit;
        assert!(
            error <= tolerance,
            "{name}: x[{index}] is {x}, expected {expected}, {error:.1e} off"
        );
    }
    assert_eq!(x.len(), expected.len(), "{name}");
    let number = |key: &str| found.get(key).and_then(Value::as_f64);
    assert!(
        number("backward_error").is_some_and(|error| error <= 1e-15),
        "{name}: {found}"
    );
    if let Some(rcond) = case.get("rcond").and_then(Value::as_f64) {
        let ratio = number("rcond").expect("a direct method") / rcond;
        // The estimate of |A^-1| is a lower bound, nearly always within a factor of three.
        assert!(
            (0.5..=3.0).contains(&ratio),
            "{name}: rcond is {ratio} times the true one"
        );
    }
}
