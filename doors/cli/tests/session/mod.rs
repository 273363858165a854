//! `mathchain session` as its callers meet it.

mod logs;

use std::path::PathBuf;

use tool_core::{Value, json};

use crate::support::{Answer, Place, root};

/// A role with few tools, so that logs stay short.
const CONFIG: &str = "version = 1\ndefault_role = \"coder\"\n[roles.coder]\ntools = [\"read_file\", \"write_file\", \"edit_file\", \"delete_file\", \"grep\", \"run_shell\", \"statistics\", \"workspace_open\", \"workspace_close\"]\n";

#[expect(clippy::disallowed_methods, reason = "a test reads its own files")]
fn example() -> String {
    std::fs::read_to_string(root().join("examples/session.jsonl")).expect("the example")
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
fn place() -> Place {
    let place = Place::new();
    for name in ["examples/quickstart.yaml", "examples/data/houses.csv"] {
        let text = std::fs::read_to_string(root().join(name)).expect("a file of the examples");
        place.write(name, &text);
    }
    place.write("README.md", "read me\n");
    place.write("mathchain.toml", CONFIG);
    place
}

fn lines(answer: &Answer) -> Vec<Value> {
    let parse = |line| mathchain::parse_json(line).unwrap_or_else(|err| panic!("{err}: {line}"));
    answer.stdout.lines().map(parse).collect()
}

fn kind(line: &Value) -> &str {
    line.get("type").and_then(Value::as_str).expect("a type")
}

/// The results of every batch: `id status code`.
fn results(lines: &[Value]) -> Vec<String> {
    let settled = lines.iter().filter(|line| kind(line) == "batch.settled");
    let results =
        settled.flat_map(|line| line.get("results").and_then(Value::items).expect("results"));
    let words = |result: Value| {
        let words = ["/call_id", "/status", "/error/code"].into_iter();
        let words = words.filter_map(|pointer| result.pointer(pointer));
        words
            .map(|word| word.as_str().expect("a text").to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    results.map(words).collect()
}

/// The tools of each turn.
fn offers(lines: &[Value]) -> Vec<Vec<String>> {
    let requested = lines
        .iter()
        .filter(|line| kind(line) == "generate.requested");
    let tools = requested.map(|line| line.get("tools").and_then(Value::items).expect("tools"));
    let ids = |tools: Vec<Value>| {
        let ids = tools.iter().map(|tool| {
            tool.get("id")
                .and_then(Value::as_str)
                .expect("an id")
                .to_owned()
        });
        ids.collect()
    };
    tools.map(ids).collect()
}

fn waves(lines: &[Value], batch: i64) -> String {
    let plan = lines.iter().find(|line| {
        kind(line) == "plan.created" && line.get("batch").and_then(Value::as_i64) == Some(batch)
    });
    plan.expect("a plan")
        .get("waves")
        .expect("waves")
        .to_string()
}

/// Replays what was printed; the state is the last line of it.
fn replays(place: &Place, answer: &Answer) {
    let again = place.run(&["session", "replay", "-"], &answer.stdout);
    again.expect_code(0);
    assert_eq!(Some(again.stdout.trim_end()), answer.stdout.lines().last());
}

fn entries(folder: PathBuf) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn the_example_is_refused_opens_reads_edits_and_is_refused_again() {
    for (flags, edits) in [(&[][..], "pending_approval"), (&["--yes"][..], "succeeded")] {
        let place = place();
        let args = [&["session"], flags].concat();
        let answer = place.run(&args, &example());
        let lines = lines(answer.expect_code(0));
        let expected = [
            "a1 rejected precondition_failed".to_owned(),
            "a2 succeeded".to_owned(),
            "a3 rejected unknown_tool".to_owned(),
            "b1 succeeded".to_owned(),
            "c1 succeeded".to_owned(),
            "c2 succeeded".to_owned(),
            "c3 succeeded".to_owned(),
            "c4 rejected invalid_args".to_owned(),
            format!("d1 {edits}"),
            format!("d2 {edits}"),
            format!("d3 {edits}"),
            "d4 succeeded".to_owned(),
            format!("d5 {edits}"),
            "e1 rejected precondition_failed".to_owned(),
        ];
        assert_eq!(results(&lines), expected);
        assert_eq!(waves(&lines, 3), r#"[["c1","c2","c3"]]"#);
        assert_eq!(waves(&lines, 4), r#"[["d1","d4"],["d2"],["d3"],["d5"]]"#);
        let has = |offer: &[String], tool: &str| offer.iter().any(|id| id == tool);
        let offers = offers(&lines);
        let reads: Vec<bool> = offers.iter().map(|offer| has(offer, "read_file")).collect();
        assert_eq!(reads, [false, false, true, true, true, false]);
        assert!(
            offers
                .iter()
                .all(|offer| has(offer, "workspace_open") && has(offer, "statistics"))
        );
        let shells: Vec<bool> = offers.iter().map(|offer| has(offer, "run_shell")).collect();
        assert_eq!(shells, reads);
        let left = entries(place.path("work/examples"));
        match edits {
            "succeeded" => {
                assert_eq!(left, ["data", "out", "quickstart.yaml"]);
                assert!(entries(place.path("work/examples/out")).is_empty());
            }
            _ => assert_eq!(left, ["data", "quickstart.yaml"]),
        }
        replays(&place, &answer);
        let audit = place.run(&["audit", "verify"], "");
        assert_eq!(audit.expect_code(0).at("/sound"), Value::Bool(true));
    }
}

#[test]
fn a_plan_is_left_to_the_caller() {
    let place = place();
    let input = [
        r#"{"type":"workspace.changed","id":"mine","status":"ready","path":"./examples/"}"#,
        r#"{"type":"run.requested"}"#,
        r#"{"type":"calls.observed","turn":1,"calls":[{"call_id":"w","tool":"write_file","args":{"path":"examples/x","content":"y"}},{"call_id":"r","tool":"read_file","args":{"path":"examples/x"}}]}"#,
        r#"{"type":"call.settled","call_id":"r","status":"succeeded","output":{}}"#,
        r#"{"type":"call.settled","call_id":"w","status":"succeeded","output":{"bytes":1}}"#,
        r#"{"type":"call.settled","call_id":"w","status":"succeeded","output":{"bytes":2}}"#,
        r#"{"type":"call.settled","call_id":"r","status":"succeeded","output":{"content":"y"}}"#,
    ];
    let answer = place.run(&["session", "--plan-only"], &(input.join("\n") + "\n"));
    let lines = lines(answer.expect_code(0));
    let kinds: Vec<&str> = lines.iter().map(kind).collect();
    let expected = [
        "applied",
        "applied",
        "applied",
        "generate.requested",
        "applied",
        "plan.created",
        "wave.started",
        "event.refused",
        "applied",
        "wave.started",
        "event.refused",
        "applied",
        "batch.settled",
        "generate.requested",
        "state",
    ];
    assert_eq!(kinds, expected);
    let refused: Vec<(i64, String)> = (lines.iter())
        .filter(|line| kind(line) == "event.refused")
        .map(|line| {
            let number = line.get("line").and_then(Value::as_i64).expect("a line");
            (
                number,
                line.pointer("/error/reason").expect("a reason").to_string(),
            )
        })
        .collect();
    assert_eq!(
        refused,
        [
            (4, "\"not_started\"".to_owned()),
            (6, "\"settled\"".to_owned())
        ]
    );
    assert_eq!(results(&lines), ["w succeeded", "r succeeded"]);
    assert_eq!(
        entries(place.path("work/examples")),
        ["data", "quickstart.yaml"]
    );
    replays(&place, &answer);
}

#[test]
fn bad_lines_are_answered_with_their_number_and_the_session_lives_on() {
    let place = place();
    place.write(
        "mathchain.toml",
        &format!("{CONFIG}[limits]\nmax_input_bytes = 4000\n"),
    );
    let mut input: Vec<u8> = Vec::new();
    let deep = "[".repeat(500) + &"]".repeat(500);
    for line in [
        "garbage".to_owned(),
        "{\"type\":\"run.requested\"".to_owned(),
        "[1,2]".to_owned(),
        "{\"type\":7}".to_owned(),
        "{\"type\":\"run.requested\",\"run\":{}}".to_owned(),
        "{\"type\":\"run.requested\",\"type\":\"turn.ended\"}".to_owned(),
        "{\"type\":\"generate.requested\"}".to_owned(),
        format!(
            "{{\"type\":\"run.requested\",\"run\":\"{}\"}}",
            "x".repeat(5000)
        ),
        format!("{{\"type\":\"calls.observed\",\"calls\":{deep}}}"),
        String::new(),
        "{\"type\":\"session.opened\",\"session\":\"mine\",\"role\":\"operator\"}".to_owned(),
        "{\"type\":\"profile.selected\",\"profile\":\"nobody\"}".to_owned(),
    ] {
        input.extend_from_slice(line.as_bytes());
        input.push(b'\n');
    }
    input.extend_from_slice(b"{\"type\":\"\xff\"}\n{\"type\":\"run.requested\"}");
    let answer = place.run_bytes(&["session"], &input);
    let lines = lines(answer.expect_code(0));
    let numbers = |wanted: &str| -> Vec<i64> {
        let of_kind = lines.iter().filter(|line| kind(line) == wanted);
        of_kind
            .filter_map(|line| line.get("line")?.as_i64())
            .collect()
    };
    assert_eq!(numbers("line.refused"), [1, 2, 3, 4, 5, 6, 7, 8, 9, 13]);
    assert_eq!(numbers("event.refused"), [11, 12]);
    assert_eq!(
        lines
            .iter()
            .filter(|line| kind(line) == "generate.requested")
            .count(),
        1
    );
    for line in &lines {
        assert!(
            json::to_text(line).len() < 4000 || kind(line) == "applied",
            "{line}"
        );
    }
    replays(&place, &answer);
}

#[test]
fn the_workspace_opens_and_closes_by_tools_and_confines_them() {
    let place = place();
    let calls = |calls: &str| format!("{{\"type\":\"calls.observed\",\"calls\":[{calls}]}}\n");
    let call = |id: &str, tool: &str, args: &str| {
        format!("{{\"call_id\":\"{id}\",\"tool\":\"{tool}\",\"args\":{args}}}")
    };
    let input = [
        "{\"type\":\"run.requested\"}\n".to_owned(),
        calls(&call("1", "workspace_close", "{}")),
        calls(&call("2", "workspace_open", "{\"path\":\"../..\"}")),
        calls(&call("3", "workspace_open", "{\"path\":\"README.md\"}")),
        calls(
            &[
                call("4", "workspace_open", "{\"path\":\"examples/data\"}"),
                call("5", "read_file", "{\"path\":\"examples/data/houses.csv\"}"),
            ]
            .join(","),
        ),
        calls(
            &[
                call("6", "read_file", "{\"path\":\"examples/quickstart.yaml\"}"),
                call("7", "workspace_open", "{}"),
                call("7b", "workspace_open", "{\"path\":\"examples/data\"}"),
            ]
            .join(","),
        ),
        calls(
            &[
                call("8", "workspace_close", "{}"),
                call("9", "read_file", "{\"path\":\"examples/data/houses.csv\"}"),
            ]
            .join(","),
        ),
        calls(&call("10", "workspace_open", "{}")),
        calls(
            &[
                call("11", "read_file", "{\"path\":\"README.md\"}"),
                call(
                    "12",
                    "statistics",
                    "{\"data\":{\"$file\":\"examples/none.json\"}}",
                ),
            ]
            .join(","),
        ),
        "{\"type\":\"workspace.changed\",\"id\":\"w1\",\"status\":\"expired\"}\n".to_owned(),
        "{\"type\":\"workspace.changed\",\"id\":\"w9\",\"status\":\"ready\"}\n".to_owned(),
    ];
    let answer = place.run(&["session"], &input.concat());
    let lines = lines(answer.expect_code(0));
    assert_eq!(
        results(&lines),
        [
            "1 failed precondition_failed",
            "2 rejected invalid_args",
            "3 failed invalid_args",
            "4 succeeded",
            "5 rejected precondition_failed",
            "6 rejected invalid_args",
            "7 failed conflict",
            "7b failed conflict",
            "8 succeeded",
            "9 rejected precondition_failed",
            "10 succeeded",
            "11 succeeded",
            "12 failed tool_error",
        ]
    );
    let causes: Vec<String> = (lines.iter())
        .filter_map(|line| Some(line.pointer("/event/cause")?.to_string()))
        .collect();
    assert_eq!(causes, ["\"4\"", "\"8\"", "\"10\""]);
    assert_eq!(
        lines
            .iter()
            .filter(|line| kind(line) == "event.refused")
            .count(),
        2
    );
    let state = lines.last().expect("a state");
    assert_eq!(
        state.pointer("/state/workspace/id"),
        Some(Value::from("w2"))
    );
    replays(&place, &answer);
}

#[test]
fn other_doors_have_a_fixed_workspace_and_say_so() {
    let place = Place::new();
    for tool in ["workspace_open", "workspace_close"] {
        let answer = place.run(&["call", tool, "--output", "json"], "{}");
        let answer = answer.expect_code(1);
        assert_eq!(answer.at("/error/code"), Value::from("precondition_failed"));
        assert!(
            answer
                .at("/error/message")
                .to_string()
                .contains("mathchain session"),
            "{}",
            answer.stdout
        );
    }
    let list = place.run(&["tools", "list", "--json"], "");
    assert!(!list.expect_code(0).stdout.contains("workspace_open"));
}

#[test]
fn a_registry_that_is_wrong_is_refused_and_a_new_one_taken_up() {
    use std::io::{BufRead, Write};
    let place = place();
    let mut child = place
        .command(&["session", "--name", "reload"])
        .spawn()
        .expect("starts");
    let mut input = child.stdin.take().expect("piped");
    let mut output = std::io::BufReader::new(child.stdout.take().expect("piped"));
    let mut send = |line: &str, until: &str| {
        writeln!(input, "{line}").expect("writes");
        loop {
            let mut text = String::new();
            output.read_line(&mut text).expect("reads");
            let value = mathchain::parse_json(text.trim_end()).expect("JSON");
            if kind(&value) == until {
                return value;
            }
        }
    };
    let first = send(r#"{"type":"run.requested"}"#, "generate.requested");
    place.write("mathchain.toml", "version = 1\ndefault_role = \"nobody\"\n");
    send(r#"{"type":"registry.set"}"#, "event.refused");
    // Sound by itself, but without the role of the session.
    place.write("mathchain.toml", "version = 1\n");
    let refused = send(r#"{"type":"registry.set"}"#, "event.refused");
    assert_eq!(refused.pointer("/error/reason"), Some(Value::from("role")));
    place.write("mathchain.toml", &CONFIG.replace("\"grep\", ", ""));
    send(
        r#"{"type":"registry.set","generation":"0"}"#,
        "event.refused",
    );
    let applied = send(r#"{"type":"registry.set"}"#, "applied");
    assert!(applied.pointer("/changed/registry").is_some());
    send(r#"{"type":"turn.ended"}"#, "applied");
    let second = send(r#"{"type":"input.appended"}"#, "generate.requested");
    assert_ne!(first.get("generation"), second.get("generation"));
    assert_ne!(first.get("missing"), second.get("missing"));
    drop(input);
    assert!(child.wait().expect("ends").success());
}

/// Artifacts are the state's, so they need no workspace; files do.
#[test]
fn artifacts_are_looked_for_without_a_workspace_and_files_are_not() {
    let place = place();
    let handle = format!("b3:{}", "0".repeat(64));
    let input = format!(
        "{{\"type\":\"run.requested\"}}\n{{\"type\":\"calls.observed\",\"calls\":[{{\"call_id\":\"a\",\"tool\":\"statistics\",\"args\":{{\"data\":{{\"$artifact\":\"{handle}\"}}}}}},{{\"call_id\":\"f\",\"tool\":\"statistics\",\"args\":{{\"data\":{{\"$file\":\"examples/data/houses.csv\"}}}}}}]}}\n"
    );
    let answer = place.run(&["session"], &input);
    let lines = lines(answer.expect_code(0));
    let settled = lines.iter().find(|line| kind(line) == "batch.settled");
    let settled = settled.expect("results");
    let reason = |place: usize| {
        let pointer = format!("/results/{place}/error/reason");
        settled.pointer(&pointer).map(|reason| reason.to_string())
    };
    // It is the store that answers: no run of this role made it.
    assert_eq!(reason(0).as_deref(), Some("\"artifact_role\""), "{settled}");
    assert_eq!(reason(1).as_deref(), Some("\"rule\""), "{settled}");
}
