use proptest::prelude::*;
use tool_core::{
    CallBudget, Ctx, ErrorCode, Input, Matrix, StopFlag, Tool, ToolError, Value, convert,
};

use super::{Args, LinearSolveMethod, Output, Rhs};
use crate::linalg::tests::{distance, formula, hilbert, matrix, multiply, parse};

fn call(a: Matrix, b: Rhs, method: LinearSolveMethod) -> Result<Output, ToolError> {
    let args = Args {
        a: Input::Inline(a),
        b: Input::Inline(b),
        method,
    };
    Args::run(args, &Ctx::default())
}

fn solve(n: usize, a: Vec<f64>, b: Vec<f64>) -> Output {
    call(matrix(n, n, a), Rhs::One(b.into()), LinearSolveMethod::Auto).unwrap()
}

/// Runs a call written as JSON, through decoding.
fn from_json(text: &str) -> Result<(Value, Vec<String>), ToolError> {
    let ctx = Ctx::default();
    let args: Args = convert::from_value(&parse(text))
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    let output = convert::to_value(&Args::run(args, &ctx)?)?;
    Ok((output, ctx.take_warnings()))
}

/// NumPy 2.4.6, `numpy.linalg.solve` of the 6 x 6 formula matrix against 1..6; condition 30.
#[test]
fn agrees_with_numpy() {
    let found = solve(6, formula(6, 6), vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let expected = [
        45.93227228603787,
        -22.13945614941435,
        -18.003312391253758,
        -9.925647503530353,
        13.867168633093163,
        -8.272287516321185,
    ];
    assert!(distance(found.x.as_slice(), &expected) < 30.0 * 1e-15);
    assert!(
        (found.rcond - 0.033734813655694675).abs() < 1e-15,
        "{}",
        found.rcond
    );
}

/// Exact solution of the rounded Hilbert matrix by rational arithmetic (Python `fractions`); condition 3.4e10, so plain
/// elimination keeps five or six digits and refinement with a precise residual about all of them.
#[test]
fn refinement_makes_an_ill_conditioned_system_accurate() {
    let found = solve(8, hilbert(8), vec![1.0; 8]);
    let expected = [
        -7.999999949964206,
        503.9999950878592,
        -7559.999915088206,
        46199.999455705794,
        -138599.99835567476,
        216215.99746902086,
        -168167.99807885004,
        51479.99942952376,
    ];
    assert!(distance(found.x.as_slice(), &expected) < 1e-10);
    assert!(
        (found.rcond / 2.95222205666139e-11 - 1.0).abs() < 1e-3,
        "{}",
        found.rcond
    );
    assert_eq!(found.trusted_digits, 5);
}

#[test]
fn hilbert_12_is_solved_with_a_warning() {
    let ctx = Ctx::default();
    let args = Args {
        a: Input::Inline(matrix(12, 12, hilbert(12))),
        b: Input::Inline(Rhs::One(vec![1.0; 12].into())),
        method: LinearSolveMethod::Auto,
    };
    let found = Args::run(args, &ctx).unwrap();
    assert!(found.backward_error < 1e-15, "{}", found.backward_error);
    assert!(
        found.rcond < f64::EPSILON && found.rcond > 1e-18,
        "{}",
        found.rcond
    );
    assert_eq!(found.trusted_digits, 0);
    assert!(ctx.take_warnings()[0].contains("singular to working precision"));
}

/// Reciprocal conditions from NumPy 2.4.6 `1 / cond(A, 1)`; the estimate may be larger, never by much.
#[test]
fn condition_estimate_is_close() {
    for (n, condition) in [(200, 18039.527224843718), (600, 57092.97055644434)] {
        let found = solve(n, formula(n, n), vec![1.0; n]);
        let ratio = found.rcond * condition;
        assert!((0.999..3.0).contains(&ratio), "n = {n}: {ratio}");
        assert!(found.backward_error < 1e-15 && found.relative_error < 1e-12);
    }
}

#[test]
fn scaling_of_the_entries_does_not_matter() {
    let (a, b) = (formula(6, 6), vec![1.0, -2.0, 3.0, 0.5, 0.0, 6.0]);
    let plain = solve(6, a.clone(), b.clone());
    for (a_scale, b_scale) in [
        (1e200, 1.0),
        (1e-200, 1.0),
        (1e200, 1e200),
        (1e-200, 1e-200),
        (1.0, 1e300),
    ] {
        let found = solve(
            6,
            a.iter().map(|value| value * a_scale).collect(),
            b.iter().map(|value| value * b_scale).collect(),
        );
        let back: Vec<f64> = found
            .x
            .as_slice()
            .iter()
            .map(|value| value * a_scale / b_scale)
            .collect();
        assert!(
            distance(&back, plain.x.as_slice()) < 1e-13,
            "{a_scale} {b_scale}"
        );
        assert!(found.relative_error < 1e-14);
    }
    let graded = solve(2, vec![1e-200, 0.0, 0.0, 1e200], vec![1e-200, 3e200]);
    assert_eq!(graded.x.as_slice(), [1.0, 3.0]);
    assert!(
        graded.equilibrated && graded.rcond > 0.5,
        "{}",
        graded.rcond
    );
}

#[test]
fn sizes_one_and_several_right_hand_sides() {
    assert_eq!(solve(1, vec![4.0], vec![2.0]).x, Rhs::from([0.5]));
    assert_eq!(
        solve(2, vec![1.0, 0.0, 0.0, 1.0], vec![0.0, 0.0]).relative_error,
        0.0
    );
    for (n, k) in [(3, 2), (30, 7), (120, 120)] {
        let a = formula(n, n);
        let b = formula(n, k);
        let found = call(
            matrix(n, n, a.clone()),
            Rhs::Many(matrix(n, k, b.clone())),
            LinearSolveMethod::Auto,
        )
        .unwrap();
        assert!(distance(&multiply(&a, found.x.as_slice(), n, n, k), &b) < 1e-12);
        let column: Vec<f64> = (0..n).map(|row| b[row * k]).collect();
        let single = solve(n, a, column);
        let first: Vec<f64> = (0..n).map(|row| found.x.as_slice()[row * k]).collect();
        assert!(distance(&first, single.x.as_slice()) < 1e-11, "n = {n}");
    }
}

/// Case W31: a singular inconsistent system is refused, and least squares says rank and residual.
#[test]
fn singular_inconsistent_system() {
    let a = || Matrix::from([[1.0, 2.0], [2.0, 4.0]]);
    let err = call(a(), Rhs::from([1.0, 1.0]), LinearSolveMethod::Auto).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str(), err.path()),
        (ErrorCode::Numeric, Some("singular"), Some("/A"))
    );
    assert!(err.hint_str().unwrap().contains("least_squares"));
    let found = call(a(), Rhs::from([1.0, 1.0]), LinearSolveMethod::Lstsq).unwrap();
    assert_eq!(found.rank, 1);
    assert!(
        distance(found.x.as_slice(), &[0.12, 0.24]) < 1e-14,
        "minimum norm: {:?}",
        found.x
    );
    assert!(
        (found.relative_error - 0.1_f64.sqrt()).abs() < 1e-14,
        "|(0.4, -0.2)| / |(1, 1)|"
    );
    assert_eq!(found.trusted_digits, 0);
}

