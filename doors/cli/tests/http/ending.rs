//! Clients that go away, and the end of the server.

use std::io::Write as _;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value as Json, json};

use super::client::{Server, read};
use crate::support::Place;

fn endless() -> Json {
    json!({"tool": "mcmc", "args": {"log_density": "-x0**2/2 - x1**4", "x0": [0, 0], "n_samples": 1_000_000, "chains": 8}})
}

/// Sends the head of a call and a part of its body.
fn begun(server: &Server, body: &str, part: usize) -> std::net::TcpStream {
    let length = body.len().to_string();
    let fields = [
        ("Content-Type", "application/json"),
        ("Content-Length", &*length),
    ];
    let head = server.head("POST", "/v1/call", &fields);
    let mut stream = server.connect();
    let text = format!("{head}{}", &body[..part]);
    stream.write_all(text.as_bytes()).expect("writes");
    stream
}

#[test]
fn a_call_whose_client_is_gone_stops() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let body = endless().to_string();
    let stream = begun(&server, &body, body.len());
    server.until("mathchain_calls_running 1", None);
    drop(stream);
    server.until("mathchain_calls_running 0", None);
    let records = place.run(&["audit", "list", "--json", "--tool", "mcmc"], "");
    assert!(
        records.expect_code(0).stdout.contains("cancelled"),
        "{}",
        records.stdout
    );
}

#[test]
fn requests_on_their_way_are_answered_at_the_end() {
    let place = Place::new();
    let mut server = Server::start(&place, &[]);
    let body = json!({"tool": "calculate", "args": {"expression": "6*7"}}).to_string();
    let mut stream = begun(&server, &body, 10);
    server.until("mathchain_calls_running 0", None);
    server.signal(Signal::TERM);
    // No further client is accepted.
    let begun = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", server.port)).is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(2), "still accepts");
        std::thread::sleep(Duration::from_millis(10));
    }
    stream.write_all(&body.as_bytes()[10..]).expect("writes");
    let reply = read(&mut stream);
    assert_eq!(reply.expect(200).json()["output"]["value"], 42.0);
    assert_eq!(server.code(), 0);
}

#[test]
fn a_call_that_takes_too_long_is_stopped_and_answered() {
    let place = Place::new();
    for (signal, reason, code) in [(Signal::TERM, "interrupted", 7), (Signal::INT, "", 6)] {
        let mut server = Server::start(&place, &[]);
        let body = endless().to_string();
        let mut stream = begun(&server, &body, body.len());
        server.until("mathchain_calls_running 1", None);
        server.signal(signal);
        let reply = read(&mut stream);
        let error = &reply.expect(503).json()["error"];
        assert_eq!(error["code"], "cancelled", "{error}");
        assert_eq!(error["reason"].as_str().unwrap_or_default(), reason);
        assert_eq!(server.code(), code);
    }
}

#[test]
fn an_idle_connection_and_an_open_stream_do_not_hold_the_server() {
    let place = Place::new();
    let mut server = Server::start(&place, &[]);
    let mut idle = server.connect();
    let head = server.head("GET", "/healthz", &[]);
    idle.write_all(head.as_bytes()).expect("writes");
    read(&mut idle).expect(200);
    let session = super::mcp::begin(&server, &[]);
    let mut stream = server.connect();
    let fields = [
        ("Accept", "text/event-stream"),
        ("Mcp-Session-Id", &*session),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let head = server.head("GET", "/mcp", &fields);
    stream.write_all(head.as_bytes()).expect("writes");
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    server.signal(Signal::TERM);
    assert_eq!(server.code(), 0);
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
}
