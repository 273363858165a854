//! Hosts, origins, sizes, and addresses beyond this machine.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{Server, read};
use crate::support::Place;

const SERVER: &str = r#"
version = 1
[server]
hosts = ["tools.example.org", "other.example.org:8443"]
origins = ["https://tools.example.org"]
"#;

#[test]
fn a_request_names_this_server_and_no_other() {
    let place = Place::new();
    place.write("mathchain.toml", SERVER);
    let server = Server::start(&place, &[]);
    let port = server.port;
    // The body is never read: the head states one that does not come.
    let refused = |head: &str| {
        let head = format!(
            "POST /v1/call HTTP/1.1\r\n{head}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
        );
        let reply = server.raw(head.as_bytes());
        reply.expect(403);
        reply.reason()
    };
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1:1".to_owned(),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        "other.example.org".to_owned(),
        "other.example.org:8444".to_owned(),
        "192.168.0.1".to_owned(),
        format!("user@127.0.0.1:{port}"),
        String::new(),
    ] {
        assert_eq!(refused(&format!("Host: {host}\r\n")), "host", "{host}");
    }
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    assert_eq!(refused(""), "host");
    assert_eq!(refused(&format!("{own}Host: evil.example\r\n")), "host");
    assert_eq!(refused(&format!("{own}{own}")), "host");
    let head = format!("GET http://evil.example/healthz HTTP/1.1\r\n{own}\r\n");
    server.raw(head.as_bytes()).expect(403);
    for host in [
        format!("127.0.0.1:{port}"),
        format!("LOCALHOST:{port}"),
        format!("[::1]:{port}"),
        "localhost".to_owned(),
        "tools.example.org".to_owned(),
        "tools.example.org:443".to_owned(),
        "other.example.org:8443".to_owned(),
    ] {
        server.get("/healthz", &[("Host", &host)]).expect(200);
    }
}

#[test]
fn a_page_of_another_origin_calls_nothing() {
    let place = Place::new();
    place.write("mathchain.toml", SERVER);
    let server = Server::start(&place, &[]);
    let port = server.port;
    for origin in [
        "http://evil.example".to_owned(),
        "null".to_owned(),
        String::new(),
        "http://localhost:1".to_owned(),
        "http://localhost".to_owned(),
        format!("https://localhost:{port}"),
        format!("http://localhost:{port}.evil.example"),
        "http://tools.example.org".to_owned(),
        "https://tools.example.org:8443".to_owned(),
        "https://tools.example.org.evil.example".to_owned(),
    ] {
        for path in ["/healthz", "/mcp", "/v1/tools"] {
            let reply = server.get(path, &[("Origin", &origin)]);
            assert_eq!(reply.expect(403).reason(), "origin", "{origin}");
        }
    }
    let twice = [
        ("Origin", "https://tools.example.org"),
        ("Origin", "http://evil.example"),
    ];
    server.get("/healthz", &twice).expect(403);
    for origin in [
        format!("http://localhost:{port}"),
        "https://tools.example.org".to_owned(),
    ] {
        server.get("/healthz", &[("Origin", &origin)]).expect(200);
    }
}

#[test]
fn hosts_and_origins_of_a_stranger_are_those_of_any_other() {
    let place = Place::of_a_stranger();
    place.write("mathchain.toml", SERVER);
    let ours = [("Origin", "https://tools.example.org")];
    let server = Server::start(&place, &[]);
    server.get("/healthz", &ours).expect(403);
    drop(server);
    place.run(&["trust", "--yes"], "").expect_code(0);
    let server = Server::start(&place, &[]);
    server.get("/healthz", &ours).expect(200);
}

#[test]
fn heads_and_bodies_have_limits() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[limits]\nmax_input_bytes = 2000\n",
    );
    let server = Server::start(&place, &[]);
    let json = ("Content-Type", "application/json");
    for path in ["/v1/call", "/mcp"] {
        let stated = server.head("POST", path, &[json, ("Content-Length", "2001")]);
        let reply = server.raw(stated.as_bytes());
        assert_eq!(reply.expect(413).reason(), "body_size");
        let chunked = server.head("POST", path, &[json, ("Transfer-Encoding", "chunked")]);
        let chunk = format!("400\r\n{}\r\n", "x".repeat(0x400));
        let reply = server.raw(format!("{chunked}{chunk}{chunk}").as_bytes());
        assert_eq!(reply.expect(413).reason(), "body_size");
    }
    let long = "x".repeat(64 << 10);
    server.get("/healthz", &[("X-Long", &long)]).expect(431);
    let many = vec![("X-Many", "1"); 200];
    server.get("/healthz", &many).expect(431);
    let form = [("Content-Type", "text/plain"), ("Content-Length", "2")];
    let form = server.head("POST", "/v1/call", &form) + "{}";
    assert_eq!(
        server.raw(form.as_bytes()).expect(415).reason(),
        "content_type"
    );
    for (method, path, status) in [
        ("GET", "/nothing", 404),
        ("GET", "/v1/call", 405),
        ("DELETE", "/v1/tools", 405),
    ] {
        let head = server.head(method, path, &[]);
        server.raw(head.as_bytes()).expect(status);
    }
    server.raw(b"garbage\r\n\r\n").expect(400);
    server.get("/healthz", &[]).expect(200);
}

