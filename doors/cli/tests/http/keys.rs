//! Keys, their roles and limits, and approvals by keys.

use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::client::{Reply, Server, read};
use crate::support::{Answer, Place, answer_of};

fn create(place: &Place, args: &[&str]) -> Answer {
    place.run(&[&["keys", "create"], args].concat(), "")
}

#[track_caller]
fn key(place: &Place, args: &[&str]) -> String {
    let made = create(place, args);
    made.expect_code(0)
        .at("/key")
        .as_str()
        .expect("a key")
        .to_owned()
}

fn call(server: &Server, key: &str, line: &Json) -> Reply {
    let bearer = format!("Bearer {key}");
    server.post("/v1/call", &[("Authorization", &bearer)], &line.to_string())
}

fn sum() -> Json {
    json!({"tool": "calculate", "args": {"expression": "6*7"}})
}

#[test]
fn a_server_without_keys_answers_only_its_token() {
    let place = Place::new();
    place.write("secret.txt", "x");
    let mut server = Server::with(&place, &["--http", "127.0.0.1:0"]);
    let token = server.token.take().expect("a token");
    assert!(
        token.starts_with("mathchain_") && token.len() == 74,
        "{token}"
    );
    server.get("/healthz", &[]).expect(200);
    server.get("/readyz", &[]).expect(200);
    for path in [
        "/",
        "/metrics",
        "/v1/openapi.json",
        "/v1/tools",
        "/v1/runs",
        "/v1/events",
        "/?token=",
        "/?token=mathchain_0",
    ] {
        let refused = server.get(path, &[]);
        assert_eq!(refused.expect(401).reason(), "server_key", "{path}");
        assert_eq!(refused.field("www-authenticate"), Some("Bearer"));
    }
    let read = json!({"tool": "read_file", "args": {"path": "secret.txt"}});
    let sent = server.post("/v1/call", &[], &read.to_string());
    assert!(
        sent.expect(401).body.contains("printed when it started"),
        "{sent:?}"
    );
    server.post("/mcp", &[], "{}").expect(401);
    for wrong in [&token[..73], &format!("{token}0"), &token.to_uppercase()] {
        call(&server, wrong, &sum()).expect(401);
    }
    // Without a role that was asked for, it computes and reads no file.
    let answer = call(&server, &token, &sum());
    assert_eq!(answer.expect(200).json()["metadata"]["role"], "worker_math");
    call(&server, &token, &read).expect(403);
    let page = server.get(&format!("/?token={token}"), &[]);
    assert_eq!(
        page.expect(200).field("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(page.body.contains("/v1/openapi.json"), "{}", page.body);
    // Each server has its own.
    let other = Server::with(&place, &["--http", "127.0.0.1:0", "--role", "operator"]);
    call(&other, &token, &sum()).expect(401);
    let own = other.token.clone().expect("a token");
    assert_eq!(
        call(&other, &own, &read).expect(200).json()["output"]["content"],
        "x"
    );
}

#[test]
fn the_role_of_a_token_is_the_narrowest_that_is_named() {
    let place = Place::new();
    let role = || {
        let server = Server::with(&place, &["--http", "127.0.0.1:0"]);
        server.call(&sum()).expect(200).json()["metadata"]["role"].clone()
    };
    place.write(
        "mathchain.toml",
        "version = 1\n[roles.wide]\ntools = [\"category:math\"]\n[roles.small]\ntools = [\"calculate\"]\n",
    );
    assert_eq!(role(), "small");
    place.write(
        "mathchain.toml",
        "version = 1\ndefault_role = \"worker_general\"\n",
    );
    assert_eq!(role(), "worker_general");
}

#[test]
fn a_server_with_keys_answers_only_these() {
    let place = Place::new();
    let made = key(&place, &["ci", "--role", "worker_math"]);
    let server = Server::start(&place, &[]);
    assert_eq!(server.token, None);
    let refused = server.call(&sum());
    assert_eq!(refused.expect(401).reason(), "server_key");
    assert_eq!(refused.field("www-authenticate"), Some("Bearer"));
    server.get("/metrics", &[]).expect(401);
    server.get("/healthz", &[]).expect(200);
    let answer = call(&server, &made, &sum());
    assert_eq!(answer.expect(200).json()["metadata"]["role"], "worker_math");
    for wrong in [
        "",
        "x",
        &made[..made.len() - 1],
        &format!("{made}0"),
        &made.to_uppercase(),
    ] {
        call(&server, wrong, &sum()).expect(401);
    }
    let twice = format!("Bearer {made}");
    let fields = [("Authorization", &*twice), ("Authorization", "Bearer x")];
    server
        .post("/v1/call", &fields, &sum().to_string())
        .expect(401);
    // A key is no token: it stands in no address.
    server.get(&format!("/?token={made}"), &[]).expect(401);
    // A line may not name another role than that of the key.
    let mut other = sum();
    other["role"] = "operator".into();
    call(&server, &made, &other).expect(403);
    place.run(&["keys", "revoke", "ci"], "").expect_code(0);
    call(&server, &made, &sum()).expect(401);
    server.call(&sum()).expect(401);
}

#[test]
fn a_file_of_keys_that_is_removed_before_the_first_request_opens_nothing() {
    let place = Place::new();
    let made = key(&place, &["ci", "--role", "worker_math"]);
    let server = Server::start(&place, &[]);
    std::fs::remove_file(place.path("config/mathchain/keys/server.json")).expect("is ours");
    server.call(&sum()).expect(401);
    call(&server, &made, &sum()).expect(401);
}

#[test]
fn a_key_belongs_to_the_folder_in_which_it_was_made() {
    let place = Place::new();
    std::fs::create_dir(place.path("other")).expect("makes a folder");
    let made = key(&place, &["ci", "--role", "worker_math"]);
    let here = Server::start(&place, &[]);
    call(&here, &made, &sum()).expect(200);
    let there = Server::beside(&place, "other", &["--role", "operator"]);
    let refused = call(&there, &made, &sum());
    assert!(
        refused.expect(401).body.contains("another workspace"),
        "{refused:?}"
    );
    let listed = place.run(&["keys", "list"], "");
    let work = place.path("work").canonicalize().expect("is there");
    let first = listed.expect_code(0).at("/0");
    assert_eq!(first.text("workspace"), work.to_str());
    assert!(
        first
            .get("last_used_ms")
            .is_some_and(|used| used.as_i64().is_some()),
        "{first}"
    );
    // It goes where it is bound.
    let mut bind = place.command(&["keys", "bind", "ci"]);
    bind.current_dir(place.path("other"));
    answer_of(bind, b"").expect_code(0);
    call(&there, &made, &sum()).expect(200);
    call(&here, &made, &sum()).expect(401);
    // One of before is refused, with the next step.
    let file = "../config/mathchain/keys/server.json";
    let mut stored: Json = serde_json::from_str(&place.read(file)).expect("JSON");
    stored[0]
        .as_object_mut()
        .expect("a key")
        .remove("workspace");
    place.write(file, &stored.to_string());
    let refused = call(&there, &made, &sum());
    assert!(
        refused.expect(401).body.contains("keys bind ci"),
        "{refused:?}"
    );
}

#[test]
fn a_key_for_metrics_reads_these_alone() {
    let place = Place::new();
    let made = key(&place, &["prometheus", "--metrics-only"]);
    let worker = key(&place, &["ci", "--role", "worker_math"]);
    let server = Server::start(&place, &[]);
    call(&server, &worker, &sum()).expect(200);
    call(
        &server,
        &worker,
        &json!({"tool": "no_such_tool", "args": {}}),
    )
    .expect(404);
    let bearer = format!("Bearer {made}");
    let fields = [("Authorization", &*bearer)];
    let metrics = server.get("/metrics", &fields).expect(200).body.clone();
    for line in [
        "mathchain_calls_total{tool=\"calculate\",role=\"worker_math\",status=\"success\"} 1",
        "mathchain_approvals_pending 0",
        "mathchain_state_failures_total 0",
        "mathchain_plans_oldest_waiting_seconds 0",
    ] {
        assert!(
            metrics.lines().any(|one| one == line),
            "no {line} in {metrics}"
        );
    }
    assert!(metrics.contains("mathchain_state_free_bytes "), "{metrics}");
    assert!(!metrics.contains("no_such_tool"), "{metrics}");
    for path in ["/", "/v1/tools", "/v1/runs", "/v1/openapi.json"] {
        assert_eq!(
            server.get(path, &fields).expect(403).reason(),
            "metrics_only"
        );
    }
    call(&server, &made, &sum()).expect(403);
}

#[test]
fn streams_and_waiting_calls_see_that_a_key_is_revoked() {
    use std::io::Read as _;
    let place = Place::new();
    let made = key(&place, &["op", "--role", "operator"]);
    let other = key(&place, &["other", "--role", "operator"]);
    let server = Server::start(&place, &["--threads", "1"]);
    let bearer = format!("Bearer {made}");
    let long = json!({"version": 1, "id": "long", "steps": [{"id": "a", "tool": "mcmc", "args":
        {"log_density": "-x0**2/2 - x1**4", "x0": [0, 0], "n_samples": 1_000_000, "chains": 8}}]});
    let plan = json!({"plan": long}).to_string();
    let begun = server.post("/v1/chains", &[("Authorization", &bearer)], &plan);
    let id = begun.expect(202).json()["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    server.until("mathchain_calls_running 1", Some(&other));
    // It waits for the one thread.
    let waits = server.post("/v1/chains", &[("Authorization", &bearer)], &plan);
    let waits = waits.expect(202).json()["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let session = super::mcp::begin(&server, &[("Authorization", &bearer)]);
    let in_session = [
        ("Authorization", &*bearer),
        ("Accept", "text/event-stream"),
        ("Mcp-Session-Id", &*session),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let chain = format!("/v1/chains/{id}/events");
    let mut streams: Vec<_> = [
        ("/v1/events", &in_session[..1]),
        (&*chain, &in_session[..1]),
        ("/mcp", &in_session[..]),
    ]
    .iter()
    .map(|(path, fields)| {
        let mut stream = server.connect();
        let head = server.head("GET", path, fields);
        stream.write_all(head.as_bytes()).expect("sends");
        let mut begun = [0; 12];
        stream.read_exact(&mut begun).expect("a head");
        assert_eq!(&begun, b"HTTP/1.1 200", "{path}");
        stream
    })
    .collect();
    place.run(&["keys", "revoke", "op"], "").expect_code(0);
    for stream in &mut streams {
        // Each ends by itself, with the chunk that ends a body; its connection may stay.
        let (mut rest, mut byte) = (Vec::new(), [0]);
        while !rest.ends_with(b"\r\n0\r\n\r\n") && stream.read(&mut byte).expect("reads") > 0 {
            rest.push(byte[0]);
        }
    }
    let other = format!("Bearer {other}");
    let fields = [("Authorization", &*other)];
    server
        .post(&format!("/v1/chains/{id}/cancel"), &fields, "")
        .expect(202);
    let shown = || {
        server
            .get(&format!("/v1/chains/{waits}"), &fields)
            .expect(200)
            .json()
    };
    crate::pipeline::until("the waiting plan is refused", || {
        shown()["state"] == "cancelled"
    });
    assert_eq!(
        shown()["answer"]["error"]["reason"],
        "server_key",
        "{}",
        shown()
    );
}

#[test]
fn a_key_is_shown_once_and_stored_as_a_digest() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let made = key(&place, &["ci", "--role", "worker_math", "--expires", "90d"]);
    let file = place.path("config/mathchain/keys/server.json");
    let mode = file.metadata().expect("is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let stored = place.read("../config/mathchain/keys/server.json");
    assert!(
        !stored.contains(&made) && stored.contains("worker_math"),
        "{stored}"
    );
    let listed = place.run(&["keys", "list"], "");
    assert!(
        !listed.expect_code(0).stdout.contains(&made),
        "{}",
        listed.stdout
    );
    assert!(!listed.stdout.contains("digest"), "{}", listed.stdout);
    create(&place, &["ci", "--role", "worker_math"]).expect_code(1);
    create(&place, &["other", "--role", "no_such_role"]).expect_code(3);
    create(&place, &["a b", "--role", "worker_math"]).expect_code(2);
    create(
        &place,
        &["other", "--role", "worker_math", "--expires", "soon"],
    )
    .expect_code(2);
    place.run(&["keys", "revoke", "other"], "").expect_code(2);
    // A file that others can read is used by nobody.
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("is ours");
    place.run(&["keys", "list"], "").expect_code(2);
    place
        .run(&["serve", "--http", "127.0.0.1:0"], "")
        .expect_code(2);
    let set = |mode: u32| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&file, mode).expect("is ours");
    };
    set(0o600);
    let server = Server::start(&place, &[]);
    call(&server, &made, &sum()).expect(200);
    // A file that disappears opens nothing.
    std::fs::remove_file(&file).expect("is ours");
    call(&server, &made, &sum()).expect(401);
    server.call(&sum()).expect(401);
}

#[test]
fn a_key_expires() {
    let place = Place::new();
    let made = key(&place, &["ci", "--role", "worker_math", "--expires", "2s"]);
    let server = Server::start(&place, &[]);
    call(&server, &made, &sum()).expect(200);
    std::thread::sleep(Duration::from_millis(2100));
    call(&server, &made, &sum()).expect(401);
}

#[test]
fn a_key_has_a_rate() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[server]\nrate_per_second = 5\n",
    );
    let made = key(&place, &["ci", "--role", "worker_math"]);
    let other = key(&place, &["other", "--role", "worker_math"]);
    let server = Server::start(&place, &[]);
    let replies: Vec<Reply> = (0..40).map(|_| call(&server, &made, &sum())).collect();
    assert!(replies[..5].iter().all(|reply| reply.status == 200));
    let refused = replies
        .iter()
        .find(|reply| reply.status != 200)
        .expect("a limit");
    assert_eq!(refused.expect(429).reason(), "rate");
    assert_eq!(refused.field("retry-after"), Some("1"));
    // Each key has its own.
    call(&server, &other, &sum()).expect(200);
    std::thread::sleep(Duration::from_millis(1100));
    call(&server, &made, &sum()).expect(200);
}

#[test]
fn a_key_has_so_many_requests_at_once() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[server]\nrequests_at_once = 1\n",
    );
    let made = key(&place, &["ci", "--role", "worker_math"]);
    let server = Server::start(&place, &[]);
    let bearer = format!("Bearer {made}");
    let body = sum().to_string();
    let length = body.len().to_string();
    let fields = [
        ("Content-Type", "application/json"),
        ("Content-Length", &*length),
        ("Authorization", &*bearer),
    ];
    let mut stream = server.connect();
    let head = server.head("POST", "/v1/call", &fields);
    stream.write_all(head.as_bytes()).expect("writes");
    std::thread::sleep(Duration::from_millis(300));
    let refused = call(&server, &made, &sum());
    assert_eq!(refused.expect(429).reason(), "requests_at_once");
    stream.write_all(body.as_bytes()).expect("writes");
    read(&mut stream).expect(200);
    call(&server, &made, &sum()).expect(200);
}

