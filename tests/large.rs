//! Sizes that take minutes in a debug build: run by `.ci/soak`.

use mathchain::{CallContext, Toolkit};
use rand::RngExt as _;
use tool_core::rng::stream_rng;
use tool_core::{Numbers, Value, json, npy};

fn uniform(rows: usize, columns: usize) -> Numbers {
    let mut rng = stream_rng(11, rows as u64);
    let data = (0..rows * columns)
        .map(|_| rng.random_range(-1.0..1.0))
        .collect();
    Numbers::new(vec![rows, columns], data, false).expect("the sizes fit")
}

/// A system of 4000 unknowns through an array file: 128 MB that would be 80 MB of JSON digits.
#[test]
#[ignore = "factors 4000 x 4000 in a debug build: half a gigabyte and some minutes; `.ci/soak` runs it"]
#[expect(
    clippy::disallowed_methods,
    reason = "the test makes the files of its workspace"
)]
fn four_thousand_unknowns_through_an_array_file() {
    const N: usize = 4000;
    let folder = tempfile::tempdir().expect("a folder");
    let matrix = uniform(N, N);
    // b = A times ones, so that the solution is known.
    let sums: Vec<f64> = matrix
        .as_slice()
        .chunks_exact(N)
        .map(|row| row.iter().sum())
        .collect();
    let write = |name: &str, numbers: &Numbers| {
        std::fs::write(folder.path().join(name), npy::write_npy(numbers)).expect("writes");
    };
    write("a.npy", &matrix);
    write("b.npy", &Numbers::vector(sums, false));
    let toolkit = Toolkit::builder()
        .workspace(folder.path())
        .build()
        .expect("a toolkit");
    let args = r#"{"A": {"$file": "a.npy"}, "b": {"$file": "b.npy"}}"#;
    let args = json::parse_json(args, json::JsonLimits::default()).expect("JSON");
    let outcome = toolkit.call_with(&CallContext::default(), "matrix_solve", &args);
    let output = outcome
        .output()
        .unwrap_or_else(|| panic!("{:?}", outcome.err()));
    let x = output.get("x").and_then(Value::as_numbers).expect("x");
    let worst = x
        .as_slice()
        .iter()
        .fold(0.0, |worst: f64, x| worst.max((x - 1.0).abs()));
    // The sums are rounded: the exact solution differs from ones by the condition times their rounding.
    assert!(worst < 1e-8, "{worst:e}");
}
