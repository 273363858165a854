//! Every tool with extreme but valid arguments, under a deadline and under a cancel: each call answers in time, and none with `internal`.
//!
//! The calls are made from the catalogue: the examples and a few larger calls, with every number, list, text and choice in them, and
//! every argument that the schema knows besides, replaced by extreme ones. A call that is refused is answered too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use rand::RngExt;
use serde_json::{Value as Json, json};
use tool_core::rng::stream_rng;
use tool_core::{AnyTool, CallBudget, Ctx, ErrorCode, StopFlag, Syntax, Value, json as strict};

use crate::every_tool::tools;

/// What calls may take; work that cannot be interrupted is held against it.
const DEADLINE_MS: u64 = 2000;
/// When the call is stopped: early, so that the sweep is short.
const STOP_AFTER: Duration = Duration::from_millis(20);
/// Within what a stopped call has to answer; without optimisation everything takes ten times as long or more.
const ANSWER_WITHIN: Duration = if cfg!(debug_assertions) {
    Duration::from_secs(90)
} else {
    Duration::from_millis(2500)
};

const NUMBERS: [f64; 14] = [
    0.0,
    1.0,
    -1.0,
    0.5,
    1e308,
    -1e308,
    f64::MAX,
    1e200,
    1e155,
    1e-308,
    5e-324,
    1e-160,
    9_007_199_254_740_992.0,
    1e6,
];
const EXPRESSIONS: [&str; 12] = [
    "1e308*x",
    "exp(x)",
    "1/x",
    "0*x",
    "-x**2",
    "x**2",
    "if(x > 0, 1e308, -1e308)",
    "5e-324*x",
    "1e308*sin(1e308*x)",
    "x-x**4",
    "sqrt(x-1)",
    "exp(-1e5*(x-0.3)**2)",
];
const TEXTS: [&str; 3] = ["", "a\0b", "x"];

