//! Servers that end and start again: accepted plans are recorded, go on, and are shown from their records.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value as Json, json};

use super::client::Server;
use crate::pipeline::until;
use crate::support::Place;

const CONFIG: &str = r#"
version = 1
[[policies]]
level = "global"
[[policies.rules]]
match = { tools = ["write_file"] }
decision = "allow"
"#;

fn place() -> Place {
    let place = Place::new();
    place.write("mathchain.toml", CONFIG);
    place.write("log.txt", "");
    place
}

fn submit(server: &Server, plan: &Json) -> String {
    let begun = server.post("/v1/chains", &[], &json!({ "plan": plan }).to_string());
    begun.expect(202).json()["id"]
        .as_str()
        .expect("an id")
        .to_owned()
}

fn state(server: &Server, id: &str) -> String {
    let shown = server
        .get(&format!("/v1/chains/{id}"), &[])
        .expect(200)
        .json();
    shown["state"].as_str().expect("a state").to_owned()
}

/// A plan that computes until it is stopped.
fn endless() -> Json {
    json!({"version": 1, "id": "endless", "steps": [{"id": "a", "tool": "mcmc", "args":
        {"log_density": "-x0**2/2 - x1**4", "x0": [0, 0], "n_samples": 1_000_000, "chains": 8}}]})
}

fn line(number: usize) -> Json {
    json!({"version": 1, "id": format!("line_{number}"), "steps": [
        {"id": "a", "tool": "write_file", "args": {"path": "log.txt", "content": format!("{number}\n"), "mode": "append"}}]})
}

#[test]
fn plans_that_were_accepted_before_a_kill_are_done_once_after_it() {
    let place = place();
    let server = Server::start(&place, &["--threads", "1"]);
    // The one thread is busy, so that the others wait.
    let busy = submit(&server, &endless());
    server.until("mathchain_calls_running 1", None);
    let ids: Vec<String> = (0..40)
        .map(|number| submit(&server, &line(number)))
        .collect();
    server.signal(Signal::KILL);
    drop(server);
    // Another program sees each of them.
    let listed = place.run(
        &["runs", "list", "--state", "interrupted", "--limit", "100"],
        "",
    );
    let listed = listed.expect_code(0).stdout.clone();
    assert!(
        ids.iter().chain([&busy]).all(|id| listed.contains(id)),
        "{listed}"
    );
    let server = Server::start(&place, &["--threads", "4"]);
    until("every plan is done", || {
        ids.iter().all(|id| state(&server, id) == "succeeded")
    });
    let mut lines: Vec<usize> = place
        .read("log.txt")
        .lines()
        .map(|line| line.parse().expect("a number"))
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, (0..40).collect::<Vec<_>>());
    server
        .post(&format!("/v1/chains/{busy}/cancel"), &[], "")
        .expect(202);
    until("the long one is cancelled", || {
        state(&server, &busy) == "cancelled"
    });
}

#[test]
fn a_plan_goes_on_when_the_time_of_its_request_is_over() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[approvals]\nexpire = \"2s\"\nfallback = \"deny\"\n",
    );
    let server = Server::start(&place, &[]);
    let plan = |id: &str, on_error: &str| {
        json!({"version": 1, "id": id, "steps": [
            {"id": "w", "tool": "write_file", "args": {"path": format!("{id}.txt"), "content": "x"}, "on_error": on_error},
            {"id": "c", "tool": "calculate", "args": {"expression": "6*7"}, "after": ["w"]}]})
    };
    let fails = submit(&server, &plan("fails", "fail_chain"));
    let continues = submit(&server, &plan("continues", "continue"));
    until("both wait", || {
        [&fails, &continues]
            .iter()
            .all(|id| state(&server, id) == "suspended")
    });
    until("both end", || {
        [&fails, &continues]
            .iter()
            .all(|id| state(&server, id) != "suspended" && state(&server, id) != "running")
    });
    assert_eq!(state(&server, &fails), "failed");
    let shown = |id: &str| {
        server
            .get(&format!("/v1/chains/{id}"), &[])
            .expect(200)
            .body
            .clone()
    };
    let failed = shown(&fails);
    assert!(
        failed.contains("approval_declined") && failed.contains("timeout"),
        "{failed}"
    );
    let continued = shown(&continues);
    assert!(continued.contains("approval_declined"), "{continued}");
    assert!(!place.path("work/fails.txt").exists() && !place.path("work/continues.txt").exists());
    drop(server);
    place.run(&["audit", "verify"], "").expect_code(0);
}

