//! Calls that take long: progress, other requests meanwhile, and questions of a task.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::client::{Client, Era};
use crate::support::Place;

const PROGRAMS: &str = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"run_shell\"] }\ndecision = \"allow\"\n";

/// A program that says nothing for a time.
fn sleep(seconds: u64) -> Json {
    json!({"name": "run_shell", "arguments": {"argv": ["sleep", seconds.to_string()]}})
}

#[test]
fn a_call_that_reports_nothing_has_progress_every_five_seconds() {
    let place = Place::new();
    place.write("mathchain.toml", PROGRAMS);
    for era in Era::BOTH {
        let mut client = Client::start(&place, &[], era);
        let mut params = sleep(9);
        params["_meta"] = json!({"progressToken": 7});
        let id = client.ask("tools/call", params);
        let mut last = (Instant::now(), 0.0);
        for _ in 0..2 {
            let message = client.notified("notifications/progress");
            assert_eq!(message["params"]["progressToken"], 7);
            assert!(last.0.elapsed() < Duration::from_secs(5), "{message}");
            let value = message["params"]["progress"].as_f64().expect("a number");
            assert!(value > last.1, "{message}");
            last = (Instant::now(), value);
        }
        let answer = client.answer(id);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        assert!(last.0.elapsed() < Duration::from_secs(5));
        client.end();
    }
}

#[test]
fn a_call_that_computes_delays_no_other_request() {
    let place = Place::new();
    for era in Era::BOTH {
        let mut client = Client::start(&place, &["--threads", "1"], era);
        let busy = client.ask(
            "tools/call",
            json!({"name": "mcmc", "arguments": {"log_density": "-x0**2/2 - x1**4", "x0": [0, 0], "n_samples": 1_000_000, "chains": 8}}),
        );
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        let listed = client.request("tools/list", json!({}));
        assert!(listed["result"]["tools"].is_array());
        if era == Era::Legacy {
            assert_eq!(client.request("ping", json!({}))["result"], json!({}));
        }
        assert!(begun.elapsed() < Duration::from_secs(10));
        assert!(client.others.iter().all(|message| message["id"] != busy));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": busy}}));
        client.end();
    }
}

/// The state of a task, once it is none of these.
fn after(client: &mut Client, task: &str, states: &[&str]) -> Json {
    let begun = Instant::now();
    loop {
        let state = client.request("tasks/get", json!({"taskId": task}))["result"].clone();
        if !states.iter().any(|one| state["status"] == *one) {
            return state;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{state}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn an_approval_in_a_task_is_asked_by_its_state() {
    let place = Place::new();
    place.write("mathchain.toml", PROGRAMS);
    let knows = json!({"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut client = Client::with(&place, &[], Era::Modern, knows);
    for accepts in [false, true] {
        // What is written, and so what is approved, is known when the first step has ended.
        let text = format!("sleep 3; echo {accepts}");
        let plan = json!({"version": 1, "id": "slow", "steps": [
            {"id": "wait", "tool": "run_shell", "args": {"argv": ["sh", "-c", text]}},
            {"id": "write", "tool": "write_file", "args": {"path": "a.txt", "content": {"$ref": "wait.stdout"}}}]});
        let call = json!({"name": "chain_run", "arguments": {"plan": plan}});
        let begun = client.request("tools/call", call)["result"].clone();
        assert_eq!(begun["resultType"], "task", "{begun}");
        let task = begun["taskId"].as_str().expect("an id").to_owned();
        let asked = after(&mut client, &task, &["working"]);
        assert_eq!(asked["status"], "input_required", "{asked}");
        let message = asked["inputRequests"]["approval"]["params"]["message"]
            .as_str()
            .expect("a message");
        assert!(!place.path("work/a.txt").exists());
        let action = match accepts {
            false => "decline",
            true => {
                let id = message
                    .split("mathchain approve ")
                    .nth(1)
                    .and_then(|rest| rest.split('`').next())
                    .expect("an id");
                place.run(&["approve", id], "").expect_code(0);
                "accept"
            }
        };
        let answers = json!({"approval": {"action": action, "content": {}}});
        let taken = client.request(
            "tasks/update",
            json!({"taskId": task, "inputResponses": answers}),
        );
        assert_eq!(taken["result"]["resultType"], "complete", "{taken}");
        let done = after(&mut client, &task, &["working", "input_required"]);
        assert_eq!(done["status"], "completed", "{done}");
        assert_eq!(done["result"]["isError"], !accepts, "{done}");
        assert_eq!(place.path("work/a.txt").exists(), accepts, "{done}");
    }
    client.end();
}

/// The task of a plan has the name of its run, and is found by it when another process answers.
#[test]
fn a_task_of_a_plan_survives_its_server() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    let knows = || json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut client = Client::with(&place, &[], Era::Modern, knows());
    let plan = json!({"version": 1, "id": "long", "steps": [{"id": "a", "tool": "mcmc", "args":
        {"log_density": "-x0**2/2 - x1**4", "x0": [0, 0], "n_samples": 1_000_000, "chains": 8}}]});
    let call = json!({"name": "chain_run", "arguments": {"plan": plan}});
    let begun = client.request("tools/call", call)["result"].clone();
    let task = begun["taskId"].as_str().expect("an id").to_owned();
    let run = place.run(&["runs", "show", &task], "");
    assert_eq!(run.expect_code(0).at("/run").as_str(), Some(&*task));
    client.child.kill().expect("is there");
    client.child.wait().expect("ends");
    let mut client = Client::with(&place, &[], Era::Modern, knows());
    let shown = client.request("tasks/get", json!({"taskId": task}))["result"].clone();
    assert_eq!(shown["status"], "failed", "{shown}");
    assert!(shown.to_string().contains("runs resume"), "{shown}");
    place.run(&["runs", "cancel", &task], "").expect_code(0);
    let shown = client.request("tasks/get", json!({"taskId": task}))["result"].clone();
    assert_eq!(shown["status"], "cancelled", "{shown}");
    // Another role has no such task.
    let mut other = Client::with(&place, &["--role", "worker_math"], Era::Modern, knows());
    let none = other.request("tasks/get", json!({"taskId": task}));
    assert!(none["error"].is_object(), "{none}");
    other.end();
    client.end();
}
