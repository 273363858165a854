//! `Idempotency-Key`: requests that act once.

use std::io::Write as _;
use std::thread;

use rustix::process::Signal;
use serde_json::{Value as Json, json};

use super::client::{Reply, Server, read};
use crate::pipeline::until;
use crate::support::Place;

/// A configuration in which files are written without an approval.
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

fn append(text: &str) -> Json {
    json!({"id": 7, "tool": "write_file", "args": {"path": "log.txt", "content": text, "mode": "append"}})
}

fn send(server: &Server, key: &str, body: &str) -> Reply {
    server.post("/v1/call", &[("Idempotency-Key", key)], body)
}

#[test]
fn the_same_request_acts_once_also_after_a_restart() {
    let place = place();
    let server = Server::start(&place, &[]);
    let body = append("a\n").to_string();
    let first = send(&server, "k1", &body);
    assert_eq!(first.expect(200).field("idempotency-replayed"), None);
    let again = send(&server, "k1", &body);
    assert_eq!(
        again.expect(200).field("idempotency-replayed"),
        Some("true")
    );
    assert_eq!(again.json(), first.json());
    drop(server);
    let server = Server::start(&place, &[]);
    assert_eq!(send(&server, "k1", &body).expect(200).json(), first.json());
    assert_eq!(place.read("log.txt"), "a\n");
    // Another key, and none, act again.
    send(&server, "k2", &body).expect(200);
    server.post("/v1/call", &[], &body).expect(200);
    assert_eq!(place.read("log.txt"), "a\na\na\n");
    // The same key with another body, and at another path.
    let other = send(&server, "k1", &append("b\n").to_string());
    assert_eq!(other.expect(422).reason(), "key_reused");
    let plan = json!({"plan": {"version": 1, "id": "p", "steps": [{"id": "a", "tool": "calculate", "args": {"expression": "1"}}]}});
    let other = server.post(
        "/v1/chains",
        &[("Idempotency-Key", "k1")],
        &plan.to_string(),
    );
    assert_eq!(other.expect(422).reason(), "key_reused");
    assert_eq!(place.read("log.txt"), "a\na\na\n");
}

#[test]
fn an_error_is_answered_again_and_a_refused_line_is_not_kept() {
    let place = place();
    let server = Server::start(&place, &[]);
    let missing = json!({"tool": "read_file", "args": {"path": "none.txt"}}).to_string();
    let first = send(&server, "e", &missing);
    assert!(first.status >= 400, "{first:?}");
    place.write("none.txt", "x");
    let again = send(&server, "e", &missing);
    assert_eq!((again.status, again.json()), (first.status, first.json()));
    send(&server, "line", "garbage").expect(400);
    send(&server, "line", &append("x").to_string()).expect(200);
    for key in ["", "a b", "\u{e4}", &"k".repeat(256)] {
        let refused = send(&server, key, &append("y").to_string());
        assert_eq!(refused.expect(400).reason(), "idempotency_key", "{key}");
    }
    let twice = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")];
    server
        .post("/v1/call", &twice, &append("y").to_string())
        .expect(400);
    assert_eq!(place.read("log.txt"), "x");
}

#[test]
fn of_two_at_once_one_acts() {
    let place = place();
    let server = Server::start(&place, &[]);
    let body = append("a\n").to_string();
    let replies: Vec<Reply> = thread::scope(|scope| {
        let sent: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| send(&server, "same", &body)))
            .collect();
        sent.into_iter()
            .map(|one| one.join().expect("no panic"))
            .collect()
    });
    assert_eq!(place.read("log.txt"), "a\n");
    let acted =
        |reply: &&Reply| reply.status == 200 && reply.field("idempotency-replayed").is_none();
    assert_eq!(replies.iter().filter(acted).count(), 1);
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        assert_eq!(reply.expect(409).reason(), "in_progress");
        assert_eq!(reply.field("retry-after"), Some("1"));
    }
}