#[test]
fn a_run_of_another_door_stays_interrupted_until_it_is_resumed() {
    let place = place();
    let server = Server::start(&place, &["--threads", "1"]);
    let id = submit(&server, &line(1));
    until("it is done", || state(&server, &id) == "succeeded");
    drop(server);
    // As if the command line had begun it and were killed.
    place.write("p.json", &endless().to_string());
    let mut child = place.command(&["run", "p.json"]).spawn().expect("starts");
    let running = |wanted: &str| {
        let listed = place.run(&["runs", "list", "--state", wanted], "");
        listed.expect_code(0).stdout.contains("endless")
    };
    until("it runs", || running("running"));
    child.kill().expect("is there");
    child.wait().expect("ends");
    let server = Server::start(&place, &[]);
    let runs = server.get("/v1/runs", &[]).expect(200).json();
    let found = runs["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .find(|run| run["plan"] == "endless");
    let found = found.expect("the run").clone();
    assert_eq!(found["state"], "interrupted", "{found}");
    let id = found["id"].as_str().expect("an id");
    assert_eq!(state(&server, id), "interrupted");
    let shown = server
        .get(&format!("/v1/runs/{id}"), &[])
        .expect(200)
        .json();
    assert_eq!(shown["run"]["state"], "interrupted", "{shown}");
    // Its events end with what it is, instead of never.
    let events = server.get(&format!("/v1/chains/{id}/events"), &[]);
    assert!(
        events.expect(200).body.contains("\"interrupted\""),
        "{events:?}"
    );
    let resumed = server.post(&format!("/v1/chains/{id}/resume"), &[], "");
    assert_eq!(resumed.expect(202).json()["state"], "running");
    server.until("mathchain_calls_running 1", None);
    server
        .post(&format!("/v1/chains/{id}/cancel"), &[], "")
        .expect(202);
    until("it is cancelled", || state(&server, id) == "cancelled");
    let again = server.post(&format!("/v1/chains/{id}/resume"), &[], "");
    assert_eq!(again.expect(409).reason(), "run_ended");
}

#[test]
fn interrupted_runs_are_resumed_together() {
    let place = place();
    let server = Server::start(&place, &["--threads", "1"]);
    submit(&server, &endless());
    server.until("mathchain_calls_running 1", None);
    let ids: Vec<String> = (0..3)
        .map(|number| submit(&server, &line(number)))
        .collect();
    let cancelled = server.get("/v1/runs", &[]).expect(200).json();
    let busy = cancelled["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .find(|run| run["plan"] == "endless");
    let busy = busy.expect("the run")["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    server.signal(Signal::KILL);
    drop(server);
    place.run(&["runs", "cancel", &busy], "").expect_code(0);
    place
        .run_as_typed(&["runs", "resume", "--interrupted"], "")
        .expect_code(0);
    for id in &ids {
        let shown = place.run(&["runs", "show", id], "");
        assert_eq!(
            shown.expect_code(0).at("/state").as_str(),
            Some("succeeded")
        );
    }
    assert_eq!(place.read("log.txt").lines().count(), 3);
    let none = place.run_as_typed(&["runs", "resume", "--interrupted"], "");
    assert!(
        none.expect_code(0).stderr.contains("no interrupted runs"),
        "{}",
        none.stderr
    );
}

#[test]
fn a_plan_that_is_approved_over_http_goes_on_over_http() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    let key = |name: &str, role: &str, more: &[&str]| {
        let made = place.run(
            &[&["keys", "create", name, "--role", role], more].concat(),
            "",
        );
        format!(
            "Bearer {}",
            made.expect_code(0).at("/key").as_str().expect("a key")
        )
    };
    let (coder, reviewer) = (
        key("coder", "coder_escalation", &[]),
        key("reviewer", "review", &["--approve"]),
    );
    let server = Server::start(&place, &[]);
    let write = json!({"plan": {"version": 1, "id": "w", "steps": [
        {"id": "a", "tool": "write_file", "args": {"path": "new.txt", "content": "x"}}]}});
    let fields = [("Authorization", &*coder), ("Idempotency-Key", "k")];
    let submit = || {
        server
            .post("/v1/chains", &fields, &write.to_string())
            .expect(202)
            .json()
    };
    let id = submit()["id"].as_str().expect("an id").to_owned();
    let shown = || {
        server
            .get(&format!("/v1/chains/{id}"), &fields[..1])
            .expect(200)
            .json()
    };
    until("it waits", || shown()["state"] == "suspended");
    let waits = shown();
    assert_eq!(waits["answer"]["status"], "pending_approval", "{waits}");
    let approval = waits["answer"]["approval_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    // The same submission shows what the plan is now.
    assert_eq!(submit()["state"], "suspended");
    let approve = format!("/v1/approvals/{approval}/approve");
    server
        .post(&approve, &[("Authorization", &reviewer)], "")
        .expect(200);
    until("it goes on", || shown()["state"] == "succeeded");
    assert_eq!(place.read("new.txt"), "x");
    assert_eq!(submit()["answer"]["status"], "success");
    // One that is approved at a terminal goes on when its submitter resumes it, and the server shows what another process did.
    place.write("new.txt", "");
    let other = write.to_string().replace("new.txt", "other.txt");
    let begun = server
        .post("/v1/chains", &fields[..1], &other)
        .expect(202)
        .json();
    let id = begun["id"].as_str().expect("an id").to_owned();
    let path = format!("/v1/chains/{id}");
    let shown = || server.get(&path, &fields[..1]).expect(200).json();
    until("it waits", || shown()["state"] == "suspended");
    let approval = shown()["answer"]["approval_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    place.run(&["approve", &approval], "").expect_code(0);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(shown()["state"], "suspended");
    server
        .post(&format!("{path}/resume"), &fields[..1], "")
        .expect(202);
    until("it goes on", || shown()["state"] == "succeeded");
    assert_eq!(place.read("other.txt"), "x");
}

#[test]
fn a_plan_of_a_key_that_was_revoked_is_not_taken_up() {
    let place = place();
    let made = place.run(&["keys", "create", "ci", "--role", "operator"], "");
    let bearer = format!(
        "Bearer {}",
        made.expect_code(0).at("/key").as_str().expect("a key")
    );
    let server = Server::start(&place, &["--threads", "1"]);
    let send = |plan: &Json| {
        let body = json!({ "plan": plan }).to_string();
        let begun = server.post("/v1/chains", &[("Authorization", &bearer)], &body);
        begun.expect(202).json()["id"]
            .as_str()
            .expect("an id")
            .to_owned()
    };
    send(&endless());
    send(&line(1));
    server.signal(Signal::KILL);
    drop(server);
    place.run(&["keys", "revoke", "ci"], "").expect_code(0);
    let other = place.run(&["keys", "create", "other", "--role", "operator"], "");
    let other = format!(
        "Bearer {}",
        other.expect_code(0).at("/key").as_str().expect("a key")
    );
    let server = Server::start(&place, &[]);
    std::thread::sleep(Duration::from_millis(1500));
    let runs = server
        .get("/v1/runs", &[("Authorization", &other)])
        .expect(200)
        .json();
    for run in runs["runs"].as_array().expect("runs") {
        assert_eq!(run["state"], "interrupted", "{runs}");
    }
    assert_eq!(place.read("log.txt"), "");
}
