//! Ordinary exchanges: what is sent, what comes back, what is repeated, how it is stopped.

use std::io::{Read, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tool_core::capability::{HttpMethod, HttpRequest, HttpTransport};
use tool_core::{ErrorCode, StopFlag};

use super::super::{WebSearchSettings, WebSettings};
use super::{PUBLIC, Scripted, settings};
use crate::web::tests::loopback::{Server, page};

#[test]
fn an_answer_comes_back_whole() {
    let server = Server::pages(&[(
        "/a?b=1",
        "HTTP/1.1 203 Fine\r\nContent-Type: text/plain\r\nX-Twice: 1\r\nx-twice: 2\r\ncontent-length: 5\r\n\r\nhello",
    )]);
    let scripted = Scripted::new(server.port, &settings());
    let response = scripted.get("http://Example.org/a?b=1#part").unwrap();
    assert_eq!((response.status, response.truncated), (203, false));
    assert_eq!(response.body, b"hello");
    assert_eq!(response.url, "http://example.org/a?b=1");
    assert_eq!(response.header("content-type"), Some("text/plain"));
    let twice: Vec<&str> = (response.headers.iter())
        .filter(|(name, _)| name == "x-twice")
        .map(|(_, value)| value.as_str())
        .collect();
    assert_eq!(twice, ["1", "2"]);
    assert_eq!(
        scripted.log(),
        ["look example.org".to_owned(), format!("dial {PUBLIC}:80")]
    );
    let seen = &server.seen()[0];
    assert_eq!(seen.line, "GET /a?b=1 HTTP/1.1");
    assert_eq!(seen.header("host"), Some("example.org"));
    assert_eq!(seen.header("accept-encoding"), Some("gzip"));
    let agent = format!("mathchain/{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(seen.header("user-agent"), Some(agent.as_str()));
    assert_eq!(seen.header("cookie"), None);
}

#[test]
fn a_body_and_headers_are_sent_as_given() {
    let server = Server::pages(&[("/in", "HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n")]);
    let scripted = Scripted::new(server.port, &settings());
    let request = HttpRequest {
        method: HttpMethod::Post,
        headers: vec![
            ("Content-Type".to_owned(), "text/x".to_owned()),
            ("X-A".to_owned(), "b".to_owned()),
        ],
        body: b"12345".to_vec(),
        ..HttpRequest::get("http://example.org/in")
    };
    assert_eq!(scripted.send(&request).unwrap().status, 201);
    let seen = &server.seen()[0];
    assert_eq!(
        (seen.line.as_str(), seen.body.as_slice()),
        ("POST /in HTTP/1.1", &b"12345"[..])
    );
    assert_eq!(
        (seen.header("content-type"), seen.header("x-a")),
        (Some("text/x"), Some("b"))
    );
}

#[test]
fn headers_that_break_the_exchange_are_refused() {
    let server = Server::new(|_, _| {});
    let scripted = Scripted::new(server.port, &settings());
    let long = "x".repeat(20 << 10);
    for (name, value) in [
        ("Host", "other.example"),
        ("Content-Length", "5"),
        ("transfer-encoding", "chunked"),
        ("Proxy-Authorization", "Basic x"),
        ("x-a", "one\r\nx-b: two"),
        ("x a", "b"),
        ("", "b"),
        ("x-long", long.as_str()),
    ] {
        let request = HttpRequest {
            headers: vec![(name.to_owned(), value.to_owned())],
            ..HttpRequest::get("http://example.org/")
        };
        let err = scripted.send(&request).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/headers")),
            "{name}"
        );
        assert!(
            !err.message().contains("two"),
            "values are nobody's business: {err}"
        );
    }
    assert!(server.seen().is_empty());
}

/// Answers the first requests with an error and then with a page.
fn failing_first(times: usize, head: &'static str) -> Server {
    let left = Mutex::new(times);
    Server::new(move |_, stream| {
        let mut left = left.lock().unwrap();
        let text = if *left > 0 {
            *left -= 1;
            format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\n\r\n").into_bytes()
        } else {
            page("text/plain", b"at last")
        };
        let _ = stream.write_all(&text);
    })
}

#[test]
fn reading_is_repeated_where_the_server_is_busy_and_sending_never() {
    let status = |method, times, head, expected_status, expected_requests| {
        let server = failing_first(times, head);
        let scripted = Scripted::new(server.port, &settings());
        let request = HttpRequest {
            method,
            ..HttpRequest::get("http://example.org/")
        };
        assert_eq!(
            scripted.send(&request).unwrap().status,
            expected_status,
            "{head}"
        );
        assert_eq!(server.seen().len(), expected_requests, "{head}");
    };
    use HttpMethod::{Get, Post};
    status(Get, 2, "503 Busy", 200, 3);
    status(Get, 1, "429 Slow\r\nretry-after: 0", 200, 2);
    status(Get, 1, "502 Bad", 200, 2);
    status(Get, 1, "504 Late", 200, 2);
    status(Get, 9, "503 Busy", 503, 3);
    status(Get, 1, "500 Broken", 500, 1);
    status(Get, 1, "404 None", 404, 1);
    status(Get, 1, "429 Slow\r\nretry-after: 3600", 429, 1);
    status(
        Get,
        1,
        "503 Busy\r\nretry-after: Fri, 31 Dec 1999 23:59:59 GMT",
        503,
        1,
    );
    status(Get, 1, "503 Busy\r\nretry-after: soon", 503, 1);
    status(
        Get,
        1,
        "503 Busy\r\nretry-after: Sun, 06 Nov 1994 11:59:59 GMT",
        200,
        2,
    );
    status(Post, 1, "503 Busy", 503, 1);
}

#[test]
fn a_server_is_given_the_time_it_asks_for() {
    for head in [
        "503 Busy\r\nretry-after: 1",
        "503 Busy\r\nretry-after: Sun, 06 Nov 1994 12:00:01 GMT",
    ] {
        let server = failing_first(1, head);
        let scripted = Scripted::new(server.port, &settings());
        let started = Instant::now();
        assert_eq!(scripted.get("http://example.org/").unwrap().status, 200);
        assert!(started.elapsed() >= Duration::from_secs(1), "{head}");
    }
}

#[test]
fn what_a_server_asks_for_is_not_waited_for_beyond_the_deadline() {
    let server = failing_first(1, "503 Busy\r\nretry-after: Sun, 06 Nov 1994 12:00:09 GMT");
    let scripted = Scripted::new(server.port, &settings());
    let request = HttpRequest {
        timeout: Duration::from_secs(5),
        ..HttpRequest::get("http://example.org/")
    };
    // The second attempt would succeed.
    assert_eq!(scripted.send(&request).unwrap().status, 503);
}

#[test]
fn a_failed_connection_is_tried_again_and_says_so_in_the_end() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let scripted = Scripted::new(closed, &settings());
    let err = scripted.get("http://example.org/").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::ToolError, Some("connect"))
    );
    assert!(err.hint_str().unwrap().contains("network"));
    assert_eq!(
        scripted
            .log()
            .iter()
            .filter(|line| line.starts_with("dial"))
            .count(),
        3
    );
    let nameless = Scripted::answering(closed, &settings(), &[]);
    let err = nameless.get("http://example.org/").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::ToolError, Some("dns"))
    );
    assert!(
        err.message()
            .contains("could not resolve host `example.org`")
    );
}

