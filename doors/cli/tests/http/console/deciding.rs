//! Decisions: to the end of a run, by two people, by keys, and by whom not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::super::client::Server;
use super::{Browser, approval_of, key};
use crate::support::Place;

const ASKS: &str = "version: 1
id: report
steps:
  - {id: sum, tool: calculate, args: {expression: 6*7}}
  - {id: write, tool: write_file, args: {path: made.txt, content: x}, after: [sum]}
";

/// A suspended run, and the request that it waits for.
fn suspended(place: &Place) -> (String, String) {
    place.write("p.yaml", ASKS);
    let begun = place.run(&["run", "p.yaml"], "");
    let text = |pointer: &str| begun.at(pointer).as_str().expect("a text").to_owned();
    begun.expect_code(4);
    (text("/metadata/chain_id"), text("/metadata/approval_id"))
}

#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_suspended_run_is_approved_to_its_end() {
    let place = Place::new();
    let (run, request) = suspended(&place);
    let browser = Browser::at_terminal(&place);
    let inbox = browser.page("/console");
    for words in ["write_file", "made.txt", &run, &request, "continue the run"] {
        assert!(inbox.contains(words), "{words} in {inbox}");
    }
    let page = browser.page(&format!("/console/runs/{run}"));
    assert!(
        page.contains("Waits for an approval") && page.contains("suspended"),
        "{page}"
    );
    let sent = browser.send(
        "/console/decide",
        &[("id", &request), ("decision", "resume")],
    );
    assert_eq!(
        sent.expect(303).field("location"),
        Some(&*format!("/console/runs/{run}"))
    );
    until("the end", || {
        browser
            .page(&format!("/console/runs/{run}"))
            .contains("state good\"><span aria-hidden=\"true\">✓ </span>succeeded")
    });
    assert_eq!(place.read("made.txt"), "x");
    let open = browser.page(&format!("/console/runs/{run}?open=sum&open=write"));
    assert!(
        open.contains(">42<") && open.contains("Decision of the policy"),
        "{open}"
    );
    let inbox = browser.page("/console");
    assert!(
        inbox.contains("terminal") && !inbox.contains("continue the run"),
        "{inbox}"
    );
}

#[test]
fn what_the_next_steps_and_a_try_ask_is_decided_in_the_same_console() {
    let place = Place::new();
    place.write(
        "p.yaml",
        "version: 1\nid: two\nsteps:\n  - {id: a, tool: write_file, args: {path: a.txt, content: x}}\n  - {id: b, tool: write_file, args: {path: b.txt, content: x}, after: [a]}\n",
    );
    let begun = place.run(&["run", "p.yaml"], "");
    let text = |pointer: &str| begun.at(pointer).as_str().expect("a text").to_owned();
    let (run, first) = (text("/metadata/chain_id"), text("/metadata/approval_id"));
    let browser = Browser::at_terminal(&place);
    let resume = |id: &str| {
        let fields = [("id", id), ("decision", "resume")];
        browser.send("/console/decide", &fields).expect(303);
    };
    resume(&first);
    let mut second = String::new();
    until("the second request", || {
        let inbox = browser.page("/console");
        let found = inbox.split("id=\"approval-").nth(1);
        second = found
            .map_or("", |rest| rest.split('"').next().unwrap_or(""))
            .to_owned();
        !second.is_empty() && second != first
    });
    resume(&second);
    until("the end", || {
        browser
            .page(&format!("/console/runs/{run}"))
            .contains("succeeded")
    });
    assert_eq!(place.read("b.txt"), "x");
    let fields = [("a.path", "c.txt"), ("a.content", "x")];
    let asked = browser.send("/console/tools/write_file", &fields);
    let id = asked
        .expect(200)
        .body
        .split_once("/console/approvals/")
        .expect("a link")
        .1;
    let id = id.split('"').next().expect("an id");
    browser
        .send("/console/decide", &[("id", id), ("decision", "approve")])
        .expect(303);
    let made = browser.send("/console/tools/write_file", &fields);
    assert!(
        !made.expect(200).body.contains("/console/approvals/"),
        "{}",
        made.body
    );
    assert_eq!(place.read("c.txt"), "x");
}

