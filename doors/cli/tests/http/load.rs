//! What a server answers beside calls that take long, and clients that do not read.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::client::{Server, read};
use crate::load::{endless, expect_prompt};
use crate::support::Place;

/// Sends a call, and does not wait for its answer.
fn sent(server: &Server, tool: &str, args: &Json) -> TcpStream {
    let body = json!({"tool": tool, "args": args}).to_string();
    let length = body.len().to_string();
    let fields = [
        ("Content-Type", "application/json"),
        ("Content-Length", &*length),
    ];
    let head = server.head("POST", "/v1/call", &fields);
    let mut stream = server.connect();
    let text = format!("{head}{body}");
    stream.write_all(text.as_bytes()).expect("writes");
    stream
}

#[test]
fn health_is_answered_at_once_beside_any_number_of_long_calls_and_those_without_a_client_stop() {
    let place = Place::new();
    let server = Server::start(&place, &["--threads", "8"]);
    for count in [1, 32] {
        for (tool, args) in endless() {
            let clients: Vec<TcpStream> = (0..count).map(|_| sent(&server, tool, &args)).collect();
            let running = count.min(8);
            server.until(&format!("mathchain_calls_running {running}"), None);
            expect_prompt(&format!("{count} x {tool}"), || {
                server.get("/healthz", &[]).expect(200);
            });
            drop(clients);
            server.until("mathchain_calls_running 0", None);
        }
    }
    let sum = server.call(&json!({"tool": "calculate", "args": {"expression": "6*7"}}));
    assert_eq!(sum.expect(200).json()["output"]["value"], 42.0);
}

#[test]
fn a_call_is_cancelled_although_calls_of_others_keep_every_thread() {
    let place = Place::new();
    let server = Server::start(&place, &["--threads", "8"]);
    let (tool, args) = &endless()[0];
    let _others: Vec<TcpStream> = (0..7).map(|_| sent(&server, tool, args)).collect();
    server.until("mathchain_calls_running 7", None);
    // Its cancellation reaches it, although it computes beside all others.
    let mut late = args.clone();
    late["chains"] = 8.into();
    let own = sent(&server, tool, &late);
    server.until("mathchain_calls_running 8", None);
    drop(own);
    server.until("mathchain_calls_running 7", None);
}

#[test]
fn a_refusal_before_the_body_is_read_says_that_the_connection_closes() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let head = |path: &str, kind: &str| {
        let fields = [("Content-Type", kind), ("Content-Length", "100000")];
        server.head("POST", path, &fields)
    };
    for (path, kind, status) in [
        ("/v1/nothing", "application/json", 404),
        ("/v1/call", "text/plain", 415),
    ] {
        let reply = server.raw(head(path, kind).as_bytes());
        assert_eq!(reply.status, status, "{reply:?}");
        assert_eq!(reply.field("connection"), Some("close"), "{reply:?}");
    }
    let whole = server.call(&json!({"tool": "calculate", "args": {"expression": "1 +"}}));
    assert_eq!(whole.expect(422).field("connection"), None);
}

#[test]
fn clients_that_do_not_read_or_send_nothing_keep_no_place() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let asked = server.head("GET", "/v1/openapi.json", &[]).repeat(40);
    let mut clients = Vec::new();
    for index in 0..600 {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", server.port)) else {
            break;
        };
        let _ = stream.set_write_timeout(Some(Duration::from_millis(50)));
        if index % 2 == 0 {
            let _ = stream.write_all(asked.as_bytes());
        }
        clients.push(stream);
    }
    for _ in 0..3 {
        server.get("/healthz", &[]).expect(200);
    }
    drop(clients);
}

#[test]
fn a_client_that_accepts_anything_is_served_and_a_stream_needs_a_session() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
    .to_string();
    for fields in [&[("Accept", "*/*")][..], &[]] {
        let reply = server.post("/mcp", fields, &begin);
        assert!(reply.expect(200).body.contains("serverInfo"), "{reply:?}");
    }
    server
        .post("/mcp", &[("Accept", "text/html")], &begin)
        .expect(406);
    let stream = server.get("/mcp", &[("Accept", "text/event-stream")]);
    stream.expect(405);
}

#[test]
fn sessions_of_one_caller_have_a_limit() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
    .to_string();
    let mut stream = server.connect();
    let length = begin.len().to_string();
    let fields = [
        ("Content-Type", "application/json"),
        ("Content-Length", &*length),
        ("Accept", "*/*"),
    ];
    let request = server.head("POST", "/mcp", &fields) + &begin;
    let mut begun = 0;
    let refused = loop {
        stream.write_all(request.as_bytes()).expect("writes");
        let reply = read(&mut stream);
        if reply.status != 200 {
            break reply;
        }
        begun += 1;
        assert!(begun < 1000, "no limit");
    };
    assert_eq!((refused.status, begun), (429, 128));
    assert!(refused.field("retry-after").is_some());
    // The newer version has none.
    let mut other = server.connect();
    other
        .write_all(server.head("GET", "/healthz", &[]).as_bytes())
        .expect("writes");
    let mut first = [0; 12];
    other.read_exact(&mut first).expect("an answer");
    assert_eq!(&first, b"HTTP/1.1 200");
}
