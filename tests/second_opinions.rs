//! The tools against other libraries of this field in Rust: `nalgebra`, `argmin` and `ode_solvers` (docs/decisions/packages.md says why they
//! are not the main path).

use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::neldermead::NelderMead;
use argmin::solver::quasinewton::LBFGS;
use argmin_math::ArgminL2Norm;
use math_tools::FAMILIES;
use nalgebra::{DMatrix, DVector, Vector3};
use ode_solvers::{Dopri5, System};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tool_core::{Ctx, Value, json, object};

/// The result of a call.
fn call(id: &str, args: &Value) -> Value {
    let mut tools = FAMILIES.iter().copied().flatten().map(|entry| entry.tool());
    let tool = tools.find(|tool| tool.spec().id == id).expect("a tool");
    let call = tool.decode(args);
    let output = call.and_then(|call| call.run(&Ctx::default()));
    output.unwrap_or_else(|err| panic!("{id} {args}: {err:?}"))
}

/// The numbers of a result, or of a list in it.
fn numbers(output: &Value, key: &str) -> Vec<f64> {
    let found = output.get(key).expect(key);
    match found.items() {
        Some(items) => items.iter().filter_map(Value::as_f64).collect(),
        None => vec![found.as_f64().expect(key)],
    }
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected
        .iter()
        .fold(1.0_f64, |most, value| most.max(value.abs()));
    for (a, b) in found.iter().zip(expected) {
        let good = (a - b).abs() <= tolerance * scale; // not where NaN
        assert!(good, "{what}: {found:?}, expected {expected:?}");
    }
}

/// A matrix with a condition of at most about a hundred: entries in [-1, 1], and the order added to the diagonal.
fn matrix(random: &mut StdRng, n: usize) -> DMatrix<f64> {
    let shift = DMatrix::identity(n, n) * n as f64;
    DMatrix::from_fn(n, n, |_, _| random.random_range(-1.0..1.0)) + shift
}

fn rows(a: &DMatrix<f64>) -> Value {
    let row = |row: usize| Value::from(a.row(row).iter().copied().collect::<Vec<f64>>());
    Value::array((0..a.nrows()).map(row).collect())
}

#[test]
fn linear_algebra_agrees_with_nalgebra() {
    let mut random = StdRng::seed_from_u64(42);
    for n in [1, 2, 3, 5, 8, 13, 21] {
        let a = matrix(&mut random, n);
        let b = DVector::from_fn(n, |_, _| random.random_range(-1.0..1.0));
        let args = object! { "A" => rows(&a), "b" => b.as_slice().to_vec() };
        let x = a.clone().lu().solve(&b).expect("regular");
        let found = numbers(&call("matrix_solve", &args), "x");
        assert_near(&found, x.as_slice(), 1e-12, "solution");
        let of_a = object! { "A" => rows(&a) };
        let singular = a.clone().svd(false, false).singular_values;
        let found = call("matrix_svd", &of_a);
        let key = "singular_values";
        assert_near(&numbers(&found, key), singular.as_slice(), 1e-12, key);
        let symmetric = &a + a.transpose();
        let mut expected: Vec<f64> = symmetric
            .clone()
            .symmetric_eigenvalues()
            .iter()
            .copied()
            .collect();
        expected.sort_by(f64::total_cmp);
        let args = object! { "A" => rows(&symmetric) };
        let found = call("matrix_eigenvalues", &args);
        let mut found = numbers(&found, "eigenvalues");
        found.sort_by(f64::total_cmp);
        assert_near(&found, &expected, 1e-12, "eigenvalues");
        let x = a.clone().qr().solve(&b).expect("regular");
        let args = object! { "A" => rows(&a), "b" => b.as_slice().to_vec() };
        let found = numbers(&call("least_squares", &args), "x");
        assert_near(&found, x.as_slice(), 1e-12, "least squares");
    }
}

/// Rosenbrock's function.
struct Valley;

impl CostFunction for Valley {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok((1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2))
    }
}

impl Gradient for Valley {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let across = 200.0 * (x[1] - x[0] * x[0]);
        Ok(vec![-2.0 * (1.0 - x[0]) - 2.0 * x[0] * across, across])
    }
}

#[test]
fn minimisers_agree_with_argmin() {
    let args = r#"{"objective":"(1-x0)**2+100*(x1-x0**2)**2","x0":[-1.2,1]}"#;
    let ours = call(
        "optimize",
        &json::parse(args, json::Limits::default()).expect("JSON"),
    );
    let ours = numbers(&ours, "x");
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
    let run = Executor::new(Valley, solver)
        .configure(|state| state.param(vec![-1.2, 1.0]).max_iters(200));
    let found = run.run().expect("runs");
    let theirs = found.state().get_best_param().expect("a point").clone();
    assert_near(&ours, &theirs, 1e-5, "L-BFGS");
    let gradient = |x: &Vec<f64>| Valley.gradient(x).expect("a gradient").l2_norm();
    assert!(gradient(&ours) <= gradient(&theirs).max(1e-6), "{ours:?}");
    let corners = vec![vec![-1.2, 1.0], vec![-1.0, 1.0], vec![-1.2, 1.2]];
    let run =
        Executor::new(Valley, NelderMead::new(corners)).configure(|state| state.max_iters(400));
    let found = run.run().expect("runs");
    let theirs = found.state().get_best_param().expect("a point").clone();
    assert_near(&ours, &theirs, 1e-4, "simplex");
}

/// Lorenz' system, which does not depend on time.
struct Lorenz;

impl System<f64, Vector3<f64>> for Lorenz {
    fn system(&self, _: f64, y: &Vector3<f64>, dy: &mut Vector3<f64>) {
        dy[0] = 10.0 * (y[1] - y[0]);
        dy[1] = y[0] * (28.0 - y[2]) - y[1];
        dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
    }
}

#[test]
fn differential_equations_agree_with_ode_solvers() {
    let args = r#"{"system":["10*(y1-y0)","y0*(28-y2)-y1","y0*y1-8/3*y2"],"y0":[1,1,1],"t_span":[0,2],"t_eval":[2],"rtol":1e-11,"atol":1e-11}"#;
    let ours = call(
        "solve_ode",
        &json::parse(args, json::Limits::default()).expect("JSON"),
    );
    let last = ours.get("y").and_then(|rows| rows.items()?.last().cloned());
    let last: Vec<f64> = last
        .and_then(|row| Some(row.items()?.iter().filter_map(Value::as_f64).collect()))
        .expect("the end");
    let mut solver = Dopri5::new(
        Lorenz,
        0.0,
        2.0,
        0.01,
        Vector3::new(1.0, 1.0, 1.0),
        1e-12,
        1e-12,
    );
    solver.integrate().expect("integrates");
    let theirs = solver.y_out().last().expect("the end");
    assert_near(&last, theirs.as_slice(), 1e-7, "Lorenz");
}