#[test]
fn equal_calls_are_denied_together_and_a_rule_allows_the_next() {
    let place = Place::new();
    let args = json!({"path": "a.txt", "content": "x"});
    let first = approval_of(&place, "write_file", &args);
    place.write("p.yaml", ASKS);
    for _ in 0..2 {
        place.run(&["run", "p.yaml"], "").expect_code(4);
    }
    let browser = Browser::at_terminal(&place);
    let inbox = browser.page("/console");
    assert!(
        inbox.contains("2 equal calls") && inbox.contains("Deny all 2"),
        "{inbox}"
    );
    let rest = inbox.split("Deny all 2").next().expect("a form");
    let form = rest.rsplit_once("<form").expect("a form").1;
    let ids: Vec<&str> = form
        .split("name=\"id\" value=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(ids.len(), 2, "{form}");
    let fields = [("id", ids[0]), ("id", ids[1]), ("decision", "deny")];
    browser.send("/console/decide", &fields).expect(303);
    let told = browser.page("/console");
    assert!(told.contains("Denied: 2 requests"), "{told}");
    browser
        .send("/console/decide", &[("id", &first), ("decision", "always")])
        .expect(303);
    assert!(browser.page("/console").contains("Recorded the rule"));
    place
        .run(&["call", "write_file"], &args.to_string())
        .expect_code(0);
}

#[test]
fn of_two_people_one_decides_and_the_other_sees_who() {
    let place = Place::new();
    let args = json!({"path": "a.txt", "content": "x"});
    let request = approval_of(&place, "write_file", &args);
    let ann = key(&place, &["ann", "--role", "worker_math", "--approve"]);
    let bob = key(&place, &["bob", "--role", "worker_general", "--approve"]);
    let server = Arc::new(Server::with(
        &place,
        &["--http", "127.0.0.1:0", "--console"],
    ));
    let (ann, bob) = (
        Browser::with_key(&server, &ann),
        Browser::with_key(&server, &bob),
    );
    for browser in [&ann, &bob] {
        assert!(browser.page("/console").contains(&request));
    }
    ann.send(
        "/console/decide",
        &[("id", &request), ("decision", "approve")],
    )
    .expect(303);
    let second = bob.send("/console/decide", &[("id", &request), ("decision", "deny")]);
    let told = &second.expect(409).body;
    assert!(
        told.contains("Another person was first") && told.contains("key ann"),
        "{told}"
    );
    let inbox = bob.page("/console");
    assert!(
        inbox.contains("key ann") && !inbox.contains("Denied"),
        "{inbox}"
    );
    place
        .run(&["call", "write_file"], &args.to_string())
        .expect_code(0);
}

#[test]
fn who_may_not_decide_does_not() {
    let place = Place::new();
    let args = json!({"path": "a.txt", "content": "x"});
    let request = approval_of(&place, "write_file", &args);
    let (plain, same) = (
        key(&place, &["plain", "--role", "worker_math"]),
        key(&place, &["same", "--role", "operator", "--approve"]),
    );
    let server = Arc::new(Server::with(
        &place,
        &["--http", "127.0.0.1:0", "--console"],
    ));
    let plain = Browser::with_key(&server, &plain);
    assert!(!plain.page("/console").contains(&request));
    plain
        .get(&format!("/console/approvals/{request}"))
        .expect(403);
    // A key of the role that asks.
    let same = Browser::with_key(&server, &same);
    assert!(same.page("/console").contains("You do not decide this one"));
    // No terminal: the program that asks may have started it.
    let started = Browser::of(place.command(&["console"]));
    assert!(
        started
            .page("/console")
            .contains("You do not decide this one")
    );
    // Another role than the operator's.
    let narrow = Browser::of(place.command_at_terminal(&["console", "--role", "worker_math"]));
    assert!(!narrow.page("/console").contains(&request));
    for browser in [&plain, &same, &started, &narrow] {
        for decision in ["approve", "resume", "always", "deny"] {
            browser
                .send(
                    "/console/decide",
                    &[("id", &request), ("decision", decision)],
                )
                .expect(403);
        }
    }
    place
        .run(&["call", "write_file"], &args.to_string())
        .expect_code(4);
}

#[test]
fn an_approvers_key_decides_by_name() {
    let place = Place::new();
    let secret = "k".repeat(40);
    place.write("ann.key", &secret);
    std::fs::set_permissions(
        place.path("work/ann.key"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .expect("changes");
    let digest = registry::load::key_digest(secret.as_bytes());
    place.write(
        "../config/mathchain/approvers.toml",
        &format!("version = 1\n[approvers]\nann = \"{digest}\"\n"),
    );
    let args = json!({"path": "a.txt", "content": "x"});
    let request = approval_of(&place, "write_file", &args);
    let without = Browser::at_terminal(&place);
    without
        .send(
            "/console/decide",
            &[("id", &request), ("decision", "approve")],
        )
        .expect(403);
    let refused = place.run_as_typed(&["console", "--key", "p.yaml"], "");
    assert_ne!(refused.code, 0);
    // A key proves more than a terminal, and needs none.
    let ann = Browser::of(place.command(&["console", "--key", "ann.key"]));
    ann.send(
        "/console/decide",
        &[("id", &request), ("decision", "approve")],
    )
    .expect(303);
    assert!(ann.page("/console").contains("<td>ann</td>"));
    place
        .run(&["call", "write_file"], &args.to_string())
        .expect_code(0);
}

#[test]
fn a_run_is_cancelled_from_its_page() {
    let place = Place::new();
    let (run, _) = suspended(&place);
    let browser = Browser::at_terminal(&place);
    browser
        .send(&format!("/console/runs/{run}/cancel"), &[])
        .expect(303);
    let page = browser.page(&format!("/console/runs/{run}"));
    assert!(page.contains("cancelled"), "{page}");
    browser
        .send(&format!("/console/runs/{run}/resume"), &[])
        .expect(409);
    browser
        .send(&format!("/console/runs/{run}/explode"), &[])
        .expect(404);
}

/// A process that is killed while a request is on its way leaves an outcome that is unknown: a person rules on it on the page of the run.
#[test]
fn an_unknown_outcome_is_ruled_on_and_the_run_goes_to_its_end() {
    let place = Place::new();
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let host = format!("127.0.0.1:{}", socket.local_addr().expect("bound").port());
    place.write(
        "mathchain.toml",
        &format!(
            "version = 1\n[permissions.network]\nallowed_hosts = [\"{host}\"]\nallow_private = [\"{host}\"]\n[[policies]]\nlevel = \"global\"\n  [[policies.rules]]\n  match = {{ tools = [\"http_post\"] }}\n  decision = \"allow\"\n"
        ),
    );
    place.write("p.yaml", &format!("version: 1\nid: sends\nsteps:\n  - {{id: send, tool: http_post, args: {{url: 'http://{host}/x'}}}}\n  - {{id: sum, tool: calculate, args: {{expression: 6*7}}, after: [send]}}\n"));
    let mut child = place.command(&["run", "p.yaml"]).spawn().expect("starts");
    let _request = socket.accept().expect("a request");
    child.kill().expect("is there");
    child.wait().expect("ends");
    let run = place.run(&["runs", "list"], "").at("/0/run");
    let run = run.as_str().expect("an id");
    let browser = Browser::at_terminal(&place);
    let path = format!("/console/runs/{run}");
    assert!(browser.page(&path).contains("interrupted"));
    browser.send(&format!("{path}/resume"), &[]).expect(303);
    until("the question", || {
        browser.page(&path).contains("value=\"send\"")
    });
    assert!(browser.page("/console").contains("Unknown outcomes"));
    browser.send(&format!("{path}/resume"), &[]).expect(409);
    let wrong = [("call", "send"), ("outcome", "done"), ("result", "{")];
    browser.send(&format!("{path}/rule"), &wrong).expect(422);
    let ruled = [("call", "send"), ("outcome", "failed")];
    browser.send(&format!("{path}/rule"), &ruled).expect(303);
    until("the end", || browser.page(&path).contains("Failed at step"));
}

#[test]
fn a_question_is_answered_once() {
    let place = Place::new();
    let asked = place.run(&["call", "escalate", "--reason", "Which file?"], "");
    let browser = Browser::at_terminal(&place);
    let inbox = browser.page("/console");
    assert!(inbox.contains("Which file?"), "{inbox} {}", asked.stdout);
    let rest = inbox
        .split_once("name=\"notice\" value=\"")
        .expect("a form")
        .1;
    let id = rest.split('"').next().expect("an id");
    let fields = [("kind", "notice"), ("notice", id), ("text", "The second")];
    browser.send("/console/answer", &fields).expect(303);
    browser.send("/console/answer", &fields).expect(409);
    assert!(!browser.page("/console").contains("Which file?"));
}

#[test]
fn the_arguments_are_changed_and_approved_in_one_act() {
    let place = Place::new();
    let (run, request) = suspended(&place);
    let browser = Browser::at_terminal(&place);
    let inbox = browser.page("/console");
    assert!(
        inbox.contains("Edit the arguments and approve") && inbox.contains("&quot;made.txt&quot;"),
        "{inbox}"
    );
    let refused = browser.send(
        "/console/decide",
        &[
            ("id", &request),
            ("decision", "edit"),
            ("arguments", "{\"path\": 1}"),
        ],
    );
    assert_eq!(refused.status, 422, "{refused:?}");
    let changed = "{\"path\": \"made.txt\", \"content\": \"<b>better</b>\"}";
    browser
        .send(
            "/console/decide",
            &[
                ("id", &request),
                ("decision", "edit"),
                ("arguments", changed),
            ],
        )
        .expect(303);
    until("the end", || {
        browser
            .page(&format!("/console/runs/{run}"))
            .contains("succeeded")
    });
    assert_eq!(place.read("made.txt"), "<b>better</b>");
}