#[test]
fn a_client_that_sends_nothing_is_let_go_and_delays_nobody() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let mut slow: Vec<_> = (0..20).map(|_| server.connect()).collect();
    for stream in &mut slow {
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: ")
            .expect("writes");
    }
    // As many send a body and never end it.
    let call = json!({"tool": "calculate", "args": {"expression": "6*7"}});
    let fields = [
        ("Content-Type", "application/json"),
        ("Content-Length", "1000"),
    ];
    let head = server.head("POST", "/v1/call", &fields);
    let mut endless: Vec<_> = (0..20).map(|_| server.connect()).collect();
    for stream in &mut endless {
        stream
            .write_all(format!("{head}{{\"tool\": ").as_bytes())
            .expect("writes");
    }
    let begun = Instant::now();
    assert_eq!(
        server.call(&call).expect(200).json()["output"]["value"],
        42.0
    );
    assert!(
        begun.elapsed() < Duration::from_secs(9),
        "{:?}",
        begun.elapsed()
    );
    for stream in &mut slow {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("is closed");
    }
    // A byte now and then gives a body no more time.
    while begun.elapsed() < Duration::from_secs(25) {
        for stream in &mut endless {
            stream.write_all(b" ").expect("writes");
        }
        std::thread::sleep(Duration::from_secs(2));
    }
    for stream in &mut endless {
        assert_eq!(read(stream).expect(408).reason(), "body_time");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
}

/// More clients than connections are open at a time leave in the middle of a head or a body.
#[test]
fn clients_that_vanish_leave_their_place() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let fields = [
        ("Content-Type", "application/json"),
        ("Content-Length", "100"),
    ];
    let head = server.head("POST", "/v1/call", &fields);
    for count in 0..700 {
        let mut stream = server.connect();
        let sent = if count % 2 == 0 { &head[..40] } else { &*head };
        stream.write_all(sent.as_bytes()).expect("writes");
    }
    let begun = Instant::now();
    server.get("/healthz", &[]).expect(200);
    let call = json!({"tool": "calculate", "args": {"expression": "6*7"}});
    server.call(&call).expect(200);
    assert!(
        begun.elapsed() < Duration::from_secs(9),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn bodies_that_would_grow_or_be_read_twice_are_refused() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let json = ("Content-Type", "application/json");
    let nested = "[".repeat(200_000);
    let call = |args: &str| format!(r#"{{"tool":"calculate","args":{{"expression":{args}}}}}"#);
    for body in [&nested, &call(&nested), &call(&"9".repeat(100_000))] {
        let status = server.post("/v1/call", &[], body).status;
        assert!([400, 413, 422].contains(&status), "{status}");
    }
    let zipped = server.post("/v1/call", &[("Content-Encoding", "gzip")], "\u{1f}\u{8b}");
    zipped.expect(400);
    // Two lengths, or a length and chunks, would let a proxy read another request than the server.
    let good = call("\"1\"");
    let length = good.len().to_string();
    let stated = ("Content-Length", &*length);
    for fields in [
        [json, stated, ("Content-Length", "1")],
        [json, stated, ("Content-Length", "+1")],
        [json, stated, ("Transfer-Encoding", "chunked, identity")],
    ] {
        let head = server.head("POST", "/v1/call", &fields);
        server.raw(format!("{head}{good}").as_bytes()).expect(400);
    }
    let head = server.head(
        "POST",
        "/v1/call",
        &[json, ("Transfer-Encoding", "chunked")],
    );
    for chunks in [
        "fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        "-2\r\n{}\r\n0\r\n\r\n",
    ] {
        server.raw(format!("{head}{chunks}").as_bytes()).expect(400);
    }
    server.post("/v1/call", &[], &good).expect(200);
}

#[test]
fn an_address_beyond_this_machine_needs_keys_and_a_proxy() {
    let place = Place::new();
    let refused = |flags: &[&str], words: &str| {
        let answer = place.run(&[&["serve", "--output", "json"], flags].concat(), "");
        let answer = answer.expect_code(1);
        assert_eq!(answer.at("/error/reason").as_str(), Some("exposed"));
        let message = answer.at("/error/message");
        assert!(
            message.as_str().expect("a text").contains(words),
            "{message}"
        );
    };
    refused(&["--http", "0.0.0.0:0"], "no key");
    refused(&["--http", "0.0.0.0:0", "--behind-proxy"], "no key");
    refused(&["--http", "127.0.0.1:0", "--behind-proxy"], "no key");
    place
        .run(&["keys", "create", "a", "--role", "worker_math"], "")
        .expect_code(0);
    refused(&["--http", "0.0.0.0:0"], "no TLS");
    let server = Server::with(&place, &["--http", "0.0.0.0:0", "--behind-proxy"]);
    server.get("/healthz", &[]).expect(200);
    server.get("/v1/tools", &[]).expect(401);
    drop(server);
    place.write(
        "mathchain.toml",
        "version = 1\n[server]\nlisten = \"0.0.0.0:0\"\nbehind_proxy = true\n",
    );
    let server = Server::with(&place, &["--http"]);
    server.get("/healthz", &[]).expect(200);
}