#[test]
fn a_key_that_approves_answers_requests_of_other_roles() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    let coder = key(&place, &["coder", "--role", "coder_escalation"]);
    let reviewer = key(&place, &["reviewer", "--role", "review", "--approve"]);
    let own = key(&place, &["own", "--role", "coder_escalation", "--approve"]);
    let server = Server::start(&place, &[]);
    let write = json!({"tool": "write_file", "args": {"path": "new.txt", "content": "x"}});
    let pending = call(&server, &coder, &write);
    let id = pending.expect(202).json()["metadata"]["approval_id"].clone();
    let id = id.as_str().expect("an id");
    let send = |key: &str, method: &str, path: &str| {
        let bearer = format!("Bearer {key}");
        let head = server.head(method, path, &[("Authorization", &bearer)]);
        server.raw(head.as_bytes())
    };
    for path in ["/v1/approvals", &format!("/v1/approvals/{id}")] {
        send(&coder, "GET", path).expect(403);
    }
    let approve = format!("/v1/approvals/{id}/approve");
    assert_eq!(
        send(&coder, "POST", &approve).expect(403).reason(),
        "approver"
    );
    assert_eq!(
        send(&own, "POST", &approve).expect(403).reason(),
        "approver"
    );
    let listed = send(&reviewer, "GET", "/v1/approvals").expect(200).json();
    assert_eq!(listed["approvals"][0]["id"], id, "{listed}");
    let shown = send(&reviewer, "GET", &format!("/v1/approvals/{id}"));
    assert_eq!(
        shown.expect(200).json()["details"]["arguments"]["content"],
        "x"
    );
    let approved = send(&reviewer, "POST", &approve).expect(200).json();
    assert_eq!(approved["decided_by"], "key reviewer", "{approved}");
    call(&server, &coder, &write).expect(200);
    assert_eq!(place.read("new.txt"), "x");
    send(&reviewer, "POST", &approve).expect(409);
    let other = json!({"tool": "write_file", "args": {"path": "other.txt", "content": "x"}});
    let pending = call(&server, &coder, &other).expect(202).json();
    let id = pending["metadata"]["approval_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    send(&reviewer, "POST", &format!("/v1/approvals/{id}/deny")).expect(200);
    call(&server, &coder, &other).expect(403);
}