#[test]
fn every_connection_looks_the_name_up_once_and_checks_what_it_found() {
    let server = failing_first(1, "503 Busy");
    let answers: &[&[&str]] = &[&["93.184.215.14"], &["127.0.0.1"]];
    let scripted = Scripted::answering(server.port, &settings(), answers);
    // The second attempt finds another address for the same name: rebinding.
    let err = scripted.get("http://rebind.example/").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::PolicyDenied, Some("address"))
    );
    let log = scripted.log();
    assert_eq!(
        log,
        [
            "look rebind.example".to_owned(),
            format!("dial {PUBLIC}:80"),
            "look rebind.example".to_owned()
        ]
    );
}

#[test]
fn the_stop_flag_and_the_deadline_end_a_transfer() {
    let server = Server::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab");
        let _ = stream.read(&mut [0]); // until the client goes away
    });
    let scripted = Scripted::new(server.port, &settings());
    let request = HttpRequest {
        timeout: Duration::from_millis(100),
        ..HttpRequest::get("http://example.org/")
    };
    let err = scripted.send(&request).unwrap_err();
    assert_eq!(err.code(), ErrorCode::Timeout);
    let stop = StopFlag::new();
    let other = stop.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        other.cancel();
    });
    let request = HttpRequest::get("http://example.org/");
    let err = scripted.client.send(&request, &stop).unwrap_err();
    assert_eq!(err.code(), ErrorCode::Cancelled);
    stopper.join().unwrap();
    let err = scripted.client.send(&request, &stop).unwrap_err();
    assert_eq!(err.code(), ErrorCode::Cancelled, "nothing is sent any more");
}