/// A call that takes minutes, unless it is stopped.
fn endless() -> String {
    let terms: String = (1..100)
        .map(|k| format!(" - 1e-9*sin({k}*x0)**2"))
        .collect();
    let density = format!("-x0**2/2 - x1**4{terms}");
    json!({"tool": "mcmc", "args": {"log_density": density, "x0": [0, 0], "n_samples": 1_000_000, "chains": 8}}).to_string()
}

fn begin(server: &Server, key: &str, body: &str) -> std::net::TcpStream {
    let length = body.len().to_string();
    let fields = [
        ("Content-Type", "application/json"),
        ("Content-Length", &*length),
        ("Idempotency-Key", key),
    ];
    let head = server.head("POST", "/v1/call", &fields);
    let mut stream = server.connect();
    let text = format!("{head}{body}");
    stream.write_all(text.as_bytes()).expect("writes");
    stream
}

/// Waits until the key of a request is on disk.
fn is_claimed(place: &Place, key: &str) {
    let state = rusqlite::Connection::open(place.path("work/.mathchain/state.db")).expect("opens");
    until("the key is on disk", || {
        let keys = "SELECT count(*) FROM requests WHERE key = ?";
        state.query_row(keys, [key], |row| row.get::<_, i64>(0)) == Ok(1)
    });
}

#[test]
fn a_request_whose_server_was_killed_after_it_began_to_act_is_never_run_again() {
    let place = Place::new();
    // A listener that accepts and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("listens");
    let port = silent.local_addr().expect("an address").port();
    place.write(
        "mathchain.toml",
        &format!(
            "version = 1\n[permissions.network]\nallow_private = [\"127.0.0.1:{port}\"]\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = {{ tools = [\"http_post\"] }}\ndecision = \"allow\"\n"
        ),
    );
    let post = json!({"tool": "http_post", "args": {"url": format!("http://127.0.0.1:{port}/"), "data": "x"}}).to_string();
    let server = Server::start(&place, &[]);
    let stream = begin(&server, "k", &post);
    let _held = silent.accept().expect("the effect has begun");
    server.signal(Signal::KILL);
    drop((server, stream));
    for _ in 0..2 {
        let server = Server::start(&place, &[]);
        let again = send(&server, "k", &post);
        assert_eq!(again.expect(409).reason(), "outcome_unknown");
        assert!(again.body.contains("audit list"), "{}", again.body);
    }
}

#[test]
fn a_request_whose_server_was_killed_before_it_acted_is_taken_again() {
    let place = place();
    let server = Server::start(&place, &[]);
    let stream = begin(&server, "k", &endless());
    server.until("mathchain_calls_running 1", None);
    let other = send(&server, "k", &endless());
    assert_eq!(other.expect(409).reason(), "in_progress");
    let other = send(&server, "k", &append("x").to_string());
    assert_eq!(other.expect(422).reason(), "key_reused");
    is_claimed(&place, "k");
    server.signal(Signal::KILL);
    drop((server, stream));
    let server = Server::start(&place, &[]);
    let _again = begin(&server, "k", &endless());
    server.until("mathchain_calls_running 1", None);
}

#[test]
fn an_answer_is_given_again_only_while_the_call_is_permitted() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    place.write("a.txt", "secret");
    let made = place.run(&["keys", "create", "k", "--role", "worker_general"], "");
    let key = made.expect_code(0).at("/key");
    let bearer = format!("Bearer {}", key.as_str().expect("a key"));
    let read = json!({"tool": "read_file", "args": {"path": "a.txt"}}).to_string();
    let send = |server: &Server| {
        let fields = [("Authorization", &*bearer), ("Idempotency-Key", "k")];
        server.post("/v1/call", &fields, &read)
    };
    let server = Server::start(&place, &[]);
    assert!(send(&server).expect(200).body.contains("secret"));
    assert!(send(&server).expect(200).body.contains("secret"));
    // The policy is narrowed.
    drop(server);
    place.write(
        "mathchain.toml",
        "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"read_file\"] }\ndecision = \"deny\"\n",
    );
    let server = Server::start(&place, &[]);
    let refused = send(&server);
    assert!(!refused.expect(403).body.contains("secret"), "{refused:?}");
    // The role of the key is changed.
    drop(server);
    place.write("mathchain.toml", "version = 1\n");
    let file = "../config/mathchain/keys/server.json";
    let stored = place.read(file).replace("worker_general", "worker_math");
    place.write(file, &stored);
    let server = Server::start(&place, &[]);
    let refused = send(&server);
    assert!(!refused.expect(403).body.contains("secret"), "{refused:?}");
}

