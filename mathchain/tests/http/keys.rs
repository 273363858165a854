//! Keys, their roles and limits, and approvals by keys.

use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::client::{Reply, Server, read};
use crate::support::{Answer, Place};

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
fn a_server_with_keys_answers_only_these() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    server.call(&sum()).expect(200);
    let made = key(&place, &["ci", "--role", "worker_math"]);
    // From the next request on.
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
    // A line may not name another role than that of the key.
    let mut other = sum();
    other["role"] = "operator".into();
    call(&server, &made, &other).expect(403);
    place.run(&["keys", "revoke", "ci"], "").expect_code(0);
    call(&server, &made, &sum()).expect(401);
    server.call(&sum()).expect(401);
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