/// NumPy 2.4.6, `numpy.linalg.lstsq` of the 5 x 3 formula matrix against 1..5.
#[test]
fn least_squares_agree_with_numpy() {
    let b = Rhs::from([1.0, 2.0, 3.0, 4.0, 5.0]);
    let found = call(matrix(5, 3, formula(5, 3)), b, LinearSolveMethod::Auto).unwrap();
    assert_eq!((found.method, found.rank), (LinearSolveMethod::Lstsq, 3));
    let expected = [6.747425945919435, -7.206196389369598, -1.0016786047995192];
    assert!(distance(found.x.as_slice(), &expected) < 1e-14);
    let wide = call(
        Matrix::from([[1.0, 1.0]]),
        Rhs::from([2.0]),
        LinearSolveMethod::Auto,
    )
    .unwrap();
    assert!(
        distance(wide.x.as_slice(), &[1.0, 1.0]) < 1e-15,
        "the smallest of many"
    );
    let zero = call(
        Matrix::from([[0.0]]),
        Rhs::from([2.0]),
        LinearSolveMethod::Lstsq,
    )
    .unwrap();
    assert_eq!((zero.rank, zero.x.as_slice()), (0, &[0.0][..]));
}

/// Cases W28 and W30 for this tool: shapes are refused by name.
#[test]
fn bad_input_names_the_argument() {
    let cases = [
        (
            r#"{"A":[[1,2],[3]],"b":[1,1]}"#,
            "/A",
            "row 1 has 1 entry, expected 2",
        ),
        (r#"{"A":[],"b":[]}"#, "/A", "at least one row"),
        (r#"{"A":[[]],"b":[]}"#, "/A/0", "empty"),
        (r#"{"A":[1,2],"b":[1]}"#, "/A", "list of rows"),
        (r#"{"A":[[1,"x"]],"b":[1]}"#, "/A/0/1", "expected a number"),
        (
            r#"{"A":[[1,2],[3,4]],"b":[1]}"#,
            "/b",
            "`A` has 2 rows but `b` has 1 entries",
        ),
        (
            r#"{"A":[[1,2],[3,4]],"b":[[1,2]]}"#,
            "/b",
            "`A` has 2 rows but `b` has 1 entries",
        ),
        (r#"{"A":[[1,2],[3,4]],"b":[[1],[2,3]]}"#, "/b", "row 1"),
        (
            r#"{"A":[[1,2],[3,4]],"b":{}}"#,
            "/b",
            "expected a list of numbers",
        ),
        (
            r#"{"A":[[1,2]],"b":[1],"method":"lu"}"#,
            "/A",
            "expected a square matrix, found 1 x 2",
        ),
        (
            r#"{"A":[[1]],"b":[1],"method":"gauss"}"#,
            "/method",
            "expected one of",
        ),
        (r#"{"A":[[1]],"b":[1],"B":[1]}"#, "/B", "unknown"),
    ];
    for (text, path, words) in cases {
        let err = from_json(text).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{text}: {err:?}"
        );
        assert!(err.message().contains(words), "{text}: {err:?}");
    }
}

#[test]
fn results_are_in_the_form_of_b() {
    let (found, _) = from_json(r#"{"A":[[2,0],[0,4]],"b":[[2,4],[4,8]]}"#).unwrap();
    assert_eq!(found.pointer("/x").unwrap(), parse("[[1,2],[1,2]]"));
    let (found, warnings) = from_json(r#"{"A":[[2,0],[0,4]],"b":[2,4]}"#).unwrap();
    assert_eq!(found.pointer("/x").unwrap(), parse("[1,1]"));
    assert_eq!(
        found.pointer("/method").unwrap().as_str(),
        Some("triangular")
    );
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn an_overflowing_solution_is_an_error() {
    let err = call(
        Matrix::from([[1e-300]]),
        Rhs::from([1e300]),
        LinearSolveMethod::Lu,
    )
    .unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::Numeric, Some("overflow"))
    );
}

#[test]
fn limits_are_checked_before_the_work() {
    let args = || Args {
        a: Input::Inline(matrix(50, 50, formula(50, 50))),
        b: Input::Inline(Rhs::One(vec![1.0; 50].into())),
        method: LinearSolveMethod::Auto,
    };
    let with = |budget| Args::run(args(), &Ctx::new(StopFlag::new(), budget)).unwrap_err();
    let memory = with(CallBudget {
        memory_bytes: 1000,
        ..CallBudget::default()
    });
    assert_eq!(
        (memory.code(), memory.reason_str()),
        (ErrorCode::LimitExceeded, Some("memory"))
    );
    let time = with(CallBudget {
        timeout_ms: 0,
        ..CallBudget::default()
    });
    assert_eq!(
        (time.code(), time.reason_str()),
        (ErrorCode::LimitExceeded, Some("cost"))
    );
}

fn system() -> impl Strategy<Value = (usize, Vec<f64>, Vec<f64>)> {
    (1_usize..25).prop_flat_map(|n| {
        let entry = -10.0_f64..10.0;
        (
            Just(n),
            prop::collection::vec(entry.clone(), n * n),
            prop::collection::vec(entry, n),
        )
    })
}

proptest! {
    #[test]
    fn a_times_x_reproduces_b((n, a, b) in system()) {
        let found = solve(n, a.clone(), b.clone());
        // A backward stable solution: the residual is small against |A| |x|, regardless of the condition.
        let image = multiply(&a, found.x.as_slice(), n, n, 1);
        let size = 10.0 * n as f64 * found.x.as_slice().iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for (image, b) in image.iter().zip(&b) {
            prop_assert!((image - b).abs() <= 1e-14 * size, "{image} {b}");
        }
        prop_assert!(found.backward_error < 1e-15);
    }

    #[test]
    fn least_squares_residual_is_orthogonal((n, a, b) in system(), columns in 1_usize..5) {
        let columns = columns.min(n);
        let tall: Vec<f64> = a.chunks(n).flat_map(|row| row[..columns].to_vec()).collect();
        let found = call(matrix(n, columns, tall.clone()), Rhs::One(b.clone().into()), LinearSolveMethod::Lstsq).unwrap();
        let image = multiply(&tall, found.x.as_slice(), n, columns, 1);
        for column in 0..columns {
            let inner: f64 = (0..n).map(|row| tall[row * columns + column] * (b[row] - image[row])).sum();
            prop_assert!(inner.abs() < 1e-10 / found.rcond.max(1e-6), "{inner}");
        }
    }
}
