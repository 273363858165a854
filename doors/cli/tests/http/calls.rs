//! Calls, tools, plans, runs and artifacts.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::client::Server;
use crate::support::Place;

#[test]
fn a_call_is_answered_as_a_line_is() {
    let place = Place::new();
    let server = Server::start(&place, &["--roles", "worker_math"]);
    for (line, status) in [
        (
            r#"{"id":1,"tool":"calculate","args":{"expression":"2**60"}}"#,
            200,
        ),
        (
            r#"{"id":"a","tool":"calculate","args":{"expression":"1/0"}}"#,
            422,
        ),
        (
            r#"{"id":2,"tool":"calculate","args":{"expresion":"1"}}"#,
            422,
        ),
        (r#"{"id":3,"tool":"calculat","args":{}}"#, 404),
        (
            r#"{"id":4,"tool":"calculate","args":{"expression":"1"},"role":"worker_math"}"#,
            200,
        ),
        (
            r#"{"id":5,"tool":"calculate","args":{"expression":"1"},"role":"operator"}"#,
            403,
        ),
        (r#"{"id":6,"tool":"calculate","args":{},"extra":1}"#, 400),
        (r#"{"id":7,"id":8,"tool":"calculate"}"#, 400),
        (r#"{"id":9}"#, 400),
        ("[1]", 400),
        ("garbage", 400),
        (
            r#"{"id":10,"tool":"write_file","args":{"path":"a.txt","content":"x"}}"#,
            202,
        ),
    ] {
        let reply = server.post("/v1/call", &[], line);
        let mut answer = reply.expect(status).json();
        let said = place.run(
            &[
                "serve",
                "--jsonl",
                "--roles",
                "worker_math",
                "--role",
                "operator",
            ],
            &format!("{line}\n"),
        );
        // The one key that lines alone have.
        let said = said.stdout.replace("`, `progress`", "`");
        let mut expected: Json = serde_json::from_str(&said).expect("JSON");
        for one in [&mut answer, &mut expected] {
            // What differs from call to call.
            let metadata = one["metadata"].as_object_mut().expect("metadata");
            for name in [
                "call_id",
                "elapsed_ms",
                "audit",
                "line",
                "approval_id",
                "stopped_at",
            ] {
                metadata.remove(name);
            }
            let members = one.as_object_mut().expect("an envelope");
            if let Some(id) = members.remove("approval_id") {
                let id = id.as_str().expect("an id").to_owned();
                let message = members.remove("message").expect("what to do");
                assert!(message.as_str().expect("a text").contains(&id), "{message}");
            }
            one["error"]
                .as_object_mut()
                .map(|error| error.remove("hint"));
        }
        assert_eq!(answer, expected, "{line}");
    }
}

#[test]
fn the_span_of_a_client_is_recorded() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let call = json!({"tool": "calculate", "args": {"expression": "1"}}).to_string();
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    server
        .post("/v1/call", &[("traceparent", trace)], &call)
        .expect(200);
    let records = place.run(&["audit", "list", "--json"], "");
    let records = &records.expect_code(0).stdout;
    assert!(
        records.contains("0af7651916cd43dd8448eb211c80319c"),
        "{records}"
    );
}

#[test]
fn tools_are_listed_as_they_are_exported() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    for format in [
        "openai",
        "anthropic",
        "gemini",
        "mcp",
        "jsonschema",
        "markdown",
        "gbnf",
    ] {
        let reply = server.get(&format!("/v1/tools?format={format}&catalog=search"), &[]);
        let exported = place.run(
            &["tools", "export", "--format", format, "--catalog", "search"],
            "",
        );
        assert_eq!(
            reply.expect(200).body,
            exported.expect_code(0).stdout,
            "{format}"
        );
    }
    let all = server.get("/v1/tools", &[]).expect(200).json();
    assert!(
        all["matrix_solve"]["input_schema"]["properties"]["A"].is_object(),
        "{all}"
    );
    let one = server.get("/v1/tools/matrix_solve", &[]).expect(200).json();
    assert_eq!(one["name"], "matrix_solve");
    server.get("/v1/tools/matrix_solv", &[]).expect(404);
    server.get("/v1/tools?format=xml", &[]).expect(400);
    server.get("/v1/tools?formt=mcp", &[]).expect(400);
}

/// Looks at a plan until it ended.
pub(super) fn ended(server: &Server, id: &str) -> Json {
    let begun = Instant::now();
    loop {
        let shown = server
            .get(&format!("/v1/chains/{id}"), &[])
            .expect(200)
            .json();
        if shown["state"] != "running" {
            return shown;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{shown}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_plan_is_submitted_looked_at_and_cancelled() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let submit = |plan: Json| {
        server.post(
            "/v1/chains",
            &[],
            &json!({"plan": plan, "inputs": {}}).to_string(),
        )
    };
    let plan = json!({"version": 1, "id": "sum",
        "steps": [{"id": "a", "tool": "calculate", "args": {"expression": "6*7"}}],
        "outputs": {"x": {"$ref": "a.value"}}});
    let begun = submit(plan.clone());
    let id = begun.expect(202).json()["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    assert_eq!(begun.field("location"), Some(&*format!("/v1/chains/{id}")));
    let shown = ended(&server, &id);
    assert_eq!(shown["answer"]["output"]["outputs"]["x"], 42.0, "{shown}");
    // It is a run as any other.
    let run = server
        .get(&format!("/v1/runs/{id}"), &[])
        .expect(200)
        .json();
    assert_eq!(run["run"]["state"], "succeeded", "{run}");
    let runs = server.get("/v1/runs", &[]).expect(200).json();
    assert_eq!(runs["runs"][0]["id"], *id, "{runs}");
    let mut wrong = plan;
    wrong["outputs"]["x"] = json!({"$ref": "a.nothing"});
    assert_eq!(submit(wrong).expect(400).reason(), "reference_field");
    server
        .post("/v1/chains", &[], r#"{"plann":{}}"#)
        .expect(400);
    server.get("/v1/chains/000000000000", &[]).expect(404);
    server.get("/v1/runs/000000000000", &[]).expect(404);
    let long = json!({"version": 1, "id": "long", "steps": [{"id": "a", "tool": "mcmc", "args":
        {"log_density": "-x0**2/2 - x1**4", "x0": [0, 0], "n_samples": 1_000_000, "chains": 8}}]});
    let id = submit(long).expect(202).json()["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    server.until("mathchain_calls_running 1", None);
    server
        .post(&format!("/v1/chains/{id}/cancel"), &[], "")
        .expect(202);
    assert_eq!(ended(&server, &id)["answer"]["error"]["code"], "cancelled");
}

#[test]
fn the_steps_of_a_plan_are_told_as_they_begin_and_end() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let plan = json!({"version": 1, "id": "two", "steps": [
        {"id": "a", "tool": "calculate", "args": {"expression": "6*7"}},
        {"id": "b", "tool": "calculate", "args": {"expression": "1/0"}, "after": ["a"]}]});
    let begun = server.post("/v1/chains", &[], &json!({"plan": plan}).to_string());
    let begun = begun.expect(202).json();
    let path = format!("/v1/chains/{}/events", begun["id"].as_str().expect("an id"));
    let told = |fields: &[(&str, &str)]| {
        let reply = server.get(&path, fields);
        assert_eq!(
            reply.expect(200).field("content-type"),
            Some("text/event-stream")
        );
        let lines = reply
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        let told: Vec<Json> = lines
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        told
    };
    let all = told(&[]);
    let steps: Vec<_> = all
        .iter()
        .map(|one| (one["event"].as_str(), one["step"].as_str()))
        .collect();
    let expected = [
        (Some("started"), Some("a")),
        (Some("finished"), Some("a")),
        (Some("started"), Some("b")),
        (Some("finished"), Some("b")),
        (None, None),
    ];
    assert_eq!(steps, expected, "{all:?}");
    assert_eq!(all[3]["error"]["code"], "numeric", "{all:?}");
    assert_eq!(all[4]["answer"]["ok"], false, "{all:?}");
    // A client that lost the connection resumes after the last event it saw.
    assert_eq!(told(&[("Last-Event-ID", "2")]), all[3..]);
    server
        .get("/v1/chains/000000000000/events", &[])
        .expect(404);
}

#[test]
fn an_artifact_is_read_whole_or_in_part() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let data: Vec<u32> = (0..20_000).collect();
    let call = json!({"tool": "json_query", "args": {"data": data, "query": "@"}});
    let answer = server.call(&call).expect(200).json();
    let handle = answer["output"]["result"]["$artifact"].as_str();
    let handle = handle.unwrap_or_else(|| panic!("no handle in {answer}"));
    let path = format!("/v1/artifacts/{handle}");
    let whole = server.get(&path, &[]);
    assert_eq!(
        whole.expect(200).json().as_array().expect("a list").len(),
        20_000
    );
    let part = server.get(&path, &[("Range", "bytes=1-20")]);
    assert_eq!(part.expect(206).body, whole.body[1..=20]);
    let total = whole.body.len();
    assert_eq!(
        part.field("content-range"),
        Some(&*format!("bytes 1-20/{total}"))
    );
    server
        .get(&path, &[("Range", "bytes=99999999-")])
        .expect(416);
    server.get("/v1/artifacts/b3:00", &[]).expect(404);
}