#[test]
fn content_that_the_caller_cannot_read_is_refused() {
    let server = Server::new(|request, stream| {
        let kind = request.path().trim_start_matches('/').replace('.', "/");
        let _ = stream.write_all(&page(&kind, b"x"));
    });
    let scripted = Scripted::new(server.port, &settings());
    let check = |accept, kind: &str, fits: bool| {
        let request = HttpRequest {
            accept,
            ..HttpRequest::get(format!("http://example.org/{kind}"))
        };
        let reason = scripted
            .send(&request)
            .err()
            .and_then(|err| err.reason_str().map(str::to_owned));
        assert_eq!(reason.is_none(), fits, "{kind}");
        assert!(fits || reason.as_deref() == Some("content_type"));
    };
    check(&[], "image.png", true);
    check(&["text/"], "TEXT.HTML;charset=utf-8", true);
    check(&["text/html"], "text.plain", false);
    check(&["text/html", "application/json"], "application.json", true);
    check(&["text/"], "application.octet-stream", false);
}

#[test]
fn a_key_goes_to_its_service_and_to_nobody_else() {
    let server = Server::new(|_, stream| drop(stream.write_all(&page("text/plain", b"x"))));
    let settings = WebSettings {
        search: WebSearchSettings {
            provider: "brave".to_owned(),
            endpoint: None,
            api_key: Some("canary-key".to_owned()),
        },
        ..settings()
    };
    let scripted = Scripted::new(server.port, &settings);
    let key = |service, url: &str| {
        let request = HttpRequest {
            service,
            ..HttpRequest::get(url)
        };
        // https would need a certificate; what is sent is seen over http only.
        let _ = scripted.send(&request);
        let seen = server.seen();
        seen.last()
            .and_then(|seen| seen.header("x-subscription-token").map(str::to_owned))
    };
    assert_eq!(key(Some("search"), "http://other.example/"), None);
    assert_eq!(key(None, "http://api.search.brave.com/"), None);
    assert_eq!(
        key(Some("search"), "http://api.search.brave.com/"),
        None,
        "another scheme is another place"
    );
    let own = WebSettings {
        search: WebSearchSettings {
            endpoint: Some("http://search.example".to_owned()),
            ..settings.search.clone()
        },
        ..settings
    };
    let scripted = Scripted::new(server.port, &own);
    let key = |service| {
        let request = HttpRequest {
            service,
            ..HttpRequest::get("http://search.example/x")
        };
        scripted.send(&request).unwrap();
        let seen = server.seen();
        seen.last()
            .and_then(|seen| seen.header("x-subscription-token").map(str::to_owned))
    };
    assert_eq!(key(Some("search")).as_deref(), Some("canary-key"));
    assert_eq!(key(Some("wikipedia")), None);
    assert_eq!(key(None), None);
    assert_eq!(scripted.client.service("search").unwrap().provider, "brave");
}