/// Calls that the examples do not make: several variables, every method, sizes.
fn larger() -> Vec<(&'static str, Json)> {
    let matrix = |n: usize| -> Json {
        let entry =
            |i: usize, j: usize| ((i * 7 + j * 3) % 11) as f64 - if i == j { 20.5 } else { 0.0 };
        (0..n)
            .map(|i| (0..n).map(|j| entry(i, j)).collect::<Vec<_>>())
            .collect::<Vec<_>>()
            .into()
    };
    let vector = |n: usize| -> Json {
        (0..n)
            .map(|i| (i as f64 * 0.7).sin())
            .collect::<Vec<_>>()
            .into()
    };
    vec![
        ("matrix_solve", json!({"A": matrix(40), "b": vector(40)})),
        (
            "matrix_solve",
            json!({"A": [[0.5, 3.0], [0.0, 0.5]], "b": [1.0, 2.0], "method": "lu"}),
        ),
        ("matrix_determinant", json!({"A": [[0.5, 3.0], [0.0, 0.5]]})),
        ("matrix_determinant", json!({"A": matrix(40)})),
        ("matrix_inverse", json!({"A": [[0.5, 3.0], [0.25, 0.5]]})),
        (
            "matrix_eigenvalues",
            json!({"A": [[0.5, 3.0], [0.25, 0.5]], "vectors": true}),
        ),
        (
            "matrix_eigenvalues",
            json!({"A": [[0.5, 3.0], [3.0, 0.5]], "vectors": true}),
        ),
        ("matrix_eigenvalues", json!({"A": matrix(40)})),
        (
            "matrix_svd",
            json!({"A": [[0.5, 3.0], [0.25, 0.5]], "vectors": "full"}),
        ),
        (
            "matrix_function",
            json!({"A": [[0.5, 3.0], [0.25, 0.5]], "function": "exp"}),
        ),
        (
            "matrix_multiply",
            json!({"A": matrix(3), "B": matrix(3), "precise": true}),
        ),
        (
            "least_squares",
            json!({"A": [[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], "b": [1.0, 2.0, 3.0]}),
        ),
        (
            "linear_regression",
            json!({"x": [[1.0], [2.0], [3.0], [5.0]], "y": [1.0, 3.0, 2.0, 5.0]}),
        ),
        (
            "optimize",
            json!({"x0": [1.0, 2.0], "objective": "(x*y-1)**2+x**2", "bounds": [[0.5, 3.0], [null, 8.0]]}),
        ),
        (
            "optimize",
            json!({"x0": [1.0, 2.0], "objective": "x**2+y", "constraints": ["x*y>=1", "x+y==3"]}),
        ),
        (
            "optimize",
            json!({"x0": [1.0, 2.0], "objective": "(x*y-1)**2+x**2"}),
        ),
        (
            "optimize",
            json!({"x0": vector(60), "objective": "rosenbrock"}),
        ),
        (
            "optimize",
            json!({"x0": [1.0, 2.0], "objective": {"quadratic": {"A": [[2.0, 1.0], [1.0, 3.0]], "b": [1.0, 1.0], "c": 1.0}}}),
        ),
        (
            "solve_ode",
            json!({"y0": [1.0, 0.5], "t_span": [0.0, 10.0], "system": ["y1", "-y0*y0"], "t_eval": [0.0, 5.0, 10.0]}),
        ),
        (
            "solve_ode",
            json!({"y0": [1.0], "t_span": [0.0, 10.0], "system": "-y"}),
        ),
        (
            "solve_ode",
            json!({"y0": [1.0, 2.0], "t_span": [0.0, 1.0], "coefficients": {"A": [[-1.0, 2.0], [0.5, -3.0]], "b": [1.0, 1.0]}}),
        ),
        (
            "mcmc",
            json!({"log_density": "-x**2", "x0": [0.0], "n_samples": 10, "burnin": 10}),
        ),
        (
            "mcmc",
            json!({"log_density": "-x**2-y**2", "x0": [0.5, 0.5], "n_samples": 10, "burnin": 10, "method": "metropolis"}),
        ),
        (
            "monte_carlo",
            json!({"expression": "x*y", "samples": 1000, "distribution": "normal", "mean": 0.5, "std": 2.0}),
        ),
        (
            "monte_carlo",
            json!({"expression": "x", "samples": 1000, "low": 0.0, "high": 1.0}),
        ),
        (
            "monte_carlo_native",
            json!({"bounds": [[0.0, 1.0], [0.0, 2.0]], "function": "x*y", "n_samples": 1000}),
        ),
        (
            "bayesopt",
            json!({"bounds": [[0.0, 1.0], [-1.0, 2.0]], "objective": "-x**2-y", "n_init": 4, "n_iter": 3}),
        ),
        ("statistics", json!({"data": vector(500)})),
        ("histogram", json!({"data": vector(500), "bins": 7})),
        (
            "mcmc_diagnostics",
            json!({"samples": [vector(50), vector(50)]}),
        ),
    ]
}

struct Case {
    tool: &'static dyn AnyTool,
    args: Json,
}

/// Places in a document where something can be replaced, with what is there.
fn places(value: &Json, at: String, found: &mut Vec<(String, Json)>) {
    found.push((at.clone(), value.clone()));
    match value {
        Json::Object(members) => {
            for (key, member) in members {
                places(
                    member,
                    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")),
                    found,
                );
            }
        }
        // The first and the last entry stand for the others.
        Json::Array(items) => {
            let ends = [0, items.len().saturating_sub(1)];
            for index in ends.into_iter().take(items.len()) {
                places(&items[index], format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn is_numeric(value: &Json) -> bool {
    match value {
        Json::Number(_) => true,
        Json::Array(items) => !items.is_empty() && items.iter().all(is_numeric),
        _ => false,
    }
}

/// The same shape with other numbers: the `k`-th is `with[k % with.len()]`.
fn refilled(value: &Json, with: &[f64], next: &mut usize) -> Json {
    match value {
        Json::Array(items) => items
            .iter()
            .map(|item| refilled(item, with, next))
            .collect::<Vec<_>>()
            .into(),
        _ => {
            *next += 1;
            json!(with[(*next - 1) % with.len()])
        }
    }
}

/// What a value may be replaced by.
fn extremes(value: &Json, expression: bool) -> Vec<Json> {
    match value {
        Json::Number(_) => NUMBERS
            .iter()
            .map(|number| json!(number))
            .chain([json!(1), json!(1_000_000_000)])
            .collect(),
        Json::Bool(value) => vec![json!(!value)],
        Json::String(_) if expression => EXPRESSIONS.iter().map(|text| json!(text)).collect(),
        Json::String(_) => TEXTS.iter().map(|text| json!(text)).collect(),
        Json::Array(items) if is_numeric(value) => {
            let fills: [&[f64]; 10] = [
                &[0.0],
                &[1e308],
                &[1e-308],
                &[5e-324],
                &[1e308, -1e308],
                &[1e308, 1e-308],
                &[1e-308, 1e308, 1.0],
                &[f64::MAX, 0.0, 0.0],
                &[0.5, 1e308, 0.0, 0.5],
                &[1e200, 1e-200, 3.0],
            ];
            let mut found: Vec<Json> = fills
                .iter()
                .map(|fill| refilled(value, fill, &mut 0))
                .collect();
            found.push(json!([]));
            found.push(
                items
                    .iter()
                    .cycle()
                    .take(2000)
                    .cloned()
                    .collect::<Vec<_>>()
                    .into(),
            );
            found
        }
        _ => Vec::new(),
    }
}

/// Arguments of the schema that a call does not give, with what they may be.
fn absent(schema: &Json, args: &Json) -> Vec<(String, Json)> {
    let mut found = Vec::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if args.get(name).is_none() {
            found.extend(
                possible(property)
                    .into_iter()
                    .map(|value| (name.clone(), value)),
            );
        }
    }
    found
}

fn possible(property: &Json) -> Vec<Json> {
    let of = |key: &str| property[key].as_array().cloned().unwrap_or_default();
    let mut found = of("enum");
    found.extend(property.get("const").cloned());
    for branch in ["oneOf", "anyOf"] {
        found.extend(of(branch).iter().flat_map(possible));
    }
    found.extend(
        ["minimum", "maximum"]
            .iter()
            .filter_map(|key| property.get(*key).cloned()),
    );
    match property["type"].as_str() {
        Some("number") => found.extend(extremes(&json!(1.0), false)),
        Some("integer") => found.extend([json!(0), json!(1), json!(100)]),
        Some("boolean") => found.extend([json!(true), json!(false)]),
        _ => {}
    }
    found
}

/// The calls to start from: of the tool's examples, and larger ones.
fn starts(tool: &dyn AnyTool) -> Vec<Json> {
    let example = |text: String| serde_json::from_str(&text).expect("JSON");
    let examples = tool.examples().into_iter();
    let mut starts: Vec<Json> = examples
        .map(|found| example(found.args.to_string()))
        .collect();
    let more = larger().into_iter().filter(|(id, _)| *id == tool.spec().id);
    starts.extend(more.map(|(_, args)| args));
    starts
}

/// Calls with one argument replaced, and with one more.
fn single(tool: &'static dyn AnyTool, args: &Json) -> Vec<Case> {
    let (mut cases, mut found) = (Vec::new(), Vec::new());
    places(args, String::new(), &mut found);
    for (pointer, value) in found.iter().skip(1) {
        for other in extremes(value, is_expression(tool, pointer)) {
            let mut changed = args.clone();
            *changed.pointer_mut(pointer).expect("a place") = other;
            cases.push(Case {
                tool,
                args: changed,
            });
        }
    }
    for (name, value) in absent(&tool.input_schema(), args) {
        let mut changed = args.clone();
        changed[name.as_str()] = value;
        cases.push(Case {
            tool,
            args: changed,
        });
    }
    cases
}

fn is_expression(tool: &dyn AnyTool, pointer: &str) -> bool {
    let mut places = tool.spec().syntax.iter();
    places.any(|(place, syntax)| *syntax == Syntax::Expression && pointer.starts_with(place))
}

/// Calls with several arguments replaced or added, by chance that is the same every time.
fn mixed(tool: &'static dyn AnyTool, args: &Json, count: usize) -> Vec<Case> {
    let more = absent(&tool.input_schema(), args);
    let mut rng = stream_rng(count as u64, 0);
    let mut chance = |among: usize| rng.random_range(0..among);
    let mut found = Vec::new();
    places(args, String::new(), &mut found);
    let mut cases = Vec::new();
    for _ in 0..count {
        let mut changed = args.clone();
        for (pointer, value) in found.iter().skip(1) {
            let others = extremes(value, is_expression(tool, pointer));
            let replaced = chance(3) == 0 && !others.is_empty();
            if replaced && let Some(place) = changed.pointer_mut(pointer) {
                *place = others[chance(others.len())].clone();
            }
        }
        for _ in 0..chance(4).min(more.len()) {
            let (name, value) = more[chance(more.len())].clone();
            changed[name.as_str()] = value;
        }
        cases.push(Case {
            tool,
            args: changed,
        });
    }
    cases
}

/// What is wrong with the answer to a call, if anything.
fn fault(case: &Case, ctx: &Ctx) -> Option<String> {
    let args =
        strict::parse_json(&case.args.to_string(), strict::JsonLimits::default()).expect("JSON");
    let outcome = catch_unwind(AssertUnwindSafe(|| case.tool.decode(&args)?.run(ctx)));
    match outcome {
        Err(_) => Some("it panicked".to_owned()),
        Ok(Err(error)) if error.code() == ErrorCode::Internal => Some(format!("{error:?}")),
        Ok(Err(_)) => None,
        Ok(Ok(output)) => not_a_number(&output, String::new()),
    }
}

/// A NaN where the documentation of the result names none; infinities have their place in conditions and the like.
fn not_a_number(output: &Value, at: String) -> Option<String> {
    /// Values at points where a function is none, and what too few or equal numbers do not say.
    const MAY: [&str; 20] = [
        "/kkt_residual",
        "/parameters",
        "/band",
        "/history/y",
        "/residual_std",
        "/terms",
        "/standard_errors",
        "/covariance",
        "/std_dev",
        "/ess",
        "/rhat",
        "/mcse",
        "/summary",
        "/nuts",
        "/r2",
        "/adjusted_r2",
        "/condition",
        // Shapes of few or equal numbers, and statistics beside an exact p value.
        "/extended",
        "/groups",
        "/pairs",
    ];
    if output.as_str() == Some("NaN")
        && (at.ends_with("/estimate") || !MAY.iter().any(|place| at.starts_with(place)))
    {
        return Some(format!("{at} is NaN"));
    }
    let members = output
        .as_object()
        .into_iter()
        .flat_map(|object| object.iter());
    members
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .chain(match output {
            Value::Array(items) => (0..)
                .map(|i: usize| i.to_string())
                .zip(items.iter().cloned())
                .collect(),
            _ => Vec::new(),
        })
        .find_map(|(key, value)| not_a_number(&value, format!("{at}/{key}")))
}

/// Runs calls one after the other on a thread of its own, so that one that hangs is seen.
fn worker() -> (Sender<(Case, Ctx)>, Receiver<Option<String>>) {
    let (calls, todo) = channel::<(Case, Ctx)>();
    let (done, answers) = channel();
    std::thread::Builder::new()
        .stack_size(16 << 20)
        .spawn(move || {
            for (case, ctx) in todo {
                if done.send(fault(&case, &ctx)).is_err() {
                    return;
                }
            }
        })
        .expect("a thread");
    (calls, answers)
}

/// Makes calls, half of them under a deadline and half under a cancel.
fn sweep(cases: impl IntoIterator<Item = Case>) {
    let (calls, answers) = worker();
    let mut faults = Vec::new();
    for (index, case) in cases.into_iter().enumerate() {
        let stop = StopFlag::new();
        let budget = CallBudget {
            timeout_ms: DEADLINE_MS,
            memory_bytes: 1 << 30,
            ..CallBudget::default()
        };
        let shown = format!("{} {}", case.tool.spec().id, case.args);
        let shown: String = shown.chars().take(400).collect();
        let ctx = Ctx::new(stop.clone(), budget);
        calls.send((case, ctx)).expect("the worker is there");
        let answer = match answers.recv_timeout(STOP_AFTER) {
            Err(RecvTimeoutError::Timeout) => {
                if index % 2 == 0 {
                    stop.time_out();
                } else {
                    stop.cancel();
                }
                let late = |_| panic!("no answer {ANSWER_WITHIN:?} after the stop: {shown}");
                answers.recv_timeout(ANSWER_WITHIN).unwrap_or_else(late)
            }
            answer => answer.expect("the worker answers"),
        };
        faults.extend(answer.map(|fault| format!("{shown}\n    {fault}")));
    }
    assert!(
        faults.is_empty(),
        "{} of the calls:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn the_calls_to_start_from_are_answered() {
    for (id, _) in larger() {
        assert!(tools().any(|tool| tool.spec().id == id), "no tool `{id}`");
    }
    for tool in tools() {
        for args in starts(tool) {
            let text = args.to_string();
            let args = strict::parse_json(&text, strict::JsonLimits::default()).expect("JSON");
            let answer = tool
                .decode(&args)
                .and_then(|call| call.run(&Ctx::default()));
            assert!(answer.is_ok(), "{} {text}: {answer:?}", tool.spec().id);
        }
    }
}

fn each_start() -> impl Iterator<Item = (&'static dyn AnyTool, Json)> {
    tools().flat_map(|tool| starts(tool).into_iter().map(move |args| (tool, args)))
}

#[test]
fn extreme_arguments_are_answered_in_time() {
    sweep(each_start().flat_map(|(tool, args)| {
        let mut cases = single(tool, &args);
        cases.extend(mixed(tool, &args, 30));
        cases
    }));
}

#[test]
#[ignore = "thousands of calls of each tool: minutes; `.ci/soak` runs it"]
fn many_extreme_arguments_are_answered_in_time() {
    sweep(each_start().flat_map(|(tool, args)| mixed(tool, &args, 3000)));
}
