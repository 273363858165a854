//! Durable runs and their artifacts at the command line.

use std::sync::Arc;

use mathchain::clock::SystemClock;
use mathchain::journal::artifacts::ArtifactHandle;
use mathchain::journal::{RunHeader, RunState, StateStore};
use mathchain::tool_core::capability::RecordDurability;
use tool_core::Value;

use crate::support::Place;

fn state(place: &Place) -> Arc<StateStore> {
    let clock = Arc::new(SystemClock::default());
    Arc::new(StateStore::open(place.path("state/mathchain"), clock).expect("opens"))
}

/// The matrix of the runs below: 8000 numbers, more than stands in a row.
fn numbers() -> Vec<f64> {
    (0..8000).map(f64::from).map(|x| x / 2.0).collect()
}

/// A run of a role that made a matrix and a long text; gives its id and the handles.
fn run(place: &Place, role: &str, end: RunState) -> (String, ArtifactHandle, ArtifactHandle) {
    run_of(place, role, end, Value::Null)
}

/// As [`run`], of a caller.
fn run_of(
    place: &Place,
    role: &str,
    end: RunState,
    who: Value,
) -> (String, ArtifactHandle, ArtifactHandle) {
    let state = state(place);
    let journal = state
        .begin_run(&RunHeader {
            plan_id: "fit".to_owned(),
            plan: Value::object([("steps", 1_i64)]),
            inputs: Value::object([("n", 8000_i64)]),
            role: role.to_owned(),
            who,
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
        .write(&settled, RecordDurability::Synced)
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
        // These runs are of no folder.
        let answer = place.run(&[&["runs", "list", "--all-folders"], args].concat(), "");
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
fn the_newest_run_is_shown_without_its_id() {
    let place = Place::new();
    let none = place.run(&["runs", "show", "--last", "--json"], "");
    assert_eq!(none.expect_code(2).at("/error/reason"), Value::from("run"));
    place.write(
        "p.yaml",
        "version: 1\nid: p\nsteps:\n  - {id: a, tool: calculate, args: {expression: 1+1}}\n",
    );
    place.run(&["run", "p.yaml"], "").expect_code(0);
    let newest = place.run(&["run", "p.yaml"], "");
    let shown = place.run(&["runs", "show", "--last", "--json"], "");
    assert_eq!(
        shown.expect_code(0).at("/run"),
        newest.at("/metadata/chain_id")
    );
    place.run(&["runs", "show"], "").expect_code(2);
    place
        .run(&["runs", "show", "x", "--last"], "")
        .expect_code(2);
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
        none.code != 0 && none.stderr.contains("no longer exists"),
        "{}",
        none.stderr
    );
}

/// `{"$artifact": handle}` as an argument: for the role whose run made it, and for the operator.
#[test]
fn an_artifact_is_an_argument_for_its_role() {
    let place = Place::new();
    // An argument is opened in the workspace in which it was made.
    let root = place.path("work").canonicalize().expect("is there");
    let root = root.to_str().expect("a path").to_owned();
    let here = Value::object([("root", root), ("id", String::new())]);
    let who = Value::object([("workspace", here)]);
    let (_, matrix, text) = run_of(&place, "worker_math", RunState::Succeeded, who);
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

/// A plan that waits for a person, and then runs a plan that no check could see: `statistics` within it.
const HIDES_STATISTICS: &str = r#"{"version": 1, "steps": [
    {"id": "make", "tool": "json_query", "args": {"query": "@", "data": {"version": 1,
        "steps": [{"id": "mean", "tool": "statistics", "args": {"data": [1, 2]}}], "outputs": {"n": {"$lit": 1}}}}},
    {"id": "gate", "tool": "calculate", "approval": "required", "args": {"expression": "1"}},
    {"id": "inner", "tool": "chain_run", "after": ["gate"], "args": {"plan": {"$ref": "make.result"}}}],
    "outputs": {"n": {"$ref": "inner.outputs.n"}}}"#;

/// Who goes on with a run has the rights of who began it, not those of the terminal: overrides of a session and what a delegate
/// was left hold over calls that come after the approval.
#[test]
fn a_run_goes_on_with_the_rights_it_began_with() {
    let plan = HIDES_STATISTICS.replace('\n', " ");
    let observed = format!(
        r#"{{"type":"calls.observed","calls":[{{"call_id":"a","tool":"chain_run","args":{{"plan":{plan}}}}}]}}"#
    );
    let session =
        |overrides: &str| format!("{{\"type\":\"run.requested\"}}\n{overrides}{observed}\n");
    let disabled =
        "{\"type\":\"overrides.set\",\"scope\":\"session\",\"disable\":[\"statistics\"]}\n";
    let delegate = |tools: &str| {
        format!(
            r#"{{"name":"helper","tools":[{tools}],"calls":[{{"tool":"chain_run","args":{{"plan":{plan}}}}}]}}"#
        )
    };
    let few = r#""chain_run","calculate","json_query""#;
    for (command, input, runs) in [
        (&["session"][..], session(""), true),
        (&["session"], session(disabled), false),
        (
            &["call", "delegate"],
            delegate(&format!(r#"{few},"statistics""#)),
            true,
        ),
        (&["call", "delegate"], delegate(few), false),
    ] {
        let place = Place::new();
        place.run(command, &input).expect_code(0);
        let waiting = place.run(&["approvals", "list"], "");
        let id = waiting.at("/0/id");
        let approved = place.run(&["approve", id.as_str().expect("an id")], "");
        approved.expect_code(0);
        let stopped = place.run(&["runs", "list", "--state", "suspended"], "");
        let id = stopped.at("/0/run");
        let ended = place.run(&["runs", "resume", id.as_str().expect("an id")], "");
        if runs {
            let output = ended.expect_code(0).at("/output/outputs/n");
            assert_eq!(output, Value::from(1_i64));
        } else {
            ended.expect_code(3);
            let message = ended.at("/error/message");
            assert!(
                message
                    .as_str()
                    .is_some_and(|text| text.contains("`statistics`")),
                "{message}"
            );
        }
    }
}

/// So does what its task has used of its budget.
#[test]
fn a_run_that_goes_on_has_used_what_it_used() {
    for (reads, code) in [(3, 0), (2, 1)] {
        let place = Place::new();
        let budget = format!("version = 1\n[budgets.bugfix]\nread = {reads}\n");
        place.write("mathchain.toml", &budget);
        place.write("a.txt", "a");
        place.write(
            "plan.yaml",
            "version: 1\nsteps:\n  - {id: a, tool: read_file, args: {path: a.txt}}\n  - {id: gate, tool: calculate, after: [a], approval: required, args: {expression: '1'}}\n  - {id: b, tool: read_file, after: [gate], args: {path: a.txt}}\n",
        );
        let waits = place.run(&["run", "plan.yaml", "--task", "bugfix"], "");
        let waits = waits.expect_code(4);
        let approval = waits.at("/metadata/approval_id");
        let approve = ["approve", approval.as_str().expect("an id")];
        place.run(&approve, "").expect_code(0);
        let run = waits.at("/metadata/chain_id");
        let ended = place.run(&["runs", "resume", run.as_str().expect("an id")], "");
        ended.expect_code(code);
        if code != 0 {
            assert_eq!(ended.at("/error/reason"), Value::from("budget"));
        }
    }
}

/// The folder that was open in a session and what held there hold for the rest of a run that began in it, also when that is gone
/// through anew.
#[test]
fn a_run_of_a_session_goes_on_in_its_world() {
    let gated = |last: &str| {
        let plan = r#"{"version": 1, "steps": [
            {"id": "make", "tool": "json_query", "args": {"query": "@", "data": {"version": 1, "steps": [LAST], "outputs": {"n": {"$lit": 1}}}}},
            {"id": "gate", "tool": "calculate", "approval": "required", "args": {"expression": "1"}},
            {"id": "inner", "tool": "chain_run", "after": ["gate"], "args": {"plan": {"$ref": "make.result"}}}], "outputs": {}}"#;
        let plan = plan.replace("LAST", last).replace('\n', " ");
        format!(
            r#"{{"type":"calls.observed","calls":[{{"call_id":"z","tool":"chain_run","args":{{"plan":{plan}}}}}]}}"#
        )
    };
    let opened = r#"{"type":"calls.observed","calls":[{"call_id":"o","tool":"workspace_open","args":{"path":"sub"}}]}"#;
    let read = |path: &str| {
        format!(r#"{{"id": "last", "tool": "read_file", "args": {{"path": "{path}"}}}}"#)
    };
    let write = r#"{"id": "last", "tool": "create_directory", "args": {"path": "sub/new"}}"#;
    let read_only = r#"{"type":"facts.set","read_only":true}"#;
    for (before, last, refused) in [
        (opened.to_owned(), read("sub/a.txt"), None),
        (
            opened.to_owned(),
            read("b.txt"),
            Some("is not in the open folder"),
        ),
        (String::new(), read("sub/a.txt"), Some("workspace=ready")),
        (
            format!("{opened}\n{read_only}"),
            write.to_owned(),
            Some("read_only"),
        ),
    ] {
        let place = Place::new();
        place.write("sub/a.txt", "a");
        place.write("b.txt", "b");
        let lines = format!(
            "{{\"type\":\"run.requested\"}}\n{before}\n{}\n",
            gated(&last)
        );
        let lines: Vec<&str> = lines.lines().filter(|line| !line.is_empty()).collect();
        place
            .run(&["session"], &format!("{}\n", lines.join("\n")))
            .expect_code(0);
        let waiting = place.run(&["approvals", "list"], "");
        let id = waiting.at("/0/id");
        let approve = ["approve", id.as_str().expect("an id")];
        place.run(&approve, "").expect_code(0);
        let stopped = place.run(&["runs", "list", "--state", "suspended"], "");
        let run = stopped.at("/0/run");
        let run = run.as_str().expect("an id");
        let ended = place.run(&["runs", "resume", run], "");
        let again = || place.run(&["replay", run, "--mode", "rerun", "--yes"], "");
        match refused {
            None => {
                ended.expect_code(0);
                again().expect_code(0);
            }
            Some(words) => {
                for answer in [&ended, &again()] {
                    let message = answer.at("/error/message");
                    let said = message.as_str().unwrap_or_default();
                    assert!(said.contains(words), "{words}: {}", answer.stdout);
                }
            }
        }
        assert!(!place.path("work/sub/new").exists());
    }
}
