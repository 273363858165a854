//! Durable runs and their artifacts at the command line.

use std::sync::Arc;

use mathchain::chain_runtime::artifacts::Handle;
use mathchain::chain_runtime::state::{RunHeader, RunState, State};
use mathchain::clock::SystemClock;
use mathchain::tool_core::capability::Durability;
use tool_core::Value;

use crate::support::Place;

fn state(place: &Place) -> Arc<State> {
    let clock = Arc::new(SystemClock::default());
    Arc::new(State::open(place.path("state/mathchain"), clock).expect("opens"))
}

/// The matrix of the runs below: 8000 numbers, more than stands in a row.
fn numbers() -> Vec<f64> {
    (0..8000).map(f64::from).map(|x| x / 2.0).collect()
}

/// A run of a role that made a matrix and a long text; gives its id and the handles.
fn run(place: &Place, role: &str, end: RunState) -> (String, Handle, Handle) {
    let state = state(place);
    let journal = state
        .begin_run(&RunHeader {
            plan_id: "fit".to_owned(),
            plan: Value::object([("steps", 1_i64)]),
            inputs: Value::object([("n", 8000_i64)]),
            role: role.to_owned(),
            ..RunHeader::default()
        })
        .expect("begins");
    let matrix = journal.put(&Value::vector(numbers())).expect("kept");
    let text = journal
        .put(&Value::object([("$lit", "x".repeat(40_000))]))
        .expect("kept");
    let settled = Value::object([
        ("kind", Value::from("settled")),
        ("step", Value::from("a")),
        ("value", matrix.to_value()),
    ]);
    journal
        .write(&settled, Durability::Synced)
        .expect("written");
    journal.finish(end).expect("ends");
    (journal.id().to_owned(), matrix, text)
}

#[test]
fn runs_are_listed_shown_exported_pinned_and_collected() {
    let place = Place::new();
    let (one, matrix, _) = run(&place, "worker_math", RunState::Succeeded);
    let (two, _, _) = run(&place, "worker_math", RunState::Suspended);
    let list = |args: &[&str]| -> Vec<String> {
        let answer = place.run(&[&["runs", "list"], args].concat(), "");
        let items = answer.expect_code(0).json().items().expect("a list");
        let id = |item: &Value| item.get("run").and_then(Value::as_str).map(str::to_owned);
        items.iter().filter_map(id).collect()
    };
    assert_eq!(list(&[]), [two.clone(), one.clone()]);
    assert_eq!(list(&["--state", "suspended"]), std::slice::from_ref(&two));
    assert_eq!(list(&["--limit", "1"]), [two]);

    let shown = place.run(&["runs", "show", &one[..10]], "");
    assert_eq!(shown.expect_code(0).at("/inputs/n"), Value::Int(8000));
    assert_eq!(shown.at("/records/0/value/shape/0"), Value::Int(8000));
    assert_eq!(shown.at("/records/1/state"), Value::from("succeeded"));
    assert_eq!(shown.at("/artifacts/1/runs/0"), Value::from(one.as_str()));
    let human = place.run(&["runs", "show", &one, "--output", "human"], "");
    assert!(
        human.expect_code(0).stdout.contains("settled"),
        "{}",
        human.stdout
    );

    let exported = place.run(&["runs", "export", &one], "");
    let lines: Vec<&str> = exported.expect_code(0).stdout.lines().collect();
    assert_eq!(lines.len(), 1 + 2 + 2, "header, records, links");
    assert!(lines[0].contains(r#""plan_id":"fit""#), "{}", lines[0]);

    place.run(&["runs", "pin", &one], "").expect_code(0);
    let gc = ["runs", "gc", "--keep-days", "0"];
    let done = place.run(&gc, "");
    assert_eq!(done.expect_code(0).at("/freed_bytes"), Value::Int(0));
    let done = place.run(&["runs", "unpin", &one], "");
    assert_eq!(done.expect_code(0).at("/pinned"), Value::Bool(false));
    let dry = place.run(&[&gc[..], &["--dry-run"]].concat(), "");
    assert_eq!(dry.expect_code(0).at("/runs/0"), Value::from(one.as_str()));
    let done = place.run(&gc, "");
    // The other run made the same values and still refers to them.
    assert_eq!(done.expect_code(0).at("/artifacts"), Value::Int(0));
    assert_eq!(
        state(&place).value(&matrix).expect("there"),
        Value::vector(numbers())
    );
    let audit = place.run(&["audit", "verify"], "");
    assert_eq!(audit.expect_code(0).at("/sound"), Value::Bool(true));
    assert_ne!(place.run(&["runs", "show", "zzzz"], "").code, 0);
    assert_eq!(place.run(&["runs", "list", "--state", "odd"], "").code, 2);
}

#[test]
fn artifacts_are_listed_shown_and_written_out() {
    let place = Place::new();
    let (id, matrix, text) = run(&place, "worker_math", RunState::Succeeded);
    let name = matrix.hash.to_string();
    let listed = place.run(&["artifacts", "list", "--run", &id], "");
    assert_eq!(
        listed
            .expect_code(0)
            .json()
            .items()
            .map(|items| items.len()),
        Some(2)
    );
    let shown = place.run(&["artifacts", "show", &name[..12]], "");
    assert_eq!(shown.expect_code(0).at("/summary/max"), Value::from(3999.5));
    assert_eq!(shown.at("/dtype"), Value::from("<f8"));

    place
        .run(&["artifacts", "get", &name, "--to", "m.npy"], "")
        .expect_code(0);
    let again = place.run(&["artifacts", "get", &name, "--to", "m.npy"], "");
    assert_eq!(
        again.code, 1,
        "what is there is not replaced: {}",
        again.stderr
    );
    // The file is one that a tool reads as well.
    let mean = place.run(
        &["call", "statistics"],
        r#"{"data":{"$file":"m.npy"},"metrics":["mean"]}"#,
    );
    assert_eq!(mean.expect_code(0).at("/output/mean"), Value::from(1999.75));
    let json = place.run(&["artifacts", "get", &text.hash.to_string()], "");
    assert_eq!(
        json.expect_code(0).at("/$lit").as_str().map(str::len),
        Some(40_000)
    );
    let none = place.run(&["artifacts", "get", &format!("b3:{}", "0".repeat(64))], "");
    assert!(
        none.code != 0 && none.stderr.contains("is not there"),
        "{}",
        none.stderr
    );
}

/// `{"$artifact": handle}` as an argument: for the role whose run made it, and for the operator.
#[test]
fn an_artifact_is_an_argument_for_its_role() {
    let place = Place::new();
    let (_, matrix, text) = run(&place, "worker_math", RunState::Succeeded);
    let call = |role: &str, handle: &str| {
        let args = format!(r#"{{"data":{{"$artifact":"{handle}"}},"metrics":["mean"]}}"#);
        place.run(&["call", "statistics", "--role", role], &args)
    };
    let name = matrix.hash.to_string();
    for role in ["worker_math", "operator"] {
        assert_eq!(
            call(role, &name).expect_code(0).at("/output/mean"),
            Value::from(1999.75)
        );
    }
    let refused = call("worker_general", &name);
    assert_eq!(
        refused.expect_code(3).at("/error/reason"),
        Value::from("artifact_role")
    );
    assert_eq!(refused.at("/error/path"), Value::from("/data"));
    let unfit = call("worker_math", &text.hash.to_string());
    assert_eq!(
        unfit.expect_code(2).at("/error/code"),
        Value::from("invalid_args")
    );
    assert_eq!(
        call("operator", "b3:12").expect_code(2).at("/error/reason"),
        Value::from("handle")
    );
}