#[test]
fn a_client_that_is_gone_asks_again_for_its_answer() {
    let place = place();
    let mut server = Server::start(&place, &[]);
    let stream = begin(&server, "k", &endless());
    server.until("mathchain_calls_running 1", None);
    drop(stream);
    // The call goes on, and the end of the server stops it.
    thread::sleep(std::time::Duration::from_millis(300));
    server.until("mathchain_calls_running 1", None);
    server.signal(Signal::INT);
    assert_eq!(server.code(), 6);
    let server = Server::start(&place, &[]);
    let answer = send(&server, "k", &endless()).expect(503).json();
    assert_eq!(answer["error"]["code"], "cancelled", "{answer}");
}

#[test]
fn a_call_that_waits_for_approval_can_be_sent_again() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    let server = Server::start(&place, &[]);
    let body =
        json!({"tool": "write_file", "args": {"path": "new.txt", "content": "x"}}).to_string();
    let pending = send(&server, "k", &body);
    let id = pending.expect(202).json()["metadata"]["approval_id"].clone();
    let id = id.as_str().expect("an id");
    place.run(&["approve", id], "").expect_code(0);
    send(&server, "k", &body).expect(200);
    let again = send(&server, "k", &body);
    assert_eq!(
        again.expect(200).field("idempotency-replayed"),
        Some("true")
    );
    assert_eq!(place.read("new.txt"), "x");
}

#[test]
fn a_plan_is_begun_once_also_after_a_restart() {
    let place = place();
    let plan = json!({"plan": {"version": 1, "id": "log", "steps": [
        {"id": "a", "tool": "write_file", "args": {"path": "log.txt", "content": "a\n", "mode": "append"}}]}})
    .to_string();
    let submit = |server: &Server| {
        let reply = server.post("/v1/chains", &[("Idempotency-Key", "p")], &plan);
        let id = reply.expect(202).json()["id"].as_str().map(str::to_owned);
        let id = id.expect("an id");
        assert_eq!(reply.field("location"), Some(&*format!("/v1/chains/{id}")));
        id
    };
    let server = Server::start(&place, &[]);
    let id = submit(&server);
    assert_eq!(submit(&server), id);
    assert_eq!(super::calls::ended(&server, &id)["state"], "succeeded");
    drop(server);
    let server = Server::start(&place, &[]);
    assert_eq!(submit(&server), id);
    let shown = server
        .get(&format!("/v1/chains/{id}"), &[])
        .expect(200)
        .json();
    assert_eq!(shown["state"], "succeeded", "{shown}");
    assert_eq!(place.read("log.txt"), "a\n");
    let runs = server.get("/v1/runs", &[]).expect(200).json();
    assert_eq!(runs["runs"].as_array().map(Vec::len), Some(1), "{runs}");
}

#[test]
fn without_a_state_a_key_is_refused() {
    let place = Place::new();
    // A file where the folder of the state would be.
    place.write("../state", "");
    let server = Server::start(&place, &[]);
    let refused = send(
        &server,
        "k",
        &json!({"tool": "calculate", "args": {"expression": "1"}}).to_string(),
    );
    assert_eq!(refused.expect(409).reason(), "state");
    let mut stream = server.connect();
    let head = server.head("GET", "/healthz", &[]);
    stream.write_all(head.as_bytes()).expect("writes");
    read(&mut stream).expect(200);
}
